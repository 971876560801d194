// The bytes of a trace file as one stream, whatever it is packed in.
//   Result<std::unique_ptr<Bytes>> bytes = open_bytes("trace.json.gz");
//   while (size_t n = (*bytes)->read(buffer, room)) …
// What is packed is seen from the first bytes, not from the name: gzip, zstd, zip (its first
// entry), else the text itself.  A Bytes belongs to one thread at a time.
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

  // How far the packed file was read, and how large it is (0: not known): for progress.
  virtual uint64_t consumed() const = 0;
  virtual uint64_t total() const = 0;

  // What was wrong with the packing where the stream ended early; empty where nothing was.
  const std::string& trouble() const { return trouble_; }

 protected:
  std::string trouble_;
};

// `path` "-": standard input.
Result<std::unique_ptr<Bytes>> open_bytes(const std::string& path);

// Up to `room` of the first bytes of what a file holds, unpacked.  Those of standard input are not
// lost: who opens it next reads them too.
Result<std::string> beginning_of(const std::string& path, size_t room);

// Of a text, which stays where it is.
std::unique_ptr<Bytes> bytes_of(std::string_view text);

// What these bytes hold, packed or not; as open_bytes does it with a file's.
std::unique_ptr<Bytes> unpacked(std::unique_ptr<Bytes> from);

// What these bytes unpack to; unpacked() chooses among them.
std::unique_ptr<Bytes> gunzip(std::unique_ptr<Bytes> from);
std::unique_ptr<Bytes> unzstd(std::unique_ptr<Bytes> from);
std::unique_ptr<Bytes> unzip(std::unique_ptr<Bytes> from);

}  // namespace vitro::analyze
