// The cache of compiled modules on disk: permissions, damaged and hostile entries, eviction, and
// many processes at once.
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

TEST(JitCache, the_folder_is_the_owners_only) {
  CacheFolder folder;
  std::string why, nested = folder.path() + "/a/b";
  cache_dir.set(nested);
  EXPECT_TRUE(DiskCache::open(why).ok()) << why;
  struct stat info;
  ASSERT_EQ(stat(nested.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
}

TEST(JitCache, a_folder_that_others_may_write_to_is_closed_to_them) {
  CacheFolder folder;
  chmod(folder.path().c_str(), 0777);
  std::string why;
  EXPECT_TRUE(DiskCache::open(why).ok());
  struct stat info;
  ASSERT_EQ(stat(folder.path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 022, 0u);
}

TEST(JitCache, a_folder_of_somebody_else_is_refused) {
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

TEST(JitCache, an_entry_with_a_changed_byte_is_compiled_again) {
  expect_recompiled(40, [](std::string& bytes) { bytes[bytes.size() / 2] ^= 1; });
}
TEST(JitCache, a_shortened_entry_is_compiled_again) {
  expect_recompiled(41, [](std::string& bytes) { bytes.resize(bytes.size() / 2); });
}
TEST(JitCache, an_empty_entry_is_compiled_again) {
  expect_recompiled(42, [](std::string& bytes) { bytes.clear(); });
}
TEST(JitCache, an_entry_without_its_checksum_is_compiled_again) {
  expect_recompiled(43, [](std::string& bytes) { bytes.resize(bytes.size() - 32); });
}

TEST(JitCache, a_link_is_not_an_entry) {
  CacheFolder folder;
  JitReport report;
  ASSERT_TRUE(load_or_compile(adder(44), &report));
  fs::rename(report.path, folder.path() + "/elsewhere");
  fs::create_symlink(folder.path() + "/elsewhere", report.path);
  forget_modules();
  ASSERT_TRUE(load_or_compile(adder(44), &report));
  EXPECT_FALSE(report.from_disk);
}

TEST(JitCache, the_least_recently_used_entries_make_room) {
  CacheFolder folder;
  std::string why;
  CacheEntry entry;
  DiskCache cache = DiskCache::open(why);
  for (const char* key : {"one", "two", "three"})
    ASSERT_TRUE(cache.store(key, std::string(1000, 'x'), entry, why));
  auto now = fs::file_time_type::clock::now();
  fs::last_write_time(folder.path() + "/one.so", now - std::chrono::hours(3));
  fs::last_write_time(folder.path() + "/two.so", now - std::chrono::hours(2));
  ASSERT_TRUE(cache.find("one", entry));  // used now
  cache.trim(2400);
  EXPECT_TRUE(cache.find("one", entry));
  EXPECT_FALSE(cache.find("two", entry));
  EXPECT_TRUE(cache.find("three", entry));
}

TEST(JitCache, stays_within_its_size_however_many_entries_come) {
  CacheFolder folder;
  cache_size_mb.set(1);
  std::string why;
  CacheEntry entry;
  DiskCache cache = DiskCache::open(why);
  for (int i = 0; i < 2000; ++i)
    ASSERT_TRUE(cache.store(cat("entry", i), std::string(4000, 'x'), entry, why)) << why;
  cache_size_mb.set(512);
  EXPECT_LT(folder.count(".so") * 4000, size_t{1} << 20);
  EXPECT_GT(folder.count(".so") * 4000, size_t{1} << 19);
  EXPECT_TRUE(cache.find("entry1999", entry));
}

TEST(JitCache, what_dead_processes_left_is_removed_after_a_day) {
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

TEST(JitCache, what_lies_in_a_folder_that_others_could_write_to_is_not_run) {
  CacheFolder folder;
  JitReport report;
  ASSERT_TRUE(load_or_compile(adder(45), &report));
  chmod(folder.path().c_str(), 0770);
  forget_modules();
  ASSERT_TRUE(load_or_compile(adder(45), &report));
  EXPECT_FALSE(report.from_disk);
  forget_modules();
  ASSERT_TRUE(load_or_compile(adder(45), &report));
  EXPECT_TRUE(report.from_disk);
}

TEST(JitCache, a_folder_that_users_share_is_left_as_it_is) {
  CacheFolder folder;
  const std::string shared = folder.path() + "/shared";
  fs::create_directory(shared);
  chmod(shared.c_str(), 01777);
  const auto opened = PrivateFolder::open(shared);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.why().find("sticky"), std::string::npos);
  struct stat info;
  ASSERT_EQ(stat(shared.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 01777U);
}

// What happens to an entry that `plant` puts in its place, with the file of a sound one given.
template <class Plant>
void expect_not_run(int n, Plant plant) {
  CacheFolder folder;
  JitReport report;
  ASSERT_TRUE(load_or_compile(adder(n), &report));
  const std::string path = report.path, sound = bytes_of(path);
  fs::remove(path);
  plant(path, sound);
  for (const bool is_found : {false, true}) {
    forget_modules();
    auto module = load_or_compile(adder(n), &report);
    ASSERT_TRUE(module) << module.why();
    EXPECT_EQ(report.from_disk, is_found);
    EXPECT_EQ(report.note, "");
    EXPECT_EQ(run(**module, "add" + std::to_string(n)), 1.0f + float(n));
  }
}

TEST(JitCache, an_entry_that_somebody_else_owns_is_not_run) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  expect_not_run(46, [](const std::string& path, const std::string& sound) {
    write_bytes(path, sound);
    ASSERT_EQ(chown(path.c_str(), 12345, 12345), 0);
  });
}
TEST(JitCache, an_entry_that_others_may_write_to_is_not_run) {
  expect_not_run(47, [](const std::string& path, const std::string& sound) {
    write_bytes(path, sound);
    chmod(path.c_str(), 0666);
  });
}
TEST(JitCache, a_pipe_is_not_an_entry) {
  expect_not_run(48, [](const std::string& path, const std::string&) {
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  });
}
TEST(JitCache, a_folder_is_not_an_entry) {
  expect_not_run(49,
                 [](const std::string& path, const std::string&) { fs::create_directory(path); });
}
TEST(JitCache, a_folder_that_is_not_empty_is_not_an_entry_and_keeps_its_files) {
  expect_not_run(50, [](const std::string& path, const std::string&) {
    fs::create_directory(path);
    write_bytes(path + "/file", "somebody's");
  });
}
TEST(JitCache, an_entry_whose_hash_was_made_without_the_secret_is_not_run) {
  expect_not_run(51, [](const std::string& path, const std::string& sound) {
    fs::remove(fs::path(path).replace_filename("secret"));
    write_bytes(path, sound);
  });
}
TEST(JitCache, a_secret_that_others_may_read_is_replaced) {
  expect_not_run(52, [](const std::string& path, const std::string& sound) {
    const std::string secret = fs::path(path).replace_filename("secret");
    EXPECT_EQ(fs::status(secret).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    chmod(secret.c_str(), 0644);
    write_bytes(path, sound);
  });
}
TEST(JitCache, an_entry_of_another_name_is_not_run) {
  CacheFolder folder;
  JitReport first, second;
  ASSERT_TRUE(load_or_compile(adder(53), &first));
  ASSERT_TRUE(load_or_compile(adder(54), &second));
  fs::rename(first.path, second.path);
  forget_modules();
  auto module = load_or_compile(adder(54), &second);
  ASSERT_TRUE(module);
  EXPECT_FALSE(second.from_disk);
  EXPECT_EQ(run(**module, "add54"), 55.0f);
}

TEST(JitCache, a_pipe_as_a_marker_is_no_crash) {
  CacheFolder folder;
  JitReport report;
  ASSERT_TRUE(load_or_compile(adder(55), &report));
  fs::remove(report.path);
  const std::string marker = folder.path() + "/" + report.key + ".trying";
  ASSERT_EQ(mkfifo(marker.c_str(), 0600), 0);
  forget_modules();
  ASSERT_TRUE(load_or_compile(adder(55), &report));
  EXPECT_FALSE(report.in_helper);
  EXPECT_FALSE(fs::exists(marker));
}

TEST(JitCache, below_a_folder_that_all_may_write_to_verified_bytes_are_loaded_and_no_path) {
  CacheFolder folder;
  chmod(folder.path().c_str(), 0777);
  cache_dir.set(folder.path() + "/below");
  JitReport report;
  for (const bool is_found : {false, true}) {
    forget_modules();
    auto module = load_or_compile(adder(56), &report);
    ASSERT_TRUE(module) << module.why();
    EXPECT_EQ(report.from_disk, is_found);
    EXPECT_EQ(report.path, "");
    EXPECT_EQ(run(**module, "add56"), 57.0f);
  }
}

TEST(JitCache, a_module_larger_than_the_cache_is_not_kept_and_the_reason_is) {
  CacheFolder folder;
  cache_size_mb.set(1);
  std::string why;
  CacheEntry entry;
  EXPECT_FALSE(DiskCache::open(why).store("key", std::string(2 << 20, 'x'), entry, why));
  EXPECT_TRUE(says(why, "a module of 2097152 bytes exceeds the cache's limit of 1048576")) << why;
  EXPECT_TRUE(DiskCache::open(why).store("key", std::string(1 << 20, 'x'), entry, why));
  EXPECT_TRUE(DiskCache::open(why).find("key", entry));
  cache_size_mb.set(0);
  JitReport report;
  EXPECT_TRUE(load_or_compile(adder(57), &report));
  EXPECT_EQ(report.note, "");
  EXPECT_EQ(folder.count(".so"), 1u);
  cache_size_mb.set(512);
}

// From the list vectors_sip128 of its authors' implementation: of no bytes, and of 0 to 14.
TEST(JitCache, the_hash_is_that_of_its_paper) {
  const Secret secret{0x0706050403020100, 0x0f0e0d0c0b0a0908};
  EXPECT_EQ(keyed_hash("", secret), (KeyedHash{0xe6a825ba047f81a3, 0x930255c71472f66d}));
  std::string bytes;
  for (char c = 0; c < 15; ++c) bytes += c;
  EXPECT_EQ(keyed_hash(bytes, secret), (KeyedHash{0x11a8b03399e99354, 0xd9c3cf970fec087e}));
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

TEST_F(JitCacheDeathTest, a_full_folder_keeps_nothing_half_written) {
  CacheFolder folder;
  auto full = [&] {
    std::string why;
    CacheEntry entry;
    DiskCache cache = DiskCache::open(why);
    forbid_large_files();
    bool stored = cache.store("key", std::string(1000, 'x'), entry, why);
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

TEST_F(JitCacheDeathTest, many_processes_share_one_folder) {
  CacheFolder folder;
  EXPECT_EXIT(_exit(many_processes(6, 4) ? 0 : 1), ExitedWithCode(0), "");
  EXPECT_EQ(folder.count(".so"), 4u);
  EXPECT_EQ(folder.count(".tmp") + folder.count(".trying"), 0u);
}

}  // namespace
}  // namespace vitro::jit
