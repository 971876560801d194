// A composite whose call is taken as the calls that it is written in, because its numbers vary
// (alpha of addmm, eps of a norm) or its code asks for sizes that data decide.  The numbers that
// are given to it are operands of those calls.  What the composite's own code decides by a number
// it decides in each call.
//
// Invariant: of composites within composites, the outermost one is named; it is what the program
// calls, at its place.
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
  // Calls the ops that the composite is written in; they come back to the interpreter on top.
  void run(const OpCall& call, std::span<Tensor> results);
  bool is_running() const { return composite_ != nullptr; }
  // Who asks a question now, and where the program calls what is called.
  std::string_view asker() const { return composite_ ? composite_->op->name : "the function"; }
  std::source_location place_of(const OpCall& call) const {
    return composite_ ? composite_->where : call.where;
  }
  // Whether the number was given to the composite.
  bool was_given(const Scalar& number) const;

  // Expanding a composite and recording the first of its ops have one reason, which is reported
  // once.  Whether it was; from now on, whether `expands` says that it is.
  bool exchange_reported(bool expands) { return std::exchange(reported_, expands); }
  void note_reported(bool expands) { reported_ = reported_ || expands; }

 private:
  const OpCall* composite_ = nullptr;  // the outermost
  bool reported_ = false;
};

}  // namespace vitro::capture
