// The table of convolutions, one row each: ATen's schemas and the C++ function.
#include "bind.h"
#include "functions.h"
#include "vitro/ops/convolution.h"

namespace vitro::ops {
namespace {

std::array<bool, 3> three(const std::vector<Scalar>& flags) {
  VITRO_CHECK(flags.size() == 3, "output_mask needs three flags, got ", flags.size());
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

constexpr std::string_view conv_doc = "x under the windows of weight, plus bias.",
                           transpose_doc =
                               "The windows of weight, times the elements of x, summed where they "
                               "overlap, plus bias.";

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
};

}  // namespace

std::span<const NamedFunction> layer_functions() {
  return rows;
}

}  // namespace vitro::ops
