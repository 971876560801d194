// Human-readable quantities.
#pragma once

#include <cstdint>
#include <string>

namespace vitro::report {

std::string time_text(double ns);                     // "950ns" "12.345us" "1.234ms" "2.000s"
std::string bytes_text(double bytes);                 // "512 B" "1.50 KiB" "-2.00 MiB"
std::string count_text(double n);                     // "950" "1.23 k" "4.56 M" "7.89 G"
std::string percent_text(double part, double whole);  // "12.34%"; "-" if whole is 0

}  // namespace vitro::report
