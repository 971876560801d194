// Runs an executable: packs or finds the panels of parameters, then runs every launch in order.
#include <algorithm>
#include <functional>

#include "backend/run/dimensions.h"
#include "backend/run/executable.h"
#include "loop/interpret.h"
#include "runtime/arena.h"
#include "runtime/opaque.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/events/record.h"
#include "vitro/events/stack.h"

namespace vitro::backend {
namespace {

// Context of the loop interpreter.
struct InterpretedLoop {
  const loop::Kernel& kernel;
  std::span<const Expr> symbols;
};

void interpret(const void* context, const runtime::LaunchArgs& args, int64_t begin, int64_t end) {
  const auto& loop = *static_cast<const InterpretedLoop*>(context);
  const auto fail = [&](int check, int64_t index, int64_t bound) {
    if (args.error->check == 0) *args.error = {check + 1, index, bound};
  };
  loop::interpret(loop.kernel,
                  {args.buffers, loop.symbols, args.sizes.data(), args.numbers.data(), fail}, begin,
                  end);
}

}  // namespace

// One call: the table of buffers, and the memory that must live until its end.
class Executable::Invocation {
 public:
  Invocation(Executable& e, const Dimensions& d, std::span<const Operand> inputs,
             std::span<const int64_t> symbols)
      : e_(e),
        d_(d),
        inputs_(inputs),
        symbols_(symbols),
        lists_(e),
        table_(lists_.table),
        held_(lists_.held) {
    std::fill_n(table_, e.plan_.buffers.size(), nullptr);
  }

  void run(std::span<Tensor> outputs) {
    if (d_.arena > 0) arena_ = runtime::lease(e_.memory_, static_cast<size_t>(d_.arena));
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const std::optional<BufferId> buffer = e_.plan_.input_buffers[i];
      if (!buffer) continue;
      const TensorImpl& t = *inputs_[i].tensor().impl();
      table_[buffer->n] = static_cast<std::byte*>(t.storage.data()) + t.offset * bytes_of(t.dtype);
    }
    make_outputs(outputs);
    // What is kept first, because making it may run out of memory: once kernels write, only invalid
    // data can be an error.
    const bool are_known = d_.kept_results == 0 || find_kept_results();
    for (size_t b = 0; b < e_.plan_.buffers.size(); ++b) {
      const BufferKind kind = e_.plan_.buffers[b].kind;
      if (kind != BufferKind::temporary && kind != BufferKind::packed) continue;
      std::byte* memory = e_.plan_.buffers[b].kept ? static_cast<std::byte*>(kept_results_->data())
                                                   : static_cast<std::byte*>(arena_.data());
      table_[b] = memory + d_.offsets[b];
    }
    for (size_t i = 0; i < e_.plan_.launches.size(); ++i) {
      if (e_.plan_.launches[i].keeps) use_kept(i);
    }
    if (!are_known) compute_kept_results();
    for (size_t i = 0, end = 0; i < e_.plan_.launches.size(); i = end) {
      end = e_.plan_.end_of_joined(i);
      const Launch& launch = e_.plan_.launches[i];
      if (end - i > 1) {
        start_as_one(i, end);
      } else if (!launch.keeps && !launch.keeps_results) {
        start(i);
      }
    }
  }

 private:
  using Shared = KeptPanels::Shared;

  // Host memory for the addresses of all buffers, for panels in use, and for the arguments of
  // launches that run as one: inline if there are few, otherwise allocated and reused by later
  // calls.
  class Lists {
   public:
    explicit Lists(Executable& e) : e_(e) {
      const size_t buffers = e.plan_.buffers.size(), panels = e.kept_launches_;
      const size_t before_joined = buffers * sizeof(void*) + panels * sizeof(Shared);
      if (buffers > few || panels > few_panels || e.joined_bytes_ > 0) {
        many_.reset(e.spare_.exchange(nullptr));
        if (!many_)
          many_ = std::make_unique_for_overwrite<std::byte[]>(before_joined + e.joined_bytes_);
      }
      table = many_ ? reinterpret_cast<void**>(many_.get()) : few_;
      held = many_ ? many_.get() + buffers * sizeof(void*) : few_panels_;
      joined = many_ ? many_.get() + before_joined : nullptr;
    }
    Lists(const Lists&) = delete;
    ~Lists() {
      if (many_) many_.reset(e_.spare_.exchange(many_.release()));
    }
    void** table;
    std::byte *held, *joined;

   private:
    static constexpr size_t few = 16, few_panels = 4;
    Executable& e_;
    std::unique_ptr<std::byte[]> many_;
    void* few_[few];
    alignas(Shared) std::byte few_panels_[few_panels * sizeof(Shared)];
  };

  // Panels in use.
  class PanelsInUse {
   public:
    explicit PanelsInUse(std::byte* memory) : list_(reinterpret_cast<Shared*>(memory)) {}
    PanelsInUse(const PanelsInUse&) = delete;
    ~PanelsInUse() { std::destroy_n(list_, count_); }
    void* add(Shared panels) {
      return (*std::construct_at(list_ + count_++, std::move(panels)))->data();
    }

   private:
    Shared* list_;
    size_t count_ = 0;
  };

  void make_outputs(std::span<Tensor> outputs) {
    const Device device = e_.device_.device();
    for (size_t i = 0; i < e_.plan_.outputs.size(); ++i) {
      const OutputPlan& plan = e_.plan_.outputs[i];
      outputs[i] =
          Tensor::empty_strided(d_.outputs[i].sizes, d_.outputs[i].strides, plan.dtype, device);
      table_[plan.buffer.n] = outputs[i].storage().data();
    }
  }

  // Reuses the panels of a parameter if it is unchanged; otherwise packs them.
  void use_kept(size_t i) {
    const Launch& launch = e_.plan_.launches[i];
    const size_t to = launch.packs->n;
    const Tensor& from = inputs_[launch.packs_input->n].tensor();
    const auto fill = [&](void* memory) {
      table_[to] = memory;
      start(i);
    };
    PanelsKey key;
    if (panels_key(from, d_.runs[i].layout, &key)) {
      table_[to] = held_.add(e_.kept_.find_or_pack(key, from, d_.bytes[to], std::ref(fill)));
    } else {
      e_.kept_.forget(from.storage().id());
      auto own = std::make_shared<const KeptMemory>(d_.bytes[to], from.device());
      fill(own->data());
      held_.add(std::move(own));
    }
  }

  // Sets kept_results_ to the memory for them; returns whether it has them already.
  bool find_kept_results() {
    kept_results_ = e_.kept_results_.find(inputs_, e_.plan_.results_of);
    if (kept_results_) return true;
    kept_results_ = std::make_shared<const KeptMemory>(d_.kept_results, e_.device_.device());
    return false;
  }

  void compute_kept_results() {
    for (size_t i = 0; i < e_.plan_.launches.size(); ++i)
      if (e_.plan_.launches[i].keeps_results) start(i);
    e_.kept_results_.add(inputs_, e_.plan_.results_of, kept_results_);
  }

  void start(size_t i) {
    const Launch& launch = e_.plan_.launches[i];
    const Dimensions::Run& run = d_.runs[i];
    if (const auto* kernel = std::get_if<GeneratedKernel>(&launch.what)) [[likely]] {
      run_kernel(launch, *kernel, e_.code_[i], run);
    } else if (const auto* user = std::get_if<UserKernel>(&launch.what)) {
      run_user_kernel(*user, run);
    } else {
      const auto& copy = std::get<BufferCopy>(launch.what);
      e_.device_.copy(table_[copy.to.n], table_[copy.from.n],
                      static_cast<size_t>(d_.bytes[copy.from.n]), nullptr);
    }
  }

  // The arguments of a launch, in memory for its buffers and numbers.
  runtime::LaunchArgs args_of(const Launch& launch, const Dimensions::Run& run, void** buffers,
                              uint64_t* numbers, kernels::ErrorSlot* error) const {
    for (size_t b = 0; b < launch.buffers.size(); ++b) buffers[b] = table_[launch.buffers[b].n];
    for (size_t b = 0; b < run.offsets.size(); ++b)
      buffers[b] = static_cast<std::byte*>(buffers[b]) + run.offsets[b];
    for (size_t n = 0; n < launch.numbers.size(); ++n) numbers[n] = bits_of(launch.numbers[n]);
    return {{buffers, launch.buffers.size()},
            symbols_,
            {numbers, launch.numbers.size()},
            launch.checks.empty() ? nullptr : error,
            run.streams};
  }

  // Starts launches that run as one.
  void start_as_one(size_t begin, size_t end) {
    auto* const all = reinterpret_cast<runtime::IndependentLaunch*>(lists_.joined);
    auto* buffers = reinterpret_cast<void**>(all + (end - begin));
    events::KernelBegin sum{.kernel = e_.plan_.launches[begin].joined_name};
    for (size_t i = begin; i < end; ++i) {
      const Launch& launch = e_.plan_.launches[i];
      const Dimensions::Run& run = d_.runs[i];
      auto* const numbers = reinterpret_cast<uint64_t*>(buffers + launch.buffers.size());
      std::construct_at(all + (i - begin), e_.code_[i],
                        args_of(launch, run, buffers, numbers, nullptr), run.grid);
      buffers = reinterpret_cast<void**>(numbers + launch.numbers.size());
      sum.bytes += static_cast<uint64_t>(run.bytes), sum.flops += static_cast<uint64_t>(run.flops);
    }
    const events::KernelScope scope(sum);
    events::record_stack();
    e_.device_.launch({all, end - begin}, nullptr);
  }

  void run_kernel(const Launch& launch, const GeneratedKernel& kernel, runtime::Kernel code,
                  const Dimensions::Run& run) {
    if (run.grid.tasks <= 0) return;
    void* buffers[most_buffers];
    uint64_t numbers[most_numbers];
    kernels::ErrorSlot error;
    const runtime::LaunchArgs args = args_of(launch, run, buffers, numbers, &error);
    {
      const events::KernelScope scope({.kernel = launch.name,
                                       .detail = launch.detail,
                                       .bytes = static_cast<uint64_t>(run.bytes),
                                       .flops = static_cast<uint64_t>(run.flops),
                                       .product = launch.product_name});
      events::record_stack();
      if (kernel.interpreted) [[unlikely]] {
        const InterpretedLoop loop{*kernel.interpreted, e_.plan_.symbols};
        e_.device_.launch(interpret, &loop, args, run.grid, nullptr);
      } else {
        e_.device_.launch(code, args, run.grid, nullptr);
      }
    }
    if (error.check != 0) [[unlikely]]
      fail(launch, error);
  }

  void run_user_kernel(const UserKernel& kernel, const Dimensions::Run& run) {
    auto next = run.tensors.begin();
    const auto given = [&](const UserKernel::Argument& a) {
      OpaqueOperand out{.kind = a.kind};
      if (a.kind == Operand::Kind::tensor) {
        void* data = a.buffer ? table_[a.buffer->n] : nullptr;
        out.tensor = {data, a.dtype, next->sizes, next->strides};
        ++next;
      } else if (a.kind == Operand::Kind::number) {
        out.number = a.input ? Scalar(inputs_[a.input->n].number().hint()) : a.number;
      }
      return out;
    };
    std::vector<OpaqueOperand> operands;
    std::vector<OpaqueTensor> results;
    for (const UserKernel::Argument& a : kernel.operands) operands.push_back(given(a));
    for (const UserKernel::Argument& a : kernel.results) results.push_back(given(a).tensor);
    runtime::launch_opaque(*kernel.op, {e_.device_.device(), operands, run.attrs.view(), results},
                           e_.device_);
  }

  uint64_t bits_of(InputId input) const {
    const Scalar s = inputs_[input.n].number().hint();
    const DType dtype = e_.plan_.input_dtypes[input.n];
    if (is_floating(dtype)) return Scalar(s.as_double()).bits();
    return Scalar(s.as_int()).bits();
  }

  static std::string sentence(const loop::Check& check, const kernels::ErrorSlot& error) {
    if (check.divisor) return cat(check.op, ": integer division by zero");
    if (!check.wraps)
      return cat(check.op, ": index ", error.index, " is out of range; needs 0 to ",
                 error.bound - 1);
    const int64_t given = error.index < 0 ? error.index - error.bound : error.index;
    return cat(check.op, ": index ", given, " is out of range along dimension ", check.axis,
               ", of size ", error.bound, "; needs ", -error.bound, " to ", error.bound - 1);
  }

  [[noreturn]] static void fail(const Launch& launch, const kernels::ErrorSlot& error) {
    const loop::Check& check = launch.checks[static_cast<size_t>(error.check - 1)];
    if (check.location.empty()) throw_error(sentence(check, error));
    throw Error(Error(sentence(check, error)), check.location);
  }

  Executable& e_;
  const Dimensions& d_;
  std::span<const Operand> inputs_;
  std::span<const int64_t> symbols_;
  Lists lists_;
  void** table_;  // addresses by buffer
  runtime::Arena arena_;
  PanelsInUse held_;
  KeptResults::Shared kept_results_;
};

void Executable::run(std::span<const Operand> inputs, std::span<const int64_t> symbols,
                     std::span<Tensor> outputs) {
  if (fixed_ && fixed_->workers == device_.workers())
    return Invocation(*this, *fixed_, inputs, symbols).run(outputs);
  const auto d = dimensions(symbols);
  Invocation(*this, *d, inputs, symbols).run(outputs);
}

}  // namespace vitro::backend
