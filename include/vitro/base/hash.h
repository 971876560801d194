// Stable hashing: the same input gives the same 128 bits on every machine, compiler and run.  Not
// secure against adversarial input.
//   Hasher h; h.add(name); h.add(uint64_t{3}); Hash key = h.finish();
#pragma once

#include <compare>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace vitro {

struct Hash {
  uint64_t high = 0, low = 0;
  auto operator<=>(const Hash&) const = default;
  std::string hex() const;  // 32 lower-case hexadecimal digits
};

class Hasher {
 public:
  void add(std::string_view
               text);  // length and bytes: add("ab"), add("c") differs from add("a"), add("bc")
  template <class T>
    requires std::is_integral_v<T> || std::is_enum_v<T>
  void add(T v) {
    mix(static_cast<uint64_t>(v));
  }
  void add(double v) {
    uint64_t bits;
    std::memcpy(&bits, &v, sizeof bits);
    mix(bits);
  }
  void add(const Hash& h) {
    mix(h.high);
    mix(h.low);
  }
  Hash finish() const;

 private:
  void mix(uint64_t word);
  uint64_t a_ = 0x9e3779b97f4a7c15, b_ = 0xc2b2ae3d27d4eb4f, count_ = 0;
};

Hash hash_of(std::string_view text);

}  // namespace vitro

template <>
struct std::hash<vitro::Hash> {
  size_t operator()(const vitro::Hash& h) const { return h.low; }
};
