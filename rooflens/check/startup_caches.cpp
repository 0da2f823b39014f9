// The caches that llama.cpp made: keys and values, windows, latent vectors, recurrent states.
#include <cmath>

#include "rooflens/check/startup_rows.h"
#include "rooflens/core/kv_pool.h"
#include "rooflens/core/layer_visit.h"

namespace rooflens {
namespace {

constexpr double kCellPad = 256;

Storage cache_storage(const std::string& name) {
  const NamedStorage* s = find_storage(name.empty() ? "f16" : name);
  return s != nullptr ? s->storage : plain(Element::fp16);
}

// How latent attention is cached.
enum class Latent { expanded, compressed, with_copy };

struct Bytes {
  double keys = 0, values = 0, layers = 0;
  [[nodiscard]] double all() const { return keys + values; }
  Bytes& operator+=(const Bytes& b) {
    keys += b.keys;
    values += b.values;
    layers += b.layers;
    return *this;
  }
  [[nodiscard]] Bytes times(double cells) const { return {keys * cells, values * cells, layers}; }
};

// Bytes of one cell: in the layers whose cache grows with the context, and in those that look at a
// window.
struct Cell {
  Bytes full, window;
  double tokens = 0;  // of the window
};

Cell cell_of(const Model& m, const StartupCache& c, Latent latent) {
  const Storage k = cache_storage(c.key_format), v = cache_storage(c.value_format);
  Cell cell;
  for (const Layer& layer : m.layers) {
    if (const auto* a = std::get_if<Attention>(&layer.mixer)) {
      if (a->shares_kv || a->cross) continue;
      const Bytes one{layer.count * vector_bytes(k, a->kv_heads * a->key_dim),
                      layer.count * vector_bytes(v, a->kv_heads * a->value_dim), layer.count};
      const double span = a->window > 0 ? a->window : a->chunk;
      (span > 0 ? cell.window : cell.full) += one;
      cell.tokens = std::max(cell.tokens, span);
    } else if (const auto* l = std::get_if<LatentAttention>(&layer.mixer)) {
      const bool expanded = latent == Latent::expanded;
      const double keys =
          expanded ? l->heads * (l->nope_dim + l->rope_dim) : l->kv_rank + l->rope_dim;
      const double values = expanded                      ? l->heads * l->value_dim
                            : latent == Latent::with_copy ? l->kv_rank
                                                          : 0;
      cell.full += {layer.count * vector_bytes(k, keys),
                    values > 0 ? layer.count * vector_bytes(v, values) : 0, layer.count};
    }
  }
  return cell;
}

bool is_latent(const Model& m) {
  for (const Layer& layer : m.layers) {
    if (std::holds_alternative<LatentAttention>(layer.mixer)) return true;
  }
  return false;
}

struct Prediction {
  Bytes bytes;
  std::string note;
  struct Other {
    Bytes bytes;
    std::string cause;
  };
  std::vector<Other> others;
};

std::string count(double v) { return written_like(Printed{}, v); }

// A cache of keys and values. Empty bytes: the log does not say how many cells there are.
Prediction attention_cache(const Startup& log, const Model& m, const StartupCache& c) {
  Prediction p;
  const double context = log.number("n_ctx", 0);
  const double streams = std::max(1.0, c.streams);
  const double cells = context > 0 ? std::floor(context / streams) : c.cells;
  if (!(cells > 0)) return p;
  if (is_latent(m)) {
    const Bytes expanded = cell_of(m, c, Latent::expanded).full.times(cells * streams);
    const Bytes compressed = cell_of(m, c, Latent::compressed).full.times(cells * streams);
    const Bytes copied = cell_of(m, c, Latent::with_copy).full.times(cells * streams);
    const std::string mode = log.find("mla_attn") != nullptr
                                 ? " (mla_attn = " + std::string(log.text("mla_attn")) + ")"
                                 : "";
    const std::string saved = "keys and values of every head are cached" + mode +
                              "; the latent vector alone would take " +
                              written_like(c.size, compressed.all());
    const std::string plain_words = "the latent vector is cached" + mode;
    const std::string copy_words = plain_words + " with a transposed copy";
    if (c.latent) {
      p.bytes = c.transposed ? copied : compressed;
      p.note = c.transposed ? copy_words : plain_words;
    } else if (c.size.rounds_to(copied.all())) {  // what runtime this is, only its sizes say
      p.bytes = copied;
      p.note = copy_words;
    } else if (c.size.rounds_to(compressed.all())) {
      p.bytes = compressed;
      p.note = plain_words;
    } else {
      p.bytes = expanded;
      p.note = saved;
    }
    return p;
  }
  const Cell cell = cell_of(m, c, Latent::compressed);
  Bytes one = cell.full, whole_cell = cell.full;
  whole_cell += cell.window;
  const double step = log.number("n_ubatch", 512);
  const double shared = streams == 1 ? c.sequences : 1;
  const double window = window_cells(cells, cell.tokens, shared, step, kCellPad);
  const bool windows = cell.window.layers > 0;
  bool alone = c.kind == CacheKind::window, rest = c.kind == CacheKind::full;
  if (c.kind == CacheKind::all && windows && c.layers > 0 && c.layers != whole_cell.layers) {
    rest = c.layers == cell.full.layers && (c.cells == 0 || c.cells >= cells);
    alone = !rest && c.layers == cell.window.layers;
  }
  if (alone) {
    one = cell.window;
    p.bytes = one.times(window * streams);
    p.note = count(window) + " cells: a window of " + count(cell.tokens) +
             (shared > 1 ? " for each of " + count(shared) + " sequences" : "") +
             " and a step of " + count(step) + ", in multiples of 256";
  } else if (rest || !windows) {
    p.bytes = one.times(cells * streams);
  } else {
    Bytes both = cell.full.times(cells * streams);
    both += cell.window.times(window * streams);
    p.bytes = both;
    p.others.push_back({whole_cell.times(cells * streams),
                        "this runtime makes no use of the window: all " + count(whole_cell.layers) +
                            " layers cache the whole context, " + count(cell.window.layers) +
                            " of them look back " + count(cell.tokens) + " tokens only"});
  }
  if (c.cells > 0 && c.cells != (alone ? window : cells)) {
    p.others.push_back(
        {one.times(c.cells * streams),
         "the cache has " + count(c.cells) + " cells, not " + count(alone ? window : cells)});
  }
  if (log.prediction_layers > 0 && one.layers > 0) {
    const double more = (one.layers + log.prediction_layers) / one.layers;
    p.others.push_back(
        {one.times(cells * streams * more),
         "prediction blocks have a cache too: " + count(log.prediction_layers) + " more"});
  }
  return p;
}

Prediction recurrent_cache(const Model& m, const StartupCache& c) {
  Deployment d;
  d.state_bytes = cache_storage(c.value_format.empty() ? "f32" : c.value_format).bits / 8.0;
  d.conv_state_bytes = 0;
  Prediction p;
  const double recurrence = state_bytes_per_sequence(m, d);
  d.conv_state_bytes = cache_storage(c.key_format.empty() ? "f32" : c.key_format).bits / 8.0;
  p.bytes = {state_bytes_per_sequence(m, d) - recurrence, recurrence, 0};
  p.bytes = p.bytes.times(std::max(1.0, c.cells));
  const double copies = std::round(c.size.value / p.bytes.all());
  if (copies > 1 && copies < 1000) {
    p.others.push_back({p.bytes.times(copies), count(copies) + " states a sequence are kept, " +
                                                   count(copies - 1) + " of them for drafts"});
  }
  return p;
}

const char* name_of_cache(CacheKind k) {
  switch (k) {
    case CacheKind::full:
      return "cache of full layers";
    case CacheKind::window:
      return "cache of windowed layers";
    case CacheKind::recurrent:
      return "recurrent state";
    case CacheKind::all:
      break;
  }
  return "cache";
}

const char* tag_of_cache(CacheKind k) {
  switch (k) {
    case CacheKind::full:
      return "full_cache";
    case CacheKind::window:
      return "window_cache";
    case CacheKind::recurrent:
      return "state";
    case CacheKind::all:
      break;
  }
  return "cache";
}

}  // namespace

void check_llama_caches(const Startup& log, const Model* model, std::vector<StartupRow>& rows) {
  for (const StartupCache& c : log.caches) {
    const std::string what = name_of_cache(c.kind), tag = tag_of_cache(c.kind);
    const bool recurrent = c.kind == CacheKind::recurrent;
    const Prediction p = model == nullptr ? Prediction()
                         : recurrent      ? recurrent_cache(*model, c)
                                          : attention_cache(log, *model, c);
    if (!(p.bytes.all() > 0)) {
      rows.push_back(unsaid(tag, what, c.size,
                            model == nullptr ? kUnknownModel
                            : log.find("n_ctx") == nullptr && c.cells <= 0
                                ? "n_ctx is not in the log"
                                : "the model keeps no such cache"));
      continue;
    }
    const auto row = [&](const char* part, const char* words, const Printed& printed,
                         double Bytes::*of) {
      if (!printed.is_number()) return;
      std::vector<Candidate> others;
      others.reserve(p.others.size());
      for (const auto& o : p.others) others.push_back({o.bytes.*of, o.cause});
      rows.push_back(compared(tag + part, what + words, printed, p.bytes.*of, "", others));
    };
    std::vector<Candidate> others;
    others.reserve(p.others.size());
    for (const auto& o : p.others) others.push_back({o.bytes.all(), o.cause});
    rows.push_back(compared(tag, what, c.size, p.bytes.all(), p.note, others));
    row("_keys",
        recurrent  ? ", convolution"
        : c.latent ? ", latent"
                   : ", keys",
        c.keys, &Bytes::keys);
    row("_values",
        recurrent  ? ", recurrence"
        : c.latent ? ", copy"
                   : ", values",
        c.values, &Bytes::values);
  }
}

}  // namespace rooflens
