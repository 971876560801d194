// The tensor: a reference-counted handle to sizes, strides and a storage.
//   Tensor x = Tensor::from({1.0F, 2.0F, 3.0F, 4.0F}, {2, 2});
//   x.size(0);  x.dtype();  x.data<float>();
// Copying a handle is cheap and shares the tensor.  Inside a compiled function an op may return a
// deferred tensor: its shape is known, its elements are computed when they are needed (data(),
// item(), the end of the function).  Threads: different threads may use different handles;
// concurrent reads of one tensor are safe, writes need synchronization by the caller.  A deferred
// tensor belongs to the thread that runs the compiled function until it is materialized.
// A complex tensor is a handle to a real one, its pairs: [..., 2], the real and the imaginary part
// of each number, side by side in memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <memory>
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

class Tensor;

// What `autograd` keeps with a tensor: its gradient, and the call that made it
// (vitro/autograd/autograd.h).
class GradientRecord {
 public:
  virtual ~GradientRecord() = default;
  virtual bool is_leaf() const = 0;
  // Whether the tensor requires a gradient by now: a view may, after a write to its memory.
  virtual bool requires_grad(const Tensor& tensor) = 0;
};

// What a handle points to.  Internal: programs use Tensor.
struct TensorImpl {
  std::atomic<uint32_t> refs{1};
  DType dtype = DType::f32;
  Device device;
  bool requires_grad = false, is_parameter = false;
  uint32_t writes = 0;          // of a deferred tensor that is not a view, see writes_to()
  uint32_t parameter_name = 0;  // "encoder.layer.0.weight", see base/module_path.h; 0: none
  uint32_t dynamic_dims = 0;    // one bit per dimension that compiled functions keep symbolic
  // Of a deferred tensor: its slot in the call that returned it, the number of that call (0: the
  // tensor is not deferred), and its shape.
  uint32_t slot = 0;
  uint64_t call = 0;
  const TensorMeta* deferred = nullptr;
  // Of any other tensor.
  int64_t offset = 0;
  Ints sizes, strides;
  Storage storage;
  // Of a complex tensor, which is never deferred itself. What precedes describes the same elements
  // if the pairs were not deferred when it was made; they always do.
  std::unique_ptr<Tensor> pairs;
  std::unique_ptr<GradientRecord> gradient;
};

enum class Need : uint8_t;  // core/interpreter.h

// The number of the compiled call that runs on this thread, 0 if there is none.  That call itself
// holds one reference to each of its deferred tensors.
extern constinit thread_local uint64_t call_of_this_thread
    __attribute__((tls_model("initial-exec")));

// A base of Tensor, so that bodies of ops that run on tensors find the scalar functions in its
// namespace (vitro/ops/tensor_functions.h) by argument-dependent lookup.
namespace tensor_functions {
struct Base {};
}  // namespace tensor_functions

class Tensor : tensor_functions::Base {
 public:
  Tensor() = default;
  explicit Tensor(TensorImpl* adopted) : impl_(adopted) {}  // takes over one reference
  Tensor(const Tensor& o) : impl_(o.impl_) {
    if (impl_) impl_->refs.fetch_add(1, std::memory_order_relaxed);
  }
  Tensor(Tensor&& o) noexcept : impl_(std::exchange(o.impl_, nullptr)) {}
  Tensor& operator=(Tensor o) noexcept {
    std::swap(impl_, o.impl_);
    return *this;
  }
  ~Tensor() { drop(); }

  // A new tensor with uninitialized elements.
  static Tensor empty(std::span<const int64_t> sizes, DType dtype = default_float,
                      Device device = cpu);
  static Tensor empty(std::initializer_list<int64_t> sizes, DType dtype = default_float,
                      Device device = cpu) {
    return empty(std::span(sizes.begin(), sizes.size()), dtype, device);
  }
  // The same with the given strides (in elements, not negative), in new memory that is just large
  // enough.
  static Tensor empty_strided(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                              DType dtype, Device device = cpu);
  // Copies `values`; their number must be the product of `sizes`.
  template <class T>
  static Tensor from(std::span<const T> values, std::span<const int64_t> sizes,
                     std::source_location where = std::source_location::current()) {
    return copy_in(values.data(), values.size(), dtype_of<T>, sizes, where);
  }
  template <class T>
  static Tensor from(std::initializer_list<T> values, std::initializer_list<int64_t> sizes,
                     std::source_location where = std::source_location::current()) {
    return copy_in(std::data(values), values.size(), dtype_of<T>,
                   std::span(sizes.begin(), sizes.size()), where);
  }
  template <class T>
  static Tensor from(const std::vector<T>& values, std::initializer_list<int64_t> sizes,
                     std::source_location where = std::source_location::current()) {
    return copy_in(values.data(), values.size(), dtype_of<T>,
                   std::span(sizes.begin(), sizes.size()), where);
  }
  // A tensor in existing memory.  Error if sizes, strides and offset reach outside the storage.
  static Tensor over(Storage storage, DType dtype, std::span<const int64_t> sizes,
                     std::span<const int64_t> strides, int64_t offset = 0);

  // The complex numbers in `pairs` [..., 2] of f32 or f64, without a copy. Error unless the last
  // dimension has size 2 and stride 1, and the other strides and the offset are even.
  static Tensor of_pairs(Tensor pairs);
  // The same for the result of an op on pairs, whose layout is known to be right. Internal.
  static Tensor as_complex(Tensor pairs);

  bool defined() const { return impl_ != nullptr; }
  // The queries below throw Error if the tensor is undefined.
  DType dtype() const { return there().dtype; }
  Device device() const { return there().device; }
  int64_t rank() const;
  int64_t dim() const { return rank(); }
  Size size(int64_t dim) const;  // negative dims count from the end
  Sizes sizes() const;
  Sizes strides() const;
  Size numel() const;
  TensorMeta meta() const;
  // The metadata passed to shape rules.  Inside a compiled function the offset is relative to that
  // of the external input whose memory this tensor views, so that the recording holds for inputs
  // with any offset.
  TensorMeta rule_meta() const;
  bool is_contiguous() const;
  bool is_deferred() const {
    return there().call != 0 || (is_complex() && impl_->pairs->is_deferred());
  }
  bool is_complex() const { return vitro::is_complex(there().dtype); }
  // Of a complex tensor: its numbers as real ones [..., 2], in the same memory. Error if it is
  // real.
  const Tensor& pairs() const;

  // ---- gradients (vitro/autograd/autograd.h)
  bool requires_grad() const {
    if (is_complex()) [[unlikely]]
      return impl_->pairs->requires_grad();
    return there().gradient ? impl_->gradient->requires_grad(*this) : impl_->requires_grad;
  }
  // Error for dtypes without gradients, and to take back that of the result of a recorded call.
  Tensor& set_requires_grad(bool on);
  // Whether its memory was allocated in the scope of an InferenceMode.
  bool is_inference() const {
    if (is_complex()) return impl_->pairs->is_inference();
    return there().storage && impl_->storage.is_inference();
  }
  // Whether the program set requires_grad; a tensor that requires no gradient is a leaf, too.
  bool is_leaf() const {
    if (is_complex()) [[unlikely]]
      return impl_->pairs->is_leaf();
    return !there().gradient || impl_->gradient->is_leaf();
  }
  // The sum of the gradients of all backward() calls since it was last set; undefined: none yet.
  Tensor grad() const;
  // Undefined: there is none.  Error unless it has the sizes, dtype and device of this tensor.
  Tensor& set_grad(const Tensor& gradient);
  // Calls backward() (vitro/autograd/autograd.h).
  void backward() const;
  void backward(const Tensor& gradient) const;
  // Keeps the gradient also if this is not a leaf.
  void retain_grad() const;

  // Pointers to the first element (the offset is added).  Error if the host cannot access the
  // device's memory; `to(x, cpu)` (vitro/runtime/copy.h) copies it.  A deferred tensor is
  // materialized first, a graph break inside a compiled function.  Ops that run later see what is
  // written through data(), which marks the storage as exposed.
  void* data(std::source_location where = std::source_location::current()) const;
  const void* const_data(std::source_location where = std::source_location::current()) const;
  template <class T>
  T* data(std::source_location where = std::source_location::current()) const {
    check_dtype("data", dtype_of<T>, where);
    return static_cast<T*>(data(where));
  }
  template <class T>
  const T* const_data(std::source_location where = std::source_location::current()) const {
    check_dtype("const_data", dtype_of<T>, where);
    return static_cast<const T*>(const_data(where));
  }
  // The only element of a one-element tensor, as a number; a graph break in a compiled function.
  Scalar item(std::source_location where = std::source_location::current()) const;
  template <class T>
  T item(std::source_location where = std::source_location::current()) const;
  // All elements in index order.
  template <class T>
  std::vector<T> to_vector(std::source_location where = std::source_location::current()) const {
    check_dtype("to_vector", dtype_of<T>, where);
    if (is_deferred()) (void)const_data(where);  // the number of elements may depend on data
    const auto n = static_cast<size_t>(numel().hint());
    if constexpr (std::is_same_v<T, bool>) {  // vector<bool> is not contiguous
      std::vector<char> bytes(n);
      copy_out(bytes.data(), where);
      return std::vector<bool>(bytes.begin(), bytes.end());
    } else {
      std::vector<T> out(n);
      copy_out(out.data(), where);
      return out;
    }
  }

  const Storage& storage() const {
    if (is_complex()) [[unlikely]]
      return impl_->pairs->storage();
    return impl_->storage;
  }
  // Parameters are kept between calls: compiled functions lay them out once, and profiles count
  // their memory apart.  `name` ("encoder.layer.0.weight") is what graphs call it.
  Tensor& set_parameter(bool on, std::string_view name = {});
  // Internal: the tensor ends, though its impl does not.
  static void forget_gradient(TensorImpl* impl);
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
                        std::span<const int64_t> sizes, std::source_location where);
  bool is_sized_by_data() const;
  void copy_out(void* out, std::source_location where) const;
  void make_ready(Need need, std::source_location where) const;
  const void* address() const;
  void check_dtype(const char* function, DType asked, std::source_location where) const {
    if (!impl_ || impl_->dtype != asked) [[unlikely]]
      refuse_dtype(function, asked, where);
  }
  [[noreturn]] void refuse_dtype(const char* function, DType asked,
                                 std::source_location where) const;
  void drop() {
    if (!impl_) return;
    // Only this thread's call and this handle hold references: no other thread changes the count.
    if (impl_->call != 0 && impl_->call == call_of_this_thread &&
        impl_->refs.load(std::memory_order_acquire) == 2) {
      if (impl_->gradient) [[unlikely]]
        forget_gradient(impl_);
      impl_->refs.store(1, std::memory_order_relaxed);
    } else if (impl_->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      destroy(impl_);
    }
  }
  static void destroy(TensorImpl* impl);
  TensorImpl* impl_ = nullptr;
};

// Recycles TensorImpls per thread, so that an op does not allocate.
TensorImpl* new_impl();

template <class T>
T Tensor::item(std::source_location where) const {
  const Scalar s = item(where);
  if constexpr (std::is_same_v<T, bool>) {
    return s.as_bool();
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(s.as_int());
  } else if constexpr (std::is_class_v<T>) {  // std::complex
    return static_cast<T>(s.as_complex());
  } else {
    return static_cast<T>(s.as_double());
  }
}
}  // namespace vitro
