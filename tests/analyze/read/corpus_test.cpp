#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "analyze/read/read_one.h"
#include "damaged.h"

namespace vitro::analyze {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ReaderCorpus, whatever_a_file_holds_is_read_or_refused) {
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(VITRO_TEST_DATA "/reader_corpus")) {
    EXPECT_NO_THROW(read_one(bytes_of(entry.path()))) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 20U);
}

TEST(ReaderCorpus, whatever_becomes_of_a_file_is_read_or_refused) {
  std::mt19937 random(1);
  for (const auto& entry : fs::directory_iterator(VITRO_TEST_DATA "/reader_corpus")) {
    for (int round = 0; round < 30; ++round) {
      const std::string bytes = damaged(bytes_of(entry.path()), random);
      EXPECT_NO_THROW(read_one(bytes)) << entry.path() << ", round " << round;
    }
  }
}

}  // namespace
}  // namespace vitro::analyze
