// Runs the formula of an op, or goes back through the program of a composite, and fits the
// gradients to the operands: sums over broadcast dimensions, converts to the operand's dtype.
#include "vitro/autograd/vjp.h"

#include <algorithm>
#include <memory>

#include "autograd/run_gradient.h"
#include "autograd/tape.h"
#include "core/numbers.h"
#include "vitro/base/error.h"
#include "vitro/core/complex.h"
#include "vitro/core/formula.h"
#include "vitro/core/reach.h"
#include "vitro/ops/create.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/view.h"

namespace vitro::autograd {
namespace {

bool same_sizes(const Sizes& a, const Sizes& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](Size x, Size y) {
           return identical(x, y) || equal(x, y);
         });
}

// The dimensions of a result of `sizes` along which an operand was broadcast.
Dims repeated(const Sizes& sizes, const Sizes& operand) {
  Dims dims;
  const size_t missing = sizes.size() - operand.size();
  for (size_t d = 0; d < sizes.size(); ++d) {
    const bool same = d >= missing && identical(sizes[d], operand[d - missing]);
    if (!same && (d < missing || (equal(operand[d - missing], 1) && !equal(sizes[d], 1))))
      dims.push_back(static_cast<int64_t>(d));
  }
  return dims;
}

// A gradient with the sizes and dtype of its operand.
Tensor fitted(const OpDef& op, Tensor gradient, const Tensor& operand) {
  const Sizes sizes = operand.sizes();
  if (gradient.rank() >= operand.rank()) {
    const Dims dims = repeated(gradient.sizes(), sizes);
    if (!dims.empty()) gradient = sum(gradient, dims, true);
    if (gradient.rank() > operand.rank()) gradient = reshape(gradient, sizes);
  }
  VITRO_ASSERT(same_sizes(gradient.sizes(), sizes), "the gradient of ", op.name, " has sizes ",
               gradient.sizes(), ", its operand has ", sizes);
  return to(gradient, operand.dtype());
}

// The gradients of results that can have one. Error if one does not fit its result.
std::vector<Tensor> checked(const OpDef& op, std::span<const Tensor> results,
                            std::span<const Tensor> gradients) {
  VITRO_CHECK(results.size() == gradients.size(), "vjp: ", op.name, " has ", results.size(),
              " results, got ", gradients.size(), " gradients");
  std::vector<Tensor> out(gradients.size());
  for (size_t k = 0; k < gradients.size(); ++k) {
    if (!gradients[k].defined() || !is_floating(results[k].dtype())) continue;
    VITRO_CHECK(same_sizes(gradients[k].sizes(), results[k].sizes()), "vjp: result ", k, " of ",
                op.name, " has sizes ", numbers_of(results[k].sizes()), ", its gradient has ",
                numbers_of(gradients[k].sizes()));
    out[k] = to(gradients[k], results[k].dtype());
  }
  return out;
}

// Error if the results cannot be those of a call with these operands.
void check_results(const OpCall& call, std::span<const Tensor> results) {
  const OpDef& op = *call.op;
  const std::vector<TensorMeta> made = infer(op, call.operands, call.attrs);
  VITRO_CHECK(results.size() == made.size(), "vjp: ", op.name, " has ", made.size(),
              " results, got ", results.size());
  for (size_t k = 0; k < made.size(); ++k) {
    const TensorMeta meta = call.in_place ? call.operands[0].tensor().rule_meta() : made[k];
    const bool sized = op.kind != OpKind::compaction;  // else a size depends on data
    VITRO_CHECK(
        results[k].dtype() == meta.dtype && (!sized || same_sizes(results[k].sizes(), meta.sizes)),
        "vjp: result ", k, " of ", op.name, " is ", results[k].dtype(),
        numbers_of(results[k].sizes()), ", but these operands give ", meta.dtype,
        numbers_of(meta.sizes), "; needs the operands and results of one call");
  }
}

// A call in place has overwritten its first operand and everything that shares memory with it.
void check_overwritten(const OpCall& call, const Tensor& written, std::span<const bool> wanted) {
  const Saved saved = saved_for(call, wanted);
  for (size_t i = 0; i < call.operands.size(); ++i) {
    if (!saved.operands[i]) continue;
    VITRO_CHECK(!may_share_memory(call.operands[i].tensor(), written), "vjp: the gradient of ",
                call.op->name, "_ needs the elements that operand ", i,
                " had before the call, which has overwritten them; clone it before the call and "
                "pass the clone as the operand");
  }
}

// The operands as distinct tensors: if one occurs twice, each occurrence has its own gradient,
// whether or not both are wanted.
std::vector<Tensor> distinct_operands(const OpCall& call) {
  std::vector<Tensor> out(call.operands.size());
  for (size_t i = 0; i < out.size(); ++i) {
    if (!call.operands[i].is_tensor()) continue;
    out[i] = call.operands[i].tensor();
    for (size_t before = 0; before < i; ++before) {
      if (!out[before].defined() || !out[before].same_as(out[i])) continue;
      out[i] = expand(out[i], out[i].sizes());
      break;
    }
  }
  return out;
}

void through_program(const OpCall& call, std::span<const Tensor> gradients,
                     std::span<const bool> wanted, std::span<Tensor> out) {
  const std::vector<Tensor> inputs = distinct_operands(call);
  std::vector<Operand> operands(call.operands.begin(), call.operands.end());
  Tape tape;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (inputs[i].defined()) operands[i] = Operand(inputs[i]);
    if (wanted[i]) tape.watch(inputs[i]);
  }
  std::vector<Tensor> results(gradients.size());
  {
    const Using recording(&tape);
    call.op->composite->expand(operands, call.attrs, results);
  }
  const std::vector<Tensor> all = tape.back(results, gradients, inputs);
  for (size_t i = 0; i < operands.size(); ++i) {
    if (wanted[i]) out[i] = all[i];
  }
}

bool is_complex_result(std::span<const Tensor> results) {
  return std::ranges::any_of(results,
                             [](const Tensor& t) { return t.defined() && t.is_complex(); });
}

// Complex numbers: the call is run again, as calls on pairs.
std::vector<Tensor> through_pairs(const OpCall& call, std::span<const Tensor> results,
                                  std::span<const Tensor> gradients, std::span<const bool> wanted) {
  const OpDef& op = *call.op;
  VITRO_CHECK(!call.in_place, "vjp: the gradient of ", op.name,
              "_ of complex numbers needs the elements that the call has overwritten; call ",
              op.name, " instead");
  VITRO_CHECK(results.size() == gradients.size(), "vjp: ", op.name, " has ", results.size(),
              " results, got ", gradients.size(), " gradients");
  const std::vector<Tensor> inputs = distinct_operands(call);
  std::vector<Operand> operands(call.operands.begin(), call.operands.end());
  Tape tape;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!inputs[i].defined()) continue;
    operands[i] = Operand(inputs[i]);
    if (wanted[i] && (is_floating(inputs[i].dtype()) || inputs[i].is_complex()))
      tape.watch(inputs[i]);
  }
  std::vector<Tensor> made(results.size()), given(results.size());
  {
    const Using recording(&tape);
    vitro::call(OpCall{&op, operands, call.attrs, false, call.where}, made);
  }
  for (size_t k = 0; k < made.size(); ++k) {
    if (!gradients[k].defined()) continue;
    VITRO_CHECK(same_sizes(gradients[k].sizes(), made[k].sizes()), "vjp: result ", k, " of ",
                op.name, " has sizes ", numbers_of(made[k].sizes()), ", its gradient has ",
                numbers_of(gradients[k].sizes()));
    given[k] = to(gradients[k], made[k].dtype());
  }
  std::vector<Tensor> out = tape.back(made, given, inputs);
  for (size_t i = 0; i < out.size(); ++i) {
    if (!wanted[i]) out[i] = Tensor();
  }
  return out;
}

}  // namespace

void run_gradient(const OpCall& call, std::span<const Tensor> results,
                  std::span<const Tensor> gradients, std::span<const bool> wanted,
                  std::span<Tensor> out) {
  const OpDef& op = *call.op;
  if (op.gradient->formula) {
    Formula formula(call, results, gradients, wanted, out);
    op.gradient->formula(formula);
  } else {
    through_program(call, gradients, wanted, out);
  }
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i].defined()) out[i] = fitted(op, out[i], call.operands[i].tensor());
  }
}

std::vector<Tensor> vjp(const OpCall& call, std::span<const Tensor> results,
                        std::span<const Tensor> gradients, std::span<const bool> wanted) {
  const OpDef& op = *call.op;
  const size_t n = call.operands.size();
  VITRO_CHECK(wanted.size() == n, "vjp: ", op.name, " got ", n, " operands, `wanted` has ",
              wanted.size());
  if (is_complex_call(call) || is_complex_result(results))
    return through_pairs(call, results, gradients, wanted);
  std::vector<Tensor> out(n);
  const std::vector<Tensor> given = checked(op, results, gradients);
  const auto asked = std::make_unique<bool[]>(n);
  for (size_t i = 0; i < n; ++i) {
    const Operand& operand = call.operands[i];
    const bool is_shape = i == 0 && op.pointwise && op.pointwise->first_is_shape;
    asked[i] =
        wanted[i] && operand.is_tensor() && is_floating(operand.tensor().dtype()) && !is_shape;
  }
  const std::span<const bool> sought(asked.get(), n);
  if (std::none_of(sought.begin(), sought.end(), [](bool b) { return b; }) ||
      std::none_of(given.begin(), given.end(), [](const Tensor& g) { return g.defined(); }))
    return out;
  const Verdict can = is_differentiable(op);
  VITRO_CHECK(can, op.name, ": has no gradient: ", can.why);
  check_results(call, results);
  if (call.in_place) check_overwritten(call, results[0], sought);
  run_gradient(call, results, given, sought, out);
  return out;
}

}  // namespace vitro::autograd
