// Profiles of compiled functions: regions, kernels, phases of the first call, breaks.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "vitro/base/cat.h"
#include "vitro/events/rare_mark.h"
#include "vitro/vitro.h"

namespace vitro {
namespace {

Tensor wave(const Tensor& x) {
  return sin(x) + cos(x);
}

Tensor input(float first) {
  return Tensor::from({first, 1.0f, 2.0f}, {3});
}

std::vector<Slice> of_kind(const Profile& profile, SliceKind kind) {
  std::vector<Slice> found;
  for (const Track& track : profile.tracks) {
    std::ranges::copy_if(track.slices, std::back_inserter(found),
                         [kind](const Slice& slice) { return slice.kind == kind; });
  }
  return found;
}

}  // namespace

TEST(ProfileOfCompiled, each_call_is_a_region_with_its_kernels) {
  auto fast = compile(wave);
  fast(input(0)).data<float>();
  Profiler profiler;
  for (int i = 0; i < 5; ++i) fast(input(0)).data<float>();
  profiler.stop();
  EXPECT_EQ(of_kind(profiler.profile(), SliceKind::region).size(), 5u);
  EXPECT_TRUE(of_kind(profiler.profile(), SliceKind::op).empty());
  EXPECT_TRUE(of_kind(profiler.profile(), SliceKind::phase).empty());
  const auto kernels = of_kind(profiler.profile(), SliceKind::kernel);
  ASSERT_EQ(kernels.size(), 5u);
  for (const Slice& kernel : kernels) {
    EXPECT_EQ(kernel.bytes, 2 * 3 * sizeof(float));
    const Slice& around = profiler.profile().tracks[0].slices.at(kernel.parent);
    EXPECT_EQ(around.kind, SliceKind::region);
    EXPECT_TRUE(around.name().starts_with("Torch-Compiled Region: ")) << around.name();
  }
  EXPECT_EQ(profiler.averages().table().find("Compiled meanwhile"), std::string::npos);
}

TEST(ProfileOfCompiled, the_first_call_shows_the_phases_of_the_compiler) {
  const double factor = std::random_device()();  // no earlier run has kept its plan
  auto fast = compile([factor](const Tensor& x) { return exp(wave(x)) * factor; });
  Profiler profiler;
  fast(input(0)).data<float>();
  profiler.stop();
  const auto phases = of_kind(profiler.profile(), SliceKind::phase);
  EXPECT_GT(phases.size(), 3u);
  EXPECT_TRUE(std::ranges::any_of(phases, [](const Slice& s) { return s.parent != Slice::none; }));
  EXPECT_NE(profiler.averages().table().find("Compiled meanwhile"), std::string::npos);
}

// However many threads compile, the table reports the number of graphs and the elapsed time.
TEST(ProfileOfCompiled, as_many_compilations_are_counted_as_there_are_compiled_segments) {
  const uint64_t mark = events::rare_mark();
  auto fast = compile([](const Tensor& x) { return softmax(matmul(wave(x), exp(x)), 1) * 0.7071; });
  Profiler profiler;
  for (const int64_t size : {5, 9}) fast(ones({size, size})).data<float>();
  profiler.stop();
  const std::string count = cat("Compiled meanwhile: ", fast.report().segments.size(), " compil");
  const std::string table = profiler.averages().table();
  EXPECT_NE(table.find(count), std::string::npos) << count << "\n" << table;
  const CompileTimes times = compile_times(mark);
  EXPECT_FALSE(times.entries().empty());
  for (const CompileTime& time : times.entries())
    EXPECT_NE(time.subject.find('/'), std::string::npos) << time.subject << " " << time.phase;
}

TEST(ProfileOfCompiled, a_break_is_told_with_code_and_place) {
  auto fast = compile([](const Tensor& x) {
    const Tensor y = wave(x);
    return sum(y).item<float>() > 0 ? exp(y) : sin(y);
  });
  Profiler profiler;
  fast(input(0)).data<float>();
  profiler.stop();
  std::vector<Incident> breaks;
  for (const Track& track : profiler.profile().tracks) {
    std::ranges::copy_if(track.incidents, std::back_inserter(breaks),
                         [](const Incident& incident) { return incident.kind == "break"; });
  }
  ASSERT_FALSE(breaks.empty());
  EXPECT_TRUE(breaks[0].code.starts_with("V02")) << breaks[0].code;
  EXPECT_NE(breaks[0].location.find("profile_test.cpp:"), std::string::npos) << breaks[0].location;
}

TEST(ProfileOfCompiled, a_break_is_once_in_every_recording_that_passes_it) {
  auto fast = compile([](const Tensor& x) {
    const Tensor y = wave(x);
    graph_break("between");
    return exp(y);
  });
  fast(input(0)).data<float>();
  std::vector<std::string> places;
  for (int i = 0; i < 2; ++i) {
    Profiler profiler;
    for (int calls = 0; calls < 3; ++calls) fast(input(0)).data<float>();
    profiler.stop();
    for (const Track& track : profiler.profile().tracks) {
      for (const Incident& incident : track.incidents)
        if (incident.kind == "break" && incident.reason == "between")
          places.push_back(incident.location);
    }
  }
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0], places[1]);
  EXPECT_NE(places[0].find("profile_test.cpp:"), std::string::npos) << places[0];
  Profiler without;
  without.stop();
  for (const Track& track : without.profile().tracks) EXPECT_TRUE(track.incidents.empty());
}

TEST(ProfileOfCompiled, gradients_are_joined_to_their_calls) {
  Tensor x = input(0).set_requires_grad(true);
  auto fast = compile([](const Tensor& t) {
    const Tensor y = wave(t);
    graph_break("a test");
    return sum(exp(y));
  });
  auto without = compile([](const Tensor& t) { return sum(t); });
  for (int i = 0; i < 2; ++i) fast(x).backward();
  Profiler profiler;
  for (int i = 0; i < 2; ++i) {
    fast(x).backward();
    (void)without(ones({3}));
  }
  profiler.stop();
  const Profile& profile = profiler.profile();
  const auto named = [&](std::string_view name) {
    std::vector<Slice> found = of_kind(profile, SliceKind::op);
    std::erase_if(found, [&](const Slice& slice) { return slice.name() != name; });
    return found;
  };
  EXPECT_EQ(named("CompiledFunction").size(), 4U);  // the break divides each call
  const std::vector<Slice> backward = named("CompiledFunctionBackward");
  ASSERT_EQ(backward.size(), 2U);
  for (const Slice& slice : backward)
    EXPECT_EQ(profile.tracks[0].slices.at(slice.parent).name(),
              "autograd::engine::evaluate_function: CompiledFunctionBackward");
  ASSERT_EQ(profile.flows.size(), 2U);
  for (const Flow& flow : profile.flows) {
    EXPECT_EQ(flow.kind, events::FlowKind::forward_backward);
    const auto at = [&](const Flow::End& end) -> const Slice& {
      return profile.tracks.at(end.track).slices.at(end.slice);
    };
    EXPECT_EQ(at(flow.from).name(), "CompiledFunction");
    EXPECT_EQ(at(flow.to).name(), "CompiledFunctionBackward");
    EXPECT_EQ(at(flow.from).sequence, at(flow.to).sequence);
  }
}

TEST(ProfileOfCompiled, a_disabled_part_is_an_eager_stretch_with_its_ops) {
  auto plain = disable([](const Tensor& x) { return exp(x); });
  auto fast = compile([&](const Tensor& x) { return plain(wave(x)); });
  fast(input(0)).data<float>();
  Profiler profiler;
  fast(input(0)).data<float>();
  profiler.stop();
  const auto eager = of_kind(profiler.profile(), SliceKind::eager);
  ASSERT_EQ(eager.size(), 1u);
  EXPECT_TRUE(eager[0].name().starts_with("Torch-Compiled Region: ")) << eager[0].name();
  EXPECT_TRUE(eager[0].finished);
  const Track& track = profiler.profile().tracks.at(0);
  EXPECT_EQ(events::text(track.extra(eager[0]).code), "V0205");
  const auto ops = of_kind(profiler.profile(), SliceKind::op);
  ASSERT_EQ(ops.size(), 1u);
  EXPECT_EQ(ops[0].name(), "aten::exp");
  EXPECT_EQ(track.slices.at(ops[0].parent).kind, SliceKind::eager);
}

TEST(ProfileOfCompiled, what_runs_eagerly_because_of_too_many_ways_says_so) {
  int64_t which = 0;
  auto fast = compile([&](const Tensor& x) {
    RecordFunction range("inside");
    return exp(tril(x, which));
  });
  const Tensor x = Tensor::from<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {3, 4});
  for (which = 0; which < 11; ++which) fast(x).data<float>();
  Profiler profiler;
  fast(x).data<float>();
  profiler.stop();
  const auto eager = of_kind(profiler.profile(), SliceKind::eager);
  ASSERT_FALSE(eager.empty());
  const Track& track = profiler.profile().tracks.at(0);
  for (const Slice& slice : eager) {
    EXPECT_EQ(events::text(track.extra(slice).code), "V0308");
    EXPECT_NE(events::text(slice.detail), "");
    EXPECT_TRUE(slice.finished);
  }
}

TEST(ProfileOfCompiled, regions_say_what_they_were_given) {
  auto fast = compile(wave);
  fast(input(0)).data<float>();
  Profiler profiler({.record_shapes = true});
  fast(input(0)).data<float>();
  profiler.stop();
  const auto regions = of_kind(profiler.profile(), SliceKind::region);
  ASSERT_EQ(regions.size(), 1u);
  events::ValueReader inputs(profiler.profile().tracks.at(0).extra(regions[0]).inputs);
  const events::Value* value = inputs.next();
  ASSERT_NE(value, nullptr);
  ASSERT_EQ(value->tensors.size(), 1u);
  EXPECT_EQ(value->tensors[0].sizes, (Ints{3}));
  EXPECT_EQ(inputs.next(), nullptr);
}

TEST(ProfileOfCompiled, results_are_activations_and_arenas_temporary) {
  auto fast = compile([](const Tensor& x) { return sum(exp(wave(x)), {0}) * 2.0 + wave(x); });
  const Tensor x = Tensor::empty({300, 300}, DType::f32);
  fast(x).data<float>();
  Profiler profiler({.profile_memory = true});
  const Tensor y = fast(x);
  y.data<float>();
  profiler.stop();
  const auto address = reinterpret_cast<uintptr_t>(y.const_data<float>());
  bool seen = false;
  for (const Track& track : profiler.profile().tracks) {
    for (const MemoryChange& change : track.memory) {
      const bool result = change.address == address && change.bytes > 0;
      seen |= result;
      if (result) {
        EXPECT_EQ(change.category, events::MemoryCategory::activation);
      } else if (change.bytes < 0) {
        EXPECT_EQ(change.category, events::MemoryCategory::temporary);
      }
    }
  }
  EXPECT_TRUE(seen);
}

TEST(ProfileOfCompiled, what_follows_a_break_lies_inside_of_what_was_before_it) {
  auto fast = compile([](const Tensor& x) {
    const Tensor y = wave(x);
    graph_break("once");
    const Tensor z = wave(y);
    graph_break("twice");
    return wave(z);
  });
  auto other = compile(wave);
  fast(input(0)).data<float>();
  other(input(0)).data<float>();
  Profiler profiler;
  fast(input(1)).data<float>();
  other(input(1)).data<float>();
  profiler.stop();
  const std::vector<Slice>& slices = profiler.profile().tracks[0].slices;
  std::vector<size_t> depths;
  for (const Slice& slice : slices) {
    if (slice.kind != SliceKind::region) continue;
    size_t depth = 0;
    for (uint32_t i = slice.parent; i != Slice::none; i = slices[i].parent) ++depth;
    depths.push_back(depth);
    EXPECT_TRUE(slice.finished);
  }
  EXPECT_EQ(depths, (std::vector<size_t>{0, 1, 2, 0}));
}

}  // namespace vitro
