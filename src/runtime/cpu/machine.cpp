// Reads the properties of the machine from the system: threads, caches, memory and the processor's
// name; also decides by them when to write past the caches.
#include "runtime/cpu/machine.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <fstream>

#include "runtime/cpu/features.h"
#include "runtime/options.h"
#include "vitro/base/cat.h"

namespace vitro::runtime {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Parses "32K", "1024K", "32M"; returns 0 if `text` is not a size.
size_t size_of(const std::string& text) {
  size_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc{}) return 0;
  const char unit = end.ptr == text.data() + text.size() ? ' ' : *end.ptr;
  return number << (unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0);
}

void read_caches(Machine& m) {
  for (int i = 0; i < 8; ++i) {
    const std::string folder = cat("/sys/devices/system/cpu/cpu0/cache/index", i, "/");
    const std::string level = first_line(folder + "level");
    if (level.empty()) break;
    if (first_line(folder + "type") == "Instruction") continue;
    const size_t bytes = size_of(first_line(folder + "size"));
    (level == "1" ? m.l1d_bytes : level == "2" ? m.l2_bytes : m.l3_bytes) = bytes;
  }
}

int allowed_by_affinity() {
  // The mask may be wider than cpu_set_t on large machines.
  for (int cpus = 1024; cpus <= 1 << 16; cpus *= 2) {
    cpu_set_t* set = CPU_ALLOC(cpus);
    const size_t bytes = CPU_ALLOC_SIZE(cpus);
    const bool fits = sched_getaffinity(0, bytes, set) == 0;
    const int count = fits ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (fits) return std::max(count, 1);
  }
  return 1;
}

// A container's CPU quota, rounded up to whole threads; "max" means no limit.
int allowed_by_quota() {
  const std::string line = first_line("/sys/fs/cgroup/cpu.max");
  long long quota = 0, period = 0;
  if (std::sscanf(line.c_str(), "%lld %lld", &quota, &period) != 2 || period <= 0) return 1 << 20;
  return static_cast<int>(std::max<long long>((quota + period - 1) / period, 1));
}

// A container's limit of memory; "max" means none.
size_t memory_of_container() {
  unsigned long long bytes = 0;
  const std::string line = first_line("/sys/fs/cgroup/memory.max");
  return std::sscanf(line.c_str(), "%llu", &bytes) == 1 ? bytes : SIZE_MAX;
}

size_t address_space() {
  rlimit limit{};
  const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return limited ? limit.rlim_cur : SIZE_MAX;
}

Machine ask() {
  Machine m;
  utsname system{};
  if (uname(&system) == 0) m.architecture = system.machine;
  m.hardware_threads = static_cast<int>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
  m.available_threads = std::min(allowed_by_affinity(), allowed_by_quota());
  m.memory_bytes =
      static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  m.available_memory_bytes = std::min({m.memory_bytes, memory_of_container(), address_space()});
  read_caches(m);
  m.features = usable_features();
  return m;
}

// Returns the value of the first line with this key in /proc/cpuinfo.
std::string cpuinfo(std::string_view key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (colon == std::string::npos || !line.starts_with(key)) continue;
    const size_t after = line.find_first_not_of(" \t", key.size());
    if (after == line.find(':')) return line.substr(colon + 2);
  }
  return "";
}

}  // namespace

std::string processor_name() {
  if (const std::string part = cpuinfo("CPU part"); !part.empty())
    return cat("ARM implementer ", cpuinfo("CPU implementer"), " part ", part);
  const std::string name = cpuinfo("model name");
  if (name.empty()) return machine().architecture;
  return cat(name, " (family ", cpuinfo("cpu family"), ", model ", cpuinfo("model"), ", stepping ",
             cpuinfo("stepping"), ")");
}

bool Machine::has(std::string_view feature) const {
  return std::any_of(features.begin(), features.end(),
                     [&](const CpuFeature& f) { return f.name == feature; });
}

const Machine& machine() {
  static const auto* one = new Machine(ask());
  return *one;
}

bool should_stream(int64_t written, int64_t moved) {
  constexpr int64_t unknown = 32 << 20;
  const auto known = static_cast<int64_t>(machine().l3_bytes);
  const int64_t cache = known > 0 ? known : unknown, wish = stream_mb.get();
  const int64_t least = wish >= 0 ? std::min(wish, int64_t{1} << 40) << 20 : cache + cache / 2;
  return moved >= least && written >= least / 6 && written <= moved / 2;
}

}  // namespace vitro::runtime
