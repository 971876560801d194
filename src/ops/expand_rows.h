// Expands a row program (vitro/ops/rows.h) into other ops by running its body on all rows at once.
#pragma once

#include <array>

#include "vitro/ops/rows.h"
#include "vitro/ops/tensor_functions.h"

namespace vitro::ops {

struct RowTensors {
  static constexpr size_t most = 3;  // of operands, and of results
  Dims dims;
  std::array<Tensor, most> in, out;
};

// Elements are whole tensors; a value per row is a tensor in which `dims` have size 1.
class WholeRow {
 public:
  explicit WholeRow(RowTensors& rows) : rows_(rows) {}

  bool has(int k) const { return rows_.in[static_cast<size_t>(k)].defined(); }
  void put(int k, const Tensor& x) const { at().put(k, x); }
  Tensor sum(auto f) const { return vitro::sum(f(at()), rows_.dims, true); }
  Tensor mean(auto f) const { return vitro::mean(f(at()), rows_.dims, true); }
  Tensor maximum(auto f) const { return amax(f(at()), rows_.dims, true); }
  void each(auto f) const { f(at()); }

 private:
  struct Elements {
    RowTensors& rows;
    Tensor in(int k) const { return rows.in[static_cast<size_t>(k)]; }
    Tensor out(int k) const { return rows.out[static_cast<size_t>(k)]; }
    Tensor put(int k, const Tensor& x) const { return rows.out[static_cast<size_t>(k)] = x; }
  };
  Elements at() const { return {rows_}; }

  RowTensors& rows_;
};

// f16 and bf16 are computed in f32. Results after the first one have the dtype of the parameters.
template <class Program>
void expand_rows(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results) {
  const auto& a = attrs.as<typename Program::Op::Attrs>();
  const Tensor& x = operands[0].tensor();
  RowTensors rows{.dims = Program::dims(a, static_cast<int64_t>(x.rank())), .in = {}, .out = {}};
  DType parameters = x.dtype();
  for (size_t k = 0; k < operands.size(); ++k) {
    if (!operands[k].is_tensor()) continue;
    const Tensor& operand = operands[k].tensor();
    rows.in[k] = to(operand, compute_type(operand.dtype()));
    parameters = operand.dtype();
  }
  Program::make(a, WholeRow(rows));
  for (size_t k = 0; k < results.size(); ++k)
    results[k] = to(rows.out[k], k == 0 ? x.dtype() : parameters);
}

}  // namespace vitro::ops
