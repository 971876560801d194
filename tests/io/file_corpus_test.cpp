#include <gtest/gtest.h>

#include <filesystem>
#include <random>

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

// Bytes changed, removed and duplicated.
TEST(FileCorpus, whatever_becomes_of_a_file_is_read_or_refused) {
  std::mt19937 random(1);
  for (const auto& entry : fs::directory_iterator(VITRO_TEST_DATA "/file_corpus")) {
    for (int round = 0; round < 30; ++round) {
      std::string bytes = content_of(entry.path());
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
      EXPECT_NO_THROW(read_any(bytes)) << entry.path() << ", round " << round;
    }
  }
}

}  // namespace
}  // namespace vitro::io
