// Functions that are written with ops, in the scope of an Autocast: those in the lists of
// autocast.cpp cast their arguments, or keep them, and call no op that casts in turn.
//   Tensor mse_loss(ops::At x, const Tensor& target, int64_t reduction) {
//     if (autocasts()) return autocasted("mse_loss", &mse_loss, x, target, reduction);
// Any other function is a program of ops, which cast what they are given.
#pragma once

#include <source_location>
#include <string_view>
#include <vector>

#include "vitro/core/autocast.h"
#include "vitro/ops/define.h"

namespace vitro::ops {

// The casts of the arguments of one call.
class ArgumentCasts {
 public:
  // Error if the function is not in the lists.
  explicit ArgumentCasts(std::string_view function);

  // An argument that was cast, as long as the call.
  struct Held {
    Tensor tensor;
    std::source_location where;
    operator At() const { return {tensor, where}; }  // NOLINT(google-explicit-constructor)
  };
  struct HeldOperand {
    Tensor tensor;
    Operand given;
    operator Operand() const {  // NOLINT(google-explicit-constructor)
      return given.is_tensor() ? Operand(tensor) : given;
    }
  };
  // Of a function whose tensors are cast to the widest dtype among them.
  template <class... A>
  void look_at(const A&... arguments) {
    if (takes_widest_) (look_at_one(arguments), ...);
  }
  Tensor of(const Tensor& argument, std::source_location where = {}) const;
  Held of(const At& argument) const {
    return {of(argument.operand.tensor(), argument.where), argument.where};
  }
  HeldOperand of(const Operand& argument) const {
    return {argument.is_tensor() ? of(argument.tensor()) : Tensor(), argument};
  }
  std::vector<Tensor> of(const TensorsArg& arguments) const;
  template <class T>
  const T& of(const T& argument) const {
    return argument;
  }

 private:
  void look_at_one(const Tensor& argument);
  void look_at_one(const At& argument) { look_at_one(argument.operand.tensor()); }
  template <class T>
  void look_at_one(const T&) {}

  DType to_;
  bool casts_, takes_widest_;
  WithoutAutocast inside_;
};

template <class F, class... A>
auto autocasted(std::string_view function, F call, const A&... arguments) {
  ArgumentCasts casts(function);
  casts.look_at(arguments...);
  return call(casts.of(arguments)...);
}

}  // namespace vitro::ops
