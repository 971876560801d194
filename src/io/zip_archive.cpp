// Finds entries of a zip archive and gives their contents, after comparing each one's own header
// with the directory.
#include "io/zip_archive.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include "io/little_endian.h"
#include "io/shown.h"
#include "report/inflate.h"
#include "vitro/base/cat.h"

namespace vitro::io {
namespace {

using Bytes = std::span<const std::byte>;

// Deflate's best: 258 bytes by two codes of a bit each.
constexpr uint64_t largest_ratio = 1032;

Failure problem(const ZipEntry& entry, const std::string& why) {
  return {cat("byte ", entry.begin, ": entry ", shown(entry.name), ": ", why)};
}

// Whether sizes and checksum of the entry's own header are those of the directory; they may be
// missing if they follow the content.
bool agrees(const ZipEntry& entry, Bytes header, Bytes extra) {
  const bool follow = (entry.flags & zip::sizes_follow) != 0;
  const auto checksum = number_at<uint32_t>(header, 14);
  uint64_t packed = number_at<uint32_t>(header, 18), size = number_at<uint32_t>(header, 22);
  if (follow && checksum == 0 && packed == 0 && size == 0) return true;
  if (size == zip::full32 || packed == zip::full32) {
    uint64_t* const missing[] = {size == zip::full32 ? &size : nullptr,
                                 packed == zip::full32 ? &packed : nullptr};
    if (!read_zip64_extra(extra, missing)) return false;
  }
  if (follow && size == 0 && packed == 0) return true;
  return checksum == entry.checksum && packed == entry.packed_size && size == entry.size;
}

// Fuzzers would never guess a checksum: for them each is right.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
constexpr bool checksums_count = false;
#else
constexpr bool checksums_count = true;
#endif

Failure wrong_checksum(const ZipEntry& entry, uint32_t got) {
  return problem(entry, cat("its content has checksum ", got, " and not ", entry.checksum,
                            ": the file is damaged"));
}

// Decompresses until `to` is full; empty, or why not.
std::string inflate_all(Bytes packed, std::span<std::byte> to) {
  const auto inflate = report::make_inflate(report::Inflate::Form::raw);
  std::string_view in(reinterpret_cast<const char*>(packed.data()), packed.size());
  auto* out = reinterpret_cast<char*>(to.data());
  size_t room = to.size();
  while (!inflate->ended()) {
    char extra_byte = 0;  // at the end the stream must not give any more
    const size_t before = in.size();
    const size_t got = inflate->run(in, room > 0 ? out : &extra_byte, room > 0 ? room : 1);
    if (got > room) return cat("it unpacks to more than its ", to.size(), " bytes");
    out += got;
    room -= got;
    if (got == 0 && in.size() == before && !inflate->ended()) return "its content is truncated";
  }
  if (!inflate->why().empty()) return cat("it cannot be unpacked: ", inflate->why());
  if (room > 0) return cat("it unpacks to ", to.size() - room, " bytes and not ", to.size());
  return {};
}

}  // namespace

Result<ZipArchive> ZipArchive::over(Bytes file) {
  auto entries = read_zip_directory(file);
  if (!entries) return entries.failure();
  ZipArchive archive;
  archive.file_ = file;
  archive.entries_ = *std::move(entries);
  archive.by_name_.resize(archive.entries_.size());
  std::iota(archive.by_name_.begin(), archive.by_name_.end(), 0U);
  std::ranges::sort(archive.by_name_, {}, [&](uint32_t i) { return archive.entries_[i].name; });
  return archive;
}

const ZipEntry* ZipArchive::find(std::string_view name) const {
  const auto name_of = [&](uint32_t i) { return entries_[i].name; };
  const auto found = std::ranges::lower_bound(by_name_, name, {}, name_of);
  return found == by_name_.end() || name_of(*found) != name ? nullptr : &entries_[*found];
}

Result<Bytes> ZipArchive::packed(const ZipEntry& entry) const {
  if (entry.flags & zip::encrypted)
    return problem(entry, "it is encrypted; unpack the archive with its password first");
  const Bytes header = file_.subspan(entry.begin, entry.limit - entry.begin);
  if (number_at<uint32_t>(header, 0) != zip::local_signature)
    return problem(entry, "there is no entry at its position");
  const size_t name = number_at<uint16_t>(header, 26), extra = number_at<uint16_t>(header, 28);
  const size_t begin = zip::local_bytes + name + extra;
  if (begin > header.size() || header.size() - begin < entry.packed_size)
    return problem(
        entry, cat("its ", entry.packed_size, " bytes overlap what follows at byte ", entry.limit));
  const std::string_view own_name(reinterpret_cast<const char*>(header.data()) + zip::local_bytes,
                                  name);
  if (own_name != entry.name)
    return problem(entry, cat("its own header has the name ", shown(own_name)));
  if (number_at<uint16_t>(header, 8) != entry.method ||
      !agrees(entry, header, header.subspan(zip::local_bytes + name, extra)))
    return problem(entry, "its own header contradicts the directory");
  return header.subspan(begin, entry.packed_size);
}

Result<Bytes> ZipArchive::stored(const ZipEntry& entry) const {
  if (entry.method != zip::stored)
    return problem(entry, cat("it is compressed (method ", entry.method,
                              "); store it: unpack the archive and pack it with zip -0"));
  return packed(entry);
}

Result<Done> ZipArchive::check_size(const ZipEntry& entry) const {
  if (entry.method == zip::stored || entry.size / largest_ratio <= entry.packed_size) return Done{};
  return problem(entry, cat(entry.packed_size, " compressed bytes cannot become ", entry.size));
}

Result<Done> ZipArchive::unpack(const ZipEntry& entry, std::span<std::byte> to) const {
  const auto from = packed(entry);
  if (!from) return from.failure();
  if (entry.method == zip::stored) {
    if (!to.empty()) std::memcpy(to.data(), from->data(), to.size());
  } else if (entry.method == zip::deflated) {
    if (std::string why = inflate_all(*from, to); !why.empty()) return problem(entry, why);
  } else {
    return problem(entry, cat("it is compressed by method ", entry.method,
                              ", and only deflate (8) can be read; pack the archive again"));
  }
  const uint32_t got = zip_checksum(to);
  if (checksums_count && got != entry.checksum) return wrong_checksum(entry, got);
  return Done{};
}

Result<Done> ZipArchive::verify(const ZipEntry& entry) const {
  const auto bytes = stored(entry);
  if (!bytes) return bytes.failure();
  const uint32_t got = zip_checksum(*bytes);
  if (checksums_count && got != entry.checksum) return wrong_checksum(entry, got);
  return Done{};
}

uint32_t zip_checksum(Bytes bytes, uint32_t before) {
  return static_cast<uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace vitro::io
