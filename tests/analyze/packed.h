// Packed bytes for tests.
#pragma once

#include <zlib.h>

#include <string>

namespace vitro::analyze {

// As in gzip files.
inline constexpr int with_header = 15 + 16;
// As in archives: without header and checksum.
inline constexpr int without_header = -15;

inline std::string packed(const std::string& text, int form = with_header) {
  std::string out(compressBound(text.size()) + 64, '\0');
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, form, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace vitro::analyze
