// The versions of the kernels that this machine can run.
#pragma once

#include <string>
#include <vector>

#include "kernels/machine.h"
#include "kernels_under_test.h"

namespace vitro::kernels_test {

struct Version {
  std::string name;
  const Functions* functions;
  const PartTest* part_tests;
};

inline std::vector<Version> versions() {
  std::vector<Version> all = {{"baseline", &baseline::functions, baseline::part_tests}};
#if defined(__x86_64__)
  using kernels::Isa;
  Isa isa = kernels::machine_isa();
  if (isa >= Isa::avx2) all.push_back({"avx2", &avx2::functions, avx2::part_tests});
  if (isa >= Isa::avx512) all.push_back({"avx512", &avx512::functions, avx512::part_tests});
#endif
  return all;
}

}  // namespace vitro::kernels_test
