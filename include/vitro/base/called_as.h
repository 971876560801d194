// The name that errors carry when the program called a function that is implemented with others.
//   Tensor take(ops::At x, const Tensor& index) {
//     const CalledAs name("take", x.where);
//     return vitro::index({reshape(x, {-1}), x.where}, {index});  // "take: index 7 is out of ..."
//   }
// While it lives, errors of VITRO_CHECK and throw_error on this thread name this function instead
// of the one that throws, and the place of its call.  The outermost one counts, so a function that
// has one may itself be used to implement others. Threads: each has its own.
#pragma once

#include <source_location>
#include <string>
#include <string_view>

namespace vitro {

// A call by the program, as errors name it.
struct Called {
  std::string_view name;           // must live as long as the program; empty: no call
  bool in_place = false;           // errors write "add_" for "add"
  std::source_location from = {};  // line 0: unknown
};

class CalledAs {
 public:
  explicit CalledAs(std::string_view name, std::source_location from = {}, bool in_place = false);
  // Replaces the current call, to run what the program called earlier.
  explicit CalledAs(const Called& earlier);
  ~CalledAs();
  CalledAs(const CalledAs&) = delete;

  // The program's call on this thread, if there is a CalledAs for it.
  static const Called& current();

 private:
  Called before_;
};

// If a message begins with the name of an op ("index_put: ..."), replaces that by the name of the
// function that the program called.
std::string in_words_of_call(std::string mistake);

}  // namespace vitro
