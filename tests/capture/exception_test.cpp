#include "capture/testing.h"

namespace vitro {
namespace {

TEST(Exception, a_shape_error_is_thrown_at_its_op_and_may_be_caught) {
  auto f = compile(
      [](const Tensor& x) {
        const Tensor y = add(x, 1.0);
        try {
          return mm(y, y);
        } catch (const Error&) {
          return mul(y, 2.0);
        }
      },
      graphs());
  EXPECT_EQ(values(f(vec({1}))), (std::vector<float>{4}));
  EXPECT_EQ(values(f(vec({2}))), (std::vector<float>{6}));
  EXPECT_EQ(f.report().ops_recorded, 2U);
}

TEST(Exception, of_a_write_that_does_not_fit_reads_as_eager) {
  const auto program = [](const Tensor& x, const Tensor& y) { add_(x, y); };
  auto f = compile(program, graphs());
  const Tensor x = vec({1, 2}), wide = counted({3, 2});
  const Tensor whole = Tensor::from<int64_t>({1, 2}, {2});
  for (const auto& [a, b] : {std::pair(x, wide), std::pair(whole, x)}) {
    const std::string eager_text = error_of([&] { program(a, b); });
    EXPECT_FALSE(eager_text.empty());
    EXPECT_EQ(error_of([&] { f(a, b); }), eager_text);
  }
}

TEST(Exception, a_mistake_in_the_data_is_thrown_where_the_segment_runs) {
  Tensor kept;
  bool reached = false;
  int line = 0;
  auto f = compile(
      [&](const Tensor& table, const Tensor& at) {
        line = __LINE__ + 1;
        kept = embedding(table, at);
        reached = true;
        return mul(kept, 2.0);
      },
      graphs());
  const Tensor table = counted({3, 2});
  const Tensor good = Tensor::from<int64_t>({0, 2}, {2}), bad = Tensor::from<int64_t>({0, 7}, {2});
  EXPECT_EQ(values(f(table, good)), (std::vector<float>{0, 2, 8, 10}));
  try {
    (void)f(table, bad);
    ADD_FAILURE() << "accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.message(), error_of([&] { embedding(table, bad); }));
    EXPECT_TRUE(e.location().starts_with(cat("exception_test.cpp:", line, " in "))) << e.location();
  }
  EXPECT_TRUE(reached);
  // The shape is known; the elements are never computed.
  EXPECT_EQ(kept.size(0).value(), 2);
  EXPECT_NE(error_of([&] { kept.item(); }), "");
  EXPECT_NE(error_of([&] { values(kept); }).find("never computed"), std::string::npos);
  EXPECT_EQ(values(f(table, good)), (std::vector<float>{0, 2, 8, 10}));
}

TEST(Exception, leaves_what_was_stored_before_it) {
  std::vector<Tensor> log;
  auto f = compile(
      [&](const Tensor& x) -> Tensor {
        log.push_back(exp(x));
        log.push_back(slice(log.back(), 0, 0, 1));
        throw std::runtime_error("as planned");
      },
      graphs());
  for (int i = 0; i < 3; ++i) EXPECT_THROW(f(vec({0, 1})), std::runtime_error);
  ASSERT_EQ(log.size(), 6U);
  for (size_t i = 0; i < 6; i += 2) {
    EXPECT_EQ(values(log[i]), values(exp(vec({0, 1}))));
    EXPECT_EQ(values(log[i + 1]), (std::vector<float>{1}));
    EXPECT_TRUE(log[i].storage() == log[i + 1].storage());
  }
}

TEST(Exception, leaves_the_interpreter_stack_as_it_was) {
  auto f = compile(
      [](const Tensor& x) -> Tensor {
        add(x, 1.0);
        throw std::runtime_error("as planned");
      },
      graphs());
  EXPECT_THROW(f(vec({1})), std::runtime_error);
  EXPECT_FALSE(is_compiling());
  EXPECT_FALSE(add(vec({1}), 1.0).is_deferred());
}

}  // namespace
}  // namespace vitro
