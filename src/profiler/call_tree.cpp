// Builds the tree of slices by call path; Profiler's stacks and flame graphs are written from it.
#include "vitro/profiler/call_tree.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "profiler/program_paths.h"
#include "vitro/base/cat.h"
#include "vitro/base/counted.h"
#include "vitro/base/error.h"
#include "vitro/report/units.h"

namespace vitro {
namespace {

using report::FlameTree;

// Roots, threads, the kinds of slices in order, functions of the program.
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
    {.name = "function", .hue = 95, .saturation = 22},
};
constexpr uint8_t thread_kind = 1, first_slice_kind = 2, function_kind = std::size(kinds) - 1;

uint8_t kind_of(const Slice& slice) {
  return static_cast<uint8_t>(first_slice_kind + static_cast<uint8_t>(slice.kind));
}

FlameTree::Name frame_of(const Slice& slice) {
  return {slice.name(), slice.name_id.n, kind_of(slice)};
}

// Sums slices.
class Builder {
 public:
  Builder(const Profile& profile, Metric metric, bool functions)
      : metric_(metric), functions_(functions), paths_(profile) {
    for (const Track& track : profile.tracks) add(track);
  }
  std::vector<report::FlameNode> take() { return tree_.take(); }

 private:
  // A node, and the known stack of the program at that point.
  struct TreePosition {
    uint32_t node, stack;
    bool operator==(const TreePosition&) const = default;
  };

  void add(const Track& track);
  void count(const Slice& slice, uint32_t node, uint32_t around);
  // The position of something with that stack inside another: below the functions not already
  // around it.
  TreePosition inside(const TreePosition& around, uint32_t stack);

  Metric metric_;
  bool functions_;
  ProgramPaths paths_;
  FlameTree tree_;
  // The last query of inside(), and its result.
  struct Answer {
    TreePosition around;
    uint32_t stack;
    TreePosition position;
  };
  std::optional<Answer> last_;
};

void Builder::add(const Track& track) {
  const events::NameId thread = events::intern(track.name.empty() ? "thread" : track.name);
  const TreePosition top{
      tree_.child(FlameTree::root, {events::text(thread), thread.n, thread_kind}), Slice::none};
  std::vector<TreePosition> positions(track.slices.size());
  const auto position_of = [&](uint32_t slice) {
    return slice == Slice::none ? top : positions[slice];
  };
  for (size_t i = 0; i < track.slices.size(); ++i) {
    const Slice& slice = track.slices[i];
    const TreePosition around = position_of(slice.parent);
    positions[i] = inside(around, track.extra(slice).stack);
    positions[i].node = tree_.child(positions[i].node, frame_of(slice));
    count(slice, positions[i].node, slice.parent == Slice::none ? FlameTree::root : around.node);
  }
  if (metric_ != Metric::allocated) return;
  for (const MemoryChange& change : track.memory) {
    const TreePosition position = inside(position_of(change.slice), change.stack);
    tree_[position.node].self += std::max<int64_t>(change.bytes, 0);
  }
}

// `around`: the node of the enclosing slice, or the root.
void Builder::count(const Slice& slice, uint32_t node, uint32_t around) {
  ++tree_[node].calls;
  if (metric_ == Metric::calls) ++tree_[node].self;
  if (metric_ != Metric::self_cpu_time) return;
  tree_[node].self += slice.duration();
  if (around != FlameTree::root) tree_[around].self -= slice.duration();
}

Builder::TreePosition Builder::inside(const TreePosition& around, uint32_t stack) {
  if (!functions_ || stack == Slice::none) return around;
  if (last_ && last_->around == around && last_->stack == stack) return last_->position;
  const std::vector<events::NameId>& path = paths_.of(stack);
  auto next = path.begin();
  if (around.stack != Slice::none) next = std::ranges::mismatch(path, paths_.of(around.stack)).in1;
  TreePosition position{around.node, stack};
  for (; next != path.end(); ++next)
    position.node = tree_.child(position.node, {events::text(*next), next->n, function_kind});
  last_ = Answer{around, stack, position};
  return position;
}

std::string amount(Metric metric, int64_t value) {
  const auto number = static_cast<double>(value);
  switch (metric) {
    case Metric::self_cpu_time:
      return report::time_text(number);
    case Metric::allocated:
      return report::bytes_text(number);
    case Metric::calls:
      return counted(value, "call");
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
  VITRO_CHECK(false, "export_stacks: there is no metric \"", name, "\"; valid metrics are ",
              name_of(all[0]), ", ", name_of(all[1]), ", ", name_of(all[2]));
  return all[0];
}

CallTree::CallTree(const Profile& profile, Metric metric, bool functions)
    : metric_(metric), nodes_(Builder(profile, metric, functions).take()) {}

void write_stacks(const CallTree& tree, report::Output& out) {
  report::write_stacks(tree.nodes(), out);
}

void write_flame_graph(const CallTree& tree, std::string_view title, report::Output& out) {
  const auto text = [&](int64_t value) { return amount(tree.metric(), value); };
  report::write_flame_graph(tree.nodes(),
                            {.title = std::string(title), .kinds = kinds, .amount = text}, out);
}

}  // namespace vitro
