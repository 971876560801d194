// Compiling text to functions: diagnostics, the caches in memory and on disk, threads and signals.
#include "backend/jit/jit.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "backend/jit/cache.h"
#include "backend/jit/compiler.h"
#include "backend/jit_folder.h"
#include "kernels/prelude.h"

namespace vitro::jit {
namespace {

using testing::ExitedWithCode;

TEST(Jit, text_becomes_a_function) {
  CacheFolder folder;
  JitReport report;
  auto module = load_or_compile(adder(3), &report);
  ASSERT_TRUE(module) << module.why();
  EXPECT_EQ(run(**module, "add3"), 4.0f);
  EXPECT_EQ((*module)->kernel("add4").code, nullptr);
  EXPECT_FALSE(report.from_disk || report.from_memory || report.in_helper);
  EXPECT_EQ(report.key.size(), 32u);
  EXPECT_EQ(report.diagnostics, "");
  EXPECT_GT(report.clang_ns, 0);
}

TEST(Jit, all_parts_of_the_prelude_compile_without_a_warning) {
  CacheFolder folder;
  JitReport report;
  auto module =
      load_or_compile(kernels::prelude_text(kernels::prelude_parts()) + adder(1), &report);
  ASSERT_TRUE(module) << module.why();
  EXPECT_EQ(report.diagnostics, "");
}

TEST(Jit, bad_text_is_a_failure_that_says_where) {
  CacheFolder folder;
  auto module = load_or_compile("int f() { return 1; }\nint g() { return x; }\n");
  ASSERT_FALSE(module);
  EXPECT_TRUE(says(module.why(), "kernels.cpp:2:18: error: use of undeclared identifier 'x'"))
      << module.why();
  EXPECT_EQ(folder.count(".trying"), 0u);
}

TEST(Jit, a_function_that_nobody_defines_is_a_failure_that_names_it) {
  CacheFolder folder;
  auto module = load_or_compile(
      "extern \"C\" void vitro_missing(); extern \"C\" void f() { vitro_missing(); }\n");
  ASSERT_FALSE(module);
  EXPECT_TRUE(says(module.why(), "vitro_missing")) << module.why();
}

TEST(Jit, the_text_cannot_read_files_of_the_machine) {
  CacheFolder folder;
  EXPECT_FALSE(load_or_compile("#include \"/etc/passwd\"\n"));
  EXPECT_FALSE(load_or_compile("#include <stdio.h>\n"));
}

TEST(Jit, several_texts_become_one_module) {
  CacheFolder folder;
  std::vector<std::string> texts;
  for (int i = 0; i < 5; ++i) texts.push_back(adder(i));
  auto module = load_or_compile(texts);
  ASSERT_TRUE(module) << module.why();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(run(**module, "add" + std::to_string(i)), 1.0f + float(i));
}

TEST(Jit, the_same_text_is_found_in_memory_then_on_disk) {
  CacheFolder folder;
  JitReport report;
  ASSERT_TRUE(load_or_compile(adder(5)));
  ASSERT_TRUE(load_or_compile(adder(5), &report));
  EXPECT_TRUE(report.from_memory);
  forget_modules();
  auto module = load_or_compile(adder(5), &report);
  ASSERT_TRUE(module);
  EXPECT_TRUE(report.from_disk);
  EXPECT_EQ(report.clang_ns, 0);
  EXPECT_EQ(run(**module, "add5"), 6.0f);
}

TEST(Jit, a_folder_is_empty_until_a_kernel_is_kept) {
  CacheFolder folder;
  EXPECT_TRUE(DiskCache::is_empty());
  cache_dir.set(folder.path() + "/no/such");
  EXPECT_TRUE(DiskCache::is_empty());
  cache_dir.set(folder.path());
  ASSERT_TRUE(load_or_compile(adder(10)));
  EXPECT_FALSE(DiskCache::is_empty());
}

TEST(Jit, threads_that_ask_for_one_text_compile_it_once) {
  CacheFolder folder;
  std::vector<JitReport> reports(8);
  std::vector<std::thread> threads;
  for (JitReport& report : reports) {
    threads.emplace_back([&report] { EXPECT_TRUE(load_or_compile(adder(6), &report)); });
  }
  for (std::thread& thread : threads) thread.join();
  int compiled = 0;
  for (const JitReport& report : reports) compiled += report.clang_ns > 0;
  EXPECT_EQ(compiled, 1);
}

TEST(Jit, compiling_leaves_the_signal_handlers_alone) {
  CacheFolder folder;
  struct sigaction mine = {}, after = {};
  mine.sa_handler = [](int) {};
  sigaction(SIGUSR1, &mine, nullptr);
  std::vector<decltype(after.sa_handler)> before(32);
  for (int s = 1; s < 32; ++s) {
    sigaction(s, nullptr, &after);
    before[s] = after.sa_handler;
  }
  ASSERT_TRUE(load_or_compile(adder(7)));
  for (int s = 1; s < 32; ++s) {
    sigaction(s, nullptr, &after);
    EXPECT_EQ(after.sa_handler, before[s]) << "signal " << s;
  }
  signal(SIGUSR1, SIG_DFL);
}

TEST(Jit, without_a_usable_folder_kernels_still_run_and_the_reason_is_kept) {
  CacheFolder folder;
  cache_dir.set("/proc/no-such-folder/vitro");
  JitReport report;
  for (int i = 20; i < 23; ++i) {
    auto module = load_or_compile(adder(i), &report);
    ASSERT_TRUE(module) << module.why();
    EXPECT_EQ(run(**module, "add" + std::to_string(i)), 1.0f + float(i));
    EXPECT_TRUE(says(report.note, "/proc/no-such-folder/vitro: could not be created"))
        << report.note;
  }
}

TEST(Jit, disabled_caches_compile_every_time) {
  CacheFolder folder;
  force_disable_caches.set(true);
  JitReport first, second;
  EXPECT_TRUE(load_or_compile(adder(8), &first));
  EXPECT_TRUE(load_or_compile(adder(8), &second));
  force_disable_caches.set(false);
  EXPECT_GT(first.clang_ns, 0);
  EXPECT_GT(second.clang_ns, 0);
  EXPECT_EQ(folder.count(".so"), 0u);
}

class JitDeathTest : public testing::Test {
 protected:
  JitDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(JitDeathTest, a_warm_start_does_not_load_the_compiler) {
  CacheFolder folder;
  ASSERT_TRUE(load_or_compile(adder(9)));
  auto warm = [] {
    JitReport report;
    auto module = load_or_compile(adder(9), &report);
    return module && report.from_disk && run(**module, "add9") == 10.0f &&
           !is_mapped("libvitro-cc") && !is_mapped("libLLVM");
  };
  EXPECT_EXIT(
      {
        forget_modules();
        _exit(warm() ? 0 : 1);
      },
      ExitedWithCode(0), "");
}

TEST_F(JitDeathTest, the_compiler_is_loaded_ahead_only_where_no_cache_can_have_the_text) {
  CacheFolder folder;
  ASSERT_TRUE(load_or_compile(adder(11)));
  auto stays_away = [] {
    expect_text();
    usleep(50'000);
    return !is_mapped("libvitro-cc");
  };
  EXPECT_EXIT(_exit(stays_away() ? 0 : 1), ExitedWithCode(0), "");
  auto comes = [] {
    force_disable_caches.set(true);
    expect_text();
    return bool(load_or_compile(adder(11)));
  };
  EXPECT_EXIT(_exit(comes() ? 0 : 1), ExitedWithCode(0), "");
}

}  // namespace
}  // namespace vitro::jit
