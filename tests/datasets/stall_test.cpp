// A program that waits for its loader learns so from the trace: a finding of `vitro trace doctor`.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "vitro/analyze.h"
#include "vitro/vitro.h"

namespace vitro::data {
namespace {

using std::chrono::milliseconds;

// What the doctor says of the trace of a loop over six batches, each of which takes `load` to make
// and is computed with for `compute`.  The first one is waited for before the trace begins.
analyze::Answer doctor_of_loop(milliseconds load, milliseconds compute, int workers, bool steps) {
  const TensorDataset numbers({arange(6, DType::f32)});
  const Mapped made(numbers, [&](Sample sample, Random&) {
    std::this_thread::sleep_for(load);
    return sample;
  });
  DataLoader loader(made, {.num_workers = workers});
  const std::string path =
      cat(std::filesystem::temp_directory_path().string(), "/vitro_stall_", getpid(), ".json.gz");
  auto batch = loader.begin();
  Profiler profiler;
  for (; batch != loader.end(); ++batch) {
    const auto end = std::chrono::steady_clock::now() + compute;
    for (Tensor x = (*batch)[0]; std::chrono::steady_clock::now() < end;) x = sin(x);
    if (steps) profiler.step();
  }
  profiler.stop();
  profiler.write_trace(path);
  const Result<analyze::Trace> trace = analyze::Trace::open(path);
  std::filesystem::remove(path);
  EXPECT_TRUE(trace) << trace.why();
  return trace ? analyze::doctor(analyze::TraceIndex(*trace)) : analyze::Answer{};
}

const analyze::Finding* find(const analyze::Answer& answer, std::string_view key) {
  const auto found = std::ranges::find_if(
      answer.findings, [&](const analyze::Finding& f) { return f.key.starts_with(key); });
  return found == answer.findings.end() ? nullptr : &*found;
}
constexpr const char* keys[] = {"critical_path.data_loading",
                                "threads.wait.enumerate(DataLoader)#next"};

TEST(LoaderStall, is_a_finding_of_the_doctor) {
  for (const int workers : {0, 1}) {
    for (const bool steps : {true, false}) {
      const analyze::Answer answer =
          doctor_of_loop(milliseconds(100), milliseconds(2), workers, steps);
      // The path is not repeated where the wait explains it as surely.
      const analyze::Finding* stall = nullptr;
      for (const char* key : keys) stall = stall ? stall : find(answer, key);
      ASSERT_NE(stall, nullptr) << workers << steps << analyze::to_text(answer);
      // On an idle machine 75 to 98, on a busy one less: the program waits for a core as well.
      EXPECT_GT(stall->high_percent, 10) << workers << steps << analyze::to_text(answer);
      EXPECT_NE(stall->advice.find("load ahead: more workers"), std::string::npos);
    }
  }
}

// One of several attempts, because a busy machine may let the program wait for anything.
TEST(LoaderStall, is_not_a_finding_if_batches_are_ready_in_time) {
  std::string last;
  for (int attempt = 0; attempt < 10; ++attempt) {
    const analyze::Answer answer = doctor_of_loop(milliseconds(2), milliseconds(25), 1, true);
    if (std::ranges::none_of(keys, [&](const char* key) { return find(answer, key); })) return;
    last = analyze::to_text(answer);
  }
  FAIL() << last;
}

}  // namespace
}  // namespace vitro::data
