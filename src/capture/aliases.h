// Aliasing of external inputs, as the graph of a segment sees it.  Equal windows are one tensor.
// Overlapping windows, one of which is written, are views of a base: a vector of all the memory
// that they cover, which is the graph's input instead.  The same holds for a written window whose
// elements overlap (the write goes through a view without overlaps).
//
// Invariants: `same` and `base` are defined for the slots of external inputs.  A slot that is the
// same as an earlier one has that one's window, memory and writes; only the earlier one may have a
// base.
#pragma once

#include <string>
#include <vector>

#include "capture/slot_table.h"
#include "capture/symbols.h"

namespace vitro::capture {

// Whether elements of such a window may overlap in this call; never_covers_itself: whether it is
// proven that they do not, for all values of the symbols.
bool may_cover_itself(const Ints& sizes, const Ints& strides);
bool may_cover_itself(const TensorMeta& window);
bool never_covers_itself(const TensorMeta& window);

class Aliases {
 public:
  struct Base {
    uint32_t first = no_slot;  // the tensor at the start of the vector
    Size elements;
    DType dtype = DType::f32;
  };

  // `written`: by slot, whether the path writes it.  Sizes and distances are those of the external
  // inputs; `value_of`: the values of their symbols in this call.
  Aliases(const SlotTable& table, std::vector<bool> written, const ValueOf& value_of);

  // The earlier tensor with the same window, or the slot itself.
  uint32_t same(uint32_t slot) const { return same_[slot]; }
  const std::vector<Base>& bases() const { return bases_; }
  // The index of the base that the tensor is a window of, or -1; and the window's offset in
  // elements from the base's start.
  int base(uint32_t slot) const { return base_[slot]; }
  int64_t offset(uint32_t slot) const;
  // Why some overlapping tensors have no base; empty if all have one.
  const std::string& trouble() const { return trouble_; }

 private:
  // Tensors whose windows overlap, and their byte range, relative to the storage's first tensor.
  struct Cluster {
    std::vector<uint32_t> slots;
    uint32_t storage = no_slot;
    int64_t begin = 0, end = 0;
    bool open = false;  // symbolic sizes: the end is unknown
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
