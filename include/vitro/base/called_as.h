// The name that mistakes bear where the program called a function that is written with others.
//   Tensor take(ops::At x, const Tensor& index) {
//     const CalledAs name("take", x.where);
//     return vitro::index({reshape(x, {-1}), x.where}, {index});  // "take: index 7 is out of ..."
//   }
// While it lives, what VITRO_CHECK and throw_error of this thread throw names this function where
// it would have named another one, and the place where it was called.  The outermost counts: a
// function that others are written with says its name as they do.
// Threads: each has its own.
#pragma once

#include <source_location>
#include <string>
#include <string_view>

namespace vitro {

// A call of the program, as errors name it.
struct Called {
  std::string_view name;           // lives as long as the program; empty: nothing was called
  bool in_place = false;           // errors write "add_" of "add"
  std::source_location from = {};  // line 0: not known
};

class CalledAs {
 public:
  explicit CalledAs(std::string_view name, std::source_location from = {}, bool in_place = false);
  // Instead of what is being called: for who runs now what the program called before.
  explicit CalledAs(const Called& earlier);
  ~CalledAs();
  CalledAs(const CalledAs&) = delete;

  // What the program has called, as far as somebody said so.
  static const Called& current();

 private:
  Called before_;
};

// A mistake that begins with the name of an op ("index_put: ..."), with that of the function that
// the program called.
std::string in_words_of_call(std::string mistake);

}  // namespace vitro
