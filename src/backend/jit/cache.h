// Shared objects on disk, by content key: KEY.so in a folder of the owner's (private_folder.h),
// each followed by a hash that only its owner could have made.
//   DiskCache cache = DiskCache::open(why);
//   if (cache.find(key, entry)) ... load entry ...             // verified; what does not is
//   removed cache.store(key, bytes, entry, why)
// Written in full under another name and then renamed: any number of processes may use one folder.
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

struct CacheEntry {
  std::string path;   // empty where others could put another file there: `bytes` are what to load
  std::string bytes;  // of the shared object
};

class DiskCache {
 public:
  // The folder that the options name, made where it is missing.  Not ok() when there is none that
  // can be trusted; `why` says so.
  static DiskCache open(std::string& why);

  // No kernel has been kept yet in the folder that the options name.
  static bool is_empty();

  bool ok() const { return folder_.has_value(); }
  // Only where ok().
  const PrivateFolder& folder() const { return *folder_; }

  // A verified entry, marked as used now.
  bool find(std::string_view key, CacheEntry& entry) const;
  // Writes an entry, and now and then trims the folder to the limit of the options; false with the
  // reason when the folder is full or may not be written, or the entry is larger than the limit.
  bool store(std::string_view key, std::string_view bytes, CacheEntry& entry,
             std::string& why) const;
  void remove(std::string_view key) const;

  // What an entry was compiled from, in files that debuggers and profilers show: text_of(key) with
  // ".0.cpp" behind it and so on, prelude_of(hash).  A file that cannot be written is not there.
  std::string text_of(std::string_view key) const;
  std::string prelude_of(const Hash& hash) const;
  void keep_texts(std::string_view key, std::span<const std::string> sources) const;
  void keep_prelude(const Hash& hash, std::string_view text) const;

  // Removes what dead processes left behind and, where entries take more than `bytes`, the least
  // recently used ones until there is room for an eighth of it, but not that of `key`.
  void trim(uint64_t bytes, std::string_view key = {}) const;

 private:
  std::string path_of(const std::string& name) const;

  std::optional<PrivateFolder> folder_;
  Secret secret_ = {};
};

// While it lives, KEY.trying names this process: if the process dies, the next one knows what it
// died of.
class CrashMarker {
 public:
  CrashMarker(const DiskCache& cache, std::string_view key);
  ~CrashMarker();
  CrashMarker(const CrashMarker&) = delete;

  // A process died while it compiled this key; its marker stays until somebody succeeds.
  bool crashed_before() const { return crashed_before_; }
  // The key has been compiled: the marker goes away, whoever left it.
  void succeeded() { ours_ = true; }

 private:
  void look();

  std::optional<PrivateFolder> folder_;
  std::string name_;
  bool crashed_before_ = false, ours_ = false;
};

}  // namespace vitro::jit
