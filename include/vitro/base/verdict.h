// A decision with a sentence that says why.  Functions named can_... or should_... return one;
// `explain`, logs, traces and reports print that sentence.
#pragma once

#include <string>
#include <utility>

#include "vitro/base/code.h"

namespace vitro {

struct [[nodiscard]] Verdict {
  bool ok = true;
  std::string why;             // may also be set for a yes
  const Code* code = nullptr;  // set if users see this refusal

  static Verdict yes(std::string why = {}) { return {true, std::move(why), nullptr}; }
  static Verdict no(std::string why) { return {false, std::move(why), nullptr}; }
  static Verdict no(const Code& code, std::string why) { return {false, std::move(why), &code}; }
  explicit operator bool() const { return ok; }
};

}  // namespace vitro
