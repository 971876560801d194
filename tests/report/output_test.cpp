// Output files: atomic replacement, compression by name, and errors.
#include "vitro/report/output.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "vitro/base/error.h"

namespace vitro::report {
namespace {

namespace fs = std::filesystem;

class OutputFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / cat("vitro_output_", getpid());
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const char* name) const { return folder_ / name; }
  size_t files() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static std::string contents(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }

  fs::path folder_;
};

std::string sample() {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += cat(i * 7919 % 1000, i % 3 ? ", " : "\n");
  return text;
}

}  // namespace

TEST_F(OutputFile, appears_when_it_is_finished_and_not_before) {
  auto out = create_file(path("a.json"));
  out->write("half");
  EXPECT_FALSE(fs::exists(path("a.json")));
  out->write(" and half");
  out->finish();
  EXPECT_EQ(contents(path("a.json")), "half and half");
  out.reset();
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFile, leaves_the_old_file_and_nothing_else_when_it_is_given_up) {
  std::ofstream(path("a.json")) << "old";
  create_file(path("a.json"))->write(std::string(1 << 20, 'x'));
  EXPECT_EQ(contents(path("a.json")), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFile, replaces_an_older_file) {
  std::ofstream(path("a.json")) << "old and longer";
  auto out = create_file(path("a.json"));
  out->write("new");
  out->finish();
  EXPECT_EQ(contents(path("a.json")), "new");
}

TEST_F(OutputFile, leaves_nothing_when_the_process_is_interrupted) {
  const pid_t child = fork();
  if (child == 0) {
    auto out = create_file(path("a.json"));
    out->write(std::string(1 << 20, 'x'));
    signal(SIGINT, SIG_DFL);  // shells start jobs in the background with it ignored
    raise(SIGINT);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(files(), 0u);
}

TEST_F(OutputFile, compresses_as_the_name_says) {
  const std::string text = sample();
  for (const char* name : {"a.json.gz", "a.json.zst"}) {
    auto out = create_file(path(name));
    for (size_t at = 0; at < text.size(); at += 1000)
      out->write(std::string_view(text).substr(at, 1000));
    EXPECT_EQ(out->written(), text.size());
    out->finish();
    EXPECT_LT(fs::file_size(path(name)), text.size() / 2);
  }
  std::string unpacked(text.size() + 1, '\0');
  gzFile gz = gzopen(path("a.json.gz").c_str(), "rb");
  const int got = gzread(gz, unpacked.data(), static_cast<unsigned>(unpacked.size()));
  EXPECT_EQ(gzclose(gz), Z_OK);
  EXPECT_EQ(unpacked.substr(0, static_cast<size_t>(got)), text);

  const std::string packed = contents(path("a.json.zst"));
  std::string plain(text.size() + 1, '\0');
  const size_t n = ZSTD_decompress(plain.data(), plain.size(), packed.data(), packed.size());
  ASSERT_FALSE(ZSTD_isError(n));
  EXPECT_EQ(plain.substr(0, n), text);
}

TEST_F(OutputFile, says_which_file_cannot_be_written_and_why) {
  try {
    create_file(path("no/such/folder/a.json"));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.what(),
              path("no/such/folder/a.json") + ": cannot be created: No such file or directory");
  }
}

TEST_F(OutputFile, says_when_the_disk_takes_no_more) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      auto out = create_file(path("a.json"));
      out->write(std::string(1 << 20, 'x'));
      out->finish();
    } catch (const Error& e) {
      _exit(std::string_view(e.what()).ends_with("a.json: cannot be written: File too large") ? 0
                                                                                              : 2);
    }
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(files(), 0u);
}

TEST_F(OutputFile, writes_into_devices_without_replacing_them) {
  ASSERT_EQ(mkfifo(path("pipe.zst").c_str(), 0600), 0);
  const pid_t child = fork();
  if (child == 0) {
    auto out = create_file(path("pipe.zst"));
    out->write("through a pipe");
    out->finish();
    _exit(0);
  }
  const std::string packed = contents(path("pipe.zst"));
  std::string plain(100, '\0');
  plain.resize(ZSTD_decompress(plain.data(), plain.size(), packed.data(), packed.size()));
  EXPECT_EQ(plain, "through a pipe");
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(fs::is_fifo(path("pipe.zst")));
  auto nothing = create_file("/dev/null");
  nothing->write("x");
  nothing->finish();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

}  // namespace vitro::report
