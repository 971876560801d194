// Computes and stores what follows the sums, and decides which way the lanes run there.
#include "backend/lower/product_epilogue.h"

#include <set>
#include <utility>

#include "backend/schedule/products.h"

namespace vitro::backend {
namespace {

// Whether elements that are adjacent along an index are not adjacent in memory.
bool steps_across(Expr element, Expr index) {
  if (index.constant() || !sym::contains(element, index)) return false;
  const auto linear = sym::as_linear(element, index);
  return !linear || !linear->coefficient.is(1);
}

}  // namespace

Expr named_index(std::string_view name, Expr extent) {
  return Expr::index(name, extent.is(1) ? Expr(2) : extent);
}

Expr used_index(Expr index, Expr extent) {
  return extent.is(1) ? Expr(0) : index;
}

ProductEpilogue::ProductEpilogue(const Program& program, const BufferAssignment& assignment,
                                 const Group& group, loop::Product& product, Index at)
    : program_(program),
      assignment_(assignment),
      group_(group),
      product_(product),
      at_(std::move(at)),
      row_(used_index(product.row, product.m)),
      column_(used_index(product.column, product.n)) {}

// The stores for one sum.
loop::Block ProductEpilogue::finish(KernelBuilder& build) {
  loop::Block body;
  product_.sum = build.new_variable();
  const loop::Value sum = build.pool().variable(product_.sum, product_.accumulate);
  build.define(*group_.product,
               cast(sum, program_.graph().meta(program_[*group_.product].value).dtype));
  for (const ComputeNodeId id : group_.stored) {
    const Index at = with_index(group_.index_map(id), group_.iteration.space, at_);
    body.push_back(build.store(id, at, build.compute(id, at)));
  }
  return body;
}

bool ProductEpilogue::lies_across() {
  if (product_.n.is(1)) return true;
  if (is_below_block(product_.m)) return false;
  KernelBuilder build(program_, assignment_, group_);
  int along_rows = 1, along_columns = 0;
  loop::each_access(finish(build), [&](int, Expr element, bool written) {
    along_rows += turns_of(build, element, row_, column_, written);
    along_columns += turns_of(build, element, column_, row_, written);
  });
  return along_rows <= along_columns;
}

int ProductEpilogue::turns_of(KernelBuilder& build, Expr element, Expr lane, Expr other,
                              bool written) const {
  if (!steps_across(element, lane)) return 0;
  return written && turns_over(build, element, lane, other) ? 1 : cost_of_steps_across;
}

// Whether a store is written in transposed blocks: it is contiguous along `other`, not along the
// lanes.
bool ProductEpilogue::turns_over(KernelBuilder& build, Expr element, Expr lane, Expr other) const {
  if (is_below_block(product_.m) || is_below_block(product_.n) || other.constant()) return false;
  for (const loop::IndirectIndex& indirect : build.kernel().indirect_indices) {
    if (sym::contains(element, indirect.symbol)) return false;
  }
  return steps_across(element, lane) && sym::as_linear(element, lane) &&
         !steps_across(element, other) && sym::contains(element, other);
}

// Bytes that are read or written for one sum: of each element once.
int64_t ProductEpilogue::bytes_of_one(KernelBuilder& build) const {
  std::set<std::pair<int, const sym::Node*>> seen;
  int64_t bytes = 0;
  loop::each_access(product_.body, [&](int buffer, Expr element, bool) {
    if (buffer >= loop::Kernel::first_row || !sym::contains(element, column_)) return;
    if (!seen.insert({buffer, element.node()}).second) return;
    bytes += bytes_of(build.kernel().buffers[static_cast<size_t>(buffer)].dtype);
  });
  return bytes;
}

void ProductEpilogue::add(KernelBuilder& build) {
  for (loop::Statement& s : finish(build)) {
    const Expr element = std::get<loop::Store>(s.what).element;
    const bool turns = product_.turned ? turns_over(build, element, row_, column_)
                                       : turns_over(build, element, column_, row_);
    (turns ? product_.across : product_.body).push_back(std::move(s));
  }
  if (!product_.turned) {
    const sym::Expr count = product_.m * product_.n;
    const int64_t bytes = bytes_of_one(build);
    // A result alone is written as it comes.
    const bool is_more = bytes > bytes_of(product_.accumulate);
    product_.prefetches = is_more && should_prefetch(program_.machine(), count.constant(), bytes);
  }
  std::string& schedule = build.kernel().schedule;
  const auto note = [&](std::string_view what) {
    schedule += cat(schedule.empty() ? "" : ", ", what);
  };
  if (product_.turned) note("sums are transposed before the epilogue");
  if (!product_.across.empty()) note("results are transposed before they are written");
}

}  // namespace vitro::backend
