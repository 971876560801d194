// Readable text of kernels, statements and values: for loops_*.txt in the debug folder, and for
// tests.
#include <bit>
#include <span>
#include <unordered_map>

#include "loop/kernel.h"
#include "vitro/base/cat.h"

namespace vitro::loop {
namespace {

class Printer {
 public:
  explicit Printer(const Kernel* kernel) : kernel_(kernel) {}
  std::string take() { return std::move(out_); }

  void value(const Node* v, bool inner = false) {
    if (const auto name = names_.find(v); name != names_.end()) return put('t', name->second);
    switch (v->fn) {
      case Fn::constant:
        return constant(v);
      case Fn::load:
        return put(buffer(static_cast<int>(v->payload)), '[', v->index, ']');
      case Fn::load_where:
        put(buffer(static_cast<int>(v->payload)), '[', v->index, " where ");
        value(v->operands[0]);
        return put(']');
      case Fn::not_negative:
        return put("(", v->index, " >= 0)");
      case Fn::index:
        return put("index(", v->index, ')');
      case Fn::number:
        return put(number(v->payload));
      case Fn::variable:
        return put(variable(v->payload));
      case Fn::cast:
        return call(v, name_of(v->dtype));
      case Fn::rotate:
        return call(v, cat("rotate<", v->payload, ">"));
      default:
        break;
    }
    const std::string_view sign = sign_of(v->fn);
    if (sign.empty()) return call(v, info(v->fn).name);
    if (inner) put('(');
    value(v->operands[0], true);
    put(sign);
    value(v->operands[1], true);
    if (inner) put(')');
  }

  void block(const Block& statements, int depth) {
    for (const Statement& s : statements) {
      std::visit([&](const auto& what) { statement(what, depth); }, s.what);
    }
  }

  void kernel() {
    put("kernel ", kernel_->name);
    for (size_t i = 0; i < kernel_->tasks.size(); ++i) {
      put(i == 0 ? ": tasks " : ", ", kernel_->tasks[i], " < ", sym::extent_of(kernel_->tasks[i]));
    }
    put('\n');
    for (const Row& row : kernel_->rows) put("  row ", row.name, '[', row.size, "]\n");
    for (const IndirectIndex& indirect : kernel_->indirect_indices) {
      put("  ", indirect.symbol, " = ");
      value(indirect.value.node());
      put(" in [0, ", indirect.bound, ")\n");
    }
    for (const Tree& tree : kernel_->trees) {
      put("  tree ", tree.name, " in ", buffer(tree.row), ": ",
          variable(static_cast<uint64_t>(tree.left)), ", ",
          variable(static_cast<uint64_t>(tree.right)), " -> ");
      value(tree.merged.node());
      put('\n');
    }
    block(kernel_->body, 1);
  }

 private:
  template <class... T>
  void put(const T&... parts) {
    using vitro::append_to;
    (append_to(out_, parts), ...);
  }
  void indent(int depth) { out_.append(static_cast<size_t>(2 * depth), ' '); }

  void constant(const Node* v) {
    if (is_bool(v->dtype)) return put(v->payload != 0);
    if (is_floating(v->dtype)) return put(std::bit_cast<double>(v->payload));
    put(static_cast<int64_t>(v->payload));
  }
  void call(const Node* v, std::string_view name) {
    put(name, '(');
    for (size_t i = 0; i < v->operands.size(); ++i) {
      if (i != 0) put(", ");
      value(v->operands[i]);
    }
    put(')');
  }
  std::string buffer(int n) const {
    if (!kernel_) return cat("b", n);
    if (n >= Kernel::first_row)
      return kernel_->rows[static_cast<size_t>(n - Kernel::first_row)].name;
    return kernel_->buffers[static_cast<size_t>(n)].name;
  }
  std::string number(uint64_t n) const { return kernel_ ? kernel_->numbers[n].name : cat("n", n); }
  static std::string variable(uint64_t n) { return cat("v", n); }

  // Repeated values get their own lines before a statement that would be very long without them.
  void name_repeated(std::span<const Value> values, int depth) {
    names_.clear();
    std::unordered_map<const Node*, double> length;
    std::unordered_map<const Node*, int> uses;
    const std::vector<const Node*> all = nodes_below({values.begin(), values.end()});
    for (const Node* node : all) {
      length[node] = 1;
      for (const Node* operand : node->operands) {
        length[node] += length[operand];
        ++uses[operand];
      }
    }
    double total = 0;
    for (const Value v : values) total += length[v.node()];
    if (total < most_in_a_line) return;
    for (const Node* node : all) {
      if (node->operands.empty() || uses[node] < 2) continue;
      indent(depth);
      put('t', names_.size(), " = ");
      value(node);
      put('\n');
      const size_t number = names_.size();
      names_.emplace(node, number);
    }
  }

  void statement(const Declare& d, int depth) {
    name_repeated({&d.value, 1}, depth);
    indent(depth);
    put(variable(static_cast<uint64_t>(d.variable)), ": ", name_of(d.value.dtype()), " = ");
    value(d.value.node());
    if (!d.name.empty()) put("    # ", d.name);
    put('\n');
  }
  void statement(const Assign& a, int depth) {
    name_repeated(a.values, depth);
    indent(depth);
    for (size_t i = 0; i < a.variables.size(); ++i) {
      put(i == 0 ? "" : ", ", variable(static_cast<uint64_t>(a.variables[i])));
    }
    put(" = ");
    for (size_t i = 0; i < a.values.size(); ++i) {
      if (i != 0) put(", ");
      value(a.values[i].node());
    }
    put('\n');
  }
  void statement(const Store& s, int depth) {
    name_repeated({&s.value, 1}, depth);
    indent(depth);
    put(buffer(s.buffer), '[', s.element, "] = ");
    value(s.value.node());
    put('\n');
  }
  void statement(const Loop& l, int depth) {
    indent(depth);
    put("for ", l.index, " = ", l.begin, " .. ", l.end,
        l.vector ? cat(" by ", kernel_->lanes, "\n") : "\n");
    block(l.body, depth + 1);
  }
  void statement(const Product& p, int depth) {
    indent(depth);
    put(variable(static_cast<uint64_t>(p.sum)), '[', p.row, ", ", p.column, "] = product of [", p.m,
        ", ", p.k, "] ");
    if (p.left.value.defined()) {
      value(p.left.value.node());
    } else if (p.left.windows) {
      windows(p.left);
    } else {
      put(buffer(p.left.buffer), '[', p.left.base, " + ", p.left.row_stride, "*row + ",
          p.left.k_stride, "*k]");
    }
    put(" and [", p.k, ", ", p.n, "] ", buffer(p.right));
    if (p.reads != RightOperand::panels) {
      put('[', p.right_base, " + ", p.right_stride, "*k + column]");
    }
    put(p.bf16x6 ? " by six products of bf16" : "", p.turned ? ", transposed" : "",
        p.prefetches ? ", what follows is prefetched\n" : "\n");
    block(p.body, depth + 1);
    if (p.across.empty()) return;
    indent(depth + 1);
    put("transposed:\n");
    block(p.across, depth + 2);
  }
  void statement(const Bands& b, int depth) {
    indent(depth);
    put("bands of up to ", b.most_lines, " of ", b.stages.back().lines, " lines, images ", b.images,
        '\n');
    for (const Bands::Stage& stage : b.stages) statement(stage.product, depth + 1);
  }
  void windows(const Left& left) {
    const Windows& w = *left.windows;
    put(left.transposed ? "transposed " : "", "windows of ", buffer(left.buffer), '[', left.base,
        " + ", w.image_stride, "*image");
    for (const Windows::Dimension& d : w.dimensions) put(" + ", d.position_stride, "*position");
    if (!w.channel_stride.is(1)) put(" + ", w.channel_stride, "*channel");
    w.depthwise              ? put(" + column]:")
    : w.channel_stride.is(1) ? put(" + channel < ", w.channels, "]:")
                             : put("], ", w.channels, " channels:");
    for (const Windows::Dimension& d : w.dimensions) {
      put(' ', d.taps, " taps of ", d.size, " to ", d.out, " (stride ", d.stride, ", padding ",
          d.padding, ", dilation ", d.dilation, ')');
    }
    if (w.winograd) {
      const auto m = w.winograd->m;
      left.transposed ? put(" by Winograd F(3x3, ", m, "x", m, ")")
                      : put(" by Winograd F(", m, "x", m, ", 3x3)");
    }
    if (w.split) put(" in blocks of up to ", w.split->most_rows, " rows");
  }
  void statement(const Pack& p, int depth) {
    indent(depth);
    put(buffer(p.to), " = panels of [", p.taps.is(1) ? "" : cat(p.taps, "*"), p.k, ", ", p.n, "] ",
        buffer(p.from), '[', p.base, " + ", p.taps.is(1) ? "" : cat(p.tap_stride, "*tap + "),
        p.k_stride, "*k + ", p.n_stride, "*column]");
    if (p.bf16x6) put(" as parts of bf16");
    if (p.winograd > 0) put(" for Winograd F(", p.winograd, "x", p.winograd, ", 3x3)");
    put('\n');
  }

  void statement(const Multiply& m, int depth) {
    indent(depth);
    put(buffer(m.to), '[', m.to_base, " + ", m.to_stride, "*row + column] = product of [", m.rows,
        ", ", m.k, "] ", buffer(m.left.buffer), '[', m.left.base, " + ", m.left.row_stride,
        "*row + ", m.left.k_stride, "*k] and [", m.k, ", ", m.columns, "] ", buffer(m.right), '[',
        m.right_base, " + ", m.right_k_stride, "*k + ", m.right_n_stride, "*column]");
    if (m.panels >= 0) put(" packed into ", buffer(m.panels));
    put('\n');
  }

  void statement(const Grow& g, int depth) {
    indent(depth);
    put(tree(g.tree), '[', g.column, "] gets part ", g.number, ": ");
    value(g.part.node());
    put('\n');
  }
  void statement(const Total& t, int depth) {
    indent(depth);
    put(variable(static_cast<uint64_t>(t.variable)), " = total of ", t.count, " parts of ",
        tree(t.tree), '[', t.column, "]");
    if (!t.name.empty()) put("    # ", t.name);
    put('\n');
  }
  const std::string& tree(int n) const { return kernel_->trees[static_cast<size_t>(n)].name; }

  void statement(const Turn& t, int depth) {
    indent(depth);
    put(buffer(t.to), '[', t.to_base, " + ", t.to_stride, "*column + row] = ", buffer(t.from), '[',
        t.base, " + ", t.row_stride, "*row + column] for row < ", t.rows, ", column < ", t.columns,
        '\n');
  }

  void statement(const Sort& s, int depth) {
    indent(depth);
    const auto target = [&](int to, sym::Expr base, sym::Expr stride) {
      return to < 0 ? std::string("nothing") : cat(buffer(to), '[', base, " + ", stride, "*i]");
    };
    put(target(s.values, s.values_base, s.values_stride), ", ",
        target(s.indices, s.indices_base, s.indices_stride), " = the first ", s.count, " of ",
        s.size, " elements ", buffer(s.from), '[', s.base, " + i] in ",
        s.descending ? "descending" : "ascending", " order\n");
  }

  static constexpr double most_in_a_line = 4000;  // nodes of a statement
  const Kernel* kernel_;
  std::string out_;
  std::unordered_map<const Node*, size_t> names_;  // of values repeated in the statement
};

}  // namespace

void append_to(std::string& out, Value v) {
  Printer printer(nullptr);
  printer.value(v.node());
  out.append(printer.take());
}

std::string print(const Kernel& kernel) {
  Printer printer(&kernel);
  printer.kernel();
  return printer.take();
}

std::string print(const Kernel& kernel, Value value) {
  Printer printer(&kernel);
  printer.value(value.node());
  return printer.take();
}

}  // namespace vitro::loop
