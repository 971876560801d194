// Attention: softmax(q k^T * scale + mask) v.
#pragma once

#include <optional>

#include "vitro/ops/define.h"
#include "vitro/ops/product.h"

namespace vitro {
namespace ops {

struct AttentionAttrs {
  bool is_causal = false;
  std::optional<double> scale;  // none: 1 / sqrt(the last size of q)
  static constexpr void each(auto&& f) {
    f("is_causal", &AttentionAttrs::is_causal);
    f("scale", &AttentionAttrs::scale);
  }
};
}  // namespace ops

// A bool mask is true for keys that take part, a floating-point mask is added to the scores; a
// query without any key gives 0. `is_causal`: query i attends to keys 0 to i. `dropout_p`: the
// probability of dropping a weight. `enable_gqa`: q has a multiple of the heads (the third size
// from the end) of k and of v, of which adjacent ones share those of k and v.
Tensor scaled_dot_product_attention(ops::At q, const Tensor& k, const Tensor& v,
                                    const Tensor& attn_mask = {}, double dropout_p = 0,
                                    bool is_causal = false, std::optional<double> scale = {},
                                    bool enable_gqa = false);

namespace ops {

struct ScaledDotProductAttention : Composite {
  static constexpr auto function = &vitro::scaled_dot_product_attention;
  static constexpr std::string_view
      name = "scaled_dot_product_attention",
      doc = "q [..., l, e], k [..., s, e], v [..., s, f] and a mask [..., l, s] -> [..., l, f].";
  static constexpr std::string_view signatures =
      "(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0., bool "
      "is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor";
  static constexpr int min_arity = 3, max_arity = 4;
  using Attrs = AttentionAttrs;
  static void shape(ShapeCall& call);
  static void expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
};

}  // namespace ops

}  // namespace vitro
