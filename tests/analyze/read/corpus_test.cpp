#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "analyze/read/read_one.h"

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

// Bytes changed, removed and duplicated.
TEST(ReaderCorpus, whatever_becomes_of_a_file_is_read_or_refused) {
  std::mt19937 random(1);
  for (const auto& entry : fs::directory_iterator(VITRO_TEST_DATA "/reader_corpus")) {
    for (int round = 0; round < 30; ++round) {
      std::string bytes = bytes_of(entry.path());
      for (int change = 0; change < 3 && !bytes.empty(); ++change) {
        const size_t at = random() % bytes.size(), length = random() % 8;
        switch (random() % 3) {
          case 0:
            bytes[at] = static_cast<char>(random());
            break;
          case 1:
            bytes.erase(at, length);
            break;
          default:
            bytes.insert(at, bytes.substr(random() % bytes.size(), length));
        }
      }
      EXPECT_NO_THROW(read_one(bytes)) << entry.path() << ", round " << round;
    }
  }
}

}  // namespace
}  // namespace vitro::analyze
