// What the Error says that a function throws, without its place.
#pragma once

#include <string>

#include "vitro/base/error.h"

namespace vitro {

// Empty where it throws none.
template <class F>
std::string error_of(F f) {
  try {
    (void)f();
  } catch (const Error& e) {
    return std::string(e.message());
  }
  return "";
}

}  // namespace vitro
