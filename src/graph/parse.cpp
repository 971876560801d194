// Parses the text that print.cpp writes.  Invalid text gives a Failure that names the line.
#include <algorithm>
#include <charconv>
#include <functional>
#include <map>

#include "graph/arguments.h"
#include "graph/cursor.h"
#include "graph/metas.h"
#include "vitro/base/cat.h"
#include "vitro/base/module_path.h"
#include "vitro/base/split.h"
#include "vitro/events/name.h"
#include "vitro/graph/graph.h"
#include "vitro/ops/all.h"

namespace vitro::graph {
namespace {

// Caught in Parser::run, which turns it into a Failure: text is untrusted and may be invalid
// anywhere.
struct Broken {
  std::string why;
};

template <class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  throw Broken{cat(parts...)};
}

class Parser {
 public:
  explicit Parser(std::string_view text) : at_(text) {}

  Result<Graph> run() {
    try {
      head();
      while (!at_.take("return")) statement();
      outputs();
      set_hints();
      return std::move(g_);
    } catch (const Broken& broken) {
      return Failure{cat("graph text, line ", at_.line(), ": ", broken.why)};
    } catch (const Error& error) {  // a size that does not fit, a division by 0
      return Failure{cat("graph text, line ", at_.line(), ": ", error.what())};
    } catch (const Bug&) {  // only Expr::symbol throws one here
      return Failure{
          cat("graph text, line ", at_.line(), ": a symbol has another range in this program")};
    }
  }

 private:
  void head() {
    if (!at_.take("graph")) fail("needs \"graph\"");
    if (at_.take("[")) symbols();
    if (!at_.take("(")) fail("needs \"(\" before the inputs");
    while (!at_.take(")")) {
      const NodeId id = input();
      const bool more = at_.take(",");
      g_[id].location = location();
      if (more) continue;
      if (!at_.take(")")) fail("needs \",\" or \")\" after an input");
      break;
    }
    if (!at_.take("{")) fail("needs \"{\" after the inputs");
  }

  void symbols() {
    std::vector<sym::Expr> list;
    std::vector<int64_t> hints;
    do {
      const std::string name(at_.name());
      if (name.empty() || !at_.take("=")) fail("needs a symbol and its value, as in s0=4");
      const auto value = at_.integer();
      if (!value) fail("the value of the symbol ", name, " is not an integer");
      sym::Range range = sym::size_range;
      if (at_.take("in")) range = symbol_range();
      const sym::Expr symbol = sym::Expr::symbol(name, range);
      symbols_.emplace(name, symbol);
      values_.note(symbol, *value);
      list.push_back(symbol);
      hints.push_back(*value);
    } while (at_.take(","));
    if (!at_.take("]")) fail("needs \"]\" after the symbols");
    g_.set_symbols(std::move(list), std::move(hints));
  }

  sym::Range symbol_range() {
    const auto low = at_.integer();
    if (!low || !at_.take("..")) fail("a range is written as 0..100, or as 0.. without an end");
    const int64_t high = at_.integer().value_or(sym::largest_size);
    if (high < *low) fail("a range is written as 0..100, or as 0.. without an end");
    return {*low, high};
  }

  NodeId input() {
    const std::string name = new_name();
    if (!at_.take(":")) fail("needs \":\" and a type after the input ", name);
    InputKind kind = InputKind::argument;
    if (at_.take("parameter")) kind = InputKind::parameter;
    if (at_.take("number")) kind = InputKind::number;
    const NodeId id = g_.add_input(name, type(), kind);
    named(id, name);
    return id;
  }

  std::string new_name() {
    std::string name(at_.name());
    if (name.empty()) fail("needs a name");
    if (nodes_.count(name) != 0) fail("the name ", name, " is given twice");
    return name;
  }

  void named(NodeId id, const std::string& name) {
    if (g_[id].name != name) fail(name, " cannot be the name of a node");
    nodes_.emplace(name, id);
  }

  TensorMeta type() {
    TensorMeta meta;
    const std::string_view name = at_.name();
    const auto dtype = dtype_named(name);
    if (!dtype) fail("\"", name, "\" is not a dtype");
    if (is_complex(*dtype)) fail("a graph has no complex values, got ", name);
    meta.dtype = *dtype;
    const auto sizes = at_.enclosed('[', ']');
    if (!sizes) fail("needs sizes after the dtype, as in f32[2, 3]");
    read_sizes(*sizes, meta.sizes);
    meta.strides = contiguous_strides(std::span<const Size>(meta.sizes));
    if (const auto more = at_.enclosed('{', '}')) {
      for (const std::string_view part : split_list(*more)) property(part, meta);
    }
    return meta;
  }

  void read_sizes(std::string_view text, Sizes& sizes) {
    if (!read(cat('[', text, ']'), sizes)) fail("cannot read sizes ", text);
  }

  // A size, or a list of them.
  bool read(std::string_view text, auto& out) {
    const std::optional<ArgValue> value = read_value(text, lookup_);
    return value && !is_none(*value) && attribute::assign(out, *value);
  }

  void property(std::string_view part, TensorMeta& meta) {
    const size_t sign = std::min(part.find('='), part.size() - 1);
    const std::string_view name = part.substr(0, sign), text = part.substr(sign + 1);
    if (name == "strides") {
      if (!read(text, meta.strides)) fail("cannot read strides ", text);
    } else if (name == "offset") {
      if (!read(text, meta.offset)) fail("cannot read the offset ", text);
    } else {
      const std::optional<Device> device = device_named(text);
      if (name != "device" || !device) fail("a type has no ", part);
      meta.device = *device;
    }
  }

  // "name: type = op(arguments)  # location"
  void statement() {
    const std::string name = new_name();
    if (!at_.take(":")) fail("needs \":\" and a type after ", name);
    Node node;
    node.name = name;
    if (at_.take("(")) {
      do {
        node.results.push_back(type());
      } while (at_.take(","));
      if (!at_.take(")")) fail("needs \",\" or \")\" between results");
    } else {
      node.results.push_back(type());
    }
    if (!at_.take("=")) fail("needs \"=\" after the type of ", name);
    const std::string_view called = at_.name(), op = called.substr(0, called.find('.'));
    node.op = ops::named(op);
    if (!node.op) fail("there is no op \"", op, "\"");
    const auto inside = at_.enclosed('(', ')');
    if (!inside) fail("needs arguments in brackets after ", op);
    const std::string_view overload = called.substr(std::min(op.size() + 1, called.size()));
    const auto read = read_arguments(
        *inside, overload, node, [this](std::string_view text) { return arg(text); }, lookup_);
    if (!read) fail(read.why());
    node.location = location();
    const NodeId id = g_.add(std::move(node));
    named(id, name);
  }

  Arg arg(std::string_view text) {
    if (nodes_.find(text.substr(0, text.find('['))) != nodes_.end()) return value(text);
    const std::optional<ArgValue> value = read_value(text, lookup_);
    if (value && is_none(*value)) return std::monostate{};
    const auto* number = value ? std::get_if<Scalar>(&*value) : nullptr;
    if (!number) fail("\"", text, "\" is neither a value nor a number");
    return *number;
  }

  // "mm", or "var_mean[1]" if the node has several results.
  Value value(std::string_view text) {
    const size_t bracket = text.find('[');
    const auto found = nodes_.find(text.substr(0, bracket));
    if (found == nodes_.end()) fail("\"", text, "\" is not a value");
    Value out{found->second, 0};
    const size_t results = g_[out.node].results.size();
    if (bracket != std::string_view::npos) {
      const auto end =
          std::from_chars(text.data() + bracket + 1, text.data() + text.size(), out.output);
      if (end.ec != std::errc{} || *end.ptr != ']') fail("\"", text, "\" is not a value");
    } else if (results != 1) {
      fail(text, " has ", results, " results; select one, as in ", text, "[0]");
    }
    if (out.output >= results) fail("there is no ", text);
    return out;
  }

  void outputs() {
    std::vector<Output> list;
    if (at_.take("}")) return end(std::move(list));
    do {
      std::string name(at_.name());
      if (const auto which = at_.enclosed('[', ']')) name += cat('[', *which, ']');
      list.push_back({value(name), -1});
      if (at_.take("->")) list.back().writes = input_named(at_.name());
    } while (at_.take(","));
    if (!at_.take("}")) fail("needs \"}\" after the outputs");
    end(std::move(list));
  }

  void end(std::vector<Output> list) {
    g_.set_outputs(std::move(list));
    if (!at_.at_end()) fail("there is more text after the graph");
  }

  int input_named(std::string_view name) {
    for (size_t i = 0; i < g_.inputs().size(); ++i) {
      if (g_[g_.inputs()[i]].name == name) return static_cast<int>(i);
    }
    fail("\"", name, "\" is not an input");
  }

  SourceLocation location() {
    const std::vector<std::string> words = at_.comment();
    SourceLocation out;
    if (words.empty()) return out;
    const std::string_view where = words[0];
    const size_t colon = where.rfind(':');
    if (colon == std::string_view::npos) return out;
    const std::string_view file = where.substr(0, colon);
    if (file != "?") out.file = events::text(events::intern(file));
    std::from_chars(where.data() + colon + 1, where.data() + where.size(), out.line);
    if (words.size() > 1) out.module = intern_module_path(words[1]);
    return out;
  }

  // "u0" needs no declaration: it is defined by the node whose result has it as a size.
  static sym::Expr data_named(std::string_view name) {
    uint32_t number = 0;
    const auto end = std::from_chars(name.data() + 1, name.data() + name.size(), number);
    const sym::Expr symbol = sym::Expr::data(number);
    const bool is_one = end.ec == std::errc{} && symbol.text() == name;
    return is_one ? symbol : sym::Expr();
  }

  // Sizes were parsed as expressions without hints; sets these.
  void set_hints() {
    for (uint32_t n = 0; n < g_.size(); ++n) {
      Node& node = g_[NodeId{n}];
      if (!node.is_input() && node.op->compaction && !node.results[0].sizes.empty()) {
        const Size most = infer(g_, *node.op, node.args, node.attrs.view()).at(0).sizes[0];
        values_.note(node.results[0].sizes[0].expr(), most.hint());
      }
      if (!values_.empty()) map_sizes(node, [this](Size size) { return values_.now(size); });
    }
  }

  Cursor at_;
  Graph g_;
  std::map<std::string, NodeId, std::less<>> nodes_;
  std::map<std::string, sym::Expr, std::less<>> symbols_;
  SymbolValues values_;
  SymbolNamed lookup_ = [this](std::string_view name) {
    const auto found = symbols_.find(name);
    return found == symbols_.end() ? data_named(name) : found->second;
  };
};

}  // namespace

Result<Graph> parse(std::string_view text) {
  return Parser(text).run();
}

}  // namespace vitro::graph
