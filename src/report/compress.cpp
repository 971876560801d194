#include <zlib.h>
#include <zstd.h>

#include <vector>

#include "vitro/base/error.h"
#include "vitro/report/output.h"

namespace vitro::report {
namespace {

constexpr int gzip_level = 3,
              zstd_level = 3;  // higher levels take several times as long for little gain

class GzipOutput : public Output {
 public:
  explicit GzipOutput(std::unique_ptr<Output> into) : into_(std::move(into)) {
    constexpr int window_and_gzip_header = 15 + 16;
    const int status = deflateInit2(&stream_, gzip_level, Z_DEFLATED, window_and_gzip_header, 9,
                                    Z_DEFAULT_STRATEGY);
    VITRO_ASSERT(status == Z_OK);
  }
  ~GzipOutput() override { deflateEnd(&stream_); }

 protected:
  void drain(std::string_view bytes) override { compress(bytes, Z_NO_FLUSH); }
  void close() override {
    compress({}, Z_FINISH);
    into_->finish();
  }

 private:
  void compress(std::string_view bytes, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(packed_.data());
      stream_.avail_out = static_cast<uInt>(packed_.size());
      deflate(&stream_, flush);
      into_->write({packed_.data(), packed_.size() - stream_.avail_out});
    } while (stream_.avail_out == 0);
  }

  std::unique_ptr<Output> into_;
  z_stream stream_{};
  std::vector<char> packed_ = std::vector<char>(64 << 10);
};

class ZstdOutput : public Output {
 public:
  explicit ZstdOutput(std::unique_ptr<Output> into)
      : into_(std::move(into)), context_(ZSTD_createCCtx()) {
    VITRO_ASSERT(context_);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, zstd_level);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_checksumFlag, 1);
  }
  ~ZstdOutput() override { ZSTD_freeCCtx(context_); }

 protected:
  void drain(std::string_view bytes) override { compress(bytes, ZSTD_e_continue); }
  void close() override {
    compress({}, ZSTD_e_end);
    into_->finish();
  }

 private:
  void compress(std::string_view bytes, ZSTD_EndDirective directive) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    size_t left = 0;
    do {
      ZSTD_outBuffer out{packed_.data(), packed_.size(), 0};
      left = ZSTD_compressStream2(context_, &out, &in, directive);
      VITRO_ASSERT(!ZSTD_isError(left));
      into_->write({packed_.data(), out.pos});
    } while (directive == ZSTD_e_end ? left != 0 : in.pos != in.size);
  }

  std::unique_ptr<Output> into_;
  ZSTD_CCtx* context_;
  std::vector<char> packed_ = std::vector<char>(ZSTD_CStreamOutSize());
};

}  // namespace

std::unique_ptr<Output> gzip(std::unique_ptr<Output> into) {
  return std::make_unique<GzipOutput>(std::move(into));
}

std::unique_ptr<Output> zstd(std::unique_ptr<Output> into) {
  return std::make_unique<ZstdOutput>(std::move(into));
}

}  // namespace vitro::report
