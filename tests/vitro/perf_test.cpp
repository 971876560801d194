// Linux perf shows generated kernels by name: they are functions of shared objects with symbols.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "leave_shard.h"
#include "vitro/base/cat.h"
#include "vitro/vitro.h"

namespace vitro {
namespace {

class Folder {
 public:
  Folder() { std::filesystem::create_directories(path_); }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_ = std::filesystem::temp_directory_path() / cat("vitro_perf_", getpid());
};

bool run(const std::string& command) {
  return std::system(command.c_str()) == 0;
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST(DISABLED_Perf, spends_its_time_in_one_kernel) {
  auto fast = compile([](const Tensor& x) { return tanh(erf(x)); });
  const Tensor x = full({1 << 20}, 0.5);
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(500))
    (void)fast(x).const_data();
}

TEST(Perf, reports_generated_kernels_by_their_names) {
  if (!run("command -v perf >/dev/null 2>&1")) GTEST_SKIP() << "perf is not installed";
  const Folder folder;
  const std::string record = cat("perf record -e cpu-clock -o '", folder / "data", "' -- ");
  if (!run(record + "true >/dev/null 2>'" + folder / "why" + "'"))
    GTEST_SKIP() << "perf may not record here: " << text_of(folder / "why");
  leave_shard();
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  ASSERT_TRUE(run(cat("VITRO_CACHE_DIR='", folder / "cache", "' ", record, "'", self,
                      "' --gtest_also_run_disabled_tests --gtest_filter='DISABLED_Perf.*' >'",
                      folder / "out", "' 2>&1")))
      << text_of(folder / "out");
  ASSERT_TRUE(run(cat("perf report --stdio --sort symbol -i '", folder / "data", "' >'",
                      folder / "report", "' 2>/dev/null")));
  const std::string report = text_of(folder / "report");
  EXPECT_NE(report.find("[.] erf_tanh"), std::string::npos) << report.substr(0, 2000);
}

}  // namespace vitro
