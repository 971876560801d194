// Two kinds of failure, told apart by type: the caller's mistake (Error) and a bug in Vitro (Bug).
//   VITRO_CHECK(a.cols == b.rows, "mm: inner sizes differ: left has ", a.cols,
//               " columns, right has ", b.rows, " rows");
//   VITRO_ASSERT(plan.covers(graph));
// A message begins with the op or the file, and says what was given, what is needed and what to do.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

#include "vitro/base/cat.h"

namespace vitro {

// The caller's mistake: wrong shapes, dtypes or arguments.  Eager and compiled code throw the same
// message.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  // The same error with its location in the program: what() ends with " (model.cpp:12 in
  // Mlp::forward)"; not if it is empty.
  Error(const Error& mistake, std::string location);
  // what() without the location.
  std::string_view message() const { return std::string_view(what()).substr(0, message_size_); }
  // "model.cpp:12 in Mlp::forward"; empty if it is unknown.
  std::string_view location() const;

 private:
  size_t message_size_ = std::string_view::npos;
};

// A bug in Vitro.  From the compiler it never reaches the user's program: the call runs eagerly
// instead, and the reason is kept.
class Bug : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// "model.cpp:12", without folders; empty if the line is 0, or in the library's own source.
std::string file_and_line(std::source_location where);
// With the function and the module that this thread is in: "model.cpp:12 in Mlp::forward, module
// encoder.mlp".
std::string call_location(std::source_location where);

[[noreturn]] void throw_error(std::string message);
[[noreturn]] void throw_bug(const char* condition, const char* file, int line, std::string message);

}  // namespace vitro

#define VITRO_CHECK(condition, ...)                    \
  do {                                                 \
    if (!(condition)) [[unlikely]]                     \
      ::vitro::throw_error(::vitro::cat(__VA_ARGS__)); \
  } while (0)

#define VITRO_ASSERT(condition, ...)                                   \
  do {                                                                 \
    if (!(condition)) [[unlikely]]                                     \
      ::vitro::throw_bug(#condition, __FILE__, __LINE__,               \
                         ::vitro::cat("" __VA_OPT__(, ) __VA_ARGS__)); \
  } while (0)
