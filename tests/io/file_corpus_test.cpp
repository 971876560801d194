#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "damaged.h"
#include "io/files.h"
#include "io/read_any.h"

namespace vitro::io {
namespace {

namespace fs = std::filesystem;

TEST(FileCorpus, whatever_a_file_holds_is_read_or_refused) {
  size_t files = 0;
  for (const char* folder : {"file_corpus", "packages", "npy"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(VITRO_TEST_DATA) / folder)) {
      EXPECT_NO_THROW(read_any(content_of(entry.path()))) << entry.path();
      ++files;
    }
  }
  EXPECT_GT(files, 30U);
}

TEST(FileCorpus, whatever_becomes_of_a_file_is_read_or_refused) {
  std::mt19937 random(1);
  for (const auto& entry : fs::directory_iterator(VITRO_TEST_DATA "/file_corpus")) {
    for (int round = 0; round < 30; ++round) {
      const std::string bytes = damaged(content_of(entry.path()), random);
      EXPECT_NO_THROW(read_any(bytes)) << entry.path() << ", round " << round;
    }
  }
}

}  // namespace
}  // namespace vitro::io
