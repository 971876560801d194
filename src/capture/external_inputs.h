// External inputs: how a tensor from outside is recorded, and whether one fits what was recorded.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capture/symbols.h"
#include "capture/trace_node.h"

namespace vitro::capture {

// Makes symbols.  What was equal before and is equal now gets the same one, if not asked otherwise.
class NewSymbols {
 public:
  enum class Equal : uint8_t { is_one_symbol, stays_apart };
  explicit NewSymbols(std::atomic<uint32_t>& last, Equal equal = Equal::is_one_symbol)
      : last_(&last), equal_(equal) {}
  // Of a size of a tensor: "s0", 1 or more.
  sym::Expr size(Size before, int64_t now);
  // Of a plain number that the program gives to an op, 0 or more: "n1"; none where it is the same
  // as before, or counts from an end, or is 0 now, which may be what the op does with nothing.
  std::optional<sym::Expr> number(Size before, Size now);
  void clear() { made_.clear(); }

 private:
  struct Made {
    sym::Expr before;
    int64_t now;
    sym::Expr symbol;
  };
  sym::Expr symbol(Size before, int64_t now, char letter, sym::Range range);
  std::atomic<uint32_t>* last_;
  Equal equal_;
  std::vector<Made> made_;
};

// Does the tensor fit, storage apart?  Gives symbols their values; where it does not fit the caller
// takes them back.
bool fits(const ExternalInput& input, const TensorImpl& tensor, Symbols& symbols);
// The same but for sizes and strides: an input with more symbols would fit both.
bool fits_but_sizes(const ExternalInput& input, const TensorImpl& tensor);
// Is `meta` what the tensor looks like in this call?  Gives symbols no values.
bool describes(const TensorMeta& meta, const TensorImpl& tensor, const Symbols& symbols);

// Records a tensor.  `before`: an earlier input whose sizes differ, and become symbols where they
// do (null: none).  `all_dynamic`: every size does.
ExternalInput make_external_input(const TensorImpl& tensor, const ExternalInput* before,
                                  bool all_dynamic, NewSymbols& names, Symbols& symbols);
// Records a tensor whose symbols are known.
ExternalInput make_external_input(const TensorImpl& tensor, const TensorMeta& known);

std::string describe(const ExternalInput& input);  // "f32[s0, 4]"
std::string describe(const TensorImpl& tensor);  // "f32[7, 4]", with strides where they are unusual
// What differs, as expected and got.
std::string difference(const ExternalInput& input, const TensorImpl& tensor);

}  // namespace vitro::capture
