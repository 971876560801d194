#include "backend/jit/target.h"

#include "kernels/machine.h"
#include "runtime/cpu/machine.h"

namespace vitro::jit {
namespace {

#if defined(__x86_64__)
constexpr const char* triple = "x86_64-unknown-linux-gnu";
#elif defined(__aarch64__)
constexpr const char* triple = "aarch64-unknown-linux-gnu";
#else
#error "vitro generates code for x86-64 and AArch64"
#endif

// Must match the features in src/kernels/folder.cmake for ahead-of-time kernels.
std::string features_of(kernels::Isa isa) {
#if defined(__x86_64__)
  switch (isa) {
    case kernels::Isa::baseline:
      return "";
    case kernels::Isa::avx2:
      return "+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+popcnt";
    case kernels::Isa::avx512:
      return "+avx2,+avx512bw,+avx512dq,+avx512f,+avx512vl,+bmi,+bmi2,+f16c,+fma,+lzcnt,+popcnt";
  }
#endif
  std::string features;
  for (const runtime::CpuFeature& f : runtime::machine().features) {
    if (f.registers != runtime::Registers::general) continue;
    if (!features.empty()) features += ',';
    features += '+';
    features += f.name;
  }
  return features;
}

}  // namespace

Target target_of(kernels::Isa isa) {
  return {triple, features_of(isa), isa == kernels::Isa::avx512 ? 512u : 0u, isa};
}

const Target& host_target() {
  static const Target target = target_of(kernels::machine_isa());
  return target;
}

}  // namespace vitro::jit
