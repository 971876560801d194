// Gradients of ops that move elements: views, gathers, scatters, sorts, concats, compactions.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "ops/gradient.h"
#include "vitro/base/error.h"
#include "vitro/ops/all.h"

namespace vitro::ops {
namespace {

// The op of a kind for which `is_meant` holds.
template <class F>
const OpDef& op_with(std::string_view what, const OpDef& of, F is_meant) {
  for (const OpDef* op : all()) {
    if (is_meant(*op)) return *op;
  }
  throw_bug("op_with", __FILE__, __LINE__, cat(of.name, ": no ", what, " goes with it"));
}

const OpDef& scatter_of(const OpDef& view) {
  return op_with("scatter", view,
                 [&](const OpDef& op) { return op.scatter && op.scatter->view == view.view; });
}
const OpDef& view_of(const OpDef& scatter) {
  return op_with("view", scatter,
                 [&](const OpDef& op) { return op.view && op.view == scatter.scatter->view; });
}

// Zeros of x's shape, with `part` at the elements that the view shows.
Tensor put_back(const OpDef& view, const Tensor& x, const Tensor& part, AttrsView attrs) {
  const Tensor zeros = zeros_like(x);
  return call_one(scatter_of(view), std::array{Operand(zeros), Operand(part)}, attrs, {});
}

// Indices as a vector, for ops that take indices of rank 1.
Tensor flat(const Tensor& indices) {
  return indices.rank() == 1 ? indices : reshape(indices, {-1});
}

Ranks ranks_of(const Formula& f) {
  Ranks out;
  for (size_t i = 0; i < f.operand_count(); ++i)
    out.push_back(f.has(i) ? static_cast<int>(f.tensor(i).rank()) : -1);
  return out;
}

// The indices of the indexed axes as arguments of `index`.
std::vector<Tensor> as_list(const Formula& f, const IndexedAxes& indexed) {
  std::vector<Tensor> out;
  for (const auto& [axis, operand] : indexed) {
    out.resize(static_cast<size_t>(axis));
    out.push_back(f.tensor(static_cast<size_t>(operand)));
  }
  return out;
}

// The gradient of the result, with zeros at the elements that were replaced.
Tensor without_put(const Formula& f, size_t source) {
  std::vector<Operand> operands;
  for (size_t i = 0; i < f.operand_count(); ++i) operands.push_back(f.operand(i));
  const Tensor zeros = zeros_like(f.tensor(source));
  operands[0] = f.gradient();
  operands[source] = zeros;
  return call_one(f.op(), operands, f.attrs(), {});
}

// `part` padded with zeros to `sizes`: elements of a source without an index have gradient 0.
Tensor filled_up(Tensor part, const Sizes& sizes) {
  for (size_t d = sizes.size(); d-- > 0;) {
    const Size taken = part.size(static_cast<int64_t>(d));
    if (equal(taken, sizes[d])) continue;
    Sizes missing = part.sizes();
    missing[d] = sizes[d] - taken;
    part = cat({part, zeros(missing, part.dtype(), part.device())}, static_cast<int64_t>(d));
  }
  return part;
}

}  // namespace

void ViewOp::gradient(Formula& f) {
  const Tensor &x = f.tensor(0), &g = f.gradient();
  const ViewInfo& view = *f.op().view;
  const ViewBack back = view.back ? view.back(x.meta(), g.meta(), f.attrs()) : ViewBack();
  if (!back.op) return f.set(0, put_back(f.op(), x, g, f.attrs()));
  if (back.op == &def<View>()) return f.set(0, reshape(g, x.sizes()));
  f.set(0, call_one(*back.op, std::array{Operand(g)}, back.attrs.view(), {}));
}

// The caller sums over repeated elements.
void Expand::gradient(Formula& f) {
  f.set(0, f.gradient());
}

namespace {

// The order of dimensions in which a view shows all elements of a vector of `count` elements one
// after another, each once; none if it does not.
std::optional<std::vector<int64_t>> order_of_all(const AsStridedAttrs& a, Size count) {
  std::vector<int64_t> order, left;
  for (size_t d = 0; d < a.size.size(); ++d)
    (known_equal(a.size[d], 1) ? order : left).push_back(static_cast<int64_t>(d));
  const auto ones = static_cast<int64_t>(order.size());
  Size next = 1;
  while (!left.empty()) {
    const auto at = std::ranges::find_if(
        left, [&](int64_t d) { return known_equal(a.stride[static_cast<size_t>(d)], next); });
    if (at == left.end()) return std::nullopt;
    next = next * a.size[static_cast<size_t>(*at)];
    order.insert(order.begin() + ones, *at);
    left.erase(at);
  }
  const bool all = known_equal(a.storage_offset, 0) && known_equal(next, count);
  return all ? std::optional(std::move(order)) : std::nullopt;
}

}  // namespace

// Elements may overlap: those shown more than once sum their gradients.
void AsStrided::gradient(Formula& f) {
  const auto& a = f.attrs<Attrs>();
  const Tensor& x = f.tensor(0);
  if (const auto order = order_of_all(a, x.size(0)))
    return f.set(0, reshape(permute(f.gradient(), *order), x.sizes()));
  const Tensor all = arange(x.size(0), {}, x.device());
  const Tensor places = as_strided(all, a.size, a.stride, a.storage_offset);
  f.set(0, index_add(zeros_like(x), 0, flat(places), reshape(f.gradient(), {-1})));
}

void ScatterOp::gradient(Formula& f) {
  const Tensor& g = f.gradient();
  const Tensor& source = f.tensor(1);
  if (f.wants(0)) {
    const Tensor zeros = zeros_like(source);
    f.set(0, call_one(f.op(), std::array{Operand(g), Operand(zeros)}, f.attrs(), {}));
  }
  if (!f.wants(1)) return;
  const OpDef& view = view_of(f.op());
  const Tensor dense = &view == &def<AsStrided>() ? contiguous(g) : g;
  const Attrs attrs = f.op().scatter->view_attrs(f.attrs());
  f.set(1, call_one(view, std::array{Operand(dense)}, attrs.view(), {}));
}

// If an index occurs more than once, each source element gets the gradient of the place, even one
// that was overwritten, as in PyTorch.
void PutOp::gradient(Formula& f) {
  const Tensor& g = f.gradient();
  const PutSpec spec = f.op().put->spec(f.attrs(), ranks_of(f));
  const auto source = static_cast<size_t>(spec.source);
  if (f.wants(0)) f.set(0, spec.combine == Combine::add ? g : without_put(f, source));
  if (!f.wants(source)) return;
  const Tensor& indices = f.tensor(static_cast<size_t>(spec.indexed[0].indices));
  if (spec.wraps) return f.set(source, index(g, as_list(f, spec.indexed)));
  const int64_t axis = spec.indexed[0].axis;
  if (!spec.same_rank) return f.set(source, index_select(g, axis, indices));
  f.set(source, filled_up(gather(g, axis, indices), f.tensor(source).sizes()));
}

namespace {

// The ops for puts by elements, or by slices along a dimension: reading, adding and multiplying.
struct Puts {
  Tensor (*named)(const Tensor& x, int64_t dim, const Tensor& indices);
  Tensor (*sums)(const Tensor& x, int64_t dim, const Tensor& indices, const Tensor& source);
  Tensor (*products)(const Tensor& x, int64_t dim, const Tensor& indices, const Tensor& source);
};

// For a product: the product of the other factors; zeros are counted separately.
void gradient_of_products(Formula& f, const Puts& put, int64_t dim, const Tensor& source) {
  const Tensor &x = f.tensor(0), &indices = f.tensor(1), &g = f.gradient();
  if (f.wants(0)) f.set(0, g * put.products(ones_like(x), dim, indices, source));
  if (!f.wants(2)) return;
  const Tensor is_zero = source == 0, factor = vitro::where(is_zero, 1, source);
  const Tensor zeros =
      put.named(put.sums(zeros_like(x), dim, indices, to(is_zero, x.dtype())), dim, indices);
  const Tensor product = put.products(x, dim, indices, factor);
  const Tensor of_zero = vitro::where(zeros == 1, put.named(g * product, dim, indices), 0);
  const Tensor others = put.named(g * f.result(), dim, indices) / factor;
  f.set(2, filled_up(vitro::where(is_zero, of_zero, others), f.tensor(2).sizes()));
}

// For an extreme: elements equal to it share its gradient.
void gradient_of_extremes(Formula& f, const Puts& put, int64_t dim, const Tensor& source) {
  const Tensor &x = f.tensor(0), &indices = f.tensor(1), &y = f.result();
  const Tensor of_x = to(x == y, x.dtype());
  const Tensor of_source = to(source == put.named(y, dim, indices), x.dtype());
  const Tensor share = f.gradient() / put.sums(of_x, dim, indices, of_source);
  f.set(0, of_x * share);
  if (!f.wants(2)) return;
  f.set(2, filled_up(of_source * put.named(share, dim, indices), f.tensor(2).sizes()));
}

void gradient_of_reduced(Formula& f, const Puts& put, const Tensor& source) {
  const auto& [dim, reduce] = f.attrs<ScatterReduceAttrs>();
  return reduce == ScatterReduction::prod ? gradient_of_products(f, put, dim, source)
                                          : gradient_of_extremes(f, put, dim, source);
}

}  // namespace

void ScatterReduce::gradient(Formula& f) {
  const Tensor& indices = f.tensor(1);
  if (f.attrs<Attrs>().reduce == ScatterReduction::sum) return PutOp::gradient(f);
  Tensor counted = f.tensor(2);
  for (int64_t d = 0; d < indices.rank(); ++d) {
    if (!equal(counted.size(d), indices.size(d))) counted = narrow(counted, d, 0, indices.size(d));
  }
  constexpr Puts by_elements{
      [](const Tensor& x, int64_t dim, const Tensor& at) { return gather(x, dim, at); },
      [](const Tensor& x, int64_t dim, const Tensor& at, const Tensor& source) {
        return scatter_add(x, dim, at, source);
      },
      [](const Tensor& x, int64_t dim, const Tensor& at, const Tensor& source) {
        return scatter_reduce(x, dim, at, source, ScatterReduction::prod);
      }};
  gradient_of_reduced(f, by_elements, counted);
}

void IndexReduce::gradient(Formula& f) {
  constexpr Puts by_slices{
      [](const Tensor& x, int64_t dim, const Tensor& at) { return index_select(x, dim, at); },
      [](const Tensor& x, int64_t dim, const Tensor& at, const Tensor& source) {
        return index_add(x, dim, at, source);
      },
      [](const Tensor& x, int64_t dim, const Tensor& at, const Tensor& source) {
        return index_reduce(x, dim, at, source, ScatterReduction::prod);
      }};
  gradient_of_reduced(f, by_slices, f.tensor(2));
}

void GatherOp::gradient(Formula& f) {
  const Tensor& table = f.tensor(0);
  const GatherSpec spec = f.op().gather->spec(f.attrs(), ranks_of(f));
  const Tensor& indices = f.tensor(static_cast<size_t>(spec.indexed[0].indices));
  const int64_t axis = spec.indexed[0].axis;
  const Tensor zeros = zeros_like(table);
  if (spec.wraps) return f.set(0, index_put(zeros, as_list(f, spec.indexed), f.gradient(), true));
  if (spec.same_rank) return f.set(0, scatter_add(zeros, axis, indices, f.gradient()));
  Sizes sizes = table.sizes();
  if (!sizes.empty()) sizes[static_cast<size_t>(axis)] = indices.numel();
  f.set(0, index_add(zeros, axis, flat(indices), reshape(f.gradient(), sizes)));
}

// Indices are distinct, so replacing is enough.
void SortOp::gradient(Formula& f) {
  const Tensor &x = f.tensor(0), &g = f.gradient(0);
  if (!g.defined()) return;
  const SortSpec spec = f.op().sort->spec(f.attrs(), static_cast<int>(x.rank()));
  f.set(0, scatter(zeros_like(x), spec.dim, f.result(1), g));
}

void MedianOfAll::gradient(Formula& f) {
  const Tensor &x = f.tensor(0), &y = f.result();
  const Tensor chosen = vitro::logical_or(x == y, vitro::logical_and(isnan(x), isnan(y)));
  f.set(0, vitro::where(chosen, f.gradient() / sum(chosen), 0));
}

void Embedding::gradient(Formula& f) {
  const auto& a = f.attrs<Attrs>();
  f.set(0, embedding_dense_backward(f.gradient(), f.tensor(1), f.tensor(0).size(0), a.padding_idx,
                                    a.scale_grad_by_freq));
}

void ConcatOp::gradient(Formula& f) {
  const Tensor& g = f.gradient();
  const int64_t axis = f.op().concat->axis(f.attrs(), static_cast<int>(g.rank()));
  Size at = 0;
  for (size_t i = 0; i < f.operand_count(); ++i) {
    const Tensor& part = f.tensor(i);
    if (part.rank() != g.rank()) continue;  // sizes [0], skipped
    const Size end = at + part.size(axis);
    if (f.wants(i)) f.set(i, slice(g, axis, at, end));
    at = end;
  }
}

// The gradient of a selected element is at its rank among the selected ones, by a running count;
// the others read the 0 that is put before the first.
void MaskedSelect::gradient(Formula& f) {
  const Tensor &x = f.tensor(0), &mask = f.tensor(1);
  const Sizes sizes = broadcast(name, x.sizes(), mask.sizes());
  const Tensor picked = reshape(expand(mask, sizes), {product(sizes)});
  const Tensor number = vitro::where(picked, cumsum(picked, 0), 0);
  const Tensor& g = f.gradient();
  const Tensor all = cat({zeros({1}, g.dtype(), g.device()), g});
  f.set(0, reshape(index_select(all, 0, number), sizes));
}

}  // namespace vitro::ops
