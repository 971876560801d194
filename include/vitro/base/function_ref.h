// A reference to something callable, for parameters that are called before the function returns.
//   int64_t evaluate(Expr e, FunctionRef<int64_t(Expr)> value_of);
//   evaluate(e, [&](Expr symbol) { return values.at(symbol); });
// Two pointers, no allocation, and none of <functional>.  It does not own the callable: never store
// one that was made of a temporary.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

namespace vitro {

template <class>
class FunctionRef;

template <class Result, class... Args>
class FunctionRef<Result(Args...)> {
 public:
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, FunctionRef> &&
             std::is_invocable_r_v<Result, F&, Args...>)
  FunctionRef(F&& f)
      : object_(const_cast<void*>(reinterpret_cast<const volatile void*>(&f))),
        call_([](void* object, Args... args) -> Result {
          return (*reinterpret_cast<std::add_pointer_t<F>>(object))(std::forward<Args>(args)...);
        }) {}
  Result operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  Result (*call_)(void*, Args...);
};

}  // namespace vitro
