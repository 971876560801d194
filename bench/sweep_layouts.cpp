// Programs of the sweep: elements read or written in an order other than that in memory.
#include "sweep.h"
#include "vitro/ops/all.h"

namespace vitro::bench {
namespace {

std::vector<Tensor> rows_of(const Tensor& x, int64_t count) {
  std::vector<Tensor> out;
  for (int64_t i = 0; i < count; ++i) out.push_back(select(x, 0, i));
  return out;
}

const SweepPrograms turned({
    {"contiguous_t", "nxn", [](In x) { return contiguous(t(x[0])); }},
    {"contiguous_t_odd", "nxn", [](In x) { return contiguous(t(x[0])); }, round_numbers},
    {"contiguous_t_bf16", "nxn:bf16", [](In x) { return contiguous(t(x[0])); }},
    {"add_t", "nxn", [](In x) { return x[0] + t(x[0]); }},
    {"add_t_odd", "nxn", [](In x) { return x[0] + t(x[0]); }, round_numbers},
    {"add_t_f64", "nxn:f64", [](In x) { return x[0] + t(x[0]); }},
    {"both_t", "nxn nxn", [](In x) { return t(x[0]) + t(x[1]); }},
    {"exp_t", "nxn", [](In x) { return contiguous(exp(t(x[0]))); }},
    {"t_plus_row", "nxn n", [](In x) { return contiguous(t(x[0]) + x[1]); }},
    {"to_nhwc",
     "n*n/1024x32x32x32",
     [](In x) { return contiguous(permute(x[0], {0, 2, 3, 1})); },
     {32, 256, 512}},
    {"to_nchw",
     "n*n/1024x32x32x32",
     [](In x) { return contiguous(permute(x[0], {0, 3, 1, 2})); },
     {32, 256, 512}},
    {"to_pixels", "3xnxn", [](In x) { return contiguous(permute(x[0], {1, 2, 0})); }},
    {"exp_to_pixels", "3xnxn", [](In x) { return contiguous(exp(permute(x[0], {1, 2, 0}))); }},
    {"from_pixels", "nxnx3", [](In x) { return contiguous(permute(x[0], {2, 0, 1})); }},
    {"swap_last", "16xn/4xn/4", [](In x) { return contiguous(transpose(x[0], 1, 2)); }},
    {"split_heads", "nx8xn/8", [](In x) { return contiguous(transpose(x[0], 0, 1)); }},
    {"reverse_dims", "n/8xn/8x64", [](In x) { return contiguous(permute(x[0], {2, 1, 0})); }},
    {"flatten_t", "nxn", [](In x) { return flatten(t(x[0])) + 1; }},
});

const SweepPrograms parts({
    {"second_rows", "nxn", [](In x) { return slice(x[0], 0, 0, INT64_MAX, 2) + 1; }},
    {"second_columns", "nxn", [](In x) { return slice(x[0], 1, 0, INT64_MAX, 2) + 1; }},
    {"inner_part", "nxn", [](In x) { return slice(slice(x[0], 0, 1, -1), 1, 1, -1) + 1; }},
    {"stencil_rows", "nxn", [](In x) { return slice(x[0], 0, 1) - slice(x[0], 0, 0, -1); }},
    {"stencil_columns", "nxn", [](In x) { return slice(x[0], 1, 1) - slice(x[0], 1, 0, -1); }},
    {"one_column", "nxn", [](In x) { return select(x[0], 1, 3) + 1; }},
    {"diagonal", "nxn", [](In x) { return diagonal(x[0]) + 1; }},
    {"triu", "nxn", [](In x) { return triu(x[0]); }},
    {"write_slice", "nxn n/2xn",
     [](In x) { return slice_scatter(x[0], x[1], 0, 0, x[1].size(0)); }},
    {"expand_row", "n",
     [](In x) { return contiguous(expand(x[0], {x[0].size(0), x[0].size(0)})); }},
    {"expand_column", "nx1",
     [](In x) { return contiguous(expand(x[0], {x[0].size(0), x[0].size(0)})); }},
});

const SweepPrograms joined({
    {"cat_rows", "nxn nxn", [](In x) { return cat({x[0], x[1]}, 0); }},
    {"cat_columns", "nxn nxn", [](In x) { return cat({x[0], x[1]}, 1); }},
    {"cat_16", "16xnxn/16", [](In x) { return cat(rows_of(x[0], 16), 1); }},
    {"cat_500", "500xn", [](In x) { return cat(rows_of(x[0], 500), 0); }},
    {"cat_inputs", "n@500", [](In x) { return cat(x, 0); }},
    {"stack_last", "nxn nxn", [](In x) { return stack({x[0], x[1]}, -1); }},
});

const SweepPrograms picked({
    {"index_select_rows", "nxn n:i64", [](In x) { return index_select(x[0], 0, x[1]); }},
    {"index_select_columns", "nxn n:i64", [](In x) { return index_select(x[0], 1, x[1]); }},
    {"gather", "nxn nxn:i64", [](In x) { return gather(x[0], 1, x[1]); }},
    {"embedding", "nx64 nxn/8:i64", [](In x) { return embedding(x[0], x[1]); }, {32, 256, 1024}},
});

}  // namespace
}  // namespace vitro::bench
