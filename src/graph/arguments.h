// Prints and parses the arguments of a node by the schema of its op: "x, dims=[1, 0]".
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vitro/base/result.h"
#include "vitro/core/arg_value.h"
#include "vitro/graph/graph.h"
#include "vitro/ops/overload.h"

namespace vitro::graph {

// Drops trailing operands that are omitted or equal their defaults, so that equivalent calls give
// equal nodes.
void drop_defaults(const OpDef& op, std::vector<Arg>& args);

// An argument of a call: an operand, a list of them, or an attribute.
struct GivenArgument {
  const SchemaArgument* argument = nullptr;
  std::variant<Arg, std::vector<Arg>, ArgValue> value;
};

// The call of a node by an overload of its op, in the order of the schema, without arguments that
// have their defaults; nothing if the overload has no argument for an attribute, or too few for the
// operands.
std::optional<std::vector<GivenArgument>> given_arguments(const Node& node,
                                                          const ops::Overload& overload);

// Operands by position up to the first attribute, the rest by name; defaults are omitted.
std::string arguments_text(const Graph& g, const Node& node);

// Parses arguments into `args` and `attrs` of `node`, whose op is set.  Accepts any form that a
// schema of the op allows, or only that of `overload` unless it is empty.  `operand` parses a value
// of the graph or a number.
using ReadOperand = std::function<Arg(std::string_view)>;
Result<Done> read_arguments(std::string_view text, std::string_view overload, Node& node,
                            const ReadOperand& operand, const SymbolNamed& symbols);

}  // namespace vitro::graph
