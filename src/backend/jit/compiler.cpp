// Loads libvitro-cc and calls it through its C interface; finds files beside the library.  See
// helper.cpp for compiling in another process.
#include "backend/jit/compiler.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <sstream>
#include <system_error>
#include <thread>

#include "backend/jit/fault.h"
#include "backend/jit/options.h"
#include "base/background.h"
#include "base/signals_blocked.h"
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
  constexpr const char* remedy =
      "; put libvitro-cc.so beside libvitro.so or set VITRO_CC_LIBRARY to its path";
  // A bare name is resolved by the loader.
  const auto complete = path.find('/') == path.npos ? Done{} : check_complete_library(path);
  if (!complete)
    return Failure{cat("jit: the compiler library could not be loaded: ", complete.why(), remedy)};
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Failure{cat("jit: the compiler library could not be loaded: ", dlerror(), remedy)};
  auto* interface = reinterpret_cast<VitroCcInterface*>(dlsym(handle, "vitro_cc_interface"));
  Library library{reinterpret_cast<VitroCcCompile*>(dlsym(handle, "vitro_cc_compile")),
                  reinterpret_cast<VitroCcPrecompile*>(dlsym(handle, "vitro_cc_precompile")),
                  reinterpret_cast<VitroCcRelease*>(dlsym(handle, "vitro_cc_release"))};
  if (!interface || !library.compile || !library.precompile || !library.release) {
    return Failure{cat("jit: ", path,
                       " is not a vitro compiler library; set VITRO_CC_LIBRARY to the right one")};
  }
  if (interface() != VITRO_CC_INTERFACE) {
    return Failure{cat("jit: ", path, " has interface ", interface(), ", this library needs ",
                       VITRO_CC_INTERFACE, "; install both from the same version")};
  }
  return library;
}

// Keeps the library once it is loaded; after a failure the next call tries again.
Result<Library> library() {
  static std::mutex& lock = *new std::mutex;
  static Library found;
  std::lock_guard hold(lock);
  if (found.compile) return found;
  Result<Library> opened = open_library();
  if (opened) {
    found = *opened;
    background::end_before_what_is_loaded();
  }
  return opened;
}

WireReply call(VitroCcCompile* function, VitroCcRelease* release, const WireRequest& request) {
  RequestView view(request);
  VitroCcReply reply = {};
  reply.size = sizeof reply;
  function(&view.request, &reply);
  const auto text = [](const VitroCcText& t) { return std::string(t.data ? t.data : "", t.size); };
  WireReply copied{uint64_t(reply.ok),
                   {},
                   text(reply.diagnostics),
                   uint64_t(reply.clang_ns),
                   uint64_t(reply.from_tree)};
  for (size_t i = 0; i < reply.object_count; ++i) copied.objects.push_back(text(reply.objects[i]));
  release(&reply);
  return copied;
}

// The first error line, skipping warnings before it.
std::string first_error(const std::string& diagnostics) {
  std::istringstream lines(diagnostics);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("error: ") != line.npos) return line;
    if (first.empty()) first = line;
  }
  return first.empty() ? "the compiler reported no error" : first;
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

Result<Compiled> compiled_of(WireReply reply, bool in_helper) {
  if (reply.ok == VITRO_CC_NO_MEANS)
    return Failure{cat("jit: the kernels could not be compiled: ", reply.diagnostics,
                       "; raise the limits on memory and threads (ulimit -v, ulimit -u)")};
  if (reply.ok != VITRO_CC_OK) {
    return Failure{
        cat("jit: the kernels' source does not compile: ", first_error(reply.diagnostics),
            "; please report it with the source, which VITRO_COMPILE_DEBUG=1 keeps\n",
            reply.diagnostics)};
  }
  return Compiled{std::move(reply.objects), std::move(reply.diagnostics), int64_t(reply.clang_ns),
                  in_helper, reply.from_tree != 0};
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
  WireReply made = call(cc->precompile, cc->release, request);
  if (made.ok != VITRO_CC_OK || made.objects.empty())
    return Failure{cat("jit: the prelude does not compile: ", first_error(made.diagnostics), "\n",
                       made.diagnostics)};
  return std::move(made.objects[0]);
}

void load_compiler_ahead() {
  const SignalsBlocked outside;
  try {
    std::thread([] { (void)library(); }).detach();
  } catch (const std::system_error&) {  // no thread: load it on first use
  }
}

Result<Compiled> compile_in_process(const WireRequest& request) {
  Result<Library> cc = library();
  if (!cc) return cc.failure();
  return compiled_of(call(cc->compile, cc->release, request), false);
}

}  // namespace vitro::jit
