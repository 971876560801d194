#include <algorithm>
#include <iterator>

#include "kinds.h"
#include "vitro/ops/overload.h"

namespace vitro::fuzz {
namespace {

std::vector<const OpDef*> ops_of(OpKind kind) {
  std::vector<const OpDef*> out;
  for (const OpDef* op : ops::all()) {
    // Those with attributes have rows of their own.
    const bool has_form = kind == OpKind::reduction || !op->attrs;
    const bool one_result = ops::overloads(op->name)[0].schema.results.size() == 1;
    if (op->kind == kind && has_form && one_result) out.push_back(op);
  }
  return out;
}

bool takes_numbers_only(const OpDef& op) {  // beside its first operand
  static constexpr std::string_view names[] = {"leaky_relu", "elu", "hardtanh"};
  return std::find(std::begin(names), std::end(names), op.name) != std::end(names);
}

bool choose_pointwise(Random& random, const Variables& all, Step& step) {
  static const auto* ops = new std::vector<const OpDef*>(ops_of(OpKind::pointwise));
  step.op = (*ops)[below(random, ops->size())];
  step.in_place = one_in(random, 5) && step.op->pointwise->promote != Promote::to_bool &&
                  !step.op->pointwise->first_is_condition;
  const auto first = step.op->pointwise->first_is_condition ? &is_condition
                     : step.in_place                        ? &writable
                                                            : &anything;
  const bool number_first = step.op->min_operands == 2 && !step.in_place && one_in(random, 20) &&
                            !takes_numbers_only(*step.op) && !step.op->pointwise->first_is_shape;
  if (number_first ? !number(random, step) : !pick(random, all, step, first)) return false;
  while (step.args.size() < step.op->max_operands) {
    if (!number_first && (takes_numbers_only(*step.op) || one_in(random, 3))) {
      number(random, step);
      continue;
    }
    const bool fitted = pick(random, all, step, [&](const Tensor& t) {
      for (const Arg& arg : step.args) {
        if (arg.kind == Arg::Kind::variable && !broadcasts(all[arg.variable], t)) return false;
      }
      return !step.in_place || broadcasts_to(t, chosen(all, step));
    });
    if (!fitted) return false;
  }
  return true;
}

// A divisor without the zeros that would be an error.
Tensor repaired(const Tensor& divisor, int repair) {
  return where(eq(divisor, 0), full_like(divisor, repair), divisor);
}

// Whether zeros in operand 1 are errors.
bool divides_whole_numbers(const Site& s) {
  if (!s.step.op->pointwise->whole_divisor) return false;
  for (size_t k = 0; k < s.step.args.size(); ++k) {
    const bool number = s.step.args[k].kind == Arg::Kind::number;
    if (is_floating(number ? s.n(k).dtype() : s.x(k).dtype())) return false;
  }
  return true;
}

Variables run_pointwise(const Site& s) {
  const bool repairs = s.occasion.repair != 0 && divides_whole_numbers(s);
  std::vector<Tensor> held;
  std::vector<Operand> operands;
  held.reserve(s.step.args.size());
  for (size_t k = 0; k < s.step.args.size(); ++k) {
    const Arg& arg = s.step.args[k];
    const bool divisor = repairs && k == 1;
    if (arg.kind == Arg::Kind::number) {
      const Scalar n = s.n(k);
      operands.emplace_back(divisor && !n.as_bool() ? Scalar(int64_t{s.occasion.repair}) : n);
    } else {
      held.push_back(divisor ? repaired(s.x(k), s.occasion.repair) : s.x(k));
      operands.emplace_back(held.back());
    }
  }
  Tensor result;
  vitro::call(OpCall{s.step.op, operands, {}, s.step.in_place, std::source_location::current()},
              {&result, 1});
  return {s.step.in_place ? s.x(0) : result};
}

bool choose_reduction(Random& random, const Variables& all, Step& step) {
  static const auto* ops = new std::vector<const OpDef*>(ops_of(OpKind::reduction));
  step.op = (*ops)[below(random, ops->size())];
  if (!pick(random, all, step, anything)) return false;
  const int64_t rank = chosen(all, step).rank();
  step.ints = {static_cast<int64_t>(one_in(random, 2)),  // keepdim
               one_in(random, 6) ? static_cast<int64_t>(below(random, dtype_count)) : -1};
  const bool one_dim = step.op->name.starts_with("arg");
  for (int64_t k = 0; k < rank; ++k) {
    if (one_in(random, 2) && (!one_dim || step.ints.size() == 2)) {
      step.ints.push_back(one_in(random, 4) ? k - rank : k);
    }
  }
  return true;
}

Variables run_reduction(const Site& s) {
  ops::ReduceAttrs attrs;
  attrs.keepdim = s.i(0) != 0;
  const bool converts =
      s.step.op->name == "sum" || s.step.op->name == "prod" || s.step.op->name == "mean";
  if (s.i(1) >= 0 && converts) attrs.dtype = s.d(1);
  for (size_t k = 2; k < s.step.ints.size(); ++k) attrs.dim.push_back(s.i(k));
  return {call_one(*s.step.op, std::vector<Operand>{s.x(0)},
                   {&attrs, &attrs_type<ops::ReduceAttrs>}, std::source_location::current())};
}

}  // namespace

void add_ops(Kinds& all) {
  all.push_back({"pointwise", 90, false, &choose_pointwise, &run_pointwise, ""});
  all.push_back({"reduction", 22, false, &choose_reduction, &run_reduction, ""});
}

}  // namespace vitro::fuzz
