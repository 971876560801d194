#include "vitro/core/generator.h"

#include <mutex>

namespace vitro {
namespace {

struct Process {
  std::mutex lock;
  RandomState state{0, 0};
};

Process& process() {
  static auto* one = new Process;
  return *one;
}

}  // namespace

std::array<uint32_t, 4> philox(uint64_t seed, uint64_t stream, uint64_t counter) {
  uint32_t c[4] = {static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32),
                   static_cast<uint32_t>(stream), static_cast<uint32_t>(stream >> 32)};
  uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53} * c[0], p1 = uint64_t{0xCD9E8D57} * c[2];
    const auto h0 = static_cast<uint32_t>(p0 >> 32), h1 = static_cast<uint32_t>(p1 >> 32);
    const uint32_t next[4] = {h1 ^ c[1] ^ k0, static_cast<uint32_t>(p1), h0 ^ c[3] ^ k1,
                              static_cast<uint32_t>(p0)};
    for (int i = 0; i < 4; ++i) c[i] = next[i];
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return {c[0], c[1], c[2], c[3]};
}

void manual_seed(uint64_t seed) {
  Process& p = process();
  std::lock_guard hold(p.lock);
  p.state = {seed, 0};
}

RandomState take_random(uint64_t draws) {
  Process& p = process();
  std::lock_guard hold(p.lock);
  const RandomState now = p.state;
  p.state.counter += draws;
  return now;
}

}  // namespace vitro
