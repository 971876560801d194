// The arguments of events, defined once for all formats: `args` is anything with the members of
// report::Json used here (Chrome traces and Perfetto).  The object for the arguments is open.
// `index` counts the events of the profile from 0.
#pragma once

#include <string_view>

#include "vitro/profiler/peaks.h"
#include "vitro/profiler/profile.h"

namespace vitro {

inline constexpr std::string_view memory_event = "[memory]";

// The category of a slice in a trace, with the names of PyTorch's profiler.  Slices other than ops
// have their own, so that sums over ops do not include them: a thread's share runs concurrently
// with its kernel, and a stretch that ran op by op is not a compiled region.
inline std::string_view category(SliceKind kind) {
  switch (kind) {
    case SliceKind::range:
      return "user_annotation";
    case SliceKind::work:
      return "cpu_work";
    case SliceKind::eager:
      return "eager_region";
    case SliceKind::op:
    case SliceKind::kernel:
    case SliceKind::region:
      return "cpu_op";
    case SliceKind::phase:
      return "compile_phase";
  }
  return "cpu_op";
}
inline constexpr std::string_view instant_category = "cpu_instant_event";

// `peaks`: of this machine, null if not measured.
void kernel_args(const Slice& slice, const Peaks* peaks, auto& args) {
  const auto ns = static_cast<double>(slice.duration());
  args.member("kernel_backend", "vitro");
  if (slice.detail != events::NameId{}) args.member("fused", events::text(slice.detail));
  if (slice.product != events::NameId{}) args.member("product", events::text(slice.product));
  args.key("kernel_flop")
      .exact(slice.flops)
      .member("kernel_num_gb", static_cast<double>(slice.bytes) / 1e9);
  args.member("bytes", slice.bytes);
  if (ns == 0) return;
  args.member("GB/s", static_cast<double>(slice.bytes) / ns);
  args.member("GFLOP/s", static_cast<double>(slice.flops) / ns);
  if (peaks) args.member("% of peak", 100 * peaks->share(slice.bytes, slice.flops, ns));
}

void slice_args(const Slice& slice, const Peaks* peaks, uint64_t index, auto& args) {
  args.member("External id", index + 1);
  if (slice.sequence >= 0)
    args.member("Sequence number", slice.sequence).member("Fwd thread id", 0);
  args.member("Record function id", 0);
  if (slice.kind == SliceKind::kernel) kernel_args(slice, peaks, args);
  if (slice.kind == SliceKind::phase) args.member("Compile phase of", events::text(slice.detail));
  if (!slice.finished) args.member("finished", "false");
  args.member("Ev Idx", index);
}

void memory_args(const MemoryChange& change, uint64_t index, auto& args) {
  args.member("Total Reserved", 0).member("Total Allocated", change.live_bytes);
  args.member("Bytes", change.bytes).member("Device Id", -1).member("Device Type", 0);
  args.key("Addr").exact(change.address).member("Ev Idx", index);
}

void incident_args(const Incident& incident, uint64_t index, auto& args) {
  args.member("code", incident.code).member("reason", incident.reason);
  args.member("place", incident.location).member("Ev Idx", index);
}

}  // namespace vitro
