// Graphs and tensors that several tests compile.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "backend/compile.h"
#include "eager/eager.h"
#include "vitro/graph/build.h"
#include "vitro/graph/pass.h"
#include "vitro/ops/all.h"
#include "vitro/ops/shapes.h"

namespace vitro::backend {

inline TensorMeta f32(Sizes sizes) {
  return ops::dense(DType::f32, cpu, std::move(sizes));
}

// Random numbers between -2 and 2; the same for the same seed.
inline Tensor random_tensor(const Sizes& sizes, uint32_t seed = 1) {
  Ints numbers;
  for (const Size size : sizes) numbers.push_back(size.value());
  Tensor t = Tensor::empty(numbers);
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> number(-2, 2);
  float* data = t.data<float>();
  for (int64_t i = 0; i < t.numel().value(); ++i) data[i] = number(random);
  return t;
}

using Function = std::function<std::vector<Tensor>(std::vector<Tensor>)>;

// The graph of a program of tensors with these sizes. `expand`: replaces composite ops by their
// definitions.
inline graph::Graph graph_of(const std::vector<Sizes>& inputs, const Function& f,
                             bool expand = true, DType dtype = DType::f32,
                             graph::InputKind kind = graph::InputKind::argument) {
  graph::Builder b;
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    tensors.push_back(b.input(i < 3 ? std::string(1, "xyz"[i]) : cat("x", i),
                              ops::dense(dtype, cpu, inputs[i]), kind));
  }
  const Using use(&b);
  b.set_expand(expand);
  for (const Tensor& result : f(tensors)) b.output(result);
  return b.take();
}

// The graph as the backend gets it from a captured program: expanded and rewritten by the passes.
inline graph::Graph passed_graph_of(const std::vector<Sizes>& inputs, const Function& f,
                                    DType dtype = DType::f32) {
  return graph::run_passes(graph_of(inputs, f, false, dtype), graph::standard_passes());
}

struct Compiled {
  std::unique_ptr<Executable> executable;
  CompileReport report;
  graph::Graph graph;
  std::vector<Tensor> run(const std::vector<Tensor>& inputs,
                          const std::vector<int64_t>& symbols = {}) {
    const std::vector<Operand> operands(inputs.begin(), inputs.end());
    std::vector<Tensor> outputs(outputs_wanted);
    executable->run(operands, symbols, outputs);
    return outputs;
  }
  size_t outputs_wanted = 0;
};

// Compiles for the same machine wherever the tests run.
inline BuildOptions for_any_host() {
  BuildOptions options;
  options.machine.emplace();
  return options;
}

inline Compiled compile_graph(const graph::Graph& g, BuildOptions options = for_any_host()) {
  Compiled out;
  out.graph = g;
  options.keep_loops = true;
  auto made = compile(g, options, &out.report);
  if (!made) throw_error(made.why());
  out.executable = *std::move(made);
  for (const graph::Output& output : g.outputs()) out.outputs_wanted += output.writes < 0;
  return out;
}

// Prints graph, loops, code and decisions.
inline void show(const Compiled& c) {
  std::printf("%s\n", graph::print(c.graph).c_str());
  for (const KernelReport& k : c.report.kernels) {
    std::printf("%s\n%s\n", k.loops.c_str(), k.source.c_str());
  }
  for (const FusionReport& d : c.report.fusion) {
    std::printf("%s -> %s: %s, %s\n", d.producer.c_str(), d.consumer.c_str(),
                d.verdict.ok ? "yes" : "no", d.verdict.why.c_str());
  }
}

// Same dtype, sizes, and bits of elements; all NaNs are equal.
inline void expect_same_bits(const Tensor& got, const Tensor& want) {
  ASSERT_EQ(got.dtype(), want.dtype());
  ASSERT_EQ(cat(got.sizes()), cat(want.sizes()));
  if (is_bool(got.dtype())) return expect_same_bits(to(got, DType::u8), to(want, DType::u8));
  dispatch(got.dtype(), [&]<class T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      const std::vector<T> a = got.to_vector<T>(), b = want.to_vector<T>();
      for (size_t i = 0; i < a.size(); ++i) {
        const auto x = static_cast<double>(static_cast<float>(a[i]));
        const auto y = static_cast<double>(static_cast<float>(b[i]));
        const bool same = std::memcmp(&a[i], &b[i], sizeof(T)) == 0 || (x != x && y != y);
        ASSERT_TRUE(same) << "element " << i << " is " << x << ", want " << y;
      }
    }
  });
}

// Compiles and compares with eager; returns the report.
inline CompileReport check_bits(const std::vector<Tensor>& inputs, const Function& f) {
  eager::init();
  std::vector<Sizes> sizes;
  for (const Tensor& t : inputs) sizes.push_back(t.sizes());
  Compiled c = compile_graph(graph_of(sizes, f, true, inputs[0].dtype()));
  if (std::getenv("VITRO_SHOW")) show(c);
  const std::vector<Tensor> want = f(inputs), got = c.run(inputs);
  for (size_t i = 0; i < want.size(); ++i) expect_same_bits(got[i], want[i]);
  return std::move(c.report);
}

}  // namespace vitro::backend
