#include "vitro/nn/dropout.h"

#include "core/numbers.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/all.h"

namespace vitro::nn {

AnyDropout::AnyDropout(std::string kind, Module& owner, std::string name, Function function,
                       double p)
    : Module(owner, std::move(name), std::move(kind)), function_(function), p_(p) {
  VITRO_CHECK(p >= 0 && p <= 1, "a dropout module needs a probability in [0, 1], got ", p);
}

Tensor AnyDropout::operator()(ops::At x) const {
  return forward(x, [&](const ops::At& in) { return function_(in, p_, is_training()); });
}

namespace {

// feature_dropout of [n, c] and `rank` more dimensions, of which n may be left out.
template <int rank>
Tensor channel_dropout(ops::At x, double p, bool train) {
  const Tensor& t = x.operand.tensor();
  if (!train) return t;
  const CalledAs name("feature_dropout", x.where);
  VITRO_CHECK(t.rank() == rank + 1 || t.rank() == rank + 2, "feature_dropout: needs rank ",
              rank + 1, " or ", rank + 2, ", got sizes ", numbers_of(t.sizes()));
  if (t.rank() == rank + 2) return feature_dropout(x, p, train);
  return squeeze(feature_dropout({unsqueeze(x, 0), x.where}, p, train), 0);
}

}  // namespace

Dropout::Dropout(Module& owner, std::string name, double p)
    : AnyDropout("Dropout", owner, std::move(name), &dropout, p) {}
Dropout1d::Dropout1d(Module& owner, std::string name, double p)
    : AnyDropout("Dropout1d", owner, std::move(name), &channel_dropout<1>, p) {}
Dropout2d::Dropout2d(Module& owner, std::string name, double p)
    : AnyDropout("Dropout2d", owner, std::move(name), &feature_dropout, p) {}
Dropout3d::Dropout3d(Module& owner, std::string name, double p)
    : AnyDropout("Dropout3d", owner, std::move(name), &channel_dropout<3>, p) {}
AlphaDropout::AlphaDropout(Module& owner, std::string name, double p)
    : AnyDropout("AlphaDropout", owner, std::move(name), &alpha_dropout, p) {}
FeatureAlphaDropout::FeatureAlphaDropout(Module& owner, std::string name, double p)
    : AnyDropout("FeatureAlphaDropout", owner, std::move(name), &feature_alpha_dropout, p) {}

}  // namespace vitro::nn
