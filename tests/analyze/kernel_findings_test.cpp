// Tests what names, order and sizes of kernels show, and when they must not.
#include "analyze/questions/ops/kernel_findings.h"

#include <gtest/gtest.h>

#include <string>

#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

// A trace of 1 ms, event by event.
class Builder {
 public:
  explicit Builder(int capability) {
    text_ = cat(R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"a GPU","computeMajor":)",
                capability, R"(,"computeMinor":0}],"traceEvents":[
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":0,"dur":1000})");
  }
  // A call of 1 us at `at` inside an op from 1 us before, and its kernel 10 us later.
  Builder& kernel(std::string_view name, int at, int length, std::string_view op = "aten::bmm",
                  std::string_view more = "") {
    ++number_;
    event("cpu_op", op, 1, 1, at - 1, 4, "");
    event("cuda_runtime", "cudaLaunchKernel", 1, 1, at, 1, cat(R"("correlation":)", number_));
    event("kernel", name, 0, 7, at + 10, length, cat(R"("correlation":)", number_, more));
    return *this;
  }
  Builder& event(std::string_view category, std::string_view name, int pid, int tid, int at,
                 int length, const std::string& args) {
    text_ +=
        cat(",\n", R"({"ph":"X","cat":")", category, R"(","name":")", name, R"(","pid":)", pid,
            R"(,"tid":)", tid, R"(,"ts":)", at, R"(,"dur":)", length, R"(,"args":{)", args, "}}");
    return *this;
  }
  std::vector<Finding> findings() const {
    const TraceFolder folder;
    const auto trace = open_alone(folder.file("trace.json", text_ + "]}"));
    EXPECT_TRUE(trace) << trace.why();
    return kernel_findings(TraceIndex(*trace));
  }
  std::string keys() const {
    std::string out;
    for (const Finding& f : findings()) out += cat(f.key, " ", f.low_ns, " ", f.high_ns, "\n");
    return out;
  }

 private:
  std::string text_;
  int number_ = 0;
};

TEST(KernelFindings, products_in_f32_could_use_tensor_cores) {
  Builder trace(8);
  trace.kernel("ampere_sgemm_128x64_nn", 10, 80).kernel("cutlass_80_simt_sgemm_64x64", 110, 80);
  const std::vector<Finding> found = trace.findings();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].key, "kernels.f32.0");
  EXPECT_EQ(found[0].sentence,
            "device 0 (a GPU) multiplies in f32 without its tensor cores for 160.000us of 1.000ms "
            "in 2 kernels, the longest is ampere_sgemm_128x64_nn");
  EXPECT_EQ(found[0].low_ns, 0);
  EXPECT_EQ(found[0].high_ns, 160'000);
  EXPECT_EQ(found[0].confidence, Confidence::likely);
}

TEST(KernelFindings, products_with_tensor_cores_or_on_a_device_without_tf32_need_nothing) {
  for (const char* name : {"ampere_fp16_s16816gemm_fp16_128x64", "ampere_sgemm_tf32_s1688",
                           "sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n"})
    EXPECT_EQ(Builder(8).kernel(name, 10, 200).keys(), "") << name;
  EXPECT_EQ(Builder(7).kernel("volta_sgemm_128x64_nn", 10, 200).keys(), "");
  EXPECT_EQ(Builder(8).kernel("my_segmented_sort", 10, 80).keys(), "");
}

// Tensile's names: S is f32, B bf16, and MX computes in TF32.
TEST(KernelFindings, products_of_amd_in_f32_could_use_smaller_types) {
  Builder trace(9);
  trace.kernel("Cijk_Ailk_Bljk_SB_MT128x128x16_MI16x16x1", 10, 80)
      .kernel("Cijk_Alik_Bljk_S_B_UserArgs_MT64x64x16", 110, 80)
      .kernel("Cijk_Alik_Bljk_BBS_BH_MT128x128x32", 210, 80)
      .kernel("Cijk_Alik_Bljk_S_MX_B_UserArgs_MT64x64x16", 310, 80);
  ASSERT_EQ(trace.findings().size(), 1U);
  EXPECT_EQ(trace.findings()[0].sentence,
            "device 0 (a GPU) multiplies in f32 for 160.000us of 1.000ms in 2 kernels, the longest "
            "is Cijk_Ailk_Bljk_SB_MT128x128x16_MI16x16x1");
}

TEST(KernelFindings, a_kernel_may_take_several_times_what_others_take) {
  Builder trace(9);
  trace.kernel("sm90_gemm", 10, 25).kernel("my_sort", 50, 100).kernel("my_sort", 200, 100);
  EXPECT_EQ(trace.keys(), "kernels.slow.0 0 200000\n");
  EXPECT_EQ(trace.findings()[0].sentence,
            "device 0 (a GPU) spends 200.000us of 1.000ms in 2 kernels named my_sort, 100.000us in "
            "each; others take 25.000us on average");
  EXPECT_EQ(Builder(9).kernel("my_sort", 10, 200).kernel("gemm", 300, 51).keys(), "");
  EXPECT_EQ(Builder(9).kernel("my_sort", 10, 80).kernel("gemm", 100, 5).keys(), "");
  EXPECT_EQ(Builder(9).kernel("flash_fwd", 10, 200).kernel("add", 300, 5).keys(), "");
  EXPECT_EQ(Builder(9).kernel("my_sort", 10, 200).keys(), "");
}

TEST(KernelFindings, kernels_may_be_for_an_older_device) {
  Builder older(9);
  older.kernel("sm80_xmma_gemm_f16f16_f16f32_f32_tn_n", 10, 100);
  EXPECT_EQ(older.keys(), "kernels.architecture.0 0 100000\n");
  EXPECT_EQ(
      older.findings()[0].sentence,
      "device 0 (a GPU) has compute capability 9 and multiplies with kernels for 8 for "
      "100.000us of 1.000ms in 1 kernel, the longest is sm80_xmma_gemm_f16f16_f16f32_f32_tn_n");
  EXPECT_EQ(Builder(9).kernel("sm90_xmma_gemm_f16f16_f16f32_f32_tn_n", 10, 100).keys(), "");
  EXPECT_EQ(Builder(10).kernel("cutlass3x_sm100_tensorop_gemm", 10, 100).keys(), "");
  EXPECT_EQ(Builder(9).kernel("nvjet_tst_128x64", 10, 100).keys(), "");
}

Builder attention(std::string_view op, std::string_view between, int times) {
  Builder out(9);
  for (int i = 0; i < times; ++i) {
    const int at = 10 + 200 * i;
    out.kernel("sm90_gemm_scores", at, 20, op)
        .kernel("vectorized_elementwise_kernel<mul>", at + 30, 10, "aten::mul")
        .kernel("softmax_warp_forward", at + 50, 30, "aten::_softmax")
        .kernel(between, at + 90, 10, "aten::dropout")
        .kernel("sm90_gemm_values", at + 110, 20, op);
  }
  return out;
}

TEST(KernelFindings, attention_in_several_kernels_could_be_fused) {
  Builder trace = attention("aten::bmm", "fused_dropout_kernel_vec", 3);
  EXPECT_EQ(trace.keys(), "kernels.attention.0 0 150000\n");
  EXPECT_EQ(trace.findings()[0].sentence,
            "device 0 (a GPU) runs 3 attentions as products with a softmax between them; what runs "
            "between takes 150.000us of 1.000ms in 9 kernels");
}

TEST(KernelFindings, a_softmax_after_a_layer_or_before_a_choice_is_no_attention) {
  EXPECT_EQ(attention("aten::addmm", "fused_dropout_kernel_vec", 3).keys(), "");
  EXPECT_EQ(attention("aten::bmm", "topk_gather", 3).keys(), "");
  EXPECT_EQ(attention("aten::bmm", "fused_dropout_kernel_vec", 1).keys(), "");
}

Builder optimizer(std::string_view name, int kernels, int length = 400) {
  Builder out(9);
  out.event("user_annotation", "Optimizer.step#AdamW.step", 1, 1, 100, length, "");
  for (int i = 0; i < kernels; ++i) out.kernel(name, 110 + 20 * i, 2, "aten::add_");
  return out;
}

TEST(KernelFindings, an_optimizer_could_update_all_parameters_together) {
  // 15 kernels of 2 us in the 400 us of the step.
  Builder trace = optimizer("vectorized_elementwise_kernel", 15);
  const std::vector<Finding> found = trace.findings();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].key, "kernels.optimizer");
  EXPECT_EQ(found[0].sentence,
            "the optimizer launches 15 kernels in 1 step, a few for each parameter; for that a "
            "device is idle for 370.000us");
  EXPECT_EQ(found[0].high_ns, 400'000 - 15 * 2'000);
  EXPECT_EQ(found[0].low_ns, 15 * 1'000);  // the calls
  EXPECT_EQ(optimizer("vectorized_elementwise_kernel", 5).keys(), "");
  EXPECT_EQ(optimizer("vectorized_elementwise_kernel", 10, 400).keys(),
            cat("kernels.optimizer 10000 ", 400'000 - 10 * 2'000, "\n"));
  EXPECT_EQ(optimizer("vectorized_elementwise_kernel", 10, 1001).keys(), "");
  EXPECT_EQ(optimizer("multi_tensor_apply_kernel<FusedAdamMathFunctor>", 15).keys(), "");
}

TEST(KernelFindings, kernels_with_few_blocks_leave_a_device_empty) {
  Builder small(9);
  small.kernel("reduce", 10, 200, "aten::sum", R"(,"blocks per SM":0.25)");
  EXPECT_EQ(small.keys(), "kernels.small.0 0 150000\n");
  EXPECT_EQ(small.findings()[0].confidence, Confidence::likely);
  EXPECT_EQ(Builder(9).kernel("reduce", 10, 80, "aten::sum", R"(,"blocks per SM":3)").keys(), "");
  EXPECT_EQ(Builder(9).kernel("reduce", 10, 200, "aten::sum").keys(), "");
}

// AMD's profiler writes the grid of a kernel at its launch: 26 blocks for 104 multiprocessors.
TEST(KernelFindings, blocks_are_compared_with_the_multiprocessors_of_the_device) {
  const TraceFolder folder;
  const auto trace = open_alone(folder.file("trace.json", R"({
    "deviceProperties":[{"id":0,"name":"AMD Instinct MI250X","computeMajor":9,"numSms":104}],"traceEvents":[
    {"ph":"X","cat":"cuda_runtime","name":"hipLaunchKernel","ts":0,"dur":5,"pid":1,"tid":1,
     "args":{"correlation":1,"grid":[13, 2, 1],"block":[256, 1, 1]}},
    {"ph":"X","cat":"kernel","name":"reduce","ts":5,"dur":200,"pid":0,"tid":7,"args":{"correlation":1}}]})"));
  ASSERT_TRUE(trace) << trace.why();
  const std::vector<Finding> found = kernel_findings(TraceIndex(*trace));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].key, "kernels.small.0");
  EXPECT_EQ(found[0].high_ns, 200'000 * 3 / 4);
}

}  // namespace
}  // namespace vitro::analyze
