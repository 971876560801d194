#include "runtime/cpu/machine.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

namespace vitro::runtime {
namespace {

// The kernel's list of flags of the first processor, with a space on both sides of each flag.
std::string flags() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("flags") || line.starts_with("Features")) return line + " ";
  }
  return "";
}

TEST(Machine, has_threads_memory_and_an_architecture) {
  const Machine& m = machine();
  EXPECT_GE(m.available_threads, 1);
  EXPECT_LE(m.available_threads, m.hardware_threads);
  EXPECT_LE(m.available_threads, static_cast<int>(std::thread::hardware_concurrency()));
  EXPECT_FALSE(m.architecture.empty());
  EXPECT_GT(m.available_memory_bytes, size_t{1} << 28);
  EXPECT_LE(m.available_memory_bytes, m.memory_bytes);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they reserve more addresses
TEST(MachineDeathTest, offers_no_more_memory_than_the_process_may_map) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // in a process that has not asked before
  const auto bounded = [] {
    const rlimit limit{rlim_t{1} << 30, rlim_t{1} << 30};
    setrlimit(RLIMIT_AS, &limit);
    std::exit(machine().available_memory_bytes == limit.rlim_cur ? 0 : 1);
  };
  EXPECT_EXIT(bounded(), testing::ExitedWithCode(0), "");
}
#endif

TEST(Machine, agrees_with_the_kernel_about_features) {
  const std::string all = flags();
  if (machine().architecture != "x86_64" || all.empty()) GTEST_SKIP() << "no list to compare with";
  // LLVM's name, which Vitro uses, and the kernel's.
  const std::pair<const char*, const char*> names[] = {{"avx2", "avx2"},
                                                       {"fma", "fma"},
                                                       {"f16c", "f16c"},
                                                       {"avx512f", "avx512f"},
                                                       {"avx512bw", "avx512bw"},
                                                       {"avx512vl", "avx512vl"},
                                                       {"avx512dq", "avx512dq"},
                                                       {"avx512bf16", "avx512_bf16"},
                                                       {"avx512vnni", "avx512_vnni"},
                                                       {"avx512fp16", "avx512_fp16"},
                                                       {"avx512vbmi", "avx512vbmi"},
                                                       {"amx-tile", "amx_tile"},
                                                       {"amx-bf16", "amx_bf16"},
                                                       {"popcnt", "popcnt"},
                                                       {"bmi2", "bmi2"},
                                                       {"sse4.2", "sse4_2"}};
  for (const auto& [ours, kernels] : names) {
    const bool expected = all.find(std::string(" ") + kernels + " ") != std::string::npos;
    EXPECT_EQ(machine().has(ours), expected) << ours;
  }
}

TEST(Machine, lists_features_in_order_of_their_names) {
  const auto& features = machine().features;
  EXPECT_TRUE(std::is_sorted(features.begin(), features.end(),
                             [](auto& a, auto& b) { return a.name < b.name; }));
  EXPECT_FALSE(machine().has("no such feature"));
}

TEST(Machine, names_its_processor_by_more_than_a_brand) {
  EXPECT_FALSE(processor_name().empty());
  if (machine().architecture != "x86_64") return;
  EXPECT_NE(processor_name().find("family "), std::string::npos) << processor_name();
  EXPECT_EQ(processor_name().find("(family ,"), std::string::npos) << processor_name();
}

}  // namespace
}  // namespace vitro::runtime
