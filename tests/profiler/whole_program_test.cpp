#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "vitro/base/cat.h"
#include "vitro/profiler/profiler.h"

namespace vitro {
namespace {

// Runs this program again, with VITRO_PROFILE, to run nothing but the test below.
int run_profiled(const std::string& trace) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string command =
      cat("VITRO_PROFILE='", trace, "' '", self, "' --gtest_filter=*has_a_range* >/dev/null 2>&1");
  return std::system(command.c_str());
}

}  // namespace

TEST(WholeProgram, has_a_range_to_record) {
  RecordFunction range("some work");
}

TEST(WholeProgram, is_recorded_where_the_environment_asks_for_it) {
  const auto trace =
      std::filesystem::temp_directory_path() / cat("vitro_whole_", getpid(), ".json");
  ASSERT_EQ(run_profiled(trace), 0);
  const auto read = nlohmann::json::parse(std::ifstream(trace));
  std::filesystem::remove(trace);
  int found = 0;
  for (const auto& event : read["traceEvents"]) found += event["name"] == "some work";
  EXPECT_EQ(found, 1);
}

TEST(WholeProgram, goes_on_without_a_trace_where_none_can_be_written) {
  EXPECT_EQ(run_profiled("/no/such/folder/trace.json"), 0);
}

}  // namespace vitro
