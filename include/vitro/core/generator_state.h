// The state of the process's generator of random numbers, to go on with the same numbers later.
//   const std::string before = generator_state();
//   set_generator_state(before);
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace vitro {

// A line of text: the generator's name and numbers.  Threads: any.
std::string generator_state();
// Error if generator_state() does not write such a text; nothing changes then.  Threads: any.
void set_generator_state(std::string_view state);

// While it lives, this thread draws the numbers that follow such a state, and those of the process
// stay as they are.
class RandomReplay {
 public:
  explicit RandomReplay(std::string_view state);  // errors as set_generator_state()
  ~RandomReplay();
  RandomReplay(const RandomReplay&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vitro
