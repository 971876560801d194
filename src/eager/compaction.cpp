// Compactions: the elements that a mask selects, or their indices.  Threads count the selected
// elements in each part of the mask; prefix sums give each part's position in the result.
#include <algorithm>
#include <vector>

#include "eager/copy.h"
#include "eager/run.h"
#include "eager/stage.h"
#include "vitro/base/error.h"
#include "vitro/core/reach.h"
#include "vitro/ops/shapes.h"
#include "vitro/runtime/copy.h"
#include "vitro/runtime/parallel.h"

namespace vitro::eager {
namespace {

constexpr int64_t part = 4096;  // elements of a mask

// A contiguous mask as words.  Nonzero words are true; the sign bit of a floating-point 0 is
// ignored.
template <class Word>
struct Mask {
  const Word* words;
  Word counts;  // the significant bits of a word
  int64_t size;

  int64_t begin(int64_t number) const { return number * part; }
  int64_t end(int64_t number) const { return std::min(begin(number) + part, size); }
  bool holds(int64_t i) const { return (words[i] & counts) != 0; }

  int64_t count(int64_t number) const {
    int64_t out = 0;
    for (int64_t i = begin(number); i < end(number); ++i) out += holds(i);
    return out;
  }
  // Writes the positions of the true elements, relative to the start of the part, and returns their
  // number.  `out` needs room for one more than that.
  int64_t list(int64_t number, uint16_t* out) const {
    const int64_t first = begin(number), n = end(number) - first;
    int64_t count = 0;
    for (int64_t i = 0; i < n; ++i) {
      out[count] = static_cast<uint16_t>(i);
      count += holds(first + i);
    }
    return count;
  }
};

// Returns the position in the result of each part's first element, then the total count.
template <class Word>
std::vector<int64_t> places_of(const Mask<Word>& mask) {
  const int64_t parts = (mask.size + part - 1) / part;
  std::vector<int64_t> places(static_cast<size_t>(parts) + 1, 0);
  parallel_for(parts, grain_for({.bytes = part * sizeof(Word)}), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) places[static_cast<size_t>(p) + 1] = mask.count(p);
  });
  for (size_t p = 1; p < places.size(); ++p) places[p] += places[p - 1];
  return places;
}

// Calls f(place, first, which, count) for each part with true elements: its position in the result,
// its first element, the positions in it of the true elements, and their number.  `bytes` is the
// memory traffic per element.
template <class Word, class F>
void each_part(const Mask<Word>& mask, const std::vector<int64_t>& places, double bytes, F f) {
  parallel_for(static_cast<int64_t>(places.size()) - 1, grain_for({.bytes = part * bytes}),
               [&](int64_t begin, int64_t end) {
                 uint16_t which[part + 1];
                 for (int64_t p = begin; p < end; ++p) {
                   const int64_t count = mask.list(p, which);
                   if (count > 0) f(places[static_cast<size_t>(p)], mask.begin(p), which, count);
                 }
               });
}

// The multi-dimensional index of an element, moved forward step by step.
class Index {
 public:
  Index(std::span<const int64_t> sizes, int64_t element)
      : sizes_(sizes), index_(sizes.size(), 0), inner_(sizes.size() - 1) {
    index_[inner_] = element;
    for (size_t d = inner_; d > 0; --d) {
      index_[d - 1] = index_[d] / sizes_[d];
      index_[d] %= sizes_[d];
    }
  }
  void forward(int64_t elements) {
    index_[inner_] += elements;
    while (index_[inner_] >= sizes_[inner_]) {
      index_[inner_] -= sizes_[inner_];
      for (size_t d = inner_; d-- > 0;) {
        if (++index_[d] < sizes_[d]) break;
        index_[d] = 0;
      }
    }
  }
  // Writes the index for each dimension, `apart` words from each other.
  void write(int64_t* to, int64_t apart) const {
    for (const int64_t number : index_) {
      *to = number;
      to += apart;
    }
  }

 private:
  std::span<const int64_t> sizes_;
  Ints index_;
  size_t inner_;
};

template <class Word>
Tensor indices(const Mask<Word>& mask, std::span<const int64_t> sizes) {
  const std::vector<int64_t> places = places_of(mask);
  const auto rank = static_cast<int64_t>(sizes.size());
  const int64_t count = places.back(), as_given[] = {count, rank}, strides[] = {1, count};
  Tensor out = Tensor::empty_strided(as_given, strides, DType::i64);
  auto* to = static_cast<int64_t*>(out.impl()->storage.data());
  if (rank == 0) return out;
  each_part(mask, places, sizeof(Word) + 8.0 * static_cast<double>(rank),
            [&](int64_t place, int64_t first, const uint16_t* which, int64_t n) {
              int64_t* at = to + place;
              if (rank == 1) {
                for (int64_t i = 0; i < n; ++i) at[i] = first + which[i];
                return;
              }
              Index index(sizes, first);
              for (int64_t i = 0; i < n; ++i) {
                index.forward(which[i] - (i == 0 ? 0 : which[i - 1]));
                index.write(at + i, count);
              }
            });
  return out;
}

template <class Word>
Tensor elements(const Mask<Word>& mask, const Tensor& x) {
  const std::vector<int64_t> places = places_of(mask);
  const Tensor out = Tensor::empty({places.back()}, x.dtype());
  const int64_t bytes = bytes_of(x.dtype());
  with_word(bytes, [&]<class Element>() {
    const auto* from = static_cast<const Element*>(x.const_data());
    auto* to = static_cast<Element*>(out.impl()->storage.data());
    each_part(mask, places, static_cast<double>(sizeof(Word)) + 2.0 * static_cast<double>(bytes),
              [&](int64_t place, int64_t first, const uint16_t* which, int64_t count) {
                for (int64_t i = 0; i < count; ++i) to[place + i] = from[first + which[i]];
              });
  });
  return out;
}

// Returns `t` broadcast to `sizes`, contiguous.
Tensor spread(const Tensor& t, std::span<const int64_t> sizes) {
  if (std::ranges::equal(t.impl()->sizes, sizes)) return dense_copy(t);
  Tensor out = Tensor::empty(sizes, t.dtype());
  copy_elements(t, out);
  return out;
}

template <class Word>
Mask<Word> mask_over(const Tensor& t) {
  constexpr int sign = sizeof(Word) * 8 - 1;
  const Word all = static_cast<Word>(~Word{0});
  const Word counts = is_floating(t.dtype()) ? static_cast<Word>(all & ~(Word{1} << sign)) : all;
  return {static_cast<const Word*>(t.const_data()), counts, count_of(t.impl()->sizes)};
}

}  // namespace

// For other devices, runs on the host on copies of the operands.
Tensor run_compaction(const OpCall& call) {
  const CompactionInfo& info = *call.op->compaction;
  const Device device = call.operands[0].tensor().device();
  const Tensor given = to(call.operands[static_cast<size_t>(info.mask)].tensor(), cpu);
  const Tensor first = to(call.operands[0].tensor(), cpu);
  const Ints sizes = plain(ops::broadcast(call.op->name, first.sizes(), given.sizes()));
  const Tensor mask = spread(given, sizes);
  const Tensor x = info.places ? mask : spread(first, sizes);
  Tensor out;
  with_word(bytes_of(mask.dtype()), [&]<class Word>() {
    const Mask<Word> words = mask_over<Word>(mask);
    out = info.places ? indices(words, sizes) : elements(words, x);
  });
  return to(out, device);
}

}  // namespace vitro::eager
