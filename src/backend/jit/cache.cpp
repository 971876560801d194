// The cache of kernels on disk: entries with keyed hashes, sources beside them, trimming, and
// markers of compilations that may crash.
#include "backend/jit/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>
#include <vector>

#include "backend/jit/fault.h"
#include "backend/jit/options.h"
#include "vitro/base/cache_folder.h"
#include "vitro/base/cat.h"
#include "vitro/base/hash.h"

namespace vitro::jit {
namespace {

// Appended to the shared object; the loader ignores bytes after the sections.
struct Trailer {
  uint64_t magic, size;
  KeyedHash hash;
};
constexpr uint64_t trailer_magic = 0x324f53524f525456;  // "VTRORSO2"

// Hashes the name too, so that one entry cannot pass for another.
Trailer trailer_of(const std::string& name, std::string_view bytes, const Secret& secret) {
  const KeyedHash of_bytes = keyed_hash(bytes, secret);
  return {trailer_magic, bytes.size(),
          keyed_hash(cat(name, " ", of_bytes.first, " ", of_bytes.second), secret)};
}

// Removes the trailer from `bytes`; false if it does not match them.
bool verify(const std::string& name, std::string& bytes, const Secret& secret) {
  Trailer found;
  if (bytes.size() < sizeof found) return false;
  std::memcpy(&found, bytes.data() + bytes.size() - sizeof found, sizeof found);
  bytes.resize(bytes.size() - sizeof found);
  const Trailer want = trailer_of(name, bytes, secret);
  return std::memcmp(&found, &want, sizeof want) == 0;
}

struct Entry {
  std::string name;
  int64_t used_ns;
  uint64_t bytes;
};

constexpr int64_t day_ns = int64_t{86'400} * 1'000'000'000;

std::unique_ptr<DIR, int (*)(DIR*)> list(const std::string& path) {
  return {opendir(path.c_str()), closedir};
}

std::string name_of(std::string_view key, EntryKind kind) {
  return cat(key, kind == EntryKind::plan ? ".plan" : ".so");
}

bool is_entry(std::string_view name) {
  return name.ends_with(".so") || name.ends_with(".plan") || name.ends_with(".cpp") ||
         name.ends_with(".h");
}

// Lists all entries, and removes markers and unfinished files older than a day.
std::vector<Entry> entries_of(const PrivateFolder& folder) {
  std::vector<Entry> entries;
  const auto dir = list(cat("/proc/self/fd/", folder.descriptor()));
  if (!dir) return entries;
  const int64_t now = int64_t{time(nullptr)} * 1'000'000'000;
  while (const dirent* item = readdir(dir.get())) {
    const std::string name = item->d_name;
    struct stat info;
    if (fstatat(folder.descriptor(), item->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(info.st_mode))
      continue;
    const int64_t used = int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
    const bool abandoned = name.ends_with(".trying") || name.ends_with(".tmp");
    if (abandoned && now - used > day_ns) folder.remove(name);
    if (is_entry(name)) entries.push_back({name, used, uint64_t(info.st_size)});
  }
  return entries;
}

// Scanning a large folder takes longer than most stores.  The hash of the key selects which stores
// scan: on average one for each 64th of the limit stored, over all processes.
bool has_to_look(std::string_view key, uint64_t bytes, uint64_t limit) {
  return hash_of(key).low % (limit / 64 + 1) < bytes;
}

// Process id and start time, because ids are reused.
std::string process_name(pid_t pid) {
  std::ifstream file(cat("/proc/", pid, "/stat"));
  std::string line;
  std::getline(file, line, '\0');  // a process name may contain newlines
  std::string_view text = line;
  const size_t end = text.rfind(')');
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
  const auto dir = list(cache_folder());
  if (!dir) return true;
  while (const dirent* item = readdir(dir.get())) {
    if (std::string_view(item->d_name).ends_with(".so")) return false;
  }
  return true;
}

DiskCache DiskCache::open(std::string& why) {
  DiskCache cache;
  const std::string path = cache_folder();
  if (path.empty()) {
    why = "neither VITRO_CACHE_DIR nor HOME is set to a folder";
    return cache;
  }
  auto folder = PrivateFolder::open(path);
  if (!folder) return why = folder.why(), cache;
  const auto secret = folder->secret();
  if (!secret) return why = secret.why(), cache;
  cache.folder_ = *std::move(folder);
  cache.secret_ = *secret;
  return cache;
}

std::string DiskCache::path_of(const std::string& name) const {
  return folder_->has_safe_path() ? cat(folder_->path(), "/", name) : "";
}

bool DiskCache::find(std::string_view key, CacheEntry& entry, EntryKind kind) const {
  if (!ok()) return false;
  const std::string name = name_of(key, kind);
  std::optional<std::string> bytes = folder_->read(name);
  if (!bytes) return false;
  if (!verify(name, *bytes, secret_)) {
    folder_->remove(name);
    return false;
  }
  entry = {path_of(name), *std::move(bytes)};
  return true;
}

bool DiskCache::store(std::string_view key, std::string_view bytes, CacheEntry& entry,
                      std::string& why, EntryKind kind) const {
  const std::string name = name_of(key, kind);
  const uint64_t limit = uint64_t(std::max<int64_t>(cache_size_mb.get(), 0)) << 20;
  if (bytes.size() > limit) {
    why = cat(kind == EntryKind::plan ? "a plan of " : "a module of ", bytes.size(),
              " bytes exceeds the cache's limit of ", limit, " bytes; raise VITRO_CACHE_SIZE_MB");
    return false;
  }
  const Trailer trailer = trailer_of(name, bytes, secret_);
  if (const int error =
          folder_->write(name, bytes, {reinterpret_cast<const char*>(&trailer), sizeof trailer})) {
    why = cat(folder_->path(), ": could not be written: ", fault(error));
    return false;
  }
  entry.path = path_of(name);
  if (entry.path.empty()) entry.bytes = bytes;
  if (has_to_look(key, bytes.size(), limit)) trim(limit, key);
  return true;
}

void DiskCache::remove(std::string_view key, EntryKind kind) const {
  folder_->remove(name_of(key, kind));
}

std::string DiskCache::text_of(std::string_view key) const {
  return ok() ? cat(folder_->path(), "/", key) : "";
}

std::string DiskCache::prelude_of(const Hash& hash) const {
  return ok() ? cat(folder_->path(), "/prelude-", hash.hex(), ".h") : "";
}

void DiskCache::keep_texts(std::string_view key, std::span<const std::string> sources) const {
  for (size_t i = 0; i < sources.size(); ++i) folder_->write(cat(key, ".", i, ".cpp"), sources[i]);
}

void DiskCache::keep_prelude(const Hash& hash, std::string_view text) const {
  const std::string name = cat("prelude-", hash.hex(), ".h");
  struct stat info;
  if (fstatat(folder_->descriptor(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
    folder_->write(name, text);
}

void DiskCache::trim(uint64_t limit, std::string_view key) const {
  std::vector<Entry> entries = entries_of(*folder_);
  uint64_t bytes = 0;
  for (const Entry& entry : entries) bytes += entry.bytes;
  if (bytes <= limit) return;
  std::ranges::sort(entries, {}, &Entry::used_ns);
  for (const Entry& entry : entries) {
    if (bytes <= limit - limit / 8) break;
    if (!key.empty() && entry.name.starts_with(key)) continue;
    folder_->remove(entry.name);
    bytes -= entry.bytes;
  }
}

CrashMarker::CrashMarker(const DiskCache& cache, std::string_view key) {
  if (!cache.ok()) return;
  folder_ = cache.folder();
  name_ = cat(key, ".trying");
  look();
}

void CrashMarker::look() {
  const std::string me = process_name(getpid());
  const int error = folder_->create(name_, me);
  ours_ = error == 0;
  if (error != EEXIST) return;
  const std::optional<std::string> other = folder_->read(name_);
  if (!other) return;
  const pid_t pid = std::atoi(other->c_str());
  crashed_before_ = pid <= 0 || (*other != me && *other != process_name(pid));
}

CrashMarker::~CrashMarker() {
  if (ours_ && folder_) folder_->remove(name_);
}

}  // namespace vitro::jit
