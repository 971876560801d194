// Training steps, for the mode `train`: forward, loss, backward, optimizer, gradients set to none.
// Weights and batches are the numbers of bench/peers/training.py, so that bench/compare can compare
// the losses of all contenders.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

#include "vitro/capture/report.h"
#include "vitro/core/tensor.h"
#include "vitro/nn/module.h"
#include "vitro/optim/optimizer.h"

namespace vitro::bench {

struct Runner;
using Loss = std::function<Tensor(const std::vector<Tensor>& batch)>;

struct Training {
  std::shared_ptr<nn::Module> model;
  Loss loss;  // null: a step is that of the optimizer alone, and gradients stay
  std::vector<Tensor> batch;
  std::shared_ptr<optim::Optimizer> optimizer;
};

// AdamW; SGD with momentum.  Learning rates are so small that weights hardly change: the batch is
// always the same, and gradients of a loss of 0 would be denormal.
using Optimize = std::shared_ptr<optim::Optimizer> (*)(const optim::Parameters& parameters);
std::shared_ptr<optim::Optimizer> adamw(const optim::Parameters& parameters);
std::shared_ptr<optim::Optimizer> sgd(const optim::Parameters& parameters);

// Made-up numbers with mean 0 and deviation 1; token ids or classes, from the given position on.
Tensor numbers(std::initializer_list<int64_t> sizes);
Tensor ids(std::initializer_list<int64_t> sizes, int64_t count, int64_t from = 0);
// Gives all weights made-up values, scaled so that activations stay of order one; the second does
// so for gradients, not scaled.
void fill(nn::Module& model);
void fill_gradients(nn::Module& model);

// One step with `loss`, of a training or compiled; returns its value, or if it is null the mean of
// the last parameter.
Tensor step(optim::Optimizer& optimizer, const Loss& loss, const std::vector<Tensor>& batch);
// Calls `run` for each step, which returns what step() does.
Runner runner_of(std::function<Tensor()> run, std::function<CompiledReport()> report = nullptr);

}  // namespace vitro::bench
