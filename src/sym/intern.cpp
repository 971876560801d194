// Interns nodes: one node per value, shared by all threads.  The table is sharded; each thread has
// a cache of recent constants.
#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_set>

#include "sym/node.h"
#include "sym/range.h"
#include "sym/recent.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::sym {
namespace {

size_t mix(size_t seed, size_t value) {
  seed ^= value + 0x9e3779b97f4a7c15u + (seed << 12) + (seed >> 4);
  return seed * 0xff51afd7ed558ccdu;
}

size_t hash_of(const Node& node) {
  size_t h = mix(static_cast<size_t>(node.kind), static_cast<size_t>(node.number));
  if (!node.name.empty()) h = mix(h, std::hash<std::string>()(node.name));
  for (const Expr e : node.operands) h = mix(h, std::hash<Expr>()(e));
  return h ^ (h >> 29);
}

struct HashNode {
  using is_transparent = void;
  size_t operator()(const Node* node) const { return node->hash; }
  size_t operator()(const Node& node) const { return node.hash; }
};

struct SameNode {
  using is_transparent = void;
  bool operator()(const Node* a, const Node* b) const { return a == b; }
  bool operator()(const Node& a, const Node* b) const { return a == *b; }
  bool operator()(const Node* a, const Node& b) const { return *a == b; }
};

struct Shard {
  std::mutex lock;
  std::deque<Node> nodes;
  std::unordered_set<const Node*, HashNode, SameNode> found;
};

constexpr size_t shard_count = 16;

std::array<Shard, shard_count>& shards() {
  static auto* all = new std::array<Shard, shard_count>;
  return *all;
}

const Node* constant_node(int64_t value) {
  Node node;
  node.number = value;
  node.range = {value, value};
  return intern(std::move(node)).node();
}

// Covers nearly all constants: sizes and strides.  Nodes are made on first use.
constexpr int64_t small_low = -64, small_high = 1024;

const Node* small_constant(int64_t value) {
  using Table = std::array<std::atomic<const Node*>, small_high - small_low>;
  static constinit Table table{};
  std::atomic<const Node*>& slot = table[static_cast<size_t>(value - small_low)];
  const Node* node = slot.load(std::memory_order_acquire);
  if (!node) [[unlikely]] {
    node = constant_node(value);
    slot.store(node, std::memory_order_release);
  }
  return node;
}

const Node* large_constant(int64_t value) {
  Recent* mine = recent();
  if (!mine) return constant_node(value);
  const auto spread = static_cast<uint64_t>(value) * 0x9e3779b97f4a7c15u;
  Recent::Constant& slot = mine->constants[spread >> 56];
  if (!slot.expr.defined() || slot.value != value) {
    slot = {value, Builder::wrap(constant_node(value))};
  }
  return slot.expr.node();
}

enum class Life : uint8_t { unborn, alive, ended };
thread_local Life life = Life::unborn;
thread_local Recent* own = nullptr;

struct Owner {
  std::unique_ptr<Recent> tables = std::make_unique<Recent>();
  Owner() {
    own = tables.get();
    life = Life::alive;
  }
  ~Owner() {
    own = nullptr;
    life = Life::ended;
  }
};

}  // namespace

Recent* recent() {
  if (life == Life::unborn) [[unlikely]] {
    thread_local Owner owner;
  }
  return own;
}

namespace {

uint32_t nodes_written(const Node& node) {
  constexpr uint32_t most = 1U << 30;
  uint32_t all = 1;
  for (const Expr e : node.operands) all = std::min(most, all + e.node()->written);
  return all;
}

constexpr char data_letter = 'u';

bool names_data(const Node& node) {
  if (node.kind == Kind::symbol) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    return node.name.size() > 1 && node.name[0] == data_letter &&
           std::all_of(node.name.begin() + 1, node.name.end(), is_digit);
  }
  return std::any_of(node.operands.begin(), node.operands.end(),
                     [](Expr e) { return e.node()->data; });
}

}  // namespace

bool is_data(Expr e) {
  return e.node()->data;
}

Expr Expr::data(uint32_t number) {
  return symbol(cat(data_letter, number), data_range);
}

Expr intern(Node node) {
  node.hash = hash_of(node);
  node.data = names_data(node);
  node.written = nodes_written(node);
  Shard& shard = shards()[node.hash % shard_count];
  std::lock_guard hold(shard.lock);
  const auto at = shard.found.find(node);
  if (at != shard.found.end()) {
    VITRO_ASSERT((*at)->kind != Kind::symbol || (*at)->range == node.range, "symbol ", node.name,
                 " was made with another range");
    return Builder::wrap(*at);
  }
  shard.nodes.push_back(std::move(node));
  shard.found.insert(&shard.nodes.back());
  return Builder::wrap(&shard.nodes.back());
}

Expr atom(Kind kind, Expr a, Expr b) {
  Node node;
  node.kind = kind;
  node.operands = {a, b};
  node.range = range_of_atom(kind, range_of(a), range_of(b));
  return intern(std::move(node));
}

Expr::Expr(int64_t constant)
    : node_(constant >= small_low && constant < small_high ? small_constant(constant)
                                                           : large_constant(constant)) {}

Expr Expr::symbol(std::string_view name, Range range) {
  VITRO_ASSERT(!name.empty() && range.low <= range.high, "symbol \"", name, "\" with range [",
               range.low, ", ", range.high, "]");
  Node node;
  node.kind = Kind::symbol;
  node.name = name;
  node.range = range;
  return intern(std::move(node));
}

Expr Expr::index(std::string_view name, Expr extent) {
  VITRO_ASSERT(!name.empty() && extent.defined(), "index \"", name, "\" needs an extent");
  const int64_t high = range_of(extent).high;
  Node node;
  node.kind = Kind::index;
  node.name = name;
  node.operands = {extent};
  node.range = {0, high == unbounded ? unbounded : std::max<int64_t>(high - 1, 0)};
  return intern(std::move(node));
}

}  // namespace vitro::sym
