// Memory timelines written by the profiler, read back by vitro::analyze.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "analyze/questions/memory/memory_timeline.h"
#include "vitro/analyze/questions.h"
#include "vitro/events/memory.h"
#include "vitro/vitro.h"

namespace vitro {
namespace {

// A folder with three files of one profile: raw changes of memory, their sums, and the trace.
class Files {
 public:
  explicit Files(const Profiler& profiler) {
    std::string pattern = testing::TempDir() + "/vitro_memory_XXXXXX";
    folder_ = mkdtemp(pattern.data());
    profiler.export_memory_timeline(path("m.raw.json.gz"));
    profiler.export_memory_timeline(path("m.json"));
    profiler.write_trace(path("trace.json.gz"));
  }
  ~Files() { std::filesystem::remove_all(folder_); }

  std::string path(const char* name) const { return folder_ / name; }

  analyze::MemoryTimeline read(const char* name) const {
    const auto timeline = analyze::memory_timeline(path(name));
    EXPECT_TRUE(timeline && *timeline) << timeline.why();
    return timeline && *timeline ? **timeline : analyze::MemoryTimeline();
  }

 private:
  std::filesystem::path folder_;
};

const analyze::MemoryTimeline::Category* find(const analyze::MemoryTimeline& timeline,
                                              TimelineCategory category) {
  const auto found = std::ranges::find(timeline.categories, category,
                                       &analyze::MemoryTimeline::Category::category);
  return found == timeline.categories.end() ? nullptr : &*found;
}

}  // namespace

TEST(MemoryTimelineFiles, tell_what_the_profile_and_its_trace_tell) {
  const Tensor before = Tensor::from({1.0f, 2.0f, 3.0f, 4.0f}, {4});
  Profiler profiler({.profile_memory = true});
  Tensor weight;
  {
    const events::CategoryScope scope(events::MemoryCategory::parameter);
    weight = ones({1000});
  }
  for (int i = 0; i < 5; ++i) exp(weight + sin(weight)).data<float>();
  profiler.stop();

  const Files files(profiler);
  const analyze::MemoryTimeline raw = files.read("m.raw.json.gz"), sums = files.read("m.json");
  const auto trace = analyze::Trace::open(files.path("trace.json.gz"), {.keep = false});
  ASSERT_TRUE(trace) << trace.why();
  const auto told = analyze::memory(analyze::TraceIndex(*trace));
  ASSERT_TRUE(told) << told.why();
  ASSERT_EQ(told->devices.size(), 1u);
  const analyze::Memory::Device& device = told->devices[0];
  EXPECT_GT(device.allocations, 10u);
  EXPECT_EQ(raw.all.allocations, device.allocations);
  EXPECT_EQ(raw.all.frees, device.frees);
  EXPECT_EQ(raw.all.allocated, device.allocated);
  EXPECT_EQ(raw.all.freed, device.freed);
  EXPECT_EQ(raw.all.first, device.first);
  EXPECT_EQ(raw.all.peak, device.peak);
  EXPECT_EQ(raw.all.last, device.last);

  EXPECT_TRUE(sums.sums);
  EXPECT_LE(sums.all.peak, raw.all.peak) << "peaks shorter than a microsecond are missed";
  EXPECT_EQ(sums.all.last, raw.all.last);
  for (const auto& category : raw.categories) {
    const auto* same = find(sums, category.category);
    EXPECT_EQ(same ? same->last : 0, category.last) << name_of(category.category);
  }
  const auto* parameters = find(raw, TimelineCategory::parameter);
  ASSERT_TRUE(parameters);
  EXPECT_GE(parameters->last, 4000);
  EXPECT_LT(parameters->last, 2 * 4000);
}

TEST(MemoryTimelineFiles, know_parameters_and_states_that_are_older_than_the_profile) {
  nn::Module model;
  nn::Linear layer(model, "layer", 100, 50);
  model.requires_grad_();
  optim::AdamW optimizer(model.parameters(), {.lr = 0.01});
  auto step = compile([&](const Tensor& x) {
    const Tensor loss = sum(square(layer(x)));
    loss.backward();
    optimizer.step();
    optimizer.zero_grad();
    return detach(loss);
  });
  const Tensor x = ones({4, 100});
  for (int i = 0; i < 2; ++i) (void)step(x).item<float>();
  Profiler profiler({.profile_memory = true});
  (void)step(x).item<float>();
  profiler.stop();

  const Files files(profiler);
  const analyze::MemoryTimeline raw = files.read("m.raw.json.gz");
  constexpr int64_t bytes = (100 * 50 + 50) * 4;
  const auto *parameters = find(raw, TimelineCategory::parameter),
             *states = find(raw, TimelineCategory::optimizer_state);
  ASSERT_TRUE(parameters && states);
  EXPECT_EQ(parameters->first, bytes);
  EXPECT_EQ(states->first, 2 * bytes);  // two moments
}

// What a training loop leaves in memory.
class Trained : public testing::TestWithParam<bool> {};

TEST_P(Trained, memory_has_the_categories_of_a_training_loop) {
  Profiler profiler({.profile_memory = true});
  nn::Module model;
  nn::Linear layer(model, "layer", 100, 50);
  model.requires_grad_();
  optim::AdamW optimizer(model.parameters(), {.lr = 0.01});
  const auto body = [&](const Tensor& x) {
    const Tensor loss = sum(square(layer(x)));
    loss.backward();
    optimizer.step();
    return loss;
  };
  const Tensor x = ones({4, 100});
  {
    auto step = compile(body);
    for (int i = 0; i < 3; ++i) {
      optimizer.zero_grad();
      (void)(GetParam() ? step(x) : body(x)).item<float>();
    }
  }
  optimizer.step();  // notices gradients that a compiled call has made
  profiler.stop();

  const Files files(profiler);
  const analyze::MemoryTimeline raw = files.read("m.raw.json.gz");
  constexpr int64_t bytes = (100 * 50 + 50) * 4;
  const auto expect_kept = [&](TimelineCategory category, int64_t least) {
    const auto* found = find(raw, category);
    ASSERT_TRUE(found) << name_of(category);
    EXPECT_GE(found->last, least) << name_of(category);
    EXPECT_LT(found->last, least + least / 2) << name_of(category);
  };
  expect_kept(TimelineCategory::parameter, bytes);
  expect_kept(TimelineCategory::gradient, bytes);
  expect_kept(TimelineCategory::optimizer_state, 2 * bytes);
}
INSTANTIATE_TEST_SUITE_P(, Trained, testing::Bool(), [](const auto& compiled) {
  return compiled.param ? "compiled" : "eager";
});

}  // namespace vitro
