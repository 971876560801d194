#include "backend/lower/streams.h"

#include <algorithm>
#include <optional>
#include <variant>

namespace vitro::backend {
namespace {

using sym::Expr;

bool may_be_large(const MachineModel& machine, const BufferInfo& info) {
  if (info.kind == BufferKind::input || info.kind == BufferKind::packed) return false;
  const auto bytes = (info.count * bytes_of(info.dtype)).constant();
  return !bytes || *bytes >= machine.least_streamed_bytes;
}

// The number of contiguous elements that a loop writes; for chunks of which the last may be
// shorter, the length of the others.
std::optional<int64_t> run_of(const loop::Loop& l) {
  if (const auto all = (l.end - l.begin).constant()) return all;
  if (sym::kind_of(l.end) != sym::Kind::min) return std::nullopt;
  for (const Expr end : sym::operands_of(l.end)) {
    if (const auto chunk = (end - l.begin).constant()) return chunk;
  }
  return std::nullopt;
}

// The rest of a run after its last vector is stored normally. A line that is written both ways is
// written to memory twice and read in between: that costs more than streaming the rest of a short
// run saves.
bool can_stream(std::optional<int64_t> run, DType dtype) {
  constexpr int64_t line = 64, long_run = 2048, very_long_run = 1 << 16;
  if (!run) return false;
  const int64_t bytes = *run * bytes_of(dtype);
  if (bytes % line == 0 || bytes >= very_long_run) return true;
  return bytes % (line / 2) == 0 && bytes >= long_run;
}

// Finds buffers that vector loops write in runs that are better stored normally.
void find_stored(const loop::Kernel& kernel, const loop::Block& block,
                 const loop::Loop* vector_loop, std::vector<bool>& stored) {
  for (const loop::Statement& statement : block) {
    if (const auto* inner = std::get_if<loop::Loop>(&statement.what)) {
      find_stored(kernel, inner->body, inner->vector ? inner : vector_loop, stored);
    } else if (const auto* store = std::get_if<loop::Store>(&statement.what)) {
      const auto buffer = static_cast<size_t>(store->buffer);
      if (!vector_loop || buffer >= stored.size()) continue;  // a single element, or a scratch row
      if (!can_stream(run_of(*vector_loop), kernel.buffers[buffer].dtype)) stored[buffer] = true;
    }
  }
}

}  // namespace

void choose_streams(const MachineModel& machine, std::vector<LoweredKernel>& kernels,
                    const BufferAssignment& assignment) {
  for (LoweredKernel& lowered : kernels) {
    std::vector<bool> large;
    for (const BufferId id : lowered.buffers) {
      const bool fits = large.size() < loop::Kernel::most_streams;
      large.push_back(fits && may_be_large(machine, assignment.buffers()[id.n]));
    }
    if (std::ranges::find(large, true) == large.end()) continue;
    const std::vector<bool> read = loop::buffers_read(lowered.kernel);
    std::vector<bool> stored(large.size());
    find_stored(lowered.kernel, lowered.kernel.body, nullptr, stored);
    for (size_t b = 0; b < large.size(); ++b) {
      loop::Buffer& buffer = lowered.kernel.buffers[b];
      buffer.streams = large[b] && buffer.written && !read[b] && !stored[b];
    }
  }
}

}  // namespace vitro::backend
