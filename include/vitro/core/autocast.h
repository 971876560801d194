// Mixed precision: the scope in which ops choose the dtype that they compute in, as in that of
// torch.autocast("cpu").
//   {
//     const Autocast on(DType::bf16);
//     loss = cross_entropy_loss(model(x), y);  // products in bf16, the loss in f32
//   }
//   loss.backward();
//   optimizer.step();                          // gradients and parameters are f32
//
// Products (matmul, linear, convolutions, attention) cast their operands to the dtype of the scope;
// losses, decompositions, Fourier transforms and others that need the range cast theirs to f32;
// cat, stack and index_copy take the widest dtype among theirs.  All other ops compute in the dtype
// that they are given.  The lists are PyTorch's (src/ops/autocast.cpp).  Only f32, bf16 and f16
// operands are cast; f64, integers, complex numbers and calls in place are left as they are.
//
// A cast is a call of `to`: gradients go back through it, so that those of f32 parameters are f32,
// and in a compiled function it is a part of the program.  Called in another scope, a compiled
// function takes another path.  Gradients are computed in the dtypes of their ops, as they were
// called, also if backward() is called in a scope.  With f16, small gradients become 0:
// optim::GradScaler prevents that.  Hooks of gradients cast nothing, whatever the scope.
//
// Threads: each has its own scopes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>

#include "vitro/core/dtype.h"
#include "vitro/core/interpreter.h"

namespace vitro {

// While it lives, calls of this thread cast their operands; with `enabled` false, they do not, even
// in the scope of another one.  With `cache_enabled`, the cast of a parameter (a leaf that requires
// a gradient) is made once and kept until the outermost scope ends, or, of a call in a compiled
// function, the function; not that of one whose data() the program has asked for.  Error for
// another dtype than bf16 and f16.
class Autocast {
 public:
  explicit Autocast(DType dtype = DType::bf16, bool enabled = true, bool cache_enabled = true);
  ~Autocast();
  Autocast(const Autocast&) = delete;

 private:
  DType dtype_before_;
  bool enabled_before_, cached_before_;
};

// PyTorch's functions of these names, for this thread.
inline bool is_autocast_enabled() {
  return thread_state.modes.autocast;
}
DType get_autocast_dtype();
bool is_autocast_cache_enabled();

// ---- for those who call ops on behalf of the program

// What a scope sets.  If it is not enabled, the dtype makes no difference.
struct AutocastState {
  bool enabled = false, cache_enabled = true;
  DType dtype = DType::bf16;
  bool operator==(const AutocastState& o) const {
    return enabled == o.enabled && (!enabled || dtype == o.dtype);
  }
};
AutocastState autocast_state();

// While it lives, calls of this thread cast nothing: operands have the dtypes that they should.
class WithoutAutocast {
 public:
  WithoutAutocast() : before_(thread_state.modes.autocast) { thread_state.modes.autocast = false; }
  ~WithoutAutocast() { thread_state.modes.autocast = before_; }
  WithoutAutocast(const WithoutAutocast&) = delete;

 private:
  bool before_;
};

// Whether a call of the program casts its operands now.
inline bool autocasts() {
  return thread_state.modes.autocast && !thread_state.below_tape;
}
// Makes a call that does; registered by `ops`, which knows the lists.
using AutocastCaller = void (*)(const OpCall& call, std::span<Tensor> results);
void set_autocast_caller(AutocastCaller caller);
void run_autocast_call(const OpCall& call, std::span<Tensor> results);

// The casts that are kept, by parameter.
struct KeptCast {
  Tensor parameter, cast;
  uint32_t writes;   // to the parameter, when it was cast
  bool is_recorded;  // for gradients
};
using KeptCasts = std::unordered_map<const TensorImpl*, KeptCast>;
KeptCasts& kept_casts();

// While it lives, this thread keeps other casts than before, from none: those of a compiled call,
// or of a computation that is made again.
class OwnKeptCasts {
 public:
  OwnKeptCasts();
  ~OwnKeptCasts();
  OwnKeptCasts(const OwnKeptCasts&) = delete;

 private:
  friend KeptCasts& kept_casts();
  std::optional<KeptCasts> own_;  // made for the first cast
  OwnKeptCasts* before_;
};

}  // namespace vitro
