// Sequential, lists and dictionaries of modules; walks over modules; hooks.
#include "vitro/nn/containers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "error_of.h"
#include "vitro/autograd/autograd.h"
#include "vitro/base/cat.h"
#include "vitro/compile/compile.h"
#include "vitro/init.h"
#include "vitro/nn.h"
#include "vitro/ops/all.h"
#include "vitro/ops/arithmetic.h"

namespace vitro::nn {
namespace {

class Containers : public testing::Test {
 protected:
  static void SetUpTestSuite() { vitro::init(); }
};

std::vector<std::string> names_of(Module& module) {
  std::vector<std::string> names;
  for (const auto& [name, slot] : module.named_parameters()) names.push_back(name);
  return names;
}

std::vector<float> numbers(const Tensor& t) {
  return contiguous(detach(t)).to_vector<float>();
}

TEST_F(Containers, call_their_modules_in_turn) {
  Sequential net;
  Linear& first = net.add<Linear>(3, 4);
  net.add<LeakyReLU>(0.2);
  Linear& last = net.add_named<Linear>("head", 4, 2, false);
  EXPECT_EQ(names_of(net), (std::vector<std::string>{"0.weight", "0.bias", "head.weight"}));
  EXPECT_EQ(net.size(), 3);
  EXPECT_EQ(&net[0], &first);
  EXPECT_EQ(&net[-1], &last);
  EXPECT_EQ(net[1].kind(), "LeakyReLU");
  const Tensor x = randn({5, 3});
  const std::vector<float> want = numbers(last(leaky_relu(first(x), 0.2)));
  EXPECT_EQ(numbers(net(x)), want);
  EXPECT_EQ(numbers(compile([&](const Tensor& t) { return net(t); }, {.fullgraph = true})(x)),
            want);
  const Sequential empty;
  EXPECT_TRUE(empty(x).same_as(x));
}

TEST_F(Containers, may_hold_one_another_and_modules_of_the_program) {
  struct Double : Module {
    Double(Module& owner, std::string name, double factor)
        : Module(owner, std::move(name)), factor_(factor) {}
    Tensor operator()(const Tensor& x) const { return x * factor_; }
    double factor_;
  };
  struct Net : Module {
    Sequential body{*this, "body"};
  } net;
  auto& inner = net.body.add<Sequential>();
  inner.add<Linear>(2, 2);
  inner.add<Double>(2.0);
  net.body.add<PReLU>();
  EXPECT_EQ(names_of(net),
            (std::vector<std::string>{"body.0.0.weight", "body.0.0.bias", "body.1.weight"}));
  EXPECT_EQ(net.body(zeros({1, 2})).sizes(), Sizes({1, 2}));
  net.eval();
  EXPECT_FALSE(inner[0].is_training());
}

TEST_F(Containers, refuse_what_they_cannot_name_or_find) {
  Sequential net;
  net.add<ReLU>();
  EXPECT_EQ(error_of([&] { return &net.add_named<ReLU>(""); }),
            "the model: the name of a submodule must not be empty");
  EXPECT_EQ(
      error_of([&] { return &net.add_named<ReLU>("0"); }),
      "the model: two members are named \"0\"; parameters and submodules need distinct names");
  EXPECT_EQ(error_of([&] { return &net[1]; }), "Sequential: index 1 is out of range for 1 modules");
  // A module that could not be made leaves no trace.
  EXPECT_EQ(error_of([&] { return &net.add<Dropout>(2.0); }),
            "a dropout module needs a probability in [0, 1], got 2.0");
  EXPECT_EQ(net.children().size(), 1U);
  net.add<Dropout>(0.5);
  EXPECT_EQ(net.size(), 2);
  static_assert(!TensorModule<LSTM> && !TensorModule<MSELoss> && TensorModule<Linear>);
}

TEST_F(Containers, list_modules_of_one_type) {
  struct Net : Module {
    ModuleList<Linear> layers{*this, "layers", 2, 3, 3};
    ModuleDict<Linear> heads{*this, "heads"};
    Tensor operator()(const Tensor& x) const {
      Tensor y = x;
      for (const Linear& layer : layers) y = layer(y);
      return heads["small"](y);
    }
  } net;
  net.heads.add("small", 3, 1, false);
  net.layers.add(3, 3, false);
  EXPECT_EQ(names_of(net),
            (std::vector<std::string>{"layers.0.weight", "layers.0.bias", "layers.1.weight",
                                      "layers.1.bias", "heads.small.weight", "layers.2.weight"}));
  EXPECT_EQ(net.layers.size(), 3);
  EXPECT_FALSE(net.layers[-1].bias.defined());
  EXPECT_EQ(net.heads.keys(), std::vector<std::string>{"small"});
  EXPECT_TRUE(net.heads.contains("small") && !net.heads.contains("large"));
  EXPECT_EQ(net(zeros({2, 3})).sizes(), Sizes({2, 1}));
  EXPECT_EQ(error_of([&] { return &net.layers[3]; }),
            "ModuleList: index 3 is out of range for 3 modules");
  EXPECT_EQ(error_of([&] { return &net.heads["large"]; }),
            "ModuleDict: there is no module \"large\"");
  EXPECT_EQ(error_of([&] { return &net.heads.add("small", 1, 1); }),
            "ModuleDict: there already is a module \"small\"");
  EXPECT_EQ(error_of([&] { return &net.heads.add("a.b", 1, 1); }),
            "ModuleDict: a key must not be empty or contain a dot, got \"a.b\"");
  EXPECT_EQ(error_of([&] { return ModuleList<Linear>(net, "").size(); }),
            "the name of a list of modules must not be empty");
}

TEST_F(Containers, are_walked_through) {
  struct Net : Module {
    Sequential body{*this, "body"};
    Linear head{*this, "head", 2, 1};
    Net() {
      body.add<Linear>(2, 2);
      body.add<Dropout>(0.5);
    }
  } net;
  std::vector<std::string> paths;
  for (const auto& [path, module] : net.named_modules()) paths.push_back(path);
  EXPECT_EQ(paths, (std::vector<std::string>{"", "body", "body.0", "body.1", "head"}));
  EXPECT_EQ(net.modules().size(), 5U);
  EXPECT_EQ(net.children(), (std::vector<Module*>{&net.body, &net.head}));
  std::string order;
  net.apply([&](Module& m) { order += cat(m.kind(), ' '); });
  EXPECT_EQ(order, "Linear Dropout Sequential Linear  ");
  net.apply([](Module& m) {
    if (m.kind() == "Linear") init::constant_(*m.parameters()[0], 2);
  });
  EXPECT_EQ(numbers(net.head.weight), (std::vector<float>{2, 2}));

  net.requires_grad_();
  sum(net.head(net.body(ones({1, 2})))).backward();
  EXPECT_TRUE(net.head.weight.grad().defined());
  net.zero_grad();
  for (const Tensor* parameter : net.parameters()) EXPECT_FALSE(parameter->grad().defined());
}

TEST_F(Containers, are_converted_to_another_dtype) {
  struct Net : Module {
    Linear a{*this, "a", 2, 2};
    BatchNorm1d norm{*this, "norm", 2};
    Tensor tied;
    Net() { add_parameter("tied", tied, a.weight); }
  } net;
  net.requires_grad_();
  const std::vector<float> before = numbers(net.a.weight);
  net.to_(DType::f64);
  EXPECT_EQ(net.a.weight.dtype(), DType::f64);
  EXPECT_EQ(net.norm.running_var.dtype(), DType::f64);
  EXPECT_TRUE(net.tied.same_as(net.a.weight) && net.tied.requires_grad());
  EXPECT_FALSE(net.norm.running_var.requires_grad());
  EXPECT_EQ(net.norm(net.a(ones({3, 2}, DType::f64))).dtype(), DType::f64);
  net.to_(DType::f32);
  EXPECT_EQ(numbers(net.a.weight), before);
  EXPECT_EQ(error_of([&] {
              net.to_(DType::i64);
              return 0;
            }),
            "Module::to_: needs a floating-point dtype, got i64");
}

TEST_F(Containers, run_hooks_around_their_modules) {
  Sequential net;
  net.add<Linear>(2, 2);
  auto& relu = net.add<ReLU>();
  const Tensor x = Tensor::from({1.0F, -1.0F}, {1, 2});
  const std::vector<float> plain = numbers(net(x));
  Tensor seen;
  const int64_t look = relu.register_forward_hook([&](Module& m, const Tensor& in, const Tensor&) {
    EXPECT_EQ(&m, &relu);
    seen = in;
    return Tensor();
  });
  EXPECT_EQ(numbers(net(x)), plain);
  EXPECT_EQ(numbers(seen), numbers(static_cast<Linear&>(net[0])(x)));

  const int64_t twice =
      relu.register_forward_pre_hook([](Module&, const Tensor& in) { return in * 0.0 + 3.0; });
  const int64_t add =
      net.register_forward_hook([](Module&, const Tensor&, const Tensor& y) { return y + 1.0; });
  EXPECT_EQ(numbers(net(x)), (std::vector<float>{4, 4}));
  const auto fast = compile([&](const Tensor& t) { return net(t); }, {.fullgraph = true});
  EXPECT_EQ(numbers(fast(x)), (std::vector<float>{4, 4}));
  for (const int64_t number : {look, twice}) relu.remove_hook(number);
  net.remove_hook(add);
  EXPECT_EQ(numbers(net(x)), plain);
  EXPECT_EQ(numbers(fast(x)), plain);
  EXPECT_EQ(error_of([&] { return relu.register_forward_hook({}); }),
            "register_forward_hook: the hook is empty");
}

TEST_F(Containers, run_all_hooks_if_one_removes_itself) {
  ReLU relu;
  int before = 0, after = 0;
  int64_t once = 0;
  once = relu.register_forward_pre_hook([&](Module& self, const Tensor&) {
    self.remove_hook(once);
    return Tensor();
  });
  relu.register_forward_pre_hook([&](Module&, const Tensor&) {
    ++before;
    return Tensor();
  });
  relu.register_forward_hook([&](Module&, const Tensor&, const Tensor&) {
    ++after;
    return Tensor();
  });
  for (int i = 0; i < 2; ++i) (void)relu(ones({3}));
  EXPECT_EQ(before, 2);
  EXPECT_EQ(after, 2);
}

TEST_F(Containers, run_hooks_for_their_gradients) {
  for (const bool compiled : {false, true}) {
    SCOPED_TRACE(compiled ? "compiled" : "eager");
    Sequential net;
    net.add<Identity>();
    auto& relu = net.add<ReLU>();
    Tensor x = Tensor::from({1.0F, -1.0F}, {2});
    x.set_requires_grad(true);
    Tensor input, output;
    const int64_t look = relu.register_full_backward_hook(
        [&](Module& m, const Tensor& grad_input, const Tensor& grad_output) {
          EXPECT_EQ(&m, &relu);
          input = grad_input;
          output = grad_output;
          return Tensor();
        });
    // x also goes past the module: that gradient is not the hook's.
    const auto step = [&](const Tensor& t) { return grad(sum(net(t) * 3.0 + t * 10.0), {t})[0]; };
    const auto fast = compile(step, {.fullgraph = true});
    const auto run = [&] { return numbers(compiled ? fast(x) : step(x)); };
    EXPECT_EQ(run(), (std::vector<float>{13, 10}));
    EXPECT_EQ(numbers(input), (std::vector<float>{3, 0}));
    EXPECT_EQ(numbers(output), (std::vector<float>{3, 3}));
    const int64_t twice = relu.register_full_backward_hook(
        [](Module&, const Tensor& grad_input, const Tensor&) { return grad_input * 2.0; });
    EXPECT_EQ(run(), (std::vector<float>{16, 10}));
    relu.remove_hook(look);
    relu.remove_hook(twice);
    EXPECT_EQ(run(), (std::vector<float>{13, 10}));
  }
  // Without a gradient of what it gets.
  Sequential net;
  auto& fc = net.add<Linear>(2, 1);
  net.requires_grad_();
  bool is_defined = true;
  fc.register_full_backward_hook([&](Module&, const Tensor& grad_input, const Tensor& grad_output) {
    is_defined = grad_input.defined();
    EXPECT_EQ(numbers(grad_output), std::vector<float>{1});
    return Tensor();
  });
  sum(net(ones({1, 2}))).backward();
  EXPECT_FALSE(is_defined);
  const NoGrad off;
  EXPECT_EQ(net(ones({1, 2})).sizes(), Sizes({1, 1}));
}

TEST_F(Containers, of_weighted_losses_have_buffers) {
  const Tensor weight = Tensor::from({1.0F, 2.0F}, {2});
  struct Net : Module {
    explicit Net(const Tensor& w) : loss(*this, "loss", {.weight = w}) {}
    CrossEntropyLoss loss;
    NLLLoss plain{*this, "plain"};
  } net(weight);
  const std::vector<NamedTensor> state = net.state_dict();
  ASSERT_EQ(state.size(), 1U);
  EXPECT_EQ(state[0].name, "loss.weight");
  EXPECT_TRUE(net.parameters().empty());
  MSELoss alone;
  EXPECT_EQ(alone(ones({2}), zeros({2})).item<float>(), 1);
  const MSELoss summed({.reduction = reduce_sum});
  EXPECT_EQ(summed(ones({2}), zeros({2})).item<float>(), 2);
}

TEST_F(Containers, and_layers_refuse_what_does_not_fit) {
  Module root;
  EXPECT_EQ(error_of([&] { return MultiheadAttention(root, "a", 6, 4).kind(); }),
            "MultiheadAttention: embed_dim 6 is not a multiple of 4 heads");
  EXPECT_EQ(error_of([&] { return GroupNorm(root, "a", 3, 4).kind(); }),
            "GroupNorm: 4 channels are not a multiple of 3 groups");
  EXPECT_EQ(error_of([&] { return Embedding(root, "a", 4, 2, 4).kind(); }),
            "Embedding: padding_idx 4 is out of range for 4 rows");
  EXPECT_EQ(error_of([&] { return PReLU(root, "a", 0).kind(); }),
            "PReLU: needs a positive number of parameters, got 0");
  EXPECT_EQ(error_of([&] { return GRUCell(root, "a", 2, 0).kind(); }),
            "a recurrent cell: needs a positive hidden size, got 0");
  EXPECT_EQ(error_of([&] { return Activation("tanh")(ones({1})); }),
            "an activation must be \"relu\", \"gelu\" or a function, got \"tanh\"");
  EXPECT_TRUE(root.children().empty());
  const MultiheadAttention attention(root, "attention", 4, 2);
  const Tensor q = ones({3, 1, 4});
  EXPECT_EQ(error_of([&] { return attention(q, q, ones({3, 4})); }),
            "multi_head_attention: needs query, key and value of rank 2 or 3, all of one rank, got "
            "sizes [3, 1, 4], [3, 1, 4] and [3, 4]");
  EXPECT_EQ(error_of([&] { return attention(q, q, q, {.attn_mask = ones({3})}); }),
            "multi_head_attention: attn_mask needs rank 2 or 3, got sizes [3]");
  const InstanceNorm1d norm(root, "norm", 2);
  EXPECT_EQ(error_of([&] { return norm(ones({2})); }),
            "instance_norm: InstanceNorm1d needs x of rank 2 or 3, got sizes [2]");
  EXPECT_EQ(
      error_of([&] { return norm(ones({2, 1})); }),
      "instance_norm: the statistics of a channel need more than one value, got sizes [2, 1]");
  const MultiLabelSoftMarginLoss loss({.reduction = 7});
  EXPECT_EQ(error_of([&] { return loss(ones({2, 3}), ones({2, 3})); }),
            "multilabel_soft_margin_loss: reduction must be 0 (none), 1 (mean) or 2 (sum), got 7");
  const EmbeddingBag bag(root, "bag", 4, 2);
  EXPECT_EQ(error_of([&] { return bag(arange(3)); }),
            "embedding_bag: indices of rank 1 need offsets");
  const LSTMCell cell(root, "cell", 2, 2);
  EXPECT_EQ(error_of([&] { return cell(ones({1, 2}), ones({1, 2})); }),
            "lstm_cell: needs both h and c, or neither");
}

TEST_F(Containers, of_attention_drop_weights_in_training) {
  Module root;
  MultiheadAttention attention(root, "a", 4, 2, {.dropout = 0.5});
  const Tensor q = randn({6, 2, 4});
  const auto weights = [&] { return numbers(std::get<1>(attention(q, q, q))); };
  EXPECT_NE(weights(), weights());
  attention.eval();
  EXPECT_EQ(weights(), weights());
}

TEST_F(Containers, of_attention_may_be_causal) {
  Module root;
  const MultiheadAttention attention(root, "a", 4, 2);
  const Tensor q = randn({6, 2, 4});
  const auto [y, weights] = attention(q, q, q, {.is_causal = true});
  EXPECT_TRUE(equal(tril(weights), weights));
  const auto [same, none] = attention(q, q, q, {.need_weights = false, .is_causal = true});
  EXPECT_LT(amax(abs(y - same)).item<float>(), 1e-5);
  EXPECT_FALSE(none.defined());
}

}  // namespace
}  // namespace vitro::nn
