// Tensors: what they are made of, how their elements are read, and what errors say.
#include "vitro/core/tensor.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <vector>

#include "error_of.h"
#include "vitro/base/error.h"

namespace vitro {
namespace {

TEST(Tensor, gives_back_the_values_it_was_made_from) {
  const Tensor x = Tensor::from({1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F}, {2, 3});
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Tensor::from({true, false, true}, {3}).to_vector<bool>(),
            (std::vector<bool>{true, false, true}));
  EXPECT_EQ(x.size(-1).value(), 3);
  EXPECT_TRUE(x.is_contiguous());
}

TEST(Tensor, reads_elements_in_order_of_their_indices_whatever_the_strides) {
  const Tensor x = Tensor::from({1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F}, {2, 3});
  const Ints sizes{3, 2}, strides{1, 3};
  const Tensor turned = Tensor::over(x.storage(), DType::f32, sizes, strides);
  EXPECT_EQ(turned.to_vector<float>(), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_FALSE(turned.is_contiguous());
}

TEST(Tensor, has_empty_and_zero_dimensional_forms) {
  EXPECT_EQ(Tensor::empty({0, 3}).to_vector<float>().size(), 0u);
  const Tensor one = Tensor::from({int64_t{7}}, {});
  EXPECT_EQ(one.rank(), 0);
  EXPECT_EQ(one.item<int64_t>(), 7);
}

TEST(Tensor, handles_share_and_a_writable_pointer_makes_a_new_version) {
  const Tensor x = Tensor::empty({4});
  const Tensor y = x;
  const uint64_t before = x.storage().version();
  y.data<float>()[0] = 3;
  EXPECT_GT(x.storage().version(), before);
  EXPECT_TRUE(x.storage().exposed());
  EXPECT_EQ(x.to_vector<float>()[0], 3);
}

TEST(Tensor, says_what_was_got_and_what_was_needed) {
  const Tensor x = Tensor::empty({2});
  EXPECT_EQ(error_of([&] { (void)x.data<double>(); }),
            "data: the tensor has dtype f32, requested f64");
  EXPECT_EQ(error_of([&] { (void)x.item(); }),
            "item: needs a tensor of one element, got sizes [2]");
  EXPECT_EQ(error_of([&] { (void)x.size(1); }),
            "size: dimension 1 is out of range for a tensor of rank 1");
  EXPECT_EQ(error_of([&] { (void)Tensor::from({1.0F}, {2}); }),
            "from: got 1 values for sizes [2], which need 2");
}

TEST(Tensor, errors_of_elements_and_values_name_the_function_and_the_place) {
  const Tensor x = Tensor::empty({2});
  for (const auto& [want, call] : std::vector<std::pair<std::string, std::function<void()>>>{
           {"data: the tensor has dtype f32, requested f64", [&] { (void)x.data<double>(); }},
           {"const_data: the tensor has dtype f32, requested i64",
            [&] { (void)x.const_data<int64_t>(); }},
           {"to_vector: the tensor has dtype f32, requested i32",
            [&] { (void)x.to_vector<int32_t>(); }},
           {"from: sizes must not be negative, got [-1]",
            [] { (void)Tensor::from(std::vector{1.0F}, {-1}); }},
           {"from: got 1 values for sizes [2], which need 2",
            [] { (void)Tensor::from({1.0F}, {2}); }}}) {
    try {
      call();
      ADD_FAILURE() << want;
    } catch (const Error& e) {
      EXPECT_EQ(e.message(), want);
      EXPECT_TRUE(e.location().starts_with("tensor_test.cpp:")) << e.what();
    }
  }
}

TEST(Tensor, that_is_undefined_says_so_when_it_is_asked) {
  const Tensor none;
  const std::string want =
      "this tensor is undefined: it was made by Tensor() and given no value, was moved from, or is "
      "a gradient that no backward() has computed";
  for (const std::function<void(const Tensor&)>& ask :
       std::vector<std::function<void(const Tensor&)>>{
           [](const Tensor& x) { (void)x.dtype(); }, [](const Tensor& x) { (void)x.device(); },
           [](const Tensor& x) { (void)x.rank(); }, [](const Tensor& x) { (void)x.size(0); },
           [](const Tensor& x) { (void)x.sizes(); }, [](const Tensor& x) { (void)x.strides(); },
           [](const Tensor& x) { (void)x.numel(); }, [](const Tensor& x) { (void)x.meta(); },
           [](const Tensor& x) { (void)x.is_contiguous(); },
           [](const Tensor& x) { (void)x.data(); }, [](const Tensor& x) { (void)x.item(); },
           [](const Tensor& x) { (void)x.storage(); },
           [](const Tensor& x) { (void)x.requires_grad(); },
           [](const Tensor& x) { Tensor(x).set_requires_grad(true); },
           [](const Tensor& x) { Tensor(x).set_parameter(true, "weight"); }}) {
    EXPECT_EQ(error_of([&] { ask(none); }), want);
  }
  EXPECT_EQ(error_of([&] { (void)none.const_data<float>(); }), "const_data: " + want);
  EXPECT_EQ(error_of([&] { (void)none.to_vector<float>(); }), "to_vector: " + want);
}

// Freed tensors are kept for the next ones: those that refer to another one, too, which is freed
// with them.
TEST(Tensor, many_complex_tensors_are_freed_at_once) {
  for (int round = 0; round < 2; ++round) {
    std::vector<Tensor> all{Tensor::empty({1})};  // an odd number
    for (int i = 0; i < 2000; ++i) all.push_back(Tensor::empty({1}, DType::c64));
    all.clear();
    for (int i = 0; i < 5000; ++i) all.push_back(Tensor::empty({1}));
    std::set<const TensorImpl*> different;
    for (const Tensor& t : all) different.insert(t.impl());
    EXPECT_EQ(different.size(), 5000U);
  }
}

}  // namespace
}  // namespace vitro
