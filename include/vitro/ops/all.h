// The one list of ops.  Consumers that need the structs themselves (to run bodies) iterate over it;
// everybody else works with OpDef.  A new op is a struct in one of the headers below and its name
// in the list.
#pragma once

#include <string_view>
#include <vector>

#include "vitro/ops/concat.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/pointwise.h"
#include "vitro/ops/product.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/view.h"

namespace vitro::ops {

template <class... Op>
struct List {
  // f.template operator()<Op>() for each op in order.
  static constexpr void each(auto&& f) { (f.template operator()<Op>(), ...); }
};

using PointwiseOps = List<Exp, Sigmoid, Add, Mul, Gt, Where>;
using ReductionOps = List<Sum>;
using OtherOps = List<Permute, Slice, Mm, Bmm, Embedding, Cat>;

constexpr void each_op(auto&& f) {
  PointwiseOps::each(f);
  ReductionOps::each(f);
  OtherOps::each(f);
}

// All definitions, in order of the list; `named` gives null for a name that is none.
const std::vector<const OpDef*>& all();
const OpDef* named(std::string_view name);

}  // namespace vitro::ops
