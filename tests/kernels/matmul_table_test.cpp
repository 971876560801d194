#include "kernels/matmul_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/machine.h"

namespace vitro::kernels {
namespace {

struct Set {
  std::string name;
  const MatmulKernels* table;
};

std::vector<Set> sets() {
  std::vector<Set> all = {{"baseline", kernels_ahead::baseline::matmul_table}};
#if defined(__x86_64__)
  if (machine_isa() >= Isa::avx2) all.push_back({"avx2", kernels_ahead::avx2::matmul_table});
  if (machine_isa() >= Isa::avx512) all.push_back({"avx512", kernels_ahead::avx512::matmul_table});
#endif
  return all;
}

struct Size {
  int64_t m, n, k;
};

const Size sizes[] = {{1, 1, 1},      {1, 40, 3},    {2, 32, 16},   {3, 33, 17},   {5, 7, 0},
                      {6, 16, 5},     {7, 48, 9},    {12, 64, 31},  {13, 31, 64},  {23, 95, 40},
                      {25, 130, 100}, {128, 65, 20}, {9, 20, 1700}, {97, 140, 770}};

enum class Layout { rows, columns, spread };

// A matrix of small numbers whose products round.
template <class T>
std::vector<T> numbers(int64_t count, int seed) {
  std::vector<T> v(count);
  for (int64_t i = 0; i < count; ++i) v[i] = T((i * 7919 + seed) % 101 - 50) / T(37);
  return v;
}

template <class T>
struct Product {
  Size size;
  std::vector<T> a, b, bias, want;
  int64_t a_row, a_column;

  Product(Size s, Layout layout) : size(s) {
    a_row = layout == Layout::rows ? s.k + 3 : layout == Layout::columns ? 1 : 2 * s.k;
    a_column = layout == Layout::rows ? 1 : layout == Layout::columns ? s.m + 1 : 2;
    a = numbers<T>(a_row * s.m + a_column * s.k + 1, 1);
    b = numbers<T>(s.k * s.n, 2);
    bias = numbers<T>(s.n, 3);
    want.resize(s.m * s.n);
    for (int64_t i = 0; i < s.m; ++i) {
      for (int64_t j = 0; j < s.n; ++j) {
        T sum = 0;
        for (int64_t p = 0; p < s.k; ++p)
          sum = std::fma(a[i * a_row + p * a_column], b[p * s.n + j], sum);
        want[i * s.n + j] = sum + bias[j];
      }
    }
  }

  // C by one set of kernels; rows of C are two longer than needed, to see that nothing is written
  // there.
  std::vector<T> run(const MatmulKernels& f, int64_t threads, bool b_transposed) const {
    std::vector<T> packed(f.packed_size(size.k, size.n) + 1), c((size.n + 2) * size.m, T(-99));
    std::vector<T> turned(b.size());
    for (int64_t p = 0; p < size.k; ++p) {
      for (int64_t j = 0; j < size.n; ++j) turned[j * size.k + p] = b[p * size.n + j];
    }
    packed.back() = T(-99);
    f.pack(b_transposed ? turned.data() : b.data(), b_transposed ? 1 : size.n,
           b_transposed ? size.k : 1, size.k, size.n, packed.data(), 0, f.panel_count(size.n));
    EXPECT_EQ(packed.back(), T(-99));
    MatmulCall call{size.m,        size.n,   size.k,     a.data(),    a_row,  a_column,
                    packed.data(), c.data(), size.n + 2, bias.data(), threads};
    for (int64_t t = f.task_count(call); t-- > 0;) f.run(call, t, t + 1);
    std::vector<T> dense;
    for (int64_t i = 0; i < size.m; ++i) {
      dense.insert(dense.end(), c.begin() + i * (size.n + 2),
                   c.begin() + i * (size.n + 2) + size.n);
      EXPECT_EQ(c[i * (size.n + 2) + size.n], T(-99));
    }
    return dense;
  }
};

template <class T>
void check(MatmulType type) {
  for (const Size& size : sizes) {
    for (Layout layout : {Layout::rows, Layout::columns, Layout::spread}) {
      Product<T> product(size, layout);
      for (const Set& set : sets()) {
        for (int64_t threads : {1, 4}) {
          std::vector<T> got = product.run(set.table[int(type)], threads, threads == 4);
          EXPECT_EQ(std::memcmp(got.data(), product.want.data(), got.size() * sizeof(T)), 0)
              << set.name << ": " << size.m << " x " << size.k << " x " << size.n << ", layout "
              << int(layout) << ", threads " << threads;
        }
      }
    }
  }
}

// The truth is one fma after the other along k: the order that is promised.
TEST(Matmul, F32GivesTheBitsOfThePlainLoopForEverySizeLayoutSplitAndMachine) {
  check<float>(MatmulType::f32);
}
TEST(Matmul, F64GivesTheBitsOfThePlainLoopForEverySizeLayoutSplitAndMachine) {
  check<double>(MatmulType::f64);
}

uint16_t bf16_of(float x) {
  uint32_t u;
  std::memcpy(&u, &x, 4);
  return uint16_t((u + 0x7fff + (u >> 16 & 1)) >> 16);
}
float from_bf16(uint16_t h) {
  uint32_t u = uint32_t{h} << 16;
  float x;
  std::memcpy(&x, &u, 4);
  return x;
}

TEST(Matmul, Bf16IsAddedUpInF32AndRoundedOnce) {
  constexpr int64_t m = 5, n = 37, k = 50;
  std::vector<uint16_t> a(m * k), b(k * n), c(m * n);
  for (int64_t i = 0; i < m * k; ++i) a[i] = bf16_of(float(i % 17 - 8) / 3);
  for (int64_t i = 0; i < k * n; ++i) b[i] = bf16_of(float(i % 13 - 6) / 5);
  for (const Set& set : sets()) {
    const MatmulKernels& f = set.table[int(MatmulType::bf16)];
    std::vector<uint16_t> packed(f.packed_size(k, n));
    f.pack(b.data(), n, 1, k, n, packed.data(), 0, f.panel_count(n));
    MatmulCall call{m, n, k, a.data(), k, 1, packed.data(), c.data(), n, nullptr, 1};
    f.run(call, 0, f.task_count(call));
    for (int64_t i = 0; i < m * n; ++i) {
      float sum = 0;
      for (int64_t p = 0; p < k; ++p)
        sum = std::fma(from_bf16(a[i / n * k + p]), from_bf16(b[p * n + i % n]), sum);
      ASSERT_EQ(c[i], bf16_of(sum)) << set.name << " element " << i;
    }
  }
}

TEST(Matmul, AnEmptyProductHasNoTasks) {
  const MatmulKernels& f = matmul_kernels(MatmulType::f32);
  MatmulCall call{0, 5, 3, nullptr, 3, 1, nullptr, nullptr, 5, nullptr, 1};
  EXPECT_EQ(f.task_count(call), 0);
  call.m = 5, call.n = 0;
  EXPECT_EQ(f.task_count(call), 0);
}

}  // namespace
}  // namespace vitro::kernels
