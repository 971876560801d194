// The program's side of ITT: lists the functions it would like to call, which the collector's
// library fills in.
#include <dlfcn.h>
#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <unordered_map>

#include "profiler/marker.h"

namespace vitro::detail {
namespace {

// ---- structures whose layout collectors rely on (version 3.26)

struct Domain {
  volatile int enabled;
  const char* name;
  void* reserved[4];
};
struct Text {
  const char* text;
  void* reserved[4];
};
struct Id {
  unsigned long long words[3];
};

struct Wish {
  const char* name;
  void** function;
  void* first;
  void* without;  // used if the collector lacks the function
  int group;
};

struct Global {
  unsigned char magic[8] = {0xED, 0xAB, 0xAB, 0xEC, 0x0D, 0xEE, 0xDA, 0x30};
  unsigned long major = 3, minor = 26, build = 20250807;
  volatile long initialized = 0, mutex_initialized = 1, counter = 0;
  pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  void* library = nullptr;
  void* error_handler = nullptr;
  const char** library_path = nullptr;
  Wish* wishes = nullptr;
  Global* next = nullptr;
  void* threads = nullptr;
  void* domains = nullptr;
  void* texts = nullptr;
  int state = 0;
  void* counters = nullptr;
  unsigned collects_events = 0;
  void* histograms = nullptr;
  void* counter_metadata = nullptr;
};

constexpr int group_all = -1, group_structure = 1 << 12;
constexpr int library_is_loaded = 4, scope_thread = 3;

// ----

struct Functions {
  Domain* (*domain_create)(const char*) = nullptr;
  Text* (*string_handle_create)(const char*) = nullptr;
  void (*task_begin)(const Domain*, Id, Id, Text*) = nullptr;
  void (*task_end)(const Domain*) = nullptr;
  void (*marker)(const Domain*, Id, Text*, int) = nullptr;
};

template <class F>
Wish wish(const char* name, F*& function) {
  return {name, reinterpret_cast<void**>(&function), nullptr, nullptr, group_structure};
}

// Lets the library fill in the functions, through its entry point or by name.
void connect(void* library, Functions& functions) {
  static Global& global = *std::make_unique<Global>().release();  // the library may keep it
  static Wish wishes[] = {wish("__itt_domain_create", functions.domain_create),
                          wish("__itt_string_handle_create", functions.string_handle_create),
                          wish("__itt_task_begin", functions.task_begin),
                          wish("__itt_task_end", functions.task_end),
                          wish("__itt_marker", functions.marker),
                          {}};
  global.library = library;
  global.wishes = wishes;
  global.state = library_is_loaded;
  using Init = void(Global*, int);
  if (auto* init = reinterpret_cast<Init*>(dlsym(library, "__itt_api_init"))) {
    init(&global, group_all);
  } else {
    for (Wish* w = wishes; w->name; ++w) *w->function = dlsym(library, w->name);
  }
  global.initialized = 1;
}

class Itt final : public Marker {
 public:
  Itt() {
    const char* path = std::getenv("INTEL_LIBITTNOTIFY64");
    if (!path || !*path) return;
    if (void* library = dlopen(path, RTLD_LAZY | RTLD_LOCAL)) {
      connect(library, call_);
    } else {
      std::fprintf(stderr, "vitro: INTEL_LIBITTNOTIFY64: %s\n", dlerror());
    }
    const bool whole =
        call_.domain_create && call_.string_handle_create && call_.task_begin && call_.task_end;
    if (whole) domain_ = call_.domain_create("Vitro");
  }

  bool is_available() const override { return domain_ != nullptr; }

  void push(const char* name) override {
    if (is_enabled()) call_.task_begin(domain_, {}, {}, text(name));
  }
  void pop() override {
    if (is_enabled()) call_.task_end(domain_);
  }
  void mark(const char* name) override {
    if (!is_enabled()) return;
    if (call_.marker) {
      call_.marker(domain_, {}, text(name), scope_thread);
    } else {
      push(name);
      pop();
    }
  }

 private:
  bool is_enabled() const { return domain_ && domain_->enabled; }

  // The collector's handle for a name; each thread caches those it used.
  Text* text(const char* name) {
    constexpr size_t many = 1 << 16;
    static thread_local std::unordered_map<std::string, Text*> known;
    const auto found = known.find(name);
    if (found != known.end()) return found->second;
    if (known.size() == many) known.clear();
    return known[name] = call_.string_handle_create(name);
  }

  Functions call_;
  Domain* domain_ = nullptr;
};

}  // namespace

Marker& itt_marker() {
  static Marker& one = *std::make_unique<Itt>().release();
  return one;
}

}  // namespace vitro::detail
