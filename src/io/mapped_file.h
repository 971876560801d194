// A file mapped into memory, and storages of tensors over its bytes.
//   auto file = MappedFile::open("weights.bin");
//   if (!file) return file.failure();
//   Storage storage = (*file)->storage(64, 1024);
// Writes to a storage stay in this process: its pages are private copies once they are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "vitro/base/result.h"
#include "vitro/core/storage.h"

namespace vitro::io {

// Threads: any number may use it.  Storages keep it alive.
// A file that another program truncates while it is mapped cannot be guarded: the system kills
// programs (SIGBUS) that touch a page that the file no longer has.  check() is for the moments
// before much of the file is read.
class MappedFile : public std::enable_shared_from_this<MappedFile> {
 public:
  // Failure, with the path, if the file cannot be opened or is not a regular one.
  static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;

  const std::string& path() const { return path_; }
  // The bytes of the file, whatever is written to storages.
  std::span<const std::byte> bytes() const { return {all_.data, all_.size}; }

  // Failure if the file has become shorter.
  Result<Done> check() const;

  // A storage over `size` bytes of the file, at least one, in pages that all storages of this
  // function share: make one for a range and share it, as different storages must not overlap.
  // Empty if the system has no room for more mappings.
  Storage storage(uint64_t begin, size_t size) const;
  // The same in pages of its own, so that the range may be used again.
  Storage storage_apart(uint64_t begin, size_t size) const;

 private:
  struct Pages {
    std::byte* data = nullptr;  // null: they could not be mapped
    size_t size = 0;

    Pages() = default;
    Pages(int file, uint64_t begin, size_t size, int access);
    Pages(const Pages&) = delete;
    ~Pages();
  };

  MappedFile(std::string path, int file, size_t size);

  std::string path_;
  int file_;
  Pages all_;  // read only
  mutable std::once_flag written_once_;
  mutable std::shared_ptr<const Pages> written_;
};

}  // namespace vitro::io
