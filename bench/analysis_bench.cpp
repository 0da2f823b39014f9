// A full per-operator prefill + decode analysis, beside a fixed reference loop in the same run so
// that ratios can be compared across machines. Buffers are made before the clock starts: lower()
// and place() allocate nothing.
#include <benchmark/benchmark.h>

#include <array>
#include <vector>

#include "bench_models.h"
#include "rooflens/core/analysis.h"

namespace {

using namespace rooflens;

// The yardstick: a chain of dependent multiply-adds, 1,000 of them.
void reference_loop(benchmark::State& state) {
  double x = 1;
  for (auto _ : state) {
    for (int i = 0; i < 1000; ++i) x = x * 0.999999 + 1e-9;
    benchmark::DoNotOptimize(x);
  }
}
BENCHMARK(reference_loop);

void analyse(benchmark::State& state, const Model& m) {
  const System system = bench::h100();
  const Deployment d;
  const Ceilings c = ceilings(system, d);
  std::vector<Operator> ops(operator_capacity(m));
  std::vector<Placed> placed(ops.size());
  const std::array phases{Group{1, 2048, 0, 1}, Group{8, 1, 4096, 1}};
  for (auto _ : state) {
    for (const Group& g : phases) {
      const std::size_t n = lower(m, d, c, {&g, 1}, ops);
      StepTotals t = place(d, c, {&g, 1}, {ops.data(), n}, {placed.data(), n});
      benchmark::DoNotOptimize(t);
    }
  }
}

BENCHMARK_CAPTURE(analyse, llama_3_8b, bench::llama_3_8b());
BENCHMARK_CAPTURE(analyse, deepseek_v3, bench::deepseek_v3());
BENCHMARK_CAPTURE(analyse, qwen3_6_27b_hybrid, bench::qwen3_6_27b());

}  // namespace

BENCHMARK_MAIN();
