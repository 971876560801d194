#include "profiler/rank.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "vitro/base/cat.h"
#include "vitro/events/rare.h"

namespace vitro {
namespace {

void forget() {
  for (const char* name : {"RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT"})
    unsetenv(name);
}

// Sets variables for the duration of a test.
class Environment {
 public:
  explicit Environment(const std::vector<std::pair<const char*, const char*>>& set) {
    forget();
    for (const auto& [name, value] : set) setenv(name, value, 1);
  }
  Environment(const Environment&) = delete;
  ~Environment() { forget(); }
};

}  // namespace

TEST(Rank, is_set_by_the_launcher) {
  const Environment launched({{"RANK", "3"},
                              {"WORLD_SIZE", "8"},
                              {"LOCAL_RANK", "1"},
                              {"MASTER_ADDR", "node \"0\""},
                              {"MASTER_PORT", "29500"}});
  const auto info = nlohmann::json::parse(distributed_info(this_rank().value()));
  EXPECT_EQ(info["rank"], 3);
  EXPECT_EQ(info["world_size"], 8);
  EXPECT_EQ(info["local_rank"], 1);
  EXPECT_EQ(info["master_addr"], "node \"0\"");
  EXPECT_EQ(info["master_port"], 29500);
  EXPECT_EQ(info["backend"], "none");
  EXPECT_EQ(info["pg_count"], 0);
  EXPECT_TRUE(info["pg_config"].empty());
}

TEST(Rank, is_nothing_for_a_process_alone) {
  const Environment alone({});
  EXPECT_FALSE(this_rank());
}

TEST(Rank, warns_of_invalid_numbers_and_of_a_rank_out_of_range) {
  const uint64_t mark = events::rare_mark();
  {
    const Environment launched({{"RANK", "first"}, {"WORLD_SIZE", "2"}});
    EXPECT_FALSE(this_rank());
  }
  {
    const Environment launched({{"RANK", "2"}, {"WORLD_SIZE", "2"}, {"MASTER_PORT", "x"}});
    EXPECT_FALSE(this_rank()->master_port);
  }
  std::vector<std::string> texts;
  for (const events::Rare& event : events::rare_since(mark))
    texts.push_back(std::get<events::Message>(event.what).text);
  EXPECT_EQ(texts, (std::vector<std::string>{
                       "RANK: got \"first\", needs an integer; left out of the trace",
                       "MASTER_PORT: got \"x\", needs an integer; left out of the trace",
                       "RANK is 2, but according to WORLD_SIZE there are 2 ranks"}));
}

TEST(Rank, fills_in_names_of_files) {
  const Environment launched({{"RANK", "3"}, {"WORLD_SIZE", "8"}});
  EXPECT_EQ(fill_in("a{b}/trace.{rank}.json"), "a{b}/trace.3.json");
  EXPECT_EQ(fill_in("{rank}-{rank}-{pid}"), cat("3-3-", getpid()));
}

TEST(Rank, text_goes_before_the_ending_of_a_file) {
  EXPECT_EQ(before_ending("a.json/trace.json.gz", ".7"), "a.json/trace.7.json.gz");
  EXPECT_EQ(before_ending("trace", ".7"), "trace.7");
  EXPECT_EQ(before_ending("v1.2/my.trace.zst", ".7"), "v1.2/my.trace.7.zst");
  EXPECT_EQ(before_ending("x/.json", ".7"), "x/.7.json");
}

}  // namespace vitro
