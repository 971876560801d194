// Tests of docs/from_pytorch.md: all of its code is in this file, so that it compiles and does what
// the page says.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <regex>
#include <sstream>
#include <tuple>

#include "code_of_page.h"
#include "vitro/images/file.h"
#include "vitro/images/folder.h"
#include "vitro/images/transforms.h"
#include "vitro/vitro.h"

namespace vitro {
namespace {

std::vector<int64_t> sizes_of(const Tensor& x) {
  std::vector<int64_t> out;
  for (const Size s : x.sizes()) out.push_back(s.value());
  return out;
}
using Ns = std::vector<int64_t>;

Tensor eight_by_six() {
  return reshape(arange(48, DType::f32), {8, 6});
}

TEST(FromPyTorch, tensors_are_made_of_the_dtype_that_the_page_says) {
  EXPECT_EQ(Tensor::from({1.0F, 2.0F, 3.0F}, {3}).dtype(), DType::f32);
  EXPECT_EQ(Tensor::from({1.0, 2.0}, {2}).dtype(), DType::f64);  // double
  EXPECT_EQ(Tensor::from({1, 2, 3}, {3}).dtype(), DType::i32);
  EXPECT_EQ(Tensor::from<int64_t>({1, 2, 3}, {3}).dtype(), DType::i64);
  EXPECT_EQ(Tensor::from<std::complex<float>>({{1, 2}}, {1}).dtype(), DType::c64);
  const Tensor a = ones({2}), b = zeros({2});
  EXPECT_EQ(complex(a, b).dtype(), DType::c64);
  EXPECT_EQ(sizes_of(zeros({2, 3})), sizes_of(ones({2, 3})));
  EXPECT_EQ(full({2, 3}, 1.5).dtype(), DType::f32);
  EXPECT_EQ(arange(10).dtype(), DType::i64);
  const Tensor x = Tensor::empty({2, 3});
  EXPECT_EQ(sizes_of(zeros_like(x)), (Ns{2, 3}));
  manual_seed(0);
  EXPECT_EQ(randn({2, 3}).dtype(), DType::f32);
  EXPECT_LT(amax(rand({2, 3})).item<float>(), 1);
  manual_seed(0, Generator::mt19937);
  // torch.manual_seed(0); torch.randn(2, 3).max()
  EXPECT_NEAR(amax(randn({2, 3})).item<float>(), 1.54099607F, 1e-6);
  manual_seed(0);
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i32, DType::i64,
                            DType::u8, DType::boolean})
    EXPECT_EQ(zeros({1}, dtype).dtype(), dtype);
}

TEST(FromPyTorch, tensors_say_what_they_are) {
  const Tensor x = eight_by_six(), s = sum(x);
  EXPECT_EQ(x.sizes()[0], x.size(0));
  int64_t n = x.size(0);
  EXPECT_EQ(n, 8);
  EXPECT_EQ(x.dim(), 2);
  EXPECT_EQ(x.numel(), 48);
  EXPECT_EQ(x.dtype(), DType::f32);
  EXPECT_TRUE(x.is_contiguous());
  EXPECT_EQ(x.strides()[0], 6);
  EXPECT_EQ(s.item<float>(), 47 * 48 / 2);
  EXPECT_EQ(x.to_vector<float>()[47], x.data<float>()[47]);
  testing::internal::CaptureStdout();
  std::cout << x;
  EXPECT_EQ(testing::internal::GetCapturedStdout().find("tensor("), 0u);
  EXPECT_EQ(to(x, DType::f64).dtype(), DType::f64);
  EXPECT_TRUE(contiguous(x).same_as(x));
  EXPECT_FALSE(clone(x).same_as(x));
}

TEST(FromPyTorch, tensors_are_indexed) {
  const Tensor x = eight_by_six(), y = zeros({6}), mask = x > 40;
  const Tensor index = Tensor::from({0, 3}, {2}), indices = Tensor::from({0, 3, 5, 1}, {2, 2});
  EXPECT_EQ(sizes_of(select(x, 0, 0)), (Ns{6}));
  EXPECT_EQ(sizes_of(select(x, -1, -1)), (Ns{8}));
  EXPECT_EQ(sizes_of(slice(x, 1, 1, 3)), (Ns{8, 2}));
  EXPECT_EQ(sizes_of(slice(x, 0, 0, INT64_MAX, 2)), (Ns{4, 6}));
  EXPECT_EQ(sizes_of(index_select(x, 0, index)), (Ns{2, 6}));
  EXPECT_EQ(gather(x, 1, indices).to_vector<float>(), (std::vector<float>{0, 3, 11, 7}));
  copy_(select(x, 0, 0), y);
  EXPECT_EQ(sum(select(x, 0, 0)).item<float>(), 0);
  masked_fill_(x, mask, 0);
  EXPECT_EQ(amax(x).item<float>(), 40);
}

TEST(FromPyTorch, tensors_of_indices_pick_and_put) {
  const Tensor x = eight_by_six(), mask = x > 40;
  const Tensor i = Tensor::from<int64_t>({1, -1}, {2}), j = Tensor::from<int64_t>({0, 5}, {2});
  const Tensor indices = Tensor::from<int64_t>({0, 0}, {1, 2}), y = full({1, 2}, 100.0F);
  EXPECT_EQ(index(x, {i, j}).to_vector<float>(), (std::vector<float>{6, 47}));
  EXPECT_EQ(sizes_of(index(x, {{}, i})), (Ns{8, 2}));
  EXPECT_EQ(sizes_of(index(x, mask)), (Ns{7}));
  EXPECT_EQ(scatter_add(x, 1, indices, y).data<float>()[0], 200);
  EXPECT_EQ(scatter_reduce(x, 1, indices, y, ops::ScatterReduction::amax).data<float>()[0], 100);
  {
    const Tensor y = full({6}, 7.0F);
    index_put_(x, {i}, y);
  }
  {
    const Tensor y = ones({2});
    index_put_(x, {i, j}, y, true);
  }
  EXPECT_EQ(index(x, {i, j}).to_vector<float>(), (std::vector<float>{8, 8}));
}

TEST(FromPyTorch, tensors_are_reshaped) {
  const Tensor x = eight_by_six(), a = zeros({2, 3}), b = ones({2, 3}), row = ones({1, 6});
  EXPECT_EQ(sizes_of(view(x, -1)), (Ns{48}));
  EXPECT_EQ(sizes_of(view(x, DType::i32)), (Ns{8, 6}));
  EXPECT_EQ(sizes_of(reshape(x, {4, -1})), (Ns{4, 12}));
  EXPECT_EQ(sizes_of(flatten(x, 1)), (Ns{8, 6}));
  EXPECT_EQ(sizes_of(t(x)), sizes_of(transpose(x, 0, 1)));
  EXPECT_EQ(sizes_of(permute(x, {1, 0})), (Ns{6, 8}));
  EXPECT_EQ(flip(x, 0).data<float>()[0], 42);
  EXPECT_EQ(sizes_of(expand(row, {4, -1})), (Ns{4, 6}));
  EXPECT_EQ(sizes_of(squeeze(x, 0)), (Ns{8, 6}));
  EXPECT_EQ(sizes_of(unsqueeze(x, 0)), (Ns{1, 8, 6}));
  EXPECT_EQ(sizes_of(cat({a, b}, 1)), (Ns{2, 6}));
  EXPECT_EQ(sizes_of(stack({a, b})), (Ns{2, 2, 3}));
  EXPECT_EQ(sizes_of(pad_sequence({a, b}, true)), (Ns{2, 2, 3}));
  const Tensor i = arange(2), j = arange(3);
  EXPECT_EQ(sizes_of(vstack({a, b})), (Ns{4, 3}));
  EXPECT_EQ(sizes_of(meshgrid({i, j})[1]), (Ns{2, 3}));
  EXPECT_EQ(sizes_of(split_with_sizes(x, {2, 6})[1]), (Ns{6, 6}));
  EXPECT_EQ(chunk(x, 3, -1).size(), 3u);
  EXPECT_EQ(split(x, 2).size(), 4u);
}

float first(const Tensor& x) {
  return select(view(to(x, DType::f32), {-1}), 0, 0).item<float>();
}

TEST(FromPyTorch, elements_are_computed) {
  const Tensor a = full({2, 3}, 7.0), b = full({2, 3}, 2.0), w = ones({3, 4});
  const Tensor p = a < b, q = a == b;
  EXPECT_EQ(first(a + b), 9);
  EXPECT_EQ(first(a - b), 5);
  EXPECT_EQ(first(2 * a), 14);
  EXPECT_EQ(first(a / b), 3.5);
  EXPECT_EQ(first(add(a, b, 2)), 11);
  EXPECT_EQ(first(pow(a, 2)), 49);
  EXPECT_EQ(first(floor_divide(a, b)), 3);
  EXPECT_EQ(first(remainder(a, b)), 1);
  EXPECT_EQ(first(matmul(a, w)), 21);
  EXPECT_FALSE(first(p & q));
  EXPECT_FALSE(first(p | q));
  EXPECT_TRUE(first(~p));
  EXPECT_FALSE(equal(a, b));
  EXPECT_FALSE(equal(a, w));
  EXPECT_FALSE(allclose(a, b));
  EXPECT_TRUE(equal(a, clone(a)) && allclose(a, a + 1e-5));
  EXPECT_EQ(first(where(p, a, b)), 2);
  EXPECT_EQ(first(maximum(a, b)), 7);
  EXPECT_EQ(first(ops::call("add.Tensor", {a, b}, {{"alpha", Scalar(2)}})[0]), 11);
  a += b;
  add_(a, b);
  relu_(a);
  EXPECT_EQ(first(a), 11);
}

TEST(FromPyTorch, losses_are_functions) {
  const Tensor x = zeros({3, 2}), y = Tensor::from<int64_t>({0, 1, 1}, {3});
  EXPECT_NEAR(cross_entropy_loss(x, y).item<float>(), std::log(2.0), 1e-6);
  const Tensor a = full({2}, 3.0), b = full({2}, 5.0);
  EXPECT_EQ(first(mse_loss(a, b, 2)), 8);
}

TEST(FromPyTorch, dimensions_are_folded) {
  const Tensor x = eight_by_six();
  EXPECT_EQ(first(exp(x)), 1);
  EXPECT_EQ(vitro::exp(x).dim(), 2);
  EXPECT_EQ(first(abs(x)), first(clamp(x, 0, 1)));
  bool positive = false;
  if ((sum(x) > 0).item<bool>()) positive = true;
  EXPECT_TRUE(positive);
  EXPECT_EQ(sizes_of(sum(x, 0)), (Ns{6}));
  EXPECT_EQ(sizes_of(sum(x, {0, 1}, true)), (Ns{1, 1}));
  EXPECT_EQ(sizes_of(mean(x, -1)), (Ns{8}));
  EXPECT_NEAR(first(var(x, 1, 0)), 35.0 / 12, 1e-5);
  EXPECT_NEAR(first(stddev(x, 1)), std::sqrt(35.0 / 10), 1e-5);
  EXPECT_EQ(first(amax(x)), 47);
  EXPECT_EQ(first(amax(x, 1)), 5);
  EXPECT_EQ(first(argmax(x, 1)), 5);
  auto [values, indices] = max(x, 1);
  EXPECT_EQ(first(values), 5);
  EXPECT_EQ(first(indices), 5);
  EXPECT_TRUE(first(any(x)));
  EXPECT_FALSE(first(all(x, 1)));
  EXPECT_EQ(first(relu(x)), first(gelu(x, "tanh")));
  EXPECT_NEAR(sum(softmax(x, -1)).item<float>(), 8, 1e-5);
  EXPECT_NEAR(first(sum(layer_norm(x, 6))), 0, 1e-4);
}

TEST(FromPyTorch, layers_are_functions) {
  const Tensor x = eight_by_six(), weight = ones({2, 6}), bias = ones({2});
  EXPECT_EQ(first(linear(x, weight, bias)), 16);
  const Tensor table = eight_by_six(), ids = Tensor::from({1, 2}, {2});
  EXPECT_EQ(first(embedding(table, ids)), 6);
  const Tensor image = ones({1, 1, 4, 4}), kernel = ones({1, 1, 3, 3});
  EXPECT_EQ(first(conv2d(image, kernel, {}, {.padding = 1})), 4);
  EXPECT_EQ(sizes_of(conv_transpose2d(image, kernel, {}, {.stride = 2})), (Ns{1, 1, 9, 9}));
  {
    const Tensor x = ones({1, 1, 32, 32});
    EXPECT_EQ(sizes_of(pad(x, {1, 1, 2, 2})), (Ns{1, 1, 36, 34}));
    EXPECT_EQ(sizes_of(max_pool2d(x, 3, 2, 1)), (Ns{1, 1, 16, 16}));
    EXPECT_EQ(sizes_of(im2col(x, 3, 1, 1, 1)), (Ns{1, 9, 1024}));
    EXPECT_EQ(sizes_of(interpolate(x, {.size = {64, 64}})), (Ns{1, 1, 64, 64}));
    EXPECT_EQ(sizes_of(interpolate(x, {.scale_factor = 2, .mode = "bilinear"})),
              (Ns{1, 1, 64, 64}));
    const Tensor p = ones({1, 9, 4});
    EXPECT_EQ(first(col2im(p, {4, 4}, 3, 1, 0, 1)), 1);
    const Tensor theta = view(Tensor::from({1.0F, 0.0F, 0.0F, 0.0F, 1.0F, 0.0F}, {6}), {1, 2, 3});
    EXPECT_EQ(first(grid_sample(x, affine_grid_generator(theta, {1, 1, 4, 4}, false))), 1);
    EXPECT_EQ(sizes_of(fft_fft2(x, {4, 4})), (Ns{1, 1, 4, 4}));
    const Tensor a = 2 * eye(3);
    EXPECT_EQ(sum(linalg_inv(a)).item<float>(), 1.5);
    EXPECT_NEAR(first(ndtr(x)), 0.8413447, 1e-6);  // the normal distribution at 1
  }
  const Tensor q = ones({1, 2, 4, 8}), k = q, v = q;
  EXPECT_EQ(first(scaled_dot_product_attention(q, k, v, {}, 0, true)), 1);
}

struct Classifier : nn::Module {
  nn::Linear first{*this, "first", 6, 8}, second{*this, "second", 8, 2};  // an owner and a name
  Tensor operator()(const Tensor& x) const {                              // forward
    const auto here = scope();  // profiles say which module an op is in
    return second(relu(first(x)));
  }
};

struct Tied : nn::Module {
  nn::Embedding embed{*this, "embed", 6, 4};
  nn::Linear head{*this, "head", 4, 6, false};
  Tied() { head.weight = embed.weight; }
};

struct Sequence : nn::Module {
  nn::LSTM lstm{*this, "lstm", 3, 4};
};

struct Block : nn::Module {
  Block(Module& owner, std::string name) : Module(owner, std::move(name)) {}
  nn::Linear fc{*this, "fc", 6, 8};
};

struct Convolution : nn::Module {
  nn::Conv2d conv{*this, "conv", 3, 8, 3, {.padding = 1}, false};
  nn::Linear fc{*this, "fc", 6, 8};
};

struct Blocks : nn::Module {
  Tensor scale;
  nn::ModuleList<Block> blocks{*this, "blocks", 2};
  nn::ModuleDict<nn::Linear> heads{*this, "heads"};
  Blocks() {
    add_parameter("scale", scale, ones({6}));
    blocks.add();
    heads.add("a", 6, 2);
  }
};

struct Layers : nn::Module {
  nn::Sequential body{*this, "body"};
  nn::MaxPool2d pool{*this, "pool", 3, {.stride = 2}};
  nn::LeakyReLU act{*this, "act", 0.2};
  nn::MultiheadAttention attention{*this, "attention", 6, 2};
  nn::TransformerEncoder encoder{*this, "encoder", 6, 2, 3, {.norm_first = true}};
  nn::GRUCell cell{*this, "cell", 3, 4};
};

TEST(FromPyTorch, recurrent_layers_return_their_states) {
  const Sequence model;
  const auto& lstm = model.lstm;
  const Tensor x = ones({5, 2, 3});
  const auto [y, h, c] = lstm(x);
  EXPECT_EQ(sizes_of(y), (Ns{5, 2, 4}));
  EXPECT_EQ(sizes_of(h), (Ns{1, 2, 4}));
  EXPECT_EQ(sizes_of(c), (Ns{1, 2, 4}));
}

TEST(FromPyTorch, modules_have_an_owner_and_a_name) {
  Classifier model;
  const Tensor x = eight_by_six();
  EXPECT_EQ(sizes_of(model(x)), (Ns{8, 2}));
  EXPECT_EQ(model.parameters().size(), 4u);
  EXPECT_EQ(model.named_parameters()[0].first, "first.weight");
  model.train();
  EXPECT_TRUE(model.first.is_training());
  model.eval();
  EXPECT_FALSE(model.first.is_training());
  EXPECT_EQ(Tied().parameters().size(), 1u);
  Blocks blocks;
  EXPECT_EQ(blocks.named_parameters()[1].first, "blocks.0.fc.weight");
  EXPECT_EQ(blocks.named_parameters().back().first, "heads.a.bias");
  {
    nn::Sequential net;
    net.add<nn::Linear>(6, 8);
    net.add<nn::ReLU>();
    net.add<nn::MaxPool1d>(2);
    EXPECT_EQ(sizes_of(net(x)), (Ns{8, 4}));
  }
  {
    Convolution model;
    EXPECT_FALSE(model.conv.bias.defined());
    const Tensor w = ones({8, 6});
    {
      NoGrad off;
      copy_(model.fc.weight, w);
    }
    EXPECT_EQ(sum(model.fc.weight).item<float>(), 48);
  }
  auto fast = compile(std::ref(model));
  EXPECT_EQ(fast(x).to_vector<float>(), model(x).to_vector<float>());
}

TEST(FromPyTorch, modules_of_torch_nn_have_its_names) {
  const Layers model;
  const auto& [body, pool, act, attention, encoder, cell] =
      std::tie(model.body, model.pool, model.act, model.attention, model.encoder, model.cell);
  const Tensor q = ones({4, 2, 6}), k = q, v = q, m = zeros({2, 4}, DType::boolean);
  {
    auto [y, w] = attention(q, k, v, {.key_padding_mask = m});
    EXPECT_EQ(sizes_of(y), (Ns{4, 2, 6}));
    EXPECT_EQ(sizes_of(w), (Ns{2, 4, 4}));
  }
  EXPECT_EQ(sizes_of(encoder(q)), (Ns{4, 2, 6}));
  EXPECT_EQ(sizes_of(pool(ones({1, 5, 5}))), (Ns{1, 2, 2}));
  EXPECT_EQ(act(full({1}, -1.0)).item<float>(), -0.2F);
  EXPECT_TRUE(body(q).same_as(q));
  const Tensor x = ones({2, 3});
  Tensor h;
  h = cell(x, h);
  EXPECT_EQ(sizes_of(h), (Ns{2, 4}));
}

TEST(FromPyTorch, losses_and_initial_values_have_the_names_of_torch) {
  nn::CrossEntropyLoss loss({.label_smoothing = 0.1});
  EXPECT_GT(loss(zeros({2, 3}), zeros({2}, DType::i64)).item<float>(), 1);
  const Tensor w = zeros({40, 50});
  nn::init::kaiming_normal_(w, 0, "fan_in", "relu");
  EXPECT_NEAR(stddev(w).item<float>(), 0.2, 0.02);
}

TEST(FromPyTorch, modules_are_walked_through_and_converted) {
  Classifier model;
  int modules = 0;
  const auto f = [&](nn::Module&) { ++modules; };
  model.apply(f);
  EXPECT_EQ(model.named_modules().size(), 3u);
  EXPECT_EQ(model.children().size(), 2u);
  EXPECT_EQ(modules, 3);
  {
    auto& fc = model.first;
    int calls = 0;
    const auto f = [&](nn::Module&, const Tensor&, const Tensor&) {
      ++calls;
      return Tensor();
    };
    int64_t number = fc.register_forward_hook(f);
    (void)model(eight_by_six());
    fc.remove_hook(number);
    fc.remove_hook(fc.register_full_backward_hook(f));
    (void)model(eight_by_six());
    EXPECT_EQ(calls, 1);
  }
  model.to_(DType::bf16);
  EXPECT_EQ(model.first.weight.dtype(), DType::bf16);
  model.to_(DType::f64);
  EXPECT_EQ(model.first.weight.dtype(), DType::f64);
  EXPECT_NE(nn::summary(model).find("first"), std::string::npos);
}

[[maybe_unused]] void shown(nn::Module& model) {
  std::cout << nn::summary(model);
}

TEST(FromPyTorch, averages_of_weights_take_turns_with_them) {
  Classifier model;
  nn::ExponentialMovingAverage average(model, {.decay = 0.999});
  average.update(model);
  fill_(model.first.weight, 1);
  average.swap(model);
  EXPECT_NE(sum(model.first.weight).item<float>(), 48);
  average.swap(model);
  EXPECT_EQ(sum(model.first.weight).item<float>(), 48);
  optim::SGD optimizer(model.parameters(), {.lr = 0.1});
  const optim::SWALR schedule(optimizer, 0.05);
  const nn::StochasticWeightAverage mean_of_all(model);
  EXPECT_EQ(mean_of_all.count(), 0);
}

// Code that reads or writes files, or listens on a port: compiled but not run.
[[maybe_unused]] void files_of(Classifier& m, const Tensor& w, const Tensor& x, const Tensor& y) {
  const auto file = io::Safetensors::read("model.safetensors").value();
  Classifier& model = m;
  model.load_state_dict(file.tensors().value());
  model.load([&](std::string_view name) { return file.tensor(name).value(); });
  io::write_safetensors("model.safetensors", model.state_dict());
  save(export_graph(std::ref(m), x), "model.pt2");
  load("model.pt2").save_compiled("model.vitro", {x});
  const ModelResults soon = load("model.vitro")({x});
  io::write_safetensors("model.safetensors", {{"weight", w}});
  const ModelResults out = load("model.pt2")({x});
  const ExportedModel fast = load("model.pt2").compile();
  io::write_npy("x.npy", x);
  (void)io::read_npy("x.npy").value();
  io::write_npz("both.npz", {{"x", x}, {"y", y}});
  (void)io::read_npz("both.npz").value();
  set_debug_folder("folder");
  set_num_threads(4);
}

TEST(FromPyTorch, gradients_are_recorded_where_a_leaf_asks_for_them) {
  Tensor x = Tensor::from({1.0, 2.0}, {2});
  x.set_requires_grad(true);
  const Tensor y = x * x;
  y.retain_grad();
  const auto f = [](const Tensor& gradient) { return gradient * 2.0; };
  HookHandle h = register_hook(y, f);
  const Tensor loss = sum(y * y);
  backward(loss, {}, {.retain_graph = true});
  EXPECT_EQ(x.grad().to_vector<double>(), (std::vector<double>{8, 64}));
  h.remove();
  x.set_grad({});
  loss.backward();
  EXPECT_EQ(x.grad().to_vector<double>(), (std::vector<double>{4, 32}));
  EXPECT_FALSE(y.is_leaf());
  EXPECT_FALSE(detach(y).requires_grad());
  {
    const Tensor y = sum(x * x), g = full({}, 2.0, DType::f64);
    EXPECT_EQ(grad(y, {x}, {.create_graph = true})[0].to_vector<double>(),
              (std::vector<double>{2, 4}));
    const Tensor loss = sum(x);
    loss.backward(g);
    EXPECT_EQ(x.grad().to_vector<double>(), (std::vector<double>{6, 34}));
  }
  {
    InferenceMode on;
    EXPECT_TRUE((x * 2.0).is_inference());
  }
  EXPECT_FALSE(x.is_inference());
  NoGrad off;
  EXPECT_FALSE((x * 2.0).requires_grad());
  EnableGrad on;
  EXPECT_TRUE((x * 2.0).requires_grad());
}

TEST(FromPyTorch, optimizers_change_parameters) {
  Classifier model;
  model.requires_grad_();
  optim::AdamW optimizer(model.parameters(), {.lr = 3e-4});
  optim::StepLR schedule(optimizer, 30);
  const Tensor loss = sum(model(eight_by_six()));
  loss.backward();
  const float before = sum(model.first.weight).item<float>();
  EXPECT_GT(nn::clip_grad_norm_(model.parameters(), 1.0).item<float>(), 0);
  optimizer.step();
  optimizer.zero_grad();
  schedule.step();
  EXPECT_NE(sum(model.first.weight).item<float>(), before);
  EXPECT_FALSE(model.first.weight.grad().defined());
  Tensor a = ones({1}), b = ones({1});
  optim::SGD groups({{{&a}, {.lr = 0.1}}, {{&b}, {.lr = 0.01}}});
  EXPECT_EQ(groups.options(1).lr, 0.01);
  {
    const auto f = [](int64_t step) { return step < 2 ? 0.5 : 1; };
    optim::LambdaLR schedule(groups, f);
    EXPECT_EQ(groups.options().lr, 0.05);
    schedule.set_steps(2);
    EXPECT_EQ(groups.options().lr, 0.1);
  }
  {
    const Tensor loss = sum(square(model(eight_by_six())));
    const std::vector<Tensor> slopes = grad(loss, model.parameters(), {.create_graph = true});
    EXPECT_TRUE(slopes[0].requires_grad());
  }
  const Tensor p = ones({2}), g = full({2}, 3);
  sub_(p, 0.1 * g);
  EXPECT_TRUE(allclose(p, full({2}, 0.7)));
}

struct Cube : Function<Cube> {
  static Tensor forward(FunctionContext& context, const Tensor& x) {
    context.save_for_backward({x});
    return x * x * x;
  }
  static std::vector<Tensor> backward(FunctionContext& context, std::span<const Tensor> g) {
    const Tensor x = context.saved_tensors()[0];
    return {g[0] * 3.0 * x * x};
  }
};

TEST(FromPyTorch, functions_are_differentiated_in_other_ways) {
  Tensor x = ones({2}).set_requires_grad(true);
  const auto f = [](const Tensor& t) { return Cube::apply(t); };
  EXPECT_EQ(sum(Cube::apply(x)).item<float>(), 2);
  EXPECT_EQ(functional::jacobian(f, x).to_vector<float>(), (std::vector<float>{3, 0, 0, 3}));
  DetectAnomaly on;
  sum(checkpoint(f, x)).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{3, 3}));
}

TEST(FromPyTorch, precision_is_mixed) {
  Classifier model;
  model.requires_grad_();
  optim::AdamW optimizer(model.parameters());
  optim::GradScaler scaler;
  const float before = sum(model.first.weight).item<float>();
  Tensor loss;
  {
    Autocast on(DType::bf16);
    EXPECT_TRUE(is_autocast_enabled());
    const Tensor y = model(eight_by_six());
    EXPECT_EQ(y.dtype(), DType::bf16);
    Autocast off(DType::bf16, false);
    EXPECT_FALSE(is_autocast_enabled());
    loss = sum(to(y, DType::f32));
  }
  scaler.scale(loss).backward();
  scaler.unscale_(optimizer);
  (void)nn::clip_grad_norm_(model.parameters(), 1.0);
  scaler.step(optimizer);
  scaler.update();
  EXPECT_NE(sum(model.first.weight).item<float>(), before);
  EXPECT_EQ(scaler.get_scale(), 65536);
}

TEST(FromPyTorch, data_comes_in_batches_and_runs_go_on) {
  const Tensor x = eight_by_six(), labels = arange(8);
  data::TensorDataset dataset({x, labels});
  data::DataLoader loader(dataset, {.batch_size = 2, .shuffle = true, .num_workers = 1});
  int64_t sum = 0;
  for (const data::Sample& batch : loader) {
    EXPECT_EQ(batch[0].size(0).value(), 2);
    for (const int64_t label : batch[1].to_vector<int64_t>()) sum += label;
  }
  EXPECT_EQ(sum, 28);
  const std::string path = testing::TempDir() + "vitro_run_" + std::to_string(getpid());
  Classifier model;
  Checkpoint run(path);
  run.add("model", model);
  EXPECT_FALSE(run.load());
  run.save();
  EXPECT_TRUE(run.load());
  std::filesystem::remove(path);
}

TEST(FromPyTorch, images_come_from_folders) {
  const std::string root = testing::TempDir() + "vitro_train_" + std::to_string(getpid());
  std::filesystem::create_directories(root + "/cat");
  const std::string path = root + "/cat/1.png";
  const Tensor image = full({3, 4, 6}, 200, DType::u8);
  images::write_png(path, image);
  EXPECT_TRUE(equal(images::read_image(path).value(), image));
  EXPECT_EQ(sizes_of(images::adjust_hue(image, 0.1)), (Ns{3, 4, 6}));
  images::Compose augment{images::RandomResizedCrop(224), images::RandomHorizontalFlip(),
                          images::ConvertImageDtype()};
  images::ImageFolder folder(root, {.transform = augment});
  data::DataLoader loader(folder, {.batch_transform = images::MixUp{.num_classes = 10}});
  for (const data::Sample& batch : loader) {
    EXPECT_EQ(sizes_of(batch[0]), (Ns{1, 3, 224, 224}));
    EXPECT_EQ(sizes_of(batch[1]), (Ns{1, 10}));
  }
  std::filesystem::remove_all(root);
}

TEST(FromPyTorch, functions_are_compiled) {
  const Tensor x = eight_by_six();
  auto f = [](const Tensor& y) {
    EXPECT_EQ(is_compiling(), true);
    graph_break("why");
    return relu(y) + 1;
  };
  auto fast = compile(f);
  EXPECT_EQ(first(fast(x)), 1);
  EXPECT_EQ(fast.report().breaks.size(), 1u);
  fast.reset();
  mark_dynamic(x, 0);
  std::ostringstream out;
  std::streambuf* const before = std::cout.rdbuf(out.rdbuf());
  std::cout << explain(f)(x);
  std::cout << explain(fast);
  std::cout.rdbuf(before);
  EXPECT_EQ(out.str().find("f (vitro): 1 call"), 0u) << out.str();
  EXPECT_FALSE(compile_times().by_phase().table().empty());
}

TEST(FromPyTorch, options_of_compile_have_names) {
  const Tensor x = eight_by_six();
  auto f = [](const Tensor& y) { return relu(y) + 1; };
  const BackendFunction backend = [](const graph::Graph&, std::span<const Operand>) {
    return GraphFunction(nullptr);
  };
  register_backend("mine", backend);
  const auto known = list_backends();
  EXPECT_NE(std::ranges::find(known, "mine"), known.end());
  EXPECT_NE(std::ranges::find(known, "vitro"), known.end());
  EXPECT_EQ(std::ranges::find(known, "inductor"), known.end()) << "an alias is not listed";
  const auto gives_the_same = [&](const auto& fast) { EXPECT_EQ(first(fast(x)), 1); };
  gives_the_same(compile(f, {.fullgraph = true}));
  gives_the_same(compile(f, {.dynamic = true}));
  gives_the_same(compile(f, {.backend = "eager"}));
  set_logs("-capture");
  gives_the_same(compile(f, {.backend = "inductor"}));
  gives_the_same(compile(f, {.backend = "mine"}));
  set_logs("breaks,recompiles");
  set_logs("");
  gives_the_same(compile(f, {.fullgraph = true, .frozen = true}));
  gives_the_same(compile(f, {.name = "mlp"}));
  gives_the_same(disable(f));
  const auto fast = compile(f, {.asynchronous = true});
  gives_the_same(fast);
  fast.wait();
  gives_the_same(fast);
}

TEST(FromPyTorch, a_profiler_records_from_its_making_on) {
  const Tensor x = eight_by_six();
  Profiler profiler;
  {
    RecordFunction range("load");
    (void)exp(x);
  }
  profiler.step();
  profiler.stop();
  EXPECT_FALSE(profiler.events().empty());
  EXPECT_NE(profiler.key_averages()
                .table({.sort_by = "cpu_time_total", .row_limit = 10})
                .find("aten::exp"),
            std::string::npos);
  EXPECT_FALSE(profiler.key_averages({.group_by_input_shape = true}).entries().empty());
}

[[maybe_unused]] void shapes_and_stacks() {
  Profiler profiler({.record_shapes = true, .with_stack = true});
  profiler.write_trace("trace.json.gz");
  profiler.export_stacks("stacks.txt");
}
[[maybe_unused]] void steps() {
  Profiler profiler({.schedule = schedule({.wait = 1, .warmup = 1, .active = 3})});
  const ProfilerOptions options{.on_trace_ready = trace_handler("log")};
  const Emission marked = emit_itt();
}

TEST(FromPyTorch, every_piece_of_code_on_the_page_stands_in_this_file) {
  const std::string here = bare(read_page(VITRO_TEST_DATA "/../vitro/from_pytorch_test.cpp"));
  const std::vector<std::string> pieces =
      code_in(read_page(VITRO_TEST_DATA "/../../docs/from_pytorch.md"));
  EXPECT_GT(pieces.size(), 100u);
  for (const std::string& piece : pieces) {
    if (piece.starts_with("VITRO_") || piece.starts_with("vitro ")) continue;  // shell commands
    EXPECT_NE(here.find(bare(piece)), std::string::npos) << piece;
  }
}

}  // namespace
}  // namespace vitro
