// A vector with inline storage for N elements, so that shapes and operand lists do not allocate.
// T is trivially copyable.  Not thread-safe.  Nearly every file includes this header, so it does
// without <algorithm>.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "vitro/base/cat.h"

namespace vitro {

template <class T, uint32_t N = 6>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  using value_type = T;
  SmallVector() = default;
  SmallVector(std::initializer_list<T> list) { assign(list.begin(), list.size()); }
  explicit SmallVector(std::span<const T> list) { assign(list.data(), list.size()); }
  explicit SmallVector(size_t n, T value = {}) { resize(n, value); }
  SmallVector(const SmallVector& o) { assign(o.data(), o.size_); }
  SmallVector(SmallVector&& o) noexcept { take(o); }
  SmallVector& operator=(const SmallVector& o) {
    if (this != &o) assign(o.data(), o.size_);
    return *this;
  }
  SmallVector& operator=(SmallVector&& o) noexcept {
    if (this != &o) {
      size_ = 0;
      take(o);
    }
    return *this;
  }
  ~SmallVector() { delete[] heap_; }

  T* data() { return heap_ ? heap_ : inline_; }
  const T* data() const { return heap_ ? heap_ : inline_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }

  void clear() { size_ = 0; }
  void push_back(T v) {
    reserve(size_ + 1);
    data()[size_++] = v;
  }
  void pop_back() { --size_; }
  void resize(size_t n, T value = {}) {
    reserve(n);
    for (size_t i = size_; i < n; ++i) data()[i] = value;
    size_ = static_cast<uint32_t>(n);
  }
  void insert(size_t at, T v) {
    push_back(v);
    T* const place = data() + at;
    std::memmove(static_cast<void*>(place + 1), place, (size_ - 1 - at) * sizeof(T));
    *place = v;
  }
  void erase(size_t at) {
    --size_;
    T* const place = data() + at;
    std::memmove(static_cast<void*>(place), place + 1, (size_ - at) * sizeof(T));
  }
  void reserve(size_t n) {
    if (n <= capacity_) return;
    const uint32_t grown = n > capacity_ * 2 ? static_cast<uint32_t>(n) : capacity_ * 2;
    T* bigger = new T[grown];
    std::memcpy(static_cast<void*>(bigger), data(), size_ * sizeof(T));
    delete[] std::exchange(heap_, bigger);
    capacity_ = grown;
  }

  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    if (a.size_ != b.size_) return false;
    for (size_t i = 0; i < a.size_; ++i) {
      if (!(a[i] == b[i])) return false;
    }
    return true;
  }

 private:
  void assign(const T* from, size_t n) {
    size_ = 0;
    reserve(n);
    if (n != 0) std::memcpy(static_cast<void*>(data()), from, n * sizeof(T));
    size_ = static_cast<uint32_t>(n);
  }
  void take(SmallVector& o) {
    if (!o.heap_) return assign(o.data(), o.size_);
    delete[] std::exchange(heap_, std::exchange(o.heap_, nullptr));
    capacity_ = std::exchange(o.capacity_, N);
    size_ = std::exchange(o.size_, 0);
  }

  uint32_t size_ = 0, capacity_ = N;
  T* heap_ = nullptr;  // owned; std::unique_ptr would include <memory> wherever shapes are used
  T inline_[N];
};

// A parameter that accepts a list or a single element: sum(x, {0, 1}), sum(x, 0); also a vector or
// a span.
template <class T>
class OneOrMore : public SmallVector<T> {
 public:
  using List = SmallVector<T>;
  OneOrMore() = default;
  OneOrMore(std::initializer_list<T> list) : List(list) {}
  OneOrMore(List list) : List(std::move(list)) {}  // NOLINT(google-explicit-constructor)
  template <class E>
    requires(std::is_same_v<E, T> || (std::is_integral_v<E> && !std::is_same_v<E, bool>))
  OneOrMore(E one) : List{static_cast<T>(one)} {}  // NOLINT(google-explicit-constructor)
  template <class Range>
    requires(!std::is_base_of_v<List, Range> && std::is_integral_v<typename Range::value_type>)
  OneOrMore(const Range& range) {  // NOLINT(google-explicit-constructor)
    for (const auto element : range) this->push_back(element);
  }
};

template <class T, uint32_t N>
void append_to(std::string& out, const SmallVector<T, N>& list) {
  append_list(out, std::span<const T>(list));
}

}  // namespace vitro
