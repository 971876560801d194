// Environment variables VITRO_... that are not options (option.h), and warnings about unknown ones.
#pragma once

#include <string>
#include <vector>

namespace vitro {

// A variable that is not an option: Vitro's own programs pass it to each other.  It is not listed.
class KnownVariable {
 public:
  explicit KnownVariable(const char* name);
};

// One sentence for each variable VITRO_... in an environment (in the form of `environ`) that
// nothing reads and that is therefore probably misspelt.
std::vector<std::string> unknown_variables(const char* const* environment);

// To be called when all options of the library are declared: from then on, the first option that
// is used reports unknown variables on stderr, once.
void watch_for_unknown_variables();

}  // namespace vitro
