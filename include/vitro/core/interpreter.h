// The door: every op call goes to the interpreter on top of the calling thread's stack.  Eager,
// capture and everything else that answers calls are interpreters; callers do not know which.
//
//   class CountOps : public Interpreter {
//     void call(const OpCall& call, std::span<Tensor> results) override {
//       ++count;
//       call_below(call, results);
//     }
//   };
//   CountOps counter;
//   { const Using counting(&counter);  y = model(x); }
//
// call() may pass the call on (call_below) and inspect it before, or its results after; make other
// calls instead, in the scope of a Below, so that the interpreters below answer them (without Below
// they come back to the interpreter itself, which is the top); or compute the results.
//
// The other functions answer for tensors and symbols that belong to the interpreter, by default
// none: the free functions of the same names query the whole stack from the top.  An interpreter
// that only counts or rewrites overrides call() alone, and one that overrides nothing has no effect
// wherever it is pushed.  An interpreter that returns deferred tensors has a call_number() and
// computes them in materialize(); one that delays ops on memory runs them in before_access(); one
// that has symbols answers meta_of() and value_of().
//
// Calls with complex operands do not arrive: they become calls on pairs first (core/complex.h).
//
// A composite op is one call.  Pushed around a compiled function, an interpreter sees the ops that
// the function runs eagerly, but not the compiled ones.  Pushed inside one, it sees every op of
// every call before capture does: what it makes of the op becomes part of the graph.  There it has
// to do the same in each call, otherwise the calls differ and are recompiled; its results are
// deferred tensors, and reading their elements is a graph break.  A compiled function that is
// called under an interpreter inside another compiled function is still inlined.
//
// Errors: an Error thrown by call() reaches the caller of the op; if it has no location, it gets
// that of the call.  A Using ends with its scope, also by an exception; one that outlives the
// compiled function in which it was created leaves the stack when that function ends.
//
// Threads: each thread has its own stack, which is initially empty.  An interpreter may be in the
// stacks of several threads, which call it concurrently, and several times in one stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <span>
#include <string_view>

#include "vitro/core/op.h"
#include "vitro/core/tensor.h"

namespace vitro {

// Why a deferred tensor has to be materialized now.
enum class Need : uint8_t { item, pointer, writable_pointer, other_thread_or_library };

class Interpreter {
 public:
  virtual ~Interpreter() = default;
  // Answers one call: fills `results`, which has one element per result of the shape rule.
  virtual void call(const OpCall& call, std::span<Tensor> results);
  // Computes a deferred tensor: afterwards impl.call == 0.  Called only for tensors with this
  // interpreter's call_number(), and with this interpreter as the top.
  virtual void materialize(TensorImpl& impl, Need need, std::source_location where);
  // Called before the elements of a tensor that is not deferred are read (or written): ops on it
  // that this interpreter has delayed must run first.  All interpreters of the stack are called,
  // each as the top.
  virtual void before_access(const TensorImpl& impl, Need need, std::source_location where);
  // The metadata of a tensor with this interpreter's symbols; null if it has none and the tensor's
  // own sizes hold.
  virtual const TensorMeta* meta_of(const TensorImpl& impl) const;
  // The offset of the tensor in its storage, as the program sees it; nullopt if the interpreter
  // does not know the tensor.
  virtual std::optional<Size> offset_of(const TensorImpl& impl) const;
  // The value in this run of an expression over the symbols of this interpreter; nullopt if it
  // contains another symbol.
  virtual std::optional<int64_t> value_of(sym::Expr expr) const;
  // TensorImpl::call of its deferred tensors; 0: it returns none.  Compiled functions that are
  // called above an interpreter that returns deferred tensors are inlined.
  virtual uint64_t call_number() const { return 0; }
  // The tensor whose memory one of this interpreter's deferred tensors is a window of, itself if it
  // is not a view; null if the tensor is not one of them.
  virtual const TensorImpl* memory_of(const TensorImpl& impl) const;
};

// An entry of a thread's stack.
struct InterpreterFrame {
  Interpreter* interpreter;
  const InterpreterFrame* below;  // null: eager
};

// Modes of the calling thread that change the meaning of ops; compared as one word.
struct Modes {
  bool grad_enabled : 1 = true;
  bool autocast : 1 = false;
  bool inference : 1 = false;
  bool operator==(const Modes&) const = default;
};

// All the state that the door reads, in one thread-local object.
struct ThreadState {
  Interpreter* answers = nullptr;         // that of `top`, cached for the door
  const InterpreterFrame* top = nullptr;  // null: eager
  Modes modes;
  // Calls are those of an interpreter, not of the program: they are not recorded for gradients.
  bool below_tape = false;

  void set_top(const InterpreterFrame* frame) {
    top = frame;
    answers = frame ? frame->interpreter : nullptr;
  }
};
extern constinit thread_local ThreadState thread_state __attribute__((tls_model("initial-exec")));

// While it lives, `interpreter` is the top of this thread's stack.  If it outlives the entries
// below it (an exception left the compiled function that created it), its end has no effect.
class Using {
 public:
  explicit Using(Interpreter* interpreter) : frame_{interpreter, thread_state.top} {
    thread_state.set_top(&frame_);
  }
  explicit Using(std::nullptr_t) = delete;  // for eager: UsingStack(nullptr)
  ~Using() {
    if (thread_state.top == &frame_) [[likely]] {
      thread_state.set_top(frame_.below);
    } else {
      leave_late();
    }
  }
  Using(const Using&) = delete;

 private:
  void leave_late() const;
  InterpreterFrame frame_;
};

// While it lives, the stack of this thread begins at `top`, one of its entries; null: only eager
// sees the calls.
class UsingStack {
 public:
  explicit UsingStack(const InterpreterFrame* top) : before_(thread_state.top) {
    thread_state.set_top(top);
  }
  ~UsingStack() { thread_state.set_top(before_); }
  UsingStack(const UsingStack&) = delete;

 private:
  const InterpreterFrame* before_;
};

// For an interpreter that answers a call: while it lives, calls go to those below it.
class Below : UsingStack {
 public:
  Below() : UsingStack(thread_state.top ? thread_state.top->below : nullptr) {}
};

// The interpreter that runs ops on a device if the stack is empty.  Registered once per kind of
// device; Error if there is none.
Interpreter& eager_of(Device device);
void set_eager(Device::Kind kind, Interpreter* interpreter);

// For an interpreter that answers a call: passes it to the next one.
void call_below(const OpCall& call, std::span<Tensor> results);

// Query the stack of this thread; the first interpreter from the top that has an answer gives it.
const TensorMeta* meta_of(const TensorImpl& impl);  // null: none has symbols for it
Size offset_of(const TensorImpl& impl);
const TensorImpl& memory_of(const TensorImpl& impl);  // the tensor itself: none knows it
int64_t value_of(sym::Expr expr);                     // Bug if no interpreter knows a symbol
// Calls before_access of every interpreter of the stack.
void before_access(const TensorImpl& impl, Need need, std::source_location where);

// The door: makes a call.
void call(const OpCall& call, std::span<Tensor> results);
Tensor call_one(const OpDef& op, std::span<const Operand> operands, AttrsView attrs,
                std::source_location where);

// The device on which a call runs: that of its tensor operands (Error if they differ; a 0-d CPU
// tensor is accepted with any); without tensors that of the attributes, or else cpu.
Device device_of(const OpCall& call);

// TensorImpl::call of a tensor that cannot be computed, because an op that it depends on failed.
inline constexpr uint64_t failed_call = ~uint64_t{0};
// Call numbers from here on do not belong to compiled functions.
inline constexpr uint64_t builder_calls = uint64_t{1} << 63;

// Computes a deferred tensor with the interpreter of this thread's stack that returned it.  Error
// if a call of another thread owns it.
void materialize(TensorImpl& impl, Need need, std::source_location where);

// Throws the Error for a deferred tensor that no interpreter of this thread can compute; `who` is
// the op that was given it: "add".
[[noreturn]] void refuse_deferred(const TensorImpl& impl, std::string_view who);

// ---- gradients (vitro/autograd/autograd.h)

// What stands above the stack of every thread once a program uses gradients: it sees each call of
// the program first, and passes it on by call_below_tape().  Registered by `autograd`, in use from
// the first tensor that requires a gradient; until then the door reads one pointer more.
struct GradientTape {
  void (*call)(const OpCall& call, std::span<Tensor> results);
  std::unique_ptr<GradientRecord> (*new_record)();
};
void set_tape(const GradientTape* tape);
// Begins to use it, and returns it.
const GradientTape& use_tape();
// The calls that the interpreters make to answer this one do not come back to the tape.
void call_below_tape(const OpCall& call, std::span<Tensor> results);

// While it lives, calls of this thread are those of an interpreter, not of the program.
class BelowTape {
 public:
  BelowTape() : before_(thread_state.below_tape) { thread_state.below_tape = true; }
  ~BelowTape() { thread_state.below_tape = before_; }
  BelowTape(const BelowTape&) = delete;

 private:
  bool before_;
};

// Whether a call with this operand is recorded: eager functions that take a short cut by ops
// without gradients ask.
inline bool is_recorded(const Tensor& operand) {
  return thread_state.modes.grad_enabled && !thread_state.below_tape && operand.defined() &&
         operand.requires_grad();
}

// How often ops have written to the memory of the tensor, in the order of the program.  Of a
// deferred tensor the writes are counted with the one whose memory it is a window of.
uint32_t writes_to(const Tensor& tensor);
void count_write(const Tensor& tensor);

// Op calls in this scope record gradients, or do not.  PyTorch's set_grad_enabled, enable_grad and
// no_grad.
class SetGradEnabled {
 public:
  explicit SetGradEnabled(bool on) : before_(thread_state.modes.grad_enabled) {
    thread_state.modes.grad_enabled = on;
  }
  ~SetGradEnabled() { thread_state.modes.grad_enabled = before_; }
  SetGradEnabled(const SetGradEnabled&) = delete;

 private:
  bool before_;
};
class NoGrad : SetGradEnabled {
 public:
  NoGrad() : SetGradEnabled(false) {}
};
class EnableGrad : SetGradEnabled {
 public:
  EnableGrad() : SetGradEnabled(true) {}
};

// Op calls in this scope record no gradients, and memory that is allocated in it, that of results
// and of factories, is never part of a program that does: outside of the scope, writing to it by an
// op in place, saving it for a gradient and set_requires_grad(true) are Errors, once the program
// has a tensor that requires a gradient.  clone(x) outside is an ordinary tensor.  Tensors made
// before the scope, and views of them, stay ordinary ones.  In a compiled function a result gets
// its memory where it is needed, which may be after the scope: then it is an ordinary tensor, too.
// InferenceMode(false) in the scope of another is an EnableGrad that also allocates ordinary
// memory.  PyTorch's inference_mode (c10::InferenceMode).
class InferenceMode {
 public:
  explicit InferenceMode(bool on = true) : before_(thread_state.modes) {
    thread_state.modes.grad_enabled = !on;
    thread_state.modes.inference = on;
  }
  ~InferenceMode() {
    thread_state.modes.grad_enabled = before_.grad_enabled;
    thread_state.modes.inference = before_.inference;
  }
  InferenceMode(const InferenceMode&) = delete;
  static bool is_enabled() { return thread_state.modes.inference; }

 private:
  Modes before_;
};

}  // namespace vitro
