// A value, or a sentence that says why there is none: for external input (files, caches, other
// programs), which may be invalid without a mistake of the caller.
//   Result<Trace> trace = read_trace(path);
//   if (!trace) return trace.failure();
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "vitro/base/error.h"

namespace vitro {

struct Failure {
  std::string why;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}              // NOLINT(google-explicit-constructor)
  Result(Failure failure) : failure_(std::move(failure)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return value_.has_value(); }
  bool ok() const { return value_.has_value(); }
  // The value; throws Error with the reason if there is none.
  T& operator*() & {
    check();
    return *value_;
  }
  const T& operator*() const& {
    check();
    return *value_;
  }
  T&& operator*() && {
    check();
    return *std::move(value_);
  }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }

  const Failure& failure() const { return failure_; }
  const std::string& why() const { return failure_.why; }

  T& value() & { return **this; }
  const T& value() const& { return **this; }
  T value() && { return *std::move(*this); }

 private:
  void check() const {
    if (!value_) [[unlikely]]
      throw_error(failure_.why);
  }
  std::optional<T> value_;
  Failure failure_;
};

// Success without a value.
struct Done {};

}  // namespace vitro
