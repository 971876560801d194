// Groups without a reduction: one loop nest that computes and writes every stored value.
#include <algorithm>
#include <unordered_map>

#include "backend/lower/builder.h"
#include "backend/lower/stages.h"
#include "backend/lower/tiles.h"
#include "backend/schedule/elementwise.h"
#include "backend/schedule/fusion.h"
#include "loop/loop_nest.h"

namespace vitro::backend {
namespace {

using loop::Value;

constexpr int64_t block = elements_of_block;

loop::Block stores_at(KernelBuilder& build, const Index& values) {
  loop::Block out;
  for (const ComputeNodeId id : build.group().stored) {
    const Index at = with_index(build.group().index_map(id), build.group().iteration.space, values);
    out.push_back(build.store(id, at, build.compute(id, at)));
  }
  return out;
}

std::vector<Expr> accesses_of(KernelBuilder& build, const loop::Block& body) {
  std::vector<Expr> out;
  std::vector<Value> roots;
  for (const loop::Statement& s : body) {
    const auto& store = std::get<loop::Store>(s.what);
    out.push_back(store.element);
    roots.push_back(store.value);
  }
  for (const loop::IndirectIndex& indirect : build.kernel().indirect_indices)
    roots.push_back(indirect.value);
  for (const loop::Node* node : loop::nodes_below(roots)) {
    if (node->index.defined()) out.push_back(node->index);
  }
  return out;
}

// Cuts the innermost loop into blocks, one per task, if there are few other tasks.
loop::Loop innermost(const MachineModel& machine, loop::Kernel& kernel, std::vector<Expr> loops,
                     loop::Block body) {
  if (loops.empty()) return {Expr::index("i", 1), 0, 1, true, std::move(body)};
  const Expr index = loops.back(), extent = sym::extent_of(index);
  loops.pop_back();
  Expr outer = 1;
  for (const Expr loop : loops) outer = outer * sym::extent_of(loop);
  kernel.tasks = std::move(loops);
  if (!should_cut_loop(machine, outer, extent)) return {index, 0, extent, true, std::move(body)};
  const Expr b = Expr::index("b", sym::floordiv(extent + (block - 1), block));
  kernel.tasks.push_back(b);
  const bool even = extent.constant() && *extent.constant() % block == 0;
  const Expr end = even ? b * block + block : sym::min(b * block + block, extent);
  return {index, b * block, end, true, std::move(body)};
}

// If there are many stores, those without common reads get their own loops: each iteration then
// touches fewer streams of memory.
std::vector<loop::Block> apart(const loop::Kernel& kernel, loop::Block stores) {
  if (!are_many_stores(stores.size())) return {std::move(stores)};
  std::vector<size_t> block_of(stores.size());
  std::unordered_map<uint64_t, size_t> reader;  // by node: the block that needs it
  const auto root = [&](size_t i) {
    while (block_of[i] != i) i = block_of[i];
    return i;
  };
  for (size_t i = 0; i < stores.size(); ++i) {
    block_of[i] = i;
    const auto& store = std::get<loop::Store>(stores[i].what);
    for (const loop::Node* node : loop::nodes_below({store.value})) {
      const bool reads = reads_memory(*node);
      if (reads && kernel.buffers[node->payload].written) return {std::move(stores)};
      if (!reads && !is_worth_sharing(info(node->fn).cost)) continue;
      const auto [known, is_new] = reader.emplace(node->id, i);
      if (!is_new) block_of[root(i)] = root(known->second);
    }
  }
  std::vector<loop::Block> out;
  std::unordered_map<size_t, size_t> number;
  for (size_t i = 0; i < stores.size(); ++i) {
    const auto [at, is_new] = number.emplace(root(i), out.size());
    if (is_new) out.emplace_back();
    out[at->second].push_back(std::move(stores[i]));
  }
  return out;
}

}  // namespace

void add_loops(KernelBuilder& build, const Index& space,
               const std::function<loop::Block(const Index&)>& stores_at) {
  const MachineModel& machine = build.program().machine();
  const loop::Block plain = stores_at(space);
  const std::vector<Expr> accesses = accesses_of(build, plain);
  const Expr first = std::get<loop::Store>(plain[0].what).element;
  loop::LoopNest nest = loop::choose_loop_nest(space, accesses, first);
  build.start_over();
  loop::Block body = stores_at(nest.values);
  loop::Kernel& kernel = build.kernel();
  Verdict schedule = read_in_tiles(machine, kernel, nest.loops, body);
  if (!schedule) {
    if (loop::has_short_vectors(nest.loops)) {
      nest = loop::choose_loop_nest(space, accesses, first, true);
      build.start_over();
      body = stores_at(nest.values);
    }
    loop::Loop loop = innermost(machine, kernel, nest.loops, std::move(body));
    const bool is_block = loop.begin.constant() != 0;
    const Expr most = is_block ? Expr(block) : sym::extent_of(loop.index);
    for (loop::Block& stores : apart(kernel, std::move(loop.body))) {
      loop.body = std::move(stores);
      Verdict cut = Verdict::yes();
      for (loop::Statement& s : in_stages(machine, kernel, loop, most, &cut)) {
        kernel.body.push_back(std::move(s));
      }
      if (cut) schedule = std::move(cut);
    }
  }
  if (schedule) kernel.schedule = std::move(schedule.why);
}

LoweredKernel lower_pointwise(const Program& program, const BufferAssignment& assignment,
                              const Group& group) {
  KernelBuilder build(program, assignment, group);
  add_loops(build, group.iteration.space.index,
            [&](const Index& values) { return stores_at(build, values); });
  return build.take();
}

}  // namespace vitro::backend
