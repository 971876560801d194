#include "kernels/machine.h"

#include <cstdio>

#if defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "vitro/base/cat.h"
#include "vitro/base/option.h"

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

// Declared when the library is loaded, and available to earlier callers.
const Option<std::string>& wish() {
  static const Option<std::string> isa{"VITRO_ISA", "",
                                       "instruction set of kernels: baseline, avx2 or avx512 "
                                       "(default: the machine's, and its AMX tiles)"};
  return isa;
}
[[maybe_unused]] const Option<std::string>& declared = wish();

Isa chosen() {
  std::string why;
  const Isa isa = chosen_isa(wish().get(), best(), why);
  if (!why.empty()) std::fprintf(stderr, "vitro warning: VITRO_ISA: %s\n", why.c_str());
  return isa;
}

}  // namespace

Isa chosen_isa(std::string_view wish, Isa best, std::string& why) {
  if (wish.empty()) return best;
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (wish != name(isa)) continue;
    if (isa <= best) return isa;
    why = cat("got \"", wish, "\", which this machine does not have; keeping ", name(best));
    return best;
  }
  why = cat("got \"", wish, "\", needs baseline, avx2 or avx512; keeping ", name(best));
  return best;
}

Isa machine_isa() {
  static const Isa isa = chosen();
  return isa;
}

bool may_use_tiles() {
#if defined(__x86_64__)
  constexpr long request_permission = 0x1023, tile_data = 18;
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
#else
  return false;
#endif
}

bool machine_has_bf16_tiles() {
#if defined(__x86_64__)
  static const bool has = machine_isa() == Isa::avx512 && wish().get().empty() &&
                          __builtin_cpu_supports("amx-tile") &&
                          __builtin_cpu_supports("amx-bf16") && may_use_tiles();
  return has;
#else
  return false;
#endif
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
