#include "vitro/ops/page.h"

#include <algorithm>

#include "vitro/base/cat.h"
#include "vitro/ops/overload.h"

namespace vitro::ops {
namespace {

constexpr std::string_view function_kind = "function";

std::string_view kind_of(const Overload& one) {
  return one.op ? name_of(one.op->kind) : function_kind;
}

std::string_view meaning(OpKind kind) {
  switch (kind) {
    case OpKind::pointwise:
      return "each element of the result from those at the same index";
    case OpKind::reduction:
      return "folds dimensions";
    case OpKind::scan:
      return "a reduction that keeps every step";
    case OpKind::view:
      return "the same memory under other indices";
    case OpKind::contraction:
      return "sums of products";
    case OpKind::gather:
      return "elements picked by a tensor of indices";
    case OpKind::scatter:
      return "a copy with some elements replaced";
    case OpKind::concat:
      return "operands one after the other";
    case OpKind::random:
      return "counter-based numbers";
    case OpKind::composite:
      return "a program written in other ops, which a schedule may know as a whole";
    case OpKind::opaque:
      return "a kernel that nobody looks into";
  }
  return {};
}

std::string_view meaning(const Overload& one) {
  return one.op ? meaning(one.op->kind) : "written with ops; a graph holds those";
}

void append_rows(std::string& out, std::string_view kind) {
  std::string_view last_doc;
  for (const Overload& one : overloads()) {
    if (kind_of(one) != kind) continue;
    std::string schema = cat(one.schema);
    out += cat("| `", schema, "` | ", one.doc == last_doc ? std::string_view() : one.doc, " |\n");
    last_doc = one.doc;
  }
}

}  // namespace

std::string page() {
  std::string out =
      "# Ops\n\n"
      "Every op, and every function written with ops, that `ops::call` takes by name "
      "([ops/overload.h](../include/vitro/ops/overload.h)),\nwith its schema in ATen's words; "
      "written by `vitro ops --page` from the definitions. `vitro ops NAME` shows one.\n\n"
      "In C++ each is a function of the name before the dot: `sum.dim_IntList` is `sum`. Six are "
      "there for other functions and have no\nC++ name of their own: `_to_copy` (`to`), "
      "`_softmax` (`softmax`), `_log_softmax` (`log_softmax`), `add_scaled` and `sub_scaled`\n"
      "(`add` and `sub` with `alpha`), `cube` (`pow(x, 3)`). The reverse holds for writes in "
      "place, which have C++ names alone:\n`add_`, `relu_`, `clamp_`, `masked_fill_`, `copy_`, "
      "`fill_`, `zero_` and so on for most pointwise ops, and `+=`, `-=`, `*=`, `/=`.\n";
  std::vector<std::string_view> kinds;
  for (const Overload& one : overloads()) {
    const std::string_view kind = kind_of(one);
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) continue;
    kinds.push_back(kind);
    out += cat("\n## ", kind, ": ", meaning(one), "\n\n| schema | what it gives |\n|---|---|\n");
    append_rows(out, kind);
  }
  return out;
}

std::string page(std::string_view name) {
  const auto all = overloads(name);
  if (all.empty()) return {};
  const std::string_view kind = kind_of(all[0]);
  std::string out = cat(name, ": ", all[0].doc, "\n\n", kind, ": ", meaning(all[0]), "\n\n");
  for (const Overload& one : all) out += cat("  ", one.schema, "\n");
  return out;
}

std::string_view kind_of(std::string_view name) {
  const auto all = overloads(name);
  return all.empty() ? std::string_view() : kind_of(all[0]);
}

}  // namespace vitro::ops
