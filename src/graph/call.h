// What a node is given, as the arguments of a call by ATen's schemas, and back:
//   slice(x, dim=1, start=3)      sum(x, dim=[0], keepdim=true)      cat([x, y], dim=1)
// Operands stand by position as far as nothing before them is left out, everything else by name;
// what equals its default is left out.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "vitro/graph/graph.h"

namespace vitro::graph {

using ArgText = std::function<std::string(const Arg&)>;
using ReadArg = std::function<Arg(std::string_view)>;

std::string arguments_text(const Node& node, const ArgText& text_of);

// Operands and attributes of `node`, whose op is known; by position or name, as the first of the
// op's overloads that takes them has it.  Empty, or which argument is wrong and what it must be.
std::string read_arguments(std::string_view text, const ReadArg& read_arg,
                           const SymbolNamed& symbols, Node& node);

}  // namespace vitro::graph
