#include "vitro/core/module_path.h"

#include <deque>
#include <map>
#include <mutex>

#include "vitro/base/cat.h"
#include "vitro/core/interpreter.h"

namespace vitro {
namespace {

struct Paths {
  std::mutex lock;
  std::deque<std::string> text{""};
  std::map<std::string, uint32_t, std::less<>> ids{{"", 0}};
};

Paths& paths() {
  static auto* one = new Paths;
  return *one;
}

}  // namespace

ModuleScope::ModuleScope(std::string_view name) : before_(thread_state.module) {
  Paths& all = paths();
  std::lock_guard hold(all.lock);
  const std::string& outer = all.text[before_];
  const std::string path = outer.empty() ? std::string(name) : cat(outer, '.', name);
  const auto [found, fresh] = all.ids.try_emplace(path, static_cast<uint32_t>(all.text.size()));
  if (fresh) all.text.push_back(path);
  thread_state.module = found->second;
}

ModuleScope::~ModuleScope() {
  thread_state.module = before_;
}

uint32_t current_module() {
  return thread_state.module;
}

std::string_view module_path(uint32_t id) {
  Paths& all = paths();
  std::lock_guard hold(all.lock);
  return all.text[id];
}

}  // namespace vitro
