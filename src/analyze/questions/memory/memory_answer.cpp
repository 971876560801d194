// Presents the memory of a trace as tables; memory_timeline.cpp shares some of them.  Answers
// `vitro trace memory`.
#include "analyze/questions/memory/memory_answer.h"

#include "analyze/model/index.h"
#include "analyze/model/words.h"
#include "analyze/questions/memory/memory_findings.h"
#include "vitro/base/cat.h"
#include "vitro/base/counted.h"

namespace vitro::analyze {
namespace {

AnswerCell or_nothing(int64_t value) {
  return value == none ? AnswerCell() : AnswerCell(value);
}

AnswerTable group_table(const Memory& m, std::vector<Memory::Group> Memory::Device::* groups,
                        std::string_view name, std::string title) {
  AnswerTable table{name,
                    std::move(title),
                    {{"device", "Device"},
                     {"category", "Category"},
                     {"within", "Allocated in"},
                     {"allocations", "Allocations", Unit::count},
                     {"bytes", "Bytes", Unit::bytes},
                     {"largest", "Event", Unit::count}},
                    {}};
  for (const Memory::Device& d : m.devices) {
    for (const Memory::Group& g : d.*groups) {
      table.rows.push_back({d.name, g.category, g.within, static_cast<int64_t>(g.allocations),
                            g.bytes, static_cast<int64_t>(g.largest)});
    }
  }
  return table;
}

AnswerTable largest_table(const Memory& m, int64_t first) {
  AnswerTable table{"largest",
                    "The largest allocations",
                    {{"device", "Device"},
                     {"bytes", "Bytes", Unit::bytes},
                     {"at_ns", "At", Unit::ns},
                     {"lived_ns", "Lived", Unit::ns},
                     {"category", "Category"},
                     {"within", "Allocated in"},
                     {"event", "Event", Unit::count}},
                    {}};
  for (const Memory::Device& d : m.devices) {
    for (const Memory::Allocation& a : d.largest) {
      const int64_t lived = a.freed_at == none ? none : a.freed_at - a.at;
      table.rows.push_back({d.name, a.bytes, a.at - first, or_nothing(lived), a.category, a.within,
                            static_cast<int64_t>(a.event)});
    }
  }
  return table;
}

AnswerTable step_table(const TraceIndex& index, const Memory& m) {
  const Trace& trace = index.trace();
  AnswerTable table{"steps",
                    "Memory after each step",
                    {{"device", "Device"},
                     {"step", "Step"},
                     {"bytes", "Bytes", Unit::bytes},
                     {"grown_bytes", "Grown", Unit::bytes}},
                    {}};
  const std::vector<Step>& steps = index->steps();
  for (const Memory::Device& d : m.devices) {
    for (size_t s = 0; s < d.after_steps.size(); ++s) {
      const int64_t before = s == 0 ? d.first : d.after_steps[s - 1];
      table.rows.push_back({d.name, std::string(trace.name(steps[s].event)), d.after_steps[s],
                            d.after_steps[s] - before});
    }
  }
  return table;
}

}  // namespace

AnswerTable memory_device_table(const std::vector<Memory::Device>& devices, int64_t first) {
  AnswerTable table{"devices",
                    "Memory of each device",
                    {{"device", "Device"},
                     {"allocations", "Allocations", Unit::count},
                     {"allocated_bytes", "Allocated", Unit::bytes},
                     {"frees", "Frees", Unit::count},
                     {"freed_bytes", "Freed", Unit::bytes},
                     {"first_bytes", "Before", Unit::bytes},
                     {"peak_bytes", "Peak", Unit::bytes},
                     {"peak_at_ns", "At", Unit::ns},
                     {"peak_event", "Event", Unit::count},
                     {"usual_bytes", "95 % of the time", Unit::bytes},
                     {"reserved_bytes", "Reserved", Unit::bytes},
                     {"last_bytes", "After", Unit::bytes},
                     {"out_of_memory", "Out of memory", Unit::count}},
                    {}};
  for (const Memory::Device& d : devices) {
    table.rows.push_back({d.name, static_cast<int64_t>(d.allocations), d.allocated,
                          static_cast<int64_t>(d.frees), d.freed, d.first, d.peak,
                          d.peak_at - first, static_cast<int64_t>(d.peak_event), d.usual,
                          d.reserved == 0 ? AnswerCell() : AnswerCell(d.reserved), d.last,
                          static_cast<int64_t>(d.out_of_memory)});
  }
  return table;
}

AnswerTable memory_over_time_table(const std::vector<Memory::Device>& devices, int64_t first) {
  AnswerTable table{
      "timeline",
      "Memory over time",
      {{"device", "Device"}, {"at_ns", "From", Unit::ns}, {"most_bytes", "Most", Unit::bytes}},
      {}};
  for (const Memory::Device& d : devices) {
    for (const Memory::Moment& moment : d.timeline)
      table.rows.push_back({d.name, moment.begin - first, moment.most});
  }
  table.plot = {AnswerPlot::Kind::levels, "at_ns", "most_bytes", "device"};
  return table;
}

Answer answer_memory(const TraceIndex& index) {
  const auto read = memory(index);
  const Memory m = read ? *read : Memory();
  const int64_t first = index->windows().front().window.begin;
  Answer answer{
      "memory",
      {memory_device_table(m.devices, first),
       group_table(m, &Memory::Device::at_peak, "at_peak", "What is live at the peak"),
       group_table(m, &Memory::Device::never_freed, "never_freed",
                   "Allocated and not freed in the trace"),
       largest_table(m, first), step_table(index, m), memory_over_time_table(m.devices, first)},
      memory_findings(index, m)};
  if (!read || m.unread > 0) {
    const std::string why =
        read ? cat(counted(m.unread, "instant"), " could not be read") : read.why();
    answer.tables.push_back({"lost", "What could not be read", {{"what", "What"}}, {{why}}});
  }
  return answer;
}

}  // namespace vitro::analyze
