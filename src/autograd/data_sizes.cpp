#include "autograd/data_sizes.h"

#include <algorithm>

#include "sym/data_size.h"
#include "vitro/base/error.h"

namespace vitro::autograd {
const DataSizes::Known* DataSizes::find(sym::Expr symbol) const {
  const auto found = std::ranges::find(known_, symbol, &Known::symbol);
  return found == known_.end() ? nullptr : &*found;
}

std::optional<DataSizes::Known> DataSizes::known_from(const Tensor& tensor, sym::Expr symbol) {
  const Sizes sizes = tensor.sizes();
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    if (!sizes[dim].is_symbolic()) continue;
    const std::optional<sym::Linear> linear = sym::as_linear(sizes[dim].expr(), symbol);
    if (!linear) continue;
    const auto factor = linear->coefficient.constant(), rest = linear->rest.constant();
    if (factor && rest && *factor != 0) return Known{symbol, tensor, dim, *factor, *rest};
  }
  return std::nullopt;
}

// A tensor that was made after the size was known has its number alone.
void DataSizes::add_if_known(sym::Expr symbol) {
  const sym::DataSizes* of_call = sym::DataSizes::current();
  const auto number = of_call ? of_call->find(symbol) : std::nullopt;
  if (number) known_.push_back({symbol, {}, 0, 1, *number});
}

void DataSizes::add(Size size, std::span<const Operand> among) {
  if (!is_by_data(size)) return;
  for (const sym::Expr symbol : sym::symbols_of(size.expr())) {
    for (const Operand& operand : among) {
      if (find(symbol) || !operand.is_tensor()) continue;
      if (auto known = known_from(operand.tensor(), symbol)) known_.push_back(*std::move(known));
    }
    if (!find(symbol)) add_if_known(symbol);
    lacks_any_ = lacks_any_ || !find(symbol);
  }
}

void DataSizes::add(const TensorMeta& meta, std::span<const Operand> among) {
  for (const Size size : meta.sizes) add(size, among);
  for (const Size stride : meta.strides) add(stride, among);
  add(meta.offset, among);
}

void DataSizes::add(const Attrs& attrs, std::span<const Operand> among) {
  (void)attrs.map_sizes([&](Size size) {
    add(size, among);
    return size;
  });
}

Size DataSizes::number(Size size) const {
  if (!is_by_data(size)) return size.hint();
  return sym::evaluate(size.expr(), [&](sym::Expr symbol) {
    const Known* known = find(symbol);
    VITRO_CHECK(known, "backward: the size ", size,
                " in the compiled function depends on data and is not known outside of it; call "
                "backward() in the function");
    return known->value();
  });
}

TensorMeta DataSizes::in_numbers(TensorMeta meta) const {
  for (Sizes* sizes : {&meta.sizes, &meta.strides})
    for (Size& size : *sizes) size = number(size);
  meta.offset = number(meta.offset);
  return meta;
}

Attrs DataSizes::in_numbers(const Attrs& attrs) const {
  return attrs.map_sizes([this](Size size) { return number(size); });
}

}  // namespace vitro::autograd
