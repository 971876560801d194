// Registration of parameters and submodules by name, loading of weights, hooks.
#include "vitro/nn/module.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <unordered_set>
#include <utility>

#include "vitro/autograd/autograd.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/core/interpreter.h"
#include "vitro/ops/create.h"
#include "vitro/ops/shapes.h"
#include "vitro/ops/view.h"

namespace vitro::nn {

namespace {

// The same memory as another tensor, with its own name.
Tensor alias(const Tensor& t) {
  if (t.is_complex()) return Tensor::as_complex(alias(t.pairs()));
  const TensorImpl& impl = *t.impl();
  return Tensor::over(t.storage(), impl.dtype, impl.sizes, impl.strides, impl.offset);
}

}  // namespace

Module::Module(Module& owner, std::string name, std::string kind)
    : name_(std::move(name)),
      kind_(std::move(kind)),
      owner_(&owner),
      prefix_(cat(owner.prefix_, name_.text(), '.')) {
  owner.check_name("submodule", name_.text());
  owner.parts_.push_back(this);
}

Module::~Module() {
  for (Module* part : parts_) part->owner_ = nullptr;
  if (owner_) std::erase(owner_->parts_, this);
}

void Module::check_name(std::string_view kind, std::string_view name) const {
  const std::string owner = prefix_.empty() ? "the model" : prefix_.substr(0, prefix_.size() - 1);
  VITRO_CHECK(!name.empty(), owner, ": the name of a ", kind, " must not be empty");
  const bool taken =
      std::ranges::any_of(own_, [&](const Own& own) { return own.name == name; }) ||
      std::ranges::any_of(parts_, [&](const Module* part) { return part->name() == name; });
  VITRO_CHECK(!taken, owner, ": two members are named \"", name,
              "\"; parameters and submodules need distinct names");
}

Tensor& Module::add_member(Kind kind, std::string name, Tensor& slot, Tensor value) {
  const std::string_view what = kind == Kind::parameter ? "parameter" : "buffer";
  check_name(what, name);
  VITRO_CHECK(name.find('.') == name.npos, "the name of the ", what, " \"", name,
              "\" contains a dot, which separates modules");
  slot = std::move(value);
  if (!slot.defined() || !slot.impl()->is_parameter) slot.set_parameter(true, prefix_ + name);
  own_.push_back({std::move(name), &slot, kind});
  return slot;
}

Tensor& Module::add_parameter(std::string name, Tensor& slot, Tensor value) {
  return add_member(Kind::parameter, std::move(name), slot, std::move(value));
}

Tensor& Module::add_buffer(std::string name, Tensor& slot, Tensor value) {
  return add_member(Kind::buffer, std::move(name), slot, std::move(value));
}

void Module::collect(Kind kind, const std::string& prefix, Named& out) {
  for (const Own& own : own_)
    if (own.kind == kind) out.emplace_back(prefix + own.name, own.slot);
  for (Module* part : parts_) part->collect(kind, prefix + part->name() + ".", out);
}

Module::Named Module::named(Kind kind, bool remove_duplicate) {
  Named out;
  collect(kind, "", out);
  std::unordered_set<const TensorImpl*> seen;
  if (remove_duplicate)
    std::erase_if(out, [&](const auto& p) { return !seen.insert(p.second->impl()).second; });
  return out;
}

std::vector<std::pair<std::string, Tensor*>> Module::named_parameters(bool remove_duplicate) {
  return named(Kind::parameter, remove_duplicate);
}

std::vector<std::pair<std::string, Tensor*>> Module::named_buffers(bool remove_duplicate) {
  return named(Kind::buffer, remove_duplicate);
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

std::vector<std::pair<std::string, Module*>> Module::named_modules() {
  std::vector<std::pair<std::string, Module*>> out;
  collect_modules("", out);
  return out;
}

void Module::collect_modules(const std::string& path,
                             std::vector<std::pair<std::string, Module*>>& out) {
  out.emplace_back(path, this);
  for (Module* part : parts_)
    part->collect_modules(path.empty() ? part->name() : path + "." + part->name(), out);
}

std::vector<Module*> Module::modules() {
  std::vector<Module*> out;
  for (auto& [path, module] : named_modules()) out.push_back(module);
  return out;
}

void Module::apply(const std::function<void(Module&)>& f) {
  for (Module* part : parts_) part->apply(f);
  f(*this);
}

void Module::zero_grad() {
  for (Tensor* parameter : parameters()) parameter->set_grad({});
}

int64_t Module::add_hook(Hook hook) {
  hook.number = ++last_hook_;
  hooks_.push_back(std::move(hook));
  return last_hook_;
}

int64_t Module::register_forward_pre_hook(ForwardPreHook hook) {
  VITRO_CHECK(hook, "register_forward_pre_hook: the hook is empty");
  return add_hook({.number = 0, .before = std::move(hook), .after = {}, .backward = {}});
}

int64_t Module::register_forward_hook(ForwardHook hook) {
  VITRO_CHECK(hook, "register_forward_hook: the hook is empty");
  return add_hook({.number = 0, .before = {}, .after = std::move(hook), .backward = {}});
}

int64_t Module::register_full_backward_hook(BackwardHook hook) {
  VITRO_CHECK(hook, "register_full_backward_hook: the hook is empty");
  return add_hook({.number = 0, .before = {}, .after = {}, .backward = std::move(hook)});
}

void Module::remove_hook(int64_t number) {
  std::erase_if(hooks_, [&](const Hook& hook) { return hook.number == number; });
}

// A hook gets the module that runs as one that it may change, as it belongs to the program.
Tensor Module::with_hooks_before(Tensor x) const {
  bool is_watched = false;
  const std::vector<Hook> hooks = hooks_;  // a hook may remove itself
  for (const Hook& hook : hooks) {
    is_watched |= static_cast<bool>(hook.backward);
    if (!hook.before) continue;
    Tensor other = hook.before(const_cast<Module&>(*this), x);
    if (other.defined()) x = std::move(other);
  }
  // A tensor of its own, whose gradient is what this module contributes to that of x.
  return is_watched && x.requires_grad() ? view(x, x.sizes()) : x;
}

Tensor Module::with_hooks_after(const Tensor& x, Tensor y) const {
  auto& self = const_cast<Module&>(*this);
  const std::vector<Hook> hooks = hooks_;  // a hook may remove itself
  for (const Hook& hook : hooks) {
    if (!hook.after) continue;
    Tensor other = hook.after(self, x, y);
    if (other.defined()) y = std::move(other);
  }
  for (const Hook& hook : hooks) {
    if (!hook.backward || !y.requires_grad()) continue;
    if (!x.requires_grad()) {
      register_hook(y, [&self, f = hook.backward](const Tensor& g) {
        (void)f(self, Tensor(), g);
        return Tensor();
      });
      continue;
    }
    const auto grad_output = std::make_shared<Tensor>();
    register_hook(y, [grad_output](const Tensor& g) {
      *grad_output = g;
      return Tensor();
    });
    register_hook(x, [&self, grad_output, f = hook.backward](const Tensor& g) {
      return f(self, g, std::exchange(*grad_output, Tensor()));
    });
  }
  return y;
}

void Module::requires_grad_(bool on) {
  for (Tensor* parameter : parameters()) {
    if (is_floating(parameter->dtype()) || parameter->is_complex())
      parameter->set_requires_grad(on);
  }
}

void Module::train(bool mode) {
  is_training_ = mode;
  for (Module* part : parts_) part->train(mode);
}

void Module::load(const std::function<Tensor(std::string_view)>& find) {
  std::vector<Value> found;
  std::string wrong;
  for (auto& [name, slot] : named_state(true)) {
    Tensor value = find(name);
    if (!value.defined()) {
      wrong += cat("\n  ", name, ": missing");
    } else if (value.dtype() != slot->dtype() || !ops::equal_sizes(value.sizes(), slot->sizes())) {
      wrong += cat("\n  ", name, ": got ", value.dtype(), value.sizes(), ", needs ", slot->dtype(),
                   slot->sizes());
    } else {
      found.push_back({prefix_ + name, slot, std::move(value)});
    }
  }
  VITRO_CHECK(wrong.empty(), "load: the weights do not fit this model:", wrong);
  take_over(found);
}

void Module::to_(DType dtype) {
  VITRO_CHECK(is_floating(dtype), "Module::to_: needs a floating-point dtype, got ", dtype);
  const NoGrad unrecorded;
  std::vector<Value> found;
  for (auto& [name, slot] : named_state(true)) {
    if (slot->defined() && is_floating(slot->dtype()) && slot->dtype() != dtype)
      found.push_back({prefix_ + name, slot, vitro::to(*slot, dtype)});
  }
  take_over(found);
}

Module::Named Module::named_state(bool remove_duplicate) {
  Named out = named_parameters(remove_duplicate);
  for (auto& buffer : named_buffers(remove_duplicate)) out.push_back(std::move(buffer));
  return out;
}

void Module::take_over(const std::vector<Value>& values) {
  Named all = named_state(false);
  for (const Value& one : values) {
    const Tensor before = *one.slot;
    Tensor loaded = alias(one.value);
    loaded.set_parameter(true, one.name);
    if (before.requires_grad()) loaded.set_requires_grad(true);
    for (auto& [other, tied] : all)
      if (tied->same_as(before)) *tied = loaded;
  }
}

std::vector<NamedTensor> Module::state_dict() {
  std::vector<NamedTensor> out;
  for (const Kind kind : {Kind::parameter, Kind::buffer}) {
    for (const auto& [name, tensor] : named(kind, false))
      if (tensor->defined()) out.push_back({name, *tensor});
  }
  return out;
}

bool Module::ignores_path(std::string_view path) const {
  for (const Module* part : parts_) {
    const std::string& name = part->name();
    if (path.size() > name.size() && path[name.size()] == '.' && path.starts_with(name) &&
        part->ignores_path(path.substr(name.size() + 1)))
      return true;
  }
  return ignores(path);
}

Module::Unmatched Module::load_state_dict(std::span<const NamedTensor> state, bool strict) {
  std::map<std::string_view, const Tensor*> left;
  for (const NamedTensor& one : state) left[one.name] = &one.tensor;
  Unmatched out;
  std::string wrong;
  std::map<const TensorImpl*, const Tensor*> values;  // by what they are for
  const std::vector<NamedTensor> own = state_dict();
  for (const auto& [name, tensor] : own) {
    const auto found = left.extract(name);
    if (!found) continue;
    const Tensor& value = *found.mapped();
    if (!value.defined() || !ops::equal_sizes(value.sizes(), tensor.sizes()))
      wrong += cat("\n  ", std::string_view(name), ": got ",
                   value.defined() ? cat(value.dtype(), value.sizes()) : "an undefined tensor",
                   ", needs ", tensor.dtype(), tensor.sizes());
    values[tensor.impl()] = &value;
  }
  for (const auto& [name, tensor] : own)
    if (!values.contains(tensor.impl())) out.missing.push_back(name);
  for (const auto& [name, tensor] : left)
    if (!ignores_path(name)) out.unexpected.emplace_back(name);
  if (strict) {
    for (const std::string& name : out.missing)
      wrong += cat("\n  ", std::string_view(name), ": missing");
    for (const std::string& name : out.unexpected)
      wrong += cat("\n  ", std::string_view(name), ": unexpected");
  }
  VITRO_CHECK(wrong.empty(), "load_state_dict: the state does not fit this model:", wrong);
  const NoGrad unrecorded;
  for (const auto& [name, tensor] : own) {
    const auto value = values.extract(tensor.impl());
    if (value) copy_(tensor, *value.mapped());
  }
  return out;
}

}  // namespace vitro::nn
