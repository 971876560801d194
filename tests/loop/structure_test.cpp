#include "loop/structure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace vitro::loop {
namespace {

using sym::Expr;

// out[i] = exp(x[i]) * 2 for i < 100
Kernel exp_twice(std::string_view name = "exp") {
  Kernel k;
  k.pool = std::make_shared<Pool>();
  k.name = name;
  k.buffers = {{"x", DType::f32, false}, {"out", DType::f32, true}};
  const Expr i = Expr::index("i", 100);
  const Value e = exp(k.pool->load(0, DType::f32, i));
  k.pool->name(e, name);
  Block body;
  body.push_back({Store{1, i, e * 2.0}});
  k.body.push_back({Loop{i, 0, 100, true, std::move(body)}});
  return k;
}

Store& store_of(Kernel& k) {
  return std::get<Store>(std::get<Loop>(k.body[0].what).body[0].what);
}

TEST(Structure, of_kernels_with_other_names_is_the_same) {
  Kernel other = exp_twice("growth");
  other.ops = {"exp", "mul"};
  other.locations = {"model.cpp:3"};
  other.reason = "they can";
  other.buffers[0].name = "weight";
  EXPECT_EQ(structure_of(exp_twice()), structure_of(other));
  EXPECT_EQ(HashStructure()(structure_of(exp_twice())), HashStructure()(structure_of(other)));
}

TEST(Structure, tells_apart_what_does_something_else) {
  const std::function<void(Kernel&)> changes[] = {
      [](Kernel& k) { k.buffers[0].dtype = DType::f64; },
      [](Kernel& k) { k.buffers.push_back({"y", DType::f32, false}); },
      [](Kernel& k) { k.buffers[1].streams = true; },
      [](Kernel& k) { k.numbers.push_back({"n", DType::f64}); },
      [](Kernel& k) { k.rows.push_back({"row", DType::f32, 100}); },
      [](Kernel& k) { k.checks.emplace_back(); },
      [](Kernel& k) { k.tasks.push_back(Expr::index("b", 3)); },
      [](Kernel& k) { std::get<Loop>(k.body[0].what).vector = false; },
      [](Kernel& k) { std::get<Loop>(k.body[0].what).end = 99; },
      [](Kernel& k) { store_of(k).buffer = 0; },
      [](Kernel& k) { store_of(k).element = store_of(k).element + 1; },
      [](Kernel& k) { store_of(k).value = store_of(k).value * 3.0; },
      [](Kernel& k) { k.body.push_back({Declare{0, store_of(k).value, false, "v"}}); },
      [](Kernel& k) { k.body.push_back({Assign{{0}, {store_of(k).value}}}); },
      [](Kernel& k) { k.body.push_back({Pack{1, 1, 0, 1, DType::f32, 0, 1, 0, 1, 1}}); },
      [](Kernel& k) {
        k.indirect_indices.push_back(
            {Expr::symbol("p0", {0, sym::unbounded}), store_of(k).value, 5, 0});
      },
  };
  std::vector<Structure> seen{structure_of(exp_twice())};
  for (const auto& change : changes) {
    Kernel k = exp_twice();
    change(k);
    const Structure now = structure_of(k);
    EXPECT_EQ(std::count(seen.begin(), seen.end(), now), 0) << print(k);
    seen.push_back(now);
  }
}

}  // namespace
}  // namespace vitro::loop
