// Prints a graph, one line per node with its source location as a comment; parse.cpp reads it.
#include <algorithm>

#include "graph/arguments.h"
#include "graph/metas.h"
#include "vitro/base/cat.h"
#include "vitro/base/module_path.h"
#include "vitro/graph/graph.h"

namespace vitro::graph {
namespace {

constexpr size_t widest_line = 100, widest_column = 80;

void append_quoted(std::string& out, std::string_view text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c != '"' && c != '#' && c != 0x7f;
  });
  if (plain) return out.append(text), void();
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

// "mlp.cpp:12 fc1"; "?" for an unknown file.
std::string text_of(const SourceLocation& location) {
  std::string out;
  if (location.file.empty() && location.line == 0 && location.module == 0) return out;
  if (location.file.empty()) {
    out += '?';
  } else {
    append_quoted(out, location.file);
  }
  out += cat(':', location.line);
  if (location.module != 0) {
    out += ' ';
    append_quoted(out, module_path(location.module));
  }
  return out;
}

void append_type(std::string& out, const TensorMeta& meta) {
  out += cat(meta.dtype, meta.sizes);
  std::string more;
  const auto property = [&](std::string_view name, const auto& value) {
    more += cat(more.empty() ? "" : ", ", name, '=', value);
  };
  const Sizes dense = contiguous_strides(std::span<const Size>(meta.sizes));
  if (!attribute::same(meta.strides, dense)) property("strides", meta.strides);
  if (!identical(meta.offset, Size(0))) property("offset", meta.offset);
  if (!(meta.device == cpu)) property("device", meta.device);
  if (!more.empty()) out += cat('{', more, '}');
}

void append_value(std::string& out, const Graph& g, Value value) {
  out += g[value.node].name;
  if (g[value.node].results.size() != 1) out += cat('[', value.output, ']');
}

std::string statement(const Graph& g, const Node& node) {
  std::string out = cat("  ", node.name, ": ");
  if (node.results.size() == 1) {
    append_type(out, node.results[0]);
  } else {
    out += '(';
    for (size_t i = 0; i < node.results.size(); ++i) {
      if (i != 0) out += ", ";
      append_type(out, node.results[i]);
    }
    out += ')';
  }
  return out + cat(" = ", node.op->name, '(', arguments_text(g, node), ')');
}

std::string input_text(const Node& node) {
  std::string out = cat(node.name, ": ");
  if (node.input == InputKind::parameter) out += "parameter ";
  if (node.input == InputKind::number) out += "number ";
  append_type(out, node.results[0]);
  return out;
}

std::string symbols_text(const Graph& g) {
  if (g.symbols().empty()) return {};
  const std::vector<int64_t>& values = g.hints();
  std::string out = "[";
  for (size_t i = 0; i < values.size(); ++i) {
    const sym::Expr symbol = g.symbols()[i];
    out += cat(i == 0 ? "" : ", ", symbol, '=', values[i]);
    const sym::Range range = sym::range_of(symbol);
    if (range == sym::size_range) continue;
    out += cat(" in ", range.low, "..");
    if (range.high != sym::largest_size) out += cat(range.high);
  }
  return out + ']';
}

// One line if everything fits and no input has a source location, else one line per input.
std::string head(const Graph& g) {
  std::string begin = cat("graph", symbols_text(g), '('), line = begin, lines = begin;
  bool locations = false;
  for (size_t i = 0; i < g.inputs().size(); ++i) {
    const Node& input = g[g.inputs()[i]];
    const std::string text = input_text(input), location = text_of(input.location);
    const bool last = i + 1 == g.inputs().size();
    line += cat(i == 0 ? "" : ", ", text);
    lines += cat("\n    ", text, last ? "" : ",");
    if (!location.empty()) lines += cat("  # ", location);
    locations = locations || !location.empty();
  }
  if (!locations && line.size() + 3 <= widest_line) return line + ") {\n";
  return lines + "\n) {\n";
}

std::string outputs_text(const Graph& g) {
  std::string out = "  return";
  for (size_t i = 0; i < g.outputs().size(); ++i) {
    const Output& output = g.outputs()[i];
    out += i == 0 ? " " : ", ";
    append_value(out, g, output.value);
    if (output.writes >= 0)
      out += cat(" -> ", g[g.inputs().at(static_cast<size_t>(output.writes))].name);
  }
  return out + "\n}\n";
}

}  // namespace

std::string print(const Graph& g) {
  std::string out = head(g);
  std::vector<std::pair<std::string, std::string>> lines;
  size_t column = 0;
  for (const Node& node : g.nodes()) {
    if (node.is_input()) continue;
    lines.emplace_back(statement(g, node), text_of(node.location));
    if (!lines.back().second.empty() && lines.back().first.size() <= widest_column)
      column = std::max(column, lines.back().first.size());
  }
  for (const auto& [text, location] : lines) {
    out += text;
    if (!location.empty()) {
      out.append(column > text.size() ? column - text.size() : 0, ' ');
      out += cat("  # ", location);
    }
    out += '\n';
  }
  return out + outputs_text(g);
}

}  // namespace vitro::graph
