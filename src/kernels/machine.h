// Selects the compiled-ahead version for this machine.
#pragma once

#include <string>
#include <string_view>

namespace vitro::kernels {

enum class Isa { baseline, avx2, avx512 };

// Detected once; the operating system must save the registers too. VITRO_ISA in the environment
// selects a lower one (baseline, avx2).
Isa machine_isa();
const char* name(Isa isa);

// The instruction set for the requested one on a machine that supports all up to `best`. If the
// request cannot be met, `why` gives the reason.
Isa chosen_isa(std::string_view wish, Isa best, std::string& why);

}  // namespace vitro::kernels
