// The attributes of an op call: a plain struct whose members are named once.
//   struct SoftmaxAttrs {
//     int64_t dim = -1;
//     static void each(auto&& f) { f("dim", &SoftmaxAttrs::dim); }
//   };
// Comparison, hashing, access by name and rewriting of sizes are derived from `each`; the op's
// schema (core/schema.h) defines which arguments a call has and how it is written.  Members may be
// bool, int64_t, double, std::string, DType, Device, Size, Sizes, Dims, Scalar, std::optional of
// these, and enums that name their values:
//   enum class Rounding : uint8_t { down, up };
//   constexpr auto names_of_values(Rounding) {
//     return std::array<std::string_view, 2>{"down", "up"};
//   }
#pragma once

#include <bit>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "vitro/base/hash.h"
#include "vitro/base/small_vector.h"
#include "vitro/core/arg_value.h"
#include "vitro/core/device.h"
#include "vitro/core/dtype.h"
#include "vitro/core/scalar.h"
#include "vitro/events/values.h"
#include "vitro/sym/size.h"

namespace vitro {

using Dims = SmallVector<int64_t, 6>;  // dimension numbers; never symbolic
using DimsArg = OneOrMore<int64_t>;    // the parameter type of functions
using SizeMap = std::function<Size(Size)>;

// Operations on one attribute value: equality by bits, hash, conversion to and from an argument.
namespace attribute {

template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E e) { names_of_values(e); };

inline bool same(bool a, bool b) {
  return a == b;
}
inline bool same(int64_t a, int64_t b) {
  return a == b;
}
inline bool same(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}
inline bool same(const std::string& a, const std::string& b) {
  return a == b;
}
inline bool same(DType a, DType b) {
  return a == b;
}
inline bool same(Device a, Device b) {
  return a == b;
}
inline bool same(Size a, Size b) {
  return identical(a, b);
}
inline bool same(const Dims& a, const Dims& b) {
  return a == b;
}
inline bool same(const Scalar& a, const Scalar& b) {
  return a == b;
}
bool same(const Sizes& a, const Sizes& b);
template <NamedEnum E>
bool same(E a, E b) {
  return a == b;
}
template <class T>
bool same(const std::optional<T>& a, const std::optional<T>& b) {
  return a.has_value() == b.has_value() && (!a || same(*a, *b));
}

void add(Hasher& h, bool v);
void add(Hasher& h, int64_t v);
void add(Hasher& h, double v);
void add(Hasher& h, const std::string& v);
void add(Hasher& h, DType v);
void add(Hasher& h, Device v);
void add(Hasher& h, Size v);
void add(Hasher& h, const Dims& v);
void add(Hasher& h, const Scalar& v);
void add(Hasher& h, const Sizes& v);
template <NamedEnum E>
void add(Hasher& h, E v) {
  add(h, static_cast<int64_t>(v));
}
template <class T>
void add(Hasher& h, const std::optional<T>& v) {
  add(h, v.has_value());
  if (v) add(h, *v);
}

// The value as an argument that `assign` accepts.
inline ArgValue value_of(bool v) {
  return Scalar(v);
}
inline ArgValue value_of(int64_t v) {
  return Scalar(v);
}
inline ArgValue value_of(double v) {
  return Scalar(v);
}
inline ArgValue value_of(Size v) {
  return Scalar(v);
}
inline ArgValue value_of(const Scalar& v) {
  return v;
}
inline ArgValue value_of(const std::string& v) {
  return v;
}
inline ArgValue value_of(DType v) {
  return v;
}
ArgValue value_of(Device v);
ArgValue value_of(const Dims& v);
ArgValue value_of(const Sizes& v);
template <NamedEnum E>
ArgValue value_of(E v) {
  return std::string(names_of_values(v)[static_cast<size_t>(v)]);
}
template <class T>
ArgValue value_of(const std::optional<T>& v) {
  return v ? value_of(*v) : ArgValue();
}

// The names of a member's values if it is an enum, otherwise empty.
template <class T>
std::span<const std::string_view> choices_of(const T&) {
  if constexpr (NamedEnum<T>) {
    static constexpr auto names = names_of_values(T{});
    return names;
  } else {
    return {};
  }
}

// Sets a member from an argument; false if the types do not match.  None leaves the member
// unchanged (an optional becomes empty), and a single number sets all elements of a list.
bool assign(bool& v, const ArgValue& value);
bool assign(int64_t& v, const ArgValue& value);
bool assign(double& v, const ArgValue& value);
bool assign(std::string& v, const ArgValue& value);
bool assign(DType& v, const ArgValue& value);
bool assign(Device& v, const ArgValue& value);
bool assign(Size& v, const ArgValue& value);
bool assign(Dims& v, const ArgValue& value);
bool assign(Scalar& v, const ArgValue& value);
bool assign(Sizes& v, const ArgValue& value);
// The index of the name that equals the text, with or without ATen's "_format"; -1: there is none.
int named_value(std::span<const std::string_view> names, const ArgValue& value);
template <NamedEnum E>
bool assign(E& v, const ArgValue& value) {
  if (is_none(value)) return true;
  const auto names = names_of_values(v);
  const int found = named_value(names, value);
  if (found >= 0) v = static_cast<E>(found);
  return found >= 0;
}
template <class T>
bool assign(std::optional<T>& v, const ArgValue& value) {
  if (is_none(value)) return v.reset(), true;
  return assign(v.emplace(), value);
}

// Writes the value for the recorder; symbols as their hints.
void record(events::ValueWriter& out, bool v);
void record(events::ValueWriter& out, int64_t v);
void record(events::ValueWriter& out, double v);
void record(events::ValueWriter& out, const std::string& v);
void record(events::ValueWriter& out, DType v);
void record(events::ValueWriter& out, Device v);
void record(events::ValueWriter& out, Size v);
void record(events::ValueWriter& out, const Dims& v);
void record(events::ValueWriter& out, const Scalar& v);
void record(events::ValueWriter& out, const Sizes& v);
template <NamedEnum E>
void record(events::ValueWriter& out, E v) {
  record(out, std::string(names_of_values(v)[static_cast<size_t>(v)]));
}
template <class T>
void record(events::ValueWriter& out, const std::optional<T>& v) {
  if (v) {
    record(out, *v);
  } else {
    out.none();
  }
}

template <class T>
void map_sizes(T&, const SizeMap&) {}
inline void map_sizes(Size& v, const SizeMap& f) {
  v = f(v);
}
inline void map_sizes(Sizes& v, const SizeMap& f) {
  for (Size& s : v) s = f(s);
}
void map_sizes(Scalar& v, const SizeMap& f);
template <class T>
void map_sizes(std::optional<T>& v, const SizeMap& f) {
  if (v) map_sizes(*v, f);
}

}  // namespace attribute

// Operations on attributes whose struct is not known statically.
struct AttrsType {
  bool (*equal)(const void* a, const void* b);
  void (*hash)(Hasher&, const void*);
  std::shared_ptr<const void> (*copy)(const void*);
  std::shared_ptr<const void> (*map_sizes)(const void*, const SizeMap&);
  void (*record)(events::ValueWriter&, const void*);
  std::shared_ptr<void> (*make)();  // all members have their defaults
  // Sets the member `name`; nullopt: there is no such member, false: the types do not match.
  std::optional<bool> (*assign)(void*, std::string_view name, const ArgValue& value);
  std::vector<NamedArg> (*values)(const void*);  // all members, in order
  // The valid strings for the member `name` if it is an enum, otherwise empty.
  std::span<const std::string_view> (*choices)(std::string_view name);
  bool has_sizes;  // some member can hold a symbol
  // The device on which a call creates its results, if it is set; null: no member is a device.
  std::optional<Device> (*device)(const void*);
  // The dtype of the results, if it is set; null: no member is an optional dtype.
  std::optional<DType> (*dtype)(const void*);
};

// Borrowed attributes of a call.  Null for an op without attributes.
struct AttrsView {
  const void* data = nullptr;
  const AttrsType* type = nullptr;
  template <class T>
  const T& as() const {
    return *static_cast<const T*>(data);
  }
  explicit operator bool() const { return data != nullptr; }
  friend bool operator==(AttrsView a, AttrsView b) {
    return a.type == b.type && (a.data == b.data || a.type->equal(a.data, b.data));
  }
};

// Attributes with shared ownership; immutable.
class Attrs {
 public:
  Attrs() = default;
  explicit Attrs(AttrsView view) : type_(view.type) {
    if (view) data_ = view.type->copy(view.data);
  }
  Attrs(std::shared_ptr<const void> data, const AttrsType* type)
      : data_(std::move(data)), type_(type) {}
  AttrsView view() const { return {data_.get(), type_}; }
  template <class T>
  const T& as() const {
    return *static_cast<const T*>(data_.get());
  }
  explicit operator bool() const { return data_ != nullptr; }
  Attrs map_sizes(const SizeMap& f) const {
    return data_ && type_->has_sizes ? Attrs(type_->map_sizes(data_.get(), f), type_) : *this;
  }
  void hash(Hasher& h) const {
    if (data_) type_->hash(h, data_.get());
  }
  std::string text() const;  // all members: "dim=[1], keepdim=True, dtype=None"
  friend bool operator==(const Attrs& a, const Attrs& b) { return a.view() == b.view(); }

 private:
  std::shared_ptr<const void> data_;
  const AttrsType* type_ = nullptr;
};

template <class A>
struct AttrsTypeOf {
  static const A& at(const void* p) { return *static_cast<const A*>(p); }
  template <class Member>
  static constexpr bool is_device = std::is_same_v<Member, std::optional<Device> A::*>;
  template <class Member>
  static constexpr bool is_dtype = std::is_same_v<Member, std::optional<DType> A::*>;
  static bool equal(const void* a, const void* b) {
    bool result = true;
    A::each(
        [&](std::string_view, auto m) { result = result && attribute::same(at(a).*m, at(b).*m); });
    return result;
  }
  static void hash(Hasher& h, const void* a) {
    A::each([&](std::string_view, auto m) { attribute::add(h, at(a).*m); });
  }
  static std::shared_ptr<const void> copy(const void* a) {
    return std::make_shared<const A>(at(a));
  }
  static std::shared_ptr<const void> map_sizes(const void* a, const SizeMap& f) {
    auto made = std::make_shared<A>(at(a));
    A::each([&](std::string_view, auto m) { attribute::map_sizes(made.get()->*m, f); });
    return made;
  }
  static void record(events::ValueWriter& out, const void* a) {
    A::each([&](std::string_view name, auto m) {
      out.name(name);
      attribute::record(out, at(a).*m);
    });
  }
  static std::shared_ptr<void> make() { return std::make_shared<A>(); }
  static std::optional<bool> assign(void* a, std::string_view name, const ArgValue& value) {
    std::optional<bool> done;
    A::each([&](std::string_view member, auto m) {
      if (member == name) done = attribute::assign(static_cast<A*>(a)->*m, value);
    });
    return done;
  }
  static std::vector<NamedArg> values(const void* a) {
    std::vector<NamedArg> out;
    A::each([&](std::string_view name, auto m) {
      out.push_back({name, attribute::value_of(at(a).*m)});
    });
    return out;
  }
  static std::span<const std::string_view> choices(std::string_view name) {
    std::span<const std::string_view> out;
    A::each([&](std::string_view member, auto m) {
      if (member == name) out = attribute::choices_of(A{}.*m);
    });
    return out;
  }
  static std::optional<Device> device(const void* a) {
    std::optional<Device> out;
    A::each([&](std::string_view, auto m) {
      if constexpr (is_device<decltype(m)>) out = at(a).*m;
    });
    return out;
  }
  static std::optional<DType> dtype(const void* a) {
    std::optional<DType> out;
    A::each([&](std::string_view, auto m) {
      if constexpr (is_dtype<decltype(m)>) out = at(a).*m;
    });
    return out;
  }
  static constexpr bool has_dtype() {
    bool any = false;
    A::each([&](std::string_view, auto m) { any = any || is_dtype<decltype(m)>; });
    return any;
  }
  static constexpr bool has_device() {
    bool any = false;
    A::each([&](std::string_view, auto m) { any = any || is_device<decltype(m)>; });
    return any;
  }
  static constexpr bool has_sizes() {
    bool any = false;
    A::each([&](std::string_view, auto m) {
      using T = std::remove_cvref_t<decltype(std::declval<A>().*m)>;
      any = any || std::is_same_v<T, Size> || std::is_same_v<T, Sizes> ||
            std::is_same_v<T, Scalar> || std::is_same_v<T, std::optional<Size>> ||
            std::is_same_v<T, std::optional<Scalar>>;
    });
    return any;
  }
};

template <class A>
inline constexpr AttrsType attrs_type{
    &AttrsTypeOf<A>::equal,
    &AttrsTypeOf<A>::hash,
    &AttrsTypeOf<A>::copy,
    &AttrsTypeOf<A>::map_sizes,
    &AttrsTypeOf<A>::record,
    &AttrsTypeOf<A>::make,
    &AttrsTypeOf<A>::assign,
    &AttrsTypeOf<A>::values,
    &AttrsTypeOf<A>::choices,
    AttrsTypeOf<A>::has_sizes(),
    AttrsTypeOf<A>::has_device() ? &AttrsTypeOf<A>::device : nullptr,
    AttrsTypeOf<A>::has_dtype() ? &AttrsTypeOf<A>::dtype : nullptr};

}  // namespace vitro
