#include "backend/lower/streams.h"

#include <algorithm>

namespace vitro::backend {
namespace {

bool may_be_large(const MachineModel& machine, const BufferInfo& info) {
  if (info.kind == BufferKind::input || info.kind == BufferKind::packed) return false;
  const auto bytes = (info.count * bytes_of(info.dtype)).constant();
  return !bytes || *bytes >= machine.least_streamed_bytes;
}

}  // namespace

void choose_streams(const MachineModel& machine, std::vector<LoweredKernel>& kernels,
                    const Places& places) {
  for (LoweredKernel& lowered : kernels) {
    std::vector<bool> large;
    for (const BufferId id : lowered.buffers) {
      const bool fits = large.size() < loop::Kernel::most_streams;
      large.push_back(fits && may_be_large(machine, places.buffers()[id.n]));
    }
    if (std::ranges::find(large, true) == large.end()) continue;
    const std::vector<bool> read = loop::buffers_read(lowered.kernel);
    for (size_t b = 0; b < large.size(); ++b) {
      loop::Buffer& buffer = lowered.kernel.buffers[b];
      buffer.streams = large[b] && buffer.written && !read[b];
    }
  }
}

}  // namespace vitro::backend
