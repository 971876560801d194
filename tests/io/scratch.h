// Temporary files of one run of the tests, removed at its end.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace vitro::io {

// A path in a folder of this process.
inline std::string scratch(std::string_view name) {
  struct Folder {
    std::filesystem::path path;
    Folder() {
      std::string pattern = std::filesystem::temp_directory_path() / "vitro_io_XXXXXX";
      path = mkdtemp(pattern.data());
    }
    ~Folder() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  };
  static const Folder folder;
  return folder.path / name;
}

}  // namespace vitro::io
