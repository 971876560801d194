// A cache folder for one test. A death test runs again in a new process and uses the parent's
// folder there.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "backend/jit/jit.h"
#include "backend/jit/options.h"
#include "vitro/base/cache_folder.h"

namespace vitro::jit {

class CacheFolder {
 public:
  CacheFolder() {
    const char* parents = getenv("VITRO_TEST_FOLDER");
    owner_ = !parents;
    if (owner_) {
      char name[] = "/tmp/vitro-jit-test.XXXXXX";
      path_ = mkdtemp(name);
      setenv("VITRO_TEST_FOLDER", path_.c_str(), 1);
    } else {
      path_ = parents;
    }
    cache_dir.set(path_);
    forget_modules();
  }
  ~CacheFolder() {
    if (!owner_) return;
    unsetenv("VITRO_TEST_FOLDER");
    std::filesystem::remove_all(path_);
  }
  const std::string& path() const { return path_; }
  size_t count(const std::string& extension) const {
    size_t n = 0;
    for (const auto& file : std::filesystem::directory_iterator(path_))
      n += file.path().extension() == extension;
    return n;
  }

 private:
  std::string path_;
  bool owner_;
};

// A kernel that adds `n`.
inline std::string adder(int n) {
  std::string number = std::to_string(n);
  return "extern \"C\" void add" + number + "(float* x) { *x += " + number + ".0f; }\n";
}

// The kernel's result for 1; -1 if there is no such kernel.
inline float run(const KernelModule& module, const std::string& name) {
  auto* kernel = reinterpret_cast<void (*)(float*)>(module.kernel(name).code);
  float x = 1;
  if (!kernel) return -1;
  kernel(&x);
  return x;
}

inline bool says(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

inline bool is_mapped(const std::string& what) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(what) != line.npos) return true;
  }
  return false;
}

}  // namespace vitro::jit
