// Finds where values of JSON end, many bytes at a time, without reading what they say.
//   Scan scan;                                     // stands behind the bracket that opens a list
//   const size_t looked = scan.through(text, &end);
// Text within quotes, whatever it holds, counts for nothing; braces and brackets are not told
// apart: what does not match is found by who parses the values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vitro::analyze {

class Scan {
 public:
  // Looks through `text`, which follows what was looked through before, up to and with the brace or
  // bracket that closes what the scan began in: then left() is true.  Returns the number of bytes
  // looked through.  `last_end` becomes the place in `text` behind the last value (an object or
  // list) in it that ended; it stays where none did.
  size_t through(std::string_view text, size_t* last_end);

  bool left() const { return left_; }
  // Within a value, or a text, that has not ended yet.
  bool inside() const { return depth_ > 0 || in_text_ != 0; }

 private:
  // Of 64 bytes, a bit each.
  struct Masks {
    uint64_t quotes, backslashes, opens, closes;
    uint64_t parity;  // bit n: whether the quotes up to n are odd
  };
  using Look = size_t (Scan::*)(const char* bytes, size_t size, size_t* last_end);
  static Look best_look();
  static Masks masks_of_any(const char* bytes);
  size_t look_any(const char* bytes, size_t size, size_t* last_end);
#if defined(__x86_64__)
  static Masks masks_of_avx2(const char* bytes);
  static Masks masks_of_avx512(const char* bytes);
  size_t look_avx2(const char* bytes, size_t size, size_t* last_end);
  size_t look_avx512(const char* bytes, size_t size, size_t* last_end);
#endif

  // The same as through(), of whole blocks; what lies behind the last of them is not looked at.
  template <Masks (*masks_of)(const char*)>
  size_t look(const char* bytes, size_t size, size_t* last_end);
  // Returns how many of the 64 bytes were looked through.
  size_t block(const Masks& masks, size_t at, size_t* last_end);

  int64_t depth_ = 0;
  uint64_t in_text_ = 0;  // all ones: the next byte lies within quotes
  bool escapes_ = false;  // the last byte was a backslash that escapes the next
  bool left_ = false;
};

// The length of the object or list that `text` begins with; 0 where it does not end.
size_t value_length(std::string_view text);

}  // namespace vitro::analyze
