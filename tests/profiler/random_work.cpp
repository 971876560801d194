// Does random nested work of every kind that a profiler records, and counts it; random_test.cpp
// compares the counts with profiles.
#include "profiler/random_work.h"

#include <gtest/gtest.h>

#include <atomic>
#include <utility>

#include "vitro/base/cat.h"
#include "vitro/base/module_path.h"
#include "vitro/events/memory.h"
#include "vitro/events/session.h"
#include "vitro/ops/all.h"
#include "vitro/profiler/profiler.h"
#include "vitro/runtime/parallel.h"

namespace vitro {

using events::Detail;

void Exchange::give(Tensor tensor) {
  const std::lock_guard hold(lock_);
  tensors_.push_back(std::move(tensor));
}

void Exchange::drop_one() {
  Tensor dropped;
  const std::lock_guard hold(lock_);
  if (tensors_.empty()) return;
  dropped = std::move(tensors_.back());
  tensors_.pop_back();
}

Counts Work::run() {
  done_.clear();
  for (int i = 0; i < 25; ++i) something(5);
  return std::exchange(done_, {});
}

void Work::inside(int depth) {
  for (uint32_t i = below(3); i > 0 && depth > 0; --i) something(depth - 1);
}

void Work::something(int depth) {
  switch (below(8)) {
    case 0:
      return incident();
    case 1:
      ++done_["counter"];
      return record_counter("queue", below(9) * 0.5);
    case 2:
    case 3:
      return memory();
    default:
      return slice(depth);
  }
}

void Work::slice(int depth) {
  switch (below(7)) {
    case 0: {
      ++done_["range"];
      const RecordFunction range(
          "range", {{"depth", depth}, {"text", "a \"b\"\n"}, {"big", INT64_MAX}, {"half", 0.5}});
      return inside(depth);
    }
    case 1:
      return op();
    case 2: {
      ++done_["eager"];
      const events::EagerScope eager{{events::intern("Torch-Compiled Region: 7/1"),
                                      events::intern("V0205"), events::intern("on request")}};
      return inside(depth);
    }
    case 3: {
      ++done_["region"];
      const events::RegionScope region{{7, 0, events::intern("f")}};
      return inside(depth);
    }
    case 4: {
      ++done_["phase"];
      const events::PhaseScope phase("fuse", "f");
      return inside(depth);
    }
    case 5: {
      static const ModuleName names[] = {ModuleName("encoder"), ModuleName("layer")};
      const ModuleScope module(names[below(2)]);
      return inside(depth);
    }
    default:
      return user_launch();
  }
}

void Work::incident() {
  switch (below(4)) {
    case 0:
      ++done_["break"];
      return events::keep(events::Break{"V0201", "item() needs a \"value\"", "model.cpp:3"});
    case 1:
      ++done_["guard_failure"];
      return events::keep(events::GuardFailure{"V0302", "sizes", "model.cpp:4"});
    case 2:
      ++done_["recompile"];
      return events::keep(events::Recompile{"V0301", "sizes", "model.cpp:4"});
    default:
      ++done_["fallback"];
      events::keep(events::Fallback{"V0601", "no compiler", ""});
  }
}

void Work::memory() {
  if (!kept_.empty() && below(2) == 0) {
    if (below(2) == 0) exchange_.give(kept_.back());
    kept_.pop_back();
    return;
  }
  if (below(4) == 0) return exchange_.drop_one();
  const events::CategoryScope scope(static_cast<events::MemoryCategory>(below(7)));
  kept_.push_back(Tensor::empty({1 + below(100)}, DType::f32));
  ++done_["allocation"];
  if (below(3) == 0) kept_.back().set_parameter(true);
}

void Work::op() {
  ++done_["op"];
  done_["allocation"] += 2;
  if (current_module != 0) ++done_[cat("in ", module_path(current_module))];
  exp(Tensor::empty({2, 3}, DType::f32));
}

void Work::user_launch() {
  ++done_["kernel"];
  const int64_t items = 1 + below(5000);
  std::atomic<int64_t> seen{0};
  launch("mine", items, {.bytes = 8, .flops = 1 + below(4) * 200.0},
         [&](int64_t begin, int64_t end) { seen += end - begin; });
  EXPECT_EQ(seen, items);
}

Counts counts_of(const Profile& profile) {
  Counts found;
  for (const Track& track : profile.tracks) {
    for (const Slice& slice : track.slices) {
      if (slice.name().starts_with("ProfilerStep#")) continue;
      const SliceExtra& extra = track.extra(slice);
      if (slice.kind != SliceKind::work) ++found[std::string(name_of(slice.kind))];
      if (extra.module != 0) ++found[cat("in ", module_path(extra.module))];
    }
    for (const Incident& incident : track.incidents) ++found[incident.kind];
    for (const MemoryChange& change : track.memory) found["allocation"] += change.bytes > 0;
    found["counter"] += static_cast<int64_t>(track.counters.size());
  }
  std::erase_if(found, [](const auto& entry) { return entry.second == 0; });
  return found;
}

namespace {

int64_t values_in(std::span<const std::byte> bytes) {
  int64_t count = 0;
  for (events::ValueReader values(bytes); values.next();) ++count;
  return count;
}

void expect_details_of(const Track& track, const Slice& slice, events::Details details) {
  const SliceExtra& extra = track.extra(slice);
  const bool op = slice.kind == SliceKind::op, tensors = details.have(Detail::tensors);
  const bool has_place = op || slice.kind == SliceKind::range || slice.kind == SliceKind::kernel;
  EXPECT_EQ(extra.stack != Slice::none, has_place && details.have(Detail::stacks));
  const int64_t arguments = slice.kind == SliceKind::range       ? 4
                            : op && details.have(Detail::shapes) ? 1
                                                                 : 0;
  EXPECT_EQ(values_in(extra.inputs), arguments);
  EXPECT_EQ(extra.tensors != Slice::none, op && tensors);
  if (op) {
    EXPECT_EQ(slice.flops, details.have(Detail::flops) ? 6u : 0u);
  }
  if (op && tensors) {
    EXPECT_EQ(values_in(track.tensors.at(extra.tensors).outputs), 1);
    EXPECT_EQ(track.tensors[extra.tensors].input_places.size(), 2 * sizeof(int64_t));
  }
}

}  // namespace

void expect_details(const Profile& profile) {
  const events::Details details = profile.options.details;
  for (const Track& track : profile.tracks) {
    for (const Slice& slice : track.slices) {
      if (!slice.name().starts_with("ProfilerStep#")) expect_details_of(track, slice, details);
    }
    for (const MemoryChange& change : track.memory)
      EXPECT_EQ(change.stack != Slice::none, change.bytes > 0 && details.have(Detail::stacks));
  }
}

}  // namespace vitro
