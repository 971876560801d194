// The table of overloads: schemas as in ATen, roles and defaults of arguments, calls by name.
#include "vitro/ops/overload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "vitro/base/cat.h"
#include "vitro/ops/all.h"
#include "vitro/ops/page.h"

namespace vitro {
namespace {

std::map<std::string, std::string> schemas_of_aten() {
  std::map<std::string, std::string> out;
  std::ifstream file(VITRO_TEST_DATA "/aten/schemas.txt");
  for (std::string line; std::getline(file, line);) out[line.substr(0, line.find('('))] = line;
  return out;
}

TEST(Overloads, have_the_schemas_of_aten) {
  const auto aten = schemas_of_aten();
  ASSERT_GT(aten.size(), 700U);
  for (const ops::Overload& one : ops::overloads()) {
    const std::string name = one.schema.full_name();
    const auto found = aten.find(name);
    EXPECT_EQ(ops::is_in_aten(one.schema), found != aten.end()) << name;
    if (found != aten.end()) EXPECT_EQ(cat(one.schema), found->second);
  }
}

TEST(Overloads, know_what_their_arguments_are_in_a_call) {
  using ops::Role;
  const auto roles = [](std::string_view name) { return ops::overload(name)->roles; };
  EXPECT_EQ(roles("add.Tensor"), (std::vector{Role::operand, Role::operand, Role::unused}));
  EXPECT_EQ(roles("addmm"), (std::vector(5, Role::operand)));
  EXPECT_EQ(roles("cat"), (std::vector{Role::operands, Role::attribute}));
  EXPECT_EQ(roles("native_layer_norm"), (std::vector{Role::operand, Role::attribute, Role::operand,
                                                     Role::operand, Role::attribute}));
  EXPECT_EQ(roles("_softmax"), (std::vector{Role::operand, Role::attribute, Role::unused}));
  for (const OpDef* op : ops::all()) {
    ASSERT_FALSE(ops::overloads(*op).empty()) << op->name;
    for (const ops::Overload& one : ops::overloads(*op)) {
      EXPECT_EQ(one.op, op) << op->name;
      EXPECT_EQ(one.schema.name, op->name);
      EXPECT_EQ(one.roles.size(), one.schema.arguments.size()) << op->name;
      const auto operands = std::count(one.roles.begin(), one.roles.end(), Role::operand);
      const bool any_number = op->max_operands == 255;
      EXPECT_TRUE(any_number || operands == op->max_operands || operands >= op->min_operands)
          << cat(one.schema);
    }
  }
}

// A member without an argument could not be set or read by name.
TEST(Overloads, name_every_attribute_of_their_op) {
  for (const OpDef* op : ops::all()) {
    if (!op->attrs) continue;
    for (const NamedArg& member : op->attrs->values(op->attrs->make().get())) {
      bool named = false;
      for (const ops::Overload& one : ops::overloads(*op))
        named = named || one.schema.argument(member.name);
      // A member of all reductions and scans, but an argument of sums, products and means only.
      const bool shared = (op->reduction || op->scan) && member.name == "dtype";
      EXPECT_TRUE(named || shared) << op->name << ": " << member.name;
    }
  }
}

TEST(Overloads, exist_for_every_op_and_are_found_by_name) {
  std::set<std::string> names;
  for (const ops::Overload& one : ops::overloads()) {
    EXPECT_TRUE(names.insert(one.schema.full_name()).second) << one.schema.full_name();
    EXPECT_EQ(ops::overload(one.schema.full_name()), &one);
    EXPECT_TRUE(one.op || one.function) << one.schema.full_name();
    EXPECT_TRUE(one.doc.ends_with('.')) << one.schema.full_name();
  }
  for (const OpDef* op : ops::all()) EXPECT_FALSE(ops::overloads(op->name).empty()) << op->name;
  EXPECT_EQ(ops::overload("add"), nullptr);
  EXPECT_TRUE(ops::overloads("no_such_op").empty());
}

TEST(Overloads, include_all_of_core_aten) {
  std::ifstream file(VITRO_TEST_DATA "/aten/core.txt");
  int count = 0;
  for (std::string name; std::getline(file, name); ++count) {
    // PyTorch's tag of this one is an oversight: graphs of core ATen have no `out` arguments.
    EXPECT_EQ(ops::overload(name) != nullptr, name != "atan2.out") << name;
  }
  EXPECT_EQ(count, 189);
}

TEST(Overloads, that_write_in_place_say_so_in_their_schemas) {
  int count = 0;
  for (const ops::Overload& one : ops::overloads()) {
    const bool of_python = one.schema.name.ends_with("__");  // __and__
    EXPECT_EQ(one.schema.in_place(), one.schema.name.ends_with('_') && !of_python)
        << cat(one.schema);
    count += one.schema.in_place();
  }
  EXPECT_GT(count, 90);
  EXPECT_EQ(cat(ops::overload("div_.Tensor_mode")->schema),
            "div_.Tensor_mode(Tensor(a!) self, Tensor other, *, str? rounding_mode) -> Tensor(a!)");
  EXPECT_EQ(cat(ops::overload("pow_.Scalar")->schema),
            "pow_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)");
  for (const char* none : {"isnan_", "where_", "full_like_", "_to_copy_", "softmax_", "sum_"})
    EXPECT_TRUE(ops::overloads(none).empty()) << none;
}

// A default is written twice, in the schema and at the member of the attributes: they must agree.
TEST(Overloads, have_the_defaults_of_their_attributes) {
  int compared = 0;
  for (const ops::Overload& one : ops::overloads()) {
    if (!one.op || !one.op->attrs || one.function) continue;
    const auto attrs = one.op->attrs->make();
    for (const SchemaArgument& argument : one.schema.arguments) {
      if (!argument.default_text) continue;
      const ArgValue value = ops::default_value(argument);
      const auto taken = one.op->attrs->assign(attrs.get(), argument.name, value);
      compared += taken.has_value();
      EXPECT_TRUE(taken.value_or(true)) << cat(one.schema) << ": " << argument.name;
    }
    EXPECT_TRUE(one.op->attrs->equal(attrs.get(), one.op->attrs->make().get())) << cat(one.schema);
  }
  EXPECT_GT(compared, 40);
}

Result<std::vector<ArgValue>> arranged(std::string_view name, std::vector<ArgValue> positional,
                                       std::vector<NamedArg> named = {}) {
  return ops::arrange(ops::overload(name)->schema, positional, named);
}

TEST(Overloads, put_arguments_in_order_and_fill_in_defaults) {
  const Tensor x = Tensor::empty({2, 3});
  const auto a = arranged("add.Tensor", {x, x}, {{"alpha", Scalar(2)}});
  ASSERT_TRUE(a) << a.why();
  EXPECT_EQ(std::get<Scalar>((*a)[2]), Scalar(2));
  const auto b = arranged("conv2d", {x, x}, {{"groups", Scalar(3)}});
  ASSERT_TRUE(b) << b.why();
  EXPECT_TRUE(is_none((*b)[2]));
  EXPECT_EQ(std::get<std::vector<Scalar>>((*b)[3]), (std::vector<Scalar>{1, 1}));
  EXPECT_EQ(std::get<Scalar>((*b)[6]), Scalar(3));
}

TEST(Overloads, say_which_argument_does_not_fit) {
  const Tensor x = Tensor::empty({2, 3});
  EXPECT_EQ(arranged("add.Tensor", {x}).why(),
            "add.Tensor(): missing required argument 'other' of add.Tensor(Tensor self, Tensor "
            "other, *, Scalar alpha=1) -> Tensor");
  EXPECT_EQ(arranged("add.Tensor", {x, Scalar(1)}).why(),
            "add.Tensor(): argument 'other' (position 2) must be Tensor, got 1");
  EXPECT_EQ(arranged("add.Tensor", {x, x, Scalar(1)}).why(),
            "add.Tensor(): takes 2 positional arguments, got 3");
  EXPECT_EQ(arranged("exp", {x}, {{"out", x}}).why(), "exp(): got an unexpected argument 'out'");
  EXPECT_EQ(arranged("exp", {x}, {{"self", x}}).why(),
            "exp(): got several values for argument 'self'");
  EXPECT_EQ(arranged("permute", {x, std::vector<Scalar>{0.5}}).why(),
            "permute(): argument 'dims' (position 2) must be int[], got [0.5]");
  EXPECT_EQ(arranged("permute", {x, std::vector<Scalar>{Scalar(true)}}).why(),
            "permute(): argument 'dims' (position 2) must be int[], got [True]");
  EXPECT_EQ(arranged("var.correction", {x, Scalar(false)}).why(),
            "var.correction(): argument 'dim' (position 2) must be int[1]?, got False");
  EXPECT_EQ(arranged("cumsum", {x, Scalar(0)}, {{"dtype", std::string("f32")}}).why(),
            "cumsum(): argument 'dtype' must be ScalarType?, got \"f32\"");
  EXPECT_EQ(arranged("exp", {ArgValue{}}).why(),
            "exp(): argument 'self' (position 1) must be Tensor, got None");
  EXPECT_THROW(ops::call("no_such_op", {x}), Error);
}

TEST(Ops, docs_ops_md_is_what_the_definitions_say) {
  std::stringstream page;
  page << std::ifstream(VITRO_TEST_DATA "/../../docs/ops.md").rdbuf();
  EXPECT_EQ(page.str(), ops::page())
      << "regenerate it: build/release/cli/vitro ops --page > docs/ops.md";
}

TEST(Ops, have_a_page_each) {
  EXPECT_EQ(ops::page("mm"),
            "mm: [m, k] x [k, n] -> [m, n].\n\ncontraction: sums of products\n\n"
            "  mm(Tensor self, Tensor mat2) -> Tensor\n");
  EXPECT_EQ(ops::page("subtract_").substr(0, 36), "subtract_: `sub` under another name:");
  EXPECT_EQ(ops::page("no_such_op"), "");
}

}  // namespace
}  // namespace vitro
