// Programs of recurrent layers: one product of the inputs of all steps with their weights, then for
// each step a product of the hidden state with its weights, and pointwise ops.
#include "vitro/ops/recurrent.h"

#include <algorithm>
#include <utility>

#include "core/numbers.h"
#include "ops/autocast.h"
#include "ops/wide.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/activation.h"
#include "vitro/ops/concat.h"
#include "vitro/ops/create.h"
#include "vitro/ops/operators.h"
#include "vitro/ops/product.h"
#include "vitro/ops/random.h"
#include "vitro/ops/unary.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace ops {
namespace {

enum class Kind : uint8_t { lstm, gru, tanh, relu };

int64_t gates_of(Kind kind) {
  return kind == Kind::lstm ? 4 : kind == Kind::gru ? 3 : 1;
}

// The weights of a layer in one direction; those that do not exist are undefined.
struct Weights {
  Tensor w_ih, w_hh, b_ih, b_hh, w_hr;
};

// The state of the rows of a batch. Only an LSTM has c.
struct State {
  Tensor h, c;

  template <class F>
  State each(F f) const {
    return {f(h), c.defined() ? f(c) : c};
  }
  State rows(int64_t begin, int64_t end) const {
    return each([&](const Tensor& t) { return slice(t, 0, begin, end); });
  }
};
State joined(const std::vector<State>& parts) {
  std::vector<Tensor> h, c;
  for (const State& part : parts) {
    h.push_back(part.h);
    if (part.c.defined()) c.push_back(part.c);
  }
  return {cat(h), c.empty() ? Tensor() : cat(c)};
}

// ---- one step ----

// What turns the input of a step, multiplied by its weights, and a state into the next state.
class Step {
 public:
  // The matrices are turned once, so that the products of all steps read them as they lie.
  Step(Kind kind, const Weights& w)
      : kind_(kind),
        hidden_(w.w_hh.size(0) / gates_of(kind)),
        bias_(w.b_hh),
        weight_(turned(w.w_hh)) {
    if (w.w_hr.defined()) project_ = turned(w.w_hr);
  }

  State operator()(const Tensor& x, const State& before) const {
    const Tensor h = bias_.defined() ? addmm(bias_, before.h, weight_) : mm(before.h, weight_);
    switch (kind_) {
      case Kind::lstm:
        return lstm(x + h, before.c);
      case Kind::gru:
        return {gru(x, h, before.h), {}};
      case Kind::tanh:
        return {vitro::tanh(x + h), {}};
      case Kind::relu:
        return {vitro::relu(x + h), {}};
    }
    __builtin_unreachable();
  }

 private:
  static Tensor turned(const Tensor& t) { return contiguous(transpose(t, 0, 1)); }
  Tensor gate(const Tensor& all, int64_t i) const {
    return slice(all, 1, i * hidden_, (i + 1) * hidden_);
  }

  State lstm(const Tensor& gates, const Tensor& before) const {
    const Tensor in = sigmoid(gate(gates, 0)), forget = sigmoid(gate(gates, 1)),
                 cell = vitro::tanh(gate(gates, 2)), out = sigmoid(gate(gates, 3));
    const Tensor c = forget * before + in * cell, h = out * vitro::tanh(c);
    return {project_.defined() ? mm(h, project_) : h, c};
  }
  Tensor gru(const Tensor& x, const Tensor& h, const Tensor& before) const {
    const Tensor reset = sigmoid(gate(x, 0) + gate(h, 0)),
                 update = sigmoid(gate(x, 1) + gate(h, 1)),
                 fresh = vitro::tanh(gate(x, 2) + reset * gate(h, 2));
    return (before - fresh) * update + fresh;
  }

  Kind kind_;
  Size hidden_;
  Tensor bias_, weight_, project_;  // project_: undefined if there is none
};

// ---- layers ----

// The steps of a batch: x [steps, n, ...], or packed rows [rows, ...] of `batch_sizes`.
struct Steps {
  int64_t count = 0;
  std::vector<int64_t> batch_sizes;  // empty: all have n rows

  bool packed() const { return !batch_sizes.empty(); }
  std::vector<Tensor> split(const Tensor& x) const {
    std::vector<Tensor> out;
    int64_t first = 0;
    for (int64_t t = 0; t < count; ++t) {
      if (!packed()) {
        out.push_back(select(x, 0, t));
        continue;
      }
      const int64_t rows = batch_sizes[static_cast<size_t>(t)];
      out.push_back(slice(x, 0, first, first + rows));
      first += rows;
    }
    return out;
  }
  Tensor together(const std::vector<Tensor>& all) const { return packed() ? cat(all) : stack(all); }
};

// Goes through the steps in one direction and returns the last state of each row of the batch.
State run(const Step& step, const Steps& steps, const std::vector<Tensor>& x, const State& initial,
          bool backwards, std::vector<Tensor>& outputs) {
  outputs.resize(x.size());
  std::vector<State> ended;  // rows that have no more steps, the last ones of the batch first
  State state = initial;
  int64_t rows = 0;
  for (size_t k = 0; k < x.size(); ++k) {
    const size_t t = backwards ? x.size() - 1 - k : k;
    if (steps.packed()) {
      const int64_t wanted = steps.batch_sizes[t];
      if (k == 0) {
        state = initial.rows(0, wanted);
      } else if (wanted < rows) {
        ended.push_back(state.rows(wanted, rows));
        state = state.rows(0, wanted);
      } else if (wanted > rows) {
        state = joined({state, initial.rows(rows, wanted)});
      }
      rows = wanted;
    }
    state = step(x[t], state);
    outputs[t] = state.h;
  }
  if (ended.empty()) return state;
  ended.push_back(state);
  std::reverse(ended.begin(), ended.end());
  return joined(ended);
}

// ---- arguments ----

void check_sizes(std::string_view op, std::string_view what, const Tensor& t, const Tensor& x,
                 const Sizes& sizes) {
  VITRO_CHECK(t.defined() && t.dtype() == x.dtype() && equal_sizes(t.sizes(), sizes), op, ": ",
              what, " must be ", x.dtype(), " of sizes ", numbers_of(sizes), ", got ",
              t.defined() ? vitro::cat(t.dtype(), " of sizes ", numbers_of(t.sizes())) : "None");
}

void check_weights(std::string_view op, Kind kind, const Weights& w, const Tensor& x, Size in,
                   Size hidden, Size state) {
  const Size rows = hidden * gates_of(kind);
  if (w.w_ih.defined() && w.w_ih.rank() == 2) {
    const Sizes sizes = numbers_of(w.w_ih.sizes());
    VITRO_CHECK(known_equal(sizes[1], in), op, ": x has ", numbers_of({in})[0],
                " features, w_ih of sizes ", sizes, " takes ", sizes[1]);
  }
  check_sizes(op, "w_ih", w.w_ih, x, {rows, in});
  check_sizes(op, "w_hh", w.w_hh, x, {rows, state});
  if (w.b_ih.defined()) check_sizes(op, "b_ih", w.b_ih, x, {rows});
  if (w.b_hh.defined()) check_sizes(op, "b_hh", w.b_hh, x, {rows});
  if (w.w_hr.defined()) check_sizes(op, "w_hr", w.w_hr, x, {state, hidden});
}

Weights in_compute_type(const Weights& w) {
  return {widened(w.w_ih), widened(w.w_hh), widened(w.b_ih), widened(w.b_hh), widened(w.w_hr)};
}

void check_input(std::string_view op, const Tensor& x, int64_t rank) {
  VITRO_CHECK(is_floating(x.dtype()), op, ": takes floating-point numbers, got ", x.dtype());
  VITRO_CHECK(x.rank() == rank, op, ": needs x of rank ", rank, ", got sizes ",
              numbers_of(x.sizes()));
}

// The state and weights of a call, checked.
class Network {
 public:
  Network(std::string_view op, Kind kind, const Tensor& x, State state,
          std::span<const Tensor> weights, const RecurrentAttrs& attrs)
      : op_(op), kind_(kind), x_(x), state_(std::move(state)), weights_(weights), attrs_(attrs) {
    VITRO_CHECK(attrs.num_layers > 0, op, ": num_layers must be positive, got ", attrs.num_layers);
    VITRO_CHECK(attrs.dropout >= 0 && attrs.dropout <= 1, op,
                ": dropout must be a probability, got ", attrs.dropout);
    VITRO_CHECK(state_.h.defined() && state_.h.rank() == 3, op, ": needs hx of rank 3, got ",
                state_.h.defined() ? vitro::cat("sizes ", numbers_of(state_.h.sizes())) : "None");
    const Tensor& wide = kind == Kind::lstm ? state_.c : state_.h;
    VITRO_CHECK(wide.defined() && wide.rank() == 3, op, ": needs two hidden states of rank 3");
    hidden_ = wide.size(2);
    projects_ = kind == Kind::lstm && !equal(state_.h.size(2), hidden_);
    const size_t each = 2 + (attrs.has_biases ? 2 : 0) + (projects_ ? 1 : 0),
                 count = static_cast<size_t>(attrs.num_layers) * directions() * each;
    VITRO_CHECK(weights.size() == count, op, ": ", attrs.num_layers, " layers in ", directions(),
                " directions need ", count, " weights, ", each, " of each, got ", weights.size());
  }

  // Through all layers. x has the compute type, with steps first.
  std::pair<Tensor, State> through(Tensor x, const Steps& steps, Size batch) {
    check_state(batch);
    const State wide = state_.each([](const Tensor& t) { return widened(t); });
    std::vector<Tensor> h, c;
    for (int64_t layer = 0; layer < attrs_.num_layers; ++layer) {
      std::vector<Tensor> outputs;
      for (size_t d = 0; d < directions(); ++d) {
        const size_t at = static_cast<size_t>(layer) * directions() + d;
        const Weights w = weights_of(at, x.size(-1));
        std::vector<Tensor> of_steps;
        const State last =
            run(Step(kind_, w), steps, steps.split(linear(x, w.w_ih, w.b_ih)),
                wide.each([&](const Tensor& t) { return select(t, 0, at); }), d == 1, of_steps);
        outputs.push_back(steps.together(of_steps));
        h.push_back(last.h);
        if (last.c.defined()) c.push_back(last.c);
      }
      x = outputs.size() == 1 ? outputs[0] : cat(outputs, -1);
      if (attrs_.dropout > 0 && layer + 1 < attrs_.num_layers)
        x = dropout(x, attrs_.dropout, attrs_.train);
    }
    const DType dtype = x_.dtype();
    return {to(x, dtype), {to(stack(h), dtype), c.empty() ? Tensor() : to(stack(c), dtype)}};
  }

 private:
  size_t directions() const { return attrs_.bidirectional ? 2 : 1; }

  void check_state(Size batch) const {
    const Sizes sizes{attrs_.num_layers * static_cast<int64_t>(directions()), batch,
                      state_.h.size(2)};
    check_sizes(op_, "hx", state_.h, x_, sizes);
    if (kind_ == Kind::lstm) check_sizes(op_, "cx", state_.c, x_, {sizes[0], batch, hidden_});
  }

  // Those of a layer and direction.
  Weights weights_of(size_t at, Size in) const {
    const size_t each = weights_.size() / (static_cast<size_t>(attrs_.num_layers) * directions());
    const auto own = weights_.subspan(at * each, each);
    Weights w{own[0], own[1], {}, {}, {}};
    if (attrs_.has_biases) w.b_ih = own[2], w.b_hh = own[3];
    if (projects_) w.w_hr = own.back();
    check_weights(op_, kind_, w, x_, in, hidden_, state_.h.size(2));
    return in_compute_type(w);
  }

  std::string_view op_;
  Kind kind_;
  const Tensor& x_;
  State state_;
  std::span<const Tensor> weights_;
  const RecurrentAttrs& attrs_;
  Size hidden_;
  bool projects_ = false;
};

std::pair<Tensor, State> recurrent(std::string_view op, Kind kind, const At& at, const State& state,
                                   std::span<const Tensor> weights, const RecurrentAttrs& attrs) {
  const CalledAs name(op, at.where);
  const Tensor& x = at.operand.tensor();
  check_input(op, x, 3);
  Network network(op, kind, x, state, weights, attrs);
  const Tensor wide = widened(attrs.batch_first ? transpose(at, 0, 1) : x);
  const Steps steps{static_cast<int64_t>(wide.size(0)), {}};
  VITRO_CHECK(steps.count > 0, op, ": needs at least one step, got sizes ", numbers_of(x.sizes()));
  auto out = network.through(wide, steps, wide.size(1));
  if (attrs.batch_first) out.first = transpose(out.first, 0, 1);
  return out;
}

std::pair<Tensor, State> packed(std::string_view op, Kind kind, const At& at,
                                const Tensor& batch_sizes, const State& state,
                                std::span<const Tensor> weights, const RecurrentAttrs& attrs) {
  const CalledAs name(op, at.where);
  const Tensor& x = at.operand.tensor();
  check_input(op, x, 2);
  VITRO_CHECK(batch_sizes.dtype() == DType::i64 && batch_sizes.rank() == 1, op,
              ": batch_sizes must be i64 of rank 1, got ", batch_sizes.dtype(), " of sizes ",
              numbers_of(batch_sizes.sizes()));
  Steps steps{0, batch_sizes.to_vector<int64_t>()};
  const std::vector<int64_t>& sizes = steps.batch_sizes;
  steps.count = static_cast<int64_t>(sizes.size());
  int64_t rows = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    VITRO_CHECK(sizes[i] > 0 && (i == 0 || sizes[i] <= sizes[i - 1]), op,
                ": batch_sizes must be positive and must not increase, got ",
                Dims(std::span<const int64_t>(sizes)));
    rows += sizes[i];
  }
  VITRO_CHECK(rows > 0 && !less(x.size(0), rows), op, ": batch_sizes count ", rows,
              " rows, data has ", number_of(x.size(0)), "; needs at least one and not more");
  return Network(op, kind, x, state, weights, attrs).through(widened(x), steps, sizes[0]);
}

State state_of(std::string_view op, std::span<const Tensor> hx) {
  VITRO_CHECK(hx.size() == 2, op, ": needs two hidden states, got ", hx.size());
  return {hx[0], hx[1]};
}

State cell(std::string_view op, Kind kind, const At& at, const State& state, const Weights& w) {
  const CalledAs name(op, at.where);
  const Tensor& x = at.operand.tensor();
  check_input(op, x, 2);
  VITRO_CHECK(state.h.defined() && state.h.rank() == 2, op, ": needs hx of rank 2");
  const Size hidden = state.h.size(1);
  check_sizes(op, "hx", state.h, x, {x.size(0), hidden});
  if (kind == Kind::lstm) check_sizes(op, "cx", state.c, x, {x.size(0), hidden});
  check_weights(op, kind, w, x, x.size(1), hidden, hidden);
  const Weights wide = in_compute_type(w);
  const Tensor in = linear({widened(x), at.where}, wide.w_ih, wide.b_ih);
  const State next = Step(kind, wide)(in, state.each([](const Tensor& t) { return widened(t); }));
  return next.each([&](const Tensor& t) { return to(t, x.dtype()); });
}

std::tuple<Tensor, Tensor, Tensor> three(std::pair<Tensor, State> out) {
  return {out.first, out.second.h, out.second.c};
}
std::tuple<Tensor, Tensor> two(std::pair<Tensor, State> out) {
  return {out.first, out.second.h};
}

}  // namespace
}  // namespace ops

std::tuple<Tensor, Tensor, Tensor> lstm(ops::At x, ops::TensorsArg hx, ops::TensorsArg weights,
                                        const ops::RecurrentAttrs& attrs) {
  const CalledAs name("lstm", x.where);
  return ops::three(
      ops::recurrent("lstm", ops::Kind::lstm, x, ops::state_of("lstm", hx), weights, attrs));
}
std::tuple<Tensor, Tensor> gru(ops::At x, const Tensor& hx, ops::TensorsArg weights,
                               const ops::RecurrentAttrs& attrs) {
  return ops::two(ops::recurrent("gru", ops::Kind::gru, x, {hx, {}}, weights, attrs));
}
std::tuple<Tensor, Tensor> rnn_tanh(ops::At x, const Tensor& hx, ops::TensorsArg weights,
                                    const ops::RecurrentAttrs& attrs) {
  if (autocasts())
    return ops::autocasted(
        "rnn_tanh", [](const auto&... a) { return vitro::rnn_tanh(a...); }, x, hx, weights, attrs);
  return ops::two(ops::recurrent("rnn_tanh", ops::Kind::tanh, x, {hx, {}}, weights, attrs));
}
std::tuple<Tensor, Tensor> rnn_relu(ops::At x, const Tensor& hx, ops::TensorsArg weights,
                                    const ops::RecurrentAttrs& attrs) {
  if (autocasts())
    return ops::autocasted(
        "rnn_relu", [](const auto&... a) { return vitro::rnn_relu(a...); }, x, hx, weights, attrs);
  return ops::two(ops::recurrent("rnn_relu", ops::Kind::relu, x, {hx, {}}, weights, attrs));
}

std::tuple<Tensor, Tensor, Tensor> lstm(ops::At data, const Tensor& batch_sizes, ops::TensorsArg hx,
                                        ops::TensorsArg weights, const ops::RecurrentAttrs& attrs) {
  const CalledAs name("lstm", data.where);
  return ops::three(ops::packed("lstm", ops::Kind::lstm, data, batch_sizes,
                                ops::state_of("lstm", hx), weights, attrs));
}
std::tuple<Tensor, Tensor> gru(ops::At data, const Tensor& batch_sizes, const Tensor& hx,
                               ops::TensorsArg weights, const ops::RecurrentAttrs& attrs) {
  return ops::two(ops::packed("gru", ops::Kind::gru, data, batch_sizes, {hx, {}}, weights, attrs));
}
std::tuple<Tensor, Tensor> rnn_tanh(ops::At data, const Tensor& batch_sizes, const Tensor& hx,
                                    ops::TensorsArg weights, const ops::RecurrentAttrs& attrs) {
  if (autocasts())
    return ops::autocasted(
        "rnn_tanh", [](const auto&... a) { return vitro::rnn_tanh(a...); }, data, batch_sizes, hx,
        weights, attrs);
  return ops::two(
      ops::packed("rnn_tanh", ops::Kind::tanh, data, batch_sizes, {hx, {}}, weights, attrs));
}
std::tuple<Tensor, Tensor> rnn_relu(ops::At data, const Tensor& batch_sizes, const Tensor& hx,
                                    ops::TensorsArg weights, const ops::RecurrentAttrs& attrs) {
  if (autocasts())
    return ops::autocasted(
        "rnn_relu", [](const auto&... a) { return vitro::rnn_relu(a...); }, data, batch_sizes, hx,
        weights, attrs);
  return ops::two(
      ops::packed("rnn_relu", ops::Kind::relu, data, batch_sizes, {hx, {}}, weights, attrs));
}

std::tuple<Tensor, Tensor> lstm_cell(ops::At x, ops::TensorsArg hx, const Tensor& w_ih,
                                     const Tensor& w_hh, const Tensor& b_ih, const Tensor& b_hh) {
  const CalledAs name("lstm_cell", x.where);
  const ops::State next = ops::cell("lstm_cell", ops::Kind::lstm, x, ops::state_of("lstm_cell", hx),
                                    {w_ih, w_hh, b_ih, b_hh, {}});
  return {next.h, next.c};
}
Tensor gru_cell(ops::At x, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                const Tensor& b_ih, const Tensor& b_hh) {
  return ops::cell("gru_cell", ops::Kind::gru, x, {hx, {}}, {w_ih, w_hh, b_ih, b_hh, {}}).h;
}
Tensor rnn_tanh_cell(ops::At x, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                     const Tensor& b_ih, const Tensor& b_hh) {
  if (autocasts())
    return ops::autocasted("rnn_tanh_cell", &rnn_tanh_cell, x, hx, w_ih, w_hh, b_ih, b_hh);
  return ops::cell("rnn_tanh_cell", ops::Kind::tanh, x, {hx, {}}, {w_ih, w_hh, b_ih, b_hh, {}}).h;
}
Tensor rnn_relu_cell(ops::At x, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                     const Tensor& b_ih, const Tensor& b_hh) {
  if (autocasts())
    return ops::autocasted("rnn_relu_cell", &rnn_relu_cell, x, hx, w_ih, w_hh, b_ih, b_hh);
  return ops::cell("rnn_relu_cell", ops::Kind::relu, x, {hx, {}}, {w_ih, w_hh, b_ih, b_hh, {}}).h;
}

}  // namespace vitro
