#include "capture/expansion.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "base/sort_list.h"
#include "capture/trace_node.h"
#include "vitro/base/called_as.h"
#include "vitro/ops/create.h"
#include "vitro/ops/view.h"

namespace vitro::capture {
namespace {

bool has_strides_of(const Tensor& t, const TensorMeta& meta) {
  const Sizes strides = t.strides();
  return std::equal(strides.begin(), strides.end(), meta.strides.begin(), meta.strides.end(),
                    [](Size a, Size b) { return known_equal(a, b); });
}

// Returns the dimensions of `meta` from the outermost to the innermost in memory.
Dims memory_order(const TensorMeta& meta) {
  Dims order(meta.strides.size());
  std::iota(order.begin(), order.end(), 0);
  sort_list(order, std::greater{}, [&](int64_t d) {
    const auto i = static_cast<size_t>(d);
    return std::pair(meta.strides[i].hint(), meta.sizes[i].hint());
  });
  return order;
}

// Copies `t` into dense memory in the order of `meta`.
Tensor laid_out(const Tensor& t, const TensorMeta& meta, std::source_location where) {
  const Dims order = memory_order(meta);
  Dims back(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  const Tensor outermost_first = permute({t, where}, order);
  return permute({clone({outermost_first, where}, ops::MemoryFormat::contiguous), where}, back);
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
      results[i] = laid_out(results[i], metas[i], call.where);
  }
}

std::string_view Expansion::asker() const {
  if (composite_) return composite_->op->name;
  const std::string_view function = CalledAs::current().name;
  return function.empty() ? "the function" : function;
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
