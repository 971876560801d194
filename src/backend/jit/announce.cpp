// Announces kernels to VTune: reads functions and lines of a loaded object (code_map.h) and passes
// them to the agent that INTEL_JIT_PROFILER64 names.
#include "backend/jit/announce.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "backend/jit/code_map.h"
#include "vitro/base/cat.h"

namespace vitro::jit {
namespace {

// These structs match the memory layout of iJIT_Method_Load and its line numbers.
struct LineNumber {
  unsigned offset, line;  // the line of the code before `offset`
};
struct MethodLoad {
  unsigned id;
  const char* name;
  void* address;
  unsigned size;
  unsigned line_count;
  LineNumber* lines;
  const char* class_file;
  const char* source_file;
  const char* module;
};
constexpr unsigned method_load_finished = 21;

struct Agent {
  unsigned (*notify)(unsigned event, void* data) = nullptr;
};

Agent load_agent() {
  const char* path = std::getenv("INTEL_JIT_PROFILER64");
  if (!path || !*path) return {};
  void* library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "vitro: INTEL_JIT_PROFILER64: %s\n", dlerror());
    return {};
  }
  auto* initialize = reinterpret_cast<unsigned (*)()>(dlsym(library, "Initialize"));
  auto* notify = reinterpret_cast<unsigned (*)(unsigned, void*)>(dlsym(library, "NotifyEvent"));
  if (!initialize || !notify) {
    std::fprintf(stderr, "vitro: INTEL_JIT_PROFILER64: %s has no Initialize and NotifyEvent\n",
                 path);
    return {};
  }
  constexpr unsigned sampling = 1;
  return initialize() & sampling ? Agent{notify} : Agent{};
}

const Agent& agent() {
  static const Agent found = load_agent();
  return found;
}

// Other users of the interface in this process count from 1; start high to avoid their ids.
unsigned new_id() {
  static std::atomic<unsigned> next{0x56000000};
  return next++;
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "" : path.substr(0, slash + 1);
}

void announce(const CodeFunction& function, uintptr_t base, const std::string& shown) {
  std::vector<LineNumber> lines;
  for (const CodeLine& line : function.lines) lines.push_back({line.end, line.line});
  const bool is_absolute = function.file.empty() || function.file.front() == '/';
  const std::string file = is_absolute ? function.file : folder_of(shown) + function.file;
  const std::string module = shown.empty() ? "vitro kernels" : shown;
  MethodLoad method{new_id(),
                    function.name.c_str(),
                    reinterpret_cast<void*>(base + function.address),
                    static_cast<unsigned>(function.size),
                    static_cast<unsigned>(lines.size()),
                    lines.data(),
                    nullptr,
                    file.empty() ? nullptr : file.c_str(),
                    module.c_str()};
  agent().notify(method_load_finished, &method);
}

}  // namespace

bool is_jit_profiler_there() {
  return agent().notify != nullptr;
}

void announce_kernels(uintptr_t base, const std::string& file, const std::string& shown) {
  if (base == 0) return;
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const auto functions = functions_of(bytes);
  if (!functions) return;
  for (const CodeFunction& function : *functions) announce(function, base, shown);
}

}  // namespace vitro::jit
