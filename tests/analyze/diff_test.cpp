// Tests the comparison of two traces: significance over steps and calls, new and missing names,
// shapes.
#include "vitro/analyze/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analyze/trace_files.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

const NameChange* named(const Diff& diff, std::string_view name) {
  const auto found = std::ranges::find(diff.changes, name, &NameChange::name);
  return found == diff.changes.end() ? nullptr : &*found;
}

// Steps of 1000 us in which `slow` takes the given times, in microseconds, and `same` 50 us.
std::string steps_text(std::initializer_list<int> times, const std::string& more = "",
                       int step_time = 900) {
  std::string text = "[";
  int step = 0;
  const auto add = [&](const char* category, const std::string& name, int at, int dur,
                       const std::string& arguments) {
    text +=
        cat(R"({"ph":"X","pid":1,"tid":1,"cat":")", category, R"(","name":")", name, R"(","ts":)",
            1000 * step + at, R"(,"dur":)", dur, R"(,"args":{)", arguments, "}},");
  };
  for (const int time : times) {
    add("user_annotation", cat("ProfilerStep#", step), 0, step_time, "");
    add("cpu_op", "slow", 100, time, R"("Input Dims":[[2,3]])");
    add("cpu_op", "same", 600, 50, R"("Input Dims":[[4]])");
    if (!more.empty()) add("cpu_op", more, 700, 20, "");
    ++step;
  }
  return text;
}

TEST(Diff, of_a_trace_with_itself_is_empty) {
  for (const char* file : {"nccl_two_ranks.json.gz", "alexnet_cuda.json.gz",
                           "torch_2_13_cpu_resnet18_eager.json.gz", "v100_train_rank0.json.gz"}) {
    const auto trace = open_alone(real_trace(file));
    ASSERT_TRUE(trace) << trace.why();
    const auto same = diff(*trace, *trace);
    ASSERT_TRUE(same) << same.why();
    EXPECT_TRUE(same->changes.empty()) << file;
    EXPECT_TRUE(answer_diff(*trace, *same).findings.empty()) << file;
  }
}

// A kernel that was launched before the recording began belongs to no step.
TEST(Diff, counts_device_work_in_the_step_that_launched_it) {
  std::string text = steps_text({100, 100, 100});
  const auto kernel = [&](int at, const std::string& arguments) {
    text += cat(R"({"ph":"X","pid":0,"tid":7,"cat":"kernel","name":"k","dur":50,"ts":)", at,
                R"(,"args":{)", arguments, "}},");
  };
  kernel(10, "");
  kernel(70, "");
  for (int step = 0; step < 3; ++step) {
    text += cat(R"({"ph":"X","pid":1,"tid":1,"cat":"cuda_runtime","name":"l","dur":5,"ts":)",
                1000 * step + 800, R"(,"args":{"correlation":)", step + 1, "}},");
    kernel(1000 * step + 820, cat("\"correlation\":", step + 1));
  }
  const auto with = trace_of(text), without = trace_of(steps_text({100, 100, 100}));
  ASSERT_TRUE(with && without);
  const auto change = diff(*without, *with);
  ASSERT_TRUE(change);
  ASSERT_NE(named(*change, "k"), nullptr);
  EXPECT_EQ(named(*change, "k")->calls_after, 1);
}

// Means over the steps: `python3 tests/cli/values per_step FILE`, and of their lengths `… steps`.
// 178 names of kernels have other calls or another time.
TEST(Diff, of_two_real_traces_is_known) {
  const auto before = open_alone(real_trace("sampled_rank_0.json.gz"));
  const auto after = open_alone(real_trace("sampled_rank_1.json.gz"));
  ASSERT_TRUE(before && after);
  const auto change = diff(*before, *after);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->before.step_time, 615'120'000);
  EXPECT_EQ(change->after.step_time, 619'271'500);
  const auto kernel = std::ranges::find(change->changes, EventClass::kernel, &NameChange::kind);
  ASSERT_NE(kernel, change->changes.end());
  EXPECT_TRUE(kernel->name.starts_with("void split_embedding_backward_codegen_rowwise_adagrad"));
  EXPECT_EQ(kernel->before, 11'734'500);
  EXPECT_EQ(kernel->after, 28'620'000);
  EXPECT_EQ(std::ranges::count(change->changes, EventClass::kernel, &NameChange::kind), 178);
}

TEST(Diff, separates_slowdowns_from_variation) {
  const auto before = trace_of(steps_text({100, 102, 98, 101}));
  const auto after = trace_of(steps_text({150, 149, 152}));
  ASSERT_TRUE(before && after);
  const auto change = diff(*before, *after);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->before.steps, 4);
  EXPECT_EQ(change->after.steps, 3);
  EXPECT_TRUE(change->over_steps);
  ASSERT_EQ(change->changes.size(), 1U);  // `same` is unchanged
  const NameChange& slow = change->changes[0];
  EXPECT_EQ(slow.name, "slow");
  EXPECT_TRUE(slow.significant);
  EXPECT_DOUBLE_EQ(slow.before, 100'250);
  EXPECT_NEAR(slow.after, 150'333.3, 0.1);
  EXPECT_EQ(slow.calls_after, 1);
  EXPECT_LT(slow.low, slow.change());
  EXPECT_EQ(slow.events_after[0], 7U);  // the call of 152 us
  const auto noise =
      diff(*trace_of(steps_text({100, 102, 98})), *trace_of(steps_text({101, 97, 103})));
  ASSERT_TRUE(noise && named(*noise, "slow"));
  EXPECT_FALSE(named(*noise, "slow")->significant);
}

TEST(Diff, potential_saving_is_the_slowdown_of_all_steps) {
  const auto before = trace_of(steps_text({100, 102, 98, 101}));
  const auto after = trace_of(steps_text({150, 149, 152}));
  ASSERT_TRUE(before && after);
  const auto change = diff(*before, *after);
  const Answer answer = answer_diff(*after, *change);
  ASSERT_EQ(answer.findings.size(), 1U);
  EXPECT_EQ(answer.findings[0].key, "diff.op.slow");
  EXPECT_LT(answer.findings[0].low_ns, 150'250);
  EXPECT_GT(answer.findings[0].high_ns, 150'250);
  EXPECT_TRUE(answer_diff(*before, *diff(*after, *before)).findings.empty());
}

// What got slower may be hidden, or made up for by what got faster.
TEST(Diff, of_a_slowdown_only_as_much_is_sure_as_steps_are_longer) {
  const auto before = trace_of(steps_text({100, 102, 98, 101}));
  for (const int longer : {0, 20, 100}) {
    const auto after = trace_of(steps_text({150, 149, 152}, "", 900 + longer));
    const Answer answer = answer_diff(*after, *diff(*before, *after));
    ASSERT_EQ(answer.findings.size(), 1U);
    const Finding& slow = answer.findings[0];
    EXPECT_EQ(slow.low_ns == 3'000 * longer, longer < 100) << slow.low_ns;
    EXPECT_LT(slow.low_ns, 150'250);
    EXPECT_EQ(slow.confidence == Confidence::measured, longer == 100);
  }
}

TEST(Diff, a_wait_for_the_device_is_not_what_got_slower) {
  const auto text = [](int time) {
    std::string out = steps_text({1, 1, 1}, "", 650 + time);
    for (int step = 0; step < 3; ++step)
      out += cat(R"({"ph":"X","pid":1,"tid":1,"cat":"cuda_runtime","name":"cudaStreamSynchronize",)"
                 R"("ts":)",
                 1000 * step + 200, R"(,"dur":)", time + step,
                 R"(},{"ph":"X","pid":0,"tid":7,"cat":"kernel","name":"k","ts":)",
                 1000 * step + 190, R"(,"dur":)", time + step, "},");
    return out;
  };
  const auto before = trace_of(text(100)), after = trace_of(text(300));
  const auto change = diff(*before, *after);
  ASSERT_TRUE(named(*change, "cudaStreamSynchronize"));
  const Answer answer = answer_diff(*after, *change);
  ASSERT_EQ(answer.findings.size(), 1U);
  EXPECT_EQ(answer.findings[0].key, "diff.kernel.k");
}

TEST(Diff, names_that_come_and_go_are_reported) {
  const auto before = trace_of(steps_text({100, 102}, "gone"));
  const auto after = trace_of(steps_text({100, 102}, "come"));
  ASSERT_TRUE(before && after);
  const auto change = diff(*before, *after);
  ASSERT_EQ(change->changes.size(), 2U);
  ASSERT_TRUE(named(*change, "come") && named(*change, "gone"));
  EXPECT_EQ(named(*change, "come")->what, NameChange::What::added);
  EXPECT_EQ(named(*change, "gone")->what, NameChange::What::removed);
  EXPECT_DOUBLE_EQ(named(*change, "come")->change(), 20'000);
}

TEST(Diff, separates_shapes_on_request) {
  const TraceFolder folder;
  std::string other = steps_text({100, 102});
  for (size_t at = 0; (at = other.find("[[2,3]]", at)) != std::string::npos;)
    other.replace(at, 7, "[[3,3]]");
  const auto before = open_alone(folder.file("before.json", steps_text({100, 102})));
  const auto after = open_alone(folder.file("after.json", other));
  ASSERT_TRUE(before && after);
  EXPECT_TRUE(diff(*before, *after)->changes.empty());
  const auto change = diff(*before, *after, {.shapes = true});
  ASSERT_TRUE(change) << change.why();
  ASSERT_EQ(change->changes.size(), 2U);
  EXPECT_EQ(change->changes[0].shape, "[[2, 3]]");
  EXPECT_EQ(change->changes[1].shape, "[[3, 3]]");
}

// Without steps, single calls are compared.
TEST(Diff, without_steps_is_over_calls) {
  const auto text = [](int dur) {
    std::string out = "[";
    for (int i = 0; i < 6; ++i) {
      out += cat(R"({"ph":"X","pid":1,"tid":1,"cat":"cpu_op","name":"op","ts":)", 100 * i,
                 R"(,"dur":)", dur + i % 2, "},");
    }
    return out;
  };
  const auto change = diff(*trace_of(text(20)), *trace_of(text(30)));
  ASSERT_TRUE(change);
  EXPECT_FALSE(change->over_steps);
  ASSERT_EQ(change->changes.size(), 1U);
  EXPECT_TRUE(change->changes[0].significant);
  EXPECT_DOUBLE_EQ(change->changes[0].change(), 60'000);
}

}  // namespace
}  // namespace vitro::analyze
