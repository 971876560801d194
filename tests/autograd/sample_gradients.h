// Gradients of a sample's call, computed with a tape.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "autograd/tape.h"
#include "eager/call.h"
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

// The gradients of all tensors of the call; undefined if they are 0.
inline std::vector<Tensor> gradients_of(const SampleCall& call, std::span<const Tensor> seeds) {
  const std::vector<Tensor> inputs = tensors_of(call);
  autograd::Tape tape;
  for (const Tensor& input : inputs) {
    if (is_inexact(input.dtype())) tape.watch(input);
  }
  std::vector<Tensor> results;
  {
    const Using recording(&tape);
    results = ops::call(*call.overload, {}, call.arguments);
  }
  results.resize(seeds.size());
  return tape.back(results, seeds, inputs);
}

// Second order: the gradients of the sum of gradients times directions, for all tensors of the call
// and then for the seeds.
inline std::vector<Tensor> second_of(const SampleCall& call, std::span<const Tensor> seeds,
                                     std::span<const Tensor> directions) {
  std::vector<Tensor> sought = tensors_of(call);
  sought.insert(sought.end(), seeds.begin(), seeds.end());
  autograd::Tape tape;
  for (const Tensor& one : sought) {
    if (one.defined() && is_inexact(one.dtype())) tape.watch(one);
  }
  std::vector<Tensor> found, along;
  {
    const Using recording(&tape);
    found = gradients_of(call, seeds);
  }
  std::vector<Tensor> first;
  for (size_t i = 0; i < found.size(); ++i) {
    if (!found[i].defined() || !directions[i].defined()) continue;
    first.push_back(found[i]);
    along.push_back(directions[i]);
  }
  return tape.back(first, along, sought);
}

}  // namespace vitro::test
