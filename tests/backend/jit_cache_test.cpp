#include "backend/jit/cache.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "backend/jit_folder.h"

namespace vitro::jit {
namespace {

namespace fs = std::filesystem;
using testing::ExitedWithCode;

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(JitCache, TheFolderIsTheOwnersOnly) {
  CacheFolder folder;
  std::string why, nested = folder.path() + "/a/b";
  cache_dir.set(nested);
  EXPECT_TRUE(DiskCache::open(why).ok()) << why;
  struct stat info;
  ASSERT_EQ(stat(nested.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
}

TEST(JitCache, AFolderThatOthersMayWriteToIsClosedToThem) {
  CacheFolder folder;
  chmod(folder.path().c_str(), 0777);
  std::string why;
  EXPECT_TRUE(DiskCache::open(why).ok());
  struct stat info;
  ASSERT_EQ(stat(folder.path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 022, 0u);
}

TEST(JitCache, AFolderOfSomebodyElseIsRefused) {
  CacheFolder folder;
  cache_dir.set(geteuid() == 0 ? folder.path() : "/");
  if (geteuid() == 0) {
    ASSERT_EQ(chown(folder.path().c_str(), 12345, 12345), 0);
  }
  std::string why;
  EXPECT_FALSE(DiskCache::open(why).ok());
  EXPECT_TRUE(says(why, "belongs to user")) << why;
}

// What happens to an entry whose file is changed by `damage`.
template <class Damage>
void expect_recompiled(int n, Damage damage) {
  CacheFolder folder;
  JitReport report;
  ASSERT_TRUE(load_or_compile(adder(n), &report));
  std::string path = report.path, sound = bytes_of(path), broken = sound;
  damage(broken);
  fs::remove(path);  // the loader still maps the old file
  write_bytes(path, broken);
  forget_modules();
  auto module = load_or_compile(adder(n), &report);
  ASSERT_TRUE(module) << module.why();
  EXPECT_FALSE(report.from_disk);
  EXPECT_EQ(run(**module, "add" + std::to_string(n)), 1.0f + float(n));
  EXPECT_EQ(bytes_of(path), sound);
}

TEST(JitCache, AnEntryWithAChangedByteIsCompiledAgain) {
  expect_recompiled(40, [](std::string& bytes) { bytes[bytes.size() / 2] ^= 1; });
}
TEST(JitCache, AShortenedEntryIsCompiledAgain) {
  expect_recompiled(41, [](std::string& bytes) { bytes.resize(bytes.size() / 2); });
}
TEST(JitCache, AnEmptyEntryIsCompiledAgain) {
  expect_recompiled(42, [](std::string& bytes) { bytes.clear(); });
}
TEST(JitCache, AnEntryWithoutItsChecksumIsCompiledAgain) {
  expect_recompiled(43, [](std::string& bytes) { bytes.resize(bytes.size() - 32); });
}

TEST(JitCache, ALinkIsNotAnEntry) {
  CacheFolder folder;
  JitReport report;
  ASSERT_TRUE(load_or_compile(adder(44), &report));
  fs::rename(report.path, folder.path() + "/elsewhere");
  fs::create_symlink(folder.path() + "/elsewhere", report.path);
  forget_modules();
  ASSERT_TRUE(load_or_compile(adder(44), &report));
  EXPECT_FALSE(report.from_disk);
}

TEST(JitCache, TheLeastRecentlyUsedEntriesMakeRoom) {
  CacheFolder folder;
  std::string why, path;
  DiskCache cache = DiskCache::open(why);
  for (const char* key : {"one", "two", "three"})
    ASSERT_TRUE(cache.store(key, std::string(1000, 'x'), path, why));
  auto now = fs::file_time_type::clock::now();
  fs::last_write_time(folder.path() + "/one.so", now - std::chrono::hours(3));
  fs::last_write_time(folder.path() + "/two.so", now - std::chrono::hours(2));
  ASSERT_TRUE(cache.find("one", path));  // used now
  cache.trim(2400);
  EXPECT_TRUE(cache.find("one", path));
  EXPECT_FALSE(cache.find("two", path));
  EXPECT_TRUE(cache.find("three", path));
}

TEST(JitCache, StaysWithinItsSizeHoweverManyEntriesCome) {
  CacheFolder folder;
  cache_size_mb.set(1);
  std::string why, path;
  DiskCache cache = DiskCache::open(why);
  for (int i = 0; i < 2000; ++i)
    ASSERT_TRUE(cache.store(cat("entry", i), std::string(4000, 'x'), path, why)) << why;
  cache_size_mb.set(512);
  EXPECT_LT(folder.count(".so") * 4000, size_t{1} << 20);
  EXPECT_GT(folder.count(".so") * 4000, size_t{1} << 19);
  EXPECT_TRUE(cache.find("entry1999", path));
}

TEST(JitCache, WhatDeadProcessesLeftIsRemovedAfterADay) {
  CacheFolder folder;
  std::string why;
  DiskCache cache = DiskCache::open(why);
  for (const char* name : {"/a.trying", "/b.1.0.tmp", "/c.trying"})
    write_bytes(folder.path() + name, "1 1\n");
  auto old = fs::file_time_type::clock::now() - std::chrono::hours(25);
  fs::last_write_time(folder.path() + "/a.trying", old);
  fs::last_write_time(folder.path() + "/b.1.0.tmp", old);
  cache.trim(1 << 20);
  EXPECT_EQ(folder.count(".trying"), 1u);
  EXPECT_EQ(folder.count(".tmp"), 0u);
}

class JitCacheDeathTest : public testing::Test {
 protected:
  JitCacheDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// Stands for a full disk: the system refuses to write more than some bytes to a file.
void forbid_large_files() {
  signal(SIGXFSZ, SIG_IGN);
  rlimit limit = {100, 100};
  setrlimit(RLIMIT_FSIZE, &limit);
}

TEST_F(JitCacheDeathTest, AFullFolderKeepsNothingHalfWritten) {
  CacheFolder folder;
  auto full = [&] {
    std::string why, path;
    DiskCache cache = DiskCache::open(why);
    forbid_large_files();
    bool stored = cache.store("key", std::string(1000, 'x'), path, why);
    return !stored && says(why, "could not be written: File too large") &&
           folder.count(".so") == 0 && folder.count(".tmp") == 0;
  };
  EXPECT_EXIT(_exit(full() ? 0 : 1), ExitedWithCode(0), "");
}

bool compile_all(int count) {
  bool ok = true;
  for (int i = 0; i < count; ++i) {
    auto module = load_or_compile(adder(100 + i));
    ok = ok && module && run(**module, "add" + std::to_string(100 + i)) == 101.0f + float(i);
  }
  return ok;
}

bool many_processes(int processes, int kernels) {
  for (int i = 0; i < processes; ++i) {
    if (fork() == 0) _exit(compile_all(kernels) ? 0 : 1);
  }
  bool ok = true;
  for (int i = 0, status; i < processes; ++i) ok = wait(&status) > 0 && status == 0 && ok;
  return ok;
}

TEST_F(JitCacheDeathTest, ManyProcessesShareOneFolder) {
  CacheFolder folder;
  EXPECT_EXIT(_exit(many_processes(6, 4) ? 0 : 1), ExitedWithCode(0), "");
  EXPECT_EQ(folder.count(".so"), 4u);
  EXPECT_EQ(folder.count(".tmp") + folder.count(".trying"), 0u);
}

}  // namespace
}  // namespace vitro::jit
