// The map of compiled code: names, sizes and source lines of functions, read from an object file.
#include "backend/jit/code_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <random>

#include "backend/jit_folder.h"
#include "vitro/base/cat.h"

namespace vitro::jit {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

const char* const two_functions =
    "extern \"C\" float twice(float x) {\n"
    "  return x * 2;\n"
    "}\n"
    "static float inner(float x) { return x + 1; }\n"
    "extern \"C\" float plus(const float* x, int n) {\n"
    "  float sum = 0;\n"
    "  for (int i = 0; i < n; ++i)\n"
    "    sum += inner(x[i]);\n"
    "  return sum;\n"
    "}\n";

// The object file of the text above, as stored in the cache.
std::string object(const CacheFolder&) {
  JitReport report;
  EXPECT_TRUE(load_or_compile(two_functions, &report));
  return bytes_of(report.path);
}

const CodeFunction* find(const std::vector<CodeFunction>& functions, std::string_view name) {
  const auto found = std::ranges::find(functions, name, &CodeFunction::name);
  return found == functions.end() ? nullptr : &*found;
}

TEST(CodeMap, functions_have_names_sizes_and_their_text) {
  CacheFolder folder;
  JitReport report;
  auto module = load_or_compile(two_functions, &report);
  ASSERT_TRUE(module) << module.why();
  const auto functions = functions_of(bytes_of(report.path));
  ASSERT_TRUE(functions) << functions.why();
  for (const char* name : {"twice", "plus"}) {
    const CodeFunction* f = find(*functions, name);
    ASSERT_TRUE(f) << name;
    EXPECT_GT(f->size, 0u);
    EXPECT_EQ(f->file, report.key + ".0.cpp");
    EXPECT_EQ(bytes_of(folder.path() + "/" + f->file), two_functions);
  }
}

TEST(CodeMap, lines_cover_a_function_in_order_and_are_its_own) {
  CacheFolder folder;
  const auto functions = functions_of(object(folder));
  ASSERT_TRUE(functions) << functions.why();
  const std::pair<uint32_t, uint32_t> of_twice{1, 3}, of_plus{4, 10};
  for (const auto& [name, first_last] :
       {std::pair("twice", of_twice), std::pair("plus", of_plus)}) {
    const CodeFunction* f = find(*functions, name);
    ASSERT_TRUE(f);
    ASSERT_FALSE(f->lines.empty());
    uint32_t end = 0;
    for (const CodeLine& line : f->lines) {
      EXPECT_GT(line.end, end);
      EXPECT_GE(line.line, first_last.first);
      EXPECT_LE(line.line, first_last.second);
      end = line.end;
    }
    EXPECT_EQ(end, f->size);
  }
}

TEST(CodeMap, code_from_the_prelude_counts_for_the_line_that_uses_it) {
  CacheFolder folder;
  const Prelude prelude("inline float added(float a) {\n  return a * a * a + 1;\n}\n");
  const std::string text =
      "#include \"vitro_prelude.h\"\nextern \"C\" float f(float x) {\n  return added(x);\n}\n";
  JitReport report;
  ASSERT_TRUE(load_or_compile(std::span(&text, 1), prelude, &report)) << report.diagnostics;
  const auto functions = functions_of(bytes_of(report.path));
  ASSERT_TRUE(functions) << functions.why();
  const CodeFunction* f = find(*functions, "f");
  ASSERT_TRUE(f);
  EXPECT_EQ(f->lines.back().end, f->size);
  for (const CodeLine& line : f->lines) EXPECT_LE(line.line, 4u);
  EXPECT_EQ(folder.count(".h"), 1u);
}

TEST(CodeMap, broken_objects_are_failures_or_less_and_nothing_worse) {
  CacheFolder folder;
  const std::string whole = object(folder);
  EXPECT_FALSE(functions_of(""));
  EXPECT_FALSE(functions_of("not an object at all, but longer than the head of one: ............"));
  for (size_t cut = 0; cut < whole.size(); cut += 97) (void)functions_of(whole.substr(0, cut));
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    std::string bytes = whole;
    for (int k = 0; k < 8; ++k) bytes[random() % bytes.size()] = static_cast<char>(random());
    const auto functions = functions_of(bytes);
    if (!functions) continue;
    for (const CodeFunction& f : *functions) EXPECT_LE(f.lines.size(), bytes.size());
  }
}

}  // namespace
}  // namespace vitro::jit
