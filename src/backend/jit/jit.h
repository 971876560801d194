// Turns kernel source into functions: from memory, from the cache on disk, or compiled now.
//   JitReport report;
//   auto module = jit::load_or_compile(text, &report);
//   if (!module) return module.failure();          // the caller runs eagerly and keeps the reason
//   auto* run = (*module)->kernel("kernel_0").code;
// Thread safety: everything here may be called from any thread; concurrent requests for the same
// text compile it once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/jit/target.h"
#include "runtime/device.h"
#include "vitro/base/hash.h"
#include "vitro/base/result.h"

namespace vitro::jit {

// The code that texts share and include as "vitro_prelude.h".  The compiler uses the syntax tree
// made when the library was built (compiler.h), or, without one, parses it as text.
struct Prelude {
  explicit Prelude(std::string all) : text(std::move(all)), hash(hash_of(text)) {}
  std::string text;
  Hash hash;
};

// A module that a device has loaded.  Its kernels are valid while it is alive; the cache in memory
// may keep it until the process ends.
class KernelModule {
 public:
  KernelModule(std::unique_ptr<const runtime::Module> loaded, std::string key, std::string path)
      : loaded_(std::move(loaded)), key_(std::move(key)), path_(std::move(path)) {}
  KernelModule(const KernelModule&) = delete;

  // The `extern "C"` function of that name; null code if there is none.
  runtime::Kernel kernel(const std::string& name) const { return loaded_->kernel(name); }
  const std::string& key() const { return key_; }
  // The file that it was loaded from, as perf and gdb show it; empty if loaded from memory.
  const std::string& path() const { return path_; }

 private:
  std::unique_ptr<const runtime::Module> loaded_;
  std::string key_, path_;
};

struct JitReport {
  bool from_memory = false, from_disk = false, in_helper = false;
  bool from_tree = false;   // the prelude had been parsed when the library was built
  std::string key;          // 32 hexadecimal digits
  std::string subject;      // of the phases, as they are recorded
  std::string path;         // of the shared object
  std::string diagnostics;  // warnings, or why the text does not compile
  std::string note;         // why the cache could not be used, if so
  int64_t clang_ns = 0;     // processor time, summed over texts and threads
  int64_t link_ns = 0, load_ns = 0, total_ns = 0;
};

// One text with all kernels of a graph, or several that are compiled in parallel into one module.
Result<std::shared_ptr<const KernelModule>> load_or_compile(std::string_view source,
                                                            JitReport* report = nullptr);
Result<std::shared_ptr<const KernelModule>> load_or_compile(std::span<const std::string> sources,
                                                            JitReport* report = nullptr);
Result<std::shared_ptr<const KernelModule>> load_or_compile(std::span<const std::string> sources,
                                                            const Prelude& prelude,
                                                            JitReport* report = nullptr);

// A text, and a hash of its content that ignores the program's names: of texts with equal hashes
// one is compiled.
struct ModuleText {
  std::string text;
  Hash content;
};
// `subject`: the subject of the recorded phases, on any thread; empty: the key.
// `device`: loads the module; it must run code for this machine.
Result<std::shared_ptr<const KernelModule>> load_or_compile(
    const ModuleText& text, const Prelude& prelude, JitReport* report = nullptr,
    std::string_view subject = {}, runtime::DeviceRuntime& device = runtime::device_runtime(cpu));
// Each text becomes a module; those that no cache has are compiled on all cores.
Result<std::vector<std::shared_ptr<const KernelModule>>> load_or_compile_all(
    std::span<const ModuleText> texts, const Prelude& prelude, JitReport* report = nullptr,
    std::string_view subject = {}, runtime::DeviceRuntime& device = runtime::device_runtime(cpu));

// The module with this key, from memory or from the disk.  Nothing is compiled.
Result<std::shared_ptr<const KernelModule>> find_module(const std::string& key, JitReport* report,
                                                        std::string_view subject,
                                                        runtime::DeviceRuntime& device);
// The modules with these keys, from memory or from the disk.  Nothing is compiled: a Failure names
// the first that is in no cache.
Result<std::vector<std::shared_ptr<const KernelModule>>> find_modules(
    std::span<const std::string> keys, JitReport* report = nullptr, std::string_view subject = {},
    runtime::DeviceRuntime& device = runtime::device_runtime(cpu));

// The bytes of the module of a text for a target, which need not be this machine, and its key.
Result<std::string> compile_for(const ModuleText& text, const Prelude& prelude,
                                const Target& target, std::string_view subject, std::string* key);

// Announces that a text will follow.  If no cache can have it, loads the compiler in the
// background; once per process.
void expect_text();

// Whether the options allow a cache on disk.
bool has_disk_cache();

// Drops the modules in memory (not on disk): for tests and for measuring a warm start.
void forget_modules();

}  // namespace vitro::jit
