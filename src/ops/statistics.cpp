// Quantiles, covariances, histograms and distinct elements.
#include "vitro/ops/statistics.h"

#include <algorithm>
#include <array>

#include "core/numbers.h"
#include "ops/autocast.h"
#include "ops/complex_parts.h"
#include "ops/matrices.h"
#include "ops/norms.h"
#include "ops/value.h"
#include "ops/wide.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/arithmetic.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/compaction.h"
#include "vitro/ops/complex.h"
#include "vitro/ops/concat.h"
#include "vitro/ops/create.h"
#include "vitro/ops/derived.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/layout.h"
#include "vitro/ops/linear_algebra.h"
#include "vitro/ops/norm.h"
#include "vitro/ops/product.h"
#include "vitro/ops/rearrange.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/scan.h"
#include "vitro/ops/scatter.h"
#include "vitro/ops/sort.h"
#include "vitro/ops/unary.h"
#include "vitro/ops/view.h"
#include "vitro/ops/window.h"

namespace vitro {
namespace {

using namespace ops;

// Not inline, like those of value.h.
Value flat(const Tensor& x) {
  return reshape(x, {-1});
}
Value part(const Tensor& x, int64_t dim, Size start, Size length) {
  return narrow(x, dim, start, length);
}
Value number_on(Device device, Size number) {
  return full({}, number, DType::i64, device);
}
Value zeros_of(Size count, DType dtype, Device device) {
  return zeros({count}, dtype, device);
}
Value moved(const Tensor& x, int64_t from, int64_t to) {
  return movedim(x, {from}, {to});
}

void check_single_or_double(std::string_view op, const Tensor& x) {
  VITRO_CHECK(x.dtype() == DType::f32 || x.dtype() == DType::f64, op, ": takes f32 or f64, got ",
              x.dtype());
}

enum class Between : uint8_t { linear, lower, higher, midpoint, nearest };

Between between_of(std::string_view op, std::string_view text) {
  static constexpr std::array<std::string_view, 5> words = {"linear", "lower", "higher", "midpoint",
                                                            "nearest"};
  const auto at = std::ranges::find(words, text);
  VITRO_CHECK(at != words.end(), op,
              ": interpolation must be \"linear\", \"lower\", \"higher\", \"midpoint\" or "
              "\"nearest\", got \"",
              text, "\"");
  return static_cast<Between>(at - words.begin());
}

// q as a vector of x's dtype.
Tensor parts_of(std::string_view op, const Operand& q, const Tensor& x) {
  if (q.is_number()) {
    const double part = q.number().as_double();
    VITRO_CHECK(part >= 0 && part <= 1, op, ": q must be between 0 and 1, got ", part);
    return full({1}, part, x.dtype(), x.device());
  }
  const Tensor& parts = q.tensor();
  VITRO_CHECK(parts.rank() <= 1, op, ": q must have rank 0 or 1, got sizes ",
              numbers_of(parts.sizes()));
  VITRO_CHECK(parts.dtype() == x.dtype(), op, ": dtypes differ: x is ", x.dtype(), ", q ",
              parts.dtype(), "; cast one of them");
  return flat(parts);
}

// The elements at the places of sorted rows, which may lie between two elements.
Tensor elements_at(const Tensor& rows, const Tensor& places, Between how) {
  const Value low = how == Between::higher    ? Value(ceil(places))
                    : how == Between::nearest ? Value(round(places))
                                              : Value(floor(places));
  const Tensor below = gather(rows, -1, ops::to(low, DType::i64));
  if (how != Between::linear && how != Between::midpoint) return below;
  const Tensor above = gather(rows, -1, ops::to(ceil(places), DType::i64));
  if (how == Between::midpoint) return lerp(below, above, 0.5);
  return lerp(below, above, places - low);
}

Tensor quantiles(std::string_view op, const At& x, const Operand& q, std::optional<int64_t> dim,
                 bool keepdim, std::string_view interpolation, bool skips_nan) {
  const Tensor& t = x.operand.tensor();
  check_single_or_double(op, t);
  VITRO_CHECK(!equal(t.numel(), 0), op, ": needs elements, got sizes ", numbers_of(t.sizes()));
  const Between how = between_of(op, interpolation);
  const Tensor parts = parts_of(op, q, t);
  const bool of_all = !dim || t.rank() == 0;
  const int64_t d = dim ? wrap_dim(op, *dim, t.rank()) : 0;
  const Tensor rows = sort(of_all ? flat(t) : moved(t, d, -1), -1).first;
  const Size last = rows.size(-1) - 1;
  Value places;
  if (skips_nan) {
    places = parts * ops::maximum(ops::sum(~ops::isnan(rows), {-1}, true) - 1, 0);
  } else {
    const Value end = number_on(t.device(), last), any_nan = ops::isnan(part(rows, -1, last, 1));
    places = ops::where(any_nan, end, parts * end);
  }
  Sizes sizes = rows.sizes();
  sizes.back() = parts.numel();
  Value out = elements_at(rows, expand(places, sizes), how);
  const bool vector = q.is_tensor() && q.tensor().rank() == 1;
  out = vector ? moved(out, -1, 0) : Value(squeeze(out, -1));
  if (!keepdim) return out;
  if (!of_all) return unsqueeze(out, vector ? d + 1 : d);
  Sizes kept(static_cast<size_t>(t.rank()), Size(1));
  if (vector) kept.insert(0, parts.numel());
  return reshape(out, kept);
}

}  // namespace

Tensor quantile(ops::At x, const Operand& q, std::optional<int64_t> dim, bool keepdim,
                std::string_view interpolation) {
  if (autocasts()) return autocasted("quantile", &quantile, x, q, dim, keepdim, interpolation);
  const CalledAs name("quantile", x.where);
  return quantiles("quantile", x, q, dim, keepdim, interpolation, false);
}
Tensor nanquantile(ops::At x, const Operand& q, std::optional<int64_t> dim, bool keepdim,
                   std::string_view interpolation) {
  if (autocasts())
    return autocasted("nanquantile", &nanquantile, x, q, dim, keepdim, interpolation);
  const CalledAs name("nanquantile", x.where);
  return quantiles("nanquantile", x, q, dim, keepdim, interpolation, true);
}

Tensor nanmean(ops::At x, DimsArg dim, bool keepdim, std::optional<DType> dtype) {
  const CalledAs name("nanmean", x.where);
  const Tensor& t = x.operand.tensor();
  ops::check_floating("nanmean", t);
  const Value count = ops::sum(~ops::isnan(t), Dims(dim), keepdim);
  return nansum(x, dim, keepdim, dtype) / count;
}

std::pair<Tensor, Tensor> std_mean(ops::At x, DimsArg dim, double correction, bool keepdim) {
  const CalledAs name("std_mean", x.where);
  const DType dtype = x.operand.tensor().dtype();
  if (is_complex(dtype)) {
    auto [variance, mean] = var_mean(x, dim, correction, keepdim);
    return {sqrt(variance), std::move(mean)};
  }
  const auto [deviation, mean] =
      ops::std_mean_of(ops::widened("std_mean", x), dim, correction, keepdim);
  return {to(deviation, dtype), to(mean, dtype)};
}

namespace {

// The weights of observations, and their sum.
struct Weights {
  Tensor all;  // undefined: 1 each
  Value sum;

  Weights(const Tensor& fweights, const Tensor& aweights, const Tensor& rows)
      : all(fweights.defined() && aweights.defined() ? Tensor(fweights * aweights)
            : fweights.defined()                     ? fweights
                                                     : aweights) {
    sum = all.defined() ? ops::sum(all) : number_on(rows.device(), rows.size(1));
  }
  Tensor of(const Tensor& rows) const { return all.defined() ? Tensor(rows * all) : rows; }
};

void check_weights(std::string_view what, const Tensor& weights, Size observations, bool floating) {
  if (!weights.defined()) return;
  VITRO_CHECK(weights.rank() <= 1 && equal(weights.numel(), observations), "cov: ", what, " needs ",
              number_of(observations), " elements, got sizes ", numbers_of(weights.sizes()));
  VITRO_CHECK(is_floating(weights.dtype()) == floating && !is_bool(weights.dtype()), "cov: ", what,
              floating ? " must be floating-point, got " : " must be integers, got ",
              weights.dtype());
}

}  // namespace

Tensor cov(ops::At x, int64_t correction, const Tensor& fweights, const Tensor& aweights) {
  const CalledAs name("cov", x.where);
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(t.rank() <= 2, "cov: needs rank 2 or less, got sizes ", numbers_of(t.sizes()));
  VITRO_CHECK(!is_bool(t.dtype()), "cov: takes numbers, got ", t.dtype(), "; cast them first");
  const Tensor rows = t.rank() < 2 ? reshape(x, {1, t.numel()}) : t;
  check_weights("fweights", fweights, rows.size(1), false);
  check_weights("aweights", aweights, rows.size(1), true);
  const bool is_inexact = is_floating(t.dtype()) || t.is_complex();
  DType dtype = is_inexact ? t.dtype() : default_float;
  if (aweights.defined()) dtype = promote(dtype, aweights.dtype());
  const Value wide = ops::to(rows, compute_type(dtype));
  const Weights weights(fweights, aweights, rows);
  const Value mean = ops::sum(weights.of(wide), {1}, true) / weights.sum;
  Value norm = weights.sum - correction;
  if (aweights.defined() && correction != 0)
    norm = weights.sum - ops::sum(weights.all * aweights) / weights.sum * correction;
  const Value off = wide - mean;
  const Value out = mm(off, adjoint(weights.of(off))) / ops::maximum(norm, 0);
  return ops::to(squeeze(out), dtype);
}

Tensor corrcoef(ops::At x) {
  const CalledAs name("corrcoef", x.where);
  const Value c = cov(x);
  if (c.rank() == 0) return c / c;
  const Value deviation = ops::sqrt(real(diagonal(c)));
  const Value r = c / unsqueeze(deviation, 1) / deviation;
  if (!c.is_complex()) return clamp(r, -1, 1);
  return joined({clamp(real(r), -1, 1), clamp(imag(r), -1, 1)});
}

namespace {

// The sum of `weights`, or the number of elements, at each place; others than 0 ... count - 1 do
// not count.
Tensor sums_at(const Tensor& place, const Tensor& weights, Size count, DType dtype) {
  const Value inside = (place >= 0) & (place < count);
  const Tensor none = zeros_of(count + 1, dtype, place.device());
  const Tensor each = weights.defined() ? to(weights, dtype) : ones_like(place, dtype);
  return part(scatter_add(none, 0, ops::where(inside, place, count), each), 0, 0, count);
}

}  // namespace

Tensor bincount(ops::At x, const Tensor& weights, int64_t minlength) {
  const CalledAs name("bincount", x.where);
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(t.rank() == 1 && is_integer(t.dtype()), "bincount: takes a vector of integers, got ",
              t.dtype(), " of sizes ", numbers_of(t.sizes()));
  VITRO_CHECK(minlength >= 0, "bincount: minlength must not be negative, got ", minlength);
  VITRO_CHECK(!weights.defined() || ops::equal_sizes(weights.sizes(), t.sizes()),
              "bincount: needs a weight for each element, got sizes ", numbers_of(t.sizes()),
              " and ", numbers_of(weights.sizes()));
  const DType dtype = !weights.defined()              ? DType::i64
                      : weights.dtype() == DType::f32 ? DType::f32
                                                      : DType::f64;
  if (equal(t.numel(), 0)) return zeros_of(minlength, DType::i64, t.device());
  const int64_t least = amin(t, Dims(), false).item<int64_t>();
  VITRO_CHECK(least >= 0, "bincount: elements must not be negative, got ", least);
  const int64_t count = std::max(amax(t, Dims(), false).item<int64_t>() + 1, minlength);
  return sums_at(to(x, DType::i64), weights, count, dtype);
}

namespace {

void check_histogram(std::string_view op, const Tensor& x, const Tensor& weight, Sizes needed) {
  check_single_or_double(op, x);
  if (!weight.defined()) return;
  VITRO_CHECK(weight.dtype() == x.dtype() && ops::equal_sizes(weight.sizes(), needed), op,
              ": needs a weight of ", x.dtype(), " for each element, got ", weight.dtype(),
              " of sizes ", numbers_of(weight.sizes()), " for sizes ", numbers_of(x.sizes()));
}
void check_edges(std::string_view op, const Tensor& edges, DType dtype) {
  VITRO_CHECK(edges.rank() == 1 && !equal(edges.numel(), 0) && edges.dtype() == dtype, op,
              ": needs a vector of edges of ", dtype, ", got ", edges.dtype(), " of sizes ",
              numbers_of(edges.sizes()));
}

// Equal parts of the range, by default from the smallest to the largest element of t.
Tensor equal_parts(std::string_view op, const Tensor& t, int64_t bins,
                   std::span<const double> range) {
  VITRO_CHECK(bins > 0, op, ": bins must be positive, got ", bins);
  VITRO_CHECK(range.empty() || (range.size() == 2 && range[0] <= range[1]), op,
              ": range needs a lower and an upper bound");
  double low = 0, high = range.empty() ? 1 : range[1];  // without elements from 0 to 1
  if (!range.empty()) {
    low = range[0];
  } else if (!equal(t.numel(), 0)) {
    low = amin(t, Dims(), false).item<double>();
    high = amax(t, Dims(), false).item<double>();
  }
  VITRO_CHECK(low - low == 0 && high - high == 0, op, ": needs a finite range, got ", low, " to ",
              high);
  if (low == high) low -= 0.5, high += 0.5;
  return linspace(low, high, bins + 1, t.dtype(), t.device());
}

// The number of the part in which each element is, the end of the last one included; -1 for an
// element that is not between the first and the last edge.
Value place_between(const Tensor& edges, const Value& t) {
  const Size parts = edges.numel() - 1;
  const Value after = searchsorted(edges, t, false, true);
  const Value inside = (t >= part(edges, 0, 0, 1)) & (t <= part(edges, 0, parts, 1));
  return ops::where(inside, ops::minimum(after, Scalar(parts)) - 1, -1);
}

}  // namespace

std::pair<Tensor, Tensor> histogram(ops::At x, const Tensor& edges, const Tensor& weight,
                                    bool density) {
  const CalledAs name("histogram", x.where);
  const Tensor t = flat(x.operand.tensor());
  check_histogram("histogram", x.operand.tensor(), weight, x.operand.tensor().sizes());
  check_edges("histogram", edges, t.dtype());
  const Tensor weights = weight.defined() ? flat(weight) : Value();
  Value counts = sums_at(place_between(edges, t), weights, edges.numel() - 1, t.dtype());
  if (density) counts = counts / ops::sum(counts) / diff(edges);
  return {counts, edges};
}

std::pair<Tensor, Tensor> histogram(ops::At x, int64_t bins, const std::vector<double>& range,
                                    const Tensor& weight, bool density) {
  const CalledAs name("histogram", x.where);
  const Tensor& t = x.operand.tensor();
  check_histogram("histogram", t, weight, t.sizes());
  return histogram(x, equal_parts("histogram", t, bins, range), weight, density);
}

namespace {

// The sizes without the last one, which must be `dims`, and the places of elements.
Sizes sizes_of_points(const Tensor& t, size_t dims) {
  VITRO_CHECK(t.rank() >= 2 && equal(t.size(-1), static_cast<int64_t>(dims)),
              "histogramdd: needs points [..., ", dims, "] for bins of ", dims,
              " dimensions, got sizes ", numbers_of(t.sizes()));
  Sizes out = t.sizes();
  out.pop_back();
  return out;
}

}  // namespace

std::pair<Tensor, std::vector<Tensor>> histogramdd(ops::At x, std::span<const Tensor> edges,
                                                   const Tensor& weight, bool density) {
  const CalledAs name("histogramdd", x.where);
  const Tensor& t = x.operand.tensor();
  const Sizes points = sizes_of_points(t, edges.size());
  check_histogram("histogramdd", t, weight, points);
  const Size count = product(points);
  const Tensor rows = reshape(x, {count, t.size(-1)});
  Value place = zeros({count}, DType::i64, t.device()), inside;
  Sizes bins;
  for (const Tensor& one : edges) {
    check_edges("histogramdd", one, t.dtype());
    const auto d = static_cast<int64_t>(bins.size());
    bins.push_back(one.numel() - 1);
    const Value at = place_between(one, contiguous(select(rows, 1, d)));
    const Value good = (at >= 0) & (at < bins.back());
    inside = inside.defined() ? inside & good : good;
    place = place * Scalar(bins.back()) + at;
  }
  if (inside.defined()) place = ops::where(inside, place, -1);
  const Tensor weights = weight.defined() ? flat(weight) : Value();
  Value counts = reshape(sums_at(place, weights, product(bins), t.dtype()), bins);
  if (density) counts = counts / ops::sum(counts);
  for (size_t d = 0; density && d < edges.size(); ++d) {
    Sizes along(edges.size(), Size(1));
    along[d] = bins[d];
    counts = counts / reshape(diff(edges[d]), along);
  }
  return {counts, {edges.begin(), edges.end()}};
}

std::pair<Tensor, std::vector<Tensor>> histogramdd(ops::At x, const Dims& bins,
                                                   const std::vector<double>& range,
                                                   const Tensor& weight, bool density) {
  const CalledAs name("histogramdd", x.where);
  const Tensor& t = x.operand.tensor();
  check_single_or_double("histogramdd", t);
  (void)sizes_of_points(t, bins.size());
  VITRO_CHECK(range.empty() || range.size() == 2 * bins.size(), "histogramdd: range needs ",
              2 * bins.size(), " bounds, got ", range.size());
  std::vector<Tensor> edges;
  for (size_t d = 0; d < bins.size(); ++d) {
    const auto bounds = std::span(range).subspan(range.empty() ? 0 : 2 * d, range.empty() ? 0 : 2);
    const Tensor column = select(t, -1, static_cast<int64_t>(d));
    edges.push_back(equal_parts("histogramdd", column, bins[d], bounds));
  }
  return histogramdd(x, edges, weight, density);
}

namespace {

// Runs of equal neighbours among n elements or slices.
struct Runs {
  Tensor begins;  // bool [n]: whether a run begins
  Tensor number;  // i64 [n]: the number of the run

  explicit Runs(const Tensor& differs)  // from the one before, [n - 1]
      : begins(constant_pad_nd(differs, {1, 0}, true)), number(cumsum(begins, 0) - 1) {}
  // The length of each run.
  Tensor lengths() const {
    const Tensor counts = scatter_add(zeros_like(number), 0, number, ones_like(number));
    return masked_select(index_select(counts, 0, number), begins);
  }
};

// Whether a row of `rows` [n, ...] differs from the one before.
Tensor differ(const Tensor& rows) {
  const Size others = rows.size(0) - 1;
  const Value differs = part(rows, 0, 1, others) != part(rows, 0, 0, others);
  return rows.rank() == 1 ? differs : Value(any(differs, DimsArg{1}));
}

// The places of the rows in lexicographic order: sorted stably by each column, the last one first.
Tensor lexicographic(const Tensor& rows) {
  if (rows.rank() == 1) return argsort(rows, 0);
  Tensor order = arange(rows.size(0), DType::i64, rows.device());
  for (int64_t c = rows.size(1).value(); c-- > 0;) {
    const Tensor column = index_select(select(rows, 1, c), 0, order);
    order = index_select(order, 0, argsort(column, 0));
  }
  return order;
}

std::tuple<Tensor, Tensor, Tensor> distinct(std::string_view op, const At& x,
                                            std::optional<int64_t> dim, bool sorts) {
  const Tensor& t = x.operand.tensor();
  const bool of_all = !dim || t.rank() == 0;
  const int64_t d = dim ? wrap_dim(op, *dim, t.rank()) : 0;
  const Size n = of_all ? t.numel() : t.size(d);
  for (int64_t other = 0; !of_all && other < t.rank(); ++other)
    VITRO_CHECK(other == d || !equal(t.size(other), 0), op, ": the slices along dimension ", d,
                " have no elements, got sizes ", numbers_of(t.sizes()));
  const Sizes each = dim ? Sizes{n} : t.sizes();
  if (equal(n, 0)) {
    const Value none = zeros_of(0, DType::i64, t.device());
    return {dim ? zeros(t.sizes(), t.dtype(), t.device()) : to(none, t.dtype()),
            reshape(none, each), none};
  }
  const Value slices = of_all ? flat(t) : moved(t, d, 0);
  Tensor rows = of_all ? slices : Value(reshape(slices, {n, -1}));
  Tensor order;
  if (sorts) {
    order = lexicographic(rows);
    rows = index_select(rows, 0, order);
  }
  const Runs runs(differ(rows));
  const Tensor places =
      sorts ? scatter(zeros_like(runs.number), 0, order, runs.number) : runs.number;
  if (of_all) return {masked_select(rows, runs.begins), reshape(places, each), runs.lengths()};
  const Tensor chosen =
      masked_select(sorts ? order : arange(n, DType::i64, t.device()), runs.begins);
  return {moved(index_select(slices, 0, chosen), 0, d), places, runs.lengths()};
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> unique(ops::At x, std::optional<int64_t> dim) {
  const CalledAs name(dim ? "unique_dim" : "_unique2", x.where);
  return distinct(dim ? "unique_dim" : "_unique2", x, dim, true);
}
std::tuple<Tensor, Tensor, Tensor> unique_consecutive(ops::At x, std::optional<int64_t> dim) {
  const CalledAs name("unique_consecutive", x.where);
  return distinct("unique_consecutive", x, dim, false);
}

// Each element that is not 0 goes to its number among them, the others behind all.
Tensor nonzero_static(ops::At x, Size size, int64_t fill_value) {
  const CalledAs name("nonzero_static", x.where);
  VITRO_CHECK(!less(size, 0), "nonzero_static: size must not be negative, got ", number_of(size));
  const Tensor& t = x.operand.tensor();
  if (known_equal(t.numel(), 0) || t.rank() == 0)  // there is no index to compute
    return full({size, t.rank()}, fill_value, DType::i64, t.device());
  const Value chosen = flat(t) != 0;
  const Value number = cumsum(chosen, 0) - 1;
  const Value target = ops::where(chosen & (number < size), number, size);
  const Tensor all = arange(t.numel(), DType::i64, t.device());
  Value place =
      part(scatter(zeros_of(size + 1, DType::i64, t.device()), 0, target, all), 0, 0, size);
  const Value found = arange(size, DType::i64, t.device()) < ops::sum(chosen);
  std::vector<Tensor> columns(static_cast<size_t>(t.rank()));
  for (size_t d = columns.size(); d-- > 0;) {
    const Size length = t.sizes()[d];
    columns[d] = ops::where(found, ops::remainder(place, length), fill_value);
    place = ops::floor_divide(place, length);
  }
  return stack(columns, 1);
}

namespace {

// Finite differences along one dimension of neighbours that are `steps` [n - 1] apart.
class Differences {
 public:
  Differences(const Tensor& x, int64_t dim, const Tensor& steps, bool uniform)
      : x_(x), steps_(steps), dim_(dim), uniform_(uniform), n_(x.size(dim)) {}

  Tensor all(int64_t edge_order) const {
    return cat({edge_order == 1 ? slope(0) : curved(0, false), inner(),
                edge_order == 1 ? slope(n_ - 2) : curved(n_ - 3, true)},
               dim_);
  }

 private:
  Value at(Size start, Size length) const { return part(x_, dim_, start, length); }
  // Steps, to be broadcast over x.
  Value step(Size start, Size length) const {
    Sizes sizes(static_cast<size_t>(x_.rank()), Size(1));
    sizes[static_cast<size_t>(dim_)] = length;
    return reshape(part(steps_, 0, start, length), sizes);
  }
  Value slope(Size i) const { return (at(i + 1, 1) - at(i, 1)) / step(i, 1); }
  Value inner() const {
    const Size count = n_ - 2;
    const Value h = step(0, count), k = step(1, count);
    const Value outer = at(2, count) * (h / (k * (h + k))) - at(0, count) * (k / (h * (h + k)));
    return uniform_ ? outer : outer + at(1, count) * ((k - h) / (h * k));
  }
  // At the first or the last of three elements from i on, by the parabola through them.
  Value curved(Size i, bool last) const {
    const Value h = step(i, 1), k = step(i + 1, 1), both = h + k;
    const Value a = (last ? k : -(h + both)) / (h * both), b = both / (h * k),
                c = (last ? k + both : -h) / (k * both);
    return at(i, 1) * a + at(i + 1, 1) * (last ? -b : b) + at(i + 2, 1) * c;
  }

  const Tensor &x_, &steps_;
  int64_t dim_;
  bool uniform_;
  Size n_;
};

// The dimensions, after checks of the arguments; `spacings` unless one is for all of them.
Dims gradient_dims(const Tensor& x, DimsArg dim, std::optional<size_t> spacings,
                   int64_t edge_order) {
  VITRO_CHECK(edge_order == 1 || edge_order == 2, "gradient: edge_order must be 1 or 2, got ",
              edge_order);
  const Dims all = wrap_dims("gradient", dim, x.rank());  // in order of x
  Dims dims;                                              // in order of the call
  for (const int64_t d : dim) dims.push_back(wrap_dim("gradient", d, x.rank()));
  if (dims.size() != all.size()) dims = all;
  VITRO_CHECK(spacings.value_or(dims.size()) == dims.size(),
              "gradient: needs a spacing for each of ", dims.size(), " dimensions, got ",
              *spacings);
  for (const int64_t d : dims)
    VITRO_CHECK(x.rank() > 0 && !less(x.size(d), edge_order + 1), "gradient: needs ",
                edge_order + 1, " elements in each dimension, got sizes ", numbers_of(x.sizes()));
  return dims;
}

bool is_inexact(const Tensor& x) {
  return is_floating(x.dtype()) || x.is_complex();
}
// The dtype of the computation, and that of the steps, which may be complex, too.
DType gradient_type(const Tensor& x) {
  return is_inexact(x) ? compute_type(x.dtype()) : default_float;
}
DType step_type(const Tensor& x, bool is_complex) {
  const DType real = real_of(gradient_type(x));
  return is_complex ? complex_of(real) : real;
}

std::vector<Tensor> gradient_along(const Tensor& x, const Dims& dims,
                                   const std::vector<Tensor>& steps, bool uniform,
                                   int64_t edge_order) {
  const Tensor wide = to(x, gradient_type(x));
  std::vector<Tensor> out;
  for (size_t i = 0; i < dims.size(); ++i) {
    const Tensor one = Differences(wide, dims[i], steps[i], uniform).all(edge_order);
    out.push_back(is_floating(x.dtype()) ? to(one, x.dtype()) : one);
  }
  return out;
}

}  // namespace

std::vector<Tensor> gradient(ops::At x, const std::vector<Scalar>& spacing, DimsArg dim,
                             int64_t edge_order) {
  const CalledAs name("gradient", x.where);
  const Tensor& t = x.operand.tensor();
  const bool same = spacing.size() <= 1;
  const Dims dims = gradient_dims(
      t, dim, same ? std::nullopt : std::optional<size_t>(spacing.size()), edge_order);
  std::vector<Tensor> steps;
  for (size_t i = 0; i < dims.size(); ++i) {
    const Scalar h = spacing.empty() ? Scalar(1) : spacing[same ? 0 : i];
    steps.push_back(full({t.size(dims[i]) - 1}, h, step_type(t, h.is_complex()), t.device()));
  }
  return gradient_along(t, dims, steps, true, edge_order);
}

std::vector<Tensor> gradient(ops::At x, std::span<const Tensor> spacing, DimsArg dim,
                             int64_t edge_order) {
  const CalledAs name("gradient", x.where);
  const Tensor& t = x.operand.tensor();
  const Dims dims = gradient_dims(t, dim, spacing.size(), edge_order);
  std::vector<Tensor> steps;
  for (size_t i = 0; i < dims.size(); ++i) {
    VITRO_CHECK(spacing[i].rank() == 1 && equal(spacing[i].numel(), t.size(dims[i])),
                "gradient: needs a place for each of ", number_of(t.size(dims[i])),
                " elements of dimension ", dims[i], ", got sizes ", numbers_of(spacing[i].sizes()));
    steps.push_back(diff(to(spacing[i], step_type(t, spacing[i].is_complex()))));
  }
  return gradient_along(t, dims, steps, false, edge_order);
}

}  // namespace vitro
