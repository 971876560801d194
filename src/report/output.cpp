// Implements outputs to memory and to files that appear complete or not at all; compress.cpp adds
// gzip and zstd.
#include "vitro/report/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "report/temporary.h"
#include "vitro/base/error.h"

namespace vitro::report {

void Output::flush() {
  drained_ += used_;
  const std::string_view bytes(buffer_, std::exchange(used_, 0));
  drain(bytes);
}

void Output::write_past_room(std::string_view bytes) {
  flush();
  if (bytes.size() <= capacity) return write(bytes);
  drained_ += bytes.size();
  drain(bytes);
}

namespace {

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

void write_all(int file, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    VITRO_CHECK(n >= 0, path, ": cannot be written: ", std::strerror(errno));
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

// Writes to an unnamed file, which the system removes with the process, and names it at the end.  A
// file system without unnamed files gets a temporary name.
class FileOutput : public Output {
 public:
  explicit FileOutput(std::string path) : path_(std::move(path)) {
    beside_ = cat(path_, ".", getpid(), ".tmp");
    file_ = open(folder_of(path_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (file_ >= 0) return;
    Temporary named = open_temporary(path_);
    file_ = named.file;
    named_ = file_ >= 0;
    VITRO_CHECK(named_, path_, ": cannot be created: ", std::strerror(errno));
    beside_ = std::move(named.name);
  }
  ~FileOutput() override {
    if (file_ >= 0) ::close(file_);
    if (named_) unlink(beside_.c_str());
  }

 protected:
  void drain(std::string_view bytes) override { write_all(file_, bytes, path_); }

  void close() override {
    if (!named_) {
      unlink(beside_.c_str());
      const std::string here = cat("/proc/self/fd/", file_);
      named_ = linkat(AT_FDCWD, here.c_str(), AT_FDCWD, beside_.c_str(), AT_SYMLINK_FOLLOW) == 0;
    }
    const int locked = dup(file_);  // kept open, hence locked, until renamed
    const bool closed = ::close(std::exchange(file_, -1)) == 0;
    const bool placed = named_ && closed && rename(beside_.c_str(), path_.c_str()) == 0;
    const int error = errno;
    if (locked >= 0) ::close(locked);
    VITRO_CHECK(placed, path_, ": cannot be put in place: ", std::strerror(error));
    named_ = false;
  }

 private:
  std::string path_, beside_;
  int file_ = -1;
  bool named_ = false;  // whether `beside_` exists
};

// Something other than a regular file (a pipe, a terminal, /dev/null) receives the bytes directly;
// it must not be replaced.
class StreamOutput : public Output {
 public:
  explicit StreamOutput(std::string path)
      : path_(std::move(path)), file_(open(path_.c_str(), O_WRONLY | O_CLOEXEC)) {
    VITRO_CHECK(file_ >= 0, path_, ": cannot be opened: ", std::strerror(errno));
  }
  ~StreamOutput() override { ::close(file_); }

 protected:
  void drain(std::string_view bytes) override { write_all(file_, bytes, path_); }

 private:
  std::string path_;
  int file_;
};

bool is_stream(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

std::unique_ptr<Output> uncompressed(const std::string& path) {
  if (is_stream(path)) return std::make_unique<StreamOutput>(path);
  return std::make_unique<FileOutput>(path);
}

}  // namespace

std::unique_ptr<Output> create_file(const std::string& path) {
  auto file = uncompressed(path);
  if (path.ends_with(".gz")) return gzip(std::move(file));
  if (path.ends_with(".zst")) return zstd(std::move(file));
  return file;
}

}  // namespace vitro::report
