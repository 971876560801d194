#include "analyze/read/scan.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace vitro::analyze {
namespace {

constexpr size_t width = 64, blocks_at_once = 64;

// '[' and '{' differ in this bit, ']' and '}' too.
constexpr char brace_or_bracket = 0x20;

// Bit n: the parity of the bits 0 to n.
uint64_t prefix_parity(uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

// The bytes that a backslash before them escapes.
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

void Scan::masks_of_any(const char* bytes, size_t blocks, Masks* out) {
  for (size_t b = 0; b < blocks; ++b, bytes += width) {
    Masks masks{};
    for (size_t i = 0; i < width; ++i) {
      const uint64_t bit = uint64_t{1} << i;
      const char byte = bytes[i];
      if (byte == '"') masks.quotes |= bit;
      if (byte == '\\') masks.backslashes |= bit;
      if ((byte | brace_or_bracket) == '{') masks.opens |= bit;
      if ((byte | brace_or_bracket) == '}') masks.closes |= bit;
    }
    out[b] = masks;
  }
}

#if defined(__x86_64__)
namespace {

__attribute__((target("avx2"))) inline uint64_t equal_bits(__m256i low, __m256i high, char wanted) {
  const __m256i all = _mm256_set1_epi8(wanted);
  const auto of = [&](__m256i bytes) __attribute__((target("avx2"))) {
    return static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, all)));
  };
  return of(low) | static_cast<uint64_t>(of(high)) << 32;
}

}  // namespace

__attribute__((target("avx2"))) void Scan::masks_of_avx2(const char* bytes, size_t blocks,
                                                         Masks* out) {
  const __m256i fold = _mm256_set1_epi8(brace_or_bracket);
  for (size_t b = 0; b < blocks; ++b, bytes += width) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + width / 2));
    const __m256i low_folded = _mm256_or_si256(low, fold);
    const __m256i high_folded = _mm256_or_si256(high, fold);
    out[b] = {equal_bits(low, high, '"'), equal_bits(low, high, '\\'),
              equal_bits(low_folded, high_folded, '{'), equal_bits(low_folded, high_folded, '}')};
  }
}
#endif

Scan::MasksOf Scan::best_masks() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return masks_of_avx2;
#endif
  return masks_of_any;
}

size_t Scan::block(const Masks& masks, size_t at, size_t* last_end) {
  uint64_t quotes = masks.quotes;
  if (masks.backslashes != 0 || escapes_) quotes &= ~escaped_bytes(masks.backslashes, &escapes_);
  const uint64_t text = prefix_parity(quotes) ^ in_text_;
  in_text_ = static_cast<uint64_t>(static_cast<int64_t>(text) >> 63);
  const uint64_t opens = masks.opens & ~text;
  for (uint64_t marks = (masks.opens | masks.closes) & ~text; marks != 0; marks &= marks - 1) {
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

size_t Scan::through(std::string_view text, size_t* last_end) {
  static const MasksOf masks_of = best_masks();
  Masks masks[blocks_at_once];
  size_t at = 0;
  while (at + width <= text.size()) {
    const size_t blocks = std::min((text.size() - at) / width, blocks_at_once);
    masks_of(text.data() + at, blocks, masks);
    for (size_t b = 0; b < blocks; ++b, at += width) {
      const size_t looked = block(masks[b], at, last_end);
      if (left_) return at + looked;
    }
  }
  const size_t rest = text.size() - at;
  if (rest == 0) return at;
  char padded[width];
  std::memset(padded, ' ', width);
  std::memcpy(padded, text.data() + at, rest);
  const bool escapes_at_end = padded[rest - 1] == '\\';  // settled below
  masks_of(padded, 1, masks);
  const bool escaped_before = escapes_;
  const size_t looked = block(masks[0], at, last_end);
  if (left_) return at + looked;
  // What was added behind the text neither escapes nor is escaped.
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
