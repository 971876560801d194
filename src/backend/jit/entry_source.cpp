#include "backend/jit/entry_source.h"

#include <mutex>
#include <vector>

namespace vitro::jit {
namespace {

struct Sources {
  std::mutex lock;
  std::vector<std::weak_ptr<const EntrySource>> all;

  std::vector<std::shared_ptr<const EntrySource>> living() {
    std::vector<std::shared_ptr<const EntrySource>> out;
    std::lock_guard hold(lock);
    std::erase_if(all, [](const auto& source) { return source.expired(); });
    for (const auto& source : all)
      if (auto one = source.lock()) out.push_back(std::move(one));
    return out;
  }
};

Sources& sources() {
  static auto& all = *new Sources;
  return all;
}

}  // namespace

void add_entry_source(const std::shared_ptr<const EntrySource>& source) {
  std::lock_guard hold(sources().lock);
  sources().all.push_back(source);
}

bool has_entry_sources() {
  return !sources().living().empty();
}

std::optional<std::string> find_entry(std::string_view key, EntryKind kind) {
  for (const auto& source : sources().living())
    if (auto found = source->find(key, kind)) return found;
  return std::nullopt;
}

}  // namespace vitro::jit
