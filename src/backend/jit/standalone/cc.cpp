// The C interface of libvitro-cc.
#include "backend/jit/cc.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include <llvm/Config/llvm-config.h>

#include "backend/jit/standalone/cc_internal.h"

namespace vitro::cc {
namespace {

constexpr size_t stack_bytes = size_t{64} << 20;  // clang recurses with the depth of expressions

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Runs `work(argument)` on threads with a large stack and all signals blocked; false when no thread
// could be started.
bool run_on_threads(void* (*work)(void*), void* argument, size_t count) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  sigset_t all, before;
  sigfillset(&all);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&all, fault);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::vector<pthread_t> threads(count);
  size_t started = 0;
  while (started < count && pthread_create(&threads[started], &attributes, work, argument) == 0)
    ++started;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  for (size_t i = 0; i < started; ++i) pthread_join(threads[i], nullptr);
  return started != 0;
}

// Memory for a compilation, asked of the system at once: the C library would give a thread its heap
// page by page, each with a system call and a fault that other threads wait for.
class GrownHeap {
 public:
  GrownHeap() {
    for (void*& b : blocks_) b = std::malloc(block_bytes);
    top_ = std::malloc(2000);  // keeps what is freed below from going back to the system
    for (void* b : blocks_) {
      const uintptr_t begin = (reinterpret_cast<uintptr_t>(b) + page - 1) & -page;
      if (b) madvise(reinterpret_cast<void*>(begin), block_bytes & -page, MADV_POPULATE_WRITE);
      std::free(b);
    }
  }
  ~GrownHeap() { std::free(top_); }
  GrownHeap(const GrownHeap&) = delete;

 private:
  static constexpr uintptr_t page = 4096;
  static constexpr size_t block_bytes = 100 << 10;  // less than what malloc maps on its own
  void* blocks_[40];
  void* top_ = nullptr;
};

struct Job {
  const VitroCcRequest& request;
  std::vector<Outcome> objects;
  std::atomic<size_t> next = 0;
  std::atomic<int64_t> clang_ns = 0;
  Outcome linked;
  bool from_tree = true;
  int64_t link_ns = 0;
};

void* compile_sources(void* argument) {
  Job& job = *static_cast<Job*>(argument);
  GrownHeap heap;
  for (size_t i; (i = job.next++) < job.objects.size();) {
    int64_t begin = now_ns();
    job.objects[i] = compile(i, job.request);
    job.clang_ns += now_ns() - begin;
  }
  return nullptr;
}

void* link_objects(void* argument) {
  Job& job = *static_cast<Job*>(argument);
  int64_t begin = now_ns();
  std::vector<std::string> objects;
  for (Outcome& object : job.objects) objects.push_back(std::move(object.bytes));
  job.linked = link(objects, job.request.temp_folder);
  job.link_ns = now_ns() - begin;
  return nullptr;
}

// Compiles and links; the outcome is that of the first step that failed, with the diagnostics of
// all.
Outcome run(Job& job) {
  size_t threads = job.request.threads < 1 ? 1 : job.request.threads;
  if (threads > job.objects.size()) threads = job.objects.size();
  if (!run_on_threads(compile_sources, &job, threads))
    return {false, {}, "no thread could be started\n"};
  Outcome outcome;
  outcome.ok = true;
  for (const Outcome& object : job.objects) {
    outcome.diagnostics += object.diagnostics;
    outcome.ok = outcome.ok && object.ok;
    job.from_tree = job.from_tree && object.from_tree;
  }
  if (!outcome.ok) return outcome;
  if (!run_on_threads(link_objects, &job, 1)) return {false, {}, "no thread could be started\n"};
  outcome.ok = job.linked.ok;
  outcome.bytes = std::move(job.linked.bytes);
  outcome.diagnostics += job.linked.diagnostics;
  return outcome;
}

VitroCcText copy(const std::string& text) {
  char* data = static_cast<char*>(std::malloc(text.size() + 1));
  if (!data) return {nullptr, 0};
  std::memcpy(data, text.c_str(), text.size() + 1);
  return {data, text.size()};
}

}  // namespace
}  // namespace vitro::cc

extern "C" {

int32_t vitro_cc_interface(void) {
  return VITRO_CC_INTERFACE;
}

const char* vitro_cc_version(void) {
  return "LLVM " LLVM_VERSION_STRING;
}

void vitro_cc_compile(const VitroCcRequest* request, VitroCcReply* reply) {
  using namespace vitro::cc;
  Job job{*request, std::vector<Outcome>(request->source_count)};
  Outcome outcome = run(job);
  reply->ok = outcome.ok ? VITRO_CC_OK : can_link() ? VITRO_CC_FAILED : VITRO_CC_EXHAUSTED;
  reply->object = copy(outcome.bytes);
  reply->diagnostics = copy(outcome.diagnostics);
  reply->clang_ns = job.clang_ns;
  reply->from_tree = job.from_tree;
  reply->link_ns = job.link_ns;
}

void vitro_cc_precompile(const VitroCcRequest* request, VitroCcReply* reply) {
  using namespace vitro::cc;
  Job job{*request, std::vector<Outcome>(1)};
  int64_t begin = now_ns();
  run_on_threads(
      [](void* argument) -> void* {
        Job& job = *static_cast<Job*>(argument);
        job.objects[0] = precompile(job.request);
        return nullptr;
      },
      &job, 1);
  reply->ok = job.objects[0].ok ? VITRO_CC_OK : VITRO_CC_FAILED;
  reply->object = copy(job.objects[0].bytes);
  reply->diagnostics = copy(job.objects[0].diagnostics);
  reply->clang_ns = now_ns() - begin;
  reply->link_ns = 0;
}

void vitro_cc_release(VitroCcReply* reply) {
  std::free(const_cast<char*>(reply->object.data));
  std::free(const_cast<char*>(reply->diagnostics.data));
  reply->object = reply->diagnostics = {nullptr, 0};
}

}  // extern "C"
