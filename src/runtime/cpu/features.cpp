// Detects instruction set extensions: CPUID on x86-64, combined with the register state that the
// operating system saves (XCR0).
#include "runtime/cpu/features.h"

#include <array>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace vitro::runtime {

#if defined(__x86_64__)
namespace {

enum Register { eax, ebx, ecx, edx };

struct Bit {
  CpuFeature feature;
  uint32_t leaf, subleaf;
  Register where;
  int bit;
};

constexpr Registers general = Registers::general, avx = Registers::avx, avx512 = Registers::avx512,
                    amx = Registers::amx;

constexpr Bit bits[] = {
    {{"adx", general}, 7, 0, ebx, 19},
    {{"amx-bf16", amx}, 7, 0, edx, 22},
    {{"amx-int8", amx}, 7, 0, edx, 25},
    {{"amx-tile", amx}, 7, 0, edx, 24},
    {{"avx", avx}, 1, 0, ecx, 28},
    {{"avx2", avx}, 7, 0, ebx, 5},
    {{"avx512bf16", avx512}, 7, 1, eax, 5},
    {{"avx512bitalg", avx512}, 7, 0, ecx, 12},
    {{"avx512bw", avx512}, 7, 0, ebx, 30},
    {{"avx512cd", avx512}, 7, 0, ebx, 28},
    {{"avx512dq", avx512}, 7, 0, ebx, 17},
    {{"avx512f", avx512}, 7, 0, ebx, 16},
    {{"avx512fp16", avx512}, 7, 0, edx, 23},
    {{"avx512ifma", avx512}, 7, 0, ebx, 21},
    {{"avx512vbmi", avx512}, 7, 0, ecx, 1},
    {{"avx512vbmi2", avx512}, 7, 0, ecx, 6},
    {{"avx512vl", avx512}, 7, 0, ebx, 31},
    {{"avx512vnni", avx512}, 7, 0, ecx, 11},
    {{"avx512vpopcntdq", avx512}, 7, 0, ecx, 14},
    {{"avxvnni", avx}, 7, 1, eax, 4},
    {{"bmi", general}, 7, 0, ebx, 3},
    {{"bmi2", general}, 7, 0, ebx, 8},
    {{"cx16", general}, 1, 0, ecx, 13},
    {{"f16c", avx}, 1, 0, ecx, 29},
    {{"fma", avx}, 1, 0, ecx, 12},
    {{"gfni", general}, 7, 0, ecx, 8},
    {{"lzcnt", general}, 0x80000001, 0, ecx, 5},
    {{"movbe", general}, 1, 0, ecx, 22},
    {{"popcnt", general}, 1, 0, ecx, 23},
    {{"sse3", general}, 1, 0, ecx, 0},
    {{"sse4.1", general}, 1, 0, ecx, 19},
    {{"sse4.2", general}, 1, 0, ecx, 20},
    {{"ssse3", general}, 1, 0, ecx, 9},
};

// CPUID leaves, each queried once because a query takes microseconds in a virtual machine.
class Pages {
 public:
  bool has(const Bit& b) { return of(b.leaf, b.subleaf)[b.where] >> b.bit & 1; }

 private:
  struct Page {
    uint32_t leaf, subleaf;
    std::array<uint32_t, 4> registers;
  };
  const std::array<uint32_t, 4>& of(uint32_t leaf, uint32_t subleaf) {
    for (const Page& page : known_) {
      if (page.leaf == leaf && page.subleaf == subleaf) return page.registers;
    }
    Page page{leaf, subleaf, {}};
    auto& r = page.registers;
    if (!__get_cpuid_count(leaf, subleaf, &r[eax], &r[ebx], &r[ecx], &r[edx])) r = {};
    return known_.emplace_back(page).registers;
  }
  std::vector<Page> known_;
};

// XCR0: the register state that the system saves; 0 if it does not use XSAVE.
uint64_t saved_registers(Pages& pages) {
  constexpr Bit osxsave{{"", general}, 1, 0, ecx, 27};
  if (!pages.has(osxsave)) return 0;
  uint32_t low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

}  // namespace

std::vector<CpuFeature> usable_features() {
  constexpr uint64_t needed[] = {0, 0x6, 0xe6, 0x60006};  // indexed by Registers
  Pages pages;
  const uint64_t saved = saved_registers(pages);
  std::vector<CpuFeature> usable;
  for (const Bit& b : bits) {
    const uint64_t need = needed[static_cast<size_t>(b.feature.registers)];
    if ((saved & need) == need && pages.has(b)) usable.push_back(b.feature);
  }
  return usable;
}

#else

std::vector<CpuFeature> usable_features() {
#if defined(__aarch64__)
  return {{"neon", Registers::general}};
#else
  return {};
#endif
}

#endif

}  // namespace vitro::runtime
