// Sizes the tables of a shared object before layout and fills them after it; link.cpp calls both
// steps.
#include "backend/jit/link/tables.h"

#include <algorithm>

namespace vitro::jit {
namespace {

template <class T>
std::string bytes_of(const std::vector<T>& list) {
  return std::string(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T));
}

// Appends a name to a string table and returns its offset.
uint32_t add_text(OutputSection& texts, std::string_view name) {
  if (texts.own.empty()) texts.own += '\0';
  if (name.empty()) return 0;
  const auto at = static_cast<uint32_t>(texts.own.size());
  texts.own += name;
  texts.own += '\0';
  return at;
}

// The ELF hash function of the System V ABI.
uint32_t hash_of_name(std::string_view name) {
  uint32_t hash = 0;
  for (const unsigned char c : name) {
    hash = (hash << 4) + c;
    const uint32_t high = hash & 0xf0000000;
    hash = (hash ^ (high >> 24)) & ~high;
  }
  return hash;
}

bool is_named(const LinkSymbol& symbol) {
  const unsigned type = ELF64_ST_TYPE(symbol.head.st_info);
  return symbol.section && symbol.section->is_loaded() && !symbol.name.empty() &&
         !symbol.name.starts_with(".L") && (type == STT_FUNC || type == STT_OBJECT);
}

}  // namespace

void LinkTables::import(LinkSymbol& symbol) {
  if (symbol.dynamic != 0) return;
  dynamic_.push_back(&symbol);
  symbol.dynamic = static_cast<uint32_t>(dynamic_.size());
}

void LinkTables::add_for_loader(std::deque<LinkSymbol>& symbols, size_t relocations) {
  for (LinkSymbol& symbol : symbols) {
    if (symbol.is_exported()) import(symbol);
  }
  OutputSection& table =
      image_.section(".dynsym", Segment::read_only, SHT_DYNSYM, sizeof(Elf64_Sym));
  table.own.resize((dynamic_.size() + 1) * sizeof(Elf64_Sym));
  table.head.sh_info = 1;
  add_hashes();
  OutputSection& names = image_.section(".dynstr", Segment::read_only, SHT_STRTAB);
  add_text(names, "");
  for (LinkSymbol* symbol : dynamic_) symbol->head.st_name = add_text(names, symbol->name);
  if (relocations != 0) {
    image_.section(".rela.dyn", Segment::read_only, SHT_RELA, sizeof(Elf64_Rela))
        .own.resize(relocations * sizeof(Elf64_Rela));
  }
  constexpr size_t entries = 12;
  image_.section(".dynamic", Segment::relocated, SHT_DYNAMIC, sizeof(Elf64_Dyn))
      .own.resize(entries * sizeof(Elf64_Dyn));
}

void LinkTables::add_hashes() {
  const auto count = static_cast<uint32_t>(dynamic_.size());
  const uint32_t buckets = std::max(count, 1u);
  std::vector<uint32_t> words(2 + buckets + count + 1);
  words[0] = buckets;
  words[1] = count + 1;
  for (const LinkSymbol* symbol : dynamic_) {
    uint32_t& bucket = words[2 + hash_of_name(symbol->name) % buckets];
    words[2 + buckets + symbol->dynamic] = bucket;
    bucket = symbol->dynamic;
  }
  image_.section(".hash", Segment::read_only, SHT_HASH, sizeof(uint32_t)).own = bytes_of(words);
}

void LinkTables::add_for_readers(std::deque<LinkSymbol>& symbols) {
  for (LinkSymbol& symbol : symbols) {
    if (is_named(symbol) && !symbol.is_exported()) named_.push_back(&symbol);
  }
  local_count_ = named_.size();
  named_.insert(named_.end(), dynamic_.begin(), dynamic_.end());
  OutputSection& table =
      image_.section(".symtab", Segment::not_loaded, SHT_SYMTAB, sizeof(Elf64_Sym));
  table.own.resize((named_.size() + 1) * sizeof(Elf64_Sym));
  table.head.sh_info = static_cast<uint32_t>(local_count_ + 1);
  OutputSection& names = image_.section(".strtab", Segment::not_loaded, SHT_STRTAB);
  add_text(names, "");
  for (const LinkSymbol* symbol : named_) add_text(names, symbol->name);
}

void LinkTables::relocate_when_loaded(uint64_t place, const LinkSymbol& symbol, int64_t addend) {
  if (symbol.section) {
    relative_.push_back(
        {place, machine_.relative, static_cast<int64_t>(symbol.address()) + addend});
  } else {
    symbolic_.push_back({place, ELF64_R_INFO(uint64_t{symbol.dynamic}, machine_.symbolic), addend});
  }
}

void LinkTables::fill() {
  fill_symbols();
  if (OutputSection* list = image_.find(".rela.dyn"))
    list->own = bytes_of(relative_) + bytes_of(symbolic_);
  fill_dynamic();
  fill_links();
}

void LinkTables::fill_symbols() {
  const auto entry_of = [](const LinkSymbol& symbol, uint32_t name, bool is_local) {
    Elf64_Sym entry = symbol.head;
    entry.st_name = name;
    entry.st_value = symbol.address();
    entry.st_shndx = symbol.section ? symbol.section->output->number : uint16_t{SHN_UNDEF};
    if (is_local) entry.st_info = ELF64_ST_INFO(STB_LOCAL, ELF64_ST_TYPE(entry.st_info));
    return entry;
  };
  std::vector<Elf64_Sym> all(1);
  for (const LinkSymbol* symbol : dynamic_)
    all.push_back(entry_of(*symbol, symbol->head.st_name, false));
  image_.find(".dynsym")->own = bytes_of(all);
  all.resize(1);
  uint32_t name = 1;
  for (const LinkSymbol* symbol : named_) {
    all.push_back(entry_of(*symbol, name, all.size() <= local_count_));
    name += static_cast<uint32_t>(symbol->name.size()) + 1;
  }
  image_.find(".symtab")->own = bytes_of(all);
}

void LinkTables::fill_dynamic() {
  std::vector<Elf64_Dyn> entries;
  const auto add = [&](int64_t tag, uint64_t value) { entries.push_back({tag, {value}}); };
  add(DT_FLAGS, DF_BIND_NOW);
  add(DT_FLAGS_1, DF_1_NOW);
  add(DT_HASH, address_of(".hash"));
  add(DT_SYMTAB, address_of(".dynsym"));
  add(DT_SYMENT, sizeof(Elf64_Sym));
  add(DT_STRTAB, address_of(".dynstr"));
  add(DT_STRSZ, image_.find(".dynstr")->own.size());
  if (image_.find(".rela.dyn")) {
    add(DT_RELA, address_of(".rela.dyn"));
    add(DT_RELASZ, image_.find(".rela.dyn")->own.size());
    add(DT_RELAENT, sizeof(Elf64_Rela));
    add(DT_RELACOUNT, relative_.size());
  }
  OutputSection& section = *image_.find(".dynamic");
  entries.resize(section.own.size() / sizeof(Elf64_Dyn));  // pads with DT_NULL
  section.own = bytes_of(entries);
}

void LinkTables::fill_links() {
  const auto link = [&](std::string_view from, std::string_view to) {
    if (OutputSection* section = image_.find(from)) section->head.sh_link = image_.find(to)->number;
  };
  link(".dynsym", ".dynstr");
  link(".hash", ".dynsym");
  link(".rela.dyn", ".dynsym");
  link(".dynamic", ".dynstr");
  link(".symtab", ".strtab");
}

}  // namespace vitro::jit
