// Compiled modules and plans that come with a file, found before those of the cache on disk.
//   class Archive : public EntrySource { ... };
//   add_entry_source(archive);          // entries are found as long as the archive lives
// What is found is executed: add only what the user trusts.
// Threads: any.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "backend/jit/cache.h"

namespace vitro::jit {

class EntrySource {
 public:
  virtual ~EntrySource() = default;
  // The bytes of the entry, verified; nothing if it is not there.
  virtual std::optional<std::string> find(std::string_view key, EntryKind kind) const = 0;
};

void add_entry_source(const std::shared_ptr<const EntrySource>& source);
bool has_entry_sources();
std::optional<std::string> find_entry(std::string_view key, EntryKind kind);

}  // namespace vitro::jit
