"""Elementwise functions that are written with ops, and functions that move, count or create elements."""
import torch

from . import values as v
from .gradients import real, row
from .samples import EQUAL, EXACT, Family, Tolerance

STEPS = Tolerance(ulps=4, relative=4, absolute=4)
SUMS = Tolerance(ulps=4, relative=32, absolute=64)
ATEN = torch.ops.aten
NAN, INF = float("nan"), float("inf")
LAYOUTS = [(v.transposed, (3, 17)), (v.stepped, (3, 5)), (v.swapped, (2, 3, 4)), (v.plain, ()), (v.plain, (0,))]

# op -> (tolerance, low, high)
UNARY = {"sinc": (STEPS, -4, 4), "logit": (STEPS, 0.05, 0.95), "special_entr": (STEPS, -1, 3), "special_ndtr": (STEPS, -4, 4), "nan_to_num": (EXACT, None, None),
         "isfinite": (EXACT, None, None), "isposinf": (EXACT, None, None), "isneginf": (EXACT, None, None)}
# op -> (tolerance, dtypes)
BINARY = {"xlogy": (STEPS, v.ALL), "special_xlog1py": (STEPS, v.ALL), "hypot": (STEPS, v.FLOATS), "copysign": (EXACT, v.ALL), "heaviside": (EQUAL, v.ALL),
          "float_power": (STEPS, v.ALL), "ldexp": (STEPS, v.ALL), "bitwise_left_shift": (EXACT, v.INTEGERS), "bitwise_right_shift": (EXACT, v.INTEGERS),
          "isclose": (EXACT, v.ALL), "clamp_min": (EQUAL, v.ALL), "clamp_max": (EQUAL, v.ALL)}


def unary(family):
    for op, (tolerance, low, high) in UNARY.items():
        for name in v.ALL:
            x = v.hard(name, 40 if v.is_float(name) else 16, low=low, high=high)
            if tolerance is STEPS and v.is_float(name):
                x = v.numbers(name, (40,), low=low, high=high)
            family.add(op, x, tolerance=tolerance)
        for layout, sizes in LAYOUTS:
            family.add(op, layout(lambda n: v.numbers("f32", n, low=low, high=high), sizes), tolerance=tolerance)
    family.add("sinc", torch.tensor([0.0, -0.0, NAN, 1e-20]), tolerance=STEPS)
    family.add("special_entr", torch.tensor([0.0, -1.0, NAN, INF]), tolerance=STEPS)
    family.add("logit", torch.tensor([-1.0, 0.0, 0.25, 1.0, 2.0, NAN]), tolerance=STEPS)
    family.add("logit", torch.tensor([-1.0, 0.0, 0.25, 1.0, 2.0, NAN]), tolerance=STEPS, attrs={"eps": 0.125})
    family.add("nan_to_num", torch.tensor([NAN, INF, -INF, 1.0]), attrs={"nan": 2.0, "posinf": 3.0, "neginf": -4.0})


def operands(op, name):
    if op.startswith("bitwise"):
        return v.numbers(name, (16,), "a"), torch.tensor([0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, 5, 6, 4, 2]).to(v.DTYPES[name])
    low = 0.1 if op in ("xlogy", "special_xlog1py", "float_power") and v.is_float(name) else 1 if op == "float_power" or op == "xlogy" else None
    a = v.numbers(name, (16,), "a", low=low and 0, high=low and 4)
    b = v.numbers(name, (16,), "b", low=low, high=low and 4)
    return (a, torch.where(v.numbers("bool", (16,)), a, b)) if op == "isclose" else (a, b)


def binary(family):
    for op, (tolerance, names) in BINARY.items():
        for name in names:
            family.add(op, *operands(op, name), tolerance=tolerance)
        name = names[0] if op.startswith("bitwise") else "f32"
        for a, b in (((3, 1), (1, 5)), ((2, 3), ()), ((0,), (1,))):
            x, y = (v.numbers(name, s, low=1, high=3) for s in (a, b))
            family.add(op, x, y, tolerance=tolerance)
        family.add(op, v.transposed(lambda n: v.numbers(name, n, low=1, high=3), (3, 5)), v.numbers(name, (3, 5), low=1, high=3), tolerance=tolerance)
        family.add(op, v.numbers(name, (3,)), v.numbers(name, (4,)))
    for op in ("xlogy", "float_power", "copysign", "clamp_min", "clamp_max", "special_xlog1py"):
        for number in (2, 0.5):
            family.add(op, v.numbers("f32", (5,), low=0.5, high=3), number, tolerance=STEPS)
            family.add(op, v.numbers("i32", (5,), low=1, high=3), number, tolerance=STEPS)
    for op in ("xlogy", "special_xlog1py"):
        family.add(op, torch.tensor([0.0, 0.0, 0.0, 1.0, NAN]), torch.tensor([0.0, NAN, INF, 0.0, 1.0]), tolerance=STEPS)
    for op in ("bitwise_left_shift", "bitwise_right_shift"):
        family.add(op, torch.tensor([-5, 7, 9]), 2)
        family.add(op, 12, torch.tensor([1, 2, 3]))
        family.add(op, v.numbers("f32", (3,)), v.numbers("f32", (3,)))
        family.add(op, torch.tensor([-5, -1, 2**62, -2**63]), torch.tensor([1, 63, 2, 62]))
    family.add("copysign", torch.tensor([1.0, -2.0, 3.0, INF]), torch.tensor([-0.0, 0.0, -INF, -1.0]))
    family.add("hypot", torch.tensor([1e30, 0.0, INF, 3e-30]), torch.tensor([1e30, 0.0, 1.0, 4e-30]), tolerance=STEPS)
    x = torch.tensor([NAN, INF, 1.0, -INF, 2.0])
    for equal_nan in (False, True):
        family.add("isclose", x, torch.tensor([NAN, INF, 1.00001, INF, 2.1]), attrs={"rtol": 1e-4, "atol": 0.0, "equal_nan": equal_nan})
    family.add("isclose", x, x, attrs={"rtol": -1.0})


def three(family):
    for name in v.FLOATS:
        a, b, c = (v.numbers(name, (3, 5), key) for key in "abc")
        for weight in (0.25, 0.75, 1, -2, c, c[0]):
            family.add("lerp", a, b, weight, tolerance=STEPS)
        for op in ("addcmul", "addcdiv"):
            scaled = lambda x, s, t, value, op=op: getattr(ATEN, op)(x, s, t, value=value)
            family.add(op, a, b, c + 3, tolerance=SUMS)
            family.add(op, a, b[0], c[:, :1] + 3, -2, call=scaled, tolerance=SUMS)
    family.add("addcmul", *(v.numbers("i32", (3,), key) for key in "abc"))
    family.add("addcdiv", *(v.numbers("i32", (3,), key) for key in "abc"))
    family.add("lerp", v.numbers("f32", (3,)), v.numbers("f64", (3,)), 0.5)


def moves(family):
    for name in ("f32", "i64", "bool", "bf16"):
        x = v.numbers(name, (3, 4), "move")
        for shifts, dims in (([1], [0]), ([-1], [1]), ([5], []), ([1, 2], [1, 0]), ([0], [0]), ([7], [-1])):
            family.add("roll", x, attrs={"shifts": shifts, "dims": dims})
        for op in ("fliplr", "flipud"):
            family.add(op, x)
        for k in (0, 1, 2, 3, -1, 5):
            family.add("rot90", x, attrs={"k": k, "dims": [0, 1]})
        for repeats, dim in ((2, 0), (3, 1), (2, None), (0, 0), (1, -1)):
            family.add("repeat_interleave", x, repeats, attrs={"dim": dim}, call=lambda x, repeats, dim: torch.repeat_interleave(x, repeats, dim))
        family.add("repeat_interleave", x, torch.tensor([2, 0, 1]), attrs={"dim": 0, "output_size": 3}, call=lambda x, repeats, **attrs: torch.repeat_interleave(x, repeats, **attrs))
        for n in (0, 1, 2, 5):
            family.add("diff", x, attrs={"n": n, "dim": n % 2})
        family.add("count_nonzero", x)
        family.add("count_nonzero", x, attrs={"dim": [0]})
    x = v.numbers("f32", (3, 4))
    family.add("diff", x, attrs={"n": 1, "dim": 1, "prepend": None, "append": None})
    family.add("rot90", v.numbers("f32", (2, 3, 4)), attrs={"k": 1, "dims": [2, 0]})
    family.add("rot90", x, attrs={"k": 1, "dims": [0, 0]})
    family.add("roll", x, attrs={"shifts": [1, 2], "dims": [0]})
    family.add("roll", torch.zeros(0, 3), attrs={"shifts": [1], "dims": [0]})
    family.add("fliplr", v.numbers("f32", (3,)))
    family.add("repeat_interleave", x, -1, attrs={"dim": 0}, call=lambda x, repeats, dim: torch.repeat_interleave(x, repeats, dim))
    family.add("repeat_interleave", x, torch.tensor([1, 2]), attrs={"dim": 0}, call=lambda x, repeats, dim: torch.repeat_interleave(x, repeats, dim))
    pieces(family)


def pieces(family):
    x = v.numbers("f32", (7, 5))
    for sections in (1, 3, 9):
        family.add("tensor_split", x, attrs={"sections": sections, "dim": 0}, call=lambda x, sections, dim: torch.tensor_split(x, sections, dim))
    for indices in ([], [2], [1, 4], [3, 2], [-2], [9]):
        family.add("tensor_split", x, attrs={"indices": indices, "dim": 0}, call=lambda x, indices, dim: torch.tensor_split(x, indices, dim))
    family.add("tensor_split", x, attrs={"sections": 0, "dim": 0}, call=lambda x, sections, dim: torch.tensor_split(x, sections, dim))
    vectors = [v.numbers("f32", (n,), n) for n in (3, 2, 4)]
    for indexing in ("ij", "xy"):
        family.add("meshgrid", vectors, attrs={"indexing": indexing}, call=lambda t, indexing: torch.meshgrid(*t, indexing=indexing))
        family.add("meshgrid", vectors[:1], attrs={"indexing": indexing}, call=lambda t, indexing: torch.meshgrid(*t, indexing=indexing))
    family.add("meshgrid", vectors[:2])
    family.add("cartesian_prod", vectors)
    family.add("cartesian_prod", vectors[:1])
    family.add("cartesian_prod", [x])


def creations(family):
    for sizes in ({"n": 3}, {"n": 0}, {"n": 2, "m": 4}, {"n": 4, "m": 2}):
        family.add("eye", attrs=sizes)
    for name in v.ALL:
        family.add("eye", attrs={"n": 2, "dtype": v.DTYPES[name]})
    for start, end, steps in ((0, 1, 5), (-2.5, 7.25, 11), (3, 3, 4), (0, 10, 1), (5, -5, 0), (0, 100, 33)):
        for name in ("f32", "f64", "i64"):
            family.add("linspace", start, end, attrs={"steps": steps, "dtype": v.DTYPES[name]}, tolerance=STEPS)
    family.add("linspace", 0, 1, attrs={"steps": -1})
    family.add("logspace", 0, 3, attrs={"steps": 4}, tolerance=STEPS)
    family.add("logspace", 0, 3, attrs={"steps": 7, "base": 2.0, "dtype": torch.float64}, tolerance=STEPS)
    at = torch.tensor([[0, 2], [1, 1]])
    for classes in (3, 5):
        family.add("one_hot", at, attrs={"num_classes": classes})
    family.add("one_hot", at, attrs={"num_classes": 2})
    family.add("one_hot", at - 1, attrs={"num_classes": 4})
    family.add("one_hot", at.int(), attrs={"num_classes": 4})
    family.add("one_hot", at[:0], attrs={"num_classes": 4})
    family.add("one_hot", at[:0])


def counts(family):
    for name in ("f32", "f64"):
        x = v.numbers(name, (40,), "histc")
        for bins, low, high in ((10, 0, 0), (4, -2, 2), (7, -1, 3), (1, 0, 0)):
            family.add("histc", x, attrs={"bins": bins, "min": low, "max": high})
    family.add("histc", torch.full((3,), 2.0), attrs={"bins": 3})
    family.add("histc", torch.zeros(0), attrs={"bins": 3})
    family.add("histc", v.numbers("f32", (3,)), attrs={"bins": 0})
    family.add("histc", v.numbers("f32", (3,)), attrs={"bins": 3, "min": 2, "max": 1})
    for name in v.ALL:
        if name != "bool":
            rows = v.numbers(name, (2, 9), "rows").sort(-1)[0]
            found = v.numbers(name, (2, 5), "found")
            for right in (False, True):
                family.add("searchsorted", rows, found, attrs={"right": right, "out_int32": right})
                family.add("searchsorted", rows[0].clone(), found, attrs={"side": "right" if right else "left"})
                family.add("bucketize", found, rows[0].clone(), attrs={"right": right})
        for invert in (False, True):
            family.add("isin", v.numbers(name, (3, 5), "in"), v.numbers(name, (4,), "test"), attrs={"invert": invert})
    family.add("searchsorted", torch.zeros(0), torch.ones(3))
    family.add("searchsorted", torch.tensor([1.0, 2.0, NAN]), torch.tensor([NAN, 1.5, INF]))
    family.add("searchsorted", torch.ones(2, 3), torch.ones(3))
    family.add("searchsorted", torch.ones(3), torch.ones(3, dtype=torch.float64))
    family.add("bucketize", torch.ones(3), torch.ones(2, 3))
    family.add("isin", torch.tensor([NAN, 1.0]), torch.tensor([NAN, 2.0]))
    family.add("isin", torch.tensor([2.0, 1.0]), torch.zeros(0))
    for name in v.FLOATS:
        y, x = v.numbers(name, (3, 5), "y"), v.numbers(name, (5,), "x")
        for op in ("trapezoid", "cumulative_trapezoid"):
            family.add(op, y, tolerance=SUMS, attrs={"dx": 2, "dim": 0} if op == "trapezoid" else {})
            family.add(op, y.float(), x.float(), tolerance=SUMS)
        for dim, correction in ((None, None), ([1], 0), ([0], 2)):
            family.add("std", y, tolerance=SUMS, attrs={"dim": dim, "correction": correction, "keepdim": True})
        family.add("std", y, tolerance=SUMS)
    family.add("std", v.numbers("i32", (3,)))
    family.add("trapezoid", v.numbers("i64", (3, 5)), tolerance=SUMS)
    family.add("trapezoid", v.numbers("f32", (5,)), v.numbers("i64", (5,)), tolerance=SUMS)


def arrays():
    family = Family("arrays")
    for part in (unary, binary, three, moves, creations, counts):
        part(family)
    return family


def gradients_of_arrays(family):
    x, y = real(3, 4, key="x"), real(3, 4, key="y")
    p = real(3, 4, low=0.1, high=0.9, key="p")
    for op in ("sinc", "special_entr", "special_ndtr", "nan_to_num"):
        family.add(op, p if op == "special_entr" else x)
    family.add("logit", p)
    family.add("logit", row(0.05, 0.5, 0.97), attrs={"eps": 0.1})
    family.add("sinc", row(0.0, 0.5))
    family.add("xlogy", x, p)
    family.add("xlogy", row(0.0, 1.0), row(0.5, 2.0))
    family.add("special_xlog1py", x, p)
    family.add("hypot", x, y)
    family.add("copysign", x, y, slope=False)
    family.add("float_power", p, y)
    family.add("clamp_min", row(-1.0, 0.5, 2.0), 0.5)
    family.add("clamp_max", row(-1.0, 0.5, 2.0), 0.5)
    for weight in (0.25, 0.75, p):
        family.add("lerp", x, y, weight)
    family.add("addcmul", x, y, p)
    family.add("addcdiv", x, y, p)
    family.add("roll", x, attrs={"shifts": [1, -1], "dims": [0, 1]})
    family.add("rot90", x, attrs={"k": 1, "dims": [0, 1]})
    family.add("repeat_interleave", x, 2, attrs={"dim": 1}, call=lambda x, repeats, dim: torch.repeat_interleave(x, repeats, dim))
    family.add("diff", x, attrs={"n": 2, "dim": 1})
    family.add("trapezoid", x, attrs={"dx": 2, "dim": 1})
    family.add("std", x, attrs={"dim": [1], "correction": 1})
    family.add("meshgrid", [row(1.0, 2.0), row(3.0, 4.0, 5.0)], attrs={"indexing": "xy"}, call=lambda t, indexing: torch.meshgrid(*t, indexing=indexing))
    family.add("tensor_split", x, attrs={"sections": 2, "dim": 0}, call=lambda x, sections, dim: torch.tensor_split(x, sections, dim))
