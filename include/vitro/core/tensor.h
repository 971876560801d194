// The tensor: a counted handle to sizes, strides and a storage.
//   Tensor x = Tensor::from({1.0F, 2.0F, 3.0F, 4.0F}, {2, 2});
//   x.size(0);  x.dtype();  x.data<float>();
// Copying a handle is cheap and shares the tensor.  Inside a compiled function an op may return a
// deferred tensor: its shape is known, its elements are computed when somebody needs them (data(),
// item(), the end of the function).  Threads: different handles may be used by different threads;
// concurrent reads of one tensor are fine, a write needs the caller's own order.  A deferred tensor
// belongs to the thread that runs the compiled function until it is materialized.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vitro/base/small_vector.h"
#include "vitro/core/device.h"
#include "vitro/core/dtype.h"
#include "vitro/core/scalar.h"
#include "vitro/core/storage.h"
#include "vitro/sym/size.h"

namespace vitro {

using Ints = SmallVector<int64_t, 6>;

// Shape and layout; strides and offset count elements.
struct TensorMeta {
  DType dtype = DType::f32;
  Device device;
  Sizes sizes, strides;
  Size offset = 0;
  int rank() const { return static_cast<int>(sizes.size()); }
};

Sizes contiguous_strides(std::span<const Size> sizes);

// What a handle points to.  Only core, eager, capture and compile look inside.
struct TensorImpl {
  std::atomic<uint32_t> refs{1};
  DType dtype = DType::f32;
  Device device;
  bool requires_grad = false, is_parameter = false;
  uint32_t parameter_name = 0;  // "encoder.layer.0.weight", see base/module_path.h; 0: none
  uint32_t dynamic_dims = 0;    // one bit per dimension that compiled functions keep symbolic
  // Of a deferred tensor: the number of the call that made it (0: the tensor is not deferred), its
  // slot in that call, its shape.
  uint32_t slot = 0;
  uint64_t call = 0;
  const TensorMeta* deferred = nullptr;
  // The tensor itself.
  int64_t offset = 0;
  Ints sizes, strides;
  Storage storage;
};

enum class Need : uint8_t;  // core/interpreter.h

// The number of the compiled call that runs on this thread, 0 where there is none.  That call holds
// one count on each of its deferred tensors itself.
extern constinit thread_local uint64_t call_of_this_thread
    __attribute__((tls_model("initial-exec")));

// A base of Tensor, so that bodies of ops that run on tensors find the scalar functions of its
// namespace (vitro/ops/tensor_functions.h) by argument-dependent lookup.
namespace tensor_functions {
struct Base {};
}  // namespace tensor_functions

class Tensor : tensor_functions::Base {
 public:
  Tensor() = default;
  explicit Tensor(TensorImpl* adopted) : impl_(adopted) {}  // takes over one count
  Tensor(const Tensor& o) : impl_(o.impl_) {
    if (impl_) impl_->refs.fetch_add(1, std::memory_order_relaxed);
  }
  Tensor(Tensor&& o) noexcept : impl_(std::exchange(o.impl_, nullptr)) {}
  Tensor& operator=(Tensor o) noexcept {
    std::swap(impl_, o.impl_);
    return *this;
  }
  ~Tensor() { drop(); }

  // A new tensor; elements are not set.
  static Tensor empty(std::span<const int64_t> sizes, DType dtype = default_float,
                      Device device = cpu);
  static Tensor empty(std::initializer_list<int64_t> sizes, DType dtype = default_float,
                      Device device = cpu) {
    return empty(std::span(sizes.begin(), sizes.size()), dtype, device);
  }
  // A tensor with the given strides (elements, not negative) over memory that it allocates to fit.
  static Tensor empty_strided(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                              DType dtype, Device device = cpu);
  // Copies `values`; their number must be the product of `sizes`.
  template <class T>
  static Tensor from(std::span<const T> values, std::span<const int64_t> sizes) {
    return copy_in(values.data(), values.size(), dtype_of<T>, sizes);
  }
  template <class T>
  static Tensor from(std::initializer_list<T> values, std::initializer_list<int64_t> sizes) {
    return copy_in(std::data(values), values.size(), dtype_of<T>,
                   std::span(sizes.begin(), sizes.size()));
  }
  template <class T>
  static Tensor from(const std::vector<T>& values, std::initializer_list<int64_t> sizes) {
    return copy_in(values.data(), values.size(), dtype_of<T>,
                   std::span(sizes.begin(), sizes.size()));
  }
  // A window on memory.  Error where sizes, strides and offset leave the storage.
  static Tensor over(Storage storage, DType dtype, std::span<const int64_t> sizes,
                     std::span<const int64_t> strides, int64_t offset = 0);

  bool defined() const { return impl_ != nullptr; }
  // What is asked of an undefined tensor below is an Error.
  DType dtype() const { return there().dtype; }
  Device device() const { return there().device; }
  int64_t rank() const;
  int64_t dim() const { return rank(); }
  Size size(int64_t dim) const;  // negative dims count from the end
  Sizes sizes() const;
  Sizes strides() const;
  Size numel() const;
  TensorMeta meta() const;
  // What shape rules are given: inside of a compiled function the offset counts from that of the
  // tensor from outside whose memory this one looks at, so that what is recorded fits any of them.
  TensorMeta rule_meta() const;
  bool is_contiguous() const;
  bool is_deferred() const { return there().call != 0; }
  bool requires_grad() const { return there().requires_grad; }

  // Pointers to the first element (the offset is added).  Error where the host does not reach the
  // device's memory: `to(x, cpu)` (vitro/runtime/copy.h) does.  A deferred tensor is materialized
  // first: inside of a compiled function that is a graph break.  Writing through data() is seen by
  // ops that run later, and marks the storage as written by foreign hands.
  void* data(std::source_location where = std::source_location::current()) const;
  const void* const_data(std::source_location where = std::source_location::current()) const;
  template <class T>
  T* data(std::source_location where = std::source_location::current()) const {
    check_dtype(dtype_of<T>);
    return static_cast<T*>(data(where));
  }
  template <class T>
  const T* const_data(std::source_location where = std::source_location::current()) const {
    check_dtype(dtype_of<T>);
    return static_cast<const T*>(const_data(where));
  }
  // The one element of a tensor of one element, as a number; a graph break inside of a compiled
  // function.
  Scalar item(std::source_location where = std::source_location::current()) const;
  template <class T>
  T item(std::source_location where = std::source_location::current()) const;
  // All elements in order of their indices.
  template <class T>
  std::vector<T> to_vector(std::source_location where = std::source_location::current()) const {
    check_dtype(dtype_of<T>);
    if (is_deferred()) (void)const_data(where);  // perhaps data decide how many elements there are
    const auto n = static_cast<size_t>(numel().hint());
    if constexpr (std::is_same_v<T, bool>) {  // vector<bool> has no memory to copy into
      std::vector<char> bytes(n);
      copy_out(bytes.data(), where);
      return std::vector<bool>(bytes.begin(), bytes.end());
    } else {
      std::vector<T> out(n);
      copy_out(out.data(), where);
      return out;
    }
  }

  const Storage& storage() const { return there().storage; }
  Tensor& set_requires_grad(bool on);
  // Parameters are kept between calls: compiled functions lay them out once, and profiles count
  // their memory apart.  `name` ("encoder.layer.0.weight") is what graphs call it.
  Tensor& set_parameter(bool on, std::string_view name = {});
  TensorImpl* impl() const { return impl_; }
  TensorImpl* release() { return std::exchange(impl_, nullptr); }
  bool same_as(const Tensor& o) const { return impl_ == o.impl_; }

 private:
  const TensorImpl& there() const {
    if (!impl_) [[unlikely]]
      refuse_undefined();
    return *impl_;
  }
  [[noreturn]] static void refuse_undefined();
  static Tensor window(Storage storage, DType dtype, std::span<const int64_t> sizes,
                       std::span<const int64_t> strides, int64_t offset);
  static Tensor copy_in(const void* values, size_t count, DType dtype,
                        std::span<const int64_t> sizes);
  bool is_sized_by_data() const;
  void copy_out(void* out, std::source_location where) const;
  void make_ready(Need need, std::source_location where) const;
  const void* address() const;
  void check_dtype(DType asked) const;
  void drop() {
    if (!impl_) return;
    // Held by the call of this very thread and by this handle alone: nobody else can count.
    if (impl_->call != 0 && impl_->call == call_of_this_thread &&
        impl_->refs.load(std::memory_order_acquire) == 2) {
      impl_->refs.store(1, std::memory_order_relaxed);
    } else if (impl_->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      destroy(impl_);
    }
  }
  static void destroy(TensorImpl* impl);
  TensorImpl* impl_ = nullptr;
};

// Handles of tensors are recycled per thread, so that an op does not allocate.
TensorImpl* new_impl();

template <class T>
T Tensor::item(std::source_location where) const {
  const Scalar s = item(where);
  if constexpr (std::is_same_v<T, bool>) {
    return s.as_bool();
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(s.as_int());
  } else {
    return static_cast<T>(s.as_double());
  }
}
}  // namespace vitro
