#include <gtest/gtest.h>

#include <set>

#include "vitro/ops/all.h"

namespace vitro {
namespace {

TEST(Ops, have_names_of_their_own_and_are_found_by_them) {
  std::set<std::string_view> names;
  for (const OpDef* op : ops::all()) {
    EXPECT_TRUE(names.insert(op->name).second) << op->name;
    EXPECT_EQ(ops::named(op->name), op);
    EXPECT_TRUE(op->doc.ends_with('.')) << op->name;
    EXPECT_NE(op->shape, nullptr) << op->name;
  }
  EXPECT_EQ(ops::named("no_such_op"), nullptr);
  EXPECT_GE(names.size(), 100U);
}

TEST(Ops, have_what_their_kind_needs) {
  for (const OpDef* op : ops::all()) {
    const bool may_be_pointwise = op->kind == OpKind::pointwise || op->kind == OpKind::composite;
    EXPECT_TRUE(!op->pointwise || may_be_pointwise) << op->name;
    EXPECT_TRUE(op->pointwise || op->kind != OpKind::pointwise) << op->name;
    EXPECT_EQ(op->reduction != nullptr, op->kind == OpKind::reduction) << op->name;
    EXPECT_EQ(op->scan != nullptr, op->kind == OpKind::scan) << op->name;
    EXPECT_EQ(op->sort != nullptr, op->kind == OpKind::sort) << op->name;
    EXPECT_EQ(op->view != nullptr, op->kind == OpKind::view) << op->name;
    EXPECT_EQ(op->contraction != nullptr, op->kind == OpKind::contraction) << op->name;
    EXPECT_EQ(op->gather != nullptr, op->kind == OpKind::gather) << op->name;
    EXPECT_EQ((op->scatter != nullptr) + (op->put != nullptr), op->kind == OpKind::scatter)
        << op->name;
    EXPECT_EQ(op->window != nullptr, op->kind == OpKind::window) << op->name;
    EXPECT_EQ(op->concat != nullptr, op->kind == OpKind::concat) << op->name;
    EXPECT_EQ(op->composite != nullptr, op->kind == OpKind::composite) << op->name;
  }
}

TEST(Ops, attributes_take_back_the_values_they_give) {
  const ops::GeluAttrs tanh{ops::Approximate::tanh};
  const AttrsView view = ops::attrs_view<ops::Gelu>(tanh);
  EXPECT_EQ(Attrs(view).text(), "approximate=\"tanh\"");
  const std::shared_ptr<void> made = view.type->make();
  for (const NamedArg& one : view.type->values(view.data))
    EXPECT_EQ(view.type->assign(made.get(), one.name, one.value), true);
  EXPECT_TRUE(view.type->equal(view.data, made.get()));
  EXPECT_EQ(view.type->assign(made.get(), "approximate", std::string("fast")), false);
  EXPECT_EQ(view.type->choices("approximate").size(), 2U);
  EXPECT_EQ(view.type->choices("approximate")[1], "tanh");
}

TEST(Ops, rules_answer_for_symbols_as_for_numbers) {
  const sym::Expr n = sym::Expr::symbol("all_n");
  const Size rows(7, n);
  sym::GuardSink guards;
  const TensorMeta x{DType::f32, cpu, {rows, 16}, {16, 1}, 0}, row{DType::f32, cpu, {16}, {1}, 0};
  const Argument operands[] = {{&x, nullptr}, {&row, nullptr}};
  std::vector<TensorMeta> results;
  ShapeCall call{"add", operands, {}, results};
  ops::def<ops::Add>().shape(call);
  EXPECT_EQ(results[0].sizes[0].expr(), n);
  EXPECT_EQ(results[0].sizes[1].value(), 16);
  EXPECT_TRUE(guards.guards().empty());
}

}  // namespace
}  // namespace vitro
