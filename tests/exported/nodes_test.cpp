// Programs of a few nodes: calls that are errors are found when they are loaded; views as another
// dtype show what is written to their memory.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "error_of.h"
#include "io/files.h"
#include "io/pt2/package_writer.h"
#include "io/pt2/program_text.h"
#include "vitro/base/cat.h"
#include "vitro/core/generator.h"
#include "vitro/exported/model.h"
#include "vitro/ops/create.h"
#include "vitro/ops/random.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace {

// `inputs` besides self=FROM; TO is the result.
std::string node(std::string_view target, std::string_view from, std::string_view to,
                 std::string_view inputs = "") {
  return cat(R"({"target": "torch.ops.aten.)", target,
             R"(", "inputs": [{"name": "self", "arg": {"as_tensor": {"name": ")", from,
             R"("}}, "kind": 1})", inputs.empty() ? "" : ", ", inputs,
             R"(], "outputs": [{"as_tensor": {"name": ")", to, R"("}}], "name": ")", to,
             R"(", "metadata": {"stack_trace": "File \"/m/net.py\", line 7, in forward"}})");
}
std::string argument(std::string_view name, std::string_view value) {
  return cat(R"({"name": ")", name, R"(", "arg": )", value, R"(, "kind": 1})");
}
std::string as_dtype(int number) {
  return argument("dtype", cat(R"({"as_scalar_type": )", number, "}"));
}
constexpr int i32 = 4, f32 = 7, u8 = 1;

// A program of x: f32[s0, 4], whose size is 3 in the example, that returns y.
std::string file_of(const std::string& nodes) {
  std::string path = io::scratch("nodes.pt2");
  io::write_package(path, io::program_text(nodes),
                    {{"block.w", io::SavedWeight::Kind::parameter, full({4}, 1.0)}});
  return path;
}
std::string why(const std::string& nodes) {
  return error_of([&] { return load(file_of(nodes)); });
}

TEST(ExportedNodes, a_value_that_an_op_does_not_take_is_found_by_load) {
  const std::string word =
      why(node("gelu.default", "x", "y", argument("approximate", R"({"as_string": "erf"})")));
  EXPECT_NE(word.find("nodes.pt2: model model: node y (aten.gelu.default) of net.py:7: gelu"),
            word.npos)
      << word;
  EXPECT_NE(word.find("erf"), word.npos) << word;
  const std::string dim = why(node("softmax.int", "x", "y", argument("dim", R"({"as_int": 5})")));
  EXPECT_NE(dim.find("node y (aten.softmax.int) of net.py:7: softmax: "), dim.npos) << dim;
  // Of what other nodes compute, too.
  const std::string later =
      why(cat(node("relu.default", "x", "z"), ",",
              node("squeeze.dim", "z", "q", argument("dim", R"({"as_int": 9})")), ",",
              node("relu.default", "q", "y")));
  EXPECT_NE(later.find("node q (aten.squeeze.dim) of net.py:7: "), later.npos) << later;
}

TEST(ExportedNodes, what_depends_on_elements_is_left_to_the_call) {
  // The second size of z is known when the elements are.
  const std::string path = file_of(cat(
      node("nonzero.default", "x", "z"), ",",
      node("select.int", "z", "y",
           cat(argument("dim", R"({"as_int": 0})"), ", ", argument("index", R"({"as_int": 2})")))));
  const ExportedModel model = load(path);
  EXPECT_EQ(model({full({3, 4}, 1.0)})[0].to_vector<int64_t>(), (std::vector<int64_t>{0, 2}));
  EXPECT_NE(error_of([&] { model({zeros({3, 4})}); }), "");
}

TEST(ExportedNodes, loading_draws_no_random_numbers) {
  manual_seed(5);
  const float before = vitro::rand({1}).item<float>();
  manual_seed(5);
  (void)load(
      file_of(cat(node("rand_like.default", "x", "z"), ",", node("relu.default", "z", "y"))));
  EXPECT_EQ(vitro::rand({1}).item<float>(), before);
}

std::vector<float> next_floats(const std::vector<float>& x) {
  std::vector<float> out;
  for (const float one : x) out.push_back(std::bit_cast<float>(std::bit_cast<int32_t>(one) + 1));
  return out;
}

TEST(ExportedNodes, bits_are_seen_as_another_dtype) {
  const std::string path =
      file_of(cat(node("view.dtype", "x", "bits", as_dtype(i32)), ",",
                  node("add.Tensor", "bits", "more", argument("other", R"({"as_int": 1})")), ",",
                  node("view.dtype", "more", "y", as_dtype(f32))));
  const Tensor x = reshape(arange(12, DType::f32), {3, 4});
  const std::vector<float> want = next_floats(x.to_vector<float>());
  EXPECT_EQ(load(path)({x})[0].to_vector<float>(), want);
  // A copy in the graph is a view to whoever looks.
  const ExportedModel fast = load(path).compile({.fullgraph = true});
  for (int call = 0; call < 3; ++call) EXPECT_EQ(fast({x})[0].to_vector<float>(), want);
}

TEST(ExportedNodes, bytes_of_a_dtype_of_another_size_are_a_longer_row) {
  const std::string path = file_of(node("view.dtype", "x", "y", as_dtype(u8)));
  const Tensor x = full({3, 4}, 1.0);
  for (const ExportedModel& model : {load(path), load(path).compile({.fullgraph = true})}) {
    const Tensor y = model({x})[0];
    EXPECT_EQ(y.size(1), 16);
    EXPECT_EQ(y.to_vector<uint8_t>()[2], 0x80);
    EXPECT_EQ(y.to_vector<uint8_t>()[3], 0x3f);
  }
}

TEST(ExportedNodes, writes_to_a_view_as_another_dtype_are_seen) {
  const std::string path = file_of(
      cat(node("clone.default", "x", "c"), ",", node("view.dtype", "c", "bits", as_dtype(i32)), ",",
          node("add_.Tensor", "bits", "more", argument("other", R"({"as_int": 1})")), ",",
          node("clone.default", "c", "y")));
  const Tensor x = reshape(arange(12, DType::f32), {3, 4});
  const std::vector<float> want = next_floats(x.to_vector<float>());
  EXPECT_EQ(load(path)({x})[0].to_vector<float>(), want);
  const ExportedModel fast = load(path).compile();
  for (int call = 0; call < 3; ++call) EXPECT_EQ(fast({x})[0].to_vector<float>(), want);
  EXPECT_EQ(x.to_vector<float>()[1], 1.0F);
}

}  // namespace
}  // namespace vitro
