// A compiled graph: a list of launches over buffers.
//   Executable e = ...;   e.run(inputs, symbols, outputs);
// Threads: run() may be called by many threads at once.
// Errors: mistakes in the data (an index out of range), in the words of eager.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "backend/codegen/source.h"
#include "backend/jit/jit.h"
#include "backend/run/arena_plan.h"
#include "backend/run/kept.h"
#include "runtime/device.h"
#include "vitro/core/op.h"
#include "vitro/events/name.h"

namespace vitro::backend {

// ---- what a launch runs ----

// A kernel that the back end made.
struct GeneratedKernel {
  runtime::Kernel code;                             // of a module of the device
  std::shared_ptr<const loop::Kernel> interpreted;  // where it was not compiled
};
// A function of the user's, for an op that nobody looks into.
struct UserKernel {
  // A tensor, a number (of the program or of the call), or nothing.
  struct Argument {
    std::optional<BufferId> buffer = {};
    DType dtype = DType::f32;
    Index sizes = {}, strides = {};
    std::optional<Scalar> number = {};
    std::optional<InputId> input = {};
  };
  const OpDef* op = nullptr;
  Attrs attrs;
  std::vector<Argument> operands, results;
};
// The device's own copy of an entire buffer.
struct BufferCopy {
  BufferId from, to;
};

// One entry of an executable's list, with its arguments.
struct Launch {
  std::variant<GeneratedKernel, UserKernel, BufferCopy> what;
  Expr tasks = 1, bytes = 0, flops = 0;
  Expr scratch = 0;               // bytes for each thread
  bool multiplies = false;        // most of its flops are those of products
  std::vector<BufferId> buffers;  // of the kernel's
  std::vector<Expr> offsets;      // of the buffers, in bytes; empty: all are 0
  uint64_t may_stream = 0;        // bit b: buffer b may be written past the caches
  std::vector<InputId> numbers;   // of the kernel's
  std::vector<loop::Check> checks;
  // Of a product or of its pack, whose tasks are those of the machine's tiles.
  struct Product {
    Expr m, n, k, batches;
    DType right = DType::f32;
    loop::RightOperand reads = loop::RightOperand::panels;
    bool turns = false;
  };
  std::optional<Product> product;
  std::optional<BufferId> packs;       // whose panels it makes
  std::optional<InputId> packs_input;  // that is packed, if it is one
  bool keeps = false;                  // that input is a parameter: the panels are kept
  Hash layout;                         // of a pack: what its panels look like
  bool sized = false;                  // that differs with the symbols
  events::NameId name, detail;
};

class Executable {
 public:
  // Everything that it is called with lies on `device`, which has loaded the modules.  Without
  // modules the kernels are interpreted; Error where one cannot be.
  Executable(runtime::DeviceRuntime& device, const graph::Graph& graph,
             const BufferAssignment& assignment, std::span<const LoweredKernel> kernels,
             const Sources& sources, std::vector<std::shared_ptr<const jit::KernelModule>> modules);
  ~Executable();

  void run(std::span<const Operand> inputs, std::span<const int64_t> symbols,
           std::span<Tensor> outputs);

  const std::vector<Launch>& launches() const { return launches_; }
  // Bytes of the arena, and of all temporaries if each had memory of its own, for these sizes.
  struct Memory {
    int64_t arena = 0, temporaries = 0;
  };
  Memory memory(std::span<const int64_t> symbols);
  // Whether a mistake in the data may come to light when inputs have been written already.
  bool may_fail_late() const { return may_fail_late_; }

 private:
  // All that follows from the values of the symbols.
  struct Dimensions;
  struct OutputPlan {
    BufferId buffer;
    DType dtype = DType::f32;
    Index sizes, strides;
  };
  struct BufferPlan {
    BufferKind kind;
    DType dtype;
    Expr count;
    std::optional<LaunchId> first = {}, last = {};  // that need it
  };
  class Invocation;

  static constexpr size_t max_buffers = 256, max_numbers = 64;  // of a kernel
  void add_launch(const graph::Graph& graph, const LoweredKernel& lowered, const Sources& sources,
                  LaunchId number);
  void add_user_kernel(const graph::Graph& graph, const LoweredKernel& lowered, LaunchId number);
  GeneratedKernel code_of(const loop::Kernel& kernel, const SourceKernel& source) const;
  void add_output(const graph::Graph& graph, const BufferAssignment& assignment, size_t number);
  BufferId add_copy(BufferId from);
  void use_buffer(BufferId id, LaunchId in);
  bool keeps(BufferId buffer) const;
  std::shared_ptr<const Dimensions> dimensions(std::span<const int64_t> symbols);
  std::shared_ptr<const Dimensions> compute_dimensions(std::span<const int64_t> symbols) const;

  void note_sizes(const graph::Graph& graph);
  void note_late_failures(std::span<const LoweredKernel> kernels);
  bool may_fail_late_ = false;
  runtime::DeviceRuntime& device_;
  Allocator& memory_;
  std::vector<Expr> symbols_;
  std::vector<std::optional<BufferId>> input_buffers_;  // of each graph input; none: a number
  std::vector<DType> input_dtypes_;
  std::vector<BufferPlan> buffers_;
  std::vector<OutputPlan> outputs_;  // those that are tensors, in order
  std::vector<Launch> launches_;
  std::vector<Expr> value_bytes_;  // of all values that symbols decide, those without a buffer too
  size_t kept_launches_ = 0;       // that pack what is kept
  std::vector<std::shared_ptr<const jit::KernelModule>> modules_;
  std::mutex lock_;
  KeptPanels kept_;
  std::atomic<std::byte*> spare_{nullptr};  // host memory of a call that has ended, for the next
  std::vector<std::shared_ptr<const Dimensions>> known_;  // the newest last
  std::shared_ptr<const Dimensions> fixed_;               // where there are no symbols
};

}  // namespace vitro::backend
