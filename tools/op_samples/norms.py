"""Normalization by channels, and functions that are a few calls of other ops."""
import torch

from . import values as v
from .reductions import NORM, SHAPES, SUM
from .products import DTYPES, PRODUCT
from .pointwise import rotate
from .samples import Family

CHANNELS = [((2, 3), 3), ((2, 3, 4), 3), ((2, 4, 3, 5), 4), ((2, 3, 2, 2, 2), 3), ((0, 3, 4), 3), ((2, 3, 0), 3), ((1, 3, 1), 3)]


def parameters(name, count, which):
    """weight, bias, running mean and variance, of which only those in `which` are there."""
    make = {"w": v.numbers(name, (count,), "weight"), "b": v.numbers(name, (count,), "bias"), "m": v.numbers(name, (count,), "mean"),
            "v": v.numbers(name, (count,), "variance", low=0.5, high=2)}
    return [make[one] if one in which else None for one in "wbmv"]


def batch_norm(family, x, given, training=False, eps=1e-5):
    family.add("batch_norm", x, *given, tolerance=NORM, call=lambda x, w, b, m, s, **a: torch.ops.aten.batch_norm(x, w, b, m, s, *a.values()),
               attrs={"training": training, "momentum": 0.1, "eps": eps, "cudnn_enabled": False})


def batch_norms(family):
    for name in v.FLOATS:
        for sizes, count in CHANNELS if name == "f32" else CHANNELS[1:3]:
            x = v.numbers(name, sizes, "x")
            for of_parameters in {name, "f32" if name != "f64" else name}:
                batch_norm(family, x, parameters(of_parameters, count, "wbmv"))
                batch_norm(family, x, parameters(of_parameters, count, "wb"), training=True)
            batch_norm(family, x, parameters(name, count, "mv"))
            batch_norm(family, x, parameters(name, count, ""), training=True)
    make = lambda n: v.numbers("f32", n, "x")
    images = make((2, 3, 4, 5)).to(memory_format=torch.channels_last)
    for x in (v.transposed(make, (2, 3, 4)), v.stepped(make, (2, 3, 4)), v.expanded(make, (2, 3, 4)), images):
        batch_norm(family, x, parameters("f32", 3, "wmv"), eps=0.1)
        batch_norm(family, x, parameters("f32", 3, "b"), training=True)
    x = make((2, 3, 4))
    for wrong in (parameters("f32", 4, "wbmv"), parameters("f64", 3, "wbmv"), parameters("f32", 3, "wb"), parameters("f32", 3, "m"),
                  parameters("f32", 3, "wbm") + parameters("f64", 3, "v")[3:]):
        batch_norm(family, x, wrong[:3] + wrong[-1:])
    batch_norm(family, x.half(), parameters("f16", 3, "wb")[:2] + parameters("f32", 3, "mv")[2:])
    batch_norm(family, x[0, 0], parameters("f32", 4, "mv"))
    batch_norm(family, x.int(), parameters("f32", 3, "mv"), training=False)
    inference(family)


def inference(family):
    op = "_native_batch_norm_legit_no_training"
    call = lambda x, w, b, m, s, momentum, eps: torch.ops.aten._native_batch_norm_legit_no_training(x, w, b, m, s, momentum, eps)
    for name in v.FLOATS:
        for of_parameters in {name, "f32" if name != "f64" else name}:
            for which in ("wbmv", "mv"):
                family.add(op, v.numbers(name, (2, 3, 4), "x"), *parameters(of_parameters, 3, which), call=call, tolerance=NORM, attrs={"momentum": 0.1, "eps": 1e-3})
    family.add(op, v.numbers("f32", (2, 3), "x"), *parameters("f64", 3, "mv"), call=call, attrs={"momentum": 0.1, "eps": 1e-3})


def group_norms(family):
    native = lambda x, w, b, N, C, HxW, group, eps: torch.ops.aten.native_group_norm(x, w, b, N, C, HxW, group, eps)
    group = lambda x, w, b, num_groups, eps: torch.ops.aten.group_norm(x, num_groups, w, b, eps)
    instance = lambda x, w, b, m, s, **a: torch.ops.aten.instance_norm(x, w, b, m, s, *a.values())

    def add(x, groups, given, eps=1e-5):
        family.add("group_norm", x, *given[:2], call=group, tolerance=NORM, attrs={"num_groups": groups, "eps": eps})

    def add_instance(x, given, own=True):
        family.add("instance_norm", x, *given, call=instance, tolerance=NORM, attrs={"use_input_stats": own, "momentum": 0.1, "eps": 1e-5, "cudnn_enabled": False})

    for name in v.FLOATS:
        for of_parameters in {name, "f32" if name != "f64" else name}:
            for which in ("wb", "w", "b", ""):
                given = parameters(of_parameters, 6, which)
                x = v.numbers(name, (2, 6, 5), "x")
                family.add("native_group_norm", x, *given[:2], call=native, tolerance=NORM, attrs={"N": 2, "C": 6, "HxW": 5, "group": 3, "eps": 1e-5})
                add(x, 2, given)
                if which in ("wb", ""):
                    add_instance(x, given)
        add_instance(v.numbers(name, (2, 6, 5), "x"), parameters(name, 6, "wbmv"), own=False)
    make = lambda n: v.numbers("f32", n, "x")
    for sizes in ((2, 6), (2, 6, 4, 3), (0, 6, 5), (2, 6, 0), (1, 6, 2, 2, 2)):
        for groups in (1, 3, 6):
            add(make(sizes), groups, parameters("f32", 6, "wb"))
        if len(sizes) > 2 and sizes[0] > 0:  # torch's instance_norm rejects some empty tensors
            add_instance(make(sizes), parameters("f32", 6, "w"))
    for layout in (v.transposed, v.stepped, v.expanded):
        add(layout(make, (2, 6, 5)), 3, parameters("f32", 6, "wb"), eps=0.5)
        add_instance(layout(make, (2, 6, 5)), parameters("f32", 6, "b"))
    x = make((2, 6, 5))
    family.add("native_group_norm", x, None, None, call=native, tolerance=NORM, attrs={"N": 1, "C": 6, "HxW": 10, "group": 3, "eps": 1e-5})
    for wrong in ({"HxW": 4}, {"group": 4}, {"group": 0}, {"N": 3}):
        family.add("native_group_norm", x, None, None, call=native, attrs={"N": 2, "C": 6, "HxW": 5, "group": 3, "eps": 1e-5} | wrong)
    for groups, given in ((4, parameters("f32", 6, "")), (0, parameters("f32", 6, "")), (3, parameters("f32", 5, "w")), (3, parameters("f64", 6, "w"))):
        add(x, groups, given)
    add(x[0, 0], 1, parameters("f32", 5, ""))
    add_instance(x, parameters("f32", 5, "w"))
    add_instance(x, parameters("f32", 6, "w"), own=False)
    add_instance(x[0, 0], parameters("f32", 5, ""))


def rms_norms(family):
    def add(x, w, tail, **eps):
        def norm(y, w, normalized_shape, eps=None):  # the default depends on the dtype: computed in double, it is that of x
            eps = torch.finfo(torch.float32).eps if eps is None and y.dtype != x.dtype else eps
            return torch.ops.aten.rms_norm(y, normalized_shape, w, eps)
        family.add("rms_norm", x, w, call=norm, tolerance=NORM, attrs={"normalized_shape": list(tail)} | eps)

    for name in v.FLOATS:
        for sizes, tail in [((3, 17), (17,)), ((2, 3, 5), (3, 5)), ((3, 1), (1,)), ((0, 5), (5,))]:
            x = v.numbers(name, sizes, "x")
            add(x, None, tail)
            add(x, v.numbers(name, tail, "weight"), tail, eps=1e-6)
        add(v.numbers(name, (5,), "x") / 4096, None, (5,))
        add(v.numbers(name, (2, 5), "x"), v.numbers("f32", (5,), "weight"), (5,), eps=0.5)
    add(v.transposed(lambda n: v.numbers("f32", n, "x"), (7, 5)), None, (5,))
    x = v.numbers("f32", (2, 6, 5), "x")
    for w, tail in ((None, (6,)), (None, ()), (v.numbers("f32", (6,)), (5,)), (v.numbers("f32", (5,)), (6, 5))):
        add(x, w, tail)


def rearranging(family):
    for name in v.ALL:
        x = v.numbers(name, (2, 3), "x")
        for op, attrs in (("repeat", {"repeats": [2, 1, 3]}), ("alias", {}), ("swapaxes", {"axis0": 0, "axis1": -1}), ("numpy_T", {})):
            family.add(op, x, attrs=attrs)
        family.add("type_as", x, v.numbers("i16", (1,)))
        family.add("reshape_as", x, torch.zeros(3, 2))
        family.add("multiply", x, v.numbers(name, (3,), "y"))
    make = lambda n: v.numbers("f32", n, "x")
    for sizes, repeats in (((2, 3), (2, 1)), ((2, 3), (1, 1)), ((2, 3), (0, 2)), ((), (2, 3)), ((), ()), ((0, 3), (2, 2)), ((1, 1), (3, 2)), ((3,), (2, 1, 2)),
                           ((2, 3), (2,)), ((2, 3), (-1, 2))):
        family.add("repeat", make(sizes), attrs={"repeats": list(repeats)})
    for layout in (v.transposed, v.stepped, v.expanded):
        x = layout(make, (2, 3, 4))
        family.add("repeat", x, attrs={"repeats": [1, 2, 1]})
        family.add("numpy_T", x)
        family.add("reshape_as", x, torch.zeros(6, 4))
        family.add("swapaxes", x, attrs={"axis0": 1, "axis1": 0})
        family.add("alias", x)
    for sizes in ((), (3,), (0, 2)):
        family.add("numpy_T", make(sizes))
        family.add("alias", make(sizes))
    family.add("reshape_as", make((2, 3)), torch.zeros(4))
    family.add("swapaxes", make((2, 3)), attrs={"axis0": 0, "axis1": 2})
    family.add("multiply", make((2, 3)), 2.5)
    family.add("multiply", make((2, 3)), make((2,)))
    for p, train in ((0.5, False), (0.0, True), (1.0, True), (1.5, False), (-0.5, True)):
        family.add("dropout", make((2, 3)), attrs={"p": p, "train": train}, call=torch.ops.aten.dropout)


def stacks(family):
    for op in ("hstack", "vstack", "dstack"):
        for name in v.ALL:
            family.add(op, [v.numbers(name, (2, 3), key) for key in "ab"])
        make = lambda *sizes: v.numbers("f32", sizes, op)
        for sizes in ((), (3,), (2, 3, 2), (0, 3), (1, 2, 3, 1)):
            family.add(op, [make(*sizes), make(*sizes) + 1])
        family.add(op, [make(3, 2).t()])
        family.add(op, [make(3), make(1, 3)])
        family.add(op, [make(3), torch.ones(3).int()])
        family.add(op, [make(), make(3)])
        family.add(op, [make(2, 3), make(3, 4)])
        family.add(op, [])


def sums(family):
    nan, inf = float("nan"), float("inf")
    for name in v.ALL:
        for sizes, dims in SHAPES if name == "f32" else rotate(SHAPES, 3, "nansum", name):
            x = v.numbers(name, sizes, "nansum")
            x = torch.where(v.numbers("bool", sizes, "nan"), x, nan).to(x.dtype) if v.is_float(name) else x
            for dim in dims:
                dim = None if dim is None else list(dim) if isinstance(dim, tuple) else [dim]
                family.add("nansum", x, attrs={"dim": dim, "keepdim": len(sizes) == 2}, tolerance=SUM)
        family.add("nansum", v.numbers(name, (3, 5), "nansum"), attrs={"dim": [1], "dtype": torch.float64}, tolerance=SUM)
    for row in ([nan, nan], [nan, inf, 1.0], [inf, -inf], []):
        family.add("nansum", torch.tensor(row), tolerance=SUM)
    x = v.numbers("f32", (3, 5), "nansum")
    family.add("nansum", v.transposed(lambda n: v.numbers("f32", n), (3, 5)), attrs={"dim": [1]}, tolerance=SUM)
    family.add("nansum", x, attrs={"dim": [2]})
    family.add("nansum", x, attrs={"dim": [0, 0]})


def choosing(family):
    take = lambda x, indices, dim=None: torch.ops.aten.take_along_dim(x, indices, dim)
    put = torch.ops.aten.masked_scatter
    mask = torch.tensor([[True, False, True], [False, True, False]])
    for name in v.ALL:
        x, source = v.numbers(name, (2, 3), "x"), v.numbers(name, (5,), "source")
        for at, dim in ((torch.tensor([[2, 0, -1]]), 1), (torch.tensor([[1, 0, 1]]), 0), (torch.tensor([[5, 0], [2, 2]]), None)):
            family.add("take_along_dim", x, at, call=take, attrs={"dim": dim})
        family.add("masked_scatter", x, mask, source)
    make = lambda n: v.numbers("f32", n, "x")
    x, source = make((2, 3)), make((9,))
    for layout in (v.transposed, v.stepped, v.expanded):
        family.add("take_along_dim", layout(make, (2, 3)), torch.tensor([[2, 0], [1, 1]]), call=take, attrs={"dim": 1})
        family.add("masked_scatter", layout(make, (2, 3)), mask, layout(make, (2, 3)))
    i = lambda *sizes: torch.zeros(sizes, dtype=torch.int64)
    for one, at, dim in ((x[:1], i(4, 5), 1), (x, i(2), 1), (x, i(3, 1), 1), (x, i(2, 1) + 3, 1), (x, i(2, 1), 2), (make((0, 3)), i(0, 2), 1), (x, i(2, 0), -1)):
        family.add("take_along_dim", one, at, call=take, attrs={"dim": dim})
    for one, where, values in ((x, mask[0], source), (x[0], mask, source), (x, mask & False, source[:0]), (x, mask, source[:3]), (x, mask, source[:2]),
                               (x, mask, source.double()), (x, i(2).bool(), source), (make((0, 3)), mask[:0], source), (make(()), torch.tensor(True), source)):
        family.add("masked_scatter", one, where, values)
    family.add("masked_scatter", x, mask.to(torch.uint8), source)


def batches(family):
    scaled = lambda c, a, b, beta, alpha: torch.ops.aten.baddbmm(c, a, b, beta=beta, alpha=alpha)
    add = lambda *inputs: family.add("baddbmm", *inputs, tolerance=PRODUCT, call=scaled if len(inputs) > 3 else None)
    for name in DTYPES:
        a, b = v.numbers(name, (2, 3, 4), "a"), v.numbers(name, (2, 4, 5), "b")
        for sizes in ((5,), (2, 3, 5), (2, 1, 5), ()) if name == "f32" else ((5,), (2, 3, 5)):
            add(v.numbers(name, sizes, "c"), a, b)
        add(v.numbers(name, (5,), "c"), a, b, 2, -1)
    a, b, c = (v.numbers("f32", sizes) for sizes in ((2, 3, 4), (2, 4, 5), (5,)))
    add(torch.full((5,), float("nan")), a, b, 0, 0.5)
    add(c, a[:, :, :0], b[:, :0], 0.5, 2)
    add(c, a[:0], b[:0])
    for wrong in ((c[:4], a, b), (c.double(), a, b), (c, a, b.double()), (c, a[0], b[0]), (c, a, b[:1]), (c, a, b[:, :3])):
        family.add("baddbmm", *wrong)


def norms():
    family = Family("norms")
    for part in (batch_norms, group_norms, rms_norms, rearranging, stacks, sums, choosing, batches):
        part(family)
    return family
