#include "vitro/base/module_path.h"

#include <deque>
#include <functional>
#include <map>
#include <mutex>

#include "vitro/base/cat.h"

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

constinit thread_local uint32_t current_module = 0;

uint32_t ModuleName::below(uint32_t parent) const {
  const uint64_t last = last_.load(std::memory_order_acquire);
  const auto remembered = static_cast<uint32_t>(last);
  if (remembered != 0 && last >> 32 == parent) return remembered;
  const std::string_view outer = module_path(parent);
  const uint32_t path = intern_module_path(outer.empty() ? name_ : cat(outer, '.', name_));
  last_.store(static_cast<uint64_t>(parent) << 32 | path, std::memory_order_release);
  return path;
}

ModuleScope::ModuleScope(const ModuleName& name) : before_(current_module) {
  current_module = name.below(before_);
}

ModuleScope::ModuleScope(uint32_t path) : before_(current_module) {
  current_module = path;
}

ModuleScope::~ModuleScope() {
  current_module = before_;
}

uint32_t intern_module_path(std::string_view path) {
  Paths& all = paths();
  std::lock_guard hold(all.lock);
  if (const auto found = all.ids.find(path); found != all.ids.end()) return found->second;
  const auto id = static_cast<uint32_t>(all.text.size());
  all.ids.emplace(std::string(path), id);
  all.text.emplace_back(path);
  return id;
}

std::string_view module_path(uint32_t id) {
  Paths& all = paths();
  std::lock_guard hold(all.lock);
  return all.text[id];
}

}  // namespace vitro
