// The directory of a zip archive: which entries it has, and where.
//   auto directory = read_zip_directory(bytes);
//   if (!directory) return Failure{cat(path, ": ", directory.why())};
// Numbers of 64 bits (zip64) are read where they are needed.  The end of the archive is that of the
// bytes, and its entries lie one after another: what overlaps, or reaches outside, is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/base/result.h"

namespace vitro::io {

// The layout of archives, for those that read and those that write them.
namespace zip {
inline constexpr uint32_t local_signature = 0x04034b50, entry_signature = 0x02014b50,
                          end_signature = 0x06054b50, end64_signature = 0x06064b50,
                          locator_signature = 0x07064b50;
inline constexpr size_t local_bytes = 30, entry_bytes = 46, end_bytes = 22, end64_bytes = 56,
                        locator_bytes = 20;
inline constexpr uint16_t stored = 0, deflated = 8;                            // methods
inline constexpr uint16_t encrypted = 1, sizes_follow = 8, utf8_name = 0x800;  // flags
inline constexpr uint16_t extra64 = 1;      // extra field with 64 bits
inline constexpr uint16_t full16 = 0xffff;  // the number is elsewhere
inline constexpr uint32_t full32 = 0xffffffff;
}  // namespace zip

struct ZipEntry {
  std::string_view name;  // unique, UTF-8, a relative path without ".." or "\"
  uint16_t method = 0, flags = 0;
  uint32_t checksum = 0;
  uint64_t size = 0, packed_size = 0;  // of the content, and of its bytes in the archive
  uint64_t begin = 0;                  // of its local header
  uint64_t limit = 0;                  // where the next entry or the directory begins
};

// The entries in order of their positions; the names point into `file`.  A Failure begins with
// "byte N: ".
Result<std::vector<ZipEntry>> read_zip_directory(std::span<const std::byte> file);

// Whether the bytes begin as an archive does, even if it is broken.
bool begins_as_zip(std::span<const std::byte> file);

// Empty, or why no entry may have this name ("is empty", ...): someone might write it to a disk.
std::string entry_name_problem(std::string_view name);

// Fills the sizes that did not fit into 32 bits, in their order, from an entry's extra fields.  A
// null pointer is a number that did fit.  False if one is missing.
bool read_zip64_extra(std::span<const std::byte> extra, std::span<uint64_t* const> missing);

}  // namespace vitro::io
