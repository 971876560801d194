// The state of the process's generator of random numbers, to go on with the same numbers later.
//   const std::string before = generator_state();
//   set_generator_state(before);
#pragma once

#include <string>
#include <string_view>

namespace vitro {

// A line of text: the generator's name and numbers.  Threads: any.
std::string generator_state();
// Error if generator_state() does not write such a text; nothing changes then.  Threads: any.
void set_generator_state(std::string_view state);

}  // namespace vitro
