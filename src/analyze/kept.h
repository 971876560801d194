// Where the columns of traces are kept: folders in the user's cache folder, named by what the file
// is, the least recently used of them removed where they grow too large.
#pragma once

#include <string>

#include "vitro/base/result.h"

namespace vitro::analyze {

// The name of a file's columns: its path, size, time of change, and the bytes of its two ends.
Result<std::string> key_of(const std::string& path);

// A folder for columns in the making, readable by the user alone; in the cache folder where it can
// be written, else where temporary files are. Error where neither can.
std::string new_folder();

// The folder in which columns of this name are kept, whether it is there or not; empty where there
// is no cache folder.
std::string kept_folder(const std::string& key);

// Gives a folder its lasting name and removes what became too much; returns where the columns are
// now.
std::string keep(const std::string& folder, const std::string& key);

// Marks as used just now.
void touch(const std::string& folder);

void remove_folder(const std::string& folder);

}  // namespace vitro::analyze
