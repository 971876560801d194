// One kernel: a range of tasks, each of which runs the statements of the body.
//
//   kernel exp_mul: tasks b < 3
//     for i = 1024*b .. min(1024*b + 1024, 10000) by 16
//       y[i] = exp(x[i]) * 2.0
//
// Tasks are independent; their number may depend on size symbols. Kernels are values; tests compare
// their printed text.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "loop/value.h"
#include "vitro/base/function_ref.h"

namespace vitro::loop {

struct Buffer {
  std::string name;
  DType dtype = DType::f32;
  bool written = false;
  bool streams = false;  // a launch may write it past the caches
};

// An argument of the call: a number in the program that varies between calls.
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
  int check = 0;   // index into Kernel::checks
  int given = -1;  // the buffer whose elements are the indices as given; -1: they are computed
};

// The error reported if an indirect index is out of range, or a divisor is 0.
struct Check {
  std::string op, location;
  bool divisor = false;
  bool wraps = false;  // negative indices counted from the end
  int64_t axis = 0;    // axis that the index belongs to
};

// Declares a variable with as many lanes as a vector. If `changes`, Assign may write it.
struct Declare {
  int variable = 0;
  Value value;
  bool changes = false;
  std::string name;
};
// Computes all values before it writes the first variable. The last iteration of a vector loop
// writes only the lanes that exist.
struct Assign {
  std::vector<int> variables;
  std::vector<Value> values;
};
// A value that does not depend on the vector index is stored to one element, otherwise to as many
// as there are lanes.
struct Store {
  int buffer = 0;
  sym::Expr element;
  Value value;
};

struct Statement;
using Block = std::vector<Statement>;

// `index` runs over [begin, end) in steps of 1, in a vector loop in steps of the lanes; there it is
// the index of lane 0.
struct Loop {
  sym::Expr index, begin, end;
  bool vector = false;
  Block body;
};

// A scratch row of the task, accessed by stores and loads with buffer numbers >= Kernel::first_row.
// A small row is a local array, the others are in memory that the caller passes.
struct Row {
  std::string name;
  DType dtype = DType::f32;
  sym::Expr size;
  bool is_local() const;
  sym::Expr bytes() const;  // a multiple of a cache line
};

// Rows of a left operand that are windows over images (kernels/product.h): by spatial dimension,
// outermost first, up to three.
struct Windows {
  struct Dimension {
    sym::Expr size, out, taps, stride, dilation, padding, position_stride;
  };
  // Computes tiles of m x m positions, which changes bits: of results (kernels/winograd.h), where
  // the product's k are the channels at all (m + 2)^2 points; or of the gradients of weights, if
  // windows are transposed (kernels/winograd_weights.h).
  struct Winograd {
    int64_t m = 0, tiles_of_block = 0;
    sym::Expr tiles;            // of all images
    int scratch = 0;            // a row
    int64_t rows_of_block = 0;  // of gradients: the most
  };
  // Splits what blocks of at most `most_rows` rows read into parts of bf16 first
  // (kernels/bf16x6_windows.h), for a product `bf16x6` with constant sizes.
  struct Split {
    int64_t most_rows = 0;
    int64_t sums = 0;    // where they start: kernels::SplitScratch::operand
    int64_t ranges = 0;  // as there
    int scratch = 0;     // a row
  };
  std::vector<Dimension> dimensions;
  sym::Expr image_stride, channels;
  std::optional<Winograd> winograd = {};
  std::optional<Split> split = {};
  // Column j of the product reads channel j alone, and `channels` is 1.
  bool depthwise = false;
  // If it is not 1, channels are planes of contiguous positions (kernels/plane_windows.h); 0: one.
  sym::Expr channel_stride = 1;

  void each(auto&& visit) const {
    for (const Dimension& d : dimensions) {
      for (const sym::Expr e :
           {d.size, d.out, d.taps, d.stride, d.dilation, d.padding, d.position_stride}) {
        visit(e);
      }
    }
    visit(image_stride);
    visit(channels);
    visit(channel_stride);
    if (winograd) visit(winograd->tiles);
  }
};

// The operand whose elements are broadcast: element (row, k) is at base + row*row_stride +
// k*k_stride of a buffer, or that of a window over images that start at base, or any value of
// (row, k).
struct Left {
  int buffer = -1;  // -1: `value`
  sym::Expr base, row_stride, k_stride;
  Value value;
  std::optional<Windows> windows = {};
  // Of a product of rows: it is the transpose of windows (kernels::ProductCall::windows).
  bool transposed = false;
};

// How a product reads its right operand.
enum class RightOperand : uint8_t {
  panels,  // packed: `right` holds the panels
  rows,    // in place, with contiguous rows: `right` is its buffer
  // The same, and column j is multiplied by the windows of channel j alone (Windows::depthwise).
  channels,
};

// A product [m, k] x [k, n] by register tiles: a task computes some rows and columns and runs
// `body` for each row and 16 columns, where `sum` is the variable of the sums. If `turned`, the
// sums are transposed first, and `body` runs for each column and 16 rows. Stores `across` the lanes
// run after `body` has finished the entire block; their values are transposed on the way.
struct Product {
  sym::Expr m, n, k;
  sym::Expr batch;        // the index of the batch, or the constant 0
  sym::Expr panels = 0;   // the number of the panels, in terms of the batch
  sym::Expr row, column;  // indices used in `body`
  sym::Expr inner;        // index along k, used in `left.value`
  DType accumulate = DType::f32;
  Left left;
  RightOperand reads = RightOperand::panels;
  bool turned = false;
  // By six products of bf16 parts on tiles (kernels/matmul_bf16x6.h), which changes bits; of panels
  // of parts, and a left operand in memory whose k stride is 1, or windows that are split.
  bool bf16x6 = false;
  int right = 0;  // a buffer
  DType right_dtype = DType::f32;
  sym::Expr right_base, right_stride;  // of rows: the first element, and the row stride
  int sum = 0;                         // variable
  Block body, across;
  // Whether memory that `body` accesses in contiguous rows is prefetched while the sums are added.
  bool prefetches = false;

  // Rows of the panels of the right operand.
  sym::Expr panel_rows() const;
  // Whether anything is transposed, in blocks of sixteen rows.
  bool turns() const { return turned || !across.empty(); }
  // The tiles of Winograd's algorithm, if it computes the sums.
  const Windows::Winograd* winograd() const {
    return left.windows && left.windows->winograd ? &*left.windows->winograd : nullptr;
  }
  // The blocks whose windows are split, if there are such.
  const Windows::Split* split() const {
    return left.windows && left.windows->split ? &*left.windows->split : nullptr;
  }
};

// Products that pass images to one another in bands: a task computes some lines of an image of the
// last result, after the lines of every earlier result that they need and that the task before has
// not left in scratch memory (kernels/bands.h).
struct Bands {
  struct Stage {
    Product product;              // its rows are the lines of all images
    int64_t lines = 1, rows = 1;  // lines of an image of its result, and rows of a line
    int to = -1;                  // the scratch row of what it passes on; -1: the last
    // The lines of its operand, if another stage passes that on (kernels/bands.h). If it reads no
    // windows, it follows the stage before after every kernels::product_rows rows.
    int64_t stride = 1, padding = 0, reach = 1;
    bool reads_windows() const { return product.left.windows.has_value(); }
  };
  sym::Expr images;
  int64_t most_lines = 1, least_lines = 1;  // of a band of the last result
  std::vector<Stage> stages;
};

// Packs an operand of a product into panels: task = batch * panels + panel. Row tap * k + i of the
// operand is at base + tap*tap_stride + i*k_stride. For tiles of Winograd's algorithm (`winograd`:
// their m) nine taps become rows of (m + 2)^2 factors. For a product `bf16x6` rows become parts,
// padded after every `joined` taps.
struct Pack {
  sym::Expr k, n, batch, batches;
  DType accumulate = DType::f32;
  int from = 0, to = 0;
  sym::Expr base, k_stride, n_stride;
  sym::Expr taps = 1, tap_stride = 0;
  int64_t winograd = 0;
  bool bf16x6 = false;
  int64_t joined = 1;
  // Rows of the panels.
  sym::Expr rows() const;
};

// A block of a matrix product: element (row, column) is stored at to[to_base + row*to_stride +
// column]; columns up to the next multiple of 16 are written too. Operands and result may be
// scratch rows.
struct Multiply {
  sym::Expr rows, columns, k;
  Left left;  // in memory
  int right = 0;
  sym::Expr right_base, right_k_stride, right_n_stride;
  int panels = -1;  // scratch that `right` is packed into first, -1: it is read in place
  int to = 0;
  sym::Expr to_base, to_stride;
  DType accumulate = DType::f32;
};

// Parts that merge as a tree (kernels/reduce.h), in the scratch row `row`: the parts of one weight
// for `width` adjacent elements.
struct Tree {
  std::string name;
  Value none;               // the value of zero parts
  int left = 0, right = 0;  // variables in `merged`
  Value merged;
  int row = 0;
  sym::Expr width;
};
// Adds `part` as number `number` to the tree of the lanes at `column` of the width.
struct Grow {
  int tree = 0;
  sym::Expr number, column;
  Value part;
};
// Declares a variable: `count` parts merged into one.
struct Total {
  int variable = 0, tree = 0;
  sym::Expr count, column;
  std::string name;
};

// Transposes a block of a buffer: from[base + row*row_stride + column] is stored at to[to_base +
// column*to_stride + row]. `to` may be a scratch row.
struct Turn {
  int from = 0;
  sym::Expr base, row_stride, rows, columns;
  int to = 0;
  sym::Expr to_base, to_stride;
};

// Sorts `size` contiguous elements from[base + i] (kernels/sort.h) and stores the first `count` at
// values[values_base + i*values_stride], their indices at indices[...]; buffer -1: not stored.
struct Sort {
  int from = 0;
  sym::Expr base, size, count;
  bool descending = false;
  int values = -1, indices = -1;
  sym::Expr values_base = 0, values_stride = 1, indices_base = 0, indices_stride = 1;
  int scratch = 0;  // a row
};

struct Statement {
  std::variant<Declare, Assign, Store, Loop, Product, Bands, Pack, Multiply, Grow, Total, Turn,
               Sort>
      what;
};

struct Kernel {
  std::string name;
  std::vector<std::string> ops;     // of the program, in order
  std::vector<std::string> called;  // calls of the program that the ops are parts of
  std::vector<std::string>
      locations;         // file:line of the calls and the module's path, without duplicates
  std::string product;   // kind and sizes of its product, as events::KernelBegin has them
  std::string reason;    // why these are one kernel
  std::string reading;   // why a product reads its right operand as it does
  std::string schedule;  // why its loops differ from those over its elements
  std::vector<Buffer> buffers;
  std::vector<Number> numbers;
  std::vector<Row> rows;  // buffer numbers first_row, first_row + 1, ...
  std::vector<IndirectIndex> indirect_indices;
  std::vector<Check> checks;
  std::vector<Tree> trees;
  std::vector<sym::Expr>
      tasks;  // indices, outermost first; a product's own tasks are added to these
  Block body;
  int variables = 0;
  int64_t lanes = 16;      // of a vector, in the target's kernels
  sym::Expr bytes, flops;  // of one launch
  std::shared_ptr<Pool> pool;

  sym::Expr scratch_bytes() const;  // of rows that are not local

  static constexpr int first_row = 1 << 16;
  static constexpr size_t most_streams = 64;  // buffers with a higher number do not stream
};

// Calls visit for the values used directly by the statements, not for their operands.
void each_value(const Block& block, const std::function<void(Value)>& visit);
// The same, but visit may change the values.
void change_values(Block& block, const std::function<void(Value&)>& visit);
// Calls visit(e) for every index expression: elements, bounds, extents, bases and strides.
void each_index(const Block& block, const std::function<void(sym::Expr)>& visit);
void each_index(const Kernel& kernel, const std::function<void(sym::Expr)>& visit);
// All nodes reachable from the values of `roots`, operands first, without duplicates.
std::vector<const Node*> nodes_below(const std::vector<Value>& roots);
// Calls `visit` for each element that the stores write, and each load below them.
void each_access(const Block& stores,
                 FunctionRef<void(int buffer, sym::Expr element, bool written)> visit);

// By buffer: whether a statement or an indirect index reads it.
std::vector<bool> buffers_read(const Kernel& kernel);

// Cost of computing a value once; shared subexpressions count once.
int cost_of(Value v);

// Readable text.
std::string print(const Kernel& kernel);
// A value, with the names of the kernel's buffers.
std::string print(const Kernel& kernel, Value value);

}  // namespace vitro::loop
