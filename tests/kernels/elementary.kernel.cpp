// Elementary functions on arrays, compiled once per instruction set.
#include "kernels/arc.h"
#include "kernels/convert.h"
#include "kernels/erf.h"
#include "kernels/hyperbolic.h"
#include "kernels/integer.h"
#include "kernels/pow.h"
#include "kernels/round.h"
#include "kernels/trig.h"
#include "kernels_under_test.h"
#include "vitro/core/functions.h"

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

#define FUNCTION_1(NAME) ONE(NAME),
#define FUNCTION_2(NAME) TWO(NAME),
#define FUNCTION_3(NAME)  // fma: a single instruction
#define FUNCTION(NAME, operands, on_integers, ...) FUNCTION_##on_integers(NAME, operands)
#define FUNCTION_none(NAME, operands) FUNCTION_##operands(NAME)
#define FUNCTION_same(NAME, operands) FUNCTION_##operands(NAME)
#define FUNCTION_own(NAME, operands) FUNCTION_##operands(NAME)
#define FUNCTION_truth(NAME, operands)  // the result is a mask

template <class T>
static const Function<T> list[] = {
    VITRO_SCALAR_FUNCTIONS(FUNCTION)  //
    TWO(fmax),
    TWO(fmin),
    {},
};

extern const Functions functions = {list<float>, list<double>};

}  // namespace vitro::kernels_test::VITRO_ISA
