// The run-time description of an op: name, arity, shape rule, attributes and kind.  Kinds are a
// closed set; consumers (eager, lowering, autograd, counting) switch on the kind, never on the op.
// Only `ops` constructs these descriptions, from one struct per op.
#pragma once

#include <cstdint>
#include <source_location>
#include <span>
#include <string_view>
#include <vector>

#include "vitro/base/small_vector.h"
#include "vitro/core/attributes.h"
#include "vitro/core/tensor.h"

namespace vitro {

enum class OpKind : uint8_t {
  pointwise,    // each element of the result from the elements at the same (broadcast) index
  reduction,    // reduces some dimensions: init, combine, merge, finish over a tuple of state
  scan,         // a reduction that keeps every partial result
  sort,         // rows along one dimension, sorted, and the original positions of the elements
  view,         // the same memory under other indices
  contraction,  // sums of products: mm, bmm
  gather,       // elements selected by tensors of indices
  scatter,      // a copy with some elements replaced: those of a view, or those selected by indices
  window,       // each element from those around a position, which may be outside the operand
  concat,       // operands joined along a dimension
  compaction,   // the elements for which a mask is true, or their indices: the size depends on data
  composite,    // a program of other ops
  opaque,       // a function of a user or of a library, which the compiler cannot look into
};
std::string_view name_of(OpKind kind);

// An operand of a call: a tensor, a plain number, or nothing (an optional operand left out).
// Borrows the tensor.
class Operand {
 public:
  enum class Kind : uint8_t { none, tensor, number };
  Operand() = default;
  Operand(const Tensor& t)  // NOLINT(google-explicit-constructor)
      : tensor_(&t), kind_(t.defined() ? Kind::tensor : Kind::none) {}
  Operand(Scalar s) : number_(s), kind_(Kind::number) {}  // NOLINT(google-explicit-constructor)
  Operand(Size s) : Operand(Scalar(s)) {}                 // NOLINT(google-explicit-constructor)
  template <class T>
    requires std::is_arithmetic_v<T>
  Operand(T number) : Operand(Scalar(number)) {}  // NOLINT(google-explicit-constructor)
  template <std::floating_point T>
  Operand(const std::complex<T>& number)  // NOLINT(google-explicit-constructor)
      : Operand(Scalar(number)) {}

  Kind kind() const { return kind_; }
  bool is_tensor() const { return kind_ == Kind::tensor; }
  bool is_number() const { return kind_ == Kind::number; }
  // The tensor of which it was made, which may be undefined.
  const Tensor& tensor() const { return *tensor_; }
  const Scalar& number() const { return number_; }

 private:
  const Tensor* tensor_ = nullptr;
  Scalar number_;
  Kind kind_ = Kind::none;
};

// An operand as a shape rule sees it.
struct Argument {
  const TensorMeta* meta = nullptr;  // null: not a tensor
  const Scalar* number = nullptr;    // null: not a number
  explicit operator bool() const { return meta || number; }
};

// The rank of each operand; -1 for a number or an operand that is left out.
using Ranks = SmallVector<int, 6>;
Ranks ranks_of(std::span<const Operand> operands);
Ranks ranks_of(std::span<const Argument> operands);

struct ShapeCall {
  std::string_view op;
  std::span<const Argument> operands;
  AttrsView attrs;
  std::vector<TensorMeta>&
      results;  // to fill: dtype, sizes, strides of each; views also the offset
};

// ---- what each kind adds ----

enum class Promote : uint8_t {
  arithmetic,  // result_type of the operands
  to_float,    // the same, but integers and bool become the default float
  comparison,  // computed in the result_type; the result is bool
  to_bool,     // like comparison, for unary predicates
  attribute,   // the shape rule sets the result's dtype (casts, arange); operands are converted
};

// How a plain number is converted beside f16 or bf16 operands, which are computed in f32.  A 0-d
// tensor counts as a number unless it is operand 0.
enum class Numbers : uint8_t {
  rounded,           // to the operands' dtype first, as all operands are
  kept,              // in f32, so that the op rounds once
  kept_after_first,  // the same, but operand 0 is rounded
};

struct PointwiseInfo {
  Promote promote;
  bool first_is_condition;       // operand 0 is bool and not promoted (where)
  bool uses_index;               // the body reads the index of its element (arange, tril)
  bool first_is_shape = false;   // only sizes and dtype of operand 0 are used (fill, copy)
  bool integer_divisor = false;  // a 0 in operand 1 is an error if the operands are integers
  int8_t copied_operand = -1;    // the result is this operand in the result's dtype (casts, fills)
  Numbers numbers = Numbers::rounded;
};

struct ReducedDims {
  Dims dims;  // ascending, each in [0, rank)
  bool keepdim = false;
};
struct ReductionInfo {
  ReducedDims (*dims)(AttrsView attrs, int rank);
  DType (*state)(DType operand, DType result);  // the dtype in which it accumulates
};

struct ScanInfo {
  int64_t (*dim)(AttrsView attrs, int rank);    // in [0, rank); 0 for a 0-d tensor
  DType (*state)(DType operand, DType result);  // the dtype in which it accumulates
};

// Result 0: the elements of each row of the operand along `dim`, sorted; result 1: their indices in
// the row (i64).  Equal elements keep their order, NaN is the largest number, -0 equals 0.  Results
// that are shorter along `dim` hold the first elements of that order (topk).
struct SortSpec {
  int64_t dim;  // in [0, rank); 0 for a 0-d tensor
  bool descending;
};
struct SortInfo {
  SortSpec (*spec)(AttrsView attrs, int rank);
};

struct OpDef;
struct ViewBack {
  const OpDef* op = nullptr;
  Attrs attrs;
};
// A view as index arithmetic: maps the index of an element of the result to its index in the
// operand.  If the map is affine, it determines the strides.
struct ViewInfo {
  SmallVector<sym::Expr, 6> (*map)(const TensorMeta& operand, const TensorMeta& result,
                                   AttrsView attrs, std::span<const sym::Expr> index);
  // The inverse of a view that contains every element once: from the result back to the operand's
  // shape (the inverse permute, a view with the old sizes).  Null if the view omits elements (a
  // scatter with this view puts them back) or repeats them.
  ViewBack (*back)(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs) = nullptr;
};

// A left operand [n, c, spatial sizes...] that is read as windows of the sizes of a right operand
// [o, c / groups, window sizes...]. The sums are in the order of the window's elements, and of the
// channels for each; elements outside the operand are 0.
struct WindowsSpec {
  Dims stride, dilation;  // by spatial dimension
  Sizes padding;          // before the first element
  int64_t groups = 1;
};
struct ContractionInfo {
  bool batched;  // [m, k] x [k, n], or [b, m, k] x [b, k, n]; of windows: core/over_positions.h
  // The product of integers, as a program of other ops: there is no tile for them.
  void (*integer_product)(std::span<const Operand> operands, AttrsView attrs,
                          std::span<Tensor> results);
  WindowsSpec (*windows)(AttrsView attrs) = nullptr;  // null: operands are matrices
};

// A dimension whose index comes from a tensor of indices.
struct IndexedAxis {
  int64_t axis;
  int indices;  // operand number
};
using IndexedAxes = SmallVector<IndexedAxis, 2>;  // axes ascend; the indices broadcast

// result[o] = table[..., indices[...], ...]: along each indexed axis the index comes from its
// tensor of indices.
struct GatherSpec {
  int table;  // operand number
  IndexedAxes indexed;
  bool same_rank;  // true: indices have the table's rank, and o indexes them (gather); false: the
                   // dimensions of the indices are consecutive in the result, from `first` on, with
                   // the table's other axes around them in order (index)
  int64_t first = 0;
  bool wraps = false;  // a negative index counts from the end
};
struct GatherInfo {
  GatherSpec (*spec)(AttrsView attrs, std::span<const int> ranks);
};

// result = operand 0, with the elements in a view of it (slice, select) replaced by operand 1.
struct ScatterInfo {
  const ViewInfo* view;
  Attrs (*view_attrs)(AttrsView attrs);
};

// How an element combines with the one at its destination: it replaces it, is added to it or
// multiplied by it, or the larger or smaller of both is kept (NaN stays NaN).
enum class Combine : uint8_t { replace, add, multiply, largest, smallest };

// result = operand 0, with each element k of `source` put at the element that the indices at k
// select along the indexed axes.  Elements are put in the order of k, so that the result does not
// depend on the number of threads: of equal indices the last one wins, and sums round in that
// order.
struct PutSpec {
  int source;  // operand number
  IndexedAxes indexed;
  bool same_rank;  // true: indices have the rank of `source`, and their sizes select the part of it
                   // that is used (scatter); false: the source has the sizes of a gather of operand
                   // 0 with them (index_put)
  int64_t first = 0;
  bool wraps = false;
  Combine combine = Combine::replace;
};
struct PutInfo {
  PutSpec (*spec)(AttrsView attrs, std::span<const int> ranks);
};

// Computes each element of the result from up to `taps` elements of operand 0, in order: those at
// map(index, tap), if that lies inside the operand.
struct WindowInfo {
  int64_t (*taps)(AttrsView attrs);
  // The index in the operand.  Adds no guards on sizes.
  SmallVector<sym::Expr, 6> (*map)(const TensorMeta& operand, const TensorMeta& result,
                                   AttrsView attrs, std::span<const sym::Expr> index, int64_t tap);
  bool leaves;                       // whether the map may leave the operand
  DType (*computes)(DType operand);  // the dtype that elements are converted to
  // An additional number for each element, such as the divisor of a mean.  Null: 1.
  sym::Expr (*count)(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                     std::span<const sym::Expr> index) = nullptr;
  bool integer_count = false;  // `count` has dtype i64 instead of that of the elements
};

struct ConcatInfo {
  int64_t (*axis)(AttrsView attrs, int rank);
};

// The elements for which the mask is true, in row-major order of the operands' broadcast shape.
// Their number is the first size of the result; the shape rule gives its upper bound.
struct CompactionInfo {
  int mask;     // operand number
  bool places;  // true: their indices [u, rank]; false: the elements of operand 0
};

struct CompositeInfo {
  // Calls other ops through the door; fills as many results as the shape rule gives.
  void (*expand)(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
  bool is_one_kernel = false;  // eager compiles the program instead of calling its ops one by one
};

// An operand or result of an opaque op's kernel: memory of the device on which the call runs.
struct OpaqueTensor {
  void* data = nullptr;  // the first element; a device address
  DType dtype = DType::f32;
  std::span<const int64_t> sizes, strides;  // strides count elements
};
struct OpaqueOperand {
  Operand::Kind kind = Operand::Kind::none;
  OpaqueTensor tensor = {};
  Scalar number = {};
};
struct OpaqueCall {
  Device device;
  std::span<const OpaqueOperand> operands;
  AttrsView attrs;
  std::span<const OpaqueTensor> results;  // to fill; new memory, laid out by the shape rule
  // Calls body(context, begin, end) for pieces of [0, items) of at least `grain` items, at the same
  // time on several threads. Null: the kernel is not called by a device of the host.
  using Body = void (*)(void* context, int64_t begin, int64_t end);
  void (*parallel)(int64_t items, int64_t grain, Body body, void* context) = nullptr;
};
// A user's function.  It must compute the same results from the same operands and must not keep
// them.  It may run on any thread; an Error that it throws reaches the caller of the op.
struct OpaqueInfo {
  void (*kernel)(const OpaqueCall& call);
};

// How an op is differentiated: the formula sets the gradients of the operands from those of the
// results and from the call (core/formula.h).  Without a formula a composite is differentiated
// through its program; other ops have no gradient, and `none_because` says why.
class Formula;
struct GradientInfo {
  void (*formula)(Formula& f) = nullptr;
  std::string_view none_because = {};  // ends the sentence "has no gradient: "
  bool is_constant = false;            // results require no gradient, whatever the operands do
};

// ---- the definition ----

struct OpDef {
  std::string_view name;  // core ATen's name: "add", "native_layer_norm"
  std::string_view doc;
  // Its ATen schemas (core/schema.h), one per line, without the name: ".Tensor(Tensor self, ...".
  std::string_view signatures;
  OpKind kind;
  uint8_t min_operands, max_operands;  // 255: any number
  const AttrsType* attrs;              // null: none
  void (*shape)(ShapeCall&);
  int index;  // in the list of all ops, for tables of consumers
  // The one for the kind is set; for a composite that has a body, `pointwise` also is.
  const PointwiseInfo* pointwise = nullptr;
  const ReductionInfo* reduction = nullptr;
  const ScanInfo* scan = nullptr;
  const SortInfo* sort = nullptr;
  const ViewInfo* view = nullptr;
  const ContractionInfo* contraction = nullptr;
  const GatherInfo* gather = nullptr;
  const ScatterInfo* scatter = nullptr;  // a scatter has this or `put`
  const PutInfo* put = nullptr;
  const WindowInfo* window = nullptr;
  const ConcatInfo* concat = nullptr;
  const CompactionInfo* compaction = nullptr;
  const CompositeInfo* composite = nullptr;
  const OpaqueInfo* opaque = nullptr;
  const GradientInfo* gradient = nullptr;  // null: not specified
};

// A call through the door.  Everything is borrowed for the duration of the call.
struct OpCall {
  const OpDef* op;
  std::span<const Operand> operands;
  AttrsView attrs;
  bool in_place = false;  // the result is written into operand 0, which is also returned
  std::source_location where;
};

// Applies the shape rule to the operands of a call: returns the metadata of the results.  Error
// with the op's name if the operands are invalid.
std::vector<TensorMeta> infer(const OpDef& op, std::span<const Operand> operands, AttrsView attrs);

// Checks, as torch does, that a result may be written into operand 0; Error if it may not.
void check_in_place(const OpDef& op, const TensorMeta& target, const TensorMeta& result);

}  // namespace vitro
