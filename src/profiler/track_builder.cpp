// One function per kind of event: begins open a slice, ends close it, and other events add to the
// open slice.
#include "profiler/track_builder.h"

#include <algorithm>
#include <cstring>

#include "vitro/base/cat.h"
#include "vitro/events/session.h"

namespace vitro {

TrackBuilder::TrackBuilder(const events::ThreadRecording& thread, Shared& shared)
    : shared_(shared),
      track_{thread.tid, thread.name, {}, {}, {}, {}, {}, {}},
      work_name_(events::intern("parallel_for")) {}

void TrackBuilder::operator()(const events::OpBegin& e) {
  open(SliceKind::op, e.op, e.ts).sequence = e.sequence;
}

void TrackBuilder::operator()(const events::KernelBegin& e) {
  Slice& slice = open(SliceKind::kernel, e.kernel, e.ts);
  slice.detail = e.detail;
  slice.product = e.product;
  slice.bytes = e.bytes;
  slice.flops = e.flops;
}

void TrackBuilder::operator()(const events::RegionBegin& e) {
  const uint64_t key = uint64_t{e.function} << 32 | e.segment;
  const auto [found, fresh] = shared_.region_names.try_emplace(key);
  if (fresh)
    found->second = events::intern(cat("Torch-Compiled Region: ", e.function, "/", e.segment));
  open(SliceKind::region, found->second, e.ts).detail = e.label;
}

void TrackBuilder::operator()(const events::EagerBegin& e) {
  open(SliceKind::eager, e.region, e.ts).detail = e.reason;
  SliceExtra* const more = extra();
  more->code = e.code;
  more->function = e.label;
}

void TrackBuilder::operator()(const events::WorkEnd& e) {
  const bool begun = !open_.empty() && track_.slices[open_.back()].kind == SliceKind::work;
  if (begun) extra()->items = e.items;
  close(SliceKind::work, e.ts);
}

void TrackBuilder::operator()(const events::Inputs&, Bytes tail) {
  SliceExtra* const more = extra();
  if (!more) return;
  more->inputs = tail;
  shared_.extras = true;
}

void TrackBuilder::operator()(const events::Outputs&, Bytes tail) {
  SliceTensors* const more = tensors();
  if (!more) return;
  more->outputs = tail;
  shared_.extras = true;
}

void TrackBuilder::operator()(const events::Tensors& e, Bytes tail) {
  SliceTensors* const more = tensors();
  if (!more) return;
  (e.outputs ? more->output_places : more->input_places) = tail;
  shared_.extras = true;
}

void TrackBuilder::operator()(const events::Stack&, Bytes tail) {
  if (after_allocation_) {
    track_.memory.back().stack = stack_number(tail);
  } else if (SliceExtra* const more = extra()) {
    more->stack = stack_number(tail);
  }
}

void TrackBuilder::operator()(const events::Module& e) {
  if (SliceExtra* const more = extra()) more->module = e.path;
}

void TrackBuilder::operator()(const events::Flops& e) {
  if (!open_.empty()) track_.slices[open_.back()].flops = e.flops;
}

void TrackBuilder::operator()(const events::OwnItems& e) {
  if (SliceExtra* const more = extra()) more->items += e.items;
}

void TrackBuilder::operator()(const events::Allocated& e) {
  change_memory(e.ts, e.address, e.bytes, e.live_bytes).category = e.category;
  after_allocation_ = true;
}

void TrackBuilder::operator()(const events::Freed& e) {
  change_memory(e.ts, e.address, -e.bytes, e.live_bytes);
}

void TrackBuilder::operator()(const events::Categorised& e) {
  marks_.push_back({static_cast<int64_t>(e.ts), e.address, e.bytes, e.category});
}

void TrackBuilder::operator()(const events::Counter& e) {
  track_.counters.push_back({static_cast<int64_t>(e.ts), e.counter, e.value});
}

BuiltTrack TrackBuilder::finish(uint64_t end) {
  // A thread in the middle of an event at stop() may have ended it a little later.
  while (!open_.empty()) close_last(std::max(end, last_), false);
  return {std::move(track_), std::move(flows_), std::move(marks_)};
}

Slice& TrackBuilder::open(SliceKind kind, events::NameId name, uint64_t at) {
  after_allocation_ = false;
  last_ = at;
  open_.push_back(static_cast<uint32_t>(track_.slices.size()));
  track_.slices.push_back({.kind = kind, .name_id = name, .begin = static_cast<int64_t>(at)});
  return track_.slices.back();
}

void TrackBuilder::close_last(uint64_t at, bool finished) {
  Slice& slice = track_.slices[open_.back()];
  slice.end = static_cast<int64_t>(at);
  slice.finished = finished;
  open_.pop_back();
}

void TrackBuilder::close(SliceKind kind, uint64_t at) {
  after_allocation_ = false;
  last_ = at;
  const auto is_kind = [&](uint32_t slice) { return track_.slices[slice].kind == kind; };
  if (std::ranges::none_of(open_, is_kind)) return;  // begun before the recording
  std::vector<Slice> cut;  // eager stretches continue after a range that ends inside them
  while (!is_kind(open_.back())) {
    const Slice slice = track_.slices[open_.back()];
    if (slice.kind == SliceKind::eager) cut.push_back(slice);
    close_last(at, slice.kind == SliceKind::eager);
  }
  close_last(at, true);
  while (!cut.empty()) {
    open(SliceKind::eager, cut.back().name_id, at).detail = cut.back().detail;
    const SliceExtra& before = track_.extras[cut.back().extra];
    const events::NameId code = before.code;
    const uint32_t stack = before.stack;
    extra()->code = code;
    extra()->stack = stack;
    cut.pop_back();
  }
}

SliceExtra* TrackBuilder::extra() {
  if (open_.empty()) return nullptr;
  Slice& slice = track_.slices[open_.back()];
  if (slice.extra == Slice::none) {
    slice.extra = static_cast<uint32_t>(track_.extras.size());
    track_.extras.emplace_back();
  }
  return &track_.extras[slice.extra];
}

SliceTensors* TrackBuilder::tensors() {
  SliceExtra* const more = extra();
  if (!more) return nullptr;
  if (more->tensors == Slice::none) {
    more->tensors = static_cast<uint32_t>(track_.tensors.size());
    track_.tensors.emplace_back();
  }
  return &track_.tensors[more->tensors];
}

void TrackBuilder::flow(events::FlowKind kind, bool begins, uint32_t number) {
  if (!open_.empty()) flows_.push_back({kind, begins, number, open_.back()});
}

uint32_t TrackBuilder::stack_number(Bytes addresses) {
  const std::string_view key(reinterpret_cast<const char*>(addresses.data()), addresses.size());
  const auto number = static_cast<uint32_t>(shared_.stacks.size());
  const auto [found, fresh] = shared_.stack_numbers.try_emplace(key, number);
  if (fresh) {
    Stack& stack = shared_.stacks.emplace_back(addresses.size() / sizeof(uint64_t));
    std::memcpy(stack.data(), addresses.data(), stack.size() * sizeof(uint64_t));
  }
  return found->second;
}

MemoryChange& TrackBuilder::change_memory(uint64_t at, uint64_t address, int64_t bytes,
                                          int64_t live_bytes) {
  after_allocation_ = false;
  MemoryChange& change = track_.memory.emplace_back();
  change.at = static_cast<int64_t>(at);
  change.address = address;
  change.bytes = bytes;
  change.live_bytes = live_bytes;
  if (!open_.empty()) change.slice = open_.back();
  return change;
}

}  // namespace vitro
