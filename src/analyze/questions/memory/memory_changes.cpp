// Reads the `[memory]` instants of a trace as numbers, with the op around each; the input of
// memory.cpp.
#include "analyze/questions/memory/memory_changes.h"

#include <algorithm>
#include <map>

#include "analyze/model/arguments.h"
#include "analyze/model/device_work.h"
#include "analyze/model/index.h"
#include "kineto/names.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

constexpr std::string_view out_of_memory = "[OutOfMemory]";

class MemoryChangeReader {
 public:
  explicit MemoryChangeReader(const TraceIndex& index)
      : index_(index), trace_(index.trace()), classes_(index->classes()) {}

  Result<MemoryChanges> take() {
    std::vector<EventId> events;
    for (const EventId e : trace_.events()) {
      if (classes_[e] != EventClass::instant) continue;
      const std::string_view name = trace_.name(e);
      if (name == kineto::memory_event || name == out_of_memory) events.push_back(e);
    }
    if (events.empty()) return MemoryChanges();
    auto done = trace_.read_events(events, [&](EventId e, std::string_view json) { add(e, json); });
    if (!done) return done.failure();
    for (const auto& [device, times] : out_of_memory_)
      out_.out_of_memory.emplace_back(device, times);
    std::ranges::stable_sort(out_.list, {}, &MemoryChange::at);
    find_ops();
    return std::move(out_);
  }

 private:
  void add(EventId e, std::string_view json) {
    if (!args_.read(json)) {
      ++out_.unread;
      return;
    }
    const int64_t type = args_.number(kineto::argument::device_type).value_or(0);
    const int64_t id = args_.number(kineto::argument::device_id).value_or(0);
    const auto device =
        static_cast<int32_t>(std::max<int64_t>(type, 0) * 256 + std::max<int64_t>(id, 0));
    if (trace_.name(e) == out_of_memory) {
      ++out_of_memory_[device];
      return;
    }
    const auto number = [&](std::string_view name) { return args_.number(name).value_or(none); };
    MemoryChange change{.at = trace_.ts()[e],
                        .bytes = number(kineto::argument::bytes),
                        .total = number(kineto::argument::total_allocated),
                        .address = number(kineto::argument::address),
                        .event = e};
    if (change.bytes == none) {
      ++out_.unread;
      return;
    }
    change.device = device;
    change.reserved =
        std::max<int64_t>(args_.number(kineto::argument::total_reserved).value_or(0), 0);
    if (const auto name = args_.text("Category")) change.category = category(*name);
    out_.list.push_back(change);
  }

  uint16_t category(const std::string& name) {
    const auto known = std::ranges::find(out_.categories, name);
    const auto number = static_cast<uint16_t>(known - out_.categories.begin());
    if (known == out_.categories.end()) out_.categories.push_back(name);
    return number;
  }

  // Finds, for each change, the outermost op open on its thread.
  void find_ops() {
    const TrackOrder& host = index_->host();
    std::vector<size_t> next(host.tracks());
    std::vector<std::vector<EventId>> open(host.tracks());
    for (MemoryChange& change : out_.list) {
      const uint32_t track = trace_.track_ids()[change.event];
      const auto events = host.track(track);
      std::vector<EventId>& around = open[track];
      for (size_t& n = next[track]; n < events.size() && trace_.ts()[events[n]] <= change.at; ++n) {
        if (classes_[events[n]] != EventClass::op) continue;
        const int64_t begin = trace_.ts()[events[n]];
        while (!around.empty() && end_of(trace_, around.back()) <= begin) around.pop_back();
        around.push_back(events[n]);
      }
      const auto outermost =
          std::ranges::find_if(around, [&](EventId op) { return end_of(trace_, op) > change.at; });
      if (outermost != around.end()) change.within = trace_.name_ids()[*outermost];
    }
  }

  const TraceIndex& index_;
  const Trace& trace_;
  const Classes& classes_;
  Arguments args_;
  std::map<int32_t, uint64_t> out_of_memory_;
  MemoryChanges out_;
};

}  // namespace

Result<MemoryChanges> memory_changes(const TraceIndex& index) {
  return MemoryChangeReader(index).take();
}

std::string memory_device(int32_t device) {
  const int32_t type = device / 256, id = device % 256;
  if (type == 0) return "CPU";
  if (type == 1 || type == 6) return cat("GPU ", id);  // CUDA, HIP
  if (type == 20) return cat("device ", id);           // PrivateUse1
  return cat("device ", id, " of type ", type);
}

}  // namespace vitro::analyze
