// The path of the module whose forward is running: "encoder.layer.3.attention".  Recorded with
// every op, shown in graphs, kernels and traces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vitro {

// Enters a module named `name` below the current one for as long as it lives.  Threads: belongs to
// its thread.
class ModuleScope {
 public:
  explicit ModuleScope(std::string_view name);
  ~ModuleScope();
  ModuleScope(const ModuleScope&) = delete;

 private:
  uint32_t before_;
};

// 0 is the empty path.  Paths are interned and never forgotten.
uint32_t current_module();
std::string_view module_path(uint32_t id);

}  // namespace vitro
