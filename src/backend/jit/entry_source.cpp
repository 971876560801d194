#include "backend/jit/entry_source.h"

#include "base/living.h"

namespace vitro::jit {
namespace {

Living<const EntrySource>& sources() {
  static auto& all = *new Living<const EntrySource>;
  return all;
}

}  // namespace

void add_entry_source(const std::shared_ptr<const EntrySource>& source) {
  sources().add(source);
}

bool has_entry_sources() {
  return !sources().all().empty();
}

std::optional<std::string> find_entry(std::string_view key, EntryKind kind) {
  for (const auto& source : sources().all())
    if (auto found = source->find(key, kind)) return found;
  return std::nullopt;
}

}  // namespace vitro::jit
