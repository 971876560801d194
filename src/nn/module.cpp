#include "vitro/nn/module.h"

#include <functional>

#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/core/attributes.h"

namespace vitro::nn {

Module::Module(Module& owner, std::string name)
    : name_(std::move(name)), prefix_(cat(owner.prefix_, name_.text(), '.')) {
  owner.parts_.push_back(this);
}

Tensor& Module::add_parameter(std::string name, Tensor& slot, Tensor value) {
  slot = std::move(value);
  slot.set_parameter(true, prefix_ + name);
  own_.emplace_back(std::move(name), &slot);
  return slot;
}

void Module::collect(const std::string& prefix, std::vector<std::pair<std::string, Tensor*>>& out) {
  for (auto& [name, slot] : own_) out.emplace_back(prefix + name, slot);
  for (Module* part : parts_) part->collect(prefix + part->name() + ".", out);
}

std::vector<std::pair<std::string, Tensor*>> Module::named_parameters() {
  std::vector<std::pair<std::string, Tensor*>> out;
  collect("", out);
  return out;
}

std::vector<Tensor*> Module::parameters() {
  std::vector<Tensor*> out;
  for (auto& [name, slot] : named_parameters()) out.push_back(slot);
  return out;
}

int64_t Module::parameter_count() {
  int64_t n = 0;
  for (Tensor* slot : parameters()) n += slot->numel().value();
  return n;
}

void Module::load(const std::function<Tensor(std::string_view)>& find) {
  struct Found {
    std::string name;
    Tensor* slot;
    Tensor value;
  };
  std::vector<Found> found;
  std::string wrong;
  for (auto& [name, slot] : named_parameters()) {
    Tensor value = find(name);
    if (!value.defined()) {
      wrong += cat("\n  ", name, ": missing");
    } else if (value.dtype() != slot->dtype() || !attribute::same(value.sizes(), slot->sizes())) {
      wrong += cat("\n  ", name, ": got ", value.dtype(), value.sizes(), ", needs ", slot->dtype(),
                   slot->sizes());
    } else {
      found.push_back({prefix_ + name, slot, std::move(value)});
    }
  }
  VITRO_CHECK(wrong.empty(), "load: the weights do not fit this model:", wrong);
  for (auto& [name, slot, value] : found) {
    value.set_parameter(true, name);
    *slot = std::move(value);
  }
}

}  // namespace vitro::nn
