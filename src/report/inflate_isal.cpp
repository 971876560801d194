// Decompresses deflate with Intel's ISA-L; make_inflate() uses it if it was built in, else
// inflate_zlib.cpp.
#include "report/inflate.h"

#if VITRO_ISAL
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <utility>
#endif

namespace vitro::report {

#if VITRO_ISAL
namespace {

std::string_view meaning(int status) {
  switch (status) {
    case ISAL_INVALID_BLOCK:
      return "a block of an unknown kind";
    case ISAL_INVALID_SYMBOL:
      return "an invalid code";
    case ISAL_INVALID_LOOKBACK:
      return "a distance that points before the start of the data";
    case ISAL_INVALID_WRAPPER:
      return "no gzip header";
    case ISAL_UNSUPPORTED_METHOD:
      return "a method other than deflate";
    case ISAL_INCORRECT_CHECKSUM:
      return "the checksum differs";
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
    size_t put = 0;
    if (!given_back_.empty()) {
      const std::string first = std::exchange(given_back_, {});
      std::string_view rest = first;
      put = inflate(rest, to, room);
      given_back_.insert(given_back_.end(), rest.begin(), rest.end());
      if (ended_ || !rest.empty()) return put;
    }
    return put + inflate(in, to + put, room - put);
  }

  bool has_input() const override { return !given_back_.empty(); }

  void again() override {
    isal_inflate_reset(&stream_);
    stream_.crc_flag = form_;
    ended_ = false;
  }

  std::string_view by() const override { return "ISA-L"; }

 private:
  // The library reads up to 8 bytes ahead.  At the end of a stream it returns the unused ones as if
  // all had been passed in this call.
  static constexpr size_t most_ahead = 8;

  size_t inflate(std::string_view& in, char* to, size_t room) {
    room = std::min(room, most_at_once);
    const size_t given = std::min(in.size(), most_at_once);
    stream_.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uint32_t>(given);
    stream_.next_out = reinterpret_cast<uint8_t*>(to);
    stream_.avail_out = static_cast<uint32_t>(room);
    const int status = isal_inflate(&stream_);
    take(in, given, stream_.avail_in);
    if (status < 0) why_ = meaning(status);
    ended_ = status < 0 || stream_.block_state == ISAL_BLOCK_FINISH;
    return room - stream_.avail_out;
  }

  // How many bytes of `in` were given to the library, and how many it left.
  void take(std::string_view& in, size_t given, size_t left) {
    const size_t earlier = left > given ? std::min(left - given, taken_.size()) : 0;
    given_back_ = taken_.substr(taken_.size() - earlier);
    taken_.resize(taken_.size() - earlier);
    const std::string_view taken = in.substr(0, given - std::min(given, left));
    taken_.append(taken.substr(taken.size() - std::min(taken.size(), most_ahead)));
    taken_.erase(0, taken_.size() - std::min(taken_.size(), most_ahead));
    in.remove_prefix(taken.size());
  }

  inflate_state stream_ = {};  // its tables are read where a broken stream did not fill them
  uint32_t form_;
  std::string taken_;       // the last bytes that the library consumed
  std::string given_back_;  // they precede the next input
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

}  // namespace vitro::report
