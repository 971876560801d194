#include "backend/run/kept_results.h"

#include <algorithm>

#include "vitro/core/storage_watch.h"

namespace vitro::backend {
namespace {

bool is_of(const PanelsKey& key, const Tensor& parameter) {
  PanelsKey now;
  return panels_key(parameter, {}, &now) && now == key;
}

}  // namespace

KeptResults::KeptResults() {
  tell_of_storages(*this);
}

KeptResults::~KeptResults() {
  tell_no_more(*this);
}

KeptResults::Shared KeptResults::find(std::span<const Operand> inputs,
                                      std::span<const InputId> parameters) const {
  std::lock_guard hold(lock_);
  for (const Entry& entry : entries_) {
    size_t same = 0;
    while (same < parameters.size() && is_of(entry.of[same], inputs[parameters[same].n].tensor()))
      ++same;
    if (same == parameters.size()) return entry.results;
  }
  return nullptr;
}

void KeptResults::add(std::span<const Operand> inputs, std::span<const InputId> parameters,
                      Shared results) {
  Entry made{std::vector<PanelsKey>(parameters.size()), std::move(results)};
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Tensor& parameter = inputs[parameters[i].n].tensor();
    if (!panels_key(parameter, {}, &made.of[i]))
      return forget(parameter.storage().id(), UINT64_MAX);
    forget_others(made.of[i].storage, made.of[i].version);
    watch_storage(parameter.storage());
  }
  Entry let_go;  // destroyed after the lock is released
  std::lock_guard hold(lock_);
  if (entries_.size() == most) {
    let_go = std::move(entries_.front());
    entries_.erase(entries_.begin());
  }
  entries_.push_back(std::move(made));
}

void KeptResults::forget(uint64_t storage, uint64_t but_version) {
  std::vector<Entry> let_go;
  std::lock_guard hold(lock_);
  const auto is_stale = [&](const PanelsKey& key) {
    return key.storage == storage && key.version != but_version;
  };
  for (size_t i = entries_.size(); i-- > 0;) {
    if (std::ranges::none_of(entries_[i].of, is_stale)) continue;
    let_go.push_back(std::move(entries_[i]));
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

size_t KeptResults::size() const {
  std::lock_guard hold(lock_);
  return entries_.size();
}

}  // namespace vitro::backend
