#include "base/build_id.h"

#include <elf.h>
#include <link.h>

#include <cstring>
#include <string_view>

namespace vitro {
namespace {

struct Search {
  uintptr_t address;  // in the object that is looked for
  std::string id;
};

size_t aligned(size_t size) {
  return (size + 3) & ~size_t{3};
}

void read_notes(const char* at, size_t size, std::string& id) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof note);
    const size_t begin = sizeof note + aligned(note.n_namesz);
    const size_t end = begin + aligned(note.n_descsz);
    if (end > size) return;
    const std::string_view name(at + sizeof note, note.n_namesz);
    if (note.n_type == NT_GNU_BUILD_ID && name == std::string_view("GNU", 4)) {
      for (size_t i = 0; i < note.n_descsz; ++i) {
        const auto byte = static_cast<unsigned char>(at[begin + i]);
        id += "0123456789abcdef"[byte >> 4];
        id += "0123456789abcdef"[byte & 15];
      }
      return;
    }
    at += end, size -= end;
  }
}

int visit(dl_phdr_info* object, size_t, void* context) {
  auto& search = *static_cast<Search*>(context);
  const auto first = object->dlpi_phdr, last = first + object->dlpi_phnum;
  bool is_it = false;
  for (auto at = first; at != last; ++at) {
    const uintptr_t begin = object->dlpi_addr + at->p_vaddr;
    is_it = is_it || (at->p_type == PT_LOAD && search.address >= begin &&
                      search.address - begin < at->p_memsz);
  }
  if (!is_it) return 0;
  for (auto at = first; at != last; ++at) {
    if (at->p_type != PT_NOTE || !search.id.empty()) continue;
    read_notes(reinterpret_cast<const char*>(object->dlpi_addr + at->p_vaddr), at->p_memsz,
               search.id);
  }
  return 1;
}

}  // namespace

std::string build_id() {
  Search search{reinterpret_cast<uintptr_t>(&visit), {}};
  dl_iterate_phdr(visit, &search);
  return search.id;
}

}  // namespace vitro
