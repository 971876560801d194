// The driver of composites that process one row at a time, such as softmax and layer norm.
#include "eager/rows.h"

#include <algorithm>
#include <array>

#include "eager/copy.h"
#include "eager/kernel_table.h"
#include "eager/loop.h"
#include "eager/run.h"
#include "eager/stream.h"
#include "vitro/ops/rows.h"
#include "vitro/runtime/parallel.h"

namespace vitro::eager {
namespace {

// A call whose operands and results are rows of `n` elements.
class Rows {
 public:
  // Returns false if the kernels do not take an operand.
  bool fits(const OpCall& call, const Dims& dims);
  void run(const OpCall& call, const std::vector<TensorMeta>& metas, std::span<Tensor> results,
           void (*make)(const RowArgs&), double flops);

 private:
  std::array<Tensor, RowArgs::most> dense_;
  RowArgs first_{};
  int64_t rows_ = 0;
  int64_t in_stride_[RowArgs::most] = {}, out_stride_[RowArgs::most] = {};
};

bool Rows::fits(const OpCall& call, const Dims& dims) {
  const Ints& sizes = call.operands[0].tensor().impl()->sizes;
  const bool are_last = !dims.empty() && static_cast<size_t>(dims[0]) + dims.size() == sizes.size();
  if (!are_last || call.operands.size() > RowArgs::most) return false;
  for (const Operand& o : call.operands) {
    if (o.kind() == Operand::Kind::none) continue;
    if (!o.is_tensor() || o.tensor().dtype() != DType::f32) return false;
  }
  const int64_t all = count_of(sizes);
  first_.n = count_of(std::span(sizes).last(dims.size()));
  if (all == 0) return false;
  rows_ = all / first_.n;
  for (size_t k = 0; k < call.operands.size(); ++k) {
    if (!call.operands[k].is_tensor()) continue;
    const Tensor& t = call.operands[k].tensor();
    const int64_t count = count_of(t.impl()->sizes);
    if (count != all && count != first_.n) return false;
    dense_[k] = dense_copy(t);
    first_.in[k] = static_cast<const float*>(dense_[k].const_data());
    in_stride_[k] = count == all ? first_.n : 0;
  }
  return true;
}

void Rows::run(const OpCall& call, const std::vector<TensorMeta>& metas, std::span<Tensor> results,
               void (*make)(const RowArgs&), double flops) {
  VITRO_ASSERT(results.size() <= RowArgs::most, call.op->name,
               " has more results than RowArgs::most");
  for (size_t k = 0; k < results.size(); ++k) {
    results[k] = Tensor::empty(plain(metas[k].sizes), metas[k].dtype, metas[k].device);
    const TensorImpl& made = *results[k].impl();
    first_.out[k] = static_cast<float*>(made.storage.data()) + made.offset;
    out_stride_[k] = count_of(made.sizes) / rows_;
  }
  first_.attrs = call.attrs.data;
  const auto count = static_cast<double>(first_.n);
  const int64_t grain = grain_for({.bytes = 8 * count, .flops = flops * count});
  const bool streams = should_stream(results[0], dense_, out_stride_[0]);
  parallel_for(rows_, grain, [&](int64_t begin, int64_t end) {
    std::vector<float> piece(streams ? static_cast<size_t>(out_stride_[0]) : 0);
    for (int64_t i = begin; i < end; ++i) {
      RowArgs row = first_;
      for (size_t k = 0; k < RowArgs::most; ++k) {
        if (row.in[k]) row.in[k] += i * in_stride_[k];
        if (row.out[k]) row.out[k] += i * out_stride_[k];
      }
      float* const to = row.out[0];
      if (streams) row.out[0] = piece.data();
      make(row);
      if (streams) kernel_table().stream(piece.data(), to, 4 * out_stride_[0]);
    }
    if (streams) kernel_table().end_streams();
  });
}

// Rows along dimension `along`, with adjacent rows next to each other in memory.  Only for tensors
// that fit the first-level cache, because the elements of a row are far apart.
bool run_by_columns(const OpCall& call, const std::vector<TensorMeta>& metas,
                    std::span<Tensor> results, void (*make)(const RowArgs&), int64_t along) {
  constexpr int64_t most_elements = 4096;
  const Tensor& x = call.operands[0].tensor();
  const std::span<const int64_t> sizes = x.impl()->sizes;
  const int64_t all = count_of(sizes);
  if (x.dtype() != DType::f32 || all == 0 || all > most_elements) return false;
  const Tensor dense = dense_copy(x);
  results[0] = Tensor::empty(plain(metas[0].sizes), metas[0].dtype, metas[0].device);
  const auto* from = static_cast<const float*>(dense.const_data());
  const TensorImpl& made = *results[0].impl();
  auto* to = static_cast<float*>(made.storage.data()) + made.offset;
  RowArgs args{.in = {},
               .out = {},
               .n = sizes[static_cast<size_t>(along)],
               .attrs = call.attrs.data,
               .step = count_of(sizes.subspan(static_cast<size_t>(along) + 1))};
  for (int64_t first = 0; first < all; first += args.n * args.step) {
    for (int64_t column = 0; column < args.step; column += 16) {
      args.in[0] = from + first + column, args.out[0] = to + first + column;
      args.columns = std::min<int64_t>(16, args.step - column);
      make(args);
    }
  }
  return true;
}

}  // namespace

bool run_by_rows(const OpCall& call, const std::vector<TensorMeta>& metas,
                 std::span<Tensor> results) {
  bool done = false;
  size_t place = 0;
  ops::RowPrograms::each([&]<class Program>() {
    auto* const make = kernel_table().row[place];
    auto* const make_columns = kernel_table().columns[place++];
    if (call.op != &ops::def<typename Program::Op>()) return;
    const auto& attrs = call.attrs.as<typename Program::Op::Attrs>();
    const auto rank = static_cast<int64_t>(call.operands[0].tensor().rank());
    const Dims dims = Program::dims(attrs, rank);
    Rows rows;
    done = rows.fits(call, dims);
    if (done) return rows.run(call, metas, results, make, Program::flops);
    if (make_columns && dims.size() == 1)
      done = run_by_columns(call, metas, results, make_columns, dims[0]);
  });
  return done;
}

}  // namespace vitro::eager
