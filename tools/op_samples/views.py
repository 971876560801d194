"""Views (results share the operand's memory) and ops that join tensors or write into a copy."""
import torch

from . import values as v
from .pointwise import rotate
from .samples import Family

VIEWS = [
    ("view", (2, 3, 4), [dict(size=[6, 4]), dict(size=[24]), dict(size=[-1, 2]), dict(size=[1, 2, 1, 12]), dict(size=[5, 5]), dict(size=[-1, -1]), dict(size=[])]),
    ("view", (1,), [dict(size=[]), dict(size=[1, 1])]),
    ("view", (0, 3), [dict(size=[0]), dict(size=[3, 0, 5]), dict(size=[-1]), dict(size=[-1, 0])]),
    ("permute", (2, 3, 4), [dict(dims=[2, 0, 1]), dict(dims=[0, -1, 1]), dict(dims=[0, 1]), dict(dims=[0, 0, 1])]),
    ("permute", (), [dict(dims=[])]),
    ("expand", (3, 1), [dict(size=[3, 4]), dict(size=[2, 3, 1]), dict(size=[2, -1, 5]), dict(size=[3, 0]), dict(size=[2, 4]), dict(size=[-1, 3, 1]), dict(size=[3])]),
    ("expand", (), [dict(size=[]), dict(size=[3]), dict(size=[2, 2])]),
    ("slice", (7, 3), [dict(dim=0, start=1, end=5, step=2), dict(dim=0, start=-3, end=None, step=1), dict(dim=1, start=None, end=-1, step=1),
                       dict(dim=-1, start=0, end=100, step=2), dict(dim=0, start=5, end=2, step=1), dict(dim=0, start=-100, end=100, step=3),
                       dict(dim=0, start=0, end=7, step=0), dict(dim=2, start=0, end=1, step=1), dict(dim=0, start=7, end=9, step=1)]),
    ("slice", (), [dict(dim=0, start=0, end=1, step=1)]),
    ("select", (3, 5), [dict(dim=0, index=1), dict(dim=1, index=-1), dict(dim=-2, index=0), dict(dim=0, index=3), dict(dim=1, index=-6), dict(dim=2, index=0)]),
    ("squeeze", (1, 3, 1), [dict(), dict(dim=0), dict(dim=1), dict(dim=-1), dict(dim=[0, 2]), dict(dim=[0, 1]), dict(dim=3)]),
    ("squeeze", (), [dict(), dict(dim=0)]),
    ("diagonal", (3, 5), [dict(offset=0, dim1=0, dim2=1), dict(offset=1, dim1=0, dim2=1), dict(offset=-2, dim1=0, dim2=1), dict(offset=9, dim1=0, dim2=1), dict(offset=0, dim1=1, dim2=0), dict(offset=0, dim1=0, dim2=0)]),
    ("diagonal", (2, 3, 4), [dict(offset=0, dim1=0, dim2=2), dict(offset=1, dim1=-2, dim2=-1), dict(offset=0, dim1=0, dim2=3)]),
    ("unsqueeze", (3, 5), [dict(dim=0), dict(dim=1), dict(dim=2), dict(dim=-1), dict(dim=-3), dict(dim=3)]),
    ("unsqueeze", (), [dict(dim=0), dict(dim=-1)]),
    ("as_strided", (12,), [dict(size=[3, 2], stride=[4, 1], storage_offset=1), dict(size=[2, 3], stride=[1, 2], storage_offset=0), dict(size=[4], stride=[0], storage_offset=11),
                           dict(size=[], stride=[], storage_offset=5), dict(size=[0, 3], stride=[7, 1], storage_offset=2), dict(size=[3, 4], stride=[4, 1], storage_offset=1),
                           dict(size=[3], stride=[-1], storage_offset=4), dict(size=[3], stride=[1, 1], storage_offset=0)]),
    ("split", (7, 3), [dict(split_size=3, dim=0), dict(split_size=7, dim=0), dict(split_size=9, dim=0), dict(split_size=1, dim=-1), dict(split_size=0, dim=0), dict(split_size=-1, dim=0)]),
    ("split", (0, 3), [dict(split_size=2, dim=0), dict(split_size=0, dim=0)]),
    ("split_with_sizes", (7, 3), [dict(split_sizes=[2, 5], dim=0), dict(split_sizes=[1, 0, 2], dim=1), dict(split_sizes=[3, 3], dim=0), dict(split_sizes=[8, -1], dim=0)]),
]
LAYOUTS = [v.transposed, v.stepped, v.expanded]


def positional(op):
    """aten's overloads of split, slice and squeeze take these by position."""
    packet = getattr(torch.ops.aten, op)
    return lambda x, **attrs: packet(x, *attrs.values())


def views():
    family = Family("view")
    for op, sizes, attributes in VIEWS:
        for attrs in attributes:
            for name in ["f32"] + rotate(v.ALL[1:], 1, op, str(attrs)):
                family.add(op, v.numbers(name, sizes, op), attrs=attrs, call=positional(op))
            if len(sizes) > 1 and 0 not in sizes:
                layout = rotate(LAYOUTS, 1, op, str(attrs))[0]
                family.add(op, layout(lambda n: v.numbers("f32", n, op), sizes), attrs=attrs, call=positional(op))
    x = v.transposed(lambda n: v.numbers("f32", n), (3, 4))
    for size in ([12], [3, 2, 2], [3, 4], [3, 4, 1]):
        family.add("view", x, attrs=dict(size=size), call=positional("view"))
    return family


def joined(family, op, dtypes, shapes, dim):
    family.add(op, [v.numbers(name, sizes, op, i) for i, (name, sizes) in enumerate(zip(dtypes, shapes))], attrs=dict(dim=dim))


def scattered(family, op, sizes, rest):
    for name in ("f32", "i64", "bool", "bf16"):
        for attrs in rest:
            target = v.numbers(name, sizes, "target")
            part = getattr(torch.ops.aten, op.removesuffix("_scatter"))(target, *attrs.values())
            family.add(op, target, v.numbers(name, part.shape, "source"), attrs=attrs)
    if len(sizes) > 1:
        family.add(op, v.stepped(lambda n: v.numbers("f32", n), sizes), v.numbers("f32", part.shape, "source"), attrs=attrs)
    family.add(op, v.numbers("f32", sizes), v.numbers("f32", (2, 2)), attrs=attrs)


def joining():
    family = Family("joining")
    for name in v.ALL:
        joined(family, "cat", [name] * 3, [(2, 3), (1, 3), (4, 3)], 0)
        joined(family, "cat", [name] * 2, [(2, 3), (2, 5)], -1)
        joined(family, "stack", [name] * 3, [(2, 3)] * 3, 1)
    for shapes, dim in [([(0,), (2, 3)], 1), ([(0, 3), (2, 3)], 0), ([(3,)], 0), ([(17,), (33,), (1,)], 0), ([(2, 3), (3, 3)], 1), ([(2,), (2, 2)], 0), ([(), ()], 0), ([(2, 3)], 2)]:
        joined(family, "cat", ["f32"] * 3, shapes, dim)
    for dtypes in (["f32", "f64"], ["i8", "u8"], ["bool", "f16"], ["i64", "bf16"], ["f16", "bf16"]):
        joined(family, "cat", dtypes, [(3,), (2,)], 0)
        joined(family, "stack", dtypes, [(3,), (3,)], 0)
    for shapes, dim in [([()] * 2, 0), ([(0,)] * 2, 0), ([(3,)] * 2, -1), ([(3,)] * 2, 2), ([(3,), (4,)], 0), ([(3,)], 1)]:
        joined(family, "stack", ["f32"] * 2, shapes, dim)
    parts = [layout(lambda n: v.numbers("f32", n, "part"), (3, 5)) for layout in (v.transposed, v.stepped, v.expanded)]
    family.add("cat", parts, attrs=dict(dim=1))
    family.add("stack", parts, attrs=dict(dim=2))
    family.add("cat", [], attrs=dict(dim=0))
    slices = [dict(dim=0, start=1, end=6, step=2), dict(dim=1, start=-2, end=None, step=1), dict(dim=0, start=3, end=3, step=1)]
    scattered(family, "slice_scatter", (7, 3), slices)
    scattered(family, "select_scatter", (7, 3), [dict(dim=0, index=2), dict(dim=1, index=-1)])
    scattered(family, "diagonal_scatter", (7, 3), [dict(offset=0, dim1=0, dim2=1), dict(offset=-3, dim1=0, dim2=1), dict(offset=1, dim1=1, dim2=0)])
    scattered(family, "as_strided_scatter", (12,), [dict(size=[3, 2], stride=[4, 1], storage_offset=1), dict(size=[2, 3], stride=[1, 4], storage_offset=2)])
    return family
