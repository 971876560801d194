// The eager interpreter: runs the shape rule, allocates the results and calls the driver of the
// op's kind.
#include <algorithm>
#include <mutex>
#include <vector>

#include "eager/copy.h"
#include "eager/eager.h"
#include "eager/loop.h"
#include "eager/on_demand.h"
#include "eager/overlap.h"
#include "eager/rows.h"
#include "eager/run.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/core/interpreter.h"
#include "vitro/core/op_event.h"
#include "vitro/core/reach.h"
#include "vitro/ops/flops.h"

namespace vitro::eager {

Ints plain(std::span<const Size> sizes) {
  Ints out;
  for (const Size s : sizes) out.push_back(s.hint());
  return out;
}

Tensor view_of(const Tensor& operand, const TensorMeta& meta) {
  return Tensor::over(operand.impl()->storage, meta.dtype, plain(meta.sizes), plain(meta.strides),
                      meta.offset.hint());
}

namespace {

Tensor empty_for(const TensorMeta& meta) {
  return Tensor::empty_strided(plain(meta.sizes), plain(meta.strides), meta.dtype, meta.device);
}

// By kernels compiled on demand.
void run_compiled(const OpCall& call, std::span<const Tensor> outs) {
  if (call.op->contraction && !is_floating(outs[0].dtype())) {
    Tensor made;
    call.op->contraction->integer_product(call.operands, call.attrs, {&made, 1});
    return copy_elements(made, outs[0]);
  }
  const auto is_empty = [](const Tensor& out) { return count_of(out.impl()->sizes) == 0; };
  if (!std::all_of(outs.begin(), outs.end(), is_empty)) run_on_demand(call, outs);
}

// Computes the call into `outs`; `meta` is the shape rule's first result.
void run_into(const OpCall& call, const TensorMeta& meta, std::span<const Tensor> outs) {
  const Tensor& out = outs[0];
  if (call.op->kind == OpKind::opaque) return run_opaque(call, outs);
  if (out.device() != cpu) [[unlikely]]
    return run_compiled(call, outs);
  if (outs.size() > 1) return run_on_demand(call, outs);
  switch (call.op->kind) {
    case OpKind::pointwise:
      return run_pointwise(call, meta.dtype, out);
    case OpKind::reduction:
      return run_reduction(call, out);
    case OpKind::contraction:
      return run_contraction(call, out);
    case OpKind::gather:
      return run_gather(call, out);
    case OpKind::concat:
      return run_concat(call, out);
    case OpKind::scatter:
      if (call.op->put) return run_on_demand(call, outs);
      return run_scatter(call, meta, out);
    case OpKind::scan:
    case OpKind::window:
    case OpKind::sort:
      return run_on_demand(call, outs);
    case OpKind::view:
    case OpKind::compaction:
    case OpKind::composite:
    case OpKind::opaque:
      break;
  }
  VITRO_ASSERT(false, call.op->name, ": eager has no driver for kind ", name_of(call.op->kind));
}

// Writes `made` to `target`, converted to its dtype, in index order.
void put_in_order(const Tensor& made, const Tensor& target) {
  copy_in_order(dense_copy(made, target.dtype()), target);
}

void run_in_place(const OpCall& call, const TensorMeta& meta, Tensor& result) {
  const Tensor& target = call.operands[0].tensor();
  check_in_place(*call.op, target.meta(), meta);
  std::vector<Operand> operands(call.operands.begin(), call.operands.end());
  std::vector<Tensor> copies(operands.size());
  const bool covers_itself = may_cover_itself(target);
  const bool elementwise = call.op->kind == OpKind::pointwise && !covers_itself;
  const bool puts = call.op->put && target.is_contiguous() && !covers_itself;
  for (size_t i = puts ? 1 : 0; i < operands.size(); ++i) {
    if (!operands[i].is_tensor() || !must_copy(operands[i].tensor(), target, elementwise)) continue;
    copies[i] = fresh_copy(operands[i].tensor());
    operands[i] = Operand(copies[i]);
  }
  OpCall apart = call;
  apart.operands = operands;
  if (elementwise || puts) {
    run_into(apart, meta, {&target, 1});
  } else {
    const Tensor made = empty_for(meta);
    run_into(apart, meta, {&made, 1});
    covers_itself ? put_in_order(made, target) : copy_elements(made, target);
  }
  target.storage().bump_version();
  result = target;
}

// Gives a composite's result the layout that its shape rule specifies, by a copy only if necessary.
void lay_out(const TensorMeta& meta, Tensor& result) {
  const TensorImpl& made = *result.impl();
  VITRO_ASSERT(made.dtype == meta.dtype && made.sizes == plain(meta.sizes), "a composite returned ",
               made.dtype, made.sizes, ", expected ", meta.dtype, meta.sizes);
  bool same = true, alike = true;  // alike: equal except for strides of dimensions of size 1
  for (size_t d = 0; d < made.sizes.size(); ++d) {
    const bool equal = made.strides[d] == meta.strides[d].hint();
    same = same && equal;
    alike = alike && (made.sizes[d] <= 1 || equal);
  }
  if (same) return;
  if (alike) {
    TensorMeta window = meta;
    window.offset = made.offset;
    result = view_of(result, window);
    return;
  }
  const Tensor moved = empty_for(meta);
  copy_elements(result, moved);
  result = moved;
}

// Runs a composite in its fused form.  Returns false if it has none that takes this call.
bool run_in_one_visit(const OpCall& call, const std::vector<TensorMeta>& metas,
                      std::span<Tensor> results) {
  if (call.op->composite->is_one_kernel) {
    for (size_t i = 0; i < results.size(); ++i) results[i] = empty_for(metas[i]);
    run_compiled(call, results);
    return true;
  }
  if (metas[0].device != cpu) return false;
  if (!call.op->pointwise) return run_by_rows(call, metas, results);
  // The program rounds intermediates to the dtype, which is narrower than what the body computes
  // in, so the results would differ.
  if (bytes_of(metas[0].dtype) < 4) return false;
  results[0] = empty_for(metas[0]);
  run_pointwise(call, metas[0].dtype, results[0]);
  return true;
}

// Records the op's FLOPs if the session wants them.
void note_flops(const OpCall& call, const TensorMeta& result) {
  if (events::wants(events::Detail::flops)) [[unlikely]]
    events::record(events::Flops{ops::flops_of(call, result)});
}

class Executor : public Interpreter {
 public:
  void call(const OpCall& call, std::span<Tensor> results) override {
    const OpEvent event(call, results);
    const UsingStack alone(nullptr);  // calls made by composites and shape rules also run here
    const std::vector<TensorMeta> metas = infer(*call.op, call.operands, call.attrs);
    VITRO_ASSERT(metas.size() == results.size(), call.op->name, " returns ", metas.size(),
                 " results, expected ", results.size());
    if (call.op->kind == OpKind::composite) return run_composite(call, metas, results);
    note_flops(call, metas[0]);
    if (call.in_place) return run_in_place(call, metas[0], results[0]);
    if (call.op->kind == OpKind::view) {
      results[0] = view_of(call.operands[0].tensor(), metas[0]);
      return;
    }
    if (call.op->kind == OpKind::compaction) {
      results[0] = run_compaction(call);
      return;
    }
    for (size_t i = 0; i < results.size(); ++i) results[i] = empty_for(metas[i]);
    run_into(call, metas[0], results);
  }

 private:
  static void run_composite(const OpCall& call, const std::vector<TensorMeta>& metas,
                            std::span<Tensor> results) {
    const CalledAs name(call.op->name, call.where);
    if (!run_in_one_visit(call, metas, results)) {
      call.op->composite->expand(call.operands, call.attrs, results);
      for (size_t i = 0; i < results.size(); ++i) lay_out(metas[i], results[i]);
    } else {
      note_flops(call, metas[0]);
    }
    if (!call.in_place) return;
    const Tensor& target = call.operands[0].tensor();
    check_in_place(*call.op, target.meta(), metas[0]);
    copy_elements(results[0], target);
    target.storage().bump_version();
    results[0] = target;
  }
};

}  // namespace

void init() {
  static std::once_flag once;
  std::call_once(once, [] {
    auto* executor = new Executor;
    for (int kind = 0; kind < device_kind_count; ++kind)
      set_eager(static_cast<Device::Kind>(kind), executor);
  });
}

}  // namespace vitro::eager
