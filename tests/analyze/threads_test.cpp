// Tests busy, waiting and idle time of threads on real traces with independently computed sums,
// and the cost of waits on small ones.
#include "analyze/questions/threads/threads.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"

namespace vitro::analyze {
namespace {

// `python3 tests/cli/values threads FILE`.
struct KnownThread {
  const char *file, *tid;
  int64_t busy, waiting, idle;
};
constexpr KnownThread known_threads[] = {
    {"v100_train_rank0", "4515", 300162000, 761534000, 12508000},
    {"v100_train_rank0", "25556", 68150000, 0, 1006054000},
    {"nccl_two_ranks", "2910249", 666366275, 78736, 780947},
    {"nccl_two_ranks", "2919752", 267480341, 0, 399745617},
    {"sampled_rank_0", "4037", 1211641000, 1267000, 17381000},
    {"rocm_mi250_train", "597913", 1201688, 95772, 8076914},
    {"torch_2_13_cpu_threads_stacks", "14661", 8903890, 27817987, 26880},
};

TEST(Threads, of_real_traces_are_known) {
  for (const KnownThread& want : known_threads) {
    SCOPED_TRACE(std::string(want.file) + " " + want.tid);
    const auto trace = open_alone(real_trace(std::string(want.file) + ".json.gz"));
    ASSERT_TRUE(trace) << trace.why();
    const Threads all = threads(TraceIndex(*trace));
    const auto got = std::ranges::find_if(all.threads, [&](const Threads::Thread& t) {
      return trace->tracks()[t.track].tid == want.tid;
    });
    ASSERT_NE(got, all.threads.end());
    EXPECT_EQ(std::vector({got->busy, got->waiting, got->idle}),
              std::vector({want.busy, want.waiting, want.idle}));
    for (const Threads::Thread& t : all.threads)
      EXPECT_EQ(t.busy + t.waiting + t.idle, all.window.length());
  }
}

// `python3 tests/cli/values waits FILE`.
struct KnownWait {
  const char *file, *name, *within, *kind;
  uint64_t calls;
  int64_t total;
};
constexpr KnownWait known_waits[] = {
    {"v100_train_rank0", "cudaMemcpyAsync", "aten::copy_", "device", 75, 758735000},
    {"v100_train_rank0", "cudaStreamSynchronize", "aten::copy_", "device", 75, 2799000},
    {"nccl_two_ranks", "cudaEventSynchronize", "DistributedDataParallel.forward", "device", 24,
     78736},
    {"sampled_rank_0", "cudaMemcpyAsync", "aten::_local_scalar_dense", "device", 3, 49000},
    {"rocm_mi250_train", "hipMemcpyWithStream", "aten::copy_", "device", 2, 95772},
    {"torch_2_13_cpu_threads_stacks", "<built-in method acquire of _thread.lock",
     "threading.py(1125): _wait_for_tstate_lock", "lock", 2, 23201108},
};

TEST(Threads, waits_of_real_traces_are_known) {
  for (const KnownWait& want : known_waits) {
    SCOPED_TRACE(std::string(want.file) + " " + want.name);
    const auto trace = open_alone(real_trace(std::string(want.file) + ".json.gz"));
    ASSERT_TRUE(trace) << trace.why();
    const Threads all = threads(TraceIndex(*trace));
    const auto got = std::ranges::find_if(all.waits, [&](const Threads::Wait& w) {
      return w.name.starts_with(want.name) && w.within == want.within;
    });
    ASSERT_NE(got, all.waits.end());
    EXPECT_EQ(got->kind, want.kind);
    EXPECT_EQ(got->calls, want.calls);
    EXPECT_EQ(got->total, want.total);
    EXPECT_EQ(trace->name(got->longest.front()), got->name);
  }
}

// A kernel from 0 to 50; the host waits for it from 10 to 60 and launches the next at 80.
TEST(Threads, a_wait_costs_what_the_device_idles_until_it_works_again) {
  const auto trace = trace_of(R"json([
    {"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","ts":0,"dur":100,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"aten::item","ts":5,"dur":60,"pid":1,"tid":1},
    {"ph":"X","cat":"cuda_runtime","name":"cudaStreamSynchronize","ts":10,"dur":50,"pid":1,"tid":1},
    {"ph":"X","cat":"kernel","name":"a","ts":0,"dur":50,"pid":0,"tid":7},
    {"ph":"X","cat":"kernel","name":"b","ts":85,"dur":15,"pid":0,"tid":7}])json");
  ASSERT_TRUE(trace) << trace.why();
  const Threads all = threads(TraceIndex(*trace));
  ASSERT_EQ(all.waits.size(), 1U);
  EXPECT_EQ(all.waits[0].total, 50'000);
  EXPECT_EQ(all.waits[0].devices_idle, 10'000);
  EXPECT_EQ(all.waits[0].until_work, 35'000);
  ASSERT_EQ(all.threads.size(), 1U);
  EXPECT_EQ(all.threads[0].busy, 10'000);
  EXPECT_EQ(all.threads[0].idle, 40'000);
  const Answer answer = answer_threads(TraceIndex(*trace));
  ASSERT_EQ(answer.findings.size(), 1U);
  EXPECT_EQ(answer.findings[0].key, "threads.wait.cudaStreamSynchronize.aten::item");
  EXPECT_EQ(answer.findings[0].sentence,
            "thread 1 waits 50.000us of 100.000us in 1 call of cudaStreamSynchronize in "
            "aten::item; for that a device is idle for 35.000us until it works again");
  EXPECT_EQ(answer.findings[0].low_ns, 10'000);
  EXPECT_EQ(answer.findings[0].high_ns, 35'000);
  EXPECT_EQ(answer.findings[0].events, std::vector<EventId>{2});
}

// Everything inside the iterator of a data loader is a wait for data.
TEST(Threads, that_load_data_wait_for_it) {
  const auto trace = trace_of(R"json([
    {"ph":"X","cat":"user_annotation","name":"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__","ts":0,"dur":40,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"aten::stack","ts":10,"dur":20,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"aten::mm","ts":40,"dur":60,"pid":1,"tid":1}])json");
  ASSERT_TRUE(trace) << trace.why();
  const Threads all = threads(TraceIndex(*trace));
  ASSERT_EQ(all.waits.size(), 1U);
  EXPECT_EQ(all.waits[0].kind, "data");
  EXPECT_EQ(all.waits[0].calls, 1U);
  EXPECT_EQ(all.waits[0].total, 40'000);
  EXPECT_EQ(answer_threads(TraceIndex(*trace)).findings[0].high_ns, 40'000);
}

// Without steps the thread that waits for the loader leads, not the loader's busier one.
TEST(Threads, that_wait_for_a_loader_lead) {
  const auto trace = trace_of(R"json([
    {"ph":"X","cat":"user_annotation","name":"enumerate(DataLoader)#next","ts":0,"dur":40,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"aten::mm","ts":40,"dur":10,"pid":1,"tid":1},
    {"ph":"X","cat":"user_annotation","name":"DataLoader batch","ts":0,"dur":90,"pid":1,"tid":2}])json");
  ASSERT_TRUE(trace) << trace.why();
  for (const Threads::Thread& thread : threads(TraceIndex(*trace)).threads)
    EXPECT_EQ(thread.leads, trace->tracks()[thread.track].tid == "1");
}

// As recorded by Vitro's pool: a launch of 90 us, one other thread with a share of 30.
TEST(Threads, of_a_pool_are_balanced_or_not) {
  const auto trace = trace_of(R"json([
    {"ph":"X","cat":"cpu_op","name":"Torch-Compiled Region: 0/0","ts":0,"dur":100,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"mm_add","ts":5,"dur":90,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"mm_add","ts":10,"dur":30,"pid":1,"tid":2},
    {"ph":"s","cat":"launch","name":"launch","ts":5,"id":1,"pid":1,"tid":1},
    {"ph":"f","cat":"launch","name":"launch","ts":10,"id":1,"bp":"e","pid":1,"tid":2}])json");
  ASSERT_TRUE(trace) << trace.why();
  const Threads all = threads(TraceIndex(*trace));
  ASSERT_EQ(all.pools.size(), 1U);
  EXPECT_EQ(all.pools[0].launches, 1U);
  EXPECT_EQ(all.pools[0].threads, 2U);
  EXPECT_EQ(all.pools[0].launched, 90'000);
  EXPECT_EQ(all.pools[0].shares, 30'000);
  EXPECT_EQ(all.pools[0].lost, 30'000);
  const Answer answer = answer_threads(TraceIndex(*trace));
  const auto balance = std::ranges::find(answer.findings, "threads.balance.mm_add", &Finding::key);
  ASSERT_NE(balance, answer.findings.end());
  EXPECT_EQ(balance->high_ns, 30'000);
  EXPECT_EQ(balance->events, std::vector<EventId>{1});
}

TEST(Threads, says_what_runs_before_a_region_of_a_compiled_function) {
  const auto advice = [](const char* name) {
    const auto trace = trace_of(cat(R"json({"schemaVersion": 1, "producer": "vitro",
    "traceEvents": [
    {"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","ts":0,"dur":100,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"aten::exp","ts":0,"dur":10,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":")json",
                                    name, R"json(","ts":50,"dur":50,"pid":1,"tid":1}]})json"));
    const Answer answer = answer_threads(TraceIndex(*trace));
    EXPECT_EQ(answer.findings.size(), 1U);
    EXPECT_EQ(answer.findings.at(0).sentence,
              cat("nothing is recorded on thread 1 for 40 % of 100.000us, in 1 gap; the longest "
                  "lasts 40.000us, until ",
                  name));
    return answer.findings.at(0).advice;
  };
  EXPECT_EQ(advice("Torch-Compiled Region: 1/0").substr(0, 64),
            "before a region the compiled function's own code runs, and its o");
  EXPECT_EQ(advice("aten::mm").substr(0, 62),
            "record --with-stack (in C++ .with_stack = true), or your own r");
}

// The device is done when the host waits: the wait does not cause its idle time.
TEST(Threads, a_wait_that_finds_nothing_to_wait_for_costs_itself) {
  const auto trace = trace_of(R"json([
    {"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","ts":0,"dur":1000,"pid":1,"tid":1},
    {"ph":"X","cat":"user_annotation","name":"predictor","ts":100,"dur":60,"pid":1,"tid":1},
    {"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize","ts":110,"dur":20,"pid":1,"tid":1},
    {"ph":"X","cat":"kernel","name":"a","ts":0,"dur":50,"pid":0,"tid":7},
    {"ph":"X","cat":"kernel","name":"b","ts":900,"dur":15,"pid":0,"tid":7}])json");
  ASSERT_TRUE(trace) << trace.why();
  const Threads all = threads(TraceIndex(*trace));
  ASSERT_EQ(all.waits.size(), 1U);
  EXPECT_EQ(all.waits[0].devices_idle, 20'000);
  EXPECT_EQ(all.waits[0].until_work, 20'000);
  const Answer answer = answer_threads(TraceIndex(*trace));
  const auto wait = std::ranges::find(
      answer.findings, "threads.wait.cudaDeviceSynchronize.predictor", &Finding::key);
  ASSERT_NE(wait, answer.findings.end());
  EXPECT_EQ(wait->high_ns, 20'000);
  EXPECT_EQ(wait->advice, "synchronise once, where a value is used, not in the loop");
}

// A wait from 10 to 60 for a kernel from 40 to 50, with the device idle before, which the host did
// not cause.
TEST(Threads, a_wait_costs_at_least_the_time_after_the_awaited_work) {
  const auto trace = trace_of(R"json([
    {"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","ts":0,"dur":100,"pid":1,"tid":1},
    {"ph":"X","cat":"cuda_runtime","name":"cudaStreamSynchronize","ts":10,"dur":50,"pid":1,"tid":1},
    {"ph":"X","cat":"kernel","name":"a","ts":40,"dur":10,"pid":0,"tid":7}])json");
  ASSERT_TRUE(trace) << trace.why();
  const Threads all = threads(TraceIndex(*trace));
  ASSERT_EQ(all.waits.size(), 1U);
  EXPECT_EQ(all.waits[0].devices_idle, 40'000);
  EXPECT_EQ(all.waits[0].idle_behind, 10'000);
  EXPECT_EQ(answer_threads(TraceIndex(*trace)).findings.front().low_ns, 10'000);
}

// Thread 0 is in Python's wait() all the time; it is not the one that works.
TEST(Threads, that_only_wait_do_not_lead) {
  const auto trace = open_alone(real_trace("torch_2_13_cpu_threads_stacks.json.gz"));
  ASSERT_TRUE(trace) << trace.why();
  for (const Threads::Thread& thread : threads(TraceIndex(*trace)).threads)
    EXPECT_EQ(thread.leads, trace->tracks()[thread.track].tid == "14661");
  const Answer answer = answer_threads(TraceIndex(*trace));
  ASSERT_EQ(answer.findings.size(), 2U);
  EXPECT_EQ(answer.findings[0].sentence,
            "thread 14661 (python) waits 23.201ms of 36.749ms in 2 calls of <built-in method "
            "acquire of _thread.lock object> in threading.py(1125): _wait_for_tstate_lock");
  EXPECT_TRUE(answer.findings[0].advice.starts_with("this waits until other threads end"));
  EXPECT_TRUE(answer.findings[1].advice.starts_with("starting a thread blocks until it runs"));
}

// The thread with the steps has no other events; two others communicate.
TEST(Threads, that_have_steps_lead_even_if_nothing_is_recorded_of_them) {
  const auto trace = open_alone(real_trace("cpu_only.json.gz"));
  ASSERT_TRUE(trace) << trace.why();
  const Threads all = threads(TraceIndex(*trace));
  ASSERT_EQ(all.threads.size(), 3U);
  for (const Threads::Thread& thread : all.threads) {
    EXPECT_EQ(thread.leads, trace->tracks()[thread.track].tid == "1074");
    EXPECT_EQ(thread.busy + thread.waiting + thread.idle, all.window.length());
  }
}

TEST(Threads, a_wait_for_a_device_says_which_line_of_python_it_comes_from) {
  const auto trace = trace_of(R"([
    {"ph":"X","cat":"python_function","name":"train.py(10): step","ts":0,"dur":100,"pid":1,"tid":1},
    {"ph":"X","cat":"python_function","name":"<built-in method item of Tensor object at 0x7f12>","ts":4,"dur":62,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"aten::item","ts":5,"dur":60,"pid":1,"tid":1},
    {"ph":"X","cat":"cuda_runtime","name":"cudaStreamSynchronize","ts":10,"dur":50,"pid":1,"tid":1},
    {"ph":"X","cat":"kernel","name":"gemm","ts":0,"dur":40,"pid":0,"tid":7},
    {"ph":"X","cat":"kernel","name":"gemm","ts":75,"dur":20,"pid":0,"tid":7,"args":{"correlation":2}},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":70,"dur":2,"pid":1,"tid":1,"args":{"correlation":2}}])");
  ASSERT_TRUE(trace) << trace.why();
  const Threads all = threads(TraceIndex(*trace));
  ASSERT_EQ(all.waits.size(), 1U);
  EXPECT_EQ(all.waits[0].within, "aten::item");
  EXPECT_EQ(all.waits[0].caller, "train.py(10): step");
  const Answer answer = answer_threads(TraceIndex(*trace));
  ASSERT_FALSE(answer.findings.empty());
  EXPECT_NE(answer.findings[0].sentence.find(
                "of cudaStreamSynchronize in aten::item, the longest from train.py(10): step"),
            std::string::npos)
      << answer.findings[0].sentence;
}

}  // namespace
}  // namespace vitro::analyze
