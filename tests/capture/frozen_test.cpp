// Frozen calls: guards without running the function's code, and what cannot be frozen.
#include "capture/testing.h"

namespace vitro {
namespace {

TEST(Frozen, does_not_run_the_functions_code_again) {
  int runs = 0;
  const Tensor weight = vec({2, 3});
  auto f = compile(
      [&](const Tensor& x, double scale) {
        ++runs;
        const Tensor y = mul(mul(x, weight), scale);
        return std::make_pair(y, std::vector<Tensor>{slice(y, 0, 1, 2), x});
      },
      frozen());
  const Tensor a = vec({1, 1}), b = vec({10, 100});
  EXPECT_EQ(values(f(a, 2.0).first), (std::vector<float>{4, 6}));
  const auto [y, list] = f(b, 2.0);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(values(y), (std::vector<float>{40, 600}));
  EXPECT_EQ(values(list.at(0)), (std::vector<float>{600}));
  EXPECT_TRUE(list.at(0).storage() == y.storage());
  EXPECT_TRUE(list.at(1).same_as(b));
  EXPECT_EQ(values(f(b, 3.0).first), (std::vector<float>{60, 900}));
  EXPECT_EQ(runs, 2);
  // Weights are read, not copied.
  fill_(weight, 1.0);
  EXPECT_EQ(values(f(b, 3.0).first), (std::vector<float>{30, 300}));
  EXPECT_EQ(runs, 2);
}

TEST(Frozen, guards_shapes_and_plain_numbers_made_from_them) {
  int runs = 0;
  auto f = compile(
      [&](const Tensor& x) {
        ++runs;
        const int64_t n = x.size(0);
        return mul(x, static_cast<double>(n));
      },
      frozen());
  for (const int64_t n : {2, 3, 4, 2, 3, 4}) {
    const Tensor x = counted({n});
    EXPECT_EQ(values(f(x)), values(mul(x, static_cast<double>(n)))) << n;
  }
  EXPECT_EQ(runs, 3);
}

TEST(Frozen, guards_sizes_that_are_taken_as_plain_numbers) {
  int runs = 0;
  auto f = compile(
      [&](const Tensor& x) {
        ++runs;
        return mul(x, static_cast<double>(x.size(0).value()));
      },
      frozen());
  for (const int64_t n : {2, 3, 4, 2, 3, 4}) {
    const Tensor x = counted({n});
    EXPECT_EQ(values(f(x)), values(mul(x, static_cast<double>(n)))) << n;
  }
  EXPECT_EQ(runs, 3);
}

// Calls `program` frozen on vectors of these lengths; returns how often its code ran.
int runs_for(Tensor (*program)(const Tensor&), std::initializer_list<int64_t> lengths) {
  int runs = 0;
  auto f = compile([&](const Tensor& x) { return ++runs, program(x); }, frozen());
  for (const int64_t n : lengths) {
    const Tensor x = counted({n});
    EXPECT_EQ(values(f(x)), values(program(x))) << n;
  }
  return runs;
}

TEST(Frozen, guards_sizes_that_are_taken_out_of_a_number) {
  const auto whole = [](const Tensor& x) {
    return mul(x, static_cast<double>(Scalar(x.size(0)).as_int()));
  };
  EXPECT_EQ(runs_for(whole, {2, 3, 4, 2, 3, 4}), 3);
  const auto floating = [](const Tensor& x) { return mul(x, Scalar(x.size(0)).as_double()); };
  EXPECT_EQ(runs_for(floating, {2, 3, 4, 2, 3, 4}), 3);
  const auto truth = [](const Tensor& x) { return Scalar(x.size(0)).as_bool() ? mul(x, 2.0) : x; };
  EXPECT_EQ(runs_for(truth, {2, 3, 4, 5}), 2);
}

TEST(Frozen, guards_what_an_op_chooses_by_a_size) {
  const auto power = [](const Tensor& x) { return pow(x, x.size(0)); };
  // For 4, for any but 2 and 3, for 3, and for 2.
  EXPECT_EQ(runs_for(power, {4, 5, 6, 3, 2, 7, 3, 2}), 4);
}

TEST(Frozen, takes_new_sizes_where_nothing_depends_on_them) {
  int runs = 0;
  auto f = compile(
      [&](const Tensor& x) {
        ++runs;
        return sum(view(x, {x.size(0) / 2, 2}), {1});
      },
      frozen());
  for (const int64_t n : {4, 6, 8, 10, 12, 6}) {
    const Tensor x = counted({n});
    EXPECT_EQ(values(f(x)), values(sum(view(x, {n / 2, 2}), {1}))) << n;
  }
  EXPECT_EQ(runs, 2);
}

TEST(Frozen, writes_inputs) {
  auto f = compile([](const Tensor& x) { add_(x, 1.0); }, frozen());
  const Tensor x = vec({1});
  for (int i = 0; i < 3; ++i) f(x);
  EXPECT_EQ(values(x), (std::vector<float>{4}));
}

TEST(Frozen, guards_whether_inputs_share_the_memory_of_what_it_reaches) {
  const Tensor weight = counted({4});
  const auto program = [&](const Tensor& x) {
    add_(x, 1.0);
    return mul(weight, 2.0);
  };
  auto f = compile(program, frozen());
  for (int call = 0; call < 2; ++call) {
    EXPECT_EQ(values(f(vec({0, 0}))), (std::vector<float>{0, 2, 4, 6}));
  }
  // Now x, which is written, lies in `weight`, which is read, at two offsets.
  EXPECT_EQ(values(f(slice(weight, 0, 0, 2))), (std::vector<float>{2, 4, 4, 6}));
  EXPECT_EQ(values(f(slice(weight, 0, 2, 4))), (std::vector<float>{2, 4, 6, 8}));
  EXPECT_EQ(values(f(slice(weight, 0, 2, 4))), (std::vector<float>{2, 4, 8, 10}));
  EXPECT_EQ(values(f(vec({0, 0}))), (std::vector<float>{2, 4, 8, 10}));
}

TEST(Frozen, needs_fullgraph) {
  CompileOptions options = graphs("cold");
  options.frozen = true;
  EXPECT_EQ(error_of([&] { compile([](const Tensor& x) { return x; }, options); }),
            "cold: frozen needs fullgraph: after a break the function's own code must run");
}

TEST(Frozen, refuses_what_it_cannot_repeat) {
  const Tensor x = vec({1});
  Tensor kept;
  auto keeps = compile(
      [&](const Tensor& t) {
        kept = exp(t);
        return add(kept, 1.0);
      },
      frozen());
  EXPECT_NE(error_of([&] { keeps(x); }).find("stored outside the function"), std::string::npos);
  auto makes = compile([](const Tensor& t) { return add(t, vec({1})); }, frozen());
  EXPECT_NE(error_of([&] { makes(x); }).find("made from host data"), std::string::npos);
  auto numbers = compile([](const Tensor& t) { return std::make_pair(exp(t), 3); }, frozen());
  EXPECT_NE(error_of([&] { numbers(x); }).find("plain numbers"), std::string::npos);
  auto looks = compile([](const Tensor& t) { return mul(t, t.item()); }, frozen());
  EXPECT_NE(error_of([&] { looks(x); }).find("reads elements"), std::string::npos);
}

}  // namespace
}  // namespace vitro
