#include "analyze/kept.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
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

Option<int64_t> cache_mb{"VITRO_TRACE_CACHE_SIZE_MB", 4096,
                         "the least recently read traces' columns are removed above this size", 0};

std::string cache_of_traces() {
  const std::string folder = cache_folder();
  return folder.empty() ? folder : cat(folder, "/traces");
}

std::string made_in(const std::string& folder) {
  std::string name = cat(folder, "/new.XXXXXX");
  return mkdtemp(name.data()) ? name : std::string();
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
    kept.push_back({entry.path(), entry.last_write_time(failed), bytes_in(entry.path())});
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
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Failure{cat(path, ": cannot be opened: ", std::strerror(errno))};
  struct stat status{};
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

std::string new_folder() {
  const std::string cache = cache_of_traces();
  std::error_code failed;
  if (!cache.empty()) {
    fs::create_directories(cache, failed);
    if (std::string made = made_in(cache); !made.empty()) return made;
  }
  const fs::path temporary = fs::temp_directory_path(failed);
  std::string made = failed ? std::string() : made_in(temporary.string());
  VITRO_CHECK(!made.empty(), "no folder can be written for the columns of a trace: neither \"",
              cache, "\" nor \"", temporary.string(), "\"; set VITRO_CACHE_DIR or TMPDIR to one");
  return made;
}

std::string kept_folder(const std::string& key) {
  const std::string cache = cache_of_traces();
  return cache.empty() ? cache : cat(cache, "/", key);
}

std::string keep(const std::string& folder, const std::string& key) {
  const std::string to = kept_folder(key);
  if (to.empty() || fs::path(to).parent_path() != fs::path(folder).parent_path()) return folder;
  std::error_code failed;
  fs::remove_all(to, failed);  // of another version, or broken
  fs::rename(folder, to, failed);
  if (failed) return folder;
  remove_least_recent(cache_of_traces(), to);
  return to;
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
