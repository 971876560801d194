// Regions: functions that are written with ops, which eager computes with fused kernels.
//   Tensor mish(ops::At x) {
//     const CalledAs name("mish", x.where);
//     const Tensor& t = x.operand.tensor();
//     return region("mish", {&t}, [&] { return t * tanh(softplus(t)); });
//   }
// Called by the program itself, outside compiled functions and interpreters, the body of a region
// runs under capture, once the calls of this form have moved so many bytes that compiling it pays.
// Until then, and everywhere else, the body just runs: its ops are those of the program.  The
// results have the same bits, layouts and errors.
// The body reads no elements, and has no effects but those of ops on its tensors, among them the
// inputs: all tensors that it reads, where undefined ones are allowed.  Regions in regions belong
// to the outer one.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "vitro/base/function_ref.h"
#include "vitro/core/interpreter.h"

namespace vitro {

// Runs a body that keeps its results itself; `name` lives as long as the process.
void run_region(std::string_view name, std::span<const Tensor* const> inputs,
                FunctionRef<void()> body);

// Runs what the program calls outside of interpreters; set once, by vitro::init().
using RegionRunner = decltype(&run_region);
void set_region_runner(RegionRunner runner);

template <class F>
auto region(std::string_view name, std::initializer_list<const Tensor*> inputs, F body) {
  using Result = std::invoke_result_t<F&>;
  if (thread_state.top) return body();
  std::optional<Result> result;
  const auto keep = [&] { result.emplace(body()); };
  run_region(name, {inputs.begin(), inputs.size()}, keep);
  return Result(*std::move(result));
}

}  // namespace vitro
