// What the contenders of the mode `train` share: made-up weights and batches, optimizers, the step.
#include "training.h"

#include <cmath>
#include <map>

#include "harness.h"
#include "vitro/autograd/autograd.h"
#include "vitro/base/error.h"
#include "vitro/ops/all.h"
#include "vitro/optim/optim.h"

namespace vitro::bench {
namespace {

constexpr uint32_t seed_of_batches = 1000, seed_of_gradients = 2000;

// A number in [-1, 1): the bits of MurmurHash3's finalizer.
float made_up(uint32_t index, uint32_t seed) {
  uint32_t h = index * 2654435761U + seed * 2246822519U;
  h = (h ^ h >> 16) * 0x85ebca6bU;
  h = (h ^ h >> 13) * 0xc2b2ae35U;
  h ^= h >> 16;
  return std::ldexp(static_cast<float>(h >> 8), -23) - 1;
}

void fill_numbers(Tensor& tensor, uint32_t seed, float scale, float shift = 0) {
  float* to = tensor.data<float>();
  const int64_t count = tensor.numel().value();
  for (int64_t i = 0; i < count; ++i)
    to[i] = made_up(static_cast<uint32_t>(i), seed) * scale + shift;
}

std::vector<int64_t> sizes_of(const Tensor& tensor) {
  std::vector<int64_t> sizes;
  for (int64_t d = 0; d < tensor.rank(); ++d) sizes.push_back(tensor.size(d).value());
  return sizes;
}

int kernels_between(const CompiledReport& before, const CompiledReport& after) {
  int kernels = 0;
  for (size_t i = 0; i < after.segments.size(); ++i) {
    const uint64_t earlier = i < before.segments.size() ? before.segments[i].runs : 0;
    kernels += after.segments[i].kernels * static_cast<int>(after.segments[i].runs - earlier);
  }
  if (after.backward)
    kernels +=
        kernels_between(before.backward ? *before.backward : CompiledReport{}, *after.backward);
  return kernels;
}

}  // namespace

std::shared_ptr<optim::Optimizer> adamw(const optim::Parameters& parameters) {
  return std::make_shared<optim::AdamW>(parameters, optim::AdamWOptions{.lr = 1e-7});
}

std::shared_ptr<optim::Optimizer> sgd(const optim::Parameters& parameters) {
  return std::make_shared<optim::SGD>(parameters, optim::SGDOptions{.lr = 1e-4, .momentum = 0.9});
}

Tensor numbers(std::initializer_list<int64_t> sizes) {
  Tensor out = Tensor::empty(sizes);
  fill_numbers(out, seed_of_batches, std::sqrt(3.0F));
  return out;
}

Tensor ids(std::initializer_list<int64_t> sizes, int64_t count, int64_t from) {
  int64_t all = 1;
  for (const int64_t size : sizes) all *= size;
  std::vector<int64_t> found;
  for (int64_t i = from; i < from + all; ++i) found.push_back((i * 7919 + 101) % count);
  return Tensor::from(found, sizes);
}

void fill(nn::Module& model) {
  std::map<std::vector<int64_t>, uint32_t> seen;  // tensors of these sizes: the next seed
  for (auto& [name, slot] : model.named_parameters()) {
    const uint32_t seed = seen[sizes_of(*slot)]++;
    if (slot->rank() == 1) {
      fill_numbers(*slot, seed, 0, name.ends_with("weight") ? 1 : 0);
    } else {
      const auto fan_in = static_cast<double>((slot->numel() / slot->size(0)).value());
      const double deviation = std::sqrt((slot->rank() == 2 ? 1 : 2) / fan_in);
      fill_numbers(*slot, seed, static_cast<float>(std::sqrt(3.0) * deviation));
    }
  }
}

void fill_gradients(nn::Module& model) {
  for (Tensor* parameter : model.parameters()) {
    Tensor gradient = Tensor::empty(sizes_of(*parameter));
    fill_numbers(gradient, seed_of_gradients, 0.5F, 0.5F);
    parameter->set_grad(gradient);
  }
}

Tensor step(optim::Optimizer& optimizer, const Loss& loss, const std::vector<Tensor>& batch) {
  if (!loss) {
    optimizer.step();
    const NoGrad off;
    return mean(*optimizer.parameters().back());
  }
  const Tensor value = loss(batch);
  value.backward();
  optimizer.step();
  optimizer.zero_grad();
  return detach(value);
}

Runner runner_of(std::function<Tensor()> run, std::function<CompiledReport()> report) {
  const auto latest = std::make_shared<double>(0);
  Runner runner{[run, latest] { *latest = run().item<float>(); }, nullptr};
  runner.loss = [latest] { return *latest; };
  if (report) {
    runner.kernels = [run, report] {
      const CompiledReport before = report();
      (void)run().item<float>();
      return kernels_between(before, report());
    };
  }
  return runner;
}

}  // namespace vitro::bench
