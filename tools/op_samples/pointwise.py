"""Elementwise ops with one, two or three operands."""
import math

import torch

from . import values as v
from .samples import EQUAL, EXACT, Family, Tolerance

FUNCTION = Tolerance(ulps=2)
STEPS = Tolerance(ulps=4, absolute=1e-30)          # a few roundings after one another
CANCELS = Tolerance(ulps=4, relative=8, absolute=8)  # gelu: 1 + erf(x) of a negative x

# op -> (tolerance, low, high of the random part)
UNARY = {
    "neg": (EXACT, None, None), "abs": (EXACT, None, None), "sign": (EQUAL, None, None), "square": (EXACT, None, None),
    "floor": (EXACT, None, None), "ceil": (EXACT, None, None), "round": (EXACT, None, None), "trunc": (EXACT, None, None),
    "isnan": (EXACT, None, None), "isinf": (EXACT, None, None), "logical_not": (EXACT, None, None),
    "bitwise_not": (EXACT, None, None), "relu": (EQUAL, None, None), "sqrt": (EXACT, 0, 100), "reciprocal": (EXACT, None, None),
    "exp": (FUNCTION, -20, 20), "exp2": (FUNCTION, -20, 20), "expm1": (FUNCTION, -3, 3), "log": (FUNCTION, 0, 10),
    "log2": (FUNCTION, 0, 10), "log10": (FUNCTION, 0, 10), "log1p": (FUNCTION, -1, 3), "rsqrt": (FUNCTION, 0, 100),
    "sin": (FUNCTION, -50, 50), "cos": (FUNCTION, -50, 50), "tan": (FUNCTION, -10, 10), "asin": (FUNCTION, -1, 1),
    "acos": (FUNCTION, -1, 1), "atan": (FUNCTION, -5, 5), "sinh": (FUNCTION, -10, 10), "cosh": (FUNCTION, -10, 10),
    "tanh": (FUNCTION, -5, 5), "asinh": (FUNCTION, -10, 10), "acosh": (FUNCTION, 1, 10), "atanh": (FUNCTION, -1, 1),
    "erf": (FUNCTION, -4, 4), "erfc": (FUNCTION, -4, 10), "sigmoid": (STEPS, -20, 20), "silu": (STEPS, -20, 20), "gelu": (CANCELS, -6, 6),
}
ATTRIBUTES = {"gelu": [{}, {"approximate": "tanh"}]}
SIZES = [(), (0,), (3, 0, 2), (1,), (3,), (17,), (33,), (1, 1, 1)]
LAYOUTS = [(v.transposed, (3, 17)), (v.stepped, (3, 5)), (v.expanded, (3, 7)), (v.transposed, (2, 3, 5)), (v.swapped, (2, 3, 4))]
BITS = ["bitwise_not", "bitwise_and", "bitwise_or", "bitwise_xor"]


def rotate(items, count, *key):
    """`count` of the items, chosen by the key."""
    items = list(items)
    first = int(torch.randint(0, len(items), (1,), generator=v.generator(*key)))
    return [items[(first + i) % len(items)] for i in range(min(count, len(items)))]


# op -> lists of numbers after the operand
WITH_NUMBERS = {"leaky_relu": [[0.01], [-0.5], [2]], "elu": [[1, 1, 1], [1.5, 2, 0.5]], "hardtanh": [[-1, 1], [-0.5, 2.5], [0, 6]],
                "softplus": [[1, 20], [0.5, 4], [-2, 20]]}
# The same with numbers that half types do not represent: leaky_relu rounds once.
BETWEEN_HALVES = {"leaky_relu": [[0.1], [-1 / 3]], "hardtanh": [[-0.1, 1 / 3]]}


def with_numbers(family):
    for op, lists in WITH_NUMBERS.items():
        for name in v.ALL:
            for scalars in lists:
                x = v.hard(name, 50 if v.is_float(name) else 20)
                x = torch.where(x.abs() > 1e30, torch.ones_like(x), x) if name == "f64" else x
                family.add(op, x, *scalars, tolerance=EQUAL if op == "hardtanh" else STEPS)
        for layout, sizes in LAYOUTS + [(v.plain, ()), (v.plain, (0,))]:
            family.add(op, layout(lambda n: v.numbers("f32", n), sizes), *lists[0], tolerance=STEPS)


def with_numbers_between_halves(family):
    for op, lists in BETWEEN_HALVES.items():
        for name in ("f16", "bf16"):
            for scalars in lists:
                family.add(op, v.hard(name, 64, "between"), *scalars, tolerance=EQUAL)


def unary():
    family = Family("unary")
    with_numbers(family)
    cases = [(v.plain, sizes) for sizes in SIZES] + LAYOUTS
    for op, (tolerance, low, high) in UNARY.items():
        for attrs in ATTRIBUTES.get(op, [{}]):
            for name in v.ALL:
                options = {"tolerance": tolerance, "attrs": attrs, "refused": op in BITS}
                count = 100 if v.is_float(name) else 33
                row = v.hard(name, count, low=low, high=high)
                if op == "gelu" and v.is_float(name):  # torch's own answer to infinity differs between its kernels
                    row = torch.where(row.abs() > 1e4, torch.full_like(row, 3), row)
                if family.add(op, row, **options) is None:
                    continue
                for layout, sizes in cases if name == "f32" else rotate(cases, 2, op, name):
                    family.add(op, layout(lambda n: v.numbers(name, n, low=low, high=high), sizes), **options)
    for name in ("f32", "f64"):  # far out, where an argument must be reduced with many digits of pi
        for op in ("sin", "cos", "tan"):
            family.add(op, torch.tensor([1e3, -1e4, 1e5, 123456.7, 1e7, -1e9, 3e15, 1e30]).to(v.DTYPES[name]), tolerance=FUNCTION)
    with_numbers_between_halves(family)
    return family


ARITHMETIC = {"add": EXACT, "sub": EXACT, "mul": EXACT, "div": EXACT, "maximum": EQUAL, "minimum": EQUAL, "fmod": EXACT,
              "remainder": EXACT, "pow": FUNCTION, "atan2": FUNCTION}
COMPARISON = ["eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor"]
BINARY = ARITHMETIC | dict.fromkeys(COMPARISON, EXACT)
BINARY_ATTRIBUTES = {"div": [{"rounding_mode": "floor"}, {"rounding_mode": "trunc"}]}
PAIRS = [((), ()), ((0,), (1,)), ((3, 0), (1,)), ((17,), ()), ((3, 1), (1, 17)), ((5, 3), (3,)), ((2, 3, 33), (3, 1)), ((33,), (33,)),
         ((1,), (3,)), ((3,), (4,))]
NO_SCALAR = ["maximum", "minimum", "atan2", "logical_and", "logical_or", "logical_xor"]
SCALARS = [2, -3, 0, 2.5, -0.5, float("inf"), True]


def nonzero(x):
    return torch.where(x == 0, torch.ones_like(x), x)


def operands(op, name, other, count):
    """Two rows that combine the special values of one with every kind of value of the other."""
    a, b = v.hard(name, count, "a"), v.hard(other, count, "b", edge=v.is_float(other))
    b = b[torch.randperm(count, generator=v.generator(op, name, other))]
    divides = op in ("div", "fmod", "remainder")
    if divides and not v.is_float(other):
        b = nonzero(b)
        a = torch.where(a == torch.iinfo(a.dtype).min, torch.ones_like(a), a) if name in v.INTEGERS else a
    if op == "pow" and not v.is_float(name) and not v.is_float(other) and other != "bool":
        b = b.abs() % 6
    return a, b


def layouts_of_two(name):
    make = lambda n: nonzero(v.numbers(name, n, "layout"))
    return [(v.transposed(make, (3, 17)), v.plain(make, (3, 17))), (v.stepped(make, (3, 5)), v.expanded(make, (3, 5))),
            (v.transposed(make, (2, 3, 5)), v.transposed(make, (2, 3, 5))), (v.swapped(make, (2, 3, 4)), v.plain(make, (4,)))]


def binary_of(family, op, name, options):
    if family.add(op, *operands(op, name, name, 64 if v.is_float(name) else 24), **options) is None:
        return
    def pair(a, b):
        y = v.numbers(name, b, "b")
        y = y.abs() if op == "pow" else y
        return v.numbers(name, a, "a"), nonzero(y) if op in ("div", "fmod", "remainder") else y
    for a, b in PAIRS if name == "f32" else rotate(PAIRS[:-1], 2, op, name):
        family.add(op, *pair(a, b), **options)
    for a, b in layouts_of_two(name) if name == "f32" else rotate(layouts_of_two(name), 1, op, name):
        family.add(op, a, b.abs() if op == "pow" else b, **options)


def scalar_operands(family, op, name, options):
    if op in NO_SCALAR:
        return
    for scalar in SCALARS if name in ("f32", "i64") else rotate(SCALARS, 3, op, name):
        if scalar == 0 and op in ("div", "fmod", "remainder") and not v.is_float(name):
            continue
        if name == "u8" and not isinstance(scalar, float) and scalar < 0:
            continue
        sizes = rotate([(), (17,), (3, 1), (0,)], 1, op, name, str(scalar))[0]
        family.add(op, v.numbers(name, sizes, "scalar"), scalar, **options)


def mixed(family, op, options):
    """Operands of two dtypes, and a 0-d tensor with one that has dimensions."""
    pairs = [(a, b) for a in v.ALL for b in v.ALL if a != b]
    for i, (a, b) in enumerate(rotate(pairs, 90, op)[::7]):
        x, y = v.numbers(a, (5,), "mixed"), v.numbers(b, (5,) if i % 3 else (), "mixed", low=1, high=4)
        y = torch.ones_like(y) if b == "bool" and op in ("div", "fmod", "remainder") else y
        family.add(op, *((y, x) if i % 2 and op not in ("div", "fmod", "remainder", "pow") else (x, y)), **options)


def numbers_between_halves(family, op, options):
    """Half types with numbers that they do not represent, plain ones and 0-d tensors, on either side."""
    for name in ("f16", "bf16"):
        gives_up = op in ("fmod", "remainder")  # torch, of huge quotients
        x = v.numbers(name, (64,), "between") if gives_up else v.hard(name, 64, "between")
        for number, dtype in (0.1, torch.float64), (70001, torch.float32):
            flat = torch.tensor(number, dtype=dtype)
            family.add(op, x, flat, **options)
            if "rounding_mode" not in options["attrs"]:
                family.add(op, flat, x, **options)
            if op not in NO_SCALAR:
                family.add(op, x, number, **options)


def binary():
    family = Family("binary")
    for op, tolerance in BINARY.items():
        for attrs in [{}] + BINARY_ATTRIBUTES.get(op, []):
            options = {"tolerance": tolerance, "attrs": attrs, "refused": op in BITS}
            for name in v.ALL:
                binary_of(family, op, name, options)
                scalar_operands(family, op, name, options | {"refused": False})
            mixed(family, op, options | {"refused": False})
    for op in ("add", "sub"):
        with_alpha = lambda x, y, alpha, op=op: getattr(torch.ops.aten, op)(x, y, alpha=alpha)
        for name in v.ALL:
            for alpha in (2, -1, 0.5):
                family.add(op, v.numbers(name, (3, 5), "a"), v.numbers(name, (5,), "b"), alpha, call=with_alpha)
        family.add(op, v.numbers("f16", (5,)), v.numbers("i32", (5,)), 2, call=with_alpha)
        family.add(op, v.numbers("i32", (5,)), 3, 2, call=with_alpha)
    for op in ("fmod", "remainder"):
        family.add(op, v.numbers("i32", (3,)), torch.tensor([1, 0, 2], dtype=torch.int32))
    for mode in ("floor", "trunc"):
        family.add("div", v.numbers("i64", (3,)), torch.tensor([1, 0, 2]), attrs={"rounding_mode": mode})
    family.add("pow", v.numbers("i64", (3,)), -1)
    family.add("pow", torch.tensor([1, -1, 2, 5]), torch.tensor([-1, -1, -1, -2]))
    family.add("pow", 2, v.numbers("f32", (17,)), tolerance=FUNCTION)
    family.add("pow", 2.5, v.numbers("i32", (5,)), tolerance=FUNCTION)
    for exponent in (2, 3, 0.5, -0.5, -1, -2, 0, 1):
        family.add("pow", v.hard("f32", 33, low=0, high=9), exponent, tolerance=FUNCTION)
    for op, tolerance in BINARY.items():
        if tolerance in (EXACT, EQUAL) and op not in BITS:
            for attrs in [{}] + BINARY_ATTRIBUTES.get(op, []):
                numbers_between_halves(family, op, {"tolerance": tolerance, "attrs": attrs})
    for op in ("add", "sub"):  # strided: torch rounds each step, as with dense operands it does not
        with_alpha = lambda x, y, alpha, op=op: getattr(torch.ops.aten, op)(x, y, alpha=alpha)
        for name in ("f16", "bf16"):
            x = v.stepped(lambda n, name=name: v.numbers(name, n, "a"), (33,))
            family.add(op, x, v.numbers(name, (33,), "b"), 0.1, call=with_alpha)
    return family


def choosing():
    """where, clamp: three operands."""
    family = Family("choosing")
    for name in v.ALL:
        a, b = v.hard(name, 33, "a"), v.hard(name, 33, "b").flip(0)
        family.add("where", v.numbers("bool", (33,)), a, b)
        family.add("where", v.numbers("bool", (3, 1)), v.numbers(name, (5,), "a"), v.numbers(name, (), "b"))
        low, high = (0, 1) if name == "bool" else (1 if name == "u8" else -2, 3)
        for bounds in ((low, high), (low, None), (None, high), (high, low)):
            family.add("clamp", a, *bounds, tolerance=EQUAL, refused=name == "bool")
        family.add("clamp", v.numbers(name, (3, 5)), v.numbers(name, (5,), "low"), v.numbers(name, (3, 1), "high"))
        family.add("clamp", v.numbers(name, (7,)), v.numbers(name, (), "low"), None)
    conditions = v.transposed(lambda n: v.numbers("bool", n), (3, 17))
    for layout in (v.plain, v.transposed, v.stepped, v.expanded):
        family.add("where", conditions, layout(lambda n: v.numbers("f32", n), (3, 17)), v.numbers("f32", (17,), "other"))
    for a, b in (("f32", "f64"), ("i32", "f16"), ("bool", "i8"), ("bf16", "f16"), ("u8", "i8")):
        family.add("where", v.numbers("bool", (5,)), v.numbers(a, (5,)), v.numbers(b, (5,)))
        family.add("where", v.numbers("bool", (5,)), v.numbers(a, (5,)), v.numbers(b, ()))
    for a, b in ((1, 2), (1.5, 2), (True, 0.5)):
        family.add("where", v.numbers("bool", (5,)), a, b)
        family.add("where", v.numbers("bool", (5,)), v.numbers("f16", (5,)), b)
    family.add("where", v.numbers("bool", (0,)), v.numbers("f32", (1,)), v.numbers("f32", ()))
    family.add("where", v.numbers("bool", ()), v.numbers("f32", ()), v.numbers("f32", ()))
    family.add("where", v.numbers("f32", (3,)), v.numbers("f32", (3,)), v.numbers("f32", (3,)))
    family.add("where", v.numbers("bool", (3,)), v.numbers("f32", (4,)), v.numbers("f32", (3,)))
    for bounds in ((math.nan, 1.0), (-1.0, math.inf), (-0.5, 2), (None, None)):
        family.add("clamp", v.hard("f32", 33), *bounds, tolerance=EQUAL)
    family.add("clamp", v.numbers("i32", (5,)), -1.5, 2.5)
    return family
