// Gradients of a sample's call.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "eager/call.h"
#include "vitro/autograd/autograd.h"
#include "vitro/base/error.h"
#include "vitro/ops/all.h"

namespace vitro::test {

// Absent samples become undefined tensors.
inline std::vector<Tensor> tensors_of(std::span<const std::optional<SampleTensor>> samples) {
  std::vector<Tensor> out;
  for (const auto& one : samples) out.push_back(one ? tensor_of(*one) : Tensor());
  return out;
}
inline std::vector<Tensor> seeds_of(const OpSample& sample) {
  return tensors_of(sample.seeds);
}

// Whether tensors of the dtype have gradients.
inline bool is_inexact(DType dtype) {
  return is_floating(dtype) || is_complex(dtype);
}
// The pairs of a complex tensor, any other itself: the numbers that differences are taken of.
inline Tensor real_numbers(const Tensor& x) {
  return x.defined() && x.is_complex() ? x.pairs() : x;
}

// While it lives, tensors that can have a gradient require one.
class Requiring {
 public:
  explicit Requiring(std::vector<Tensor> tensors) : tensors_(std::move(tensors)) {
    std::erase_if(tensors_, [](const Tensor& t) {
      return !t.defined() || !is_inexact(t.dtype()) || t.requires_grad();
    });
    for (Tensor& t : tensors_) t.set_requires_grad(true);
  }
  ~Requiring() {
    for (Tensor& t : tensors_) t.set_requires_grad(false);
  }
  Requiring(const Requiring&) = delete;

 private:
  std::vector<Tensor> tensors_;
};

// The gradients of the sum of outputs times weights; undefined if they are 0.
inline std::vector<Tensor> gradients_of(std::span<const Tensor> outputs,
                                        std::span<const Tensor> weights,
                                        std::span<const Tensor> inputs, bool create_graph) {
  std::vector<Tensor> from, by, to;
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (!weights[k].defined() || !outputs[k].defined() || !outputs[k].requires_grad()) continue;
    from.push_back(outputs[k]);
    by.push_back(weights[k]);
  }
  for (const Tensor& input : inputs) {
    if (input.defined() && input.requires_grad()) to.push_back(input);
  }
  std::vector<Tensor> out(inputs.size());
  if (from.empty() || to.empty()) return out;
  const std::vector<Tensor> found =
      grad(from, to, by, {.create_graph = create_graph, .allow_unused = true});
  size_t next = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].defined() && inputs[i].requires_grad()) out[i] = found[next++];
  }
  return out;
}

// The gradients of all tensors of the call; undefined if they are 0.
inline std::vector<Tensor> gradients_of(const SampleCall& call, std::span<const Tensor> seeds,
                                        bool create_graph = false) {
  const std::vector<Tensor> inputs = tensors_of(call);
  const Requiring requiring(inputs);
  std::vector<Tensor> results = ops::call(*call.overload, {}, call.arguments);
  results.resize(seeds.size());
  return gradients_of(results, seeds, inputs, create_graph);
}

// Second order: the gradients of the sum of gradients times directions, for all tensors of the call
// and then for the seeds.
inline std::vector<Tensor> second_of(const SampleCall& call, std::span<const Tensor> seeds,
                                     std::span<const Tensor> directions) {
  std::vector<Tensor> sought = tensors_of(call);
  sought.insert(sought.end(), seeds.begin(), seeds.end());
  const Requiring requiring(sought);
  const std::vector<Tensor> found = gradients_of(call, seeds, true);
  return gradients_of(found, directions, sought, false);
}

// The elements of a gradient in row-major order.
inline std::vector<std::byte> gradient_elements(const Tensor& x) {
  std::vector<std::byte> out;
  const Tensor t = real_numbers(x);
  dispatch(t.dtype(), [&]<class T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      const std::vector<T> values = t.to_vector<T>();
      const auto* from = reinterpret_cast<const std::byte*>(values.data());
      out.assign(from, from + values.size() * sizeof(T));
    }
  });
  return out;
}

inline bool is_zero(const Tensor& t) {
  return !t.defined() || !any(t != 0).item<bool>();
}

// How a gradient differs from torch's; empty if it does not.
inline std::string wrong_gradient(const OpSample& sample, const std::optional<SampleResult>& want,
                                  const Tensor& got) {
  if (!want) return is_zero(got) ? "" : "torch has none";
  if (!got.defined()) {  // 0, where torch may have rounding errors
    const std::vector<std::byte> zeros(want->elements.size());
    return difference(*want, zeros, sample.tolerance);
  }
  if (name_of(got.dtype()) != want->dtype)
    return cat("dtype ", got.dtype(), ", torch has ", want->dtype);
  std::vector<int64_t> sizes;
  for (const Size s : got.sizes()) sizes.push_back(s.value());
  if (sizes != want->sizes) return cat("sizes ", got.sizes());
  return difference(*want, gradient_elements(got), sample.tolerance);
}

}  // namespace vitro::test
