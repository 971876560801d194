// Which products of a path are in one kernel, and how many lines a band has: by the bytes that the
// cache of a core holds, and what lines that are computed again cost.
#include "backend/schedule/bands.h"

#include <algorithm>

#include "vitro/base/cat.h"

namespace vitro::backend {
namespace {

const Code no_bands{"V0417", "products that pass images to one another stay apart",
                    "A kernel of several products computes bands of lines, which pays only if an "
                    "image leaves the cache otherwise and a band fits it.",
                    "", "Nothing."};

// The rest of the L2 cache is for weights, operands and results that pass through.
int64_t bytes_for_bands(const MachineModel& machine) {
  return machine.l2_bytes / 2;
}

int64_t bytes_of_band(const BandChain& chain, int64_t lines) {
  const std::vector<int64_t> needed = lines_of_band(chain, lines);
  int64_t bytes = chain.weight_bytes;
  for (size_t i = 0; i < needed.size(); ++i) {
    const PassedImages& passed = chain.passed[i];
    bytes += passed.piece_bytes > 0 ? passed.piece_bytes : needed[i] * passed.line_bytes;
  }
  return bytes;
}

// The lowest band of which neighbours compute at most half as many lines again as they pass on.
int64_t least_lines(const BandChain& chain) {
  const auto overlaps = [&](int64_t lines) {
    int64_t of_lines = lines;
    for (size_t i = chain.passed.size(); i-- > 0;) of_lines *= chain.passed[i].stride;
    return 2 * lines_of_band(chain, lines).front() > 3 * of_lines;
  };
  int64_t lines = 1;
  while (lines < chain.lines && overlaps(lines)) ++lines;
  return lines;
}

}  // namespace

std::vector<int64_t> lines_of_band(const BandChain& chain, int64_t lines) {
  std::vector<int64_t> needed(chain.passed.size());
  for (size_t i = chain.passed.size(); i-- > 0;) {
    const PassedImages& passed = chain.passed[i];
    lines = std::min((lines - 1) * passed.stride + passed.reach, passed.lines);
    needed[i] = lines;
  }
  return needed;
}

Verdict should_pass_in_bands(const MachineModel& machine, int64_t bytes) {
  const int64_t most = bytes_for_bands(machine);
  if (bytes <= most)
    return Verdict::no(no_bands,
                       cat("its ", bytes, " bytes stay in the L2 cache until they are read"));
  return Verdict::yes(cat("its ", bytes, " bytes would leave the L2 cache before they are read"));
}

Verdict cut_elsewhere() {
  return Verdict::no(no_bands, "it costs less to have the next product in another kernel");
}

int64_t recomputed_bytes(const MachineModel& machine, const BandChain& chain, int64_t lines) {
  const std::vector<int64_t> needed = lines_of_band(chain, lines);
  const int64_t bands = chain.images * ((chain.lines + lines - 1) / lines),
                starts = std::min<int64_t>(bands, machine.threads);
  int64_t flops = 0, own = lines;
  for (size_t i = needed.size(); i-- > 0;) {
    own *= chain.passed[i].stride;
    flops += starts * std::max<int64_t>(needed[i] - own, 0) * chain.passed[i].line_flops;
  }
  constexpr int64_t flops_of_operation = 2, bytes_of_number = 4;
  return flops / (flops_of_operation * machine.operations_of_fetch) * bytes_of_number;
}

std::vector<size_t> cut_into_chains(
    std::span<const int64_t> cost_of_cut,
    const std::function<std::optional<int64_t>(size_t first, size_t last)>& cost_of_chain) {
  struct Cuts {
    int64_t cost = 0, count = 0;  // up to the end of a chain
    size_t first = 0;             // of the chain
    auto operator<=>(const Cuts&) const = default;
  };
  const size_t products = cost_of_cut.size() + 1;
  std::vector<Cuts> best(products, {INT64_MAX, INT64_MAX, 0});  // by last product of a chain
  for (size_t first = 0; first < products; ++first) {
    Cuts before;
    if (first > 0)
      before = {best[first - 1].cost + cost_of_cut[first - 1], best[first - 1].count + 1};
    for (size_t last = first; last < products; ++last) {
      const std::optional<int64_t> cost = last == first ? 0 : cost_of_chain(first, last);
      if (!cost) break;
      best[last] = std::min(best[last], {before.cost + *cost, before.count, first});
    }
  }
  std::vector<size_t> out(products);
  for (size_t end = products; end > 0; end = best[end - 1].first)
    std::fill(out.begin() + static_cast<ptrdiff_t>(best[end - 1].first),
              out.begin() + static_cast<ptrdiff_t>(end), best[end - 1].first);
  return out;
}

Verdict can_band(const MachineModel& machine, const BandChain& chain, BandHeight* height) {
  const int64_t least = least_lines(chain), most_bytes = bytes_for_bands(machine);
  if (bytes_of_band(chain, least) > most_bytes) {
    return Verdict::no(no_bands,
                       cat("a band of ", least, " lines needs ", bytes_of_band(chain, least),
                           " bytes, more than half of the L2 cache"));
  }
  const int64_t tasks = chain.images * (chain.lines / least);
  if (tasks < machine.enough_shared_tasks(2)) {
    return Verdict::no(no_bands, cat("its ", tasks, " bands of ", least, " lines are too few for ",
                                     machine.threads, " threads"));
  }
  int64_t most = least;
  while (most < chain.lines && bytes_of_band(chain, most + 1) <= most_bytes) ++most;
  *height = {most, least};
  return Verdict::yes(cat("bands of ", most, " lines stay in the L2 cache"));
}

}  // namespace vitro::backend
