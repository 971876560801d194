#include "vitro/profiler/call_tree.h"

#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/report/units.h"

namespace vitro {
namespace {

using report::FlameTree;

// The root, threads, and the kinds of slices in their order.
constexpr report::FlameKind kinds[] = {
    {.name = "all", .hue = 215, .saturation = 12, .in_legend = false},
    {.name = "thread", .hue = 215, .saturation = 12, .in_legend = false},
    {.name = "op", .hue = 28, .saturation = 85},
    {.name = "kernel", .hue = 150, .saturation = 45},
    {.name = "region", .hue = 265, .saturation = 60},
    {.name = "range", .hue = 205, .saturation = 70},
    {.name = "phase", .hue = 345, .saturation = 60},
    {.name = "work", .hue = 175, .saturation = 40},
    {.name = "eager", .hue = 55, .saturation = 70},
};
constexpr uint8_t thread_kind = 1, first_slice_kind = 2;

uint8_t kind_of(const Slice& slice) {
  return static_cast<uint8_t>(first_slice_kind + static_cast<uint8_t>(slice.kind));
}

FlameTree::Name frame_of(const Slice& slice) {
  return {slice.name(), slice.name_id.n, kind_of(slice)};
}

void count(FlameTree& tree, Metric metric, const Slice& slice, uint32_t node, bool in_slice,
           uint32_t around) {
  ++tree[node].calls;
  if (metric == Metric::calls) ++tree[node].self;
  if (metric != Metric::self_cpu_time) return;
  tree[node].self += slice.duration();
  if (in_slice) tree[around].self -= slice.duration();
}

void add(FlameTree& tree, Metric metric, const Track& track) {
  const events::NameId thread = events::intern(track.name.empty() ? "thread" : track.name);
  const uint32_t top = tree.child(FlameTree::root, {events::text(thread), thread.n, thread_kind});
  std::vector<uint32_t> node_of(track.slices.size());
  for (size_t i = 0; i < track.slices.size(); ++i) {
    const Slice& slice = track.slices[i];
    const bool in_slice = slice.parent != Slice::none;
    const uint32_t around = in_slice ? node_of[slice.parent] : top;
    node_of[i] = tree.child(around, frame_of(slice));
    count(tree, metric, slice, node_of[i], in_slice, around);
  }
  if (metric != Metric::allocated) return;
  for (const MemoryChange& change : track.memory) {
    const uint32_t node = change.slice == Slice::none ? top : node_of[change.slice];
    tree[node].self += std::max<int64_t>(change.bytes, 0);
  }
}

std::string amount(Metric metric, int64_t value) {
  const auto number = static_cast<double>(value);
  switch (metric) {
    case Metric::self_cpu_time:
      return report::time_text(number);
    case Metric::allocated:
      return report::bytes_text(number);
    case Metric::calls:
      return cat(value, " calls");
  }
  return {};
}

}  // namespace

std::string_view name_of(Metric metric) {
  switch (metric) {
    case Metric::self_cpu_time:
      return "self_cpu_time_total";
    case Metric::allocated:
      return "self_cpu_memory_usage";
    case Metric::calls:
      return "calls";
  }
  return "unknown";
}

Metric metric_named(std::string_view name) {
  constexpr Metric all[] = {Metric::self_cpu_time, Metric::allocated, Metric::calls};
  for (const Metric metric : all) {
    if (name == name_of(metric)) return metric;
  }
  VITRO_CHECK(false, "export_stacks: there is no metric \"", name, "\"; there are ",
              name_of(all[0]), ", ", name_of(all[1]), ", ", name_of(all[2]));
  return all[0];
}

CallTree::CallTree(const Profile& profile, Metric metric) : metric_(metric) {
  FlameTree tree;
  for (const Track& track : profile.tracks) add(tree, metric, track);
  nodes_ = tree.take();
}

void write_stacks(const CallTree& tree, report::Output& out) {
  report::write_stacks(tree.nodes(), out);
}

void write_flame_graph(const CallTree& tree, std::string_view title, report::Output& out) {
  const auto text = [&](int64_t value) { return amount(tree.metric(), value); };
  report::write_flame_graph(tree.nodes(),
                            {.title = std::string(title), .kinds = kinds, .amount = text}, out);
}

}  // namespace vitro
