// Debug information from elfutils' libdw, loaded only when stacks are read.
#pragma once

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

namespace vitro::dwarf {

#define VITRO_DWARF_FUNCTIONS(f)                                                               \
  f(dwfl_begin) f(dwfl_end) f(dwfl_linux_proc_report) f(dwfl_report_end) f(dwfl_addrmodule)    \
      f(dwfl_module_addrinfo) f(dwfl_module_addrdie) f(dwfl_module_getsrc) f(dwfl_lineinfo)    \
          f(dwfl_module_info) f(dwfl_linux_proc_find_elf) f(dwfl_standard_find_debuginfo)      \
              f(dwarf_getscopes) f(dwarf_getscopes_die) f(dwarf_tag) f(dwarf_diename)          \
                  f(dwarf_attr_integrate) f(dwarf_attr) f(dwarf_formudata) f(dwarf_formstring) \
                      f(dwarf_getsrcfiles) f(dwarf_filesrc)

struct Functions {
#define VITRO_DECLARE(name) decltype(&::name) name = nullptr;
  VITRO_DWARF_FUNCTIONS(VITRO_DECLARE)
#undef VITRO_DECLARE
};

// Null if the library is not installed.
const Functions* functions();

}  // namespace vitro::dwarf
