// Jacobians, Hessians and their products, by backward passes.
#include "vitro/autograd/functional.h"

#include <span>
#include <string_view>

#include "core/numbers.h"
#include "vitro/autograd/autograd.h"
#include "vitro/base/error.h"
#include "vitro/ops/all.h"
#include "vitro/ops/shapes.h"

namespace vitro::functional {
namespace {

Function of_one(const Single& f) {
  return [&f](const Tensors& inputs) { return Tensors{f(inputs[0])}; };
}

// What a function is called with.
Tensors tracked(const Tensors& inputs, bool create_graph) {
  Tensors out;
  for (const Tensor& input : inputs) {
    const bool goes_on = create_graph && input.requires_grad();
    out.push_back(goes_on ? view(input, input.sizes()) : detach(input).set_requires_grad(true));
  }
  return out;
}

void check_one_number(std::string_view who, const Tensors& outputs) {
  VITRO_CHECK(outputs.size() == 1 && equal(outputs[0].numel(), 1), who,
              ": the function returns one number, got ", outputs.size(), " results",
              outputs.size() == 1 ? cat(" of sizes ", numbers_of(outputs[0].sizes())) : "");
}

void check_alike(std::string_view who, std::string_view what, const Tensors& v,
                 const Tensors& like) {
  VITRO_CHECK(v.size() == like.size(), who, ": v has ", v.size(), " tensors, there are ",
              like.size(), ' ', what);
  for (size_t i = 0; i < v.size(); ++i)
    VITRO_CHECK(ops::equal_sizes(v[i].sizes(), like[i].sizes()), who, ": v[", i, "] has sizes ",
                numbers_of(v[i].sizes()), ", the tensor among the ", what, " has ",
                numbers_of(like[i].sizes()));
}

Tensors zeros_for(const Tensors& all) {
  Tensors out;
  for (const Tensor& t : all) out.push_back(zeros_like(t));
  return out;
}

// As grad() does, for outputs of which some may be constant; zeros where there is no gradient.
Tensors gradients(const Tensors& outputs, const Tensors& inputs, const Tensors& seeds,
                  bool create_graph) {
  Tensors dependent, of_them;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].requires_grad()) continue;
    dependent.push_back(outputs[i]);
    of_them.push_back(seeds[i]);
  }
  if (dependent.empty()) return zeros_for(inputs);
  return grad(dependent, inputs, of_them,
              {.retain_graph = true, .create_graph = create_graph, .materialize_grads = true});
}

// The rows of the Jacobian of one output.
Tensors jacobian_of(const Tensor& output, const Tensors& inputs, bool create_graph) {
  const int64_t count = output.numel();
  const Sizes sizes = output.sizes();
  std::vector<Tensors> rows(inputs.size());
  for (int64_t k = 0; k < count; ++k) {
    const Tensor one = to(eq(arange(count), k), output.dtype());
    const Tensors row = gradients({output}, inputs, {reshape(one, sizes)}, create_graph);
    for (size_t i = 0; i < inputs.size(); ++i) rows[i].push_back(row[i]);
  }
  Tensors out;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Sizes both = sizes;
    for (const Size s : inputs[i].sizes()) both.push_back(s);
    out.push_back(count == 0 ? zeros(both, inputs[i].dtype()) : reshape(stack(rows[i]), both));
  }
  return out;
}

Tensors results(Tensors all, bool create_graph) {
  for (Tensor& t : all) {
    if (!create_graph && t.requires_grad()) t = detach(t);
  }
  return all;
}

}  // namespace

std::vector<Tensors> jacobian(const Function& f, const Tensors& inputs, const Options& options) {
  const EnableGrad recorded;
  const Tensors given = tracked(inputs, options.create_graph);
  std::vector<Tensors> out;
  for (const Tensor& output : f(given))
    out.push_back(jacobian_of(output, given, options.create_graph));
  return out;
}

std::vector<Tensors> hessian(const Function& f, const Tensors& inputs, const Options& options) {
  const EnableGrad recorded;
  const Tensors given = tracked(inputs, options.create_graph);
  const Tensors outputs = f(given);
  check_one_number("hessian", outputs);
  std::vector<Tensors> out;
  for (const Tensor& first : gradients(outputs, given, {ones_like(outputs[0])}, true))
    out.push_back(jacobian_of(first, given, options.create_graph));
  return out;
}

std::pair<Tensors, Tensors> vjp(const Function& f, const Tensors& inputs, const Tensors& v,
                                const Options& options) {
  const EnableGrad recorded;
  const Tensors given = tracked(inputs, options.create_graph), outputs = f(given);
  check_alike("vjp", "outputs", v, outputs);
  Tensors product = gradients(outputs, given, v, options.create_graph);
  return {results(outputs, options.create_graph), std::move(product)};
}

// The product with the transpose is linear in its vector, so that its own derivative is the
// product.
std::pair<Tensors, Tensors> jvp(const Function& f, const Tensors& inputs, const Tensors& v,
                                const Options& options) {
  const EnableGrad recorded;
  check_alike("jvp", "inputs", v, inputs);
  const Tensors given = tracked(inputs, options.create_graph), outputs = f(given);
  Tensors seeds;
  for (const Tensor& output : outputs) seeds.push_back(zeros_like(output).set_requires_grad(true));
  const Tensors transposed = gradients(outputs, given, seeds, true);
  Tensors product = gradients(transposed, seeds, v, options.create_graph);
  return {results(outputs, options.create_graph), std::move(product)};
}

std::pair<Tensor, Tensors> hvp(const Function& f, const Tensors& inputs, const Tensors& v,
                               const Options& options) {
  const EnableGrad recorded;
  check_alike("hvp", "inputs", v, inputs);
  const Tensors given = tracked(inputs, options.create_graph), outputs = f(given);
  check_one_number("hvp", outputs);
  const Tensors first = gradients(outputs, given, {ones_like(outputs[0])}, true);
  Tensors product = gradients(first, given, v, options.create_graph);
  return {results(outputs, options.create_graph)[0], std::move(product)};
}

Tensor jacobian(const Single& f, const Tensor& input, const Options& options) {
  return jacobian(of_one(f), Tensors{input}, options)[0][0];
}
Tensor hessian(const Single& f, const Tensor& input, const Options& options) {
  return hessian(of_one(f), Tensors{input}, options)[0][0];
}
std::pair<Tensor, Tensor> vjp(const Single& f, const Tensor& input, const Tensor& v,
                              const Options& options) {
  auto [outputs, product] = vjp(of_one(f), Tensors{input}, Tensors{v}, options);
  return {outputs[0], product[0]};
}
std::pair<Tensor, Tensor> jvp(const Single& f, const Tensor& input, const Tensor& v,
                              const Options& options) {
  auto [outputs, product] = jvp(of_one(f), Tensors{input}, Tensors{v}, options);
  return {outputs[0], product[0]};
}
std::pair<Tensor, Tensor> hvp(const Single& f, const Tensor& input, const Tensor& v,
                              const Options& options) {
  auto [value, product] = hvp(of_one(f), Tensors{input}, Tensors{v}, options);
  return {value, product[0]};
}

}  // namespace vitro::functional
