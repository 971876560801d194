#include "vitro/profiler/call_tree.h"

#include <algorithm>
#include <unordered_map>

#include "report/utf8.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro {
namespace {

using Kind = CallTree::Kind;
using Node = CallTree::Node;

// Nodes in the order in which they are met.
class Builder {
 public:
  explicit Builder(Metric metric) : metric_(metric) {
    nodes_.push_back({.name = "all", .kind = Kind::all, .slice_kind = {}, .parent = 0});
  }

  void add(const Track& track) {
    const events::NameId thread = events::intern(track.name.empty() ? "thread" : track.name);
    const uint32_t top = child({0, thread, Kind::thread, {}});
    std::vector<uint32_t> node_of(track.slices.size());
    for (size_t i = 0; i < track.slices.size(); ++i) {
      const Slice& slice = track.slices[i];
      const uint32_t around = slice.parent == Slice::none ? top : node_of[slice.parent];
      node_of[i] = child({around, slice.name_id, Kind::slice, slice.kind});
      count(slice, around, nodes_[node_of[i]]);
    }
    if (metric_ != Metric::allocated) return;
    for (const MemoryChange& change : track.memory) {
      const uint32_t node = change.slice == Slice::none ? top : node_of[change.slice];
      nodes_[node].self += std::max<int64_t>(change.bytes, 0);
    }
  }

  // Depth first, siblings by name, with totals.
  std::vector<Node> sorted();

 private:
  struct Key {
    uint32_t parent;
    events::NameId name;
    Kind kind;
    SliceKind slice_kind;
    bool operator==(const Key&) const = default;
  };
  struct HashKey {
    size_t operator()(const Key& key) const {
      const uint64_t place = uint64_t{key.parent} << 32 | key.name.n;
      const uint64_t hash =
          (place ^ static_cast<uint64_t>(key.slice_kind) << 60) * 0x9e3779b97f4a7c15;
      return hash ^ hash >> 32;
    }
  };

  uint32_t child(const Key& key) {
    const auto [found, fresh] = places_.try_emplace(key, static_cast<uint32_t>(nodes_.size()));
    if (fresh) {
      nodes_.push_back({.name = events::text(key.name),
                        .kind = key.kind,
                        .slice_kind = key.slice_kind,
                        .parent = key.parent,
                        .depth = nodes_[key.parent].depth + 1});
    }
    return found->second;
  }

  void count(const Slice& slice, uint32_t around, Node& node) {
    ++node.calls;
    if (metric_ == Metric::calls) ++node.self;
    if (metric_ != Metric::self_cpu_time) return;
    node.self += slice.duration();
    if (nodes_[around].kind == Kind::slice) nodes_[around].self -= slice.duration();
  }

  Metric metric_;
  std::vector<Node> nodes_;
  std::unordered_map<Key, uint32_t, HashKey> places_;
};

std::vector<Node> Builder::sorted() {
  for (size_t i = nodes_.size(); i-- > 0;) {  // the inner ones come after the outer
    nodes_[i].total += nodes_[i].self;
    if (i != 0) nodes_[nodes_[i].parent].total += nodes_[i].total;
  }
  std::vector<std::vector<uint32_t>> children(nodes_.size());
  for (uint32_t i = 1; i < nodes_.size(); ++i) children[nodes_[i].parent].push_back(i);
  const auto key = [&](uint32_t i) { return std::tuple(nodes_[i].name, nodes_[i].slice_kind); };
  for (auto& siblings : children) std::ranges::sort(siblings, std::greater(), key);

  std::vector<Node> sorted;
  std::vector<uint32_t> place(nodes_.size()), todo{0};
  while (!todo.empty()) {
    const uint32_t i = todo.back();
    todo.pop_back();
    place[i] = static_cast<uint32_t>(sorted.size());
    sorted.push_back(nodes_[i]);
    sorted.back().parent = place[nodes_[i].parent];
    todo.insert(todo.end(), children[i].begin(), children[i].end());
  }
  return sorted;
}

// A frame as collapsed stacks can hold it.
void append_frame(std::string& line, std::string_view name) {
  for (const char c : report::as_utf8(name))
    line += c == ';' || static_cast<uint8_t>(c) < 0x20 ? '_' : c;
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
  Builder builder(metric);
  for (const Track& track : profile.tracks) builder.add(track);
  nodes_ = builder.sorted();
}

void write_stacks(const CallTree& tree, report::Output& out) {
  std::string line;             // the frames down to the node, without the root
  std::vector<size_t> ends{0};  // of the frames of each depth in `line`
  for (const CallTree::Node& node : tree.nodes()) {
    if (node.kind == Kind::all) continue;
    ends.resize(node.depth);
    line.resize(ends.back());
    if (node.depth > 1) line += ';';
    append_frame(line, node.name);
    ends.push_back(line.size());
    if (node.self > 0) out.write(cat(line, " ", node.self, "\n"));
  }
}

}  // namespace vitro
