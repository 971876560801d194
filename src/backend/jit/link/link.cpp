// The linker: checks all relocations, plans sections (image.h) and tables (tables.h), then writes
// the relocated bytes.
#include "backend/jit/link/link.h"

#include <algorithm>

#include "backend/jit/link/image.h"
#include "backend/jit/link/relocation.h"
#include "backend/jit/link/tables.h"
#include "vitro/base/cat.h"

namespace vitro::jit {
namespace {

uint64_t page_of(uint64_t address) {
  return address >> 12;  // adrp uses 4 KiB pages, whatever the system's page size
}

bool is_by_table(Relocated what) {
  return what == Relocated::got_relative || what == Relocated::got_page ||
         what == Relocated::got_page_offset;
}

bool is_unwinding(const LinkSection& section) {
  return section.name == ".eh_frame";
}

// Whether the loader applies the relocation, because it depends on the load address.
bool is_for_loader(const LinkSection& section, Relocated what) {
  return what == Relocated::absolute && section.is_loaded();
}

std::string place_of(const LinkSection& section, const LinkSymbol* symbol) {
  const std::string_view name = !symbol ? "" : symbol->name.empty() ? "a section" : symbol->name;
  return cat("object ", section.object, ", section ", section.name,
             name.empty() ? "" : cat(", to ", name));
}

class Linker {
 public:
  explicit Linker(LinkInputs inputs)
      : inputs_(std::move(inputs)),
        machine_(*link_machine(inputs_.machine())),
        image_(inputs_.machine(), machine_.page),
        tables_(image_, machine_) {
    end_of_frames_.bytes = {"\0\0\0\0", 4};
    end_of_frames_.head.sh_addralign = 4;
  }

  Result<std::string> run() {
    if (auto done = look_at_relocations(); !done) return done.failure();
    plan();
    image_.place();
    fill();
    std::string out = image_.bytes();
    if (auto done = relocate(out); !done) return done.failure();
    return out;
  }

 private:
  // First pass: checks that each relocation is supported and collects the entries it needs.
  Result<Done> look_at_relocations();
  Failure unknown(const LinkSection& section, const LinkSymbol* symbol,
                  std::string_view why) const {
    return {cat("link: ", place_of(section, symbol), ": ", why)};
  }
  Result<Done> look_at(LinkSection& section, const Elf64_Rela& rela);
  std::string_view refusal(const LinkSection& section, const Elf64_Rela& rela,
                           const Relocation& kind, const LinkSymbol* symbol) const;
  void note_needs(const LinkSection& section, Relocated what, LinkSymbol& symbol);

  // Second pass: creates the output sections, places them and fills the linker's own.
  void plan();
  OutputSection& output_for(const LinkSection& section);
  void fill();
  void fill_unwinding();
  void fill_one(const LinkSection& section, const Elf64_Rela& rela);

  // Last pass: writes the relocated values.
  Result<Done> relocate(std::string& out);
  Result<Done> relocate_one(const LinkSection& section, const Elf64_Rela& rela, std::string& out);
  uint64_t value_of(const LinkSection& section, const Elf64_Rela& rela, const LinkSymbol& symbol,
                    Relocated what) const;
  uint64_t entry_of(const LinkSymbol& symbol) const {
    return got_->head.sh_addr + 8 * uint64_t(symbol.got);
  }
  uint64_t call_of(const LinkSymbol& symbol) const {
    return symbol.section ? symbol.address()
                          : stubs_->head.sh_addr + machine_.stub_bytes * uint64_t(symbol.stub);
  }

  LinkInputs inputs_;
  const LinkMachine& machine_;
  LinkImage image_;
  LinkTables tables_;
  LinkSection end_of_frames_;
  std::vector<LinkSymbol*> in_got_, in_stubs_;
  OutputSection *got_ = nullptr, *stubs_ = nullptr;
  size_t addresses_ = 0;  // words in sections that the loader relocates
};

Result<Done> Linker::look_at_relocations() {
  for (LinkSection& section : inputs_.sections()) {
    for (const Elf64_Rela& rela : section.relocations) {
      if (auto done = look_at(section, rela); !done) return done;
    }
  }
  return Done{};
}

Result<Done> Linker::look_at(LinkSection& section, const Elf64_Rela& rela) {
  const uint32_t type = ELF64_R_TYPE(rela.r_info);
  const auto kind = relocation_of(inputs_.machine(), type);
  LinkSymbol* symbol = inputs_.symbol(section.object, ELF64_R_SYM(rela.r_info));
  if (!kind) return unknown(section, symbol, cat("unsupported relocation ", type));
  if (kind->what == Relocated::nothing) return Done{};
  if (const auto why = refusal(section, rela, *kind, symbol); !why.empty())
    return unknown(section, symbol, why);
  note_needs(section, kind->what, *symbol);
  return Done{};
}

// Why the relocation is not supported; empty if it is.
std::string_view Linker::refusal(const LinkSection& section, const Elf64_Rela& rela,
                                 const Relocation& kind, const LinkSymbol* symbol) const {
  const uint64_t bytes = section.bytes.size(), wide = size_of(kind.where);
  if (bytes < wide || rela.r_offset > bytes - wide) return "a relocation outside its section";
  if (!symbol) return "a relocation to a missing symbol";
  const bool is_elsewhere = !symbol->section && !symbol->is_left_out;
  if (is_elsewhere && symbol->is_local()) return "a symbol without an address";
  if (!section.is_loaded())
    return kind.what == Relocated::absolute ? ""
                                            : "debug sections may have absolute relocations only";
  if (symbol->is_left_out && kind.what == Relocated::relative && is_unwinding(section)) return "";
  if (symbol->is_left_out || (symbol->section && !symbol->section->is_loaded()))
    return "a symbol of a section that is not loaded";
  if (kind.what == Relocated::absolute) {
    if (kind.where != Field::word64) return "an address that is not 64 bits wide";
    return section.is_writable() ? "" : "an address in a read-only section";
  }
  const bool by_table = kind.what == Relocated::call || is_by_table(kind.what);
  return is_elsewhere && !by_table
             ? "an undefined symbol that is not reached through the GOT or PLT"
             : "";
}

void Linker::note_needs(const LinkSection& section, Relocated what, LinkSymbol& symbol) {
  const auto number = [](int& of_symbol, std::vector<LinkSymbol*>& list, LinkSymbol& s) {
    if (of_symbol >= 0) return;
    of_symbol = static_cast<int>(list.size());
    list.push_back(&s);
  };
  if (!section.is_loaded()) return;
  const bool needs_stub = what == Relocated::call && !symbol.section;
  if (needs_stub) number(symbol.stub, in_stubs_, symbol);
  if (needs_stub || is_by_table(what)) number(symbol.got, in_got_, symbol);
  if (is_for_loader(section, what)) ++addresses_;
  if (!symbol.section && !symbol.is_left_out) tables_.import(symbol);
}

OutputSection& Linker::output_for(const LinkSection& section) {
  if (!section.is_loaded()) return image_.section(section.name, Segment::not_loaded);
  if (section.head.sh_flags & SHF_EXECINSTR) return image_.section(".text", Segment::code);
  if (is_unwinding(section)) return image_.section(".eh_frame", Segment::read_only);
  if (!section.is_writable()) return image_.section(".rodata", Segment::read_only);
  if (section.head.sh_type == SHT_NOBITS)
    return image_.section(".bss", Segment::writable, SHT_NOBITS);
  if (section.name.starts_with(".data.rel.ro"))
    return image_.section(".data.rel.ro", Segment::relocated);
  return image_.section(".data", Segment::writable);
}

void Linker::plan() {
  tables_.add_for_loader(inputs_.symbols(), in_got_.size() + addresses_);
  for (LinkSection& section : inputs_.sections()) {
    if (!section.bytes.empty() || section.head.sh_size != 0)
      LinkImage::add_part(output_for(section), section);
  }
  if (!in_stubs_.empty()) {
    stubs_ = &image_.section(".plt", Segment::code);
    stubs_->head.sh_addralign = 16;
    stubs_->own.resize(in_stubs_.size() * machine_.stub_bytes);
  }
  if (!in_got_.empty()) {
    got_ = &image_.section(".got", Segment::relocated, SHT_PROGBITS, sizeof(uint64_t));
    got_->own.resize(in_got_.size() * sizeof(uint64_t));
  }
  if (OutputSection* frames = image_.find(".eh_frame")) {
    LinkImage::add_part(*frames, end_of_frames_);
    image_.section(".eh_frame_hdr", Segment::read_only).own.resize(8);
  }
  tables_.add_for_readers(inputs_.symbols());
  image_.name_sections();
}

void Linker::fill() {
  for (const LinkSymbol* symbol : in_got_)
    tables_.relocate_when_loaded(entry_of(*symbol), *symbol, 0);
  for (const LinkSymbol* symbol : in_stubs_) {
    const uint64_t at = machine_.stub_bytes * uint64_t(symbol->stub);
    machine_.write_stub(stubs_->own.data() + at, stubs_->head.sh_addr + at, entry_of(*symbol));
  }
  fill_unwinding();
  for (const LinkSection& section : inputs_.sections()) {
    for (const Elf64_Rela& rela : section.relocations) fill_one(section, rela);
  }
  tables_.fill();
}

void Linker::fill_one(const LinkSection& section, const Elf64_Rela& rela) {
  const auto kind = relocation_of(inputs_.machine(), ELF64_R_TYPE(rela.r_info));
  if (!is_for_loader(section, kind->what)) return;
  const LinkSymbol* symbol = inputs_.symbol(section.object, ELF64_R_SYM(rela.r_info));
  tables_.relocate_when_loaded(section.address + rela.r_offset, *symbol, rela.r_addend);
}

// Writes .eh_frame_hdr without a search table; the unwinder then scans .eh_frame linearly.
void Linker::fill_unwinding() {
  OutputSection *head = image_.find(".eh_frame_hdr"), *frames = image_.find(".eh_frame");
  if (!frames) return;
  constexpr unsigned char version = 1, relative_4_bytes = 0x1b, left_out = 0xff;
  head->own = {char(version), char(relative_4_bytes), char(left_out), char(left_out)};
  head->own.resize(8);
  write_field(Field::signed32, head->own.data() + 4,
              frames->head.sh_addr - (head->head.sh_addr + 4));
}

Result<Done> Linker::relocate(std::string& out) {
  for (const LinkSection& section : inputs_.sections()) {
    for (const Elf64_Rela& rela : section.relocations) {
      if (auto done = relocate_one(section, rela, out); !done) return done;
    }
  }
  return Done{};
}

Result<Done> Linker::relocate_one(const LinkSection& section, const Elf64_Rela& rela,
                                  std::string& out) {
  const Relocation kind = *relocation_of(inputs_.machine(), ELF64_R_TYPE(rela.r_info));
  if (kind.what == Relocated::nothing || is_for_loader(section, kind.what)) return Done{};
  const LinkSymbol& symbol = *inputs_.symbol(section.object, ELF64_R_SYM(rela.r_info));
  const uint64_t value = value_of(section, rela, symbol, kind.what);
  if (!write_field(kind.where, out.data() + section.offset + rela.r_offset, value))
    return unknown(section, &symbol, "a distance that is out of range");
  return Done{};
}

uint64_t Linker::value_of(const LinkSection& section, const Elf64_Rela& rela,
                          const LinkSymbol& symbol, Relocated what) const {
  const uint64_t place = section.address + rela.r_offset;
  const auto addend = static_cast<uint64_t>(rela.r_addend);
  if (!symbol.section && what != Relocated::call && !is_by_table(what))
    return 0;  // dropped code has address 0 in line and unwind tables
  switch (what) {
    case Relocated::nothing:
      return 0;
    case Relocated::absolute:
      return symbol.address() + addend;
    case Relocated::relative:
      return symbol.address() + addend - place;
    case Relocated::call:
      return call_of(symbol) + addend - place;
    case Relocated::got_relative:
      return entry_of(symbol) + addend - place;
    case Relocated::page_relative:
      return page_of(symbol.address() + addend) - page_of(place);
    case Relocated::got_page:
      return page_of(entry_of(symbol) + addend) - page_of(place);
    case Relocated::page_offset:
      return (symbol.address() + addend) & 0xfff;
    case Relocated::got_page_offset:
      return (entry_of(symbol) + addend) & 0xfff;
  }
  return 0;
}

}  // namespace

Result<std::string> link(std::span<const std::string> objects) {
  auto inputs = LinkInputs::read(objects);
  if (!inputs) return Failure{cat("link: ", inputs.why())};
  return Linker(*std::move(inputs)).run();
}

}  // namespace vitro::jit
