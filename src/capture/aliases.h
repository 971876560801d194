// External inputs that lie in one storage, as the graph of a segment sees them.  Equal windows are
// one tensor.  Windows that overlap, one of which is written, are views of a base: a vector of all
// the memory that they cover, which is the graph's input in their place.  So is a written window in
// which some elements are the same memory (it is written through a view in which none are).
//
// Invariants: `same` and `base` are defined for the slots of external inputs.  A slot that is the
// same as an earlier one has the window, the memory and the writes of that one; only the earlier
// one may have a base.
#pragma once

#include <string>
#include <vector>

#include "capture/slot_table.h"
#include "capture/symbols.h"

namespace vitro::capture {

// Whether some elements of such a window may be the same memory (of this call; a proof: whatever
// the symbols stand for).
bool may_cover_itself(const Ints& sizes, const Ints& strides);
bool may_cover_itself(const TensorMeta& window);
bool never_covers_itself(const TensorMeta& window);

class Aliases {
 public:
  struct Base {
    uint32_t first = no_slot;  // the tensor with which the vector begins
    Size elements;
    DType dtype = DType::f32;
  };

  // `written`: by slot, whether a path writes into it.  Sizes and distances are those of the
  // external inputs; `value_of`: the values of their symbols in this call.
  Aliases(const SlotTable& table, std::vector<bool> written, const ValueOf& value_of);

  // The earlier tensor with the same window, or the slot itself.
  uint32_t same(uint32_t slot) const { return same_[slot]; }
  const std::vector<Base>& bases() const { return bases_; }
  // The base that the tensor is a window of, -1: none; and how many elements after its begin.
  int base(uint32_t slot) const { return base_[slot]; }
  int64_t offset(uint32_t slot) const;
  // Why tensors that overlap have no base; empty where all have.
  const std::string& trouble() const { return trouble_; }

 private:
  // Tensors whose windows overlap, and the bytes that they cover, from the storage's first tensor.
  struct Cluster {
    std::vector<uint32_t> slots;
    uint32_t storage = no_slot;
    int64_t begin = 0, end = 0;
    bool open = false;  // sizes are symbols: the end is not known
    bool written = false;
  };
  void join_equal();
  std::vector<Cluster> clusters() const;
  bool join_overlapping(std::vector<Cluster>& all) const;
  void add_base(const Cluster& cluster);
  int64_t distance(uint32_t slot) const;

  const SlotTable& table_;
  std::vector<bool> written_;
  std::vector<uint32_t> same_;
  std::vector<int> base_;
  std::vector<Base> bases_;
  std::string trouble_;
};

}  // namespace vitro::capture
