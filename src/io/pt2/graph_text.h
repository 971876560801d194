// Reads the graphs in the JSON text of a program.  Errors name the node and the field.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "io/pt2/json_field.h"
#include "io/pt2/program.h"

namespace vitro::io {

ProgramGraph read_graph(const Field& graph);
// An argument that is not a value of a graph: {"as_int": 3}.
ProgramArgument read_literal(const Field& argument);
ProgramMeta read_meta(const Field& tensor_meta);
ProgramSize read_size(const Field& size);
// The number of "contiguous_format" or "contiguous".
std::optional<int64_t> memory_format_number(std::string_view name);

}  // namespace vitro::io
