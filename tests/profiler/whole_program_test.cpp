// Tests programs recorded from outside: this program is started again with only one of the tests
// named `child_…`, which do something only in that case.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "leave_shard.h"
#include "vitro/base/cat.h"
#include "vitro/profiler/profiler.h"

namespace vitro {
namespace {

namespace fs = std::filesystem;

constexpr const char* as_child = "VITRO_TEST_CHILD";

using Variables = std::vector<std::pair<std::string, std::string>>;

class Folder {
 public:
  Folder() { fs::create_directories(path); }
  Folder(const Folder&) = delete;
  ~Folder() { fs::remove_all(path); }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path)) names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
  }
  const fs::path path = fs::temp_directory_path() / cat("vitro_whole_", getpid());
};

// Starts the test of that name in a separate process, with its stderr in a file.
pid_t start(const char* test, const Variables& variables, const fs::path& errors) {
  const std::string self = fs::read_symlink("/proc/self/exe");
  const std::string filter = cat("--gtest_filter=*", test);
  fflush(stdout);
  const pid_t child = fork();
  if (child != 0) return child;
  setenv(as_child, "1", 1);
  leave_shard();
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  static_cast<void>(!freopen("/dev/null", "w", stdout));
  static_cast<void>(!freopen(errors.c_str(), "w", stderr));
  execl(self.c_str(), self.c_str(), filter.c_str(), nullptr);
  _exit(99);
}

int end_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

bool has_ended(pid_t child) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid == child;
}

// Waits until the file exists; throws if the child ends without creating it.
void wait_for(const fs::path& ready, pid_t child) {
  for (; !fs::exists(ready); usleep(1000)) {
    if (has_ended(child) && !fs::exists(ready))
      throw std::runtime_error(cat("the child ended without ", ready.string()));
  }
}

int run(const char* test, const Variables& variables, const fs::path& errors = "/dev/null") {
  return end_of(start(test, variables, errors));
}

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

nlohmann::json json_of(const fs::path& path) {
  return nlohmann::json::parse(std::ifstream(path));
}

size_t count(const nlohmann::json& trace, std::string_view name) {
  size_t found = 0;
  for (const auto& event : trace["traceEvents"]) found += event["name"] == name;
  return found;
}

bool is_child() {
  return getenv(as_child) != nullptr;
}

}  // namespace

TEST(WholeProgram, child_works) {
  RecordFunction range("some work");
}

TEST(WholeProgram, child_forks_and_runs_itself) {
  if (!is_child()) return;
  RecordFunction range("first");
  if (fork() == 0) exit(0);
  run("child_works", {});
  wait(nullptr);
}

TEST(WholeProgram, child_works_until_a_signal) {
  if (!is_child()) return;
  RecordFunction range("long work");
  std::ofstream(getenv("VITRO_TEST_READY")) << "ready";
  for (;;) pause();
}

TEST(WholeProgram, child_records_a_lot) {
  if (!is_child()) return;
  for (int i = 0; i < 400'000; ++i) RecordFunction range("a name that is not short");
  std::ofstream(getenv("VITRO_TEST_READY")) << "ready";
}

TEST(WholeProgram, is_recorded_if_the_environment_requests_it) {
  const Folder folder;
  const auto trace = folder.path / "trace.json";
  ASSERT_EQ(run("child_works", {{"VITRO_PROFILE", trace}}, folder.path / "errors"), 0);
  EXPECT_EQ(count(json_of(trace), "some work"), 1u);
  EXPECT_EQ(text_of(folder.path / "errors"),
            cat("vitro: the trace of this program is in ", trace.string(), "\n"));
}

TEST(WholeProgram, has_the_options_of_a_profiler_and_its_table) {
  const Folder folder;
  const auto trace = folder.path / "trace.json", averages = folder.path / "averages.json";
  ASSERT_EQ(
      run("child_works",
          {{"VITRO_PROFILE", trace},
           {"VITRO_PROFILE_OPTIONS", cat("profile_memory,table,table_file=", averages.string())}},
          folder.path / "errors"),
      0);
  EXPECT_EQ(json_of(trace)["profile_memory"], 1);
  EXPECT_NE(text_of(folder.path / "errors").find("Self CPU time total: "), std::string::npos);
  EXPECT_EQ(json_of(averages)["averages"][0]["name"], "some work");
}

TEST(WholeProgram, draws_a_roofline_and_measures_the_machine_for_it_if_need_be) {
  const Folder folder;
  const auto picture = folder.path / "roofline.svg";
  ASSERT_EQ(run("child_works",
                {{"VITRO_PROFILE", folder.path / "trace.json"},
                 {"VITRO_PROFILE_OPTIONS", cat("roofline=", picture.string())},
                 {"VITRO_CACHE_DIR", folder.path / "cache"}},
                folder.path / "errors"),
            0);
  EXPECT_NE(text_of(picture).find("0 kernels"), std::string::npos);
  EXPECT_FALSE(std::filesystem::is_empty(folder.path / "cache"));
}

TEST(WholeProgram, writes_every_other_requested_file) {
  const Folder folder;
  const auto flames = folder.path / "flames.svg", memory = folder.path / "memory.json",
             execution = folder.path / "et_{rank}.json";
  ASSERT_EQ(run("child_works",
                {{"VITRO_PROFILE", folder.path / "trace.json"},
                 {"VITRO_PROFILE_OPTIONS",
                  cat("flame_graph=", flames.string(), ",memory_timeline=", memory.string(),
                      ",execution_trace=", execution.string())}},
                folder.path / "errors"),
            0);
  EXPECT_NE(text_of(flames).find("some work"), std::string::npos);
  EXPECT_EQ(json_of(memory).size(), 2u);  // memory was recorded for it
  size_t nodes = 0;
  const auto written = json_of(folder.path / "et_0.json");
  for (const auto& node : written["nodes"]) nodes += node["name"] == "some work";
  EXPECT_EQ(nodes, 1u);
}

TEST(WholeProgram, continues_unrecorded_if_the_options_are_wrong) {
  const Folder folder;
  EXPECT_EQ(
      run("child_works",
          {{"VITRO_PROFILE", folder.path / "trace.json"}, {"VITRO_PROFILE_OPTIONS", "row_limit=x"}},
          folder.path / "errors"),
      0);
  EXPECT_EQ(text_of(folder.path / "errors"),
            "vitro: VITRO_PROFILE_OPTIONS: row_limit: got \"x\", needs an integer such as 20, "
            "64K or 2G; nothing is recorded\n");
  EXPECT_EQ(folder.files(), std::vector<std::string>{"errors"});
}

TEST(WholeProgram, continues_without_a_trace_if_none_can_be_written) {
  EXPECT_EQ(run("child_works", {{"VITRO_PROFILE", "/no/such/folder/trace.json"}}), 0);
}

TEST(WholeProgram, has_a_file_for_each_rank) {
  const Folder folder;
  for (const char* rank : {"0", "1"}) {
    ASSERT_EQ(run("child_works", {{"VITRO_PROFILE", folder.path / "trace.json"},
                                  {"VITRO_PROFILE_OPTIONS",
                                   cat("table_file=", (folder.path / "table.txt").string())},
                                  {"RANK", rank},
                                  {"WORLD_SIZE", "2"}}),
              0);
  }
  ASSERT_EQ(folder.files(), (std::vector<std::string>{"table.rank0.txt", "table.rank1.txt",
                                                      "trace.rank0.json", "trace.rank1.json"}));
  EXPECT_EQ(json_of(folder.path / "trace.rank1.json")["distributedInfo"]["rank"], 1);
  ASSERT_EQ(
      run("child_works",
          {{"VITRO_PROFILE", folder.path / "{rank}of2.json"}, {"RANK", "1"}, {"WORLD_SIZE", "2"}}),
      0);
  EXPECT_TRUE(fs::exists(folder.path / "1of2.json"));
}

TEST(WholeProgram, what_it_starts_has_its_own_file_and_forks_have_none) {
  const Folder folder;
  ASSERT_EQ(run("child_forks_and_runs_itself", {{"VITRO_PROFILE", folder.path / "trace.json"}}), 0);
  ASSERT_EQ(folder.files().size(), 2u);
  EXPECT_EQ(count(json_of(folder.path / "trace.json"), "first"), 1u);
  for (const std::string& name : folder.files()) {
    if (name == "trace.json") continue;
    EXPECT_EQ(count(json_of(folder.path / name), "some work"), 1u);
  }
}

TEST(WholeProgram, writes_its_trace_when_a_signal_ends_it) {
  for (const int number : {SIGINT, SIGTERM}) {
    const Folder folder;
    const auto trace = folder.path / "trace.json", ready = folder.path / "ready";
    const pid_t child = start("child_works_until_a_signal",
                              {{"VITRO_PROFILE", trace}, {"VITRO_TEST_READY", ready}}, "/dev/null");
    wait_for(ready, child);
    kill(child, number);
    const int status = end_of(child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == number) << status;
    EXPECT_EQ(count(json_of(trace), "long work"), 1u);
  }
}

TEST(WholeProgram, a_signal_while_the_trace_is_written_leaves_a_whole_file_or_none) {
  std::mt19937 random(3);
  for (int round = 0; round < 8; ++round) {
    const Folder folder;
    const auto trace = folder.path / "trace.json", ready = folder.path / "ready";
    const pid_t child = start("child_records_a_lot",
                              {{"VITRO_PROFILE", trace}, {"VITRO_TEST_READY", ready}}, "/dev/null");
    wait_for(ready, child);
    for (int i = 0; i < 2; ++i) {  // the second one ends the writing that the first one began
      usleep(static_cast<useconds_t>(random() % 100'000));
      kill(child, SIGINT);
    }
    end_of(child);
    fs::remove(ready);
    if (folder.files().empty()) continue;
    EXPECT_EQ(folder.files(), std::vector<std::string>{"trace.json"});
    EXPECT_EQ(count(json_of(trace), "a name that is not short"), 400'000u);
  }
}

}  // namespace vitro
