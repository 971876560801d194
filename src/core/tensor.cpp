// Handles, their pool, and the queries of Tensor.  They return plain sizes, or sizes with symbols
// inside a compiled function; access to elements first runs the delayed ops.
#include "vitro/core/tensor.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "core/mark_memory.h"
#include "core/numbers.h"
#include "sym/data_size.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/base/module_path.h"
#include "vitro/core/interpreter.h"
#include "vitro/core/reach.h"

namespace vitro {
namespace {

// Free handles of a thread; they are deleted when it ends.  The list itself is not in thread-local
// memory: a library that a running program loads gets very little of that.
struct ImplPool {
  static constexpr size_t room = 256;
  std::unique_ptr<TensorImpl*[]> free = std::make_unique<TensorImpl*[]>(room);
  size_t count = 0;
  bool ended = false;
  ~ImplPool() {
    while (count > 0) delete free[--count];
    ended = true;
  }
};

// Access to a thread-local object with a destructor costs a call, to a pointer it does not.
constinit thread_local ImplPool* pool_of_this_thread __attribute__((tls_model("initial-exec"))) =
    nullptr;

ImplPool& make_pool() {
  static thread_local ImplPool one;
  pool_of_this_thread = &one;
  return one;
}

ImplPool& pool() {
  ImplPool* known = pool_of_this_thread;
  return known ? *known : make_pool();
}

int64_t wrap_dim(int64_t dim, int64_t rank) {
  const int64_t wrapped = dim < 0 ? dim + rank : dim;
  VITRO_CHECK(wrapped >= 0 && wrapped < rank, "size: dimension ", dim,
              " is out of range for a tensor of rank ", rank);
  return wrapped;
}

// The metadata of a tensor inside a compiled function, with symbols; null: that of the impl holds.
const TensorMeta* inner_meta(const TensorImpl& impl) {
  if (impl.call != 0) {
    // Symbols have values only in the running call, on its own thread.
    if (impl.call != call_of_this_thread && impl.call < builder_calls) [[unlikely]]
      refuse_deferred(impl, "size");
    return impl.deferred;
  }
  return thread_state.top ? meta_of(impl) : nullptr;
}

Size now(Size size) {
  if (!size.is_symbolic()) return size;
  return {value_of(size.expr()), size.expr()};
}

Sizes now(const Sizes& sizes) {
  Sizes out = sizes;
  for (Size& s : out) s = now(s);
  return out;
}

Sizes as_sizes(const Ints& ints) {
  Sizes out;
  out.reserve(ints.size());
  for (const int64_t v : ints) out.push_back(v);
  return out;
}

// Copies elements in index order between a strided side and a dense side.
template <bool to_dense>
void copy_elements(std::byte* strided, std::byte* dense, const Ints& sizes, const Ints& strides,
                   size_t bytes) {
  const size_t rank = sizes.size();
  Ints index(rank, 0);
  const int64_t count = count_of(sizes);
  for (int64_t n = 0; n < count; ++n) {
    int64_t at = 0;
    for (size_t d = 0; d < rank; ++d) at += index[d] * strides[d];
    std::byte* element = strided + at * static_cast<int64_t>(bytes);
    std::memcpy(to_dense ? dense : element, to_dense ? element : dense, bytes);
    dense += bytes;
    for (size_t d = rank; d-- > 0;) {
      if (++index[d] < sizes[d]) break;
      index[d] = 0;
    }
  }
}

}  // namespace

constinit thread_local uint64_t call_of_this_thread __attribute__((tls_model("initial-exec"))) = 0;

TensorImpl* new_impl() {
  ImplPool& p = pool();
  if (p.count == 0) return new TensorImpl;
  TensorImpl* impl = p.free[--p.count];
  impl->refs.store(1, std::memory_order_relaxed);
  return impl;
}

void Tensor::forget_gradient(TensorImpl* impl) {
  const std::unique_ptr<GradientRecord> record = std::move(impl->gradient);
  impl->requires_grad = false;
}

void Tensor::destroy(TensorImpl* impl) {
  if (impl->gradient) [[unlikely]]
    forget_gradient(impl);
  impl->storage = {};
  if (impl->pairs) [[unlikely]]
    impl->pairs.reset();
  ImplPool& p = pool();  // may have got what this tensor referred to
  if (p.ended || p.count == ImplPool::room) {
    delete impl;
    return;
  }
  impl->call = 0;
  impl->deferred = nullptr;
  impl->requires_grad = impl->is_parameter = false;
  impl->parameter_name = 0;
  impl->dynamic_dims = 0;
  impl->writes = 0;
  p.free[p.count++] = impl;
}

Sizes contiguous_strides(std::span<const Size> sizes) {
  Sizes strides(sizes.size(), Size(1));
  for (size_t i = sizes.size(); i-- > 1;) {
    const Size s = sizes[i];
    strides[i - 1] = strides[i] * (!s.is_symbolic() && s.hint() == 0 ? Size(1) : s);
  }
  return strides;
}

Tensor Tensor::empty(std::span<const int64_t> sizes, DType dtype, Device device) {
  return empty_strided(sizes, vitro::contiguous_strides("empty", sizes), dtype, device);
}

Tensor Tensor::empty_strided(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                             DType dtype, Device device) {
  (void)bytes_for("empty", sizes, dtype);
  const Reach reach = reach_of("empty", dtype, sizes, strides);
  VITRO_CHECK(reach.begin == 0, "empty: strides must not be negative, got ", Ints(strides));
  return window(Storage::allocate(static_cast<size_t>(reach.end), device), dtype, sizes, strides,
                0);
}

Tensor Tensor::over(Storage storage, DType dtype, std::span<const int64_t> sizes,
                    std::span<const int64_t> strides, int64_t offset) {
  VITRO_CHECK(storage, "over: needs a storage, got none");
  (void)bytes_for("over", sizes, dtype);
  const Reach reach = reach_of("over", dtype, sizes, strides, offset);
  const int64_t most = static_cast<int64_t>(storage.bytes());
  VITRO_CHECK(
      reach.begin >= 0 && reach.end <= most && offset >= 0 && offset <= INT64_MAX / bytes_of(dtype),
      "over: sizes ", Ints(sizes), ", strides ", Ints(strides), " and offset ", offset, " of ",
      dtype, " cover bytes ", reach.begin, " to ", reach.end, " of a storage of ", most, " bytes");
  return window(std::move(storage), dtype, sizes, strides, offset);
}

Tensor Tensor::window(Storage storage, DType dtype, std::span<const int64_t> sizes,
                      std::span<const int64_t> strides, int64_t offset) {
  if (vitro::is_complex(dtype)) [[unlikely]] {
    Ints of_pairs(sizes), apart(strides);
    for (int64_t& stride : apart) stride *= 2;
    of_pairs.push_back(2);
    apart.push_back(1);
    return as_complex(window(std::move(storage), real_of(dtype), of_pairs, apart, 2 * offset));
  }
  TensorImpl* impl = new_impl();
  impl->dtype = dtype;
  impl->device = storage.device();
  impl->offset = offset;
  impl->sizes = Ints(sizes);
  impl->strides = Ints(strides);
  impl->storage = std::move(storage);
  return Tensor(impl);
}

Tensor Tensor::of_pairs(Tensor pairs) {
  const DType dtype = pairs.dtype();
  VITRO_CHECK(dtype == DType::f32 || dtype == DType::f64,
              "view_as_complex: takes pairs of f32 or f64, got ", dtype);
  const Sizes sizes = pairs.sizes(), strides = pairs.strides();
  VITRO_CHECK(!sizes.empty() && equal(sizes.back(), 2),
              "view_as_complex: needs a last dimension of size 2, got sizes ", numbers_of(sizes));
  VITRO_CHECK(equal(strides.back(), 1),
              "view_as_complex: needs a last dimension of stride 1, got strides ",
              numbers_of(strides), "; call contiguous first");
  for (size_t d = 0; d + 1 < strides.size(); ++d)
    VITRO_CHECK(known_equal(sizes[d], 1) || equal(strides[d] % 2, 0),
                "view_as_complex: needs even strides of all dimensions but the last, got ",
                numbers_of(strides), "; call contiguous first");
  const Size offset = pairs.rule_meta().offset;
  VITRO_CHECK(equal(offset % 2, 0), "view_as_complex: needs an even offset, got ",
              number_of(offset), "; clone the tensor first");
  return as_complex(std::move(pairs));
}

namespace {

// For those who look at the description of a tensor that is not deferred.
void describe_complex(TensorImpl& impl) {
  const TensorImpl& from = *impl.pairs->impl();
  impl.offset = from.offset / 2;
  impl.storage = from.storage;
  impl.sizes = from.sizes;
  impl.strides = from.strides;
  impl.sizes.pop_back();
  impl.strides.pop_back();
  for (int64_t& stride : impl.strides) stride /= 2;
}

}  // namespace

// Without the checks of of_pairs, for what they would hold for: results of ops on pairs.
Tensor Tensor::as_complex(Tensor pairs) {
  TensorImpl* impl = new_impl();
  impl->dtype = complex_of(pairs.dtype());
  impl->device = pairs.device();
  impl->sizes.clear();
  impl->strides.clear();
  impl->offset = 0;
  impl->requires_grad = pairs.requires_grad();
  impl->pairs = std::make_unique<Tensor>(std::move(pairs));
  if (!impl->pairs->is_deferred()) describe_complex(*impl);
  return Tensor(impl);
}

const Tensor& Tensor::pairs() const {
  VITRO_CHECK(is_complex(), "view_as_real: takes a complex tensor, got ", dtype());
  return *impl_->pairs;
}

Tensor Tensor::copy_in(const void* values, size_t count, DType dtype,
                       std::span<const int64_t> sizes, std::source_location where) {
  const CalledAs name("from", where);
  const int64_t needed = count_of(sizes, "from");
  VITRO_CHECK(static_cast<int64_t>(count) == needed, "from: got ", count, " values for sizes ",
              Ints(sizes), ", which need ", needed);
  Tensor made = empty(sizes, dtype);
  if (count != 0)
    std::memcpy(made.impl_->storage.data(), values, count * static_cast<size_t>(bytes_of(dtype)));
  return made;
}

void Tensor::refuse_undefined() {
  const std::string_view op = CalledAs::current().name;
  throw_error(
      cat(op, op.empty() ? "" : ": ",
          "this tensor is undefined: it was made by Tensor() and given no value, was moved from, "
          "or is a gradient that no backward() has computed"));
}

int64_t Tensor::rank() const {
  const TensorImpl& impl = there();
  if (impl.pairs) [[unlikely]]
    return impl.pairs->rank() - 1;
  return impl.call != 0 ? impl.deferred->rank() : static_cast<int64_t>(impl.sizes.size());
}

Size Tensor::size(int64_t dim) const {
  const auto at = static_cast<size_t>(wrap_dim(dim, rank()));
  if (impl_->pairs) [[unlikely]]
    return impl_->pairs->size(static_cast<int64_t>(at));
  const TensorMeta* inner = inner_meta(there());
  return inner ? now(inner->sizes[at]) : Size(impl_->sizes[at]);
}

Sizes Tensor::sizes() const {
  if (there().pairs) [[unlikely]] {
    Sizes out = impl_->pairs->sizes();
    out.pop_back();
    return out;
  }
  const TensorMeta* inner = inner_meta(there());
  return inner ? now(inner->sizes) : as_sizes(impl_->sizes);
}

Sizes Tensor::strides() const {
  if (there().pairs) [[unlikely]] {
    Sizes out = impl_->pairs->strides();
    out.pop_back();
    for (Size& stride : out) stride = stride / 2;
    return out;
  }
  const TensorMeta* inner = inner_meta(there());
  return inner ? now(inner->strides) : as_sizes(impl_->strides);
}

Size Tensor::numel() const {
  return product(sizes());
}

namespace {

// The description of complex numbers in pairs that are described so.
TensorMeta complex_meta(TensorMeta pairs) {
  pairs.dtype = complex_of(pairs.dtype);
  pairs.sizes.pop_back();
  pairs.strides.pop_back();
  for (Size& stride : pairs.strides) stride = stride / 2;
  pairs.offset = pairs.offset / 2;
  return pairs;
}

}  // namespace

TensorMeta Tensor::meta() const {
  if (there().pairs) [[unlikely]]
    return complex_meta(impl_->pairs->meta());
  TensorMeta out = rule_meta();
  if (thread_state.top) out.offset = offset_of(*impl_);
  return out;
}

TensorMeta Tensor::rule_meta() const {
  if (there().pairs) [[unlikely]]
    return complex_meta(impl_->pairs->rule_meta());
  if (const TensorMeta* inner = inner_meta(there())) {
    TensorMeta out = *inner;
    out.sizes = now(inner->sizes);
    out.strides = now(inner->strides);
    out.offset = now(inner->offset);
    return out;
  }
  return {impl_->dtype, impl_->device, as_sizes(impl_->sizes), as_sizes(impl_->strides),
          impl_->offset};
}

bool Tensor::is_contiguous() const {
  const Sizes size = sizes(), stride = strides();
  for (const Size s : size) {
    if (known_equal(s, 0)) return true;
  }
  if (attribute::same(stride, contiguous_strides(size))) return true;
  Size expected = 1;
  for (size_t d = size.size(); d-- > 0;) {
    if (known_equal(size[d], 1)) continue;
    if (!known_equal(stride[d], expected)) return false;
    expected = expected * size[d];
  }
  return true;
}

// Runs delayed ops: those that a deferred tensor depends on, otherwise those on its memory.
void Tensor::make_ready(Need need, std::source_location where) const {
  if (there().pairs) [[unlikely]] {
    impl_->pairs->make_ready(need, where);
  } else if (impl_->call != 0) {
    materialize(*impl_, need, where);
  } else if (thread_state.top) {
    before_access(*impl_, need, where);
  }
}

const void* Tensor::address() const {
  if (impl_->pairs) [[unlikely]]
    return impl_->pairs->address();
  VITRO_CHECK(impl_->device.kind == Device::Kind::cpu, "data: the elements are on ", impl_->device,
              ", which the host cannot access; copy them with to(x, cpu)");
  return static_cast<std::byte*>(impl_->storage.data()) + impl_->offset * bytes_of(impl_->dtype);
}

void* Tensor::data(std::source_location where) const {
  if (there().pairs) [[unlikely]]
    return impl_->pairs->data(where);
  make_ready(Need::writable_pointer, where);
  impl_->storage.set_exposed(true);
  impl_->storage.bump_version();
  return const_cast<void*>(address());
}

const void* Tensor::const_data(std::source_location where) const {
  make_ready(Need::pointer, where);
  return address();
}

bool Tensor::is_sized_by_data() const {
  const Sizes all = is_deferred() ? sizes() : Sizes();
  return std::any_of(all.begin(), all.end(), is_by_data);
}

Scalar Tensor::item(std::source_location where) const {
  if (is_sized_by_data()) make_ready(Need::item, where);
  if (numel().hint() != 1) {
    Sizes now = sizes();
    for (Size& s : now) s = s.hint();
    const CalledAs name("item", where);
    throw_error(cat("item: needs a tensor of one element, got sizes ", now));
  }
  make_ready(Need::item, where);
  const void* address = this->address();
  if (is_complex()) {
    const auto number = [address]<class T>(T) -> Scalar {
      std::complex<T> v;
      std::memcpy(&v, address, sizeof v);
      return v;
    };
    return impl_->dtype == DType::c64 ? number(float{}) : number(double{});
  }
  return dispatch(impl_->dtype, [&]<class T>() -> Scalar {
    T v;
    std::memcpy(&v, address, sizeof v);
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
      return static_cast<float>(v);
    } else {
      return v;
    }
  });
}

void Tensor::copy_out(void* out, std::source_location where) const {
  if (impl_->pairs) [[unlikely]]
    return impl_->pairs->copy_out(out, where);
  auto* from = static_cast<std::byte*>(const_cast<void*>(const_data(where)));
  const auto bytes = static_cast<size_t>(bytes_of(impl_->dtype));
  if (is_contiguous()) {
    const auto n = static_cast<size_t>(count_of(impl_->sizes));
    if (n != 0) std::memcpy(out, from, n * bytes);
    return;
  }
  copy_elements<true>(from, static_cast<std::byte*>(out), impl_->sizes, impl_->strides, bytes);
}

void Tensor::refuse_dtype(const char* function, DType asked, std::source_location where) const {
  const CalledAs name(function, where);
  throw_error(cat(function, ": the tensor has dtype ", there().dtype, ", requested ", asked));
}

Tensor& Tensor::set_requires_grad(bool on) {
  VITRO_CHECK(!on || is_floating(there().dtype) || is_complex(),
              "requires_grad: only floating-point and complex tensors have gradients, got ",
              there().dtype);
  VITRO_CHECK(
      on || is_leaf(),
      "requires_grad: this tensor is the result of a call that is recorded; detach(x) is the "
      "same tensor as a constant");
  VITRO_CHECK(
      !on || !is_inference() || InferenceMode::is_enabled(),
      "requires_grad: this tensor was made in the scope of an InferenceMode; clone(x) outside "
      "of it is an ordinary tensor");
  if (is_complex()) {
    impl_->pairs->set_requires_grad(on);
    return *this;
  }
  impl_->requires_grad = on;
  if (on && !impl_->gradient) impl_->gradient = use_tape().new_record();
  return *this;
}

Tensor& Tensor::set_parameter(bool on, std::string_view name) {
  (void)there();
  if (is_complex()) impl_->pairs->set_parameter(on, name);
  impl_->is_parameter = on;
  impl_->parameter_name = intern_module_path(name);
  if (on) mark_memory(*this, events::MemoryCategory::parameter);
  return *this;
}

}  // namespace vitro
