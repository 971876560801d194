// Resolves return addresses with libdw, or with the dynamic linker's symbols without it; stacks.h
// is its interface.
#include "vitro/profiler/stacks.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <dwarf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <unordered_map>
#include <utility>

#include "profiler/dwarf.h"
#include "vitro/base/cat.h"

namespace vitro {
namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
template <class T>
using Malloced = std::unique_ptr<T, Free>;

std::string demangled(const char* name) {
  int status = 0;
  const Malloced<char> text(abi::__cxa_demangle(name, nullptr, nullptr, &status));
  return status == 0 ? text.get() : name;
}

// Functions of Vitro's namespace and of the C++ library, including lambdas in them.
bool is_of_library(std::string_view mangled) {
  for (const std::string_view start : {"_ZN5vitro", "_ZNK5vitro", "_ZZN5vitro", "_ZZNK5vitro",
                                       "_ZNZN5vitro", "_ZNKZN5vitro", "_ZNSt", "_ZNKSt", "_ZSt"}) {
    if (mangled.starts_with(start)) return true;
  }
  return false;
}

// Lines of Vitro's and the C++ library's headers: inlined code may lack a mangled name.
bool is_header_of_library(std::string_view file) {
  return file.find("/include/vitro/") != std::string_view::npos ||
         file.find("/include/c++/") != std::string_view::npos;
}

Frame frame_named(const char* name, std::string file = {}, int line = 0) {
  Frame frame;
  frame.function = demangled(name);
  frame.library = is_of_library(name) || is_header_of_library(file);
  frame.file = std::move(file);
  frame.line = line;
  return frame;
}

std::vector<Frame> unknown(uint64_t address) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  Frame frame;
  frame.function = text;
  return {frame};
}

// Names known to the dynamic linker, used without libdw.
std::vector<Frame> from_linker(uint64_t address) {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(address - 1), &info) == 0 || !info.dli_sname)
    return unknown(address);
  return {frame_named(info.dli_sname)};
}

// Reads the modules currently loaded in this process.
class Process {
 public:
  explicit Process(const dwarf::Functions& f) : f_(f) {
    static char* debuginfo_path = nullptr;
    static const Dwfl_Callbacks callbacks{.find_elf = f.dwfl_linux_proc_find_elf,
                                          .find_debuginfo = f.dwfl_standard_find_debuginfo,
                                          .section_address = nullptr,
                                          .debuginfo_path = &debuginfo_path};
    dwfl_ = f.dwfl_begin(&callbacks);
    if (dwfl_ && f.dwfl_linux_proc_report(dwfl_, getpid()) == 0)
      f.dwfl_report_end(dwfl_, nullptr, nullptr);
  }
  ~Process() {
    if (dwfl_) f_.dwfl_end(dwfl_);
  }
  Process(const Process&) = delete;

  std::vector<Frame> frames(uint64_t address) const {
    const uint64_t call = address - 1;  // the return address is after the call
    Dwfl_Module* const module = dwfl_ ? f_.dwfl_addrmodule(dwfl_, call) : nullptr;
    if (!module) return unknown(address);
    std::string file;
    int line = 0;
    if (Dwfl_Line* const at = f_.dwfl_module_getsrc(module, call)) {
      const char* const name = f_.dwfl_lineinfo(at, nullptr, &line, nullptr, nullptr, nullptr);
      if (name) file = name;
    }
    std::vector<Frame> found = functions(module, call, file, line);
    if (!found.empty()) return found;
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char* const name =
        f_.dwfl_module_addrinfo(module, call, &offset, &symbol, nullptr, nullptr, nullptr);
    if (!name) return unknown(address);
    found.push_back(frame_named(name, std::move(file), line));
    return found;
  }

 private:
  // The functions inlined at an address, the innermost first, then the function around it.
  std::vector<Frame> functions(Dwfl_Module* module, uint64_t call, std::string file,
                               int line) const {
    std::vector<Frame> found;
    Dwarf_Addr bias = 0;
    Dwarf_Die* const unit = f_.dwfl_module_addrdie(module, call, &bias);
    Dwarf_Die *lexical = nullptr, *scopes = nullptr;
    if (!unit || f_.dwarf_getscopes(unit, call - bias, &lexical) <= 0) return found;
    const Malloced<Dwarf_Die> lexical_owner(lexical);
    const int count = f_.dwarf_getscopes_die(lexical, &scopes);
    const Malloced<Dwarf_Die> owner(scopes);
    for (int i = 0; i < count; ++i) {
      const int tag = f_.dwarf_tag(&scopes[i]);
      if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) continue;
      const char* const name = name_of(&scopes[i]);
      if (!name) return {};
      found.push_back(frame_named(name, file, line));
      if (tag == DW_TAG_subprogram) break;
      place_of_call(unit, &scopes[i], &file, &line);
    }
    return found;
  }

  const char* name_of(Dwarf_Die* function) const {
    Dwarf_Attribute attribute;
    for (const unsigned which : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
      if (f_.dwarf_attr_integrate(function, which, &attribute))
        return f_.dwarf_formstring(&attribute);
    }
    return f_.dwarf_diename(function);
  }

  void place_of_call(Dwarf_Die* unit, Dwarf_Die* inlined, std::string* file, int* line) const {
    Dwarf_Attribute attribute;
    Dwarf_Word number = 0;
    Dwarf_Files* files = nullptr;
    size_t count = 0;
    if (f_.dwarf_formudata(f_.dwarf_attr(inlined, DW_AT_call_line, &attribute), &number) == 0)
      *line = static_cast<int>(number);
    if (f_.dwarf_formudata(f_.dwarf_attr(inlined, DW_AT_call_file, &attribute), &number) != 0)
      return;
    if (f_.dwarf_getsrcfiles(unit, &files, &count) != 0 || number >= count) return;
    const char* const name = f_.dwarf_filesrc(files, number, nullptr, nullptr);
    if (name) *file = name;
  }

  const dwarf::Functions& f_;
  Dwfl* dwfl_ = nullptr;
};

}  // namespace

struct Symbols::State {
  std::unordered_map<uint64_t, std::vector<Frame>> known;
  std::unique_ptr<Process> process;
};

Symbols::Symbols() : state_(std::make_unique<State>()) {}
Symbols::~Symbols() = default;

std::string text_of(const Frame& frame) {
  if (frame.file.empty()) return frame.function;
  return cat(frame.file, "(", frame.line, "): ", frame.function);
}

const std::vector<Frame>& Symbols::at(uint64_t address) {
  const auto [found, fresh] = state_->known.try_emplace(address);
  if (!fresh) return found->second;
  const dwarf::Functions* const f = dwarf::functions();
  if (f && !state_->process) state_->process = std::make_unique<Process>(*f);
  return found->second = f ? state_->process->frames(address) : from_linker(address);
}

std::vector<Frame> Symbols::of(const Stack& stack) {
  std::vector<Frame> frames;
  for (const uint64_t address : stack) {
    const std::vector<Frame>& here = at(address);
    frames.insert(frames.end(), here.begin(), here.end());
    if (frames.back().function == "main") break;  // the rest is start-up code
  }
  const auto first =
      std::ranges::find_if(frames, [](const Frame& frame) { return !frame.library; });
  if (first != frames.end()) frames.erase(frames.begin(), first);
  return frames;
}

}  // namespace vitro
