// Composites whose numbers vary (alpha of addmm, eps of a norm): the call is taken as the calls
// that it is written in, to which the numbers are operands.  What the composite's own code decides
// by a number it decides in each call.
#include <algorithm>

#include "capture/call.h"
#include "vitro/ops/create.h"

namespace vitro::capture {
namespace {

bool has_strides_of(const Tensor& t, const TensorMeta& meta) {
  const Sizes strides = t.strides();
  return std::equal(strides.begin(), strides.end(), meta.strides.begin(), meta.strides.end(),
                    [](Size a, Size b) { return known_equal(a, b); });
}

}  // namespace

std::source_location Call::place_of(const OpCall& call) const {
  return expanding_ ? expanding_->where : call.where;
}

void Call::expand(const OpCall& call, std::span<Tensor> results) {
  struct Expanding {
    const OpCall*& now;
    bool& begins;
    const OpCall* before;
    ~Expanding() {
      now = before;
      begins = false;
    }
  } scope{expanding_, expansion_begins_, expanding_};
  if (!expanding_) expanding_ = &call;
  // First, so that a mistake is reported in the composite's words.
  const std::vector<TensorMeta> metas = infer(*call.op, call.operands, call.attrs);
  call.op->composite->expand(call.operands, call.attrs, results);
  for (size_t i = 0; i < results.size(); ++i) {
    if (!has_strides_of(results[i], metas[i]))
      results[i] = clone({results[i], call.where}, ops::MemoryFormat::contiguous);
  }
}

// In the ops that a composite is written in, the numbers that were given to it.
bool Call::is_given_to_composite(const Scalar& number) const {
  if (!expanding_) return false;
  const std::vector<Scalar> fractions = fractions_in(expanding_->attrs);
  return std::find(fractions.begin(), fractions.end(), number) != fractions.end() ||
         std::ranges::any_of(expanding_->operands, [&](const Operand& o) {
           return o.is_number() && o.number() == number;
         });
}

}  // namespace vitro::capture
