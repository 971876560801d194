// Reads the traces of all ranks, aligns their clocks, and measures waits in matched collectives;
// ranks_answer.cpp presents the result.
#include "analyze/model/index.h"
#include "vitro/analyze/compare.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>

#include "analyze/model/arguments.h"
#include "analyze/model/device_work.h"
#include "analyze/questions/ranks/collectives.h"
#include "analyze/read/token.h"
#include "base/sort_list.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/base/hash.h"

namespace vitro::analyze {
namespace {

namespace fs = std::filesystem;
constexpr size_t most_events = 10;

std::optional<int64_t> last_number(const std::string& text) {
  const size_t end = text.find_last_of("0123456789");
  if (end == std::string::npos) return std::nullopt;
  const size_t before = text.find_last_not_of("0123456789", end);
  const size_t begin = before == std::string::npos ? 0 : before + 1;
  return number_in<int64_t>(std::string_view(text).substr(begin, end + 1 - begin));
}

// The file name without the extensions of a trace.
std::string stem(const std::string& file) {
  std::string name = fs::path(file).filename().string();
  for (const std::string_view end : {".gz", ".zst", ".zip", ".json", ".pftrace", ".pt.trace"}) {
    if (name.ends_with(end)) name.resize(name.size() - end.size());
  }
  return name;
}

// The collectives of one trace.
class CollectiveReader {
 public:
  CollectiveReader(const TraceIndex& index, const Intervals& compute)
      : trace_(index.trace()), compute_(compute), steps_(index->steps()) {}

  std::vector<Collective> read(const std::vector<Device>& devices, const WorkKinds& kinds) {
    std::vector<EventId> events;
    for (const Device& device : devices) {
      std::ranges::copy_if(device.work, std::back_inserter(events),
                           [&](EventId e) { return kinds[e] == WorkKind::communication; });
    }
    std::ranges::sort(events);
    read_groups(events);
    std::ranges::stable_sort(events, {}, [&](EventId e) { return trace_.ts()[e]; });
    std::vector<Collective> out;
    for (const EventId e : events) {
      if (!between_two_.contains(e)) out.push_back(collective(e));
    }
    return out;
  }

 private:
  // If the file cannot be read again, the name alone decides.
  void read_groups(const std::vector<EventId>& events) {
    (void)trace_.read_events(events, [&](EventId e, std::string_view text) {
      const Arguments arguments(text);
      const std::string name = arguments.text("Collective name").value_or("");
      if (name == "send" || name == "recv") between_two_[e] = true;
      groups_[e] = cat(arguments.text("Process Group Name").value_or(""),
                       arguments.text("Process Group Ranks").value_or(""));
    });
  }

  Collective collective(EventId e) {
    Collective out;
    const auto group = groups_.find(e);
    out.what = hash_of(cat(trace_.name(e), "\n", group == groups_.end() ? "" : group->second)).low;
    const auto step = std::ranges::upper_bound(steps_, trace_.ts()[e], {}, &Step::begin);
    const int64_t number = step == steps_.begin() ? -1 : std::prev(step)->number;
    out.turn = hash_of(cat(out.what, " ", number, " ", turns_[{out.what, number}]++)).low;
    out.begin = trace_.base() + trace_.ts()[e];
    out.end = trace_.base() + end_of(trace_, e);
    out.hidden = compute_.length_in(trace_.ts()[e], end_of(trace_, e));
    out.event = e;
    return out;
  }

  const Trace& trace_;
  const Intervals& compute_;
  const std::vector<Step>& steps_;
  std::map<EventId, std::string> groups_;
  std::map<EventId, bool> between_two_;
  std::map<std::pair<uint64_t, int64_t>, uint64_t> turns_;
};

struct Read {
  RankTimes times;
  std::vector<Collective> collectives;
};

// The first device with the most work: a rank has one device.
const Device* busiest(const std::vector<Device>& devices) {
  const auto found =
      std::ranges::max_element(devices, {}, [](const Device& d) { return d.work.size(); });
  return found == devices.end() ? nullptr : &*found;
}

Read read_one(const TraceIndex& index, const std::string& file, size_t place) {
  const Trace& trace = index.trace();
  Read out;
  const WorkKinds& kinds = index->kinds();
  const std::vector<Device>& devices = index->devices();
  RankTimes& times = out.times;
  times.rank = rank_of(trace, file, place);
  times.file = file;
  times.steps = static_cast<int64_t>(index->steps().size());
  const auto [begin, end] = index->window();
  times.window = {trace.base() + begin, trace.base() + end};
  WorkTimes work;
  if (const Device* device = busiest(devices)) {
    work = times_of(trace, kinds, device->work);
    times.compute = work.compute.length_in(begin, end);
    times.communication = work.communication.length_in(begin, end);
    times.memory = work.memory.length_in(begin, end);
    times.exposed = without(work.communication, work.compute).length_in(begin, end);
    times.idle = end - begin - work.busy.length_in(begin, end);
  }
  out.collectives = CollectiveReader(index, work.compute).read(devices, kinds);
  times.collectives = out.collectives.size();
  return out;
}

// Aligns each rank with the first aligned rank that it shares collectives with.
void align_all(std::vector<Read>& all) {
  if (!all.empty()) all[0].times.aligned = true;
  for (bool more = true; more;) {
    more = false;
    for (Read& rank : all) {
      for (const Read& reference : all) {
        if (rank.times.aligned || !reference.times.aligned) continue;
        const Alignment found = align(reference.collectives, rank.collectives);
        if (!found.found) continue;
        rank.times.clock_offset = reference.times.clock_offset + found.offset;
        rank.times.clock_spread = found.spread;
        rank.times.aligned = more = true;
      }
    }
  }
}

// Collectives that waited or were late, to be sorted.
struct Lists {
  std::vector<std::pair<int64_t, EventId>> waited, late;
};

std::vector<EventId> longest(std::vector<std::pair<int64_t, EventId>>& list) {
  std::ranges::sort(list, [](const auto& a, const auto& b) {
    return std::pair(-a.first, a.second) < std::pair(-b.first, b.second);
  });
  std::vector<EventId> out;
  for (const auto& [time, event] : list) {
    if (out.size() < most_events && time > 0) out.push_back(event);
  }
  return out;
}

void add_collective(const Together& together, std::vector<Read>& all, std::vector<Lists>& waits) {
  struct Part {
    int64_t begin, end;
    size_t rank;
    EventId event;
    int64_t hidden;
  };
  std::vector<Part> parts;
  for (const auto& [rank, index] : together) {
    const Collective& c = all[rank].collectives[index];
    const int64_t offset = all[rank].times.clock_offset;
    parts.push_back({c.begin + offset, c.end + offset, rank, c.event, c.hidden});
  }
  sort_list(parts, {}, &Part::begin);
  const Part &last = parts.back(), &before = parts[parts.size() - 2];
  int64_t for_it = last.begin - before.begin;  // while all others waited and computed nothing
  for (const Part& p : parts) {
    RankTimes& times = all[p.rank].times;
    const int64_t wait = std::clamp<int64_t>(last.begin - p.begin, 0, p.end - p.begin);
    ++times.matched;
    times.wait += wait;
    times.work += p.end - p.begin - wait;
    // All of the hidden time may lie in the wait.
    const int64_t exposed = std::max<int64_t>(wait - p.hidden, 0);
    times.exposed_wait += exposed;
    if (&p != &last) for_it = std::min(for_it, exposed);
    waits[p.rank].waited.emplace_back(wait, p.event);
  }
  ++all[last.rank].times.last;
  all[last.rank].times.caused += last.begin - before.begin;
  all[last.rank].times.exposed_caused += for_it;
  waits[last.rank].late.emplace_back(last.begin - before.begin, last.event);
}

void match_all(std::vector<Read>& all) {
  std::vector<std::vector<Collective>> lists;
  std::vector<int64_t> offsets;
  for (const Read& rank : all) {
    lists.push_back(rank.times.aligned ? rank.collectives : std::vector<Collective>());
    offsets.push_back(rank.times.clock_offset);
  }
  std::vector<Lists> waits(all.size());
  for (const Together& together : match(lists, offsets)) add_collective(together, all, waits);
  for (size_t r = 0; r < all.size(); ++r) {
    all[r].times.waited = longest(waits[r].waited);
    all[r].times.late = longest(waits[r].late);
  }
}

bool is_trace(const std::string& name) {
  constexpr std::string_view ends[] = {".json",    ".json.gz",    ".json.zst",   ".zip",
                                       ".pftrace", ".pftrace.gz", ".pftrace.zst"};
  return std::ranges::any_of(ends, [&](std::string_view end) { return name.ends_with(end); });
}

}  // namespace

std::optional<int64_t> stated_rank(const Trace& trace) {
  const auto info = trace.metadata().find("distributedInfo");
  if (info == trace.metadata().end()) return std::nullopt;
  return Arguments::of(info->second).number("rank");
}

int64_t rank_of(const Trace& trace, const std::string& file, size_t place) {
  if (const auto rank = stated_rank(trace)) return *rank;
  return last_number(stem(file)).value_or(static_cast<int64_t>(place));
}

Ranks ranks(const std::vector<std::string>& files, const LoadOptions& options) {
  Ranks out;
  std::vector<Read> all;
  for (size_t i = 0; i < files.size(); ++i) {
    const auto trace = Trace::open(files[i], options);
    if (trace) {
      all.push_back(read_one(TraceIndex(*trace), files[i], i));
    } else {
      out.unread.push_back({0, trace.why()});
    }
  }
  sort_list(all, {}, [](const Read& r) { return r.times.rank; });
  align_all(all);
  match_all(all);
  for (Read& rank : all) out.ranks.push_back(std::move(rank.times));
  return out;
}

std::vector<std::string> trace_files(const std::vector<std::string>& places) {
  std::vector<std::string> out;
  for (const std::string& place : places) {
    if (!fs::is_directory(place)) {
      out.push_back(place);
      continue;
    }
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(place)) {
      if (entry.is_regular_file() && is_trace(entry.path().filename().string()))
        found.push_back(entry.path().string());
    }
    std::ranges::sort(found);
    VITRO_CHECK(!found.empty(), place, ": contains no traces (.json, .pftrace, also packed)");
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

}  // namespace vitro::analyze
