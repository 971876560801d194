#include "analyze/read/inflate.h"

#include <algorithm>

#include "vitro/base/cat.h"
#include "vitro/base/error.h"

#if VITRO_ISAL
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif

namespace vitro::analyze {

constexpr size_t most_at_once = 1 << 30;  // both count in 32 bits

#if VITRO_ISAL

struct Inflate::State {
  inflate_state stream;
  uint32_t form;

  void begin() {
    isal_inflate_reset(&stream);
    stream.crc_flag = form;
  }
};

namespace {

std::string_view meaning(int status) {
  switch (status) {
    case ISAL_INVALID_BLOCK:
      return "a block of an unknown kind";
    case ISAL_INVALID_SYMBOL:
      return "a code that stands for nothing";
    case ISAL_INVALID_LOOKBACK:
      return "it refers to what lies before its beginning";
    case ISAL_INVALID_WRAPPER:
      return "no gzip header";
    case ISAL_UNSUPPORTED_METHOD:
      return "a method that is not deflate";
    case ISAL_INCORRECT_CHECKSUM:
      return "the check sum differs";
    default:
      return "unknown reason";
  }
}

}  // namespace

Inflate::Inflate(Form form) : state_(std::make_unique<State>()) {
  isal_inflate_init(&state_->stream);
  state_->form = form == Form::gzip ? ISAL_GZIP : ISAL_DEFLATE;
  state_->begin();
}

Inflate::~Inflate() = default;

size_t Inflate::run(std::string_view& in, char* to, size_t room) {
  inflate_state& stream = state_->stream;
  room = std::min(room, most_at_once);
  const size_t given = std::min(in.size(), most_at_once);
  stream.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(in.data()));
  stream.avail_in = static_cast<uint32_t>(given);
  stream.next_out = reinterpret_cast<uint8_t*>(to);
  stream.avail_out = static_cast<uint32_t>(room);
  const int status = isal_inflate(&stream);
  in.remove_prefix(given - stream.avail_in);
  if (status < 0) why_ = meaning(status);
  ended_ = status < 0 || stream.block_state == ISAL_BLOCK_FINISH;
  return room - stream.avail_out;
}

void Inflate::again() {
  state_->begin();
  ended_ = false;
}

std::string_view Inflate::by() {
  return "ISA-L";
}

#else

struct Inflate::State {
  z_stream stream{};
};

Inflate::Inflate(Form form) : state_(std::make_unique<State>()) {
  constexpr int raw = -15, with_gzip_header = 15 + 16;
  const int window = form == Form::gzip ? with_gzip_header : raw;
  VITRO_ASSERT(inflateInit2(&state_->stream, window) == Z_OK);
}

Inflate::~Inflate() {
  inflateEnd(&state_->stream);
}

size_t Inflate::run(std::string_view& in, char* to, size_t room) {
  z_stream& stream = state_->stream;
  room = std::min(room, most_at_once);
  const size_t given = std::min(in.size(), most_at_once);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
  stream.avail_in = static_cast<uInt>(given);
  stream.next_out = reinterpret_cast<Bytef*>(to);
  stream.avail_out = static_cast<uInt>(room);
  const int status = inflate(&stream, Z_NO_FLUSH);
  in.remove_prefix(given - stream.avail_in);
  const bool broken = status != Z_OK && status != Z_BUF_ERROR && status != Z_STREAM_END;
  if (broken) why_ = stream.msg ? stream.msg : "unknown reason";
  ended_ = broken || status == Z_STREAM_END;
  return room - stream.avail_out;
}

void Inflate::again() {
  inflateReset(&state_->stream);
  ended_ = false;
}

std::string_view Inflate::by() {
  return "zlib";
}

#endif

}  // namespace vitro::analyze
