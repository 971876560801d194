#include "eager/stream.h"

#include "runtime/cpu/machine.h"
#include "vitro/core/reach.h"

namespace vitro::eager {
namespace {

int64_t bytes_in(const Tensor& t) {
  return count_of(t.impl()->sizes) * bytes_of(t.dtype());
}

}  // namespace

bool should_stream(const Tensor& to, std::span<const Tensor> from, int64_t run) {
  const int64_t written = bytes_in(to);
  if (written < runtime::least_streamed_bytes || run * bytes_of(to.dtype()) < stream_bytes)
    return false;
  int64_t moved = written;
  for (const Tensor& t : from) {
    if (!t.defined()) continue;
    if (t.storage().id() == to.storage().id()) return false;
    moved += bytes_in(t);
  }
  return runtime::should_stream(written, moved);
}

}  // namespace vitro::eager
