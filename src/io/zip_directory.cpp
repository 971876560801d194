// Reads the directory of a zip archive from its end, and checks that its entries are disjoint and
// have names of their own.
#include "io/zip_directory.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "io/little_endian.h"
#include "io/shown.h"
#include "report/utf8.h"
#include "vitro/base/cat.h"

namespace vitro::io {
namespace {

using Bytes = std::span<const std::byte>;

// Where the directory lies, from the end of the archive.
struct Directory {
  uint64_t begin = 0, size = 0, count = 0;
  uint64_t end = 0;  // where what follows it begins
};

Failure at(uint64_t byte, const std::string& why) {
  return {cat("byte ", byte, ": ", why)};
}

// The position of the record that ends the archive, whose comment reaches to the last byte.
std::optional<size_t> find_end(Bytes file) {
  if (file.size() < zip::end_bytes) return std::nullopt;
  const size_t last = file.size() - zip::end_bytes;
  const size_t first = last > zip::full16 ? last - zip::full16 : 0;
  for (size_t i = last + 1; i-- > first;) {
    if (number_at<uint32_t>(file, i) == zip::end_signature &&
        number_at<uint16_t>(file, i + 20) == last - i)
      return i;
  }
  return std::nullopt;
}

// Replaces a number of the last record by that of the zip64 record; false if they contradict.
template <class Short>
bool widen(uint64_t& number, uint64_t wide) {
  const bool agree = number == static_cast<Short>(-1) || number == wide;
  number = wide;
  return agree;
}

// The zip64 record, if there is one before the last record at `end`.
Result<Done> read_end64(Bytes file, size_t end, Directory& directory) {
  const bool full = directory.count == zip::full16 || directory.size == zip::full32 ||
                    directory.begin == zip::full32;
  const size_t locator = end - std::min(end, zip::locator_bytes);
  if (end < zip::locator_bytes || number_at<uint32_t>(file, locator) != zip::locator_signature) {
    if (!full || directory.end - directory.begin == directory.size) return Done{};
    return at(end, "the archive needs a zip64 record, and there is none");
  }
  const auto record = number_at<uint64_t>(file, locator + 8);
  if (record > locator || locator - record < zip::end64_bytes ||
      number_at<uint32_t>(file, record) != zip::end64_signature)
    return at(locator, cat("there is no zip64 record at byte ", record));
  if (number_at<uint32_t>(file, locator + 4) != 0 || number_at<uint32_t>(file, record + 16) != 0 ||
      number_at<uint32_t>(file, record + 20) != 0)
    return at(record, "the archive is split into several files; join them first");
  const bool agree = widen<uint16_t>(directory.count, number_at<uint64_t>(file, record + 32)) &
                     widen<uint32_t>(directory.size, number_at<uint64_t>(file, record + 40)) &
                     widen<uint32_t>(directory.begin, number_at<uint64_t>(file, record + 48));
  if (!agree) return at(record, "the zip64 record contradicts the record at the end");
  directory.end = record;
  return Done{};
}

Result<Directory> find_directory(Bytes file) {
  const std::optional<size_t> end = find_end(file);
  if (!end)
    return at(file.size(), "the file does not end as a zip archive does; it may be truncated");
  if (number_at<uint16_t>(file, *end + 4) != 0 || number_at<uint16_t>(file, *end + 6) != 0)
    return at(*end, "the archive is split into several files; join them first");
  Directory directory{number_at<uint32_t>(file, *end + 16), number_at<uint32_t>(file, *end + 12),
                      number_at<uint16_t>(file, *end + 10), *end};
  if (auto read = read_end64(file, *end, directory); !read) return read.failure();
  if (directory.begin > directory.end || directory.end - directory.begin != directory.size)
    return at(*end, cat("the directory should be ", directory.size, " bytes from byte ",
                        directory.begin, " on, but must end at byte ", directory.end));
  if (directory.count > directory.size / zip::entry_bytes)
    return at(*end, cat("the directory's ", directory.size, " bytes have no room for ",
                        directory.count, " entries"));
  return directory;
}

// The entry whose record is at `where` of the directory, and the bytes that it takes there.
Result<std::pair<ZipEntry, size_t>> read_entry(Bytes file, const Directory& directory,
                                               uint64_t where) {
  const uint64_t left = directory.end - where;
  if (left < zip::entry_bytes || number_at<uint32_t>(file, where) != zip::entry_signature)
    return at(where, "the directory has no entry here, but should have more");
  const Bytes record = file.subspan(where, left);
  const size_t name = number_at<uint16_t>(record, 28), extra = number_at<uint16_t>(record, 30),
               comment = number_at<uint16_t>(record, 32);
  const size_t total = zip::entry_bytes + name + extra + comment;
  if (total > left) return at(where, "an entry reaches past the end of the directory");
  ZipEntry entry;
  entry.name = {reinterpret_cast<const char*>(record.data()) + zip::entry_bytes, name};
  const auto problem = [&](const std::string& why) {
    return at(where, cat("entry ", shown(entry.name), ": ", why));
  };
  if (std::string why = entry_name_problem(entry.name); !why.empty())
    return problem(cat("its name ", why));
  entry.flags = number_at<uint16_t>(record, 8);
  entry.method = number_at<uint16_t>(record, 10);
  entry.checksum = number_at<uint32_t>(record, 16);
  entry.packed_size = number_at<uint32_t>(record, 20);
  entry.size = number_at<uint32_t>(record, 24);
  entry.begin = number_at<uint32_t>(record, 42);
  const auto if_full = [](uint64_t& n) { return n == zip::full32 ? &n : nullptr; };
  uint64_t* const missing[] = {if_full(entry.size), if_full(entry.packed_size),
                               if_full(entry.begin)};
  if (!read_zip64_extra(record.subspan(zip::entry_bytes + name, extra), missing))
    return problem("its sizes of 64 bits are missing");
  if (entry.method == zip::stored && entry.size != entry.packed_size)
    return problem(cat("it is stored, but has ", entry.packed_size, " bytes in the file and ",
                       entry.size, " of content"));
  const uint64_t room = directory.begin - std::min(directory.begin, entry.begin);
  if (room < zip::local_bytes + name || room - zip::local_bytes - name < entry.packed_size)
    return problem(cat("its ", entry.packed_size, " bytes from byte ", entry.begin,
                       " on reach past the directory's beginning at byte ", directory.begin));
  return std::pair(entry, total);
}

// Sorts the entries by position and refuses those that overlap.
Result<Done> order(std::vector<ZipEntry>& entries, uint64_t end) {
  std::ranges::sort(entries, {}, [](const ZipEntry& e) { return std::pair(e.begin, e.name); });
  for (size_t i = 0; i < entries.size(); ++i) {
    ZipEntry& entry = entries[i];
    entry.limit = i + 1 < entries.size() ? entries[i + 1].begin : end;
    const uint64_t least = zip::local_bytes + entry.name.size() + entry.packed_size;
    if (entry.limit - entry.begin < least)
      return at(entry.begin, cat("entry ", shown(entry.name), " overlaps ",
                                 shown(entries[std::min(i + 1, entries.size() - 1)].name)));
  }
  return Done{};
}

Result<Done> check_unique(const std::vector<ZipEntry>& entries) {
  std::vector<std::string_view> names;
  names.reserve(entries.size());
  for (const ZipEntry& entry : entries) names.push_back(entry.name);
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return Done{};
  const auto first = std::ranges::find(entries, *twice, &ZipEntry::name);
  return at(first->begin, cat("two entries have the name ", shown(*twice)));
}

}  // namespace

std::string entry_name_problem(std::string_view name) {
  if (name.empty()) return "is empty";
  if (!report::is_utf8(name)) return "is not UTF-8";
  if (std::ranges::any_of(name, [](char c) { return c >= '\0' && c < ' '; }))
    return "has a control character";
  if (name.find('\\') != std::string_view::npos) return "has a backslash";
  if (name.front() == '/') return "is an absolute path";
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('/', begin), name.size());
    if (name.substr(begin, end - begin) == "..") return "leaves its folder by \"..\"";
    begin = end + 1;
  }
  return {};
}

bool begins_as_zip(Bytes file) {
  if (file.size() < sizeof(uint32_t)) return false;
  const auto first = number_at<uint32_t>(file, 0);
  return first == zip::local_signature || first == zip::end_signature;
}

bool read_zip64_extra(Bytes extra, std::span<uint64_t* const> missing) {
  Bytes wide;
  while (extra.size() >= 4) {
    const size_t size = number_at<uint16_t>(extra, 2);
    if (size > extra.size() - 4) break;
    if (number_at<uint16_t>(extra, 0) == zip::extra64) {
      wide = extra.subspan(4, size);
      break;
    }
    extra = extra.subspan(4 + size);
  }
  for (uint64_t* const number : missing) {
    if (!number) continue;
    if (wide.size() < sizeof *number) return false;
    *number = number_at<uint64_t>(wide, 0);
    wide = wide.subspan(sizeof *number);
  }
  return true;
}

Result<std::vector<ZipEntry>> read_zip_directory(Bytes file) {
  const auto directory = find_directory(file);
  if (!directory) return directory.failure();
  std::vector<ZipEntry> entries;
  entries.reserve(directory->count);
  uint64_t where = directory->begin;
  for (uint64_t i = 0; i < directory->count; ++i) {
    auto entry = read_entry(file, *directory, where);
    if (!entry) return entry.failure();
    entries.push_back(entry->first);
    where += entry->second;
  }
  if (where != directory->end)
    return at(where,
              cat("the directory has ", directory->end - where, " bytes after its last entry"));
  if (auto unique = check_unique(entries); !unique) return unique.failure();
  if (auto ordered = order(entries, directory->begin); !ordered) return ordered.failure();
  return entries;
}

}  // namespace vitro::io
