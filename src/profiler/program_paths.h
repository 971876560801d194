// The functions of the program around what was recorded with a stack.
#pragma once

#include <optional>
#include <vector>

#include "vitro/events/name.h"
#include "vitro/profiler/profile.h"
#include "vitro/profiler/stacks.h"

namespace vitro {

// Of one profile; each stack is read once.
class ProgramPaths {
 public:
  explicit ProgramPaths(const Profile& profile)
      : stacks_(profile.stacks), paths_(profile.stacks.size()) {}

  // Names of functions, the outermost first: from main on where that is known, without those of
  // Vitro and of the C++ library.
  const std::vector<events::NameId>& of(uint32_t stack);

 private:
  const std::vector<Stack>& stacks_;
  std::vector<std::optional<std::vector<events::NameId>>> paths_;  // of each stack that was read
  Symbols symbols_;
};

}  // namespace vitro
