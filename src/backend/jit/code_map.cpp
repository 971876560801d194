// Reads the functions of an ELF object from .symtab and their lines from .debug_line; used to
// announce kernels to profilers.
#include "backend/jit/code_map.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "backend/jit/line_table.h"

namespace vitro::jit {
namespace {

class Object {
 public:
  explicit Object(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  std::optional<T> at(uint64_t offset) const {
    T value;
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof value) return std::nullopt;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  bool read() {
    const auto head = at<Elf64_Ehdr>(0);
    if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64)
      return false;
    for (size_t i = 0; i < head->e_shnum; ++i) {
      const auto section = at<Elf64_Shdr>(head->e_shoff + i * sizeof(Elf64_Shdr));
      if (!section) return false;
      sections_.push_back(*section);
    }
    names_ = head->e_shstrndx;
    return true;
  }

  const Elf64_Shdr* section(std::string_view name) const {
    for (const Elf64_Shdr& section : sections_) {
      if (names_ < sections_.size() && text(sections_[names_], section.sh_name) == name)
        return &section;
    }
    return nullptr;
  }

  const Elf64_Shdr* section(uint32_t number) const {
    return number < sections_.size() ? &sections_[number] : nullptr;
  }

  std::string_view bytes_of(const Elf64_Shdr& section) const {
    if (section.sh_offset > bytes_.size()) return {};
    return bytes_.substr(section.sh_offset, section.sh_size);
  }

  // The string at an offset in a string table.
  std::string_view text(const Elf64_Shdr& section, uint64_t at) const {
    const std::string_view all = bytes_of(section);
    if (at >= all.size()) return {};
    return all.substr(at, all.find('\0', at) - at);
  }

 private:
  std::string_view bytes_;
  std::vector<Elf64_Shdr> sections_;
  uint32_t names_ = 0;
};

std::vector<CodeFunction> symbols_of(const Object& object) {
  std::vector<CodeFunction> functions;
  const Elf64_Shdr* table = object.section(".symtab");
  if (!table) return functions;
  const Elf64_Shdr* names = object.section(table->sh_link);
  const size_t count = object.bytes_of(*table).size() / sizeof(Elf64_Sym);
  for (size_t i = 0; names && i < count; ++i) {
    const auto symbol = object.at<Elf64_Sym>(table->sh_offset + i * sizeof(Elf64_Sym));
    if (!symbol || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_size == 0) continue;
    functions.push_back({std::string(object.text(*names, symbol->st_name)),
                         symbol->st_value,
                         symbol->st_size,
                         "",
                         {}});
  }
  std::ranges::sort(functions, {}, &CodeFunction::address);
  return functions;
}

// Adds the range from one row to the next, clipped to `function`.
void add_stretch(CodeFunction& function, const LineTable& table, const LineRow& row, uint64_t end) {
  constexpr uint32_t own_text = 0;
  if (row.file == own_text && row.line != 0) {
    function.file = table.files[own_text];
    function.lines.push_back({0, row.line});
  }
  if (function.lines.empty()) return;
  const uint64_t to = std::min(end - function.address, function.size);
  function.lines.back().end = static_cast<uint32_t>(to);
}

void add_lines(std::vector<CodeFunction>& functions, const LineTable& table) {
  for (size_t i = 0; i + 1 < table.rows.size(); ++i) {
    const LineRow& row = table.rows[i];
    const uint64_t end = table.rows[i + 1].address;
    if (row.ends || end <= row.address) continue;
    auto after = std::ranges::upper_bound(functions, row.address, {}, &CodeFunction::address);
    if (after == functions.begin()) continue;
    CodeFunction& function = *--after;
    if (row.address - function.address < function.size) add_stretch(function, table, row, end);
  }
}

}  // namespace

Result<std::vector<CodeFunction>> functions_of(std::string_view bytes) {
  Object object(bytes);
  if (!object.read()) return Failure{"shared object: not a complete 64-bit ELF file"};
  std::vector<CodeFunction> functions = symbols_of(object);
  const Elf64_Shdr* section = object.section(".debug_line");
  if (!section) return functions;
  const auto tables = read_line_tables(object.bytes_of(*section));
  if (!tables) return tables.failure();
  for (const LineTable& table : *tables) {
    if (!table.files.empty()) add_lines(functions, table);
  }
  return functions;
}

}  // namespace vitro::jit
