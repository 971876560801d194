#include "vitro/ops/all.h"

namespace vitro::ops {
namespace {

struct Collect {
  std::vector<const OpDef*> defs;
  template <class Op>
  void operator()() {
    defs.push_back(&def<Op>());
  }
};

}  // namespace

const std::vector<const OpDef*>& all() {
  static const auto* list = [] {
    Collect collect;
    each_op(collect);
    return new std::vector<const OpDef*>(std::move(collect.defs));
  }();
  return *list;
}

const OpDef* named(std::string_view name) {
  for (const OpDef* op : all()) {
    if (op->name == name) return op;
  }
  return nullptr;
}

}  // namespace vitro::ops
