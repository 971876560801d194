// The table of convolutions, recurrent layers, and norms with their gradients, one row each: ATen's
// schemas and the C++ function.
#include "bind.h"
#include "functions.h"
#include "vitro/base/called_as.h"
#include "vitro/ops/channel_norm.h"
#include "vitro/ops/convolution.h"
#include "vitro/ops/create.h"
#include "vitro/ops/norm_backward.h"
#include "vitro/ops/recurrent.h"

namespace vitro::ops {
namespace {

std::array<bool, 3> three(const std::vector<Scalar>& flags) {
  VITRO_CHECK(flags.size() == 3, CalledAs::current().name, ": output_mask needs three flags, got ",
              flags.size());
  return {flags[0].as_bool(), flags[1].as_bool(), flags[2].as_bool()};
}

using Conv = Tensor (*)(At, const Tensor&, const Tensor&, const ConvAttrs&);
template <const Conv& conv>
Tensor conv_of(At x, const Tensor& weight, const Tensor& bias, DimsArg stride, DimsArg padding,
               DimsArg dilation, int64_t groups) {
  return conv(x, weight, bias, {stride, padding, dilation, groups});
}
template <const Conv& conv>
Tensor conv_padded_by_word(At x, const Tensor& weight, const Tensor& bias, DimsArg stride,
                           std::string_view padding, DimsArg dilation, int64_t groups) {
  return conv(x, weight, bias, {stride, padding, dilation, groups});
}
constexpr Conv conv1 = &conv1d, conv2 = &conv2d, conv3 = &conv3d;

using ConvTranspose = Tensor (*)(At, const Tensor&, const Tensor&, const ConvTransposeAttrs&);
template <const ConvTranspose& conv>
Tensor conv_transpose_of(At x, const Tensor& weight, const Tensor& bias, DimsArg stride,
                         DimsArg padding, DimsArg output_padding, int64_t groups,
                         DimsArg dilation) {
  return conv(x, weight, bias, {stride, padding, output_padding, groups, dilation});
}
constexpr ConvTranspose transpose1 = &conv_transpose1d, transpose2 = &conv_transpose2d,
                        transpose3 = &conv_transpose3d;

// The gradient of the bias has as many elements as the result has channels.
std::tuple<Tensor, Tensor, Tensor> convolution_backward_of(
    At gradient, const Tensor& x, const Tensor& weight, const std::optional<Sizes>&, DimsArg stride,
    DimsArg padding, DimsArg dilation, bool transposed, DimsArg output_padding, int64_t groups,
    const std::vector<Scalar>& output_mask) {
  return convolution_backward(gradient, x, weight, stride, padding, dilation, transposed,
                              output_padding, groups, three(output_mask));
}

std::tuple<Tensor, Tensor, Tensor> layer_norm_backward_of(At gradient, const Tensor& x, Sizes shape,
                                                          const Tensor& mean, const Tensor& rstd,
                                                          const Tensor& weight, const Tensor& bias,
                                                          const std::vector<Scalar>& output_mask) {
  return native_layer_norm_backward(gradient, x, std::move(shape), mean, rstd, weight, bias,
                                    three(output_mask));
}
std::tuple<Tensor, Tensor, Tensor> group_norm_backward_of(At gradient, const Tensor& x,
                                                          const Tensor& mean, const Tensor& rstd,
                                                          const Tensor& weight, Size n, Size c,
                                                          Size hxw, int64_t group,
                                                          const std::vector<Scalar>& output_mask) {
  return native_group_norm_backward(gradient, x, mean, rstd, weight, n, c, hxw, group,
                                    three(output_mask));
}
std::tuple<Tensor, Tensor, Tensor> batch_norm_backward_of(
    At gradient, const Tensor& x, const Tensor& weight, const Tensor& running_mean,
    const Tensor& running_var, const Tensor& save_mean, const Tensor& save_invstd, bool train,
    double eps, const std::vector<Scalar>& output_mask) {
  return native_batch_norm_backward(gradient, x, weight, running_mean, running_var, save_mean,
                                    save_invstd, train, eps, three(output_mask));
}
std::tuple<Tensor, Tensor, Tensor> batch_norm_of_batch(At x, const Tensor& weight,
                                                       const Tensor& bias, bool training,
                                                       double momentum, double eps) {
  return native_batch_norm(x, weight, bias, {}, {}, training, momentum, eps);
}

// Without memory for a backward call.
std::tuple<Tensor, Tensor, Tensor, Tensor> batch_norm_with_update(At x, const Tensor& weight,
                                                                  const Tensor& bias,
                                                                  const Tensor& running_mean,
                                                                  const Tensor& running_var,
                                                                  double momentum, double eps) {
  auto [y, mean, scale] =
      native_batch_norm(x, weight, bias, running_mean, running_var, true, momentum, eps);
  return {std::move(y), std::move(mean), std::move(scale),
          zeros({0}, DType::u8, x.operand.tensor().device())};
}

using List = std::span<const Tensor>;
std::tuple<Tensor, Tensor, Tensor> lstm_of(At x, List hx, List params, bool has_biases,
                                           int64_t num_layers, double dropout, bool train,
                                           bool bidirectional, bool batch_first) {
  return lstm(x, hx, params, {has_biases, num_layers, dropout, train, bidirectional, batch_first});
}
std::tuple<Tensor, Tensor, Tensor> lstm_of_packed(At data, const Tensor& batch_sizes, List hx,
                                                  List params, bool has_biases, int64_t num_layers,
                                                  double dropout, bool train, bool bidirectional) {
  return lstm(data, batch_sizes, hx, params,
              {has_biases, num_layers, dropout, train, bidirectional, false});
}
using Recurrent = std::tuple<Tensor, Tensor> (*)(At, const Tensor&, TensorsArg,
                                                 const RecurrentAttrs&);
using PackedRecurrent = std::tuple<Tensor, Tensor> (*)(At, const Tensor&, const Tensor&, TensorsArg,
                                                       const RecurrentAttrs&);
template <const Recurrent& layers>
std::tuple<Tensor, Tensor> recurrent_of(At x, const Tensor& hx, List params, bool has_biases,
                                        int64_t num_layers, double dropout, bool train,
                                        bool bidirectional, bool batch_first) {
  return layers(x, hx, params,
                {has_biases, num_layers, dropout, train, bidirectional, batch_first});
}
template <const PackedRecurrent& layers>
std::tuple<Tensor, Tensor> recurrent_of_packed(At data, const Tensor& batch_sizes, const Tensor& hx,
                                               List params, bool has_biases, int64_t num_layers,
                                               double dropout, bool train, bool bidirectional) {
  return layers(data, batch_sizes, hx, params,
                {has_biases, num_layers, dropout, train, bidirectional, false});
}
constexpr Recurrent gru_layers = &gru, tanh_layers = &rnn_tanh, relu_layers = &rnn_relu;
constexpr PackedRecurrent packed_gru = &gru, packed_tanh = &rnn_tanh, packed_relu = &rnn_relu;
std::tuple<Tensor, Tensor> lstm_cell_of(At x, List hx, const Tensor& w_ih, const Tensor& w_hh,
                                        const Tensor& b_ih, const Tensor& b_hh) {
  return lstm_cell(x, hx, w_ih, w_hh, b_ih, b_hh);
}

constexpr std::string_view conv_doc = "x under the windows of weight, plus bias.",
                           transpose_doc =
                               "The windows of weight, times the elements of x, summed where they "
                               "overlap, plus bias.",
                           lstm_doc =
                               "Long short-term memory over the steps of sequences: all hidden "
                               "states of the last layer, and the last h and c of all layers.",
                           gru_doc =
                               "Gated recurrent units over the steps of sequences: all hidden "
                               "states of the last layer, and the last ones of all layers.",
                           rnn_doc =
                               "A recurrent network over the steps of sequences: all hidden states "
                               "of the last layer, and the last ones of all layers.";

constexpr NamedFunction rows[] = {
    {"conv1d", conv_doc,
     "(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], SymInt[1] "
     "padding=[0], SymInt[1] dilation=[1], SymInt groups=1) -> Tensor",
     bound<&conv_of<conv1>>},
    {"conv1d", conv_doc,
     ".padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], str "
     "padding=\"valid\", SymInt[1] dilation=[1], SymInt groups=1) -> Tensor",
     bound<&conv_padded_by_word<conv1>>},
    {"conv2d", conv_doc,
     "(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] "
     "padding=[0, 0], SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor",
     bound<&conv_of<conv2>>},
    {"conv2d", conv_doc,
     ".padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], str "
     "padding=\"valid\", SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor",
     bound<&conv_padded_by_word<conv2>>},
    {"conv3d", conv_doc,
     "(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] "
     "padding=[0, 0, 0], SymInt[3] dilation=[1, 1, 1], SymInt groups=1) -> Tensor",
     bound<&conv_of<conv3>>},
    {"conv3d", conv_doc,
     ".padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], str "
     "padding=\"valid\", SymInt[3] dilation=[1, 1, 1], SymInt groups=1) -> Tensor",
     bound<&conv_padded_by_word<conv3>>},
    {"conv_transpose1d", transpose_doc,
     "(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], SymInt[1] "
     "padding=[0], SymInt[1] output_padding=[0], SymInt groups=1, SymInt[1] dilation=[1]) -> "
     "Tensor",
     bound<&conv_transpose_of<transpose1>>},
    {"conv_transpose2d", transpose_doc,
     ".input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] "
     "padding=[0, 0], SymInt[2] output_padding=[0, 0], SymInt groups=1, SymInt[2] dilation=[1, "
     "1]) -> Tensor",
     bound<&conv_transpose_of<transpose2>>},
    {"conv_transpose3d", transpose_doc,
     ".input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], "
     "SymInt[3] padding=[0, 0, 0], SymInt[3] output_padding=[0, 0, 0], SymInt groups=1, SymInt[3] "
     "dilation=[1, 1, 1]) -> Tensor",
     bound<&conv_transpose_of<transpose3>>},
    {"convolution", "A convolution or a transposed one, by the rank of weight.",
     "(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] "
     "dilation, bool transposed, SymInt[] output_padding, SymInt groups) -> Tensor",
     bound<&convolution>},
    {"convolution_backward",
     "The gradients of convolution's input, weight and bias; none where output_mask is False.",
     "(Tensor grad_output, Tensor input, Tensor weight, SymInt[]? bias_sizes, SymInt[] stride, "
     "SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt "
     "groups, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
     bound<&convolution_backward_of>},
    {"lstm", lstm_doc,
     ".input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float "
     "dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor, Tensor)",
     bound<&lstm_of>},
    {"lstm", lstm_doc,
     ".data(Tensor data, Tensor batch_sizes, Tensor[] hx, Tensor[] params, bool has_biases, int "
     "num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor, Tensor)",
     bound<&lstm_of_packed>},
    {"gru", gru_doc,
     ".input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float "
     "dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)",
     bound<&recurrent_of<gru_layers>>},
    {"gru", gru_doc,
     ".data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int "
     "num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor)",
     bound<&recurrent_of_packed<packed_gru>>},
    {"rnn_tanh", rnn_doc,
     ".input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float "
     "dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)",
     bound<&recurrent_of<tanh_layers>>},
    {"rnn_tanh", rnn_doc,
     ".data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int "
     "num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor)",
     bound<&recurrent_of_packed<packed_tanh>>},
    {"rnn_relu", rnn_doc,
     ".input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float "
     "dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)",
     bound<&recurrent_of<relu_layers>>},
    {"rnn_relu", rnn_doc,
     ".data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int "
     "num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor)",
     bound<&recurrent_of_packed<packed_relu>>},
    {"lstm_cell", "One step of an lstm: the next h and c.",
     "(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) "
     "-> (Tensor, Tensor)",
     bound<&lstm_cell_of>},
    {"gru_cell", "One step of a gru.",
     "(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> "
     "Tensor",
     bound<&gru_cell>},
    {"rnn_tanh_cell", "One step of a recurrent network with tanh.",
     "(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> "
     "Tensor",
     bound<&rnn_tanh_cell>},
    {"rnn_relu_cell", "One step of a recurrent network with relu.",
     "(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> "
     "Tensor",
     bound<&rnn_relu_cell>},
    {"native_batch_norm", "batch_norm, and the mean and 1 / deviation of x, if training.",
     "(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool "
     "training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
     bound<&native_batch_norm>},
    {"_native_batch_norm_legit", "batch_norm, and the mean and 1 / deviation of x, if training.",
     "(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) "
     "running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
     bound<&native_batch_norm>},
    {"_native_batch_norm_legit", "batch_norm, and the mean and 1 / deviation of x, if training.",
     ".no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training, float momentum, float "
     "eps) -> (Tensor, Tensor, Tensor)",
     bound<&batch_norm_of_batch>},
    {"_batch_norm_with_update",
     "batch_norm in training, the mean and 1 / deviation of x, and a tensor without elements.",
     "(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) "
     "running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor)",
     bound<&batch_norm_with_update>},
    {"_native_batch_norm_legit_functional",
     "native_batch_norm, and the running statistics after it.",
     "(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, bool "
     "training, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor running_mean_out, "
     "Tensor running_var_out)",
     bound<&native_batch_norm_legit_functional>},
    {"native_batch_norm_backward",
     "The gradients of batch_norm's input, weight and bias; none where output_mask is False.",
     "(Tensor grad_out, Tensor input, Tensor? weight, Tensor? running_mean, Tensor? running_var, "
     "Tensor? save_mean, Tensor? save_invstd, bool train, float eps, bool[3] output_mask) -> "
     "(Tensor, Tensor, Tensor)",
     bound<&batch_norm_backward_of>},
    {"native_layer_norm_backward",
     "The gradients of layer_norm's input, weight and bias; none where output_mask is False.",
     "(Tensor grad_out, Tensor input, SymInt[] normalized_shape, Tensor mean, Tensor rstd, Tensor? "
     "weight, Tensor? bias, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
     bound<&layer_norm_backward_of>},
    {"native_group_norm_backward",
     "The gradients of group_norm's input, weight and bias; none where output_mask is False.",
     "(Tensor grad_out, Tensor input, Tensor mean, Tensor rstd, Tensor? weight, SymInt N, SymInt "
     "C, SymInt HxW, int group, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
     bound<&group_norm_backward_of>},
};

}  // namespace

std::span<const NamedFunction> layer_functions() {
  return rows;
}

}  // namespace vitro::ops
