// The peak that a product is measured by: as many fused multiplications and additions as it needs,
// on registers alone, one equal stretch per thread.
#include "fma_peak.h"
#include "harness.h"
#include "vitro/base/error.h"
#include "vitro/runtime/parallel.h"

namespace vitro::bench {
namespace {

// Waking the threads is no part of the peak: it is spread over so many products.
constexpr int times = 16;

const Add peak({"peak", "the product's multiplications and additions in registers alone",
                [](Program program) {
                  VITRO_CHECK(program.flops > 0, "peak: only products have one");
                  const FmaPeak loop = fma_peak();
                  const auto rounds = static_cast<int64_t>(times * program.flops /
                                                           (2.0 * static_cast<double>(loop.each)));
                  const auto once = [loop, rounds] {
                    const int64_t threads = num_threads(), most = (rounds + threads - 1) / threads;
                    parallel_for(threads, 1, [&](int64_t begin, int64_t end) {
                      for (int64_t i = begin; i < end; ++i) loop.run(most);
                    });
                  };
                  return Runner{once, nullptr, times};
                }});

}  // namespace
}  // namespace vitro::bench
