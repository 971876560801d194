// Scratch rows of a task, for values that more than one sweep over a row needs.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "backend/schedule/machine_model.h"
#include "loop/kernel.h"
#include "loop/rewrite.h"

namespace vitro::backend {

class RowScratch {
 public:
  // The row of a result that the last sweep writes. Until then its memory may hold a value that the
  // last sweep reads again, and is fetched while an earlier sweep computes.
  struct ResultRow {
    int buffer;
    sym::Expr element;
    DType dtype;
  };
  struct Shape {
    sym::Expr index;     // along the row
    sym::Expr element;   // of a scratch row, for the value at an index
    sym::Expr size;      // of a scratch row
    int64_t most_bytes;  // of a row of known size
    const MachineModel* machine;
    std::optional<ResultRow> result_row = {};
  };
  RowScratch(loop::Kernel& kernel, const Shape& shape) : kernel_(kernel), shape_(shape) {}

  // Changes the values of the next sweep so that they read what an earlier sweep computed. Returns
  // the stores that this needs, each with the number of its sweep.
  std::vector<std::pair<int, loop::Statement>> next_sweep(const std::vector<loop::Value*>& values);

 private:
  bool worth_keeping(const loop::Node* node) const;
  bool worth_keeping_in_result(const loop::Node* node) const;
  loop::Value row_of(const loop::Node* node);
  void keep(const loop::Node* node, loop::Value in,
            std::vector<std::pair<int, loop::Statement>>& stores);

  loop::Kernel& kernel_;
  Shape shape_;
  size_t rows_ = 0;
  std::vector<std::unordered_map<const loop::Node*, loop::Value>>
      sweeps_;                                                    // values that each computes
  std::vector<int> costs_;                                        // of each
  std::unordered_map<const loop::Node*, int> computed_in_;        // first sweep
  std::unordered_map<const loop::Node*, loop::Value> rewritten_;  // and the replacement
};

}  // namespace vitro::backend
