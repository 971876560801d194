// Programs of the sweep: elementwise ops, alone and in chains.
#include "sweep.h"
#include "vitro/ops/all.h"

namespace vitro::bench {
namespace {

const SweepPrograms one_op({
    {"clone", "nxn", [](In x) { return clone(x[0]); }},
    {"neg", "nxn", [](In x) { return -x[0]; }, round_numbers},
    {"abs", "nxn", [](In x) { return abs(x[0]); }},
    {"add_number", "nxn", [](In x) { return x[0] + 1; }, round_numbers},
    {"exp", "nxn", [](In x) { return exp(x[0]); }},
    {"log", "nxn:positive", [](In x) { return log(x[0]); }},
    {"sqrt", "nxn:positive", [](In x) { return sqrt(x[0]); }},
    {"sin", "nxn", [](In x) { return sin(x[0]); }},
    {"tanh", "nxn", [](In x) { return tanh(x[0]); }},
    {"sigmoid", "nxn", [](In x) { return sigmoid(x[0]); }},
    {"erf", "nxn", [](In x) { return erf(x[0]); }},
    {"relu", "nxn", [](In x) { return relu(x[0]); }},
    {"gelu", "nxn", [](In x) { return gelu(x[0]); }},
    {"gelu_tanh", "nxn", [](In x) { return gelu(x[0], "tanh"); }},
    {"silu", "nxn", [](In x) { return silu(x[0]); }},
    {"pow_3", "nxn", [](In x) { return pow(x[0], 3); }},
    {"clamp", "nxn", [](In x) { return clamp(x[0], -0.5, 0.5); }, round_numbers},
    {"to_f64", "nxn", [](In x) { return to(x[0], DType::f64); }},
    {"to_bf16", "nxn", [](In x) { return to(x[0], DType::bf16); }},
    {"from_bf16", "nxn:bf16", [](In x) { return to(x[0], DType::f32); }},
});

const SweepPrograms two_operands({
    {"add", "nxn nxn", [](In x) { return x[0] + x[1]; }},
    {"add_odd", "nxn nxn", [](In x) { return x[0] + x[1]; }, round_numbers},
    {"add_scaled", "nxn nxn", [](In x) { return add(x[0], x[1], 2); }},
    {"mul", "nxn nxn", [](In x) { return x[0] * x[1]; }},
    {"div", "nxn nxn:positive", [](In x) { return x[0] / x[1]; }},
    {"maximum", "nxn nxn", [](In x) { return maximum(x[0], x[1]); }},
    {"less", "nxn nxn", [](In x) { return x[0] < x[1]; }},
    {"where", "nxn:bool nxn nxn", [](In x) { return where(x[0], x[1], x[2]); }},
    {"masked_fill", "nxn nxn:bool", [](In x) { return masked_fill(x[0], x[1], 0); }},
    {"logical_and", "nxn:bool nxn:bool", [](In x) { return logical_and(x[0], x[1]); }},
    {"add_i64", "nxn:i64 nxn:i64", [](In x) { return x[0] + x[1]; }},
    {"add_bf16", "nxn:bf16 nxn:bf16", [](In x) { return x[0] + x[1]; }},
    {"add_f64", "nxn:f64 nxn:f64", [](In x) { return x[0] + x[1]; }},
    {"add_row", "nxn n", [](In x) { return x[0] + x[1]; }},
    {"add_column", "nxn nx1", [](In x) { return x[0] + x[1]; }},
    {"mul_row", "nxn n", [](In x) { return x[0] * x[1]; }, round_numbers},
    {"outer", "nx1 n", [](In x) { return x[0] * x[1]; }},
});

const SweepPrograms chains({
    {"chain_tanh", "nxn", [](In x) { return tanh(tanh(tanh(x[0]))); }},
    {"chain_gelu", "nxn", [](In x) { return gelu(gelu(gelu(x[0]))); }},
    {"chain_add", "nxn nxn", [](In x) { return (((x[0] + x[1]) + 1) + x[1]) + 2; }},
    {"sin_cos", "nxn", [](In x) { return sin(cos(x[0])); }},
    {"polynomial", "nxn", [](In x) { return ((x[0] * 2 + 1) * x[0] + 3) * x[0]; }},
    {"gated", "nxn nxn", [](In x) { return x[0] * sigmoid(x[1]); }},
    {"bias_gelu", "nxn n", [](In x) { return gelu(x[0] + x[1]); }},
    {"add_relu", "nxn nxn", [](In x) { return relu(x[0] + x[1]); }},
    {"bell", "nxn", [](In x) { return exp(-x[0] * x[0]) * 0.4; }},
    {"scale_shift", "nxn n n", [](In x) { return x[0] * x[1] + x[2]; }},
});

}  // namespace
}  // namespace vitro::bench
