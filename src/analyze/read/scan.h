// Finds where JSON values end, many bytes at a time, without parsing them.
//   Scan scan;                                     // starts after the bracket that opens a list
//   const size_t looked = scan.through(text, &end);
// Quoted text is ignored; braces and brackets are not distinguished: mismatches are found by the
// parser of the values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vitro::analyze {

class Scan {
 public:
  // Scans `text`, which continues the previous text, up to and including the brace or bracket that
  // closes the list the scan began in; left() is then true.  Returns the number of bytes scanned.
  // `last_end` becomes the position in `text` after the last value (an object or list) that ended;
  // unchanged if none did.
  size_t through(std::string_view text, size_t* last_end);

  bool left() const { return left_; }
  // Whether a value or text is still open.
  bool inside() const { return depth_ > 0 || in_text_ != 0; }

 private:
  // One bit for each of 64 bytes.
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

  // Like through(), for whole blocks; bytes after the last block are not scanned.
  template <Masks (*masks_of)(const char*)>
  size_t look(const char* bytes, size_t size, size_t* last_end);
  // Returns how many of the 64 bytes were scanned.
  size_t block(const Masks& masks, size_t at, size_t* last_end);

  int64_t depth_ = 0;
  uint64_t in_text_ = 0;  // all ones: the next byte is within quotes
  bool escapes_ = false;  // the last byte was a backslash that escapes the next
  bool left_ = false;
};

// The length of the object or list at the start of `text`; 0 if it does not end.
size_t value_length(std::string_view text);

}  // namespace vitro::analyze
