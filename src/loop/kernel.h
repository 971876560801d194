// What one kernel does: a range of tasks, each of which runs the statements of the body.
//
//   kernel exp_mul: tasks b < 3
//     for i = 1024*b .. min(1024*b + 1024, 10000) by 16
//       y[i] = exp(x[i]) * 2.0
//
// Tasks are independent; their number may depend on size symbols.  Kernels are values; printing
// them is how they are tested.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "loop/value.h"

namespace vitro::loop {

struct Buffer {
  std::string name;
  DType dtype = DType::f32;
  bool written = false;
  bool streams = false;  // a launch may write it past the caches
};

// A number that the call passes: a number of the program that varies.
struct Number {
  std::string name;
  DType dtype = DType::f64;  // f64, i64 or bool
};

// A symbol of index expressions whose value is read from memory; every value is checked to be in
// [0, bound) before it is used.
struct IndirectIndex {
  sym::Expr symbol;
  Value value;  // i64
  sym::Expr bound;
  int check = 0;  // index into Kernel::checks
};

// What to report when an indirect index is out of range, or a divisor is 0.
struct Check {
  std::string op, location;
  bool divisor = false;
  bool wraps = false;  // the index counted from the end where it was negative
  int64_t axis = 0;    // that it counts along
};

// A variable of as many lanes as a vector has.  Those that `changes` are written by Assign.
struct Declare {
  int variable = 0;
  Value value;
  bool changes = false;
  std::string name;
};
// All values are computed before the first variable is written.  In the last turn of a vector loop
// only the lanes that exist are written.
struct Assign {
  std::vector<int> variables;
  std::vector<Value> values;
};
// Of a value without the vector index one element is written, else as many as there are lanes.
struct Store {
  int buffer = 0;
  sym::Expr element;
  Value value;
};

struct Statement;
using Block = std::vector<Statement>;

// index runs from begin to before end by 1; that of a vector loop, by the lanes, is that of lane 0.
struct Loop {
  sym::Expr index, begin, end;
  bool vector = false;
  Block body;
};

// A scratch row of the task: written and read by stores and loads of buffer numbers >=
// Kernel::first_row.  A small one is a local array, the others lie in memory that the caller gives.
struct Row {
  std::string name;
  DType dtype = DType::f32;
  sym::Expr size;
  bool is_local() const;
  sym::Expr bytes() const;  // a multiple of a cache line
};

// The operand whose elements are broadcast: element (row, k) at base + row*row_stride + k*k_stride
// of a buffer, or any value of (row, k).
struct Left {
  int buffer = -1;  // -1: `value`
  sym::Expr base, row_stride, k_stride;
  Value value;
};

// How a product reads its right operand.
enum class RightOperand : uint8_t {
  panels,  // packed: `right` holds the panels
  rows,    // where it lies, its rows contiguous: `right` is its buffer
};

// A product [m, k] x [k, n] by register tiles: a task computes some rows and columns and runs
// `body` for each row and 16 columns, where `sum` is the variable of the sums.  Where it is
// `turned` the sums are transposed first, and `body` runs for each column and 16 rows.  Stores
// `across` the lanes follow when `body` has run for the entire block, whose values are turned over
// on the way.
struct Product {
  sym::Expr m, n, k;
  sym::Expr batch;        // the index of the batch, or the constant 0
  sym::Expr row, column;  // indices used in `body`
  sym::Expr inner;        // index along k, used in `left.value`
  DType accumulate = DType::f32;
  Left left;
  RightOperand reads = RightOperand::panels;
  bool turned = false;
  int right = 0;  // a buffer
  DType right_dtype = DType::f32;
  sym::Expr right_base, right_stride;  // of `rows`: the first element, and from row to row
  int sum = 0;                         // variable
  Block body, across;

  // Whether anything is turned over, by blocks of sixteen rows.
  bool turns() const { return turned || !across.empty(); }
};

// Packs an operand of a product into panels: task = batch * panels + panel.
struct Pack {
  sym::Expr k, n, batch, batches;
  DType accumulate = DType::f32;
  int from = 0, to = 0;
  sym::Expr base, k_stride, n_stride;
};

// A block of a product of matrices in memory: element (row, column) goes to
// to[to_base + row*to_stride + column], columns up to the next multiple of 16 are written too.
// Its operands and its result may be scratch rows.
struct Multiply {
  sym::Expr rows, columns, k;
  Left left;  // in memory
  int right = 0;
  sym::Expr right_base, right_k_stride, right_n_stride;
  int panels = -1;  // scratch that `right` is packed into first, -1: it is read as it lies
  int to = 0;
  sym::Expr to_base, to_stride;
  DType accumulate = DType::f32;
};

// Parts that merge as a tree (kernels/reduce.h), in the scratch row `row`: the parts of one weight
// for `width` elements side by side.
struct Tree {
  std::string name;
  Value none;               // of no parts
  int left = 0, right = 0;  // variables in `merged`
  Value merged;
  int row = 0;
  sym::Expr width;
};
// `part` is part `number` of the tree of the lanes at `column` of the width.
struct Grow {
  int tree = 0;
  sym::Expr number, column;
  Value part;
};
// Declares a variable: `count` parts as one.
struct Total {
  int variable = 0, tree = 0;
  sym::Expr count, column;
  std::string name;
};

// A block of a buffer turned over: from[base + row*row_stride + column] goes to
// to[to_base + column*to_stride + row].  `to` may be a scratch row.
struct Turn {
  int from = 0;
  sym::Expr base, row_stride, rows, columns;
  int to = 0;
  sym::Expr to_base, to_stride;
};

// The first `count` of `size` elements side by side, from[base + i], in order (kernels/sort.h):
// they go to values[values_base + i*values_stride], their indices to indices[...]; -1: nowhere.
struct Sort {
  int from = 0;
  sym::Expr base, size, count;
  bool descending = false;
  int values = -1, indices = -1;
  sym::Expr values_base = 0, values_stride = 1, indices_base = 0, indices_stride = 1;
  int scratch = 0;  // a row
};

struct Statement {
  std::variant<Declare, Assign, Store, Loop, Product, Pack, Multiply, Grow, Total, Turn, Sort> what;
};

struct Kernel {
  std::string name;
  std::vector<std::string> ops;        // of the program, in order
  std::vector<std::string> called;     // what the program called, which they are parts of
  std::vector<std::string> locations;  // file:line of them and the module's path, each once
  std::string reason;                  // why these are one kernel
  std::string reading;                 // why a product reads its right operand as it does
  std::string schedule;                // why its loops are not those of its elements
  std::vector<Buffer> buffers;
  std::vector<Number> numbers;
  std::vector<Row> rows;  // buffer numbers first_row, first_row + 1, ...
  std::vector<IndirectIndex> indirect_indices;
  std::vector<Check> checks;
  std::vector<Tree> trees;
  std::vector<sym::Expr> tasks;  // indices, outermost first; a product's tasks come on top
  Block body;
  int variables = 0;
  int64_t lanes = 16;      // of a vector, as the target's kernels have them
  sym::Expr bytes, flops;  // moved and computed by one launch
  std::shared_ptr<Pool> pool;

  sym::Expr scratch_bytes() const;  // of rows that are not local

  static constexpr int first_row = 1 << 16;
  static constexpr size_t most_streams = 64;  // buffers with a higher number do not stream
};

// Calls visit for the values that stand in the statements, not for their operands.
void each_value(const Block& block, const std::function<void(Value)>& visit);
// The same, of values that visit may change.
void change_values(Block& block, const std::function<void(Value&)>& visit);
// Calls visit(e) for every index expression: elements, bounds, extents, bases and strides.
void each_index(const Block& block, const std::function<void(sym::Expr)>& visit);
void each_index(const Kernel& kernel, const std::function<void(sym::Expr)>& visit);
// All nodes below the values of `roots`, operands first, each once.
std::vector<const Node*> nodes_below(const std::vector<Value>& roots);

// Which buffers a statement or an indirect index reads.
std::vector<bool> buffers_read(const Kernel& kernel);

// Cost of computing a value once, shared parts counted once.
int cost_of(Value v);

// For a person.
std::string print(const Kernel& kernel);
// A value with the names of the kernel's buffers.
std::string print(const Kernel& kernel, Value value);

}  // namespace vitro::loop
