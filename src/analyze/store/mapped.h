// Files mapped into memory: columns of traces, arrays that are too large for the heap.
//   Result<Mapped> column = Mapped::open(path);
//   column->as<int64_t>()
// Touched pages of a mapped file count as memory of the process until the system needs them
// elsewhere.  All mappings are therefore watched, by a thread and by loops over events
// (resident.h): when more than VITRO_TRACE_RESIDENT_MB is resident, the process releases the pages.
// Nothing is lost: pages touched again come from the system's cache, in about a microsecond for 64
// KiB. Threads: different objects from any.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "vitro/base/option.h"
#include "vitro/base/result.h"

namespace vitro::analyze {

extern Option<int64_t> resident_mb;

class Mapped {
 public:
  Mapped() = default;
  Mapped(Mapped&& other) noexcept;
  Mapped& operator=(Mapped&& other) noexcept;
  ~Mapped();

  // Maps a whole file for reading.
  static Result<Mapped> open(const std::string& path);
  static Result<Mapped> of(int file);
  // Maps a new unnamed file in this folder for writing, filled with zeros.  Its disk space is
  // reserved.
  static Result<Mapped> scratch(const std::string& folder, size_t bytes);

  // In memory, always resident.
  static Result<Mapped> copy_of(std::span<const char> bytes);

  void* data() const { return data_; }
  template <class T>
  std::span<const T> as() const {
    return {static_cast<const T*>(data_), bytes_ / sizeof(T)};
  }

 private:
  static Result<Mapped> map(int file, size_t bytes, int access);

  void* data_ = nullptr;
  size_t bytes_ = 0;
  bool in_memory_ = false;
};

// A file in this folder that disappears when closed; negative, with errno set, on failure.
int nameless_file(const std::string& folder);

}  // namespace vitro::analyze
