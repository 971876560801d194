// Recurrent layers: LSTM, GRU and Elman networks with tanh or relu.
//   auto [y, h, c] = lstm(x, {{h0, c0}}, weights, {.num_layers = 2, .bidirectional = true});
//   Tensor h = gru_cell(x, h0, w_ih, w_hh, b_ih, b_hh);  // one step
// x is [steps, n, in], or [n, steps, in] with `batch_first`; h0 is [layers * directions, n, hidden]
// (c0 of an LSTM too). The weights of each layer and direction are w_ih [gates * hidden, in], w_hh
// [gates * hidden, hidden], b_ih and b_hh [gates * hidden] with `has_biases`, and w_hr [projected,
// hidden] if h0 is smaller than c0; an LSTM has the gates in, forget, cell, out, a GRU reset,
// update, new. Results: the hidden states of the last layer after each step, and the last ones of
// all layers. All have one dtype; f16 and bf16 are computed in f32.
// The number of steps is a part of a compiled function: a graph has the ops of each step.
#pragma once

#include <span>
#include <tuple>
#include <vector>

#include "vitro/ops/define.h"

namespace vitro {
namespace ops {

struct RecurrentAttrs {
  bool has_biases = true;
  int64_t num_layers = 1;
  double dropout = 0;  // of what each layer but the last one passes on, if `train`
  bool train = false, bidirectional = false, batch_first = false;
};

}  // namespace ops

std::tuple<Tensor, Tensor, Tensor> lstm(ops::At x, ops::TensorsArg hx, ops::TensorsArg weights,
                                        const ops::RecurrentAttrs& attrs = {});
std::tuple<Tensor, Tensor> gru(ops::At x, const Tensor& hx, ops::TensorsArg weights,
                               const ops::RecurrentAttrs& attrs = {});
std::tuple<Tensor, Tensor> rnn_tanh(ops::At x, const Tensor& hx, ops::TensorsArg weights,
                                    const ops::RecurrentAttrs& attrs = {});
std::tuple<Tensor, Tensor> rnn_relu(ops::At x, const Tensor& hx, ops::TensorsArg weights,
                                    const ops::RecurrentAttrs& attrs = {});

// The same for sequences of different lengths, longest first, as PyTorch packs them: the rows of
// `data` are those of the first step, then those of the second one, ...; `batch_sizes`, i64, says
// how many each step has. Its elements are read, so they must be on the host.
std::tuple<Tensor, Tensor, Tensor> lstm(ops::At data, const Tensor& batch_sizes, ops::TensorsArg hx,
                                        ops::TensorsArg weights,
                                        const ops::RecurrentAttrs& attrs = {});
std::tuple<Tensor, Tensor> gru(ops::At data, const Tensor& batch_sizes, const Tensor& hx,
                               ops::TensorsArg weights, const ops::RecurrentAttrs& attrs = {});
std::tuple<Tensor, Tensor> rnn_tanh(ops::At data, const Tensor& batch_sizes, const Tensor& hx,
                                    ops::TensorsArg weights, const ops::RecurrentAttrs& attrs = {});
std::tuple<Tensor, Tensor> rnn_relu(ops::At data, const Tensor& batch_sizes, const Tensor& hx,
                                    ops::TensorsArg weights, const ops::RecurrentAttrs& attrs = {});

// One step: x [n, in], h [n, hidden]. lstm_cell takes and returns h and c.
std::tuple<Tensor, Tensor> lstm_cell(ops::At x, ops::TensorsArg hx, const Tensor& w_ih,
                                     const Tensor& w_hh, const Tensor& b_ih = {},
                                     const Tensor& b_hh = {});
Tensor gru_cell(ops::At x, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                const Tensor& b_ih = {}, const Tensor& b_hh = {});
Tensor rnn_tanh_cell(ops::At x, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                     const Tensor& b_ih = {}, const Tensor& b_hh = {});
Tensor rnn_relu_cell(ops::At x, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                     const Tensor& b_ih = {}, const Tensor& b_hh = {});

}  // namespace vitro
