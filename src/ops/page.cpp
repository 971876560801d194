// Writes docs/ops.md and the pages of `vitro ops` from definitions, schemas and gradients.
#include "vitro/ops/page.h"

#include <algorithm>

#include "vitro/base/cat.h"
#include "vitro/core/formula.h"
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
      return "reduces dimensions";
    case OpKind::scan:
      return "a reduction that keeps every step";
    case OpKind::sort:
      return "rows along a dimension in order, and where their elements were";
    case OpKind::view:
      return "the same memory under other indices";
    case OpKind::contraction:
      return "sums of products";
    case OpKind::gather:
      return "elements picked by a tensor of indices";
    case OpKind::scatter:
      return "a copy with some elements replaced";
    case OpKind::window:
      return "an element from those around a place; bounds say which of them there are";
    case OpKind::concat:
      return "operands one after the other";
    case OpKind::compaction:
      return "what a mask picks; data decide how much that is";
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

// How the gradient is defined, in a word, or why there is none.
std::string gradient(const Overload& one) {
  if (!one.op) return "of those ops";
  const Verdict can = is_differentiable(*one.op);
  if (!can) return cat("none: ", can.why);
  return one.op->gradient->formula ? "formula" : "through its program";
}

// A table of the overloads for which `belongs` holds; cells that repeat for a name are left empty.
void append_table(std::string& out, bool (*belongs)(const Overload&, std::string_view),
                  std::string_view kind) {
  out += "| schema | what it gives | gradient |\n|---|---|---|\n";
  std::string_view last_doc;
  for (const Overload& one : overloads()) {
    if (!belongs(one, kind)) continue;
    std::string schema = cat(one.schema);
    const bool again = one.doc == last_doc;
    out += cat("| `", schema, "` | ", again ? std::string_view() : one.doc, " | ",
               again ? std::string() : gradient(one), " |\n");
    last_doc = one.doc;
  }
}

bool is_functional(const Overload& one, std::string_view kind) {
  return !one.schema.in_place() && kind_of(one) == kind;
}
bool is_in_place(const Overload& one, std::string_view) {
  return one.schema.in_place();
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
      "(`add` and `sub` with `alpha`), `cube` (`pow(x, 3)`).\n";
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
  std::string out = cat(name, ": ", all[0].doc, "\n\n", kind, ": ", meaning(all[0]), "\n\n");
  for (const Overload& one : all) out += cat("  ", one.schema, "\n");
  return out;
}

std::string_view kind_of(std::string_view name) {
  const auto all = overloads(name);
  return all.empty() ? std::string_view() : kind_of(all[0]);
}

}  // namespace vitro::ops
