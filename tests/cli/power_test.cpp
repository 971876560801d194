// Energy counters: which are packages, what is used between two questions, counters that overflow.
#include "power.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "vitro/base/cat.h"

namespace vitro::cli {
namespace {

class Power : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& counter, const std::string& file, long number) {
    std::filesystem::create_directories(folder_ / counter);
    std::ofstream(folder_ / counter / file) << number << '\n';
  }
  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / cat("powercap_", getpid());
};

TEST_F(Power, is_that_of_all_packages_since_the_last_question) {
  write("intel-rapl:0", "energy_uj", 1'000'000);
  write("intel-rapl:1", "energy_uj", 5'000'000);
  write("intel-rapl:0:0", "energy_uj", 7'000'000);     // a part of the first
  write("intel-rapl-mmio:0", "energy_uj", 9'000'000);  // the first by another way
  Energy energy(folder_.string());
  ASSERT_TRUE(energy.is_known());
  EXPECT_DOUBLE_EQ(energy.used(), 0);
  write("intel-rapl:0", "energy_uj", 1'500'000);
  write("intel-rapl:1", "energy_uj", 7'000'000);
  write("intel-rapl:0:0", "energy_uj", 99'000'000);
  EXPECT_DOUBLE_EQ(energy.used(), 2.5);
  EXPECT_DOUBLE_EQ(energy.used(), 0);
}

TEST_F(Power, counters_begin_again_after_their_range) {
  write("intel-rapl:0", "energy_uj", 9'000'000);
  write("intel-rapl:0", "max_energy_range_uj", 10'000'000);
  Energy energy(folder_.string());
  write("intel-rapl:0", "energy_uj", 2'000'000);
  EXPECT_DOUBLE_EQ(energy.used(), 3);
}

TEST_F(Power, is_unknown_without_counters) {
  write("other:0", "energy_uj", 1);
  Energy energy(folder_.string());
  EXPECT_FALSE(energy.is_known());
  EXPECT_DOUBLE_EQ(energy.used(), 0);
  EXPECT_FALSE(Energy((folder_ / "none").string()).is_known());
}

}  // namespace
}  // namespace vitro::cli
