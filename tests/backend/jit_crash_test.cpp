// Crashes of the compiler: markers of dead processes, helper processes that fail, and missing
// compiler libraries.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "backend/jit/compiler.h"
#include "backend/jit/target.h"
#include "backend/jit_folder.h"

namespace vitro::jit {
namespace {

using testing::ExitedWithCode;

std::string dead_process() {
  pid_t pid = fork();
  if (pid == 0) _exit(0);
  waitpid(pid, nullptr, 0);
  return std::to_string(pid) + " 12345\n";
}

std::string key_of(const std::string& text) {
  JitReport report;
  EXPECT_TRUE(load_or_compile(text, &report));
  std::filesystem::remove(report.path);
  forget_modules();
  return report.key;
}

// Leaves the folder as a process that died while compiling `text` would.
std::string leave_marker(const CacheFolder& folder, const std::string& text) {
  std::string path = folder.path() + "/" + key_of(text) + ".trying";
  std::ofstream(path) << dead_process();
  return path;
}

// A program that stands for a helper in trouble.
std::string program(const CacheFolder& folder, const std::string& command) {
  std::string path = folder.path() + "/helper.sh";
  std::ofstream(path) << "#!/bin/sh\n" << command << "\n";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

TEST(JitCrash, a_key_that_brought_a_process_down_goes_to_the_helper) {
  CacheFolder folder;
  std::string marker = leave_marker(folder, adder(60));
  JitReport report;
  auto module = load_or_compile(adder(60), &report);
  ASSERT_TRUE(module) << module.why();
  EXPECT_TRUE(report.in_helper);
  EXPECT_GT(report.clang_ns, 0);
  EXPECT_EQ(run(**module, "add60"), 61.0f);
  EXPECT_FALSE(std::filesystem::exists(marker));
}

TEST(JitCrash, a_process_that_is_at_work_is_not_taken_for_a_crash) {
  CacheFolder folder;
  std::string marker = leave_marker(folder, adder(61));
  std::ifstream stat("/proc/1/stat");
  std::string word;
  for (int field = 1; field <= 22; ++field)
    stat >> word;  // the moment it started; process 1 has no spaces in its name
  std::ofstream(marker) << "1 " << word << "\n";
  JitReport report;
  ASSERT_TRUE(load_or_compile(adder(61), &report));
  EXPECT_FALSE(report.in_helper);
}

TEST(JitCrash, a_helper_that_crashes_gives_its_signal) {
  CacheFolder folder;
  leave_marker(folder, adder(62));
  cc_helper.set(program(folder, "kill -SEGV $$"));
  auto module = load_or_compile(adder(62));
  cc_helper.set("");
  ASSERT_FALSE(module);
  EXPECT_TRUE(says(module.why(), "was killed by signal 11 (Segmentation fault)")) << module.why();
  EXPECT_EQ(folder.count(".trying"), 1u);
}

TEST(JitCrash, a_helper_that_answers_nonsense_is_not_believed) {
  CacheFolder folder;
  leave_marker(folder, adder(63));
  cc_helper.set(program(folder, "echo hello"));
  auto module = load_or_compile(adder(63));
  cc_helper.set("");
  ASSERT_FALSE(module);
  EXPECT_TRUE(says(module.why(), "exited with status 0")) << module.why();
}

TEST(JitCrash, a_helper_that_hangs_is_stopped) {
  CacheFolder folder;
  leave_marker(folder, adder(64));
  cc_helper.set(program(folder, "exec sleep 100"));
  cc_timeout_s.set(1);
  auto module = load_or_compile(adder(64));
  cc_helper.set("");
  cc_timeout_s.set(60);
  ASSERT_FALSE(module);
  EXPECT_TRUE(says(module.why(), "timed out after 1 s")) << module.why();
}

TEST(JitCrash, a_missing_helper_is_named) {
  CacheFolder folder;
  leave_marker(folder, adder(65));
  cc_helper.set("/nowhere/vitro-cc");
  auto module = load_or_compile(adder(65));
  cc_helper.set("");
  ASSERT_FALSE(module);
  EXPECT_TRUE(says(module.why(), "/nowhere/vitro-cc could not be started: No such file"))
      << module.why();
}

TEST(JitCrash, the_helper_reports_bad_text) {
  WireRequest request;
  request.sources = {"int f() { return y; }"};
  request.name = "kernels.cpp";
  request.triple = host_target().triple;
  request.flags = compiler_flags();
  auto compiled = compile_in_helper(request);
  ASSERT_FALSE(compiled);
  EXPECT_TRUE(says(compiled.why(), "kernels.cpp:1:18: error")) << compiled.why();
}

TEST(JitCrash, requests_survive_the_wire_and_broken_ones_are_refused) {
  WireRequest request, back;
  request.sources = {"one", std::string("t\0wo", 4)};
  request.flags = "-O2";
  request.vector_bits = 512;
  std::string bytes = write_wire(request);
  ASSERT_TRUE(read_wire(bytes, back));
  EXPECT_EQ(back.sources, request.sources);
  EXPECT_EQ(back.flags, "-O2");
  EXPECT_EQ(back.vector_bits, 512u);
  for (size_t size = 0; size < bytes.size(); ++size) {
    WireRequest broken;
    EXPECT_FALSE(read_wire(std::string_view(bytes).substr(0, size), broken)) << size;
  }
}

class JitCrashDeathTest : public testing::Test {
 protected:
  JitCrashDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(JitCrashDeathTest, a_missing_compiler_library_is_named) {
  CacheFolder folder;
  auto missing = [] {
    cc_library.set("/nowhere/libvitro-cc.so");
    auto module = load_or_compile(adder(66));
    return !module && says(module.why(), "/nowhere/libvitro-cc.so") &&
           says(module.why(), "VITRO_CC_LIBRARY");
  };
  EXPECT_EXIT(_exit(missing() ? 0 : 1), ExitedWithCode(0), "");
}

TEST_F(JitCrashDeathTest, a_library_of_another_kind_is_refused) {
  CacheFolder folder;
  auto wrong = [] {
    cc_library.set("libc.so.6");
    auto module = load_or_compile(adder(67));
    return !module && says(module.why(), "is not a vitro compiler library");
  };
  EXPECT_EXIT(_exit(wrong() ? 0 : 1), ExitedWithCode(0), "");
}

TEST(JitTarget, every_feature_is_one_that_the_system_lists) {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string flags, line;
  while (flags.empty() && std::getline(cpuinfo, line)) {
    if (line.starts_with("flags")) flags = line + " ";
  }
  std::istringstream features(host_target().features);
  for (std::string name; std::getline(features, name, ',');) {
    name.erase(0, 1);  // the plus
    if (name == "bmi") name = "bmi1";
    if (name == "lzcnt") name = "abm";
    EXPECT_TRUE(says(flags, " " + name + " ")) << name;
  }
  EXPECT_EQ(says(host_target().features, "+avx2"),
            kernels::machine_isa() != kernels::Isa::baseline);
}

}  // namespace
}  // namespace vitro::jit
