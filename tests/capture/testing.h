// Helpers shared by the tests of capture.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "eager/eager.h"
#include "error_of.h"
#include "vitro/base/error.h"
#include "vitro/compile/compile.h"
#include "vitro/ops/all.h"

namespace vitro {

inline CompileOptions graphs(std::string name = "f") {
  eager::init();
  return {.name = std::move(name), .backend = "eager", .dynamic = {}};
}

inline CompileOptions frozen() {
  CompileOptions options = graphs("cold");
  options.fullgraph = options.frozen = true;
  return options;
}

inline std::vector<float> values(const Tensor& t) {
  return t.to_vector<float>();
}

inline Tensor vec(std::vector<float> v) {
  const auto n = static_cast<int64_t>(v.size());
  return Tensor::from<float>(v, {n});
}

// 0, 1, 2, ... times `scale`, with these sizes.
inline Tensor counted(std::initializer_list<int64_t> sizes, float scale = 1) {
  int64_t n = 1;
  for (const int64_t s : sizes) n *= s;
  std::vector<float> v;
  for (int64_t i = 0; i < n; ++i) v.push_back(static_cast<float>(i) * scale);
  return Tensor::from<float>(v, sizes);
}

// The finding with this code; null if there is none.
inline const Diagnostic* find(const std::vector<Diagnostic>& list, std::string_view code) {
  for (const Diagnostic& f : list) {
    if (f.code->id == code) return &f;
  }
  return nullptr;
}

// Expects every graph of the report to be well-formed.
inline void expect_sound_graphs(const CompiledReport& report) {
  for (const SegmentReport& segment : report.segments)
    EXPECT_EQ(graph::verify(segment.graph), "") << graph::print(segment.graph);
}

}  // namespace vitro
