// Modules: named parameters and named submodules, as in torch.nn.
//   struct Mlp : nn::Module {
//     nn::Linear fc1{*this, "fc1", 784, 1024}, fc2{*this, "fc2", 1024, 10};
//     Tensor operator()(const Tensor& x) const { return fc2(relu(fc1(x))); }
//   };
//   Mlp model;   auto fast = compile(std::ref(model));   Tensor y = fast(x);
// A submodule registers with its owner when it is constructed, and is an ordinary member. Modules
// cannot be copied or moved. copy_ gives a parameter new values; a tensor assigned to its member is
// not a parameter, and a compiled function records a new path for it. Threads: one module may be
// called on several threads; the caller must synchronize changes of parameters.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vitro/base/module_path.h"
#include "vitro/base/result.h"
#include "vitro/core/dtype.h"
#include "vitro/core/named_tensor.h"
#include "vitro/core/tensor.h"
#include "vitro/ops/define.h"

namespace vitro::nn {

class Module {
 public:
  // A root. `kind` is the name of the class, such as "Linear", for errors and tables.
  explicit Module(std::string kind = "") : name_(""), kind_(std::move(kind)) {}
  // A submodule of `owner`; "blocks.0" names an element of a list. Error if the name is empty or is
  // that of another member of `owner`.
  Module(Module& owner, std::string name, std::string kind = "");
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  virtual ~Module();

  const std::string& name() const { return name_.text(); }
  const std::string& kind() const { return kind_; }
  // All parameters, as "encoder.layer.0.weight" and its tensor: first those of this module, then
  // those of each submodule, in order of registration. A tensor that is several parameters (tied
  // weights) is listed once, under its first name, unless `remove_duplicate` is false.
  std::vector<std::pair<std::string, Tensor*>> named_parameters(bool remove_duplicate = true);
  std::vector<Tensor*> parameters();
  int64_t parameter_count();
  // The same for tensors that are part of the model's state but are not trained, such as the
  // running statistics of a batch norm.
  std::vector<std::pair<std::string, Tensor*>> named_buffers(bool remove_duplicate = true);

  // The submodules, in order of registration; and all modules below this one by their paths, this
  // one first, as "".
  const std::vector<Module*>& children() const { return parts_; }
  std::vector<std::pair<std::string, Module*>> named_modules();
  std::vector<Module*> modules();
  // Calls f with each module, submodules before their owner.
  //   model.apply([](nn::Module& m) { if (m.kind() == "Dropout") m.eval(); });
  void apply(const std::function<void(Module&)>& f);

  // Whether gradients are recorded for the parameters.  At first they are not: unlike PyTorch's,
  // modules are ready to be used, and are trained after requires_grad_().
  void requires_grad_(bool on = true);
  // Drops the gradients of the parameters.
  void zero_grad();
  // Converts the floating-point parameters and buffers, as PyTorch's `to`, whose name is an op's
  // here. Each is a new tensor in its old place, and tied ones stay tied. An optimizer that has
  // state must be made after it.
  void to_(DType dtype);

  // Whether this module and its submodules train: dropout drops something. At first they do.
  void train(bool mode = true);
  void eval() { train(false); }
  bool is_training() const { return is_training_; }

  // Takes each parameter and buffer from `find(name)`; an undefined tensor means that there is
  // none. Dtype and sizes must be equal. The parameter shares the memory of the tensor; tied
  // parameters stay tied. Error that names every parameter and buffer that is missing or does not
  // fit; then none is changed.
  void load(const std::function<Tensor(std::string_view)>& find);

  // Parameters and buffers, under each of their names: PyTorch's keys.  They are the tensors of the
  // module, not copies.
  //   io::write_safetensors("model.safetensors", model.state_dict());
  //   model.load_state_dict(*io::Safetensors::read("model.safetensors")->tensors());
  std::vector<NamedTensor> state_dict();
  // Names that only the module has, and names that only the state has.
  struct Unmatched {
    std::vector<std::string> missing, unexpected;
  };
  // Copies the values into the parameters and buffers of these names, converted to their dtypes; of
  // a tied parameter one name is enough.  Error that lists what is missing, unexpected (these two
  // only if `strict`) or of other sizes; then nothing is changed.
  Unmatched load_state_dict(std::span<const NamedTensor> state, bool strict = true);

  // What is called before or after each call of this module, which must be one of those that take
  // one tensor and return one: all of this library's, and those that call `forward`. A tensor that
  // the hook returns takes the place of x, or of y; an undefined one leaves it. Hooks are the
  // program's code: their ops are part of a compiled function. Returns a number for remove_hook.
  //   model.fc1.register_forward_hook([&](nn::Module&, const Tensor& x, const Tensor& y) {
  //     seen = y;
  //     return Tensor();
  //   });
  using ForwardPreHook = std::function<Tensor(Module&, const Tensor& x)>;
  using ForwardHook = std::function<Tensor(Module&, const Tensor& x, const Tensor& y)>;
  int64_t register_forward_pre_hook(ForwardPreHook hook);
  int64_t register_forward_hook(ForwardHook hook);
  // The same in backward(), with the gradients of y and of x, as far as it comes from this module;
  // a result takes the place of the latter, which is undefined if x requires none. The module must
  // live until then.
  using BackwardHook =
      std::function<Tensor(Module&, const Tensor& grad_input, const Tensor& grad_output)>;
  int64_t register_full_backward_hook(BackwardHook hook);
  void remove_hook(int64_t number);

 protected:
  // Whether a state may have a tensor of this name that the module has no use for.
  virtual bool ignores([[maybe_unused]] std::string_view name) const { return false; }

  // Sets `slot`, a member of this module, to `value` and registers it as the parameter `name`.
  // Error if the name is empty, contains a dot, or is that of another member. A tensor that already
  // is a parameter keeps its name.
  Tensor& add_parameter(std::string name, Tensor& slot, Tensor value);
  Tensor& add_buffer(std::string name, Tensor& slot, Tensor value);
  // Hold it while the module runs, so that ops know their module path.
  ModuleScope scope() const { return ModuleScope(name_); }
  // Calls body(x) in that scope, between the module's hooks.
  //   Tensor operator()(ops::At x) const {
  //     return forward(x, [&](ops::At in) { return relu(fc(in)); });
  //   }
  template <class Body>
  Tensor forward(const ops::At& x, Body body) const {
    const ModuleScope here = scope();
    if (hooks_.empty()) [[likely]]
      return body(x);
    const Tensor in = with_hooks_before(x.operand.tensor());
    return with_hooks_after(in, body(ops::At(in, x.where)));
  }

 private:
  void check_name(std::string_view kind, std::string_view name) const;
  using Named = std::vector<std::pair<std::string, Tensor*>>;
  enum class Kind : uint8_t { parameter, buffer };
  struct Own {
    std::string name;
    Tensor* slot;
    Kind kind;
  };
  Tensor& add_member(Kind kind, std::string name, Tensor& slot, Tensor value);
  void collect(Kind kind, const std::string& prefix, Named& out);
  Named named(Kind kind, bool remove_duplicate);
  Named named_state(bool remove_duplicate);  // parameters, then buffers
  bool ignores_path(std::string_view path) const;
  void collect_modules(const std::string& path, std::vector<std::pair<std::string, Module*>>& out);
  // A tensor to take the place of a parameter or buffer, and of those tied to it.
  struct Value {
    std::string name;  // from the root on
    Tensor* slot;
    Tensor value;
  };
  void take_over(const std::vector<Value>& values);
  struct Hook {
    int64_t number;
    ForwardPreHook before;  // one of the three
    ForwardHook after;
    BackwardHook backward;
  };
  int64_t add_hook(Hook hook);
  Tensor with_hooks_before(Tensor x) const;
  Tensor with_hooks_after(const Tensor& x, Tensor y) const;

  ModuleName name_;
  std::string kind_;
  Module* owner_ = nullptr;
  std::string prefix_;  // of the names of its parameters: "encoder.layer.0.", empty for a root
  std::vector<Own> own_;
  std::vector<Module*> parts_;
  std::vector<Hook> hooks_;
  int64_t last_hook_ = 0;
  bool is_training_ = true;
};

}  // namespace vitro::nn
