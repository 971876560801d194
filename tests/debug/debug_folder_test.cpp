#include "vitro/debug/debug_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "vitro/base/cat.h"
#include "vitro/compile/artifacts.h"

namespace vitro {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::stringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

struct DebugFolder : testing::Test {
  fs::path root =
      fs::temp_directory_path() / cat("vitro_debug_folder_test_", static_cast<int64_t>(getpid()));
  ~DebugFolder() override {
    set_debug_folder("");
    fs::remove_all(root);
  }
};

TEST_F(DebugFolder, holds_a_folder_for_each_segment_and_says_where) {
  EXPECT_FALSE(artifacts::wanted());
  set_debug_folder(root.string());
  ASSERT_TRUE(artifacts::wanted());
  testing::internal::CaptureStderr();
  artifacts::put("model/0", "captured.graph", "graph() {\n}\n");
  artifacts::put("model/0", "kernels.cpp", "text");
  artifacts::put("model/1", "captured.graph", "other");
  const fs::path run = debug_folder();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            cat("vitro: the compiler's output is written to ", run.string(), "\n"));
  EXPECT_EQ(run.parent_path(), root);
  EXPECT_TRUE(run.filename().string().starts_with("run_"));
  EXPECT_TRUE(run.filename().string().ends_with(cat("-pid_", static_cast<int64_t>(getpid()))));
  EXPECT_EQ(contents(run / "model_0" / "captured.graph"), "graph() {\n}\n");
  EXPECT_EQ(contents(run / "model_0" / "kernels.cpp"), "text");
  EXPECT_EQ(contents(run / "model_1" / "captured.graph"), "other");
}

TEST_F(DebugFolder, keeps_functions_of_one_name_apart) {
  set_debug_folder(root.string());
  testing::internal::CaptureStderr();
  artifacts::put("f/0", "captured.graph", "first");
  artifacts::put("f/0", "captured.graph", "second");
  artifacts::put("f/0", "plan.txt", "of the second");
  (void)testing::internal::GetCapturedStderr();
  const fs::path run = debug_folder();
  EXPECT_EQ(contents(run / "f_0" / "captured.graph"), "first");
  EXPECT_EQ(contents(run / "f_0_1" / "captured.graph"), "second");
  EXPECT_EQ(contents(run / "f_0_1" / "plan.txt"), "of the second");
}

TEST_F(DebugFolder, never_leaves_its_root) {
  set_debug_folder(root.string());
  testing::internal::CaptureStderr();
  artifacts::put("../../f", "../x", "text");
  (void)testing::internal::GetCapturedStderr();
  EXPECT_EQ(contents(fs::path(debug_folder()) / "_.._.._f" / "_.._x"), "text");
}

TEST_F(DebugFolder, says_once_that_it_cannot_write_and_goes_on) {
  fs::create_directories(root);
  std::ofstream(root / "file") << "no folder";
  set_debug_folder((root / "file").string());
  testing::internal::CaptureStderr();
  artifacts::put("f/0", "captured.graph", "text");
  artifacts::put("f/0", "plan.txt", "text");
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("vitro [debug] warning: VITRO_COMPILE_DEBUG: "), std::string::npos) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 2) << said;
}

}  // namespace
}  // namespace vitro
