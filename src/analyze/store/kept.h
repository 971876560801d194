// The cache of trace columns: folders in the user's cache folder, named after the identity of the
// file.  The least recently used are removed when the cache grows too large.
#pragma once

#include <functional>
#include <string>

#include "vitro/base/result.h"

namespace vitro::analyze {

// The name for a file's columns, made from its path, size, modification time, and first and last
// bytes.  Empty if it is not a regular file (a pipe): nothing is cached for it.
Result<std::string> key_of(const std::string& path);

// A folder where columns can be written, readable by the user alone: the cache folder if it is
// writable, else that of temporary files.  Throws Error if neither is.
std::string folder_to_write();

// The folder for columns of this name, whether it exists or not; empty without a cache folder.
std::string kept_folder(const std::string& key);

// Lets `fill` write columns to a new folder; if that succeeds, stores the folder under this name,
// replacing an older one, and removes what exceeds the limit.  Does nothing without a
// cache folder; fails if it cannot be written.
Result<Done> keep(const std::string& key,
                  const std::function<Result<Done>(const std::string& folder)>& fill);

// Marks a cached folder as just used.
void touch(const std::string& folder);
void remove_folder(const std::string& folder);

}  // namespace vitro::analyze
