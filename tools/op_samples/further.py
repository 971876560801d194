"""Further functions that are written with ops: of layout.h, statistics.h and special.h."""
import math

import torch

from . import values as v
from .gradients import Gradients, real
from .samples import EQUAL, EXACT, Family, Tolerance

STEPS = Tolerance(ulps=4, relative=8, absolute=8)
SERIES = Tolerance(ulps=16, relative=64, absolute=64)  # near zeros of the function only the absolute error is small
SUMS = Tolerance(ulps=4, relative=64, absolute=64, roundings=3)
ATEN = torch.ops.aten
NAN, INF = float("nan"), float("inf")

# op -> (tolerance, dtypes)
UNARY = {"frac": (EQUAL, v.FLOATS), "deg2rad": (STEPS, v.ALL), "rad2deg": (STEPS, v.ALL), "signbit": (EXACT, v.ALL), "sgn": (EQUAL, v.ALL),
         "angle": (STEPS, v.ALL), "positive": (EXACT, v.ALL), "isreal": (EXACT, v.ALL), "absolute": (EXACT, v.FLOATS), "fix": (EXACT, v.FLOATS)}
BINARY = {"logaddexp": (STEPS, v.FLOATS), "logaddexp2": (STEPS, v.FLOATS), "fmax": (EQUAL, v.ALL), "fmin": (EQUAL, v.ALL), "rsub": (EXACT, v.INTEGERS + v.FLOATS),
         "divide": (EXACT, v.ALL), "subtract": (EXACT, v.INTEGERS + v.FLOATS), "greater": (EXACT, v.ALL), "max": (EQUAL, v.ALL), "min": (EQUAL, v.ALL)}


def x_of(name, *sizes):
    return v.numbers(name, sizes)


def elementwise(family):
    for op, (tolerance, names) in UNARY.items():
        for name in names:
            x = v.hard(name, 40 if v.is_float(name) else 16)
            if op == "signbit":
                x = torch.where(torch.isnan(x), 1, x).to(x.dtype)  # the sign of a NaN does not count here
            family.add(op, x, tolerance=tolerance)
        family.add(op, v.swapped(lambda n: v.numbers("f32", n), (2, 3, 4)), tolerance=tolerance)
        family.add(op, x_of("f32", 0, 2), tolerance=tolerance)
    for op, (tolerance, names) in BINARY.items():
        for name in names:
            family.add(op, x_of(name, 3, 4), v.numbers(name, (3, 4), 1, low=1, high=4), tolerance=tolerance)
        family.add(op, x_of("f32", 3, 1), v.numbers("f32", (4,), 1), tolerance=tolerance)
        family.add(op, x_of("f32", 3, 2), x_of("f32", 4, 2), tolerance=tolerance)
    odd = torch.tensor([NAN, INF, -INF, INF, 0.0, -INF]), torch.tensor([1.0, INF, -INF, -INF, NAN, 1.0])
    for op in ("logaddexp", "logaddexp2", "fmax", "fmin"):
        family.add(op, *odd, tolerance=STEPS)
    family.add("logaddexp", x_of("i64", 3), x_of("i64", 3), refused=True)
    family.add("rsub", x_of("f32", 3), 2.0, attrs={"alpha": 3}, tolerance=STEPS, call=lambda x, y, alpha: ATEN.rsub(x, y, alpha))
    for decimals in (2, 0, -1):
        for name in v.FLOATS:
            x = v.numbers(name, (20,), low=-300, high=300) if name in ("f32", "f64") else v.numbers(name, (20,))
            family.add("round", x, attrs={"decimals": decimals}, tolerance=STEPS)
    for name in v.FLOATS:
        family.add("frexp", v.hard(name, 40))
        family.add("lgamma", v.numbers(name, (60,), low=-6, high=20), tolerance=SERIES)
        family.add("digamma", v.numbers(name, (60,), low=0.1, high=20), tolerance=SERIES)
        family.add("erfinv", v.numbers(name, (60,), low=-0.99, high=0.99), tolerance=SERIES)
    family.add("lgamma", torch.tensor([0.0, -0.0, -1.0, 1.0, 2.0, INF, -INF, NAN, 1e10]), tolerance=STEPS)
    family.add("digamma", torch.tensor([0.0, -0.0, -1.0, -2.5, INF, NAN, 1e10]), tolerance=STEPS)
    family.add("erfinv", torch.tensor([0.0, 1.0, -1.0, 2.0, NAN]), tolerance=STEPS)
    family.add("lgamma", x_of("i32", 3).abs(), tolerance=STEPS)


def products(family):
    for name in ("f32", "f64", "bf16", "i32"):
        family.add("linalg_vecdot", x_of(name, 3, 5), v.numbers(name, (3, 5), 1), tolerance=SUMS)
        family.add("addmv", x_of(name, 3), x_of(name, 3, 5), x_of(name, 5), attrs={"beta": 2, "alpha": 3}, tolerance=SUMS)
        family.add("addbmm", x_of(name, 3, 4), x_of(name, 2, 3, 5), x_of(name, 2, 5, 4), tolerance=SUMS)
        family.add("linalg_matrix_power", x_of(name, 2, 3, 3), attrs={"n": 3}, tolerance=SUMS)
    family.add("linalg_vecdot", x_of("f32", 3, 5), x_of("f32", 1, 5), attrs={"dim": 0}, tolerance=SUMS)
    family.add("linalg_vecdot", x_of("f32", 3), x_of("f64", 3))
    family.add("addmv", x_of("f32", 4), x_of("f32", 3, 5), x_of("f32", 5))
    family.add("addbmm", x_of("f32", 3, 4), x_of("f32", 2, 3, 5), x_of("f32", 3, 5, 4))
    for n in (0, 1, 5):
        family.add("linalg_matrix_power", x_of("f32", 3, 3), attrs={"n": n}, tolerance=SUMS)
    family.add("linalg_matrix_power", x_of("f32", 2, 3), attrs={"n": 2})
    for bias in (None, x_of("f32", 2)):
        family.add("bilinear", x_of("f32", 4, 3), x_of("f32", 4, 5), x_of("f32", 2, 3, 5), bias, tolerance=SUMS)
    family.add("bilinear", x_of("f32", 4, 2), x_of("f32", 4, 5), x_of("f32", 2, 3, 5), None)
    for p in (0.0, 1.0, 2.0, 3.0, INF):
        family.add("dist", x_of("f32", 3, 4), v.numbers("f32", (4,), 1), attrs={"p": p}, tolerance=SUMS)
    for p in (1.0, 2.0):
        family.add("renorm", x_of("f32", 3, 4, 2), attrs={"p": p, "dim": 1, "maxnorm": 1.5}, tolerance=SUMS)
    family.add("renorm", x_of("f32", 3), attrs={"p": 2.0, "dim": 0, "maxnorm": 1.0})
    masked = torch.tensor([[-INF, -INF], [-INF, 1.0], [0.0, 2.0]])
    for dim in (0, -1):
        family.add("_safe_softmax", masked, attrs={"dim": dim}, tolerance=STEPS)
    family.add("linalg_norm", x_of("f32", 3, 4), tolerance=SUMS)
    for ord in (1, -1, INF, -INF):
        family.add("linalg_norm", x_of("f32", 3, 4), attrs={"ord": ord}, tolerance=SUMS)
        family.add("linalg_norm", x_of("f32", 2, 3, 4), attrs={"ord": ord, "dim": [0, 2], "keepdim": True}, tolerance=SUMS)
    named = lambda x, ord, dim: torch.linalg.norm(x, ord, dim)
    family.add("linalg_norm.ord_str", x_of("f32", 2, 3, 4), attrs={"ord": "fro", "dim": [0, 2]}, tolerance=SUMS, call=named)
    family.add("linalg_norm.ord_str", x_of("f32", 2, 3, 4), attrs={"ord": "fro", "dim": [0]}, call=named)
    family.add("linalg_norm", x_of("f32", 2, 3, 4), attrs={"ord": 3, "dim": [1]}, tolerance=SUMS)
    family.add("linalg_norm", x_of("f32", 2, 3, 4), attrs={"ord": 1})


def layouts(family):
    x = v.swapped(lambda n: v.numbers("f32", n), (2, 3, 4))
    family.add("broadcast_to", x_of("f32", 3, 1), attrs={"size": [2, 3, 4]})
    family.add("broadcast_to", x_of("f32", 3, 2), attrs={"size": [3, 4]})
    family.add("expand_as", x_of("f32", 3, 1), x_of("i32", 2, 3, 4))
    family.add("view_as", x_of("f32", 3, 4), x_of("i32", 2, 6))
    family.add("broadcast_tensors", [x_of("f32", 3, 1), x_of("i32", 4)])
    family.add("broadcast_tensors", [x_of("f32", 3), x_of("i32", 4)])
    for size in ([3, 1], [1], [2, 3, 4], []):
        family.add("sum_to_size", x, attrs={"size": size}, tolerance=SUMS)
    family.add("sum_to_size", x, attrs={"size": [2]})
    for op in ("mT", "mH", "adjoint"):
        family.add(op, x)
        family.add(op, x_of("f32", 3))
    family.add("matrix_H", x_of("f32", 2, 3))
    for source, destination in (([0], [-1]), ([0, 2], [1, 0]), ([], [])):
        family.add("movedim", x, attrs={"source": source, "destination": destination})
        family.add("moveaxis", x, attrs={"source": source, "destination": destination})
    family.add("movedim", x, attrs={"source": [0, 0], "destination": [1, 2]})
    family.add("movedim", x, attrs={"source": [0], "destination": [1, 2]})
    for sizes in ([2, 2], [-1, 4], [4], [3, 2]):
        family.add("unflatten", x, attrs={"dim": -1, "sizes": sizes})
    family.add("ravel", x)
    family.add("ravel", x_of("f32", 2, 3))
    for op in ("atleast_1d", "atleast_2d", "atleast_3d"):
        for sizes in ((), (3,), (2, 3), (2, 3, 4), (0,)):
            family.add(op, x_of("f32", *sizes))
        family.add(op, [x_of("f32"), x_of("i32", 2, 3)])
    for dims in ([2], [2, 1, 3], [2, 1, 1, 2], [0, 2]):
        family.add("tile", x_of("f32", 2, 3, 2), attrs={"dims": dims})
    for op, sizes in (("hsplit", (2, 4)), ("vsplit", (4, 2)), ("dsplit", (2, 1, 4))):
        family.add(op, x_of("f32", *sizes), attrs={"sections": 2})
        family.add(op, x_of("f32", *sizes), attrs={"sections": 3})
        family.add(op, x_of("f32", *sizes), attrs={"indices": [1, 3]})
        family.add(op, x_of("f32"), attrs={"sections": 1})
    family.add("hsplit", x_of("f32", 4), attrs={"sections": 2})
    family.add("column_stack", [x_of("f32", 3), x_of("f32", 3, 2), x_of("f32", 3)])
    family.add("column_stack", [x_of("f32"), x_of("f32")])
    family.add("column_stack", [x_of("f32", 3), x_of("f32", 2)])
    family.add("block_diag", [x_of("f32", 2, 3), x_of("f64", 2), x_of("i32"), x_of("f32", 0, 2)])
    family.add("block_diag", [x_of("f32", 2, 3, 1)])
    for offset in (0, 1, -2):
        family.add("diagflat", x_of("f32", 2, 2), attrs={"offset": offset})
    for op in ("fft_fftshift", "fft_ifftshift"):
        family.add(op, x_of("f32", 5, 4))
        family.add(op, x_of("f32", 5, 4), attrs={"dim": [0]})
    for r, again in ((2, False), (3, False), (2, True), (4, True), (1, False), (6, False)):
        family.add("combinations", x_of("f32", 4), attrs={"r": r, "with_replacement": again})
    family.add("combinations", x_of("f32", 2, 2))
    family.add("linalg_diagonal", x, attrs={"offset": 1})
    family.add("split", x, attrs={"split_size": [1, 3], "dim": 2}, call=lambda x, split_size, dim: ATEN.split.sizes(x, split_size, dim))
    family.add("unsafe_split", x, attrs={"split_size": 2, "dim": 1})
    family.add("unsafe_chunk", x, attrs={"chunks": 2, "dim": 1})
    family.add("unsafe_split_with_sizes", x, attrs={"split_sizes": [1, 2], "dim": 1})
    for op in ("lift_fresh", "real", "resolve_conj", "resolve_neg", "conj"):
        family.add(op, x)
    for op, attrs in (("alias_copy", {}), ("view_copy", {"size": [4, 6]}), ("expand_copy", {"size": [2, 3, 4]}), ("permute_copy", {"dims": [2, 0, 1]}),
                      ("transpose_copy", {"dim0": 0, "dim1": 1}), ("squeeze_copy", {}), ("squeeze_copy", {"dim": 0}), ("unsqueeze_copy", {"dim": 1}),
                      ("diagonal_copy", {}), ("narrow_copy", {"dim": 2, "start": 1, "length": 2}), ("unfold_copy", {"dimension": 2, "size": 2, "step": 1}),
                      ("unbind_copy", {"dim": 1}), ("split_with_sizes_copy", {"split_sizes": [1, 2], "dim": 1})):
        family.add(op, x_of("f32", 2, 3, 4), attrs=attrs)
    family.add("t_copy", x_of("f32", 2, 3))
    family.add("as_strided_copy", x_of("f32", 3, 3), attrs={"size": [2, 2], "stride": [1, 2], "storage_offset": 1})
    for op in ("squeeze", "squeeze_copy"):
        family.add(op, x_of("f32", 1, 2, 1), attrs={"dim": []}, call=lambda x, dim, op=op: getattr(ATEN, op).dims(x, dim))
    family.add("max_unpool3d", x_of("f32", 1, 2, 1, 2, 2), torch.arange(4).reshape(1, 1, 1, 2, 2).expand(1, 2, 1, 2, 2).contiguous(),
               attrs={"output_size": [2, 3, 3], "stride": [1, 1, 1], "padding": [0, 0, 0]})
    images = x_of("f32", 2, 3, 4, 4).contiguous(memory_format=torch.channels_last)
    family.add("max_pool2d", images, attrs={"kernel_size": [2, 2]})
    family.add("max_pool2d_with_indices", images, attrs={"kernel_size": [3, 3], "stride": [1, 1], "padding": [1, 1]})
    family.add("avg_pool2d", images, attrs={"kernel_size": [2, 2]}, tolerance=STEPS)
    family.add("cat", [images, images], attrs={"dim": 1})
    family.add("cat", [images, images.contiguous()], attrs={"dim": 1})
    family.add("upsample_nearest2d", images, attrs={"output_size": [6, 8]})
    family.add("max_unpool2d", images[:, :, :1, :2].contiguous(memory_format=torch.channels_last), torch.arange(2).expand(2, 3, 1, 2).contiguous(),
               attrs={"output_size": [2, 2]})
    family.add("max_pool2d", x_of("f32", 2, 0, 4, 4), attrs={"kernel_size": [2, 2]})
    family.add("as_strided", x_of("f32", 3, 3), attrs={"size": [2, 2], "stride": [1, 2], "storage_offset": 1})
    family.add("as_strided_scatter", x_of("f32", 3, 3), x_of("f32", 2, 2), attrs={"size": [2, 2], "stride": [1, 2], "storage_offset": 1})
    family.add("unfold", x_of("f32"), attrs={"dimension": 0, "size": 1, "step": 1})
    family.add("unfold", x_of("f32"), attrs={"dimension": 0, "size": 2, "step": 1})
    family.add("roll", x_of("f32"), attrs={"shifts": [0], "dims": [0]})
    family.add("diff", x_of("f32", 3, 4), attrs={"n": 0, "dim": 0})
    family.add("tensordot", x_of("f32", 1, 3), x_of("f32", 2, 4), attrs={"dims_self": [0], "dims_other": [0]}, tolerance=SUMS)
    for value in (0, 10, 0.5):
        family.add("masked_fill", v.numbers("bool", (2, 3)), v.numbers("bool", (2, 3), 1), value)
    family.add("masked_fill", v.numbers("bool", (2, 3)), v.numbers("bool", (3,), 1), torch.tensor(2))
    family.add("linalg_vander", x_of("f32"), attrs={"N": 3}, tolerance=STEPS)
    for x, index in ((x_of("f32"), torch.tensor([0, 0])), (x_of("f32", 3), torch.tensor(1)), (x_of("f32", 3), torch.zeros(2, 0, dtype=torch.uint8))):
        family.add("gather", x, index, attrs={"dim": 0}, call=lambda x, index, dim: torch.gather(x, dim, index))


def other_names(family):
    """One call by each name of which ATen has several."""
    x, y, unit = x_of("f32", 2, 3), v.numbers("f32", (2, 3), 1), v.numbers("f32", (2, 3), low=0.1, high=0.9)
    for op in ("arccos", "arcsin", "arctanh", "special_erfinv", "special_logit"):
        family.add(op, unit, tolerance=SERIES)
    family.add("arccosh", unit + 1, tolerance=SERIES)
    for op in ("arcsinh", "arctan", "negative", "special_erf", "special_erfc", "special_exp2", "special_expit", "special_expm1", "special_sinc"):
        family.add(op, x, tolerance=SERIES)
    for op in ("special_digamma", "special_psi", "special_gammaln", "special_log1p"):
        family.add(op, unit, tolerance=SERIES)
    for op in ("greater_equal", "less", "less_equal", "not_equal", "true_divide"):
        family.add(op, x, y)
        family.add(op, x, 0.5)
    family.add("arctan2", x, y, tolerance=STEPS)
    family.add("clip", x, attrs={"min": -0.5, "max": 0.5})
    family.add("special_logsumexp", x, attrs={"dim": [1]}, tolerance=STEPS)
    family.add("linalg_matmul", x, v.numbers("f32", (3, 2), 1), tolerance=SUMS)
    for op in ("concat", "concatenate"):
        family.add(op, [x, y], attrs={"dim": 1})
    family.add("row_stack", [x, y])


def plain(family):
    """Functions that samples of the ops they call do not name."""
    x = v.swapped(lambda n: v.numbers("f32", n), (2, 3, 4))
    family.add("chunk", x, attrs={"chunks": 2, "dim": 1})
    family.add("contiguous", x)
    family.add("flatten", x, attrs={"start_dim": 1})
    family.add("layer_norm", x_of("f32", 2, 3), x_of("f32", 3), None, attrs={"normalized_shape": [3]}, tolerance=STEPS,
               call=lambda x, w, b, normalized_shape: ATEN.layer_norm(x, normalized_shape, w, b))
    for op in ("softmax", "log_softmax"):
        family.add(op, x_of("f32", 2, 3), attrs={"dim": 1}, tolerance=STEPS)
    for op in ("ones", "zeros"):
        family.add(op, attrs={"size": [2, 3]})
    for op in ("ones_like", "zeros_like"):
        family.add(op, x)
    family.add("empty_like", x, call=ATEN.zeros_like)
    family.add("empty_permuted", attrs={"size": [2, 3], "physical_layout": [1, 0]}, call=lambda size, physical_layout: torch.zeros(3, 2).t())
    for layout in ([0, 0], [0], [0, 2]):
        family.add("empty_permuted", attrs={"size": [2, 3], "physical_layout": layout})
    family.add("scalar_tensor", 2.5)
    family.add("zero_", x, call=torch.zeros_like)
    family.add("reshape", x, attrs={"shape": [4, 6]})
    family.add("transpose", x, attrs={"dim0": 0, "dim1": 2})
    family.add("unbind", x, attrs={"dim": 1})
    family.add("t", x_of("f32", 2, 3))
    family.add("to", x_of("f32", 2, 3), attrs={"dtype": torch.int64})
    family.add("trapz", x_of("f32", 2, 3), attrs={"dx": 0.5, "dim": 0}, tolerance=STEPS)
    family.add("trapz", x_of("f32", 3), torch.tensor([0.0, 1.0, 3.0]), tolerance=STEPS)


def creations(family):
    x = x_of("i32", 2, 3)
    family.add("new_full", x, attrs={"size": [2, 2], "fill_value": 3})
    family.add("new_full", x, attrs={"size": [2], "fill_value": 3.5, "dtype": torch.float64})
    family.add("new_zeros", x, attrs={"size": [0, 2]})
    family.add("new_ones", x, attrs={"size": [2, 2], "dtype": torch.bool})
    family.add("new_ones", x, attrs={"size": [-1]})
    for name in ("f32", "f64", "bf16", "i32", "i64", "u8"):
        dtype = v.DTYPES[name]
        for steps in (0, 1, 2, 7):
            family.add("linspace", torch.tensor(1), torch.tensor(8.0), attrs={"steps": steps, "dtype": dtype}, tolerance=STEPS if v.is_float(name) else EXACT)
        family.add("logspace", torch.tensor(0), torch.tensor(3.0), attrs={"steps": 4, "base": 2.0, "dtype": dtype}, tolerance=SERIES if v.is_float(name) else EXACT)
    family.add("linspace", torch.tensor([1.0]), torch.tensor(2.0), attrs={"steps": 3})
    family.add("searchsorted", torch.tensor([1, 3, 5]), 3, attrs={"right": True})
    family.add("narrow", x_of("f32", 4, 2), torch.tensor(1), attrs={"dim": 0, "length": 2}, call=lambda x, start, dim, length: torch.narrow(x, dim, start, length))
    for at in (torch.tensor(2), torch.tensor([1, 3])):
        family.add("tensor_split", x_of("f32", 5, 2), at, attrs={"dim": 0})


def statistics(family):
    for op in ("quantile", "nanquantile"):
        for name in ("f32", "f64"):
            for how in ("linear", "lower", "higher", "midpoint", "nearest"):
                family.add(op, x_of(name, 3, 5), torch.tensor([0.0, 0.3, 1.0], dtype=v.DTYPES[name]), attrs={"dim": 1, "interpolation": how}, tolerance=STEPS)
        odd = torch.tensor([[1.0, NAN, 3.0, 2.0], [NAN, NAN, NAN, NAN], [4.0, 1.0, 2.0, 3.0]])
        for dim in (0, 1, None):
            for keepdim in (False, True):
                attrs = {"dim": dim, "keepdim": keepdim}
                family.add(op, odd, 0.4, attrs=attrs, tolerance=STEPS, call=lambda x, q, dim, keepdim, op=op: getattr(torch, op)(x, q, dim, keepdim))
                family.add(op, odd, torch.tensor([0.25, 0.5]), attrs=attrs, tolerance=STEPS, call=lambda x, q, dim, keepdim, op=op: getattr(torch, op)(x, q, dim, keepdim))
        family.add(op, x_of("f32", 0), torch.tensor(0.5))
        family.add(op, x_of("f16", 3), torch.tensor(0.5).half(), refused=True)
        family.add(op, x_of("f32", 3), torch.tensor([[0.5]]))
    odd = torch.tensor([[1.0, NAN, 3.0], [NAN, NAN, NAN]])
    family.add("nanmean", odd, tolerance=STEPS)
    family.add("nanmean", odd, attrs={"dim": [1], "keepdim": True}, tolerance=STEPS)
    family.add("nanmean", x_of("i32", 3))
    for name in v.FLOATS:
        family.add("std_mean", x_of(name, 3, 5), attrs={"dim": [1], "correction": 0}, tolerance=SUMS)
        family.add("cov", x_of(name, 3, 6), tolerance=SUMS)
    family.add("std_mean", x_of("f32", 3, 5), tolerance=SUMS)
    family.add("cov", x_of("f32", 6), attrs={"correction": 0}, tolerance=SUMS)
    family.add("cov", x_of("i32", 3, 6), tolerance=SUMS)
    counts, weights = torch.tensor([1, 2, 1, 3, 1, 2]), torch.tensor([0.5, 1.0, 2.0, 0.5, 1.0, 1.5])
    whole = lambda x, fweights, aweights, correction=1: torch.cov(x, correction=correction, fweights=fweights, aweights=aweights)
    for f, a in ((counts, None), (None, weights), (counts, weights)):
        family.add("cov", x_of("f32", 3, 6), f, a, attrs={"correction": 1}, tolerance=SUMS, call=whole)
    family.add("cov", x_of("f32", 3, 6), weights, None, attrs={"correction": 1}, call=whole)
    family.add("cov", x_of("f32", 2, 3, 4))
    family.add("corrcoef", x_of("f32", 3, 6), tolerance=SUMS)
    family.add("corrcoef", x_of("f32", 6), tolerance=SUMS)
    for name in v.INTEGERS:
        family.add("bincount", v.numbers(name, (20,), low=0, high=6))
    for name in ("f32", "f64", "i32", "f16"):
        w = x_of("i32", 8).to(v.DTYPES[name])  # small integers, whose sums are exact
        family.add("bincount", v.numbers("i64", (8,), low=0, high=4), w, attrs={"minlength": 9})
    family.add("bincount", torch.tensor([1, -1]))
    family.add("bincount", torch.zeros(0, dtype=torch.int64), attrs={"minlength": 3})
    family.add("bincount", x_of("f32", 3))
    for name in ("f32", "f64"):
        x = v.numbers(name, (30,), low=-2, high=2)
        edges = torch.tensor([-2.0, -0.5, 0.0, 1.5, 1.75], dtype=x.dtype)
        for density in (False, True):
            family.add("histogram", x, edges, attrs={"density": density}, tolerance=STEPS)
            family.add("histogram", x, attrs={"bins": 5, "density": density}, tolerance=STEPS)
        family.add("histogram", x, attrs={"bins": 4, "range": [-1.0, 1.0]}, tolerance=STEPS)
        family.add("histogram.bin_ct", x, v.numbers(name, (30,), 1), attrs={"bins": 4, "range": None}, tolerance=SUMS,
                   call=lambda x, weight, bins, range: torch.histogram(x, bins, weight=weight))
    family.add("histogram", torch.ones(3), attrs={"bins": 2}, tolerance=STEPS)
    family.add("histogram", x_of("i32", 3), attrs={"bins": 2})
    family.add("histogram", x_of("f32", 3), attrs={"bins": 0})
    for name in v.ALL:
        x = v.numbers(name, (24,), low=-2, high=2)
        family.add("_unique2", (x * 2).round() if v.is_float(name) else x, attrs={"return_inverse": True, "return_counts": True}, tolerance=EQUAL)
    family.add("_unique2", torch.tensor([2.0, NAN, 1.0, NAN, -0.0, 0.0, 2.0]), attrs={"return_inverse": True, "return_counts": True}, tolerance=EQUAL)
    family.add("_unique2", x_of("i32", 3, 4), attrs={"return_inverse": True})
    family.add("_unique2", x_of("i32", 3, 4))
    family.add("_unique2", x_of("i32", 0, 4), attrs={"return_inverse": True, "return_counts": True})
    rows = v.numbers("i64", (6, 2, 3), low=0, high=1)
    for dim in (0, 1, -1):
        family.add("unique_dim", rows, attrs={"dim": dim, "return_inverse": True, "return_counts": True})
        family.add("unique_consecutive", rows, attrs={"dim": dim, "return_inverse": True, "return_counts": True})
    for sizes in ((0, 3), (3, 0), (0, 0)):
        family.add("unique_dim", x_of("f32", *sizes), attrs={"dim": 0})
    family.add("unique_consecutive", v.numbers("i64", (12,), low=0, high=1), attrs={"return_inverse": True, "return_counts": True})
    family.add("unique_consecutive", v.numbers("i64", (12,), low=0, high=1))
    mask = torch.tensor([[0, 1, 2], [3, 0, 4]])
    family.add("argwhere", mask)
    family.add("nonzero_numpy", mask)
    family.add("nonzero_numpy", torch.tensor(3))
    for size in (0, 2, 4, 6):
        family.add("nonzero_static", mask, attrs={"size": size, "fill_value": 7})
    family.add("nonzero_static", mask, attrs={"size": -1})
    x = x_of("f32", 4, 5)
    for edge in (1, 2):
        family.add("gradient", x, attrs={"edge_order": edge}, tolerance=STEPS)
        family.add("gradient", x, attrs={"spacing": 0.5, "dim": 1, "edge_order": edge}, tolerance=STEPS)
        family.add("gradient", x, attrs={"spacing": [0.5, 2.0], "edge_order": edge}, tolerance=STEPS)
        family.add("gradient", x, [torch.tensor([0.0, 1.0, 1.5, 4.0, 5.0])], attrs={"dim": [1], "edge_order": edge}, tolerance=SERIES,
                   call=lambda x, spacing, dim, edge_order: torch.gradient(x, spacing=spacing, dim=dim, edge_order=edge_order))
    places = lambda x, spacing, dim, edge_order: torch.gradient(x, spacing=spacing, dim=dim, edge_order=edge_order)
    family.add("gradient", x, [torch.tensor([0.0, 1.0, 1.5, 4.0, 5.0])], attrs={"dim": [0, 1], "edge_order": 1}, call=places)
    family.add("gradient", x, [], attrs={"dim": [1], "edge_order": 1}, call=places)
    family.add("gradient", x_of("f32", 1, 5))
    family.add("gradient", x, attrs={"edge_order": 3})


def rarer_arguments(family):
    matrices = torch.diag(torch.tensor([3.0, 2.0, 1.0])).expand(2, 2, 3, 3).contiguous()
    for tolerances in ({"atol": torch.tensor([0.5, 1.5])}, {"rtol": torch.tensor([[0.5], [0.9]])}, {"atol": torch.tensor([[0.5], [0.0]]), "rtol": torch.tensor([0.0, 0.5])},
                       {"atol": torch.tensor([0.0, 1.0], dtype=torch.float64)}, {"atol": torch.tensor([1 + 1j])}):
        for hermitian in (False, True):
            given = [tolerances.get("atol"), tolerances.get("rtol")]
            for op in ("matrix_rank", "pinv"):
                family.add(f"linalg_{op}", matrices, *given, attrs={"hermitian": hermitian}, tolerance=SUMS,
                           call=lambda x, atol, rtol, hermitian, op=op: getattr(torch.linalg, op)(x, atol=atol, rtol=rtol, hermitian=hermitian))
    renorm = dict(max_norm=1.5, norm_type=2.0)
    for op in ("embedding_renorm", "embedding_renorm_"):
        family.add(op, x_of("f32", 5, 3), torch.tensor([[0, 4], [4, 1]]), attrs=renorm, tolerance=SUMS, call=getattr(ATEN, "embedding_renorm_"))
    for name in ("f64", "bf16", "f16"):
        family.add("embedding_renorm", x_of(name, 5, 3), torch.tensor([2, 0], dtype=torch.int32), attrs=dict(max_norm=0.5, norm_type=1.0), tolerance=SUMS)
    family.add("embedding_renorm", x_of("f32", 5, 3), torch.tensor([5]), attrs=renorm)
    family.add("embedding_renorm", x_of("f32", 5, 3), torch.tensor([1.0]), attrs=renorm)
    family.add("embedding_renorm", x_of("f32", 5), torch.tensor([1]), attrs=renorm)
    for dim in (-1, 0, None):
        for flags in ({"return_inverse": True}, {"return_counts": True}):
            family.add("unique_consecutive", torch.tensor([1, 1, 2, 1, 3, 3]), attrs={"dim": dim} | flags)
    for op in ("avg_pool1d", "avg_pool2d", "avg_pool3d"):
        dims = int(op[8])
        x = torch.arange(-40, 88).reshape(1, 2, *(1, 4, 4, 4)[4 - dims:], -1)[..., :4] * 3
        for options in ({}, {"padding": [1] * dims}, {"padding": [1] * dims, "count_include_pad": False}, {"stride": [2] * dims, "ceil_mode": True}):
            family.add(op, x, attrs={"kernel_size": [3] * dims} | options)
    family.add("avg_pool2d", torch.full((1, 1, 9, 9), 2**62 + 1), attrs={"kernel_size": [9, 9]})
    family.add("avg_pool2d", torch.tensor([[[-3, -4, 5, 2]]]), attrs={"kernel_size": [1, 2], "divisor_override": -3})
    family.add("avg_pool2d", torch.tensor([[[-3, -4, 5, 2]]], dtype=torch.int32), attrs={"kernel_size": [1, 2]}, refused=True)
    for name in ("u8", "i8", "i64"):
        x = [v.numbers(name, (4, 6), key) for key in (1, 2, 3)]
        for op in ("margin_ranking_loss", "triplet_margin_loss"):  # integers are subtracted as such, also where expected values are computed in double
            integers = lambda *x, op=op, dtype=x[0].dtype, **kwargs: getattr(ATEN, op)(*(one.to(dtype) for one in x), **kwargs)
            for reduction in (0, 1, 2):
                family.add(op, *x, attrs={"margin": 2.5, "reduction": reduction}, tolerance=STEPS, call=integers)
    listed = lambda op: lambda *args, **kwargs: (lambda out: [out[0], *out[1]])(op(*args, **kwargs))
    parts, between = listed(ATEN.histogramdd.default), listed(lambda x, bins, weight=None, density=False: ATEN.histogramdd(x, bins, weight=weight, density=density))
    weighted = lambda x, bins, weight=None, range=None: between(x, bins, weight)
    for name in ("f32", "f64"):
        x, edges = x_of(name, 5, 4, 2), [torch.tensor([-1.0, 0.0, 0.25, 2.0]).to(x_of(name).dtype), torch.tensor([-0.5, 0.5]).to(x_of(name).dtype)]
        for density in (False, True):
            family.add("histogramdd", x, attrs={"bins": [2, 3], "density": density}, tolerance=STEPS, call=parts)
            family.add("histogramdd", x, edges, attrs={"density": density}, tolerance=STEPS, call=between)
        family.add("histogramdd", x, attrs={"bins": [2, 3], "range": [-1.0, 1.0, 0.0, 0.0]}, tolerance=STEPS, call=parts)
        family.add("histogramdd.TensorList_bins", x, edges, v.numbers(name, (5, 4), 1), attrs={"range": None}, tolerance=SUMS, call=weighted)
        family.add("histogramdd.TensorList_bins", x, [edge.flip(0) for edge in edges], attrs={"range": None}, tolerance=STEPS, call=weighted)
    family.add("histogramdd.int_bins", x_of("f32", 6, 3), attrs={"bins": 2}, tolerance=STEPS, call=listed(ATEN.histogramdd.int_bins))
    family.add("histogramdd", torch.tensor([[0.5, NAN], [0.5, 0.25]]), [torch.tensor([0.0, 1.0])] * 2, tolerance=STEPS, call=between)
    for x, bins in ((x_of("f32", 4, 2)[:0], [2, 3]), (torch.ones(2, 2), [2, 1]), (x_of("f32", 4, 2), [2]), (x_of("f32", 2), [2, 2]), (x_of("f32", 4, 2), [2, 0]),
                    (x_of("i64", 4, 2), [2, 2]), (torch.tensor([[1.0, NAN]]), [2, 3])):
        family.add("histogramdd", x, attrs={"bins": bins}, tolerance=STEPS, call=parts, refused=True)
    family.add("histogramdd", x_of("f32", 4, 2), attrs={"bins": [2, 2], "range": [0.0, 1.0]}, call=parts)
    family.add("histogramdd", x_of("f32", 4, 2), attrs={"bins": [2, 2], "range": [1.0, 0.0, 0.0, 1.0]}, call=parts)
    family.add("histogramdd", x_of("f32", 4, 2), [torch.tensor([0.0, 1.0]), torch.tensor([0.0, 1.0]).double()], call=between)
    family.add("histogramdd.TensorList_bins", x_of("f32", 4, 2), [torch.tensor([0.0, 1.0])] * 2, x_of("f32", 8), attrs={"range": None}, call=weighted)


# Values of other dtypes: numbers, and tensors without dimensions, which PyTorch refuses if the dtype
# cannot hold the value.
def filled(family):
    mask, at = torch.tensor([True, False, True]), torch.tensor([0, 2])
    fill = lambda x, index, value, dim: torch.ops.aten.index_fill(x, dim, index, value)
    fits = {"u8": (-1, 255, 2.5), "i8": (-128, 127.0, -2.7), "i32": (2 ** 31 - 1, -2.7), "i64": (2 ** 40, 1e15, -0.5),
            "f16": (65504, 2.5, math.inf), "bf16": (300, 1e30), "f32": (2 ** 40, 1e30, math.nan), "f64": (2 ** 40, 1e300), "bool": (0.5, 300, 0)}
    refused = {"u8": (300, -300, -0.5, 255.5, math.inf), "i8": (128, 127.5), "i32": (2 ** 31, math.nan), "i64": (1e39,),
               "f16": (65536, -1e5, 1e300), "bf16": (1e39,), "f32": (-1e39,)}
    for numbers, is_refused in ((fits, False), (refused, True)):
        for name, values in numbers.items():
            for number in values:
                dtype = torch.int64 if isinstance(number, int) else torch.float64
                for value in (number, torch.tensor(number, dtype=dtype)):
                    x = v.numbers(name, (3,), "filled")
                    family.add("masked_fill", x, mask, value, refused=is_refused)
                    family.add("index_fill", x, at, value, call=fill, attrs=dict(dim=0), refused=is_refused)


def other_dtypes(family):
    """The same memory as elements of another dtype."""
    bits = lambda name, sizes: (v.complexes if name in v.COMPLEX else v.numbers)(name, sizes, "view")
    pairs = [("f32", "i32"), ("i32", "f32"), ("f64", "i64"), ("f16", "i16"), ("bf16", "f16"), ("u8", "i8"), ("f32", "u8"), ("f64", "f32"),
             ("f32", "f16"), ("f32", "f32")]
    for op in ("view.dtype", "view_copy.dtype"):
        add = lambda x, dtype: family.add(op, x, attrs={"dtype": dtype}, call=lambda x, dtype: getattr(getattr(ATEN, op.split(".")[0]), "dtype")(x, dtype))
        for before, after in pairs:
            add(bits(before, (2, 3)), v.DTYPES[after])
            add(bits(before, (0, 3)), v.DTYPES[after])
        add(bits("f32", ()), torch.int32)
        for before, after, last in (("u8", "i32", 8), ("i16", "f64", 4), ("bf16", "f32", 6), ("i8", "f16", 2)):
            add(bits(before, (3, last)), v.DTYPES[after])
        add(bits("f32", (3, 2)).t(), torch.int32)
        add(bits("u8", (3,)), torch.int32)
        add(bits("f32", ()), torch.uint8)
        add(bits("c64", (2, 3)), torch.float32)
        add(bits("c64", (2, 3)), torch.float64)
        add(bits("f32", (2, 4)), torch.complex64)
        add(bits("c64", ()), torch.float64)
    for x in (bits("f32", (4, 6))[1:, 2:4], bits("u8", (4, 16))[1:, 8:]):
        family.add("view.dtype", x, attrs={"dtype": torch.int64}, call=ATEN.view.dtype)
    family.add("view.dtype", bits("f32", (3, 2)).t(), attrs={"dtype": torch.uint8}, call=ATEN.view.dtype)


def formats_of_like(family):
    """New tensors in the memory format that the call names."""
    formats = {"contiguous_format": torch.contiguous_format, "channels_last": torch.channels_last, "preserve_format": torch.preserve_format,
               "channels_last_3d": torch.channels_last_3d}
    image = v.numbers("f32", (2, 3, 4, 5), "formats")
    tensors = [image, image.to(memory_format=torch.channels_last), v.numbers("f32", (2, 1, 3, 4), "formats"), image[:, :, ::2], image.permute(3, 0, 2, 1),
               image[:1, :, :1], v.numbers("f32", (0, 3, 4, 5), "formats"), v.numbers("f32", (3, 4), "formats").t(), v.numbers("f32", (1, 2, 3, 2, 2), "formats")]
    for x in tensors:
        for name in formats:
            named = lambda op: lambda *args, memory_format, **more: op(*args, memory_format=formats[memory_format], **more)
            attrs = {"memory_format": name}
            for op in ("zeros_like", "ones_like"):
                family.add(op, x, attrs=attrs, call=named(getattr(ATEN, op)))
            family.add("empty_like", x, attrs=attrs, call=named(ATEN.zeros_like))
            family.add("full_like", x, 3, attrs=attrs | {"dtype": torch.int32}, call=named(torch.full_like))
            family.add("_to_copy", x, attrs=attrs | {"dtype": torch.float64}, call=named(ATEN._to_copy))
    for name in ("contiguous_format", "channels_last"):
        family.add("empty.memory_format", attrs={"size": [2, 3, 4, 5], "memory_format": name},
                   call=lambda size, memory_format: torch.empty(size, memory_format=formats[memory_format]).zero_())


def sequences(family):
    for name in v.ALL:
        parts = [v.numbers(name, (n, 2), "sequences", n) for n in (3, 1, 4)]
        for attrs in ({}, {"batch_first": True}, {"batch_first": True, "padding_side": "left", "padding_value": 1.0}, {"padding_side": "left"}):
            family.add("pad_sequence", parts, attrs=attrs)
    vectors = [v.numbers("f32", (n,), "sequences", n) for n in (2, 0, 3)]
    family.add("pad_sequence", vectors, attrs={"padding_value": -0.5})
    family.add("pad_sequence", vectors[:1])
    family.add("pad_sequence", [vectors[0], v.numbers("f64", (3,), "sequences")])
    family.add("pad_sequence", [v.numbers("f32", (2, 3), "sequences"), v.numbers("f32", (4, 1), "sequences")])
    family.add("pad_sequence", [v.swapped(lambda n: v.numbers("f32", n), (2, 3)), v.numbers("f32", (4, 3), "sequences")])
    family.add("pad_sequence", vectors, attrs={"padding_side": "middle"})
    family.add("pad_sequence", [vectors[0], v.numbers("f32", (2, 3), "sequences")])
    for name in v.ALL:
        for attrs in ({}, {"N": 3}, {"N": 2, "increasing": True}, {"increasing": True}, {"N": 0}, {"N": 1}):
            family.add("vander", v.numbers(name, (4,), "vander"), attrs=attrs, tolerance=SUMS)
    family.add("vander", v.numbers("f32", (0,), "vander"))
    family.add("vander", v.complexes("c64", (3,), "vander"), attrs={"N": 3}, tolerance=SUMS)
    family.add("vander", v.numbers("f32", (2, 2), "vander"))
    family.add("vander", v.numbers("f32", (2,), "vander"), attrs={"N": -1})


# What exported programs call besides.
def exported(family):
    for op in ("and", "or", "xor"):
        overloads = getattr(torch.ops.aten, f"__{op}__")
        for name in ("bool", "u8", "i64"):
            x, y = v.numbers(name, (2, 3), "bits"), v.numbers(name, (3,), "bits", 1)
            family.add(f"__{op}__.Tensor", x, y, call=overloads.Tensor)
            family.add(f"__{op}__.Scalar", x, 1 if name != "bool" else True, call=overloads.Scalar)
        family.add(f"__{op}__.Tensor", v.numbers("f32", (2, 3)), v.numbers("f32", (2, 3), 1), call=overloads.Tensor, refused=True)
    x = v.numbers("f32", (2, 3, 4), "exported").transpose(0, 2)
    for op in ("lift_fresh_copy", "detach_copy"):
        family.add(op, x)
    for attrs in ({}, {"dtype": torch.float64}, {"dtype": torch.float32, "copy": True}, {"dtype": torch.int32, "layout": torch.strided}):
        family.add("to.dtype_layout", x, attrs={k: "strided" if k == "layout" else a for k, a in attrs.items()},
                   call=lambda x, layout=None, **more: torch.ops.aten.to.dtype_layout(x, layout=layout and torch.strided, **more))
    for name in v.FLOATS:
        for sizes, dims in (((3, 2, 4), (0, 1, 2, -1, -2)), ((4,), (0, -1)), ((2, 0), (0,))):
            w = v.numbers(name, sizes, "weights")
            for dim in dims:
                g = v.numbers(name, [n if d == dim % len(sizes) else 1 for d, n in enumerate(sizes)] if dim != -1 else (), "norms")
                family.add("norm_except_dim", w, attrs={"dim": dim}, tolerance=SUMS)
                family.add("_weight_norm", w, g, attrs={"dim": dim}, tolerance=SUMS)
    family.add("_weight_norm", v.numbers("i32", (3, 2)), v.numbers("i32", (3, 1)), refused=True)
    family.add("_weight_norm", v.numbers("f32", (3, 2)), v.numbers("f32", (3, 1)), attrs={"dim": 2}, refused=True)
    for name in ("f32", "f64"):
        for ends in ([2, 2, 5, 7], [0, 3, 3, 6], [0, 0, 0, 0], [7, 7, 7, 7]):
            family.add("grouped_mm_fallback", v.numbers(name, (7, 3), "rows"), v.numbers(name, (4, 3, 5), "matrices"), torch.tensor(ends, dtype=torch.int32),
                       call=grouped_mm, tolerance=SUMS)
    copies(family)
    in_place(family)
    other_dtypes(family)
    formats_of_like(family)
    sequences(family)


def copies(family):
    x, z = v.swapped(lambda n: v.numbers("f32", n), (2, 3, 4)), torch.complex(v.numbers("f32", (2, 3)), v.numbers("f32", (2, 3), 1))
    family.add("select_copy.int", x, attrs={"dim": 1, "index": -1}, call=ATEN.select_copy.int)
    family.add("slice_copy.Tensor", x, attrs={"dim": 2, "start": 1, "end": None, "step": 2}, call=ATEN.slice_copy.Tensor)
    family.add("split_copy.Tensor", x, attrs={"split_size": 2, "dim": 1}, call=ATEN.split_copy.Tensor)
    family.add("view_as_real_copy", z)
    family.add("view_as_complex_copy", v.numbers("f32", (3, 2)))
    family.add("_conj_physical", z)
    family.add("swapdims", x, attrs={"dim0": 0, "dim1": -1})
    for dtype in (torch.int64, torch.int32):
        family.add("repeat_interleave.Tensor", torch.tensor([2, 0, 3], dtype=dtype), call=ATEN.repeat_interleave.Tensor)
    family.add("repeat_interleave.Tensor", torch.tensor([[2, 0, 3]]), call=ATEN.repeat_interleave.Tensor)
    for name in ("i32", "u8", "i64"):
        y, by = v.numbers(name, (2, 3), "shifted"), torch.tensor([0, 1, 3], dtype=v.DTYPES[name])
        for op in ("lshift", "rshift"):
            family.add(f"__{op}__.Tensor", y, by, call=getattr(ATEN, f"__{op}__").Tensor)
            family.add(f"__{op}__.Scalar", y, 2, call=getattr(ATEN, f"__{op}__").Scalar)
    family.add("native_channel_shuffle", v.numbers("f32", (1, 6, 2)), attrs={"groups": 3})
    for name in ("f32", "f64"):
        of = lambda *sizes: v.numbers(name, sizes, sizes)
        family.add("_trilinear", of(5, 3), of(2, 3, 4), of(5, 4), attrs={"expand1": [1, 3], "expand2": [0], "expand3": [1, 2], "sumdim": [2, 3]}, tolerance=SUMS)
        family.add("_trilinear", of(3), of(3), of(3), attrs={"expand1": [], "expand2": [], "expand3": [], "sumdim": [], "unroll_dim": 0}, tolerance=SUMS)


def in_place(family):
    def written(op, overload="default"):
        return lambda x, *more, **attrs: getattr(getattr(ATEN, op), overload)(x.clone(), *more, **attrs)
    for name in ("f32", "f64", "i32"):
        x, y = v.numbers(name, (3, 4), "written"), v.numbers(name, (3, 4), "written", 1)
        family.add("square_", x, call=written("square_"))
        family.add("multiply_.Tensor", x, y, call=written("multiply_", "Tensor"))
        family.add("multiply_.Scalar", x, 3, call=written("multiply_", "Scalar"))
        family.add("cumsum_", x, attrs={"dim": 1}, call=written("cumsum_"), tolerance=SUMS)
        family.add("cumprod_", x, attrs={"dim": 0}, call=written("cumprod_"), tolerance=SUMS)
        family.add("masked_scatter_", x, y > 0, y.t().contiguous(), call=written("masked_scatter_"))
        a, b, row = v.numbers(name, (3, 2), "a"), v.numbers(name, (2, 4), "b"), v.numbers(name, (4,), "row")
        family.add("addmm_", x, a, b, attrs={"beta": 2, "alpha": 3}, call=written("addmm_"), tolerance=SUMS)
        family.add("addmv_", v.numbers(name, (3,)), x, row, attrs={"beta": 2, "alpha": 3}, call=written("addmv_"), tolerance=SUMS)
        family.add("addbmm_", x, torch.stack([a, a]), torch.stack([b, b]), call=written("addbmm_"), tolerance=SUMS)
        family.add("baddbmm_", torch.stack([x, y]), torch.stack([a, a]), torch.stack([b, b]), call=written("baddbmm_"), tolerance=SUMS)
    x = v.numbers("f32", (3, 4), "written")
    family.add("true_divide_.Tensor", x, v.numbers("f32", (4,), "by"), call=written("true_divide_", "Tensor"))
    family.add("true_divide_.Scalar", x, 3, call=written("true_divide_", "Scalar"))
    family.add("true_divide_.Scalar", v.numbers("i32", (3,)), 3, call=written("true_divide_", "Scalar"), refused=True)
    family.add("renorm_", x, attrs={"p": 2.0, "dim": 0, "maxnorm": 1.0}, call=lambda x, p, dim, maxnorm: ATEN.renorm_(x.clone(), p, dim, maxnorm), tolerance=SUMS)
    family.add("conj_physical_", torch.complex(v.numbers("f32", (2, 3)), v.numbers("f32", (2, 3), 1)), call=written("conj_physical_"))


def grouped_mm(x, weight, offs):
    out, start = x.new_zeros(x.shape[0], weight.shape[2]), 0
    for i, end in enumerate(offs.tolist()):
        out[start:end] = x[start:end] @ weight[i]
        start = end
    return out


def further():
    family = Family("further")
    for part in (elementwise, products, layouts, creations, statistics, other_names, plain, rarer_arguments, filled, exported):
        part(family)
    return family


def gradients():
    family = Gradients("further_gradient")
    x, y, p = real(3, 4, key="x"), real(3, 4, key="y"), real(3, 4, low=0.2, high=0.9, key="p")
    for op in ("logaddexp", "logaddexp2", "fmax", "dist"):
        family.add(op, x, y)
    for op in ("frac", "deg2rad", "angle", "diagflat", "mT", "corrcoef", "std_mean"):
        family.add(op, x, slope=op != "angle")
    for op in ("lgamma", "erfinv"):  # not digamma: torch's derivative of it has an error of 5e-10
        family.add(op, p)
    family.add("quantile", x, 0.3, attrs={"dim": 1}, call=lambda x, q, dim: torch.quantile(x, q, dim))
    family.add("cov", x)
    family.add("renorm", x, attrs={"p": 2.0, "dim": 0, "maxnorm": 1.0}, call=lambda x, p, dim, maxnorm: torch.renorm(x, p, dim, maxnorm))
    family.add("sum_to_size", x, attrs={"size": [3, 1]})
    family.add("pad_sequence", [real(3, 2, key=1), real(1, 2, key=2), real(2, 2, key=3)], attrs={"batch_first": True, "padding_side": "left"})
    # torch.vander writes in place what its gradient needs, so that it has none.
    family.add("vander", real(3, low=0.5, high=2), attrs={"N": 3}, second=True, call=lambda x, N: torch.linalg.vander(x, N=N).flip(1))
    family.add("movedim", x, attrs={"source": [0], "destination": [1]}, call=lambda x, source, destination: torch.movedim(x, source, destination))
    return family
