// A default is written in an op's schema and, because C++ cannot read it from there, in the
// function of the header: both must make the same call.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "vitro/base/cat.h"
#include "vitro/ops/activation_functions.h"
#include "vitro/ops/all.h"
#include "vitro/ops/arithmetic.h"
#include "vitro/ops/distance.h"
#include "vitro/ops/embedding_bag.h"
#include "vitro/ops/fft.h"
#include "vitro/ops/layout.h"
#include "vitro/ops/linear_algebra.h"
#include "vitro/ops/loss.h"
#include "vitro/ops/overload.h"
#include "vitro/ops/rearrange.h"
#include "vitro/ops/recurrent.h"
#include "vitro/ops/special.h"
#include "vitro/ops/statistics.h"

namespace vitro {
namespace {

// Records calls as text, and returns tensors of the right shape.
class Recorder : public Interpreter {
 public:
  void call(const OpCall& call, std::span<Tensor> results) override {
    text_ += cat(call.op->name, call.in_place ? "_" : "", '(');
    for (const Operand& operand : call.operands) {
      text_ += operand.is_tensor()   ? cat("t", number_of(operand.tensor()))
               : operand.is_number() ? text_of(operand.number())
                                     : "None";
      text_ += ", ";
    }
    text_ += cat(Attrs(call.attrs).text(), ")\n");
    const std::vector<TensorMeta> metas = infer(*call.op, call.operands, call.attrs);
    for (size_t i = 0; i < results.size(); ++i) {
      Ints sizes, strides;
      for (const Size s : metas[i].sizes) sizes.push_back(s.value());
      for (const Size s : metas[i].strides) strides.push_back(s.value());
      results[i] = Tensor::empty_strided(sizes, strides, metas[i].dtype);
      made_.push_back(results[i]);
    }
  }
  const std::string& text() const { return text_; }

 private:
  // 0 for arguments of the program; results are numbered from 1.
  size_t number_of(const Tensor& t) const {
    for (size_t i = 0; i < made_.size(); ++i) {
      if (made_[i].storage() == t.storage()) return i + 1;
    }
    return 0;
  }
  std::string text_;
  std::vector<Tensor> made_;
};

std::string calls_of(const std::function<void()>& program) {
  Recorder recorder;
  const Using use(&recorder);
  program();
  return recorder.text();
}

struct Row {
  std::vector<ArgValue> required;      // arguments without a default
  std::function<void()> cpp;           // calls the function of the header with only these
  std::vector<NamedArg> by_name = {};  // required keyword-only arguments
};

const Tensor& x() {
  static const auto* t = new Tensor(Tensor::empty({3, 3}));
  return *t;
}
const Tensor& i() {
  static const auto* t = new Tensor(Tensor::empty({3}, DType::i64));
  return *t;
}
const Tensor& indices() {
  static const auto* t = new Tensor(Tensor::empty({3, 3}, DType::i64));
  return *t;
}
const Tensor& row() {
  static const auto* t = new Tensor(Tensor::empty({3}));
  return *t;
}
const Tensor& batch() {
  static const auto* t = new Tensor(Tensor::empty({3, 3, 3}));
  return *t;
}
const Tensor& image() {
  static const auto* t = new Tensor(Tensor::empty({1, 1, 3, 3}));
  return *t;
}

const Tensor& volume() {
  static const auto* t = new Tensor(Tensor::empty({1, 1, 2, 2, 2}));
  return *t;
}
const Tensor& number() {
  static const auto* t = new Tensor(Tensor::empty({}));
  return *t;
}
const Tensor& pair() {
  static const auto* t = new Tensor(Tensor::empty({3, 2}));
  return *t;
}

using List = std::vector<Scalar>;

std::map<std::string, Row> reductions() {
  return {
      {"sum", {{x()}, [] { (void)sum(x()); }}},
      {"sum.dim_IntList", {{x(), List{1}}, [] { (void)sum(x(), {1}); }}},
      {"mean", {{x()}, [] { (void)mean(x()); }}},
      {"mean.dim", {{x(), List{1}}, [] { (void)mean(x(), {1}); }}},
      {"prod", {{x()}, [] { (void)prod(x()); }}},
      {"prod.dim_int", {{x(), Scalar(1)}, [] { (void)prod(x(), {1}); }}},
      {"amax", {{x()}, [] { (void)amax(x()); }}},
      {"amin", {{x()}, [] { (void)amin(x()); }}},
      {"argmax", {{x()}, [] { (void)argmax(x()); }}},
      {"argmin", {{x()}, [] { (void)argmin(x()); }}},
      {"any.dim", {{x(), Scalar(1)}, [] { (void)any(x(), {1}); }}},
      {"any.dims", {{x()}, [] { (void)any(x()); }}},
      {"all.dim", {{x(), Scalar(1)}, [] { (void)all(x(), {1}); }}},
      {"all.dims", {{x()}, [] { (void)all(x()); }}},
      {"max.dim", {{x(), Scalar(1)}, [] { (void)max(x(), 1); }}},
      {"min.dim", {{x(), Scalar(1)}, [] { (void)min(x(), 1); }}},
      {"aminmax", {{x()}, [] { (void)aminmax(x()); }}},
      {"cumsum", {{x(), Scalar(1)}, [] { (void)cumsum(x(), 1); }}},
      {"cumprod", {{x(), Scalar(1)}, [] { (void)cumprod(x(), 1); }}},
      {"sort", {{x()}, [] { (void)sort(x()); }}},
      {"sort.stable", {{x()}, [] { (void)sort(x()); }, {{"stable", ArgValue()}}}},
      {"argsort", {{x()}, [] { (void)argsort(x()); }}},
      {"argsort.stable", {{x()}, [] { (void)argsort(x()); }, {{"stable", Scalar(true)}}}},
      {"topk", {{x(), Scalar(2)}, [] { (void)topk(x(), 2); }}},
      {"kthvalue", {{x(), Scalar(2)}, [] { (void)kthvalue(x(), 2); }}},
      {"mode", {{x()}, [] { (void)mode(x()); }}},
      {"median.dim", {{x(), Scalar(1)}, [] { (void)median(x(), 1); }}},
      {"nanmedian.dim", {{x(), Scalar(1)}, [] { (void)nanmedian(x(), 1); }}},
      {"var", {{x()}, [] { (void)var(x()); }}},
      {"var.dim", {{x(), List{1}}, [] { (void)var(x(), {1}); }}},
      {"var.correction", {{x()}, [] { (void)var(x()); }}},
      {"var_mean", {{x()}, [] { (void)var_mean(x()); }}},
      {"var_mean.dim", {{x(), List{1}}, [] { (void)var_mean(x(), {1}); }}},
      {"var_mean.correction", {{x()}, [] { (void)var_mean(x()); }}},
      {"logsumexp", {{x(), List{1}}, [] { (void)logsumexp(x(), {1}); }}},
      {"nansum", {{x()}, [] { (void)nansum(x()); }}},
      {"take_along_dim", {{x(), indices()}, [] { (void)take_along_dim(x(), indices()); }}},
      {"rms_norm", {{x(), List{3}}, [] { (void)rms_norm(x(), {3}); }}},
      {"group_norm", {{x(), Scalar(3)}, [] { (void)group_norm(x(), 3); }}},
      {"softmax.int", {{x(), Scalar(1)}, [] { (void)softmax(x(), 1); }}},
      {"log_softmax.int", {{x(), Scalar(1)}, [] { (void)log_softmax(x(), 1); }}},
  };
}

std::map<std::string, Row> views() {
  return {
      {"slice.Tensor", {{x()}, [] { (void)slice(x()); }}},
      {"diagonal", {{x()}, [] { (void)diagonal(x()); }}},
      {"as_strided", {{i(), List{2}, List{1}}, [] { (void)as_strided(i(), {2}, {1}); }}},
      {"flatten.using_ints", {{x()}, [] { (void)flatten(x()); }}},
      {"split.Tensor", {{x(), Scalar(2)}, [] { (void)split(x(), 2); }}},
      {"split_with_sizes", {{x(), List{1, 2}}, [] { (void)split_with_sizes(x(), {1, 2}); }}},
      {"chunk", {{x(), Scalar(2)}, [] { (void)chunk(x(), 2); }}},
      {"unbind.int", {{x()}, [] { (void)unbind(x()); }}},
      {"cat", {{std::vector<Tensor>{x(), x()}}, [] { (void)cat({x(), x()}); }}},
      {"stack", {{std::vector<Tensor>{x(), x()}}, [] { (void)stack({x(), x()}); }}},
      {"slice_scatter", {{x(), x()}, [] { (void)slice_scatter(x(), x()); }}},
      {"diagonal_scatter", {{x(), row()}, [] { (void)diagonal_scatter(x(), row()); }}},
      {"as_strided_scatter",
       {{i(), i(), List{3}, List{1}}, [] { (void)as_strided_scatter(i(), i(), {3}, {1}); }}},
      {"embedding", {{x(), i()}, [] { (void)embedding(x(), i()); }}},
      {"clone", {{x()}, [] { (void)clone(x()); }}},
      {"tril", {{x()}, [] { (void)tril(x()); }}},
      {"triu", {{x()}, [] { (void)triu(x()); }}},
  };
}

std::map<std::string, Row> makers() {
  return {
      {"full", {{List{2}, Scalar(1)}, [] { (void)full({2}, 1); }}},
      {"full_like", {{x(), Scalar(1)}, [] { (void)full_like(x(), 1); }}},
      {"zeros", {{List{2}}, [] { (void)zeros({2}); }}},
      {"ones", {{List{2}}, [] { (void)ones({2}); }}},
      {"zeros_like", {{x()}, [] { (void)zeros_like(x()); }}},
      {"ones_like", {{x()}, [] { (void)ones_like(x()); }}},
      {"scalar_tensor", {{Scalar(2)}, [] { (void)scalar_tensor(2); }}},
      {"arange", {{Scalar(4)}, [] { (void)arange(4); }}},
      {"arange.start", {{Scalar(1), Scalar(4)}, [] { (void)arange(1, 4); }}},
      {"arange.start_step", {{Scalar(1), Scalar(4)}, [] { (void)arange(1, 4); }}},
  };
}

std::map<std::string, Row> arithmetic() {
  return {
      {"add.Tensor", {{x(), x()}, [] { (void)add(x(), x()); }}},
      {"add.Scalar", {{x(), Scalar(2)}, [] { (void)add(x(), 2); }}},
      {"sub.Tensor", {{x(), x()}, [] { (void)sub(x(), x()); }}},
      {"sub.Scalar", {{x(), Scalar(2)}, [] { (void)sub(x(), 2); }}},
      {"gelu", {{x()}, [] { (void)gelu(x()); }}},
      {"leaky_relu", {{x()}, [] { (void)leaky_relu(x()); }}},
      {"elu", {{x()}, [] { (void)elu(x()); }}},
      {"softplus", {{x()}, [] { (void)softplus(x()); }}},
      {"hardtanh", {{x()}, [] { (void)hardtanh(x()); }}},
      {"index_add", {{x(), Scalar(0), i(), x()}, [] { (void)index_add(x(), 0, i(), x()); }}},
      {"index_put",
       {{x(), std::vector<Tensor>{i()}, row()}, [] { (void)index_put(x(), {i()}, row()); }}},
      {"put", {{x(), i(), row()}, [] { (void)put(x(), i(), row()); }}},
      {"scatter_reduce.two",
       {{x(), Scalar(0), indices(), x(), std::string("sum")},
        [] { (void)scatter_reduce(x(), 0, indices(), x(), ops::ScatterReduction::sum); }}},
      {"index_reduce",
       {{x(), Scalar(0), i(), x(), std::string("amax")},
        [] { (void)index_reduce(x(), 0, i(), x(), ops::ScatterReduction::amax); }}},
      {"addmm", {{x(), x(), x()}, [] { (void)addmm(x(), x(), x()); }}},
      {"baddbmm", {{x(), batch(), batch()}, [] { (void)baddbmm(x(), batch(), batch()); }}},
      {"linear", {{x(), x()}, [] { (void)linear(x(), x()); }}},
      {"conv1d", {{batch(), batch()}, [] { (void)conv1d(batch(), batch()); }}},
      {"conv1d.padding", {{batch(), batch()}, [] { (void)conv1d(batch(), batch()); }}},
      {"conv2d", {{image(), image()}, [] { (void)conv2d(image(), image()); }}},
      {"conv2d.padding", {{image(), image()}, [] { (void)conv2d(image(), image()); }}},
      {"conv3d", {{volume(), volume()}, [] { (void)conv3d(volume(), volume()); }}},
      {"conv3d.padding", {{volume(), volume()}, [] { (void)conv3d(volume(), volume()); }}},
      {"conv_transpose1d", {{batch(), batch()}, [] { (void)conv_transpose1d(batch(), batch()); }}},
      {"conv_transpose2d.input",
       {{image(), image()}, [] { (void)conv_transpose2d(image(), image()); }}},
      {"conv_transpose3d.input",
       {{volume(), volume()}, [] { (void)conv_transpose3d(volume(), volume()); }}},
      {"layer_norm", {{x(), List{3}}, [] { (void)layer_norm(x(), {3}); }}},
      {"contiguous", {{x()}, [] { (void)contiguous(x()); }}},
      {"scaled_dot_product_attention",
       {{x(), x(), x()}, [] { (void)scaled_dot_product_attention(x(), x(), x()); }}},
  };
}

std::map<std::string, Row> windows() {
  const auto line = [] { return Tensor::empty({1, 3, 4}); };
  return {
      {"constant_pad_nd", {{x(), List{1, 1}}, [] { (void)constant_pad_nd(x(), {1, 1}); }}},
      {"pad", {{x(), List{1, 1}}, [] { (void)pad(x(), {1, 1}); }}},
      {"max_pool2d", {{image(), List{2, 2}}, [] { (void)max_pool2d(image(), {2, 2}); }}},
      {"max_pool2d_with_indices",
       {{image(), List{2, 2}}, [] { (void)max_pool2d_with_indices(image(), {2, 2}); }}},
      {"avg_pool2d", {{image(), List{2, 2}}, [] { (void)avg_pool2d(image(), {2, 2}); }}},
      {"max_pool1d", {{line(), List{2}}, [line] { (void)max_pool1d(line(), 2); }}},
      {"avg_pool1d", {{line(), List{2}}, [line] { (void)avg_pool1d(line(), 2); }}},
      {"max_pool1d_with_indices",
       {{line(), List{2}}, [line] { (void)max_pool1d_with_indices(line(), 2); }}},
      {"max_pool3d", {{volume(), List{2}}, [] { (void)max_pool3d(volume(), 2); }}},
      {"max_pool3d_with_indices",
       {{volume(), List{2}}, [] { (void)max_pool3d_with_indices(volume(), 2); }}},
      {"avg_pool3d", {{volume(), List{2}}, [] { (void)avg_pool3d(volume(), 2); }}},
      {"upsample_nearest1d", {{line(), List{8}}, [line] { (void)upsample_nearest1d(line(), 8); }}},
      {"upsample_nearest2d",
       {{image(), List{6, 6}}, [] { (void)upsample_nearest2d(image(), {6, 6}); }}},
      {"upsample_bilinear2d",
       {{image(), List{6, 6}, Scalar(false)},
        [] { (void)upsample_bilinear2d(image(), {6, 6}, false); }}},
      {"upsample_nearest3d",
       {{volume(), List{3, 3, 3}}, [] { (void)upsample_nearest3d(volume(), {3, 3, 3}); }}},
      {"_upsample_nearest_exact1d",
       {{line(), List{8}}, [line] { (void)upsample_nearest_exact1d(line(), 8); }}},
      {"_upsample_nearest_exact2d",
       {{image(), List{6, 6}}, [] { (void)upsample_nearest_exact2d(image(), {6, 6}); }}},
      {"_upsample_nearest_exact3d",
       {{volume(), List{3, 3, 3}}, [] { (void)upsample_nearest_exact3d(volume(), {3, 3, 3}); }}},
      {"upsample_linear1d",
       {{line(), List{8}, Scalar(false)}, [line] { (void)upsample_linear1d(line(), 8, false); }}},
      {"upsample_trilinear3d",
       {{volume(), List{3, 3, 3}, Scalar(false)},
        [] { (void)upsample_trilinear3d(volume(), {3, 3, 3}, false); }}},
      {"upsample_bicubic2d",
       {{image(), List{6, 6}, Scalar(false)},
        [] { (void)upsample_bicubic2d(image(), {6, 6}, false); }}},
      {"_upsample_bilinear2d_aa",
       {{image(), List{2, 2}, Scalar(false)},
        [] { (void)upsample_bilinear2d_aa(image(), {2, 2}, false); }}},
      {"_upsample_bicubic2d_aa",
       {{image(), List{2, 2}, Scalar(false)},
        [] { (void)upsample_bicubic2d_aa(image(), {2, 2}, false); }}},
  };
}

std::map<std::string, Row> neural() {
  return {
      {"celu", {{x()}, [] { (void)celu(x()); }}},
      {"hardshrink", {{x()}, [] { (void)hardshrink(x()); }}},
      {"softshrink", {{x()}, [] { (void)softshrink(x()); }}},
      {"softmin", {{x(), Scalar(1)}, [] { (void)softmin(x(), 1); }}},
      {"rrelu", {{x()}, [] { (void)rrelu(x()); }}},
      {"linalg_vector_norm", {{x()}, [] { (void)linalg_vector_norm(x()); }}},
      {"norm.Scalar", {{x()}, [] { (void)norm(x()); }}},
      {"norm.ScalarOpt_dim", {{x(), Scalar(2), List{1}}, [] { (void)norm(x(), 2, {1}); }}},
      {"linalg_matrix_norm", {{x(), Scalar(1)}, [] { (void)linalg_matrix_norm(x(), Scalar(1)); }}},
      {"linalg_matrix_norm.str_ord", {{x()}, [] { (void)linalg_matrix_norm(x()); }}},
      {"normalize", {{x()}, [] { (void)normalize(x()); }}},
      {"cosine_similarity", {{x(), x()}, [] { (void)cosine_similarity(x(), x()); }}},
      {"pairwise_distance", {{x(), x()}, [] { (void)pairwise_distance(x(), x()); }}},
      {"cdist", {{x(), x()}, [] { (void)cdist(x(), x()); }}},
      {"pdist", {{x()}, [] { (void)pdist(x()); }}},
      {"_pdist_forward", {{x()}, [] { (void)pdist(x()); }}},
      {"glu", {{pair()}, [] { (void)glu(pair()); }}},
  };
}

std::map<std::string, Row> losses() {
  return {
      {"mse_loss", {{x(), x()}, [] { (void)mse_loss(x(), x()); }}},
      {"l1_loss", {{x(), x()}, [] { (void)l1_loss(x(), x()); }}},
      {"smooth_l1_loss", {{x(), x()}, [] { (void)smooth_l1_loss(x(), x()); }}},
      {"huber_loss", {{x(), x()}, [] { (void)huber_loss(x(), x()); }}},
      {"binary_cross_entropy", {{x(), x()}, [] { (void)binary_cross_entropy(x(), x()); }}},
      {"binary_cross_entropy_with_logits",
       {{x(), x()}, [] { (void)binary_cross_entropy_with_logits(x(), x()); }}},
      {"kl_div", {{x(), x()}, [] { (void)kl_div(x(), x()); }}},
      {"hinge_embedding_loss", {{x(), x()}, [] { (void)hinge_embedding_loss(x(), x()); }}},
      {"soft_margin_loss", {{x(), x()}, [] { (void)soft_margin_loss(x(), x()); }}},
      {"nll_loss", {{x(), i()}, [] { (void)nll_loss(x(), i()); }}},
      {"nll_loss2d", {{x(), i()}, [] { (void)nll_loss(x(), i()); }}},
      {"nll_loss_nd", {{x(), i()}, [] { (void)nll_loss(x(), i()); }}},
      {"cross_entropy_loss", {{x(), i()}, [] { (void)cross_entropy_loss(x(), i()); }}},
      {"gaussian_nll_loss", {{x(), x(), x()}, [] { (void)gaussian_nll_loss(x(), x(), x()); }}},
      {"margin_ranking_loss", {{x(), x(), x()}, [] { (void)margin_ranking_loss(x(), x(), x()); }}},
      {"cosine_embedding_loss",
       {{x(), x(), row()}, [] { (void)cosine_embedding_loss(x(), x(), row()); }}},
      {"triplet_margin_loss", {{x(), x(), x()}, [] { (void)triplet_margin_loss(x(), x(), x()); }}},
      {"multi_margin_loss", {{x(), i()}, [] { (void)multi_margin_loss(x(), i()); }}},
  };
}

std::map<std::string, Row> decompositions() {
  static const auto* classes = new Tensor(Tensor::empty({3, 3}, DType::i64));
  static const auto* pivots = new Tensor(Tensor::empty({3}, DType::i32));
  static const auto* solid = new Tensor(Tensor::empty({3, 1, 3}));
  static const auto* lengths = new Tensor(Tensor::from<int64_t>({1, 1, 1}, {3}));
  return {
      {"linalg_cholesky_ex", {{x()}, [] { (void)linalg_cholesky_ex(x()); }}},
      {"linalg_cholesky", {{x()}, [] { (void)linalg_cholesky(x()); }}},
      {"cholesky", {{x()}, [] { (void)cholesky(x()); }}},
      {"cholesky_solve", {{x(), x()}, [] { (void)cholesky_solve(x(), x()); }}},
      {"cholesky_inverse", {{x()}, [] { (void)cholesky_inverse(x()); }}},
      {"linalg_lu_factor_ex", {{x()}, [] { (void)linalg_lu_factor_ex(x()); }}},
      {"linalg_lu_factor", {{x()}, [] { (void)linalg_lu_factor(x()); }}},
      {"linalg_lu", {{x()}, [] { (void)linalg_lu(x()); }}},
      {"lu_unpack", {{x(), *pivots}, [] { (void)lu_unpack(x(), *pivots); }}},
      {"linalg_lu_solve", {{x(), *pivots, x()}, [] { (void)linalg_lu_solve(x(), *pivots, x()); }}},
      {"linalg_solve_triangular",
       {{x(), x()}, [] { (void)linalg_solve_triangular(x(), x(), true); }, {{"upper", true}}}},
      {"linalg_solve_ex", {{x(), x()}, [] { (void)linalg_solve_ex(x(), x()); }}},
      {"linalg_solve", {{x(), x()}, [] { (void)linalg_solve(x(), x()); }}},
      {"linalg_inv_ex", {{x()}, [] { (void)linalg_inv_ex(x()); }}},
      {"linalg_tensorinv", {{*solid}, [] { (void)linalg_tensorinv(*solid); }}},
      {"linalg_tensorsolve", {{x(), row()}, [] { (void)linalg_tensorsolve(x(), row()); }}},
      {"linalg_qr", {{x()}, [] { (void)linalg_qr(x()); }}},
      {"qr", {{x()}, [] { (void)qr(x()); }}},
      {"linalg_svd", {{x()}, [] { (void)linalg_svd(x()); }}},
      {"svd", {{x()}, [] { (void)svd(x()); }}},
      {"linalg_eigh", {{x()}, [] { (void)linalg_eigh(x()); }}},
      {"linalg_eigvalsh", {{x()}, [] { (void)linalg_eigvalsh(x()); }}},
      {"linalg_pinv.atol_rtol_float", {{x()}, [] { (void)linalg_pinv(x()); }}},
      {"linalg_pinv", {{x(), Scalar(0.5)}, [] { (void)linalg_pinv(x(), 0.0, 0.5); }}},
      {"pinverse", {{x()}, [] { (void)pinverse(x()); }}},
      {"linalg_matrix_rank.atol_rtol_float", {{x()}, [] { (void)linalg_matrix_rank(x()); }}},
      {"linalg_matrix_rank", {{x(), Scalar(0.5)}, [] { (void)linalg_matrix_rank(x(), 0.5, 0.0); }}},
      {"multilabel_margin_loss",
       {{x(), *classes}, [] { (void)multilabel_margin_loss(x(), *classes); }}},
      {"ctc_loss.IntList",
       {{batch(), indices(), List{1, 1, 1}, List{1, 1, 1}},
        [] { (void)ctc_loss(batch(), indices(), {1, 1, 1}, {1, 1, 1}); }}},
      {"ctc_loss.Tensor",
       {{batch(), indices(), *lengths, *lengths},
        [] { (void)ctc_loss(batch(), indices(), *lengths, *lengths); }}},
      {"linalg_ldl_factor_ex", {{x()}, [] { (void)linalg_ldl_factor_ex(x()); }}},
      {"linalg_ldl_factor", {{x()}, [] { (void)linalg_ldl_factor(x()); }}},
      {"linalg_ldl_solve",
       {{x(), *pivots, x()}, [] { (void)linalg_ldl_solve(x(), *pivots, x()); }}},
      {"ormqr", {{x(), row(), x()}, [] { (void)ormqr(x(), row(), x()); }}},
      {"linalg_lstsq", {{x(), x()}, [] { (void)linalg_lstsq(x(), x()); }}},
      {"linalg_cond", {{x()}, [] { (void)linalg_cond(x()); }}},
  };
}

std::map<std::string, Row> linear_algebra() {
  return {
      {"einsum",
       {{std::string("ij,jk"), std::vector<Tensor>{x(), x()}},
        [] { (void)einsum("ij,jk", {x(), x()}); }}},
      {"cross", {{x(), x()}, [] { (void)cross(x(), x()); }}},
      {"linalg_cross", {{x(), x()}, [] { (void)linalg_cross(x(), x()); }}},
      {"addr", {{x(), row(), row()}, [] { (void)addr(x(), row(), row()); }}},
      {"diag", {{x()}, [] { (void)diag(x()); }}},
      {"diag_embed", {{x()}, [] { (void)diag_embed(x()); }}},
      {"tril_indices", {{Scalar(3), Scalar(3)}, [] { (void)tril_indices(3, 3); }}},
      {"triu_indices", {{Scalar(3), Scalar(3)}, [] { (void)triu_indices(3, 3); }}},
      {"linalg_vander", {{x()}, [] { (void)linalg_vander(x()); }}},
      {"vander", {{row()}, [] { (void)vander(row()); }}},
      {"pad_sequence", {{std::vector<Tensor>{x(), x()}}, [] { (void)pad_sequence({x(), x()}); }}},
  };
}

std::map<std::string, Row> arrays() {
  return {
      {"addcmul", {{x(), x(), x()}, [] { (void)addcmul(x(), x(), x()); }}},
      {"addcdiv", {{x(), x(), x()}, [] { (void)addcdiv(x(), x(), x()); }}},
      {"logit", {{x()}, [] { (void)logit(x()); }}},
      {"nan_to_num", {{x()}, [] { (void)nan_to_num(x()); }}},
      {"isclose", {{x(), x()}, [] { (void)isclose(x(), x()); }}},
      {"roll", {{x(), List{1}}, [] { (void)roll(x(), {1}); }}},
      {"rot90", {{x()}, [] { (void)rot90(x()); }}},
      {"tensor_split.sections", {{x(), Scalar(2)}, [] { (void)tensor_split(x(), 2); }}},
      {"tensor_split.indices", {{x(), List{1, 2}}, [] { (void)tensor_split_at(x(), {1, 2}); }}},
      {"repeat_interleave.self_int", {{x(), Scalar(2)}, [] { (void)repeat_interleave(x(), 2); }}},
      {"eye", {{Scalar(3)}, [] { (void)eye(3); }}},
      {"eye.m", {{Scalar(3), Scalar(2)}, [] { (void)eye(3, 2); }}},
      {"linspace", {{Scalar(1), Scalar(2), Scalar(5)}, [] { (void)linspace(1, 2, 5); }}},
      {"logspace", {{Scalar(1), Scalar(2), Scalar(5)}, [] { (void)logspace(1, 2, 5); }}},
      {"diff", {{x()}, [] { (void)diff(x()); }}},
      {"trapezoid.x", {{x(), x()}, [] { (void)trapezoid(x(), x()); }}},
      {"trapezoid.dx", {{x()}, [] { (void)trapezoid(x()); }}},
      {"cumulative_trapezoid.x", {{x(), x()}, [] { (void)cumulative_trapezoid(x(), x()); }}},
      {"cumulative_trapezoid.dx", {{x()}, [] { (void)cumulative_trapezoid(x()); }}},
      {"histc", {{x()}, [] { (void)histc(x()); }}},
      {"count_nonzero", {{x()}, [] { (void)count_nonzero(x()); }}},
      {"std", {{x()}, [] { (void)stddev(x()); }}},
      {"std.dim", {{x(), List{1}}, [] { (void)stddev(x(), {1}); }}},
      {"std.correction", {{x()}, [] { (void)stddev(x()); }}},
      {"searchsorted.Tensor", {{x(), x()}, [] { (void)searchsorted(x(), x()); }}},
      {"bucketize.Tensor", {{x(), row()}, [] { (void)bucketize(x(), row()); }}},
      {"isin.Tensor_Tensor", {{x(), x()}, [] { (void)isin(x(), x()); }}},
      {"embedding_bag", {{x(), i(), i()}, [] { (void)embedding_bag(x(), i(), i()); }}},
  };
}

std::map<std::string, Row> random_numbers() {
  return {
      {"rand", {{List{2}}, [] { (void)rand({2}); }}},
      {"rand_like", {{x()}, [] { (void)rand_like(x()); }}},
      {"randn", {{List{2}}, [] { (void)randn({2}); }}},
      {"randn_like", {{x()}, [] { (void)randn_like(x()); }}},
      {"randint", {{Scalar(5), List{2}}, [] { (void)randint(5, {2}); }}},
      {"randint.low", {{Scalar(1), Scalar(5), List{2}}, [] { (void)randint(1, 5, {2}); }}},
      {"randint_like", {{x(), Scalar(5)}, [] { (void)randint_like(x(), 5); }}},
      {"randint_like.low_dtype",
       {{x(), Scalar(1), Scalar(5)}, [] { (void)randint_like(x(), 1, 5); }}},
      {"randperm", {{Scalar(5)}, [] { (void)randperm(5); }}},
      {"normal.Tensor_float", {{x()}, [] { (void)normal(x()); }}},
      {"normal.float_float",
       {{Scalar(1.0), Scalar(2.0), List{2}}, [] { (void)normal(1, 2, {2}); }}},
      {"normal_functional", {{x()}, [] { (void)normal_functional(x()); }}},
      {"normal_", {{x()}, [] { (void)normal_(x()); }}},
      {"bernoulli_.float", {{x()}, [] { (void)bernoulli_(x()); }}},
      {"multinomial", {{x(), Scalar(2)}, [] { (void)multinomial(x(), 2); }}},
      {"uniform", {{x()}, [] { (void)uniform(x()); }}},
      {"uniform_", {{x()}, [] { (void)uniform_(x()); }}},
      {"log_normal", {{x()}, [] { (void)log_normal(x()); }}},
      {"log_normal_", {{x()}, [] { (void)log_normal_(x()); }}},
      {"exponential", {{x()}, [] { (void)exponential(x()); }}},
      {"exponential_", {{x()}, [] { (void)exponential_(x()); }}},
      {"cauchy", {{x()}, [] { (void)cauchy(x()); }}},
      {"cauchy_", {{x()}, [] { (void)cauchy_(x()); }}},
      {"gumbel_softmax", {{x()}, [] { (void)gumbel_softmax(x()); }}},
  };
}

std::map<std::string, Row> recurrent() {
  const auto weights = [](int64_t gates) { return Tensor::empty({3 * gates, 3}); };
  return {
      {"lstm_cell",
       {{x(), std::vector{x(), x()}, weights(4), weights(4)},
        [=] { (void)lstm_cell(x(), {x(), x()}, weights(4), weights(4)); }}},
      {"gru_cell",
       {{x(), x(), weights(3), weights(3)},
        [=] { (void)gru_cell(x(), x(), weights(3), weights(3)); }}},
      {"rnn_tanh_cell", {{x(), x(), x(), x()}, [] { (void)rnn_tanh_cell(x(), x(), x(), x()); }}},
      {"rnn_relu_cell", {{x(), x(), x(), x()}, [] { (void)rnn_relu_cell(x(), x(), x(), x()); }}},
  };
}

std::map<std::string, Row> further() {
  const auto places = [] { return std::vector<Tensor>{row(), row()}; };
  return {
      {"linspace.Tensor_Tensor",
       {{number(), number(), Scalar(3)}, [] { (void)linspace_between(number(), number(), 3); }}},
      {"linspace.Tensor_Scalar",
       {{number(), Scalar(1), Scalar(3)}, [] { (void)linspace_between(number(), 1, 3); }}},
      {"linspace.Scalar_Tensor",
       {{Scalar(1), number(), Scalar(3)}, [] { (void)linspace_between(1, number(), 3); }}},
      {"logspace.Tensor_Tensor",
       {{number(), number(), Scalar(3)}, [] { (void)logspace_between(number(), number(), 3); }}},
      {"logspace.Tensor_Scalar",
       {{number(), Scalar(1), Scalar(3)}, [] { (void)logspace_between(number(), 1, 3); }}},
      {"logspace.Scalar_Tensor",
       {{Scalar(1), number(), Scalar(3)}, [] { (void)logspace_between(1, number(), 3); }}},
      {"diagflat", {{x()}, [] { (void)diagflat(x()); }}},
      {"fft_fftshift", {{x()}, [] { (void)fft_fftshift(x()); }}},
      {"fft_ifftshift", {{x()}, [] { (void)fft_ifftshift(x()); }}},
      {"combinations", {{row()}, [] { (void)combinations(row()); }}},
      {"split.sizes", {{x(), List{1, 2}}, [] { (void)split_with_sizes(x(), {1, 2}); }}},
      {"unsafe_split.Tensor", {{x(), Scalar(2)}, [] { (void)split(x(), 2); }}},
      {"unsafe_split_with_sizes", {{x(), List{1, 2}}, [] { (void)split_with_sizes(x(), {1, 2}); }}},
      {"unsafe_chunk", {{x(), Scalar(2)}, [] { (void)chunk(x(), 2); }}},
      {"to.dtype", {{x(), DType::f64}, [] { (void)to(x(), DType::f64); }}},
      {"to.device", {{x(), std::string("cpu"), DType::f64}, [] { (void)to(x(), DType::f64); }}},
      {"to.other", {{x(), i()}, [] { (void)to(x(), DType::i64); }}},
      {"rsub.Tensor", {{x(), x()}, [] { (void)rsub(x(), x()); }}},
      {"rsub.Scalar", {{x(), Scalar(2)}, [] { (void)rsub(x(), 2); }}},
      {"dist", {{x(), x()}, [] { (void)dist(x(), x()); }}},
      {"linalg_norm", {{x()}, [] { (void)linalg_norm(x()); }}},
      {"linalg_norm.ord_str", {{x(), std::string("fro")}, [] { (void)linalg_norm(x(), "fro"); }}},
      {"linalg_vecdot", {{x(), x()}, [] { (void)linalg_vecdot(x(), x()); }}},
      {"addmv", {{row(), x(), row()}, [] { (void)addmv(row(), x(), row()); }}},
      {"addbmm", {{x(), batch(), batch()}, [] { (void)addbmm(x(), batch(), batch()); }}},
      {"bilinear", {{x(), x(), batch()}, [] { (void)bilinear(x(), x(), batch()); }}},
      {"quantile", {{x(), row()}, [] { (void)quantile(x(), row()); }}},
      {"quantile.scalar", {{x(), Scalar(0.5)}, [] { (void)quantile(x(), 0.5); }}},
      {"nanquantile", {{x(), row()}, [] { (void)nanquantile(x(), row()); }}},
      {"nanquantile.scalar", {{x(), Scalar(0.5)}, [] { (void)nanquantile(x(), 0.5); }}},
      {"nanmean", {{x()}, [] { (void)nanmean(x()); }}},
      {"std_mean", {{x()}, [] { (void)std_mean(x()); }}},
      {"std_mean.dim", {{x(), List{1}}, [] { (void)std_mean(x(), {1}); }}},
      {"std_mean.correction", {{x()}, [] { (void)std_mean(x()); }}},
      {"cov", {{x()}, [] { (void)cov(x()); }}},
      {"histogram.bins_tensor", {{x(), row()}, [] { (void)histogram(x(), row()); }}},
      {"nonzero_static", {{x()}, [] { (void)nonzero_static(x(), 2); }, {{"size", Scalar(2)}}}},
      {"gradient.scalarint", {{x()}, [] { (void)gradient(x()); }}},
      {"gradient.scalararray",
       {{x()},
        [] { (void)gradient(x(), std::vector<Scalar>{2}, {1}); },
        {{"spacing", Scalar(2)}, {"dim", List{1}}}}},
      {"gradient.array",
       {{x()}, [] { (void)gradient(x(), std::vector<Scalar>{}, {1}); }, {{"dim", List{1}}}}},
      {"gradient.scalarrayint",
       {{x()}, [] { (void)gradient(x(), std::vector<Scalar>{2, 3}); }, {{"spacing", List{2, 3}}}}},
      {"gradient.scalarrayarray",
       {{x()},
        [] { (void)gradient(x(), std::vector<Scalar>{2}, {1}); },
        {{"spacing", List{2}}, {"dim", List{1}}}}},
      {"gradient.tensorarrayint",
       {{x()}, [places] { (void)gradient(x(), places()); }, {{"spacing", places()}}}},
      {"gradient.tensorarray",
       {{x()},
        [places] { (void)gradient(x(), std::vector<Tensor>{row()}, {1}); },
        {{"spacing", std::vector<Tensor>{row()}}, {"dim", List{1}}}}},
  };
}

std::map<std::string, Row> fourier() {
  const Tensor signal = Tensor::empty({20});
  return {
      {"fft_fft", {{x()}, [] { (void)fft_fft(x()); }}},
      {"fft_fft2", {{x()}, [] { (void)fft_fft2(x()); }}},
      {"fft_fftn", {{x()}, [] { (void)fft_fftn(x()); }}},
      {"fft_ifft", {{x()}, [] { (void)fft_ifft(x()); }}},
      {"fft_ifft2", {{x()}, [] { (void)fft_ifft2(x()); }}},
      {"fft_ifftn", {{x()}, [] { (void)fft_ifftn(x()); }}},
      {"fft_rfft", {{x()}, [] { (void)fft_rfft(x()); }}},
      {"fft_rfft2", {{x()}, [] { (void)fft_rfft2(x()); }}},
      {"fft_rfftn", {{x()}, [] { (void)fft_rfftn(x()); }}},
      {"fft_irfft", {{x()}, [] { (void)fft_irfft(x()); }}},
      {"fft_irfft2", {{x()}, [] { (void)fft_irfft2(x()); }}},
      {"fft_irfftn", {{x()}, [] { (void)fft_irfftn(x()); }}},
      {"fft_hfft", {{x()}, [] { (void)fft_hfft(x()); }}},
      {"fft_hfft2", {{x()}, [] { (void)fft_hfft2(x()); }}},
      {"fft_hfftn", {{x()}, [] { (void)fft_hfftn(x()); }}},
      {"fft_ihfft", {{x()}, [] { (void)fft_ihfft(x()); }}},
      {"fft_ihfft2", {{x()}, [] { (void)fft_ihfft2(x()); }}},
      {"fft_ihfftn", {{x()}, [] { (void)fft_ihfftn(x()); }}},
      {"fft_fftfreq", {{Scalar(5)}, [] { (void)fft_fftfreq(5); }}},
      {"fft_rfftfreq", {{Scalar(5)}, [] { (void)fft_rfftfreq(5); }}},
      {"stft",
       {{signal, Scalar(4)},
        [=] { (void)stft(signal, 4, {.center = false, .return_complex = true}); },
        {{"return_complex", Scalar(true)}}}},
      {"stft.center",
       {{signal, Scalar(4)},
        [=] { (void)stft(signal, 4, {.return_complex = true}); },
        {{"return_complex", Scalar(true)}}}},
      {"hann_window", {{Scalar(5)}, [] { (void)hann_window(5); }}},
      {"hann_window.periodic", {{Scalar(5), Scalar(false)}, [] { (void)hann_window(5, false); }}},
      {"hamming_window", {{Scalar(5)}, [] { (void)hamming_window(5); }}},
      {"hamming_window.periodic",
       {{Scalar(5), Scalar(false)}, [] { (void)hamming_window(5, false); }}},
      {"blackman_window", {{Scalar(5)}, [] { (void)blackman_window(5); }}},
      {"blackman_window.periodic",
       {{Scalar(5), Scalar(false)}, [] { (void)blackman_window(5, false); }}},
      {"bartlett_window", {{Scalar(5)}, [] { (void)bartlett_window(5); }}},
      {"bartlett_window.periodic",
       {{Scalar(5), Scalar(false)}, [] { (void)bartlett_window(5, false); }}},
      {"kaiser_window", {{Scalar(5)}, [] { (void)kaiser_window(5); }}},
      {"kaiser_window.periodic",
       {{Scalar(5), Scalar(false)}, [] { (void)kaiser_window(5, false); }}},
      {"hamming_window.periodic_alpha",
       {{Scalar(5), Scalar(false), Scalar(0.5)}, [] { (void)hamming_window(5, false, 0.5); }}},
      {"hamming_window.periodic_alpha_beta",
       {{Scalar(5), Scalar(false), Scalar(0.5), Scalar(0.4)},
        [] { (void)hamming_window(5, false, 0.5, 0.4); }}},
      {"kaiser_window.beta",
       {{Scalar(5), Scalar(false), Scalar(6.0)}, [] { (void)kaiser_window(5, false, 6); }}},
  };
}

std::map<std::string, Row> rows() {
  std::map<std::string, Row> all = reductions();
  for (auto* more : {&views, &makers, &arithmetic, &windows, &neural, &losses, &linear_algebra,
                     &arrays, &recurrent, &random_numbers, &decompositions, &further, &fourier})
    all.merge((*more)());
  return all;
}

// Whether the argument is used: it has a role in the op's call, or is a parameter of the function.
bool is_taken(const ops::Overload& overload, size_t argument) {
  if (overload.function) return argument < overload.function.takes();
  return overload.roles[argument] != ops::Role::unused;
}

TEST(Defaults, of_functions_are_those_of_their_schemas) {
  for (const auto& [name, row] : rows()) {
    const ops::Overload* overload = ops::overload(name);
    ASSERT_TRUE(overload) << name;
    const auto by_name = [&row = row, overload] {
      (void)ops::call(*overload, row.required, row.by_name);
    };
    EXPECT_EQ(calls_of(row.cpp), calls_of(by_name)) << name;
  }
}

// A new function with a default needs a row above.
TEST(Defaults, are_compared_for_every_function) {
  const auto compared = rows();
  // Overloads for which C++ has another function, or none, or none with a bound left out; and those
  // that read elements, or whose result has a size that depends on them: none are computed here.
  const std::set<std::string> no_function{"clamp",
                                          "clamp.Tensor",
                                          "one_hot",
                                          "repeat_interleave.self_Tensor",
                                          "empty.memory_format",
                                          "empty_strided",
                                          "new_empty",
                                          "new_empty_strided",
                                          "philox",
                                          "philox_uniform",
                                          "philox_normal",
                                          "_embedding_bag",
                                          "_embedding_bag_forward_only",
                                          "_lu_with_info",
                                          "_linalg_eigh",
                                          "_linalg_solve_ex",
                                          "_linalg_svd",
                                          "triangular_solve",
                                          "segment_reduce",
                                          "bincount",
                                          "histogram.bin_ct",
                                          "_unique2",
                                          "unique_dim",
                                          "unique_consecutive",
                                          "_safe_softmax",
                                          "tensor_split.tensor_indices_or_sections",
                                          "searchsorted.Scalar",
                                          "linalg_pinv.atol_rtol_tensor",
                                          "linalg_matrix_rank.atol_rtol_tensor",
                                          "histogramdd",
                                          "histogramdd.int_bins",
                                          "histogramdd.TensorList_bins",
                                          "allclose",
                                          "istft",
                                          "repeat_interleave.Tensor",
                                          "to.dtype_layout",
                                          "_assert_tensor_metadata",
                                          "sym_constrain_range",
                                          "sym_constrain_range_for_size",
                                          "norm_except_dim",
                                          "_weight_norm",
                                          "_trilinear"};
  // Overloads under other names, ops on pairs of which complex calls consist, those that copy the
  // result of a function, and those that create tensors like another one.
  const auto is_another = [](std::string_view name) {
    static const std::set<std::string_view> names{
        "clip",       "concat",         "concatenate",
        "subtract",   "special_logit",  "special_logsumexp",
        "trapz",      "new_full",       "new_zeros",
        "new_ones",   "new_empty",      "empty",
        "empty_like", "empty_permuted", "linalg_diagonal"};
    return names.contains(name) || name.ends_with("_copy") || name.ends_with("_pairs");
  };
  for (const ops::Overload& one : ops::overloads()) {
    const std::string name = one.schema.full_name();
    bool has_default = false;
    for (size_t i = 0; i < one.schema.arguments.size(); ++i)
      has_default = has_default || (one.schema.arguments[i].default_text && is_taken(one, i));
    if (!has_default || one.schema.in_place() || no_function.contains(name)) continue;
    if (is_another(one.schema.name)) continue;
    EXPECT_TRUE(compared.contains(name)) << cat(one.schema);
  }
}

}  // namespace
}  // namespace vitro
