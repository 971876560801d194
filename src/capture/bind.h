// Tensors from outside: how they are recorded, and whether one fits its record.
#pragma once

#include <string>
#include <vector>

#include "capture/memory.h"
#include "capture/step.h"

namespace vitro::capture {

// Makes symbols.  Sizes that were equal before and are equal now get the same one.
class NewSymbols {
 public:
  explicit NewSymbols(std::atomic<uint32_t>& last) : last_(&last) {}
  sym::Expr symbol(int64_t before, int64_t now);
  void clear() { made_.clear(); }

 private:
  struct Made {
    int64_t before, now;
    sym::Expr symbol;
  };
  std::atomic<uint32_t>* last_;
  std::vector<Made> made_;
};

// Does the tensor fit, storage apart?  Gives symbols their values; where it does not fit the caller
// takes them back.
bool fits(const Bind& bind, const TensorImpl& tensor, Symbols& symbols);
// The same but for sizes and strides: a record with more symbols would fit both.
bool fits_but_sizes(const Bind& bind, const TensorImpl& tensor);
// Is `meta` what the tensor looks like in this call?  Gives symbols no values.
bool describes(const TensorMeta& meta, const TensorImpl& tensor, const Symbols& symbols);

// The record of a tensor.  `before`: a record whose sizes differ, and become symbols where they do
// (null: none).  `all_dynamic`: every size does.
Bind make_bind(const TensorImpl& tensor, const Bind* before, bool all_dynamic, NewSymbols& names,
               Symbols& symbols);
// The record of a tensor whose symbols are known.
Bind make_bind(const TensorImpl& tensor, const TensorMeta& known);

std::string describe(const Bind& bind);          // "f32[s0, 4]"
std::string describe(const TensorImpl& tensor);  // "f32[7, 4]", with strides where they are unusual
// What differs, as expected and got.
std::string difference(const Bind& bind, const TensorImpl& tensor);

}  // namespace vitro::capture
