// Files mapped into memory: columns of traces, arrays that are too large for the heap.
//   Result<Mapped> column = Mapped::open(path);
//   column->as<int64_t>()
// What was touched of a mapped file counts as the process's memory for as long as the system has no
// need of it.  So all of them are watched, by a thread and by loops over events (paced.h): where
// more than VITRO_TRACE_RESIDENT_MB are resident, the process lets go of their pages.  Nothing is
// lost by that: what is touched again comes from the system's cache, in about a microsecond for 64
// KiB.  Threads: different objects from any.
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

  // All of a file, to be read.
  static Result<Mapped> open(const std::string& path);
  static Result<Mapped> of(int file);
  // A new file without a name in this folder, to be written: zeros.  Its room on the disk is taken.
  static Result<Mapped> scratch(const std::string& folder, size_t bytes);

  void* data() const { return data_; }
  template <class T>
  std::span<const T> as() const {
    return {static_cast<const T*>(data_), bytes_ / sizeof(T)};
  }

 private:
  static Result<Mapped> map(int file, size_t bytes, int access);

  void* data_ = nullptr;
  size_t bytes_ = 0;
};

// A file in this folder that goes when it is closed; below 0 and errno where there can be none.
int nameless_file(const std::string& folder);

}  // namespace vitro::analyze
