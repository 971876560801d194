// What a shared object says of itself: to the loader (symbols, their hash table, relocations,
// .dynamic), to debuggers and profilers (.symtab), and the names of its sections.
#pragma once

#include "backend/jit/link/image.h"
#include "backend/jit/link/relocation.h"

namespace vitro::jit {

class LinkTables {
 public:
  LinkTables(LinkImage& image, const LinkMachine& machine) : image_(image), machine_(machine) {}

  // A symbol that the loader has to look up in the process.
  void import(LinkSymbol& symbol);
  // Adds the sections, once all imports are known; `relocations` are left to the loader.
  void add_for_loader(std::deque<LinkSymbol>& symbols, size_t relocations);
  void add_for_readers(std::deque<LinkSymbol>& symbols);

  // Once everything has its place: a word that holds the symbol's address, plus `addend`, from
  // when the object is loaded.
  void relocate_when_loaded(uint64_t place, const LinkSymbol& symbol, int64_t addend);
  // The bytes, when all of those are known.
  void fill();

 private:
  void add_hashes();
  void fill_symbols();
  void fill_dynamic();
  void fill_links();
  uint64_t address_of(std::string_view section) const { return image_.find(section)->head.sh_addr; }

  LinkImage& image_;
  const LinkMachine& machine_;
  std::vector<LinkSymbol*> dynamic_;  // symbols of the loader: those from elsewhere, then ours
  std::vector<LinkSymbol*> named_;    // of debuggers: local ones first
  size_t local_count_ = 0;            // among them
  std::vector<Elf64_Rela> relative_, symbolic_;
};

}  // namespace vitro::jit
