// How to find the caller of a function from its registers, according to the unwind tables
// (.eh_frame).
//
//      higher  | arguments on the stack |
//        cfa ->+------------------------+   the caller's stack pointer after the call
//              | return address         |   at cfa - 8
//              | saved registers, locals|
//         sp ->+------------------------+
#pragma once

#include <cstdint>

namespace vitro {

struct FrameRule {
  // The cfa is sp + offset, bp + offset, or the value in memory at bp + offset (frames that realign
  // the stack).
  enum class Base : uint8_t { unknown, sp, bp, at_bp, none };  // none: the outermost frame
  // The caller's bp is bp, or in memory at cfa + bp_offset or bp + bp_offset.
  enum class Saved : uint8_t { same, at_cfa, at_bp };
  Base base = Base::unknown;
  Saved saved = Saved::same;
  int32_t offset = 0, bp_offset = 0;
};

// The rule at a return address; unknown if there is no table or it has a form other than these.
FrameRule frame_rule(uint64_t return_address);

}  // namespace vitro
