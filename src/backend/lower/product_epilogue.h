// The epilogue of a product: the sums of a row and sixteen columns go through the group's
// elementwise compute nodes before they are written.
#pragma once

#include "backend/lower/builder.h"

namespace vitro::backend {

// An index of a product that keeps its name even if its extent is 1, and what stands for it in
// elements.
Expr named_index(std::string_view name, Expr extent);
Expr used_index(Expr index, Expr extent);

class ProductEpilogue {
 public:
  // `at`: the index of the product's result for the row, column and batch of `product`.
  ProductEpilogue(const Program& program, const BufferAssignment& assignment, const Group& group,
                  loop::Product& product, Index at);

  // Whether lanes along the rows of the product need fewer transposes (of the sums, and of results
  // written across the lanes) than lanes along its columns. Accesses that cannot be transposed
  // count more.
  bool lies_across();
  // Adds the epilogue to the product, which says how its sums lie, and its description to the
  // kernel's schedule.
  void add(KernelBuilder& build);

 private:
  loop::Block finish(KernelBuilder& build);
  int turns_of(KernelBuilder& build, Expr element, Expr lane, Expr other, bool written) const;
  int64_t bytes_of_one(KernelBuilder& build) const;
  bool turns_over(KernelBuilder& build, Expr element, Expr lane, Expr other) const;

  const Program& program_;
  const BufferAssignment& assignment_;
  const Group& group_;
  loop::Product& product_;
  Index at_;
  Expr row_, column_;
};

}  // namespace vitro::backend
