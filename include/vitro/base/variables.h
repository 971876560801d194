// The variables VITRO_... of the environment that are not options (option.h), and those that nobody
// reads.
#pragma once

#include <string>
#include <vector>

namespace vitro {

// A variable that is no switch: programs of ours hand it to each other.  It is not listed.
class KnownVariable {
 public:
  explicit KnownVariable(const char* name);
};

// What to say of the variables VITRO_... in an environment (as `environ` has it) that nobody reads:
// each is likely a misspelt one.
std::vector<std::string> unknown_variables(const char* const* environment);

// Tells that the library's options are all declared: from now on the first that is asked says on
// stderr which variables are unknown, once.
void watch_for_unknown_variables();

}  // namespace vitro
