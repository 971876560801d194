// The one door: every op call goes through the interpreter on top of the calling thread's stack.
// Eager, capture, and whoever else answers are interpreters; nobody above knows which.
#pragma once

#include <cstdint>
#include <source_location>
#include <span>
#include <string_view>

#include "vitro/core/op.h"
#include "vitro/core/tensor.h"

namespace vitro {

// Why a promise has to be kept now.
enum class Need : uint8_t { item, pointer, writable_pointer, other_thread_or_library };

class Interpreter {
 public:
  virtual ~Interpreter() = default;
  // Answers one call; `results` has room for as many tensors as the shape rule gives.
  virtual void call(const OpCall& call, std::span<Tensor> results) = 0;
  // Makes the promise real: afterwards impl.call == 0.  Only for promises of this interpreter.
  virtual void settle(TensorImpl& impl, Need need, std::source_location where);
  // Somebody is about to look at (or write) the elements of a tensor that is there: ops on it that
  // this interpreter has put off must run first.
  virtual void touch(const TensorImpl& impl, Need need, std::source_location where);
  // Shape with symbols of a tensor as this interpreter sees it, or null where it is just what its
  // numbers say.
  virtual const TensorMeta* meta_of(const TensorImpl& impl) const;
  // Where the tensor begins in its storage, as the program sees it.
  virtual Size offset_of(const TensorImpl& impl) const;
  // This run's value of an expression over the symbols of this interpreter.
  virtual int64_t value_of(sym::Expr expr) const;
  // Whose promises these are.
  virtual uint64_t call_number() const { return 0; }
};

// Modes of the calling thread that change what ops mean; compared as one word.
struct Modes {
  bool grad_enabled : 1 = true;
  bool autocast : 1 = false;
  bool operator==(const Modes&) const = default;
};

// All that the door looks at, in one place of thread-local memory.
struct ThreadState {
  Interpreter* top = nullptr;  // null: eager
  Modes modes;
  uint32_t module = 0;  // module path, see core/module_path.h
};
extern thread_local ThreadState thread_state __attribute__((tls_model("initial-exec")));

// While it lives, `interpreter` answers this thread's calls.
class Using {
 public:
  explicit Using(Interpreter* interpreter) : before_(thread_state.top) {
    thread_state.top = interpreter;
  }
  ~Using() { thread_state.top = before_; }
  Using(const Using&) = delete;
  Interpreter* below() const { return before_; }

 private:
  Interpreter* before_;
};

// Who runs ops on a device when nobody else answers.  Registered once by the top; Error where
// nobody is.
Interpreter& eager_of(Device device);
void set_eager(Device::Kind kind, Interpreter* interpreter);

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

// Makes a promise real, by whichever interpreter of this thread gave it.  Error when another
// thread's call owns it.
void settle(TensorImpl& impl, Need need, std::source_location where);

// The Error for a promise that nobody on this thread can keep; `who` took it: "add".
[[noreturn]] void refuse_promise(const TensorImpl& impl, std::string_view who);

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
