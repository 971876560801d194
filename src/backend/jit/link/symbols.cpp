// Reads object files for link.cpp: drops duplicate COMDAT groups, collects sections and
// relocations, and resolves symbols.
#include "backend/jit/link/symbols.h"

#include <bit>

#include "backend/jit/link/relocation.h"
#include "vitro/base/cat.h"

namespace vitro::jit {
namespace {

// Whether a section is linked: all loaded sections, and debug info (line tables).
bool is_wanted(const Elf64_Shdr& section, std::string_view name) {
  if (section.sh_flags & SHF_EXCLUDE) return false;
  if (section.sh_flags & SHF_ALLOC) return section.sh_type != SHT_NOTE;
  return section.sh_type == SHT_PROGBITS && name.starts_with(".debug_");
}

// Why a section cannot be linked; empty if it can.
std::string refusal(const Elf64_Shdr& section, std::string_view name) {
  constexpr uint32_t unwind_of_x86_64 = 0x70000001;
  if (section.sh_flags & SHF_TLS) return "thread-local variables are not supported";
  if (section.sh_flags & SHF_COMPRESSED) return "compressed sections are not supported";
  if (section.sh_type == SHT_INIT_ARRAY || section.sh_type == SHT_FINI_ARRAY ||
      section.sh_type == SHT_PREINIT_ARRAY || name.starts_with(".ctors") ||
      name.starts_with(".dtors")) {
    return "constructors and destructors are not supported";
  }
  if (section.sh_type != SHT_PROGBITS && section.sh_type != SHT_NOBITS &&
      section.sh_type != unwind_of_x86_64)
    return cat("sections of type ", section.sh_type, " are not supported");
  if (section.sh_addralign > 4096 ||
      (section.sh_addralign != 0 && !std::has_single_bit(section.sh_addralign)))
    return cat("an alignment of ", section.sh_addralign, " is not supported");
  if (section.sh_size > uint64_t{1} << 30) return "it is larger than 1 GiB";
  return "";
}

}  // namespace

struct LinkInputs::Part {
  ElfObject elf;
  size_t number = 0;                   // index of the object
  std::vector<bool> is_left_out;       // by section number
  std::vector<LinkSection*> sections;  // by section number; null if not linked
  const Elf64_Shdr* table = nullptr;   // .symtab
  std::vector<Elf64_Sym> symbols;

  std::string_view name_of(const Elf64_Sym& symbol) const {
    const Elf64_Shdr* names = table ? elf.section(table->sh_link) : nullptr;
    return names ? elf.text(*names, symbol.st_name) : std::string_view();
  }
};

std::string LinkInputs::where(const LinkSection& section) const {
  return cat("object ", section.object, ", ", section.name);
}

Result<LinkInputs> LinkInputs::read(std::span<const std::string> objects) {
  LinkInputs inputs;
  for (const std::string& bytes : objects) {
    if (auto added = inputs.add(bytes); !added)
      return Failure{cat("object ", inputs.meaning_.size(), ": ", added.why())};
  }
  return inputs;
}

Result<Done> LinkInputs::add(std::string_view bytes) {
  auto elf = ElfObject::read(bytes);
  if (!elf) return elf.failure();
  const Elf64_Ehdr& head = elf->head();
  if (head.e_type != ET_REL || !link_machine(head.e_machine) ||
      (machine_ != EM_NONE && machine_ != head.e_machine))
    return Failure{cat("is not an object file for this machine (type ", head.e_type, ", machine ",
                       head.e_machine, ")")};
  machine_ = head.e_machine;
  Part part{std::move(*elf), meaning_.size(), {}, {}, nullptr, {}};
  part.is_left_out.resize(part.elf.sections().size());
  part.sections.resize(part.elf.sections().size());
  for (const Elf64_Shdr& section : part.elf.sections()) {
    if (section.sh_type == SHT_SYMTAB) part.table = &section;
  }
  if (part.table) part.symbols = part.elf.list_of<Elf64_Sym>(*part.table);
  for (const auto step : {&LinkInputs::leave_out_copies, &LinkInputs::add_sections,
                          &LinkInputs::add_relocations, &LinkInputs::add_symbols}) {
    if (auto done = (this->*step)(part); !done) return done;
  }
  return Done{};
}

// COMDAT groups (inline functions) that several objects have: keeps the first.
Result<Done> LinkInputs::leave_out_copies(Part& part) {
  for (const Elf64_Shdr& section : part.elf.sections()) {
    if (section.sh_type != SHT_GROUP) continue;
    const auto words = part.elf.list_of<uint32_t>(section);
    if (words.empty() || section.sh_info >= part.symbols.size())
      return Failure{"a section group without a name"};
    if (!(words[0] & GRP_COMDAT)) continue;
    const std::string_view name = part.name_of(part.symbols[section.sh_info]);
    const bool is_first = group_owners_.try_emplace(name, part.number).second;
    for (size_t i = 1; i < words.size(); ++i) {
      if (words[i] >= part.is_left_out.size())
        return Failure{"a section group with missing sections"};
      part.is_left_out[words[i]] = part.is_left_out[words[i]] || !is_first;
    }
  }
  return Done{};
}

Result<Done> LinkInputs::add_sections(Part& part) {
  for (size_t i = 0; i < part.sections.size(); ++i) {
    const Elf64_Shdr& head = *part.elf.section(i);
    const std::string_view name = part.elf.name(head);
    if (part.is_left_out[i] || !is_wanted(head, name)) continue;
    if (const std::string why = refusal(head, name); !why.empty())
      return Failure{cat("section ", name, ": ", why)};
    LinkSection& section = sections_.emplace_back();
    section.name = name;
    section.bytes = part.elf.bytes_of(head);
    section.head = head;
    section.object = part.number;
    part.sections[i] = &section;
  }
  return Done{};
}

Result<Done> LinkInputs::add_relocations(Part& part) {
  for (const Elf64_Shdr& head : part.elf.sections()) {
    if (head.sh_type != SHT_RELA && head.sh_type != SHT_REL) continue;
    LinkSection* target =
        head.sh_info < part.sections.size() ? part.sections[head.sh_info] : nullptr;
    if (!target) continue;
    if (head.sh_type == SHT_REL)
      return Failure{
          cat("section ", target->name, ": relocations without addends are not supported")};
    const auto list = part.elf.list_of<Elf64_Rela>(head);
    target->relocations.insert(target->relocations.end(), list.begin(), list.end());
  }
  return Done{};
}

Result<Done> LinkInputs::add_symbols(Part& part) {
  std::vector<LinkSymbol*>& meaning = meaning_.emplace_back(part.symbols.size());
  for (size_t i = 1; i < part.symbols.size(); ++i) {
    auto symbol = symbol_of(part, part.symbols[i], part.name_of(part.symbols[i]));
    if (!symbol) return symbol.failure();
    if (symbol->is_local()) {
      meaning[i] = &symbols_.emplace_back(*symbol);
      continue;
    }
    auto joined = join(*symbol);
    if (!joined) return joined.failure();
    meaning[i] = *joined;
  }
  return Done{};
}

Result<LinkSymbol> LinkInputs::symbol_of(const Part& part, const Elf64_Sym& head,
                                         std::string_view name) const {
  LinkSymbol symbol;
  symbol.name = name;
  symbol.head = head;
  const unsigned type = ELF64_ST_TYPE(head.st_info);
  if (type == STT_FILE || head.st_shndx == SHN_UNDEF) return symbol;
  if (head.st_shndx >= part.sections.size())
    return Failure{cat("symbol ", name, ": is in no section (", head.st_shndx, ")")};
  if (type == STT_TLS || type == STT_GNU_IFUNC)
    return Failure{cat("symbol ", name, ": symbols of type ", type, " are not supported")};
  symbol.section = part.sections[head.st_shndx];
  symbol.is_left_out = !symbol.section;
  if (symbol.section && head.st_value > symbol.section->head.sh_size)
    return Failure{cat("symbol ", name, ": is past the end of ", symbol.section->name)};
  return symbol;
}

// Resolves a global symbol: a definition takes precedence over a reference, a strong one over a
// weak one.
Result<LinkSymbol*> LinkInputs::join(const LinkSymbol& found) {
  const auto [at, is_new] = shared_.try_emplace(found.name);
  if (is_new) return at->second = &symbols_.emplace_back(found);
  LinkSymbol& known = *at->second;
  const auto strong = [](const LinkSymbol& s) { return ELF64_ST_BIND(s.head.st_info) != STB_WEAK; };
  if (found.section && known.section && strong(found) && strong(known))
    return Failure{cat("symbol ", found.name, ": is defined twice")};
  if (found.section ? !known.section || (strong(found) && !strong(known))
                    : !known.section && strong(found) && !found.is_left_out)
    known = found;
  return &known;
}

}  // namespace vitro::jit
