// Rows along one dimension in order.
//   auto [values, indices] = sort(x, -1, true);     auto [best, where] = topk(x, 10);
// The order is stable: equal elements keep theirs, so that of equals the one with the lowest index
// comes first, descending too.  NaN is the largest number, and -0 equals 0.
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
      doc = "The elements of each row along `dim` in order, and their indices; equals keep theirs.";
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
  static constexpr std::string_view
      name = "topk",
      doc =
          "The k largest (or smallest) elements of each row along `dim` in order, and their "
          "indices: of equals the first.";
  static constexpr std::string_view signatures =
      "(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, "
      "Tensor indices)";
  using Attrs = TopkAttrs;
  static void shape(ShapeCall& call);
  static SortSpec spec(AttrsView attrs, int rank);
  static constexpr SortInfo info{&spec};
};

// Of all elements.  Those that are equal to it share its gradient.
struct MedianOfAll {
  static constexpr OpKind kind = OpKind::composite;
  static constexpr int arity = 1;
  static constexpr std::string_view signatures = "(Tensor self) -> Tensor";
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
};
struct Median : MedianOfAll {
  static constexpr std::string_view
      name = "median",
      doc = "The middle of the order, the lower of two; NaN where there is one.";
  static void expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
};
struct Nanmedian : MedianOfAll {
  static constexpr std::string_view name = "nanmedian",
                                    doc = "The median as if NaNs were not there.";
  static void expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
};

}  // namespace ops

std::pair<Tensor, Tensor> sort(ops::At x, int64_t dim = -1, bool descending = false);
std::pair<Tensor, Tensor> topk(ops::At x, Size k, int64_t dim = -1, bool largest = true);

Tensor argsort(ops::At x, int64_t dim = -1, bool descending = false);  // the indices alone
Tensor msort(ops::At x);                                               // the values, along dim 0
// The k-th smallest of each row, k from 1 on, and its index.
std::pair<Tensor, Tensor> kthvalue(ops::At x, Size k, int64_t dim = -1, bool keepdim = false);
// What is most often in each row, of such elements the smallest, and the last place where it is.
std::pair<Tensor, Tensor> mode(ops::At x, int64_t dim = -1, bool keepdim = false);
// What stands in the middle of the order, of an even number the lower, and its index; where there
// is a NaN, the first NaN.  nanmedian: as if the NaNs were not there.
std::pair<Tensor, Tensor> median(ops::At x, int64_t dim, bool keepdim = false);
std::pair<Tensor, Tensor> nanmedian(ops::At x, int64_t dim, bool keepdim = false);
// Of all elements.
Tensor median(ops::At x);
Tensor nanmedian(ops::At x);

}  // namespace vitro
