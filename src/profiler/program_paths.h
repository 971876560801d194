// The program's functions around events recorded with a stack.
#pragma once

#include <optional>
#include <vector>

#include "vitro/events/name.h"
#include "vitro/profiler/profile.h"
#include "vitro/profiler/stacks.h"

namespace vitro {

// For one profile; each stack is resolved once.
class ProgramPaths {
 public:
  explicit ProgramPaths(const Profile& profile)
      : stacks_(profile.stacks), paths_(profile.stacks.size()) {}

  // Names of functions, the outermost first: from main on if known, without those of Vitro and the
  // C++ library.
  const std::vector<events::NameId>& of(uint32_t stack);

 private:
  const std::vector<Stack>& stacks_;
  std::vector<std::optional<std::vector<events::NameId>>> paths_;  // for each resolved stack
  Symbols symbols_;
};

}  // namespace vitro
