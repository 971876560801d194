// Contents of files, and of tensors as files have them.
#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "io/elements.h"
#include "io/scratch.h"
#include "vitro/base/cat.h"
#include "vitro/report/output.h"

namespace vitro::io {

inline std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The path of a scratch file with this content.
inline std::string file_of(std::string_view name, std::string_view content) {
  std::string path = scratch(name);
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

// All elements in the order of their indices.
inline std::string elements_of(const Tensor& tensor) {
  report::TextOutput out;
  write_elements(out, tensor);
  out.finish();
  return out.text();
}

// The text with the first `what` replaced.
inline std::string with(std::string_view text, std::string_view what, std::string_view by) {
  const size_t at = text.find(what);
  return cat(text.substr(0, at), by, text.substr(at + what.size()));
}

}  // namespace vitro::io
