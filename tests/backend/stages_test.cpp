// Splitting a loop of many functions into stages that pass rows through buffers.
#include "backend/lower/stages.h"

#include "backend/programs.h"
#include "eager/eager.h"

namespace vitro::backend {
namespace {

std::string check(const std::vector<Sizes>& sizes, const Function& f) {
  eager::init();
  Compiled c = compile_graph(graph_of(sizes, f));
  if (std::getenv("VITRO_SHOW")) show(c);
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < sizes.size(); ++i) {
    inputs.push_back(random_tensor(sizes[i], static_cast<uint32_t>(i + 1)));
  }
  const std::vector<Tensor> want = f(inputs), got = c.run(inputs);
  for (size_t i = 0; i < want.size(); ++i) expect_same_bits(got[i], want[i]);
  EXPECT_EQ(c.report.kernels.size(), 1u);
  return c.report.kernels[0].source;
}

size_t count(const std::string& text, std::string_view word) {
  size_t found = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

TEST(Stages, a_chain_of_functions_becomes_loops_that_hand_on_rows) {
  for (const Size size : {Size(64), Size(1000), Size(5000), Size(1 << 20)}) {
    const std::string text = check({{size}}, [](std::vector<Tensor> in) {
      return std::vector<Tensor>{tanh(tanh(tanh(in[0])))};
    });
    EXPECT_EQ(count(text, "+= 16"), 3u) << text;
    EXPECT_EQ(count(text, "tanh(load("), 3u) << text;
    EXPECT_EQ(count(text, "f32 stage_row"), 2u) << text;
    EXPECT_EQ(count(text, "loops: chain of dependent functions"), 1u) << text;
  }
}

TEST(Stages, rows_are_taken_up_again) {
  const std::string text = check({{4096}}, [](std::vector<Tensor> in) {
    Tensor x = in[0];
    for (int i = 0; i < 8; ++i) x = gelu(x);
    return std::vector<Tensor>{x};
  });
  EXPECT_EQ(count(text, "+= 16"), 8u) << text;
  EXPECT_EQ(count(text, "f32 stage_row"), 2u) << text;
}

TEST(Stages, what_several_loops_need_is_computed_once) {
  const std::string text = check({{300, 700}, {700}}, [](std::vector<Tensor> in) {
    const Tensor a = sigmoid(in[0] + in[1]), b = tanh(exp(a)) * a;
    return std::vector<Tensor>{sin(b) + a, b, erf(sin(b) * tanh(a))};
  });
  EXPECT_GT(count(text, "+= 16"), 1u) << text;
  EXPECT_EQ(count(text, "sigmoid("), 1u) << text;
  EXPECT_EQ(count(text, " exp("), 1u) << text;
}

TEST(Stages, long_rows_are_taken_in_stretches) {
  const std::string text = check({{200, 3000}, {200, 1}}, [](std::vector<Tensor> in) {
    return std::vector<Tensor>{tanh(tanh(in[0] * in[1])), in[0] + in[1]};
  });
  EXPECT_EQ(count(text, "stretch <"), 1u) << text;
  EXPECT_EQ(count(text, "f32 stage_row[1024]"), 1u) << text;
}

TEST(Stages, what_is_flat_or_short_stays_one_loop) {
  const auto loops = [](const Sizes& sizes, const Function& f) {
    return count(check({sizes}, f), "+= 16");
  };
  EXPECT_EQ(loops({4096},
                  [](std::vector<Tensor> in) {
                    return std::vector<Tensor>{tanh(in[0] * 2 + 1) * sigmoid(in[0]) - exp(-in[0])};
                  }),
            1u);
  EXPECT_EQ(loops({4096},
                  [](std::vector<Tensor> in) {
                    Tensor x = in[0];
                    for (int i = 0; i < 20; ++i) x = x * 0.5 + 1;
                    return std::vector<Tensor>{x};
                  }),
            1u);
  EXPECT_EQ(
      loops({48},
            [](std::vector<Tensor> in) { return std::vector<Tensor>{tanh(tanh(tanh(in[0])))}; }),
      1u);
}

TEST(Stages, an_input_that_is_overwritten_is_read_before) {
  eager::init();
  graph::Builder b;
  const Tensor x = b.input("x", f32({5000}));
  {
    const Using use(&b);
    b.set_expand(true);
    const Tensor y = tanh(tanh(x)) * x;
    b.output(y, 0);
    b.output(tanh(y) + 1);
  }
  Compiled c = compile_graph(b.take());
  const Tensor value = random_tensor({5000}), before = clone(value);
  const Tensor got = c.run({value})[0], want = tanh(tanh(before)) * before;
  expect_same_bits(value, want);
  expect_same_bits(got, tanh(want) + 1);
}

}  // namespace
}  // namespace vitro::backend
