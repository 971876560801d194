// The harness of vitro_bench: one file per workload (work_*.cpp), one per contender (who_*.cpp),
// one way of measuring.  First calls are measured in separate processes, with an empty kernel cache
// and then with the filled one; medians come from the second process.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "training.h"
#include "vitro/core/tensor.h"

namespace vitro::bench {

// Something to run: a function of tensors and its inputs.
struct Program {
  std::function<Tensor(const std::vector<Tensor>&)> run;
  std::vector<Tensor> inputs;
};

// What is measured: a call of the program, or a training step.
enum class Mode : uint8_t { fwd, train };

struct Workload {
  std::string_view name, about;
  Program (*make)();              // null: only for training
  Training (*train)() = nullptr;  // null: not for training
  bool has_loss = true;           // false: the training step is that of the optimizer alone
};

// A contender prepared for one program; the first `once` includes building the contender's state.
struct Runner {
  std::function<void()> once;
  std::function<int()> kernels;  // launched per call; -1: unknown
  int times = 1;                 // how many times `once` does the program's work
  // Of a training step: the loss of the latest one.
  std::function<double()> loss = nullptr;
};
struct Contender {
  std::string_view name, about;
  Runner (*prepare)(Program program);            // null: only for training
  Runner (*train)(Training training) = nullptr;  // null: not for training
  // Of training steps: only those with a loss, or only those without; none: all.
  std::optional<bool> with_loss = {};
};

// A contender with the workload that it is about to run: its program is made, `begin` prepares the
// contender and runs it for the first time.
struct Entry {
  std::function<Runner()> begin;
  int64_t parameters = 0;  // that are trained
};
// Error if the workload or the contender has no such mode.
Entry enter(const Workload& work, const Contender& who, Mode mode);
// A contender after its first call, or after its first two steps, because the first one makes the
// moments of the optimizer and may be a program of its own.
struct Started {
  Runner runner;
  std::vector<double> calls_ms, losses;  // of each; the first includes preparing the contender
};
Started start(const Entry& entry);

// A measurement that is not of a program: the cost of one step in ns (median over rounds).
struct Step {
  std::string_view name, about;
  double (*ns)();
};

// Registers its argument; defined at namespace scope in the files above.
struct Add {
  explicit Add(Workload w);
  explicit Add(Contender c);
  explicit Add(Step s);
};

struct Registry {
  std::vector<Workload> workloads;
  std::vector<Contender> contenders;
  std::vector<Step> steps;
};
Registry& registry();

// Answers bench/compare until the end of standard input.
int serve(const Workload& work, const Contender& who, Mode mode);

// The time of one call of `body` in ns: the median of `rounds` measurements of `times` calls each.
double median_ns(int rounds, int times, const std::function<void()>& body);

}  // namespace vitro::bench
