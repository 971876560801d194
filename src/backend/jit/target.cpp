#include "backend/jit/target.h"

#include "kernels/machine.h"
#include "runtime/cpu/machine.h"

namespace vitro::jit {
namespace {

using runtime::Registers;

// What VITRO_ISA leaves of the machine.
bool wanted(Registers registers, kernels::Isa isa) {
  switch (isa) {
    case kernels::Isa::baseline:
      return registers == Registers::general;
    case kernels::Isa::avx2:
      return registers <= Registers::avx;
    case kernels::Isa::avx512:
      return true;
  }
  return false;
}

Target ask() {
  Target target;
#if defined(__x86_64__)
  target.triple = "x86_64-unknown-linux-gnu";
  const kernels::Isa isa = kernels::machine_isa();
#elif defined(__aarch64__)
  target.triple = "aarch64-unknown-linux-gnu";
  const kernels::Isa isa = kernels::Isa::baseline;
#else
#error "vitro generates code for x86-64 and AArch64"
#endif
  for (const runtime::CpuFeature& f : runtime::machine().features) {
    if (!wanted(f.registers, isa)) continue;
    if (!target.features.empty()) target.features += ',';
    target.features += '+';
    target.features += f.name;
  }
  if (isa == kernels::Isa::avx512) target.vector_bits = 512;
  return target;
}

}  // namespace

const Target& host_target() {
  static const Target target = ask();
  return target;
}

}  // namespace vitro::jit
