#include "vitro/runtime/copy.h"

#include <memory>

#include "runtime/copy_bytes.h"
#include "runtime/device.h"
#include "vitro/core/interpreter.h"
#include "vitro/core/reach.h"

namespace vitro::runtime {

void copy_bytes(Device to, void* to_data, Device from, const void* from_data, size_t bytes) {
  DeviceRuntime &target = device_runtime(to), &source = device_runtime(from);
  if (to == from) {
    target.copy(to_data, from_data, bytes, nullptr);
    return target.synchronize(nullptr);
  }
  if (from == cpu) {
    target.copy_in(to_data, from_data, bytes, nullptr);
    return target.synchronize(nullptr);
  }
  if (to == cpu) {
    source.copy_out(to_data, from_data, bytes, nullptr);
    return source.synchronize(nullptr);
  }
  const auto between = std::make_unique_for_overwrite<std::byte[]>(bytes);
  copy_bytes(cpu, between.get(), from, from_data, bytes);
  copy_bytes(to, to_data, cpu, between.get(), bytes);
}

}  // namespace vitro::runtime

namespace vitro {

Tensor to(const Tensor& x, Device device, std::source_location where) {
  if (x.device() == device) return x;
  if (x.is_complex()) return Tensor::as_complex(to(x.pairs(), device, where));
  if (x.is_deferred()) {
    materialize(*x.impl(), Need::pointer, where);
  } else {
    before_access(*x.impl(), Need::pointer, where);
  }
  const TensorImpl& from = *x.impl();
  const Reach reach = reach_of(from);
  const auto bytes = static_cast<size_t>(reach.end - reach.begin);
  Storage storage = Storage::allocate(bytes, device);
  if (bytes > 0) {
    const void* begin = static_cast<const std::byte*>(from.storage.data()) + reach.begin;
    runtime::copy_bytes(device, storage.data(), from.device, begin, bytes);
  }
  const int64_t offset = bytes > 0 ? from.offset - reach.begin / bytes_of(from.dtype) : 0;
  return Tensor::over(std::move(storage), from.dtype, from.sizes, from.strides, offset);
}

}  // namespace vitro
