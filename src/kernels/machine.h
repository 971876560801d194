// Which of the compiled-ahead versions this machine runs.
#pragma once

#include <string>
#include <string_view>

namespace vitro::kernels {

enum class Isa { baseline, avx2, avx512 };

// Asked of the machine once; the operating system must save the registers too.  VITRO_ISA in the
// environment lowers it (baseline, avx2).
Isa machine_isa();
const char* name(Isa isa);

// What a wish comes to on a machine that has all up to `best`.  Of one that cannot be kept, `why`
// says what is wrong.
Isa chosen_isa(std::string_view wish, Isa best, std::string& why);

}  // namespace vitro::kernels
