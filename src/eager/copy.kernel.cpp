// Kernels that copy words: fill, row copies, stores past the caches, gather by index, and transpose
// in tiles of 16 by 16.
#include "kernels/reduce.h"
#include "kernels/transpose.h"

#include "eager/kernel_table.h"

namespace vitro::eager::inline VITRO_ISA {
namespace {

namespace k = vitro::kernels;
using k::i64;

template <class T>
void transpose(const void* from, i64 from_stride, void* to, i64 to_stride, i64 rows, i64 columns) {
  k::transpose_block(static_cast<const T*>(from), from_stride, static_cast<T*>(to), to_stride, rows,
                     columns);
}

template <class T>
void repeat(const void* word, void* to, i64 n) {
  const k::Vec<T> all = k::splat(*static_cast<const T*>(word));
  T* out = static_cast<T*>(to);
  i64 i = 0;
  for (; i + 16 <= n; i += 16) k::store(out + i, all);
  if (i < n) k::store(out + i, all, n - i);
}

template <class T>
void copy_rows(const void* from, i64 from_step, void* to, i64 to_step, i64 n, i64 rows) {
  for (i64 row = 0; row < rows; ++row) {
    const T* in = reinterpret_cast<const T*>(static_cast<const char*>(from) + row * from_step);
    T* out = reinterpret_cast<T*>(static_cast<char*>(to) + row * to_step);
    i64 i = 0;
    for (; i + 16 <= n; i += 16) k::store(out + i, k::load(in + i));
    if (i < n) k::store(out + i, k::load(in + i, n - i), n - i);
  }
}

void stream(const void* from, void* to, i64 bytes) {
  const auto* in = static_cast<const k::u8*>(from);
  auto* out = static_cast<k::u8*>(to);
  i64 i = -reinterpret_cast<i64>(out) & 63;  // up to a cache line
  if (i > bytes) i = bytes;
  for (i64 done = 0; done < i; done += 16)
    k::store(out + done, k::load(in + done, i - done), i - done);
  for (; i + 64 <= bytes; i += 64) {
    k::store_or_stream(true, reinterpret_cast<k::i32*>(out + i),
                       k::load(reinterpret_cast<const k::i32*>(in + i)));
  }
  for (; i < bytes; i += 16) k::store(out + i, k::load(in + i, bytes - i), bytes - i);
}

void end_streams() {
  k::end_streams(true);
}

// All are in range if neither an index nor `size - 1 - index` is negative.
bool within(const i64* index, i64 n, i64 size) {
  const k::Vec<i64> last = k::splat(size - 1);
  k::Vec<i64> signs = k::splat(i64(0));
  i64 i = 0;
  for (; i + 16 <= n; i += 16) {
    const k::Vec<i64> at = k::load(index + i);
    signs |= at | (last - at);
  }
  if (i < n) {
    const k::Vec<i64> at = k::load(index + i, n - i);  // the remaining lanes are 0
    signs |= at | k::select(k::first_lanes(n - i), last - at, at);
  }
  return !k::reduce_any(k::lt(signs, k::splat(i64(0))));
}

template <class T>
void gather(const void* from, const i64* index, void* to, i64 n) {
  const T* in = static_cast<const T*>(from);
  T* out = static_cast<T*>(to);
#pragma clang loop vectorize(disable) unroll_count(8)
  for (i64 i = 0; i < n; ++i) out[i] = in[index[i]];
}

}  // namespace

void fill_copy(KernelTable& table) {
  table.repeat[0] = &repeat<k::i8>;
  table.repeat[1] = &repeat<k::i16>;
  table.repeat[2] = &repeat<k::i32>;
  table.repeat[3] = &repeat<k::i64>;
  table.transpose[0] = &transpose<k::i8>;
  table.transpose[1] = &transpose<k::i16>;
  table.transpose[2] = &transpose<k::i32>;
  table.transpose[3] = &transpose<k::i64>;
  table.copy_rows[0] = &copy_rows<k::i8>;
  table.copy_rows[1] = &copy_rows<k::i16>;
  table.copy_rows[2] = &copy_rows<k::i32>;
  table.copy_rows[3] = &copy_rows<k::i64>;
  table.stream = &stream;
  table.end_streams = &end_streams;
  table.within = &within;
  table.gather[0] = &gather<k::i8>;
  table.gather[1] = &gather<k::i16>;
  table.gather[2] = &gather<k::i32>;
  table.gather[3] = &gather<k::i64>;
}

}  // namespace vitro::eager::inline VITRO_ISA
