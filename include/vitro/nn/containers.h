// Containers of modules.
//   nn::Sequential net;                       // or a submodule: nn::Sequential net{*this, "net"};
//   net.add<nn::Conv2d>(3, 16, 3, ops::ConvAttrs{.padding = 1});
//   net.add<nn::ReLU>();
//   net.add<nn::Flatten>();
//   Tensor y = net(x);                        // parameters: "0.weight", "0.bias"
//
//   struct Model : nn::Module {
//     nn::ModuleList<Block> blocks{*this, "blocks"};   // "blocks.0.fc.weight", ...
//     Model() { for (int i = 0; i < 12; ++i) blocks.add(64); }
//   };
// Modules are made in place, by the types and values that follow owner and name in their
// constructors, and stay where they are: references to them are valid as long as the container.
#pragma once

#include <concepts>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/nn/module.h"
#include "vitro/ops/define.h"

namespace vitro::nn {

// A module that takes one tensor and returns one.
template <class M>
concept TensorModule = std::derived_from<M, Module> && requires(M& module, const Tensor& x) {
  { module(x) } -> std::convertible_to<Tensor>;
};

// The position that an index means; a negative one counts from the end. Error if there is none.
inline int64_t position_of(std::string_view container, int64_t index, int64_t size) {
  const int64_t i = index < 0 ? index + size : index;
  VITRO_CHECK(i >= 0 && i < size, container, ": index ", index, " is out of range for ", size,
              " modules");
  return i;
}

// Modules that are called one after the other, each with the result of the one before.
class Sequential : public Module {
 public:
  Sequential() : Module("Sequential") {}
  Sequential(Module& owner, std::string name) : Module(owner, std::move(name), "Sequential") {}

  // Makes a module at the end, of the name "0", "1", ..., or of one of its own.
  template <TensorModule M, class... Values>
  M& add(Values&&... values) {
    return add_named<M>(cat(size()), std::forward<Values>(values)...);
  }
  template <TensorModule M, class... Values>
  M& add_named(std::string name, Values&&... values) {
    auto module = std::make_unique<M>(*this, std::move(name), std::forward<Values>(values)...);
    M& made = *module;
    steps_.push_back({std::move(module), &call_one<M>});
    return made;
  }

  Tensor operator()(ops::At x) const;
  int64_t size() const { return static_cast<int64_t>(steps_.size()); }
  // A negative index counts from the end. Error if there is none.
  Module& operator[](int64_t index) const;

 private:
  struct Step {
    std::unique_ptr<Module> module;
    Tensor (*call)(Module&, const ops::At&);
  };
  template <class M>
  static Tensor call_one(Module& module, const ops::At& x) {
    auto& typed = static_cast<M&>(module);
    if constexpr (std::invocable<M&, const ops::At&>)
      return typed(x);
    else
      return typed(x.operand.tensor());
  }
  std::vector<Step> steps_;
};

// What lists and dictionaries of modules of one type have in common. They are not modules: their
// elements are submodules of the owner, with names such as "blocks.0".
template <std::derived_from<Module> M>
class ModulesOf {
 public:
  ModulesOf(const ModulesOf&) = delete;
  ModulesOf& operator=(const ModulesOf&) = delete;
  int64_t size() const { return static_cast<int64_t>(modules_.size()); }
  // In the order in which they were added.
  auto begin() { return modules_.begin(); }
  auto end() { return modules_.end(); }
  auto begin() const { return modules_.begin(); }
  auto end() const { return modules_.end(); }

 protected:
  ModulesOf(Module& owner, std::string name) : owner_(owner), name_(std::move(name)) {
    VITRO_CHECK(!name_.empty(), "the name of a list of modules must not be empty");
  }
  template <class... Values>
  M& add_as(std::string_view key, Values&&... values) {
    return modules_.emplace_back(owner_, cat(std::string_view(name_), '.', key),
                                 std::forward<Values>(values)...);
  }
  M& at(int64_t index) { return modules_[static_cast<size_t>(index)]; }

 private:
  Module& owner_;
  std::string name_;
  std::deque<M> modules_;
};

template <std::derived_from<Module> M>
class ModuleList : public ModulesOf<M> {
 public:
  ModuleList(Module& owner, std::string name) : ModulesOf<M>(owner, std::move(name)) {}
  // With `count` modules made with equal values.
  template <class... Values>
  ModuleList(Module& owner, std::string name, int64_t count, const Values&... values)
      : ModuleList(owner, std::move(name)) {
    for (int64_t i = 0; i < count; ++i) add(values...);
  }
  template <class... Values>
  M& add(Values&&... values) {
    return this->add_as(cat(this->size()), std::forward<Values>(values)...);
  }
  // A negative index counts from the end. Error if there is none.
  M& operator[](int64_t index) { return this->at(position_of("ModuleList", index, this->size())); }
  const M& operator[](int64_t index) const { return const_cast<ModuleList&>(*this)[index]; }
};

template <std::derived_from<Module> M>
class ModuleDict : public ModulesOf<M> {
 public:
  ModuleDict(Module& owner, std::string name) : ModulesOf<M>(owner, std::move(name)) {}
  // Error if the key is empty, has a dot, or is there already.
  template <class... Values>
  M& add(std::string key, Values&&... values) {
    VITRO_CHECK(!key.empty() && key.find('.') == key.npos,
                "ModuleDict: a key must not be empty or contain a dot, got \"",
                std::string_view(key), "\"");
    VITRO_CHECK(!contains(key), "ModuleDict: there already is a module \"", std::string_view(key),
                "\"");
    M& made = this->add_as(key, std::forward<Values>(values)...);
    keys_.push_back(std::move(key));
    return made;
  }
  const std::vector<std::string>& keys() const { return keys_; }
  bool contains(std::string_view key) const { return place_of(key) < this->size(); }
  // Error if there is none.
  M& operator[](std::string_view key) {
    const int64_t i = place_of(key);
    VITRO_CHECK(i < this->size(), "ModuleDict: there is no module \"", key, "\"");
    return this->at(i);
  }
  const M& operator[](std::string_view key) const { return const_cast<ModuleDict&>(*this)[key]; }

 private:
  int64_t place_of(std::string_view key) const {
    int64_t i = 0;
    while (i < this->size() && keys_[static_cast<size_t>(i)] != key) ++i;
    return i;
  }
  std::vector<std::string> keys_;
};

}  // namespace vitro::nn
