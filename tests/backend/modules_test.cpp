// How the kernels of a program are distributed to modules.
#include <gtest/gtest.h>

#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "eager/eager.h"
#include "jit_folder.h"
#include "programs.h"
#include "vitro/events/rare.h"

namespace vitro::backend {
namespace {

// One kernel for each number from `first` on.
graph::Graph kernels_of(int first, int count, int ops = 1) {
  return graph_of({{64}}, [=](std::vector<Tensor> in) {
    std::vector<Tensor> out;
    for (int i = first; i < first + count; ++i) {
      Tensor x = in[0];
      for (int k = 0; k < ops; ++k) x = tanh(x * (i + 0.5) + k);
      out.push_back(x);
    }
    return out;
  });
}

Sources sources_of(const graph::Graph& g) {
  const Program program(g);
  const Groups groups = fuse(program, {.fuse = true, .max_compute_nodes = 96});
  BufferAssignment assignment(program, groups);
  std::vector<LoweredKernel> kernels;
  for (const Group& group : groups.groups) {
    for (LoweredKernel& kernel : lower(program, assignment, group))
      kernels.push_back(std::move(kernel));
  }
  return write_sources(kernels, g.symbols());
}

// A kernel for each number: siblings with the same input would be merged.
Sources apart(int first, int count, int ops = 1) {
  std::vector<LoweredKernel> kernels;
  const graph::Graph g = kernels_of(first, count, ops);
  const Program program(g);
  const Groups groups = fuse(program, {.fuse = false});
  BufferAssignment assignment(program, groups);
  for (const Group& group : groups.groups) {
    for (LoweredKernel& kernel : lower(program, assignment, group))
      kernels.push_back(std::move(kernel));
  }
  return write_sources(kernels, g.symbols());
}

std::set<std::string> texts_of(const Sources& sources) {
  std::set<std::string> out;
  for (const jit::ModuleText& module : sources.modules) out.insert(module.text);
  return out;
}

TEST(Modules, of_two_kernels_are_two_and_of_many_kernels_some_of_each_size) {
  EXPECT_EQ(sources_of(kernels_of(0, 1)).modules.size(), 1U);
  const Sources two = sources_of(graph_of({{64}, {16, 16}}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{exp(in[0]), sum(in[1], {1})};
  }));
  EXPECT_EQ(two.modules.size(), 2U);
  const Sources many = apart(0, 200);
  EXPECT_GT(many.modules.size(), 5U);
  for (const SourceKernel& kernel : many.kernels) {
    ASSERT_LT(kernel.module, many.modules.size());
    EXPECT_NE(many.modules[kernel.module].text.find(" " + kernel.symbol + "("), std::string::npos);
  }
}

TEST(Modules, are_the_same_for_the_same_program) {
  const Sources first = apart(0, 60), second = apart(0, 60);
  ASSERT_EQ(first.modules.size(), second.modules.size());
  for (size_t i = 0; i < first.modules.size(); ++i) {
    EXPECT_EQ(first.modules[i].text, second.modules[i].text);
    EXPECT_EQ(first.modules[i].content, second.modules[i].content);
  }
}

std::set<std::string> files_of(const std::string& folder) {
  std::set<std::string> out;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() == ".so") out.insert(file.path().filename());
  }
  return out;
}

TEST(Modules, are_the_same_whatever_the_number_of_cores) {
  eager::init();
  cpu_set_t all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  std::set<std::string> files[2];
  for (const cpu_set_t* cores : {&all, &one}) {
    const jit::CacheFolder folder;
    ASSERT_EQ(sched_setaffinity(0, sizeof *cores, cores), 0);
    compile_graph(kernels_of(0, 12), {.fuse = {.fuse = false}});
    files[cores == &one] = files_of(folder.path());
  }
  sched_setaffinity(0, sizeof all, &all);
  EXPECT_GT(files[0].size(), 1U);
  EXPECT_EQ(files[0], files[1]);
}

TEST(Modules, of_long_chains_grow_with_the_ops_and_no_kernel_with_the_chain) {
  const auto texts_of_chain = [](int ops) {
    const Sources sources = sources_of(graph_of({{64}}, [=](std::vector<Tensor> in) {
      Tensor x = in[0];
      for (int i = 0; i < ops; ++i) x = i % 2 ? tanh(x) : x * (1 - 1e-3 * i);
      return std::vector<Tensor>{x};
    }));
    size_t all = 0;
    for (const SourceKernel& kernel : sources.kernels) {
      EXPECT_LT(kernel.text.size(), 16U << 10);
      all += kernel.text.size();
    }
    return all;
  };
  const size_t one = texts_of_chain(1000), four = texts_of_chain(4000);
  EXPECT_LT(four, 9 * one / 2);
}

// On whatever thread they are compiled: a helper thread's phases belong to the graph too.
TEST(Modules, are_compiled_in_phases_of_their_graph) {
  const jit::CacheFolder folder;
  const uint64_t mark = events::rare_mark();
  compile_graph(kernels_of(0, 12), {.name = "mlp/0", .fuse = {.fuse = false}});
  size_t compiled = 0;
  for (const events::Rare& event : events::rare_since(mark)) {
    const auto* phase = std::get_if<events::Phase>(&event.what);
    if (!phase) continue;
    EXPECT_EQ(phase->subject, "mlp/0") << phase->phase;
    compiled += phase->phase == "compile_kernels";
  }
  EXPECT_GT(compiled, 1U);
}

TEST(Modules, that_a_few_kernels_more_do_not_concern_stay_as_they_are) {
  const std::set<std::string> before = texts_of(apart(0, 600)), after = texts_of(apart(3, 600));
  std::vector<std::string> both;
  std::ranges::set_intersection(before, after, std::back_inserter(both));
  EXPECT_GT(both.size(), before.size() / 2);
}

TEST(Modules, of_programs_that_differ_by_names_alone_are_compiled_once) {
  eager::init();
  const jit::CacheFolder folder;
  const auto program = [](std::string x, std::string y) {
    graph::Builder b;
    const Tensor left = b.input(std::move(x), f32({40})), right = b.input(std::move(y), f32({40}));
    const Using use(&b);
    b.output(tanh(left) * right);
    return b.take();
  };
  const Compiled first = compile_graph(program("price", "count"));
  Compiled second = compile_graph(program("left", "right"));
  EXPECT_NE(first.report.kernels[0].source, second.report.kernels[0].source);
  EXPECT_EQ(first.report.jit.key, second.report.jit.key);
  EXPECT_FALSE(first.report.jit.from_memory);
  EXPECT_TRUE(second.report.jit.from_memory);
  const Tensor x = random_tensor({40}, 1), y = random_tensor({40}, 2);
  expect_same_bits(second.run({x, y})[0], tanh(x) * y);
}

TEST(Modules, of_large_programs_call_what_others_have_inlined_with_the_same_digits) {
  eager::init();
  const graph::Graph g = graph_of({{3, 50}}, [](std::vector<Tensor> in) {
    std::vector<Tensor> out;
    for (int i = 0; i < 30; ++i) {
      Tensor x = in[0];
      for (int k = 0; k < 16; ++k) x = k % 2 ? tanh(x * (i + 0.5)) : gelu(x - 0.125 * k);
      out.push_back(x + out.size());
    }
    return out;
  });
  Compiled c =
      compile_graph(g, {.fuse = {.max_compute_nodes = 40}, .large_program_bytes = 1 << 10});
  ASSERT_GT(c.report.kernels.size(), 5U);
  for (const KernelReport& kernel : c.report.kernels)
    EXPECT_NE(kernel.source.find("[[clang::minsize]]"), std::string::npos);
  const Tensor x = random_tensor({3, 50});
  const std::vector<Tensor> got = c.run({x});
  for (const size_t i : {0U, 13U, 29U}) {
    Tensor want = x;
    for (int k = 0; k < 16; ++k)
      want = k % 2 ? tanh(want * (double(i) + 0.5)) : gelu(want - 0.125 * k);
    expect_same_bits(got[i], want + int64_t(i));
  }
}

}  // namespace
}  // namespace vitro::backend
