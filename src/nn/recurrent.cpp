// Recurrent layers and cells: their parameters, states of zeros, and what has no batch as batches
// of one.
#include "vitro/nn/recurrent.h"

#include <cmath>

#include "vitro/base/called_as.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/nn/init.h"
#include "vitro/ops/create.h"
#include "vitro/ops/view.h"

namespace vitro::nn {

RecurrentBase::RecurrentBase(std::string kind, Module& owner, std::string name, int64_t gates,
                             int64_t in, int64_t hidden, RecurrentOptions options)
    : Module(owner, std::move(name), std::move(kind)), hidden_(hidden), options_(options) {
  VITRO_CHECK(hidden > 0 && options.num_layers > 0,
              "a recurrent layer: needs a positive hidden size and num_layers, got ", hidden,
              " and ", options.num_layers);
  VITRO_CHECK(
      options.proj_size >= 0 && options.proj_size < hidden && (gates == 4 || !options.proj_size),
      "a recurrent layer: proj_size is for an LSTM and must be less than the hidden size ", hidden,
      ", got ", options.proj_size);
  const double bound = 1 / std::sqrt(static_cast<double>(hidden));
  const int64_t directions = options.bidirectional ? 2 : 1;
  for (int64_t layer = 0; layer < options.num_layers; ++layer) {
    for (int64_t d = 0; d < directions; ++d) {
      const std::string suffix = cat("_l", layer, d == 1 ? "_reverse" : "");
      const auto add = [&](std::string_view weight, DimsArg sizes) {
        add_parameter(cat(weight, suffix), slots_.emplace_back(),
                      uniform(std::move(sizes), -bound, bound));
      };
      add("weight_ih", {gates * hidden, layer == 0 ? in : width() * directions});
      add("weight_hh", {gates * hidden, width()});
      if (options.bias) add("bias_ih", gates * hidden);
      if (options.bias) add("bias_hh", gates * hidden);
      if (options.proj_size > 0) add("weight_hr", {options.proj_size, hidden});
    }
  }
}

ops::RecurrentAttrs RecurrentBase::attrs() const {
  return {options_.bias, options_.num_layers,    options_.dropout,
          is_training(), options_.bidirectional, options_.batch_first};
}

Tensor RecurrentBase::batched(const Tensor& t, bool is_state) const {
  const bool single = t.defined() && t.rank() == 2;
  return single ? unsqueeze(t, is_state || !options_.batch_first ? 1 : 0) : t;
}
Tensor RecurrentBase::unbatched(const Tensor& t, bool is_state) const {
  return squeeze(t, is_state || !options_.batch_first ? 1 : 0);
}

Tensor RecurrentBase::initial(const Tensor& x, int64_t width, std::source_location from) const {
  const Size states = options_.num_layers * (options_.bidirectional ? 2 : 1);
  const Size batch = x.rank() == 3 ? x.size(options_.batch_first ? 0 : 1) : Size(1);
  return zeros({states, batch, Size(width)}, x.dtype(), x.device(), from);
}

std::tuple<Tensor, Tensor, Tensor> LSTM::operator()(ops::At at, const Tensor& h,
                                                    const Tensor& c) const {
  const ModuleScope here = scope();
  const CalledAs name("lstm", at.where);
  const Tensor &x = at.operand.tensor(), in = batched(x, false);
  VITRO_CHECK(h.defined() == c.defined(), "lstm: needs both h and c, or neither");
  const Tensor h0 = h.defined() ? batched(h, true) : initial(in, width(), at.where),
               c0 = c.defined() ? batched(c, true) : initial(in, hidden(), at.where);
  const auto [y, h1, c1] = lstm({in, at.where}, {h0, c0}, weights(), attrs());
  if (x.rank() != 2) return {y, h1, c1};
  return {unbatched(y, false), unbatched(h1, true), unbatched(c1, true)};
}

std::tuple<Tensor, Tensor> GRU::operator()(ops::At at, const Tensor& h) const {
  const ModuleScope here = scope();
  return run(&gru, at, h);
}

std::tuple<Tensor, Tensor> RNN::operator()(ops::At at, const Tensor& h) const {
  const ModuleScope here = scope();
  return run(nonlinearity_ == Nonlinearity::tanh ? Layers(&rnn_tanh) : Layers(&rnn_relu), at, h);
}

std::tuple<Tensor, Tensor> RecurrentBase::run(Layers layers, const ops::At& at,
                                              const Tensor& h) const {
  const Tensor &x = at.operand.tensor(), in = batched(x, false);
  const Tensor h0 = h.defined() ? batched(h, true) : initial(in, hidden(), at.where);
  const auto [y, h1] = layers({in, at.where}, h0, weights(), attrs());
  if (x.rank() != 2) return {y, h1};
  return {unbatched(y, false), unbatched(h1, true)};
}

CellBase::CellBase(std::string kind, Module& owner, std::string name, int64_t gates, int64_t in,
                   int64_t hidden, bool with_bias)
    : Module(owner, std::move(name), std::move(kind)), hidden_(hidden) {
  VITRO_CHECK(hidden > 0, "a recurrent cell: needs a positive hidden size, got ", hidden);
  const double bound = 1 / std::sqrt(static_cast<double>(hidden));
  add_parameter("weight_ih", weight_ih, uniform({gates * hidden, in}, -bound, bound));
  add_parameter("weight_hh", weight_hh, uniform({gates * hidden, hidden}, -bound, bound));
  if (!with_bias) return;
  add_parameter("bias_ih", bias_ih, uniform({gates * hidden}, -bound, bound));
  add_parameter("bias_hh", bias_hh, uniform({gates * hidden}, -bound, bound));
}

Tensor CellBase::state(const Tensor& given, const Tensor& x) const {
  if (!given.defined()) return zeros({x.size(0), Size(hidden_)}, x.dtype(), x.device());
  return given.rank() == 1 ? unsqueeze(given, 0) : given;
}

namespace {

// One step [in] as a batch of one.
Tensor batch_of(const Tensor& x) {
  return x.rank() == 1 ? unsqueeze(x, 0) : x;
}
// The result for x: without n if x has none.
Tensor result_for(const Tensor& x, const Tensor& batch) {
  return x.rank() == 1 ? squeeze(batch, 0) : batch;
}

}  // namespace

std::tuple<Tensor, Tensor> LSTMCell::operator()(ops::At at, const Tensor& h,
                                                const Tensor& c) const {
  const ModuleScope here = scope();
  const CalledAs name("lstm_cell", at.where);
  VITRO_CHECK(h.defined() == c.defined(), "lstm_cell: needs both h and c, or neither");
  const Tensor &t = at.operand.tensor(), x = batch_of(t);
  const auto [h1, c1] =
      lstm_cell({x, at.where}, {state(h, x), state(c, x)}, weight_ih, weight_hh, bias_ih, bias_hh);
  return {result_for(t, h1), result_for(t, c1)};
}

Tensor GRUCell::operator()(ops::At at, const Tensor& h) const {
  const ModuleScope here = scope();
  const Tensor &t = at.operand.tensor(), x = batch_of(t);
  return result_for(t,
                    gru_cell({x, at.where}, state(h, x), weight_ih, weight_hh, bias_ih, bias_hh));
}

Tensor RNNCell::operator()(ops::At at, const Tensor& h) const {
  const ModuleScope here = scope();
  const Tensor &t = at.operand.tensor(), x = batch_of(t);
  const auto cell = nonlinearity_ == RNN::Nonlinearity::tanh ? &rnn_tanh_cell : &rnn_relu_cell;
  return result_for(t, cell({x, at.where}, state(h, x), weight_ih, weight_hh, bias_ih, bias_hh));
}

}  // namespace vitro::nn
