// Everything the arithmetic trusts is refused by name before it is used.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "core/fixture.h"
#include "rooflens/core/analyze.h"

namespace rooflens {
namespace {

using fixture::machine;
using fixture::model;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Scenario good(const char* name = "llama-3.1-8b") {
  Scenario s;
  s.model = model(name);
  s.system = machine("h100-sxm");
  s.system.device.name = "the device";
  return s;
}

// One change to a scenario that is good, and what its refusal must name.
struct Case {
  const char* named;    // the option (or device), in `where`
  const char* because;  // part of the message
  std::function<void(Scenario&)> change;
  ErrorCode code = ErrorCode::invalid;
};

void expect_refused(const std::vector<Case>& cases, const char* name = "llama-3.1-8b") {
  ASSERT_TRUE(validate(good(name)).has_value());
  for (const Case& c : cases) {
    Scenario s = good(name);
    c.change(s);
    const Result<void> r = validate(s);
    ASSERT_FALSE(r.has_value()) << c.named << ": " << c.because;
    EXPECT_EQ(r.error().code, c.code) << r.error().message;
    EXPECT_NE(r.error().where.find(c.named), std::string::npos)
        << "'" << r.error().where << "' for " << c.named << ": " << r.error().message;
    EXPECT_NE(r.error().message.find(c.because), std::string::npos) << r.error().message;
  }
}

TEST(Validate, GoodScenarios) {
  for (const std::string& name : fixture::model_names()) {
    EXPECT_TRUE(validate(good(name.c_str())).has_value()) << name;
  }
  Scenario s = good();
  s.workload.output = 0;
  s.workload.context = 0;
  s.workload.prompt = s.workload.batch = 1;
  EXPECT_TRUE(validate(s).has_value());
}

TEST(Validate, Workload) {
  using enum ErrorCode;
  std::vector<Case> cases;
  const auto field = [&](const char* option, const char* what, double Workload::*member,
                         std::initializer_list<double> wrong, double too_large) {
    for (const double value : wrong) {
      cases.push_back({option, what, [=](Scenario& s) { s.workload.*member = value; }});
    }
    cases.push_back(
        {option, what, [=](Scenario& s) { s.workload.*member = too_large; }, out_of_range});
    cases.push_back({option, what, [=](Scenario& s) { s.workload.*member = kNaN; }});
    cases.push_back({option, what, [=](Scenario& s) { s.workload.*member = kInfinity; }});
  };
  field("--batch", "the batch", &Workload::batch, {0, -1, 0.5}, 1e9);
  field("--prompt", "the prompt", &Workload::prompt, {0, -5}, 1e15);
  field("--output-tokens", "the output", &Workload::output, {-1}, 1e10);
  field("--context", "the context", &Workload::context, {-2, -0.5}, 1e10);
  field("--cached-prefix", "the cached prefix", &Workload::cached_prefix, {-1}, 1e10);
  field("--prefill-batch", "the prefill batch", &Workload::prefill_batch, {0, -3}, 1e9);
  field("--chunk", "the chunk", &Workload::chunk, {-1}, 1e10);
  field("--drafts", "drafts", &Workload::drafts, {-1}, 2000);
  field("--acceptance", "acceptance", &Workload::acceptance, {-0.1}, 1.1);
  cases.push_back({"--cached-prefix", "covers the whole prompt",
                   [](Scenario& s) { s.workload.cached_prefix = s.workload.prompt; }});
  cases.push_back({"--chunk", "more than a hundred thousand chunks",
                   [](Scenario& s) {
                     s.workload.prompt = 1e8;
                     s.workload.chunk = 1;
                   },
                   out_of_range});
  expect_refused(cases);
}

TEST(Validate, SayWhatWouldBeRight) {
  Scenario s = good();
  s.workload.batch = 0;
  EXPECT_EQ(validate(s).error().hint, "give a value from 1 to 100000000");
  s = good();
  s.system.count = s.deployment.tensor = 3;
  EXPECT_EQ(validate(s).error().hint, "choose a divisor of 32");
}

TEST(Validate, ModelAndDevice) {
  expect_refused({
      {"", "no layers", [](Scenario& s) { s.model.layers.clear(); }},
      {"", "hidden size", [](Scenario& s) { s.model.hidden = 0; }},
      {"", "hidden size", [](Scenario& s) { s.model.hidden = kNaN; }},
      {"", "vocabulary", [](Scenario& s) { s.model.vocabulary = -1; }},
      {"the device", "bandwidth", [](Scenario& s) { s.system.device.bytes_per_s = 0; }},
      {"the device", "bandwidth", [](Scenario& s) { s.system.device.bytes_per_s = kNaN; }},
      {"the device", "no peak", [](Scenario& s) { s.system.device.peak.fill(0); }},
      {"the device", "no peak",
       [](Scenario& s) {  // FP8 alone cannot run the bf16 head
         s.system.device.peak.fill(0);
         s.system.device.peak[static_cast<std::size_t>(Compute::fp8)] = 1e15;
       }},
      {"the device", "no link",
       [](Scenario& s) {
         s.system.device.links.clear();
         s.system.count = s.deployment.tensor = 2;
       }},
      {"the device", "no link",
       [](Scenario& s) {
         s.system.device.links.clear();
         s.system.count = s.deployment.pipeline = 2;
       }},
      {"the device", "joins 4",
       [](Scenario& s) {  // a bridge of two
         s.system.device.links = {{"bridge", 2, 300e9, 0}};
         s.system.count = s.deployment.tensor = 4;
       }},
      {"the device", "joins 2",
       [](Scenario& s) {
         s.system.device.links = {{"none", 0, 0, 0}};
         s.system.count = s.deployment.tensor = 2;
       }},
  });
  Scenario s = good();
  s.system.device.links.clear();
  s.system.count = s.deployment.tensor = 2;
  EXPECT_NE(validate(s).error().hint.find("--link"), std::string::npos);
}

TEST(Validate, Ranks) {
  std::vector<Case> cases;
  const auto ranks = [&](const char* option, int Deployment::*member) {
    for (const int value : {0, -1, 65537, std::numeric_limits<int>::max()}) {
      cases.push_back({option, "ranks", [=](Scenario& s) { s.deployment.*member = value; }});
    }
  };
  ranks("--tp", &Deployment::tensor);
  ranks("--pp", &Deployment::pipeline);
  ranks("--dp", &Deployment::data);
  ranks("--ep", &Deployment::expert);
  cases.push_back({"--gpus", "ranks", [](Scenario& s) { s.system.count = 0; }});
  cases.push_back({"--gpus", "uses 4 devices, the system has 3", [](Scenario& s) {
                     s.deployment.tensor = s.deployment.pipeline = 2;
                     s.system.count = 3;
                   }});
  // 2^16 x 2^16 does not wrap round to what is there.
  cases.push_back({"--gpus", "uses 4294967296 devices",
                   [](Scenario& s) { s.deployment.tensor = s.deployment.pipeline = 65536; }});
  cases.push_back({"--pp", "more pipeline stages than layers",
                   [](Scenario& s) { s.system.count = s.deployment.pipeline = 33; }});
  cases.push_back({"--batch", "fewer sequences than data-parallel replicas",
                   [](Scenario& s) { s.system.count = s.deployment.data = 2; }});
  cases.push_back({"--ep", "without experts", [](Scenario& s) {
                     s.workload.batch = s.system.count = s.deployment.data = 2;
                     s.deployment.expert = 2;
                   }});
  expect_refused(cases);
}

TEST(Validate, ExpertRanks) {
  const auto spread = [](int data, int expert) {
    return [=](Scenario& s) {
      s.workload.batch = s.system.count = s.deployment.data = data;
      s.deployment.expert = expert;
    };
  };
  expect_refused({{"--ep", "3 expert-parallel ranks cannot share 8 experts", spread(4, 3)},
                  {"--ep", "16 expert-parallel ranks cannot share 8 experts", spread(16, 16)}},
                 "mixtral-8x7b");
  Scenario s = good("mixtral-8x7b");
  spread(8, 4)(s);
  EXPECT_TRUE(validate(s).has_value()) << "two ranks share an expert";
}

// Each kind of layer names what its ranks would have to divide.
TEST(Validate, TensorRanksThatDoNotDivide) {
  const struct {
    const char* model;
    int ranks;
    const char* what;
  } kCases[] = {{"llama-3.1-8b", 64, "32 query heads"},  {"llama-3.1-8b", 3, "32 query heads"},
                {"deepseek-v3", 3, "128 heads"},         {"qwen3.6-27b", 5, "48 value heads"},
                {"kimi-linear-48b-a3b", 3, "32 heads"},  {"mamba2-2.7b", 3, "80 heads"},
                {"mamba-2.8b", 3, "5120 inner channels"}};
  for (const auto& c : kCases) {
    expect_refused(
        {{"--tp", c.what, [&](Scenario& s) { s.system.count = s.deployment.tensor = c.ranks; }}},
        c.model);
  }
  Scenario s = good();
  std::get<Dense>(s.model.layers[0].ffn).width = 14337;
  s.system.count = s.deployment.tensor = 2;
  EXPECT_NE(validate(s).error().message.find("14337 feed-forward channels"), std::string::npos);
}

TEST(Validate, Memory) {
  std::vector<Case> cases;
  for (const double value : {0.0, -0.5, 1.01, kNaN}) {
    cases.push_back(
        {"--utilisation", "memory share", [=](Scenario& s) { s.deployment.utilisation = value; }});
  }
  for (const double value : {0.0, -1.0, kNaN}) {
    cases.push_back({"--page", "at least one token", [=](Scenario& s) { s.deployment.page_tokens = value; }});
  }
  for (const double value : {-1.0, kNaN}) {
    cases.push_back({"--max-num-batched-tokens", "fewer than 0",
                     [=](Scenario& s) { s.deployment.batched_tokens = value; }});
    cases.push_back(
        {"--overhead", "negative", [=](Scenario& s) { s.deployment.overhead_bytes = value; }});
  }
  expect_refused(cases);
}

}  // namespace
}  // namespace rooflens
