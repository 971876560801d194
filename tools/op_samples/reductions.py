"""Reductions, and ops on whole rows (softmax, layer norm, cumsum)."""
import torch

from . import values as v
from .pointwise import rotate
from .samples import EQUAL, EXACT, Family, Tolerance

SUM = Tolerance(ulps=2, relative=4, absolute=64)       # some hundred operands of order one
PRODUCT = Tolerance(ulps=2, relative=64)
TOLERANCES = {"sum": SUM, "mean": SUM, "var_mean": SUM, "var": SUM, "prod": PRODUCT, "amax": EQUAL, "amin": EQUAL}
SHAPES = [((), [None, 0]), ((0,), [None, 0]), ((3, 0), [None, 0, 1]), ((1,), [None, 0]), ((100,), [None, 0]),
          ((3, 17), [None, 0, 1, -1, (0, 1)]), ((5, 7, 33), [None, 0, 1, 2, (0, 2), (1, -1)])]
LAYOUTS = [(v.transposed, (17, 3)), (v.stepped, (3, 5)), (v.expanded, (5, 7)), (v.swapped, (2, 3, 4))]
VARIANCE = ["var", "var_mean"]
ONE_DIM = ["argmax", "argmin", "prod", "cumsum"]


def data(op, name, layout, sizes):
    x = layout(lambda n: v.numbers(name, n, op), sizes)
    if op == "prod":
        return x * 0 + (x > 0) * 0.5 + 0.75 if v.is_float(name) else (x % 3 + 1).to(x.dtype) if name != "bool" else x
    return x


def reduce(family, op, x, dim, keepdim, **attrs):
    tolerance = TOLERANCES.get(op, EXACT)
    if dim is None:
        arguments = {"sum": {}, "mean": {}, "prod": {}, "any": {}, "all": {}, "argmax": {}, "argmin": {}}.get(op, {"dim": []})
        arguments = {"dim": None} if op in VARIANCE else arguments
    elif op in ONE_DIM:
        if isinstance(dim, tuple):
            return
        arguments = {"dim": dim}
    else:
        arguments = {"dim": list(dim) if isinstance(dim, tuple) else [dim]}
    if op in VARIANCE:
        arguments["correction"] = attrs.pop("correction", 1)
    if keepdim and arguments:
        arguments["keepdim"] = True
    family.add(op, x, attrs=arguments | attrs, tolerance=tolerance)


def extremes(family, op):
    nan, inf = float("nan"), float("inf")
    for row in ([1, nan, 3, nan], [inf, -inf, 2, 2], [-inf, -inf], [0.0, -0.0], [5, 7, 7, 5], [-0.0, -1e-45]):
        reduce(family, op, torch.tensor(row), 0, False)
    reduce(family, op, torch.tensor([[1, nan], [2, 3]], dtype=torch.float16), 1, False)


def reductions():
    family = Family("reduction")
    for op in ("sum", "mean", "amax", "amin", "argmax", "argmin", "var_mean", "var", "any", "all", "prod"):
        for name in v.ALL:
            cases = [(v.plain, sizes, dim) for sizes, dims in SHAPES for dim in dims] + [(l, sizes, dim) for l, sizes in LAYOUTS for dim in (None, 0, 1)]
            for layout, sizes, dim in cases if name == "f32" else rotate(cases, 7, op, name):
                x = data(op, name, layout, sizes)
                for keepdim in (False, True) if name == "f32" and layout is v.plain else (bool(len(sizes) % 2),):
                    reduce(family, op, x, dim, keepdim)
        extremes(family, op)
        reduce(family, op, v.numbers("f32", (3, 5)), 2, False)
        reduce(family, op, v.numbers("f32", (3, 5)), -3, False)
    for op in ("sum", "mean", "prod"):
        for name, dtype in (("f16", torch.float32), ("i32", torch.float32), ("f32", torch.float64), ("bool", torch.float32)):
            reduce(family, op, data(op, name, v.plain, (3, 17)), 1, False, dtype=dtype)
    for correction in (0, 2, 17):
        reduce(family, "var_mean", v.numbers("f32", (3, 17)), 1, False, correction=correction)
    long = v.numbers("f32", (2, 3000), "long")
    for op in ("sum", "mean", "var", "var_mean"):
        reduce(family, op, long, 1, False)
    reduce(family, "var_mean", long + 1000, 1, False)
    reduce(family, "sum", torch.full((3, 3000), 0.1, dtype=torch.bfloat16).fill_(0.1), 1, False)
    return family


ROW = Tolerance(ulps=4, relative=8, absolute=2)
NORM = Tolerance(ulps=4, relative=8, absolute=32)


def softmaxes(family, op):
    for name in v.FLOATS:
        for sizes, dims in [((), (0,)), ((0,), (0,)), ((3, 0), (0, 1)), ((1,), (0,)), ((33,), (0, -1)), ((3, 17), (0, 1)), ((2, 3, 33), (0, 1, 2))]:
            for dim in dims if name == "f32" else dims[-1:]:
                family.add(op, v.numbers(name, sizes, op), tolerance=ROW, attrs={"dim": dim, "half_to_float": False})
        for layout, sizes in [(v.transposed, (3, 17)), (v.stepped, (3, 5)), (v.expanded, (3, 7))]:
            family.add(op, layout(lambda n: v.numbers(name, n, op), sizes), tolerance=ROW, attrs={"dim": 1, "half_to_float": False})
    nan, inf = float("nan"), float("inf")
    rows = [[-inf, -inf, -inf, -inf], [1, -inf, 2, -inf], [inf, 1, 2, 3], [nan, 1, 2, 3], [1e4, 1e4, -1e4, 0], [3e38, -3e38, 0, 0], [100, 0, -100, -104]]
    family.add(op, torch.tensor(rows), tolerance=ROW, attrs={"dim": 1, "half_to_float": False})
    family.add(op, v.numbers("f32", (3,)), attrs={"dim": 1, "half_to_float": False})


def logsumexps(family):
    op = "logsumexp"
    for name in v.ALL:
        cases = [(v.plain, sizes, dim) for sizes, dims in SHAPES for dim in dims] + [(l, sizes, dim) for l, sizes in LAYOUTS for dim in (None, 0, 1)]
        for layout, sizes, dim in cases if name == "f32" else rotate(cases, 7, op, name):
            dims = list(range(len(sizes))) if dim is None else list(dim) if isinstance(dim, tuple) else [dim]
            x = layout(lambda n: v.numbers(name, n, op), sizes)
            family.add(op, x, attrs={"dim": dims, "keepdim": len(sizes) == 2}, tolerance=NORM)
    nan, inf = float("nan"), float("inf")
    rows = [[-inf, -inf, -inf], [1, -inf, 2], [inf, 1, 2], [inf, -inf, 2], [nan, 1, 2], [1e4, 1e4, -1e4], [3e38, -3e38, 0]]
    family.add(op, torch.tensor(rows), attrs={"dim": [1]}, tolerance=NORM)
    family.add(op, v.numbers("f32", (3,)), attrs={"dim": [1]})
    family.add(op, v.numbers("f32", (3, 4)), attrs={"dim": [0, 0]})


def layer_norms(family):
    op = "native_layer_norm"
    for name in v.FLOATS:
        for sizes, tail in [((3, 17), (17,)), ((2, 3, 33), (33,)), ((2, 3, 5), (3, 5)), ((1, 100), (100,)), ((3, 1), (1,)), ((0, 5), (5,))]:
            for with_weight, with_bias in ((True, True), (False, False), (True, False)):
                w = v.numbers(name, tail, "weight") if with_weight else None
                b = v.numbers(name, tail, "bias") if with_bias else None
                norm = lambda x, w, b, normalized_shape, eps: torch.ops.aten.native_layer_norm(x, normalized_shape, w, b, eps)
                family.add(op, v.numbers(name, sizes, op), w, b, call=norm, tolerance=NORM, attrs={"normalized_shape": list(tail), "eps": 1e-5})
    x = v.transposed(lambda n: v.numbers("f32", n, op), (7, 17))
    ones = torch.ones(17)
    for rows, eps in ((x, 1e-12), (x * 0 + 3, 1e-5), (x + 100, 1e-5)):
        family.add(op, rows, ones, ones * 0, call=norm, tolerance=Tolerance(4, 8, 4096), attrs={"normalized_shape": [17], "eps": eps})
    family.add(op, torch.ones(3, 5), None, None, call=norm, attrs={"normalized_shape": [3], "eps": 1e-5})
    family.add(op, torch.ones(3, 5), torch.ones(3), None, call=norm, attrs={"normalized_shape": [5], "eps": 1e-5})


def rows():
    family = Family("rows")
    for op in ("_softmax", "_log_softmax"):
        softmaxes(family, op)
    layer_norms(family)
    for name in v.ALL:
        for sizes, dim in [((), 0), ((0,), 0), ((17,), 0), ((3, 17), 0), ((3, 17), -1), ((2, 3, 5), 1)]:
            family.add("cumsum", v.numbers(name, sizes, "cumsum"), attrs={"dim": dim}, tolerance=SUM)
    family.add("cumsum", v.transposed(lambda n: v.numbers("f32", n), (3, 17)), attrs={"dim": 1}, tolerance=SUM)
    family.add("cumsum", v.numbers("i32", (5,)), attrs={"dim": 0, "dtype": torch.float64}, tolerance=SUM)
    family.add("cumsum", v.numbers("f32", (5,)), attrs={"dim": 1})
    logsumexps(family)
    return family


SCAN_CASES = [((), 0), ((0,), 0), ((17,), 0), ((3, 17), 0), ((3, 17), -1), ((2, 3, 5), 1)]


def scans():
    family = Family("scan")
    nan, inf = float("nan"), float("inf")
    for op, tolerance in (("cumprod", PRODUCT), ("logcumsumexp", ROW), ("cummax", EXACT), ("cummin", EXACT)):
        for name in v.FLOATS if op == "logcumsumexp" else v.ALL:
            for sizes, dim in SCAN_CASES:
                family.add(op, data("prod" if op == "cumprod" else op, name, v.plain, sizes), attrs={"dim": dim}, tolerance=tolerance)
        family.add(op, v.transposed(lambda n: v.numbers("f32", n), (3, 17)), attrs={"dim": 1}, tolerance=tolerance)
        family.add(op, v.numbers("f32", (5,)), attrs={"dim": 1})
        for row in ([1, nan, 3, nan, 5], [inf, -inf, 2, 2], [-inf, -inf, 0], [0.0, -0.0, 0.0], [5, 7, 7, 5], [inf, inf, nan]):
            family.add(op, torch.tensor(row), attrs={"dim": 0}, tolerance=tolerance)
    family.add("cumprod", data("prod", "i32", v.plain, (5,)), attrs={"dim": 0, "dtype": torch.float64}, tolerance=PRODUCT)
    family.add("logcumsumexp", v.numbers("i32", (5,)), attrs={"dim": 0})
    for op in ("max", "min", "aminmax"):
        for name in v.ALL:
            for sizes, dim in [((), 0), ((1,), 0), ((17,), 0), ((3, 17), 0), ((3, 17), -1), ((2, 3, 33), 1), ((3, 0), 0)]:
                family.add(op, v.numbers(name, sizes, op), attrs={"dim": dim, "keepdim": len(sizes) == 2})
        family.add(op, torch.zeros(0, 3), attrs={"dim": 0})
        for row in ([1, nan, 3, nan], [inf, -inf, 2, 2], [-inf, -inf], [5, 7, 7, 5]):
            family.add(op, torch.tensor(row), attrs={"dim": 0})
    family.add("aminmax", v.numbers("f32", (3, 5), "aminmax"), attrs={})
    return family
