#include "cli/scenario_options.h"

#include <algorithm>

#include "cli/formats.h"
#include "cli/idle_options.h"
#include "cli/machine_source.h"
#include "cli/model_source.h"
#include "cli/values.h"
#include "rooflens/catalogue/efficiency_priors.h"
#include "rooflens/core/analyze.h"
#include "rooflens/core/quantity.h"
#include "rooflens/core/serving.h"
#include "rooflens/core/traits.h"
#include "rooflens/render/format.h"

namespace rooflens::cli {
namespace {

// Everything the options say, read once; lists stay lists.
struct Wishes {
  std::vector<int> gpus, tp;  // 0 = not given
  int pp = 1, dp = 1, ep = 1;
  std::vector<double> prompt, context, batch;
  Workload work;
  Deployment served;
  double link = 0, link_latency = -1, launch = -1;
};

void read_work(const Options& o, Values& v, Wishes& w) {
  const Workload usual;
  w.prompt = v.list(o.prompt, usual.prompt);
  w.context = v.list(o.context, usual.context);
  w.batch = v.list(o.batch, usual.batch);
  w.work.output = v.count(o.output_tokens, usual.output);
  w.work.cached_prefix = v.count(o.cached_prefix, usual.cached_prefix);
  w.work.prefill_batch = v.count(o.prefill_batch, usual.prefill_batch);
  w.work.chunk = v.count(o.chunk, usual.chunk);
  w.work.drafts = v.count(o.drafts, usual.drafts);
  w.work.acceptance = v.fraction(o.acceptance, usual.acceptance);
}

void read_serving(const Options& o, Values& v, Wishes& w) {
  Deployment& d = w.served;
  w.gpus = v.ranks_list(o.gpus, 0);
  w.tp = v.ranks_list(o.tp, 0);
  w.pp = v.ranks(o.pp, 1);
  w.dp = v.ranks(o.dp, 1);
  w.ep = v.ranks(o.ep, 1);
  d.fusion = v.choice<Fusion>(o.fusion, d.fusion,
                              {{"standard", Fusion::standard}, {"ideal", Fusion::ideal}});
  d.attention_io = v.choice<AttentionIo>(
      o.attention, d.attention_io, {{"flash", AttentionIo::flash}, {"naive", AttentionIo::naive}});
  d.latent = v.choice<LatentMode>(o.mla, d.latent,
                                  {{"auto", LatentMode::automatic},
                                   {"absorb", LatentMode::absorb},
                                   {"expand", LatentMode::expand}});
  d.latent_cache = v.choice<LatentCache>(o.mla_cache, d.latent_cache,
                                         {{"replicated", LatentCache::replicated},
                                          {"sharded", LatentCache::sharded},
                                          {"expanded", LatentCache::expanded}});
  d.window_cells = v.choice<WindowCells>(o.window_cells, d.window_cells,
                                         {{"exact", WindowCells::exact},
                                          {"padded", WindowCells::padded},
                                          {"full", WindowCells::full}});
  d.causal = v.choice<CausalMode>(o.causal, d.causal,
                                  {{"exact", CausalMode::exact}, {"full", CausalMode::full}});
  d.fp16_accumulate = o.fp16_accumulate;
  d.utilisation = v.fraction(o.utilisation, d.utilisation);
  d.overhead_bytes = v.bytes(o.overhead, d.overhead_bytes);
  d.hybrid_pages = o.page && o.page->text == "hybrid";
  if (!d.hybrid_pages) d.page_tokens = v.count(o.page, d.page_tokens);
  d.batched_tokens = v.count(o.batched_tokens, d.batched_tokens);
  d.zipf = v.number(o.zipf, d.zipf, 0, 100);
  d.imbalance = v.number(o.imbalance, d.imbalance, 1, 1e6);
  d.state_copies = w.work.drafts + 1;
  w.link = v.link_rate(o.link, 0);
  w.link_latency = v.seconds(o.link_latency, -1);
  w.launch = v.seconds(o.launch, -1);
}

Ranks ranks_of(const Options& o, const Wishes& w, const Machine& m, int gpus, int tp) {
  return share_out({gpus, tp, o.pp ? w.pp : 0, o.dp ? w.dp : 0, m.count});
}

void set_links(const Catalogue& catalogue, const Wishes& w, int ranks, Device& d) {
  d.links = links_within(catalogue, d, ranks);
  if (w.link > 0) {
    d.links = with_outer_link(std::move(d.links), {"given", 0, w.link, w.link_latency}, ranks);
  } else if (w.link_latency >= 0) {
    for (Link& l : d.links) l.latency_s = w.link_latency;
  }
}

// What a cut of the latent cache costs in exchanges is not modelled.
void say_sharded(Context& c, const Scenario& s) {
  if (s.deployment.latent_cache == LatentCache::sharded && s.deployment.tensor > 1 &&
      has_latent_attention(s.model)) {
    c.warn(
        "--mla-cache sharded: the exchange of queries and partial results between the ranks is "
        "not counted");
  }
}

// A rate alone does not say how long a step of a collective takes.
void say_latency(const Options& o, Context& c, const Scenario& s) {
  if (!o.link || o.link_latency || !communicates(s.deployment)) return;
  const double latency = s.system.device.links.back().latency_s;
  c.warn(latency > 0 ? "the latency of --link is taken to be that of the link it stands in for, " +
                           format(latency, Unit::seconds) + "; --link-latency tells it"
                     : "the latency of --link is not counted: --link-latency 5us or the like tells "
                       "it");
}

// In vLLM the largest step bounds the prompt tokens read at once as well as the activations.
void set_chunk(const Options& o, Context& c, Scenario& s) {
  if (!o.batched_tokens || o.chunk) return;
  const double chunk = chunk_within(s.workload, s.deployment.batched_tokens);
  if (chunk <= 0) return;
  s.workload.chunk = chunk;
  c.warn("prompts are read in chunks of " + grouped(chunk) + " tokens (" +
         o.batched_tokens->option + ")");
}

void say_count(const Options& o, Context& c, const Machine& m, int count) {
  if (m.count == 0 || m.count == count || o.gpus) return;
  c.warn(m.matched_as + " has " + std::to_string(m.count) + " devices, the ranks use " +
         std::to_string(count));
}

// What validate() says of a rank count that was only implied names an option nobody typed.
Error said_plainly(const Options& o, Error e, const Ranks& r) {
  if (e.where == "--tp" && !o.tp && r.tensor > 1) {
    e.hint += "; --gpus " + std::to_string(r.devices) + " alone means --tp " +
              std::to_string(r.tensor) + ", and --pp and --dp split otherwise";
  }
  return e;
}

// One machine: all combinations of the lists on it.
class Combiner {
 public:
  Combiner(const Options& o, Context& c, const Catalogue& catalogue, const Wishes& w)
      : o_(o), c_(c), catalogue_(catalogue), w_(w) {}

  // The model as it is served on this machine.
  Result<void> add(const Model& file, const Machine& machine, Values& values) {
    Scenario base{
        .model = file, .system = {machine.device, 1}, .deployment = w_.served, .workload = w_.work};
    if (w_.launch >= 0) base.system.device.launch_s = w_.launch;
    std::vector<std::string> notes;
    set_formats(o_, &machine.device, base.model, base.deployment, values, notes);
    if (auto r = values.result(); !r) return Failure(std::move(r.error()));
    for (std::string& n : notes) c_.warn(std::move(n));
    if (!(machine.device.capacity_bytes > 0)) {
      c_.warn("how much memory " + rooflens::quoted(machine.device.name) +
              " has is not known: give mem=64GB or the like with the device");
    }
    Efficiency efficiency = prior_for(machine.device);
    if (o_.efficiency) {
      auto e = parse_efficiency(o_.efficiency->text, std::move(efficiency));
      if (!e) return Failure(std::move(e.error()));
      efficiency = std::move(*e);
    }
    for (int gpus : w_.gpus) {
      for (int tp : w_.tp)
        add_ranks(base, efficiency, machine, ranks_of(o_, w_, machine, gpus, tp));
    }
    return {};
  }

  Result<std::vector<Case>> take() {
    if (cases_.empty()) return Failure(std::move(first_error_));
    std::vector<const Scenario*> scenarios;
    scenarios.reserve(cases_.size());
    for (const Case& each : cases_) scenarios.push_back(&each.scenario);
    say_idle_options(o_, scenarios, c_);
    if (left_out_ > 0) {
      c_.warn(std::to_string(left_out_) +
              (left_out_ == 1 ? " combination left out: " : " combinations left out; the first: ") +
              first_error_.message);
    }
    return std::move(cases_);
  }

 private:
  void add_ranks(const Scenario& base, const Efficiency& e, const Machine& machine, Ranks r) {
    Scenario s = base;
    s.system.count = r.devices;
    s.deployment.tensor = r.tensor;
    s.deployment.pipeline = w_.pp;
    s.deployment.data = w_.dp;
    if (has_experts(base.model)) {  // else it is told as an option without effect
      s.deployment.expert =
          o_.expert_parallel ? static_cast<int>(std::min(1e9, 1.0 * r.tensor * w_.dp)) : w_.ep;
    }
    set_links(catalogue_, w_, r.devices, s.system.device);
    say_latency(o_, c_, s);
    say_sharded(c_, s);
    say_count(o_, c_, machine, r.devices);
    for (double prompt : w_.prompt) {
      for (double context : w_.context) {
        for (double batch : w_.batch) {
          s.workload.prompt = prompt;
          s.workload.context = context;
          s.workload.batch = batch;
          s.workload.chunk = w_.work.chunk;
          set_chunk(o_, c_, s);
          if (auto valid = validate(s); valid) {
            cases_.push_back({s, e});
          } else {
            if (left_out_++ == 0) first_error_ = said_plainly(o_, std::move(valid.error()), r);
          }
        }
      }
    }
  }

  const Options& o_;
  Context& c_;
  const Catalogue& catalogue_;
  const Wishes& w_;
  std::vector<Case> cases_;
  Error first_error_;  // of the combinations left out
  int left_out_ = 0;
};

// The model and those it is compared with.
Result<std::vector<Model>> load_models(const Options& o, Context& c) {
  std::vector<Model> models;
  auto access = model_access(o);
  if (!access) return Failure(std::move(access.error()));
  const auto add = [&](const std::string& text) -> Result<void> {
    auto model = load_model(text, c.io, *access);
    if (!model) return Failure(std::move(model.error()));
    for (const std::string& w : model->warnings) {
      c.warn(o.compare.empty() ? w : model->name + ": " + w);
    }
    models.push_back(std::move(*model));
    return {};
  };
  if (auto r = add(o.words.at(0)); !r) return Failure(std::move(r.error()));
  for (const Given& g : o.compare) {
    if (auto r = add(g.text); !r) return Failure(std::move(r.error()));
  }
  return models;
}

bool asks_for_several(const Options& o) {
  if (o.on.size() > 1 || !o.compare.empty()) return true;
  for (const Maybe& g : {o.gpus, o.tp, o.prompt, o.context, o.batch}) {
    if (g && is_list(g->text)) return true;
  }
  return false;
}

Failure several_cases() {
  return fail(ErrorCode::invalid, "figures are held against one scenario, not a list of them", {},
              "give one device and one value of each option");
}

Result<void> read_wishes(const Options& o, Values& values, Wishes& w) {
  read_work(o, values, w);
  read_serving(o, values, w);
  if (auto r = values.result(); !r) return r;
  if (o.expert_parallel && o.ep) {
    return fail(ErrorCode::invalid, "--enable-expert-parallel and --ep are both given",
                o.ep->option, "give one of them: the first means --ep = tp x dp");
  }
  return {};
}

Result<Cases> combine(const Options& o, Context& c, Values& values, const Wishes& wishes,
                      const std::vector<Model>& models, const std::vector<Machine>& machines) {
  auto catalogue = catalogue_of(o, c);
  if (!catalogue) return Failure(std::move(catalogue.error()));
  const std::size_t each = wishes.gpus.size() * wishes.tp.size() * wishes.prompt.size();
  const std::size_t rest = wishes.context.size() * wishes.batch.size() * models.size();
  if (each * rest > kMaxListValues || each * rest * machines.size() > kMaxListValues) {
    return fail(ErrorCode::out_of_range, "the lists make more than 10,000 combinations", {},
                "shorten one of them");
  }
  Combiner combiner(o, c, **catalogue, wishes);
  for (const Model& model : models) {
    for (const Machine& machine : machines) {
      if (auto r = combiner.add(model, machine, values); !r) return Failure(std::move(r.error()));
    }
  }
  auto all = combiner.take();
  if (!all) return Failure(std::move(all.error()));
  return Cases{std::move(*all), asks_for_several(o)};
}

}  // namespace

Result<Cases> cases_of(const Options& o, Context& c) {
  auto catalogue = catalogue_of(o, c);
  if (!catalogue) return Failure(std::move(catalogue.error()));
  Values values;
  Wishes wishes;
  if (auto r = read_wishes(o, values, wishes); !r) return Failure(std::move(r.error()));
  auto models = load_models(o, c);
  if (!models) return Failure(std::move(models.error()));
  if (o.on.empty()) {
    return fail(ErrorCode::invalid, "a device is missing", "--on",
                "as in --on h100-sxm, --on p5.48xlarge, --on this; `rooflens devices` lists them");
  }
  std::vector<Machine> machines;
  for (const Given& on : o.on) {
    auto machine = load_machine(on.text, **catalogue, c.io);
    if (!machine) return Failure(std::move(machine.error()));
    if (!machine->caution.empty()) c.warn(machine->matched_as + ": " + machine->caution);
    machines.push_back(std::move(*machine));
  }
  return combine(o, c, values, wishes, *models, machines);
}

Result<Case> case_with(const Options& o, Context& c, const Model& model, const Machine& machine) {
  Values values;
  Wishes wishes;
  if (auto r = read_wishes(o, values, wishes); !r) return Failure(std::move(r.error()));
  auto cases = combine(o, c, values, wishes, {model}, {machine});
  if (!cases) return Failure(std::move(cases.error()));
  if (cases->several) return several_cases();
  return std::move(cases->all.front());
}

Result<Case> case_of(const Options& o, Context& c) {
  auto cases = cases_of(o, c);
  if (!cases) return Failure(std::move(cases.error()));
  if (cases->several) return several_cases();
  return std::move(cases->all.front());
}

}  // namespace rooflens::cli
