// Shared objects and plans on disk, by content key: KEY.so and KEY.plan in a private folder
// (private_folder.h), each followed by a hash that only the folder's owner can compute.
//   DiskCache cache = DiskCache::open(why);
//   if (cache.find(key, entry)) ... load entry ...    // verified; an invalid entry is removed
//   cache.store(key, bytes, entry, why)
// Files are written under a temporary name and renamed, so processes may share a folder.
// Thread safety: all members may be called from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "backend/jit/private_folder.h"
#include "vitro/base/hash.h"

namespace vitro::jit {

enum class EntryKind : uint8_t { module, plan };

struct CacheEntry {
  std::string path;   // empty if others could replace the file: load `bytes` instead
  std::string bytes;  // of the shared object or plan
};

class DiskCache {
 public:
  // Opens the folder that the options name, creating it if missing.  Not ok() if it cannot be
  // trusted; `why` has the reason.
  static DiskCache open(std::string& why);

  // Whether the folder that the options name has no kernels yet.
  static bool is_empty();

  bool ok() const { return folder_.has_value(); }
  // Requires ok().
  const PrivateFolder& folder() const { return *folder_; }

  // Finds and verifies an entry, and marks it as used now.
  bool find(std::string_view key, CacheEntry& entry, EntryKind kind = EntryKind::module) const;
  // Writes an entry, and occasionally trims the folder to the limit of the options.  False with the
  // reason if the folder is full or not writable, or the entry is larger than the limit.
  bool store(std::string_view key, std::string_view bytes, CacheEntry& entry, std::string& why,
             EntryKind kind = EntryKind::module) const;
  void remove(std::string_view key, EntryKind kind = EntryKind::module) const;

  // An entry's sources, in files that debuggers and profilers show: text_of(key) followed by
  // ".0.cpp" and so on, and prelude_of(hash).  Failures to write them are ignored.
  std::string text_of(std::string_view key) const;
  std::string prelude_of(const Hash& hash) const;
  void keep_texts(std::string_view key, std::span<const std::string> sources) const;
  void keep_prelude(const Hash& hash, std::string_view text) const;

  // Removes old temporary files of dead processes.  If entries take more than `bytes`, removes the
  // least recently used ones, except `key`, until an eighth of the limit is free.
  void trim(uint64_t bytes, std::string_view key = {}) const;

 private:
  std::string path_of(const std::string& name) const;

  std::optional<PrivateFolder> folder_;
  Secret secret_ = {};
};

// While alive, KEY.trying names this process.  If the process dies, the next one knows which key
// crashed it.
class CrashMarker {
 public:
  CrashMarker(const DiskCache& cache, std::string_view key);
  ~CrashMarker();
  CrashMarker(const CrashMarker&) = delete;

  // A process died while compiling this key; its marker stays until a compilation succeeds.
  bool crashed_before() const { return crashed_before_; }
  // The key was compiled: the destructor removes the marker, whoever created it.
  void succeeded() { ours_ = true; }

 private:
  void look();

  std::optional<PrivateFolder> folder_;
  std::string name_;
  bool crashed_before_ = false, ours_ = false;
};

}  // namespace vitro::jit
