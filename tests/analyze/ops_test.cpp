// Tests times by name of ops and kernels against independently computed sums on real traces, and
// nesting and classes on small ones.
#include "analyze/questions/ops/ops.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analyze/model/classes.h"
#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"

namespace vitro::analyze {
namespace {

const NameTimes& named(const std::vector<NameTimes>& list, std::string_view name,
                       std::string_view kind) {
  const auto found = std::ranges::find_if(
      list, [&](const NameTimes& t) { return t.kind == kind && t.name.starts_with(name); });
  if (found == list.end()) throw std::runtime_error("no " + std::string(name));
  return *found;
}

// `python3 tests/cli/values ops FILE`.
struct KnownOp {
  const char *file, *name, *kind;
  uint64_t calls;
  int64_t self;
};
constexpr KnownOp known_ops[] = {
    {"torch_2_13_cpu_resnet18_eager", "aten::convolution_backward", "op", 60, 317702562},
    {"torch_2_13_cpu_resnet18_eager", "torch::autograd::AccumulateGrad", "op", 186, 12074056},
    {"v100_train_rank0", "cudaMemcpyAsync", "runtime", 1250, 766625000},
    {"v100_train_rank0", "aten::copy_", "op", 1395, 5936000},
    {"v100_train_rank0", "## backward ##", "annotation", 5, 79149000},
    {"alexnet_cuda", "cudaFree", "runtime", 15, 6553827000},
    {"nccl_two_ranks", "aten::empty", "op", 1590, 52054373},
    {"mtia_inference", "fbgemm::permute_2D_sparse_data", "op", 137, 111719373},
    {"rocm_mi250_train", "hipLaunchKernel", "runtime", 12, 6626497},
    {"torch_compile_triton", "cuLaunchKernel", "runtime", 1, 47768},
};

TEST(Ops, self_times_of_real_traces_are_known) {
  for (const KnownOp& want : known_ops) {
    const auto trace = open_alone(real_trace(std::string(want.file) + ".json.gz"));
    ASSERT_TRUE(trace) << trace.why();
    const std::vector<NameTimes> list = ops(TraceIndex(*trace));
    const NameTimes& got = named(list, want.name, want.kind);
    EXPECT_EQ(got.calls, want.calls) << want.name;
    EXPECT_EQ(got.self, want.self) << want.name;
    EXPECT_EQ(trace->name(got.longest), got.name);
    EXPECT_EQ(trace->dur()[got.longest], got.most);
  }
}

TEST(Ops, have_the_work_of_devices_that_they_set_off) {
  const auto trace = trace_of(R"([
    {"ph":"X","cat":"cpu_op","name":"outer","pid":1,"tid":1,"ts":0,"dur":100},
    {"ph":"X","cat":"cpu_op","name":"again","pid":1,"tid":1,"ts":10,"dur":80},
    {"ph":"X","cat":"cpu_op","name":"again","pid":1,"tid":1,"ts":20,"dur":40},
    {"ph":"X","cat":"cuda_runtime","name":"launch","pid":1,"tid":1,"ts":30,"dur":5,
     "args":{"correlation":1}},
    {"ph":"X","cat":"cuda_runtime","name":"launch","pid":1,"tid":1,"ts":70,"dur":5,
     "args":{"correlation":2}},
    {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":40,"dur":30,
     "args":{"correlation":1}},
    {"ph":"X","cat":"gpu_memcpy","name":"c","pid":0,"tid":7,"ts":80,"dur":8,
     "args":{"correlation":2}}])");
  ASSERT_TRUE(trace) << trace.why();
  const std::vector<NameTimes> list = ops(TraceIndex(*trace));
  const auto times = [&](std::string_view name, std::string_view kind) {
    const NameTimes& op = named(list, name, kind);
    return std::pair(op.device_self, op.device_total);
  };
  EXPECT_EQ(times("outer", "op"), std::pair(int64_t{0}, int64_t{38000}));
  EXPECT_EQ(times("again", "op"), std::pair(int64_t{38000}, int64_t{38000}));
  EXPECT_EQ(times("launch", "runtime"), std::pair(int64_t{38000}, int64_t{38000}));
  const AnswerTable table = answer_ops(TraceIndex(*trace)).tables.front();
  EXPECT_EQ(std::ranges::count(table.columns, "device_ns", &AnswerColumn::name), 1);
}

TEST(Ops, have_no_column_of_devices_where_none_was_recorded) {
  const auto trace = open_alone(real_trace("cpu_only.json.gz"));
  ASSERT_TRUE(trace) << trace.why();
  const AnswerTable table = answer_ops(TraceIndex(*trace)).tables.front();
  EXPECT_EQ(std::ranges::count(table.columns, "device_ns", &AnswerColumn::name), 0);
  EXPECT_EQ(table.columns.size(), table.rows.front().size());
}

// `python3 tests/cli/values kernels FILE`.
struct KnownKernel {
  const char *file, *name;
  uint64_t calls;
  int64_t total, least, median, p90, p99, most;
};
constexpr KnownKernel known_kernels[] = {
    {"v100_train_rank0", "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t", 80, 190345000, 25000, 447000,
     1263000, 25951000, 25951000},
    {"v100_train_rank0", "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_256x64_16", 6,
     46599000, 7706000, 7759000, 7816000, 7816000, 7816000},
    {"alexnet_cuda", "Memcpy HtoD (Pageable -> Device)", 16, 55503000, 1000, 3000, 15497000,
     34780000, 34780000},
    {"nccl_two_ranks", "ncclKernel_AllReduce_RING_LL_Sum_float", 15, 46762159, 1689577, 2520607,
     5983024, 5993392, 5993392},
    {"mtia_inference", "event_wait", 48, 352569592, 775336, 6021176, 15206274, 19228741, 19228741},
    // The host op that launches it has the same name and takes 95.8 us, which is not device time.
    {"torch_compile_triton", "triton_poi_fused_add_cos_sin_0", 1, 1760, 1760, 1760, 1760, 1760,
     1760},
};

TEST(Kernels, times_of_real_traces_are_known) {
  for (const KnownKernel& want : known_kernels) {
    const auto trace = open_alone(real_trace(std::string(want.file) + ".json.gz"));
    ASSERT_TRUE(trace) << trace.why();
    const std::vector<NameTimes> list = kernels(TraceIndex(*trace));
    const auto got = std::ranges::find_if(
        list, [&](const NameTimes& t) { return t.name.starts_with(want.name); });
    ASSERT_NE(got, list.end()) << want.name;
    EXPECT_EQ(got->calls, want.calls) << want.name;
    EXPECT_EQ(got->total, want.total) << want.name;
    EXPECT_EQ(std::vector({got->least, got->median, got->p90, got->p99, got->most}),
              std::vector({want.least, want.median, want.p90, want.p99, want.most}))
        << want.name;
  }
}

TEST(Timeline, nests_by_time_whatever_the_order_of_the_file) {
  const auto trace = trace_of(R"([
    {"ph":"X","cat":"cpu_op","name":"inner","ts":2,"dur":3,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"outer","ts":1,"dur":10,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"same begin","ts":1,"dur":1,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"elsewhere","ts":2,"dur":1,"pid":1,"tid":2},
    {"ph":"X","cat":"cpu_op","name":"crosses","ts":10,"dur":5,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"after","ts":20,"dur":1,"pid":1,"tid":1}])");
  ASSERT_TRUE(trace) << trace.why();
  const Timeline timeline(*trace);
  const auto track = timeline.track(trace->track_ids()[0]);
  EXPECT_EQ(std::vector(track.begin(), track.end()), (std::vector<EventId>{1, 2, 0, 4, 5}));
  EXPECT_EQ(timeline.parent(0), 1U);
  EXPECT_EQ(timeline.parent(2), 1U);
  EXPECT_EQ(timeline.parent(3), Timeline::nobody);
  EXPECT_EQ(timeline.self(1), 5000) << "without what it shares with the one that crosses it";
  EXPECT_EQ(timeline.self(4), 5000);
  EXPECT_EQ(timeline.crossing(), std::vector<EventId>{4});
}

TEST(Classes, know_old_and_new_spellings) {
  EXPECT_EQ(class_of("kernel", 'X'), EventClass::kernel);
  EXPECT_EQ(class_of("Kernel", 'X'), EventClass::kernel);
  EXPECT_EQ(class_of("Runtime", 'X'), EventClass::runtime);
  EXPECT_EQ(class_of("cuda_driver", 'X'), EventClass::runtime);
  EXPECT_EQ(class_of("gpu_user_annotation", 'X'), EventClass::device_range);
  EXPECT_EQ(class_of("ac2g", 's'), EventClass::flow);
  EXPECT_EQ(class_of("", 'M'), EventClass::metadata);
  EXPECT_EQ(class_of("something new", 'X'), EventClass::other);
  EXPECT_TRUE(is_communication("ncclDevKernel_AllReduce_Sum_f32_RING_LL"));
  EXPECT_TRUE(is_communication("void ncclKernel_SendRecv"));
  for (const char* name :
       {"void vllm::cross_device_reduce_1stage<__half, 8>(vllm::RankData*)",
        "void at::native::(anonymous namespace)::two_shot_all_reduce_kernel<8>",
        "multimem_one_shot_all_reduce_kernel", "flashinfer::trtllm_allreduce_fusion::allreduce",
        "deep_ep::intranode::dispatch<4>", "nvshmemi_transfer_rma", "mscclppAllGather"})
    EXPECT_TRUE(is_communication(name)) << name;
  EXPECT_FALSE(is_communication("ampere_sgemm_32x32_sliced1x4_tn"));
  EXPECT_FALSE(is_communication("void at::native::reduce_kernel<512, 1, at::native::ReduceOp>"));
  EXPECT_FALSE(is_communication("hipLaunchKernel"));
}

}  // namespace
}  // namespace vitro::analyze
