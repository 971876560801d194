// The bytes of a trace file as one stream, however it is compressed.
//   Result<std::unique_ptr<Bytes>> bytes = open_bytes("trace.json.gz");
//   while (size_t n = (*bytes)->read(buffer, room)) …
// The format is detected from the first bytes, not from the name: gzip, zstd, zip (its first
// entry), else plain text; a trace of Perfetto is text, too (perfetto.h).  A Bytes belongs to one
// thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "vitro/base/result.h"

namespace vitro::analyze {

class Bytes {
 public:
  virtual ~Bytes() = default;

  // Up to `room` bytes, as many as there are; 0 at the end.
  virtual size_t read(char* to, size_t room) = 0;

  // Position in the packed file, and its size (0: unknown), for progress.
  virtual uint64_t consumed() const = 0;
  virtual uint64_t total() const = 0;

  // Why the stream ended early; empty if it did not.
  const std::string& trouble() const { return trouble_; }

 protected:
  std::string trouble_;
};

// `path` "-": standard input.
Result<std::unique_ptr<Bytes>> open_bytes(const std::string& path);

// Up to `room` of the first unpacked bytes of a file.  Those of standard input are not lost: the
// next to open it reads them too.
Result<std::string> beginning_of(const std::string& path, size_t room);

// Over a text, which must outlive the stream.
std::unique_ptr<Bytes> bytes_of(std::string_view text);

// The contents of these bytes, packed or not, as open_bytes does for a file.
std::unique_ptr<Bytes> unpacked(std::unique_ptr<Bytes> from);

// Unpackers for each format; unpacked() chooses among them.
std::unique_ptr<Bytes> gunzip(std::unique_ptr<Bytes> from);
std::unique_ptr<Bytes> unzstd(std::unique_ptr<Bytes> from);
std::unique_ptr<Bytes> unzip(std::unique_ptr<Bytes> from);

}  // namespace vitro::analyze
