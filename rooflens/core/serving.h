// How a model is served when nothing else is asked for: the types engines give its activations,
// GEMM inputs and cache, and what follows for ranks, links and chunks from what was asked.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "rooflens/core/scenario.h"

namespace rooflens {

// ---- types

// Activations: the file's own type where it is fp16 or fp32, else bf16.
[[nodiscard]] Element served_activation(const Model& m);

// Stores what is not quantised as another plain type.
void cast_plain(Model& m, Element e);

// The storage that names the quantisation of a model: of its linear layers, or of its experts where
// those alone are quantised.
[[nodiscard]] Storage quantised_storage(const Model& m);

// The input type engines give GEMMs of weights stored like this. `device` may be null.
[[nodiscard]] Element usual_gemm_input(const Storage& s, Element activation, const Device* device);

// The input type the file's own quantisation asks for.
[[nodiscard]] Element file_gemm_input(const Model& m, Element activation);

// "a16", "a8", "a4" beside these weights; empty for other widths.
[[nodiscard]] std::optional<Element> input_of_bits(int bits, const Storage& weights,
                                                   Element activation);

// True when the device has arithmetic of this type's own, so that it need not promote it.
[[nodiscard]] bool computes_in(const Device& d, Element e);

// The cache when nothing is asked for: the file's own format, or the activations' type.
[[nodiscard]] Storage usual_cache(const Model& m, Element activation);

// Bytes of one value of a convolution's state: llama.cpp, which runs GGUF files, keeps fp32; others
// keep the activations' 16 bits.
[[nodiscard]] double usual_conv_state_bytes(const Model& m);

// The fastest arithmetic an engine of this family (served_class.h) has kernels for. llama.cpp and
// exllama accumulate in FP16; llama.cpp multiplies quantised weights with activations in INT8 or
// widens them, whichever kernel is there: the faster is the bound. Others: as the file asks.
void use_kernels_of(std::string_view engine, const Device& device, const Model& m, Deployment& d);

// ---- ranks, links, chunks

// What was asked of devices and ranks; 0 = nothing was.
struct RankWish {
  int devices = 0, tensor = 0, pipeline = 0, data = 0;
  int machine = 0;  // devices that the machine's name brings
};
struct Ranks {
  int devices = 1, tensor = 1;
};
// A number that was not given follows from the others. What does not divide is for validate().
[[nodiscard]] Ranks share_out(const RankWish& w);

// A link given by hand joins all `devices`: it stands in for the level that does, and the narrower
// groups of the machine stay inside it. Its latency, when negative, is that of the level it stands
// in for, else 0.
[[nodiscard]] std::vector<Link> with_outer_link(std::vector<Link> known, Link given, int devices);

// Ranks exchange data.
[[nodiscard]] bool communicates(const Deployment& d);

// The chunk in which an engine reads prompts when a step may hold `largest` tokens; 0 = the whole
// prompt fits.
[[nodiscard]] double chunk_within(const Workload& w, double largest);

}  // namespace rooflens
