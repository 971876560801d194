// Loads or compiles many modules in parallel, on as many threads as there are cores; each is looked
// up independently (memory, disk, compiler).
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <system_error>
#include <thread>

#include "backend/jit/jit.h"
#include "vitro/base/cat.h"
#include "vitro/base/function_ref.h"
#include "vitro/base/hash.h"

namespace vitro::jit {
namespace {

using ModulePtr = std::shared_ptr<const KernelModule>;

size_t core_count() {
  cpu_set_t mine;
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) return 1;
  return static_cast<size_t>(std::max(CPU_COUNT(&mine), 1));
}

// Makes module number `i`.
using MakeModule = FunctionRef<Result<ModulePtr>(size_t i, JitReport* report)>;

struct ModuleBuild {
  ModuleBuild(size_t size, MakeModule make_module)
      : make(make_module), modules(size), reports(size) {}

  MakeModule make;
  std::vector<std::optional<Result<ModulePtr>>> modules;
  std::vector<JitReport> reports;
  std::atomic<size_t> next = 0;

  void run() {
    for (size_t i; (i = next++) < modules.size();) {
      try {
        modules[i] = make(i, &reports[i]);
      } catch (const std::exception& e) {
        modules[i] = Failure{cat("jit: ", e.what())};
      }
    }
  }
};

// Runs on the caller and on helper threads, which block all signals; the host's threads get them.
void run_on_cores(ModuleBuild& work) {
  const size_t helpers = std::min(work.modules.size(), core_count()) - 1;
  std::vector<std::thread> threads;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    while (threads.size() < helpers) threads.emplace_back([&work] { work.run(); });
  } catch (const std::system_error&) {  // no more threads: go on with those that started
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  work.run();
  for (std::thread& thread : threads) thread.join();
}

void add(JitReport& all, const JitReport& one) {
  all.from_disk |= one.from_disk;
  all.in_helper |= one.in_helper;
  all.from_tree |= one.from_tree;
  all.diagnostics += one.diagnostics;
  if (all.note.empty()) all.note = one.note;
  all.clang_ns += one.clang_ns;
  all.link_ns += one.link_ns;
  all.load_ns += one.load_ns;
}

// Merges the reports: from_memory if all modules are, from_disk if none was compiled and one is.
JitReport together(std::span<const JitReport> reports) {
  JitReport all = reports[0];
  Hasher keys;
  keys.add(all.key);
  bool compiled = !all.from_memory && !all.from_disk;
  for (const JitReport& one : reports.subspan(1)) {
    add(all, one);
    keys.add(one.key);
    all.from_memory &= one.from_memory;
    compiled |= !one.from_memory && !one.from_disk;
  }
  if (reports.size() > 1) all.key = keys.finish().hex();
  all.from_disk &= !compiled;
  return all;
}

Result<std::vector<ModulePtr>> make_all(size_t size, MakeModule make, JitReport* report) {
  std::vector<ModulePtr> out;
  if (size == 0) return out;
  const auto begin = std::chrono::steady_clock::now();
  ModuleBuild work(size, make);
  run_on_cores(work);
  if (report) {
    *report = together(work.reports);
    const std::chrono::nanoseconds taken = std::chrono::steady_clock::now() - begin;
    report->total_ns = taken.count();
  }
  for (std::optional<Result<ModulePtr>>& module : work.modules) {
    const Result<ModulePtr>& made = *module;
    if (!made) return made.failure();
    out.push_back(*made);
  }
  return out;
}

}  // namespace

Result<std::vector<ModulePtr>> load_or_compile_all(std::span<const ModuleText> texts,
                                                   const Prelude& prelude, JitReport* report,
                                                   std::string_view subject,
                                                   runtime::DeviceRuntime& device) {
  const auto make = [&](size_t i, JitReport* of) {
    return load_or_compile(texts[i], prelude, of, subject, device);
  };
  return make_all(texts.size(), make, report);
}

Result<std::vector<ModulePtr>> find_modules(std::span<const std::string> keys, JitReport* report,
                                            std::string_view subject,
                                            runtime::DeviceRuntime& device) {
  const auto make = [&](size_t i, JitReport* of) {
    return find_module(keys[i], of, subject, device);
  };
  return make_all(keys.size(), make, report);
}

}  // namespace vitro::jit
