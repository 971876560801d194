"""Ops that create tensors, triangles, copies and casts."""
import torch

from . import values as v
from .samples import Family, Tolerance

STEP = Tolerance(ulps=1)


def arange(family, start, end, step, **attrs):
    family.add("arange", start, end, step, attrs=attrs, tolerance=STEP)


def full(family, size, value, **attrs):
    call = lambda value, size, **attrs: torch.ops.aten.full(size, value, **attrs)
    family.add("full", value, attrs=dict(size=size) | attrs, call=call)


def filled(family):
    """New values with the shape of an operand."""
    for name in v.ALL:
        for value in (2, -1.5, True) if name == "f32" else (1,):
            family.add("full_like", v.numbers(name, (3, 5)), value)
            family.add("fill", v.numbers(name, (3, 5)), value)
        family.add("copy", v.numbers(name, (3, 5)), v.numbers("i8", (5,), low=0, high=9))
        family.add("copy", v.numbers("f32", (2, 3)), v.numbers(name, (2, 1)))
    family.add("full_like", v.transposed(lambda n: v.numbers("f32", n), (3, 5)), 3)
    family.add("full_like", v.numbers("f32", (0, 3)), 3, attrs=dict(dtype=torch.int64))
    family.add("fill", v.numbers("f32", (3,)), v.numbers("f32", ()))
    family.add("fill", v.numbers("f32", (3,)), v.numbers("f32", (3,)))
    family.add("copy", v.numbers("f32", (3,)), v.numbers("f32", (4,)))


def castable(name, to):
    """Numbers of dtype `name` within the range of `to`: conversion of others is undefined."""
    if not v.is_float(name) or v.is_float(to):
        return v.hard(name, 33, to)
    low, high = (0, 100) if to in ("u8", "bool") else (-100, 100)
    return torch.cat([v.numbers(name, (20,), to, low=low, high=high), torch.tensor([0.0, -0.0, 0.5, 1.5, 2.9, 100.0]).to(v.DTYPES[name])])


def creation():
    family = Family("creation")
    for start, end, step in [(0, 5, 1), (1, 10, 3), (5, 0, -2), (0, 0, 1), (0.0, 1.0, 0.1), (0, 1.5, 0.5), (3, 4, 1), (0, 100, 1), (0, 5, -1), (0, 5, 0), (1.0, 2.0, 1.0), (0, float("inf"), 1)]:
        arange(family, start, end, step)
    for name in v.ALL[:-1]:
        arange(family, 1, 17, 3, dtype=v.DTYPES[name])
    for name in v.ALL:
        full(family, [3, 5], 2, dtype=v.DTYPES[name])
    for size, value in [([], 1), ([0], 1.5), ([2, 0], True), ([3], 2.5), ([3], False), ([3], float("nan")), ([3], float("-inf")), ([1, 1], 7), ([-1], 1)]:
        full(family, size, value)
    filled(family)
    for op in ("tril", "triu"):
        for name in v.ALL:
            family.add(op, v.numbers(name, (3, 5)))
        for sizes in ((1, 1), (5, 3), (2, 3, 4), (0, 3), (17, 17)):
            for diagonal in (0, 1, -1, 5, -5):
                family.add(op, v.numbers("f32", sizes), attrs=dict(diagonal=diagonal))
        family.add(op, v.transposed(lambda n: v.numbers("f32", n), (3, 5)), attrs=dict(diagonal=1))
        family.add(op, v.hard("f32", 36).view(6, 6))
        family.add(op, v.numbers("f32", (3,)))
    for name in v.ALL:
        for to in v.ALL:
            family.add("_to_copy", castable(name, to), attrs=dict(dtype=v.DTYPES[to]))
        family.add("clone", v.hard(name, 33))
        for layout in (v.transposed, v.stepped, v.expanded):
            family.add("clone", layout(lambda n: v.numbers(name, n), (3, 5)))
    for sizes in ((), (0,), (3, 0), (1,)):
        family.add("_to_copy", v.numbers("f32", sizes), attrs=dict(dtype=torch.float64))
    family.add("_to_copy", v.transposed(lambda n: v.numbers("f32", n), (3, 5)), attrs=dict(dtype=torch.float16))
    return family
