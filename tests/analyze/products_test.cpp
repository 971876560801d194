// Tests how near products come to their roof against calculations by hand.
#include "analyze/questions/ops/products.h"

#include <gtest/gtest.h>

#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

// An op whose kernel takes so many microseconds, on an A100.
std::vector<Products> one(std::string_view op, std::string_view dims, std::string_view type, int us,
                          std::string_view device = "NVIDIA A100-SXM4-80GB") {
  const TraceFolder folder;
  const auto trace = open_alone(folder.file(
      "trace.json", cat(R"({"deviceProperties":[{"id":0,"name":")", device, R"("}],"traceEvents":[
{"ph":"X","cat":"cpu_op","name":")",
                        op, R"(","pid":1,"tid":1,"ts":0,"dur":10,"args":{"Input Dims":)", dims,
                        R"(,"Input type":[")", type, R"(", "Scalar"]}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":2,"dur":5,"args":{"correlation":1}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":8,"dur":)",
                        us, R"(,"args":{"correlation":1}}]})")));
  EXPECT_TRUE(trace) << trace.why();
  return products(TraceIndex(*trace));
}

TEST(Products, are_compared_with_the_sheet_of_their_device) {
  // 2 * 4096^3 operations are 137.4e9: 440.5 us at 312e12 a second, half of what it took.
  const auto square = one("aten::mm", "[[4096, 4096], [4096, 4096]]", "c10::BFloat16", 881);
  ASSERT_EQ(square.size(), 1U);
  EXPECT_EQ(square[0].device_ns, 881'000);
  EXPECT_DOUBLE_EQ(square[0].operations, 2.0 * 4096 * 4096 * 4096);
  EXPECT_NEAR(square[0].achieved(), 156, 0.1);
  EXPECT_NEAR(square[0].of_roof(), 50, 0.1);
  // A product with a vector is bound by reading the matrix: 2 * (4096^2 + 2 * 4096) bytes are
  // 16.46 us at 2.039e12 a second.
  const auto row = one("aten::mm", "[[1, 4096], [4096, 4096]]", "c10::Half", 20);
  EXPECT_NEAR(row.at(0).of_roof(), 100 * 16.464 / 20, 0.1);
  // The first operand of addmm is added; batches multiply; f32 may use TF32: 156e12 a second.
  const auto batch =
      one("aten::baddbmm", "[[8, 64, 32], [8, 64, 128], [8, 128, 32], [], []]", "float", 10);
  EXPECT_DOUBLE_EQ(batch.at(0).operations, 2.0 * 8 * 64 * 128 * 32);
  EXPECT_DOUBLE_EQ(batch.at(0).bytes, 4.0 * 8 * (64 * 128 + 128 * 32 + 64 * 32));
}

TEST(Products, of_thousands_of_calls_are_all_counted) {
  std::string text = "[";
  for (int i = 0; i < 5000; ++i)
    text += cat(
        R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"dur":10,"ts":)", 20 * i,
        R"(,"args":{"Input Dims":[[2, 3], [3, 4]],"Input type":["float", "float"]}},)",
        R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"dur":5,"ts":)",
        20 * i + 2, R"(,"args":{"correlation":)", i,
        R"(}},{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"dur":3,"ts":)", 20 * i + 8,
        R"(,"args":{"correlation":)", i, "}},");
  const TraceFolder folder;
  const auto trace = open_alone(folder.file("trace.json", text + "]"));
  const std::vector<Products> list = products(TraceIndex(*trace));
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].calls, 5000U);
  EXPECT_EQ(list[0].device_ns, 5000 * 3'000);
  EXPECT_DOUBLE_EQ(list[0].operations, 5000 * 2.0 * 2 * 3 * 4);
}

// A convolution by a product of unfolded windows, and a second one whose settings are these.
std::string convolutions(std::string_view settings) {
  constexpr std::string_view usual = R"("[1, 1]", "[0, 0]", "[1, 1]", "False", "[0, 0]", "1")";
  const auto op = [](std::string_view name, int at, int length, std::string_view args) {
    return cat(R"({"ph":"X","cat":"cpu_op","name":")", name, R"(","pid":1,"tid":1,"ts":)", at,
               R"(,"dur":)", length, R"(,"args":{"Input type":["float", "float"],)", args, "}},");
  };
  const auto launch = [](int at, int us, int number) {
    return cat(R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":)",
               at, R"(,"dur":1,"args":{"correlation":)", number, R"(}},{"ph":"X","cat":"kernel",)",
               R"("name":"k","pid":0,"tid":7,"ts":)", at + 2, R"(,"dur":)", us,
               R"(,"args":{"correlation":)", number, "}},");
  };
  const auto arguments = [](std::string_view list) {
    return cat(R"("Input Dims":[[1, 2, 4, 4], [3, 2, 3, 3]],"Concrete Inputs":["", "", "", )", list,
               "]");
  };
  return cat("[", op("aten::convolution", 0, 100, arguments(usual)), launch(10, 6, 1),
             op("aten::mm", 20, 10, R"("Input Dims":[[3, 18], [18, 4]])"), launch(22, 4, 2),
             op("aten::convolution", 200, 100, arguments(settings)), launch(210, 5, 3), "]");
}

TEST(Products, inside_a_convolution_are_a_part_of_it) {
  const TraceFolder folder;
  const auto in = [&](std::string_view settings) {
    return products(TraceIndex(*open_alone(folder.file("trace.json", convolutions(settings)))));
  };
  const auto same = in(R"("[1, 1]", "[0, 0]", "[1, 1]", "False", "[0, 0]", "1")");
  ASSERT_EQ(same.size(), 1U);
  EXPECT_EQ(same[0].calls, 2U);
  EXPECT_EQ(same[0].device_ns, 15'000);
  // 2 for each of 2 * 3 * 3 weights of 3 results in 2 * 2 positions; x, weights and result in f32.
  EXPECT_DOUBLE_EQ(same[0].operations, 2 * 2.0 * (18 * 3) * 4);
  EXPECT_DOUBLE_EQ(same[0].bytes, 2 * 4.0 * (2 * 16 + 18 * 3 + 3 * 4));
  const auto other = in(R"("[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1")");
  ASSERT_EQ(other.size(), 2U);
  EXPECT_EQ(other[0].device_ns, 10'000);
  EXPECT_DOUBLE_EQ(other[1].operations, 2.0 * (18 * 3) * 16);
  EXPECT_EQ(in("").size(), 1U);  // an old recording has none
}

TEST(Products, have_no_roof_on_an_unknown_device_and_need_shapes) {
  const auto unknown = one("aten::mm", "[[64, 64], [64, 64]]", "float", 5, "Some GPU");
  EXPECT_EQ(unknown.at(0).roof_ns, 0);
  const auto small = trace_of(R"json([{"ph":"X","name":"op","ts":0,"dur":1,"pid":1,"tid":1}])json");
  const AnswerTable table = products_table(*small, unknown);
  EXPECT_EQ(table.rows[0][7], AnswerCell());
  EXPECT_EQ(table.title, "Matrix products and convolutions beside what their device can do");
  EXPECT_TRUE(one("aten::mm", "[[64, 64], [32, 64]]", "float", 5).empty());
  EXPECT_TRUE(one("aten::mm", "[]", "float", 5).empty());
  EXPECT_TRUE(one("aten::add", "[[64, 64], [64, 64]]", "float", 5).empty());
}

TEST(Products, of_devices_are_found_by_the_most_specific_name) {
  EXPECT_EQ(sheet_of("NVIDIA H100 PCIe")->f16, 756);
  EXPECT_EQ(sheet_of("NVIDIA H100 80GB HBM3")->f16, 989);
  EXPECT_EQ(sheet_of("NVIDIA A100-PG509-200")->bytes, 1.555);
  EXPECT_EQ(sheet_of("NVIDIA A100-SXM4-80GB")->bytes, 2.039);
  EXPECT_EQ(sheet_of("NVIDIA A10")->f16, 125);
  EXPECT_EQ(sheet_of("AMD Instinct MI300X")->f16, 1307.4);
  EXPECT_EQ(sheet_of("NVIDIA L4")->bytes, 0.3);
  for (const std::string_view other :
       {"AMD Radeon Graphics", "NVIDIA L40", "NVIDIA A10G", "NVIDIA T400", "NVIDIA GB200"})
    EXPECT_FALSE(sheet_of(other)) << other;
}

}  // namespace
}  // namespace vitro::analyze
