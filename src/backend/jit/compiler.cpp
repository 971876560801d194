#include "backend/jit/compiler.h"

#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <system_error>
#include <thread>

#include "backend/jit/options.h"
#include "vitro/base/cat.h"

#ifndef VITRO_LLVM_VERSION
#error "src/backend/folder.cmake defines VITRO_LLVM_VERSION"
#endif

namespace vitro::jit {
namespace {

struct Library {
  VitroCcCompile* compile = nullptr;
  VitroCcPrecompile* precompile = nullptr;
  VitroCcRelease* release = nullptr;
};

Result<Library> open_library() {
  std::string path = cc_library.get();
  if (path.empty()) path = beside_library("libvitro-cc.so", "../lib");
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    return Failure{cat("jit: the compiler library could not be loaded: ", dlerror(),
                       "; put libvitro-cc.so beside libvitro.so or name it in VITRO_CC_LIBRARY")};
  }
  auto* interface = reinterpret_cast<VitroCcInterface*>(dlsym(handle, "vitro_cc_interface"));
  Library library{reinterpret_cast<VitroCcCompile*>(dlsym(handle, "vitro_cc_compile")),
                  reinterpret_cast<VitroCcPrecompile*>(dlsym(handle, "vitro_cc_precompile")),
                  reinterpret_cast<VitroCcRelease*>(dlsym(handle, "vitro_cc_release"))};
  if (!interface || !library.compile || !library.precompile || !library.release) {
    return Failure{cat("jit: ", path,
                       " is not a vitro compiler library; name the right one in VITRO_CC_LIBRARY")};
  }
  if (interface() != VITRO_CC_INTERFACE) {
    return Failure{cat("jit: ", path, " has interface ", interface(), ", this library needs ",
                       VITRO_CC_INTERFACE, "; install both from one version")};
  }
  return library;
}

// A library that was found stays; one that was not is looked for again.
Result<Library> library() {
  static std::mutex& lock = *new std::mutex;
  static Library found;
  std::lock_guard hold(lock);
  if (found.compile) return found;
  Result<Library> opened = open_library();
  if (opened) found = *opened;
  return opened;
}

Compiled call(VitroCcCompile* function, VitroCcRelease* release, const WireRequest& request,
              int32_t& ok) {
  RequestView view(request);
  VitroCcReply reply = {};
  reply.size = sizeof reply;
  function(&view.request, &reply);
  Compiled compiled{
      std::string(reply.object.data ? reply.object.data : "", reply.object.size),
      std::string(reply.diagnostics.data ? reply.diagnostics.data : "", reply.diagnostics.size),
      reply.clang_ns,
      reply.link_ns,
      false,
      reply.from_tree != 0};
  ok = reply.ok;
  release(&reply);
  return compiled;
}

}  // namespace

std::string beside_library(const std::string& name, const std::string& other) {
  Dl_info info = {};
  if (!dladdr(reinterpret_cast<void*>(&beside_library), &info) || !info.dli_fname) return name;
  char* resolved = realpath(info.dli_fname, nullptr);
  std::string here = resolved ? resolved : info.dli_fname;
  std::free(resolved);
  size_t slash = here.rfind('/');
  if (slash == here.npos) return name;
  std::string folder = here.substr(0, slash + 1);
  for (const std::string& path : {folder + name, folder + other + "/" + name}) {
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  return name;
}

std::string temp_folder() {
  const char* wish = std::getenv("TMPDIR");
  for (const char* folder : {"/dev/shm", wish ? wish : "/tmp", "/tmp", "/var/tmp"}) {
    if (access(folder, W_OK | X_OK) == 0) return folder;
  }
  return "/tmp";
}

const char* compiler_flags() {
  return "-O2 -std=c++20 -ffp-contract=off -fwrapv -relaxed-aliasing -fno-builtin -pic-level 2 "
         "-mrelocation-model pic "
         "-target-cpu x86-64 -debug-info-kind=line-tables-only -dwarf-version=4 "
         "-debugger-tuning=gdb "
         "-fno-rtti -nostdsysteminc -nobuiltininc -Wno-psabi -Wno-unused "
         "-fpch-instantiate-templates";
}

std::string compiler_identity() {
  return cat("interface ", VITRO_CC_INTERFACE, " LLVM ", VITRO_LLVM_VERSION, " ", compiler_flags());
}

WireRequest request_for(const Target& target) {
  WireRequest request;
  request.name = "kernels.cpp";
  request.triple = target.triple;
  request.features = target.features;
  request.flags = compiler_flags();
  request.temp_folder = temp_folder();
  request.vector_bits = target.vector_bits;
  request.threads = 2;
  return request;
}

std::string precompiled_prelude(const Target& target) {
  const std::string name = cat("vitro_prelude.", kernels::name(target.isa), ".ast");
  const std::string path = beside_library(name, "../lib");
  return path == name ? "" : path;
}

Result<std::string> precompile(const std::string& prelude, const Target& target) {
  Result<Library> cc = library();
  if (!cc) return cc.failure();
  WireRequest request = request_for(target);
  request.prelude = prelude;
  int32_t ok = VITRO_CC_FAILED;
  Compiled made = call(cc->precompile, cc->release, request, ok);
  if (ok != VITRO_CC_OK)
    return Failure{cat("jit: the prelude does not compile:\n", made.diagnostics)};
  return std::move(made.object);
}

void load_compiler_ahead() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the host's signals are for the host's threads
  try {
    std::thread([] { (void)library(); }).detach();
  } catch (const std::system_error&) {  // no thread: it is loaded when it is needed
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Result<Compiled> compile_in_process(const WireRequest& request) {
  Result<Library> cc = library();
  if (!cc) return cc.failure();
  int32_t ok = VITRO_CC_FAILED;
  Compiled compiled = call(cc->compile, cc->release, request, ok);
  if (ok == VITRO_CC_EXHAUSTED) return compile_in_helper(request);
  if (ok != VITRO_CC_OK)
    return Failure{cat("jit: the text of the kernels does not compile:\n", compiled.diagnostics)};
  return compiled;
}

}  // namespace vitro::jit
