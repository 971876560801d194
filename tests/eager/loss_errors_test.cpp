// Errors of losses, histograms, norms and interpolations that are written with ops.
#include <gtest/gtest.h>

#include "eager/eager.h"
#include "error_of.h"
#include "vitro/ops/create.h"
#include "vitro/ops/loss.h"
#include "vitro/ops/overload.h"
#include "vitro/ops/special.h"
#include "vitro/ops/statistics.h"

namespace vitro {
namespace {

// log_probs of 5 steps, 2 rows and 3 classes; 2 labels each, unless one of these is replaced.
struct Ctc {
  Tensor log_probs = zeros({5, 2, 3}), targets = ones({2, 2}, DType::i64);
  DimsArg input_lengths = {5, 5}, target_lengths = {2, 2};
  int64_t blank = 0, reduction = reduce_mean;
};
std::string error_of_ctc(const Ctc& c) {
  return error_of([&] {
    (void)ctc_loss(c.log_probs, c.targets, c.input_lengths, c.target_lengths, c.blank, c.reduction);
  });
}

TEST(LossErrors, of_ctc_loss_say_what_it_needs) {
  eager::init();
  EXPECT_EQ(error_of_ctc({}), "");
  EXPECT_EQ(error_of_ctc({.log_probs = zeros({5, 2, 0})}),
            "ctc_loss: needs log_probs [steps, batch, classes] with elements, got sizes [5, 2, 0]");
  EXPECT_EQ(error_of_ctc({.log_probs = zeros({5, 2, 3}, DType::i64)}),
            "ctc_loss: takes floating-point numbers, got i64; cast them first");
  EXPECT_EQ(error_of_ctc({.targets = ones({3, 2}, DType::i64)}),
            "ctc_loss: targets must have rank 1, or 2 with 2 rows, got sizes [3, 2]");
  EXPECT_EQ(error_of_ctc({.targets = ones({5}, DType::i64)}),
            "ctc_loss: target_lengths add up to 4, targets are 5");
  EXPECT_EQ(error_of_ctc({.input_lengths = {5}}),
            "ctc_loss: needs one of input_lengths for each of 2 rows, got 1");
  EXPECT_EQ(error_of_ctc({.input_lengths = {5, 6}}),
            "ctc_loss: input_lengths must be from 0 to 5, got 6");
  EXPECT_EQ(error_of_ctc({.target_lengths = {2, -1}}),
            "ctc_loss: target_lengths must be from 0 to 2, got -1");
  EXPECT_EQ(error_of_ctc({.blank = 3}), "ctc_loss: blank must be one of 3 classes, got 3");
  EXPECT_EQ(error_of_ctc({.reduction = 3}),
            "ctc_loss: reduction must be 0 (none), 1 (mean) or 2 (sum), got 3");
  const Ctc c;
  EXPECT_EQ(error_of([&] { (void)ctc_loss(c.log_probs, c.targets, zeros({2}), zeros({2})); }),
            "ctc_loss: lengths must be integers of rank 1, got f32 of sizes [2]");
}

TEST(LossErrors, of_histogramdd_say_what_it_needs) {
  eager::init();
  const Tensor x = zeros({4, 2}), edges = zeros({3});
  const auto error = [&](const Tensor& points, const Dims& bins,
                         const std::vector<double>& range = {}) {
    return error_of([&] { (void)histogramdd(points, bins, range); });
  };
  EXPECT_EQ(error(x, {2}),
            "histogramdd: needs points [..., 1] for bins of 1 dimensions, got sizes [4, 2]");
  EXPECT_EQ(error(zeros({4, 2}, DType::i64), {2, 2}), "histogramdd: takes f32 or f64, got i64");
  EXPECT_EQ(error(x, {2, 0}), "histogramdd: bins must be positive, got 0");
  EXPECT_EQ(error(x, {2, 2}, {0, 1}), "histogramdd: range needs 4 bounds, got 2");
  EXPECT_EQ(error(x, {2, 2}, {1, 0, 0, 1}), "histogramdd: range needs a lower and an upper bound");
  EXPECT_EQ(error(full({4, 2}, INFINITY), {2, 2}),
            "histogramdd: needs a finite range, got inf to inf");
  EXPECT_EQ(error_of([&] { (void)histogramdd(x, {{edges, zeros({3}, DType::f64)}}); }),
            "histogramdd: needs a vector of edges of f32, got f64 of sizes [3]");
  EXPECT_EQ(error_of([&] { (void)histogramdd(x, {{edges, edges}}, zeros({8})); }),
            "histogramdd: needs a weight of f32 for each element, got f32 of sizes [8] for sizes "
            "[4, 2]");
}

TEST(LossErrors, of_other_functions_say_what_they_need) {
  eager::init();
  EXPECT_EQ(error_of([] { (void)embedding_renorm(zeros({3}), zeros({1}, DType::i64), 1, 2); }),
            "embedding_renorm: needs a matrix, got sizes [3]");
  EXPECT_EQ(error_of([] { (void)embedding_renorm(zeros({3, 2}), zeros({1}), 1, 2); }),
            "embedding_renorm: indices must be i64 or i32, got f32");
  const NamedArg atol{"atol", zeros({}, DType::c64)};
  EXPECT_EQ(error_of([&] { (void)ops::call("linalg_matrix_rank", {zeros({2, 2})}, {atol}); }),
            "linalg_matrix_rank: tolerances must be real, got c64");
  const std::vector<Scalar> size{2, 2};
  EXPECT_EQ(error_of([&] {
              (void)ops::call("upsample_bilinear2d",
                              {zeros({1, 1, 3, 3}, DType::u8), size, Scalar(false)});
            }),
            "upsample_bilinear2d: interpolation of u8 is not implemented; cast x to f32, and round "
            "the result");
}

}  // namespace
}  // namespace vitro
