// A folder of this process, removed with all that is in it.
#pragma once

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>

#include "vitro/base/error.h"

namespace vitro::cli {

struct TemporaryFolder {
  std::string path = std::filesystem::temp_directory_path() / "vitro.XXXXXX";
  TemporaryFolder() {
    VITRO_CHECK(mkdtemp(path.data()), path, ": cannot be created: ", std::strerror(errno));
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

}  // namespace vitro::cli
