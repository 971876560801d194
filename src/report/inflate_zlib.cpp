#include <zlib.h>

#include <algorithm>

#include "report/inflate.h"
#include "vitro/base/error.h"

namespace vitro::report {
namespace {

class ByZlib final : public Inflate {
 public:
  explicit ByZlib(Form form) {
    constexpr int raw = -15, with_gzip_header = 15 + 16;
    const int status = inflateInit2(&stream_, form == Form::gzip ? with_gzip_header : raw);
    VITRO_ASSERT(status == Z_OK);
  }
  ~ByZlib() override { inflateEnd(&stream_); }

  size_t run(std::string_view& in, char* to, size_t room) override {
    room = std::min(room, most_at_once);
    const size_t given = std::min(in.size(), most_at_once);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uInt>(given);
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(room);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    in.remove_prefix(given - stream_.avail_in);
    const bool broken = status != Z_OK && status != Z_BUF_ERROR && status != Z_STREAM_END;
    if (broken) why_ = stream_.msg ? stream_.msg : "unknown reason";
    ended_ = broken || status == Z_STREAM_END;
    return room - stream_.avail_out;
  }

  void again() override {
    inflateReset(&stream_);
    ended_ = false;
  }

  std::string_view by() const override { return "zlib"; }

 private:
  z_stream stream_{};
};

}  // namespace

std::unique_ptr<Inflate> inflate_by_zlib(Inflate::Form form) {
  return std::make_unique<ByZlib>(form);
}

}  // namespace vitro::report
