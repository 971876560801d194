// Sorts rows along one dimension.
//   auto [values, indices] = sort(x, -1, true);     auto [best, where] = topk(x, 10);
// Sorting is stable, also in descending order: among equal elements the lowest index comes first.
// NaN is the largest number, and -0 equals 0.
#pragma once

#include <utility>

#include "vitro/ops/define.h"

namespace vitro {
namespace ops {

struct SortOp {
  static constexpr OpKind kind = OpKind::sort;
  static constexpr int arity = 1;
  static void gradient(Formula& f);
};

struct SortAttrs {
  int64_t dim = -1;
  bool descending = false;
  static constexpr void each(auto&& f) {
    f("dim", &SortAttrs::dim);
    f("descending", &SortAttrs::descending);
  }
};
struct Sort : SortOp {
  static constexpr std::string_view
      name = "sort",
      doc = "The elements of each row along `dim`, sorted stably, and their indices.";
  static constexpr std::string_view signatures =
      "(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)\n"
      ".stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, "
      "Tensor indices)";
  using Attrs = SortAttrs;
  static void shape(ShapeCall& call);
  static SortSpec spec(AttrsView attrs, int rank);
  static constexpr SortInfo info{&spec};
};

struct TopkAttrs {
  Size k = 1;
  int64_t dim = -1;
  bool largest = true;
  static constexpr void each(auto&& f) {
    f("k", &TopkAttrs::k);
    f("dim", &TopkAttrs::dim);
    f("largest", &TopkAttrs::largest);
  }
};
struct Topk : SortOp {
  static constexpr std::string_view name = "topk",
                                    doc =
                                        "The k largest (or smallest) elements of each row along "
                                        "`dim`, sorted, and their indices: the first of equals.";
  static constexpr std::string_view signatures =
      "(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, "
      "Tensor indices)";
  using Attrs = TopkAttrs;
  static void shape(ShapeCall& call);
  static SortSpec spec(AttrsView attrs, int rank);
  static constexpr SortInfo info{&spec};
};

// Over all elements. Elements equal to the median share its gradient.
struct MedianOfAll {
  static constexpr OpKind kind = OpKind::composite;
  static constexpr int arity = 1;
  static constexpr std::string_view signatures = "(Tensor self) -> Tensor";
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
};
struct Median : MedianOfAll {
  static constexpr std::string_view name = "median",
                                    doc = "The median, the lower one of two; NaN if there is one.";
  static void expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
};
struct Nanmedian : MedianOfAll {
  static constexpr std::string_view name = "nanmedian", doc = "The median, ignoring NaNs.";
  static void expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
};

}  // namespace ops

std::pair<Tensor, Tensor> sort(ops::At x, int64_t dim = -1, bool descending = false);
std::pair<Tensor, Tensor> topk(ops::At x, Size k, int64_t dim = -1, bool largest = true);

Tensor argsort(ops::At x, int64_t dim = -1, bool descending = false);  // only the indices
Tensor msort(ops::At x);  // only the values, along dim 0
// The k-th smallest element of each row (k >= 1) and its index.
std::pair<Tensor, Tensor> kthvalue(ops::At x, Size k, int64_t dim = -1, bool keepdim = false);
// The most frequent element of each row, the smallest if there are several, and its last index.
std::pair<Tensor, Tensor> mode(ops::At x, int64_t dim = -1, bool keepdim = false);
// The median of each row (the lower one if the row has an even number of elements) and its index;
// in a row with NaNs the first NaN. nanmedian ignores NaNs.
std::pair<Tensor, Tensor> median(ops::At x, int64_t dim, bool keepdim = false);
std::pair<Tensor, Tensor> nanmedian(ops::At x, int64_t dim, bool keepdim = false);
// Over all elements.
Tensor median(ops::At x);
Tensor nanmedian(ops::At x);

}  // namespace vitro
