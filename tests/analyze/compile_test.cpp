// Tests the analysis of compilation: regions, breaks, phases and recompilations, on real traces of
// PyTorch with independently computed sums, and on small ones of both writers.
#include "analyze/questions/compile/compile.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analyze/questions/ops/ops.h"
#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

Result<Trace> real(const char* name) {
  return open_alone(real_trace(std::string(name) + ".json.gz"));
}

// Sums here and below: `python3 tests/cli/values QUESTION FILE`, with the questions regions, glue,
// functions, overheads and phases.  Four blocks, three breaks, run twice: each region is nested in
// the one before it.
TEST(Compile, breaks_show_as_regions_in_regions) {
  const auto trace = real("torch_2_13_cpu_model_with_breaks");
  ASSERT_TRUE(trace) << trace.why();
  const Compilation c = compilation(TraceIndex(*trace));
  ASSERT_EQ(c.regions.size(), 4U);
  const Compilation::Region& outer = c.regions[0];
  EXPECT_EQ(outer.name, "Torch-Compiled Region: 1/0");
  EXPECT_EQ(std::vector({outer.calls, outer.inside, outer.breaks}),
            (std::vector<uint64_t>{2, 0, 6}));
  EXPECT_EQ(outer.total, 2024276);
  EXPECT_EQ(outer.glue, 409951);
  for (size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(c.regions[i].calls, 2U);
    EXPECT_EQ(c.regions[i].inside, 2U);
    EXPECT_EQ(c.regions[i].breaks, 0U);
  }
  EXPECT_EQ(c.regions[3].total, 430421);
  const Compilation::Functions& f = c.functions;
  EXPECT_EQ(std::vector({f.forward, f.backward, f.pairs}), (std::vector<uint64_t>{8, 8, 8}));
  EXPECT_EQ(f.forward_time, 1614325);
  EXPECT_EQ(f.backward_time, 1348299);
  ASSERT_EQ(c.overheads.size(), 3U);
  EXPECT_EQ(c.overheads[0].name, "TorchDynamo Cache Lookup");
  EXPECT_EQ(c.overheads[0].total, 159278);
  EXPECT_TRUE(c.runs.empty());
  const Answer answer = answer_compile(TraceIndex(*trace));
  const auto breaks = std::ranges::find(answer.findings,
                                        "compile.breaks.Torch-Compiled Region: 1/0", &Finding::key);
  ASSERT_NE(breaks, answer.findings.end());
  EXPECT_EQ(breaks->high_ns, 409951);
}

TEST(Compile, phases_of_the_compiler_are_known) {
  const auto trace = real("torch_2_13_cpu_compile_phases");
  ASSERT_TRUE(trace) << trace.why();
  const Compilation c = compilation(TraceIndex(*trace));
  const auto phase = [&](std::string_view name) {
    const auto found = std::ranges::find(c.phases, name, &Compilation::Phase::name);
    EXPECT_NE(found, c.phases.end()) << name;
    return found == c.phases.end() ? Compilation::Phase() : *found;
  };
  EXPECT_EQ(c.phases.size(), 12U);
  EXPECT_EQ(c.phases[0].name, "build_guards");
  EXPECT_EQ(phase("build_guards").self, 18451051);
  EXPECT_EQ(phase("dynamo").total, 40427925);
  EXPECT_EQ(phase("dynamo").self, 1272495);
  EXPECT_EQ(phase("backend_compile").total, 8330632);
  EXPECT_EQ(phase("backend_compile").self, 3972158);
  int64_t self = 0;
  for (const Compilation::Phase& p : c.phases) self += p.self;
  ASSERT_EQ(c.runs.size(), 1U);
  EXPECT_EQ(self, c.runs[0].time);
  EXPECT_EQ(c.runs[0].what, "0/0");
  EXPECT_FALSE(c.runs[0].measured);
  EXPECT_FALSE(c.runs[0].again);
  const auto answer = answer_compile(TraceIndex(*trace));
  EXPECT_EQ(answer.findings[0].key, "compile.measured");
  EXPECT_EQ(answer.findings[0].high_ns, 40427925);
}

// As torch 2.13 records a function with a print, with_stack=True: the first function of Python in a
// region is its code, whose name after a break says where it goes on.
TEST(Compile, regions_are_at_the_lines_of_their_code) {
  const auto trace = trace_of(R"([
    {"ph":"X","cat":"python_function","name":"m.py(10): train","pid":1,"tid":1,"ts":0,"dur":100},
    {"ph":"X","cat":"cpu_op","name":"Torch-Compiled Region: 0/0","pid":1,"tid":1,"ts":5,"dur":90},
    {"ph":"X","cat":"python_function","name":"m.py(5): model","pid":1,"tid":1,"ts":10,"dur":80},
    {"ph":"X","cat":"python_function","name":"torch/_compile.py(42): inner","pid":1,"tid":1,"ts":12,"dur":3},
    {"ph":"X","cat":"cpu_op","name":"Torch-Compiled Region: 1/0","pid":1,"tid":1,"ts":40,"dur":40},
    {"ph":"X","cat":"python_function","name":"m.py(8): torch_dynamo_resume_in_model_at_8","pid":1,"tid":1,"ts":45,"dur":30}])");
  ASSERT_TRUE(trace) << trace.why();
  const TraceIndex index(*trace);
  const Compilation c = compilation(index);
  ASSERT_EQ(c.regions.size(), 2U);
  EXPECT_EQ(c.regions[0].code, "m.py(5): model");
  EXPECT_EQ(c.regions[0].resumes, "m.py(8): torch_dynamo_resume_in_model_at_8");
  EXPECT_EQ(c.regions[1].code, "m.py(8): torch_dynamo_resume_in_model_at_8");
  EXPECT_EQ(c.regions[1].resumes, "");
  EXPECT_EQ(c.regions[0].glue, 90'000);  // nothing in it is a graph or a kernel
  const Answer answer = answer_compile(index);
  EXPECT_EQ(answer.tables[0].rows[0][0], AnswerCell("Torch-Compiled Region: 0/0 (m.py(5): model)"));
  const auto breaks = std::ranges::find(answer.findings,
                                        "compile.breaks.Torch-Compiled Region: 0/0", &Finding::key);
  ASSERT_NE(breaks, answer.findings.end());
  EXPECT_NE(breaks->sentence.find("; after the first it goes on at m.py(8): torch_dynamo_resume"),
            std::string::npos)
      << breaks->sentence;
}

TEST(Compile, regions_without_breaks_cost_nothing) {
  const auto trace = real("torch_2_13_cpu_resnet18_compiled");
  ASSERT_TRUE(trace) << trace.why();
  const Compilation c = compilation(TraceIndex(*trace));
  ASSERT_EQ(c.regions.size(), 1U);
  EXPECT_EQ(c.regions[0].calls, 3U);
  EXPECT_EQ(c.regions[0].total, 67494227);
  EXPECT_EQ(c.regions[0].glue, 0);
  EXPECT_EQ(c.functions.pairs, 3U);
  EXPECT_EQ(c.functions.backward_time, 209768008);
}

// Before 2.6 no events enclose those of dynamo_timed.
TEST(Compile, in_a_step_and_again_is_reported) {
  const auto trace = trace_of(R"json([
    {"ph":"X","cat":"user_annotation","name":"ProfilerStep#3","ts":0,"dur":100,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"_compile.compile_inner (dynamo_timed)","ts":5,"dur":20,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"dynamo","ts":30,"dur":40,"pid":1,"tid":1},
    {"ph":"X","cat":"user_annotation","name":"dynamo_data: fn_name=f, compile_id=0/2","ts":30,"dur":1,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"compile (dynamo_timed)","ts":32,"dur":30,"pid":1,"tid":1}])json");
  ASSERT_TRUE(trace) << trace.why();
  const Compilation c = compilation(TraceIndex(*trace));
  ASSERT_EQ(c.runs.size(), 2U);
  EXPECT_EQ(c.phases.size(), 2U);
  EXPECT_TRUE(c.runs[0].measured);
  EXPECT_FALSE(c.runs[0].again);
  EXPECT_EQ(c.runs[1].what, "0/2");
  EXPECT_TRUE(c.runs[1].again);
  const Answer answer = answer_compile(TraceIndex(*trace));
  ASSERT_EQ(answer.findings.size(), 1U);
  EXPECT_EQ(answer.findings[0].sentence,
            "compiling took 60.000us of the measured 100.000us: 2 compilations, 1 of code compiled "
            "before; the largest part in dynamo");
  EXPECT_EQ(answer.findings[0].events, (std::vector<EventId>{2, 1}));
}

// A graph is one compilation, whatever its phases and however many threads they are on: here two
// graphs, the first with two helper threads, and the second twice.
TEST(Compile, counts_graphs_and_the_time_that_passed) {
  const TraceFolder folder;
  const auto phase = [](std::string_view name, std::string_view what, int begin, int length,
                        int tid) {
    return cat(R"({"ph":"X","cat":"cpu_op","name":")", name, R"(","ts":)", begin, R"(,"dur":)",
               length, R"(,"pid":1,"tid":)", tid, R"(,"args":{"Compile phase of":")", what,
               R"("}})");
  };
  const auto trace = open_alone(folder.file(
      "trace.json",
      cat(R"({"schemaVersion": 1, "producer": "vitro", "traceEvents": [)",
          phase("passes", "mlp/0", 0, 10, 1), ",", phase("fold", "mlp/0", 2, 5, 1), ",",
          phase("backend", "mlp/0", 10, 40, 1), ",", phase("compile_kernels", "mlp/0", 12, 30, 1),
          ",", phase("compile_kernels", "mlp/0", 14, 20, 2), ",",
          phase("load_kernels", "mlp/0", 34, 2, 2), ",",
          phase("compile_kernels", "mlp/0", 36, 10, 2), ",",
          phase("compile_kernels", "mlp/0", 14, 30, 3), ",", phase("passes", "mlp/1", 50, 10, 1),
          ",", phase("backend", "mlp/1", 60, 20, 1), ",", phase("passes", "mlp/1", 90, 5, 1),
          R"(,{"ph":"X","cat":"cpu_op","name":"aten::add","ts":95,"dur":5,"pid":1,"tid":1}]})")));
  ASSERT_TRUE(trace) << trace.why();
  const Compilation c = compilation(TraceIndex(*trace));
  ASSERT_EQ(c.runs.size(), 3U);
  EXPECT_EQ(c.runs[0].what, "mlp/0");
  EXPECT_EQ(c.runs[0].time, 50'000);
  EXPECT_EQ(c.runs[0].threads_time, 112'000);
  EXPECT_EQ(c.runs[1].what, "mlp/1");
  EXPECT_EQ(c.runs[1].time, 30'000);
  EXPECT_EQ(c.runs[2].time, 5'000);
  const Answer answer = answer_compile(TraceIndex(*trace));
  ASSERT_EQ(answer.findings.size(), 1U);
  EXPECT_EQ(answer.findings[0].sentence,
            "compiling took 85.000us (147.000us summed over threads) of the measured "
            "100.000us: 3 compilations, 0 of code compiled before; the largest part in "
            "compile_kernels");
  const auto runs = std::ranges::find(answer.tables, "compilations", &AnswerTable::name);
  ASSERT_NE(runs, answer.tables.end());
  EXPECT_EQ(std::get<std::string>(runs->rows[0][1]), "mlp/0");
}

TEST(Compile, phases_of_vitro_are_no_ops_and_a_plan_that_is_found_is_no_compilation) {
  const TraceFolder folder;
  const auto trace = open_alone(
      folder.file("trace.json", R"json({"schemaVersion": 1, "producer": "vitro", "traceEvents": [
    {"ph":"X","cat":"compile_phase","name":"find_plan","ts":0,"dur":5,"pid":1,"tid":1,"args":{"Compile phase of":"f/0"}},
    {"ph":"X","cat":"compile_phase","name":"backend","ts":5,"dur":25,"pid":1,"tid":1,"args":{"Compile phase of":"f/0"}},
    {"ph":"X","cat":"compile_phase","name":"find_plan","ts":40,"dur":10,"pid":1,"tid":1,"args":{"Compile phase of":"f/1"}},
    {"ph":"X","cat":"compile_phase","name":"load_kernels","ts":42,"dur":5,"pid":1,"tid":1,"args":{"Compile phase of":"f/1"}},
    {"ph":"X","cat":"cpu_op","name":"aten::add","ts":80,"dur":20,"pid":1,"tid":1}]})json"));
  ASSERT_TRUE(trace) << trace.why();
  const TraceIndex index(*trace);
  const Compilation c = compilation(index);
  ASSERT_EQ(c.runs.size(), 2U);
  EXPECT_FALSE(c.runs[0].found);
  EXPECT_TRUE(c.runs[1].found);
  const Answer answer = answer_compile(index);
  ASSERT_EQ(answer.findings.size(), 1U);
  EXPECT_EQ(answer.findings[0].sentence,
            "compiling took 40.000us of the measured 100.000us: 1 compilation, 0 of code compiled "
            "before, 1 graph found in the cache; the largest part in backend");
  const std::vector<NameTimes> list = ops(index);
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].name, "aten::add");
}

TEST(Compile, reads_what_vitro_says_of_phases_and_breaks) {
  const TraceFolder folder;  // the file is read again
  const auto trace = open_alone(
      folder.file("trace.json", R"json({"schemaVersion": 1, "producer": "vitro", "traceEvents": [
    {"ph":"X","cat":"cpu_op","name":"passes","ts":0,"dur":30,"pid":1,"tid":1,"args":{"Compile phase of":"f/0"}},
    {"ph":"X","cat":"cpu_op","name":"fold","ts":10,"dur":5,"pid":1,"tid":1,"args":{"Compile phase of":"f/0"}},
    {"ph":"X","cat":"cpu_op","name":"Torch-Compiled Region: 0/0","ts":40,"dur":60,"pid":1,"tid":1,"args":{"compiled function":"f/0"}},
    {"ph":"X","cat":"cpu_op","name":"mm_add","ts":42,"dur":10,"pid":1,"tid":1,"args":{"kernel_backend":"vitro"}},
    {"ph":"X","cat":"cpu_op","name":"Torch-Compiled Region: 0/1","ts":60,"dur":40,"pid":1,"tid":1,"args":{"compiled function":"f/1"}},
    {"ph":"X","cat":"cpu_op","name":"mm_add","ts":62,"dur":30,"pid":1,"tid":1,"args":{"kernel_backend":"vitro"}},
    {"ph":"i","cat":"cpu_instant_event","name":"break","ts":55,"s":"t","pid":1,"tid":1,
     "args":{"code":"V0201","reason":"item() needs \"a value\"","place":"model.cpp:31"}}]})json"));
  ASSERT_TRUE(trace) << trace.why();
  const Compilation c = compilation(TraceIndex(*trace));
  ASSERT_EQ(c.phases.size(), 2U);
  EXPECT_EQ(c.phases[0].name, "passes");
  EXPECT_EQ(c.phases[0].self, 25'000);
  ASSERT_EQ(c.incidents.size(), 1U);
  EXPECT_EQ(c.incidents[0].code, "V0201");
  EXPECT_EQ(c.incidents[0].reason, "item() needs \"a value\"");
  EXPECT_EQ(c.incidents[0].place, "model.cpp:31");
  EXPECT_EQ(c.regions[0].function, "f/0");
  EXPECT_EQ(c.regions[0].breaks, 1U);
  EXPECT_EQ(c.regions[0].glue, 20'000);
  const Answer answer = answer_compile(TraceIndex(*trace));
  ASSERT_EQ(answer.findings.size(), 2U);
  EXPECT_EQ(answer.findings[1].sentence,
            "Torch-Compiled Region: 0/0 (f/0) breaks 1 time in 1 call of 60.000us; 20.000us of "
            "that are guards and code between graphs; the most frequent break is V0201 at "
            "model.cpp:31: item() needs \"a value\"");
}

}  // namespace
}  // namespace vitro::analyze
