// The arguments of events, defined once for all formats: `args` is anything with the members of
// report::Json used here (Chrome traces and Perfetto).  The object for the arguments is open.
// `index` counts the events of the profile from 0.
#pragma once

#include <string_view>

#include "kineto/names.h"
#include "vitro/profiler/peaks.h"
#include "vitro/profiler/profile.h"

namespace vitro {

// The category of a slice in a trace, with the names of PyTorch's profiler.  Slices other than ops
// have their own, so that sums over ops do not include them: a thread's share runs concurrently
// with its kernel, and a stretch that ran op by op is not a compiled region.
inline std::string_view category(SliceKind kind) {
  switch (kind) {
    case SliceKind::range:
      return kineto::category::annotation;
    case SliceKind::work:
      return kineto::category::share;
    case SliceKind::eager:
      return kineto::category::eager_region;
    case SliceKind::op:
    case SliceKind::kernel:
    case SliceKind::region:
      return kineto::category::op;
    case SliceKind::phase:
      return kineto::category::compile_phase;
  }
  return kineto::category::op;
}

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
  args.member(kineto::argument::external_id, index + 1);
  if (slice.sequence >= 0)
    args.member("Sequence number", slice.sequence).member("Fwd thread id", 0);
  args.member("Record function id", 0);
  if (slice.kind == SliceKind::kernel) kernel_args(slice, peaks, args);
  if (slice.kind == SliceKind::phase)
    args.member(kineto::argument::compile_phase_of, events::text(slice.detail));
  if (!slice.finished) args.member("finished", "false");
  args.member("Ev Idx", index);
}

void memory_args(const MemoryChange& change, uint64_t index, auto& args) {
  namespace name = kineto::argument;
  args.member(name::total_reserved, 0).member(name::total_allocated, change.live_bytes);
  args.member(name::bytes, change.bytes).member(name::device_id, -1).member(name::device_type, 0);
  args.key(name::address).exact(change.address).member("Ev Idx", index);
}

void incident_args(const Incident& incident, uint64_t index, auto& args) {
  args.member("code", incident.code).member("reason", incident.reason);
  args.member("place", incident.location).member("Ev Idx", index);
}

}  // namespace vitro
