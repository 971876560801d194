#include "backend/jit/link/elf_object.h"

#include "vitro/base/cat.h"

namespace vitro::jit {
namespace {

bool lies_in(uint64_t offset, uint64_t size, uint64_t all) {
  return offset <= all && size <= all - offset;
}

}  // namespace

Result<ElfObject> ElfObject::read(std::string_view bytes) {
  ElfObject object;
  Elf64_Ehdr& head = object.head_;
  object.bytes_ = bytes;
  if (bytes.size() < sizeof head) return Failure{"not a complete 64-bit ELF file"};
  std::memcpy(&head, bytes.data(), sizeof head);
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
      head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_shentsize != sizeof(Elf64_Shdr) ||
      !lies_in(head.e_shoff, uint64_t{head.e_shnum} * sizeof(Elf64_Shdr), bytes.size())) {
    return Failure{"not a complete 64-bit ELF file"};
  }
  object.sections_.resize(head.e_shnum);
  if (head.e_shnum != 0) {
    std::memcpy(object.sections_.data(), bytes.data() + head.e_shoff,
                head.e_shnum * sizeof(Elf64_Shdr));
  }
  for (size_t i = 0; i < object.sections_.size(); ++i) {
    const Elf64_Shdr& section = object.sections_[i];
    if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL &&
        !lies_in(section.sh_offset, section.sh_size, bytes.size()))
      return Failure{cat("not a complete ELF file: section ", i, " is out of range")};
  }
  return object;
}

std::string_view ElfObject::name(const Elf64_Shdr& section) const {
  const Elf64_Shdr* names = this->section(head_.e_shstrndx);
  return names ? text(*names, section.sh_name) : std::string_view();
}

const Elf64_Shdr* ElfObject::find(std::string_view name) const {
  for (const Elf64_Shdr& section : sections_) {
    if (this->name(section) == name) return &section;
  }
  return nullptr;
}

std::string_view ElfObject::bytes_of(const Elf64_Shdr& section) const {
  if (section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL) return {};
  return bytes_.substr(section.sh_offset, section.sh_size);
}

std::string_view ElfObject::text(const Elf64_Shdr& section, uint64_t at) const {
  const std::string_view all = bytes_of(section);
  if (at >= all.size()) return {};
  return all.substr(at, all.find('\0', at) - at);
}

}  // namespace vitro::jit
