// The compilation shown in docs/backend.md is what the compiler produces.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "backend/programs.h"

namespace vitro::backend {
namespace {

std::string document() {
  std::ifstream file(VITRO_TEST_DATA "/../../docs/backend.md");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The code block that begins with `begin`, without its fences.
std::string block(const std::string& text, const std::string& begin) {
  const size_t at = text.find("\n" + begin), end = text.find("\n```\n", at);
  return at == std::string::npos ? std::string() : text.substr(at + 1, end - at);
}

TEST(Document, of_the_backend_shows_what_is_made) {
  eager::init();
  const std::string text = document();
  const Result<graph::Graph> shown = graph::parse(block(text, "graph["));
  ASSERT_TRUE(shown) << shown.why();
  const Compiled made = compile_graph(*shown);
  ASSERT_EQ(made.report.kernels.size(), 1U);
  EXPECT_EQ(graph::print(*shown), block(text, "graph["));
  EXPECT_EQ(made.report.kernels[0].loops, block(text, "kernel : "));
  EXPECT_EQ(made.report.kernels[0].source, block(text, "// tanh, "));
}

}  // namespace
}  // namespace vitro::backend
