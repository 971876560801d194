// Programs of the sweep: reductions, normalization and sorting of rows, products.
#include "sweep.h"
#include "vitro/ops/all.h"

namespace vitro::bench {
namespace {

const SweepPrograms folded({
    {"sum", "nxn", [](In x) { return sum(x[0]); }},
    {"sum_rows", "nxn", [](In x) { return sum(x[0], {1}); }},
    {"sum_columns", "nxn", [](In x) { return sum(x[0], {0}); }},
    {"sum_rows_of_t", "nxn", [](In x) { return sum(t(x[0]), {1}); }, round_numbers},
    {"sum_columns_of_t", "nxn", [](In x) { return sum(t(x[0]), {0}); }},
    {"sum_first_turned", "16xn/4xn/4", [](In x) { return sum(transpose(x[0], 0, 1), {0}); }},
    {"mean_rows", "nxn", [](In x) { return mean(x[0], {1}); }, round_numbers},
    {"amax_rows", "nxn", [](In x) { return amax(x[0], {1}); }},
    {"amax_columns", "nxn", [](In x) { return amax(x[0], {0}); }},
    {"argmax_rows", "nxn", [](In x) { return argmax(x[0], 1); }},
    {"argmax_columns", "nxn", [](In x) { return argmax(x[0], 0); }},
    {"any_rows", "nxn:bool", [](In x) { return any(x[0], {1}); }},
    {"var_rows", "nxn", [](In x) { return var(x[0], {1}); }},
    {"dot", "nxn nxn", [](In x) { return sum(x[0] * x[1]); }},
    {"square_error", "nxn nxn", [](In x) { return mean(square(x[0] - x[1])); }},
});

const SweepPrograms rows({
    {"softmax_rows", "nxn", [](In x) { return softmax(x[0], 1); }},
    {"softmax_columns", "nxn", [](In x) { return softmax(x[0], 0); }},
    {"softmax_rows_of_t", "nxn", [](In x) { return softmax(t(x[0]), 1); }},
    {"softmax_columns_of_t", "nxn", [](In x) { return softmax(t(x[0]), 0); }},
    {"log_softmax", "nxn", [](In x) { return log_softmax(x[0], 1); }, round_numbers},
    {"layer_norm", "nxn n n", [](In x) { return layer_norm(x[0], {x[0].size(1)}, x[1], x[2]); }},
    {"rms_norm", "nxn n",
     [](In x) { return x[0] * rsqrt(mean(square(x[0]), {1}, true) + 1e-6) * x[1]; }},
    {"centre_columns", "nxn", [](In x) { return x[0] - mean(x[0], {0}, true); }},
    {"centre_columns_of_t", "nxn", [](In x) { return t(x[0]) - mean(t(x[0]), {0}, true); }},
});

const SweepPrograms in_order({
    {"sort_rows", "nxn", [](In x) { return sort(x[0], 1).first; }},
    {"sort_columns", "nxn", [](In x) { return sort(x[0], 0).first; }},
    {"sort_rows_of_t", "nxn", [](In x) { return sort(t(x[0]), 1).first; }},
    {"sort_one_row", "n*n", [](In x) { return sort(x[0]).first; }},
    {"sort_i64", "nxn:i64", [](In x) { return sort(x[0], 1).first; }, round_numbers},
    {"topk_rows", "nxn", [](In x) { return topk(x[0], 10, 1).first; }},
    {"topk_columns", "nxn", [](In x) { return topk(x[0], 10, 0).first; }},
    {"topk_half", "nxn", [](In x) { return topk(x[0], x[0].size(1) / 2, 1).first; }},
    {"median_rows", "nxn", [](In x) { return median(x[0], 1).first; }, round_numbers},
});

const SweepPrograms products({
    {"mm", "nxn nxn", [](In x) { return mm(x[0], x[1]); }, {32, 512, 1024}},
    {"mm_odd", "nxn nxn", [](In x) { return mm(x[0], x[1]); }, {30, 500, 1000}},
    {"mm_right_t", "nxn nxn", [](In x) { return mm(x[0], t(x[1])); }, {32, 512, 1024}},
    {"mm_left_t", "nxn nxn", [](In x) { return mm(t(x[0]), x[1]); }, {32, 512, 1024}},
    {"mm_vector", "nxn nx1", [](In x) { return mm(x[0], x[1]); }},
    {"bmm", "16xn/4xn/4 16xn/4xn/4", [](In x) { return bmm(x[0], x[1]); }, {32, 256, 1024}},
    {"linear", "nxn nxn n", [](In x) { return linear(x[0], x[1], x[2]); }, {32, 512, 1024}},
    {"linear_gelu",
     "nxn nxn n",
     [](In x) { return gelu(linear(x[0], x[1], x[2])); },
     {32, 512, 1024}},
    {"attention",
     "1x1xnx64 1x1xnx64 1x1xnx64",
     [](In x) { return scaled_dot_product_attention(x[0], x[1], x[2]); },
     {32, 512, 1024}},
    {"attention_8",
     "1x8xnx64 1x8xnx64 1x8xnx64",
     [](In x) { return scaled_dot_product_attention(x[0], x[1], x[2]); },
     {32, 128, 512}},
});

}  // namespace
}  // namespace vitro::bench
