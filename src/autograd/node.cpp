// Nodes of the graph of recorded calls, and the records that tensors keep.
#include "autograd/node.h"

#include <array>
#include <utility>

#include "autograd/call_node.h"
#include "vitro/base/module_path.h"
#include "vitro/core/interpreter.h"
#include "vitro/ops/all.h"

namespace vitro::autograd {
namespace {

uint64_t next_number() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed);
}

using Trash = std::vector<std::shared_ptr<Node>>;
// The list of the outermost let_go() of this thread that is under way.
constinit thread_local Trash* trash = nullptr;

// Held while the sum of a leaf is looked for, or its hooks: several threads may use one leaf.
std::mutex& lock_of(const Tensor& leaf) {
  static std::array<std::mutex, 64> locks;
  return locks[reinterpret_cast<uintptr_t>(leaf.impl()) / sizeof(TensorImpl) % locks.size()];
}

// Sums the gradient of a leaf.
class Sum final : public Node {
 public:
  explicit Sum(Tensor leaf) : Node("sum of the gradient", {}, 1), leaf_(std::move(leaf)) {}

  std::vector<Tensor> back(std::span<const Tensor> gradients) override {
    const Tensor& given = gradients[0];
    if (!given.defined()) return {};
    const std::lock_guard hold(lock_);
    Tensor& total = record_of(leaf_)->gradient;
    if (thread_state.modes.grad_enabled) {
      total = total.defined() ? add(total, given) : given;
    } else if (total.defined()) {
      (void)add_(total, given);
    } else {
      total = is_only_here(given) ? given : laid_out_as(leaf_.rule_meta(), given);
    }
    return {};
  }
  std::vector<Hook> hooks_of(uint32_t) override {
    const std::lock_guard hold(lock_of(leaf_));
    return record_of(leaf_)->hooks;
  }

 private:
  // Whether the tensor may be kept and added to: nobody else has its memory.
  bool is_only_here(const Tensor& given) const {
    const TensorImpl& impl = *given.impl();
    return impl.call == 0 && impl.refs.load(std::memory_order_acquire) == 1 &&
           impl.storage.use_count() == 1 && attribute::same(given.strides(), leaf_.strides());
  }

  Tensor leaf_;
};

}  // namespace

Node::Node(std::string_view op_name, std::source_location from, size_t count)
    : op(op_name), where(from), module(current_module), number(next_number()), results(count) {}

Node::~Node() {
  for (Edge& edge : edges) let_go(std::move(edge.node));
}

std::vector<Hook> Node::hooks_of(uint32_t result) {
  std::vector<Hook> out;
  const std::lock_guard hold(lock_);
  for (const auto& [of, hook] : hooks_) {
    if (of == result) out.push_back(hook);
  }
  return out;
}

void Node::add_hook(uint32_t result, Hook hook) {
  const std::lock_guard hold(lock_);
  hooks_.emplace_back(result, std::move(hook));
}

void Node::remove_hook(uint64_t id) {
  const std::lock_guard hold(lock_);
  std::erase_if(hooks_, [&](const auto& one) { return one.second.id == id; });
}

uint64_t next_hook_id() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void let_go(std::shared_ptr<Node> node) {
  if (!node) return;
  if (trash) return trash->push_back(std::move(node));
  Trash mine;
  trash = &mine;
  node.reset();
  while (!mine.empty()) {
    const std::shared_ptr<Node> next = std::move(mine.back());
    mine.pop_back();
  }
  trash = nullptr;
}

Record::~Record() {
  let_go(std::move(made_by));
}

bool Record::requires_grad(const Tensor& tensor) {
  if (view) refresh(tensor, *this);
  return tensor.impl()->requires_grad;
}

void Record::set_made_by(std::shared_ptr<Node> node, uint32_t result_of_node) {
  let_go(std::exchange(made_by, std::move(node)));
  result = result_of_node;
  if (retained) retain();
}

void Record::retain() {
  if (!retained) retained = std::make_shared<Retained>();
  if (retained->by == made_by.get()) return;
  retained->by = made_by.get();
  const auto keep = [by = retained->by,
                     to = std::weak_ptr<Retained>(retained)](const Tensor& given) {
    if (const auto here = to.lock(); here && here->by == by) here->gradient = given;
    return Tensor();
  };
  made_by->add_hook(result, {next_hook_id(), keep});
}

Record& made_record_of(const Tensor& tensor) {
  std::unique_ptr<GradientRecord>& record = tensor.impl()->gradient;
  if (!record) record = std::make_unique<Record>();
  return static_cast<Record&>(*record);
}

void refresh(const Tensor& tensor, Record& record) {
  Record::View& view = *record.view;
  const uint32_t writes = writes_to(view.base);
  if (writes == view.writes) return;
  view.writes = writes;
  if (!view.base.requires_grad()) return;
  Edge edge = edge_of(view.base);
  for (const ViewStep& step : view.steps) {
    std::shared_ptr<Node> node = node_of_view(step);
    node->edges.push_back(std::move(edge));
    edge = {std::move(node), 0};
  }
  record.set_made_by(std::move(edge.node), edge.result);
  tensor.impl()->requires_grad = true;
}

void add_leaf_hook(const Tensor& leaf, Hook hook) {
  const std::lock_guard hold(lock_of(leaf));
  record_of(leaf)->hooks.push_back(std::move(hook));
}

void remove_leaf_hook(const Tensor& leaf, uint64_t id) {
  const std::lock_guard hold(lock_of(leaf));
  std::erase_if(record_of(leaf)->hooks, [&](const Hook& hook) { return hook.id == id; });
}

Edge edge_of(const Tensor& tensor) {
  Record& record = made_record_of(tensor);
  if (record.view) refresh(tensor, record);
  if (record.made_by) return {record.made_by, record.result};
  const std::lock_guard hold(lock_of(tensor));
  std::shared_ptr<Node> sum = record.sum.lock();
  if (!sum) {
    sum = std::make_shared<Sum>(tensor);
    record.sum = sum;
  }
  return {std::move(sum), 0};
}

}  // namespace vitro::autograd
