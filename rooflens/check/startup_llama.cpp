// Parameters and size of the file that llama.cpp loaded.
#include <cmath>

#include "rooflens/check/startup_rows.h"
#include "rooflens/core/layer_visit.h"
#include "rooflens/core/parameters.h"

namespace rooflens {
namespace {

std::string whole(double v) { return written_like(Printed{}, v); }

// Elements of kv_b in all layers: stored a second time as k_b and v_b for latent kernels.
double split_kv_b(const Model& m) {
  double sum = 0;
  for (const Layer& layer : m.layers) {
    if (const auto* a = std::get_if<LatentAttention>(&layer.mixer)) {
      sum += layer.count * a->kv_rank * a->heads * (a->nope_dim + a->value_dim);
    }
  }
  return sum;
}

// Parameters of one more block like the last, with what a prediction block has beside it.
double prediction_block(const Model& m, double tables) {
  if (m.order.empty()) return 0;
  Model longer = m;
  longer.layers[m.order.back()].count += 1;
  return count_parameters(longer).total - count_parameters(m).total + 2 * m.hidden * m.hidden +
         3 * m.hidden + tables * m.vocabulary * m.hidden;
}

double tensors_of(const Startup& log, std::string_view type) {
  double n = 0;
  for (const StartupType& t : log.types) n += t.name == type ? t.tensors : 0;
  return n;
}

// With four norms in each layer and no biases, where the plain tensors are as many as that.
Model with_four_norms(Model m) {
  for (Layer& layer : m.layers) {
    layer.mixer_norms = layer.ffn_norms = 2;
    if (auto* a = std::get_if<Attention>(&layer.mixer)) a->qkv_bias = a->out_bias = false;
  }
  return m;
}

// What the file holds, as far as its printed count shows.
struct Contents {
  Model model;
  double parameters = 0, again = 0;  // in all; of these kv_b's second copy
};

StartupRow parameters_row(const Printed& printed, const Startup& log, Contents& c) {
  const double base = count_parameters(c.model).total;
  c.parameters = base;
  const auto row = [&](const std::string& note, const std::vector<Candidate>& others) {
    return compared("parameters", "parameters", printed, c.parameters, note, others);
  };
  if (printed.rounds_to(base)) return row("", {});
  Model other = c.model;
  other.tied = !c.model.tied;
  const double flipped = count_parameters(other).total;
  if (printed.rounds_to(flipped)) {
    c.model = other;
    c.parameters = flipped;
    return row(other.tied
                   ? "the log does not show it, but the count does: the head is the embedding "
                     "table"
                   : "the log does not show it, but the count does: the head is a table of "
                     "its own",
               {});
  }
  std::vector<Candidate> others;
  const double again = split_kv_b(c.model);
  const std::string kv_b =
      "kv_b is stored a second time as k_b and v_b: " + whole(again) + " parameters more";
  if (again > 0) others.push_back({base + again, kv_b});
  if (log.prediction_layers > 0) {
    for (double tables : {0.0, 1.0, 2.0}) {
      const double more = log.prediction_layers * prediction_block(c.model, tables);
      std::string words = whole(log.prediction_layers);
      words += log.prediction_layers == 1 ? " prediction block is" : " prediction blocks are";
      words += " counted, which decoding does not run: ";
      words += whole(more);
      words += " parameters more";
      others.push_back({base + more, words});
      if (again > 0)
        others.push_back({base + more + again, std::string(words).append("; ").append(kv_b)});
    }
  }
  if (tensors_of(log, "f32") == 4 * static_cast<double>(c.model.order.size()) + 1) {
    others.push_back(
        {count_parameters(with_four_norms(c.model)).total,
         "the file has four norms in every layer and no biases, which its architecture "
         "does not tell; its plain tensors are as many"});
  }
  StartupRow r = row("", others);
  for (const Candidate& x : others) {
    if (r.cause.empty() || x.cause != r.cause) continue;
    c.parameters = x.value;
    if (x.cause.find("kv_b") != std::string::npos) c.again = again;
    break;
  }
  return r;
}

// Bytes where the counts of tensor types leave no choice: one type beside F32 for all matrices, or
// one more for a single tensor, which then is the head. NaN when they do leave one.
double bytes_by_types(const Startup& log, const Contents& c) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  const NamedStorage *most = nullptr, *single = nullptr;
  for (const StartupType& t : log.types) {
    if (t.name == "f32") continue;
    const NamedStorage* s = find_storage(t.name);
    if (s == nullptr) return kUnknown;
    if (t.tensors == 1 && single == nullptr) {
      single = s;
    } else if (most == nullptr) {
      most = s;
    } else {
      return kUnknown;
    }
  }
  if (most == nullptr) return kUnknown;
  const Model& m = c.model;
  const double table = m.vocabulary * m.hidden;
  double matrices = c.again + (m.tied ? 1 : 2) * table;
  for (const Layer& layer : m.layers) {
    for_each_matrix(layer, rooflens::whole(m), [&](const Matrix& x) {
      if (!x.small) matrices += layer.count * x.n * x.k * x.copies;
    });
  }
  const double bits = bits_per_weight(most->storage);
  double bytes = (c.parameters - matrices) * 4 + matrices * bits / 8;
  if (single != nullptr) bytes += table * (bits_per_weight(single->storage) - bits) / 8;
  return bytes;
}

}  // namespace

void check_llama(const Startup& log, const Model* model, std::vector<StartupRow>& rows) {
  const Printed* params = log.find("params");
  const Printed* size = log.find("size");
  const Printed* bits = log.find("bpw");
  Contents c;
  if (model != nullptr) c.model = *model;
  if (params != nullptr) {
    rows.push_back(model != nullptr ? parameters_row(*params, log, c)
                                    : unsaid("parameters", "parameters", *params, kUnknownModel));
  }
  if (size == nullptr) return;
  const double counted = params == nullptr ? 0 : model != nullptr ? c.parameters : params->value;
  if (model != nullptr && params != nullptr && rows.back().verdict == Agreement::differs &&
      rows.back().cause.empty()) {
    rows.push_back(unsaid("size", "size of the weights", *size, "the parameters differ"));
    return;
  }
  if (model != nullptr) {
    const double exact = bytes_by_types(log, c);
    if (size->rounds_to(exact)) {
      rows.push_back(
          compared("size", "size of the weights", *size, exact, "from the types of the tensors"));
      return;
    }
  }
  if (bits == nullptr || !(counted > 0)) {
    rows.push_back(unsaid("size", "size of the weights", *size,
                          "the log does not say how many bits a weight has"));
    return;
  }
  // The bits are printed rounded: a range of sizes.
  const double slack = counted * bits->step() / 2 / 8 + size->step() / 2;
  StartupRow row = compared("size", "size of the weights", *size, counted * bits->value / 8);
  row.verdict = std::abs(row.predicted - size->value) <= slack * (1 + 1e-6) ? Agreement::agrees
                                                                            : Agreement::differs;
  row.cause = "parameters times " + bits->text + " bits, within the rounding of both";
  if (row.verdict == Agreement::differs) row.cause.clear();
  rows.push_back(std::move(row));
}

}  // namespace rooflens
