// The door: passes a call to the interpreter on top of this thread's stack, or else to eager on its
// device.  Also the queries that go through the stack from the top: meta_of, value_of, ...
#include "vitro/core/interpreter.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/core/autocast.h"
#include "vitro/core/complex.h"
#include "vitro/core/region.h"

namespace vitro {
namespace {

std::array<std::atomic<Interpreter*>, device_kind_count>& slots() {
  static auto* all = new std::array<std::atomic<Interpreter*>, device_kind_count>{};
  return *all;
}

}  // namespace

constinit thread_local ThreadState thread_state __attribute__((tls_model("initial-exec")));

void Interpreter::call(const OpCall& call, std::span<Tensor> results) {
  call_below(call, results);
}

void Interpreter::materialize(TensorImpl&, Need, std::source_location) {
  throw_bug("materialize", __FILE__, __LINE__,
            "an interpreter that returns no deferred tensors was asked to compute one");
}

void Interpreter::before_access(const TensorImpl&, Need, std::source_location) {}

const TensorMeta* Interpreter::meta_of(const TensorImpl&) const {
  return nullptr;
}

const TensorImpl* Interpreter::memory_of(const TensorImpl&) const {
  return nullptr;
}

std::optional<Size> Interpreter::offset_of(const TensorImpl&) const {
  return std::nullopt;
}

std::optional<int64_t> Interpreter::value_of(sym::Expr) const {
  return std::nullopt;
}

// Removes the entries above it, too: they should have ended earlier.
void Using::leave_late() const {
  for (const InterpreterFrame* f = thread_state.top; f; f = f->below) {
    if (f == &frame_) return thread_state.set_top(frame_.below);
  }
}

Interpreter& eager_of(Device device) {
  Interpreter* found = slots()[static_cast<size_t>(device.kind)].load(std::memory_order_acquire);
  VITRO_CHECK(found, "no interpreter runs ops on ", device,
              ": link libvitro, or call vitro::init()");
  return *found;
}

void set_eager(Device::Kind kind, Interpreter* interpreter) {
  slots()[static_cast<size_t>(kind)].store(interpreter, std::memory_order_release);
}

Device device_of(const OpCall& call) {
  const Tensor* chosen = nullptr;
  for (const Operand& operand : call.operands) {
    if (!operand.is_tensor()) continue;
    const Tensor& t = operand.tensor();
    if (!chosen || (chosen->device() == cpu && chosen->rank() == 0)) {
      chosen = &t;
      continue;
    }
    const bool goes_along = t.device() == chosen->device() || (t.device() == cpu && t.rank() == 0);
    VITRO_CHECK(goes_along, call.op->name, ": operands are on ", chosen->device(), " and ",
                t.device(), "; move them to one device");
  }
  if (chosen) return chosen->device();
  const AttrsType* attrs = call.attrs.type;
  return attrs && attrs->device ? attrs->device(call.attrs.data).value_or(cpu) : cpu;
}

namespace {

// Places of calls inside a composite are in the composite's file; only that of the composite's own
// call is in the program.
bool names_the_program(const Error& mistake, const OpCall& call) {
  return !mistake.location().empty() && (call.op->kind != OpKind::composite || thread_state.top);
}

[[gnu::always_inline]] inline void run(const OpCall& call, std::span<Tensor> results) {
  if (thread_state.answers) return thread_state.answers->call(call, results);
  for (const Operand& operand : call.operands) {
    if (operand.is_tensor() && operand.tensor().is_deferred()) [[unlikely]]
      refuse_deferred(*operand.tensor().impl(), call.op->name);
  }
  eager_of(device_of(call)).call(call, results);
}

void run_and_place(const OpCall& call, std::span<Tensor> results) {
  try {
    run(call, results);
  } catch (const Error& mistake) {
    // Within a function that is written with ops, the place of this call is in the library.
    const std::source_location program = CalledAs::current().from;
    const std::source_location where = program.line() == 0 ? call.where : program;
    if (where.line() == 0 || names_the_program(mistake, call)) throw;
    throw Error(mistake, call_location(where));
  }
}

}  // namespace

namespace {

constinit std::atomic<ComplexCaller> complex_caller{nullptr};
constinit std::atomic<RegionRunner> region_runner{nullptr};
constinit std::atomic<const GradientTape*> registered_tape{nullptr}, tape_in_use{nullptr};

}  // namespace

void set_region_runner(RegionRunner runner) {
  region_runner.store(runner, std::memory_order_release);
}

void run_region(std::string_view name, std::span<const Tensor* const> inputs,
                FunctionRef<void()> body) {
  const RegionRunner runner = region_runner.load(std::memory_order_acquire);
  // What a tape saves would have to be stored, which is what a region avoids.
  const auto recorded = [&] {
    return std::ranges::any_of(inputs, [](const Tensor* t) { return is_recorded(*t); });
  };
  runner && !thread_state.top && !recorded() ? runner(name, inputs, body) : body();
}

void set_complex_caller(ComplexCaller caller) {
  complex_caller.store(caller, std::memory_order_release);
}

void run_complex_call(const OpCall& call, std::span<Tensor> results) {
  const ComplexCaller caller = complex_caller.load(std::memory_order_acquire);
  VITRO_CHECK(caller, call.op->name, ": no ops for complex numbers: link libvitro");
  const CalledAs name(call.op->name, call.where, call.in_place);
  try {
    caller(call, results);
  } catch (const Error& mistake) {
    if (call.where.line() == 0 || !mistake.location().empty()) throw;
    throw Error(mistake, call_location(call.where));
  }
}

namespace {

[[gnu::always_inline]] inline void pass_on(const OpCall& call, std::span<Tensor> results) {
  if (!call.in_place) return run_and_place(call, results);
  const CalledAs name(call.op->name, call.where, true);
  run_and_place(call, results);
}

}  // namespace

void call(const OpCall& call, std::span<Tensor> results) {
  if (autocasts()) [[unlikely]]
    return run_autocast_call(call, results);
  if (is_complex_call(call)) [[unlikely]]
    return run_complex_call(call, results);
  const GradientTape* tape = tape_in_use.load(std::memory_order_relaxed);
  if (tape && !thread_state.below_tape) [[unlikely]]
    return tape->call(call, results);
  pass_on(call, results);
}

void set_tape(const GradientTape* tape) {
  registered_tape.store(tape, std::memory_order_release);
}

const GradientTape& use_tape() {
  const GradientTape* tape = registered_tape.load(std::memory_order_acquire);
  VITRO_CHECK(tape, "requires_grad: no tape records calls: link libvitro");
  tape_in_use.store(tape, std::memory_order_release);
  return *tape;
}

void call_below_tape(const OpCall& call, std::span<Tensor> results) {
  const BelowTape below;
  pass_on(call, results);
}

uint32_t writes_to(const Tensor& tensor) {
  const TensorImpl& memory = memory_of(*tensor.impl());
  return memory.storage ? memory.storage.writes() : memory.writes;
}

void count_write(const Tensor& tensor) {
  const TensorImpl& memory = memory_of(*tensor.impl());
  if (memory.storage) return memory.storage.add_writes(1);
  // A deferred tensor belongs to this thread.
  ++const_cast<TensorImpl&>(memory).writes;  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

Tensor call_one(const OpDef& op, std::span<const Operand> operands, AttrsView attrs,
                std::source_location where) {
  Tensor result;
  call(OpCall{&op, operands, attrs, false, where}, {&result, 1});
  return result;
}

void refuse_deferred(const TensorImpl& impl, std::string_view who) {
  VITRO_CHECK(impl.call != failed_call, who,
              ": this tensor was never computed: an op that it depends on failed");
  throw_error(
      cat(who,
          ": this tensor is the pending result of a compiled function that another thread is still "
          "running; pass it on after the function has returned, or read it on that thread first"));
}

void call_below(const OpCall& call, std::span<Tensor> results) {
  const Below below;
  vitro::call(call, results);
}

const TensorMeta* meta_of(const TensorImpl& impl) {
  for (const InterpreterFrame* f = thread_state.top; f; f = f->below) {
    if (const TensorMeta* meta = f->interpreter->meta_of(impl)) return meta;
  }
  return nullptr;
}

const TensorImpl& memory_of(const TensorImpl& impl) {
  if (impl.call == 0) return impl;
  for (const InterpreterFrame* f = thread_state.top; f; f = f->below) {
    if (const TensorImpl* memory = f->interpreter->memory_of(impl)) return *memory;
  }
  return impl;
}

Size offset_of(const TensorImpl& impl) {
  for (const InterpreterFrame* f = thread_state.top; f; f = f->below) {
    if (const std::optional<Size> offset = f->interpreter->offset_of(impl)) return *offset;
  }
  return impl.call != 0 ? impl.deferred->offset : Size(impl.offset);
}

int64_t value_of(sym::Expr expr) {
  for (const InterpreterFrame* f = thread_state.top; f; f = f->below) {
    if (const std::optional<int64_t> value = f->interpreter->value_of(expr)) return *value;
  }
  throw_bug("value_of", __FILE__, __LINE__, cat("no interpreter of this thread knows ", expr));
}

void before_access(const TensorImpl& impl, Need need, std::source_location where) {
  const InterpreterFrame* const top = thread_state.top;
  if (!top) return;
  top->interpreter->before_access(impl, need, where);
  for (const InterpreterFrame* f = top->below; f; f = f->below) {
    const UsingStack from_here(f);
    f->interpreter->before_access(impl, need, where);
  }
}

void materialize(TensorImpl& impl, Need need, std::source_location where) {
  for (const InterpreterFrame* f = thread_state.top; f; f = f->below) {
    if (f->interpreter->call_number() != impl.call) continue;
    const UsingStack from_here(f);
    return f->interpreter->materialize(impl, need, where);
  }
  refuse_deferred(impl, "data");
}

}  // namespace vitro
