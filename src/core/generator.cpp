// The generator of the process: the words of Philox, and PyTorch's numbers of the Mersenne Twister.
#include "vitro/core/generator.h"

#include <bit>
#include <cmath>
#include <mutex>
#include <numbers>
#include <sstream>

#include "vitro/base/error.h"
#include "vitro/core/generator_state.h"
#include "vitro/core/mt19937.h"

namespace vitro {
namespace {

struct Numbers {
  RandomState state{0, 0};
  std::optional<Mt19937> twister;  // if it was chosen
};

struct Process : Numbers {
  std::mutex lock;
};

Process& process() {
  static auto* one = new Process;
  return *one;
}

// Those that this thread replays, if any.
constinit thread_local Numbers* replayed = nullptr;

// Calls f with the numbers that this thread draws from.
auto with_numbers(auto f) {
  if (replayed) return f(*replayed);
  Process& p = process();
  std::lock_guard hold(p.lock);
  return f(static_cast<Numbers&>(p));
}

Numbers parsed(std::string_view state) {
  std::istringstream in{std::string(state)};
  std::string name, rest;
  Numbers out;
  in >> name >> out.state.seed >> out.state.counter;
  if (name == "mt19937") in >> out.twister.emplace(0);
  const bool is_whole = !in.fail() && !(in >> rest);
  VITRO_CHECK(is_whole && (name == "philox" || name == "mt19937"),
              "set_generator_state: got a text that generator_state() does not write");
  return out;
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

uint32_t random_word(uint64_t seed, uint64_t stream, uint64_t index) {
  return philox(seed, stream, index / 4)[index % 4];
}

void manual_seed(uint64_t seed, Generator generator) {
  with_numbers([&](Numbers& n) {
    n.state = {seed, 0};
    n.twister.reset();
    if (generator == Generator::mt19937) n.twister.emplace(seed);
  });
}

Generator current_generator() {
  return with_numbers(
      [](Numbers& n) { return n.twister ? Generator::mt19937 : Generator::philox; });
}

RandomState take_random(uint64_t draws) {
  return with_numbers([&](Numbers& n) {
    const RandomState now = n.state;
    n.state.counter += draws;
    return now;
  });
}

std::string generator_state() {
  return with_numbers([](Numbers& n) {
    std::ostringstream out;
    out << (n.twister ? "mt19937 " : "philox ") << n.state.seed << ' ' << n.state.counter;
    if (n.twister) out << ' ' << *n.twister;
    return out.str();
  });
}

void set_generator_state(std::string_view state) {
  with_numbers([given = parsed(state)](Numbers& n) { n = given; });
}

struct RandomReplay::State : Numbers {
  Numbers* before = nullptr;
};

RandomReplay::RandomReplay(std::string_view state) : state_(new State{parsed(state), replayed}) {
  replayed = state_.get();
}

RandomReplay::~RandomReplay() {
  replayed = state_->before;
}

std::ostream& operator<<(std::ostream& out, const Mt19937& generator) {
  const double second = generator.second_.value_or(0.0);
  return out << generator.words_ << ' ' << generator.second_.has_value() << ' '
             << std::bit_cast<uint64_t>(second);
}

std::istream& operator>>(std::istream& in, Mt19937& generator) {
  bool has_second = false;
  uint64_t second = 0;
  in >> generator.words_ >> has_second >> second;
  generator.second_ = has_second ? std::optional(std::bit_cast<double>(second)) : std::nullopt;
  return in;
}

double Mt19937::normal() {
  if (second_) {
    const double second = *second_;
    second_.reset();
    return second;
  }
  const double angle = 2 * std::numbers::pi * unit_f64();
  const double radius = std::sqrt(-2 * std::log1p(-unit_f64()));
  second_ = radius * std::sin(angle);
  return radius * std::cos(angle);
}

namespace {

template <class T>
void fill_with_normals(Mt19937& generator, std::span<T> out, T (Mt19937::*unit)(), bool is_half) {
  if (out.size() < 16) {
    for (T& x : out) x = static_cast<T>(generator.normal());
    return;
  }
  const auto transform = [](std::span<T> block) {
    for (size_t i = 0; i < 8; ++i) {
      const double radius = std::sqrt(-2 * std::log(1.0 - block[i]));
      const double angle = 2 * std::numbers::pi * block[i + 8];
      block[i] = static_cast<T>(radius * std::cos(angle));
      block[i + 8] = static_cast<T>(radius * std::sin(angle));
    }
  };
  const size_t rest = out.size() % 16;
  for (T& x : out.first(out.size() - (is_half ? rest : 0))) x = (generator.*unit)();
  for (size_t i = 0; i + 16 <= out.size(); i += 16) transform(out.subspan(i, 16));
  if (rest == 0) return;
  const std::span last = out.last(16);  // with new numbers
  for (T& x : last) x = (generator.*unit)();
  transform(last);
}

}  // namespace

void Mt19937::fill_normal(std::span<float> out, bool is_half) {
  fill_with_normals(*this, out, &Mt19937::unit_f32, is_half);
}
void Mt19937::fill_normal(std::span<double> out) {
  fill_with_normals(*this, out, &Mt19937::unit_f64, false);
}

void draw_from_mt19937(const std::function<void(Mt19937&)>& draw) {
  with_numbers([&](Numbers& n) {
    VITRO_CHECK(n.twister.has_value(),
                "random numbers: manual_seed chose another generator while numbers were drawn");
    draw(*n.twister);
  });
}

}  // namespace vitro
