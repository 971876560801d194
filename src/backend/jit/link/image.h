// Lays out a shared object: orders its sections, assigns file offsets and addresses, and writes the
// headers.
//   read only:  headers .dynsym .hash .dynstr .rela.dyn .rodata .eh_frame_hdr .eh_frame
//   code:       .text .plt
//   relocated:  .data.rel.ro .dynamic .got       read-only after the loader's relocation
//   writable:   .data .bss
//   not loaded: .debug_... .symtab .strtab .shstrtab
#pragma once

#include <string>
#include <vector>

#include "backend/jit/link/symbols.h"

namespace vitro::jit {

enum class Segment : uint8_t { read_only, code, relocated, writable, not_loaded };

struct OutputSection {
  std::string name;
  Segment segment = Segment::not_loaded;
  Elf64_Shdr head = {};
  std::string own;  // bytes written by the linker, placed before the parts
  std::vector<LinkSection*> parts;
  uint16_t number = 0;  // set by place()
};

class LinkImage {
 public:
  LinkImage(uint16_t machine, uint64_t page) : machine_(machine), page_(page) {}

  // Returns the section of that name, creating it if missing.
  OutputSection& section(std::string_view name, Segment segment, uint32_t type = SHT_PROGBITS,
                         uint64_t entry_bytes = 0);
  static void add_part(OutputSection& section, LinkSection& part);
  // Null if there is none.
  OutputSection* find(std::string_view name);

  // Adds .shstrtab with the names of all sections; no section may be added later.
  void name_sections();
  // Assigns all offsets and addresses; section sizes must not change after it.
  void place();
  // The complete file.
  std::string bytes() const;

 private:
  void order();
  void place_parts(OutputSection& section);
  bool has(Segment segment) const;
  Elf64_Phdr header_of(Segment segment) const;
  std::vector<Elf64_Phdr> program_headers() const;
  void write_headers(std::string& out) const;

  uint16_t machine_;
  uint64_t page_, table_offset_ = 0;
  std::deque<OutputSection> sections_;
  std::vector<OutputSection*> ordered_;
};

inline uint64_t round_up(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace vitro::jit
