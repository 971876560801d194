// Opens a file or standard input as a stream of bytes, detects its compression, and chooses the
// unpacker; the first stage of reading a trace.
#include "analyze/read/bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "analyze/read/perfetto.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

class FileBytes : public Bytes {
 public:
  FileBytes(int file, uint64_t total) : file_(file), total_(total) {}
  ~FileBytes() override {
    if (file_ != STDIN_FILENO) close(file_);
  }

  size_t read(char* to, size_t room) override {
    size_t got = 0;
    while (got < room) {
      const ssize_t n = ::read(file_, to + got, room - got);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) trouble_ = cat("reading failed: ", std::strerror(errno));
      if (n <= 0) break;
      got += static_cast<size_t>(n);
    }
    consumed_ += got;
    return got;
  }
  uint64_t consumed() const override { return consumed_; }
  uint64_t total() const override { return total_; }

 private:
  int file_;
  uint64_t total_, consumed_ = 0;
};

// Replays the first bytes, which were read to detect the format.
class AgainBytes : public Bytes {
 public:
  AgainBytes(std::string head, std::unique_ptr<Bytes> rest)
      : head_(std::move(head)), rest_(std::move(rest)) {
    trouble_ = rest_->trouble();
  }

  size_t read(char* to, size_t room) override {
    const size_t again = std::min(room, head_.size() - given_);
    std::memcpy(to, head_.data() + given_, again);
    given_ += again;
    if (again == room) return again;
    const size_t more = rest_->read(to + again, room - again);
    trouble_ = rest_->trouble();
    return again + more;
  }
  uint64_t consumed() const override { return rest_->consumed(); }
  uint64_t total() const override { return rest_->total(); }

 private:
  std::string head_;
  size_t given_ = 0;
  std::unique_ptr<Bytes> rest_;
};

class TextBytes : public Bytes {
 public:
  explicit TextBytes(std::string_view text) : rest_(text), total_(text.size()) {}

  size_t read(char* to, size_t room) override {
    const size_t n = rest_.copy(to, room);
    rest_.remove_prefix(n);
    return n;
  }
  uint64_t consumed() const override { return total_ - rest_.size(); }
  uint64_t total() const override { return total_; }

 private:
  std::string_view rest_;
  uint64_t total_;
};

// Text as it is; of a trace of Perfetto, the text of its events.
class RecognisedBytes : public Bytes {
 public:
  explicit RecognisedBytes(std::unique_ptr<Bytes> from) : from_(std::move(from)) {
    trouble_ = from_->trouble();
  }

  size_t read(char* to, size_t room) override {
    size_t got = from_->read(to, room);
    if (std::exchange(is_first_, false) && begins_perfetto({to, got})) {
      from_ = from_perfetto(std::make_unique<AgainBytes>(std::string(to, got), std::move(from_)));
      got = from_->read(to, room);
    }
    trouble_ = from_->trouble();
    return got;
  }
  uint64_t consumed() const override { return from_->consumed(); }
  uint64_t total() const override { return from_->total(); }

 private:
  std::unique_ptr<Bytes> from_;
  bool is_first_ = true;
};

std::unique_ptr<Bytes> unpacked_alone(std::unique_ptr<Bytes> from) {
  std::string head(4, '\0');
  head.resize(from->read(head.data(), head.size()));
  std::unique_ptr<Bytes> all = std::make_unique<AgainBytes>(head, std::move(from));
  if (head.starts_with("\x1f\x8b")) return gunzip(std::move(all));
  if (head == "\x28\xb5\x2f\xfd") return unzstd(std::move(all));
  if (head == "PK\x03\x04") return unzip(std::move(all));
  return all;
}

// Bytes that beginning_of() took from standard input.
std::string& taken_from_input() {
  static auto* taken = new std::string;
  return *taken;
}

std::unique_ptr<Bytes> open_input() {
  auto input = std::make_unique<FileBytes>(STDIN_FILENO, 0);
  if (taken_from_input().empty()) return input;
  return std::make_unique<AgainBytes>(std::exchange(taken_from_input(), {}), std::move(input));
}

Result<std::unique_ptr<Bytes>> open_file(const std::string& path) {
  if (path == "-") return open_input();
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Failure{cat(path, ": cannot be opened: ", std::strerror(errno))};
  struct stat status{};
  fstat(file, &status);
  if (S_ISDIR(status.st_mode)) {
    close(file);
    return Failure{cat(path, ": is a folder; pass a trace file in it")};
  }
  posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL);
  const auto size = S_ISREG(status.st_mode) ? static_cast<uint64_t>(status.st_size) : 0;
  return std::unique_ptr<Bytes>(std::make_unique<FileBytes>(file, size));
}

}  // namespace

std::unique_ptr<Bytes> bytes_of(std::string_view text) {
  return std::make_unique<TextBytes>(text);
}

std::unique_ptr<Bytes> unpacked(std::unique_ptr<Bytes> from) {
  return std::make_unique<RecognisedBytes>(unpacked_alone(std::move(from)));
}

Result<std::string> beginning_of(const std::string& path, size_t room) {
  constexpr size_t packed_room = 64 << 10;
  auto file = open_file(path);
  if (!file) return file.failure();
  std::string packed(packed_room, '\0'), text(room, '\0');
  packed.resize((*file)->read(packed.data(), packed.size()));
  text.resize(unpacked(bytes_of(packed))->read(text.data(), room));
  if (path == "-") taken_from_input() = std::move(packed);
  return text;
}

Result<std::unique_ptr<Bytes>> open_bytes(const std::string& path) {
  auto file = open_file(path);
  if (!file) return file.failure();
  std::unique_ptr<Bytes> all = unpacked(*std::move(file));
  if (!all->trouble().empty()) return Failure{cat(path, ": ", all->trouble())};
  return all;
}

}  // namespace vitro::analyze
