// Rows of the table of kinds for products, norms, attention and other layers; see kinds.h.
#include "kinds.h"

namespace vitro::fuzz {
namespace {

bool is_matrix(const Tensor& t) {
  return t.rank() == 2 && !is_bool(t.dtype());
}
bool is_batch(const Tensor& t) {
  return t.rank() == 3 && is_floating(t.dtype());
}
bool is_image(const Tensor& t) {
  return is_batch(t) && has_elements(t);
}
bool is_layers(const Tensor& t) {
  return t.rank() >= 2 && is_floating(t.dtype());
}

// Picks a second operand with the first one's dtype, whose dimension `d` has the size of the first
// one's dimension `e`.
bool pick_fitting(Random& random, const Variables& all, Step& step, Fits fits, int64_t d,
                  int64_t e) {
  const Tensor& first = chosen(all, step);
  return pick(random, all, step, [&](const Tensor& t) {
    return fits(t) && t.rank() > 0 && t.dtype() == first.dtype() &&
           t.size(d).value() == first.size(e).value();
  });
}

bool product(Random& random, const Variables& all, Step& step) {
  return pick(random, all, step, is_matrix) && pick_fitting(random, all, step, is_matrix, 0, 1);
}

bool general_product(Random& random, const Variables& all, Step& step) {
  if (!pick(random, all, step, [](const Tensor& t) { return has_dims(t) && is_number(t); }))
    return false;
  const Tensor& first = chosen(all, step);
  return pick(random, all, step, [&](const Tensor& t) {
    return t.rank() > 0 && t.dtype() == first.dtype() &&
           t.size(t.rank() == 1 ? 0 : -2).value() == first.size(-1).value();
  });
}

bool product_added(Random& random, const Variables& all, Step& step) {
  if (!product(random, all, step)) return false;
  const Size m = chosen(all, step, 0).size(0), n = chosen(all, step, 1).size(1);
  const DType dtype = chosen(all, step).dtype();
  const bool found = pick(random, all, step, [&](const Tensor& t) {
    return t.dtype() == dtype && t.rank() <= 2 &&
           (t.rank() < 1 || t.size(-1).value() == n.value() || t.size(-1).value() == 1) &&
           (t.rank() < 2 || t.size(0).value() == m.value() || t.size(0).value() == 1);
  });
  return found && number(random, step) && number(random, step);
}

bool written_square(Random& random, const Variables& all, Step& step) {
  if (!pick(random, all, step, writable)) return false;
  const Tensor& t = chosen(all, step);
  return is_matrix(t) && is_floating(t.dtype()) && t.size(0).value() == t.size(1).value();
}

bool linear_pair(Random& random, const Variables& all, Step& step) {
  return pick(random, all, step, has_dims) && pick_fitting(random, all, step, is_matrix, 1, -1);
}

bool linear_biased(Random& random, const Variables& all, Step& step) {
  if (!linear_pair(random, all, step)) return false;
  const Tensor& weight = chosen(all, step, 1);
  return pick(random, all, step, [&](const Tensor& t) {
    return t.rank() == 1 && t.dtype() == weight.dtype() &&
           t.size(0).value() == weight.size(0).value();
  });
}

bool normed_like(Random& random, const Variables& all, Step& step) {
  const auto rows = [](const Tensor& t) { return has_dims(t) && is_float(t) && has_elements(t); };
  if (!pick(random, all, step, rows)) return false;
  const auto one_dim = [](const Tensor& t) { return t.rank() == 1; };
  return pick_fitting(random, all, step, one_dim, 0, -1) &&
         pick_fitting(random, all, step, one_dim, 0, -1);
}

bool keyed(Random& random, const Variables& all, Step& step) {
  if (!pick(random, all, step, is_layers)) return false;
  const Tensor& q = chosen(all, step);
  for (int k = 0; k < 2; ++k) {
    const bool found = pick(random, all, step, [&](const Tensor& t) {
      const Tensor& like = chosen(all, step, step.args.size() - 1);
      if (t.rank() != q.rank() || t.dtype() != q.dtype()) return false;
      for (int64_t d = 0; d + 2 < q.rank(); ++d) {
        if (t.size(d).value() != q.size(d).value()) return false;
      }
      return step.args.size() == 1 ? t.size(-1).value() == q.size(-1).value()
                                   : t.size(-2).value() == like.size(-2).value();
    });
    if (!found) return false;
  }
  return true;
}

bool keyed_masked(Random& random, const Variables& all, Step& step) {
  if (!keyed(random, all, step)) return false;
  const Size rows = chosen(all, step, 0).size(-2), columns = chosen(all, step, 1).size(-2);
  const DType dtype = chosen(all, step).dtype();
  return pick(random, all, step, [&](const Tensor& t) {
    return (is_condition(t) || t.dtype() == dtype) && t.rank() == 2 &&
           (t.size(0).value() == rows.value() || t.size(0).value() == 1) &&
           (t.size(1).value() == columns.value() || t.size(1).value() == 1);
  });
}

}  // namespace

void add_layers(Kinds& all) {
  const Kind rows[] = {
      KIND("softmax", 6, dim<is_float>, softmax(x(0), i(0))),
      KIND("log_softmax", 4, dim<is_float>, log_softmax(x(0), i(0))),
      KIND("layer_norm", 4, dim<is_float>, layer_norm(x(0), {x(0).size(-1)})),
      KIND("layer_norm of two", 2, one<is_layers>,
           layer_norm(x(0), {x(0).size(-2), x(0).size(-1)}, {}, {}, 1e-3)),
      KIND("layer_norm with", 8, normed_like, layer_norm(x(0), {x(0).size(-1)}, x(1), x(2))),
      KIND("native_layer_norm", 4, normed_like,
           native_layer_norm(x(0), {x(0).size(-1)}, x(1), x(2), 1e-5)),
      KIND("mm", 16, product, mm(x(0), x(1))),
      KIND("mm with itself", 5, one<is_matrix>, mm(x(0), transpose(x(0), 0, 1))),
      KIND("mm of rows", 3, one<is_matrix>, mm(transpose(x(0), 0, 1), x(0))),
      KIND("mm of flipped rows", 4, one<is_matrix>,
           mm(softmax(flip(tanh(mm(x(0), transpose(x(0), 0, 1))), {1}), 1), x(0))),
      KIND("mm of gathered rows", 4, one<is_matrix>,
           mm(gather(exp(mm(x(0), transpose(x(0), 0, 1))), 1,
                     argsort(mm(x(0), transpose(x(0), 0, 1)), 1)),
              x(0))),
      KIND("mm turned", 4, product, contiguous(transpose(mm(x(0), x(1)), 0, 1))),
      KIND("mm turned beside", 3, one<is_matrix>,
           transpose(mm(x(0), transpose(x(0), 0, 1)), 0, 1) * 2 + 1),
      KIND("products around a write", 12, written_square,
           (copy_(transpose(x(0), 0, 1), mm(x(0), x(0))), mm(transpose(x(0), 0, 1), x(0)))),
      KIND("matmul", 5, general_product, matmul(x(0), x(1))),
      KIND("matmul with itself", 3, one<is_layers>, matmul(x(0), transpose(x(0), -1, -2))),
      KIND("bmm", 5, one<is_batch>, bmm(x(0), transpose(x(0), 1, 2))),
      KIND("addmm", 14, product_added, addmm(x(2), x(0), x(1))),
      KIND("addmm scaled", 8, product_added, addmm(x(2), x(0), x(1), n(3), n(4))),
      KIND("linear", 6, linear_pair, linear(x(0), x(1))),
      KIND("linear with", 24, linear_biased, linear(x(0), x(1), x(2))),
      KIND("conv2d", 2, one<is_image>,
           conv2d(x(0), unsqueeze(slice(x(0), 1, 0, 1), 0), {}, {.stride = {2, 1}})),
      KIND("conv2d with itself", 2, one<is_image>,
           conv2d(x(0), unsqueeze(x(0), 0), {}, {.padding = {1, 2}})),
      KIND("conv2d of pixels", 3, one<is_image>,
           conv2d(x(0), unsqueeze(slice(slice(x(0), 1, 0, 1), 2, 0, 1), 0))),
      KIND("pad", 6, one<has_dims>, constant_pad_nd(x(0), {1, 2}, 3)),
      KIND("pad of planes", 4, one<is_image>, constant_pad_nd(x(0), {-1, 2, 1, 0})),
      KIND("pad in the middle", 4, one<is_image>,
           slice(constant_pad_nd(x(0), {1, 1, 1, 1}) * 2, -1, 1)),
      KIND("pad mirrored", 3, one<is_image>, reflection_pad1d(slice(x(0), 2, 0, 5), {0, 0})),
      KIND("pad repeated", 4, one<is_image>, replication_pad2d(x(0), {2, 1, 1, 3})),
      KIND("max_pool2d", 6, one<is_image>, max_pool2d(x(0), {1, 2}, {1, 1}, {0, 1})),
      KIND("max_pool2d with indices", 4, one<is_image>,
           std::get<1>(max_pool2d_with_indices(x(0), {1, 2}, {2, 1}, {0, 1}))),
      KIND("avg_pool2d", 6, one<is_image>, avg_pool2d(x(0), {2, 2}, {1, 2}, {1, 1}, false, false)),
      KIND("avg_pool2d beyond", 3, one<is_image>, avg_pool2d(x(0), {2, 2}, 2, 1, true)),
      KIND("im2col", 3, one<is_image>, im2col(x(0), {1, 2}, 1, {0, 1}, 1)),
      KIND("max_pool3d", 3, one<is_image>,
           max_pool3d(unsqueeze(x(0), 0), {1, 2, 2}, {1, 1, 2}, {0, 1, 1})),
      KIND("avg_pool3d", 2, one<is_image>,
           avg_pool3d(unsqueeze(x(0), 0), {1, 2, 1}, 1, {0, 1, 0}, false, false)),
      KIND("adaptive_avg_pool2d", 3, one<is_image>, adaptive_avg_pool2d(x(0), {2, 3})),
      KIND("adaptive_max_pool2d", 3, one<is_image>, std::get<1>(adaptive_max_pool2d(x(0), {3, 2}))),
      KIND("upsample_nearest1d", 3, one<is_image>, upsample_nearest1d(x(0), 7)),
      KIND("upsample_bicubic2d", 2, one<is_image>,
           upsample_bicubic2d(unsqueeze(x(0), 0), {5, 3}, false)),
      KIND("upsample_bilinear2d with antialias", 2, one<is_image>,
           upsample_bilinear2d_aa(unsqueeze(x(0), 0), {2, 4}, false)),
      KIND("pad circular", 3, one<is_image>, pad_circular(x(0), {1, 0, 0, 1})),
      KIND("attention", 4, keyed, scaled_dot_product_attention(x(0), x(1), x(2))),
      KIND("attention with itself", 3, one<is_layers>,
           scaled_dot_product_attention(x(0), x(0), x(0))),
      KIND("attention causal", 3, keyed,
           scaled_dot_product_attention(x(0), x(1), x(2), {}, 0, true, 0.25)),
      KIND("attention masked", 9, keyed_masked,
           scaled_dot_product_attention(x(0), x(1), x(2), x(3))),
  };
  all.insert(all.end(), std::begin(rows), std::end(rows));
}

}  // namespace vitro::fuzz
