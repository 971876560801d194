"""sort, topk, and functions based on them: argsort, msort, kthvalue, median, nanmedian, mode.

torch defines the order of equal elements only for stable sorts; in other samples all elements differ."""
import math

import torch

from . import values as v
from .samples import EQUAL, Family

SHAPES = [((), (0, -1)), ((0,), (0,)), ((3, 0), (0, 1)), ((1,), (0,)), ((33,), (0,)), ((3, 17), (0, 1, -1)), ((2, 40, 3), (0, 1, 2))]
LAYOUTS = [(v.transposed, (17, 3)), (v.stepped, (3, 5)), (v.swapped, (2, 3, 4))]
NAN, INF = float("nan"), float("inf")
ROWS = [[1, NAN, 3, -NAN, 2], [INF, -INF, 2, 2, NAN], [0.0, -0.0, -1e-45, 0.0], [5, 7, 7, 5], [NAN, NAN]]


def distinct(name, sizes, *key):
    """Distinct numbers, as far as bool has them."""
    count = math.prod(sizes)
    order = torch.randperm(count, generator=v.generator("distinct", name, tuple(sizes), *key))
    return (order - (0 if name in ("u8", "bool") else count // 2)).to(v.DTYPES[name]).reshape(sizes)


def sorts(family):
    for name in v.ALL:
        for sizes, dims in SHAPES:
            for dim in dims if name == "f32" else dims[-1:]:
                for descending in (False, True) if name == "f32" else (len(sizes) == 2,):
                    family.add("sort", v.numbers(name, sizes, "sort"), call=stable("sort"), attrs=dict(stable=True, dim=dim, descending=descending))
        if name != "bool":
            family.add("sort", distinct(name, (2, 70)), attrs=dict(dim=-1))
    for layout, sizes in LAYOUTS:
        for dim in (0, 1):
            x = layout(lambda n: v.numbers("f32", n, "sort"), sizes)
            family.add("sort", x, call=stable("sort"), attrs=dict(stable=True, dim=dim, descending=False))
    for row in ROWS:
        for descending in (False, True):
            for op in ("sort", "argsort"):
                family.add(op, torch.tensor(row), call=stable(op), attrs=dict(stable=True, dim=0, descending=descending))
    family.add("sort", v.numbers("f32", (5, 3)), attrs=dict(dim=2))


def stable(op):
    return lambda x, stable, dim, descending: getattr(torch.ops.aten, op).stable(x, stable=stable, dim=dim, descending=descending)


def firsts(family):
    for name in v.FLOATS + v.INTEGERS:
        for sizes, dim, k in [((), 0, 1), ((7,), 0, 3), ((3, 17), 0, 2), ((3, 17), 1, 17), ((3, 17), -1, 0), ((2, 50), 1, 1)]:
            for largest in (True, False):
                family.add("topk", distinct(name, sizes), attrs=dict(k=k, dim=dim, largest=largest, sorted=True))
            if k > 0:
                family.add("kthvalue", distinct(name, sizes), attrs=dict(k=k, dim=dim, keepdim=len(sizes) == 2))
    x = torch.cat([v.numbers("f32", (300,), "long"), torch.tensor([NAN, INF, -INF, 100.0])]).reshape(2, 152)
    for k, largest in ((4, True), (4, False), (100, True)):
        family.add("topk", x, attrs=dict(k=k, dim=1, largest=largest, sorted=True))
    for layout, sizes in LAYOUTS:
        family.add("topk", layout(lambda n: distinct("f32", n), sizes), attrs=dict(k=2, dim=1, largest=True, sorted=True))
    for k in (-1, 4):
        family.add("topk", v.numbers("f32", (3,)), attrs=dict(k=k))
        family.add("kthvalue", v.numbers("f32", (3,)), attrs=dict(k=k))
    family.add("topk", v.numbers("f32", ()), attrs=dict(k=2))
    family.add("topk", v.numbers("f32", (3,)), attrs=dict(k=1, dim=1))
    family.add("kthvalue", v.numbers("f32", (0, 3)), attrs=dict(k=1, dim=0))


def middles(family):
    for op in ("median", "nanmedian"):
        for name in v.FLOATS + v.INTEGERS:
            for sizes, dim in [((), 0), ((1,), 0), ((8,), 0), ((3, 17), 0), ((3, 17), -1), ((2, 40, 3), 1)]:
                family.add(op, distinct(name, sizes), attrs=dict(dim=dim, keepdim=len(sizes) == 2))
            family.add(op, distinct(name, (5, 8)))
        for row in ([NAN, 1, 2, 3], [4, NAN, 1, 3, 2], [NAN], [1, -INF, INF]):
            family.add(op, torch.tensor(row), attrs=dict(dim=0))
            family.add(op, torch.tensor(row))
        family.add(op, torch.zeros(0))
        family.add(op, torch.zeros(3, 0), attrs=dict(dim=0))
        family.add(op, torch.zeros(3, 0), attrs=dict(dim=1))


def most_often(family):
    values = lambda x, **attrs: torch.mode(x, **attrs)[0]  # of equals torch promises no index
    for name in v.ALL:
        for sizes, dim in [((), 0), ((1,), 0), ((9,), 0), ((3, 17), 0), ((3, 17), -1), ((2, 40, 3), 1)]:
            x = (v.numbers(name, sizes, "mode") / 2).round().to(v.DTYPES[name])
            family.add("mode", x, call=values, tolerance=EQUAL, attrs=dict(dim=dim, keepdim=len(sizes) == 2))
    for row in ([2, 1, 3], [INF, -INF, INF], [2, 1, 1, 2, 1, 2]):  # torch orders no NaN here
        family.add("mode", torch.tensor(row), call=values)
    family.add("mode", torch.zeros(3, 0), call=values, attrs=dict(dim=1))


def sorting():
    family = Family("sorting")
    sorts(family)
    for name in v.ALL:
        family.add("argsort", v.numbers(name, (2, 33)), call=stable("argsort"), attrs=dict(stable=True, dim=1, descending=True))
        family.add("msort", v.numbers(name, (9, 4)))
    firsts(family)
    middles(family)
    most_often(family)
    return family
