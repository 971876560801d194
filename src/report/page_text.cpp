#include "report/page_text.h"

#include <zstd.h>

namespace vitro::report {

std::string text_of(const PageText& text) {
  std::string out(text.size, '\0');
  ZSTD_decompress(out.data(), out.size(), text.packed, text.packed_size);
  return out;
}

}  // namespace vitro::report
