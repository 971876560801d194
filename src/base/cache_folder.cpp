#include "vitro/base/cache_folder.h"

#include <cstdlib>

#include "vitro/base/cat.h"

namespace vitro {

Option<std::string> cache_dir{
    "VITRO_CACHE_DIR", "",
    "folder of compiled kernels (default: $XDG_CACHE_HOME/vitro, or ~/.cache/vitro)"};

std::string cache_folder() {
  std::string folder = cache_dir.get();
  if (!folder.empty()) return folder;
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache == '/') return cat(cache, "/vitro");
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? cat(home, "/.cache/vitro") : "";
}

}  // namespace vitro
