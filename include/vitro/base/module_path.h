// The path of the module whose forward is running: "encoder.layer.3.attention".  Recorded with
// every op, shown in graphs, kernels and traces.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace vitro {

// A module's own name.  Caches its last path, so that entering it again costs a comparison.
class ModuleName {
 public:
  explicit ModuleName(std::string name) : name_(std::move(name)) {}
  ModuleName(const ModuleName& o) : name_(o.name_) {}
  const std::string& text() const { return name_; }
  uint32_t below(uint32_t parent) const;  // the path `parent.name`; threads: any

 private:
  std::string name_;
  mutable std::atomic<uint64_t> last_{0};  // parent and path of the last call of below()
};

// While it lives, the current module of this thread is `name` below the previous one, or that of
// a path.
class ModuleScope {
 public:
  explicit ModuleScope(const ModuleName& name);
  explicit ModuleScope(uint32_t path);
  ~ModuleScope();
  ModuleScope(const ModuleScope&) = delete;

 private:
  uint32_t before_;
};

// The current module of this thread; 0 is the empty path.
extern constinit thread_local uint32_t current_module __attribute__((tls_model("initial-exec")));

// Paths are interned and never freed.
std::string_view module_path(uint32_t id);
uint32_t intern_module_path(std::string_view path);

}  // namespace vitro
