// The one door: every op call goes to the interpreter on top of the calling thread's stack.  Eager,
// capture, and whoever else answers are interpreters; nobody above knows which.
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
// What call() may do: hand the call on (call_below), and look at it before or at its results after;
// make other calls instead, where Below lives, so that those under it answer them (without Below
// they come back to the interpreter itself, which is the top); or compute the results.
//
// The other functions answer for what is an interpreter's own, and by default nothing is: the free
// functions of the same names ask the whole stack, from the top on.  So one that only counts or
// rewrites overrides call() alone, and one that overrides nothing changes nothing, wherever it is
// pushed.  An interpreter that returns deferred tensors has a call_number() and computes them in
// materialize(); one that puts off ops on memory is asked in before_access() to run them; one that
// has symbols answers meta_of() and value_of().
//
// Composite ops are one call.  Pushed around a compiled function, an interpreter sees what that
// runs op by op, and no op that is compiled; pushed inside of one, every op of every call, before
// it becomes a part of the graph: what is captured is what the interpreter makes of it.  There, it
// has to do the same each time, or the calls differ and are compiled again; its results are
// deferred tensors, and reading their elements ends the graph.  A compiled function that is called
// under an interpreter inside of another one is inlined all the same.
//
// Errors: what call() throws reaches the caller of the op, with the place of that call where it has
// none.  A Using ends with its scope, also by an exception; one that outlives the function of
// `compile` that it was made in is out of the stack when that ends.
//
// Threads: a stack belongs to its thread, and a new thread's is empty.  One interpreter may stand
// in the stacks of several threads, which call it at the same time, and more than once in one.
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
  // Answers one call: fills `results`, which has room for as many tensors as the shape rule gives.
  virtual void call(const OpCall& call, std::span<Tensor> results);
  // Computes a deferred tensor: afterwards impl.call == 0.  Called only for those with its own
  // call_number(), and while it runs this interpreter is the top.
  virtual void materialize(TensorImpl& impl, Need need, std::source_location where);
  // Somebody is about to read (or write) the elements of a tensor that is not deferred: ops on it
  // that this interpreter has put off must run first.  All of the stack are called, each as the
  // top.
  virtual void before_access(const TensorImpl& impl, Need need, std::source_location where);
  // Shape with symbols of a tensor as this interpreter sees it, or null where it is just what its
  // numbers say.
  virtual const TensorMeta* meta_of(const TensorImpl& impl) const;
  // Where the tensor begins in its storage, as the program sees it; none where the interpreter
  // does not know the tensor.
  virtual std::optional<Size> offset_of(const TensorImpl& impl) const;
  // This run's value of an expression over the symbols of this interpreter; none where one of its
  // symbols is not.
  virtual std::optional<int64_t> value_of(sym::Expr expr) const;
  // What its deferred tensors carry as TensorImpl::call; 0: it returns none.  Functions of
  // `compile` that are called above an interpreter that returns deferred tensors are inlined.
  virtual uint64_t call_number() const { return 0; }
};

// A place in a thread's stack.
struct InterpreterFrame {
  Interpreter* interpreter;
  const InterpreterFrame* below;  // null: eager
};

// Modes of the calling thread that change what ops mean; compared as one word.
struct Modes {
  bool grad_enabled : 1 = true;
  bool autocast : 1 = false;
  bool operator==(const Modes&) const = default;
};

// All that the door looks at, in one place of thread-local memory.
struct ThreadState {
  Interpreter* answers = nullptr;         // that of `top`, where the door finds it at once
  const InterpreterFrame* top = nullptr;  // null: eager
  Modes modes;

  void set_top(const InterpreterFrame* frame) {
    top = frame;
    answers = frame ? frame->interpreter : nullptr;
  }
};
extern constinit thread_local ThreadState thread_state __attribute__((tls_model("initial-exec")));

// While it lives, `interpreter` is the top of this thread's stack.  Where it lives longer than what
// was under it (an exception has left a compiled function that it was made in), its end changes
// nothing.
class Using {
 public:
  explicit Using(Interpreter* interpreter) : frame_{interpreter, thread_state.top} {
    thread_state.set_top(&frame_);
  }
  explicit Using(std::nullptr_t) = delete;  // UsingStack(nullptr): eager
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

// While it lives, a part of this thread's stack answers its calls; null: eager, and nobody else
// sees them.
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

// Who runs ops on a device when nobody else answers.  Registered once by the top; Error where
// nobody is.
Interpreter& eager_of(Device device);
void set_eager(Device::Kind kind, Interpreter* interpreter);

// For an interpreter that answers a call: hands it to the next one.
void call_below(const OpCall& call, std::span<Tensor> results);

// What the stack of this thread says, the first from the top that knows.
const TensorMeta* meta_of(const TensorImpl& impl);  // null: nobody knows symbols of it
Size offset_of(const TensorImpl& impl);
int64_t value_of(sym::Expr expr);  // Bug where nobody knows a symbol
void before_access(const TensorImpl& impl, Need need, std::source_location where);

// The door.
void call(const OpCall& call, std::span<Tensor> results);
Tensor call_one(const OpDef& op, std::span<const Operand> operands, AttrsView attrs,
                std::source_location where);

// The device that a call runs on: that of its tensor operands (Error where they differ; a 0-d CPU
// tensor goes with any), cpu where it has none.
Device device_of(const OpCall& call);

// The number of no call: an op that should have computed the tensor failed.
inline constexpr uint64_t failed_call = ~uint64_t{0};
// Numbers from here on are none of compiled functions.
inline constexpr uint64_t builder_calls = uint64_t{1} << 63;

// Computes a deferred tensor, by the interpreter of this thread's stack that returned it.  Error
// when another thread's call owns it.
void materialize(TensorImpl& impl, Need need, std::source_location where);

// The Error for a deferred tensor that no interpreter of this thread can compute; `who` took it:
// "add".
[[noreturn]] void refuse_deferred(const TensorImpl& impl, std::string_view who);

// Op calls inside of this scope do not record gradients.
class NoGrad {
 public:
  NoGrad() : before_(thread_state.modes) { thread_state.modes.grad_enabled = false; }
  ~NoGrad() { thread_state.modes = before_; }
  NoGrad(const NoGrad&) = delete;

 private:
  Modes before_;
};

}  // namespace vitro
