// vitro-precompile: precompiles the kernels' prelude to syntax trees when the library is built.
//   vitro-precompile FOLDER ISA...      FOLDER/vitro_prelude.ISA.ast for each
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

#include "backend/jit/compiler.h"
#include "kernels/prelude.h"

namespace {

using vitro::kernels::Isa;

bool write_tree(const std::string& folder, std::string_view name) {
  for (Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (name != vitro::kernels::name(isa)) continue;
    vitro::Result<std::string> tree =
        vitro::jit::precompile(vitro::kernels::prelude_header(), vitro::jit::target_of(isa));
    if (!tree) {
      std::fprintf(stderr, "vitro-precompile: %s\n", tree.why().c_str());
      return false;
    }
    const std::string path = folder + "/vitro_prelude." + std::string(name) + ".ast";
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out << *tree;
    out.close();
    if (!out) std::fprintf(stderr, "vitro-precompile: %s: could not be written\n", path.c_str());
    return bool(out);
  }
  std::fprintf(stderr, "vitro-precompile: there is no instruction set named '%.*s'\n",
               int(name.size()), name.data());
  return false;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::fputs("usage: vitro-precompile FOLDER ISA...\n", stderr);
    return 2;
  }
  for (int i = 2; i < count; ++i) {
    if (!write_tree(arguments[1], arguments[i])) return 1;
  }
  return 0;
}
