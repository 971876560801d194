// The nodes of op calls: unpack what was saved, check that it was not overwritten, and run the
// formula.
#include "autograd/call_node.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "autograd/run_gradient.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/base/module_path.h"
#include "vitro/core/formula.h"
#include "vitro/core/interpreter.h"
#include "vitro/ops/all.h"
#include "vitro/ops/overload.h"
#include "vitro/ops/shapes.h"

namespace vitro::autograd {

namespace {

// The record of a view would hold what it is a view of.
std::shared_ptr<SavedTensor> saved_once(SavedTensors& of_call, const Tensor& tensor) {
  const Record* record = tensor.impl()->gradient ? record_of(tensor) : nullptr;
  const bool is_view = record && record->view;
  return of_call.add(tensor, [&] { return is_view ? detached(tensor) : tensor; });
}

// Of an op that a function calls, the call of the function.
Called called_by_program(std::string_view op, std::source_location from) {
  const Called& outer = CalledAs::current();
  return outer.from.line() == 0 ? Called{op, false, from} : outer;
}

}  // namespace

SavedValue::SavedValue(Tensor tensor) {
  size_t number = 0;
  const std::shared_ptr<Recomputation>& by = Recomputation::current();
  if (by && by->takes(tensor, number)) {
    value_ = Again{by, number};
    return;
  }
  const uint32_t writes = writes_to(tensor);
  SavedTensors* const of_call = saved_tensors();
  const bool is_variable = tensor.requires_grad() && tensor.is_leaf();
  if (!of_call || is_variable || tensor.impl()->call != call_of_this_thread) {
    if (of_call) of_call->add_outside(tensor);
    value_ = Kept{std::move(tensor), writes};
    return;
  }
  Edge history = tensor.requires_grad() ? edge_of(tensor) : Edge();
  value_ = Deferred{saved_once(*of_call, tensor), writes, std::move(history)};
}

Tensor SavedValue::Deferred::value() const {
  Tensor out = tensor->value();
  const bool lacks_history = history && thread_state.modes.grad_enabled && !out.requires_grad();
  return lacks_history ? with_history(out, history.node, history.result) : out;
}

bool SavedValue::was_written() const {
  if (const Kept* kept = std::get_if<Kept>(&value_)) return writes_to(kept->tensor) != kept->writes;
  const Deferred* deferred = std::get_if<Deferred>(&value_);
  return deferred && deferred->tensor && deferred->tensor->writes() != deferred->writes;
}

bool SavedValue::release() {
  Kept* kept = std::get_if<Kept>(&value_);
  Deferred* deferred = std::get_if<Deferred>(&value_);
  const Again* again = std::get_if<Again>(&value_);
  if (kept) kept->tensor = {};
  if (deferred) *deferred = {};
  if (again) again->by->drop(again->number);
  return kept || deferred || again;
}

namespace {

// A tensor of that shape for ops that use nothing else.  Its elements are NaN, should one be used
// all the same.
Tensor without_elements(const TensorMeta& meta) {
  const Tensor one = full({}, std::numeric_limits<double>::quiet_NaN(), meta.dtype);
  return expand(one, meta.sizes);
}

Scalar in_numbers(const Scalar& number, const DataSizes& sizes) {
  return number.is_symbolic() ? Scalar(sizes.number(number.size()).hint()) : number;
}

}  // namespace

Operand SavedValue::operand(const DataSizes* numbers, Shapes& shapes, Tensor& place) const {
  if (const Scalar* number = std::get_if<Scalar>(&value_))
    return numbers ? Operand(in_numbers(*number, *numbers)) : Operand(*number);
  if (const Kept* kept = std::get_if<Kept>(&value_)) return Operand(place = kept->tensor);
  if (const Deferred* deferred = std::get_if<Deferred>(&value_))
    return Operand(place = deferred->value());
  if (const Again* again = std::get_if<Again>(&value_))
    return Operand(place = again->by->value(again->number));
  const Shape* shape = std::get_if<Shape>(&value_);
  if (!shape) return {};
  TensorMeta meta = numbers ? numbers->in_numbers(*shape->meta) : *shape->meta;
  place = shape->use == Use::shape ? without_elements(meta) : shapes.tensor(std::move(meta));
  return Operand(place);
}

CallNode::CallNode(SavedCall saved, std::source_location from)
    : Node(saved.op->name, called_by_program(saved.op->name, from), saved.results.size()),
      saved_(std::move(saved)) {}

void CallNode::release_saved() {
  const std::lock_guard hold(lock_);
  saved_.sizes.clear();
  for (SavedValue& value : saved_.operands) released_ |= value.release();
  for (SavedValue& value : saved_.results) released_ |= value.release();
}

std::optional<Part> CallNode::part() const {
  const bool is_element = saved_.op == &ops::def<ops::Select>();
  if (!is_element && saved_.op != &ops::def<ops::Slice>()) return {};
  const TensorMeta *of = saved_.operands[0].meta(), *result = saved_.results[0].meta();
  if (!of || !result) return {};
  ops::SliceAttrs a;
  if (is_element) {
    const auto& select = saved_.attrs.as<ops::SelectAttrs>();
    a.dim = select.dim, a.start = select.index;
  } else {
    a = saved_.attrs.as<ops::SliceAttrs>();
  }
  const int64_t dim = a.dim < 0 ? a.dim + of->rank() : a.dim;
  const Size size = of->sizes[static_cast<size_t>(dim)];
  const Size length = is_element ? Size(1) : result->sizes[static_cast<size_t>(dim)];
  if (a.step != 1 || size.is_symbolic() || a.start.is_symbolic() || length.is_symbolic()) return {};
  const int64_t start = a.start.hint() + (a.start.hint() < 0 ? size.hint() : 0);
  const int64_t begin = std::max<int64_t>(start, 0);
  const Part out{dim, begin, begin + length.hint(), size.hint(), is_element};
  return length.hint() == 0 ? std::nullopt : std::optional(out);
}

// The calls of the formula, and their errors, belong to the place and the module of the call.
std::vector<Tensor> CallNode::back(std::span<const Tensor> gradients) {
  const CalledAs here(function, where);
  const ModuleScope scope(module);
  try {
    return gradients_of(gradients);
  } catch (const Error& mistake) {
    if (where.line() == 0 || !mistake.location().empty()) throw;
    throw Error(mistake, call_location(where));
  }
}

std::vector<Tensor> CallNode::gradients_of(std::span<const Tensor> gradients) {
  VITRO_CHECK(!released_, "backward: the values that ", op,
              " saved were released by an earlier backward; pass {.retain_graph = true} to that "
              "one to go through the graph again");
  const size_t n = saved_.operands.size();
  const DataSizes* numbers = saved_.within != call_of_this_thread ? &saved_.sizes : nullptr;
  Shapes shapes;
  std::vector<Tensor> tensors(n), made(results), given(results), out(n);
  std::vector<Operand> operands;
  for (size_t i = 0; i < n; ++i) {
    VITRO_CHECK(!saved_.operands[i].was_written(), "backward: the gradient of ", op,
                " needs operand ", i, ", which was written after the call; clone it before that");
    operands.push_back(saved_.operands[i].operand(numbers, shapes, tensors[i]));
  }
  for (size_t k = 0; k < results; ++k) {
    VITRO_CHECK(!saved_.results[k].was_written(), "backward: the gradient of ", op,
                " needs result ", k, ", which was written after the call; clone it before that");
    (void)saved_.results[k].operand(numbers, shapes, made[k]);
    if (thread_state.modes.grad_enabled && made[k].impl()->call < builder_calls &&
        is_floating(made[k].dtype()))
      made[k] = with_history(made[k], shared_from_this(), static_cast<uint32_t>(k));
    if (gradients[k].defined() && is_floating(made[k].dtype()))
      given[k] = to(gradients[k], made[k].dtype());
  }
  const auto wanted = std::make_unique<bool[]>(n);
  for (size_t i = 0; i < n; ++i) wanted[i] = i < edges.size() && edges[i];
  const Attrs attrs = numbers ? numbers->in_numbers(saved_.attrs) : saved_.attrs;
  const Verdict can = is_differentiable(*saved_.op);
  VITRO_CHECK(can, op, ": has no gradient: ", can.why);
  run_gradient({saved_.op, operands, attrs.view(), false, where}, made, given, {wanted.get(), n},
               out);
  return out;
}

Tensor with_history(const Tensor& result, std::shared_ptr<Node> node, uint32_t k) {
  Tensor out = detached(result);
  Record& record = made_record_of(out);
  record.made_by = std::move(node);
  record.result = k;
  out.impl()->requires_grad = true;
  return out;
}

Tensor detached(const Tensor& tensor) {
  const Operand operand(tensor);
  Tensor out;
  call_below_tape({&ops::def<ops::Detach>(), {&operand, 1}, {}, false, {}}, {&out, 1});
  return out;
}

std::shared_ptr<Node> node_of_view(const ViewStep& step) {
  Shapes shape;
  // A size that data decide may have no number yet.
  const bool here =
      step.sizes.lacks_any() && thread_state.top && step.within == call_of_this_thread;
  const Tensor one = shape.tensor(here ? step.operand : step.sizes.in_numbers(step.operand));
  const Operand operand(one);
  const Attrs attrs = here ? step.attrs : step.sizes.in_numbers(step.attrs);
  const bool wanted = true;
  const auto uses = known_uses_of({step.op, {&operand, 1}, attrs.view(), false, {}}, {&wanted, 1});
  SavedCall saved{step.op, step.attrs, {}, {}, step.within, step.sizes};
  saved.operands.emplace_back(step.operand, uses->operands[0]);
  saved.results.emplace_back(step.result, uses->of_result(0));
  return std::make_shared<CallNode>(std::move(saved), std::source_location());
}

Tensor view_along(const Tensor& base, std::span<const ViewStep> steps) {
  Tensor out = base;
  for (const ViewStep& step : steps) {
    const Operand operand(out);
    const Attrs attrs =
        step.within == call_of_this_thread ? step.attrs : step.sizes.in_numbers(step.attrs);
    out = call_one(*step.op, {&operand, 1}, attrs.view(), {});
  }
  return out;
}

Tensor laid_out_as(const TensorMeta& meta, const Tensor& tensor) {
  const bool row_major = attribute::same(meta.strides, contiguous_strides(meta.sizes)) ||
                         !attribute::same(meta.strides, ops::strides_like(meta));
  Tensor out = row_major ? clone(tensor, ops::MemoryFormat::contiguous) : clone(tensor);
  if (row_major || attribute::same(out.strides(), meta.strides)) return out;
  const auto list = [](const Sizes& sizes) {
    return std::vector<Scalar>(sizes.begin(), sizes.end());
  };
  const ArgValue arguments[] = {tensor, list(meta.sizes), list(meta.strides)};
  return copy_(ops::call("new_empty_strided", arguments, std::span<const NamedArg>())[0], tensor);
}

WriteNode::WriteNode(TensorMeta base, Edge before, std::vector<ViewStep> steps,
                     std::shared_ptr<CallNode> inner)
    : Node(inner->op, {inner->function, false, inner->where}, 1),
      base_(std::move(base)),
      is_row_major_(attribute::same(base_.strides, contiguous_strides(base_.sizes))),
      steps_(std::move(steps)),
      inner_(std::move(inner)) {
  edges = inner_->edges;
  edges[0] = std::move(before);
  inner_->be_part();
}

// Calls of a recorded backward pass refer to `inner_`, which then keeps what it saved until it
// ends.
void WriteNode::release() {
  if (inner_.use_count() == 1) inner_->release_saved();
}

Tensor WriteNode::copy_of(const Tensor& gradient) const {
  if (is_row_major_) return clone(gradient, ops::MemoryFormat::contiguous);
  return laid_out_as(within == call_of_this_thread ? base_ : in_numbers(base_), gradient);
}

std::vector<Tensor> WriteNode::back(std::span<const Tensor> gradients) {
  const Tensor& given = gradients[0];
  std::vector<Tensor> out(edges.size());
  if (!given.defined()) return out;
  const Tensor whole = copy_of(given);
  const Tensor of_view = clone(view_along(whole, steps_));  // which is overwritten below
  std::vector<Tensor> inner = inner_->back({&of_view, 1});
  if (edges[0]) {
    out[0] = whole;
    const Tensor part = view_along(whole, steps_);
    (void)(inner[0].defined() ? copy_(part, inner[0]) : zero_(part));
  }
  std::move(inner.begin() + 1, inner.end(), out.begin() + 1);
  return out;
}

}  // namespace vitro::autograd
