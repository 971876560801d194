// The message of the Error that a function throws, without its source location.
#pragma once

#include <string>

#include "vitro/base/error.h"

namespace vitro {

// Empty if it throws none.
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
