// Tests repeated sequences of kernels on streams written as letters.
#include "analyze/questions/ops/sequences.h"

#include <gtest/gtest.h>

#include <string>

#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

// Kernels of 10 us that were launched at 1 us, one by one or by a device graph: each 2 us after the
// one before it; a letter is a name, in capitals an elementwise one; a space is a pause of 88 us
// more.
std::string on_stream(std::string_view letters, bool by_graph = false) {
  std::string out, launches;
  int at = 5;
  for (const char letter : letters) {
    if (letter == ' ') {
      at += 88;
      continue;
    }
    const std::string name =
        letter < 'a' ? cat("elementwise_", letter) : cat("gemm_", std::string(1, letter));
    out += cat(R"(,{"ph":"X","cat":"kernel","name":")", name, R"(","ts":)", at,
               R"(,"dur":10,"pid":0,"tid":7,"args":{"correlation":)", by_graph ? 1 : at, "}}");
    launches += cat(R"(,{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":1,"dur":1,)"
                    R"("pid":1,"tid":1,"args":{"correlation":)",
                    at, "}}");
    at += 12;
  }
  return out + launches;
}

// "kernels runs repeats work idle fusible first", times in microseconds; then the findings,
// and whether they advise to fuse kernels.
std::string of(const std::string& events) {
  const auto trace =
      trace_of(cat(R"([{"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","ts":1,)"
                   R"("dur":1,"pid":1,"tid":1,"args":{"correlation":1}})",
                   events, "]"));
  Answer answer;
  add_sequences(TraceIndex(*trace), answer);
  std::string out;
  for (const AnswerTable& table : answer.tables) {
    for (const auto& row : table.rows) {
      for (size_t c = 2; c < row.size(); ++c) {
        const bool is_time = table.columns[c].unit == Unit::ns;
        out += cat(static_cast<int64_t>(cell_number(row[c])) / (is_time ? 1000 : 1), " ");
      }
      out += cat(std::get<std::string>(row[1]), "\n");
    }
  }
  for (const Finding& f : answer.findings)
    out += cat(f.key, " ", f.low_ns / 1000, " ", f.high_ns / 1000,
               f.advice.find("fusing") == f.advice.npos ? "" : " fuse", "\n");
  return out;
}

TEST(Sequences, that_follow_one_another_are_found_with_their_idle_time) {
  // 12 kernels after x, 11 gaps of 2 us between them.
  EXPECT_EQ(of(on_stream("xabcabcabcabcy")),
            "3 1 4 120 22 0 2 gemm_a, 1 more, gemm_c\nkernels.sequence.0 0 22\n");
}

TEST(Sequences, are_the_same_wherever_a_run_begins) {
  // Three runs of three repeats of three kernels; two kernels of the second begin another repeat.
  EXPECT_EQ(of(on_stream("xabcabcabc ybcabcabcabcz qcabcabcabr")),
            "3 3 9 270 48 0 2 gemm_a, 1 more, gemm_c\nkernels.sequence.0 0 48\n");
}

TEST(Sequences, are_the_shortest_that_are_repeated) {
  EXPECT_EQ(of(on_stream("aaaaaaaaa")), "1 1 9 90 16 0 1 gemm_a\nkernels.sequence.0 0 16\n");
  // What is repeated inside a sequence that is repeated is a part of that.
  EXPECT_EQ(of(on_stream("xbaaaaaaaacbaaaaaaaacbaaaaaaaacy")),
            "10 1 3 300 58 0 2 gemm_b, 8 more, gemm_c\nkernels.sequence.0 0 58\n");
}

TEST(Sequences, need_eight_kernels_and_two_repeats) {
  EXPECT_EQ(of(on_stream("xabcabcy")), "");
  EXPECT_EQ(of(on_stream("xabcdefghijklmnopy")), "");
  EXPECT_EQ(of(on_stream("xabcdabcdy")),
            "4 1 2 80 14 0 2 gemm_a, 2 more, gemm_d\nkernels.sequence.0 0 14\n");
}

TEST(Sequences, say_which_kernels_could_be_fused) {
  // Of each four, B follows A; of the run, A follows nothing elementwise.
  EXPECT_EQ(of(on_stream("xABcdABcdABcdy")),
            "4 1 3 120 22 30 2 elementwise_A, 2 more, gemm_d\nkernels.sequence.0 0 22 fuse\n");
}

TEST(Sequences, do_not_count_gaps_in_which_another_stream_works) {
  // The other kernel covers all gaps but the last.
  EXPECT_EQ(of(on_stream("abababab") + R"(,{"ph":"X","cat":"kernel","name":"z","ts":5,"dur":82,)" +
               R"("pid":0,"tid":9})"),
            "2 1 4 80 2 0 1 gemm_a, gemm_b\nkernels.sequence.0 0 2\n");
}

TEST(Sequences, of_a_device_graph_are_not_advised_to_be_one) {
  EXPECT_EQ(of(on_stream("xabcabcabcabcy", true)), "3 1 4 120 0 0 2 gemm_a, 1 more, gemm_c\n");
}

TEST(Sequences, that_are_launched_late_are_not_what_the_finding_is_about) {
  std::string events;
  for (int i = 0; i < 8; ++i)
    events += cat(R"(,{"ph":"X","cat":"kernel","name":"a","ts":)", 20 * i + 10,
                  R"(,"dur":10,"pid":0,"tid":7,"args":{"correlation":)", i + 2,
                  R"(}},{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":)",
                  20 * i + 5, R"(,"dur":4,"pid":1,"tid":1,"args":{"correlation":)", i + 2, "}}");
  EXPECT_EQ(of(events), "1 1 8 80 70 0 1 a\n");
}

}  // namespace
}  // namespace vitro::analyze
