// Nodes of the graph of recorded calls, and the records that tensors keep.
#include "autograd/node.h"

#include <algorithm>
#include <array>
#include <utility>

#include "autograd/call_node.h"
#include "core/mark_memory.h"
#include "core/saved_tensors.h"
#include "vitro/base/error.h"
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

// Whether the gradient may be kept and added to: nobody else has its memory.
bool is_only_here(const Tensor& gradient, const Tensor& of) {
  const TensorImpl& impl = *gradient.impl();
  return impl.call == 0 && impl.refs.load(std::memory_order_acquire) == 1 &&
         impl.storage.use_count() == 1 && attribute::same(gradient.strides(), of.strides());
}

// Adds to the gradient that a tensor keeps; in place, unless that is recorded.
void add_to(Tensor& total, const Tensor& given, const Tensor& of) {
  if (thread_state.modes.grad_enabled) {
    total = total.defined() ? add(total, given) : clone(given);
  } else if (total.defined()) {
    (void)add_(total, given);
  } else {
    total = is_only_here(given, of) ? given : laid_out_as(of.rule_meta(), given);
  }
}

// Sums the gradient of a leaf.
class Sum final : public Node {
 public:
  static constexpr std::string_view what = "sum of the gradient";
  explicit Sum(Tensor leaf) : Node(what, {what}, 1), leaf_(std::move(leaf)) {}

  std::vector<Tensor> back(std::span<const Tensor> gradients) override {
    if (!gradients[0].defined() || !leaf_.requires_grad()) return {};
    const std::lock_guard hold(lock_);
    Tensor& total = record_of(leaf_)->gradient;
    const uint64_t call = total.defined() && !total.is_complex() ? total.impl()->call : 0;
    VITRO_CHECK(call == 0 || call == call_of_this_thread,
                "backward: another thread is in a compiled function that sums the gradient of the "
                "same leaf; let the function return gradients (grad), or call it on one thread at "
                "a time");
    add_to(total, gradients[0], leaf_);
    mark_memory(total, events::MemoryCategory::gradient);
    return {};
  }
  bool is_end() const override { return true; }
  std::shared_ptr<Hooks> hooks() override {
    const std::lock_guard hold(lock_of(leaf_));
    std::shared_ptr<Hooks>& all = record_of(leaf_)->hooks;
    if (!all) all = std::make_shared<Hooks>();
    return all;
  }
  std::shared_ptr<const Hooks> known_hooks() override {
    const std::lock_guard hold(lock_of(leaf_));
    return record_of(leaf_)->hooks;
  }

 private:
  Tensor leaf_;
};

}  // namespace

Node::Node(std::string_view op_name, const Called& called, size_t count)
    : op(op_name),
      function(called.name),
      where(called.from),
      module(current_module),
      number(next_number()),
      results(count),
      region(backward_region()),
      within(call_of_this_thread) {
  if (SavedTensors* of_call = saved_tensors()) of_call->note_recorded();
}

Node::~Node() {
  for (Edge& edge : edges) let_go(std::move(edge.node));
}

std::shared_ptr<Hooks> Node::hooks() {
  const std::lock_guard hold(lock_);
  if (!hooks_) hooks_ = std::make_shared<Hooks>();
  return hooks_;
}

std::shared_ptr<const Hooks> Node::known_hooks() {
  const std::lock_guard hold(lock_);
  return hooks_;
}

uint64_t Hooks::add(uint32_t result, Hook hook, bool last) {
  const std::lock_guard hold(lock_);
  all_.push_back({++last_, result, std::move(hook), last});
  return last_;
}

void Hooks::remove(uint64_t id) {
  const std::lock_guard hold(lock_);
  std::erase_if(all_, [&](const One& one) { return one.id == id; });
}

std::vector<Hook> Hooks::of(uint32_t result) const {
  std::vector<Hook> out;
  const std::lock_guard hold(lock_);
  for (const bool last : {false, true}) {
    for (const One& one : all_) {
      if (one.result == result && one.last == last) out.push_back(one.hook);
    }
  }
  return out;
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
    const auto here = to.lock();
    if (!here || here->by != by) return Tensor();
    Tensor& total = here->gradient;
    total =
        total.defined() ? vitro::add(total, given) : clone(given, ops::MemoryFormat::contiguous);
    return Tensor();
  };
  made_by->hooks()->add(result, keep, true);
}

ViewSteps::~ViewSteps() {
  while (before && before.use_count() == 1) {
    // Nobody else has it: its own `before` is taken over before it ends.
    auto& only = const_cast<ViewSteps&>(*before);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    before = std::exchange(only.before, nullptr);
  }
}

std::vector<ViewStep> ViewSteps::in_order() const {
  std::vector<ViewStep> out;
  for (const ViewSteps* one = this; one; one = one->before.get()) out.push_back(one->last);
  std::reverse(out.begin(), out.end());
  return out;
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
  for (const ViewStep& step : view.steps->in_order()) {
    std::shared_ptr<Node> node = node_of_view(step);
    node->edges.push_back(std::move(edge));
    edge = {std::move(node), 0};
  }
  record.set_made_by(std::move(edge.node), edge.result);
  tensor.impl()->requires_grad = true;
}

void add_to_gradient(const Tensor& tensor, const Tensor& gradient) {
  if (tensor.is_leaf()) {
    (void)edge_of(tensor).node->back({&gradient, 1});
  } else if (Record& record = *record_of(tensor); !record.retained) {  // else its hook has done it
    add_to(record.gradient, gradient, tensor);
  }
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
