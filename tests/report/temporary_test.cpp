#include "report/temporary.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "vitro/base/cat.h"

namespace vitro::report {
namespace {

namespace fs = std::filesystem;

class TemporaryFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / cat("vitro_temporary_", getpid());
    fs::create_directory(folder_);
    path_ = folder_ / "trace.json";
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
  std::string path_;
};

}  // namespace

TEST_F(TemporaryFile, of_a_killed_process_is_taken_by_the_next) {
  const pid_t child = fork();
  if (child == 0) {
    const Temporary half = open_temporary(path_);
    if (write(half.file, "half of it", 10) != 10) _exit(1);
    raise(SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(fs::file_size(path_ + ".tmp"), 10u);
  const Temporary next = open_temporary(path_);
  EXPECT_EQ(next.name, path_ + ".tmp");
  EXPECT_EQ(fs::file_size(next.name), 0u);
  close(next.file);
}

TEST_F(TemporaryFile, of_one_who_still_writes_is_left_alone) {
  const Temporary first = open_temporary(path_), second = open_temporary(path_),
                  third = open_temporary(path_);
  ASSERT_GE(first.file, 0);
  EXPECT_EQ(first.name, path_ + ".tmp");
  EXPECT_EQ(second.name, cat(path_, ".", getpid(), ".1.tmp"));
  EXPECT_EQ(third.name, cat(path_, ".", getpid(), ".2.tmp"));
  for (const Temporary& each : {first, second, third}) close(each.file);
}

TEST_F(TemporaryFile, is_never_shared) {
  std::vector<std::thread> threads;
  std::atomic<int> written{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const Temporary mine = open_temporary(path_);
        const std::string text = cat(t, " ", i);
        ASSERT_EQ(write(mine.file, text.data(), text.size()), static_cast<ssize_t>(text.size()));
        std::string read_back;
        std::getline(std::ifstream(mine.name), read_back);
        EXPECT_EQ(read_back, text);
        fs::rename(mine.name, path_);
        close(mine.file);
        ++written;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(written, 200);
  size_t left = 0;
  for (const auto& entry : fs::directory_iterator(folder_)) left += entry.path() != path_;
  EXPECT_EQ(left, 0u);
}

TEST_F(TemporaryFile, says_why_there_is_none) {
  EXPECT_LT(open_temporary("/no/such/folder/trace.json").file, 0);
  EXPECT_EQ(errno, ENOENT);
}

}  // namespace vitro::report
