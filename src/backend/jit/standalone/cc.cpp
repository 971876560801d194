// The C interface of libvitro-cc: runs compilations on threads with large stacks and turns LLVM's
// fatal errors into failures.
#include "backend/jit/cc.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <stdexcept>

#include <llvm/Config/llvm-config.h>
#include <llvm/Support/ErrorHandling.h>

#include "backend/jit/standalone/cc_internal.h"

namespace vitro::cc {
namespace {

constexpr size_t stack_bytes = size_t{64} << 20;  // clang recurses with the depth of expressions

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Runs `work(argument)` on `count` threads with large stacks and asynchronous signals blocked.
// Returns 0, or an error number if no thread could be started.
int run_on_threads(void* (*work)(void*), void* argument, size_t count) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  sigset_t all, before;
  sigfillset(&all);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&all, fault);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::vector<pthread_t> threads(count);
  size_t started = 0;
  int error = 0;
  while (started < count &&
         (error = pthread_create(&threads[started], &attributes, work, argument)) == 0)
    ++started;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  for (size_t i = 0; i < started; ++i) pthread_join(threads[i], nullptr);
  return started != 0 ? 0 : error;
}

// Makes LLVM throw instead of ending the process.  Unwinding through its frames is safe, but leaks
// their memory.
void throw_instead_of_ending() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::install_fatal_error_handler(
        [](void*, const char* reason, bool) { throw std::runtime_error(reason); });
    llvm::install_bad_alloc_error_handler([](void*, const char*, bool) { throw std::bad_alloc(); });
  });
}

// Populates the heap for a compilation at once.  Otherwise malloc would grow a thread's heap page
// by page, each with a system call and a page fault that block other threads.
class GrownHeap {
 public:
  GrownHeap() {
    for (void*& b : blocks_) b = std::malloc(block_bytes);
    top_ = std::malloc(2000);  // keeps malloc from trimming the blocks freed below
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
  static constexpr size_t block_bytes = 100 << 10;  // below malloc's mmap threshold
  void* blocks_[40];
  void* top_ = nullptr;
};

struct Job {
  const VitroCcRequest& request;
  std::vector<Outcome> objects;
  std::atomic<size_t> next = 0;
  std::atomic<int64_t> clang_ns = 0;
  std::atomic<bool> no_memory = false;
  bool from_tree = true;
};

// Runs a step and converts its exceptions to diagnostics of the outcome.
template <class Step>
void guarded(Job& job, Outcome& outcome, Step step) {
  try {
    outcome = step();
  } catch (const std::bad_alloc&) {
    job.no_memory = true;
  } catch (const std::exception& e) {
    outcome = {false, {}, std::string("kernels.cpp: error: LLVM: ") + e.what() + "\n"};
  }
}

void* compile_sources(void* argument) {
  Job& job = *static_cast<Job*>(argument);
  GrownHeap heap;
  for (size_t i; (i = job.next++) < job.objects.size();) {
    int64_t begin = now_ns();
    guarded(job, job.objects[i], [&] { return compile(i, job.request); });
    job.clang_ns += now_ns() - begin;
  }
  return nullptr;
}

void* precompile_prelude(void* argument) {
  Job& job = *static_cast<Job*>(argument);
  guarded(job, job.objects[0], [&] { return precompile(job.request); });
  return nullptr;
}

// Runs the job on threads and collects the diagnostics; returns a VITRO_CC status.
int32_t run(Job& job, void* (*work)(void*), std::string& diagnostics) {
  throw_instead_of_ending();
  size_t threads = job.request.threads < 1 ? 1 : job.request.threads;
  if (threads > job.objects.size()) threads = job.objects.size();
  if (const int error = run_on_threads(work, &job, threads)) {
    diagnostics = std::string("no thread could be started: ") + strerror(error);
    return VITRO_CC_NO_MEANS;
  }
  if (job.no_memory) {
    diagnostics = "out of memory";
    return VITRO_CC_NO_MEANS;
  }
  bool ok = true;
  for (const Outcome& object : job.objects) {
    diagnostics += object.diagnostics;
    ok = ok && object.ok;
    job.from_tree = job.from_tree && object.from_tree;
  }
  return ok ? VITRO_CC_OK : VITRO_CC_FAILED;
}

VitroCcText copy(const std::string& text) {
  char* data = static_cast<char*>(std::malloc(text.size() + 1));
  if (!data) return {nullptr, 0};
  std::memcpy(data, text.c_str(), text.size() + 1);
  return {data, text.size()};
}

void answer(Job& job, void* (*work)(void*), VitroCcReply* reply) {
  const int64_t begin = now_ns();
  std::string diagnostics;
  reply->ok = run(job, work, diagnostics);
  reply->diagnostics = copy(diagnostics);
  reply->objects = nullptr;
  reply->object_count = 0;
  reply->from_tree = job.from_tree;
  reply->clang_ns = job.clang_ns != 0 ? job.clang_ns.load() : now_ns() - begin;
  if (reply->ok != VITRO_CC_OK) return;
  reply->objects = static_cast<VitroCcText*>(std::calloc(job.objects.size(), sizeof(VitroCcText)));
  if (!reply->objects) {
    reply->ok = VITRO_CC_NO_MEANS;
    return;
  }
  reply->object_count = job.objects.size();
  for (size_t i = 0; i < job.objects.size(); ++i) reply->objects[i] = copy(job.objects[i].bytes);
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
  answer(job, compile_sources, reply);
}

void vitro_cc_precompile(const VitroCcRequest* request, VitroCcReply* reply) {
  using namespace vitro::cc;
  Job job{*request, std::vector<Outcome>(1)};
  answer(job, precompile_prelude, reply);
}

void vitro_cc_release(VitroCcReply* reply) {
  for (size_t i = 0; i < reply->object_count; ++i)
    std::free(const_cast<char*>(reply->objects[i].data));
  std::free(reply->objects);
  std::free(const_cast<char*>(reply->diagnostics.data));
  reply->objects = nullptr;
  reply->object_count = 0;
  reply->diagnostics = {nullptr, 0};
}

}  // extern "C"
