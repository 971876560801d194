// The only list of ops. Consumers that need the structs (to run bodies) iterate over it; everything
// else works with OpDef. To add an op, write a struct in one of the headers below and add its name
// here.
#pragma once

#include <string_view>
#include <vector>

#include "vitro/ops/activation.h"
#include "vitro/ops/attention.h"
#include "vitro/ops/binary.h"
#include "vitro/ops/channel_norm.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/compaction.h"
#include "vitro/ops/concat.h"
#include "vitro/ops/convolution.h"
#include "vitro/ops/create.h"
#include "vitro/ops/decomposition.h"
#include "vitro/ops/derived.h"
#include "vitro/ops/element_functions.h"
#include "vitro/ops/fourier.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/norm.h"
#include "vitro/ops/operators.h"
#include "vitro/ops/pool.h"
#include "vitro/ops/product.h"
#include "vitro/ops/random.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/resample.h"
#include "vitro/ops/scan.h"
#include "vitro/ops/scatter.h"
#include "vitro/ops/sort.h"
#include "vitro/ops/unary.h"
#include "vitro/ops/view.h"
#include "vitro/ops/window.h"

namespace vitro::ops {

template <class... Op>
struct List {
  // Calls f.template operator()<Op>() for each op in order.
  static constexpr void each(auto&& f) { (f.template operator()<Op>(), ...); }
};
template <class... A, class... B>
List<A..., B...> operator+(List<A...>, List<B...>);

// Eager's kernels for the Ahead lists, the most frequent ops, are compiled with the library for
// every dtype and instruction set. Add new ops to the OnDemand lists: eager compiles their kernels
// on the first call, and the library does not grow.
// clang-format off
using PointwiseAhead = List<
    Exp, Log, Log1p, Sqrt, Rsqrt, Sin, Cos, Tanh, Erf, Reciprocal, Neg, Abs, Sign, Floor, Ceil, Round, Trunc,
    IsNan, IsInf, LogicalNot, BitwiseNot,
    Sigmoid, Relu, Silu, Gelu, LeakyRelu, Elu, Hardtanh,
    Add, Sub, Mul, Div, FloorDivide, TruncDivide, Fmod, Remainder, Pow, Minimum, Maximum,
    BitwiseAnd, BitwiseOr, BitwiseXor,
    Eq, Ne, Lt, Le, Gt, Ge, LogicalAnd, LogicalOr, LogicalXor, Where, Clamp,
    Full, FullLike, Arange, Fill, Copy, Clone, ToCopy, Tril, Triu>;
using PointwiseOnDemand = List<
    Expm1, Exp2, Log2, Log10, Tan, Asin, Acos, Atan, Sinh, Cosh, Asinh, Acosh, Atanh, Erfc, Atan2,
    Softplus, Philox>;
using PointwiseOps = decltype(PointwiseAhead{} + PointwiseOnDemand{});
using PointwisePrograms = List<AddScaled, SubScaled, Cube>;  // composites that also have a body
using ReductionAhead = List<Sum, Mean, Prod, Amax, Amin, Argmax, Argmin, Any, All>;
using ReductionOnDemand = List<MaxDim, MinDim, Aminmax>;
using ReductionOps = decltype(ReductionAhead{} + ReductionOnDemand{});
using ScanOps = List<Cumsum, Cumprod, Logcumsumexp, Cummax, Cummin>;
using WindowOps = List<
    Flip, ConstantPadNd, ReflectionPad1d, ReflectionPad2d, ReflectionPad3d,
    ReplicationPad1d, ReplicationPad2d, ReplicationPad3d,
    MaxPool2d, MaxPool3d, MaxPool2dWithIndices, MaxPool3dWithIndices, AvgPool2d, AvgPool3d>;
using SortOps = List<Sort, Topk>;
using OtherOps = List<
    View, Detach, Permute, Expand, Slice, Select, Squeeze, Unsqueeze, Diagonal, AsStrided,
    Cat, Embedding, IndexSelect, Gather, Index, SliceScatter, SelectScatter, DiagonalScatter,
    AsStridedScatter, Scatter, ScatterAdd, ScatterReduce, IndexCopy, IndexAdd, IndexReduce, IndexPut,
    EmbeddingDenseBackward,
    Mm, Bmm, IntMm,
    Stack, Addmm, Linear, Matmul, Softmax, LogSoftmax, Logsumexp, Var, VarMean, NativeLayerNorm,
    ScaledDotProductAttention,
    Convolve,
    ConvolveWeights,
    LinalgCholeskyEx, LinalgLuFactorEx, LuUnpack, LinalgLuSolve, LinalgSolveTriangular, LinalgQr, LinalgSvd,
    LinalgEigh, FftPairs, LinalgLdlFactorEx, LinalgLdlSolve, Geqrf, LinalgMatrixExp,
    CholeskyOfPairs, LuFactorOfPairs, LuSolveOfPairs, SolveTriangularOfPairs, QrOfPairs, SvdOfPairs,
    EighOfPairs, LdlFactorOfPairs, LdlSolveOfPairs, GeqrfOfPairs, LinalgEig,
    Gcd, Nextafter, Zeta, Igamma, Igammac,
    ChebyshevT, ChebyshevU, ChebyshevV, ChebyshevW,
    ShiftedChebyshevT, ShiftedChebyshevU, ShiftedChebyshevV, ShiftedChebyshevW,
    HermiteH, HermiteHe, LaguerreL, LegendreP,
    Unfold, Im2col, Nonzero, MaskedSelect, Median, Nanmedian,
    PhiloxUniform, PhiloxNormal, PhiloxDropout, PhiloxPoisson, PhiloxBinomial>;
// clang-format on

using AllOps = decltype(PointwiseOps{} + ReductionOps{} + ScanOps{} + WindowOps{} + SortOps{} +
                        OtherOps{} + PointwisePrograms{});

constexpr void each_op(auto&& f) {
  AllOps::each(f);
}

// All definitions in the order of the list; `named` returns null for an unknown name.
const std::vector<const OpDef*>& all();
const OpDef* named(std::string_view name);

}  // namespace vitro::ops
