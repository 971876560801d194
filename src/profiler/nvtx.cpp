// The program's side of NVTX 3: tables of function pointers, which the tool's library fills in when
// it is initialised.
#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "profiler/marker.h"

namespace vitro::detail {
namespace {

// ---- structures whose layout tools rely on

using Function = void (*)();

enum Module : int { core = 1, cuda = 2, opencl = 3, cuda_runtime = 4, core2 = 5, sync = 6 };
enum Core : size_t { mark_text = 2, range_push_text = 9, range_pop = 11, core_size = 16 };
constexpr std::array<unsigned, 7> module_sizes{0, core_size, 9, 15, 7, 16, 7};
constexpr unsigned most_functions = 16;

struct Callbacks {
  size_t size;
  int (*module_table)(int module, Function*** table, unsigned* count);
};
struct Version {
  size_t size;
  uint32_t version, reserved;
  void (*set_tool_version)(uint32_t);
};
enum Table : uint32_t { callbacks = 1, version = 3 };

// ----

// Storage for the tool's functions, and the tables that point to it.
struct Slots {
  std::array<std::array<Function, most_functions>, module_sizes.size()> functions{};
  std::array<std::array<Function*, most_functions + 1>, module_sizes.size()> tables{};

  Slots() {
    for (size_t module = 1; module < tables.size(); ++module) {
      for (size_t i = 1; i < module_sizes[module]; ++i) tables[module][i] = &functions[module][i];
    }
  }
};

Slots& slots() {
  static Slots& all = *std::make_unique<Slots>().release();
  return all;
}

int module_table(int module, Function*** table, unsigned* count) {
  if (module < core || module > sync) return 0;
  const auto number = static_cast<size_t>(module);
  if (count) *count = module_sizes[number];
  if (table) *table = slots().tables[number].data();
  return 1;
}

const void* export_table(uint32_t which) {
  static constexpr Callbacks all_callbacks{sizeof(Callbacks), module_table};
  static constexpr Version our_version{sizeof(Version), 3, 0, [](uint32_t) {}};
  if (which == callbacks) return &all_callbacks;
  if (which == version) return &our_version;
  return nullptr;
}

bool connect() {
  const char* path = std::getenv("NVTX_INJECTION64_PATH");
  if (!path || !*path) return false;
  void* library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "vitro: NVTX_INJECTION64_PATH: %s\n", dlerror());
    return false;
  }
  using Initialize = int(const void* (*)(uint32_t));
  auto* initialize = reinterpret_cast<Initialize*>(dlsym(library, "InitializeInjectionNvtx2"));
  if (!initialize) {
    std::fprintf(stderr,
                 "vitro: NVTX_INJECTION64_PATH: %s does not export InitializeInjectionNvtx2\n",
                 path);
    return false;
  }
  return initialize(export_table) != 0;
}

class Nvtx final : public Marker {
 public:
  Nvtx() : available_(connect()) {
    if (!available_) return;
    const auto& functions = slots().functions[core];
    push_ = reinterpret_cast<int (*)(const char*)>(functions[range_push_text]);
    pop_ = reinterpret_cast<int (*)()>(functions[range_pop]);
    mark_ = reinterpret_cast<void (*)(const char*)>(functions[mark_text]);
  }

  bool is_available() const override { return available_; }
  void push(const char* name) override {
    if (push_ && pop_) push_(name);
  }
  void pop() override {
    if (push_ && pop_) pop_();
  }
  void mark(const char* name) override {
    if (mark_) mark_(name);
  }

 private:
  bool available_;
  int (*push_)(const char*) = nullptr;
  int (*pop_)() = nullptr;
  void (*mark_)(const char*) = nullptr;
};

}  // namespace

Marker& nvtx_marker() {
  static Marker& one = *std::make_unique<Nvtx>().release();
  return one;
}

}  // namespace vitro::detail
