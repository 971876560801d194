// Text of tensors, compared with PyTorch's (tests/data/print.txt, by tools/make_print_samples.py).
#include "vitro/core/print.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <numeric>
#include <sstream>

namespace vitro {
namespace {

Tensor tensor_of(DType dtype, const std::vector<int64_t>& sizes, std::vector<double> values) {
  if (is_complex(dtype)) {
    std::vector<int64_t> pairs = sizes;
    pairs.push_back(2);
    return Tensor::of_pairs(tensor_of(real_of(dtype), pairs, std::move(values)));
  }
  const Tensor x = Tensor::empty(sizes, dtype);
  if (values.empty()) {
    values.resize(static_cast<size_t>(x.numel().value()));
    std::iota(values.begin(), values.end(), 0.0);
  }
  dispatch(dtype, [&]<class T>() {
    auto* to = static_cast<T*>(x.data());
    for (const double v : values) {
      if constexpr (std::is_arithmetic_v<T>) {
        *to++ = static_cast<T>(v);
      } else {
        *to++ = T(static_cast<float>(v));
      }
    }
  });
  return x;
}

// "f32 2 3 : 1 2 3"
Tensor tensor_of(const std::string& sample) {
  std::istringstream words(sample);
  std::string word;
  words >> word;
  const DType dtype = dtype_named(word).value();
  std::vector<int64_t> sizes;
  while (words >> word && word != ":") sizes.push_back(std::stoll(word));
  std::vector<double> values;
  while (words >> word) values.push_back(std::stod(word));
  return tensor_of(dtype, sizes, values);
}

TEST(Print, writes_what_pytorch_writes) {
  std::ifstream file(VITRO_TEST_DATA "/print.txt");
  int samples = 0;
  for (std::string sample, line; std::getline(file, sample); ++samples) {
    std::string wanted;
    bool blank = false;  // at the end of the text; blank lines also separate blocks of a tensor
    while (std::getline(file, line)) {
      if (line.empty() && (blank = wanted.ends_with(")"))) break;
      wanted += wanted.empty() ? line : "\n" + line;
    }
    EXPECT_TRUE(blank);
    EXPECT_EQ(text_of(tensor_of(sample)), wanted) << sample;
  }
  EXPECT_GT(samples, 20);
}

TEST(Print, follows_strides_and_has_a_word_for_nothing) {
  const Tensor x = Tensor::from<int64_t>({0, 1, 2, 3, 4, 5}, {6});
  const int64_t sizes[] = {3, 2}, strides[] = {1, 3};
  std::ostringstream out;
  out << Tensor::over(x.storage(), DType::i64, sizes, strides);
  EXPECT_EQ(out.str(), "tensor([[0, 3],\n        [1, 4],\n        [2, 5]])");
  EXPECT_EQ(text_of(Tensor()), "undefined tensor");
}

TEST(Print, sizes_and_dtypes_go_to_streams) {
  std::ostringstream out;
  const Tensor x = Tensor::empty({2, 3}, DType::bf16);
  out << x.sizes() << ' ' << x.dtype();
  EXPECT_EQ(out.str(), "[2, 3] bf16");
}

}  // namespace
}  // namespace vitro
