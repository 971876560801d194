// Faults around the compiler: missing tools and libraries, broken files, signals.
#include "backend/jit/fault.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "backend/jit/compiler.h"
#include "backend/jit_folder.h"
#include "vitro/base/cat.h"

namespace vitro::jit {
namespace {

namespace fs = std::filesystem;
using testing::ExitedWithCode;

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

size_t count_of(const char* folder) {
  return size_t(std::distance(fs::directory_iterator(folder), {}));
}

// Mappings of kernels that were loaded from memory.
size_t count_of_kernel_mappings() {
  std::ifstream maps("/proc/self/maps");
  size_t count = 0;
  for (std::string line; std::getline(maps, line);) count += says(line, "memfd:vitro_kernels");
  return count;
}

TEST(JitFault, without_a_folder_kernels_cost_no_descriptor) {
  CacheFolder folder;
  cache_dir.set("/proc/no-such-folder/vitro");
  ASSERT_TRUE(load_or_compile(adder(0)));
  const size_t before = count_of("/proc/self/fd");
  for (int i = 1; i < 40; ++i) {
    auto module = load_or_compile(adder(i));
    ASSERT_TRUE(module) << module.why();
    EXPECT_EQ(run(**module, cat("add", i)), 1.0f + float(i));
  }
  EXPECT_EQ(count_of("/proc/self/fd"), before);
}

TEST(JitFault, kernels_that_nobody_holds_are_unloaded_where_no_cache_holds_them) {
  CacheFolder folder;
  force_disable_caches.set(true);
  const size_t before = count_of_kernel_mappings();
  {
    auto held = load_or_compile(adder(0));
    ASSERT_TRUE(held);
    EXPECT_GT(count_of_kernel_mappings(), before);
  }
  const size_t files = count_of("/proc/self/fd");
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(load_or_compile(adder(i)));
  force_disable_caches.set(false);
  EXPECT_EQ(count_of("/proc/self/fd"), files);
  EXPECT_EQ(count_of_kernel_mappings(), before);
}

TEST(JitFault, the_first_error_stands_first) {
  CacheFolder folder;
  std::string text;
  for (int i = 0; i < 200; ++i)
    text += cat("extern \"C\" int f", i, "() { }\n");  // no return value: a warning
  auto module = load_or_compile(text + "int g() { return x; }\n");
  ASSERT_FALSE(module);
  EXPECT_EQ(
      first_line(module.why()),
      "jit: the kernels' source does not compile: kernels.cpp:201:18: error: use of undeclared "
      "identifier 'x'; please report it with the source, which VITRO_COMPILE_DEBUG=1 keeps");
}

TEST(JitFault, faults_say_what_to_do) {
  EXPECT_EQ(fault(ENOSPC),
            "No space left on device; free some space, or set VITRO_CACHE_DIR to another folder");
  EXPECT_TRUE(says(fault(EFBIG), "ulimit -f"));
  EXPECT_TRUE(says(fault(EMFILE), "ulimit -n"));
  EXPECT_EQ(fault(EACCES), "Permission denied");
}

TEST(JitFault, a_library_is_whole_or_the_reason_says_why) {
  const std::string library = beside_library("libvitro-cc.so", "../lib");
  EXPECT_TRUE(check_complete_library(library));
  EXPECT_TRUE(says(check_complete_library("/nowhere/x.so").why(), "/nowhere/x.so: No such file"));
  EXPECT_TRUE(says(check_complete_library("/proc/self/cmdline").why(), "is not a shared library"));
  EXPECT_TRUE(says(check_complete_library("/").why(), "is not a file"));
}

// Each runs in a separate process and is therefore a death test: limits cannot be raised again, and
// a loaded compiler stays loaded.
class JitFaultDeathTest : public testing::Test {
 protected:
  JitFaultDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// Ends the process, successfully if `why` contains all parts.
[[noreturn]] void finish(const std::string& why, std::initializer_list<const char*> parts) {
  for (const char* part : parts) {
    if (says(why, part)) continue;
    std::fprintf(stderr, "\"%s\" is missing in: %s\n", part, why.c_str());
    _exit(1);
  }
  _exit(0);
}

std::string why_not(int n) {
  auto module = load_or_compile(adder(n));
  return module ? "it was compiled" : module.why();
}

TEST_F(JitFaultDeathTest, a_shortened_compiler_library_is_named) {
  CacheFolder folder;
  const auto shortened = [&] {
    const std::string copy = folder.path() + "/libvitro-cc.so";
    std::ifstream in(beside_library("libvitro-cc.so", "../lib"), std::ios::binary);
    std::string bytes(5 << 20, '\0');
    in.read(bytes.data(), std::streamsize(bytes.size()));
    std::ofstream(copy, std::ios::binary) << bytes;
    cc_library.set(copy);
    finish(why_not(1), {"is truncated: it has 5242880 bytes", "reinstall it"});
  };
  EXPECT_EXIT(shortened(), ExitedWithCode(0), "");
}

void limit(int resource, rlim_t value) {
  const rlimit both = {value, value};
  setrlimit(__rlimit_resource_t(resource), &both);
}

TEST_F(JitFaultDeathTest, a_limit_of_file_sizes_is_a_reason_and_no_signal) {
  CacheFolder folder;
  const auto limited = [] {
    limit(RLIMIT_FSIZE, 100);
    finish(why_not(2), {"could not be written", "File too large", "ulimit -f"});
  };
  EXPECT_EXIT(limited(), ExitedWithCode(0), "");
}

TEST_F(JitFaultDeathTest, a_limit_of_file_sizes_that_only_the_cache_meets_leaves_kernels_that_run) {
  CacheFolder folder;
  const auto limited = [] {
    limit(RLIMIT_FSIZE, 3000);  // the module is smaller; its prelude and texts may fail
    JitReport report;
    auto module = load_or_compile(adder(3), &report);
    finish(module ? "it runs" : module.why(), {"it runs"});
  };
  EXPECT_EXIT(limited(), ExitedWithCode(0), "");
}

TEST_F(JitFaultDeathTest, without_descriptors_the_reason_says_so) {
  CacheFolder folder;
  const auto limited = [] {
    limit(RLIMIT_NOFILE, 64);
    while (open("/dev/null", O_RDONLY) >= 0) {
    }
    finish(why_not(4), {"Too many open files", "ulimit -n"});
  };
  EXPECT_EXIT(limited(), ExitedWithCode(0), "");
}

uint64_t address_space() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * uint64_t(sysconf(_SC_PAGESIZE));
}

// A sanitizer reserves the entire address space.
constexpr bool has_addresses_of_its_own =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    false;
#else
    true;
#endif

TEST_F(JitFaultDeathTest, without_a_thread_the_reason_says_so) {
  if (!has_addresses_of_its_own) GTEST_SKIP() << "needs a limit of addresses";
  CacheFolder folder;
  const auto limited = [] {
    (void)load_or_compile(adder(5));  // loads the library
    limit(RLIMIT_AS, address_space() + (20 << 20));
    force_disable_caches.set(true);
    finish(why_not(6), {"no thread could be started", "ulimit"});
  };
  EXPECT_EXIT(limited(), ExitedWithCode(0), "");
}

TEST_F(JitFaultDeathTest, with_too_little_memory_the_process_goes_on) {
  if (!has_addresses_of_its_own) GTEST_SKIP() << "needs a limit of addresses";
  CacheFolder folder;
  for (const int more : {66, 70, 72, 76, 80, 90, 100}) {
    const auto limited = [more] {
      (void)load_or_compile(adder(7));
      limit(RLIMIT_AS, address_space() + (rlim_t(more) << 20));
      force_disable_caches.set(true);
      const std::string why = why_not(8);
      finish(why, {why == "it was compiled" ? "" : "ulimit"});
    };
    EXPECT_EXIT(limited(), ExitedWithCode(0), "") << more << " MiB";
  }
}

TEST_F(JitFaultDeathTest, a_full_folder_leaves_kernels_that_run_and_the_reason) {
  CacheFolder folder;
  const auto full = [&] {
    if (unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", folder.path().c_str(), "tmpfs", 0, "size=4k,mode=700") != 0)
      _exit(0);  // only root may
    JitReport report;
    auto module = load_or_compile(adder(9), &report);
    finish(module ? report.note : module.why(),
           {"the kernel cache cannot be used", "No space left on device", "free some space"});
  };
  EXPECT_EXIT(full(), ExitedWithCode(0), "");
}

std::atomic<int> handled = 0;  // any thread may receive a signal that is sent to the process
static_assert(std::atomic<int>::is_always_lock_free);

std::set<std::string> names_in(const char* folder) {
  std::set<std::string> names;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator(folder, gone)) names.insert(entry.path());
  return names;
}

// Compiles kernels while signals arrive: signals with a handler must reach it, ignored ones must
// stay ignored.
[[noreturn]] void compile_among_signals(int kernels) {
  for (const int number : {SIGINT, SIGTERM}) signal(number, [](int) { ++handled; });
  for (const int number : {SIGHUP, SIGUSR2}) signal(number, SIG_IGN);
  std::atomic<bool> done = false;
  std::thread sender([&, me = pthread_self()] {
    while (!done) {
      for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR2}) {
        pthread_kill(me, number);
        kill(getpid(), number);
        usleep(200);
      }
    }
  });
  force_disable_caches.set(true);
  bool ok = true;
  for (int i = 0; i < kernels; ++i) ok = load_or_compile(adder(i)).ok() && ok;
  done = true;
  sender.join();
  for (const int number : {SIGHUP, SIGUSR2}) ok = signal(number, SIG_DFL) == SIG_IGN && ok;
  _exit(ok && handled > 0 ? 0 : 1);
}

TEST_F(JitFaultDeathTest, signals_that_arrive_while_kernels_are_compiled_are_the_hosts) {
  CacheFolder folder;
  const auto memory = names_in("/dev/shm"), temporary = names_in("/tmp");
  EXPECT_EXIT(compile_among_signals(30), ExitedWithCode(0), "");
  for (const auto& name : names_in("/dev/shm")) EXPECT_TRUE(memory.contains(name)) << name;
}

// A process that is ended by signal `number` in the middle of compiling, after `wait` microseconds.
int end_by(int number, int wait, const std::string& folder) {
  const pid_t child = fork();
  if (child == 0) {
    signal(number, SIG_DFL);  // a shell's background jobs ignore some
    cache_dir.set(folder);
    for (int i = 0;; ++i) (void)load_or_compile(adder(100 + i));
  }
  usleep(useconds_t(wait));
  kill(child, number);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST_F(JitFaultDeathTest, a_process_that_a_signal_ends_leaves_nothing_outside_its_folder) {
  CacheFolder folder;
  const auto ended = [&] {
    const auto memory = names_in("/dev/shm");
    bool ok = true;
    for (int i = 0; i < 12; ++i) {
      for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR2})
        ok = end_by(number, 60'000 + 1700 * i, folder.path()) == number && ok;
    }
    for (const auto& name : names_in("/dev/shm")) {
      if (!memory.contains(name)) std::fprintf(stderr, "%s stays\n", name.c_str());
      ok = ok && memory.contains(name);
    }
    _exit(ok ? 0 : 1);
  };
  EXPECT_EXIT(ended(), ExitedWithCode(0), "");
}

}  // namespace
}  // namespace vitro::jit
