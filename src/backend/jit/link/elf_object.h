// The sections and symbols of a 64-bit ELF file, which may be malformed.
//   auto object = ElfObject::read(bytes);          // a Result; does not copy the bytes
//   if (const Elf64_Shdr* lines = object->find(".debug_line")) ... object->bytes_of(*lines) ...
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "vitro/base/result.h"

namespace vitro::jit {

class ElfObject {
 public:
  // Fails if a section is not inside the file.
  static Result<ElfObject> read(std::string_view bytes);

  const Elf64_Ehdr& head() const { return head_; }
  std::span<const Elf64_Shdr> sections() const { return sections_; }
  const Elf64_Shdr* section(uint64_t number) const {
    return number < sections_.size() ? &sections_[number] : nullptr;
  }
  std::string_view name(const Elf64_Shdr& section) const;
  const Elf64_Shdr* find(std::string_view name) const;

  std::string_view bytes_of(const Elf64_Shdr& section) const;  // empty for .bss
  // A section as a list of T; ignores an incomplete last element.
  template <class T>
  std::vector<T> list_of(const Elf64_Shdr& section) const {
    const std::string_view bytes = bytes_of(section);
    std::vector<T> list(bytes.size() / sizeof(T));
    if (!list.empty()) std::memcpy(list.data(), bytes.data(), list.size() * sizeof(T));
    return list;
  }
  // The string at an offset in a string table, without its zero; empty if out of range.
  std::string_view text(const Elf64_Shdr& section, uint64_t at) const;

 private:
  Elf64_Ehdr head_ = {};
  std::string_view bytes_;
  std::vector<Elf64_Shdr> sections_;
};

}  // namespace vitro::jit
