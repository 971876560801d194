// Maps files for columns and large arrays, and releases their pages when too many are resident; a
// watcher thread runs while much is mapped.
#include "analyze/store/mapped.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

#include "vitro/analyze/resident.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {

Option<int64_t> resident_mb{"VITRO_TRACE_RESIDENT_MB", 96,
                            "above this size resident pages of traces' columns are released", 1};

namespace {

size_t most_resident() {
  return static_cast<size_t>(resident_mb.get()) << 20;
}

// Bytes of mapped files that are resident; 0 if the system does not report it.
class ResidentBytes {
 public:
  ResidentBytes() : file_(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC)) {}
  ~ResidentBytes() {
    if (file_ >= 0) close(file_);
  }
  size_t now() const {
    char text[128];
    const ssize_t got = pread(file_, text, sizeof text, 0);
    size_t pages = 0;
    const char *at = text, *end = text + (got > 0 ? got : 0);
    for (int field = 0; field < 3; ++field) {  // all, resident, resident of files
      at = std::from_chars(at, end, pages).ptr;
      if (at < end) ++at;
    }
    return pages * page_;
  }

 private:
  int file_;
  size_t page_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
};

// Watches how much is resident for as long as more is mapped than may be resident.
class Watch {
 public:
  static Watch& of_all() {
    static auto* watch = new Watch;
    return *watch;
  }

  void add(void* data, size_t bytes) {
    std::lock_guard hold(lock_);
    mapped_.emplace(data, bytes);
    total_ += bytes;
    if (total_ <= most_resident() || watcher_.joinable()) return;
    try {
      watcher_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
    } catch (const std::system_error&) {  // without a watcher all of it may become resident
    }
  }

  // Releases all pages if too many are resident.
  void bound() {
    const std::lock_guard hold(lock_);
    if (total_ > most_resident()) let_go();
  }

  // Called before unmapping: afterwards the addresses may belong to another mapping.
  void remove(void* data) {
    std::jthread ended;  // joined after the lock is released
    std::lock_guard hold(lock_);
    const auto place = mapped_.find(data);
    total_ -= place->second;
    mapped_.erase(place);
    if (total_ <= most_resident()) ended = std::exchange(watcher_, {});
  }

 private:
  // A thread that only touches pages makes some 20 GB a second resident.
  static constexpr std::chrono::milliseconds interval{1};

  void run(const std::stop_token& stop) {
    std::unique_lock hold(lock_);
    while (!stop.stop_requested()) {
      let_go();
      wake_.wait_for(hold, stop, interval, [] { return false; });
    }
  }

  void let_go() const {
    if (resident_.now() <= most_resident()) return;
    for (const auto& [data, bytes] : mapped_) madvise(data, bytes, MADV_DONTNEED);
  }

  const ResidentBytes resident_;
  std::mutex lock_;  // guards everything below
  std::condition_variable_any wake_;
  std::map<void*, size_t> mapped_;
  size_t total_ = 0;
  std::jthread watcher_;
};

// Closes it at the end of the scope.
struct OpenFile {
  int file;
  ~OpenFile() {
    if (file >= 0) close(file);
  }
};

}  // namespace

void bound_resident() {
  Watch::of_all().bound();
}

Mapped::Mapped(Mapped&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      in_memory_(other.in_memory_) {}

Mapped& Mapped::operator=(Mapped&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(in_memory_, other.in_memory_);
  return *this;
}

Mapped::~Mapped() {
  if (!data_) return;
  if (!in_memory_) Watch::of_all().remove(data_);
  munmap(data_, bytes_);
}

Result<Mapped> Mapped::open(const std::string& path) {
  const OpenFile opened{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (opened.file < 0) return Failure{cat(path, ": ", std::strerror(errno))};
  auto mapped = of(opened.file);
  if (!mapped) return Failure{cat(path, ": ", mapped.why())};
  return mapped;
}

Result<Mapped> Mapped::of(int file) {
  struct stat status{};
  fstat(file, &status);
  if (status.st_size <= 0) return Mapped();
  return map(file, static_cast<size_t>(status.st_size), PROT_READ);
}

Result<Mapped> Mapped::scratch(const std::string& folder, size_t bytes) {
  const OpenFile opened{nameless_file(folder)};
  if (opened.file < 0)
    return Failure{cat(folder, ": cannot create a file in this folder: ", std::strerror(errno))};
  // A write to a page without disk space would kill the process.
  const int error = posix_fallocate(opened.file, 0, static_cast<off_t>(bytes));
  if (error != 0) return Failure{cat(folder, ": no room for ", bytes, " bytes: ", strerror(error))};
  return map(opened.file, bytes, PROT_READ | PROT_WRITE);
}

Result<Mapped> Mapped::copy_of(std::span<const char> bytes) {
  Mapped mapped;
  if (bytes.empty()) return mapped;
  void* data =
      mmap(nullptr, bytes.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) return Failure{cat("no memory: ", std::strerror(errno))};
  std::memcpy(data, bytes.data(), bytes.size());
  mapped.data_ = data;
  mapped.bytes_ = bytes.size();
  mapped.in_memory_ = true;
  return mapped;
}

Result<Mapped> Mapped::map(int file, size_t bytes, int access) {
  void* data = mmap(nullptr, bytes, access, MAP_SHARED, file, 0);
  if (data == MAP_FAILED) return Failure{cat("cannot be mapped: ", std::strerror(errno))};
  Mapped mapped;
  mapped.data_ = data;
  mapped.bytes_ = bytes;
  Watch::of_all().add(data, bytes);
  return mapped;
}

int nameless_file(const std::string& folder) {
  const int file = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  std::string name = cat(folder, "/new.XXXXXX");
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

}  // namespace vitro::analyze
