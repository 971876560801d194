// The lines of an image that one product of a kernel passes to the next (bands.h), in memory for
// those of one band.
#pragma once
#include "kernels/bands.h"
#include "kernels/memory.h"

namespace vitro::kernels::inline VITRO_ISA {

// Where an element would be of which `p` is `elements` further on. An address only: nothing need be
// there.
template <class T>
VITRO_INLINE T* address_before(T* p, i64 elements) {
  return (T*)((u64)p - u64(elements) * sizeof(T));
}

template <class T>
struct PassedLines {
  T* memory;
  i64 line;  // elements of a line
  Lines kept = {};

  // Makes room for the wanted lines and returns those that are to be computed. If the band follows
  // the one before in the same image, lines that both need stay.
  [[gnu::always_inline]] Lines next(Lines wanted, bool follows) {
    Lines missing = wanted;
    if (follows && kept.end > wanted.first) {
      const i64 count = (kept.end - wanted.first) * line;
      const T* from = memory + (wanted.first - kept.first) * line;
      if (from != memory) {
        for (i64 i = 0; i < count; i += 16) store(memory + i, load(from + i, count - i), count - i);
      }
      missing.first = kept.end;
    }
    kept = wanted;
    return missing;
  }

  // Where line 0 of image 0 would be; `image_line`: the first line of the image that is kept.
  [[gnu::always_inline]] T* origin(i64 image_line) const {
    return address_before(memory, (image_line + kept.first) * line);
  }
};

}  // namespace vitro::kernels::inline VITRO_ISA
