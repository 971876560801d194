// What users read leads to their code: lines, functions, modules, names of parameters.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <sstream>
#include <string>

#include "vitro/compile/compile.h"
#include "vitro/debug/explain.h"
#include "vitro/nn.h"
#include "vitro/vitro.h"

namespace vitro {
namespace {

// The line of this file that is named in the text, or 0.
int line_of(std::string_view text) {
  const size_t at = text.rfind("locations_test.cpp:");
  return at == text.npos ? 0 : std::atoi(text.substr(at + 19).data());
}

TEST(Locations, errors_name_the_line_of_the_program) {
  nn::Module root;
  const nn::Linear layer(root, "fc1", 5, 3);
  const Tensor x = zeros({2, 4});
  const int line_of_layer = __LINE__ + 1;
  auto compiled = compile([&](const Tensor& y) { return layer(y) + 1.0; });
  int line = 0;
  const std::vector<std::function<void()>> mistakes = {
      [&] { line = __LINE__, (void)(x + zeros(5)); },
      [&] { line = __LINE__, (void)layer(x); },
      [&] { line = __LINE__, (void)conv2d(x, x); },
      [&] { line = line_of_layer, (void)compiled(x); },
  };
  for (const auto& make : mistakes) {
    try {
      make();
      ADD_FAILURE() << "accepted, line " << line;
    } catch (const Error& e) {
      EXPECT_EQ(line_of(e.what()), line) << e.what();
    }
  }
}

TEST(Locations, a_break_at_a_print_is_where_it_is_printed) {
  int line = 0;
  auto f = compile([&](const Tensor& x) {
    std::ostringstream out;
    line = __LINE__ + 1;
    out << x + 1.0;
    return x * 2.0;
  });
  (void)f(ones(3)).to_vector<float>();
  const CompiledReport report = f.report();
  ASSERT_FALSE(report.breaks.empty());
  EXPECT_EQ(line_of(report.breaks[0].location), line) << report.breaks[0].location;
}

std::string what_of(const std::function<void()>& mistake) {
  try {
    mistake();
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

struct Gate : nn::Module {
  using Module::Module;
  nn::Linear up{*this, "up", 4, 8};
  Tensor forward(const Tensor& x) const {
    const ModuleScope here = scope();
    return relu(up(x));
  }
};
struct Net : nn::Module {
  Gate gate{*this, "gate"};
};

TEST(Locations, errors_name_the_function_and_the_module) {
  const Net net;
  auto compiled = compile([&](const Tensor& y) { return net.gate.forward(y); });
  const std::string eager = what_of([&] { (void)net.gate.forward(zeros({2, 5})); });
  EXPECT_NE(eager.find(" in vitro::Gate::forward, module gate.up)"), eager.npos) << eager;
  EXPECT_EQ(what_of([&] { (void)compiled(zeros({2, 5})); }), eager);
}

// The table has no row 7, which its kernel finds.
TEST(Locations, errors_of_data_name_the_function_and_the_module) {
  nn::Module root;
  const nn::Embedding words(root, "words", 3, 2);
  const auto look_up = [&](const Tensor& at) { return words(at) * 2.0; };
  auto compiled = compile(look_up);
  const Tensor good = Tensor::from<int64_t>({0, 2}, {2}), bad = Tensor::from<int64_t>({0, 7}, {2});
  (void)compiled(good).to_vector<float>();
  const std::string eager = what_of([&] { (void)look_up(bad); });
  EXPECT_NE(eager.find(", module words)"), eager.npos) << eager;
  EXPECT_EQ(what_of([&] { (void)compiled(bad).to_vector<float>(); }), eager);
}

TEST(Locations, graphs_and_kernels_bear_the_names_of_the_program) {
  const Net net;
  auto compiled = compile([&](const Tensor& y) { return net.gate.forward(y); });
  (void)compiled(zeros({2, 4})).to_vector<float>();
  const std::string text = explain(compiled.report());
  EXPECT_NE(text.find("p_gate_up_weight: parameter f32[8, 4]"), text.npos) << text;
  EXPECT_NE(text.find("linear_relu: mm, add, relu  # locations_test.cpp:"), text.npos) << text;
  EXPECT_NE(text.find(" gate.up, locations_test.cpp:"), text.npos) << text;
}

TEST(Locations, recompile_reasons_name_parameters) {
  Tensor weight = zeros({4, 8});
  weight.set_parameter(true, "head.weight");
  auto compiled = compile([&](const Tensor& y) { return mm(y, weight); }, {.dynamic = false});
  (void)compiled(zeros({2, 4})).to_vector<float>();
  weight = zeros({4, 16});
  weight.set_parameter(true, "head.weight");
  (void)compiled(zeros({2, 4})).to_vector<float>();
  const CompiledReport report = compiled.report();
  ASSERT_EQ(report.recompiles.size(), 1U);
  EXPECT_NE(report.recompiles[0].reason.find("mm: operand 1 (head.weight)"), std::string::npos)
      << report.recompiles[0].reason;
}

}  // namespace
}  // namespace vitro
