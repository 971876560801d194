// The elementary functions over arrays, once per instruction set.
#include "kernels/arc.h"
#include "kernels/convert.h"
#include "kernels/erf.h"
#include "kernels/hyperbolic.h"
#include "kernels/pow.h"
#include "kernels/round.h"
#include "kernels/trig.h"
#include "kernels_under_test.h"

namespace vitro::kernels_test::VITRO_ISA {

using namespace vitro::kernels;

template <class F, class T>
static void map(F f, const T* x, const T* y, T* out, i64 n) {
  for (i64 i = 0; i < n; i += 16) store(out + i, f(load(x + i, n - i), load(y + i, n - i)), n - i);
}

#define ONE(NAME)                                                 \
  {#NAME, [](const T* x, const T* y, T* out, long n) {            \
     map([](Vec<T> a, Vec<T>) { return NAME(a); }, x, y, out, n); \
   }}
#define TWO(NAME)                                                      \
  {#NAME, [](const T* x, const T* y, T* out, long n) {                 \
     map([](Vec<T> a, Vec<T> b) { return NAME(a, b); }, x, y, out, n); \
   }}

template <class T>
static const Function<T> list[] = {
    ONE(exp),          ONE(exp2),    ONE(expm1),   ONE(sigmoid),
    ONE(log),          ONE(log2),    ONE(log10),   ONE(log1p),
    ONE(sin),          ONE(cos),     ONE(tan),     ONE(asin),
    ONE(acos),         ONE(atan),    ONE(sinh),    ONE(cosh),
    ONE(tanh),         ONE(asinh),   ONE(acosh),   ONE(atanh),
    ONE(erf),          ONE(erfc),    ONE(sqrt),    ONE(rsqrt),
    ONE(floor),        ONE(ceil),    ONE(trunc),   ONE(round),
    TWO(atan2),        TWO(pow),     TWO(fmod),    TWO(remainder),
    TWO(floor_divide), TWO(maximum), TWO(minimum), TWO(fmax),
    TWO(fmin),         {},
};

extern const Functions functions = {list<float>, list<double>};

}  // namespace vitro::kernels_test::VITRO_ISA
