// Reads the object files of one module: the sections to link, and their symbols, resolved across
// objects.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/jit/link/elf_object.h"

namespace vitro::jit {

struct OutputSection;  // image.h

struct LinkSection {
  std::string_view name, bytes;  // .bss has no bytes
  Elf64_Shdr head = {};
  std::vector<Elf64_Rela> relocations;
  size_t object = 0;     // index of its object file
  uint64_t address = 0;  // set by place(); if not loaded, relative to its output section
  uint64_t offset = 0;   // in the output file
  const OutputSection* output = nullptr;  // the section that it is a part of
  bool is_loaded() const { return head.sh_flags & SHF_ALLOC; }
  bool is_writable() const { return head.sh_flags & SHF_WRITE; }
};

struct LinkSymbol {
  std::string_view name;
  LinkSection* section = nullptr;  // null: defined elsewhere, or in a dropped section
  Elf64_Sym head = {};
  bool is_left_out = false;
  int got = -1, stub = -1;  // index of its GOT entry and of its stub
  uint32_t dynamic = 0;     // index in .dynsym; 0: not in it

  bool is_local() const { return ELF64_ST_BIND(head.st_info) == STB_LOCAL; }
  bool is_exported() const {
    return section && !is_local() &&
           (ELF64_ST_VISIBILITY(head.st_other) == STV_DEFAULT ||
            ELF64_ST_VISIBILITY(head.st_other) == STV_PROTECTED);
  }
  uint64_t address() const { return section ? section->address + head.st_value : 0; }
};

class LinkInputs {
 public:
  // Does not copy `objects`, which must outlive the result.
  static Result<LinkInputs> read(std::span<const std::string> objects);

  uint16_t machine() const { return machine_; }
  std::deque<LinkSection>& sections() { return sections_; }
  std::deque<LinkSymbol>& symbols() { return symbols_; }
  // The symbol of a number in an object's symbol table; null if out of range.
  LinkSymbol* symbol(size_t object, uint64_t number) {
    return number < meaning_[object].size() ? meaning_[object][number] : nullptr;
  }
  std::string where(const LinkSection& section) const;  // for messages

 private:
  struct Part;  // an object that is being read
  Result<Done> add(std::string_view bytes);
  Result<Done> leave_out_copies(Part& part);
  Result<Done> add_sections(Part& part);
  Result<Done> add_relocations(Part& part);
  Result<Done> add_symbols(Part& part);
  Result<LinkSymbol> symbol_of(const Part& part, const Elf64_Sym& head,
                               std::string_view name) const;
  Result<LinkSymbol*> join(const LinkSymbol& found);

  uint16_t machine_ = EM_NONE;
  std::deque<LinkSection> sections_;
  std::deque<LinkSymbol> symbols_;
  std::vector<std::vector<LinkSymbol*>> meaning_;
  std::map<std::string_view, LinkSymbol*> shared_;   // symbols that are not local, by name
  std::map<std::string_view, size_t> group_owners_;  // the object whose COMDAT group is kept
};

}  // namespace vitro::jit
