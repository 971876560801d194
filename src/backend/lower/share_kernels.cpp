#include "backend/lower/share_kernels.h"

#include <algorithm>
#include <unordered_map>

#include "loop/offsets.h"
#include "loop/structure.h"

namespace vitro::backend {
namespace {

struct Moved {
  size_t number = 0;  // of the kernel
  loop::Kernel kernel;
  std::vector<Expr> offsets;
};

}  // namespace

void share_kernels(std::vector<LoweredKernel>& kernels) {
  std::vector<std::vector<Expr>> offsets;
  for (const LoweredKernel& lowered : kernels) offsets.push_back(loop::offsets_of(lowered.kernel));
  if (std::ranges::all_of(offsets, [](const auto& list) { return list.empty(); })) return;
  std::unordered_map<loop::Structure, std::vector<Moved>, loop::HashStructure> alike;
  for (size_t i = 0; i < kernels.size(); ++i) {
    Moved moved{i, kernels[i].kernel, std::move(offsets[i])};
    loop::subtract_offsets(moved.kernel, moved.offsets);
    alike[loop::structure_of(moved.kernel)].push_back(std::move(moved));
  }
  for (auto& [structure, group] : alike) {
    const auto as_first = [&](const Moved& m) { return m.offsets == group.front().offsets; };
    if (std::ranges::all_of(group, as_first)) continue;
    for (Moved& moved : group) {
      kernels[moved.number].kernel = std::move(moved.kernel);
      kernels[moved.number].offsets = std::move(moved.offsets);
    }
  }
}

}  // namespace vitro::backend
