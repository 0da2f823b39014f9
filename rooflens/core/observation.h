// What somebody measured, as they said it: a figure, what it counts, and where it was written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rooflens {

enum class MeasuredPhase : std::uint8_t {
  unknown,
  prefill,
  decode,
  mixed,  // prompt and output tokens in one figure, or a whole request
};
[[nodiscard]] const char* name_of(MeasuredPhase p);

// What the figure is; its value is in SI units.
enum class Figure : std::uint8_t {
  tokens_per_s,
  requests_per_s,         // requests of prompt + output tokens
  time_to_first_token_s,  // queueing included
  time_per_token_s,       // TPOT, inter-token latency: one step as one user sees it
  request_s,              // end to end
  step_s,                 // one forward pass
  bytes_per_s,            // memory traffic reached
  flops_per_s,            // arithmetic reached
  bandwidth_share,        // MBU: of the memory bandwidth, 0..1
  peak_share,             // MFU: of the matrix peak, 0..1
};
[[nodiscard]] const char* name_of(Figure f);

// What a rate counts.
enum class Counting : std::uint8_t {
  unknown,
  aggregate,   // all sequences together, while this phase alone runs
  per_stream,  // one sequence of the batch
  per_device,  // the whole, divided by the devices
  same_wall,   // tokens of one phase over the wall clock of both (vLLM's averages)
};
[[nodiscard]] const char* name_of(Counting c);

// Generations shorter than this are no evidence of a roof: the first step and N/(N - 1) weigh too
// much.
inline constexpr double kShortGeneration = 32;

struct Source {
  std::string file;  // empty = a claim
  int line = 0;      // 1-based, 0 = none
  std::string text;  // the words the figure was read from
};

// Fields left empty are taken from the scenario it is held against.
struct Observation {
  MeasuredPhase phase = MeasuredPhase::unknown;
  Figure figure = Figure::tokens_per_s;
  Counting counting = Counting::unknown;
  double value = 0;  // positive and finite
  std::optional<double> batch, prompt, output, context, cached_prefix;
  std::optional<double> prompts_together;   // prompts of one prefill step; else one at a time
  std::optional<double> output_per_prompt;  // tokens, where only the ratio is told
  std::optional<double> devices;
  // Of the run it belongs to, where that tells.
  std::string made_by;                     // engine and build: "llama.cpp b6865"
  std::optional<double> tokens_per_pass;   // speculation: what one pass yields of a sequence
  std::optional<double> layers_on_device;  // the others lie in host memory
  std::optional<double> experts_on_host;   // layers whose experts lie in host memory
  bool layers_split = false;  // devices hold layers each, and a stream passes them one by one
  bool on_cpu = false;        // it ran on the processor, whatever else is in the machine
  std::optional<double> cache_share;  // of the cache's tokens in use, 0..1
  bool waits = false;                 // its time holds a wait for other requests
  double preemptions = 0;             // sequences put out of memory while it was measured
  Source source;
};

}  // namespace rooflens
