// A recording made readable: per thread, slices that nest.
//   for (const Track& track : profile.tracks)
//     for (const Slice& slice : track.slices) use(slice.name(), slice.end - slice.begin);
// What few slices have stands apart: track.extra(slice).  What an op was given is read where it is
// wanted:
//   for (events::ValueReader inputs(track.extra(slice).inputs); auto* value = inputs.next();) …
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/events/session_options.h"
#include "vitro/events/values.h"

namespace vitro {

namespace events {
struct Recording;
struct ThreadRecording;
}  // namespace events

enum class SliceKind : uint8_t {
  op,
  kernel,
  region,
  range,
  phase,
  work,  // a thread's share of what another one launched
  eager  // a region that ran op by op
};
std::string_view name_of(SliceKind kind);

// All times are nanoseconds since the Unix epoch.
struct Slice {
  static constexpr uint32_t none = UINT32_MAX;

  SliceKind kind;
  bool finished = true;    // false: it was still open when recording stopped
  uint32_t parent = none;  // index in the track of the slice that it lies in
  uint32_t extra = none;   // index in the track's extras
  events::NameId name_id = {};
  events::NameId detail = {};  // kernels: what is fused in them; phases and regions: what is
                               // compiled; eager: the reason
  int64_t begin = 0, end = 0;
  uint64_t bytes = 0, flops = 0;  // of kernels; flops of ops with with_flops
  int64_t sequence = -1;          // of ops: the autograd node they make, -1 for none

  std::string_view name() const { return events::text(name_id); }
  int64_t duration() const { return end - begin; }
};
static_assert(sizeof(Slice) <= 64, "a trace has millions of them");

// What not every slice has.
struct SliceExtra {
  std::span<const std::byte> inputs;  // of ops, regions and ranges: for events::ValueReader
  uint32_t stack = Slice::none;       // index in Profile::stacks
  uint32_t module = 0;                // core/module_path.h
  uint64_t items = 0;                 // done by this thread of what was launched
  events::NameId code = {};           // eager: the code of the reason (base/code.h)
  events::NameId function = {};       // eager: the compiled function, as the detail of regions
  uint32_t tensors = Slice::none;     // index in Track::tensors
};

// What ops and regions gave, as values, and which tensors they took and gave: for each the number
// of its storage and its offset.
struct SliceTensors {
  std::span<const std::byte> outputs;
  std::span<const std::byte> input_places, output_places;  // two numbers of eight bytes each
};

// Return addresses, the innermost first: profiler/stacks.h says what they are called.
using Stack = std::vector<uint64_t>;

struct MemoryChange {
  int64_t at = 0;
  uint64_t address = 0;
  int64_t bytes = 0;  // negative: freed
  int64_t live_bytes = 0;
  uint32_t slice = Slice::none;  // in which it happened
  uint32_t stack = Slice::none;  // of allocations: index in Profile::stacks
  events::MemoryCategory category = events::MemoryCategory::other;
};
std::string_view name_of(events::MemoryCategory category);

// A graph break, guard failure, recompile or fallback.
struct Incident {
  int64_t at = 0;
  std::string kind, code, reason, place;
};

struct CounterValue {
  int64_t at = 0;
  events::NameId name_id;
  double value = 0;
};

// One thread.
struct Track {
  int64_t tid = 0;
  std::string name;
  std::vector<Slice> slices = {};  // by begin; a slice comes after the one it lies in
  std::vector<SliceExtra> extras = {};
  std::vector<SliceTensors> tensors = {};
  std::vector<MemoryChange> memory = {};
  std::vector<Incident> incidents = {};
  std::vector<CounterValue> counters = {};

  const SliceExtra& extra(const Slice& slice) const;
};

// An arrow between two slices; both are there.
struct Flow {
  struct End {
    uint32_t track = 0, slice = 0;  // indices in Profile::tracks and Track::slices
  };
  events::FlowKind kind;
  uint64_t id = 0;  // counts from 1
  End from, to;
};
std::string_view name_of(events::FlowKind kind);

struct Profile {
  events::SessionOptions options = {};  // with which it was recorded
  int64_t begin = 0, end = 0;
  uint64_t dropped = 0;  // events that did not fit into the limit
  std::vector<Track> tracks = {};
  std::vector<Flow> flows = {};
  std::vector<Stack> stacks = {};  // each once
  // What extras point into.
  std::vector<std::shared_ptr<const std::vector<events::ThreadRecording>>> recorded = {};
};

// Ends whose begin was before the recording are left out; begins whose end came after it end with
// it, unfinished.
Profile make_profile(events::Recording recording);

}  // namespace vitro
