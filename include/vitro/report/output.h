// Destinations of bytes: a text, or a file that appears complete or not at all, compressed
// according to its name.
//   auto out = report::create_file("trace.json.gz");
//   out->write("…");
//   out->finish();
// An Output belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace vitro::report {

class Output {
 public:
  virtual ~Output() = default;
  Output() = default;
  Output(const Output&) = delete;

  // Throws Error if the bytes cannot be stored (full disk).
  void write(std::string_view bytes) {
    if (bytes.size() > capacity - used_) [[unlikely]]
      return write_past_room(bytes);
    std::memcpy(buffer_ + used_, bytes.data(), bytes.size());
    used_ += bytes.size();
  }
  void write(char byte) {
    if (used_ == capacity) flush();
    buffer_[used_++] = byte;
  }

  // `wanted` bytes (at most 4096) for the caller to fill, who then commits the number used.
  char* room(size_t wanted) {
    if (capacity - used_ < wanted) flush();
    return buffer_ + used_;
  }
  void add(size_t filled) { used_ += filled; }

  // Completes the output.  Nothing may be written after it.
  void finish() {
    flush();
    close();
  }

  // Bytes written so far, before compression.
  uint64_t written() const { return drained_ + used_; }

 protected:
  virtual void drain(std::string_view bytes) = 0;
  virtual void close() {}

 private:
  void flush();
  void write_past_room(std::string_view bytes);

  static constexpr size_t capacity = 64 << 10;
  size_t used_ = 0;
  uint64_t drained_ = 0;
  char buffer_[capacity];
};

// Collects into its own text.
class TextOutput : public Output {
 public:
  // The text written until finish().
  const std::string& text() const { return text_; }

 protected:
  void drain(std::string_view bytes) override { text_.append(bytes); }

 private:
  std::string text_;
};

// A file that appears under its name, replacing an older one, only when finished; until then, or if
// the process ends or the Output is destroyed before, `path` stays as it was and nothing is left
// behind (except on file systems without unnamed files, such as NFS: a killed process leaves
// PATH.tmp, which the next writer of PATH removes).  Compressed with gzip if the name ends in .gz,
// with zstd if it ends in .zst.  A pipe, a terminal or a device such as /dev/null receives the
// bytes directly.  Throws Error if the folder cannot be written.
std::unique_ptr<Output> create_file(const std::string& path);

// Compresses into another Output, which is finished with it.
std::unique_ptr<Output> gzip(std::unique_ptr<Output> into);
std::unique_ptr<Output> zstd(std::unique_ptr<Output> into);

}  // namespace vitro::report
