// Recurrent layers, and cells, which make one step; names, shapes and initial values are those of
// torch.nn.
//   nn::LSTM lstm{*this, "lstm", 64, 128, {.num_layers = 2, .bidirectional = true}};
//   auto [y, h, c] = lstm(x);                          // states begin as 0
//   auto [y2, h2, c2] = lstm(x2, h, c);
//   nn::GRUCell cell{*this, "cell", 64, 128};
//   Tensor state = cell(x, before);
// x is [steps, n, in], [n, steps, in] with `batch_first`, or one sequence [steps, in], whose states
// have no dimension n.
#pragma once

#include <deque>
#include <source_location>
#include <string>
#include <tuple>
#include <vector>

#include "vitro/nn/module.h"
#include "vitro/ops/recurrent.h"

namespace vitro::nn {

struct RecurrentOptions {
  int64_t num_layers = 1;
  bool bias = true, batch_first = false;
  double dropout = 0;  // of what each layer but the last one passes on, in training
  bool bidirectional = false;
  int64_t proj_size = 0;  // of the hidden states of an LSTM, if they are projected
};

// What all layers share: the weights "weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0" of
// each layer, of the other direction with "_reverse", and "weight_hr_l0".
class RecurrentBase : public Module {
 public:
  // In the order in which the functions take them.
  std::vector<Tensor> weights() const { return {slots_.begin(), slots_.end()}; }

 protected:
  RecurrentBase(std::string kind, Module& owner, std::string name, int64_t gates, int64_t in,
                int64_t hidden, RecurrentOptions options);
  ops::RecurrentAttrs attrs() const;
  // Zeros, for a batch as in x.
  Tensor initial(const Tensor& x, int64_t width, std::source_location from) const;
  int64_t hidden() const { return hidden_; }
  int64_t width() const { return options_.proj_size > 0 ? options_.proj_size : hidden_; }
  // One sequence as a batch, and the results back.
  Tensor batched(const Tensor& t, bool is_state) const;
  Tensor unbatched(const Tensor& t, bool is_state) const;
  // A call of gru, rnn_tanh or rnn_relu.
  using Layers = std::tuple<Tensor, Tensor> (*)(ops::At, const Tensor&, ops::TensorsArg,
                                                const ops::RecurrentAttrs&);
  std::tuple<Tensor, Tensor> run(Layers layers, const ops::At& at, const Tensor& h) const;

 private:
  int64_t hidden_;
  RecurrentOptions options_;
  std::deque<Tensor> slots_;  // their addresses are registered
};

class LSTM : public RecurrentBase {
 public:
  LSTM(Module& owner, std::string name, int64_t in, int64_t hidden, RecurrentOptions options = {})
      : RecurrentBase("LSTM", owner, std::move(name), 4, in, hidden, options) {}
  std::tuple<Tensor, Tensor, Tensor> operator()(ops::At x, const Tensor& h = {},
                                                const Tensor& c = {}) const;
};
class GRU : public RecurrentBase {
 public:
  GRU(Module& owner, std::string name, int64_t in, int64_t hidden, RecurrentOptions options = {})
      : RecurrentBase("GRU", owner, std::move(name), 3, in, hidden, options) {}
  std::tuple<Tensor, Tensor> operator()(ops::At x, const Tensor& h = {}) const;
};
// With tanh, or relu.
class RNN : public RecurrentBase {
 public:
  enum class Nonlinearity : uint8_t { tanh, relu };
  RNN(Module& owner, std::string name, int64_t in, int64_t hidden, RecurrentOptions options = {},
      Nonlinearity nonlinearity = Nonlinearity::tanh)
      : RecurrentBase("RNN", owner, std::move(name), 1, in, hidden, options),
        nonlinearity_(nonlinearity) {}
  std::tuple<Tensor, Tensor> operator()(ops::At x, const Tensor& h = {}) const;

 private:
  Nonlinearity nonlinearity_;
};

// What all cells share: x [n, in] and states [n, hidden], or both without n; a state that is left
// out is 0.
class CellBase : public Module {
 public:
  Tensor weight_ih, weight_hh, bias_ih, bias_hh;

 protected:
  CellBase(std::string kind, Module& owner, std::string name, int64_t gates, int64_t in,
           int64_t hidden, bool with_bias);
  // A state, or zeros for a batch as in x.
  Tensor state(const Tensor& given, const Tensor& x) const;

 private:
  int64_t hidden_;
};

class LSTMCell : public CellBase {
 public:
  LSTMCell(Module& owner, std::string name, int64_t in, int64_t hidden, bool with_bias = true)
      : CellBase("LSTMCell", owner, std::move(name), 4, in, hidden, with_bias) {}
  // The new h and c.
  std::tuple<Tensor, Tensor> operator()(ops::At x, const Tensor& h = {},
                                        const Tensor& c = {}) const;
};
class GRUCell : public CellBase {
 public:
  GRUCell(Module& owner, std::string name, int64_t in, int64_t hidden, bool with_bias = true)
      : CellBase("GRUCell", owner, std::move(name), 3, in, hidden, with_bias) {}
  Tensor operator()(ops::At x, const Tensor& h = {}) const;
};
class RNNCell : public CellBase {
 public:
  RNNCell(Module& owner, std::string name, int64_t in, int64_t hidden, bool with_bias = true,
          RNN::Nonlinearity nonlinearity = RNN::Nonlinearity::tanh)
      : CellBase("RNNCell", owner, std::move(name), 1, in, hidden, with_bias),
        nonlinearity_(nonlinearity) {}
  Tensor operator()(ops::At x, const Tensor& h = {}) const;

 private:
  RNN::Nonlinearity nonlinearity_;
};

}  // namespace vitro::nn
