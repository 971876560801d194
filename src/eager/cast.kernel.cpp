// Casts between all pairs of dtypes.
#include "eager/kernel_table.h"
#include "eager/lane.h"

namespace vitro::eager::inline VITRO_ISA {
namespace {

namespace k = vitro::kernels;
using k::i64;

template <class From, class To>
void cast(const void* from, void* to, i64 n) {
  const From* in = static_cast<const From*>(from);
  To* out = static_cast<To*>(to);
  i64 i = 0;
  const auto take_up_to_16 = [&]() __attribute__((always_inline)) {
    k::store(out + i, k::convert<To>(k::load(in + i, n - i)), n - i);
  };
  if constexpr (VITRO_LONG_CODE) {
    for (; i < n; i += 16) take_up_to_16();
  } else {
    for (; i + 16 <= n; i += 16) k::store(out + i, k::convert<To>(k::load(in + i)));
    if (i < n) take_up_to_16();
  }
}

// `from` and the columns are in the order of DType.
template <class From>
void fill_row(KernelTable& table, int from) {
  auto* row = table.cast[from];
  row[0] = &cast<From, k::f32>;
  row[1] = &cast<From, k::f64>;
  row[2] = &cast<From, k::f16>;
  row[3] = &cast<From, k::bf16>;
  row[4] = &cast<From, k::i8>;
  row[5] = &cast<From, k::i16>;
  row[6] = &cast<From, k::i32>;
  row[7] = &cast<From, k::i64>;
  row[8] = &cast<From, k::u8>;
  row[9] = &cast<From, bool>;
}

}  // namespace

void fill_cast(KernelTable& table) {
  fill_row<k::f32>(table, 0);
  fill_row<k::f64>(table, 1);
  fill_row<k::f16>(table, 2);
  fill_row<k::bf16>(table, 3);
  fill_row<k::i8>(table, 4);
  fill_row<k::i16>(table, 5);
  fill_row<k::i32>(table, 6);
  fill_row<k::i64>(table, 7);
  fill_row<k::u8>(table, 8);
  fill_row<bool>(table, 9);
}

}  // namespace vitro::eager::inline VITRO_ISA
