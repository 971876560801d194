// Which results may be written past the caches, and that they equal eager's.
#include "backend/lower/streams.h"

#include <gtest/gtest.h>

#include "programs.h"
#include "runtime/options.h"

namespace vitro::backend {
namespace {

class Streams : public ::testing::Test {
 protected:
  void SetUp() override {
    eager::init();
    runtime::stream_mb.set(0);
  }
  void TearDown() override { runtime::stream_mb.set(-1); }
};

std::vector<Tensor> random_tensors(const std::vector<Sizes>& sizes, DType dtype = DType::f32) {
  std::vector<Tensor> out;
  for (const Sizes& s : sizes)
    out.push_back(to(random_tensor(s, static_cast<uint32_t>(out.size())), dtype));
  return out;
}

// The text of the kernels; compares their results with eager.
std::string text_of(const std::vector<Sizes>& sizes, const Function& f, DType dtype = DType::f32) {
  Compiled c = compile_graph(graph_of(sizes, f, true, dtype));
  if (std::getenv("VITRO_SHOW")) show(c);
  const std::vector<Tensor> inputs = random_tensors(sizes, dtype);
  const std::vector<Tensor> want = f(inputs), got = c.run(inputs);
  for (size_t i = 0; i < want.size(); ++i) expect_same_bits(got[i], want[i]);
  std::string text;
  for (const KernelReport& kernel : c.report.kernels) text += kernel.source;
  return text;
}

bool streams(const std::string& text) {
  return text.find("store_or_stream(") != std::string::npos;
}

Function sum_of_two() {
  return [](std::vector<Tensor> in) { return std::vector<Tensor>{in[0] + in[1]}; };
}

TEST_F(Streams, only_what_may_be_large_and_is_not_read) {
  EXPECT_TRUE(streams(text_of({{700, 701}, {700, 701}}, sum_of_two())));
  EXPECT_FALSE(streams(text_of({{70, 71}, {70, 71}}, sum_of_two())));
  EXPECT_FALSE(streams(text_of({{701, 1027}}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{softmax(in[0], 1)};
  }))) << "powers are kept in the result until their sum is known";
}

TEST_F(Streams, elements_of_every_dtype) {
  for (const DType dtype :
       {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i64, DType::i32, DType::i16}) {
    EXPECT_TRUE(streams(text_of({{1031, 1033}, {1031, 1033}}, sum_of_two(), dtype)));
  }
}

TEST_F(Streams, rows_products_and_parts) {
  const std::vector<std::pair<std::vector<Sizes>, Function>> programs = {
      {{{701, 1040}}, [](auto in) { return std::vector<Tensor>{in[0] - mean(in[0], 0)}; }},
      {{{701, 40}, {40, 1027}},
       [](auto in) { return std::vector<Tensor>{relu(mm(in[0], in[1]))}; }},
      {{{701, 1040}, {701, 16}},
       [](auto in) { return std::vector<Tensor>{cat({in[0], in[1]}, 1)}; }},
      {{{701, 1027}, {1027, 701}},
       [](auto in) { return std::vector<Tensor>{in[0] + transpose(in[1], 0, 1)}; }},
  };
  for (const auto& [sizes, f] : programs) EXPECT_TRUE(streams(text_of(sizes, f)));
}

// The line at the end of such a row would be written both ways.
TEST_F(Streams, rows_of_whole_lines_or_of_many_halves) {
  const auto row = [](std::vector<Tensor> in) { return std::vector<Tensor>{in[0] - in[1]}; };
  for (const int64_t size : {64, 1000, 1040, 17001})
    EXPECT_TRUE(streams(text_of({{(1 << 19) / size, size}, {size}}, row))) << size;
  for (const int64_t size : {56, 72, 250, 1001, 1004, 1027})
    EXPECT_FALSE(streams(text_of({{(1 << 19) / size, size}, {size}}, row))) << size;
  EXPECT_TRUE(streams(text_of({{9000, 56}, {56}}, row, DType::f64)));
  EXPECT_FALSE(streams(text_of({{9000, 60}, {60}}, row, DType::f64)));
}

TEST_F(Streams, sizes_that_symbols_give_are_asked_at_each_launch) {
  const Size rows(12, sym::Expr::symbol("s0"));
  Compiled c = compile_graph(graph_of({{rows, 1031}, {rows, 1031}}, sum_of_two()));
  EXPECT_TRUE(streams(c.report.kernels[0].source));
  for (const int64_t n : {2, 701, 3}) {
    const std::vector<Tensor> inputs = random_tensors({{n, 1031}, {n, 1031}});
    expect_same_bits(c.run(inputs, {n})[0], inputs[0] + inputs[1]);
  }
}

TEST_F(Streams, a_program_may_name_its_values_as_kernels_name_functions) {
  const std::vector<std::string> names = {"store_or_stream", "end_streams", "streams",  "tree_add",
                                          "store_strided",   "isinf",       "floor_div"};
  for (const std::string& name : names) {
    graph::Builder b;
    const Tensor in = b.input(name, ops::dense(DType::f32, cpu, {700, 701}));
    {
      const Using use(&b);
      b.output(sum(in, 0));
      b.output(in * in);
    }
    const Tensor x = random_tensor({700, 701}, 1);
    const std::vector<Tensor> got = compile_graph(b.take()).run({x});
    expect_same_bits(got[0], sum(x, 0));
    expect_same_bits(got[1], x * x);
  }
}

}  // namespace
}  // namespace vitro::backend
