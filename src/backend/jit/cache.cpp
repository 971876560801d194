#include "backend/jit/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <vector>

#include "backend/jit/options.h"
#include "vitro/base/cache_folder.h"
#include "vitro/base/cat.h"
#include "vitro/base/hash.h"

namespace vitro::jit {
namespace {

// Behind the bytes of the shared object, where the loader does not look.
struct Trailer {
  uint64_t magic, size, high, low;
};
constexpr uint64_t trailer_magic = 0x314f53524f525456;  // "VTRORSO1"

Trailer trailer_of(std::string_view bytes) {
  Hash hash = hash_of(bytes);
  return {trailer_magic, bytes.size(), hash.high, hash.low};
}

class File {
 public:
  File(const std::string& path, int flags, mode_t mode = 0600)
      : number_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  ~File() {
    if (number_ >= 0) ::close(number_);
  }
  File(const File&) = delete;
  bool ok() const { return number_ >= 0; }
  int number() const { return number_; }
  bool write(std::string_view bytes) {
    while (!bytes.empty()) {
      ssize_t n = ::write(number_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      bytes.remove_prefix(size_t(n));
    }
    return true;
  }
  // False when writing behind failed, as it does on some file systems only now.
  bool finish() {
    int closed = ::close(number_);
    number_ = -1;
    return closed == 0;
  }

 private:
  int number_;
};

bool read_whole(const File& file, std::string& bytes) {
  struct stat info;
  if (fstat(file.number(), &info) != 0 || !S_ISREG(info.st_mode) ||
      info.st_size > (int64_t{1} << 30))
    return false;
  bytes.resize(size_t(info.st_size));
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t n = pread(file.number(), bytes.data() + done, bytes.size() - done, off_t(done));
    if (n <= 0) return false;
    done += size_t(n);
  }
  return true;
}

bool verifies(const File& file) {
  std::string bytes;
  Trailer found;
  if (!read_whole(file, bytes) || bytes.size() < sizeof found) return false;
  std::memcpy(&found, bytes.data() + bytes.size() - sizeof found, sizeof found);
  Trailer want = trailer_of(std::string_view(bytes).substr(0, bytes.size() - sizeof found));
  return std::memcmp(&found, &want, sizeof want) == 0;
}

bool make_folders(const std::string& path) {
  for (size_t slash = path.find('/', 1); slash != path.npos; slash = path.find('/', slash + 1)) {
    mkdir(path.substr(0, slash).c_str(), 0700);
  }
  return mkdir(path.c_str(), 0700) == 0 || errno == EEXIST;
}

// Why the folder cannot be trusted; empty when it can.
std::string distrust(const std::string& folder) {
  struct stat info;
  if (stat(folder.c_str(), &info) != 0) return cat(folder, ": ", std::strerror(errno));
  if (!S_ISDIR(info.st_mode)) return cat(folder, ": is not a folder");
  if (info.st_uid != geteuid()) {
    return cat(folder, ": belongs to user ", uint64_t{info.st_uid}, ", not to user ",
               uint64_t{geteuid()}, "; kernels would be run from it");
  }
  if ((info.st_mode & 022) && chmod(folder.c_str(), 0700) != 0)
    return cat(folder, ": others may write to it");
  return "";
}

struct Entry {
  std::string path;
  int64_t used_ns;
  uint64_t bytes;
};

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

constexpr int64_t day_ns = int64_t{86'400} * 1'000'000'000;

// All entries; removes markers and unfinished files that are a day old.
std::vector<Entry> entries_of(const std::string& folder) {
  std::vector<Entry> entries;
  std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(folder.c_str()), closedir);
  if (!dir) return entries;
  int64_t now = int64_t{time(nullptr)} * 1'000'000'000;
  while (const dirent* item = readdir(dir.get())) {
    std::string path = cat(folder, "/", item->d_name);
    struct stat info;
    if (lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    int64_t used = int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
    bool left_behind = ends_with(path, ".trying") || ends_with(path, ".tmp");
    if (left_behind && now - used > day_ns) unlink(path.c_str());
    if (ends_with(path, ".so") || ends_with(path, ".cpp") || ends_with(path, ".h"))
      entries.push_back({path, used, uint64_t(info.st_size)});
  }
  return entries;
}

// Looking at a folder of many entries takes longer than most stores: one look for every 64th of the
// limit stored, on average and by any number of processes, as an entry's key decides.
bool has_to_look(std::string_view key, uint64_t bytes, uint64_t limit) {
  return hash_of(key).low % (limit / 64 + 1) < bytes;
}

// Process id and the moment it started: ids are used again.
std::string process_name(pid_t pid) {
  File file(cat("/proc/", pid, "/stat"), O_RDONLY);
  char buffer[1024];
  ssize_t n = file.ok() ? ::read(file.number(), buffer, sizeof buffer) : 0;
  std::string_view text(buffer, size_t(std::max<ssize_t>(n, 0)));
  size_t end = text.rfind(')');  // the name before it may hold anything
  if (end == text.npos) return "";
  text.remove_prefix(end + 1);
  for (int field = 2; field < 22 && !text.empty(); ++field) {
    size_t space = text.find(' ');
    text.remove_prefix(space == text.npos ? text.size() : space + 1);
  }
  return cat(pid, " ", text.substr(0, text.find(' ')), "\n");
}

}  // namespace

bool DiskCache::is_empty() {
  std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(cache_folder().c_str()), closedir);
  if (!dir) return true;
  while (const dirent* item = readdir(dir.get())) {
    if (ends_with(item->d_name, ".so")) return false;
  }
  return true;
}

DiskCache DiskCache::open(std::string& why) {
  DiskCache cache;
  std::string folder = cache_folder();
  if (folder.empty()) {
    why = "neither VITRO_CACHE_DIR nor HOME names a folder";
  } else if (!make_folders(folder)) {
    why = cat(folder, ": could not be made: ", std::strerror(errno));
  } else {
    why = distrust(folder);
    if (why.empty()) cache.folder_ = folder;
  }
  return cache;
}

bool DiskCache::find(std::string_view key, std::string& path) const {
  if (!ok()) return false;
  path = cat(folder_, "/", key, ".so");
  File file(path, O_RDONLY | O_NOFOLLOW);
  if (!file.ok()) return false;
  if (!verifies(file)) {
    unlink(path.c_str());
    return false;
  }
  futimens(file.number(), nullptr);
  return true;
}

bool DiskCache::store(std::string_view key, std::string_view bytes, std::string& path,
                      std::string& why) const {
  path = cat(folder_, "/", key, ".so");
  Trailer trailer = trailer_of(bytes);
  if (!write_file(path, bytes, {reinterpret_cast<const char*>(&trailer), sizeof trailer})) {
    why = cat(folder_, ": could not be written: ", std::strerror(errno));
    return false;
  }
  const uint64_t limit = uint64_t(std::max<int64_t>(cache_size_mb.get(), 0)) << 20;
  if (has_to_look(key, bytes.size(), limit)) trim(limit);
  return true;
}

bool DiskCache::write_file(const std::string& path, std::string_view bytes,
                           std::string_view more) const {
  static std::atomic<uint64_t> count = 0;
  const std::string unfinished = cat(path, ".", getpid(), ".", count++, ".tmp");
  File file(unfinished, O_WRONLY | O_CREAT | O_EXCL);
  const bool written = file.ok() && file.write(bytes) && file.write(more) && file.finish() &&
                       rename(unfinished.c_str(), path.c_str()) == 0;
  const int why = errno;
  if (!written) unlink(unfinished.c_str());
  errno = why;
  return written;
}

std::string DiskCache::text_of(std::string_view key) const {
  return ok() ? cat(folder_, "/", key) : "";
}

std::string DiskCache::prelude_of(const Hash& hash) const {
  return ok() ? cat(folder_, "/prelude-", hash.hex(), ".h") : "";
}

void DiskCache::keep_texts(std::string_view key, std::span<const std::string> sources) const {
  for (size_t i = 0; i < sources.size(); ++i)
    write_file(cat(text_of(key), ".", i, ".cpp"), sources[i], {});
}

void DiskCache::keep_prelude(const Hash& hash, std::string_view text) const {
  const std::string path = prelude_of(hash);
  if (access(path.c_str(), F_OK) != 0) write_file(path, text, {});
}

void DiskCache::trim(uint64_t limit) const {
  std::vector<Entry> entries = entries_of(folder_);
  uint64_t bytes = 0;
  for (const Entry& entry : entries) bytes += entry.bytes;
  if (bytes <= limit) return;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used_ns < b.used_ns; });
  for (const Entry& entry : entries) {
    if (bytes <= limit - limit / 8) break;
    unlink(entry.path.c_str());
    bytes -= entry.bytes;
  }
}

CrashMarker::CrashMarker(const DiskCache& cache, std::string_view key) {
  if (!cache.ok()) return;
  path_ = cat(cache.folder(), "/", key, ".trying");
  std::string me = process_name(getpid());
  File file(path_, O_WRONLY | O_CREAT | O_EXCL);
  if (file.ok()) {
    ours_ = file.write(me);
    return;
  }
  std::string other;
  File left(path_, O_RDONLY | O_NOFOLLOW);
  if (!left.ok() || !read_whole(left, other)) return;
  pid_t pid = std::atoi(other.c_str());
  crashed_before_ = pid <= 0 || (other != me && other != process_name(pid));
}

CrashMarker::~CrashMarker() {
  if (ours_) unlink(path_.c_str());
}

}  // namespace vitro::jit
