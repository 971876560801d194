// A zip archive in memory: its entries by name, and their contents.
//   auto archive = ZipArchive::over(file->bytes());
//   const ZipEntry* entry = archive->find("weights.npy");
//   Result<std::span<const std::byte>> bytes = archive->stored(*entry);
// An entry's own header is checked when its content is asked for: it must agree with the directory.
// Failures begin with "byte N: " and have no path.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "io/zip_directory.h"
#include "vitro/base/result.h"

namespace vitro::io {

// Threads: any number may read.
class ZipArchive {
 public:
  // The bytes must outlive the archive.
  static Result<ZipArchive> over(std::span<const std::byte> file);

  std::span<const std::byte> file() const { return file_; }
  // In order of their positions.
  const std::vector<ZipEntry>& entries() const { return entries_; }
  const ZipEntry* find(std::string_view name) const;  // null if there is none

  // The content of an entry that is not compressed, in the archive's bytes. Failure if it is.
  Result<std::span<const std::byte>> stored(const ZipEntry& entry) const;
  // Copies or decompresses the content, whose checksum must be right; `to` has entry.size bytes.
  Result<Done> unpack(const ZipEntry& entry, std::span<std::byte> to) const;
  // Failure unless the checksum of a stored entry's content is right.
  Result<Done> verify(const ZipEntry& entry) const;
  // Failure if the entry's size cannot be true: deflate shrinks at most to a thousandth. Asked
  // before memory for the content is allocated.
  Result<Done> check_size(const ZipEntry& entry) const;

 private:
  Result<std::span<const std::byte>> packed(const ZipEntry& entry) const;

  std::span<const std::byte> file_;
  std::vector<ZipEntry> entries_;
  std::vector<uint32_t> by_name_;  // entries in order of their names
};

// CRC-32, the checksum of zip archives.
uint32_t zip_checksum(std::span<const std::byte> bytes, uint32_t before = 0);

}  // namespace vitro::io
