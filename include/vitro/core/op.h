// The run-time face of an op definition: name, arity, shape rule, attributes, and what kind of
// thing it computes. Ops come in a closed set of kinds; consumers (eager, lowering, autograd,
// counting) switch on the kind and never on the op. `ops` makes these from one struct per op;
// nothing else constructs them.
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
  scan,         // a reduction that keeps every step
  sort,         // rows along one dimension in order, and where the elements were
  view,         // the same memory, other indices
  contraction,  // sums of products: mm, bmm
  gather,       // elements picked by a tensor of indices
  scatter,      // a copy with some elements replaced: where a view of it looks, or by indices
  window,       // an element from those around a place, which may lie outside of the operand
  concat,       // operands one after the other along a dimension
  compaction,   // the elements for which a mask holds, or where they are: data decide how many
  random,       // counter-based numbers
  composite,    // a program written in other ops
  opaque,       // a kernel that nobody looks into
};
std::string_view name_of(OpKind kind);

// An operand of a call: a tensor, a plain number, or nothing (an optional operand left out).
// Borrows the tensor.
class Operand {
 public:
  enum class Kind : uint8_t { none, tensor, number };
  Operand() = default;
  Operand(const Tensor& t)
      : tensor_(t.defined() ? &t : nullptr),
        kind_(t.defined() ? Kind::tensor : Kind::none) {}  // NOLINT
  Operand(Scalar s) : number_(s), kind_(Kind::number) {}   // NOLINT(google-explicit-constructor)
  Operand(Size s) : Operand(Scalar(s)) {}                  // NOLINT(google-explicit-constructor)
  template <class T>
    requires std::is_arithmetic_v<T>
  Operand(T number) : Operand(Scalar(number)) {}  // NOLINT(google-explicit-constructor)

  Kind kind() const { return kind_; }
  bool is_tensor() const { return kind_ == Kind::tensor; }
  bool is_number() const { return kind_ == Kind::number; }
  const Tensor& tensor() const { return *tensor_; }
  const Scalar& number() const { return number_; }

 private:
  const Tensor* tensor_ = nullptr;
  Scalar number_;
  Kind kind_ = Kind::none;
};

// What a shape rule sees of an operand.
struct Argument {
  const TensorMeta* meta = nullptr;  // null: not a tensor
  const Scalar* number = nullptr;    // null: not a number
  explicit operator bool() const { return meta || number; }
};

// Of operands: the rank of each; -1: left out, or a number.
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

// ---- what each kind adds
// ------------------------------------------------------------------------------------------------

enum class Promote : uint8_t {
  arithmetic,  // result_type of the operands
  to_float,    // the same, but integers and bool become the default float
  comparison,  // computed in the result_type, the result is bool
  to_bool,     // like comparison for unary predicates
  attribute,   // the result's dtype is the shape rule's word (casts, arange); operands become it
};

// What becomes of a plain number beside f16 or bf16, which are computed in f32.  A tensor without
// dimensions counts as a number where it is not operand 0.
enum class Numbers : uint8_t {
  rounded,           // to the operands' dtype first, as all operands are
  kept,              // as it is in f32, so that the op rounds once
  kept_after_first,  // the same, but operand 0 is rounded
};

struct PointwiseInfo {
  Promote promote;
  bool first_is_condition;       // operand 0 is bool and takes no part in promotion (where)
  bool uses_index;               // the body asks where it is (arange, tril)
  bool first_is_shape = false;   // of operand 0 only sizes and dtype are used (fill, copy)
  bool integer_divisor = false;  // a 0 in operand 1 is an error where integers are divided
  int8_t copied_operand = -1;    // the result is this operand converted to its dtype (casts, fills)
  Numbers numbers = Numbers::rounded;
};

struct ReducedDims {
  Dims dims;  // ascending, each in [0, rank)
  bool keepdim = false;
};
struct ReductionInfo {
  ReducedDims (*dims)(AttrsView attrs, int rank);
  DType (*state)(DType operand, DType result);  // what it accumulates in
};

struct ScanInfo {
  int64_t (*dim)(AttrsView attrs, int rank);    // in [0, rank); 0 of a tensor without dimensions
  DType (*state)(DType operand, DType result);  // what it accumulates in
};

// Result 0: the elements of each row of the operand along `dim` in order, result 1: their places in
// the row (i64).  Equal elements keep their order, NaN is the largest number, -0 equals 0.  Of the
// order counts as much as the results have along `dim`.
struct SortSpec {
  int64_t dim;  // in [0, rank); 0 of a tensor without dimensions
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
// A view as index arithmetic: the operand's index of each element of the result.  Strides follow
// where the map is affine.
struct ViewInfo {
  SmallVector<sym::Expr, 6> (*map)(const TensorMeta& operand, const TensorMeta& result,
                                   AttrsView attrs, std::span<const sym::Expr> index);
  // For a view that shows every element once: the view that leads from the result back to the
  // operand's shape (a permute back, a view to the old sizes).  Null where elements are left out
  // (a scatter with this view puts them back) or repeated.
  ViewBack (*back)(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs) = nullptr;
};

struct ContractionInfo {
  bool batched;  // [m, k] x [k, n], or [b, m, k] x [b, k, n]
  // The product of integers, written with other ops: there is no tile for them.
  void (*integer_product)(std::span<const Operand> operands, AttrsView attrs,
                          std::span<Tensor> results);
};

// A dimension whose index comes from an operand, a tensor of indices.
struct Picked {
  int64_t axis;
  int indices;  // operand number
};
using PickedAxes = SmallVector<Picked, 2>;  // axes ascend; the indices broadcast

// result[o] = table[..., indices[...], ...]: along each axis that is picked the index comes from
// its tensor.
struct GatherSpec {
  int table;  // operand number
  PickedAxes picked;
  bool same_rank;  // gather: indices has the table's rank, o indexes it; else the dimensions of the
                   // indices stand together, from `first` on, and the other axes of the table
                   // around them in their order
  int64_t first = 0;
  bool wraps = false;  // a negative index counts from the end
};
struct GatherInfo {
  GatherSpec (*spec)(AttrsView attrs, std::span<const int> ranks);
};

// result = operand 0, but operand 1 where the view of it (slice, select) looks.
struct ScatterInfo {
  const ViewInfo* view;
  Attrs (*view_attrs)(AttrsView attrs);
};

// How an element that is put somewhere combines with what is there: it takes its place, or is added
// to it, multiplied with it, or kept where it is the larger or the smaller one (NaN stays NaN).
enum class Combine : uint8_t { replace, add, multiply, largest, smallest };

// result = operand 0, but the element k of `source` belongs to the element that the indices at k
// name along the picked axes.  Elements come in the order of k, so that the result is a function of
// the data alone: of equal indices the last counts, and sums round in that order on any number of
// threads.
struct PutSpec {
  int source;  // operand number
  PickedAxes picked;
  bool same_rank;  // scatter: indices have the rank of `source` and say how much of it counts; else
                   // the source has the sizes that a gather of operand 0 with them would have
  int64_t first = 0;
  bool wraps = false;
  Combine combine = Combine::replace;
};
struct PutInfo {
  PutSpec (*spec)(AttrsView attrs, std::span<const int> ranks);
};

// Each element of the result from `taps` elements of operand 0, one after the other: those at
// map(index, tap), as far as it leads into the operand.
struct WindowInfo {
  int64_t (*taps)(AttrsView attrs);
  // The operand's index; no question about sizes is asked.
  SmallVector<sym::Expr, 6> (*map)(const TensorMeta& operand, const TensorMeta& result,
                                   AttrsView attrs, std::span<const sym::Expr> index, int64_t tap);
  bool leaves;                       // whether the map may lead outside of the operand
  DType (*computes)(DType operand);  // what the elements are converted to
  // A number that the element depends on besides: how many count for a mean.  Null: 1.
  sym::Expr (*count)(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                     std::span<const sym::Expr> index) = nullptr;
  bool integer_count = false;  // it comes as i64, not in the type of the elements
};

struct ConcatInfo {
  int64_t (*axis)(AttrsView attrs, int rank);
};

// The first size of the result is the number of elements for which the mask holds, in row-major
// order of the shape that the operands broadcast to; its shape rule gives what it is at most.
struct CompactionInfo {
  int mask;     // operand number
  bool places;  // their indices [u, rank], else the elements of operand 0
};

struct CompositeInfo {
  // Calls other ops through the door; as many results as the shape rule gave.
  void (*expand)(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
};

// What the kernel of an opaque op is given: memory of the device that the call runs on.
struct OpaqueTensor {
  void* data = nullptr;  // the first element; an address of the device
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
  std::span<const OpaqueTensor> results;  // to fill; new memory, as the shape rule lays it out
};
// A function of the user's.  It computes the same results from the same operands, keeps none of
// them, and may run on any thread; an Error that it throws reaches the caller of the op.
struct OpaqueInfo {
  void (*kernel)(const OpaqueCall& call);
};

// How gradients go back through an op: a function that sets those of the operands, from those of
// the results and what else it asks for (core/formula.h).  Without one that of a composite is made
// from its program; of other ops there is none, and `none_because` says why.
class Formula;
struct GradientInfo {
  void (*formula)(Formula& f) = nullptr;
  std::string_view none_because = {};  // ends the sentence "has no gradient: "
};

// ---- the definition
// -----------------------------------------------------------------------------------------------------

struct OpDef {
  std::string_view name;  // core ATen's name: "add", "native_layer_norm"
  std::string_view doc;
  // ATen's schemas of it (core/schema.h), one a line, each less the name: ".Tensor(Tensor self,
  // ...".
  std::string_view signatures;
  OpKind kind;
  uint8_t min_operands, max_operands;  // 255: any number
  const AttrsType* attrs;              // null: none
  void (*shape)(ShapeCall&);
  int index;  // place in the list of all ops: consumers keep tables by it
  // One of these is set, by kind; of a composite that has a body `pointwise` is too.
  const PointwiseInfo* pointwise = nullptr;
  const ReductionInfo* reduction = nullptr;
  const ScanInfo* scan = nullptr;
  const SortInfo* sort = nullptr;
  const ViewInfo* view = nullptr;
  const ContractionInfo* contraction = nullptr;
  const GatherInfo* gather = nullptr;
  const ScatterInfo* scatter = nullptr;  // of a scatter one of these
  const PutInfo* put = nullptr;
  const WindowInfo* window = nullptr;
  const ConcatInfo* concat = nullptr;
  const CompactionInfo* compaction = nullptr;
  const CompositeInfo* composite = nullptr;
  const OpaqueInfo* opaque = nullptr;
  const GradientInfo* gradient = nullptr;  // null: its definition says nothing
};

// A call through the door.  Everything is borrowed for the time of the call.
struct OpCall {
  const OpDef* op;
  std::span<const Operand> operands;
  AttrsView attrs;
  bool in_place = false;  // the result is written into operand 0, which is also what is returned
  std::source_location where;
};

// The shape rule applied to a call's operands: metas of the results.  Error with the op's name
// where they do not fit.
std::vector<TensorMeta> infer(const OpDef& op, std::span<const Operand> operands, AttrsView attrs);

// The checks that torch makes before it writes a result into operand 0.  Error where it must not.
void check_in_place(const OpDef& op, const TensorMeta& target, const TensorMeta& result);

}  // namespace vitro
