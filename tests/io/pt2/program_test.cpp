// Programs as torch.export writes them, shortened, and texts that are none: each failure names the
// model, the node and the field.
#include "io/pt2/program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "program_text.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/base/module_path.h"

namespace vitro::io {
namespace {

using Kind = ProgramArgument::Kind;
const std::string node = add_node;

std::string why(const std::string& text) {
  const auto program = parse_program(text, "net");
  return program ? "" : program.why();
}
bool says(const std::string& text, std::string_view part) {
  return text.find(part) != text.npos;
}

TEST(Program, is_read) {
  const Program p = parse_program(program_text(node, R"("L['x'].size()[0] != 7")"), "net").value();
  EXPECT_EQ(p.torch_version, "2.13.0");
  EXPECT_EQ(p.dialect, "TRAINING");
  ASSERT_EQ(p.graph.nodes.size(), 1U);
  const ProgramNode& add = p.graph.nodes[0];
  EXPECT_EQ(add.target, "torch.ops.aten.add.Tensor");
  EXPECT_EQ(add.inputs[0].name, "self");
  EXPECT_EQ(add.inputs[0].argument.value, 1U);
  EXPECT_EQ(add.inputs[2].argument.number, Scalar(2));
  EXPECT_EQ(p.graph.values[add.outputs[0].value].name, "y");
  // The innermost line of the model itself, not of PyTorch.
  EXPECT_EQ(file_and_line(add.where), "net.py:12");
  EXPECT_EQ(module_path(add.module), "block.0");
  EXPECT_EQ(p.inputs[0].kind, InputSpec::Kind::parameter);
  EXPECT_EQ(p.inputs[0].target, "block.w");
  EXPECT_EQ(cat(*p.inputs[1].meta->sizes[0].expression), "s0");
  EXPECT_EQ(p.inputs[1].meta->sizes[0].number, 3);
  EXPECT_EQ(p.inputs[1].meta->sizes[1].number, 4);
  EXPECT_EQ(p.ranges[0].high, 64);
  EXPECT_EQ(p.guards[0].text, "L['x'].size()[0] != 7");
  EXPECT_EQ(argument_paths(p), std::vector<std::string>{"x"});
  EXPECT_EQ(leaf_paths(p.out, ""), std::vector<std::string>{"['sum']"});
}

ProgramArgument argument(const std::string& text) {
  const std::string one = changed(node, R"({"as_int": 2})", text);
  return parse_program(program_text(one), "net").value().graph.nodes[0].inputs[2].argument;
}

TEST(Program, has_arguments_of_every_kind) {
  EXPECT_EQ(argument(R"({"as_none": true})").kind, Kind::none);
  EXPECT_EQ(argument(R"({"as_float": "-Infinity"})").number.as_double(), -INFINITY);
  EXPECT_EQ(argument(R"({"as_float": 0.1})").number.as_double(), 0.1);
  EXPECT_EQ(argument(R"({"as_bool": true})").number, Scalar(true));
  EXPECT_EQ(argument(R"({"as_int": 9223372036854775807})").number, Scalar(INT64_MAX));
  EXPECT_EQ(argument(R"({"as_complex": {"real": 1.0, "imag": -2.0}})").number.as_complex(),
            std::complex<double>(1, -2));
  EXPECT_EQ(argument(R"({"as_string": "tanh"})").text, "tanh");
  EXPECT_EQ(argument(R"({"as_scalar_type": 13})").dtype, DType::bf16);
  EXPECT_EQ(argument(R"({"as_layout": 7})").text, "strided");
  EXPECT_EQ(argument(R"({"as_memory_format": 2})").text, "channels_last");
  EXPECT_EQ(argument(R"({"as_device": {"type": "cpu", "index": null}})").text, "cpu");
  EXPECT_EQ(argument(R"({"as_sym_int": {"as_int": 5}})").number, Scalar(5));
  const auto ints = argument(R"({"as_ints": [1, -1]})");
  EXPECT_EQ(ints.kind, Kind::list);
  EXPECT_FALSE(ints.of_tensors);
  EXPECT_EQ(ints.list[1].number, Scalar(-1));
  const auto tensors =
      argument(R"({"as_optional_tensors": [{"as_none": true}, {"as_tensor": {"name": "w"}}]})");
  EXPECT_TRUE(tensors.of_tensors);
  EXPECT_EQ(tensors.list[0].kind, Kind::none);
  EXPECT_EQ(tensors.list[1].value, 0U);
  const auto graph = argument(
      R"({"as_graph": {"name": "body", "graph": {"inputs": [{"as_tensor": {"name": "x"}}], "outputs":
         [{"as_tensor": {"name": "x"}}], "nodes": [], "is_single_tensor_return": true}}})");
  EXPECT_EQ(graph.graph->values.size(), 1U);
  EXPECT_TRUE(graph.graph->returns_one);
}

TEST(Program, keeps_its_texts_printable) {
  const std::string text =
      program_text(changed(changed(changed(node, R"("name": "add")", R"("name": "a\u001b[2Jb")"),
                                   "net.py", R"(n\u0007\r.py)"),
                           "block.0", R"(b\u001b\n)"),
                   R"("L['x\u001b'].size()[0] != 7")");
  const std::string other = changed(changed(changed(text, "block.w", R"(w\n\u009b)"),
                                            R"({"as_int": 2})", R"({"as_string": "\u001b"})"),
                                    R"(["x"])", R"(["x\u202e"])");
  const Program p = parse_program(other, "n\x1b").value();
  EXPECT_EQ(p.name, "n\\x1b");
  EXPECT_EQ(p.graph.nodes[0].name, "a\\x1b[2Jb");
  EXPECT_EQ(p.graph.nodes[0].inputs[2].argument.text, "\\x1b");
  EXPECT_EQ(file_and_line(p.graph.nodes[0].where), "n\\x07\\r.py:12");
  EXPECT_EQ(module_path(p.graph.nodes[0].module), "b\\x1b\\n");
  EXPECT_EQ(p.inputs[0].target, "w\\n\\x9b");
  EXPECT_EQ(p.guards[0].text, "L['x\\x1b'].size()[0] != 7");
  EXPECT_EQ(argument_paths(p), std::vector<std::string>{"x\\u202e"});
}

TEST(Program, failures_are_printable) {
  for (const auto& [from, to] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {R"("name": "x")", R"("name": "z\u001b")"},
           {R"({"as_int": 2})", R"({"as\u001b\n": 2})"},
           {R"({"as_int": 2})", R"({"as_int": "\u007f"})"}}) {
    const std::string text = why(program_text(changed(node, from, to)));
    EXPECT_FALSE(text.empty());
    EXPECT_TRUE(std::ranges::none_of(text, [](char c) { return c < ' ' || c == 0x7f; })) << text;
  }
  EXPECT_EQ(why(program_text(node, R"("\u001b")")).find('\x1b'), std::string::npos);
}

TEST(Program, that_is_wrong_says_where) {
  EXPECT_TRUE(says(why("{"), "model net: is not JSON"));
  EXPECT_TRUE(says(why("[]"), "schema_version"));
  EXPECT_TRUE(says(why(changed(program_text(node), R"("major": 8)", R"("major": 9)")),
                   "schema version 8.x"));
  // A value that nobody defines, in a node that is named.
  const std::string dangling = why(program_text(changed(node, R"("name": "x")", R"("name": "z")")));
  EXPECT_TRUE(says(dangling, "model net: node add (torch.ops.aten.add.Tensor): ")) << dangling;
  EXPECT_TRUE(says(dangling, "inputs[0].arg.as_tensor.name: needs the name of an input"))
      << dangling;
  // Its own result, and a result of a later node.
  EXPECT_TRUE(
      says(why(program_text(changed(node, R"("name": "x")", R"("name": "y")"))), "earlier node"));
  EXPECT_TRUE(
      says(why(program_text(cat(node, ",", node))), "that no earlier value of the graph has"));
  EXPECT_TRUE(says(why(program_text(node, "", "q")), "outputs[0].as_tensor.name"));
  EXPECT_TRUE(says(why(program_text(changed(node, R"({"as_int": 2})", R"({"as_int": "2"})"))),
                   "as_int: needs an integer of 64 bits, got \"2\""));
  EXPECT_TRUE(says(
      why(program_text(changed(node, R"({"as_int": 2})", R"({"as_int": 99999999999999999999})"))),
      ""));
  EXPECT_TRUE(says(why(program_text(changed(node, R"({"as_int": 2})", R"({"as_custom_obj": {}})"))),
                   "needs an argument of a kind that Vitro has"));
  EXPECT_TRUE(says(
      why(program_text(changed(node, R"({"as_int": 2})", R"({"as_int": 2, "as_none": true})"))),
      "needs an object with one member"));
  EXPECT_TRUE(
      says(why(program_text(changed(node, R"({"as_int": 2})", R"({"as_scalar_type": 29})"))),
           "needs a dtype that Vitro has, which float8_e4m3fn is not, got 29"));
  EXPECT_TRUE(
      says(why(program_text(node, R"j("__import__('os').system('x')")j")), "guards_code[0]: "));
  EXPECT_TRUE(says(why(changed(program_text(node), R"("s0": {"min)", R"("s0 +": {"min)")),
                   "range_constraints: \"s0 +\""));
  EXPECT_TRUE(says(why(changed(program_text(node), R"({"as_int": 4}])", R"({"as_int": -4}])")),
                   "not negative"));
  EXPECT_TRUE(
      says(why(changed(program_text(node), R"({"user_input")", R"({"token")")), "tokens are not"));
  EXPECT_TRUE(says(why(changed(program_text(node), R"(, "y": )", R"(, "yy": )")), "tensor_values"));
}

TEST(Program, cut_anywhere_is_no_crash) {
  const std::string text = program_text(node, R"("L['x'].size()[0] != 7")");
  for (size_t size = 0; size < text.size(); size += 7) EXPECT_NE(why(text.substr(0, size)), "");
}

TEST(Program, of_any_depth_is_no_crash) {
  std::string deep, end;
  for (int i = 0; i < 100'000; ++i) {
    deep +=
        R"({"as_graph": {"name": "g", "graph": {"inputs": [], "outputs": [], "nodes": [{"target": "t", "outputs": [], "inputs": [{"name": "", "arg": )";
    end += "}]}]}}}";
  }
  EXPECT_NE(
      why(program_text(changed(node, R"({"as_int": 2})", cat(deep, R"({"as_int": 2})", end)))), "");
  std::string tree = R"({\"type\": null})";
  for (int i = 0; i < 200; ++i)
    tree =
        cat(R"({\"type\": \"builtins.list\", \"context\": null, \"children_spec\": [)", tree, "]}");
  EXPECT_TRUE(says(why(changed(program_text(node),
                               R"({\"type\": null, \"context\": null, \"children_spec\": []}]}, )",
                               tree + "]}, ")),
                   ""));
}

TEST(Program, names_arguments_and_results_by_their_paths) {
  Program p;
  const auto sequence = [](std::vector<ProgramTree> children) {
    ProgramTree out;
    out.kind = ProgramTree::Kind::sequence;
    out.children = std::move(children);
    return out;
  };
  ProgramTree dict, none;
  dict.kind = ProgramTree::Kind::dict;
  dict.keys = {"k", "3"};
  dict.integer_key = {false, true};
  dict.children = {ProgramTree(), sequence({ProgramTree(), ProgramTree()})};
  none.kind = ProgramTree::Kind::dict;
  p.in = sequence({sequence({ProgramTree(), dict}), none});
  p.argument_names = {"x", "d"};
  EXPECT_EQ(argument_paths(p), (std::vector<std::string>{"x", "d['k']", "d[3][0]", "d[3][1]"}));
  p.argument_names = {"args"};
  EXPECT_EQ(argument_paths(p)[1], "args[1]['k']");
}

}  // namespace
}  // namespace vitro::io
