// Writes a package of torch.export, as torch.export.save does: one program and its weights.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/pt2/program_writer.h"
#include "vitro/core/tensor.h"

namespace vitro::io {

struct PackageWeight {
  std::string name;
  SavedWeight::Kind kind = SavedWeight::Kind::parameter;
  Tensor tensor;
};

// The file appears complete or not at all.  Weights that share memory share it in the file, too.
// Error: a name is used twice, or the file cannot be written.
void write_package(const std::string& path, std::string_view program,
                   const std::vector<PackageWeight>& weights);

}  // namespace vitro::io
