// Checks what a profile contains about ops, ranges, kernels and threads: inputs, modules,
// arguments, shares and memory.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "eager/eager.h"
#include "runtime/arena.h"
#include "runtime/cpu/allocator.h"
#include "vitro/base/module_path.h"
#include "vitro/ops/all.h"
#include "vitro/profiler/profiler.h"
#include "vitro/runtime/parallel.h"

namespace vitro {
namespace {

using events::MemoryCategory;
using Kind = events::Value::Kind;

struct Found {
  const Track* track = nullptr;
  const Slice* slice = nullptr;
};

Found find(const Profile& profile, std::string_view name) {
  for (const Track& track : profile.tracks) {
    for (const Slice& slice : track.slices) {
      if (slice.name() == name) return {&track, &slice};
    }
  }
  ADD_FAILURE() << "no slice " << name;
  return {};
}

std::vector<events::Value> inputs_of(const Profile& profile, std::string_view name) {
  std::vector<events::Value> values;
  const Found found = find(profile, name);
  if (!found.slice) return values;
  events::ValueReader reader(found.track->extra(*found.slice).inputs);
  while (const events::Value* value = reader.next()) values.push_back(*value);
  return values;
}

}  // namespace

TEST(Recorded, ops_record_their_inputs) {
  eager::init();
  const Tensor x = Tensor::empty({4, 3}, DType::f32), y = Tensor::empty({3}, DType::f64);
  Profiler profiler({.record_shapes = true});
  add(x, y);
  mul(x, 2.5);
  softmax(permute(x, {1, 0}), 0);
  profiler.stop();
  const Profile& profile = profiler.profile();
  const auto sum = inputs_of(profile, "aten::add");
  ASSERT_GE(sum.size(), 2u);
  ASSERT_EQ(sum[0].kind, Kind::tensor);
  EXPECT_EQ(sum[0].tensors[0].dtype, static_cast<uint8_t>(DType::f32));
  EXPECT_EQ(sum[0].tensors[0].sizes, (Ints{4, 3}));
  EXPECT_EQ(sum[0].tensors[0].strides, (Ints{3, 1}));
  EXPECT_EQ(sum[1].tensors[0].dtype, static_cast<uint8_t>(DType::f64));
  const auto product = inputs_of(profile, "aten::mul");
  ASSERT_EQ(product.size(), 2u);
  EXPECT_EQ(product[1].kind, Kind::floating);
  EXPECT_EQ(product[1].floating, 2.5);
  const auto soft = inputs_of(profile, "aten::_softmax");
  ASSERT_EQ(soft.size(), 2u);
  EXPECT_EQ(soft[0].tensors[0].sizes, (Ints{3, 4}));
  EXPECT_EQ(soft[0].tensors[0].strides, (Ints{1, 3}));
  EXPECT_EQ(soft[1].name, "dim");
  EXPECT_EQ(soft[1].integer, 0);
}

TEST(Recorded, ops_of_any_number_of_tensors_have_a_list) {
  eager::init();
  const Tensor x = Tensor::empty({4, 3}, DType::f32);
  Profiler profiler({.record_shapes = true});
  cat({x, x, x}, 1);
  profiler.stop();
  const auto inputs = inputs_of(profiler.profile(), "aten::cat");
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_EQ(inputs[0].kind, Kind::tensors);
  EXPECT_EQ(inputs[0].tensors.size(), 3u);
  EXPECT_EQ(inputs[1].integer, 1);
}

TEST(Recorded, ops_record_their_module) {
  eager::init();
  const Tensor x = Tensor::empty({4}, DType::f32);
  const ModuleName encoder("encoder"), layer("layer");
  Profiler profiler({.with_modules = true});
  {
    const ModuleScope outer(encoder);
    const ModuleScope inner(layer);
    exp(x);
  }
  neg(x);
  profiler.stop();
  const Found in = find(profiler.profile(), "aten::exp"),
              out = find(profiler.profile(), "aten::neg");
  EXPECT_EQ(module_path(in.track->extra(*in.slice).module), "encoder.layer");
  EXPECT_EQ(out.track->extra(*out.slice).module, 0u);
}

TEST(Recorded, ranges_have_their_arguments) {
  Profiler profiler;
  {
    RecordFunction step("step", {{"batch", 32}, {"rate", 0.5}, {"phase", "train"}, {"last", true}});
    RecordFunction load("load", "part 3");
    RecordFunction plain("plain");
  }
  profiler.stop();
  const auto step = inputs_of(profiler.profile(), "step"),
             load = inputs_of(profiler.profile(), "load");
  ASSERT_EQ(step.size(), 4u);
  EXPECT_EQ(step[0].name, "batch");
  EXPECT_EQ(step[0].integer, 32);
  EXPECT_EQ(step[1].floating, 0.5);
  EXPECT_EQ(step[2].text, "train");
  EXPECT_EQ(step[3].kind, Kind::boolean);
  ASSERT_EQ(load.size(), 1u);
  EXPECT_EQ(load[0].name, "");
  EXPECT_EQ(load[0].text, "part 3");
  EXPECT_TRUE(inputs_of(profiler.profile(), "plain").empty());
}

TEST(Recorded, counters_have_their_values_in_order) {
  record_counter("queue", 1);
  Profiler profiler;
  for (const double value : {2.0, 0.5, 7.0}) record_counter("queue", value);
  profiler.stop();
  const auto& counters = profiler.profile().tracks.at(0).counters;
  ASSERT_EQ(counters.size(), 3u);
  EXPECT_EQ(events::text(counters[0].name_id), "queue");
  EXPECT_EQ(counters[1].value, 0.5);
  EXPECT_EQ(counters[2].value, 7.0);
}

TEST(Recorded, kernels_of_the_user_are_kernels_and_threads_show_their_share) {
  const int before = num_threads();
  set_num_threads(2);
  constexpr int64_t items = 1 << 16;
  constexpr int launches = 50;
  std::vector<float> data(items);
  Profiler profiler;
  for (int i = 0; i < launches; ++i) {
    launch("scale", items, {.bytes = 8, .flops = 100}, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) data[k] = data[k] * 2 + 1;
    });
  }
  profiler.stop();
  set_num_threads(before);
  const Profile& profile = profiler.profile();
  int64_t done = 0;
  std::set<uint64_t> ids;
  size_t shares = 0;
  for (const Track& track : profile.tracks) {
    for (const Slice& slice : track.slices) {
      EXPECT_EQ(slice.name(), "scale");
      done += static_cast<int64_t>(track.extra(slice).items);
      shares += slice.kind == SliceKind::work;
      if (slice.kind != SliceKind::kernel) continue;
      EXPECT_EQ(slice.bytes, items * 8u);
      EXPECT_EQ(slice.flops, items * 100u);
    }
  }
  EXPECT_EQ(done, launches * items);
  EXPECT_EQ(profile.flows.size(), shares);
  for (const Flow& flow : profile.flows) {
    const Slice& from = profile.tracks[flow.from.track].slices[flow.from.slice];
    const Slice& to = profile.tracks[flow.to.track].slices[flow.to.slice];
    EXPECT_EQ(from.kind, SliceKind::kernel);
    EXPECT_EQ(to.kind, SliceKind::work);
    EXPECT_LE(from.begin, to.begin);
    EXPECT_LE(to.end, from.end);
    EXPECT_TRUE(ids.insert(flow.id).second);
  }
}

TEST(Recorded, memory_has_its_category) {
  eager::init();
  set_allocator(cpu, &runtime::cpu_allocator());
  Profiler profiler({.profile_memory = true});
  Tensor weight = Tensor::empty({64}, DType::f32), y;
  weight.set_parameter(true);
  {
    const events::CategoryScope scope(MemoryCategory::optimiser);
    const Tensor state = Tensor::empty({65}, DType::f32);
    const runtime::Arena arena = runtime::lease(runtime::cpu_allocator(), 1000);
    y = sum(weight);
  }
  profiler.stop();
  std::map<int64_t, MemoryCategory> categories;
  for (const Track& track : profiler.profile().tracks) {
    for (const MemoryChange& change : track.memory) {
      if (change.bytes > 0) categories[change.bytes] = change.category;
    }
  }
  EXPECT_EQ(categories[64 * 4], MemoryCategory::parameter);
  EXPECT_EQ(categories[4], MemoryCategory::optimiser);
  EXPECT_EQ(categories[65 * 4], MemoryCategory::optimiser);
  EXPECT_EQ(categories[1000], MemoryCategory::temporary);
}

TEST(Recorded, memory_only_on_request) {
  eager::init();
  Profiler profiler;
  exp(Tensor::empty({64}, DType::f32));
  profiler.stop();
  for (const Track& track : profiler.profile().tracks) EXPECT_TRUE(track.memory.empty());
}

}  // namespace vitro
