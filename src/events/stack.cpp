#include "vitro/events/stack.h"

#include "vitro/base/unwind.h"

namespace vitro::events {

[[gnu::noinline]] void append_stack() {
  uint64_t addresses[max_frames];
  const size_t count = unwind(addresses);
  record_tail(Stack{}, std::as_bytes(std::span(addresses, count)));
}

}  // namespace vitro::events
