#include <gtest/gtest.h>

#include <filesystem>

#include "exported/run_any.h"
#include "io/files.h"

namespace vitro::exported {
namespace {

namespace fs = std::filesystem;

TEST(ProgramCorpus, whatever_a_program_says_is_run_or_refused) {
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(VITRO_TEST_DATA "/program_corpus")) {
    EXPECT_NO_THROW(run_any(io::content_of(entry.path()))) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 9U);
  EXPECT_TRUE(run_any(io::content_of(VITRO_TEST_DATA "/program_corpus/add")));
}

}  // namespace
}  // namespace vitro::exported
