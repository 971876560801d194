#include "analyze/read/inflate.h"

#if VITRO_ISAL
#include <isa-l/igzip_lib.h>

#include <algorithm>
#endif

namespace vitro::analyze {

#if VITRO_ISAL
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

class ByIsal final : public Inflate {
 public:
  explicit ByIsal(Form form) : form_(form == Form::gzip ? ISAL_GZIP : ISAL_DEFLATE) {
    isal_inflate_init(&stream_);
    again();
  }

  size_t run(std::string_view& in, char* to, size_t room) override {
    room = std::min(room, most_at_once);
    const size_t given = std::min(in.size(), most_at_once);
    stream_.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uint32_t>(given);
    stream_.next_out = reinterpret_cast<uint8_t*>(to);
    stream_.avail_out = static_cast<uint32_t>(room);
    const int status = isal_inflate(&stream_);
    in.remove_prefix(given - stream_.avail_in);
    if (status < 0) why_ = meaning(status);
    ended_ = status < 0 || stream_.block_state == ISAL_BLOCK_FINISH;
    return room - stream_.avail_out;
  }

  void again() override {
    isal_inflate_reset(&stream_);
    stream_.crc_flag = form_;
    ended_ = false;
  }

  std::string_view by() const override { return "ISA-L"; }

 private:
  inflate_state stream_;
  uint32_t form_;
};

}  // namespace

std::unique_ptr<Inflate> inflate_by_isal(Inflate::Form form) {
  return std::make_unique<ByIsal>(form);
}

#else

std::unique_ptr<Inflate> inflate_by_isal(Inflate::Form /*form*/) {
  return nullptr;
}

#endif

}  // namespace vitro::analyze
