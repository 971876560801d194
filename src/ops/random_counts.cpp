// Poisson and binomial random numbers: the ops that draw them with words of Philox, element by
// element on any number of threads, and the functions, which also know PyTorch's numbers.
#include <array>
#include <span>
#include <vector>

#include "core/numbers.h"
#include "ops/random_key.h"
#include "ops/rejection.h"
#include "ops/value.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/core/formula.h"
#include "vitro/core/generator.h"
#include "vitro/core/mt19937.h"
#include "vitro/ops/create.h"
#include "vitro/ops/random.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace ops {
namespace {

// The uniform numbers of one element, two from each block of four words: block k of the element is
// block element + 2^44 k of the stream.
class PhiloxUnits {
 public:
  PhiloxUnits(const OpaqueTensor& key, int64_t element)
      : seed_(number(key, 0)), stream_(number(key, 1)), block_(static_cast<uint64_t>(element)) {}
  double operator()() {
    if (next_ == 4) {
      words_ = philox(seed_, stream_, block_);
      block_ += uint64_t{1} << 44;
      next_ = 0;
    }
    const uint64_t high = words_[next_] & ((1U << 26) - 1),
                   low = words_[next_ + 1] & ((1U << 27) - 1);
    next_ += 2;
    return static_cast<double>(high << 27 | low) * 0x1p-53;
  }

 private:
  static uint64_t number(const OpaqueTensor& key, int64_t i) {
    return static_cast<uint64_t>(static_cast<const int64_t*>(key.data)[i * key.strides[0]]);
  }
  uint64_t seed_, stream_, block_;
  std::array<uint32_t, 4> words_{};
  size_t next_ = 4;
};

// Element `index` in row-major order.
double element(const OpaqueTensor& t, int64_t index) {
  const auto* at = static_cast<const double*>(t.data);
  for (size_t d = t.sizes.size(); d-- > 0; index /= t.sizes[d])
    at += index % t.sizes[d] * t.strides[d];
  return *at;
}

// number(element, units) for each element of the result, which is dense.
template <class Number>
void draw_each(const OpaqueCall& call, Number number) {
  const OpaqueTensor& key = call.operands.back().tensor;
  auto* out = static_cast<double*>(call.results[0].data);
  auto fill = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      PhiloxUnits units(key, i);
      out[i] = number(i, Units(units));
    }
  };
  int64_t count = 1;
  for (const int64_t size : call.results[0].sizes) count *= size;
  const auto piece = [](void* self, int64_t begin, int64_t end) {
    (*static_cast<decltype(fill)*>(self))(begin, end);
  };
  constexpr int64_t grain = 256;
  call.parallel ? call.parallel(count, grain, piece, &fill) : fill(0, count);
}

void check_numbers(const ShapeCall& call) {
  for (const Argument& one : call.operands.first(call.operands.size() - 1))
    VITRO_CHECK(one.meta && one.meta->dtype == DType::f64, call.op, ": needs tensors of f64");
  const Argument& key = call.operands.back();
  VITRO_CHECK(key.meta && key.meta->dtype == DType::i64 && key.meta->rank() == 1 &&
                  !less(key.meta->sizes[0], 2),
              call.op, ": needs a key of dtype i64 and size 2");
}

}  // namespace

void PhiloxPoisson::shape(ShapeCall& call) {
  check_numbers(call);
  const TensorMeta& rate = *call.operands[0].meta;
  call.results.push_back(dense(DType::f64, rate.device, rate.sizes));
}
void PhiloxPoisson::kernel(const OpaqueCall& call) {
  const OpaqueTensor& rates = call.operands[0].tensor;
  draw_each(call, [&](int64_t i, Units units) { return poisson_number(element(rates, i), units); });
}
void PhiloxPoisson::gradient(Formula& f) {
  f.set(0, zeros_like(f.tensor(0)));
}

void PhiloxBinomial::shape(ShapeCall& call) {
  check_numbers(call);
  const TensorMeta &count = *call.operands[0].meta, &p = *call.operands[1].meta;
  VITRO_CHECK(equal_sizes(count.sizes, p.sizes), call.op,
              ": sizes differ: ", numbers_of(count.sizes), " and ", numbers_of(p.sizes));
  call.results.push_back(dense(DType::f64, count.device, count.sizes));
}
void PhiloxBinomial::kernel(const OpaqueCall& call) {
  const OpaqueTensor &counts = call.operands[0].tensor, &ps = call.operands[1].tensor;
  draw_each(call, [&](int64_t i, Units units) {
    return binomial_number(element(counts, i), element(ps, i), false, units);
  });
}
void PhiloxBinomial::gradient(Formula& f) {
  f.set(0, zeros_like(f.tensor(0)));
  f.set(1, zeros_like(f.tensor(1)));
}

}  // namespace ops

namespace {

using namespace ops;

void check_floating_numbers(std::string_view op, std::string_view what, const Tensor& x) {
  VITRO_CHECK(is_floating(x.dtype()), op, ": ", what, " must be floating-point numbers, got ",
              x.dtype(), "; cast them first");
}

// The next key where `like` is: kernels do not read the host's memory.
Tensor key_beside(const Tensor& like) {
  const Tensor key = next_key(1);
  if (like.device() == cpu) return key;
  const Value places = arange(2, DType::i64, like.device());
  return ops::where(places == 0, select(key, 0, 0), select(key, 0, 1));
}

// PyTorch's numbers: one element after the other takes as many as it needs.
template <class Number>
Tensor drawn_in_order(const Tensor& like, Number number) {
  const Tensor out = zeros(like.sizes(), DType::f64, like.device());
  const std::span elements(out.data<double>(), static_cast<size_t>(out.numel().value()));
  draw_from_mt19937([&](Mt19937& generator) {
    auto unit = [&] { return generator.unit_f64(); };
    for (size_t i = 0; i < elements.size(); ++i) elements[i] = number(i, Units(unit));
  });
  return out;
}

}  // namespace

Tensor poisson(ops::At x) {
  const CalledAs name("poisson", x.where);
  const Tensor& t = x.operand.tensor();
  check_floating_numbers("poisson", "the rates", t);
  const Tensor rate = to({t, x.where}, DType::f64);
  Tensor made;
  if (current_generator() == Generator::mt19937) {
    const std::vector<double> rates = rate.to_vector<double>(x.where);
    made =
        drawn_in_order(rate, [&](size_t i, Units unit) { return poisson_number(rates[i], unit); });
  } else {
    made = call<PhiloxPoisson>(x.where, {rate, key_beside(rate)});
  }
  return to({made, x.where}, t.dtype());
}

Tensor binomial(ops::At count, const Tensor& prob) {
  const CalledAs name("binomial", count.where);
  const Tensor& n = count.operand.tensor();
  check_floating_numbers("binomial", "the counts", n);
  check_floating_numbers("binomial", "the probabilities", prob);
  VITRO_CHECK(n.dtype() == prob.dtype(), "binomial: dtypes differ: the counts are ", n.dtype(),
              ", the probabilities ", prob.dtype(), "; cast one of them");
  const Sizes sizes = broadcast("binomial", n.sizes(), prob.sizes());
  const auto wide = [&](const Tensor& one) {
    return expand({to({one, count.where}, DType::f64), count.where}, sizes);
  };
  const Tensor counts = wide(n), ps = wide(prob);
  Tensor made;
  if (current_generator() == Generator::mt19937) {
    const std::vector<double> ns = counts.to_vector<double>(count.where),
                              all = ps.to_vector<double>(count.where);
    const bool in_single = n.dtype() == DType::f32;
    made = drawn_in_order(counts, [&](size_t i, Units unit) {
      return binomial_number(ns[i], all[i], in_single, unit);
    });
  } else {
    made = call<PhiloxBinomial>(count.where, {counts, ps, key_beside(counts)});
  }
  return to({made, count.where}, n.dtype());
}

}  // namespace vitro
