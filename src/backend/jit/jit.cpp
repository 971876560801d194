#include "backend/jit/jit.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <future>
#include <mutex>
#include <unordered_map>

#include "backend/jit/announce.h"
#include "backend/jit/cache.h"
#include "backend/jit/compiler.h"
#include "backend/jit/options.h"
#include "backend/jit/target.h"
#include "vitro/base/cat.h"
#include "vitro/base/hash.h"
#include "vitro/events/rare.h"

namespace vitro::jit {
namespace {

using ModulePtr = std::shared_ptr<const KernelModule>;

int64_t now_ns() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

struct Texts {
  std::span<const std::string> sources;
  const Prelude& prelude;
};

std::string key_of(const Texts& texts) {
  Hasher h;
  h.add(compiler_identity());
  h.add(host_target().triple);
  h.add(host_target().features);
  h.add(host_target().vector_bits);
  h.add(texts.prelude.hash);
  for (const std::string& source : texts.sources) h.add(source);
  return h.finish().hex();
}

// Says once per process that the cache is of no use, and keeps the sentence for the report.
void note(JitReport& report, const std::string& why) {
  static std::once_flag once;
  report.note = cat("the cache of kernels cannot be used: ", why,
                    "; set VITRO_CACHE_DIR to a folder of your own");
  std::call_once(once, [&] { std::fprintf(stderr, "vitro: %s\n", report.note.c_str()); });
}

Result<ModulePtr> load_file(const std::string& path, const std::string& shown, JitReport& report) {
  events::PhaseScope phase("load_kernels", report.key);
  int64_t begin = now_ns();
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  report.load_ns = now_ns() - begin;
  if (!handle) return Failure{cat("jit: compiled kernels could not be loaded: ", dlerror())};
  report.path = shown;
  if (is_jit_profiler_there()) announce_kernels(handle, path, shown);
  return ModulePtr(std::make_shared<const KernelModule>(handle, shown));
}

// For a cache that cannot be written.  The descriptor stays open: the loader knows libraries by
// name, and a number that is given again would find the old one.
Result<ModulePtr> load_bytes(std::string_view bytes, JitReport& report) {
  int file = memfd_create("vitro_kernels", MFD_CLOEXEC);
  if (file < 0)
    return Failure{cat("jit: no memory file for compiled kernels: ", std::strerror(errno))};
  for (std::string_view rest = bytes; !rest.empty();) {
    ssize_t n = write(file, rest.data(), rest.size());
    if (n <= 0) {
      close(file);
      return Failure{
          cat("jit: compiled kernels could not be written to memory: ", std::strerror(errno))};
    }
    rest.remove_prefix(size_t(n));
  }
  return load_file(cat("/proc/self/fd/", file), "", report);
}

WireRequest request_for(const Texts& texts) {
  WireRequest request = request_for(host_target());
  request.sources.assign(texts.sources.begin(), texts.sources.end());
  request.prelude = texts.prelude.text;
  if (!request.prelude.empty()) request.precompiled = precompiled_prelude(host_target());
  return request;
}

Result<Compiled> compile(const Texts& texts, const DiskCache& cache, JitReport& report) {
  events::PhaseScope phase("compile_kernels", report.key);
  CrashMarker marker(cache, report.key);
  WireRequest request = request_for(texts);
  request.kept_texts = cache.text_of(report.key);
  request.kept_prelude = cache.prelude_of(texts.prelude.hash);
  Result<Compiled> compiled =
      marker.crashed_before() ? compile_in_helper(request) : compile_in_process(request);
  if (!compiled) {
    report.diagnostics = compiled.why();
    return compiled;
  }
  marker.succeeded();
  report.clang_ns = compiled->clang_ns;
  report.link_ns = compiled->link_ns;
  report.diagnostics = compiled->diagnostics;
  report.in_helper = compiled->in_helper;
  report.from_tree = compiled->from_tree;
  return compiled;
}

Result<ModulePtr> from_disk_or_compiler(const Texts& texts, JitReport& report) {
  std::string why, path;
  DiskCache cache;
  if (!force_disable_caches.get()) {
    cache = DiskCache::open(why);
    if (!cache.ok()) note(report, why);
  }
  if (cache.find(report.key, path)) {
    Result<ModulePtr> loaded = load_file(path, path, report);
    report.from_disk = loaded.ok();
    if (loaded) return loaded;
    unlink(path.c_str());
  }
  Result<Compiled> compiled = compile(texts, cache, report);
  if (!compiled) return compiled.failure();
  if (cache.ok() && cache.store(report.key, compiled->object, path, why)) {
    cache.keep_texts(report.key, texts.sources);
    if (!texts.prelude.text.empty()) cache.keep_prelude(texts.prelude.hash, texts.prelude.text);
    Result<ModulePtr> loaded = load_file(path, path, report);
    if (loaded) return loaded;
    why =
        loaded.why();  // a file system whose files may not be run, or kernels that nothing can load
    unlink(path.c_str());
  }
  Result<ModulePtr> loaded = load_bytes(compiled->object, report);
  if (loaded && cache.ok()) note(report, why);
  return loaded;
}

// The modules that this process has loaded or is loading, by key.
class Modules {
 public:
  // The module, or null when the caller has been chosen to make it and must call finish().
  using Future = std::shared_future<Result<ModulePtr>>;
  Future join(const std::string& key, std::promise<Result<ModulePtr>>& mine, bool& chosen) {
    std::lock_guard hold(lock_);
    auto [at, is_new] = modules_.try_emplace(key);
    if (is_new) at->second = mine.get_future().share();
    chosen = is_new;
    return at->second;
  }
  void forget(const std::string& key) {
    std::lock_guard hold(lock_);
    modules_.erase(key);
  }
  void forget_all() {
    std::lock_guard hold(lock_);
    modules_.clear();
  }

 private:
  std::mutex lock_;
  std::unordered_map<std::string, Future> modules_;
};

Modules& modules() {
  static Modules& all = *new Modules;
  return all;
}

Result<ModulePtr> through_memory(const Texts& texts, JitReport& report) {
  std::promise<Result<ModulePtr>> mine;
  bool chosen = false;
  Modules::Future future = modules().join(report.key, mine, chosen);
  if (!chosen) {
    Result<ModulePtr> found = future.get();
    report.from_memory = found.ok();
    if (found) report.path = (*found)->path();
    return found;
  }
  Result<ModulePtr> made = Failure{"jit: an exception ended the compilation"};
  try {
    made = from_disk_or_compiler(texts, report);
  } catch (const std::exception& e) {
    made = Failure{cat("jit: ", e.what())};
  }
  mine.set_value(made);
  if (!made)
    modules().forget(report.key);  // a missing library may come; those who waited have the reason
  return made;
}

}  // namespace

void* KernelModule::symbol(std::string_view name) const {
  return dlsym(handle_, std::string(name).c_str());
}

Result<ModulePtr> load_or_compile(std::span<const std::string> sources, const Prelude& prelude,
                                  JitReport* report) {
  JitReport unread;
  JitReport& r = report ? *report : unread;
  r = JitReport();
  int64_t begin = now_ns();
  const Texts texts{sources, prelude};
  r.key = key_of(texts);
  Result<ModulePtr> module =
      force_disable_caches.get() ? from_disk_or_compiler(texts, r) : through_memory(texts, r);
  r.total_ns = now_ns() - begin;
  return module;
}

Result<ModulePtr> load_or_compile(std::span<const std::string> sources, JitReport* report) {
  static const Prelude none("");
  return load_or_compile(sources, none, report);
}

Result<ModulePtr> load_or_compile(std::string_view source, JitReport* report) {
  std::string one(source);
  return load_or_compile(std::span<const std::string>(&one, 1), report);
}

void expect_text() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (force_disable_caches.get() || DiskCache::is_empty()) load_compiler_ahead();
  });
}

void forget_modules() {
  modules().forget_all();
}

}  // namespace vitro::jit
