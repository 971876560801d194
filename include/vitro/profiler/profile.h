// A recording in readable form: nested slices for each thread.
//   for (const Track& track : profile.tracks)
//     for (const Slice& slice : track.slices) use(slice.name(), slice.end - slice.begin);
// Rarely present data is kept separately: track.extra(slice).  Inputs of an op are decoded on
// demand:
//   for (events::ValueReader inputs(track.extra(slice).inputs); auto* value = inputs.next();) …
#pragma once

#include <array>
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
  work,  // a thread's share of work launched by another
  eager  // a region that ran op by op
};
std::string_view name_of(SliceKind kind);

// All times are nanoseconds since the Unix epoch.
struct Slice {
  static constexpr uint32_t none = UINT32_MAX;

  SliceKind kind;
  bool finished = true;    // false: still open when recording stopped
  uint32_t parent = none;  // index in the track of the enclosing slice
  uint32_t extra = none;   // index in the track's extras
  events::NameId name_id = {};
  events::NameId detail = {};  // kernels: what is fused in them; phases and regions: what is
  // compiled; eager: the reason
  events::NameId product = {};  // kernels: kind and sizes of the product (events::KernelBegin)
  int64_t begin = 0, end = 0;
  uint64_t bytes = 0, flops = 0;  // for kernels; flops of ops with with_flops
  int64_t sequence = -1;          // for ops: the autograd node they create, -1 for none

  std::string_view name() const { return events::text(name_id); }
  int64_t duration() const { return end - begin; }
};
static_assert(sizeof(Slice) <= 64, "a trace has millions of them");

// Data that only some slices have.
struct SliceExtra {
  std::span<const std::byte> inputs;  // of ops, regions and ranges: for events::ValueReader
  uint32_t stack = Slice::none;       // index in Profile::stacks
  uint32_t module = 0;                // base/module_path.h
  uint64_t items = 0;                 // part of the launched work done by this thread
  events::NameId code = {};           // eager: the code of the reason (base/code.h)
  events::NameId function = {};       // eager: the compiled function, as the detail of regions
  uint32_t tensors = Slice::none;     // index in Track::tensors
};

// The outputs of ops and regions, as values, and their input and output tensors: for each the
// number of its storage and its offset.
struct SliceTensors {
  std::span<const std::byte> outputs;
  std::span<const std::byte> input_places, output_places;  // two numbers of eight bytes each
};

// Return addresses, the innermost first; profiler/stacks.h resolves them.
using Stack = std::vector<uint64_t>;

struct MemoryChange {
  int64_t at = 0;
  uint64_t address = 0;
  int64_t bytes = 0;  // negative: freed
  int64_t live_bytes = 0;
  uint32_t slice = Slice::none;  // the enclosing slice
  uint32_t stack = Slice::none;  // for allocations: index in Profile::stacks
  events::MemoryCategory category = events::MemoryCategory::other;
};
std::string_view name_of(events::MemoryCategory category);

// A graph break, guard failure, recompile or fallback.
struct Incident {
  int64_t at = 0;
  std::string kind, code, reason, location;
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
  std::vector<Slice> slices = {};  // by begin; after their enclosing slices
  std::vector<SliceExtra> extras = {};
  std::vector<SliceTensors> tensors = {};
  std::vector<MemoryChange> memory = {};
  std::vector<Incident> incidents = {};
  std::vector<CounterValue> counters = {};

  const SliceExtra& extra(const Slice& slice) const;
};

// An arrow between two existing slices.
struct Flow {
  struct End {
    uint32_t track = 0, slice = 0;  // indices in Profile::tracks and Track::slices
  };
  events::FlowKind kind;
  uint64_t id = 0;  // from 1
  End from, to;
};
std::string_view name_of(events::FlowKind kind);

// By events::MemoryCategory.
using BytesByPurpose = std::array<int64_t, events::memory_categories>;

struct Profile {
  events::SessionOptions options = {};  // used for the recording
  int64_t begin = 0, end = 0;
  uint64_t dropped = 0;  // events beyond the limit
  std::vector<Track> tracks = {};
  std::vector<Flow> flows = {};
  std::vector<Stack> stacks = {};  // each once
  // What was allocated before the recording, as far as it became known in it: parameters, gradients
  // and the state of optimizers, at a step.
  BytesByPurpose memory_before = {};
  // The memory that extras point into.
  std::vector<std::shared_ptr<const std::vector<events::ThreadRecording>>> recorded = {};
};

// Ends of events begun before the recording are left out; events still open at its end end with it,
// unfinished.
Profile make_profile(events::Recording recording);

}  // namespace vitro
