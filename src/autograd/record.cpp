// The tape: sees each call of a program that uses gradients, and records those that depend on a
// tensor that requires one.
//
// A call that makes tensors gets a node, which the tensors refer to.  A call in place changes the
// history of the tensor that it writes to, and of all that share its memory: if the tensor is a
// view, the write becomes a node of its base, and views find their new history when they are next
// used (refresh), as PyTorch's do.
#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "autograd/call_node.h"
#include "autograd/node.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/core/formula.h"
#include "vitro/core/interpreter.h"
#include "vitro/ops/all.h"

namespace vitro::autograd {
namespace {

bool is_shape_alone(const OpCall& call, size_t i) {
  return i == 0 && call.op->pointwise && call.op->pointwise->first_is_shape;
}

// Which operands the gradient is needed of.
class Wanted {
 public:
  explicit Wanted(const OpCall& call) : count_(call.operands.size()) {
    if (count_ > few) many_ = std::make_unique<bool[]>(count_);
    for (size_t i = 0; i < count_; ++i) {
      const Operand& operand = call.operands[i];
      const bool wanted =
          operand.is_tensor() && needs(operand.tensor()) && !is_shape_alone(call, i);
      data()[i] = wanted;
      any_ = any_ || wanted;
    }
  }
  bool any() const { return any_; }
  bool operator[](size_t i) const { return span()[i]; }
  std::span<const bool> span() const { return {many_ ? many_.get() : few_, count_}; }

 private:
  static constexpr size_t few = 8;
  static bool needs(const Tensor& tensor) {
    TensorImpl& impl = *tensor.impl();
    if (impl.gradient) {
      Record& record = static_cast<Record&>(*impl.gradient);
      if (record.view) refresh(tensor, record);
    }
    return impl.requires_grad && is_floating(impl.dtype);
  }
  bool* data() { return many_ ? many_.get() : few_; }

  size_t count_;
  bool any_ = false;
  bool few_[few] = {};
  std::unique_ptr<bool[]> many_;
};

// An error of the call, which is named with its place; `mistake` follows "add: " or "add_: ".
[[noreturn]] void refuse(const OpCall& call, std::string_view mistake) {
  const CalledAs here(call.op->name, call.where, call.in_place);
  throw_error(cat(call.op->name, ": ", mistake));
}

SavedValue saved(const OpCall& call, size_t i, Use use) {
  const Operand& operand = call.operands[i];
  if (operand.is_number()) return SavedValue(operand.number());
  if (!operand.is_tensor()) return {};
  if (use == Use::elements) {
    if (operand.tensor().is_inference())
      refuse(call, cat("its gradient needs operand ", i,
                       ", which was made in the scope of an InferenceMode; clone(x) outside of it "
                       "is an ordinary tensor"));
    return SavedValue(operand.tensor());
  }
  return {operand.tensor().rule_meta(), use};
}

// A backward pass after the compiled call needs the values of sizes that depend on data: they
// follow from the operands, or else from the results.
void add_sizes_of_operands(SavedCall& to, const OpCall& call, std::span<const Operand> among) {
  for (const Operand& operand : call.operands) {
    if (operand.is_tensor()) to.sizes.add(operand.tensor().rule_meta(), among);
    if (operand.is_number() && operand.number().is_symbolic())
      to.sizes.add(operand.number().size(), among);
  }
  to.sizes.add(to.attrs, among);
}

// What the call saves of its operands.  Must be called before the call, which may write to one: of
// that it saves a copy, which has the history of what is overwritten.
SavedCall saved_operands(const OpCall& call, const Uses& uses) {
  SavedCall out{call.op, Attrs(call.attrs), {}, {}, call_of_this_thread, {}};
  out.operands.reserve(call.operands.size());
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const bool is_overwritten = i == 0 && call.in_place && uses.operands[0] == Use::elements;
    out.operands.push_back(is_overwritten ? SavedValue(clone(call.operands[0].tensor()))
                                          : saved(call, i, uses.operands[i]));
  }
  if (out.within != 0) add_sizes_of_operands(out, call, call.operands);
  return out;
}

void save_results(SavedCall& to, const OpCall& call, const Uses& uses,
                  std::span<const Tensor> results) {
  for (size_t k = 0; k < results.size(); ++k) {
    const Use use = uses.of_result(k);
    to.results.push_back(use == Use::elements ? SavedValue(detached(results[k]))
                                              : SavedValue(results[k].rule_meta(), use));
    if (to.within != 0) to.sizes.add(results[k].rule_meta(), call.operands);
  }
  if (!to.sizes.lacks_any()) return;
  std::vector<Tensor> others;  // a result itself would keep its node
  for (const Tensor& result : results) others.push_back(detached(result));
  const std::vector<Operand> among(others.begin(), others.end());
  add_sizes_of_operands(to, call, among);
  for (const Tensor& result : results) to.sizes.add(result.rule_meta(), among);
}

std::vector<Edge> edges_of(const OpCall& call, const Wanted& wanted) {
  std::vector<Edge> out(call.operands.size());
  for (size_t i = 0; i < out.size(); ++i) {
    if (wanted[i]) out[i] = edge_of(call.operands[i].tensor());
  }
  return out;
}

void set_made_by(const Tensor& tensor, std::shared_ptr<Node> node, uint32_t result) {
  made_record_of(tensor).set_made_by(std::move(node), result);
  tensor.impl()->requires_grad = true;
}

bool is_constant(const OpCall& call) {
  return call.op->gradient && call.op->gradient->is_constant;
}

// Notes that the result of a view is one of the operand.
void note_view(const OpCall& call, const Tensor& result) {
  if (!is_floating(result.dtype()) || is_constant(call)) return;
  const Tensor& operand = call.operands[0].tensor();
  if (result.same_as(operand)) return;
  const Record* known = operand.impl()->gradient ? record_of(operand) : nullptr;
  auto view = std::make_unique<Record::View>();
  const Record::View* before = known ? known->view.get() : nullptr;
  view->base = before ? before->base : operand;
  ViewStep step{
      call.op, Attrs(call.attrs), operand.rule_meta(), result.rule_meta(), call_of_this_thread, {}};
  if (step.within != 0) {
    for (const TensorMeta* meta : {&step.operand, &step.result})
      step.sizes.add(*meta, call.operands);
    step.sizes.add(step.attrs, call.operands);
  }
  view->steps = std::make_shared<ViewSteps>(std::move(step), before ? before->steps : nullptr);
  view->writes = writes_to(view->base);
  view->is_unrecorded = (before && before->is_unrecorded) || !thread_state.modes.grad_enabled;
  made_record_of(result).view = std::move(view);
}

// A composite that is differentiated through its program: the calls of that are recorded.
bool is_recorded_by_program(const OpDef& op) {
  return op.kind == OpKind::composite && op.gradient && !op.gradient->formula &&
         is_differentiable(op);
}

void record_program(const OpCall& call, std::span<Tensor> results) {
  const CalledAs name(call.op->name, call.where);
  const std::vector<TensorMeta> metas = infer(*call.op, call.operands, call.attrs);
  call.op->composite->expand(call.operands, call.attrs, results);
  for (size_t k = 0; k < results.size(); ++k) {
    if (!attribute::same(results[k].strides(), metas[k].strides))
      results[k] = laid_out_as(metas[k], results[k]);
  }
}

// Whether it is one of the ops that graphs have. Others are functions with a formula
// (ops/by_formula.h): of these, what is below the tape sees the program, as if nothing was
// recorded.
bool is_in_list(const OpDef& op) {
  static const auto* const composites = [] {
    auto* made = new std::vector<const OpDef*>;
    std::ranges::copy_if(ops::all(), std::back_inserter(*made),
                         [](const OpDef* one) { return one->kind == OpKind::composite; });
    std::ranges::sort(*made);
    return made;
  }();
  return op.kind != OpKind::composite || std::ranges::binary_search(*composites, &op);
}

void run_below_tape(const OpCall& call, std::span<Tensor> results) {
  if (is_in_list(*call.op)) return call_below_tape(call, results);
  const BelowTape below;
  const CalledAs name(call.op->name, call.where);
  call.op->composite->expand(call.operands, call.attrs, results);
}

void record_new(const OpCall& call, std::span<Tensor> results) {
  if (is_constant(call)) return call_below_tape(call, results);
  const Wanted wanted(call);
  if (!wanted.any()) {
    call_below_tape(call, results);
  } else if (is_recorded_by_program(*call.op)) {
    return record_program(call, results);
  } else {
    const std::shared_ptr<const Uses> uses = known_uses_of(call, wanted.span());
    SavedCall saved = saved_operands(call, *uses);
    run_below_tape(call, results);
    save_results(saved, call, *uses, results);
    const auto node = std::make_shared<CallNode>(std::move(saved), call.where);
    node->edges = edges_of(call, wanted);
    for (uint32_t k = 0; k < results.size(); ++k) {
      const bool is_operand = std::ranges::any_of(call.operands, [&](const Operand& o) {
        return o.is_tensor() && o.tensor().same_as(results[k]);
      });
      if (is_floating(results[k].dtype()) && !is_operand) set_made_by(results[k], node, k);
    }
  }
  if (call.op->kind == OpKind::view) note_view(call, results[0]);
}

// A leaf that requires a gradient is a variable of the program: a write that is recorded would make
// it the result of a call.
void check_may_be_written(const OpCall& call, const Tensor& target) {
  const Record* record = record_of(target);
  const bool is_view = record && record->view;
  if (is_view && record->view->is_unrecorded)
    refuse(call,
           "writes to a view that was made in the scope of a NoGrad or an InferenceMode, while "
           "gradients are recorded; make the view outside of it, or write to a clone");
  const Tensor& base = is_view ? record->view->base : target;
  if (target.requires_grad() && base.is_leaf())
    refuse(call, cat("writes to ", target.is_leaf() ? "" : "a view of ",
                     "a leaf that requires a gradient, while gradients are recorded; write in the "
                     "scope of a NoGrad, or to a clone"));
}

void record_write(const OpCall& call, std::span<Tensor> results) {
  const Wanted wanted(call);
  const Tensor target = call.operands[0].tensor();
  if (!wanted.any() && !target.requires_grad()) {
    call_below_tape(call, results);
    return count_write(target);
  }
  check_may_be_written(call, target);
  const std::shared_ptr<const Uses> uses = known_uses_of(call, wanted.span());
  SavedCall saved = saved_operands(call, *uses);
  std::vector<Edge> edges = edges_of(call, wanted);
  call_below_tape(call, results);
  count_write(target);
  save_results(saved, call, *uses, {&target, 1});
  auto node = std::make_shared<CallNode>(std::move(saved), call.where);
  node->edges = std::move(edges);
  Record& record = made_record_of(target);
  if (!record.view) return set_made_by(target, std::move(node), 0);
  const Tensor& base = record.view->base;
  Edge before = base.requires_grad() ? edge_of(base) : Edge();
  set_made_by(base,
              std::make_shared<WriteNode>(base.rule_meta(), std::move(before),
                                          record.view->steps->in_order(), std::move(node)),
              0);
  refresh(target, record);
}

void record(const OpCall& call, std::span<Tensor> results) {
  if (call.in_place && !InferenceMode::is_enabled() && call.operands[0].tensor().is_inference())
    refuse(call,
           "writes to a tensor that was made in the scope of an InferenceMode; write in such a "
           "scope, or to a clone");
  if (thread_state.modes.grad_enabled)
    return call.in_place ? record_write(call, results) : record_new(call, results);
  call_below_tape(call, results);
  if (call.in_place) {
    count_write(call.operands[0].tensor());
  } else if (call.op->kind == OpKind::view) {
    note_view(call, results[0]);
  }
}

constexpr GradientTape tape{
    &record, []() -> std::unique_ptr<GradientRecord> { return std::make_unique<Record>(); }};

const struct AtLoad {
  AtLoad() { set_tape(&tape); }
} at_load;

}  // namespace
}  // namespace vitro::autograd
