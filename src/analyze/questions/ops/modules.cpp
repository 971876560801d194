// Sums the times of devices and threads over the tree of modules; answers `vitro trace modules`.
#include "analyze/questions/ops/modules.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "analyze/model/arrows.h"
#include "analyze/model/index.h"
#include "analyze/model/words.h"
#include "analyze/questions/ops/groups.h"
#include "kineto/names.h"

namespace vitro::analyze {
namespace {

struct Node {
  ModuleTimes times;
  std::map<std::string, uint32_t, std::less<>> inside;
};

class Tree {
 public:
  Tree(const TraceIndex& index, const Groups& groups)
      : index_(index), trace_(index.trace()), groups_(groups) {
    for (uint32_t g = 0; g < groups.size(); ++g) node_of_.push_back(number(groups.text(g)));
    add_host();
    add_devices();
  }

  std::vector<ModuleTimes> take() {
    std::vector<ModuleTimes> out;
    if (nodes_.size() == 1) return out;
    ModuleTimes outside = std::move(nodes_[0].times);
    outside.device = outside.device_self;
    outside.host = outside.host_self;
    sum(0);
    add(0, 0, out);
    out.push_back(std::move(outside));
    return out;
  }

 private:
  // Of a path such as "Net_0;Linear_1", or "encoder.layers.0"; 0: no module.
  uint32_t number(std::string_view path) {
    uint32_t at = 0;
    while (!path.empty()) {
      const size_t end = std::min(path.find_first_of(";."), path.size());
      const std::string_view name = path.substr(0, end);
      path.remove_prefix(std::min(end + 1, path.size()));
      const auto [found, fresh] =
          nodes_[at].inside.try_emplace(std::string(name), static_cast<uint32_t>(nodes_.size()));
      at = found->second;
      if (fresh) nodes_.emplace_back().times.name = name;
    }
    return at;
  }

  ModuleTimes& of(EventId e) { return nodes_[node_of_[groups_[e]]].times; }

  void add_host() {
    const Classes& classes = index_->classes();
    for (const EventId e : trace_.events()) {
      if (!classes.is_host_work(e) || index_->is_stream()[trace_.track_ids()[e]]) continue;
      ModuleTimes& times = of(e);
      times.host_self += index_->timeline().self(e);
      if (classes[e] != EventClass::python || !is_module(trace_.name(e))) continue;
      if (times.calls++ == 0 || trace_.dur()[e] > trace_.dur()[times.longest]) times.longest = e;
    }
  }

  void add_devices() {
    const Classes& classes = index_->classes();
    std::unordered_map<EventId, EventId> forward;  // by the op that computes its gradients
    for (const Arrow& each : arrows_of(trace_, index_->host(), kineto::arrow::backward))
      forward.emplace(each.to, each.from);
    for (const EventId e : trace_.events()) {
      if (!classes.is_device_work(e)) continue;
      EventId launch = index_->origin_of(e);
      bool is_gradient = false;
      for (EventId at = launch; at != Timeline::nobody; at = index_->timeline().parent(at)) {
        const auto from = forward.find(at);
        is_gradient = from != forward.end();
        if (is_gradient) launch = from->second;
        if (is_gradient || is_module(trace_.name(at))) break;
      }
      ModuleTimes& times = launch == Links::nobody ? nodes_[0].times : of(launch);
      const int64_t time = end_of(trace_, e) - trace_.ts()[e];
      times.device_self += time;
      if (is_gradient) times.gradients += time;
    }
  }

  void sum(uint32_t at) {
    ModuleTimes& times = nodes_[at].times;
    times.device = times.device_self;
    times.host = times.host_self;
    for (const auto& [name, each] : nodes_[at].inside) {
      sum(each);
      times.device += nodes_[each].times.device;
      times.gradients += nodes_[each].times.gradients;
      times.host += nodes_[each].times.host;
    }
  }

  void add(uint32_t at, uint32_t depth, std::vector<ModuleTimes>& out) {
    std::vector<std::pair<std::pair<int64_t, int64_t>, uint32_t>> order;
    for (const auto& [name, each] : nodes_[at].inside)
      order.push_back({{-nodes_[each].times.device, -nodes_[each].times.host}, each});
    std::ranges::sort(order);
    for (const auto& [time, each] : order) {
      nodes_[each].times.depth = depth;
      out.push_back(nodes_[each].times);
      add(each, depth + 1, out);
    }
  }

  const TraceIndex& index_;
  const Trace& trace_;
  const Groups& groups_;
  std::vector<Node> nodes_{Node()};
  std::vector<uint32_t> node_of_;  // by group
};

}  // namespace

Result<std::vector<ModuleTimes>> modules(const TraceIndex& index) {
  // Otherwise the file need not be read again.
  const Trace& trace = index.trace();
  if (!trace.metadata().contains("with_modules") && std::ranges::none_of(trace.names(), is_module))
    return std::vector<ModuleTimes>();
  const auto groups = Groups::of(index, GroupBy::module);
  if (!groups) return groups.failure();
  return Tree(index, *groups).take();
}

Answer answer_modules(const TraceIndex& index) {
  const auto list = modules(index);
  if (!list)
    return {
        "modules", {{"lost", "What could not be read", {{"what", "What"}}, {{list.why()}}}}, {}};
  AnswerTable table{"modules",
                    "Modules, with what devices and the host do in each",
                    {{"module", "Module", Unit::text, true},
                     {"depth", "Depth", Unit::count},
                     {"calls", "Calls", Unit::count},
                     {"device_self_ns", "Device self", Unit::ns},
                     {"device_ns", "Device", Unit::ns},
                     {"gradients_ns", "Of that gradients", Unit::ns},
                     {"host_self_ns", "Host self", Unit::ns},
                     {"host_ns", "Host", Unit::ns},
                     {"longest", "Event", Unit::count}},
                    {}};
  for (const ModuleTimes& m : *list) {
    const bool is_called = m.calls > 0;
    table.rows.push_back(
        {std::string(size_t{2} * m.depth, ' ') + (m.name.empty() ? "(in no module)" : m.name),
         int64_t{m.depth}, is_called ? AnswerCell(static_cast<int64_t>(m.calls)) : AnswerCell(),
         m.device_self, m.device, m.gradients, m.host_self, m.host,
         is_called ? AnswerCell(int64_t{m.longest}) : AnswerCell()});
  }
  if (index->devices().empty()) {
    for (auto& row : table.rows) row.erase(row.begin() + 3, row.begin() + 6);
    table.columns.erase(table.columns.begin() + 3, table.columns.begin() + 6);
  }
  return {"modules", {std::move(table)}, {}};
}

}  // namespace vitro::analyze
