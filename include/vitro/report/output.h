// Where bytes go: a text, or a file that appears whole or not at all, compressed as its name ends.
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

  // Error where the bytes cannot be stored (full disk).
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

  // `wanted` bytes (at most 4096) to be filled by the caller, who then says how many of them count.
  char* room(size_t wanted) {
    if (capacity - used_ < wanted) flush();
    return buffer_ + used_;
  }
  void add(size_t filled) { used_ += filled; }

  // All is written: makes it last.  Nothing may be written after it.
  void finish() {
    flush();
    close();
  }

  // Bytes that were written so far, before compression.
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

// Collects into a text that it owns.
class TextOutput : public Output {
 public:
  // What was written until finish().
  const std::string& text() const { return text_; }

 protected:
  void drain(std::string_view bytes) override { text_.append(bytes); }

 private:
  std::string text_;
};

// A file that comes into being under its name, replacing an older one, when it is finished; until
// then, and if the process ends or the Output goes before, `path` stays as it was and nothing is
// left behind (only where the file system has no files without a name, as NFS: a process that is
// killed leaves PATH.tmp, and the next writer of PATH takes that away).  Compressed with gzip where
// the name ends in .gz, with zstd where it ends in .zst. A pipe, a terminal or a device such as
// /dev/null takes the bytes as they come.  Error where the folder cannot be written.
std::unique_ptr<Output> create_file(const std::string& path);

// Compresses into another Output, which it finishes with itself.
std::unique_ptr<Output> gzip(std::unique_ptr<Output> into);
std::unique_ptr<Output> zstd(std::unique_ptr<Output> into);

}  // namespace vitro::report
