// Which of the compiled-ahead versions this machine runs.
#pragma once

namespace vitro::kernels {

enum class Isa { baseline, avx2, avx512 };

// Asked of the machine once; the operating system must save the registers too.  VITRO_ISA in the
// environment lowers it (baseline, avx2).
Isa machine_isa();
const char* name(Isa isa);

}  // namespace vitro::kernels
