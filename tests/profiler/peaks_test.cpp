// Tests shares of the machine's peak, and that figures are kept, read back, and ignored if
// incomplete.
#include "vitro/profiler/peaks.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "profiler/peaks_file.h"
#include "vitro/base/cache_folder.h"
#include "vitro/base/cat.h"
#include "vitro/runtime/parallel.h"

namespace vitro {
namespace {

Peaks example() {
  Peaks peaks;
  peaks.processor = "A processor (family 1, model 2, stepping 3)";
  peaks.threads = num_threads();
  peaks.levels = {{"L1", 1000, 50, 100}, {"L2", 10000, 25, 50}, {"memory", 100000, 10, 10}};
  peaks.rates = {{"f32", "avx512f", 100, 200}, {"i8", "", 400, 800.25}};
  return peaks;
}

// A cache folder for a single test.
class Folder {
 public:
  Folder() { cache_dir.set(path_); }
  ~Folder() {
    cache_dir.set("");
    std::filesystem::remove_all(path_);
  }

 private:
  std::string path_ =
      std::filesystem::temp_directory_path() / cat("vitro_peaks_", getpid(), "/cache");
};

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST(Peaks, a_launch_is_bound_by_its_bytes_or_by_its_flops) {
  const Peaks peaks = example();
  EXPECT_DOUBLE_EQ(peaks.least_ns(1000, 0), 10);
  EXPECT_DOUBLE_EQ(peaks.least_ns(1000, 1000), 10);
  EXPECT_DOUBLE_EQ(peaks.least_ns(1000, 4000), 20);
  EXPECT_DOUBLE_EQ(peaks.least_ns(5000, 0), 100);      // from the second level
  EXPECT_DOUBLE_EQ(peaks.least_ns(20000, 0), 2000);    // from memory
  EXPECT_DOUBLE_EQ(peaks.least_ns(200000, 0), 20000);  // larger than memory
  EXPECT_DOUBLE_EQ(peaks.share(1000, 0, 40), 0.25);
  EXPECT_DOUBLE_EQ(peaks.share(1000, 0, 0), 0);
}

TEST(Peaks, a_dtype_without_instructions_has_no_rate) {
  const Peaks peaks = example();
  ASSERT_TRUE(peaks.rate("i8"));
  EXPECT_EQ(peaks.rate("i8")->all, 800.25);
  EXPECT_FALSE(peaks.rate("bf16"));
}

TEST(Peaks, are_kept_and_read_back) {
  const Folder folder;
  const std::string path = peaks_file(num_threads());
  write_peaks(path, example());
  const auto read = read_peaks(path, num_threads());
  ASSERT_TRUE(read) << text_of(path);
  EXPECT_EQ(read->processor, example().processor);
  ASSERT_EQ(read->levels.size(), 3u);
  EXPECT_EQ(read->levels[1].name, "L2");
  EXPECT_EQ(read->levels[1].bytes, 10000u);
  EXPECT_EQ(read->levels[1].all, 50);
  ASSERT_EQ(read->rates.size(), 2u);
  EXPECT_EQ(read->rates[0].feature, "avx512f");
  EXPECT_EQ(read->rates[1].feature, "");
  EXPECT_EQ(read->rates[1].all, 800.25);
}

TEST(Peaks, an_incomplete_file_is_ignored) {
  const Folder folder;
  const std::string path = peaks_file(num_threads());
  write_peaks(path, example());
  const std::string whole = text_of(path);
  const size_t without_name = whole.find("\nprocessor ") + sizeof "\nprocessor";
  for (size_t cut = 0; cut <= without_name; ++cut) {
    std::ofstream(path) << whole.substr(0, cut);
    EXPECT_FALSE(read_peaks(path, num_threads())) << whole.substr(0, cut);
  }
  for (const char* line : {"level L9 1 nan 1", "level L9 1 1e999 1", "level L9 1 -1 1",
                           "rate f32 x 0 0", "rate f32", "something else"}) {
    std::ofstream(path) << whole << line << "\n";
    EXPECT_FALSE(read_peaks(path, num_threads())) << line;
  }
  std::ofstream many(path);
  many << whole;
  for (int i = 0; i < 100; ++i) many << "rate f32 x 1 1\n";
  many.close();
  EXPECT_FALSE(read_peaks(path, num_threads()));
}

TEST(Peaks, asking_for_known_figures_does_not_measure) {
  const Folder folder;
  const int threads = num_threads();
  set_num_threads(threads + 1);  // a thread count not queried before in this process
  EXPECT_FALSE(known_peaks());
  EXPECT_FALSE(std::filesystem::exists(cache_folder()));
  set_num_threads(threads);
}

TEST(Peaks, measured_figures_are_known_from_then_on) {
  const Folder folder;
  const Peaks measured = measure_peaks();
  ASSERT_TRUE(known_peaks());
  EXPECT_EQ(known_peaks()->levels.size(), measured.levels.size());
  EXPECT_EQ(measured.levels.back().name, "memory");
  ASSERT_TRUE(measured.rate("f32"));
  ASSERT_TRUE(measured.rate("f64"));
  const auto kept = read_peaks(peaks_file(num_threads()), num_threads());
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->rates.size(), measured.rates.size());
}

}  // namespace vitro
