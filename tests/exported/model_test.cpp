// Models that torch exported (tools/make_pt2_samples.py): their results, eagerly and compiled, are
// those that torch computed; calls that the export was not made for are refused.
#include "vitro/exported/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <thread>

#include "error_of.h"
#include "io/files.h"
#include "io/pt2/package_writer.h"
#include "io/pt2/program_text.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/core/print.h"
#include "vitro/io/npy.h"
#include "vitro/io/safetensors.h"
#include "vitro/ops/create.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace {

namespace fs = std::filesystem;

std::string file(std::string_view name) {
  return cat(VITRO_TEST_DATA, "/pt2/", name);
}

// The calls of a sample.
class Sample {
 public:
  explicit Sample(std::string_view name)
      : file_(io::Safetensors::read(file(cat(name, ".safetensors"))).value()) {}
  int calls() const {
    int out = 0;
    while (std::ranges::any_of(file_.entries(), [&](const io::SafetensorsEntry& e) {
      return e.name.starts_with(cat(out, ".out."));
    }))
      ++out;
    return out;
  }
  bool has(const std::string& name) const { return file_.find(name) != nullptr; }
  Tensor tensor(const std::string& name) const { return clone(file_.tensor(name).value()); }
  // Of those inputs that are tensors.
  std::vector<NamedArg> inputs(const ExportedModel& model, int call) const {
    std::vector<NamedArg> out;
    for (const ModelInput& one : model.inputs()) {
      if (one.kind != ModelInput::Kind::tensor) continue;
      out.emplace_back().name = one.name;
      out.back().value = tensor(cat(call, ".in.", one.name));
    }
    return out;
  }

 private:
  io::Safetensors file_;
};

std::string sizes_of(const Tensor& x) {
  std::string out;
  for (const Size size : x.sizes()) out += cat(size.value(), ' ');
  return out;
}

double number(const Tensor& x, int64_t i) {
  const Tensor flat = reshape(to(x, DType::f64), {-1});
  return flat.to_vector<double>()[static_cast<size_t>(i)];
}

// Equal within a few roundings of f32, or of the dtype.
void expect_same(const Tensor& got, const Tensor& wanted, const std::string& what) {
  ASSERT_EQ(got.dtype(), wanted.dtype()) << what;
  ASSERT_EQ(sizes_of(got), sizes_of(wanted)) << what;
  const double tolerance = wanted.dtype() == DType::bf16 ? 0.01 : 2e-6;
  for (int64_t i = 0; i < wanted.numel().value(); ++i) {
    const double a = number(got, i), b = number(wanted, i);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    ASSERT_NEAR(a, b, tolerance * std::max(1.0, std::fabs(b))) << what << ", element " << i;
  }
}

void expect_as_in_torch(const ExportedModel& model, std::string_view name,
                        const std::vector<NamedArg>& more = {}) {
  const Sample sample(name);
  ASSERT_GT(sample.calls(), 0);
  for (int call = 0; call < sample.calls(); ++call) {
    std::vector<NamedArg> inputs = sample.inputs(model, call);
    if (static_cast<size_t>(call) < more.size()) inputs.push_back(more[static_cast<size_t>(call)]);
    const ModelResults out = model(std::span<const NamedArg>(inputs));
    for (size_t i = 0; i < out.size(); ++i) {
      const std::string what = cat(call, ".out.", i);
      if (sample.has(what)) expect_same(out[i], sample.tensor(what), cat(name, ' ', what));
      EXPECT_EQ(sample.has(what), std::holds_alternative<Tensor>(out.value(i))) << what;
    }
    for (const NamedArg& input : inputs) {
      const std::string what = cat(call, ".after.", input.name);
      if (sample.has(what))
        expect_same(std::get<Tensor>(input.value), sample.tensor(what), cat(name, ' ', what));
    }
  }
}

TEST(ExportedModel, gives_what_torch_gives) {
  for (const std::string_view name :
       {"mlp", "dynamic", "dynamic_core", "tree", "control", "data", "shapes"}) {
    SCOPED_TRACE(name);
    expect_as_in_torch(load(file(cat(name, ".pt2"))), name);
  }
}

TEST(ExportedModel, gives_the_same_compiled) {
  for (const std::string_view name :
       {"mlp", "dynamic", "dynamic_core", "tree", "control", "data", "shapes"}) {
    SCOPED_TRACE(name);
    const ExportedModel fast = load(file(cat(name, ".pt2"))).compile();
    EXPECT_TRUE(fast.is_compiled());
    if (name == "mlp") {  // its buffer counts calls
      expect_as_in_torch(fast, name);
      continue;
    }
    for (int round = 0; round < 3; ++round) expect_as_in_torch(fast, name);
    EXPECT_FALSE(fast.report().segments.empty());
  }
}

// An op that reads elements ends a frozen call, which must not have written before.
TEST(ExportedModel, writes_once_where_elements_are_read) {
  for (const bool asynchronous : {false, true})
    expect_as_in_torch(load(file("writes.pt2")).compile({.asynchronous = asynchronous}), "writes");
}

TEST(ExportedModel, gives_the_same_while_another_thread_compiles) {
  for (const std::string_view name : {"dynamic", "tree", "control", "data", "shapes"}) {
    SCOPED_TRACE(name);
    const ExportedModel fast = load(file(cat(name, ".pt2"))).compile({.asynchronous = true});
    for (int round = 0; round < 4; ++round) {
      expect_as_in_torch(fast, name);
      if (round == 1) fast.wait();
    }
    EXPECT_FALSE(fast.report().segments.empty());
  }
}

TEST(ExportedModel, gives_what_torch_gives_at_each_node) {
  // In place ops included: results are those of the time when a node had run.
  for (const bool compiled : {false, true}) {
    ExportedModel model = load(file("dynamic.pt2")).with_node_results();
    if (compiled) model = model.compile();
    const auto arrays = io::read_npz(file("dynamic.npz")).value();
    const auto array = [&](const std::string& name) {
      const auto found = std::ranges::find(arrays, name, &io::NamedTensor::name);
      return found == arrays.end() ? Tensor() : found->tensor;
    };
    for (int round = 0; round < 3; ++round) {
      const ModelResults out = model({array("in.ids"), array("in.x")});
      size_t nodes = 0;
      for (size_t i = 0; i < out.size(); ++i) {
        const Tensor wanted = array(cat("node.", out.name(i)));
        if (!wanted.defined()) continue;
        ++nodes;
        expect_same(out[i], wanted, out.name(i));
      }
      EXPECT_EQ(nodes, 10U);
    }
  }
}

TEST(ExportedModel, keeps_results_of_nodes_that_are_written_later) {
  const ExportedModel model = load(file("mlp.pt2")).with_node_results();
  const Sample sample("mlp");
  const ModelResults out = model({sample.tensor("0.in.x")});
  const Tensor before = to(out["linear"], DType::f64), after = to(out["relu_"], DType::f64);
  const auto a = reshape(before, {-1}).to_vector<double>();
  const auto b = reshape(after, {-1}).to_vector<double>();
  EXPECT_LT(*std::ranges::min_element(a), 0);
  for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(b[i], std::max(a[i], 0.0));
  std::set<std::string> names;
  for (const ModelNode& node : model.nodes())
    names.insert(node.results.begin(), node.results.end());
  EXPECT_TRUE(names.contains("linear_1"));
}

TEST(ExportedModel, takes_numbers) {
  for (const bool compiled : {false, true}) {
    ExportedModel model = load(file("numbers.pt2"));
    if (compiled) model = model.compile();
    expect_as_in_torch(model, "numbers", {{"k", Scalar(3)}, {"k", Scalar(5)}});
    const Tensor x = Tensor::empty({4, 8}), y = Tensor::empty({24});
    const ModelResults out = model({x, y, Scalar(4)});
    EXPECT_EQ(std::get<Scalar>(out.value(1)), Scalar(5));
    EXPECT_EQ(out[0].size(1).value(), 4);
    // What stands nowhere but in a guard: half of y was 12 rows.
    const std::string why = error_of([&] { model({x, Tensor::empty({26}), Scalar(4)}); });
    EXPECT_NE(why.find("L['y'].size()[0]"), std::string::npos) << why;
    for (const double k : {4.5, 4.0, 1e300})
      EXPECT_NE(error_of([&] { model({x, y, Scalar(k)}); }).find(", needs an integer"),
                std::string::npos);
  }
}

TEST(ExportedModel, says_what_it_takes_and_gives) {
  const ExportedModel tree = load(file("tree.pt2"));
  EXPECT_EQ(tree.name(), "model");
  ASSERT_EQ(tree.inputs().size(), 10U);
  EXPECT_EQ(tree.inputs()[0].text(), "xs_0: f32[2, 4]");
  EXPECT_EQ(tree.inputs()[0].path, "xs[0]");
  EXPECT_EQ(tree.inputs()[3].path, "d['b']['c']");
  EXPECT_EQ(tree.inputs()[5].path, "p.u");
  EXPECT_EQ(tree.inputs()[7].text(), "flag = True");
  EXPECT_EQ(tree.inputs()[8].text(), "scale = 3.0");
  std::vector<std::string> names;
  for (const ModelOutput& one : tree.outputs()) names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string>{"y", "parts[0]", "parts[1][0]", "parts[1][1]", "z",
                                             "h.u", "h.v", "s"}));
  const ExportedModel dynamic = load(file("dynamic.pt2"));
  const ModelSize& length = dynamic.inputs()[0].sizes[1];
  EXPECT_FALSE(length.number);
  EXPECT_TRUE(length.text.starts_with("2*s")) << length.text;
  EXPECT_EQ(length.max, 128);
  EXPECT_EQ(length.example, 6);
  EXPECT_EQ(dynamic.inputs()[0].sizes[0].min, 1);
  EXPECT_FALSE(dynamic.guards().empty());
}

TEST(ExportedModel, has_its_weights_and_nodes) {
  const ExportedModel mlp = load(file("mlp.pt2"));
  std::set<std::string> names;
  for (const ModelWeight& one : mlp.parameters()) names.insert(one.name);
  EXPECT_EQ(names, (std::set<std::string>{"a.weight", "a.bias", "b.weight", "b.bias", "calls",
                                          "scale", "lifted_tensor_0"}));
  bool has_linear = false;
  for (const ModelNode& node : mlp.nodes()) {
    if (node.target != "aten.linear.default") continue;
    has_linear = true;
    EXPECT_TRUE(node.module == "a" || node.module == "b") << node.module;
    EXPECT_TRUE(node.location.starts_with("make_pt2_samples.py:")) << node.location;
  }
  EXPECT_TRUE(has_linear);
}

// A program whose only node is a histogram, which reads elements; the path of its file.
std::string histogram_file(std::string_view metadata) {
  std::string path = io::scratch("histogram.pt2");
  const std::string node = cat(R"({"target": "torch.ops.aten.histogram.bin_ct", "inputs": [
        {"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1},
        {"name": "bins", "arg": {"as_int": 3}, "kind": 1}],
        "outputs": [{"as_tensor": {"name": "y"}}, {"as_tensor": {"name": "edges"}}],
        "name": "histogram", "metadata": )",
                               metadata, "}");
  io::write_package(path, io::program_text(node),
                    {{"block.w", io::SavedWeight::Kind::parameter, full({4}, 3.0)}});
  return path;
}

// An op that reads elements splits the program, which its node does not say.
TEST(ExportedModel, compiles_in_parts_what_reads_elements) {
  const std::string path =
      histogram_file(R"({"stack_trace": "File \"/m/net.py\", line 7, in forward"})");
  const ExportedModel model = load(path), fast = model.compile();
  const Tensor x = reshape(arange(12, DType::f32), {3, 4});
  for (int call = 0; call < 3; ++call)
    EXPECT_EQ(fast({x})[0].to_vector<float>(), model({x})[0].to_vector<float>());
  const CompiledReport report = fast.report();
  ASSERT_FALSE(report.breaks.empty());
  EXPECT_EQ(report.breaks[0].location, "/m/net.py:7");
  ASSERT_FALSE(report.fallbacks.empty());
  EXPECT_EQ(report.fallbacks[0].code->id, "V0102");
  EXPECT_NE(report.fallbacks[0].reason.find("item() needs a value at /m/net.py:7"),
            std::string::npos);
  // What the user asked for stays an error.
  const std::string why = error_of([&] { load(path).compile({.fullgraph = true})({x}); });
  EXPECT_NE(why.find("fullgraph: item() needs a value at /m/net.py:7"), std::string::npos) << why;
}

// A file may lack the lines of Python; the place in the library's own source is not shown instead.
TEST(ExportedModel, without_lines_of_python_messages_have_no_place) {
  const ExportedModel fast = load(histogram_file("{}")).compile({.fullgraph = true});
  const std::string why = error_of([&] { fast({reshape(arange(12, DType::f32), {3, 4})}); });
  EXPECT_NE(why.find("fullgraph: item() needs a value (V0201)"), why.npos) << why;
  const ExportedModel parts = load(histogram_file("{}")).compile();
  parts({reshape(arange(12, DType::f32), {3, 4})});
  ASSERT_FALSE(parts.report().breaks.empty());
  EXPECT_EQ(parts.report().breaks[0].location, "");
}

TEST(ExportedModel, regions_are_part_of_its_graph) {
  const ModelGraph graph = load(file("shapes.pt2")).graph();
  const auto node = [&](std::string_view target) {
    return *std::ranges::find(graph.nodes, target, [](auto& one) { return one.call.target; });
  };
  const ModelGraph::Node product = node("aten.matmul.default"),
                         swap = node("aten.swapaxes_.default"), turned = node("aten.t_.default");
  EXPECT_EQ(product.operands[0], turned.results[0]);
  EXPECT_EQ(swap.operands, product.results);
}

TEST(ExportedModel, is_a_graph_of_values_and_nodes) {
  using Kind = ModelGraph::Value::Kind;
  const ModelGraph graph = load(file("mlp.pt2")).graph();
  const auto named = [&](const std::vector<uint32_t>& values) {
    std::vector<std::string> out;
    for (const uint32_t one : values) out.push_back(graph.values[one].name);
    return out;
  };
  const auto linear = std::ranges::find(graph.nodes, "aten.linear.default",
                                        [](const auto& node) { return node.call.target; });
  ASSERT_NE(linear, graph.nodes.end());
  EXPECT_EQ(named(linear->operands), (std::vector<std::string>{"x", "a.weight", "a.bias"}));
  EXPECT_EQ(named(linear->results), std::vector<std::string>{"linear"});
  EXPECT_EQ(graph.values[linear->results[0]].type, "f32[3, 8]");
  EXPECT_EQ(graph.values[linear->operands[0]].kind, Kind::input);
  EXPECT_EQ(graph.values[linear->operands[1]].kind, Kind::weight);
  EXPECT_EQ(graph.values[linear->operands[1]].type, "f32[8, 4]");
  EXPECT_EQ(graph.values[linear->results[0]].kind, Kind::result);
  EXPECT_FALSE(graph.outputs.empty());
  // Sizes that may vary are symbols.
  bool has_symbol = false;
  for (const ModelGraph::Value& one : load(file("dynamic.pt2")).graph().values)
    has_symbol |= one.type.find("s") != one.type.npos;
  EXPECT_TRUE(has_symbol);
}

TEST(ExportedModel, is_called_by_place_by_name_and_by_path) {
  const ExportedModel tree = load(file("tree.pt2"));
  const Sample sample("tree");
  std::vector<ArgValue> values;
  std::vector<NamedArg> named;
  for (const ModelInput& one : tree.inputs()) {
    if (one.kind != ModelInput::Kind::tensor) continue;
    values.emplace_back(sample.tensor(cat("0.in.", one.name)));
    named.push_back({one.path, values.back()});
  }
  expect_same(tree(std::span<const ArgValue>(values))["y"], sample.tensor("0.out.0"), "by place");
  expect_same(tree(std::span<const NamedArg>(named))["y"], sample.tensor("0.out.0"), "by path");
  const Tensor x = sample.tensor("0.in.xs_0");
  EXPECT_NE(error_of([&] { tree({x}); }).find("got 1 inputs, needs 7"), std::string::npos);
  EXPECT_NE(error_of([&] { tree({{"xs_9", x}}); }).find("has no input xs_9"), std::string::npos);
  EXPECT_NE(error_of([&] { tree({{"xs_0", x}, {"xs[0]", x}}); }).find("given twice"),
            std::string::npos);
  EXPECT_NE(error_of([&] { tree({{"xs_0", x}}); }).find("input xs_1: f32[2, 4] is missing"),
            std::string::npos);
  named.push_back({"flag", Scalar(false)});
  EXPECT_NE(error_of([&] {
              tree(std::span<const NamedArg>(named));
            }).find("input flag: got False, the program was exported for True"),
            std::string::npos);
  const ModelResults out = tree(std::span<const ArgValue>(values));
  EXPECT_NE(error_of([&] { (void)out["q"]; }).find("no output q; its outputs are y, parts[0]"),
            std::string::npos);
  EXPECT_NE(error_of([&] { (void)out["h.v"]; }).find("not a tensor"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)out[99]; }).find("has 8 outputs"), std::string::npos);
}

TEST(ExportedModel, refuses_inputs_that_the_export_was_not_made_for) {
  const ExportedModel model = load(file("dynamic.pt2"));
  const auto why = [&](const Sizes& ids, const Sizes& x, DType dtype = DType::i64) {
    return error_of([&] { model({zeros(ids, dtype), zeros(x)}); });
  };
  EXPECT_EQ(why({2, 6}, {2, 6, 4}), "");
  EXPECT_NE(why({2, 6}, {2, 6, 4}, DType::i32).find("input ids: got i32[2, 6], needs ids: i64["),
            std::string::npos);
  EXPECT_NE(why({2, 6, 1}, {2, 6, 4}).find("input ids: got i64[2, 6, 1]"), std::string::npos);
  EXPECT_NE(why({2, 6}, {2, 6, 5}).find("(dimension 2)"), std::string::npos);
  EXPECT_NE(why({2, 7}, {2, 7, 4}).find("size 1 of input ids is 7, the program needs 2*s"),
            std::string::npos);
  EXPECT_NE(why({2, 6}, {3, 6, 4}).find("size 0 of input x is 3, the program needs"),
            std::string::npos);
  EXPECT_NE(why({65, 6}, {65, 6, 4}).find("is 65, the program was exported for 1 to 64"),
            std::string::npos);
}

TEST(ExportedModel, names_the_guard_that_cannot_be_computed) {
  const std::string path = (fs::path(testing::TempDir()) / "guard.pt2").string();
  io::write_package(path, io::program_text(io::add_node, R"j("8 // (L['x'].size()[0] - 3) == 8")j"),
                    {{"block.w", io::SavedWeight::Kind::parameter, zeros({4})}});
  const ExportedModel model = load(path);
  EXPECT_EQ(error_of([&] { model({zeros({4, 4})}); }), "");
  const std::string why = error_of([&] { model({zeros({3, 4})}); });
  EXPECT_NE(why.find("guard 8 // (L['x'].size()[0] - 3) == 8: division by zero"), std::string::npos)
      << why;
}

TEST(ExportedModel, names_the_python_line_in_errors) {
  const ExportedModel model = load(file("dynamic.pt2"));
  const Tensor ids = full({2, 6}, 99, DType::i64), x = zeros({2, 6, 4});
  for (const bool compiled : {false, true}) {
    const ExportedModel one = compiled ? model.compile() : model;
    try {
      one({ids, x});
      ADD_FAILURE() << "index 99 of 10";
    } catch (const Error& e) {
      const std::string where(e.location());
      EXPECT_TRUE(where.starts_with("make_pt2_samples.py:")) << e.what();
      EXPECT_TRUE(where.ends_with(" in forward, module e")) << e.what();
    }
  }
}

TEST(ExportedModel, has_the_example_of_the_export) {
  for (const std::string_view name : {"mlp", "dynamic", "control"}) {
    const ExportedModel model = load(file(cat(name, ".pt2")));
    const Sample sample(name);
    const std::vector<Tensor> example = model.example();
    ASSERT_EQ(example.size(), model.inputs().size());
    for (size_t i = 0; i < example.size(); ++i)
      expect_same(example[i], sample.tensor(cat("0.in.", model.inputs()[i].name)), "example");
  }
}

TEST(ExportedModel, says_why_its_example_cannot_be_read) {
  std::string bytes = io::content_of(file("mlp.pt2"));
  EXPECT_EQ(load(file("mlp.pt2")).example_problem(), "");
  // The content of the entry, which is an archive of its own: its first number is elsewhere.
  const size_t at = bytes.find("data/sample_inputs/model.pt");
  const size_t pickle = bytes.find("data.pkl", at);
  ASSERT_NE(pickle, std::string::npos);
  bytes[pickle] = 'x';
  const ExportedModel model = load(io::file_of("damaged.pt2", bytes));
  EXPECT_TRUE(model.example().empty());
  const std::string why = model.example_problem();
  EXPECT_NE(why.find("damaged.pt2: the sample inputs: byte "), why.npos) << why;
  EXPECT_NE(why.find("sample_inputs/model.pt\": its content has checksum"), why.npos) << why;
  EXPECT_EQ(model({zeros({3, 4})}).size(), load(file("mlp.pt2"))({zeros({3, 4})}).size());
}

TEST(ExportedModel, of_a_file_without_an_example_has_no_problem) {
  const std::string path = io::scratch("plain.pt2");
  io::write_package(path, io::program_text(io::add_node), {{"block.w", {}, zeros({4})}});
  EXPECT_EQ(load(path).example_problem(), "");
  EXPECT_TRUE(load(path).example().empty());
}

// All that a model says about itself: inputs, outputs, weights, nodes.
std::string all_of(const ExportedModel& model) {
  std::string out = cat(model.name(), ' ', model.torch_version());
  for (const ModelInput& one : model.inputs()) out += cat(' ', one.text(), ' ', one.path);
  for (const ModelOutput& one : model.outputs()) out += cat(' ', one.text());
  for (const ModelWeight& one : model.parameters()) out += cat(' ', one.name);
  for (const ModelNode& one : model.nodes())
    out += cat(' ', one.target, ' ', one.module, ' ', one.location, ' ', one.results[0]);
  return out;
}

TEST(ExportedModel, shows_names_of_a_hostile_file_escaped) {
  std::string text = io::program_text(io::add_node);
  const auto change = [&](std::string_view from, std::string_view to) {
    text = io::changed(std::move(text), from, to);
  };
  change("block.w", R"(w\u001b[31m\n)");
  change("net.py", R"(n\r.py)");
  change("block.0", R"(b\u001b)");
  change(R"(["x"])", R"(["x\u001b"])");
  change("sum", R"(s\\\\u001bum)");
  const std::string path = io::scratch("hostile.pt2");
  io::write_package(path, text, {{"w\x1b[31m\n", {}, zeros({4})}});
  const ExportedModel model = load(path);
  const std::string all = all_of(model);
  EXPECT_TRUE(std::ranges::none_of(all, [](char c) { return c < ' '; })) << all;
  for (const char* const part : {"w\\x1b[31m\\n", "n\\r.py:12", "b\\x1b", "x\\x1b", "s\\x1bum"})
    EXPECT_NE(all.find(part), all.npos) << all;
  EXPECT_EQ(model({zeros({2, 4})}).size(), 1U);
  // Messages: another weight, a function that is not there.
  io::write_package(path, text, {{"v\x1b", {}, zeros({4})}});
  std::string why = error_of([&] { return load(path); });
  EXPECT_EQ(why.find('\x1b'), why.npos) << why;
  EXPECT_NE(why.find("w\\x1b[31m\\n"), why.npos) << why;
  change("torch.ops.aten.add.Tensor", R"(torch.ops.aten.a\u001b[2J\n)");
  io::write_package(path, text, {{"w\x1b[31m\n", {}, zeros({4})}});
  why = error_of([&] { return load(path); });
  EXPECT_NE(why.find("aten.a\\x1b[2J\\n, 1 call: n\\r.py:12"), why.npos) << why;
}

TEST(ExportedModel, keeps_its_buffers_for_itself) {
  const ExportedModel one = load(file("mlp.pt2")), other = load(file("mlp.pt2"));
  const Tensor x = zeros({3, 4});
  for (int64_t i = 1; i <= 3; ++i) EXPECT_EQ(one({x})[1].item<int64_t>(), i);
  EXPECT_EQ(other({x})[1].item<int64_t>(), 1);
  // Copies and compiled forms share them.
  const ExportedModel fast = one.compile();
  for (int64_t i = 4; i <= 6; ++i) EXPECT_EQ(fast({x})[1].item<int64_t>(), i);
  EXPECT_EQ(one({x})[1].item<int64_t>(), 7);
  EXPECT_EQ(fast({x})[1].item<int64_t>(), 8);
}

TEST(ExportedModel, may_be_called_by_several_threads) {
  for (const std::string_view name : {"mlp", "dynamic"}) {
    const ExportedModel plain = load(file(cat(name, ".pt2"))), fast = plain.compile();
    const Sample sample(name);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        const ExportedModel& model = t % 2 ? plain : fast;
        for (int i = 0; i < 10; ++i) {
          const std::vector<NamedArg> inputs = sample.inputs(model, i % 3);
          (void)model(std::span<const NamedArg>(inputs));
        }
      });
    for (std::thread& one : threads) one.join();
    if (name == "mlp") {
      const Tensor x = zeros({3, 4});
      EXPECT_EQ(plain({x})[1].item<int64_t>(), 41);
    }
  }
}

TEST(ExportedModel, that_is_none_is_refused) {
  EXPECT_NE(error_of([] { load(file("no_such.pt2")); }).find("no_such.pt2: "), std::string::npos);
  EXPECT_NE(error_of([] { load(file("mlp.safetensors")); }), "");
  EXPECT_NE(error_of([] { load(file("mlp.pt2"), "other"); }).find("other"), std::string::npos);
}

}  // namespace
}  // namespace vitro
