// The values of sizes that depend on data (the number of elements that a mask selects), for a
// backward pass after the compiled call in which they arose: only then are they known, and the
// call's own table of them is gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vitro/core/op.h"
#include "vitro/core/tensor.h"

namespace vitro::autograd {

class DataSizes {
 public:
  // Keeps, of these tensors, those from whose sizes the symbols of a size that depends on data
  // follow.
  void add(Size size, std::span<const Operand> among);
  void add(const TensorMeta& meta, std::span<const Operand> among);
  void add(const Attrs& attrs, std::span<const Operand> among);
  // Whether a symbol follows from none of the tensors.
  bool lacks_any() const { return lacks_any_; }
  // Without symbols: the number in this run.  Error if it depends on data and follows from none of
  // the tensors.
  Size number(Size size) const;
  TensorMeta in_numbers(TensorMeta meta) const;
  Attrs in_numbers(const Attrs& attrs) const;
  // Lets the tensors go.
  void clear() { known_.clear(); }

 private:
  // The size `dim` of the tensor is factor * symbol + rest; without a tensor the symbol is `rest`.
  struct Known {
    sym::Expr symbol;
    Tensor tensor;
    size_t dim;
    int64_t factor, rest;
    int64_t value() const {
      return tensor.defined() ? (tensor.sizes()[dim].hint() - rest) / factor : rest;
    }
  };
  void add_if_known(sym::Expr symbol);
  static std::optional<Known> known_from(const Tensor& tensor, sym::Expr symbol);
  const Known* find(sym::Expr symbol) const;
  std::vector<Known> known_;
  bool lacks_any_ = false;
};

}  // namespace vitro::autograd
