// Lists of whole numbers, and of such lists, as the bytes of a file come: what the files of a
// memory timeline are made of.
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
  // `other`: what is none of these, a number with a fraction or of more than 64 bits among it.
  enum class Kind : uint8_t { open, close, number, end, other };

  explicit NumberLists(Bytes& bytes) : bytes_(bytes) {}

  // The next bracket or number; commas and spaces count for nothing.
  Kind next();
  int64_t number() const { return number_; }
  // Where in the unpacked file that begins which next() gave last.
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

// Whether a text begins as a memory timeline does: a list whose first part is a list of numbers.
// No list of events does.
bool begins_memory_timeline(std::string_view text);

}  // namespace vitro::analyze
