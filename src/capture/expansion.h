// A composite that is captured as the ops it is written with, because its numbers vary (alpha of
// addmm, eps of a norm) or its code asks for data sizes.  Numbers passed to it are operands of
// those ops.  Any branch of the composite's own code on a number is taken anew in each call.
//
// Invariant: for nested composites, the outermost one is named; it is what the program calls, at
// its place.
// Threads: that of its call.
#pragma once

#include <source_location>
#include <span>
#include <string_view>
#include <utility>

#include "vitro/core/interpreter.h"

namespace vitro::capture {

class Expansion {
 public:
  // Calls the ops that the composite is written with; they reach the interpreter on top.
  void run(const OpCall& call, std::span<Tensor> results);
  bool is_running() const { return composite_ != nullptr; }
  // Who asks the current question; and where the program makes this call.
  std::string_view asker() const;
  std::source_location location_of(const OpCall& call) const {
    return composite_ ? composite_->where : call.where;
  }
  // Whether the number is an argument of the composite.
  bool was_given(const Scalar& number) const;

  // Expanding a composite and recording its first op have the same reason, which is reported once.
  // Returns whether it was already; `expands`: it is reported now.
  bool exchange_reported(bool expands) { return std::exchange(reported_, expands); }
  void note_reported(bool expands) { reported_ = reported_ || expands; }

 private:
  const OpCall* composite_ = nullptr;  // the outermost
  bool reported_ = false;
};

}  // namespace vitro::capture
