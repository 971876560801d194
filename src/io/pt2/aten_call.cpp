// Chooses the overload that takes a node's operands as they are, numbers and tensors; some of
// Vitro's own ops are written as the calls of ATen that they come from.
#include "io/pt2/aten_call.h"

#include <algorithm>
#include <string_view>

#include "vitro/base/cat.h"
#include "vitro/ops/convolution.h"
#include "vitro/ops/overload.h"

namespace vitro::io {
namespace {

using graph::GivenArgument;
using graph::Node;

// An op that is another call of ATen: with further arguments that have this value, or whose last
// operand is the argument `operand`.
struct Rewritten {
  std::string_view op, overload, operand;
  std::string_view argument;
  const char* text = nullptr;  // of that argument; null: `number`
  int64_t number = 0;
};
constexpr Rewritten rewritten[] = {
    {"add_scaled", "add.Tensor", "alpha", {}},
    {"sub_scaled", "sub.Tensor", "alpha", {}},
    {"trunc_divide", "div.Tensor_mode", {}, "rounding_mode", "trunc"},
    {"cube", "pow.Tensor_Scalar", {}, "exponent", nullptr, 3},
    // PyTorch may give the operand strides that have no such view.
    {"view", "reshape", {}, {}},
};

std::string target_of(const Schema& schema) {
  return cat("torch.ops.aten.", schema.name, '.',
             schema.overload.empty() ? "default" : schema.overload);
}

std::optional<AtenCall> rewritten_call(const Node& node, const Rewritten& as) {
  const ops::Overload* overload = ops::overload(as.overload);
  if (!overload) return std::nullopt;
  const Schema& schema = overload->schema;
  AtenCall out{target_of(schema), &schema, {}};
  size_t operands = node.args.size();
  if (!as.operand.empty()) {
    out.arguments.push_back({schema.argument(as.operand), node.args.back()});
    --operands;
  }
  for (size_t i = 0; i < operands; ++i)
    out.arguments.push_back({&schema.arguments[i], node.args[i]});
  if (!as.argument.empty())
    out.arguments.push_back({schema.argument(as.argument), as.text ? ArgValue(std::string(as.text))
                                                                   : ArgValue(Scalar(as.number))});
  for (const NamedArg& one : node.attrs ? node.attrs.view().type->values(node.attrs.view().data)
                                        : std::vector<NamedArg>())
    out.arguments.push_back({schema.argument(one.name == "size" ? "shape" : one.name), one.value});
  std::ranges::sort(out.arguments, {}, &GivenArgument::argument);
  return out;
}

// Without a bias, which is added by a node of its own.  Nothing if the padding differs on both
// sides.
std::optional<AtenCall> convolution_call(const Node& node) {
  const ops::Overload* overload = ops::overload("convolution");
  const auto& attrs = node.attrs.as<ops::ConvolveAttrs>();
  if (!overload || !attribute::same(attrs.padding, attrs.padding_after)) return std::nullopt;
  const Schema& schema = overload->schema;
  AtenCall out{target_of(schema), &schema, {}};
  const auto add = [&](std::string_view name, auto value) {
    out.arguments.push_back({schema.argument(name), std::move(value)});
  };
  add("input", node.args[0]);
  add("weight", node.args[1]);
  add("bias", ArgValue());
  add("stride", attribute::value_of(attrs.stride));
  add("padding", attribute::value_of(attrs.padding));
  add("dilation", attribute::value_of(attrs.dilation));
  add("transposed", ArgValue(Scalar(false)));
  add("output_padding", ArgValue(std::vector<Scalar>(attrs.stride.size(), Scalar(0))));
  add("groups", attribute::value_of(attrs.groups));
  return out;
}

// How well an operand suits an argument: 0 well, 1 as a number that torch makes a tensor, 2 not.
int misfit(const graph::Graph& g, const graph::Arg& operand, const ArgType& type) {
  const bool takes_tensor = type.kind == ArgKind::tensor;
  if (std::holds_alternative<std::monostate>(operand))
    return type.optional || type.optional_elements ? 0 : 2;
  const auto* value = std::get_if<graph::Value>(&operand);
  const bool is_number =
      !value || (g[value->node].is_input() && g[value->node].input == graph::InputKind::number);
  if (!is_number) return takes_tensor ? 0 : 2;
  return takes_tensor ? (type.list ? 2 : 1) : 0;
}

int misfit(const graph::Graph& g, const std::vector<GivenArgument>& arguments) {
  int worst = 0;
  for (const GivenArgument& one : arguments) {
    if (const auto* operand = std::get_if<graph::Arg>(&one.value))
      worst = std::max(worst, misfit(g, *operand, one.argument->type));
    if (const auto* list = std::get_if<std::vector<graph::Arg>>(&one.value))
      for (const graph::Arg& element : *list)
        worst = std::max(worst, misfit(g, element, one.argument->type));
    // An attribute may be several dimensions where an overload takes one.
    const auto* value = std::get_if<ArgValue>(&one.value);
    if (value && std::holds_alternative<std::vector<Scalar>>(*value) && !one.argument->type.list)
      return 2;
  }
  return worst;
}

// Whether the results of the node are those of the schema.
bool gives(const Schema& schema, const Node& node) {
  if (schema.results.size() == 1 && schema.results[0].type.list) return true;
  return schema.results.size() == node.results.size();
}

}  // namespace

std::optional<AtenCall> aten_call(const graph::Graph& g, const Node& node) {
  for (const Rewritten& one : rewritten)
    if (one.op == node.op->name) return rewritten_call(node, one);
  if (node.op->name == ops::Convolve::name) return convolution_call(node);
  std::optional<AtenCall> best;
  int least = 2;
  for (const ops::Overload& one : ops::overloads(*node.op)) {
    if (!ops::is_in_aten(one.schema) || !gives(one.schema, node)) continue;
    std::optional<std::vector<GivenArgument>> arguments = graph::given_arguments(node, one);
    if (!arguments) continue;
    const int now = misfit(g, *arguments);
    if (now >= least) continue;
    least = now;
    best = AtenCall{target_of(one.schema), &one.schema, std::move(*arguments)};
  }
  return best;
}

}  // namespace vitro::io
