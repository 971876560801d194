// Random programs give the same values, aliases and strides compiled as eager. To run more of them:
//   VITRO_FUZZ_PROGRAMS=50000 VITRO_FUZZ_SEED=7 VITRO_FUZZ_BACKEND=vitro capture_test
#include <cstdlib>
#include <random>

#include "capture/testing.h"
#include "compile/pipeline.h"

namespace vitro {
namespace {

// An instruction on tensors of a pool. The op and its operands depend only on the instruction's
// numbers and the shapes in the pool.
struct Instruction {
  unsigned kind, a, b;
  int64_t at;
  double number;
};
using Program = std::vector<Instruction>;
using Pool = std::vector<Tensor>;

bool overlaps_itself(const Tensor& t) {
  const Sizes sizes = t.sizes(), strides = t.strides();
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d].value() > 1 && strides[d].value() == 0) return true;
  }
  return false;
}

bool same_sizes(const Tensor& a, const Tensor& b) {
  const Sizes x = a.sizes(), y = b.sizes();
  if (x.size() != y.size()) return false;
  for (size_t d = 0; d < x.size(); ++d) {
    if (x[d].value() != y[d].value()) return false;
  }
  return true;
}

int64_t dim_of(const Tensor& t, int64_t at) {
  return at % t.rank();
}

// Executes one instruction. Sizes and values in the pool stay bounded.
void step(const Instruction& i, Pool& pool, bool breaks) {
  const Tensor a = pool[i.a % pool.size()], b = pool[i.b % pool.size()];
  const bool can_write = !overlaps_itself(a);
  switch (i.kind % 22) {
    case 0:
      return pool.push_back(mul(sigmoid(a), i.number));
    case 1:
      if (!same_sizes(a, b)) return;
      return pool.push_back(sub(a, b));
    case 2:
      if (a.rank() == 0) return;
      return pool.push_back(sum(a, {dim_of(a, i.at)}, i.number > 1));
    case 3:
      if (a.rank() < 2) return;
      return pool.push_back(transpose(a, 0, a.rank() - 1));
    case 4: {
      if (a.rank() == 0) return;
      const int64_t d = dim_of(a, i.at);
      const Size n = a.size(d);
      if (n.value() < 3) return;
      return pool.push_back(slice(a, d, 1, n - 1, 1 + i.at % 2));
    }
    case 5:
      if (a.rank() == 0 || a.size(dim_of(a, i.at)).value() == 0) return;
      return pool.push_back(select(a, dim_of(a, i.at), a.size(dim_of(a, i.at)) / 2));
    case 6:
      return pool.push_back(unsqueeze(a, i.at % (a.rank() + 1)));
    case 7:
      return pool.push_back(squeeze(a));
    case 8:
      if (can_write) mul_(a, i.number * 0.5);
      return;
    case 9:
      if (can_write && same_sizes(a, b)) add_(a, sigmoid(b));
      return;
    case 10:
      if (can_write && same_sizes(a, b)) copy_(a, mul(b, 0.5));
      return;
    case 11:
      if (can_write) sigmoid_(a);
      return;
    case 12:
      return pool.push_back(reshape(a, {a.numel()}));
    case 13:
      if (a.rank() == 0 || !same_sizes(a, b)) return;
      return pool.push_back(cat({a, b}, dim_of(a, i.at)));
    case 14:
      if (pool.size() > 4) pool.erase(pool.begin() + (i.at % static_cast<int64_t>(pool.size())));
      return;
    case 15:
      if (breaks && a.numel().value() > 0 && sum(a).item<float>() > 0)
        pool.push_back(add(sigmoid(a), 1.0));
      return;
    case 16:
      return pool.push_back(where(gt(a, i.number), a, 0.5));
    case 17:
      return pool.push_back(unsqueeze(full({2}, i.number), 0));
    case 18:
      if (can_write && a.rank() > 0 && a.size(0).value() > 1) fill_(select(a, 0, 1), i.number);
      return;
    case 19:
      if (a.rank() == 1) pool.push_back(expand(a, {2, a.size(0)}));
      return;
    case 20:
      return pool.push_back(clone(a));
    case 21:
      pool.push_back(pool[i.b % pool.size()]);
      return;
  }
}

Pool run(const Program& program, const Pool& inputs, bool breaks) {
  Pool pool = inputs;
  for (const Instruction& i : program) {
    step(i, pool, breaks);
    if (pool.size() > 12) pool.erase(pool.begin());
  }
  return pool;
}

Pool make_inputs(std::mt19937& random, bool overlapping) {
  const auto size = [&] { return static_cast<int64_t>(1 + random() % 4); };
  const int64_t n = size();
  Pool out;
  for (int i = 0; i < 3; ++i) {
    const int64_t sizes[] = {i == 0 ? n : size(), n, size()};
    const auto rank = static_cast<size_t>(1 + random() % 3);
    int64_t count = 1;
    for (size_t d = 0; d < rank; ++d) count *= sizes[d];
    std::vector<float> values_of;
    for (int64_t k = 0; k < count; ++k)
      values_of.push_back(static_cast<float>(random() % 1000) / 500 - 1);
    out.push_back(Tensor::from<float>(values_of, std::span(sizes, rank)));
  }
  if (overlapping && out[0].size(0).value() > 1) out.push_back(slice(out[0], 0, 1, 4));
  return out;
}

// Copies that share memory among each other as the originals do.
Pool copies_of(const Pool& pool) {
  Pool out;
  std::vector<std::pair<Storage, Tensor>> known;
  for (const Tensor& t : pool) {
    const Tensor* base = nullptr;
    for (const auto& [storage, copy] : known) {
      if (storage == t.storage()) base = &copy;
    }
    if (!base) {
      known.emplace_back(t.storage(), clone(t));
      out.push_back(known.back().second);
    } else {
      out.push_back(Tensor::over(base->storage(), t.dtype(), t.impl()->sizes, t.impl()->strides,
                                 t.impl()->offset));
    }
  }
  return out;
}

void compare(const Pool& got, const Pool& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].impl()->sizes, want[i].impl()->sizes);
    ASSERT_EQ(got[i].impl()->strides, want[i].impl()->strides) << "tensor " << i;
    ASSERT_EQ(values(got[i]), values(want[i])) << "tensor " << i;
    for (size_t k = 0; k < i; ++k)
      ASSERT_EQ(got[i].storage() == got[k].storage(), want[i].storage() == want[k].storage())
          << "tensors " << i << " and " << k;
  }
}

unsigned from_environment(const char* variable, unsigned fallback) {
  const char* text = std::getenv(variable);
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : fallback;
}

CompileOptions chosen_backend() {
  CompileOptions options = graphs();
  if (const char* backend = std::getenv("VITRO_FUZZ_BACKEND")) options.backend = backend;
  if (options.backend == "vitro") capture::register_compiler("vitro", pipeline::make_compiler());
  return options;
}

TEST(RandomPrograms, give_the_same_compiled_as_eagerly) {
  const unsigned first = from_environment("VITRO_FUZZ_SEED", 0),
                 count = from_environment("VITRO_FUZZ_PROGRAMS", 2000);
  const CompileOptions options = chosen_backend();
  for (unsigned seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    std::mt19937 random(seed);
    Program program;
    for (size_t n = 3 + random() % 25; n-- > 0;) {
      program.push_back({static_cast<unsigned>(random()), static_cast<unsigned>(random()),
                         static_cast<unsigned>(random()), static_cast<int64_t>(random() % 8),
                         static_cast<double>(random() % 16) / 8});
    }
    const bool breaks = random() % 2 == 0, overlapping = random() % 4 == 0;
    auto f = compile([&](const Pool& in) { return run(program, in, breaks); }, options);
    for (int call = 0; call < 5; ++call) {
      SCOPED_TRACE(cat("call ", call));
      if (call == 3) program[0].number += 0.125;
      const Pool inputs = make_inputs(random, overlapping), mine = copies_of(inputs),
                 theirs = copies_of(inputs);
      const Pool want = run(program, theirs, breaks), got = f(mine);
      compare(got, want);
      compare(mine, theirs);
      if (testing::Test::HasFatalFailure()) return;
    }
    expect_sound_graphs(f.report());
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace vitro
