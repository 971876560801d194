// Finds a module in memory or on disk, or compiles and links it, then loads it; keeps the modules
// that this process has loaded.
#include "backend/jit/jit.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <future>
#include <mutex>
#include <new>
#include <unordered_map>

#include "backend/jit/announce.h"
#include "backend/jit/cache.h"
#include "backend/jit/compiler.h"
#include "backend/jit/entry_source.h"
#include "backend/jit/fault.h"
#include "backend/jit/link/link.h"
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
  const Hash* content = nullptr;  // of the sources; null: their bytes are hashed
  std::string_view subject = {};  // of the phases; empty: the key
  runtime::DeviceRuntime& device = runtime::device_runtime(cpu);  // loads the module
  const Target& target = host_target();
};

std::string key_of(const Texts& texts) {
  Hasher h;
  h.add(compiler_identity());
  h.add(texts.target.triple);
  h.add(texts.target.features);
  h.add(texts.target.vector_bits);
  h.add(texts.prelude.hash);
  if (texts.content) {
    h.add(*texts.content);
  } else {
    for (const std::string& source : texts.sources) h.add(source);
  }
  return h.finish().hex();
}

// Warns once per process that the cache cannot be used, and always puts it into the report.
void note(JitReport& report, const std::string& why) {
  static std::once_flag once;
  const bool has_remedy = why.find("VITRO_CACHE_") != why.npos;
  report.note = cat("the kernel cache cannot be used: ", why,
                    has_remedy ? "" : "; set VITRO_CACHE_DIR to a private folder");
  std::call_once(once, [&] { std::fprintf(stderr, "vitro: %s\n", report.note.c_str()); });
}

// `file` is the path given to the loader, `shown` the path for perf and gdb.
Result<ModulePtr> load_file(const std::string& file, const std::string& shown,
                            runtime::DeviceRuntime& device, JitReport& report) {
  events::PhaseScope phase("load_kernels", report.subject);
  int64_t begin = now_ns();
  auto loaded = device.load(file);
  report.load_ns = now_ns() - begin;
  if (!loaded) return Failure{cat("jit: compiled kernels could not be loaded: ", loaded.why())};
  report.path = shown;
  if (is_jit_profiler_there()) announce_kernels((*loaded)->address(), file, shown);
  return ModulePtr(std::make_shared<const KernelModule>(*std::move(loaded), report.key, shown));
}

// A path to the descriptor that was never used before: the loader identifies libraries by name, so
// a reused descriptor number would find the old one.  Encodes a counter's bits as "/" and "/.".
std::string fresh_path(int descriptor) {
  static std::atomic<uint64_t> count = 1;
  std::string path = "/proc/self/fd";
  for (uint64_t bits = count++; bits != 0; bits >>= 1) path += bits & 1 ? "/." : "/";
  return cat(path, "/", descriptor);
}

int memory_file() {
  constexpr unsigned may_be_run = 0x10;  // MFD_EXEC; older kernels reject it with EINVAL
  const int file = memfd_create("vitro_kernels", MFD_CLOEXEC | may_be_run);
  return file >= 0 || errno != EINVAL ? file : memfd_create("vitro_kernels", MFD_CLOEXEC);
}

// For a cache that is not writable, or whose files others could replace.
Result<ModulePtr> load_bytes(std::string_view bytes, runtime::DeviceRuntime& device,
                             JitReport& report) {
  const NoSizeSignal quiet;
  const int file = memory_file();
  if (file < 0) return Failure{cat("jit: no memory file for compiled kernels: ", fault(errno))};
  const std::unique_ptr<const int, void (*)(const int*)> closed(&file,
                                                                [](const int* f) { close(*f); });
  for (std::string_view rest = bytes; !rest.empty();) {
    const ssize_t n = write(file, rest.data(), rest.size());
    if (n <= 0)
      return Failure{cat("jit: compiled kernels could not be written to memory: ", fault(errno))};
    rest.remove_prefix(size_t(n));
  }
  return load_file(fresh_path(file), "", device, report);
}

Result<ModulePtr> load_entry(const CacheEntry& entry, runtime::DeviceRuntime& device,
                             JitReport& report) {
  return entry.path.empty() ? load_bytes(entry.bytes, device, report)
                            : load_file(entry.path, entry.path, device, report);
}

WireRequest request_for(const Texts& texts) {
  WireRequest request = request_for(texts.target);
  request.sources.assign(texts.sources.begin(), texts.sources.end());
  request.prelude = texts.prelude.text;
  if (!request.prelude.empty()) request.precompiled = precompiled_prelude(texts.target);
  return request;
}

Result<Compiled> compile(const Texts& texts, const DiskCache& cache, JitReport& report) {
  events::PhaseScope phase("compile_kernels", report.subject);
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
  report.diagnostics = compiled->diagnostics;
  report.in_helper = compiled->in_helper;
  report.from_tree = compiled->from_tree;
  return compiled;
}

Result<std::string> compile_and_link(const Texts& texts, const DiskCache& cache,
                                     JitReport& report) {
  const Result<Compiled> compiled = compile(texts, cache, report);
  if (!compiled) return compiled.failure();
  const int64_t begin = now_ns();
  Result<std::string> linked = link(compiled->objects);
  report.link_ns = now_ns() - begin;
  return linked ? std::move(linked) : Failure{cat("jit: ", linked.why())};
}

Result<ModulePtr> from_disk_or_compiler(const Texts& texts, JitReport& report) {
  if (const auto bytes = find_entry(report.key, EntryKind::module)) {
    Result<ModulePtr> loaded = load_bytes(*bytes, texts.device, report);
    report.from_disk = loaded.ok();
    if (loaded) return loaded;
  }
  std::string why;
  CacheEntry entry;
  DiskCache cache;
  if (has_disk_cache()) {
    cache = DiskCache::open(why);
    if (!cache.ok()) note(report, why);
  }
  if (cache.find(report.key, entry)) {
    Result<ModulePtr> loaded = load_entry(entry, texts.device, report);
    report.from_disk = loaded.ok();
    if (loaded) return loaded;
    cache.remove(report.key);
  }
  const Result<std::string> object = compile_and_link(texts, cache, report);
  if (!object) return object.failure();
  if (cache.ok() && cache.store(report.key, *object, entry, why)) {
    cache.keep_texts(report.key, texts.sources);
    if (!texts.prelude.text.empty()) cache.keep_prelude(texts.prelude.hash, texts.prelude.text);
    Result<ModulePtr> loaded = load_entry(entry, texts.device, report);
    if (loaded) return loaded;
    why =
        loaded.why();  // a file system whose files may not be run, or kernels that nothing can load
    cache.remove(report.key);
  }
  Result<ModulePtr> loaded = load_bytes(*object, texts.device, report);
  if (loaded && cache.ok()) note(report, why);
  return loaded;
}

// In memory a module belongs to one device; its bytes on disk are shared between devices.
std::string memory_key_of(runtime::DeviceRuntime& of, const std::string& key) {
  const Device device = of.device();
  return device == cpu ? key : cat(key, " on ", device);
}

// The modules that this process has loaded or is loading, by key.
class Modules {
 public:
  using Future = std::shared_future<Result<ModulePtr>>;
  // The module's future.  If `chosen`, the caller must make the module and fulfil `mine`.
  Future join(const std::string& key, std::promise<Result<ModulePtr>>& mine, bool& chosen) {
    std::lock_guard hold(lock_);
    if (modules_.size() >= most_) forget_unused();
    auto [at, is_new] = modules_.try_emplace(key);
    if (is_new) at->second = mine.get_future().share();
    chosen = is_new;
    return at->second;
  }
  // Null if there is none, or if it is still being made.
  ModulePtr find(const std::string& key) {
    std::lock_guard hold(lock_);
    const auto at = modules_.find(key);
    if (at == modules_.end()) return nullptr;
    if (at->second.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return nullptr;
    const Result<ModulePtr>& made = at->second.get();
    return made ? *made : nullptr;
  }
  // Keeps the module unless there is one.
  void add(const std::string& key, const ModulePtr& module) {
    std::promise<Result<ModulePtr>> made;
    bool chosen = false;
    (void)join(key, made, chosen);
    if (chosen) made.set_value(module);
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
  // Drops modules that no function uses: each takes several memory mappings, of which a process has
  // a limited number.
  void forget_unused() {
    std::erase_if(modules_, [](const auto& item) {
      const Future& future = item.second;
      if (future.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
      return !future.get() || (*future.get()).use_count() == 1;
    });
    most_ = std::max(least_, 2 * modules_.size());
  }

  static constexpr size_t least_ = 2000;
  std::mutex lock_;
  size_t most_ = least_;
  std::unordered_map<std::string, Future> modules_;
};

Modules& modules() {
  static Modules& all = *new Modules;
  return all;
}

Result<ModulePtr> through_memory(const Texts& texts, JitReport& report) {
  std::promise<Result<ModulePtr>> mine;
  bool chosen = false;
  const std::string key = memory_key_of(texts.device, report.key);
  Modules::Future future = modules().join(key, mine, chosen);
  if (!chosen) {
    Result<ModulePtr> found = future.get();
    report.from_memory = found.ok();
    if (found) report.path = (*found)->path();
    return found;
  }
  Result<ModulePtr> made = Failure{"jit: an exception ended the compilation"};
  try {
    made = from_disk_or_compiler(texts, report);
  } catch (const std::bad_alloc&) {
    made = Failure{cat("jit: ", fault(ENOMEM))};
  } catch (const std::exception& e) {
    made = Failure{cat("jit: ", e.what())};
  }
  mine.set_value(made);
  if (!made) modules().forget(key);  // let later calls retry; waiting ones have the reason
  return made;
}

}  // namespace

namespace {

Result<ModulePtr> load_or_compile(const Texts& texts, JitReport* report) {
  JitReport unread;
  JitReport& r = report ? *report : unread;
  r = JitReport();
  int64_t begin = now_ns();
  r.key = key_of(texts);
  r.subject = texts.subject.empty() ? r.key : std::string(texts.subject);
  Result<ModulePtr> module =
      force_disable_caches.get() ? from_disk_or_compiler(texts, r) : through_memory(texts, r);
  r.total_ns = now_ns() - begin;
  return module;
}

}  // namespace

Result<ModulePtr> load_or_compile(std::span<const std::string> sources, const Prelude& prelude,
                                  JitReport* report) {
  return load_or_compile(Texts{sources, prelude}, report);
}

Result<ModulePtr> load_or_compile(const ModuleText& text, const Prelude& prelude, JitReport* report,
                                  std::string_view subject, runtime::DeviceRuntime& device) {
  return load_or_compile(Texts{std::span(&text.text, 1), prelude, &text.content, subject, device},
                         report);
}

Result<ModulePtr> load_or_compile(std::span<const std::string> sources, JitReport* report) {
  static const Prelude none("");
  return load_or_compile(sources, none, report);
}

Result<ModulePtr> load_or_compile(std::string_view source, JitReport* report) {
  std::string one(source);
  return load_or_compile(std::span<const std::string>(&one, 1), report);
}

Result<std::string> compile_for(const ModuleText& text, const Prelude& prelude,
                                const Target& target, std::string_view subject, std::string* key) {
  const Texts texts{std::span(&text.text, 1),     prelude, &text.content, subject,
                    runtime::device_runtime(cpu), target};
  JitReport report;
  report.key = *key = key_of(texts);
  report.subject = subject;
  std::string why;
  CacheEntry entry;
  DiskCache cache;
  if (has_disk_cache()) cache = DiskCache::open(why);
  if (cache.find(report.key, entry)) return std::move(entry.bytes);
  return compile_and_link(texts, cache, report);
}

namespace {

Result<ModulePtr> module_on_disk(const std::string& key, runtime::DeviceRuntime& device,
                                 JitReport& report) {
  if (const auto bytes = find_entry(key, EntryKind::module))
    return load_bytes(*bytes, device, report);
  std::string why;
  CacheEntry entry;
  if (!has_disk_cache() || !DiskCache::open(why).find(key, entry))
    return Failure{cat("jit: the module ", key, " is in no cache")};
  return load_entry(entry, device, report);
}

}  // namespace

Result<ModulePtr> find_module(const std::string& key, JitReport* report, std::string_view subject,
                              runtime::DeviceRuntime& device) {
  *report = JitReport();
  report->key = key;
  report->subject = subject.empty() ? key : std::string(subject);
  const int64_t begin = now_ns();
  const std::string in_memory = memory_key_of(device, key);
  ModulePtr module = modules().find(in_memory);
  report->from_memory = module != nullptr;
  if (!module) {
    const Result<ModulePtr> loaded = module_on_disk(key, device, *report);
    if (!loaded) return loaded;
    module = *loaded;
    modules().add(in_memory, module);
    report->from_disk = true;
  }
  report->path = module->path();
  report->total_ns = now_ns() - begin;
  return module;
}

void expect_text() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (force_disable_caches.get() || DiskCache::is_empty()) load_compiler_ahead();
  });
}

bool has_disk_cache() {
  return !force_disable_caches.get() && cache_size_mb.get() != 0;
}

void forget_modules() {
  modules().forget_all();
}

}  // namespace vitro::jit
