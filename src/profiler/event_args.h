// What is said of an event beside its name and its times, once for every format: `args` is anything
// with the members of report::Json (the Chrome trace) or of them the ones used here (Perfetto). The
// object that the arguments stand in is open.  `index` counts the events of the profile from 0.
#pragma once

#include <string_view>

#include "vitro/profiler/peaks.h"
#include "vitro/profiler/profile.h"

namespace vitro {

inline constexpr std::string_view memory_event = "[memory]";

// The category of a slice in a trace, as PyTorch's profiler names them.  What is no op has one of
// its own, so that nobody who adds up ops counts it: a thread's share lies beside the kernel that
// it is of, and a stretch that ran op by op is no compiled region.
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
    case SliceKind::phase:
      return "cpu_op";
  }
  return "cpu_op";
}
inline constexpr std::string_view instant_category = "cpu_instant_event";

// `peaks`: of this machine, null where nobody measured.
void kernel_args(const Slice& slice, const Peaks* peaks, auto& args) {
  const auto ns = static_cast<double>(slice.duration());
  args.member("kernel_backend", "vitro");
  if (slice.detail != events::NameId{}) args.member("fused", events::text(slice.detail));
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
  args.member("place", incident.place).member("Ev Idx", index);
}

}  // namespace vitro
