// Programs of a few nodes: calls that are errors are found when they are loaded.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace vitro
