// What the relocations mean that Clang writes into position-independent objects of the small code
// model, on x86-64 and AArch64.
#pragma once

#include <cstdint>
#include <optional>

namespace vitro::jit {

// What is written.  S: the symbol, A: the addend, P: the place that is written.
enum class Relocated : uint8_t {
  nothing,
  absolute,         // S + A
  relative,         // S + A - P
  call,             // the same, where S may be a stub that jumps to a symbol of another object
  got_relative,     // the entry that holds S, + A - P
  page_relative,    // page of S + A, from the page of P
  got_page,         // page of the entry that holds S, from the page of P
  page_offset,      // S + A within its page
  got_page_offset,  // the entry that holds S, within its page
};

// Where it is written.
enum class Field : uint8_t {
  none,
  word64,
  word32,      // as a number without a sign
  signed32,    // with one
  any32,       // either
  branch26,    // AArch64: bits 0 to 25, in instructions
  branch19,    // bits 5 to 23
  branch14,    // bits 5 to 18
  address21,   // adr, adrp: bits 29, 30 and 5 to 23
  offset12,    // add: bits 10 to 21
  offset12x2,  // loads and stores of 2, 4, 8, 16 bytes: in those
  offset12x4,
  offset12x8,
  offset12x16,
};

struct Relocation {
  Relocated what;
  Field where;
};

// Of a machine (EM_X86_64, EM_AARCH64); none for a type that kernels never need.
std::optional<Relocation> relocation_of(uint16_t machine, uint32_t type);

// How many bytes it changes.
uint64_t size_of(Field field);
// False where the value does not fit.  `at` has size_of(field) bytes.
bool write_field(Field field, char* at, uint64_t value);

// What else the linker has to know of a machine.
struct LinkMachine {
  uint64_t page;                // the largest that its systems have
  uint32_t relative, symbolic;  // dynamic relocations: base + A; S
  uint64_t stub_bytes;          // of a jump to what an entry of the table of addresses holds
  void (*write_stub)(char* at, uint64_t address, uint64_t entry);
};
const LinkMachine* link_machine(uint16_t machine);  // null for another

}  // namespace vitro::jit
