// Chains of products: a task computes a block of rows of the first product into scratch memory,
// reduces each row, and multiplies the rows by the next operand.
#include <algorithm>

#include "backend/lower/builder.h"
#include "backend/program/operand.h"
#include "backend/schedule/products.h"
#include "kernels/product.h"
#include "vitro/base/error.h"

namespace vitro::backend {
namespace {

using loop::Block;
using loop::Value;

Expr blocks_of(Expr size, Expr block) {
  return sym::floordiv(size + (block - 1), block);
}
Expr padded(Expr size, int64_t to) {
  return blocks_of(size, to) * to;
}

class ChainLowering {
 public:
  ChainLowering(const Program& program, const BufferAssignment& assignment, const Group& group)
      : program_(program), group_(group), build_(program, assignment, group) {
    const Index sizes = sizes_of(node_of(0).results[0]);
    const Expr batches = sizes.size() == 3 ? sizes[0] : Expr(1);
    m_ = sizes[sizes.size() - 2];
    n_ = sizes.back();
    batch_ = batches.is(1) ? Expr(0) : Expr::index("batch", batches);
    row_ = Expr::index("row", m_);
    const Expr height = rows_of_chain(program.machine(), m_, batches),
               blocks = blocks_of(m_, height);
    const Expr block = blocks.is(1) ? Expr(0) : Expr::index("block", blocks);
    begin_ = block * height;
    rows_ = blocks.is(1) ? m_ : sym::min(height, m_ - begin_);
    height_ = height;
    for (const Expr task : {batch_, block}) {
      if (!task.constant()) build_.kernel().tasks.push_back(task);
    }
  }

  LoweredKernel run() {
    const DType type = compute_type(node_of(0).results[0].dtype);
    const int64_t lanes = build_.kernel().lanes;
    stride_ = padded(n_, lanes) + lanes;  // rows in one cache set would evict each other
    scores_ = build_.add_row(cat(node_of(0).op->name, "_rows"), type, height_ * stride_);
    multiply_first(type);
    reduce_rows(type);
    multiply_last(compute_type(node_of(2).results[0].dtype));
    return build_.take();
  }

 private:
  const graph::Node& node_of(size_t stage) const {
    return program_.graph()[program_[product_of(stage)].value.node];
  }
  ComputeNodeId product_of(size_t stage) const { return *group_.stages[stage].product; }
  Index at(size_t stage, Expr a, Expr b) const {
    const bool batched = node_of(stage).results[0].sizes.size() == 3;
    return batched ? Index{batch_, a, b} : Index{a, b};
  }
  // An element in the scratch of this block's rows.
  Expr in_block(Expr column, Expr stride) const { return (row_ - begin_) * stride + column; }

  Plain matrix(size_t stage, size_t operand, Expr first, Expr second) {
    const auto value = std::get<graph::Value>(node_of(stage).args[operand]);
    const auto plain = as_plain(build_.read(value, at(stage, first, second)), first, second);
    VITRO_ASSERT(plain, node_of(stage).name, " reads an operand that is not a matrix in memory");
    return *plain;
  }

  void multiply_first(DType type) {
    const Expr k =
        sizes_of(program_.graph().meta(std::get<graph::Value>(node_of(0).args[0]))).back();
    const Expr inner = Expr::index("inner", k), column = Expr::index("column", n_);
    loop::Multiply multiply;
    multiply.accumulate = type;
    multiply.left = left_of(matrix(0, 0, row_, inner));
    const Plain right = matrix(0, 1, inner, column);
    const auto known = n_.constant();
    const bool in_one_part = known && *known <= columns_of_chain;
    const Expr parts = in_one_part ? Expr(1) : blocks_of(n_, columns_of_chain);
    const Expr part = in_one_part ? Expr(0) : Expr::index("part", parts);
    const Expr first = part * columns_of_chain;
    multiply.rows = rows_;
    multiply.columns = in_one_part ? n_ : sym::min(columns_of_chain, n_ - first);
    multiply.k = k;
    set_right(multiply, right, first * right.second_stride,
              in_one_part ? n_ : Expr(columns_of_chain), true);
    multiply.to = scores_;
    multiply.to_base = first;
    multiply.to_stride = stride_;
    if (in_one_part) {
      build_.kernel().body.push_back({std::move(multiply)});
      return;
    }
    Block body;
    body.push_back({std::move(multiply)});
    build_.kernel().body.push_back({loop::Loop{part, 0, parts, false, std::move(body)}});
  }

  loop::Left left_of(const Plain& plain) const {
    const Expr base = plain.base + begin_ * plain.first_stride;
    return {plain.buffer, base, plain.first_stride, plain.second_stride, {}};
  }

  void set_right(loop::Multiply& multiply, const Plain& right, Expr offset, Expr most_columns,
                 bool packs) {
    multiply.right = right.buffer;
    multiply.right_base = right.base + offset;
    multiply.right_k_stride = right.first_stride;
    multiply.right_n_stride = right.second_stride;
    if (!packs && right.second_stride.is(1)) return;
    const DType dtype = build_.kernel().buffers[static_cast<size_t>(right.buffer)].dtype;
    multiply.panels = build_.add_row(
        "panels", dtype, padded(most_columns, kernels::product_most_width) * multiply.k);
  }

  void reduce_rows(DType type) {
    const Group& stage = group_.stages[1];
    Group rows = stage;
    IterationSpace& space = rows.iteration.space;
    const Expr column = space.index[1];
    const Index values{batch_ * m_ + row_, column};
    for (IndexMap& map : rows.iteration.index_maps)
      map = with_index(map, stage.iteration.space, values);
    space.index = values;
    const Expr element = in_block(column, stride_);
    const DType made = node_of(0).results[0].dtype;
    build_.define(product_of(0), cast(build_.pool().load(scores_, type, element), made));
    build_.store_in_scratch(rows.stored[0], scores_, element);
    add_row_loop(lower_sweeps(build_, rows));
  }

  void add_row_loop(Block body) {
    build_.kernel().body.push_back(
        {loop::Loop{row_, begin_, begin_ + rows_, false, std::move(body)}});
  }

  void multiply_last(DType type) {
    const Group& stage = group_.stages[2];
    const Expr n = sizes_of(node_of(2).results[0]).back();
    const Expr inner = Expr::index("inner", n_), column = Expr::index("column", n);
    const Plain right = matrix(2, 1, inner, column);
    const Expr width = padded(n, build_.kernel().lanes);
    const int sums = build_.add_row("sums", type, height_ * width);
    loop::Multiply multiply;
    multiply.accumulate = type;
    multiply.rows = rows_;
    multiply.columns = n;
    multiply.k = n_;
    multiply.left = {scores_, 0, stride_, 1, {}};
    set_right(multiply, right, 0, n, false);
    multiply.to = sums;
    multiply.to_base = 0;
    multiply.to_stride = width;
    build_.kernel().body.push_back({std::move(multiply)});
    const Value sum = build_.pool().load(sums, type, in_block(column, width));
    build_.define(product_of(2), cast(sum, node_of(2).results[0].dtype));
    Block body;
    for (const ComputeNodeId id : stage.stored) {
      const Index at_row =
          with_index(stage.index_map(id), stage.iteration.space, at(2, row_, column));
      body.push_back(build_.store(id, at_row, build_.compute(id, at_row)));
    }
    Block columns;
    columns.push_back({loop::Loop{column, 0, n, true, std::move(body)}});
    add_row_loop(std::move(columns));
  }

  const Program& program_;
  const Group& group_;
  KernelBuilder build_;
  Expr m_, n_, batch_, row_;
  Expr begin_, rows_, height_;  // of the task's block
  Expr stride_;                 // of its rows in scratch
  int scores_ = 0;
};

}  // namespace

LoweredKernel lower_chain(const Program& program, const BufferAssignment& assignment,
                          const Group& group) {
  return ChainLowering(program, assignment, group).run();
}

}  // namespace vitro::backend
