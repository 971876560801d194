// Reads the sizes of collectives from the arguments of their kernels and relates them to their
// times; a table of `vitro trace overlap`.
#include "analyze/questions/bandwidth.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analyze/model/arguments.h"
#include "analyze/model/index.h"
#include "analyze/model/words.h"

namespace vitro::analyze {
namespace {

int64_t bytes_of(std::string_view type) {
  constexpr std::pair<std::string_view, int64_t> known[] = {
      {"Double", 8}, {"Long", 8},   {"Half", 2}, {"BFloat16", 2}, {"Short", 2}, {"Byte", 1},
      {"Char", 1},   {"Float8", 1}, {"Bool", 1}, {"Float", 4},    {"Int", 4}};
  for (const auto& [name, bytes] : known)
    if (type.starts_with(name)) return bytes;
  return 0;
}

}  // namespace

double Transfers::bus(int64_t ns) const {
  std::string name = collective;
  std::erase(name, '_');
  const auto n = static_cast<double>(ranks);
  const double factor = holds(name, {"allreduce"})                                ? 2 * (n - 1) / n
                        : holds(name, {"allgather", "reducescatter", "alltoall"}) ? (n - 1) / n
                                                                                  : 1;
  return static_cast<double>(bytes) * factor / static_cast<double>(std::max<int64_t>(ns, 1));
}

std::vector<Transfers> transfers(const TraceIndex& index) {
  constexpr size_t most_events = 4096;
  constexpr EventId read_until = 1U << 21;  // the file is read again up to there
  const Trace& trace = index.trace();
  std::vector<EventId> events;
  for (const Device& device : index->devices())
    for (const EventId e : device.work)
      if (e < read_until && index->kinds()[e] == WorkKind::communication) events.push_back(e);
  std::ranges::sort(events);
  events.resize(std::min(events.size(), most_events));
  struct Group {
    Transfers all;
    std::vector<int64_t> times;
  };
  std::map<std::tuple<std::string, std::string, int64_t, int64_t>, Group> groups;
  Arguments args;
  (void)trace.read_events(events, [&](EventId e, std::string_view json) {
    if (!args.read(json)) return;
    const std::string name = args.text("Collective name").value_or("");
    const std::string type = args.text("dtype").value_or("");
    const int64_t ranks = args.number("Group size").value_or(0);
    const int64_t elements = std::max(args.number("In msg nelems").value_or(0),
                                      args.number("Out msg nelems").value_or(0));
    const int64_t bytes = elements * bytes_of(type), time = end_of(trace, e) - trace.ts()[e];
    if (name.empty() || ranks < 1 || bytes <= 0) return;
    Group& group = groups[{name, type, ranks, bytes}];
    if (group.times.empty() || time < group.all.least) {
      group.all.least = time;
      group.all.fastest = e;
    }
    group.times.push_back(time);
  });
  std::vector<Transfers> out;
  for (auto& [key, group] : groups) {
    Transfers& t = group.all;
    std::tie(t.collective, t.type, t.ranks, t.bytes) = key;
    t.calls = group.times.size();
    std::ranges::sort(group.times);
    t.median = nearest_rank(group.times, 50);
    out.push_back(std::move(t));
  }
  return out;
}

AnswerTable bandwidth_table(const std::vector<Transfers>& list) {
  AnswerTable table{"bandwidth",
                    "Bus bandwidth of collectives, by the size of the message",
                    {{"collective", "Collective"},
                     {"type", "Type"},
                     {"ranks", "Ranks", Unit::count},
                     {"bytes", "Bytes", Unit::bytes},
                     {"calls", "Calls", Unit::count},
                     {"median_ns", "Median", Unit::ns},
                     {"bus_gb_per_s", "GB/s", Unit::number},
                     {"best_gb_per_s", "Best", Unit::number},
                     {"fastest", "Event", Unit::count}},
                    {}};
  for (const Transfers& t : list)
    table.rows.push_back({t.collective, t.type, t.ranks, t.bytes, static_cast<int64_t>(t.calls),
                          t.median, t.bus(t.median), t.bus(t.least),
                          static_cast<int64_t>(t.fastest)});
  return table;
}

}  // namespace vitro::analyze
