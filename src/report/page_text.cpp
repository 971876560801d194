#include "report/page_text.h"

#include <zstd.h>

#include "vitro/base/error.h"

namespace vitro::report {

std::string text_of(const PageText& text) {
  std::string out(text.size, '\0');
  const size_t size = ZSTD_decompress(out.data(), out.size(), text.packed, text.packed_size);
  VITRO_ASSERT(size == out.size());
  return out;
}

}  // namespace vitro::report
