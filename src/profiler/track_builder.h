// Turns one thread's events into slices.  Times remain ticks.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiler/categories.h"
#include "vitro/profiler/profile.h"

namespace vitro {

// State shared by tracks while they are built.
struct Shared {
  std::vector<Stack> stacks;
  std::unordered_map<std::string_view, uint32_t> stack_numbers;  // by their recorded bytes
  std::unordered_map<uint64_t, events::NameId> region_names;     // by function and segment
  bool extras = false;  // whether anything points into the recorded bytes
};

// One end of an arrow whose other end is not known yet.
struct LooseEnd {
  events::FlowKind kind;
  bool begins = false;
  uint32_t number = 0;  // as numbered in events
  uint32_t slice = 0;
};

struct BuiltTrack {
  Track track;
  std::vector<LooseEnd> flows;
  std::vector<CategoryMark> marks;
};

class TrackBuilder {
 public:
  using Bytes = std::span<const std::byte>;

  TrackBuilder(const events::ThreadRecording& thread, Shared& shared);

  void operator()(const events::OpBegin& e);
  void operator()(const events::KernelBegin& e);
  void operator()(const events::RegionBegin& e);
  void operator()(const events::RangeBegin& e) { open(SliceKind::range, e.range, e.ts); }
  void operator()(const events::WorkBegin& e) { open(SliceKind::work, work_name_, e.ts); }
  void operator()(const events::EagerBegin& e);
  void operator()(const events::OpEnd& e) { close(SliceKind::op, e.ts); }
  void operator()(const events::KernelEnd& e) { close(SliceKind::kernel, e.ts); }
  void operator()(const events::RegionEnd& e) { close(SliceKind::region, e.ts); }
  void operator()(const events::RangeEnd& e) { close(SliceKind::range, e.ts); }
  void operator()(const events::WorkEnd& e);
  void operator()(const events::EagerEnd& e) { close(SliceKind::eager, e.ts); }

  void operator()(const events::Inputs& e, Bytes tail);
  void operator()(const events::Outputs& e, Bytes tail);
  void operator()(const events::Tensors& e, Bytes tail);
  void operator()(const events::Stack& e, Bytes tail);
  void operator()(const events::Module& e);
  void operator()(const events::Flops& e);
  void operator()(const events::OwnItems& e);
  void operator()(const events::FlowBegin& e) { flow(e.flow, true, e.number); }
  void operator()(const events::FlowEnd& e) { flow(e.flow, false, e.number); }

  void operator()(const events::Allocated& e);
  void operator()(const events::Freed& e);
  void operator()(const events::Categorised& e);
  void operator()(const events::Counter& e);

  // Ends open slices with the recording.
  BuiltTrack finish(uint64_t end);

 private:
  Slice& open(SliceKind kind, events::NameId name, uint64_t at);
  void close_last(uint64_t at, bool finished);
  void close(SliceKind kind, uint64_t at);
  SliceExtra* extra();      // of the innermost open slice; null if there is none
  SliceTensors* tensors();  // of the same slice
  void flow(events::FlowKind kind, bool begins, uint32_t number);
  uint32_t stack_number(Bytes addresses);
  MemoryChange& change_memory(uint64_t at, uint64_t address, int64_t bytes, int64_t live_bytes);

  Shared& shared_;
  Track track_;
  uint64_t last_ = 0;  // time of the last begin or end
  std::vector<uint32_t> open_;
  std::vector<LooseEnd> flows_;
  std::vector<CategoryMark> marks_;
  bool after_allocation_ = false;  // the last event was an allocation
  events::NameId work_name_;
};

}  // namespace vitro
