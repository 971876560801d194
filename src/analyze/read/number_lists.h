// Streams nested lists of integers, the contents of memory timeline files, from the bytes of a
// file.
//   NumberLists lists(bytes);
//   while (lists.next() == NumberLists::Kind::number) use(lists.number());
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analyze/read/bytes.h"

namespace vitro::analyze {

class NumberLists {
 public:
  // `other`: anything else, including numbers with a fraction or of more than 64 bits.
  enum class Kind : uint8_t { open, close, number, end, other };

  explicit NumberLists(Bytes& bytes) : bytes_(bytes) {}

  // The next bracket or number; commas and spaces are skipped.
  Kind next();
  int64_t number() const { return number_; }
  // Where the last result of next() begins in the unpacked file.
  uint64_t offset() const { return offset_; }

 private:
  char peek();
  Kind read_number();

  Bytes& bytes_;
  std::string buffer_;
  size_t at_ = 0;
  uint64_t before_ = 0;  // of the buffer in the unpacked file
  uint64_t offset_ = 0;
  int64_t number_ = 0;
};

// Whether a text begins like a memory timeline: a list whose first element is a list of numbers.
// Lists of events never do.
bool begins_memory_timeline(std::string_view text);

}  // namespace vitro::analyze
