#include "backend/run/horizontal_fusion.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "backend/schedule/fusion.h"
#include "vitro/base/cat.h"

namespace vitro::backend {
namespace {

class HorizontalFusion {
 public:
  HorizontalFusion(ExecutablePlan& plan, std::span<const LoweredKernel> kernels)
      : plan_(plan), kernels_(kernels) {}

  void run() {
    for (size_t begin = 0, end = 0; begin < plan_.launches.size(); begin = end) {
      written_.clear();
      for (end = begin; end < plan_.launches.size() && takes(end, end > begin);) ++end;
      end = std::max(end, begin + 1);
      if (end - begin > 1) join(begin, end);
    }
  }

 private:
  // Whether the launch joins those before it; if so, notes what it uses.
  bool takes(size_t i, bool joins) {
    const Launch& launch = plan_.launches[i];
    if (!can_join(launch) || !is_worth_it(i)) return false;
    const auto& buffers = kernels_[i].kernel.buffers;
    for (size_t b = 0; joins && b < launch.buffers.size(); ++b) {
      const auto known = written_.find(launch.buffers[b].n);
      if (known != written_.end() && (known->second || buffers[b].written)) return false;
    }
    for (size_t b = 0; b < launch.buffers.size(); ++b)
      written_[launch.buffers[b].n] |= buffers[b].written;
    return true;
  }

  bool is_worth_it(size_t i) const {
    const Launch& launch = plan_.launches[i];
    const auto leaves = [&](size_t b) {
      const BufferKind kind = plan_.buffers[launch.buffers[b].n].kind;
      return kernels_[i].kernel.buffers[b].written && kind != BufferKind::input &&
             kind != BufferKind::output;
    };
    bool leaves_something = false;
    for (size_t b = 0; b < launch.buffers.size(); ++b) leaves_something |= leaves(b);
    return should_join_launches(launch.bytes.constant(), leaves_something);
  }

  void join(size_t begin, size_t end) {
    const LaunchId first{static_cast<uint32_t>(begin)}, last{static_cast<uint32_t>(end - 1)};
    for (size_t i = begin; i < end; ++i) {
      Launch& launch = plan_.launches[i];
      launch.joins = i > begin;
      for (const BufferId id : launch.buffers) {
        BufferPlan& buffer = plan_.buffers[id.n];
        if (buffer.first && buffer.first->n > begin) buffer.first = first;
        if (buffer.last && buffer.last->n < last.n) buffer.last = last;
      }
    }
    Launch& launch = plan_.launches[begin];
    launch.joined_name =
        events::intern(cat(events::text(launch.name), " and ", end - begin - 1, " more"));
  }

  ExecutablePlan& plan_;
  std::span<const LoweredKernel> kernels_;
  std::unordered_map<uint32_t, bool> written_;  // by buffer that the launches of a run use
};

}  // namespace

bool can_join(const Launch& launch) {
  const auto* kernel = std::get_if<GeneratedKernel>(&launch.what);
  return kernel && !kernel->interpreted && launch.checks.empty() && !launch.multiplies &&
         !launch.bands && !launch.packs && !launch.keeps && !launch.keeps_results;
}

void fuse_horizontally(ExecutablePlan& plan, std::span<const LoweredKernel> kernels) {
  HorizontalFusion(plan, kernels).run();
}

}  // namespace vitro::backend
