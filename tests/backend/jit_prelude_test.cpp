// The precompiled prelude: compiled with it, a kernel is the same as from text, and trees that are
// damaged or belong to another prelude or machine are not used.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>

#include "backend/jit/compiler.h"
#include "backend/jit_folder.h"
#include "kernels/prelude.h"

namespace vitro::jit {
namespace {

const std::string three = "#pragma once\ninline float some() { return 3; }\n";
const std::string four_ = "#pragma once\ninline float some() { return 4; }\n";
const std::string user =
    "#include \"vitro_prelude.h\"\nextern \"C\" void add_some(float* x) { *x += some(); }\n";

// A file that goes away with the test.
class TempFile {
 public:
  explicit TempFile(const std::string& bytes) {
    int file = mkstemp(name_);
    EXPECT_EQ(write(file, bytes.data(), bytes.size()), ssize_t(bytes.size()));
    close(file);
  }
  ~TempFile() { unlink(name_); }
  const char* path() const { return name_; }

 private:
  char name_[32] = "/tmp/vitro-tree.XXXXXX";
};

std::string tree_of(const std::string& prelude) {
  Result<std::string> tree = precompile(prelude, host_target());
  EXPECT_TRUE(tree) << tree.why();
  return tree ? *tree : "";
}

Result<Compiled> compile(const std::string& text, const std::string& prelude,
                         const std::string& tree) {
  WireRequest request = request_for(host_target());
  request.sources = {text};
  request.prelude = prelude;
  TempFile file(tree);
  request.precompiled = file.path();
  return compile_in_process(request);
}

TEST(JitPrelude, a_tree_gives_what_the_text_gives) {
  auto text = compile(user, three, "");
  auto tree = compile(user, three, tree_of(three));
  ASSERT_TRUE(text) << text.why();
  ASSERT_TRUE(tree) << tree.why();
  EXPECT_FALSE(text->from_tree);
  EXPECT_TRUE(tree->from_tree);
  EXPECT_EQ(text->objects.at(0).size(),
            tree->objects.at(0).size());  // they name the prelude's folder differently
}

TEST(JitPrelude, a_tree_of_another_prelude_is_not_read) {
  ASSERT_EQ(three.size(), four_.size());
  auto right = compile(user, four_, "");
  auto other = compile(user, four_, tree_of(three));
  ASSERT_TRUE(right && other);
  EXPECT_FALSE(other->from_tree);
  EXPECT_TRUE(right->objects == other->objects);
}

TEST(JitPrelude, a_tree_for_another_machine_is_not_read) {
  Target target = host_target();
  target.features += target.features.empty() ? "+sse3" : ",+sse3";
  Result<std::string> tree = precompile(three, target);
  ASSERT_TRUE(tree) << tree.why();
  auto compiled = compile(user, three, *tree);
  ASSERT_TRUE(compiled) << compiled.why();
  EXPECT_FALSE(compiled->from_tree);
}

TEST(JitPrelude, without_a_whole_tree_the_prelude_is_read_as_text) {
  const std::string tree = tree_of(three);
  for (size_t size :
       {size_t{0}, size_t{10}, size_t{64}, size_t{68}, size_t{200}, tree.size() / 2}) {
    auto compiled = compile(user, three, tree.substr(0, size));
    ASSERT_TRUE(compiled) << size << ": " << compiled.why();
    EXPECT_FALSE(compiled->from_tree) << size;
    EXPECT_EQ(compiled->diagnostics, "") << size;
  }
}

TEST(JitPrelude, a_damaged_tree_is_not_read) {
  const std::string tree = tree_of(three);
  for (size_t at = 0; at < tree.size(); at += tree.size() / 40) {
    std::string damaged = tree;
    damaged[at] = char(~damaged[at]);
    auto compiled = compile(user, three, damaged);
    ASSERT_TRUE(compiled) << at << ": " << compiled.why();
    EXPECT_FALSE(compiled->from_tree) << at;
  }
}

TEST(JitPrelude, a_wrong_text_is_explained_with_a_tree_too) {
  auto compiled = compile(user + "int g() { return y; }\n", three, tree_of(three));
  ASSERT_FALSE(compiled);
  EXPECT_TRUE(says(compiled.why(), "kernels.cpp:3:18: error: use of undeclared identifier 'y'"))
      << compiled.why();
}

TEST(JitPrelude, the_prelude_of_generated_kernels_compiles_without_a_warning) {
  CacheFolder folder;
  const Prelude prelude(kernels::prelude_header());
  std::vector<std::string> texts = {"#include \"vitro_prelude.h\"\n" + adder(1)};
  JitReport report;
  auto module = load_or_compile(texts, prelude, &report);
  ASSERT_TRUE(module) << module.why();
  EXPECT_EQ(report.diagnostics, "");
  EXPECT_EQ(run(**module, "add1"), 2.0f);
}

// With AVX-512, LLVM 19 could not select instructions for these uses of an equality of one number.
TEST(JitPrelude, an_equality_that_selects_one_number_compiles_for_every_instruction_set) {
  const std::string text =
      "#include \"vitro_prelude.h\"\n"
      "extern \"C\" void root(double* x, const double* y) {\n"
      "  for (i64 i = 0; i < 8; ++i) {\n"
      "    const Vec<f64> sum = splat(y[i]);\n"
      "    const Vec<bool> none = eq(sum, splat(0.0));\n"
      "    const Vec<f64> root = select(none, splat(0.0), sqrt(select(none, splat(1.0), sum)));\n"
      "    x[i] = lane0(maximum(splat(0.001) + root - root, splat(0.0)));\n"
      "  }\n"
      "}\n";
  for (kernels::Isa isa : {kernels::Isa::baseline, kernels::Isa::avx2, kernels::Isa::avx512}) {
    WireRequest request = request_for(target_of(isa));
    request.sources = {text};
    request.prelude = kernels::prelude_header();
    auto compiled = compile_in_helper(request);
    EXPECT_TRUE(compiled) << kernels::name(isa) << ": " << compiled.why();
  }
}

TEST(JitPrelude, another_prelude_is_another_module) {
  CacheFolder folder;
  std::vector<std::string> texts = {user};
  auto first = load_or_compile(texts, Prelude(three));
  auto second = load_or_compile(texts, Prelude(four_));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(run(**first, "add_some"), 4.0f);
  EXPECT_EQ(run(**second, "add_some"), 5.0f);
}

}  // namespace
}  // namespace vitro::jit
