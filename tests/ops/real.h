// A number type to run op bodies on, with every function of vitro/ops/math.h that bodies with
// gradients use: the simplest consumer.
#pragma once

#include <cmath>
#include <cstdint>

namespace vitro::test {

struct Flag {
  bool v;
  friend Flag operator&&(Flag a, Flag b) { return {a.v && b.v}; }
  friend Flag operator||(Flag a, Flag b) { return {a.v || b.v}; }
  friend Flag operator!(Flag a) { return {!a.v}; }
  friend Flag operator!=(Flag a, Flag b) { return {a.v != b.v}; }
};

struct Real {
  double v;
  Real(double value) : v(value) {}  // NOLINT(google-explicit-constructor): literals convert

  friend Real operator+(Real a, Real b) { return a.v + b.v; }
  friend Real operator-(Real a, Real b) { return a.v - b.v; }
  friend Real operator*(Real a, Real b) { return a.v * b.v; }
  friend Real operator/(Real a, Real b) { return a.v / b.v; }
  friend Real operator-(Real a) { return -a.v; }
  friend Flag operator==(Real a, Real b) { return {a.v == b.v}; }
  friend Flag operator!=(Real a, Real b) { return {a.v != b.v}; }
  friend Flag operator<(Real a, Real b) { return {a.v < b.v}; }
  friend Flag operator<=(Real a, Real b) { return {a.v <= b.v}; }
  friend Flag operator>=(Real a, Real b) { return {a.v >= b.v}; }
  friend Flag operator>(Real a, Real b) { return {a.v > b.v}; }

#define VITRO_REAL(name) \
  friend Real name(Real x) { return std::name(x.v); }
  VITRO_REAL(exp)
  VITRO_REAL(exp2)
  VITRO_REAL(expm1)
  VITRO_REAL(log)
  VITRO_REAL(log2)
  VITRO_REAL(log10)
  VITRO_REAL(log1p)
  VITRO_REAL(sqrt)
  VITRO_REAL(sin)
  VITRO_REAL(cos)
  VITRO_REAL(tan)
  VITRO_REAL(asin)
  VITRO_REAL(acos)
  VITRO_REAL(atan)
  VITRO_REAL(sinh)
  VITRO_REAL(cosh)
  VITRO_REAL(tanh)
  VITRO_REAL(asinh)
  VITRO_REAL(acosh)
  VITRO_REAL(atanh)
  VITRO_REAL(erf)
  VITRO_REAL(erfc)
  VITRO_REAL(abs)
  VITRO_REAL(floor)
  VITRO_REAL(ceil)
  VITRO_REAL(trunc)
#undef VITRO_REAL
  friend Real sigmoid(Real x) { return 1 / (1 + std::exp(-x.v)); }
  friend Real rsqrt(Real x) { return 1 / std::sqrt(x.v); }
  friend Real round(Real x) { return std::nearbyint(x.v); }
  friend Real pow(Real a, Real b) { return std::pow(a.v, b.v); }
  friend Real fmod(Real a, Real b) { return std::fmod(a.v, b.v); }
  friend Real remainder(Real a, Real b) { return a.v - b.v * std::floor(a.v / b.v); }
  friend Real floor_div(Real a, Real b) { return std::floor(a.v / b.v); }
  friend Real trunc_div(Real a, Real b) { return std::trunc(a.v / b.v); }
  friend Real atan2(Real a, Real b) { return std::atan2(a.v, b.v); }
  friend Real maximum(Real a, Real b) { return a.v > b.v ? a : b; }
  friend Real minimum(Real a, Real b) { return a.v < b.v ? a : b; }
  friend Real where(Flag c, Real a, Real b) { return c.v ? a : b; }
  friend Real like(Real, Real a) { return a; }
};

}  // namespace vitro::test
