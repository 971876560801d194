// Only kinds of the list can be recorded.
// error: constraints not satisfied
#include "vitro/events/record.h"

struct Surprise {
  uint64_t ts = 0;
};

bool record_it() {
#if defined(VITRO_MUST_FAIL)
  return vitro::events::record(Surprise{});
#else
  return vitro::events::record(vitro::events::OpEnd{});
#endif
}
