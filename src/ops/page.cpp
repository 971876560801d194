// Writes docs/ops.md and the pages of `vitro ops` from definitions, schemas and gradients.
#include "vitro/ops/page.h"

#include <algorithm>

#include "functions.h"
#include "vitro/base/cat.h"
#include "vitro/core/formula.h"
#include "vitro/ops/overload.h"

namespace vitro::ops {
namespace {

constexpr std::string_view function_kind = "function", number_kind = "number";

std::string_view kind_of(const Overload& one) {
  if (one.op) return name_of(one.op->kind);
  return returns_number(one.schema) ? number_kind : function_kind;
}

std::string_view meaning(OpKind kind) {
  switch (kind) {
    case OpKind::pointwise:
      return "each element of the result from those at the same index";
    case OpKind::reduction:
      return "reduces dimensions";
    case OpKind::scan:
      return "a reduction that keeps every step";
    case OpKind::sort:
      return "rows along a dimension, sorted, and the indices of their elements";
    case OpKind::view:
      return "the same memory under other indices";
    case OpKind::contraction:
      return "sums of products";
    case OpKind::gather:
      return "elements selected by a tensor of indices";
    case OpKind::scatter:
      return "a copy with some elements replaced";
    case OpKind::window:
      return "an element from those around a place, within bounds";
    case OpKind::concat:
      return "operands joined along a dimension";
    case OpKind::compaction:
      return "the elements that a mask selects; their number depends on data";
    case OpKind::composite:
      return "a program of other ops, which a schedule may recognise as a whole";
    case OpKind::opaque:
      return "a kernel that the compiler does not look into";
  }
  return {};
}

std::string_view meaning(const Overload& one) {
  if (one.op) return meaning(one.op->kind);
  return returns_number(one.schema)
             ? "a size or an element; `ops::evaluate` returns it, in a compiled function a size is "
               "an expression"
             : "written with ops; a graph contains those";
}

// The op or function that the name is another name of; empty if there is none.
std::string_view original_of(std::string_view name) {
  for (const OtherName& one : other_names()) {
    const std::string_view rest = name.substr(std::min(name.size(), one.name.size()));
    if (name.starts_with(one.name) && (rest.empty() || rest == "_")) return one.function;
  }
  return {};
}

std::string doc_of(const Overload& one) {
  const std::string_view original = original_of(one.schema.name);
  return original.empty() ? std::string(one.doc)
                          : cat('`', original, "` under another name: ", one.doc);
}

// How the gradient is defined, in a word, or why there is none.
std::string gradient(const Overload& one) {
  if (returns_number(one.schema)) return "none: it is a number";
  if (!one.op) return "that of its ops";
  const Verdict can = is_differentiable(*one.op);
  if (!can) return cat("none: ", can.why);
  return one.op->gradient->formula ? "formula" : "through its program";
}

// A table of the overloads for which `belongs` holds; cells that repeat for a name are left empty.
void append_table(std::string& out, bool (*belongs)(const Overload&, std::string_view),
                  std::string_view kind) {
  out += "| schema | result | gradient |\n|---|---|---|\n";
  std::string_view last_name;
  std::string last_doc;
  for (const Overload& one : overloads()) {
    if (!belongs(one, kind)) continue;
    std::string schema = cat(one.schema);
    std::string doc = doc_of(one);
    const bool again = one.schema.name == last_name && doc == last_doc;
    out += cat("| `", schema, "` | ", again ? std::string() : doc, " | ",
               again ? std::string() : gradient(one), " |\n");
    last_name = one.schema.name;
    last_doc = std::move(doc);
  }
}

bool is_functional(const Overload& one, std::string_view kind) {
  return !one.schema.in_place() && kind_of(one) == kind;
}
bool is_in_place(const Overload& one, std::string_view) {
  return one.schema.in_place();
}

// Checked by tests/docs/names_in_cpp_test.py.
constexpr std::string_view names_in_cpp =
    R"(In C++ most are functions of the name before the dot: `sum.dim_IntList` is `sum`. These have no function and are called by name:

- names that begin with `_` (`_to_copy` is `to`, `_softmax` is `softmax`) or end in `_copy` or `_of_pairs`, those for which the
  table says "under another name", and some of the in-place forms;
- those that C++ writes otherwise: `std` (as `stddev`), `empty`, `empty_permuted`, `empty_strided` (`Tensor::empty`), `empty_like` (`zeros_like`),
  `item`, `is_nonzero` (`x.item<float>()`), `sym_size`, `sym_stride`, `sym_numel`, `sym_storage_offset` (`x.size(0)`, `x.strides()`,
  `x.numel()`, `x.meta().offset`), `new_empty`, `new_empty_strided`, `new_full`, `new_ones`, `new_zeros` (`full` with `x.dtype()`),
  `true_divide` (`div`), `swapdims` (`transpose`), `trapz` (`trapezoid`), `ger` (`outer`), `chain_matmul` (`linalg_multi_dot`),
  `linalg_diagonal` (`diagonal`), `special_entr`, `special_ndtr`, `special_xlog1py` (`entr`, `ndtr`, `xlog1py`), `nonzero_numpy`
  (`nonzero`), `unique_dim` (`unique`), `nll_loss_nd`, `nll_loss2d`, `nll_loss2d_forward` (`nll_loss`), `unsafe_chunk`,
  `unsafe_split`, `unsafe_split_with_sizes` (`chunk`, `split`, `split_with_sizes`), `add_scaled`, `sub_scaled` (`add` and `sub` with
  `alpha`), `cube` (`pow(x, 3)`);
- `adjoint`, `mH`, `matrix_H`, `conj_physical`, `resolve_conj`, `resolve_neg`, `isreal`, `sgn`, `positive`, `lift_fresh`,
  `is_same_size`, `norm_except_dim`, `triangular_solve`, `fft_pairs`, `linalg_eig_to_pairs`, `grouped_mm_fallback`,
  `sym_constrain_range`, `sym_constrain_range_for_size`, `philox_binomial`, `philox_dropout`, `philox_normal`, `philox_poisson`,
  `philox_uniform`.
)";

}  // namespace

std::string page() {
  std::string out =
      "# Ops\n\n"
      "Every op, and every function written with ops, that `ops::call` and `ops::evaluate` "
      "take by name "
      "([ops/overload.h](../include/vitro/ops/overload.h)),\nwith its schema in ATen's syntax; "
      "generated by `vitro ops --page` from the definitions. `vitro ops NAME` shows one.\n\n";
  out += names_in_cpp;
  std::vector<std::string_view> kinds;
  for (const Overload& one : overloads()) {
    if (one.schema.in_place()) continue;
    const std::string_view kind = kind_of(one);
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) continue;
    kinds.push_back(kind);
    out += cat("\n## ", kind, ": ", meaning(one), "\n\n");
    append_table(out, &is_functional, kind);
  }
  out +=
      "\n## in place: the result is written into `self`, which is returned\n\n"
      "The result must fit `self`'s sizes and be castable to its dtype. C++ has functions of most "
      "of these names, and `+=`, `-=`, `*=`, `/=`.\n\n";
  append_table(out, &is_in_place, {});
  return out;
}

std::string page(std::string_view name) {
  const auto all = overloads(name);
  if (all.empty()) return {};
  const std::string_view kind = kind_of(all[0]);
  std::string out = cat(name, ": ", doc_of(all[0]), "\n\n", kind, ": ", meaning(all[0]), "\n\n");
  for (const Overload& one : all) out += cat("  ", one.schema, "\n");
  return out;
}

std::string_view kind_of(std::string_view name) {
  const auto all = overloads(name);
  return all.empty() ? std::string_view() : kind_of(all[0]);
}

}  // namespace vitro::ops
