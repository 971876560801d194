// Errors of ops name the op, what it got, what it needs, and what to do.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "eager/eager.h"
#include "vitro/base/error.h"
#include "vitro/ops/activation_functions.h"
#include "vitro/ops/all.h"
#include "vitro/ops/arithmetic.h"
#include "vitro/ops/complex.h"
#include "vitro/ops/convolution.h"
#include "vitro/ops/distance.h"
#include "vitro/ops/fft.h"
#include "vitro/ops/layout.h"
#include "vitro/ops/linear_algebra.h"
#include "vitro/ops/norm_backward.h"
#include "vitro/ops/overload.h"
#include "vitro/ops/rearrange.h"
#include "vitro/ops/recurrent.h"
#include "vitro/ops/special.h"

namespace vitro {
namespace {

struct Mistake {
  std::string_view text;
  std::function<void()> make;
};

Tensor f(std::initializer_list<int64_t> sizes) {
  return zeros(Sizes([&] {
    Sizes s;
    for (const int64_t v : sizes) s.push_back(v);
    return s;
  }()));
}
Tensor whole(std::initializer_list<int64_t> values) {
  return Tensor::from(values, {static_cast<int64_t>(values.size())});
}

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all = {
      {"add: sizes [2, 3] and [4] do not broadcast: 3 and 4 at dimension 1 differ and neither is 1",
       [] { (void)add(f({2, 3}), f({4})); }},
      {"where: the condition must be bool, got f32", [] { (void)where(f({2}), f({2}), f({2})); }},
      {"neg: takes numbers (not bool), got bool", [] { (void)neg(f({2}) > 0); }},
      {"bitwise_not: takes integers or bool, got f32", [] { (void)bitwise_not(f({2})); }},
      {"sub: bool cannot be subtracted; use bitwise_xor, or cast it",
       [] { (void)sub(f({2}) > 0, 1); }},
      {"sub: bool cannot be subtracted; use bitwise_xor, or cast it",
       [] { (void)sub(f({2}) > 0, f({2}), 0.5); }},
      {"sub: bool cannot be subtracted; use bitwise_xor, or cast it",
       [] { (void)sub(f({2}), f({2}) > 0, 0.5); }},
      {"add: alpha must be an integer for i64, got 0.5",
       [] { (void)add(whole({1}), whole({2}), 0.5); }},
      {"add_scaled: alpha must be an integer for i64, got 0.5",
       [] { (void)ops::call("add_scaled", {whole({1}), whole({2}), Scalar(0.5)}); }},
      {"embedding_dense_backward: num_weights must not be negative, got -1",
       [] { (void)embedding_dense_backward(f({1, 3}), whole({2}), -1); }},
      {"full: i8 cannot hold 300; it holds -128 to 127, use a wider dtype",
       [] { (void)full({0}, 300, DType::i8); }},
      {"full: i8 cannot hold 127.9; it holds -128 to 127, use a wider dtype",
       [] { (void)full({1}, 127.9, DType::i8); }},
      {"full: u8 cannot hold -256; it holds 0 to 255, use a wider dtype",
       [] { (void)full({1}, -256, DType::u8); }},
      {"full: i64 cannot hold nan; it holds -9223372036854775808 to 9223372036854775807, use a "
       "wider dtype",
       [] { (void)full({1}, NAN, DType::i64); }},
      {"full_like: i16 cannot hold 32768; it holds -32768 to 32767, use a wider dtype",
       [] { (void)full_like(f({1}), 32768, DType::i16); }},
      {"fill_: i32 cannot hold 1099511627776; it holds -2147483648 to 2147483647, use a wider "
       "dtype",
       [] { (void)fill_(zeros({2}, DType::i32), int64_t{1} << 40); }},
      {"fill: f32 cannot hold 1e+39; its largest number is 3.4028234663852886e+38",
       [] { (void)fill(f({2}), 1e39); }},
      {"masked_fill: i8 cannot hold 300; it holds -128 to 127, use a wider dtype",
       [] { (void)masked_fill(zeros({2}, DType::i8), f({2}) > 0, 300); }},
      {"where: i8 cannot hold 300; it holds -128 to 127, use a wider dtype",
       [] { (void)where(f({2}) > 0, zeros({2}, DType::i8), 300); }},
      {"index_fill: i8 cannot hold 300; it holds -128 to 127, use a wider dtype",
       [] { (void)index_fill(zeros({2}, DType::i8), 0, whole({0}), 300); }},
      {"scatter: i8 cannot hold 300; it holds -128 to 127, use a wider dtype",
       [] { (void)scatter(zeros({2}, DType::i8), 0, whole({0}), 300); }},
      {"constant_pad_nd: i8 cannot hold 300; it holds -128 to 127, use a wider dtype",
       [] { (void)constant_pad_nd(zeros({2}, DType::i8), {1, 1}, 300); }},
      {"clamp: i8 cannot hold 300; it holds -128 to 127, use a wider dtype",
       [] { (void)clamp(zeros({2}, DType::i8), 0, 300); }},
      {"clamp: i8 cannot hold 300; it holds -128 to 127, use a wider dtype",
       [] { (void)clamp(zeros({2}, DType::i8), {}, 300); }},
      {"hardtanh: i8 cannot hold 300; it holds -128 to 127, use a wider dtype",
       [] { (void)hardtanh(zeros({2}, DType::i8), -1, 300); }},
      {"threshold: i8 cannot hold 300; it holds -128 to 127, use a wider dtype",
       [] { (void)threshold(zeros({2}, DType::i8), 1, 300); }},
      {"pow: i8 cannot hold 300; it holds -128 to 127, use a wider dtype",
       [] { (void)pow(ones({2}, DType::i8), 300); }},
      {"add: i8 cannot hold 300; it holds -128 to 127, use a wider dtype",
       [] { (void)add(ones({2}, DType::i8), ones({2}, DType::i8), 300); }},
      {"addcmul: i8 cannot hold 300; it holds -128 to 127, use a wider dtype",
       [] {
         const Tensor x = ones({2}, DType::i8);
         (void)addcmul(x, x, x, 300);
       }},
      {"addmm: i8 cannot hold 300; it holds -128 to 127, use a wider dtype",
       [] {
         const Tensor x = ones({2, 2}, DType::i8);
         (void)ops::call("addmm", {x, x, x}, {{"beta", Scalar(300)}});
       }},
      {"baddbmm: i8 cannot hold 300; it holds -128 to 127, use a wider dtype",
       [] {
         const Tensor x = ones({1, 2, 2}, DType::i8);
         (void)ops::call("baddbmm", {x, x, x}, {{"alpha", Scalar(300)}});
       }},
      {"addmv: i8 cannot hold 300; it holds -128 to 127, use a wider dtype",
       [] {
         const Tensor x = ones({2}, DType::i8), matrix = ones({2, 2}, DType::i8);
         (void)ops::call("addmv", {x, matrix, x}, {{"beta", Scalar(300)}});
       }},
      {"addr: i8 cannot hold 300; it holds -128 to 127, use a wider dtype",
       [] {
         const Tensor x = ones({2}, DType::i8), matrix = ones({2, 2}, DType::i8);
         (void)ops::call("addr", {matrix, x, x}, {{"beta", Scalar(300)}});
       }},
      {"index_add: i8 cannot hold 300; it holds -128 to 127, use a wider dtype",
       [] {
         const Tensor x = ones({2}, DType::i8);
         (void)index_add(x, 0, whole({0, 1}), x, 300);
       }},
      {"full: the number 1.0+2.0j cannot be stored in a tensor of f32; needs c64 or c128",
       [] { (void)full({1}, Scalar(std::complex(1.0, 2.0)), DType::f32); }},
      {"sub: bool cannot be subtracted; use bitwise_xor, or cast it",
       [] { (void)sub(complex(f({2}), f({2})), f({2}) > 0); }},
      {"sub: bool cannot be subtracted; use bitwise_xor, or cast it",
       [] { (void)sub(f({2}) > 0, std::complex(0.0, 1.0)); }},
      {"sub: bool cannot be subtracted; use bitwise_xor, or cast it",
       [] { (void)sub(complex(f({2}), f({2})), f({2}) > 0, 2); }},
      {"fft_fft: norm must be \"backward\", \"forward\" or \"ortho\", got \"\"",
       [] { (void)fft_fft(f({4}), {}, -1, ""); }},
      {"fft_fft: norm must be \"backward\", \"forward\" or \"ortho\", got \"\"",
       [] { (void)ops::call("fft_fft", {f({4})}, {{"norm", std::string()}}); }},
      {"gather: dimension 2 is out of range; needs -1 to 0",
       [] { (void)gather(f({3}), 2, zeros({0}, DType::i64)); }},
      {"movedim: dimension 1 is out of range; needs -1 to 0", [] { (void)movedim(f({}), 1, 0); }},
      {"movedim: a dimension occurs twice in [0, 0] or [0, 0]",
       [] { (void)movedim(f({}), {0, 0}, {0, 0}); }},
      {"linalg_vector_norm: dimension 0 has no elements, for which the norm of order -1.0 is not "
       "defined, got sizes [0, 3]",
       [] { (void)linalg_vector_norm(f({0, 3}), -1); }},
      {"max_pool2d: stride must be at most 1099511627775, got [1099511627776]",
       [] { (void)max_pool2d(f({1, 4, 4}), 2, int64_t{1} << 40); }},
      {"im2col: dilation must be at most 1099511627775, got [1099511627776]",
       [] { (void)im2col(f({1, 4, 4}), 2, int64_t{1} << 40, 0, 1); }},
      {"conv2d: dilation must be at most 1099511627775, got [1099511627776, 1099511627776]",
       [] {
         const Tensor x = f({1, 1, 4, 4});
         (void)conv2d(x, x, {}, {.dilation = int64_t{1} << 40});
       }},
      {"hann_window: the length must not be negative, got -5", [] { (void)hann_window(-5); }},
      {"gelu: takes floating-point numbers, got i64", [] { (void)gelu(whole({1})); }},
      {"gelu: approximate must be \"none\" or \"tanh\", got \"fast\"",
       [] { (void)gelu(f({1}), "fast"); }},
      {"div: rounding_mode must be \"\", \"floor\" or \"trunc\", got \"up\"",
       [] { (void)div(f({1}), 2, "up"); }},
      {"div: integer division by zero; replace the zeros, or cast to a floating-point dtype first",
       [] { (void)div(whole({1}), 0, "floor"); }},
      {"remainder: integer division by zero; replace the zeros, or cast to a floating-point dtype "
       "first",
       [] { (void)remainder(whole({3, 4}), whole({1, 0})); }},
      {"fmod: integer division by zero; replace the zeros, or cast to a floating-point dtype first",
       [] { (void)fmod(full({2}, 7, DType::u8), full({}, 256, DType::i32)); }},
      {"fmod: integer division by zero; replace the zeros, or cast to a floating-point dtype first",
       [] { (void)fmod(full({2}, 7, DType::u8), 256); }},
      {"pow_: integers cannot be raised to the negative integer -2; cast them to a "
       "floating-point dtype first",
       [] { pow_(full({2}, 3, DType::i32), -2); }},
      {"pow_: operand 0 is an undefined tensor; needs a tensor or a number",
       [] { pow_(Tensor(), -2); }},
      {"pow: integers cannot be raised to the negative integer -1; cast them to a "
       "floating-point dtype first",
       [] { (void)pow(whole({2}), -1); }},
      {"clamp: needs at least one of min and max", [] { (void)clamp(f({2})); }},
      {"masked_fill: i64 cannot hold nan; it holds -9223372036854775808 to 9223372036854775807, "
       "use a wider dtype",
       [] { (void)masked_fill(whole({1}), whole({1}) > 0, NAN); }},
      {"masked_fill: u8 cannot hold 300; it holds 0 to 255, use a wider dtype",
       [] { (void)masked_fill(to(f({2}), DType::u8), f({2}) > 0, full({}, 300, DType::i64)); }},
      {"masked_fill_: f16 cannot hold 65536; its largest number is 65504.0",
       [] { masked_fill_(zeros({2}, DType::f16), f({2}) > 0, full({}, 65536, DType::i32)); }},
      {"index_fill: i8 cannot hold -200.0; it holds -128 to 127, use a wider dtype",
       [] { (void)index_fill(full({2}, 1, DType::i8), 0, whole({1}), full({}, -200.0)); }},
      {"index_fill: a tensor of f32 cannot hold a complex number; cast the tensor first",
       [] { (void)index_fill(f({2}), 0, whole({1}), full({}, 1.0, DType::c64)); }},
      {"masked_fill: mask must be bool, got f32", [] { (void)masked_fill(f({2}), f({2}), 1); }},
      {"masked_fill: takes a number or a tensor without dimensions; where takes tensors",
       [] { (void)masked_fill(f({2}), f({2}) > 0, f({2})); }},
      {"hardtanh: u8 has no negative numbers, got the bound -1",
       [] { (void)hardtanh(to(f({2}), DType::u8), -1, 1); }},
      {"hardtanh: takes numbers (not bool)", [] { (void)hardtanh(f({2}) > 0); }},
      {"full: sizes must not be negative, got [-1]", [] { (void)full({-1}, 1); }},
      {"arange: step must not be 0", [] { (void)arange(0, 5, 0); }},
      {"arange: step -1 does not lead from 0 to 5; change its sign or swap the bounds",
       [] { (void)arange(0, 5, -1); }},
      {"arange: from 0.0 to inf by 1 does not end; needs finite bounds",
       [] { (void)arange(0.0, INFINITY); }},
      {"arange: takes numbers (not bool), got bool", [] { (void)arange(0, 5, 1, DType::boolean); }},
      {"tril: needs a tensor of rank 2 or more, got sizes [3]", [] { (void)tril(f({3})); }},
      {"copy: sizes [2, 3] do not broadcast to [3]", [] { (void)copy(f({3}), f({2, 3})); }},
      {"view: sizes [3, 2] with strides [1, 3] cannot be viewed as sizes [6] without moving "
       "elements; use reshape",
       [] { (void)view(t(f({2, 3})), {6}); }},
      {"view: sizes [2, 3] have 6 elements, which sizes [4] cannot hold",
       [] { (void)view(f({2, 3}), {4}); }},
      {"view: only one size may be -1, got [-1, -1]", [] { (void)view(f({2, 3}), {-1, -1}); }},
      {"view: sizes must not be negative, got [-2]", [] { (void)view(f({2, 3}), {-2}); }},
      {"view: -1 can be anything in [-1, 0] for sizes [0, 3]",
       [] { (void)view(f({0, 3}), {-1, 0}); }},
      {"reshape: sizes [2, 3] have 6 elements, which sizes [5, -1] cannot hold",
       [] { (void)reshape(f({2, 3}), {5, -1}); }},
      {"permute: got 1 dim for a tensor of rank 2", [] { (void)permute(f({2, 3}), {0}); }},
      {"permute: a dimension appears twice in [0, 0]", [] { (void)permute(f({2, 3}), {0, 0}); }},
      {"transpose: dimension 2 is out of range; needs -2 to 1",
       [] { (void)transpose(f({2, 3}), 0, 2); }},
      {"t: takes a tensor of rank 2 or less, got rank 3; use transpose",
       [] { (void)t(f({2, 3, 4})); }},
      {"expand: got 1 size for a tensor of rank 2", [] { (void)expand(f({2, 3}), {3}); }},
      {"expand: sizes [2, 3] do not expand to [4, 3]: dimension 0 has size 2, only 1 can be "
       "repeated",
       [] { (void)expand(f({2, 3}), {4, 3}); }},
      {"expand: -1 keeps a size, but dimension 0 is new; got [-1, 3] for sizes [3]",
       [] { (void)expand(f({3}), {-1, 3}); }},
      {"expand: sizes must not be negative, got [-3]", [] { (void)expand(f({1}), {-3}); }},
      {"slice: step must be positive, got 0", [] { (void)slice(f({3}), 0, 0, 3, 0); }},
      {"slice: needs a tensor with dimensions", [] { (void)slice(f({}), 0); }},
      {"select: index 3 is out of range for dimension 0 of size 3",
       [] { (void)select(f({3}), 0, 3); }},
      {"select: dimension 1 is out of range; needs -1 to 0", [] { (void)select(f({3}), 1, 0); }},
      {"narrow: start 2 and length 2 leave dimension 0 of size 3",
       [] { (void)narrow(f({3}), 0, 2, 2); }},
      {"unsqueeze: dimension 3 is out of range; needs -2 to 1", [] { (void)unsqueeze(f({3}), 3); }},
      {"squeeze: dimension 1 is out of range; needs -1 to 0", [] { (void)squeeze(f({3}), {1}); }},
      {"diagonal: dim1 and dim2 are both 0", [] { (void)diagonal(f({3}), 0, 0, 0); }},
      {"split: split_size must be positive, got 0", [] { (void)split(f({3}), 0); }},
      {"split_with_sizes: [1, 1] add up to 2, dimension 0 has size 3",
       [] { (void)split_with_sizes(f({3}), {1, 1}); }},
      {"chunk: chunks must be positive, got 0", [] { (void)chunk(f({3}), 0); }},
      {"flatten: start_dim 1 is after end_dim 0", [] { (void)flatten(f({2, 3}), 1, 0); }},
      {"cat: tensors without dimensions cannot be joined; use stack",
       [] { (void)cat({f({2}), f({})}); }},
      {"cat: ranks differ: sizes [2, 3] and [2]", [] { (void)cat({f({2, 3}), f({2})}); }},
      {"cat: sizes [2, 3] and [3, 4] differ outside of dimension 0",
       [] { (void)cat({f({2, 3}), f({3, 4})}); }},
      {"cat: needs at least one tensor", [] { (void)cat(std::span<const Tensor>()); }},
      {"stack: sizes differ: [2] and [3]; expand or pad them first",
       [] { (void)stack({f({2}), f({3})}); }},
      {"embedding: weight must have rank 2, got sizes [3]",
       [] { (void)embedding(f({3}), whole({0})); }},
      {"embedding: indices must be i32 or i64, got f32",
       [] { (void)embedding(f({3, 2}), f({1})); }},
      {"embedding: indices must be i32 or i64, got f32; the table is the first argument, the "
       "indices are the second",
       [] { (void)embedding(whole({0}), f({3, 2})); }},
      {"embedding: index 3 at position 1 is out of range for size 3",
       [] { (void)embedding(f({3, 2}), whole({0, 3})); }},
      {"embedding: index -1 at position 0 is out of range for size 3",
       [] { (void)embedding(f({3, 2}), whole({-1})); }},
      {"index_select: indices must have rank 1, got sizes [1, 2]; flatten them",
       [] { (void)index_select(f({3, 2}), 0, view(whole({0, 1}), {1, 2})); }},
      {"index_select: index 2 at position 1 is out of range for size 2",
       [] { (void)index_select(f({3, 2}), 1, whole({0, 2})); }},
      {"index_select: a tensor without dimensions has one element, got 2 indices",
       [] { (void)index_select(f({}), 0, whole({0, 0})); }},
      {"gather: ranks differ: x has sizes [3, 2], indices have [1]",
       [] { (void)gather(f({3, 2}), 0, whole({0})); }},
      {"gather: indices of sizes [1, 3] exceed sizes [3, 2] in dimension 1",
       [] { (void)gather(f({3, 2}), 0, zeros({1, 3}, DType::i64)); }},
      {"gather: index 7 at position 0 is out of range for size 3",
       [] { (void)gather(f({3, 2}), 0, full({1, 2}, 7)); }},
      {"gather: index -1 at position 5000 is out of range for size 9000",
       [] {
         const Tensor at = zeros({1, 9000}, DType::i64);
         at.data<int64_t>()[5000] = -1;
         at.data<int64_t>()[8000] = 9000;
         (void)gather(f({1, 9000}), 1, at);
       }},
      {"slice_scatter: src has sizes [3], the place for it has sizes [2]",
       [] { (void)slice_scatter(f({3}), f({3}), 0, 0, 2); }},
      {"select_scatter: src has sizes [3], the place for it has sizes [2]",
       [] { (void)select_scatter(f({3, 2}), f({3}), 0, 0); }},
      {"sum: dimension 2 is out of range; needs -2 to 1", [] { (void)sum(f({2, 3}), {2}); }},
      {"sum: a dimension appears twice in [0, 0]", [] { (void)sum(f({2, 3}), {0, 0}); }},
      {"mean: takes floating-point numbers, got i64; pass a floating-point dtype",
       [] { (void)mean(whole({1})); }},
      {"amax: dimension 0 has no elements to choose from, got sizes [0, 3]",
       [] { (void)amax(f({0, 3}), {0}); }},
      {"argmax: dimension 0 has no elements to choose from, got sizes [0]",
       [] { (void)argmax(f({0})); }},
      {"argmax: takes numbers (not bool)", [] { (void)argmax(f({2}) > 0); }},
      {"mm: inner sizes differ: left has 3 columns, right has 2 rows",
       [] { (void)mm(f({2, 3}), f({2, 3})); }},
      {"mm: needs two tensors of rank 2, got sizes [3] and [3]", [] { (void)mm(f({3}), f({3})); }},
      {"mm: dtypes differ: f32 and f64; cast one of them",
       [] { (void)mm(f({2, 3}), to(f({3, 2}), DType::f64)); }},
      {"bmm: batch sizes differ: 2 and 3", [] { (void)bmm(f({2, 2, 3}), f({3, 3, 2})); }},
      {"matmul: needs tensors with dimensions, got sizes [] and [2]; use mul for numbers",
       [] { (void)matmul(f({}), f({2})); }},
      {"matmul: inner sizes differ: left has 3 columns, right has 4 rows",
       [] { (void)matmul(f({2, 3}), f({4})); }},
      {"matmul: sizes [2] and [3] do not broadcast: 2 and 3 at dimension 0 differ and neither is 1",
       [] { (void)matmul(f({2, 2, 3}), f({3, 3, 2})); }},
      {"addmm: sizes [2, 5] and [4] do not broadcast: 5 and 4 at dimension 1 differ and neither is "
       "1",
       [] { (void)addmm(f({4}), f({2, 3}), f({3, 5})); }},
      {"linear: x has 3 features, weight of sizes [4, 5] takes 5",
       [] { (void)linear(f({2, 3}), f({4, 5})); }},
      {"linear: bias must be f32 of sizes [4], got f32 of sizes [5]",
       [] { (void)linear(f({2, 3}), f({4, 3}), f({5})); }},
      {"softmax: takes a tensor of floating-point numbers, got i64; cast it first",
       [] { (void)softmax(whole({1}), 0); }},
      {"softmax: dimension 1 is out of range; needs -1 to 0", [] { (void)softmax(f({2}), 1); }},
      {"var: takes a tensor of floating-point numbers, got i64; cast it first",
       [] { (void)var(whole({1})); }},
      {"layer_norm: normalized_shape [4] is not the end of the sizes of x, [2, 3]",
       [] { (void)layer_norm(f({2, 3}), {4}); }},
      {"layer_norm: weight has sizes [2], needs [3]",
       [] { (void)layer_norm(f({2, 3}), {3}, f({2})); }},
      {"scaled_dot_product_attention: needs tensors of rank 2 or more",
       [] { (void)scaled_dot_product_attention(f({3}), f({3}), f({3})); }},
      {"scaled_dot_product_attention: a mask of sizes [2, 5, 7] is not for the heads of q of sizes "
       "[6, 5, 4]",
       [] {
         (void)scaled_dot_product_attention(f({6, 5, 4}), f({2, 7, 4}), f({2, 7, 4}), f({2, 5, 7}),
                                            0, false, {}, true);
       }},
      {"scaled_dot_product_attention: q of sizes [2, 3] and k of sizes [2, 4] differ in their last "
       "size",
       [] { (void)scaled_dot_product_attention(f({2, 3}), f({2, 4}), f({2, 3})); }},
      {"scaled_dot_product_attention: k of sizes [2, 3] and v of sizes [4, 3] hold different "
       "numbers of keys",
       [] { (void)scaled_dot_product_attention(f({2, 3}), f({2, 3}), f({4, 3})); }},
      {"scaled_dot_product_attention: sizes [2, 2] and [5, 5] do not broadcast: 2 and 5 at "
       "dimension 0 differ and neither is 1",
       [] { (void)scaled_dot_product_attention(f({2, 3}), f({2, 3}), f({2, 3}), f({5, 5})); }},
      {"scaled_dot_product_attention: needs a dropout_p in [0, 1], got 1.5",
       [] { (void)scaled_dot_product_attention(f({2, 3}), f({2, 3}), f({2, 3}), {}, 1.5); }},
      {"max_pool1d: kernel_size must be at least 1, got 0", [] { (void)max_pool1d(f({2, 3}), 0); }},
      {"max_pool1d: kernel_size takes one number, got [2, 2]",
       [] { (void)max_pool1d(f({2, 3}), {2, 2}); }},
      {"max_pool1d: the kernel extends over 4 elements of dimension -1, x has 3 there, and 0 of "
       "padding on each side",
       [] { (void)max_pool1d(f({2, 3}), 4); }},
      {"max_pool1d: takes numbers, got bool; cast them first",
       [] { (void)max_pool1d(f({2, 3}) > 0, 2); }},
      {"avg_pool1d: padding 2 is more than half of the kernel_size 2",
       [] { (void)avg_pool1d(f({2, 3}), 2, 1, 2); }},
      {"avg_pool1d: takes floating-point numbers or i64, got bool; cast them first",
       [] { (void)avg_pool1d(f({2, 3}) > 0, 2); }},
      {"argsort: dimension 2 is out of range; needs -1 to 0", [] { (void)argsort(f({3}), 2); }},
      {"take: index 7 is out of range along dimension 0, of size 3; needs -3 to 2",
       [] { (void)take(f({3}), whole({7})); }},
      {"put: index 7 is out of range along dimension 0, of size 3; needs -3 to 2",
       [] { (void)put(f({3}), whole({7}), f({1})); }},
      {"put: sizes [2] have 2 elements, which sizes [1] cannot hold",
       [] { (void)put(f({3}), whole({0}), f({2})); }},
      {"put_: the values are of f64, x of f32; cast one of them",
       [] { (void)put_(f({3}), whole({0}), to(f({1}), DType::f64)); }},
      {"index_fill: index 7 is out of range along dimension 0, of size 3; needs -3 to 2",
       [] { (void)index_fill(f({3, 2}), 0, whole({7}), 1); }},
      {"index_fill_: index -4 is out of range along dimension 1, of size 3; needs -3 to 2",
       [] { (void)index_fill_(f({2, 3}), 1, whole({0, -4}), 1); }},
      {"index_add: alpha must be an integer for i64, got 0.5",
       [] { (void)index_add(whole({1}), 0, whole({0}), whole({2}), 0.5); }},
      {"clamp: sizes [2] and [3] do not broadcast: 2 and 3 at dimension 0 differ and neither is 1",
       [] { (void)clamp(f({2}), f({3})); }},
      {"add_: the result has sizes [2], which differ from the first operand's sizes [1]",
       [] { (void)add_(f({1}), f({2})); }},
      {"index_select: dimension 0 is empty, so the indices of sizes [1] are out of range",
       [] { (void)index_select(f({0, 3}), 0, whole({0})); }},
      {"embedding: dimension 0 is empty, so the indices of sizes [1] are out of range",
       [] { (void)embedding(f({0, 0}), whole({0})); }},
      {"gather: dimension 0 is empty, so the indices of sizes [1, 2] are out of range",
       [] { (void)gather(f({0, 2}), 0, zeros({1, 2}, DType::i64)); }},
      {"index: dimension 0 is empty, so the indices of sizes [1] are out of range",
       [] { (void)index(f({0, 3}), {whole({0})}); }},
      {"index_put: dimension 0 is empty, so the indices of sizes [1] are out of range",
       [] { (void)index_put(f({0, 3}), {whole({0})}, f({1})); }},
      {"scatter: dimension 0 is empty, so the indices of sizes [1] are out of range",
       [] { (void)scatter(f({0}), 0, whole({0}), f({1})); }},
      {"index_copy: dimension 0 is empty, so the indices of sizes [1] are out of range",
       [] { (void)index_copy(f({0, 2}), 0, whole({0}), f({1, 2})); }},
      {"put: dimension 0 is empty, so the indices of sizes [1] are out of range",
       [] { (void)put(f({0}), whole({0}), f({1})); }},
      {"index_fill: dimension 1 is empty, so the indices of sizes [1] are out of range",
       [] { (void)index_fill(f({3, 0}), 1, whole({0}), 1); }},
      {"gelu(): argument 'approximate' must be \"none\" or \"tanh\", got \"fast\"",
       [] { (void)ops::call("gelu", {f({1})}, {{"approximate", std::string("fast")}}); }},
      {"scatter_reduce.two(): argument 'reduce' (position 5) must be \"sum\", \"prod\", \"mean\", "
       "\"amax\" or \"amin\", got \"avg\"",
       [] {
         const Tensor at = whole({0});
         (void)ops::call("scatter_reduce", {f({1}), Scalar(0), at, f({1}), std::string("avg")});
       }},
      {"scatter.reduce(): argument 'reduce' must be \"add\" or \"multiply\", got \"sum\"",
       [] {
         const Tensor at = whole({0});
         (void)ops::call("scatter.reduce", {f({1}), Scalar(0), at, f({1})},
                         {{"reduce", std::string("sum")}});
       }},
      {"clone: memory_format \"channels_last\" needs a tensor of rank 4, got sizes [1]",
       [] {
         (void)ops::call("clone", {f({1})}, {{"memory_format", std::string("channels_last")}});
       }},
      {"clone(): argument 'memory_format' must be \"preserve\", \"contiguous\", \"channels_last\" "
       "or "
       "\"channels_last_3d\", got \"rows\"",
       [] { (void)ops::call("clone", {f({1})}, {{"memory_format", std::string("rows")}}); }},
      {"contiguous: memory_format \"channels_last\" does not fit sizes [1]",
       [] {
         (void)ops::call("contiguous", {f({1})}, {{"memory_format", std::string("channels_last")}});
       }},
      {"zeros_like: memory_format \"channels_last\" needs a tensor of rank 4, got sizes [1]",
       [] {
         (void)ops::call("zeros_like", {f({1})}, {{"memory_format", std::string("channels_last")}});
       }},
      {"view: as bool is not implemented, as bytes may be neither 0 nor 1; use ne(view(x, "
       "DType::u8), 0)",
       [] { (void)view(zeros({4}, DType::u8), DType::boolean); }},
      {"view: a tensor without dimensions cannot be viewed as u8, whose elements have another size "
       "than those of f32",
       [] { (void)view(f({}), DType::u8); }},
      {"view: the last dimension, 3 elements of u8, does not make whole elements of i32; needs a "
       "multiple of 4 bytes",
       [] { (void)view(zeros({2, 3}, DType::u8), DType::i32); }},
      {"view: the elements of the last dimension are 2 apart, and to be viewed as u8, of another "
       "size, they must be next to one another; use contiguous(x)",
       [] { (void)view(t(f({3, 2})), DType::u8); }},
      {"view: strides [16, 1] and offset 1 of u8 do not fit elements of i32; use contiguous(x)",
       [] { (void)view(narrow(zeros({2, 16}, DType::u8), 1, 1, 8), DType::i32); }},
      {"pad_sequence: needs a sequence", [] { (void)pad_sequence({}); }},
      {"pad_sequence: padding_side must be \"left\" or \"right\", got \"up\"",
       [] { (void)pad_sequence({f({1})}, false, 0, "up"); }},
      {"pad_sequence: a sequence needs a dimension, got a number",
       [] { (void)pad_sequence({f({1}), f({})}); }},
      {"vander: takes a vector, got sizes [2, 2]", [] { (void)vander(f({2, 2})); }},
      {"vander: N must not be negative, got -1", [] { (void)vander(f({2}), -1); }},
      {"conv2d: needs x of rank 4 (a batch) or 3, got sizes [5]",
       [] { (void)conv2d(f({5}), f({5, 3, 3, 3})); }},
      {"conv2d: with groups = 1 and weight of sizes [5, 3, 3, 3], x needs 3 channels, got 4 (sizes "
       "[1, 4, 8, 8])",
       [] { (void)conv2d(f({1, 4, 8, 8}), f({5, 3, 3, 3})); }},
      {"conv2d: with groups = 2, dimension 0 of weight must be a multiple of it, got sizes "
       "[3, 2, 3, 3]",
       [] { (void)conv2d(f({1, 4, 8, 8}), f({3, 2, 3, 3}), {}, {.groups = 2}); }},
      {"conv2d: the kernel extends over 10 elements of dimension 2, x has 9 there with its padding",
       [] { (void)conv2d(f({1, 4, 9, 8}), f({2, 4, 10, 3})); }},
      {"conv2d: bias must be f32 of sizes [2], got f32 of sizes [3]",
       [] { (void)conv2d(f({1, 4, 9, 8}), f({2, 4, 3, 3}), f({3})); }},
      {"conv2d: stride must be positive, got [0, 1]",
       [] { (void)conv2d(f({1, 4, 9, 8}), f({2, 4, 3, 3}), {}, {.stride = {0, 1}}); }},
      {"conv2d: padding must not be negative, got [-1, 0]",
       [] { (void)conv2d(f({1, 4, 9, 8}), f({2, 4, 3, 3}), {}, {.padding = {-1, 0}}); }},
      {"conv1d: padding must be numbers, \"valid\" or \"same\", got \"full\"",
       [] { (void)conv1d(f({1, 4, 9}), f({2, 4, 3}), {}, {.padding = "full"}); }},
      {"conv1d: padding \"same\" needs a stride of 1, got [2]",
       [] { (void)conv1d(f({1, 4, 9}), f({2, 4, 3}), {}, {.stride = 2, .padding = "same"}); }},
      {"conv3d: needs weight of rank 5, got sizes [2, 4, 3]",
       [] { (void)conv3d(f({1, 4, 9, 9, 9}), f({2, 4, 3})); }},
      {"conv_transpose1d: output_padding [1] must be less than the stride or the dilation, got [1] "
       "and [1]",
       [] { (void)conv_transpose1d(f({1, 4, 9}), f({4, 2, 3}), {}, {.output_padding = 1}); }},
      {"conv_transpose1d: the result has -1 elements in dimension 2, x has 1 there and weight 3; "
       "needs at least one of each",
       [] { (void)conv_transpose1d(f({1, 4, 1}), f({4, 2, 3}), {}, {.padding = 2}); }},
      {"conv_transpose2d: with weight of sizes [4, 2, 3, 3], x needs 4 channels, got sizes [1, 3, "
       "5, 5]",
       [] { (void)conv_transpose2d(f({1, 3, 5, 5}), f({4, 2, 3, 3})); }},
      {"conv_transpose1d: with groups = 3, dimension 0 of weight must be a multiple of it, got "
       "sizes [4, 2, 3]",
       [] { (void)conv_transpose1d(f({1, 4, 5}), f({4, 2, 3}), {}, {.groups = 3}); }},
      {"convolution: needs x and weight of the same rank, 3 to 5, got sizes [4, 5] and [2, 4, 3]",
       [] { (void)convolution(f({4, 5}), f({2, 4, 3}), {}, 1, 0, 1, false, 0, 1); }},
      {"convolution_backward: the result of the convolution is f32 of sizes [1, 2, 3], the "
       "gradient is f32 of sizes [1, 2, 4]",
       [] {
         (void)convolution_backward(f({1, 2, 4}), f({1, 4, 5}), f({2, 4, 3}), 1, 0, 1, false, 0, 1,
                                    {true, true, true});
       }},
      {"lstm: needs x of rank 3, got sizes [4, 3]",
       [] { (void)lstm(f({4, 3}), {f({1, 2, 5}), f({1, 2, 5})}, {}); }},
      {"lstm: needs two hidden states, got 1",
       [] { (void)lstm(f({4, 2, 3}), {f({1, 2, 5})}, {}); }},
      {"gru: 2 layers in 1 directions need 8 weights, 4 of each, got 2",
       [] { (void)gru(f({4, 2, 3}), f({2, 2, 5}), {f({15, 3}), f({15, 5})}, {.num_layers = 2}); }},
      {"gru: x has 3 features, w_ih of sizes [15, 4] takes 4",
       [] {
         (void)gru(f({4, 2, 3}), f({1, 2, 5}), {f({15, 4}), f({15, 5})}, {.has_biases = false});
       }},
      {"rnn_tanh: hx must be f32 of sizes [1, 2, 5], got f32 of sizes [1, 3, 5]",
       [] {
         (void)rnn_tanh(f({4, 2, 3}), f({1, 3, 5}), {f({5, 3}), f({5, 5})}, {.has_biases = false});
       }},
      {"rnn_relu: needs at least one step, got sizes [0, 2, 3]",
       [] {
         (void)rnn_relu(f({0, 2, 3}), f({1, 2, 5}), {f({5, 3}), f({5, 5})}, {.has_biases = false});
       }},
      {"gru: batch_sizes must be positive and must not increase, got [1, 2]",
       [] {
         (void)gru(f({3, 3}), to(arange(1, 3), DType::i64), f({1, 2, 5}), {f({15, 3}), f({15, 5})},
                   {.has_biases = false});
       }},
      {"gru_cell: hx must be f32 of sizes [2, 5], got f32 of sizes [3, 5]",
       [] { (void)gru_cell(f({2, 3}), f({3, 5}), f({15, 3}), f({15, 5})); }},
      {"batch_norm: needs both running_mean and running_var, or neither",
       [] { (void)batch_norm(f({2, 3}), {}, {}, f({3}), {}, true, 0.1, 1e-5); }},
      {"native_batch_norm: needs x with elements, got sizes [0, 3]",
       [] { (void)native_batch_norm(f({0, 3}), {}, {}, {}, {}, true, 0.1, 1e-5); }},
      {"native_layer_norm_backward: output_mask wants the gradient of weight, which is None",
       [] {
         (void)native_layer_norm_backward(f({2, 3}), f({2, 3}), 3, f({2, 1}), f({2, 1}), {}, {},
                                          {true, true, false});
       }},
      {"native_batch_norm_backward: needs save_mean and save_invstd if train=True",
       [] {
         (void)native_batch_norm_backward(f({2, 3}), f({2, 3}), {}, f({3}), f({3}), {}, {}, true,
                                          1e-5, {true, false, false});
       }},
      {"layer_norm: for x of f32 weight must be f32, got f64; cast it",
       [] { (void)layer_norm(f({2, 3}), {3}, to(f({3}), DType::f64)); }},
      {"mm: operand 1 must be a tensor", [] { (void)mm(f({2, 3}), Tensor()); }},
      {"linalg_qr: operand 0 must be a tensor", [] { (void)linalg_qr(Tensor()); }},
      {"lu_unpack: operand 1 must be a tensor", [] { (void)lu_unpack(f({2, 2}), Tensor()); }},
      {"rsub: other is an undefined tensor; needs a tensor or a number",
       [] { (void)rsub(f({2}), Tensor()); }},
      {"softsign: this tensor is undefined: it was made by Tensor() and given no value, was moved "
       "from, or is a gradient that no backward() has computed",
       [] { (void)softsign(Tensor()); }},
      {"index: 3 indices for a tensor of rank 2; leave some out",
       [] { (void)index(f({2, 3}), {whole({0}), Tensor(), Tensor()}); }},
      {"inner: the last dimensions have sizes 1 and 2, which must be equal",
       [] { (void)inner(f({1}), f({2})); }},
      {"full_like: the number 0.0+1.0j cannot be stored in a tensor of f32; needs c64 or c128",
       [] { (void)full_like(f({2}), std::complex(0.0, 1.0)); }},
      {"scatter: the number 0.0+1.0j cannot be stored in a tensor of f32; needs c64 or c128",
       [] { (void)scatter(f({2}), 0, whole({0}), Scalar(std::complex(0.0, 1.0))); }},
      {"linear: needs x of rank 1 or more and weight of rank 2, got sizes [] and [3, 2]",
       [] { (void)linear(ones({}, DType::c64), ones({3, 2}, DType::c64)); }},
      {"linear: bias must be c64 of sizes [3], got c64 of sizes []",
       [] { (void)linear(ones({2}, DType::c64), ones({3, 2}, DType::c64), ones({}, DType::c64)); }},
      {"matmul: needs tensors with dimensions, got sizes [] and [3]; use mul for numbers",
       [] { (void)matmul(ones({}, DType::c128), ones({3}, DType::c128)); }},
      {"matmul: dtypes differ: c128 and f64; cast one of them",
       [] { (void)matmul(ones({3}, DType::c128), ones({3}, DType::f64)); }},
      {"repeat_interleave: repeats must not be negative",
       [] { (void)repeat_interleave(f({3}), whole({2, -1, 4})); }},
      {"tile: size: 9223372036854775807 * 3 does not fit into 64 bits",
       [] { (void)tile(f({3}), {INT64_MAX}); }},
      {"celu: a real number is needed, got the complex number 0.0+1.0j",
       [] { (void)celu(f({2}), Scalar(std::complex(0.0, 1.0))); }},
      {"sinc_: a result of f32 cannot be stored in a tensor of i64; cast the tensor first",
       [] { (void)ops::call("sinc_", {whole({1})}); }},
      {"clamp_min_: a result of f32 cannot be stored in a tensor of i64; cast the tensor first",
       [] { (void)ops::call("clamp_min_", {whole({1}), Scalar(2.5)}); }},
      {"exponential: is not defined for complex numbers, got c64",
       [] { (void)exponential(complex(f({2}), f({2}))); }},
      {"randint_like: is not defined for complex numbers, got c64",
       [] { (void)randint_like(complex(f({2}), f({2})), 3); }},
      {"scatter_reduce: complex numbers can only be added",
       [] {
         const Tensor z = complex(f({2}), f({2}));
         (void)scatter_reduce(z, 0, whole({0, 1}), z, ops::ScatterReduction::amax, false);
       }},
      {"item: needs a tensor of one element, got sizes [2]",
       [] { (void)full_like(f({2}), 1).item(); }},
  };
  return all;
}

// A bool is not a dimension: the overload that takes a bool is called, as in PyTorch.
TEST(Errors, of_a_bool_in_the_place_of_a_dimension_are_none_where_it_has_a_meaning) {
  eager::init();
  const Tensor x = Tensor::from({1.0F, 2.0F, 6.0F}, {3});
  EXPECT_EQ(ops::call("var", {x, Scalar(false)})[0].item<float>(), 14.0F / 3.0F);
  EXPECT_EQ(ops::call("var", {x, Scalar(true)})[0].item<float>(), 7.0F);
  EXPECT_EQ(ops::call("var", {x, Scalar(0)})[0].item<float>(), 7.0F);
  EXPECT_EQ(ops::call("var_mean", {x, Scalar(false)})[0].item<float>(), 14.0F / 3.0F);
  EXPECT_EQ(ops::call("var_mean", {x, Scalar(0), Scalar(false)})[0].item<float>(), 14.0F / 3.0F);
}

TEST(Errors, of_arguments_that_have_their_default_are_none) {
  eager::init();
  const Tensor x = t(Tensor::from({1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F}, {2, 3}));
  for (const ArgValue& format : {ArgValue(Scalar(0)), ArgValue(std::string("contiguous_format"))})
    EXPECT_TRUE(ops::call("contiguous", {x}, {{"memory_format", format}})[0].is_contiguous());
}

// If no element is read or written, indices are not checked, as in PyTorch's index and scatters.
TEST(Errors, of_indices_are_none_where_there_are_no_elements) {
  eager::init();
  const Tensor bad = whole({7}), none = zeros({0}, DType::i64);
  EXPECT_EQ(index_select(f({3, 0}), 0, bad).numel(), 0);
  EXPECT_EQ(index_select(f({0, 3}), 0, none).numel(), 0);
  EXPECT_EQ(embedding(f({3, 0}), bad).numel(), 0);
  EXPECT_EQ(embedding(f({0, 3}), none).numel(), 0);
  EXPECT_EQ(gather(f({0, 2}), 0, zeros({0, 2}, DType::i64)).numel(), 0);
  EXPECT_EQ(index(f({3, 0}), {bad}).numel(), 0);
  EXPECT_EQ(index_put(f({3, 0}), {bad}, f({1, 0})).numel(), 0);
  EXPECT_EQ(index_put(f({0, 3}), {none}, f({0, 3})).numel(), 0);
  EXPECT_EQ(index_copy(f({3, 0}), 0, bad, f({1, 0})).numel(), 0);
  EXPECT_EQ(index_fill(f({3, 0}), 0, bad, 1).numel(), 0);
  EXPECT_EQ(put(f({0}), none, f({0})).numel(), 0);
}

TEST(Errors, say_what_was_wrong_and_what_to_do) {
  eager::init();
  for (const Mistake& mistake : mistakes()) {
    try {
      mistake.make();
      ADD_FAILURE() << "accepted: " << mistake.text;
    } catch (const Error& error) {
      EXPECT_EQ(error.message(), mistake.text);
      EXPECT_TRUE(error.location().starts_with("errors_test.cpp:")) << error.what();
    }
  }
}

// Of functions too that check their arguments before they call ops.
TEST(Errors, have_the_place_of_the_call) {
  eager::init();
  const Tensor x = f({2, 1, 3}), h = f({1, 1, 4});
  const std::vector<Tensor> weights{f({16, 3}), f({16, 4}), f({16}), f({16})};
  const std::vector<std::function<void()>> calls = {
      [] { (void)hann_window(-5); },
      [] { (void)kaiser_window(-5); },
      [] { (void)ops::call("hann_window", {Scalar(-5)}); },
      [&] { (void)lstm(x, {h}, weights); },
      [&] { (void)lstm_cell(f({1, 3}), {f({1, 4})}, weights[0], weights[1]); },
      [] { (void)full({int64_t{1} << 40, int64_t{1} << 40}, 1); },
      [] { (void)conv2d(f({1, 1, 4, 4}), f({1, 1, 2, 2}), {}, {.dilation = int64_t{1} << 40}); },
  };
  for (size_t i = 0; i < calls.size(); ++i) {
    try {
      calls[i]();
      ADD_FAILURE() << "accepted: " << i;
    } catch (const Error& error) {
      EXPECT_TRUE(error.location().starts_with("errors_test.cpp:")) << i << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace vitro
