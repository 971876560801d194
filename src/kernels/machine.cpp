#include "kernels/machine.h"

#include <cstdlib>
#include <cstring>

namespace vitro::kernels {
namespace {

Isa best() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi") &&
              __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("lzcnt") &&
              __builtin_cpu_supports("popcnt");
  bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  if (avx2 && avx512) return Isa::avx512;
  if (avx2) return Isa::avx2;
#endif
  return Isa::baseline;
}

Isa chosen() {
  Isa isa = best();
  const char* wish = std::getenv("VITRO_ISA");
  if (!wish) return isa;
  if (std::strcmp(wish, "baseline") == 0) return Isa::baseline;
  if (std::strcmp(wish, "avx2") == 0 && isa == Isa::avx512) return Isa::avx2;
  return isa;
}

}  // namespace

Isa machine_isa() {
  static const Isa isa = chosen();
  return isa;
}

const char* name(Isa isa) {
  switch (isa) {
    case Isa::baseline:
      return "baseline";
    case Isa::avx2:
      return "avx2";
    case Isa::avx512:
      return "avx512";
  }
  return "";
}

}  // namespace vitro::kernels
