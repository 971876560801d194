// The picture of a model's graph.
#pragma once

#include <string>

#include "vitro/exported/model.h"

namespace vitro::cli {

// Writes an SVG with the nodes of the program, the inputs above and the outputs below them, in
// frames of the modules that they were called from, down to `depth` levels.
void write_graph(const ExportedModel& model, const std::string& path, int depth);

// The first `depth` levels of the path of a module.
std::string module_prefix(std::string_view path, int depth);

}  // namespace vitro::cli
