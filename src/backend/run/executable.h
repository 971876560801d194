// A compiled graph: a list of launches over buffers.
//   Executable e = ...;   e.run(inputs, symbols, outputs);
// Threads: run() may be called from any number of threads at once.
// Errors: invalid data (an index out of range), with the same messages as eager.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "backend/jit/jit.h"
#include "backend/run/kept.h"
#include "backend/run/kept_results.h"
#include "backend/run/plan.h"
#include "runtime/device.h"
#include "vitro/core/op.h"

namespace vitro::backend {

class Executable {
 public:
  // All tensors of a call are on `device`, which has loaded the modules.
  Executable(runtime::DeviceRuntime& device, ExecutablePlan plan,
             std::vector<std::shared_ptr<const jit::KernelModule>> modules);
  ~Executable();

  void run(std::span<const Operand> inputs, std::span<const int64_t> symbols,
           std::span<Tensor> outputs);

  const ExecutablePlan& plan() const { return plan_; }
  const std::vector<Launch>& launches() const { return plan_.launches; }
  // By number of the module.
  std::vector<std::string> module_keys() const;
  // Bytes of the arena, and of all temporaries without sharing, for these values of the symbols.
  struct Memory {
    int64_t arena = 0, temporaries = 0;
  };
  Memory memory(std::span<const int64_t> symbols);
  // Whether invalid data may be detected after inputs have already been written: whether there is
  // data that only kernels check, or an index that is out of range.
  bool may_fail_late(std::span<const Operand> inputs, std::span<const int64_t> symbols) const;

 private:
  // Everything that depends on the values of the symbols.
  struct Dimensions;
  class Invocation;

  runtime::Kernel code_of(const Launch& launch) const;
  int64_t number(Expr e, std::span<const int64_t> symbols) const;
  bool keeps(BufferId buffer) const;
  std::shared_ptr<const Dimensions> dimensions(std::span<const int64_t> symbols);
  std::shared_ptr<const Dimensions> compute_dimensions(std::span<const int64_t> symbols) const;

  runtime::DeviceRuntime& device_;
  Allocator& memory_;
  ExecutablePlan plan_;
  std::vector<runtime::Kernel> code_;  // by launch, if it runs a compiled kernel
  size_t kept_launches_ = 0;           // number of launches with kept panels
  size_t joined_bytes_ = 0;            // most that arguments of launches that run as one take
  std::vector<std::shared_ptr<const jit::KernelModule>> modules_;
  std::mutex lock_;
  KeptPanels kept_;
  KeptResults kept_results_;
  std::atomic<std::byte*> spare_{nullptr};  // host memory of an earlier call, for reuse
  std::vector<std::shared_ptr<const Dimensions>> known_;  // newest last
  // Set if there are no symbols, for the workers of the device when the executable was made.
  std::shared_ptr<const Dimensions> fixed_;
};

}  // namespace vitro::backend
