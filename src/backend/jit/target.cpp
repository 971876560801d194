#include "backend/jit/target.h"

#include <string_view>

#include "kernels/machine.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace vitro::jit {
namespace {

#if defined(__x86_64__)

enum Register { eax, ebx, ecx, edx };

// What the system must save and restore for a feature to be usable.
enum State { general, avx, avx512, amx };

struct Feature {
  const char* name;
  uint32_t leaf, subleaf;
  Register where;
  int bit;
  State state;
};

constexpr Feature features[] = {
    {"adx", 7, 0, ebx, 19, general},
    {"amx-bf16", 7, 0, edx, 22, amx},
    {"amx-int8", 7, 0, edx, 25, amx},
    {"amx-tile", 7, 0, edx, 24, amx},
    {"avx", 1, 0, ecx, 28, avx},
    {"avx2", 7, 0, ebx, 5, avx},
    {"avx512bf16", 7, 1, eax, 5, avx512},
    {"avx512bitalg", 7, 0, ecx, 12, avx512},
    {"avx512bw", 7, 0, ebx, 30, avx512},
    {"avx512cd", 7, 0, ebx, 28, avx512},
    {"avx512dq", 7, 0, ebx, 17, avx512},
    {"avx512f", 7, 0, ebx, 16, avx512},
    {"avx512fp16", 7, 0, edx, 23, avx512},
    {"avx512ifma", 7, 0, ebx, 21, avx512},
    {"avx512vbmi", 7, 0, ecx, 1, avx512},
    {"avx512vbmi2", 7, 0, ecx, 6, avx512},
    {"avx512vl", 7, 0, ebx, 31, avx512},
    {"avx512vnni", 7, 0, ecx, 11, avx512},
    {"avx512vpopcntdq", 7, 0, ecx, 14, avx512},
    {"avxvnni", 7, 1, eax, 4, avx},
    {"bmi", 7, 0, ebx, 3, general},
    {"bmi2", 7, 0, ebx, 8, general},
    {"cx16", 1, 0, ecx, 13, general},
    {"f16c", 1, 0, ecx, 29, avx},
    {"fma", 1, 0, ecx, 12, avx},
    {"gfni", 7, 0, ecx, 8, general},
    {"lzcnt", 0x80000001, 0, ecx, 5, general},
    {"movbe", 1, 0, ecx, 22, general},
    {"popcnt", 1, 0, ecx, 23, general},
    {"sse3", 1, 0, ecx, 0, general},
    {"sse4.1", 1, 0, ecx, 19, general},
    {"sse4.2", 1, 0, ecx, 20, general},
    {"ssse3", 1, 0, ecx, 9, general},
};

uint64_t saved_state() {
  uint32_t r[4];
  if (!__get_cpuid(1, &r[eax], &r[ebx], &r[ecx], &r[edx]) || !(r[ecx] >> 27 & 1)) return 0;
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

bool usable(const Feature& f, uint64_t saved, kernels::Isa isa) {
  constexpr uint64_t need[] = {0, 0x6, 0xe6, 0x60006};
  if ((saved & need[f.state]) != need[f.state]) return false;
  if (isa == kernels::Isa::baseline && f.state != general) return false;
  if (isa == kernels::Isa::avx2 && f.state > avx) return false;
  uint32_t r[4] = {};
  return __get_cpuid_count(f.leaf, f.subleaf, &r[eax], &r[ebx], &r[ecx], &r[edx]) &&
         (r[f.where] >> f.bit & 1);
}

Target ask() {
  Target target{"x86_64-unknown-linux-gnu", "", 0};
  kernels::Isa isa = kernels::machine_isa();
  uint64_t saved = saved_state();
  for (const Feature& f : features) {
    if (!usable(f, saved, isa)) continue;
    if (!target.features.empty()) target.features += ',';
    target.features += '+';
    target.features += f.name;
  }
  if (isa == kernels::Isa::avx512) target.vector_bits = 512;
  return target;
}

#elif defined(__aarch64__)

Target ask() {
  return {"aarch64-unknown-linux-gnu", "+neon", 0};
}

#else
#error "vitro generates code for x86-64 and AArch64"
#endif

}  // namespace

const Target& host_target() {
  static const Target target = ask();
  return target;
}

}  // namespace vitro::jit
