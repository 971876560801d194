// Runs the shape rule of a call (`infer`), and reports its errors with the numbers of this run, so
// that messages are the same for eager and compiled code.
#include "vitro/core/op.h"

#include <algorithm>

#include "core/numbers.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/core/formula.h"
#include "vitro/core/reach.h"

namespace vitro {

std::string_view name_of(OpKind kind) {
  switch (kind) {
    case OpKind::pointwise:
      return "pointwise";
    case OpKind::reduction:
      return "reduction";
    case OpKind::scan:
      return "scan";
    case OpKind::sort:
      return "sort";
    case OpKind::view:
      return "view";
    case OpKind::contraction:
      return "contraction";
    case OpKind::gather:
      return "gather";
    case OpKind::scatter:
      return "scatter";
    case OpKind::window:
      return "window";
    case OpKind::concat:
      return "concat";
    case OpKind::compaction:
      return "compaction";
    case OpKind::composite:
      return "composite";
    case OpKind::opaque:
      return "opaque";
  }
  __builtin_unreachable();
}

namespace {

// Runs the failing rule again with the numbers of this run, so that its message is the same for
// eager and compiled code.
void refuse_in_numbers(const OpDef& op, ShapeCall& shape, std::vector<TensorMeta>& metas) {
  for (TensorMeta& meta : metas) {
    meta.sizes = numbers_of(meta.sizes);
    meta.strides = numbers_of(meta.strides);
    meta.offset = Size(number_of(meta.offset));
  }
  std::vector<Argument> operands(shape.operands.begin(), shape.operands.end());
  std::vector<Scalar> numbers(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i].number) continue;
    const Scalar& number = *operands[i].number;
    numbers[i] = number.is_symbolic() ? Scalar(Size(number_of(number.size()))) : number.hint();
    operands[i].number = &numbers[i];
  }
  const Attrs plain = Attrs(shape.attrs).map_sizes([](Size s) { return Size(number_of(s)); });
  shape.results.clear();
  ShapeCall again{shape.op, operands, plain.view(), shape.results};
  op.shape(again);
}

}  // namespace

Ranks ranks_of(std::span<const Operand> operands) {
  Ranks out;
  for (const Operand& one : operands)
    out.push_back(one.is_tensor() ? static_cast<int>(one.tensor().rank()) : -1);
  return out;
}
Ranks ranks_of(std::span<const Argument> operands) {
  Ranks out;
  for (const Argument& one : operands)
    out.push_back(one.meta ? static_cast<int>(one.meta->rank()) : -1);
  return out;
}

std::vector<TensorMeta> infer(const OpDef& op, std::span<const Operand> operands, AttrsView attrs) {
  VITRO_CHECK(operands.size() >= op.min_operands &&
                  (op.max_operands == 255 || operands.size() <= op.max_operands),
              op.name, ": got ", operands.size(), " operands, needs ",
              static_cast<int>(op.min_operands),
              op.max_operands == op.min_operands ? "" : " or more");
  std::vector<TensorMeta> metas;
  std::vector<Argument> arguments(operands.size());
  metas.reserve(operands.size());
  const bool takes_numbers =
      op.kind == OpKind::pointwise || op.kind == OpKind::composite || op.kind == OpKind::opaque;
  const bool takes_none = takes_numbers || op.max_operands == 255;  // in a list of operands
  for (size_t i = 0; i < operands.size(); ++i) {
    const bool is_none = operands[i].kind() == Operand::Kind::none;
    const bool may_be_none = takes_none && (i > 0 || op.kind == OpKind::pointwise);
    VITRO_CHECK(operands[i].is_tensor() || (is_none ? may_be_none : takes_numbers), op.name,
                ": operand ", i, " must be a tensor");
    if (operands[i].is_tensor()) {
      metas.push_back(operands[i].tensor().rule_meta());
      arguments[i].meta = &metas.back();
    } else if (operands[i].is_number()) {
      arguments[i].number = &operands[i].number();
    } else {
      VITRO_CHECK(op.kind != OpKind::pointwise, op.name, ": operand ", i,
                  " is an undefined tensor; needs a tensor or a number");
    }
  }
  std::vector<TensorMeta> results;
  ShapeCall shape{op.name, arguments, attrs, results};
  try {
    op.shape(shape);
  } catch (const sym::Undecided&) {  // not an error: the sizes may fit once they are known
    throw;
  } catch (const sym::Overflow& e) {
    if (!CalledAs::current().name.empty()) throw;  // the error has its name
    throw_error(cat(op.name, ": ", e.what()));
  } catch (const Error&) {
    try {
      refuse_in_numbers(op, shape, metas);
    } catch (const NoNumber&) {
      // The rule asked for a number, and the op that decides it failed: the error is that op's.
    }
    throw;
  }
  for (const TensorMeta& result : results) check_sizes(op.name, result);
  return results;
}

Verdict is_differentiable(const OpDef& op) {
  const GradientInfo* gradient = op.gradient;
  if (!gradient) return Verdict::no("its definition does not specify one");
  if (gradient->formula || gradient->none_because.empty()) return Verdict::yes();
  return Verdict::no(std::string(gradient->none_because));
}

void check_in_place(const OpDef& op, const TensorMeta& target, const TensorMeta& result) {
  const auto is_empty = [&] {  // then PyTorch allows it, as nothing is written
    return std::ranges::any_of(target.sizes, [](Size s) { return known_equal(s, 0); });
  };
  bool fits = result.sizes.size() == target.sizes.size(), shared = false;
  for (size_t d = 0; fits && d < result.sizes.size(); ++d) {
    fits = equal(result.sizes[d], target.sizes[d]);
    // A stride that depends on a data size is 0 in a tensor without elements.
    shared = shared || (known_equal(target.strides[d], 0) && less(1, target.sizes[d]));
  }
  VITRO_CHECK(fits, op.name, "_: the result has sizes ", numbers_of(result.sizes),
              ", which differ from the first operand's sizes ", numbers_of(target.sizes));
  VITRO_CHECK(info(result.dtype).category <= info(target.dtype).category, op.name,
              "_: a result of ", result.dtype, " cannot be stored in a tensor of ", target.dtype,
              "; call ", op.name, " instead, or cast the operand");
  VITRO_CHECK(!shared || is_empty(), op.name,
              "_: several elements of the tensor share memory (sizes ", numbers_of(target.sizes),
              ", strides ", numbers_of(target.strides), "); clone it before writing");
}

}  // namespace vitro
