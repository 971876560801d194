#include "analyze/read/event_reader.inc.h"

namespace vitro::analyze {

std::unique_ptr<EventReader> event_reader_any() {
  return std::make_unique<Reader>();
}

}  // namespace vitro::analyze
