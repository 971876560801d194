#include "backend/jit/keyed_hash.h"

#include <bit>
#include <cstring>

namespace vitro::jit {
namespace {

struct State {
  uint64_t a, b, c, d;

  void round() {
    a += b;
    b = std::rotl(b, 13) ^ a;
    a = std::rotl(a, 32);
    c += d;
    d = std::rotl(d, 16) ^ c;
    a += d;
    d = std::rotl(d, 21) ^ a;
    c += b;
    b = std::rotl(b, 17) ^ c;
    c = std::rotl(c, 32);
  }
  void add(uint64_t word) {
    d ^= word;
    round();
    round();
    a ^= word;
  }
  uint64_t finish() {
    for (int i = 0; i < 4; ++i) round();
    return a ^ b ^ c ^ d;
  }
};

}  // namespace

KeyedHash keyed_hash(std::string_view bytes, const Secret& secret) {
  State s{secret[0] ^ 0x736f6d6570736575, secret[1] ^ 0x646f72616e646f6d ^ 0xee,
          secret[0] ^ 0x6c7967656e657261, secret[1] ^ 0x7465646279746573};
  uint64_t last = uint64_t{bytes.size()} << 56, word = 0;
  for (; bytes.size() >= sizeof word; bytes.remove_prefix(sizeof word)) {
    std::memcpy(&word, bytes.data(), sizeof word);
    s.add(word);
  }
  word = 0;
  if (!bytes.empty()) std::memcpy(&word, bytes.data(), bytes.size());
  s.add(last | word);
  s.c ^= 0xee;
  const uint64_t first = s.finish();
  s.b ^= 0xdd;
  return {first, s.finish()};
}

}  // namespace vitro::jit
