#include "profiler/dwarf.h"

#include <dlfcn.h>

namespace vitro::dwarf {

const Functions* functions() {
  static const Functions* const loaded = []() -> const Functions* {
    void* const library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return nullptr;
    static Functions all;
    bool whole = true;
#define VITRO_LOAD(name)                                                 \
  all.name = reinterpret_cast<decltype(&::name)>(dlsym(library, #name)); \
  whole = whole && all.name;
    VITRO_DWARF_FUNCTIONS(VITRO_LOAD)
#undef VITRO_LOAD
    return whole ? &all : nullptr;
  }();
  return loaded;
}

}  // namespace vitro::dwarf
