#include "backend/run/kept.h"

#include <algorithm>
#include <functional>

namespace vitro::backend {

KeptPanels::KeptPanels() {
  tell_of_storages(*this);
}

KeptPanels::~KeptPanels() {
  tell_no_more(*this);
}

KeptPanels::Shared KeptPanels::find(const PanelsKey& key) const {
  std::lock_guard hold(lock_);
  const auto at = entries_.find(key);
  return at == entries_.end() ? nullptr : at->second.panels;
}

KeptPanels::Shared KeptPanels::find_or_pack(const PanelsKey& key, const Tensor& of, int64_t bytes,
                                            const std::function<void(void*)>& fill) {
  if (Shared known = find(key)) return known;
  forget_others(key.storage, key.version);  // free stale panels first
  Shared made = backend::find_or_pack(key, of, bytes, fill);
  add(key, made);
  return made;
}

std::pair<KeptPanels::Entries::iterator, KeptPanels::Entries::iterator> KeptPanels::of_storage(
    uint64_t storage) {
  return {entries_.lower_bound({.storage = storage}),
          entries_.lower_bound({.storage = storage + 1})};
}

void KeptPanels::add(const PanelsKey& key, Shared panels) {
  Shared let_go;  // destroyed after the lock is released
  std::lock_guard hold(lock_);
  const auto is_layout = [&](const auto& entry) { return entry.first.offset == key.offset; };
  const auto [first, last] = of_storage(key.storage);
  if (std::count_if(first, last, is_layout) >= static_cast<std::ptrdiff_t>(most_layouts)) {
    auto oldest = last;
    for (auto at = first; at != last; ++at) {
      if (is_layout(*at) && (oldest == last || at->second.age < oldest->second.age)) oldest = at;
    }
    let_go = std::move(oldest->second.panels);
    entries_.erase(oldest);
  }
  entries_[key] = {std::move(panels), next_age_++};
}

size_t KeptPanels::size() const {
  std::lock_guard hold(lock_);
  return entries_.size();
}

void KeptPanels::forget(uint64_t storage, uint64_t but_version) {
  std::vector<Shared> let_go;
  std::lock_guard hold(lock_);
  const auto [first, last] = of_storage(storage);
  for (auto at = first; at != last;) {
    if (at->first.version == but_version) {
      ++at;
    } else {
      let_go.push_back(std::move(at->second.panels));
      at = entries_.erase(at);
    }
  }
}

}  // namespace vitro::backend
