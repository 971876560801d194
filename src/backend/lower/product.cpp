// Matrix products: how their operands are read or packed, and which way their lanes run.
#include "backend/lower/builder.h"
#include "backend/lower/product_epilogue.h"
#include "backend/program/operand.h"
#include "backend/schedule/products.h"
#include "vitro/base/error.h"

namespace vitro::backend {
namespace {

using loop::Value;

class ProductLowering {
 public:
  ProductLowering(const Program& program, BufferAssignment& assignment, const Group& group)
      : program_(program), assignment_(assignment), group_(group), compute_node_(*group.product) {
    const graph::Node& node = program.graph()[program[compute_node_].value.node];
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
    product_.panels = product_.batch;
    batches_ = batched_ ? sizes[0] : Expr(1);
    name_sides();
    product_.inner = named_index("inner", product_.k);
    product_.accumulate = compute_type(dtype_);
  }

  std::vector<LoweredKernel> run() {
    const std::string name = text();
    const bool in_memory = find_right(), has_weights = in_memory && is_kept();
    if (!in_memory) copy_right();
    if (product_.n.is(1)) right_matrix_.second_stride = 1;
    const bool across = epilogue().lies_across();
    Verdict in_place = across && in_memory ? reads_left_rows() : Verdict::no("");
    if (!in_place && has_weights) in_place = multiplies_parts();
    if (!in_place) {
      const bool by_columns = right_matrix_.first_stride.is(1) && !product_.n.is(1);
      in_place = by_columns ? reads_columns() : reads_rows();
      if (in_place && by_columns) exchange();
      if (in_place && !by_columns) product_.reads = loop::RightOperand::rows;
    }
    if (product_.reads == loop::RightOperand::rows) {
      packed_ = right_matrix_.buffer;
    } else {
      pack();
    }
    product_.turned = across != exchanged_;
    const std::string_view algorithm = product_.bf16x6 ? ", bf16x6" : "";
    multiply();
    out_.back().kernel.reading = std::move(in_place.why);
    out_.back().kernel.product = cat(name, algorithm);
    return std::move(out_);
  }

 private:
  Expr row() const { return used_index(product_.row, product_.m); }
  Expr column() const { return used_index(product_.column, product_.n); }
  Expr inner() const { return used_index(product_.inner, product_.k); }

  // "matmul [128, 64] x [64, 32]", "matmul 12 x [128, 64] x [64, 128]"
  std::string text() const {
    const auto matrix = [](Expr rows, Expr columns) {
      return cat('[', rows.text(), ", ", columns.text(), ']');
    };
    return cat("matmul ", batches_.is(1) ? std::string() : cat(batches_.text(), " x "),
               matrix(product_.m, product_.k), " x ", matrix(product_.k, product_.n));
  }
  Index with_batch(Expr a, Expr b) const {
    if (exchanged_) std::swap(a, b);
    return batched_ ? Index{product_.batch, a, b} : Index{a, b};
  }
  void name_sides() {
    product_.row = named_index("row", product_.m);
    product_.column = named_index("column", product_.n);
  }

  // Switches to the transposed product: its rows are the right operand's columns.
  void exchange() {
    std::swap(left_, right_);
    std::swap(left_matrix_, right_matrix_);
    std::swap(product_.m, product_.n);
    name_sides();
    exchanged_ = !exchanged_;
  }

  // A matrix in memory; its first index runs along k.
  struct OperandMatrix : Matrix {
    BufferId buffer;
  };

  // Finds an operand's location, if it is a plain matrix in memory.
  bool find(graph::Value operand, const Index& at, Expr other, OperandMatrix* matrix) {
    KernelBuilder build(program_, assignment_, alone_);
    const auto plain = as_plain(build.read(operand, at), product_.inner, other);
    if (!plain) return false;
    *matrix = {*plain, build.take().buffers[static_cast<size_t>(plain->buffer)]};
    return true;
  }
  bool find_left() { return find(left_, with_batch(row(), inner()), product_.row, &left_matrix_); }
  bool find_right() {
    return find(right_, with_batch(inner(), column()), product_.column, &right_matrix_);
  }

  // Whether both operands have the type of the sums and the left one is in memory.
  bool as_they_lie() {
    const auto dtype = [&](graph::Value v) { return program_.graph().meta(v).dtype; };
    return dtype(left_) == product_.accumulate && dtype(right_) == product_.accumulate &&
           find_left();
  }

  // Whether lanes along the rows need no transpose: then the transposed product is computed, whose
  // right operand is read by rows.
  Verdict reads_left_rows() {
    if (!as_they_lie() || !left_matrix_.second_stride.is(1)) return Verdict::no("");
    exchange();
    Verdict reads = reads_rows();
    if (reads) {
      product_.reads = loop::RightOperand::rows;
    } else {
      exchange();
    }
    return reads;
  }

  // Whether to read weights in place that are contiguous along k, next to a left operand that is
  // far smaller but fills panels: packing that one at every call costs less than a second copy of
  // the weights.
  Verdict reads_columns() {
    Verdict packs = should_pack_left(program_.machine(), product_.m.constant(),
                                     product_.n.constant(), is_kept());
    if (packs && !as_they_lie()) {
      return Verdict::no("packed, as an operand is computed or converted");
    }
    return packs;
  }

  // Whether to read the right operand in place by rows: yes if its rows are contiguous, except for
  // weights whose kept panels are faster.
  Verdict reads_rows() {
    if (!right_matrix_.second_stride.is(1)) {
      return Verdict::no("packed, as neither its rows nor its columns are contiguous");
    }
    Verdict reads = Verdict::yes("read in place, its rows are contiguous");
    if (is_kept() && !product_.n.is(1)) {  // a panel of one column is mostly empty
      reads = should_read_weights(product_.m.constant());
      if (!reads) return reads;
    }
    const bool unit =
        as_they_lie() && (left_matrix_.first_stride.is(1) || left_matrix_.second_stride.is(1));
    if (!unit) return Verdict::no("packed, as an operand is computed or converted");
    return reads;
  }

  // Whether panels of the right operand would be packed once and kept.
  bool is_kept() const {
    const BufferInfo& from = assignment_.buffers()[right_matrix_.buffer.n];
    if (from.kind != BufferKind::input) return false;
    const graph::Graph& g = program_.graph();
    return has_kept_panels(g, g.inputs()[from.which.n]);
  }

  // Whether the right operand, a parameter, is multiplied as parts of bf16: it is read in place and
  // split on the way, the left operand is packed.
  Verdict multiplies_parts() {
    if (program_.exact() || product_.accumulate != DType::f32 || !product_.batch.constant())
      return Verdict::no("");
    if (!right_matrix_.first_stride.is(1)) return Verdict::no("");
    parts_ = should_multiply_parts(program_.machine(), product_.n.constant(), product_.m.constant(),
                                   product_.k.constant());
    if (!parts_ || !as_they_lie()) return Verdict::no("");
    exchange();
    product_.bf16x6 = true;
    return Verdict::yes("read in place: the left operand is packed as parts instead");
  }

  // Computes the right operand and writes it row by row.
  void copy_right() {
    KernelBuilder build(program_, assignment_, alone_);
    build.kernel().name = "copy";
    const Expr row = product_.k.is(1) ? Expr(0) : Expr::index("r", product_.k);
    const Expr column = product_.n.is(1) ? Expr(0) : Expr::index("c", product_.n);
    const Value element = build.read(right_, with_batch(row, column));
    const BufferId buffer = assignment_.add(
        {"right", element.dtype(), BufferKind::temporary, {}, batches_ * product_.k * product_.n});
    right_matrix_ = {{product_.batch * product_.k * product_.n, product_.n, 1}, buffer};
    const int to = build.buffer(buffer, true);
    const Expr at = right_matrix_.base + row * product_.n + column;
    loop::Block body;
    body.push_back({loop::Store{to, at, element}});
    const Expr index = column.constant() ? Expr::index("c", 1) : column;
    build.kernel().body.push_back({loop::Loop{index, 0, product_.n, true, std::move(body)}});
    for (const Expr task : {product_.batch, row}) {
      if (!task.constant()) build.kernel().tasks.push_back(task);
    }
    out_.push_back(build.take());
  }

  // Packs the right operand into panels.
  void pack() {
    const OperandMatrix& from = right_matrix_;
    const Expr n = product_.n;
    const auto [panels, added] =
        assignment_.panels_of({from.buffer, from, product_.k, n, batches_, 1, 0, 0, product_.bf16x6,
                               1, product_.panel_rows()});
    packed_ = panels;
    if (!added) return;
    KernelBuilder build(program_, assignment_, alone_);
    build.kernel().name = "pack";
    const int source = build.buffer(from.buffer), to = build.buffer(packed_, true);
    build.kernel().body.push_back({loop::Pack{.k = product_.k,
                                              .n = n,
                                              .batch = product_.batch,
                                              .batches = batches_,
                                              .accumulate = product_.accumulate,
                                              .from = source,
                                              .to = to,
                                              .base = from.base,
                                              .k_stride = from.first_stride,
                                              .n_stride = from.second_stride,
                                              .bf16x6 = product_.bf16x6}});
    out_.push_back(build.take());
  }

  void read_left(KernelBuilder& build) {
    const Value a = build.read(left_, with_batch(row(), inner()));
    const auto plain = as_plain(a, product_.row, product_.inner);
    const bool unit = plain && (plain->second_stride.is(1) || plain->first_stride.is(1));
    if (unit && a.dtype() == product_.accumulate) {
      product_.left = {plain->buffer, plain->base, plain->first_stride, plain->second_stride, {}};
    } else {
      product_.left.value = cast(a, product_.accumulate);
    }
  }

  ProductEpilogue epilogue() {
    return {program_, assignment_, group_, product_, with_batch(row(), column())};
  }

  void multiply() {
    KernelBuilder build(program_, assignment_, group_);
    if (product_.reads == loop::RightOperand::rows) {
      product_.right_base = right_matrix_.base;
      product_.right_stride = right_matrix_.first_stride;
    }
    read_left(build);
    product_.right = build.buffer(packed_);
    product_.right_dtype = assignment_.buffers()[packed_.n].dtype;
    std::string& schedule = build.kernel().schedule;
    if (exchanged_) schedule = "the transposed product is computed";
    if (product_.bf16x6) schedule += cat(schedule.empty() ? "" : ", ", parts_.why);
    epilogue().add(build);
    build.kernel().body.push_back({std::move(product_)});
    out_.push_back(build.take());
  }

  const Program& program_;
  BufferAssignment& assignment_;
  const Group& group_;
  ComputeNodeId compute_node_;
  Group alone_{{compute_node_}, {}, {}};  // for the kernels of the right operand
  graph::Value left_, right_;
  DType dtype_;
  bool batched_ = false;
  bool exchanged_ = false;           // the operands, and with them rows and columns
  Verdict parts_ = Verdict::no("");  // whether they are multiplied as parts of bf16
  Expr batches_;
  loop::Product product_;
  BufferId packed_;  // that `multiply` reads: panels, or the right operand
  OperandMatrix left_matrix_{}, right_matrix_{};
  std::vector<LoweredKernel> out_;
};

}  // namespace

std::vector<LoweredKernel> lower_product(const Program& program, BufferAssignment& assignment,
                                         const Group& group) {
  return ProductLowering(program, assignment, group).run();
}

}  // namespace vitro::backend
