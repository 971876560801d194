
#include "analyze/read/event_reader.h"

#if defined(__x86_64__)
#include "analyze/read/event_reader.inc.h"

namespace vitro::analyze {

std::unique_ptr<EventReader> event_reader_avx2() {
  return std::make_unique<Reader>();
}

}  // namespace vitro::analyze
#endif
