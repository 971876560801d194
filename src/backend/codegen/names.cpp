#include "backend/codegen/names.h"

#include <cctype>

#include "loop/function.h"

namespace vitro::backend {
namespace {

// Names that C++, generated code or the prelude uses.
constexpr std::string_view reserved[] = {
    "args", "begin", "end", "task", "count", "load", "store", "splat", "iota", "gather", "scatter",
    "convert", "bits", "auto", "bool", "break", "case", "char", "class", "const", "continue",
    "default", "delete", "do", "double", "else", "enum", "float", "for", "goto", "if", "inline",
    "int", "long", "namespace", "new", "operator", "private", "public", "register", "return",
    "short", "signed", "sizeof", "static", "struct", "switch", "template", "this", "throw",
    "typedef", "union", "unsigned", "using", "void", "volatile", "while", "f32", "f64", "f16",
    "bf16", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "Vec", "Mask", "lanes", "min",
    "max", "floordiv", "mod", "lt", "le", "gt", "ge", "eq", "ne", "row", "column", "sum", "reduce",
    "rotate", "select", "true", "false", "try", "catch", "widen", "first_lanes", "lane0", "widened",
    "product", "cut", "at", "sums", "windows", "winograd", "block", "line", "lines", "panel",
    "panels", "panel_sums", "ahead", "call", "range", "ranges", "left", "first", "depth",
    "per_batch", "batch", "fmax", "fmin", "copysign", "larger", "checked_index", "not_zero", "and",
    "or", "xor", "not", "asm", "typename", "explicit", "friend", "mutable", "virtual", "export",
    "extern", "protected", "alignas", "alignof", "concept", "requires", "nullptr", "noexcept",
    "decltype", "wchar_t", "static_assert", "turned",
    // longer names of prelude functions
    "load_strided", "store_strided", "store_or_stream", "end_streams", "transpose_block",
    "tree_add", "tree_total", "product_threads", "cut_bands", "lines_below", "address_before",
    "product_rows", "product_most_width",
    // of kernels in bands
    "bands", "band", "follows", "first_row", "end_row", "rows",
    // of parts of products
    "finish", "finish_part", "finish_by", "part", "stride"};

// Functions that are written as operators, so that their names are free.
bool is_operator(loop::Fn fn) {
  return fn == loop::Fn::add || fn == loop::Fn::sub || fn == loop::Fn::mul || fn == loop::Fn::div ||
         fn == loop::Fn::neg;
}

bool is_reserved(std::string_view name) {
  static const auto* all = [] {
    auto* made = new std::unordered_set<std::string_view>(std::begin(reserved), std::end(reserved));
#define VITRO_RESERVE(name, ...) \
  if (!is_operator(loop::Fn::name)) made->insert(#name);
    VITRO_LOOP_OPERATORS(VITRO_RESERVE)
    VITRO_SCALAR_FUNCTIONS(VITRO_RESERVE)
#undef VITRO_RESERVE
    return made;
  }();
  return all->contains(name);
}

}  // namespace

std::string Names::take(std::string_view wanted) {
  std::string name;
  for (const char c : wanted) {
    name.push_back(std::isalnum(static_cast<unsigned char>(c)) ? c : '_');
  }
  while (!name.empty() && name[0] == '_') name.erase(0, 1);
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) name.insert(0, "v");
  if (!is_reserved(name) && taken_.insert(name).second) return name;
  for (int i = 1;; ++i) {
    std::string numbered = name + "_" + std::to_string(i);
    if (!is_reserved(numbered) && taken_.insert(numbered).second) return numbered;
  }
}

std::string short_name(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot != std::string_view::npos && dot + 1 < name.size()) name = name.substr(dot + 1);
  size_t end = name.size();
  while (end > 0 && std::isdigit(static_cast<unsigned char>(name[end - 1]))) --end;
  if (end > 1 && end < name.size() && name[end - 1] == '_')
    return std::string(name.substr(0, end - 1));
  return std::string(name);
}

}  // namespace vitro::backend
