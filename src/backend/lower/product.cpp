// Matrix products with what follows them: the sums of a row and sixteen columns go through the
// group's elementwise items before they are written.
#include "backend/lower/builder.h"
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

struct Plain {
  int buffer;
  Expr base, first_stride, second_stride;
};

// A load that is linear in both indices, with strides that do not change from batch to batch.
std::optional<Plain> as_plain(Value v, Expr first, Expr second) {
  if (v->fn != loop::Fn::load) return std::nullopt;
  const auto a = sym::as_linear(v->index, first);
  if (!a) return std::nullopt;
  const auto b = sym::as_linear(a->rest, second);
  if (!b || sym::contains(a->coefficient, second)) return std::nullopt;
  for (const Expr stride : {a->coefficient, b->coefficient}) {
    for (const Expr s : sym::symbols_of(stride)) {
      if (sym::kind_of(s) == sym::Kind::index) return std::nullopt;
    }
  }
  return Plain{static_cast<int>(v->payload), b->rest, a->coefficient, b->coefficient};
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

  LoweredKernel pack() {
    const Group nothing{{item_}, {}, {}};
    KernelBuilder build(program_, places_, nothing);
    build.kernel().name = "pack";
    const Value element = build.read(right_, with_batch(inner(), column()));
    const auto plain = as_plain(element, product_.inner, product_.column);
    VITRO_CHECK(plain, program_.name_of(item_),
                ": its right operand is no plain matrix in memory, which the compiler does not "
                "lower yet");
    const std::string name =
        cat(build.kernel().buffers[static_cast<size_t>(plain->buffer)].name, "_panels");
    const Expr columns = sym::floordiv(product_.n + 31, 32) * 32;
    packed_ = places_.add(
        {name, element.dtype(), BufferKind::packed, 0, columns * product_.k * batches_});
    const int to = build.buffer(packed_, true);
    build.kernel().body.push_back({loop::Pack{.k = product_.k,
                                              .n = product_.n,
                                              .batch = product_.batch,
                                              .batches = batches_,
                                              .accumulate = product_.accumulate,
                                              .from = plain->buffer,
                                              .to = to,
                                              .base = plain->base,
                                              .k_stride = plain->first_stride,
                                              .n_stride = plain->second_stride}});
    return build.take();
  }

  LoweredKernel multiply() {
    KernelBuilder build(program_, places_, group_);
    const Value a = build.read(left_, with_batch(row(), inner()));
    const auto plain = as_plain(a, product_.row, product_.inner);
    const bool unit = plain && (plain->second_stride.is(1) || plain->first_stride.is(1));
    if (unit) {
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
  graph::Value left_, right_;
  DType dtype_;
  bool batched_ = false;
  Expr batches_;
  loop::Product product_;
  BufferId packed_;
};

}  // namespace

std::vector<LoweredKernel> lower_product(const Program& program, Places& places,
                                         const Group& group) {
  return ProductLowering(program, places, group).run();
}

}  // namespace vitro::backend
