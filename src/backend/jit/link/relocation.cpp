// Decodes relocation types of x86-64 and AArch64, writes instruction fields and call stubs; used by
// link.cpp.
#include "backend/jit/link/relocation.h"

#include <elf.h>

#include <bit>
#include <cstring>

namespace vitro::jit {
namespace {

std::optional<Relocation> of_x86_64(uint32_t type) {
  switch (type) {
    case R_X86_64_NONE:
      return Relocation{Relocated::nothing, Field::none};
    case R_X86_64_64:
      return Relocation{Relocated::absolute, Field::word64};
    case R_X86_64_32:
      return Relocation{Relocated::absolute, Field::word32};
    case R_X86_64_32S:
      return Relocation{Relocated::absolute, Field::signed32};
    case R_X86_64_PC32:
      return Relocation{Relocated::relative, Field::signed32};
    case R_X86_64_PC64:
      return Relocation{Relocated::relative, Field::word64};
    case R_X86_64_PLT32:
      return Relocation{Relocated::call, Field::signed32};
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
      return Relocation{Relocated::got_relative, Field::signed32};
    default:
      return std::nullopt;
  }
}

std::optional<Relocation> of_aarch64(uint32_t type) {
  switch (type) {
    case R_AARCH64_NONE:
      return Relocation{Relocated::nothing, Field::none};
    case R_AARCH64_ABS64:
      return Relocation{Relocated::absolute, Field::word64};
    case R_AARCH64_ABS32:
      return Relocation{Relocated::absolute, Field::any32};
    case R_AARCH64_PREL64:
      return Relocation{Relocated::relative, Field::word64};
    case R_AARCH64_PREL32:
      return Relocation{Relocated::relative, Field::any32};
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
      return Relocation{Relocated::call, Field::branch26};
    case R_AARCH64_CONDBR19:
    case R_AARCH64_LD_PREL_LO19:
      return Relocation{Relocated::relative, Field::branch19};
    case R_AARCH64_TSTBR14:
      return Relocation{Relocated::relative, Field::branch14};
    case R_AARCH64_ADR_PREL_LO21:
      return Relocation{Relocated::relative, Field::address21};
    case R_AARCH64_ADR_PREL_PG_HI21:
      return Relocation{Relocated::page_relative, Field::address21};
    case R_AARCH64_ADR_GOT_PAGE:
      return Relocation{Relocated::got_page, Field::address21};
    case R_AARCH64_LD64_GOT_LO12_NC:
      return Relocation{Relocated::got_page_offset, Field::offset12x8};
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
      return Relocation{Relocated::page_offset, Field::offset12};
    case R_AARCH64_LDST16_ABS_LO12_NC:
      return Relocation{Relocated::page_offset, Field::offset12x2};
    case R_AARCH64_LDST32_ABS_LO12_NC:
      return Relocation{Relocated::page_offset, Field::offset12x4};
    case R_AARCH64_LDST64_ABS_LO12_NC:
      return Relocation{Relocated::page_offset, Field::offset12x8};
    case R_AARCH64_LDST128_ABS_LO12_NC:
      return Relocation{Relocated::page_offset, Field::offset12x16};
    default:
      return std::nullopt;
  }
}

template <class T>
void store(char* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

// Writes `value << shift` into the bits of `mask` of an instruction.
void patch(char* at, uint64_t value, unsigned shift, uint32_t mask) {
  uint32_t instruction;
  std::memcpy(&instruction, at, sizeof instruction);
  store(at, (instruction & ~mask) | (static_cast<uint32_t>(value << shift) & mask));
}

bool fits_signed(uint64_t value, unsigned bits) {
  const auto number = static_cast<int64_t>(value);
  return number >= -(int64_t{1} << (bits - 1)) && number < (int64_t{1} << (bits - 1));
}

// Writes a byte distance in units of 4 bytes, as a field of `bits` bits at `shift`.
bool write_branch(char* at, uint64_t value, unsigned bits, unsigned shift) {
  if (value % 4 != 0 || !fits_signed(value, bits + 2)) return false;
  patch(at, value >> 2, shift, ((uint32_t{1} << bits) - 1) << shift);
  return true;
}

bool write_address21(char* at, uint64_t value) {
  if (!fits_signed(value, 21)) return false;
  patch(at, value, 29, uint32_t{3} << 29);
  patch(at, value >> 2, 5, uint32_t{0x7ffff} << 5);
  return true;
}

bool write_offset12(char* at, uint64_t value, uint64_t unit) {
  if (value % unit != 0) return false;
  patch(at, (value & 0xfff) / unit, 10, uint32_t{0xfff} << 10);
  return true;
}

bool write_word32(char* at, uint64_t value, bool fits) {
  if (fits) store(at, static_cast<uint32_t>(value));
  return fits;
}

// jmp *entry(%rip)
void write_x86_64_stub(char* at, uint64_t address, uint64_t entry) {
  constexpr unsigned char jump[8] = {0xff, 0x25, 0, 0, 0, 0, 0xcc, 0xcc};
  std::memcpy(at, jump, sizeof jump);
  write_field(Field::signed32, at + 2, entry - (address + 6));
}

// adrp x16, entry; ldr x17, [x16, entry]; br x17
void write_aarch64_stub(char* at, uint64_t address, uint64_t entry) {
  constexpr uint32_t code[4] = {0x90000010, 0xf9400211, 0xd61f0220, 0xd503201f};
  std::memcpy(at, code, sizeof code);
  write_field(Field::address21, at, (entry >> 12) - (address >> 12));
  write_field(Field::offset12x8, at + 4, entry & 0xfff);
}

}  // namespace

std::optional<Relocation> relocation_of(uint16_t machine, uint32_t type) {
  return machine == EM_X86_64 ? of_x86_64(type) : of_aarch64(type);
}

uint64_t size_of(Field field) {
  return field == Field::none ? 0 : field == Field::word64 ? 8 : 4;
}

bool write_field(Field field, char* at, uint64_t value) {
  const bool positive = value >> 32 == 0;
  switch (field) {
    case Field::none:
      return true;
    case Field::word64:
      store(at, value);
      return true;
    case Field::word32:
      return write_word32(at, value, positive);
    case Field::signed32:
      return write_word32(at, value, fits_signed(value, 32));
    case Field::any32:
      return write_word32(at, value, positive || fits_signed(value, 32));
    case Field::branch26:
      return write_branch(at, value, 26, 0);
    case Field::branch19:
      return write_branch(at, value, 19, 5);
    case Field::branch14:
      return write_branch(at, value, 14, 5);
    case Field::address21:
      return write_address21(at, value);
    case Field::offset12:
      return write_offset12(at, value, 1);
    case Field::offset12x2:
      return write_offset12(at, value, 2);
    case Field::offset12x4:
      return write_offset12(at, value, 4);
    case Field::offset12x8:
      return write_offset12(at, value, 8);
    case Field::offset12x16:
      return write_offset12(at, value, 16);
  }
  return false;
}

const LinkMachine* link_machine(uint16_t machine) {
  static constexpr LinkMachine x86_64{0x1000, R_X86_64_RELATIVE, R_X86_64_64, 8, write_x86_64_stub};
  static constexpr LinkMachine aarch64{0x10000, R_AARCH64_RELATIVE, R_AARCH64_ABS64, 16,
                                       write_aarch64_stub};
  return machine == EM_X86_64 ? &x86_64 : machine == EM_AARCH64 ? &aarch64 : nullptr;
}

}  // namespace vitro::jit
