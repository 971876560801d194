// Tests the cache of columns: reuse, removal, corrupt entries, and interrupted readers, in a
// folder of the test.
#include "analyze/store/kept.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "analyze/trace_files.h"
#include "vitro/base/cache_folder.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view one_event = R"([{"ph":"X","name":"a","ts":1,"dur":2}])";

// The trace cache in a folder of the test.
class Kept : public testing::Test {
 protected:
  Kept() { cache_dir.set(folder_.path()); }
  ~Kept() override { cache_dir.set(before_); }

  std::vector<fs::path> kept() const {
    std::vector<fs::path> all;
    std::error_code none_there;
    for (const auto& entry : fs::directory_iterator(folder_.path() + "/traces", none_there))
      all.push_back(entry.path());
    return all;
  }

  TraceFolder folder_;

 private:
  std::string before_ = cache_dir.get();
};

TEST_F(Kept, without_a_cache_nothing_is_kept_and_what_was_there_is_removed) {
  const std::string path = folder_.file("t.json", one_event);
  EXPECT_FALSE(Trace::open(path, {.keep = false})->from_cache());
  EXPECT_TRUE(kept().empty());
  EXPECT_FALSE(Trace::open(path)->from_cache());
  EXPECT_EQ(kept().size(), 1U);
  const auto trace = Trace::open(path, {.keep = false});
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_TRUE(trace->from_cache());
  EXPECT_TRUE(kept().empty());
  EXPECT_EQ(trace->name(0), "a");
  EXPECT_EQ(trace->dur()[0], 2000);
}

TEST_F(Kept, columns_that_lost_their_end_are_made_again) {
  const std::string path = folder_.file("t.json", one_event);
  ASSERT_TRUE(Trace::open(path));
  for (const char* column : {"ts", "external", "offset", "length", "category"}) {
    fs::resize_file(kept().at(0) / column, 1);
    const auto trace = Trace::open(path);
    ASSERT_TRUE(trace) << trace.why();
    EXPECT_FALSE(trace->from_cache()) << column;
    EXPECT_EQ(trace->ts()[0], 1000);
  }
}

TEST_F(Kept, what_a_dead_process_left_is_removed_with_the_next_that_is_kept) {
  const fs::path old = folder_.path() + "/traces/new.dead", young = old.string() + "_not";
  for (const fs::path& path : {old, young}) fs::create_directories(path);
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  ASSERT_TRUE(Trace::open(folder_.file("t.json", one_event)));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young));
}

TEST_F(Kept, the_least_recently_used_are_removed_above_the_limit) {
  OptionBase* limit = nullptr;
  for (OptionBase* option : all_options())
    if (option->variable() == "VITRO_TRACE_CACHE_SIZE_MB") limit = option;
  ASSERT_NE(limit, nullptr);
  const std::string before = limit->text();
  const std::string first = folder_.file("first.json", one_event);
  const std::string second = folder_.file("second.json", one_event);
  ASSERT_TRUE(Trace::open(first));
  ASSERT_TRUE(Trace::open(second));
  EXPECT_EQ(kept().size(), 2U);
  limit->parse("0");
  ASSERT_TRUE(Trace::open(folder_.file("third.json", one_event)));
  limit->parse(before);
  EXPECT_EQ(kept().size(), 1U);
  EXPECT_FALSE(Trace::open(first)->from_cache());
  EXPECT_TRUE(Trace::open(folder_.path() + "/third.json")->from_cache());
}

TEST_F(Kept, of_a_pipe_nothing_is_kept) {
  const std::string path = folder_.path() + "/pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path) << one_event; });
  const auto trace = Trace::open(path);
  writer.join();
  ASSERT_TRUE(trace) << trace.why();
  EXPECT_EQ(trace->size(), 1U);
  EXPECT_TRUE(kept().empty());
}

// A reader of a pipe that has read some events and waits for more.
TEST_F(Kept, an_interrupted_reader_leaves_nothing) {
  const std::string path = folder_.path() + "/pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const pid_t reader = fork();
  if (reader == 0) {
    signal(SIGINT, SIG_DFL);
    const auto never = Trace::open(path, {.threads = 1, .progress = false});
    _exit(never ? 0 : 3);
  }
  const int file = open(path.c_str(), O_WRONLY);
  std::string text = "[";
  while (text.size() < (4U << 20)) text += R"({"ph":"X","name":"a","ts":1,"dur":2},)";
  // More than the pipe holds: once it is written the reader has read windows of it.
  EXPECT_EQ(write(file, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  kill(reader, SIGINT);
  int status = 0;
  waitpid(reader, &status, 0);
  close(file);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
  EXPECT_TRUE(kept().empty());
}

}  // namespace
}  // namespace vitro::analyze
