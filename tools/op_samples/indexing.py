"""embedding, index_select, gather; index by several tensors; scatters by indices; nonzero, masked_select."""
import torch

from . import values as v
from .samples import EXACT, Family, Tolerance


def indices(name, sizes, limit, *key):
    return torch.randint(0, limit, sizes, generator=v.generator("index", sizes, *key)).to(v.DTYPES[name])


def indexing():
    family = Family("indexing")
    select = lambda x, index, dim: torch.ops.aten.index_select(x, dim, index)
    gather = lambda x, index, dim: torch.ops.aten.gather(x, dim, index)
    for name in v.ALL:
        table = v.numbers(name, (7, 3), "table")
        family.add("embedding", table, indices("i64", (5,), 7))
        family.add("index_select", table, indices("i64", (5,), 7), call=select, attrs=dict(dim=0))
        family.add("gather", table, indices("i64", (4, 2), 3), call=gather, attrs=dict(dim=1))
    table = v.numbers("f32", (7, 3, 5), "table")
    for kind in ("i32", "i64"):
        for dim in (0, 1, -1):
            family.add("index_select", table, indices(kind, (4,), 3, dim), call=select, attrs=dict(dim=dim))
            family.add("gather", table, indices(kind, (3, 2, 5), 3, dim), call=gather, attrs=dict(dim=dim))
        for sizes in ((), (0,), (2, 3), (1, 1), (3, 0)):
            family.add("embedding", v.numbers("f32", (7, 3)), indices(kind, sizes, 7))
    family.add("embedding", v.transposed(lambda n: v.numbers("f32", n), (7, 3)), v.stepped(lambda n: indices("i64", tuple(n), 7), (2, 3)))
    family.add("embedding", v.numbers("f32", (7, 3)), indices("i64", (4,), 7), attrs=dict(padding_idx=1))
    for layout in (v.transposed, v.stepped, v.expanded):
        x = layout(lambda n: v.numbers("f32", n), (5, 4))
        family.add("index_select", x, indices("i64", (3,), 4), call=select, attrs=dict(dim=1))
        family.add("gather", x, layout(lambda n: indices("i64", tuple(n), 4), (5, 3)), call=gather, attrs=dict(dim=1))
    x = v.numbers("f32", (4, 3))
    for bad in (4, -1):
        index = torch.tensor([0, bad])
        family.add("embedding", x, index)
        family.add("index_select", x, index, call=select, attrs=dict(dim=0))
        family.add("gather", x, index.view(1, 2), call=gather, attrs=dict(dim=0))
    family.add("index_select", x, torch.tensor([[0]]), call=select, attrs=dict(dim=0))
    family.add("index_select", x, torch.tensor([0.0]), call=select, attrs=dict(dim=0))
    family.add("index_select", v.numbers("f32", ()), torch.tensor([0]), call=select, attrs=dict(dim=0))
    family.add("index_select", x, indices("i64", (0,), 4), call=select, attrs=dict(dim=0))
    family.add("gather", x, torch.tensor([0]), call=gather, attrs=dict(dim=0))
    family.add("gather", x, indices("i64", (4, 4), 3), call=gather, attrs=dict(dim=0))
    family.add("gather", v.numbers("f32", ()), torch.tensor(0), call=gather, attrs=dict(dim=0))
    family.add("gather", x, indices("i64", (0, 3), 4), call=gather, attrs=dict(dim=0))
    # In a dimension without elements no index is in range, even if the result is empty.
    for sizes, dim in (((0, 3), 0), ((3, 0), 1), ((0, 0), 0), ((0,), 0)):
        for count in (0, 1):
            family.add("index_select", v.numbers("f32", sizes), torch.zeros(count, dtype=torch.int64), call=select, attrs=dict(dim=dim))
    for count in (0, 1):
        family.add("embedding", v.numbers("f32", (0, 3)), torch.zeros(count, dtype=torch.int64))
        family.add("gather", v.numbers("f32", (0, 2)), torch.zeros(count, 2, dtype=torch.int64), call=gather, attrs=dict(dim=0))
    return family


def mask_of(sizes, part, *key):
    """Bools of which the fraction `part` is true."""
    return torch.rand(sizes, generator=v.generator("mask", tuple(sizes), part, *key)) < part


def lists(shape, *key):
    """Lists of indices for a tensor of that shape (3 dimensions), by the case that they cover."""
    at = lambda sizes, dim, kind="i64": indices(kind, sizes, shape[dim], dim, *key)
    low = lambda sizes, dim: at(sizes, dim) - shape[dim]  # counted from the end
    return {
        "first": [at((5,), 0)], "second": [None, at((5,), 1)], "last": [None, None, at((5,), 2)], "negative": [low((5,), 0)],
        "matrix": [at((2, 3), 0)], "in the middle": [None, at((2, 3), 1)], "no dimensions": [at((), 0)], "nothing": [at((0,), 0)],
        "two": [at((4,), 0), at((4,), 1)], "two, side by side": [None, at((4,), 1), low((4,), 2)], "two, apart": [at((4,), 0), None, at((4,), 2)],
        "outer": [at((4, 1), 0), at((1, 3), 1)], "outer, apart": [at((4, 1), 0, "i32"), None, at((3,), 2)],
        "one for all": [at((), 0), at((4,), 1)], "points": [at((), 0), at((), 1)], "points, apart": [at((), 0), None, at((), 2)],
        "three": [at((4,), 0), at((4,), 1), at((4,), 2)], "three points": [at((), 0), at((), 1), at((), 2)], "matrices": [at((2, 3), 0), at((3,), 1), at((2, 1), 2)],
        "and None": [at((4,), 0), None],
        "mask": [mask_of(shape[:1], 0.5, *key)], "mask of rows": [mask_of(shape[:2], 0.5, *key)], "whole mask": [mask_of(shape, 0.5, *key)],
        "mask behind": [None, mask_of(shape[1:], 0.5, *key)], "mask in the middle": [None, mask_of(shape[1:2], 0.7, *key)],
        "mask and one": [mask_of(shape[:2], 0.5, *key), at((), 2)], "empty mask": [mask_of(shape[:2], 0.0, *key)],
    }


def picking():
    family = Family("picking")
    shape = (4, 3, 5)
    for name in v.ALL:
        family.add("index", v.numbers(name, (7, 3), "table"), [indices("i64", (5,), 7), indices("i32", (5,), 3)])
    for key in lists(shape):
        family.add("index", v.numbers("f32", shape), lists(shape, key)[key])
    for layout in (v.transposed, v.stepped, v.expanded):
        x = layout(lambda n: v.numbers("f32", n), (5, 4))
        index = layout(lambda n: indices("i64", tuple(n), 4), (5, 3))
        family.add("index", x.contiguous(), [None, index.contiguous()])
        family.add("index", x, [indices("i64", (3,), 5), index.t()[:, 0]])
    for wrong in ([torch.tensor([0, 4])], [torch.tensor([0, -5])], [None, torch.tensor([3])], [torch.tensor([1]), torch.tensor([-4])],
                  [torch.tensor([0.0])], [torch.tensor([0, 1]), torch.tensor([0, 1, 2])], [torch.tensor([0])] * 4, [mask_of((3,), 0.5)]):
        family.add("index", v.numbers("f32", shape), wrong)
    for name in v.ALL:
        family.add("take", v.numbers(name, (4, 3), "taken"), torch.tensor([[0, -1, 5], [11, -12, 5]]))
    for wrong in (torch.tensor([12]), torch.tensor([-13]), torch.tensor([0.0])):
        family.add("take", v.numbers("f32", (4, 3)), wrong)
    family.add("index", v.numbers("f32", (0, 3)), [torch.zeros(0, dtype=torch.int64)])
    family.add("index", v.numbers("f32", (0, 3)), [torch.tensor([0])])
    none, first, far = torch.zeros(0, dtype=torch.int64), torch.tensor([0]), torch.tensor([7])
    for sizes, at in (((0, 0), [first]), ((0, 0), [None, first]), ((3, 0), [far]), ((0, 3), [None, far]), ((0, 3), [none, none]), ((3, 4), [far, none])):
        family.add("index", v.numbers("f32", sizes), at)
    for at in (none, first):
        family.add("take", v.numbers("f32", (0,)), at)
    return family


def put_value(family):
    value = lambda x, index, number, dim, **more: torch.ops.aten.scatter(x, dim, index, number, **more)
    source = lambda x, index, src, dim, reduce: torch.ops.aten.scatter(x, dim, index, src, reduce=reduce)
    for name in v.ALL:
        x, index = v.numbers(name, (7, 3), "value"), indices("i64", (5, 3), 7, "value")
        family.add("scatter", x, index, 2, call=value, attrs=dict(dim=0))
    for name in ("f32", "f64", "i64", "u8"):
        x, index, src = v.numbers(name, (4, 6), "with"), indices("i64", (4, 3), 6, "with"), v.numbers(name, (4, 3), "with source")
        for reduce in ("add", "multiply"):
            family.add("scatter", x, index, src, call=source, attrs=dict(dim=1, reduce=reduce))
            family.add("scatter", x, index, 3, call=value, attrs=dict(dim=1, reduce=reduce))


def put_reduced(family):
    reduced = lambda x, index, src, dim, **more: torch.ops.aten.scatter_reduce(x, dim, index, src, **more)
    for reduce in ("sum", "prod", "mean", "amax", "amin"):
        half = (lambda name: name in ("f16", "bf16")) if reduce in ("sum", "prod", "mean") else lambda name: False
        for name in (name for name in v.ALL if name != "bool" and not half(name)):
            x, src = v.numbers(name, (7, 3), "reduce"), v.numbers(name, (9, 3), "reduce", "source")
            for include in (True, False):
                family.add("scatter_reduce", x, indices("i64", (9, 3), 7, "reduce"), src, call=reduced,
                           attrs=dict(dim=0, reduce=reduce, include_self=include))
        for dim in (0, 1, -1):
            family.add("scatter_reduce", v.numbers("f32", (4, 3, 5)), indices("i32" if dim else "i64", (2, 3, 4), 3, dim).long(),
                       v.numbers("f32", (4, 3, 5), "source"), call=reduced, attrs=dict(dim=dim, reduce=reduce))
        x = torch.tensor([1.0, 2.0, float("nan"), float("inf")])
        family.add("scatter_reduce", x, torch.tensor([0, 1, 1, 2, 3]), torch.tensor([float("nan"), -1.0, 5.0, 3.0, 1.0]), call=reduced,
                   attrs=dict(dim=0, reduce=reduce))
        family.add("scatter_reduce", v.numbers("f32", (4, 3)), torch.tensor([[0, 4, 1]]), v.numbers("f32", (2, 3)), call=reduced,
                   attrs=dict(dim=0, reduce=reduce))
    family.add("scatter_reduce", v.numbers("f32", (3,)), torch.tensor([0]), torch.tensor([1.0]), call=reduced, attrs=dict(dim=0, reduce="median"))


def slices_reduced(family):
    reduced = lambda x, index, source, dim, **more: torch.ops.aten.index_reduce(x, dim, index, source, **more)
    for reduce in ("prod", "mean", "amax", "amin"):
        half = (lambda name: name in ("f16", "bf16")) if reduce in ("prod", "mean") else lambda name: False  # torch rounds each step
        for name in (name for name in v.ALL if name != "bool" and not half(name)):
            x, source = v.numbers(name, (7, 3), "reduce"), v.numbers(name, (9, 3), "reduce", "source")
            for include in (True, False):
                family.add("index_reduce", x, indices("i64", (9,), 7, "reduce"), source, call=reduced, attrs=dict(dim=0, reduce=reduce, include_self=include))
        for dim in (0, 1, -1):
            source = v.numbers("f32", [6 if d == dim % 3 else n for d, n in enumerate((4, 3, 5))], "source")
            family.add("index_reduce", v.numbers("f32", (4, 3, 5)), indices("i32", (6,), 3, dim), source, call=reduced, attrs=dict(dim=dim, reduce=reduce))
        x = torch.tensor([1.0, 2.0, float("nan"), float("inf")])
        family.add("index_reduce", x, torch.tensor([0, 1, 1, 2, 3]), torch.tensor([float("nan"), -1.0, 5.0, 3.0, 1.0]), call=reduced,
                   attrs=dict(dim=0, reduce=reduce))
        family.add("index_reduce", v.numbers("f32", (4, 3)), torch.zeros(0, dtype=torch.int64), torch.zeros(0, 3), call=reduced,
                   attrs=dict(dim=0, reduce=reduce, include_self=False))
        family.add("index_reduce", v.numbers("f32", (4, 3)), torch.tensor([0, 4]), v.numbers("f32", (2, 3)), call=reduced, attrs=dict(dim=0, reduce=reduce))
    for source in (v.numbers("f32", (2, 4)), v.numbers("f64", (2, 3)), v.numbers("f32", (3, 3))):
        family.add("index_reduce", v.numbers("f32", (4, 3)), torch.tensor([0, 1]), source, call=reduced, attrs=dict(dim=0, reduce="amax"))
    family.add("index_reduce", v.numbers("f32", (4, 3)), torch.tensor([0, 1]), v.numbers("f32", (2, 3)), call=reduced, attrs=dict(dim=0, reduce="sum"))


def put_by_lists(family):
    put = lambda x, index, values, **more: torch.ops.aten.index_put(x, index, values, **more)
    shape = (4, 3, 5)
    for key in lists(shape):
        at = lists(shape, key)[key]
        x = v.numbers("f32", shape)
        values = v.numbers("f32", tuple(torch.ops.aten.index(x, at).shape), "values")
        unique = len(set(torch.ops.aten.index(torch.arange(60).view(shape), at).flatten().tolist())) == values.numel()
        if unique:  # else torch does not say which one counts
            family.add("index_put", x, at, values, call=put)
        family.add("index_put", x, at, values, call=put, attrs=dict(accumulate=True))
        family.add("index_put", x, at, torch.tensor(2.5), call=put)
        family.add("index_put", x, at, torch.tensor([2.5]), call=put, attrs=dict(accumulate=True))
    for name in v.ALL:
        x, at = v.numbers(name, (7, 3), "put"), [torch.tensor([6, 0, -3]), torch.tensor([1, 1, 2])]
        family.add("index_put", x, at, v.numbers(name, (3,), "put values"), call=put)
        family.add("index_put", x, at, v.numbers(name, (3,), "put values"), call=put, attrs=dict(accumulate=True))
    for layout in (v.transposed, v.stepped):
        x = layout(lambda n: v.numbers("f32", n), (5, 4))
        family.add("index_put", x, [torch.tensor([4, 1])], layout(lambda n: v.numbers("f32", n, "values"), (2, 4)), call=put)
    put_flat = lambda x, index, source, **more: torch.ops.aten.put(x, index, source, **more)
    fill = lambda x, index, value, dim: torch.ops.aten.index_fill(x, dim, index, value)
    for name in v.ALL:
        x = v.numbers(name, (4, 3), "flat")
        family.add("put", x, torch.tensor([[0, -1], [5, 7]]), v.numbers(name, (2, 2), "flat source"), call=put_flat)
        family.add("put", x, torch.tensor([0, -1, 5]), v.numbers(name, (3, 1), "flat source"), call=put_flat, attrs=dict(accumulate=True))
        family.add("index_fill", x, torch.tensor([1, -3]), 1, call=fill, attrs=dict(dim=0))
        family.add("index_fill", x, torch.tensor([2]), v.numbers(name, (), "filled"), call=fill, attrs=dict(dim=-1))
    family.add("index_fill", v.numbers("f32", shape), torch.tensor([2, 0]), 7.5, call=fill, attrs=dict(dim=1))
    family.add("index_fill", v.numbers("f32", shape), torch.tensor(1), 7.5, call=fill, attrs=dict(dim=1))
    family.add("index_fill", v.numbers("f32", shape), torch.zeros(0, dtype=torch.int64), 7.5, call=fill, attrs=dict(dim=2))
    none, first, far = torch.zeros(0, dtype=torch.int64), torch.tensor([0]), torch.tensor([7])
    for sizes, at, dim in (((0, 2), first, 0), ((0, 2), none, 0), ((3, 0), far, 0), ((3, 0), first, 1)):
        family.add("index_fill", v.numbers("f32", sizes), at, 7.5, call=fill, attrs=dict(dim=dim))
    for sizes, at, source in (((3, 0), [far], (1, 0)), ((0, 3), [first], (1, 3)), ((0, 3), [None, far], (0, 1)), ((3, 4), [far, none], (0,))):
        for accumulate in (False, True):
            family.add("index_put", v.numbers("f32", sizes), at, v.numbers("f32", source), call=put, attrs=dict(accumulate=accumulate))
    for at in (none, first):
        family.add("put", v.numbers("f32", (0,)), at, v.numbers("f32", tuple(at.shape)), call=put_flat)
    family.add("put", v.numbers("f32", (4, 3)), torch.tensor([12]), torch.tensor([1.0]), call=put_flat)
    family.add("put", v.numbers("f32", (4, 3)), torch.tensor([1]), torch.tensor([1.0, 2.0]), call=put_flat)
    family.add("index_fill", v.numbers("f32", (4, 3)), torch.tensor([4]), 1, call=fill, attrs=dict(dim=0))
    x = v.numbers("f32", shape)
    for at, values in (([torch.tensor([0, 4])], torch.tensor(1.0)), ([None, torch.tensor([-4])], torch.tensor(1.0)),
                       ([torch.tensor([0, 1])], torch.zeros(3)), ([torch.tensor([0, 1])], torch.zeros((1, 2, 3, 5))[0].double()),
                       ([torch.tensor([1.0])], torch.tensor(1.0)), ([torch.tensor([0])] * 4, torch.tensor(1.0))):
        family.add("index_put", x, at, values, call=put)


def putting():
    family = Family("putting")
    put = lambda op: lambda x, index, source, dim, **more: getattr(torch.ops.aten, op)(x, dim, index, source, **more)
    for op in ("scatter", "scatter_add", "index_copy", "index_add"):
        by_rows = op.startswith("index")
        at = lambda kind, sizes, limit, *key: indices(kind, sizes[:1] if by_rows else sizes, limit, op, *key)
        for name in v.ALL:
            x, source = v.numbers(name, (7, 3), op), v.numbers(name, (5, 3), op, "source")
            family.add(op, x, at("i64", (5, 3), 7), source, call=put(op), attrs=dict(dim=0))
        x, source = v.numbers("f32", (4, 3, 5)), v.numbers("f32", (4, 3, 5), "source")
        for dim in (0, 1, -1):
            index = indices("i64", (x.shape[dim],), 3, dim) if by_rows else indices("i64", (4, 3, 5), 3, dim)
            family.add(op, x, index, source, call=put(op), attrs=dict(dim=dim))
        for layout in (v.transposed, v.stepped):
            y, s = layout(lambda n: v.numbers("f32", n), (5, 4)), layout(lambda n: v.numbers("f32", n, "source"), (5, 4))
            family.add(op, y, at("i64", (5, 4), 4), s, call=put(op), attrs=dict(dim=0))
        for bad in (4, -1):
            index = torch.tensor([0, bad]) if by_rows else torch.tensor([[0, bad, 1]])
            family.add(op, v.numbers("f32", (4, 3)), index, v.numbers("f32", (2, 3)), call=put(op), attrs=dict(dim=0))
        family.add(op, v.numbers("f32", ()), torch.tensor(0), v.numbers("f32", (), "source"), call=put(op), attrs=dict(dim=0))
        family.add(op, v.numbers("f32", (3,)), torch.zeros(0, dtype=torch.int64), torch.zeros(0), call=put(op), attrs=dict(dim=0))
        family.add(op, v.numbers("f32", (4, 3)), torch.tensor([0.0, 1.0]), v.numbers("f32", (2, 3)), call=put(op), attrs=dict(dim=0))
        family.add(op, v.numbers("f32", (4, 3)), torch.tensor([0, 1]), v.numbers("f64", (2, 3)), call=put(op), attrs=dict(dim=0))
        # A tensor without elements: putting nothing is valid, putting something is an error.
        for count in (0, 1):
            family.add(op, v.numbers("f32", (0,)), torch.zeros(count, dtype=torch.int64), v.numbers("f32", (count,)), call=put(op), attrs=dict(dim=0))
        far = torch.tensor([7]) if by_rows else torch.zeros(1, 0, dtype=torch.int64)
        family.add(op, v.numbers("f32", (3, 0)), far, v.numbers("f32", (1, 0)), call=put(op), attrs=dict(dim=0))
    family.add("index_add", v.numbers("f32", (4, 3)), torch.tensor([1, 1]), v.numbers("f32", (2, 3), "source"), call=put("index_add"),
               attrs=dict(dim=0, alpha=2))
    put_value(family)
    put_reduced(family)
    slices_reduced(family)
    put_by_lists(family)
    backward = lambda grad, index, num_weights, padding_idx, scale_grad_by_freq: torch.ops.aten.embedding_dense_backward(
        grad, index, num_weights, padding_idx, scale_grad_by_freq)
    for name in ("f32", "f64"):
        for padding in (-1, 2):
            for scaled in (False, True):
                family.add("embedding_dense_backward", v.numbers(name, (2, 6, 3)), indices("i64", (2, 6), 4), call=backward,
                           attrs=dict(num_weights=4, padding_idx=padding, scale_grad_by_freq=scaled), tolerance=Tolerance(2, 2, 2) if scaled else EXACT)
    return family


def compacting():
    family = Family("compacting")
    for name in v.ALL:
        x = v.numbers(name, (6, 5), "nonzero")
        family.add("nonzero", torch.where(mask_of((6, 5), 0.5), x, torch.zeros_like(x)))
        family.add("nonzero", v.hard(name, 40))
        family.add("masked_select", v.hard(name, 40), mask_of((40,), 0.4))
        family.add("masked_select", x, mask_of((6, 5), 0.6))
        family.add("nonzero", v.numbers(name, (), "zero_dim"))
    for sizes in ((0,), (3, 0), (0, 2, 4), (), (1,), (1, 1), (7,), (2, 3, 4), (3, 1, 2, 5), (9, 1000), (700, 3), (10007,)):
        x = v.numbers("f32", sizes, "compacting")
        for part in (0.0, 0.01, 0.5, 1.0):
            family.add("nonzero", mask_of(sizes, part))
            family.add("masked_select", x, mask_of(sizes, part))
    for of_x, of_mask in (((4, 3), (3,)), ((3,), (4, 3)), ((4, 1), (1, 3)), ((), (5,)), ((5,), ()), ((2, 1, 3), (4, 1)), ((0, 3), (1,)), ((1,), (0,))):
        family.add("masked_select", v.numbers("f32", of_x), mask_of(of_mask, 0.6))
        family.add("masked_select", v.numbers("i16", of_x), mask_of(of_mask, 1.0))
    for layout in (v.transposed, v.stepped, v.expanded):
        mask = layout(lambda n: mask_of(n, 0.5), (5, 4))
        family.add("nonzero", mask)
        family.add("masked_select", layout(lambda n: v.numbers("f32", n), (5, 4)), mask)
        family.add("masked_select", v.numbers("f32", (5, 4)), mask)
    family.add("masked_select", v.numbers("f32", (4, 3)), mask_of((4,), 0.5))
    family.add("masked_select", v.numbers("f32", (3,)), torch.tensor([1.0, 0.0, 1.0]))
    return family
