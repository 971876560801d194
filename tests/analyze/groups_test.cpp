// Tests grouping of ops by shape, module and stack, on real traces with independently computed
// sums and on small ones.
#include "analyze/questions/ops/groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"
#include "vitro/base/error.h"

namespace vitro::analyze {
namespace {

// `python3 tests/cli/values grouped FILE shape` (or module, stack).
struct Known {
  const char* file;
  GroupBy by;
  const char *name, *group;
  uint64_t calls;
  int64_t self;
};
constexpr Known known[] = {
    {"torch_2_13_cpu_resnet18_eager", GroupBy::shape, "aten::convolution_backward",
     "[[2, 512, 2, 2], [2, 512, 2, 2], [512, 512, 3, 3], [], [], [], [], [], [], [], []]", 9,
     251370828},
    {"torch_2_13_cpu_resnet18_eager", GroupBy::shape, "aten::mkldnn_convolution",
     "[[2, 512, 2, 2], [512, 512, 3, 3], [], [], [], [], []]", 9, 21471023},
    {"torch_2_13_cpu_threads_stacks", GroupBy::module, "aten::addmm", "MLP_0;Sequential_0;Linear_1",
     4, 3358537},
    {"torch_2_13_cpu_threads_stacks", GroupBy::module, "aten::relu", "MLP_0;Sequential_0;ReLU_0", 4,
     37185},
    {"torch_2_13_cpu_threads_stacks", GroupBy::module, "aten::normal_", "", 4, 607825},
    {"torch_2_13_cpu_threads_stacks", GroupBy::stack, "aten::addmm",
     "make_traces.py(36): <module>;make_traces.py(33): work;make_traces.py(34): "
     "<listcomp>;nn.Module: MLP_0;torch/nn/modules/module.py(1782): _call_impl;models.py(101): "
     "forward;nn.Module: Sequential_0;torch/nn/modules/module.py(1782): "
     "_call_impl;torch/nn/modules/container.py(248): forward;nn.Module: "
     "Linear_1;torch/nn/modules/module.py(1782): _call_impl;torch/nn/modules/linear.py(130): "
     "forward;<built-in function linear>",
     4, 3358537},
};

TEST(Groups, of_real_traces_are_known) {
  for (const Known& want : known) {
    SCOPED_TRACE(std::string(want.name) + " " + want.group);
    const auto trace = open_alone(real_trace(std::string(want.file) + ".json.gz"));
    ASSERT_TRUE(trace) << trace.why();
    const auto list = ops(TraceIndex(*trace), want.by);
    ASSERT_TRUE(list) << list.why();
    const auto got = std::ranges::find_if(*list, [&](const NameTimes& t) {
      return t.name == want.name && t.kind == "op" && t.group == want.group;
    });
    ASSERT_NE(got, list->end());
    EXPECT_EQ(got->calls, want.calls);
    EXPECT_EQ(got->self, want.self);
  }
}

// A call nested in a call of the same name but another shape is an outer one in its group.
TEST(Groups, have_totals_of_their_own) {
  const TraceFolder folder;  // the file is read again
  const auto trace = open_alone(folder.file("trace.json", R"json([
    {"ph":"X","cat":"cpu_op","name":"aten::sum","ts":0,"dur":9,"pid":1,"tid":1,"args":{"Input Dims":[[2]]}},
    {"ph":"X","cat":"cpu_op","name":"aten::sum","ts":1,"dur":6,"pid":1,"tid":1,"args":{"Input Dims":[[2],[]]}},
    {"ph":"X","cat":"cpu_op","name":"aten::sum","ts":2,"dur":4,"pid":1,"tid":1,"args":{"Input Dims":[[2],[]]}}])json"));
  ASSERT_TRUE(trace) << trace.why();
  const auto list = ops(TraceIndex(*trace), GroupBy::shape);
  ASSERT_TRUE(list) << list.why();
  ASSERT_EQ(list->size(), 2U);
  EXPECT_EQ((*list)[0].group, "[[2], []]");
  EXPECT_EQ((*list)[0].total, 6'000);
  EXPECT_EQ((*list)[1].total, 9'000);
  EXPECT_EQ(ops(TraceIndex(*trace))[0].total, 9'000);
}

TEST(Groups, of_one_name_sum_to_it) {
  const auto trace = open_alone(real_trace("torch_2_13_cpu_resnet18_eager.json.gz"));
  ASSERT_TRUE(trace) << trace.why();
  const Timeline timeline(*trace);
  std::map<std::string, int64_t> by_name, by_shape;
  for (const NameTimes& t : ops(TraceIndex(*trace))) by_name[t.kind + t.name] += t.self;
  const auto list = ops(TraceIndex(*trace), GroupBy::shape);
  ASSERT_TRUE(list) << list.why();
  for (const NameTimes& t : *list) by_shape[t.kind + t.name] += t.self;
  EXPECT_EQ(by_name, by_shape);
}

TEST(Groups, of_a_kernel_are_those_of_the_op_that_launched_it) {
  const auto trace = open_alone(real_trace("torch_compile_triton.json.gz"));
  ASSERT_TRUE(trace) << trace.why();
  const auto list = kernels(TraceIndex(*trace), GroupBy::shape);
  ASSERT_TRUE(list) << list.why();
  ASSERT_EQ(list->size(), 1U);
  EXPECT_EQ((*list)[0].group, "[[10, 10], [10, 10], [10, 10], []]");
}

// As written by Vitro, and by PyTorch if it does not record functions.
TEST(Groups, come_from_arguments_where_no_functions_are_recorded) {
  const TraceFolder folder;
  const auto trace = open_alone(folder.file("trace.json", R"json([
    {"ph":"X","cat":"cpu_op","name":"aten::mm","ts":0,"dur":10,"pid":1,"tid":1,"args":{"Module Hierarchy":"a.b","Call stack":"f;\"g\""}},
    {"ph":"X","cat":"cpu_op","name":"aten::mm","ts":20,"dur":5,"pid":1,"tid":1,"args":{"Module Hierarchy":"a.c"}}])json"));
  ASSERT_TRUE(trace) << trace.why();
  const Timeline timeline(*trace);
  const auto modules = ops(TraceIndex(*trace), GroupBy::module);
  ASSERT_TRUE(modules) << modules.why();
  ASSERT_EQ(modules->size(), 2U);
  EXPECT_EQ((*modules)[0].group, "a.b");
  EXPECT_EQ((*modules)[1].group, "a.c");
  const auto stacks = ops(TraceIndex(*trace), GroupBy::stack);
  ASSERT_TRUE(stacks) << stacks.why();
  EXPECT_EQ((*stacks)[0].group, "f;\"g\"");
  const Answer answer = answer_ops(TraceIndex(*trace), GroupBy::module);
  EXPECT_EQ(answer.tables[0].columns[1].name, "module");
  EXPECT_EQ(std::get<std::string>(answer.tables[0].rows[0][1]), "a.b");
}

TEST(Groups, that_cannot_be_read_are_reported_and_unknown_ones_refused) {
  const auto trace =
      trace_of(R"([{"ph":"X","cat":"cpu_op","name":"aten::mm","ts":0,"dur":10,"pid":1,"tid":1}])");
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_FALSE(ops(TraceIndex(*trace), GroupBy::shape));
  EXPECT_EQ(answer_ops(TraceIndex(*trace), GroupBy::shape).tables[0].name, "lost");
  EXPECT_EQ(group_by_of("stack"), GroupBy::stack);
  EXPECT_THROW(group_by_of("colour"), Error);
}

TEST(Groups, that_the_file_does_not_give_are_reported) {
  const TraceFolder folder;  // the file is read again
  const auto trace = open_alone(folder.file(
      "t.json",
      R"([{"ph":"X","cat":"cpu_op","name":"aten::mm","ts":0,"dur":10,"pid":1,"tid":1,"args":{}}])"));
  ASSERT_TRUE(trace) << trace.why();
  const AnswerTable table = answer_ops(TraceIndex(*trace), GroupBy::shape).tables[0];
  EXPECT_EQ(table.title,
            "Ops of the host (the file does not give a shape: record with record_shapes=True)");
  EXPECT_EQ(table.columns[1].title, "Shape");
}

TEST(Groups, are_requested_in_the_terms_of_the_writer) {
  const TraceFolder folder;
  const auto trace = open_alone(folder.file(
      "t.json",
      R"({"schemaVersion":1,"producer":"vitro","traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::mm","ts":0,"dur":10,"pid":1,"tid":1,"args":{}}]})"));
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_EQ(answer_ops(TraceIndex(*trace), GroupBy::shape).tables[0].title,
            "Ops of the host (the file does not give a shape: record with --record-shapes "
            "(in C++ .record_shapes = true))");
  const auto memory = std::ranges::find(analyses(), "memory", &Analysis::name);
  EXPECT_TRUE(needs_of(*memory, *trace)
                  .starts_with("memory events: record with --profile-memory (in C++ "
                               ".profile_memory = true), or"))
      << needs_of(*memory, *trace);
  const auto kernels = std::ranges::find(analyses(), "kernels", &Analysis::name);
  EXPECT_EQ(needs_of(*kernels, *trace),
            "events of a device; kernels on the CPU are ops: `vitro trace ops` has them");
}

}  // namespace
}  // namespace vitro::analyze
