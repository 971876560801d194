// Finds potential savings of memory: fragmentation, peaks, growth, activations, and the time spent
// allocating.
#include "analyze/questions/memory/memory_findings.h"

#include <algorithm>

#include "analyze/model/device_work.h"
#include "analyze/model/index.h"
#include "analyze/model/launch_list.h"
#include "analyze/model/links.h"
#include "analyze/model/self_spans.h"
#include "analyze/model/timeline.h"
#include "analyze/model/words.h"
#include "vitro/base/cat.h"
#include "vitro/base/counted.h"
#include "vitro/report/units.h"

namespace vitro::analyze {
namespace {

std::string bytes_text(int64_t bytes) {
  return report::bytes_text(static_cast<double>(bytes));
}

// Ops that only allocate.
bool allocates(std::string_view name) {
  for (const std::string_view prefix : {"aten::empty", "aten::new_empty", "aten::resize_"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

struct Allocating {
  int64_t time = 0;
  // The time of each call, negated so that the longest come first, and the part of it during which
  // a launch of the thread was late.
  struct AllocatorCall {
    int64_t time;
    EventId event;
    int64_t late;
    auto operator<=>(const AllocatorCall&) const = default;
  };
  std::vector<AllocatorCall> calls;
  Pieces when;

  // The time of calls beyond the median of all, limited to when a launch was late.
  int64_t could_be_won() const {
    std::vector<TimeToWin> times;
    for (const AllocatorCall& call : calls) times.push_back({-call.time, call.late});
    return beyond_median(times);
  }
};

// For the thread that allocates longest.
Allocating longest_allocating(const TraceIndex& index) {
  const Trace& trace = index.trace();
  std::vector<bool> wanted;
  for (const std::string& name : trace.names()) wanted.push_back(allocates(name));
  const Window window = index->window();
  const TrackOrder& order = index->host();
  const std::vector<Device>& devices = index->devices();
  const std::vector<Intervals> late =
      devices.empty() ? std::vector<Intervals>() : late_launches(index);
  Allocating longest;
  for (uint32_t t = 0; t < order.tracks(); ++t) {
    Allocating here;
    each_self(trace, order.track(t), [&](std::span<const EventId> open, int64_t from, int64_t to) {
      from = std::max(from, window.begin);
      to = std::min(to, window.end);
      if (to <= from || !wanted[trace.name_ids()[open.back()]]) return;
      here.time += to - from;
      here.calls.push_back(
          {from - to, open.back(), late.empty() ? to - from : late[t].length_in(from, to)});
      here.when.add(from, to);
    });
    if (here.time > longest.time) longest = std::move(here);
  }
  std::ranges::sort(longest.calls);
  return longest;
}

void conclude_allocating(const TraceIndex& index, Findings& findings) {
  const Trace& trace = index.trace();
  Allocating all = longest_allocating(index);
  std::vector<EventId> events;
  std::vector<bool> seen(trace.size());
  for (const Allocating::AllocatorCall& call : all.calls) {
    if (!seen[call.event]) events.push_back(call.event);
    seen[call.event] = true;
  }
  if (events.empty()) return;
  const int64_t low = all.could_be_won();
  int64_t most = 0;
  for (const Allocating::AllocatorCall& call : all.calls) most += call.late;
  const std::string calls = counted(events.size(), "call");
  findings.add(
      {"memory.allocating",
       cat("allocating takes ", time_text(all.time), " of ", time_text(index->window().length()),
           " in ", calls, " of one thread, the longest ", time_text(-all.calls.front().time)),
       "write into persistent buffers (out=, in place), or compile the region: its memory "
       "is planned once"},
      low, most, std::move(events), std::move(all.when));
}

// At least a tenth of the peak: allocators round up and keep a little.
bool is_much(int64_t bytes, const Memory::Device& device) {
  return 10 * bytes >= device.peak;
}

void conclude_reserved(const Memory::Device& device, Findings& findings) {
  const int64_t unused = device.reserved - device.peak;
  if (!is_much(unused, device)) return;
  findings.add_bytes(
      {cat("memory.reserved.", device.name),
       cat("the allocator of ", device.name, " holds up to ", bytes_text(device.reserved),
           ", of which at most ", bytes_text(device.peak), " were in use at once; ",
           percent_text(unused, device.reserved), " lie unused in between"),
       "use expandable segments (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True), allocate the "
       "largest sizes first, use fewer distinct sizes"},
      unused, unused, device.reserved, {device.reserved_event, device.peak_event});
}

// What is live at the peak, the largest first.
std::vector<EventId> at_peak(const Memory::Device& device) {
  std::vector<EventId> out{device.peak_event};
  for (const Memory::Group& group : device.at_peak) out.push_back(group.largest);
  return out;
}

void conclude_spike(const Memory::Device& device, Findings& findings) {
  const int64_t above = device.peak - device.usual;
  if (!is_much(above, device)) return;
  const std::string most =
      device.at_peak.empty() || device.at_peak.front().within.empty()
          ? ""
          : cat("; most of what is live then was allocated in ", device.at_peak.front().within);
  findings.add_bytes(
      {cat("memory.spike.", device.name),
       cat(device.name, " holds ", bytes_text(device.peak), " at its peak but at most ",
           bytes_text(device.usual), " for 95 % of the time", most),
       "lower the peak: smaller pieces (batches, chunks of a loss or an optimizer), free "
       "before the next allocation, write in place"},
      0, above, device.peak, at_peak(device));
}

// Needs three steps or more, each of which ends with more memory than the one before.  The first
// may fill persistent buffers.
void conclude_growth(const Memory::Device& device, Findings& findings) {
  const std::vector<int64_t>& behind = device.after_steps;
  if (behind.size() < 3) return;
  int64_t least = INT64_MAX;
  for (size_t s = 1; s < behind.size(); ++s) least = std::min(least, behind[s] - behind[s - 1]);
  if (least <= 0) return;
  const int64_t grown = behind.back() - behind.front();
  std::vector<EventId> events;
  for (const Memory::Group& group : device.never_freed) events.push_back(group.largest);
  const std::string where =
      device.never_freed.empty() || device.never_freed.front().within.empty()
          ? ""
          : cat("; most of what is not freed was allocated in ", device.never_freed.front().within);
  findings.add_bytes(
      {cat("memory.growth.", device.name),
       cat("every step leaves memory behind on ", device.name, ": ", bytes_text(least),
           " at least, ", bytes_text(grown), " in ", counted(behind.size() - 1, "step"), where),
       "find what keeps tensors alive across steps: losses summed without .item() or "
       "detach(), lists of outputs, retained graphs"},
      least * static_cast<int64_t>(behind.size() - 1), grown, device.peak, std::move(events));
}

void conclude_activations(const Memory::Device& device, Findings& findings) {
  int64_t bytes = 0;
  std::vector<EventId> events;
  for (const Memory::Group& group : device.at_peak) {
    if (group.category != "activation") continue;
    bytes += group.bytes;
    events.push_back(group.largest);
  }
  if (!is_much(bytes, device)) return;
  findings.add_bytes(
      {cat("memory.activations.", device.name),
       cat("at the peak of ", device.name, " ", bytes_text(bytes), " of ", bytes_text(device.peak),
           " are activations held for the backward pass"),
       "recompute some of them (checkpointing), or use smaller batches and accumulate "
       "gradients"},
      0, bytes, device.peak, std::move(events));
}

}  // namespace

void conclude_levels(const Memory::Device& device, Findings& findings) {
  conclude_spike(device, findings);
  conclude_activations(device, findings);
}

std::vector<Finding> memory_findings(const TraceIndex& index, const Memory& memory) {
  Findings findings(index);
  conclude_allocating(index, findings);
  for (const Memory::Device& device : memory.devices) {
    conclude_reserved(device, findings);
    conclude_growth(device, findings);
    conclude_levels(device, findings);
  }
  return findings.take();
}

}  // namespace vitro::analyze
