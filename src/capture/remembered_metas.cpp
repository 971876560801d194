#include "capture/remembered_metas.h"

#include "capture/external_inputs.h"

namespace vitro::capture {

void RememberedMetas::add_input(const TensorImpl& impl, const TensorMeta& meta) {
  add_result(impl, meta);
  inputs_ = known_.size();
}

void RememberedMetas::add_result(const TensorImpl& impl, const TensorMeta& meta) {
  known_.push_back({&impl, impl.storage.id(), &meta});
}

void RememberedMetas::drop_oldest() {
  const auto results = known_.begin() + static_cast<std::ptrdiff_t>(inputs_);
  known_.erase(results, known_.end() - static_cast<std::ptrdiff_t>(room));
}

const TensorMeta* RememberedMetas::find(const TensorImpl& impl, const Symbols& symbols) const {
  for (const Known& known : known_) {
    const bool same = known.impl == &impl && impl.storage && known.storage == impl.storage.id();
    if (same && describes(*known.meta, impl, symbols)) return known.meta;
  }
  return nullptr;
}

}  // namespace vitro::capture
