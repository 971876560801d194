// Computes shares of the machine's peak, and measures or loads the figures (peaks_file.cpp).
#include "vitro/profiler/peaks.h"

#include <algorithm>
#include <memory>
#include <mutex>

#include "profiler/peaks_file.h"
#include "runtime/cpu/machine.h"
#include "runtime/cpu/measure.h"
#include "vitro/runtime/parallel.h"

namespace vitro {
namespace {

void add_level(Peaks& peaks, std::string name, size_t holds, size_t read_by_one,
               size_t read_by_each) {
  peaks.levels.push_back({std::move(name), holds, runtime::read_gbytes_per_s(read_by_one, 1),
                          runtime::read_gbytes_per_s(read_by_each, peaks.threads)});
}

void measure_levels(Peaks& peaks) {
  const runtime::Machine& m = runtime::machine();
  const auto threads = static_cast<size_t>(peaks.threads);
  if (m.l1d_bytes) add_level(peaks, "L1", m.l1d_bytes * threads, m.l1d_bytes / 2, m.l1d_bytes / 2);
  if (m.l2_bytes) add_level(peaks, "L2", m.l2_bytes * threads, m.l2_bytes / 2, m.l2_bytes / 2);
  if (m.l3_bytes > m.l2_bytes) {
    const size_t more_than_l2 = std::max(m.l3_bytes / 2 / threads, 2 * m.l2_bytes);
    add_level(peaks, "L3", m.l3_bytes, m.l3_bytes / 2, more_than_l2);
  }
  const size_t far = std::clamp<size_t>(m.l3_bytes * 4, size_t{128} << 20, size_t{1} << 30);
  add_level(peaks, "memory", m.memory_bytes, far, far / threads);
}

void measure_rates(Peaks& peaks) {
  for (const runtime::Arithmetic& how : runtime::arithmetic()) {
    Peaks::Rate measured{std::string(how.dtype), std::string(how.feature), runtime::gops(how, 1),
                         runtime::gops(how, peaks.threads)};
    const auto known = std::ranges::find(peaks.rates, measured.dtype, &Peaks::Rate::dtype);
    if (known == peaks.rates.end()) {
      peaks.rates.push_back(std::move(measured));
    } else if (known->all < measured.all) {
      *known = std::move(measured);
    }
  }
}

// The figures for a number of threads; read at most once for each.
struct Known {
  std::mutex lock;
  int threads = 0;
  std::optional<Peaks> peaks;
};
Known& known() {
  static Known& one = *std::make_unique<Known>().release();
  return one;
}

}  // namespace

const Peaks::Rate* Peaks::rate(std::string_view dtype) const {
  const auto found = std::ranges::find(rates, dtype, &Rate::dtype);
  return found == rates.end() ? nullptr : &*found;
}

const Peaks::Level& Peaks::level_for(uint64_t bytes) const {
  const auto holds = [&](const Level& level) { return bytes <= level.bytes; };
  const auto found = std::ranges::find_if(levels, holds);
  return found == levels.end() ? levels.back() : *found;
}

double Peaks::least_ns(uint64_t bytes, uint64_t flops) const {
  const double moving = static_cast<double>(bytes) / level_for(bytes).all;
  const Rate* f32 = rate("f32");
  const double computing = f32 ? static_cast<double>(flops) / f32->all : 0;
  return std::max(moving, computing);
}

double Peaks::share(uint64_t bytes, uint64_t flops, double ns) const {
  return ns > 0 ? least_ns(bytes, flops) / ns : 0;
}

std::optional<Peaks> known_peaks() {
  Known& k = known();
  std::lock_guard hold(k.lock);
  if (k.threads == num_threads()) return k.peaks;
  k.threads = num_threads();
  k.peaks = read_peaks(peaks_file(k.threads), k.threads);
  return k.peaks;
}

Peaks measure_peaks() {
  Peaks peaks;
  peaks.processor = runtime::processor_name();
  peaks.threads = num_threads();
  measure_levels(peaks);
  measure_rates(peaks);
  write_peaks(peaks_file(peaks.threads), peaks);
  Known& k = known();
  std::lock_guard hold(k.lock);
  k.threads = peaks.threads;
  k.peaks = peaks;
  return peaks;
}

}  // namespace vitro
