// Random programs that read and write windows of one storage give eager's bits when compiled.
#include <random>

#include "agree.h"

namespace vitro {
namespace {

using Random = std::mt19937;

int64_t below(Random& random, int64_t n) {
  return static_cast<int64_t>(random() % static_cast<uint32_t>(n));
}

// A random window of a matrix: some rows and columns, transposed or flattened, a single row or
// column, or an expanded row.
Tensor window(const Tensor& x, Random& random) {
  const auto part = [&](const Tensor& t, int64_t dim) {
    const auto size = t.size(dim).value(), from = below(random, size);
    return slice(t, dim, from, from + 1 + below(random, size - from), 1 + below(random, 2));
  };
  switch (below(random, 6)) {
    case 5:
      return expand(part(select(x, 0, 2), 0), {3, -1});
    case 0:
      return part(x, 0);
    case 1:
      return part(part(x, 0), 1);
    case 2:
      return permute(part(x, 1), {1, 0});
    case 3:
      return part(view(x, {-1}), 0);
    default:
      return select(x, below(random, 2), below(random, 6));
  }
}

Tensors windows(uint32_t seed) {
  Random random(seed);
  const Tensor memory = numbers({6, 9});
  Tensors out;
  for (int64_t count = 2 + below(random, 3); count > 0; --count)
    out.push_back(window(memory, random));
  return out;
}

// Writes some inputs, reads others, and returns values and views.
Tensors run(const Tensors& in, uint32_t seed) {
  Random random(seed);
  Tensors out;
  const auto any = [&]() -> const Tensor& {
    return in[static_cast<size_t>(below(random, static_cast<int64_t>(in.size())))];
  };
  for (int step = 0; step < 6; ++step) {
    const Tensor& b = any();
    const Tensor& some = any();
    const Tensor a = some.rank() == 2 && some.impl()->strides[0] == 0 ? select(some, 0, 1) : some;
    switch (below(random, 6)) {
      case 0:
        add_(a, 1);
        break;
      case 1:
        mul_(a, amax(b) * 0.25);
        break;
      case 2:
        fill_(slice(a, 0, 0, 1), 3);
        break;
      case 3:
        if (attribute::same(a.sizes(), b.sizes())) {
          copy_(a, b);
        } else {
          sub_(a, sum(b));
        }
        break;
      case 4:
        out.push_back(exp(b) + 1);
        break;
      default:
        out.push_back(slice(b, 0, 0, 2));
    }
  }
  out.push_back(in[0]);
  return out;
}

void expect_same_programs(const std::string& backend, uint32_t count) {
  for (uint32_t seed = 0; seed < count; ++seed) {
    SCOPED_TRACE(cat(backend, ", seed ", seed));
    auto fast = compile([seed](const Tensors& in) { return run(in, seed + 7); },
                        {.backend = backend, .dynamic = {}});
    for (int call = 0; call < 2; ++call) {
      const Tensors mine = windows(seed), theirs = windows(seed);
      const Tensors want = run(mine, seed + 7), got = fast(theirs);
      for (size_t i = 0; i < want.size(); ++i) {
        expect_same(got[i], want[i], "result");
        EXPECT_EQ(got[i].storage() == theirs[0].storage(), want[i].storage() == mine[0].storage());
      }
      for (size_t i = 0; i < mine.size(); ++i) expect_same(theirs[i], mine[i], "window");
    }
    for (const SegmentReport& segment : fast.report().segments) EXPECT_EQ(segment.why_not, "");
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Aliases, random_programs_on_windows_of_one_memory) {
  expect_same_programs("eager", 400);
  expect_same_programs("vitro", 25);
}

}  // namespace
}  // namespace vitro
