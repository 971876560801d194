// External inputs: recording a tensor that the segment does not make, and checking whether another
// tensor fits the record.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capture/symbols.h"
#include "capture/trace_node.h"

namespace vitro::capture {

// Makes symbols.  Values that were equal before and are equal now share one, unless `stays_apart`.
class NewSymbols {
 public:
  enum class Equal : uint8_t { is_one_symbol, stays_apart };
  explicit NewSymbols(std::atomic<uint32_t>& last, Equal equal = Equal::is_one_symbol)
      : last_(&last), equal_(equal) {}
  // For a tensor's size: "s0", at least 1.
  sym::Expr size(Size before, int64_t now);
  // For a plain number that the program passes to an op: "n1", at least 0.  None if it is
  // unchanged, or negative (counted from the end), or now 0, which an op may treat specially.
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

// Whether the tensor fits, ignoring its storage.  Binds symbols; if it does not fit, the caller
// must undo that.
bool fits(const ExternalInput& input, const TensorImpl& tensor, Symbols& symbols);
// The same, ignoring sizes and strides: an input with more symbols would fit both.
bool fits_but_sizes(const ExternalInput& input, const TensorImpl& tensor);
// Whether `meta` describes the tensor in this call.  Binds no symbols.
bool describes(const TensorMeta& meta, const TensorImpl& tensor, const Symbols& symbols);

// Records a tensor.  `before`: an earlier input, or null; sizes that differ from it become symbols.
// `all_dynamic`: every size becomes one.
ExternalInput make_external_input(const TensorImpl& tensor, const ExternalInput* before,
                                  bool all_dynamic, NewSymbols& names, Symbols& symbols);
// Records a tensor whose symbolic meta is known.
ExternalInput make_external_input(const TensorImpl& tensor, const TensorMeta& known);

std::string describe(const ExternalInput& input);  // "f32[s0, 4]"
std::string describe(const TensorImpl& tensor);    // "f32[7, 4]", and strides unless row-major
// The difference, as "expected ..., got ...".
std::string difference(const ExternalInput& input, const TensorImpl& tensor);

}  // namespace vitro::capture
