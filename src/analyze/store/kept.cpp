// Manages the cache of columns: names folders by file identity, adds them atomically, and removes
// the least recently used above VITRO_TRACE_CACHE_SIZE_MB.
#include "analyze/store/kept.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <system_error>
#include <vector>

#include "vitro/base/cache_folder.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/base/hash.h"
#include "vitro/base/option.h"

namespace vitro::analyze {
namespace {

namespace fs = std::filesystem;

Option<int64_t> cache_mb{
    "VITRO_TRACE_CACHE_SIZE_MB", 4096,
    "above this size the columns of the least recently read traces are removed", 0};

std::string cache_of_traces() {
  const std::string folder = cache_folder();
  return folder.empty() ? folder : cat(folder, "/traces");
}

// Folders of this name are short-lived; an old one remains of a process that died.
constexpr std::string_view unfinished = "new.";

bool is_left_over(const fs::path& path, fs::file_time_type changed) {
  return path.filename().string().starts_with(unfinished) &&
         fs::file_time_type::clock::now() - changed > std::chrono::hours(1);
}

uint64_t bytes_in(const fs::path& folder) {
  std::error_code failed;
  uint64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    const uint64_t size = entry.file_size(failed);
    bytes += failed ? 0 : size;
  }
  return bytes;
}

struct Kept {
  fs::path path;
  fs::file_time_type used;
  uint64_t bytes;
};

void remove_least_recent(const std::string& all, const std::string& but) {
  std::error_code failed;
  std::vector<Kept> kept;
  uint64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(all, failed)) {
    const fs::file_time_type changed = entry.last_write_time(failed);
    if (is_left_over(entry.path(), changed)) {
      fs::remove_all(entry.path(), failed);
      continue;
    }
    kept.push_back({entry.path(), changed, bytes_in(entry.path())});
    bytes += kept.back().bytes;
  }
  std::ranges::sort(kept, {}, &Kept::used);
  const auto most = static_cast<uint64_t>(cache_mb.get()) << 20;
  for (const Kept& old : kept) {
    if (bytes <= most) return;
    if (old.path == but) continue;
    fs::remove_all(old.path, failed);
    bytes -= old.bytes;
  }
}

}  // namespace

Result<std::string> key_of(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) return std::string();
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Failure{cat(path, ": cannot be opened: ", std::strerror(errno))};
  fstat(file, &status);
  Hasher hasher;
  std::error_code failed;
  hasher.add(fs::absolute(path, failed).string());
  hasher.add(static_cast<int64_t>(status.st_size));
  hasher.add(static_cast<int64_t>(status.st_mtim.tv_sec));
  hasher.add(static_cast<int64_t>(status.st_mtim.tv_nsec));
  constexpr size_t end_bytes = 64 << 10;
  std::vector<char> bytes(end_bytes);
  for (const off_t at : {off_t{0}, std::max<off_t>(status.st_size - off_t{end_bytes}, 0)}) {
    const ssize_t got = pread(file, bytes.data(), bytes.size(), at);
    hasher.add(std::string_view(bytes.data(), static_cast<size_t>(std::max<ssize_t>(got, 0))));
  }
  close(file);
  return hasher.finish().hex();
}

std::string folder_to_write() {
  const std::string cache = cache_of_traces();
  std::error_code failed;
  if (!cache.empty()) {
    fs::create_directories(cache, failed);
    if (access(cache.c_str(), W_OK | X_OK) == 0) return cache;
  }
  const std::string temporary = fs::temp_directory_path(failed).string();
  VITRO_CHECK(!failed && access(temporary.c_str(), W_OK | X_OK) == 0,
              "no writable folder for the columns of a trace: neither \"", cache, "\" nor \"",
              temporary, "\"; set VITRO_CACHE_DIR or TMPDIR to one");
  return temporary;
}

std::string kept_folder(const std::string& key) {
  const std::string cache = cache_of_traces();
  return cache.empty() ? cache : cat(cache, "/", key);
}

Result<Done> keep(const std::string& key,
                  const std::function<Result<Done>(const std::string& folder)>& fill) {
  const std::string to = kept_folder(key);
  if (to.empty()) return Done{};
  std::string made = cat(cache_of_traces(), "/", unfinished, "XXXXXX");
  if (!mkdtemp(made.data()))
    return Failure{cat(cache_of_traces(), ": cannot be written: ", std::strerror(errno))};
  Result<Done> filled = Done{};
  try {
    filled = fill(made);
  } catch (const Error& e) {  // a full disk
    filled = Failure{e.what()};
  }
  std::error_code failed;
  if (filled) {
    fs::remove_all(to, failed);  // from another version, or corrupt
    fs::rename(made, to, failed);
    if (failed) filled = Failure{cat(to, ": cannot be written: ", failed.message())};
  }
  filled ? remove_least_recent(cache_of_traces(), to) : remove_folder(made);
  return filled;
}

void touch(const std::string& folder) {
  std::error_code ignored;
  fs::last_write_time(folder, fs::file_time_type::clock::now(), ignored);
}

void remove_folder(const std::string& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

}  // namespace vitro::analyze
