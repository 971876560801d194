// Streams that unpack gzip, zip and zstd; open_bytes() puts them in front of a file whose first
// bytes say that it is packed.
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "analyze/read/bytes.h"
#include "report/inflate.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::analyze {
namespace {

using report::Inflate;

// A stream that unpacks another one piece by piece.
class Unpacked : public Bytes {
 public:
  explicit Unpacked(std::unique_ptr<Bytes> from) : from_(std::move(from)) {}
  uint64_t consumed() const override { return from_->consumed(); }
  uint64_t total() const override { return from_->total(); }

 protected:
  // Packed bytes not consumed yet; empty at the end of the file.
  std::string_view packed() {
    if (rest_.empty()) {
      rest_ = {piece_.data(), from_->read(piece_.data(), piece_.size())};
      if (!from_->trouble().empty()) trouble_ = from_->trouble();
    }
    return rest_;
  }
  void took(size_t bytes) { rest_.remove_prefix(bytes); }

 private:
  std::unique_ptr<Bytes> from_;
  std::vector<char> piece_ = std::vector<char>(256 << 10);
  std::string_view rest_;
};

class Inflated : public Unpacked {
 public:
  Inflated(std::unique_ptr<Bytes> from, Inflate::Form form)
      : Unpacked(std::move(from)),
        inflate_(report::make_inflate(form)),
        many_members_(form == Inflate::Form::gzip) {}

  size_t read(char* to, size_t room) override {
    size_t got = 0;
    while (got < room && !ended_) got += inflate_some(to + got, room - got);
    return got;
  }

 private:
  size_t inflate_some(char* to, size_t room) {
    std::string_view in = packed();
    if (inflate_->ended()) {
      if (in.empty() && !inflate_->has_input()) return ended_ = true, 0;
      inflate_->again();
    }
    const size_t before = in.size(), put = inflate_->run(in, to, room);
    took(before - in.size());
    if (!inflate_->why().empty()) {
      ended_ = true;
      trouble_ = cat("its compressed data is corrupt: ", inflate_->why());
    } else if (inflate_->ended()) {
      ended_ = !many_members_;
    } else if (before == 0 && put == 0 && !inflate_->has_input()) {
      ended_ = true;
      trouble_ = "its compressed data is truncated";
    }
    return put;
  }

  std::unique_ptr<Inflate> inflate_;
  bool many_members_;  // a gzip file may consist of several members
  bool ended_ = false;
};

// The first entry of an archive.  Its sizes may follow it, so the end is that of the deflate
// stream.
class Unzipped : public Inflated {
 public:
  explicit Unzipped(std::unique_ptr<Bytes> from) : Inflated(std::move(from), Inflate::Form::raw) {
    skip_header();
  }

  size_t read(char* to, size_t room) override {
    if (!trouble_.empty()) return 0;
    if (!stored_) return Inflated::read(to, room);
    const std::string_view in = packed();
    const size_t n = std::min({room, in.size(), stored_left_});
    in.copy(to, n);
    took(n);
    stored_left_ -= n;
    if (n == 0 && stored_left_ > 0) trouble_ = "its archive is truncated";
    return n;
  }

 private:
  static constexpr size_t header_bytes = 30;

  void skip_header() {
    unsigned char header[header_bytes];
    if (!take(header, header_bytes)) return;
    const auto number = [&](size_t at, int bytes) {
      uint32_t value = 0;
      for (int i = bytes; i-- > 0;) value = value << 8 | header[at + static_cast<size_t>(i)];
      return value;
    };
    const uint32_t flags = number(6, 2), method = number(8, 2);
    const uint32_t behind = number(26, 2) + number(28, 2);  // the name and extra fields
    stored_ = method == 0;
    stored_left_ = number(18, 4);
    if (flags & 1) {
      trouble_ = "its archive is encrypted; unpack it first";
    } else if (method != 0 && method != 8) {
      trouble_ =
          cat("its archive uses compression method ", method, ", needs 0 or 8; unpack it first");
    } else if (stored_ && (flags & 8)) {
      trouble_ = "its archive does not give the length of the entry; unpack it first";
    }
    std::vector<unsigned char> skipped(behind);
    take(skipped.data(), behind);
  }

  bool take(unsigned char* to, size_t bytes) {
    while (bytes > 0) {
      const std::string_view in = packed();
      const size_t n = std::min(bytes, in.size());
      if (n == 0) {
        trouble_ = "its archive ends in the first header";
        return false;
      }
      std::memcpy(to, in.data(), n);
      took(n);
      to += n;
      bytes -= n;
    }
    return true;
  }

  bool stored_ = false;
  size_t stored_left_ = 0;
};

class UnpackedZstd : public Unpacked {
 public:
  explicit UnpackedZstd(std::unique_ptr<Bytes> from)
      : Unpacked(std::move(from)), context_(ZSTD_createDCtx()) {
    VITRO_ASSERT(context_);
  }
  ~UnpackedZstd() override { ZSTD_freeDCtx(context_); }

  size_t read(char* to, size_t room) override {
    ZSTD_outBuffer out{to, room, 0};
    while (out.pos < room && !ended_) {
      const std::string_view packed_bytes = packed();
      if (packed_bytes.empty()) {
        ended_ = true;
        if (wanted_ != 0) trouble_ = "its compressed data is truncated";
        break;
      }
      ZSTD_inBuffer in{packed_bytes.data(), packed_bytes.size(), 0};
      wanted_ = ZSTD_decompressStream(context_, &out, &in);
      took(in.pos);
      if (!ZSTD_isError(wanted_)) continue;
      ended_ = true;
      trouble_ = cat("its compressed data is corrupt: ", ZSTD_getErrorName(wanted_));
    }
    return out.pos;
  }

 private:
  ZSTD_DCtx* context_;
  size_t wanted_ = 0;  // 0 between frames
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<Bytes> gunzip(std::unique_ptr<Bytes> from) {
  return std::make_unique<Inflated>(std::move(from), Inflate::Form::gzip);
}

std::unique_ptr<Bytes> unzstd(std::unique_ptr<Bytes> from) {
  return std::make_unique<UnpackedZstd>(std::move(from));
}

std::unique_ptr<Bytes> unzip(std::unique_ptr<Bytes> from) {
  return std::make_unique<Unzipped>(std::move(from));
}

}  // namespace vitro::analyze
