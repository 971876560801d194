// Products that pass images to one another: whether they become one kernel that computes bands of
// lines, so that what is passed on stays in the cache of a core.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "backend/schedule/machine_model.h"
#include "vitro/base/verdict.h"

namespace vitro::backend {

// What one product of a chain passes to the next one.
struct PassedImages {
  int64_t bytes = 0;  // of all images; of one, if their number differs between calls
  int64_t lines = 1, line_bytes = 0;  // of an image
  // The next product needs `reach` lines for one line of its result, and `stride` more for each
  // further one.
  int64_t stride = 1, reach = 1;
  int64_t piece_bytes = 0;  // if not 0: it follows after every piece of this size, without lines
  int64_t line_flops = 0;   // to compute a line
};

struct BandChain {
  std::vector<PassedImages> passed;
  int64_t lines = 1;         // of an image of the last result
  int64_t weight_bytes = 0;  // of all products
  int64_t images = 1;        // 1 if their number differs between calls
};

// The number of lines of the last result that a band has.
struct BandHeight {
  int64_t most = 0, least = 0;  // least: where more tasks are wanted for the threads
};

// Whether images that one product writes and another one reads leave the cache in between.
Verdict should_pass_in_bands(const MachineModel& machine, int64_t bytes);
// The reason for a cut where the products on both sides could have been in one kernel.
Verdict cut_elsewhere();
// Whether bands of the chain fit the cache and threads have enough of them; sets `height` if so.
Verdict can_band(const MachineModel& machine, const BandChain& chain, BandHeight* height);

// What threads compute again, since the first band of each needs lines of the thread before, in
// bytes that memory transfers in that time.
int64_t recomputed_bytes(const MachineModel& machine, const BandChain& chain, int64_t lines);

// Cuts a path of products, each of which passes images to the next one, into the chains that cost
// least.  By product: the first one of its chain.
//   cost_of_cut: by passed image
//   cost_of_chain(first, last): none: these cannot be one; asked only if those to last - 1 can
std::vector<size_t> cut_into_chains(
    std::span<const int64_t> cost_of_cut,
    const std::function<std::optional<int64_t>(size_t first, size_t last)>& cost_of_chain);

// By passed image: how many of its lines bands of `lines` lines need.
std::vector<int64_t> lines_of_band(const BandChain& chain, int64_t lines);

}  // namespace vitro::backend
