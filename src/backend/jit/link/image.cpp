// Layout of a shared object and its ELF headers; used by link.cpp: sections first, then place(),
// then bytes().
#include "backend/jit/link/image.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/sort_list.h"

namespace vitro::jit {
namespace {

constexpr Segment loaded[] = {Segment::read_only, Segment::code, Segment::relocated,
                              Segment::writable};

uint32_t rights_of(Segment segment) {
  return PF_R | (segment == Segment::code ? PF_X : segment == Segment::read_only ? 0 : PF_W);
}

uint64_t flags_of(Segment segment) {
  if (segment == Segment::not_loaded) return 0;
  const uint32_t rights = rights_of(segment);
  return SHF_ALLOC | (rights & PF_X ? SHF_EXECINSTR : 0) | (rights & PF_W ? SHF_WRITE : 0);
}

uint64_t size_of_part(const LinkSection& part) {
  return part.head.sh_type == SHT_NOBITS ? part.head.sh_size : part.bytes.size();
}

template <class T>
void append(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

OutputSection& LinkImage::section(std::string_view name, Segment segment, uint32_t type,
                                  uint64_t entry_bytes) {
  if (OutputSection* known = find(name)) return *known;
  OutputSection& section = sections_.emplace_back();
  section.name = name;
  section.segment = segment;
  section.head.sh_type = type;
  section.head.sh_flags = flags_of(segment);
  section.head.sh_addralign = entry_bytes == 0 ? 1 : 8;
  section.head.sh_entsize = entry_bytes;
  return section;
}

void LinkImage::add_part(OutputSection& section, LinkSection& part) {
  uint64_t& align = section.head.sh_addralign;
  align = std::max(align, part.head.sh_addralign);
  section.parts.push_back(&part);
  part.output = &section;
}

OutputSection* LinkImage::find(std::string_view name) {
  const auto found = std::ranges::find(sections_, name, &OutputSection::name);
  return found == sections_.end() ? nullptr : &*found;
}

void LinkImage::name_sections() {
  OutputSection& names = section(".shstrtab", Segment::not_loaded, SHT_STRTAB);
  names.own += '\0';
  for (OutputSection& section : sections_) {
    section.head.sh_name = static_cast<uint32_t>(names.own.size());
    names.own.append(section.name.c_str(), section.name.size() + 1);
  }
}

bool LinkImage::has(Segment segment) const {
  return std::ranges::find(ordered_, segment, &OutputSection::segment) != ordered_.end();
}

// Sorts by segment, and within it .bss last.
void LinkImage::order() {
  for (OutputSection& section : sections_) ordered_.push_back(&section);
  sort_list(ordered_, {}, [](const OutputSection* s) {
    return std::pair(s->segment, s->head.sh_type == SHT_NOBITS);
  });
  for (size_t i = 0; i < ordered_.size(); ++i) ordered_[i]->number = static_cast<uint16_t>(i + 1);
}

void LinkImage::place() {
  order();
  uint64_t offset = sizeof(Elf64_Ehdr) + program_headers().size() * sizeof(Elf64_Phdr);
  uint64_t address = offset;
  Segment before = Segment::read_only;
  for (OutputSection* section : ordered_) {
    Elf64_Shdr& head = section->head;
    const bool is_loaded = section->segment != Segment::not_loaded;
    // Each segment begins on a new page in memory, but directly after the last one in the file.
    if (is_loaded && section->segment != std::exchange(before, section->segment))
      address = round_up(address, page_) + offset % page_;
    const uint64_t at = is_loaded ? address : offset;
    const uint64_t gap = round_up(at, head.sh_addralign) - at;
    head.sh_offset = offset += gap;
    head.sh_addr = is_loaded ? address += gap : 0;
    place_parts(*section);
    address += head.sh_size;
    offset += head.sh_type == SHT_NOBITS ? 0 : head.sh_size;
  }
  table_offset_ = round_up(offset, 8);
}

void LinkImage::place_parts(OutputSection& section) {
  uint64_t at = section.own.size();
  for (LinkSection* part : section.parts) {
    at = round_up(at, std::max<uint64_t>(part->head.sh_addralign, 1));
    part->address = section.head.sh_addr + at;
    part->offset = section.head.sh_offset + at;
    at += size_of_part(*part);
  }
  section.head.sh_size = at;
}

// Spans the first to the last of the segment's sections; the first segment includes the headers.
Elf64_Phdr LinkImage::header_of(Segment segment) const {
  Elf64_Phdr head = {};
  head.p_type = PT_LOAD;
  head.p_flags = rights_of(segment);
  head.p_align = page_;
  bool is_first = true;
  for (const OutputSection* section : ordered_) {
    if (section->segment != segment) continue;
    const Elf64_Shdr& s = section->head;
    if (std::exchange(is_first, false)) {
      head.p_offset = s.sh_offset;
      head.p_vaddr = head.p_paddr = s.sh_addr;
    }
    head.p_memsz = s.sh_addr + s.sh_size - head.p_vaddr;
    if (s.sh_type != SHT_NOBITS) head.p_filesz = head.p_memsz;
  }
  if (segment == Segment::read_only) {
    head.p_filesz = head.p_memsz += head.p_vaddr;
    head.p_offset = head.p_vaddr = head.p_paddr = 0;
  }
  if (segment == Segment::relocated)
    head.p_memsz = round_up(head.p_vaddr + head.p_memsz, page_) - head.p_vaddr;
  return head;
}

std::vector<Elf64_Phdr> LinkImage::program_headers() const {
  std::vector<Elf64_Phdr> heads;
  for (const Segment segment : loaded) {
    if (has(segment)) heads.push_back(header_of(segment));
  }
  const auto add_section = [&](uint32_t type, std::string_view name) {
    const auto found = std::ranges::find(ordered_, name, &OutputSection::name);
    if (found == ordered_.end()) return;
    const Elf64_Shdr& s = (*found)->head;
    heads.push_back({type, rights_of((*found)->segment), s.sh_offset, s.sh_addr, s.sh_addr,
                     s.sh_size, s.sh_size, s.sh_addralign});
  };
  add_section(PT_DYNAMIC, ".dynamic");
  add_section(PT_GNU_EH_FRAME, ".eh_frame_hdr");
  if (has(Segment::relocated)) {
    heads.push_back(header_of(Segment::relocated));
    heads.back().p_type = PT_GNU_RELRO;
    heads.back().p_flags = PF_R;
    heads.back().p_align = 1;
  }
  heads.push_back({PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 0, 0, 0});
  return heads;
}

void LinkImage::write_headers(std::string& out) const {
  const std::vector<Elf64_Phdr> segments = program_headers();
  Elf64_Ehdr head = {};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_ident[EI_VERSION] = EV_CURRENT;
  head.e_type = ET_DYN;
  head.e_machine = machine_;
  head.e_version = EV_CURRENT;
  head.e_phoff = sizeof head;
  head.e_shoff = table_offset_;
  head.e_ehsize = sizeof head;
  head.e_phentsize = sizeof(Elf64_Phdr);
  head.e_phnum = static_cast<uint16_t>(segments.size());
  head.e_shentsize = sizeof(Elf64_Shdr);
  head.e_shnum = static_cast<uint16_t>(ordered_.size() + 1);
  head.e_shstrndx = static_cast<uint16_t>(head.e_shnum - 1);  // added last
  std::memcpy(out.data(), &head, sizeof head);
  std::memcpy(out.data() + sizeof head, segments.data(), segments.size() * sizeof(Elf64_Phdr));
}

std::string LinkImage::bytes() const {
  std::string out(table_offset_, '\0');
  write_headers(out);
  for (const OutputSection& section : sections_) {
    std::memcpy(out.data() + section.head.sh_offset, section.own.data(), section.own.size());
    for (const LinkSection* part : section.parts) {
      if (!part->bytes.empty())
        std::memcpy(out.data() + part->offset, part->bytes.data(), part->bytes.size());
    }
  }
  append(out, Elf64_Shdr{});
  for (const OutputSection* section : ordered_) append(out, section->head);
  return out;
}

}  // namespace vitro::jit
