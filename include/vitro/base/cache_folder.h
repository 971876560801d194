// The folder for what Vitro caches on disk: compiled kernels and measurements of the machine.
#pragma once

#include <string>

#include "vitro/base/option.h"

namespace vitro {

extern Option<std::string> cache_dir;

// The folder's path; it may not exist yet.  Empty if none of VITRO_CACHE_DIR, XDG_CACHE_HOME and
// HOME gives one.
std::string cache_folder();

}  // namespace vitro
