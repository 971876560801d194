#include "vitro/base/hash.h"

namespace vitro {
namespace {

uint64_t rotate(uint64_t x, int by) {
  return (x << by) | (x >> (64 - by));
}

// The finalizer of MurmurHash3: every input bit affects every output bit.
uint64_t avalanche(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccd;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53;
  return x ^ (x >> 33);
}

}  // namespace

void Hasher::mix(uint64_t word) {
  a_ = rotate(a_ ^ (word * 0x87c37b91114253d5), 31) * 5 + 0x52dce729;
  b_ = (rotate(b_, 27) + a_) * 0x9fb21c651e98df25 ^ word;
  ++count_;
}

void Hasher::add(std::string_view text) {
  mix(text.size());
  while (!text.empty()) {
    uint64_t word = 0;
    const size_t n = text.size() < 8 ? text.size() : 8;
    std::memcpy(&word, text.data(), n);
    mix(word);
    text.remove_prefix(n);
  }
}

Hash Hasher::finish() const {
  const uint64_t x = avalanche(a_ ^ count_), y = avalanche(b_ + rotate(x, 32));
  return {x + y, avalanche(y ^ rotate(a_, 17))};
}

Hash hash_of(std::string_view text) {
  Hasher h;
  h.add(text);
  return h.finish();
}

std::string Hash::hex() const {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out(32, '0');
  for (int i = 0; i < 16; ++i) {
    out[static_cast<size_t>(15 - i)] = digits[(high >> (4 * i)) & 15];
    out[static_cast<size_t>(31 - i)] = digits[(low >> (4 * i)) & 15];
  }
  return out;
}

}  // namespace vitro
