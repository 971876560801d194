// Selects the compiled-ahead version for this machine.
#pragma once

#include <string>
#include <string_view>

namespace vitro::kernels {

enum class Isa { baseline, avx2, avx512 };

// Detected once; the operating system must save the registers too. VITRO_ISA in the environment
// selects a lower one (baseline, avx2).
Isa machine_isa();
// Whether the products of bf16 by AMX tiles may be used; not if VITRO_ISA is set.
bool machine_has_bf16_tiles();
// Requests the operating system's permission for AMX tiles, which a process needs once.
bool may_use_tiles();
const char* name(Isa isa);

// The instruction set for the requested one on a machine that supports all up to `best`. If the
// request cannot be met, `why` gives the reason.
Isa chosen_isa(std::string_view wish, Isa best, std::string& why);

}  // namespace vitro::kernels
