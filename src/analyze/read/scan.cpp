// Finds the ends of JSON values 64 bytes at a time with bit masks, for each instruction set;
// windows.cpp uses it to cut a file.
#include "analyze/read/scan.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace vitro::analyze {
namespace {

constexpr size_t width = 64;

// '[' and '{' differ only in this bit, as do ']' and '}'.
constexpr char brace_or_bracket = 0x20;

// Bit n: the parity of the bits 0 to n.
uint64_t prefix_parity(uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

// The bytes escaped by a preceding backslash.
uint64_t escaped_bytes(uint64_t backslashes, bool* escapes) {
  uint64_t out = 0;
  for (int i = 0; i < 64; ++i) {
    if (*escapes) {
      out |= uint64_t{1} << i;
      *escapes = false;
    } else {
      *escapes = (backslashes >> i & 1) != 0;
    }
  }
  return out;
}

}  // namespace

Scan::Masks Scan::masks_of_any(const char* bytes) {
  Masks masks{};
  for (size_t i = 0; i < width; ++i) {
    const uint64_t bit = uint64_t{1} << i;
    const char byte = bytes[i];
    if (byte == '"') masks.quotes |= bit;
    if (byte == '\\') masks.backslashes |= bit;
    if ((byte | brace_or_bracket) == '{') masks.opens |= bit;
    if ((byte | brace_or_bracket) == '}') masks.closes |= bit;
  }
  masks.parity = prefix_parity(masks.quotes);
  return masks;
}

// Inlined into each function that selects an instruction set.
[[gnu::always_inline]] inline size_t Scan::block(const Masks& masks, size_t at, size_t* last_end) {
  uint64_t text = masks.parity;
  if (masks.backslashes != 0 || escapes_) [[unlikely]]
    text = prefix_parity(masks.quotes & ~escaped_bytes(masks.backslashes, &escapes_));
  text ^= in_text_;
  in_text_ = static_cast<uint64_t>(static_cast<int64_t>(text) >> 63);
  const uint64_t opens = masks.opens & ~text, closes = masks.closes & ~text;
  const int closing = std::popcount(closes);
  if (closing < depth_) {  // no value of the list ends here
    depth_ += std::popcount(opens) - closing;
    return width;
  }
  for (uint64_t marks = opens | closes; marks != 0; marks &= marks - 1) {
    const uint64_t mark = marks & -marks;
    if (opens & mark) {
      ++depth_;
      continue;
    }
    --depth_;
    if (depth_ > 0) continue;
    const size_t place = static_cast<size_t>(std::countr_zero(mark)) + 1;
    if (depth_ < 0) {
      left_ = true;
      return place;
    }
    *last_end = at + place;
  }
  return width;
}

template <Scan::Masks (*masks_of)(const char*)>
[[gnu::always_inline]] inline size_t Scan::look(const char* bytes, size_t size, size_t* last_end) {
  size_t at = 0;
  for (; at + width <= size; at += width) {
    const size_t looked = block(masks_of(bytes + at), at, last_end);
    if (left_) return at + looked;
  }
  return at;
}

size_t Scan::look_any(const char* bytes, size_t size, size_t* last_end) {
  return look<masks_of_any>(bytes, size, last_end);
}

#if defined(__x86_64__)
#define VITRO_AVX2 __attribute__((target("avx2,pclmul,popcnt,bmi")))
#define VITRO_AVX512 __attribute__((target("avx512f,avx512bw,pclmul,popcnt,bmi")))
namespace {

// A carry-less product with all ones.
__attribute__((target("pclmul"))) inline uint64_t fast_parity(uint64_t bits) {
  const __m128i product =
      _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<long long>(bits)), _mm_set1_epi8(-1), 0);
  return static_cast<uint64_t>(_mm_cvtsi128_si64(product));
}

VITRO_AVX2 inline uint64_t equal_bits(__m256i low, __m256i high, char wanted) {
  const __m256i all = _mm256_set1_epi8(wanted);
  const auto first = static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, all)));
  const auto second = static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, all)));
  return first | static_cast<uint64_t>(second) << 32;
}

}  // namespace

VITRO_AVX2 inline Scan::Masks Scan::masks_of_avx2(const char* bytes) {
  const __m256i fold = _mm256_set1_epi8(brace_or_bracket);
  const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
  const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + width / 2));
  const __m256i low_folded = _mm256_or_si256(low, fold);
  const __m256i high_folded = _mm256_or_si256(high, fold);
  const uint64_t quotes = equal_bits(low, high, '"');
  return {quotes, equal_bits(low, high, '\\'), equal_bits(low_folded, high_folded, '{'),
          equal_bits(low_folded, high_folded, '}'), fast_parity(quotes)};
}

VITRO_AVX512 inline Scan::Masks Scan::masks_of_avx512(const char* bytes) {
  const __m512i all = _mm512_loadu_si512(bytes);
  const __m512i folded = _mm512_or_si512(all, _mm512_set1_epi8(brace_or_bracket));
  const uint64_t quotes = _mm512_cmpeq_epi8_mask(all, _mm512_set1_epi8('"'));
  return {quotes, _mm512_cmpeq_epi8_mask(all, _mm512_set1_epi8('\\')),
          _mm512_cmpeq_epi8_mask(folded, _mm512_set1_epi8('{')),
          _mm512_cmpeq_epi8_mask(folded, _mm512_set1_epi8('}')), fast_parity(quotes)};
}

VITRO_AVX2 size_t Scan::look_avx2(const char* bytes, size_t size, size_t* last_end) {
  return look<masks_of_avx2>(bytes, size, last_end);
}

VITRO_AVX512 size_t Scan::look_avx512(const char* bytes, size_t size, size_t* last_end) {
  return look<masks_of_avx512>(bytes, size, last_end);
}
#undef VITRO_AVX2
#undef VITRO_AVX512
#endif

Scan::Look Scan::best_look() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("pclmul") && __builtin_cpu_supports("bmi")) {
    if (__builtin_cpu_supports("avx512bw")) return &Scan::look_avx512;
    if (__builtin_cpu_supports("avx2")) return &Scan::look_avx2;
  }
#endif
  return &Scan::look_any;
}

size_t Scan::through(std::string_view text, size_t* last_end) {
  static const Look look_through = best_look();
  const size_t at = (this->*look_through)(text.data(), text.size(), last_end);
  if (left_) return at;
  const size_t rest = text.size() - at;
  if (rest == 0) return at;
  char padded[width];
  std::memset(padded, ' ', width);
  std::memcpy(padded, text.data() + at, rest);
  const bool escapes_at_end = padded[rest - 1] == '\\', escaped_before = escapes_;
  size_t end = 0;
  const size_t looked = (this->*look_through)(padded, width, &end);
  if (end != 0) *last_end = at + end;
  if (left_) return at + looked;
  // Padding after the text neither escapes nor is escaped.
  if (escapes_at_end) {
    bool escapes = escaped_before;
    for (size_t i = 0; i < rest; ++i) escapes = !escapes && padded[i] == '\\';
    escapes_ = escapes;
  }
  return text.size();
}

size_t value_length(std::string_view text) {
  int64_t depth = 0;
  bool in_text = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (in_text) {
      if (text[i] == '\\') {
        ++i;
      } else if (text[i] == '"') {
        in_text = false;
      }
      continue;
    }
    const auto folded = static_cast<char>(text[i] | brace_or_bracket);
    if (text[i] == '"') in_text = true;
    if (folded == '{') ++depth;
    if (folded == '}' && --depth == 0) return i + 1;
  }
  return 0;
}

}  // namespace vitro::analyze
