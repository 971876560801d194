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

std::string_view meaning(std::string_view kind) {
  if (kind == function_kind) return "written with ops; a graph holds those";
  if (kind == "pointwise") return "each element of the result from those at the same index";
  if (kind == "reduction") return "folds dimensions";
  if (kind == "view") return "the same memory under other indices";
  if (kind == "contraction") return "sums of products";
  if (kind == "gather") return "elements picked by a tensor of indices";
  if (kind == "scatter") return "a copy with some elements replaced";
  if (kind == "concat") return "operands one after the other";
  return "a program written in other ops, which a schedule may know as a whole";
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
      "Every op and function that can be called, with its schema in ATen's words; written by\n"
      "`vitro ops --page` from the definitions. `vitro ops NAME` shows one.\n";
  std::vector<std::string_view> kinds;
  for (const Overload& one : overloads()) {
    const std::string_view kind = kind_of(one);
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
  }
  for (const std::string_view kind : kinds) {
    out += cat("\n## ", kind, ": ", meaning(kind), "\n\n| schema | what it gives |\n|---|---|\n");
    append_rows(out, kind);
  }
  return out;
}

std::string page(std::string_view name) {
  const auto all = overloads(name);
  if (all.empty()) return {};
  const std::string_view kind = kind_of(all[0]);
  std::string out = cat(name, ": ", all[0].doc, "\n\n", kind, ": ", meaning(kind), "\n\n");
  for (const Overload& one : all) out += cat("  ", one.schema, "\n");
  return out;
}

std::string_view kind_of(std::string_view name) {
  const auto all = overloads(name);
  return all.empty() ? std::string_view() : kind_of(all[0]);
}

}  // namespace vitro::ops
