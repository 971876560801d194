#include "vitro/ops/all.h"

#include "vitro/ops/definition.h"

namespace vitro::ops {
namespace {

// Uses function pointers, so the linker must find the definition of each.
template <class... Op>
std::vector<const OpDef*> definitions(List<Op...>) {
  static constexpr const OpDef& (*functions[])() = {&def<Op>...};
  std::vector<const OpDef*> out;
  for (const auto function : functions) out.push_back(&function());
  return out;
}

}  // namespace

const std::vector<const OpDef*>& all() {
  static const auto* list = new std::vector<const OpDef*>(definitions(AllOps{}));
  return *list;
}

const OpDef* named(std::string_view name) {
  for (const OpDef* op : all()) {
    if (op->name == name) return op;
  }
  return nullptr;
}

}  // namespace vitro::ops
