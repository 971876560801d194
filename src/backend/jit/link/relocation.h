// The relocations that Clang emits for position-independent code of the small code model, on x86-64
// and AArch64.
#pragma once

#include <cstdint>
#include <optional>

namespace vitro::jit {

// The value.  S: address of the symbol, A: addend, P: address of the field.
enum class Relocated : uint8_t {
  nothing,
  absolute,         // S + A
  relative,         // S + A - P
  call,             // S + A - P, where S may be a stub that jumps to an external symbol
  got_relative,     // G + A - P; G: address of the GOT entry for S
  page_relative,    // page(S + A) - page(P)
  got_page,         // page(G + A) - page(P)
  page_offset,      // low 12 bits of S + A
  got_page_offset,  // low 12 bits of G + A
};

// The field that is written.
enum class Field : uint8_t {
  none,
  word64,
  word32,      // zero-extended
  signed32,    // sign-extended
  any32,       // either
  branch26,    // AArch64: bits 0 to 25, in units of instructions
  branch19,    // bits 5 to 23
  branch14,    // bits 5 to 18
  address21,   // adr, adrp: bits 29, 30 and 5 to 23
  offset12,    // add: bits 10 to 21
  offset12x2,  // loads and stores of 2, 4, 8, 16 bytes, in units of the access size
  offset12x4,
  offset12x8,
  offset12x16,
};

struct Relocation {
  Relocated what;
  Field where;
};

// `machine`: EM_X86_64 or EM_AARCH64.  None for unsupported types.
std::optional<Relocation> relocation_of(uint16_t machine, uint32_t type);

// Size in bytes.
uint64_t size_of(Field field);
// Returns false if the value does not fit.  `at` has size_of(field) bytes.
bool write_field(Field field, char* at, uint64_t value);

// Other properties of a machine.
struct LinkMachine {
  uint64_t page;                // the largest page size of its systems
  uint32_t relative, symbolic;  // types of dynamic relocations: base + A; S
  uint64_t stub_bytes;          // size of a stub, which jumps through a GOT entry
  void (*write_stub)(char* at, uint64_t address, uint64_t entry);
};
const LinkMachine* link_machine(uint16_t machine);  // null if unsupported

}  // namespace vitro::jit
