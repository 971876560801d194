// Writes everything that affects a kernel's code as numbers, without names.
#include "loop/structure.h"

namespace vitro::loop {
namespace {

// Structs are destructured by name: a new member does not compile until it is added here.
class Writer {
 public:
  Structure run(const Kernel& kernel) {
    const auto& [name, ops, called, locations, product, reason, reading, schedule, buffers, numbers,
                 rows, indirect_indices, checks, trees, tasks, body, variables, lanes, bytes, flops,
                 pool] = kernel;
    all(buffers);
    all(numbers);
    all(rows);
    all(indirect_indices);
    add(checks.size());
    all(trees);
    all(tasks);
    all(body);
    add(variables);
    add(lanes);
    return std::move(out_);
  }

 private:
  template <class T>
    requires std::is_integral_v<T> || std::is_enum_v<T>
  void add(T number) {
    out_.push_back(static_cast<uint64_t>(number));
  }
  template <class T>
  void all(const std::vector<T>& list) {
    add(list.size());
    for (const T& one : list) add(one);
  }
  void add(sym::Expr e) { out_.push_back(reinterpret_cast<uintptr_t>(e.node())); }

  // Writes the number of new nodes, these nodes, and the number of the value's own node.
  void add(Value v) {
    if (!v.defined()) return add(~uint64_t{0});
    const size_t count_at = out_.size();
    const uint32_t before = written_;
    add(before);
    tell(*v.node());
    out_[count_at] = written_ - before;
    add(number_of_[v->id]);
  }
  // Writes and numbers each node once, after its operands.
  void tell(const Node& node) {
    if (number_of_.size() <= node.id) number_of_.resize(node.id + 64);
    if (number_of_[node.id] != 0) return;
    const auto& [fn, dtype, operands, payload, index, pool, hash, id, name] = node;
    for (const Node* operand : operands) tell(*operand);
    add(fn);
    add(dtype);
    add(payload);
    add(index);
    add(name.empty());  // a named value is a variable in the text
    add(operands.size());
    for (const Node* operand : operands) add(number_of_[operand->id]);
    number_of_[node.id] = ++written_;
  }

  void add(const Buffer& b) {
    const auto& [name, dtype, written, streams] = b;
    add(dtype);
    add(written);
    add(streams);
  }
  void add(const Number& n) {
    const auto& [name, dtype] = n;
    add(dtype);
  }
  void add(const Row& r) {
    const auto& [name, dtype, size] = r;
    add(dtype);
    add(size);
  }
  void add(const IndirectIndex& p) {
    const auto& [symbol, value, bound, check, given] = p;
    add(symbol);
    add(value);
    add(bound);
    add(check);
  }

  void add(const Statement& s) {
    add(s.what.index());
    std::visit([this](const auto& what) { add(what); }, s.what);
  }
  void add(const Declare& d) {
    const auto& [variable, value, changes, name] = d;
    add(variable);
    add(value);
    add(changes);
  }
  void add(const Assign& a) {
    const auto& [variables, values] = a;
    all(variables);
    all(values);
  }
  void add(const Store& s) {
    const auto& [buffer, element, value] = s;
    add(buffer);
    add(element);
    add(value);
  }
  void add(const Loop& l) {
    const auto& [index, begin, end, vector, body] = l;
    add(index);
    add(begin);
    add(end);
    add(vector);
    all(body);
  }
  void add(const Left& l) {
    const auto& [buffer, base, row_stride, k_stride, value, windows, transposed] = l;
    add(buffer);
    add(base);
    add(row_stride);
    add(k_stride);
    add(value);
    add(windows ? windows->dimensions.size() : 0);
    add(transposed);
    if (!windows) return;
    windows->each([this](sym::Expr e) { add(e); });
    add(windows->depthwise);
    add(windows->winograd.has_value());
    if (windows->winograd) {
      const auto& [m, tiles_of_block, tiles, scratch, rows_of_block] = *windows->winograd;
      add(m);
      add(tiles_of_block);
      add(scratch);
      add(rows_of_block);
    }
    add(windows->split.has_value());
    if (windows->split) {
      const auto& [most_rows, sums, ranges, scratch] = *windows->split;
      add(most_rows);
      add(sums);
      add(ranges);
      add(scratch);
    }
  }
  void add(const Product& p) {
    const auto& [m, n, k, batch, panels, row, column, inner, accumulate, left, reads, turned,
                 bf16x6, right, right_dtype, right_base, right_stride, sum, body, across,
                 prefetches] = p;
    for (const sym::Expr e :
         {m, n, k, batch, panels, row, column, inner, right_base, right_stride}) {
      add(e);
    }
    add(accumulate);
    add(left);
    add(reads);
    add(turned);
    add(bf16x6);
    add(right);
    add(right_dtype);
    add(sum);
    all(body);
    all(across);
    add(prefetches);
  }
  void add(const Bands& b) {
    const auto& [images, most_lines, least_lines, stages] = b;
    add(images);
    add(most_lines);
    add(least_lines);
    all(stages);
  }
  void add(const Bands::Stage& s) {
    const auto& [product, lines, rows, to, stride, padding, reach] = s;
    add(product);
    for (const int64_t number : {lines, rows, stride, padding, reach}) add(number);
    add(to);
  }
  void add(const Pack& p) {
    const auto& [k, n, batch, batches, accumulate, from, to, base, k_stride, n_stride, taps,
                 tap_stride, winograd, bf16x6, joined] = p;
    for (const sym::Expr e : {k, n, batch, batches, base, k_stride, n_stride, taps, tap_stride}) {
      add(e);
    }
    add(accumulate);
    add(from);
    add(to);
    add(winograd);
    add(bf16x6);
    add(joined);
  }

  void add(const Multiply& m) {
    const auto& [rows, columns, k, left, right, right_base, right_k_stride, right_n_stride, panels,
                 to, to_base, to_stride, accumulate] = m;
    for (const sym::Expr e :
         {rows, columns, k, right_base, right_k_stride, right_n_stride, to_base, to_stride}) {
      add(e);
    }
    add(left);
    add(right);
    add(panels);
    add(to);
    add(accumulate);
  }

  void add(const Tree& t) {
    const auto& [name, none, left, right, merged, row, width] = t;
    add(none);
    add(left);
    add(right);
    add(merged);
    add(row);
    add(width);
  }
  void add(const Grow& g) {
    const auto& [tree, number, column, part] = g;
    add(tree);
    add(number);
    add(column);
    add(part);
  }
  void add(const Total& t) {
    const auto& [variable, tree, count, column, name] = t;
    add(variable);
    add(tree);
    add(count);
    add(column);
  }

  void add(const Turn& t) {
    const auto& [from, base, row_stride, rows, columns, to, to_base, to_stride] = t;
    for (const sym::Expr e : {base, row_stride, rows, columns, to_base, to_stride}) add(e);
    add(from);
    add(to);
  }

  void add(const Sort& s) {
    const auto& [from, base, size, count, descending, values, indices, values_base, values_stride,
                 indices_base, indices_stride, scratch] = s;
    for (const sym::Expr e :
         {base, size, count, values_base, values_stride, indices_base, indices_stride}) {
      add(e);
    }
    for (const int buffer : {from, values, indices, scratch}) add(buffer);
    add(descending);
  }

  Structure out_;
  std::vector<uint32_t> number_of_;  // by the node's id; 0: not written yet
  uint32_t written_ = 0;
};

}  // namespace

Structure structure_of(const Kernel& kernel) {
  return Writer().run(kernel);
}

size_t HashStructure::operator()(const Structure& s) const {
  uint64_t h = s.size();
  for (const uint64_t word : s) {
    h = (h ^ word) * 0x9fb21c651e98df25;
    h ^= h >> 32;
  }
  return h;
}

}  // namespace vitro::loop
