// Reads the unwind tables (DWARF call frame information in .eh_frame) of a return address: runs the
// instructions of its function up to there.  Used by unwind.cpp, which caches the rules.
#include "base/frame_rule.h"

#include <array>
#include <cstring>
#include <string_view>

extern "C" {
// Declared by libgcc in a header that is not installed.
struct dwarf_eh_bases {
  void* tbase;
  void* dbase;
  void* func;  // the begin of the function
};
const void* _Unwind_Find_FDE(void* pc, dwarf_eh_bases* bases);
}

namespace vitro {
namespace {

// DWARF register numbers of x86-64.
constexpr uint64_t bp = 6, sp = 7, return_address = 16;
constexpr uint8_t op_deref = 0x06, op_bp_plus = 0x76;

class Bytes {
 public:
  explicit Bytes(const uint8_t* at) : at_(at) {}
  const uint8_t* at() const { return at_; }
  void skip(uint64_t bytes) { at_ += bytes; }
  template <class T>
  T take() {
    T value;
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  uint64_t number() {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const uint8_t byte = *at_++;
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
  }
  int64_t signed_number() {
    int64_t value = 0;
    for (int shift = 0;;) {
      const uint8_t byte = *at_++;
      value |= static_cast<int64_t>(uint64_t{byte & 0x7fu} << shift);
      shift += 7;
      if (byte >= 0x80) continue;
      return (byte & 0x40) && shift < 64 ? value | -(int64_t{1} << shift) : value;
    }
  }

 private:
  const uint8_t* at_;
};

// A common information entry (CIE), which several functions share.
struct Common {
  bool readable = false;
  uint64_t code_align = 1;
  int64_t data_align = 1;
  uint8_t encoding = 0;                            // of addresses
  const uint8_t *begin = nullptr, *end = nullptr;  // instructions
};

size_t pointer_bytes(uint8_t encoding) {
  switch (encoding & 0x07) {
    case 0:
    case 4:
      return 8;
    case 2:
      return 2;
    case 3:
      return 4;
    default:
      return 0;
  }
}

Common read_common(const uint8_t* entry) {
  Common common;
  Bytes in(entry);
  const auto length = in.take<uint32_t>();
  common.end = in.at() + length;
  in.skip(sizeof(uint32_t));
  const auto version = in.take<uint8_t>();
  const std::string_view augmentation(reinterpret_cast<const char*>(in.at()));
  in.skip(augmentation.size() + 1);
  common.code_align = in.number();
  common.data_align = in.signed_number();
  const uint64_t link = version == 1 ? in.take<uint8_t>() : in.number();
  if (!augmentation.starts_with('z') || link != return_address) return common;
  const uint64_t bytes = in.number();
  common.begin = in.at() + bytes;
  for (const char what : augmentation.substr(1)) {
    if (what == 'R') {
      common.encoding = in.take<uint8_t>();
    } else if (what == 'L') {
      in.skip(1);
    } else if (what == 'P') {
      in.skip(pointer_bytes(in.take<uint8_t>()));
    } else {
      return common;  // 'S': a signal frame
    }
  }
  common.readable = pointer_bytes(common.encoding) != 0;
  return common;
}

struct State {
  FrameRule rule;
  bool ends = false;  // the return address is undefined
};

// Runs call frame instructions up to an address.
class CallFrameInterpreter {
 public:
  CallFrameInterpreter(const Common& common, uint64_t begin, uint64_t target)
      : common_(common), location_(begin), target_(target) {}

  // False if an instruction is not supported.
  bool run(const uint8_t* begin, const uint8_t* end) {
    Bytes in(begin);
    while (in.at() < end && location_ <= target_) {
      if (!step(in)) return false;
    }
    return true;
  }
  void keep_as_initial() { initial_ = state_; }
  FrameRule rule() const {
    FrameRule rule = state_.rule;
    if (state_.ends) rule.base = FrameRule::Base::none;
    return rule;
  }

 private:
  bool step(Bytes& in) {
    const auto op = in.take<uint8_t>();
    const uint64_t low = op & 0x3f;
    switch (op >> 6) {
      case 1:
        return advance(low);
      case 2:
        return saved(low, static_cast<int64_t>(in.number()) * common_.data_align);
      case 3:
        return restore(low);
      default:
        return low < 0x0c ? step_plain(low, in) : step_cfa(low, in);
    }
  }

  bool step_plain(uint64_t op, Bytes& in) {
    switch (op) {
      case 0x00:
        return true;
      case 0x02:
        return advance(in.take<uint8_t>());
      case 0x03:
        return advance(in.take<uint16_t>());
      case 0x04:
        return advance(in.take<uint32_t>());
      case 0x05: {
        const uint64_t which = in.number();
        return saved(which, static_cast<int64_t>(in.number()) * common_.data_align);
      }
      case 0x06:
        return restore(in.number());
      case 0x07:
        return undefined(in.number());
      case 0x08:
        return same(in.number());
      case 0x0a:
        if (depth_ == stack_.size()) return false;
        stack_[depth_++] = state_;
        return true;
      case 0x0b:
        if (depth_ == 0) return false;
        state_ = stack_[--depth_];
        return true;
      default:
        return false;
    }
  }

  bool step_cfa(uint64_t op, Bytes& in) {
    switch (op) {
      case 0x0c: {
        const uint64_t base = in.number();
        return cfa(base, static_cast<int64_t>(in.number()));
      }
      case 0x0d:
        return cfa(in.number(), state_.rule.offset);
      case 0x0e:
        state_.rule.offset = static_cast<int32_t>(in.number());
        return true;
      case 0x0f:
        return cfa_expression(in);
      case 0x10: {
        const uint64_t which = in.number();
        return expression(which, in);
      }
      case 0x11: {
        const uint64_t which = in.number();
        return saved(which, in.signed_number() * common_.data_align);
      }
      case 0x12: {
        const uint64_t base = in.number();
        return cfa(base, in.signed_number() * common_.data_align);
      }
      case 0x13:
        state_.rule.offset = static_cast<int32_t>(in.signed_number() * common_.data_align);
        return true;
      case 0x2e:  // DW_CFA_GNU_args_size: irrelevant here
        in.number();
        return true;
      default:
        return false;
    }
  }

  bool advance(uint64_t by) {
    location_ += by * common_.code_align;
    return true;
  }

  bool cfa(uint64_t base, int64_t offset) {
    if (base != sp && base != bp) return false;
    state_.rule.base = base == sp ? FrameRule::Base::sp : FrameRule::Base::bp;
    state_.rule.offset = static_cast<int32_t>(offset);
    return true;
  }

  // Supports only the value in memory at bp + n.
  bool cfa_expression(Bytes& in) {
    const uint64_t length = in.number();
    const uint8_t* const end = in.at() + length;
    if (in.take<uint8_t>() != op_bp_plus) return false;
    state_.rule.offset = static_cast<int32_t>(in.signed_number());
    state_.rule.base = FrameRule::Base::at_bp;
    return in.take<uint8_t>() == op_deref && in.at() == end;
  }

  bool expression(uint64_t which, Bytes& in) {
    const uint64_t length = in.number();
    const uint8_t* const end = in.at() + length;
    if (which == bp) {
      if (in.take<uint8_t>() != op_bp_plus) return false;
      state_.rule.saved = FrameRule::Saved::at_bp;
      state_.rule.bp_offset = static_cast<int32_t>(in.signed_number());
      return in.at() == end;
    }
    in.skip(length);
    return which != return_address;
  }

  bool saved(uint64_t which, int64_t offset) {
    if (which == return_address) {
      state_.ends = false;
      return offset == -8;
    }
    if (which != bp) return true;
    state_.rule.saved = FrameRule::Saved::at_cfa;
    state_.rule.bp_offset = static_cast<int32_t>(offset);
    return true;
  }
  bool same(uint64_t which) {
    if (which == bp) state_.rule.saved = FrameRule::Saved::same;
    return which != return_address;
  }
  bool undefined(uint64_t which) {
    if (which == return_address) state_.ends = true;
    return true;
  }
  bool restore(uint64_t which) {
    if (which == bp) {
      state_.rule.saved = initial_.rule.saved;
      state_.rule.bp_offset = initial_.rule.bp_offset;
    }
    if (which == return_address) state_.ends = initial_.ends;
    return true;
  }

  const Common& common_;
  uint64_t location_, target_;
  State state_, initial_;
  std::array<State, 8> stack_;
  size_t depth_ = 0;
};

}  // namespace

FrameRule frame_rule(uint64_t address) {
  dwarf_eh_bases bases{};
  const uint64_t call = address - 1;  // the return address is after the call
  const auto* entry =
      static_cast<const uint8_t*>(_Unwind_Find_FDE(reinterpret_cast<void*>(call), &bases));
  if (!entry) return {};
  Bytes in(entry);
  const auto length = in.take<uint32_t>();
  const uint8_t* const end = in.at() + length;
  const uint8_t* const common_at = in.at();
  const Common common = read_common(common_at - in.take<int32_t>());
  if (!common.readable) return {};
  in.skip(2 * pointer_bytes(common.encoding));
  in.skip(in.number());
  CallFrameInterpreter interpreter(common, reinterpret_cast<uint64_t>(bases.func), call);
  if (!interpreter.run(common.begin, common.end)) return {};
  interpreter.keep_as_initial();
  if (!interpreter.run(in.at(), end)) return {};
  return interpreter.rule();
}

}  // namespace vitro
