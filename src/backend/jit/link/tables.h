// The tables of a shared object: for the loader (.dynsym, .hash, .rela.dyn, .dynamic), and for
// debuggers and profilers (.symtab).
#pragma once

#include "backend/jit/link/image.h"
#include "backend/jit/link/relocation.h"

namespace vitro::jit {

class LinkTables {
 public:
  LinkTables(LinkImage& image, const LinkMachine& machine) : image_(image), machine_(machine) {}

  // Adds a symbol that the loader looks up in the process.
  void import(LinkSymbol& symbol);
  // Adds the loader's sections; call after all imports.  `relocations`: the number of dynamic
  // relocations.
  void add_for_loader(std::deque<LinkSymbol>& symbols, size_t relocations);
  void add_for_readers(std::deque<LinkSymbol>& symbols);

  // Adds a dynamic relocation: the loader writes the symbol's address plus `addend` to the word at
  // `place`.  Call after LinkImage::place().
  void relocate_when_loaded(uint64_t place, const LinkSymbol& symbol, int64_t addend);
  // Writes the content of all tables; call after all relocations.
  void fill();

 private:
  void add_hashes();
  void fill_symbols();
  void fill_dynamic();
  void fill_links();
  uint64_t address_of(std::string_view section) const { return image_.find(section)->head.sh_addr; }

  LinkImage& image_;
  const LinkMachine& machine_;
  std::vector<LinkSymbol*> dynamic_;  // .dynsym: imports, then exports
  std::vector<LinkSymbol*> named_;    // .symtab: local symbols first
  size_t local_count_ = 0;            // local symbols in named_
  std::vector<Elf64_Rela> relative_, symbolic_;
};

}  // namespace vitro::jit
