// The arguments of a node as its op's schema names them: "x, dims=[1, 0]".
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/base/result.h"
#include "vitro/core/arg_value.h"
#include "vitro/graph/graph.h"

namespace vitro::graph {

// Operands that are left out or have their default are not kept at the end, so that one call is one
// node however it was written.
void drop_defaults(const OpDef& op, std::vector<Arg>& args);

// As one would write the call: operands by position up to the first attribute, the rest by name;
// what has its default is left out.
std::string arguments_text(const Graph& g, const Node& node);

// Reads them into `args` and `attrs` of a node of `op`; in any form that the schema allows, whose
// overload may be named.  `operand` reads a value or a number of the graph.
using ReadOperand = std::function<Arg(std::string_view)>;
Result<Done> read_arguments(std::string_view text, std::string_view overload, Node& node,
                            const ReadOperand& operand, const SymbolNamed& symbols);

}  // namespace vitro::graph
