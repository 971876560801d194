#include "capture/expansion.h"

#include <algorithm>

#include "capture/trace_node.h"
#include "vitro/base/called_as.h"
#include "vitro/ops/create.h"

namespace vitro::capture {
namespace {

bool has_strides_of(const Tensor& t, const TensorMeta& meta) {
  const Sizes strides = t.strides();
  return std::equal(strides.begin(), strides.end(), meta.strides.begin(), meta.strides.end(),
                    [](Size a, Size b) { return known_equal(a, b); });
}

}  // namespace

void Expansion::run(const OpCall& call, std::span<Tensor> results) {
  struct Running {
    Expansion& expansion;
    const OpCall* before;
    ~Running() {
      expansion.composite_ = before;
      expansion.reported_ = false;
    }
  } running{*this, composite_};
  if (!composite_) composite_ = &call;
  const CalledAs name(call.op->name, call.where);
  // First, so that an error names the composite.
  const std::vector<TensorMeta> metas = infer(*call.op, call.operands, call.attrs);
  call.op->composite->expand(call.operands, call.attrs, results);
  for (size_t i = 0; i < results.size(); ++i) {
    if (!has_strides_of(results[i], metas[i]))
      results[i] = clone({results[i], call.where}, ops::MemoryFormat::contiguous);
  }
}

bool Expansion::was_given(const Scalar& number) const {
  if (!composite_) return false;
  const std::vector<Scalar> fractions = fractions_in(composite_->attrs);
  return std::find(fractions.begin(), fractions.end(), number) != fractions.end() ||
         std::ranges::any_of(composite_->operands, [&](const Operand& o) {
           return o.is_number() && o.number() == number;
         });
}

}  // namespace vitro::capture
