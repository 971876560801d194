// A callable that is owned by one place and called with no arguments: what std::function<void()> is
// for callables that cannot be copied.  Null if default-constructed.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

namespace vitro {

class UniqueFunction {
 public:
  UniqueFunction() = default;
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, UniqueFunction> && std::invocable<F&>)
  UniqueFunction(F f) : callable_(new Callable<F>(std::move(f))) {}
  UniqueFunction(UniqueFunction&& o) noexcept : callable_(std::exchange(o.callable_, nullptr)) {}
  UniqueFunction& operator=(UniqueFunction&& o) noexcept {
    std::swap(callable_, o.callable_);
    return *this;
  }
  ~UniqueFunction() { delete callable_; }

  explicit operator bool() const { return callable_ != nullptr; }
  void operator()() const { callable_->call(); }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual void call() = 0;
  };
  template <class F>
  struct Callable final : Base {
    explicit Callable(F f) : function(std::move(f)) {}
    void call() override { function(); }
    F function;
  };
  Base* callable_ = nullptr;
};

}  // namespace vitro
