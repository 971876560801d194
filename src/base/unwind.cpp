// Walks the stack of the calling thread with cached rules of unwind tables (frame_rule.h), or with
// libgcc if a rule is not known.  The recorder calls it for events with a stack.
#include "vitro/base/unwind.h"

#include <pthread.h>
#include <unwind.h>

#include <array>
#include <cstring>
#include <memory>

#include "base/frame_rule.h"

namespace vitro {
namespace {

using Addresses = std::span<uint64_t, max_frames>;

struct Walk {
  Addresses addresses;
  size_t to_pass = 0, count = 0;
};

_Unwind_Reason_Code note_frame(_Unwind_Context* context, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  const uint64_t address = _Unwind_GetIP(context);
  if (address == 0 || walk.count == max_frames) return _URC_END_OF_STACK;
  if (walk.to_pass > 0) {
    --walk.to_pass;
  } else {
    walk.addresses[walk.count++] = address;
  }
  return _URC_NO_REASON;
}

// The unwinder of libgcc, at 150 ns per frame.
[[gnu::noinline]] size_t walk_slowly(Addresses addresses) {
  Walk walk{addresses, 3};  // this function, unwind() and its caller
  _Unwind_Backtrace(note_frame, &walk);
  return walk.count;
}

#if defined(__x86_64__)

// The bounds of a thread's stack, and a cache of the rules of its return addresses.
class Known {
 public:
  Known() {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    void* lowest = nullptr;
    size_t bytes = 0;
    pthread_attr_getstack(&attributes, &lowest, &bytes);
    pthread_attr_destroy(&attributes);
    stack_begin_ = reinterpret_cast<uint64_t>(lowest);
    stack_end_ = stack_begin_ + bytes;
  }

  const FrameRule& rule(uint64_t address) {
    Pair& pair = pairs_[(address ^ address >> 12) % pairs_.size()];
    if (pair.newer.address == address) return pair.newer.rule;
    if (pair.older.address == address) return pair.older.rule;
    pair.older = pair.newer;
    pair.newer = {address, frame_rule(address)};
    return pair.newer.rule;
  }

  // Reads a word of the stack at or above `from`; false if it is outside the used part.
  bool read(uint64_t from, uint64_t at, uint64_t* value) const {
    if (at < from || from < stack_begin_ || at > stack_end_ - sizeof *value || at % 8 != 0)
      return false;
    std::memcpy(value, reinterpret_cast<const void*>(at), sizeof *value);
    return true;
  }

 private:
  struct Entry {
    uint64_t address = 0;
    FrameRule rule;
  };
  // Two, because a stack whose addresses fell on the same entry would read their tables each time.
  struct Pair {
    Entry newer, older;
  };
  std::array<Pair, 2048> pairs_;
  uint64_t stack_begin_ = 0, stack_end_ = 0;
};

struct Registers {
  uint64_t pc, sp, bp;
};

enum class Found : uint8_t { caller, nobody, unknown };

// Moves from a frame to that of its caller.
Found go_up(Known& known, Registers& at) {
  const FrameRule& rule = known.rule(at.pc);
  uint64_t cfa = 0;
  switch (rule.base) {
    case FrameRule::Base::unknown:
      return Found::unknown;
    case FrameRule::Base::none:
      return Found::nobody;
    case FrameRule::Base::sp:
      cfa = at.sp + rule.offset;
      break;
    case FrameRule::Base::bp:
      cfa = at.bp + rule.offset;
      break;
    case FrameRule::Base::at_bp:
      if (!known.read(at.sp, at.bp + rule.offset, &cfa)) return Found::unknown;
      break;
  }
  const uint64_t bp = at.bp;
  if (rule.saved == FrameRule::Saved::at_cfa && !known.read(at.sp, cfa + rule.bp_offset, &at.bp))
    return Found::unknown;
  if (rule.saved == FrameRule::Saved::at_bp && !known.read(at.sp, bp + rule.bp_offset, &at.bp))
    return Found::unknown;
  if (!known.read(at.sp, cfa - sizeof at.pc, &at.pc)) return Found::unknown;
  at.sp = cfa;
  return at.pc == 0 ? Found::nobody : Found::caller;
}

#endif

}  // namespace

[[gnu::noinline, gnu::no_sanitize_address]] size_t unwind(Addresses addresses) {
#if defined(__x86_64__)
  static thread_local const auto known = std::make_unique<Known>();
  const auto* frame = static_cast<const uint64_t*>(__builtin_frame_address(0));
  Registers at{frame[1], reinterpret_cast<uint64_t>(frame + 2), frame[0]};
  size_t count = 0;
  for (Found found = go_up(*known, at); count < max_frames; found = go_up(*known, at)) {
    if (found == Found::nobody) return count;
    if (found == Found::unknown) return walk_slowly(addresses);
    addresses[count++] = at.pc;
  }
  return count;
#else
  return walk_slowly(addresses);
#endif
}

}  // namespace vitro
