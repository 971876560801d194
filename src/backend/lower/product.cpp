// Matrix products with what follows them: the sums of a row and sixteen columns go through the
// group's elementwise items before they are written.
#include "kernels/product.h"

#include "backend/lower/builder.h"
#include "backend/lower/operand.h"
#include "vitro/base/error.h"

namespace vitro::backend {
namespace {

using loop::Value;

// An index that has a name even where there is only one element.
Expr named_index(std::string_view name, Expr extent) {
  return Expr::index(name, extent.is(1) ? Expr(2) : extent);
}
Expr used_index(Expr index, Expr extent) {
  return extent.is(1) ? Expr(0) : index;
}

class ProductLowering {
 public:
  ProductLowering(const Program& program, Places& places, const Group& group)
      : program_(program),
        places_(places),
        group_(group),
        item_(ItemId{static_cast<uint32_t>(group.product)}) {
    const graph::Node& node = program.graph()[program[item_].value.node];
    left_ = std::get<graph::Value>(node.args[0]);
    right_ = std::get<graph::Value>(node.args[1]);
    dtype_ = node.results[0].dtype;
    VITRO_CHECK(is_floating(dtype_), node.op->name, ": products of ", dtype_,
                ", which the compiler does not lower yet");
    const Index sizes = sizes_of(node.results[0]);
    batched_ = sizes.size() == 3;
    product_.m = sizes[sizes.size() - 2];
    product_.n = sizes.back();
    product_.k = sizes_of(program.graph().meta(left_)).back();
    product_.batch = batched_ && !sizes[0].is(1) ? Expr::index("batch", sizes[0]) : Expr(0);
    batches_ = batched_ ? sizes[0] : Expr(1);
    product_.row = named_index("row", product_.m);
    product_.column = named_index("column", product_.n);
    product_.inner = named_index("inner", product_.k);
    product_.accumulate = compute_type(dtype_);
  }

  std::vector<LoweredKernel> run() {
    std::vector<LoweredKernel> out;
    if (!find_right()) out.push_back(copy_right());
    out.push_back(pack());
    out.push_back(multiply());
    return out;
  }

 private:
  Expr row() const { return used_index(product_.row, product_.m); }
  Expr column() const { return used_index(product_.column, product_.n); }
  Expr inner() const { return used_index(product_.inner, product_.k); }
  Index with_batch(Expr a, Expr b) const {
    return batched_ ? Index{product_.batch, a, b} : Index{a, b};
  }

  // Where the right operand lies, if it is a plain matrix in memory.
  bool find_right() {
    KernelBuilder build(program_, places_, alone_);
    const Value element = build.read(right_, with_batch(inner(), column()));
    const auto plain = as_plain(element, product_.inner, product_.column);
    if (!plain) return false;
    right_buffer_ = build.take().buffers[static_cast<size_t>(plain->buffer)];
    right_place_ = *plain;
    return true;
  }

  // The right operand, computed and written row by row.
  LoweredKernel copy_right() {
    KernelBuilder build(program_, places_, alone_);
    build.kernel().name = "copy";
    const Expr row = product_.k.is(1) ? Expr(0) : Expr::index("r", product_.k);
    const Expr column = product_.n.is(1) ? Expr(0) : Expr::index("c", product_.n);
    const Value element = build.read(right_, with_batch(row, column));
    right_buffer_ = places_.add(
        {"right", element.dtype(), BufferKind::temporary, 0, batches_ * product_.k * product_.n});
    right_place_ = {{product_.batch * product_.k * product_.n, product_.n, 1}, 0};
    const int to = build.buffer(right_buffer_, true);
    const Expr at = right_place_.base + row * product_.n + column;
    loop::Block body;
    body.push_back({loop::Store{to, at, element}});
    const Expr index = column.constant() ? Expr::index("c", 1) : column;
    build.kernel().body.push_back({loop::Loop{index, 0, product_.n, true, std::move(body)}});
    for (const Expr task : {product_.batch, row}) {
      if (!task.constant()) build.kernel().tasks.push_back(task);
    }
    return build.take();
  }

  LoweredKernel pack() {
    KernelBuilder build(program_, places_, alone_);
    build.kernel().name = "pack";
    const BufferInfo from = places_.buffers()[right_buffer_.n];
    constexpr int64_t width = kernels::product_most_width;
    const Expr columns = sym::floordiv(product_.n + (width - 1), width) * width;
    packed_ = places_.add({cat(from.name, "_panels"), from.dtype, BufferKind::packed, 0,
                           columns * product_.k * batches_});
    const int source = build.buffer(right_buffer_), to = build.buffer(packed_, true);
    build.kernel().body.push_back({loop::Pack{.k = product_.k,
                                              .n = product_.n,
                                              .batch = product_.batch,
                                              .batches = batches_,
                                              .accumulate = product_.accumulate,
                                              .from = source,
                                              .to = to,
                                              .base = right_place_.base,
                                              .k_stride = right_place_.first_stride,
                                              .n_stride = right_place_.second_stride}});
    return build.take();
  }

  LoweredKernel multiply() {
    KernelBuilder build(program_, places_, group_);
    const Value a = build.read(left_, with_batch(row(), inner()));
    const auto plain = as_plain(a, product_.row, product_.inner);
    const bool unit = plain && (plain->second_stride.is(1) || plain->first_stride.is(1));
    if (unit && a.dtype() == product_.accumulate) {
      product_.left = {plain->buffer, plain->base, plain->first_stride, plain->second_stride, {}};
    } else {
      product_.left.value = cast(a, product_.accumulate);
    }
    product_.packed = build.buffer(packed_);
    product_.packed_dtype = places_.buffers()[packed_.n].dtype;
    product_.sum = build.new_variable();
    const Value sum = build.pool().variable(product_.sum, product_.accumulate);
    build.define(item_, cast(sum, dtype_));
    const Index values = with_batch(row(), column());
    for (const ItemId id : group_.stored) {
      const Index at = with_index(group_.place(id), group_.layout.space, values);
      product_.body.push_back(build.store(id, at, build.compute(id, at)));
    }
    build.kernel().body.push_back({std::move(product_)});
    return build.take();
  }

  const Program& program_;
  Places& places_;
  const Group& group_;
  ItemId item_;
  Group alone_{{item_}, {}, {}};  // for the kernels of the right operand
  graph::Value left_, right_;
  DType dtype_;
  bool batched_ = false;
  Expr batches_;
  loop::Product product_;
  BufferId right_buffer_, packed_;
  Plain right_place_{};
};

}  // namespace

std::vector<LoweredKernel> lower_product(const Program& program, Places& places,
                                         const Group& group) {
  return ProductLowering(program, places, group).run();
}

}  // namespace vitro::backend
