// Kernels for the programs of vitro/ops/rows.h, on sixteen lanes.
#include "vitro/ops/rows.h"

#include "eager/kernel_table.h"
#include "eager/lane.h"

namespace vitro::eager::inline VITRO_ISA {
namespace {

using Floats = Lane<f32>;

// Elements [i, i + count) of a row, count <= 16.
struct At {
  const RowArgs& args;
  i64 i, count;

  [[gnu::always_inline]] Floats in(int k) const { return get(args.in[k] + i); }
  [[gnu::always_inline]] Floats out(int k) const { return get(args.out[k] + i); }
  [[gnu::always_inline]] Floats put(int k, Floats x) const {
    count == 16 ? k::store(args.out[k] + i, x.v) : k::store(args.out[k] + i, x.v, count);
    return x;
  }

 private:
  [[gnu::always_inline]] Floats get(const f32* p) const {
    return count == 16 ? k::load(p) : k::load(p, count);
  }
};

class Row {
 public:
  explicit Row(const RowArgs& args) : args_(args) {}

  bool has(int k) const { return args_.in[k]; }
  void put(int k, Floats x) const { *args_.out[k] = x.v[0]; }

  template <class F>
  [[gnu::always_inline]] void each(F f) const {
    i64 i = 0;
    for (; i + 16 <= args_.n; i += 16) [[clang::always_inline]]
      f(At{args_, i, 16});
    if (i < args_.n) [[clang::always_inline]]
      f(At{args_, i, args_.n - i});
  }

  template <class F>
  [[gnu::always_inline]] Floats maximum(F f) const {
    k::Vec<f32> lanes = k::splat(-__builtin_inff());
    each([&](At at) __attribute__((always_inline)) {
      k::Vec<f32> more;
      [[clang::always_inline]] more = k::maximum(lanes, f(at).v);
      lanes = at.count == 16 ? more : k::select(k::first_lanes(at.count), more, lanes);
    });
    return k::splat(k::reduce_max(lanes));
  }

  template <class F>
  [[gnu::always_inline]] Floats mean(F f) const {
    return sum(f) / Floats(k::splat(static_cast<f32>(args_.n)));
  }
  template <class F>
  [[gnu::always_inline]] Floats sum(F f) const {
    constexpr i64 run = 16 * ops::reduction_steps;
    if (args_.n <= run) return k::splat(k::reduce_sum(block_sum(f, 0, args_.n)));
    const auto merge = [](k::Vec<f32> a, k::Vec<f32> b)
                           __attribute__((always_inline)) { return a + b; };
    f32 parts[16 * ops::reduction_levels];
    i64 blocks = 0;
    for (i64 begin = 0; begin < args_.n; begin += run, ++blocks)
      k::tree_add(parts, 16, blocks, block_sum(f, begin, smaller(begin + run, args_.n)), merge);
    return k::splat(k::reduce_sum(k::tree_total(parts, 16, blocks, k::splat(0.0F), merge)));
  }

 private:
  VITRO_INLINE i64 smaller(i64 a, i64 b) { return a < b ? a : b; }
  template <class F>
  VITRO_PART k::Vec<f32> block_sum(F f, i64 begin, i64 end) const {
    k::Vec<f32> lanes{}, more;
    i64 i = begin;
    for (; i + 16 <= end; i += 16) {
      [[clang::always_inline]] more = f(At{args_, i, 16}).v;
      lanes = lanes + more;
    }
    if (i < end) {
      [[clang::always_inline]] more = f(At{args_, i, end - i}).v;
      lanes = k::select(k::first_lanes(end - i), lanes + more, lanes);
    }
    return lanes;
  }

  RowArgs args_;  // a copy: no store can change it
};

// Element i of each of up to sixteen adjacent rows.
struct Across {
  const RowArgs& args;
  i64 i;

  [[gnu::always_inline]] Floats in(int k) const { return get(args.in[k] + i * args.step); }
  [[gnu::always_inline]] Floats out(int k) const { return get(args.out[k] + i * args.step); }
  [[gnu::always_inline]] Floats put(int k, Floats x) const {
    k::store(args.out[k] + i * args.step, x.v, args.columns);
    return x;
  }

 private:
  [[gnu::always_inline]] Floats get(const f32* p) const { return k::load(p, args.columns); }
};

// Adjacent rows, one per lane; sums are in the order of reductions over a dimension other than the
// last one.
class Columns {
 public:
  explicit Columns(const RowArgs& args) : args_(args) {}

  template <class F>
  [[gnu::always_inline]] void each(F f) const {
    for (i64 i = 0; i < args_.n; ++i) [[clang::always_inline]]
      f(Across{args_, i});
  }
  template <class F>
  [[gnu::always_inline]] Floats maximum(F f) const {
    k::Vec<f32> most = k::splat(-__builtin_inff());
    each([&](Across at) __attribute__((always_inline)) { most = k::maximum(most, f(at).v); });
    return most;
  }
  template <class F>
  [[gnu::always_inline]] Floats sum(F f) const {
    const auto merge = [](k::Vec<f32> a, k::Vec<f32> b)
                           __attribute__((always_inline)) { return a + b; };
    f32 parts[16 * ops::reduction_levels];
    i64 i = 0, blocks = 0;
    for (; i < args_.n; ++blocks) {
      k::Vec<f32> block{}, more;
      const i64 end = args_.n - i < ops::reduction_steps ? args_.n : i + ops::reduction_steps;
      for (; i < end; ++i) {
        [[clang::always_inline]] more = f(Across{args_, i}).v;
        block = block + more;
      }
      k::tree_add(parts, 16, blocks, block, merge);
    }
    return k::tree_total(parts, 16, blocks, k::splat(0.0F), merge);
  }

 private:
  RowArgs args_;  // a copy: no store can change it
};

template <class Program>
void make_columns(const RowArgs& args) {
  Program::make(*static_cast<const typename Program::Op::Attrs*>(args.attrs), Columns(args));
}

template <class Program>
void make(const RowArgs& args) {
  Program::make(*static_cast<const typename Program::Op::Attrs*>(args.attrs), Row(args));
}

struct Fill {
  KernelTable& table;
  int place = 0;
  template <class Program>
  void operator()() {
    if constexpr (ops::has_one_operand<Program>) table.columns[place] = &make_columns<Program>;
    table.row[place++] = &make<Program>;
  }
};

}  // namespace

void fill_rows(KernelTable& table) {
  ops::RowPrograms::each(Fill{table});
}

}  // namespace vitro::eager::inline VITRO_ISA
