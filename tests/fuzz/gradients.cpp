#include "gradients.h"

#include "vitro/autograd/autograd.h"
#include "vitro/ops/all.h"

namespace vitro::fuzz {
namespace {

// The sums of squares of those that require gradients.
Variables sums_of_squares(const Variables& all) {
  Variables out;
  for (const Tensor& t : all) {
    if (!t.defined() || !t.requires_grad()) continue;
    const Tensor& numbers = t.is_complex() ? t.pairs() : t;
    out.push_back(sum(numbers * numbers));
  }
  return out;
}

}  // namespace

bool has_gradients(const Program& program, size_t input) {
  return program.gradients != Gradients::none && program.inputs[input].leaf;
}

void require_gradients(const Program& program, const Variables& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    Tensor input = inputs[i];
    if (has_gradients(program, i) && is_floating(input.dtype()) && !input.requires_grad())
      input.set_requires_grad(true);
  }
}

Variables gradients_of(const Program& program, const Variables& results, const Variables& inputs) {
  Variables wanted;
  for (const Tensor& input : inputs) {
    if (input.requires_grad()) wanted.push_back(input);
  }
  const Variables outputs = sums_of_squares(results);
  if (outputs.empty() || wanted.empty()) return {};
  const bool twice = program.gradients == Gradients::twice;
  Variables out = grad(outputs, wanted, {}, {.create_graph = twice, .materialize_grads = true});
  const Variables again = twice ? sums_of_squares(out) : Variables();
  if (again.empty()) return out;
  for (Tensor& second : grad(again, wanted, {}, {.materialize_grads = true}))
    out.push_back(std::move(second));
  return out;
}

}  // namespace vitro::fuzz
