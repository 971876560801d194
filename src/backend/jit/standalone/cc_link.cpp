#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>
#include <mutex>
#include <sstream>

#include <lld/Common/Driver.h>
#include <llvm/Support/Signals.h>
#include <llvm/Support/raw_ostream.h>

#include "backend/jit/standalone/cc_internal.h"

LLD_HAS_DRIVER(elf)

namespace vitro::cc {
namespace {

constinit std::mutex one_linker;
constinit bool linker_lost = false;  // under one_linker

// lld installs handlers for fifteen signals, and a stack for them on this thread that it never
// frees; the host's own come back when this ends.
class KeepSignals {
 public:
  KeepSignals() {
    sigaltstack(nullptr, &stack_);
    for (int s = 1; s < int(kept_.size()); ++s) sigaction(s, nullptr, &kept_[s]);
  }
  ~KeepSignals() {
    llvm::sys::unregisterHandlers();
    for (int s = 1; s < int(kept_.size()); ++s) {
      struct sigaction now;
      if (sigaction(s, nullptr, &now) == 0 && now.sa_sigaction != kept_[s].sa_sigaction) {
        sigaction(s, &kept_[s], nullptr);
      }
    }
    stack_t now;
    if (sigaltstack(nullptr, &now) != 0 || now.ss_sp == stack_.ss_sp) return;
    if (sigaltstack(&stack_, nullptr) == 0) free(now.ss_sp);  // LLVM takes it from malloc
  }

 private:
  std::array<struct sigaction, 32> kept_ = {};
  stack_t stack_ = {};
};

// A folder of our own that goes away with everything in it that we put there.
class TempFolder {
 public:
  explicit TempFolder(const char* parent) : path_(std::string(parent) + "/link.XXXXXX") {
    if (!mkdtemp(path_.data())) path_.clear();
  }
  ~TempFolder() {
    for (const std::string& file : files_) unlink(file.c_str());
    if (!path_.empty()) rmdir(path_.c_str());
  }
  bool ok() const { return !path_.empty(); }
  std::string file(const std::string& name) {
    files_.push_back(path_ + "/" + name);
    return files_.back();
  }

 private:
  std::string path_;
  std::vector<std::string> files_;
};

bool write_file(const std::string& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), std::streamsize(bytes.size()));
  out.close();
  return out.good();
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

Outcome run_lld(const std::vector<std::string>& inputs, const std::string& output) {
  std::vector<const char*> arguments = {"ld.lld",
                                        "-shared",
                                        "-z",
                                        "now",
                                        "-z",
                                        "noexecstack",
                                        "--build-id=none",
                                        "--threads=1",
                                        "--hash-style=gnu",
                                        "-o",
                                        output.c_str()};
  for (const std::string& input : inputs) arguments.push_back(input.c_str());
  Outcome outcome;
  llvm::raw_string_ostream messages(outcome.diagnostics);
  KeepSignals keep;
  lld::Result result =
      lld::lldMain(arguments, llvm::nulls(), messages, {{lld::Gnu, &lld::elf::link}});
  outcome.ok = result.retCode == 0;
  linker_lost = !result.canRunAgain;
  return outcome;
}

}  // namespace

bool can_link() {
  std::lock_guard hold(one_linker);
  return !linker_lost;
}

Outcome link(const std::vector<std::string>& objects, const char* temp_folder) {
  std::lock_guard hold(one_linker);
  TempFolder folder(temp_folder);
  if (!folder.ok()) {
    return {
        false,
        {},
        std::string(temp_folder) + ": no folder could be made there: " + strerror(errno) + "\n"};
  }
  std::vector<std::string> inputs;
  for (size_t i = 0; i < objects.size(); ++i) {
    inputs.push_back(folder.file(std::to_string(i) + ".o"));
    if (!write_file(inputs.back(), objects[i])) {
      return {false, {}, inputs.back() + ": could not be written: " + strerror(errno) + "\n"};
    }
  }
  std::string output = folder.file("kernels.so");
  Outcome outcome = run_lld(inputs, output);
  if (outcome.ok) outcome.bytes = read_file(output);
  outcome.ok = outcome.ok && !outcome.bytes.empty();
  return outcome;
}

}  // namespace vitro::cc
