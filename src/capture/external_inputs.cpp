// Makes the external input for a tensor, with symbols for sizes that vary, and compares tensors
// with external inputs.  The recorder makes them; the matcher and frozen calls compare.
#include "capture/external_inputs.h"

#include <algorithm>
#include <numeric>

#include "base/sort_list.h"
#include "vitro/base/cat.h"

namespace vitro::capture {
namespace {

// Whether the value may become a symbol: 0 may not, tensors without elements are recorded
// separately.
bool may_vary(int64_t value) {
  return value >= 1 && value <= sym::largest_size;
}

bool is_row_major(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  int64_t expected = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    if (strides[d] != expected) return false;
    // Without elements the sizes may be such that no 64 bits count their product.
    const bool fits = !__builtin_mul_overflow(expected, std::max<int64_t>(sizes[d], 1), &expected);
    if (!fits && d > 0) return false;
  }
  return true;
}

bool same_number(Size want, int64_t got, Symbols& symbols) {
  if (!want.is_symbolic()) return want.hint() == got;
  if (want.expr().is_symbol()) return symbols.bind(want.expr(), got);
  return symbols.knows(want.expr()) && symbols.value(want.expr()) == got;
}

// The strides of a tensor that is dense in some dimension order, as products of sizes (0 counts as
// 1); empty if it is not dense.
Sizes dense_strides(const Ints& strides, const Ints& values, const Sizes& sizes) {
  SmallVector<size_t, 6> order(sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  sort_list(order, [&](size_t a, size_t b) { return strides[a] > strides[b]; });
  Sizes out(sizes.size());
  Size next = 1;
  for (size_t i = order.size(); i-- > 0;) {
    const size_t d = order[i];
    if (strides[d] != next.hint()) return {};
    out[d] = next;
    int64_t product = 0;
    if (__builtin_mul_overflow(next.hint(), values[d], &product)) return {};
    if (values[d] != 0) next = next * Size(values[d], sizes[d].expr());
  }
  return out;
}

Sizes strides_of(const TensorImpl& t, const ExternalInput* before, const Sizes& sizes,
                 NewSymbols& names, Symbols& symbols) {
  if (t.sizes.empty()) return {};
  if (Sizes dense = dense_strides(t.strides, t.sizes, sizes); !dense.empty()) return dense;
  Sizes out;
  for (size_t d = 0; d < t.strides.size(); ++d) {
    const int64_t now = t.strides[d];
    const Size was = before ? before->meta.strides[d] : Size(now);
    if ((!was.is_symbolic() && was.hint() == now) || !may_vary(now)) {
      out.push_back(now);
      continue;
    }
    const sym::Expr symbol = names.size(was, now);
    symbols.bind(symbol, now);
    out.push_back({now, symbol});
  }
  return out;
}

void append_layout(std::string& out, const TensorMeta& meta) {
  append_to(out, cat(meta.dtype, meta.sizes));
  if (meta.rank() > 0 && !attribute::same(meta.strides, contiguous_strides(meta.sizes)))
    append_to(out, cat(" strides ", meta.strides));
}

TensorMeta meta_in_numbers(const TensorImpl& t) {
  TensorMeta meta{t.dtype, t.device, {}, {}, 0};
  for (const int64_t s : t.sizes) meta.sizes.push_back(s);
  for (const int64_t s : t.strides) meta.strides.push_back(s);
  return meta;
}

void note_symbols(ExternalInput& input, const TensorImpl& tensor) {
  const auto symbolic = [](Size s) { return s.is_symbolic(); };
  input.symbolic = std::any_of(input.meta.sizes.begin(), input.meta.sizes.end(), symbolic) ||
                   std::any_of(input.meta.strides.begin(), input.meta.strides.end(), symbolic);
  input.row_major = is_row_major(tensor.sizes, tensor.strides);
  input.requires_grad = tensor.requires_grad;
  input.is_parameter = tensor.is_parameter;
  input.parameter_name = tensor.parameter_name;
}

}  // namespace

sym::Expr NewSymbols::symbol(Size before, int64_t now, char letter, sym::Range range) {
  for (const Made& m : made_) {
    const bool may_be = equal_ == Equal::is_one_symbol && sym::range_of(m.symbol).low >= range.low;
    if (may_be && m.before == before.expr() && m.now == now) return m.symbol;
  }
  const sym::Expr made = sym::Expr::symbol(cat(letter, last_->fetch_add(1)), range);
  made_.push_back({before.expr(), now, made});
  return made;
}

sym::Expr NewSymbols::size(Size before, int64_t now) {
  return symbol(before, now, 's', sym::size_range);
}

std::optional<sym::Expr> NewSymbols::number(Size before, Size now) {
  const bool counts = before.hint() >= 0 && before.hint() <= sym::largest_size;
  if (now.is_symbolic() || identical(before, now) || !counts || !may_vary(now.hint())) return {};
  return symbol(before, now.hint(), 'n', {0, sym::largest_size});
}

bool fits(const ExternalInput& input, const TensorImpl& t, Symbols& symbols) {
  if (!fits_but_sizes(input, t)) return false;
  const TensorMeta& meta = input.meta;
  if (!input.symbolic) {
    for (size_t d = 0; d < t.sizes.size(); ++d) {
      if (meta.sizes[d].hint() != t.sizes[d] || meta.strides[d].hint() != t.strides[d])
        return false;
    }
    return true;
  }
  for (size_t d = 0; d < t.sizes.size(); ++d) {
    if (!same_number(meta.sizes[d], t.sizes[d], symbols)) return false;
  }
  if (input.row_major) return is_row_major(t.sizes, t.strides);
  for (size_t d = 0; d < t.sizes.size(); ++d) {
    if (!same_number(meta.strides[d], t.strides[d], symbols)) return false;
  }
  return true;
}

bool describes(const TensorMeta& meta, const TensorImpl& t, const Symbols& symbols) {
  const auto are = [&symbols](const Sizes& wanted, std::span<const int64_t> got) {
    return std::equal(wanted.begin(), wanted.end(), got.begin(), got.end(), [&](Size w, int64_t n) {
      return (!w.is_symbolic() || symbols.knows(w.expr())) && symbols.value(w) == n;
    });
  };
  return meta.dtype == t.dtype && are(meta.sizes, t.sizes) && are(meta.strides, t.strides);
}

bool fits_but_sizes(const ExternalInput& input, const TensorImpl& t) {
  return input.meta.dtype == t.dtype && input.meta.sizes.size() == t.sizes.size() &&
         input.meta.device == t.device && input.requires_grad == t.requires_grad &&
         input.is_parameter == t.is_parameter;
}

ExternalInput make_external_input(const TensorImpl& t, const ExternalInput* before,
                                  bool all_dynamic, NewSymbols& names, Symbols& symbols) {
  ExternalInput input;
  input.meta = meta_in_numbers(t);
  for (size_t d = 0; d < t.sizes.size(); ++d) {
    const int64_t now = t.sizes[d];
    const Size was = before ? before->meta.sizes[d] : Size(now);
    const bool marked = all_dynamic || (t.dynamic_dims >> d & 1) != 0;
    const bool varies = was.is_symbolic() || was.hint() != now;
    if (!may_vary(now) || !(marked || varies)) continue;
    const sym::Expr symbol = names.size(was, now);
    symbols.bind(symbol, now);
    input.meta.sizes[d] = {now, symbol};
  }
  input.meta.strides = strides_of(t, before, input.meta.sizes, names, symbols);
  note_symbols(input, t);
  return input;
}

ExternalInput make_external_input(const TensorImpl& t, const TensorMeta& known) {
  ExternalInput input;
  input.meta = known;
  input.meta.offset = 0;
  note_symbols(input, t);
  input.row_major =
      input.row_major && attribute::same(input.meta.strides, contiguous_strides(input.meta.sizes));
  return input;
}

std::string describe(const ExternalInput& input) {
  std::string out;
  append_layout(out, input.meta);
  if (input.requires_grad) out.append(" requires_grad");
  return out;
}

std::string describe(const TensorImpl& t) {
  std::string out;
  append_layout(out, meta_in_numbers(t));
  if (t.requires_grad) out.append(" requires_grad");
  return out;
}

std::string difference(const ExternalInput& input, const TensorImpl& t) {
  const bool differ = input.is_parameter != t.is_parameter;
  return cat("expected ", differ && input.is_parameter ? "parameter " : "", describe(input),
             ", got ", differ && t.is_parameter ? "parameter " : "", describe(t),
             differ && input.is_parameter ? ", which is not a parameter" : "");
}

}  // namespace vitro::capture
