// Writes a zip archive of stored entries whose contents are aligned, so that readers can map them.
//   auto file = report::create_file("arrays.npz");
//   ZipWriter zip(*file);
//   zip.add("x.npy", "…");
//   zip.finish();
//   file->finish();
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/base/function_ref.h"
#include "vitro/report/output.h"

namespace vitro::io {

// The caller gives names that readers accept (read_zip_directory), each once.  One thread at a
// time.
class ZipWriter {
 public:
  // Contents begin at multiples of this.
  static constexpr uint64_t alignment = 64;

  // Sizes and positions from `widest` on are written in 64 bits; tests lower it.
  explicit ZipWriter(report::Output& into, uint64_t widest = 0xffffffff)
      : into_(into), widest_(widest) {}

  void add(std::string_view name, std::string_view content);
  // `write` is called twice and writes the same bytes: first they are counted and summed, as these
  // numbers precede the content in the archive.
  void add(std::string_view name, FunctionRef<void(report::Output&)> write);

  // Writes the directory.
  void finish();

 private:
  struct Entry {
    std::string name;
    uint32_t checksum = 0;
    uint64_t size = 0, begin = 0;
  };
  void write_entry(const Entry& entry);

  report::Output& into_;
  uint64_t widest_;
  std::vector<Entry> entries_;
};

}  // namespace vitro::io
