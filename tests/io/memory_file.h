// A file in memory with a path.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::io {

class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes)
      : file_(memfd_create("file", MFD_CLOEXEC)), path_(cat("/proc/self/fd/", file_)) {
    while (!bytes.empty()) {
      const ssize_t written = write(file_, bytes.data(), bytes.size());
      VITRO_CHECK(written > 0, path_, ": cannot be written");
      bytes.remove_prefix(static_cast<size_t>(written));
    }
  }
  MemoryFile(const MemoryFile&) = delete;
  ~MemoryFile() { close(file_); }
  const std::string& path() const { return path_; }

 private:
  int file_;
  std::string path_;
};

}  // namespace vitro::io
