// Functions and graphs are saved as packages of torch.export: what is loaded again computes the
// same.  With SAVED_PACKAGES set to a folder, the packages stay there with inputs and results, for
// saved_test.py, which runs them in PyTorch.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "error_of.h"
#include "vitro/exported/export.h"
#include "vitro/graph/build.h"
#include "vitro/vitro.h"

namespace vitro::exported {
namespace {

namespace fs = std::filesystem;

fs::path folder() {
  const char* given = std::getenv("SAVED_PACKAGES");
  return given ? fs::path(given) : fs::path(testing::TempDir()) / "vitro_saved";
}

// Calls of a saved program: tensors by the names of its inputs, and its results.
class Saved {
 public:
  Saved(const std::string& name, const ExportedGraph& program) : name_(name) {
    fs::create_directories(folder());
    save(program, path(".pt2"));
    model_.emplace(load(path(".pt2")));
  }
  ~Saved() { io::write_safetensors(path(".safetensors"), arrays_); }

  const ExportedModel& model() const { return *model_; }

  // What the saved program gives must be `wanted`, and its inputs afterwards `after`.
  void expect(const std::vector<Tensor>& inputs, const std::vector<Tensor>& wanted,
              const std::vector<Tensor>& after = {}) {
    std::vector<ArgValue> given;
    for (const Tensor& one : inputs) given.emplace_back(clone(one));
    const ModelResults got = (*model_)(std::span<const ArgValue>(given));
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      keep(cat("in.", model_->inputs()[i].name), inputs[i]);
      if (after.empty()) continue;
      keep(cat("after.", model_->inputs()[i].name), after[i]);
      expect_same(std::get<Tensor>(given[i]), after[i]);
    }
    for (size_t i = 0; i < wanted.size(); ++i) {
      keep(cat("out.", i), wanted[i]);
      expect_same(got[i], wanted[i]);
    }
    ++calls_;
  }

 private:
  std::string path(const char* ending) const { return (folder() / (name_ + ending)).string(); }
  void keep(const std::string& name, const Tensor& tensor) {
    arrays_.push_back({cat(calls_, '.', name), contiguous(tensor)});
  }
  void expect_same(const Tensor& got, const Tensor& wanted) const {
    ASSERT_EQ(cat(got.dtype(), got.sizes()), cat(wanted.dtype(), wanted.sizes())) << name_;
    const Tensor a = to(got, DType::f64), b = to(wanted, DType::f64);
    EXPECT_EQ(a.to_vector<double>(), b.to_vector<double>()) << name_;
  }

  std::string name_;
  std::optional<ExportedModel> model_;
  std::vector<io::NamedTensor> arrays_;
  int calls_ = 0;
};

Tensor random(std::initializer_list<Size> sizes, uint64_t seed = 1) {
  manual_seed(seed);
  return randn(Sizes(sizes));
}

TEST(Save, functions_compute_the_same_when_they_are_loaded) {
  const auto f = [](const Tensor& x, const Tensor& y) {
    return std::pair(relu(mm(x, y)) + 1.5, softmax(x, -1));
  };
  const Tensor x = random({3, 4}), y = random({4, 5}, 2);
  Saved saved("functions", export_graph(f, x, y));
  const auto [a, b] = f(x, y);
  saved.expect({x, y}, {a, b});
  EXPECT_EQ(saved.model().inputs()[0].text(), "x: f32[3, 4]");
  EXPECT_EQ(saved.model().outputs().size(), 2U);
}

struct Mlp : nn::Module {
  nn::Linear a{*this, "a", 4, 8}, b{*this, "b", 8, 2};
  Tensor calls;
  Mlp() { add_buffer("calls", calls, zeros({1}, DType::i64)); }
  Tensor operator()(const Tensor& x) {
    add_(calls, 1);
    return b(gelu(a(x), "tanh")) * calls;
  }
};

TEST(Save, modules_keep_the_names_of_their_parameters_and_write_their_buffers) {
  Mlp model;
  const Tensor x = random({3, 4});
  const ExportedGraph program = export_graph(std::ref(model), x);
  EXPECT_EQ(model.calls.item<int64_t>(), 0) << "the export has changed the module";
  Saved saved("module", program);
  std::map<std::string, ModelWeight::Kind> kinds;
  for (const ModelWeight& one : saved.model().parameters()) kinds[one.name] = one.kind;
  EXPECT_EQ(kinds.size(), 5U);
  EXPECT_EQ(kinds.at("a.weight"), ModelWeight::Kind::parameter);
  EXPECT_EQ(kinds.at("calls"), ModelWeight::Kind::buffer);
  for (int call = 0; call < 3; ++call) saved.expect({x}, {model(x)});
  // Nodes know the module and the line.
  bool found = false;
  for (const ModelNode& node : saved.model().nodes())
    found = found || (node.module == "a" && node.location.starts_with("save_test.cpp:"));
  EXPECT_TRUE(found);
}

TEST(Save, sizes_may_vary) {
  const auto f = [](const Tensor& x, const Tensor& y) {
    const Size n = x.size(0), m = x.size(1);
    const Tensor half = narrow(x, 1, 0, m / 2);
    return std::tuple(reshape(x, {n * m}) + 1, expand(sum(half, {1}, true), {n, m}) * y,
                      arange(Scalar(n * 2 + 1)));
  };
  const auto input = [](int64_t n, int64_t m) {
    return std::pair(random({n, m}), random({n, 1}, 2));
  };
  const auto [x, y] = input(3, 6);
  mark_dynamic(x, 0);
  mark_dynamic(x, 1);
  mark_dynamic(y, 0);
  Saved saved("sizes", export_graph({.inputs = {"x", "y"}}, f, x, y));
  for (const auto& [n, m] : {std::pair(3, 6), std::pair(5, 4), std::pair(2, 9)}) {
    const auto [u, v] = input(n, m);
    const auto [a, b, c] = f(u, v);
    saved.expect({u, v}, {a, b, c});
  }
  EXPECT_EQ(saved.model().inputs()[0].sizes[0].min, 1);
  // x and y must have as many rows.
  EXPECT_NE(error_of([&] { return saved.model()({random({3, 6}), random({2, 1})})[0]; }), "");
}

TEST(Save, conditions_on_sizes_are_checked_when_it_runs) {
  const auto f = [](const Tensor& x) { return x.size(0) < 8 ? x * 2 : x * 3; };
  const Tensor x = random({4, 2});
  mark_dynamic(x, 0);
  Saved saved("conditions", export_graph(f, x));
  saved.expect({random({6, 2})}, {random({6, 2}) * 2});
  EXPECT_NE(error_of([&] { return saved.model()({random({9, 2})})[0]; }), "");
}

// Also on the size of an argument whose elements nothing reads.
// All sizes of the arguments: those of weights stay, and so do sizes that must equal them.
TEST(Save, dynamic_is_for_the_arguments) {
  Mlp model;
  const ExportOptions dynamic{.inputs = {}, .outputs = {}, .dynamic = true};
  Saved saved("dynamic_module", export_graph(dynamic, std::ref(model), random({3, 4})));
  EXPECT_EQ(saved.model().inputs()[0].text(), "x: f32[s0, 4]");
  const Tensor longer = random({7, 4});
  saved.expect({longer}, {model(longer)});
  const auto sum = [](const Tensor& a, const Tensor& b) { return a + b; };
  const Tensor row = random({1, 3}), all = random({4, 3});
  Saved broadcast("dynamic_broadcast", export_graph(dynamic, sum, row, all));
  broadcast.expect({random({1, 5}), random({6, 5})}, {sum(random({1, 5}), random({6, 5}))});
}

// What is one tensor in the example would be one input.
TEST(Save, arguments_are_tensors_of_their_own) {
  const Tensor x = random({3});
  const auto minus = [](const Tensor& a, const Tensor& b) { return a - b; };
  EXPECT_NE(error_of([&] { (void)export_graph(minus, x, x); }).find("is given twice; pass a copy"),
            std::string::npos);
  EXPECT_NE(error_of([&] { (void)export_graph(minus, x, narrow(x, 0, 0, 3)); }).find("given twice"),
            std::string::npos);
  Mlp model;
  const std::string why = error_of([&] { (void)export_graph(std::ref(model), model.a.weight); });
  EXPECT_NE(why.find("is a weight of the module"), std::string::npos) << why;
  const ExportOptions options{.inputs = {}, .outputs = {"y", "y"}};
  const auto both = [](const Tensor& a) { return std::pair(a + 1, a + 2); };
  EXPECT_NE(
      error_of([&] { (void)export_graph(options, both, x); }).find("two outputs are called y"),
      std::string::npos);
}

TEST(Save, complex_tensors_are_refused) {
  const Tensor z = view_as_complex(random({3, 2}));
  const auto doubled = [](const Tensor& t) { return t + t; };
  EXPECT_NE(
      error_of([&] { (void)export_graph(doubled, z); }).find("arguments must be tensors of real"),
      std::string::npos);
  const auto made = [](const Tensor& t) { return view_as_complex(t); };
  EXPECT_NE(error_of([&] {
              (void)export_graph(made, random({3, 2}));
            }).find("results must be tensors of real"),
            std::string::npos);
}

TEST(Save, conditions_on_sizes_of_unread_arguments_are_kept_or_refused) {
  const auto f = [](const Tensor& x, const Tensor& y) {
    return x.size(0) < y.size(0) ? x * 2 : x * 3;
  };
  const Tensor x = random({4, 2}), y = random({6, 2});
  mark_dynamic(x, 0);
  mark_dynamic(y, 0);
  const std::string path = (folder() / "unread.pt2").string();
  std::string error = error_of([&] { return save(export_graph(f, x, y), path), 0; });
  if (error.empty())
    error = error_of([&] { return load(path)({random({9, 2}), random({6, 2})})[0]; });
  EXPECT_NE(error, "");
}

TEST(Save, sizes_may_be_the_largest_and_the_smallest_of_several) {
  const auto f = [](const Tensor& x, const Tensor& y) {
    const Size n = x.size(0), m = x.size(1), k = y.size(0);
    return std::tuple(x + 1, y + 1, zeros({max(max(n, m), k)}), zeros({min(min(n, m), k), 2}));
  };
  const auto input = [](int64_t n, int64_t m, int64_t k) {
    return std::pair(random({n, m}), random({k}, 2));
  };
  const auto [x, y] = input(3, 6, 9);
  mark_dynamic(x, 0);
  mark_dynamic(x, 1);
  mark_dynamic(y, 0);
  Saved saved("largest", export_graph(f, x, y));
  for (const auto& [n, m, k] : {std::tuple(3, 6, 9), std::tuple(8, 4, 5), std::tuple(5, 9, 7)}) {
    const auto [u, v] = input(n, m, k);
    const auto [a, b, c, d] = f(u, v);
    saved.expect({u, v}, {a, b, c, d});
  }
}

TEST(Save, sizes_may_depend_on_data) {
  const auto f = [](const Tensor& x) {
    const Tensor places = nonzero(x > 0.0);
    return std::pair(places * 2, zeros({places.size(0), 2}));
  };
  const Tensor x = random({4, 3});
  Saved saved("data", export_graph(f, x));
  for (const Tensor& one : {x, -x, abs(x)}) {
    const auto [a, b] = f(one);
    saved.expect({one}, {a, b});
  }
}

TEST(Save, arguments_are_written_and_results_may_be_views_or_arguments) {
  const auto f = [](const Tensor& x, const Tensor& y) {
    mul_(select(x, 0, 1), 2.0);
    return std::tuple(transpose(y, 0, 1), y, x + y, x + y);
  };
  const Tensor x = random({3, 3}), y = random({3, 3}, 2);
  const Tensor before = clone(x);
  const ExportedGraph program = export_graph({.outputs = {"t", "y", "sum", "again"}}, f, x, y);
  EXPECT_EQ(x.to_vector<float>(), before.to_vector<float>());
  Saved saved("written", program);
  EXPECT_EQ(saved.model().outputs()[2].name, "sum");
  const Tensor after = clone(x);
  const auto [t, same, sum, again] = f(after, y);
  saved.expect({x, y}, {t, same, sum, again}, {after, y});
}

TEST(Save, tied_weights_stay_tied) {
  struct Tied : nn::Module {
    nn::Embedding e{*this, "e", 5, 4};
    nn::Linear l{*this, "l", 4, 5};
    Tensor part;
    Tied() {
      l.weight = e.weight;
      add_buffer("part", part, narrow(e.weight, 0, 1, 2));
    }
    Tensor operator()(const Tensor& ids) { return l(e(ids)) + sum(part); }
  } model;
  const Tensor ids = Tensor::from<int64_t>({0, 3, 4}, {3});
  Saved saved("tied", export_graph(std::ref(model), ids));
  saved.expect({ids}, {model(ids)});
  std::set<uint64_t> storages;
  for (const ModelWeight& one : saved.model().parameters())
    storages.insert(one.tensor.storage().id());
  EXPECT_EQ(storages.size(), 2U) << "the weights and the bias";
}

// Each kind of argument that a schema may have, and ops that are written as other calls.
TEST(Save, all_kinds_of_arguments) {
  const auto numbers = [](const Tensor& x) {
    return std::tuple(x + 2, 2 - x, pow(x, 3.0), pow(2.0, x), where(x > 0.0, x, 0.0),
                      clamp(x, -0.5), add(x, x, 0.5), sub(x, x, 2), div(x, 0.3, "trunc"), x == x,
                      full({2}, 1.5), masked_fill(x, x > 0.0, -INFINITY), to(x, DType::f16),
                      x * 3 + 1);
  };
  const Tensor x = random({2, 3, 4, 4});
  Saved a("numbers", export_graph(numbers, x));
  std::vector<Tensor> wanted;
  std::apply([&](const auto&... one) { (wanted.push_back(one), ...); }, numbers(x));
  a.expect({x}, wanted);

  const auto lists = [](const Tensor& v) {
    const std::vector<Tensor> parts = split(v, 2, 1);
    const auto [values, indices] = topk(v, 2, -1, false);
    const auto [sorted, order] = sort(v, 1, true);
    return std::tuple(vitro::cat(std::initializer_list<Tensor>{v, v}, 1), parts[1], values, indices,
                      sorted, sum(v, {0, 2}, true), permute(v, {2, 0, 1, 3}),
                      constant_pad_nd(v, {1, 2}, 0.5), flip(v, {0, -1}), mean(v), var(v, {1}, 0.0));
  };
  Saved b("lists", export_graph(lists, x));
  wanted.clear();
  std::apply([&](const auto&... one) { (wanted.push_back(one), ...); }, lists(x));
  b.expect({x}, wanted);
}

TEST(Save, a_layer_of_each_kind) {
  struct Net : nn::Module {
    nn::Conv2d conv{*this, "conv", 3, 4, 3};
    nn::LayerNorm norm{*this, "norm", 4};
    Tensor operator()(const Tensor& x) {
      const Tensor y = max_pool2d(relu(conv(x)), 2);
      const Tensor z = norm(permute(y, {0, 2, 3, 1}));
      const Tensor q = reshape(z, {x.size(0), -1, 4});
      return scaled_dot_product_attention(q, q, q);
    }
  } model;
  const Tensor x = random({2, 3, 8, 8});
  mark_dynamic(x, 0);
  Saved saved("layers", export_graph(std::ref(model), x));
  saved.expect({x}, {model(x)});
  const Tensor other = random({5, 3, 8, 8}, 3);
  saved.expect({other}, {model(other)});
}

TEST(Save, graphs_that_a_builder_made) {
  graph::Builder builder;
  const Tensor x = builder.input("x", ops::dense(DType::f32, cpu, {2, 3}));
  const Tensor w = builder.input("w", ops::dense(DType::f32, cpu, {3, 2}));
  {
    const Using use(&builder);
    builder.output(exp(mm(x, w)));
  }
  const graph::Graph graph = builder.take();
  const Tensor a = random({2, 3}), b = random({3, 2}, 2);
  Saved arguments("arguments", {graph, {}, {}, {}});
  arguments.expect({a, b}, {exp(mm(a, b))});
  Saved weights("weights", {graph, {{"w", {"net.w", ModelWeight::Kind::parameter, b}}}, {"y"}, {}});
  weights.expect({a}, {exp(mm(a, b))});
  EXPECT_EQ(weights.model().parameters()[0].name, "net.w");
  EXPECT_EQ(weights.model().outputs()[0].name, "y");
}

TEST(Save, what_cannot_be_saved_is_an_error_that_says_why) {
  const auto fails = [](auto f, const std::string& part) {
    const std::string error = error_of([&] {
      save(export_graph(f, random({3, 4})), (folder() / "none.pt2").string());
      return 0;
    });
    EXPECT_NE(error.find(part), std::string::npos) << error;
    EXPECT_FALSE(fs::exists(folder() / "none.pt2"));
  };
  fails([](const Tensor& x) { return dropout(x, 0.5, true); }, "ATen has no call for");
  fails([](const Tensor& x) { return x * sum(x).item<float>(); }, "");
  fails([](const Tensor& x) { return view(x, DType::i32); },
        "a view of an argument as another dtype cannot be saved");
  const ExportedGraph program{
      export_graph([](const Tensor& x) { return x + 1; }, random({2})).graph,
      {{"w", {"w", ModelWeight::Kind::parameter, random({2})}}},
      {},
      {}};
  EXPECT_NE(error_of([&] { return save(program, "none.pt2"), 0; }), "");
  EXPECT_NE(error_of([&] { return save(program.graph, "no/none.pt2"), 0; }), "");
}

}  // namespace
}  // namespace vitro::exported
