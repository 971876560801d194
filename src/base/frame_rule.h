// How the caller of a function is found from its registers, as the unwind tables say (.eh_frame).
//
//      higher  | arguments on the stack |
//        cfa ->+------------------------+   the caller's stack pointer behind the call
//              | return address         |   at cfa - 8
//              | saved registers, locals|
//         sp ->+------------------------+
#pragma once

#include <cstdint>

namespace vitro {

struct FrameRule {
  // The cfa is sp + offset, bp + offset, or what stands at bp + offset (frames that align
  // themselves).
  enum class Base : uint8_t { unknown, sp, bp, at_bp, none };  // none: nobody called it
  // The caller's bp is bp, or stands at cfa + bp_offset, or at bp + bp_offset.
  enum class Saved : uint8_t { same, at_cfa, at_bp };
  Base base = Base::unknown;
  Saved saved = Saved::same;
  int32_t offset = 0, bp_offset = 0;
};

// The rule at a return address; unknown where there are no tables or they say something else.
FrameRule frame_rule(uint64_t return_address);

}  // namespace vitro
