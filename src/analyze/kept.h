// Where the columns of traces are kept: folders in the user's cache folder, named by what the file
// is, the least recently used of them removed where they grow too large.
#pragma once

#include <functional>
#include <string>

#include "vitro/base/result.h"

namespace vitro::analyze {

// The name of a file's columns: its path, size, time of change, and the bytes of its two ends.
// Empty where it is no plain file (a pipe): nothing of it is kept.
Result<std::string> key_of(const std::string& path);

// A folder where columns can be written, readable by the user alone: the cache folder where it can
// be written, else that of temporary files.  Error where neither can.
std::string folder_to_write();

// The folder in which columns of this name are kept, whether it is there or not; empty where there
// is no cache folder.
std::string kept_folder(const std::string& key);

// Lets `fill` put columns into a new folder and, where it says that they are all there, keeps that
// under this name in place of an older one; removes what became too much.  Does nothing where the
// cache folder cannot be written.
void keep(const std::string& key, const std::function<bool(const std::string& folder)>& fill);

// Marks a kept folder as used now.
void touch(const std::string& folder);
void remove_folder(const std::string& folder);

}  // namespace vitro::analyze
