"""Flip, padding, pools, patches and resampling: ops that read the neighbourhood of an element."""
import torch

from . import values as v
from .samples import EQUAL, Family, Tolerance

MEAN = Tolerance(ulps=2, relative=4, absolute=4)
BETWEEN = Tolerance(ulps=4, relative=16, absolute=16)
IMAGE = (1, 2, 6, 7)


def flips(family):
    for name in v.ALL:
        family.add("flip", v.hard(name, 40).reshape(8, 5), attrs=dict(dims=[0]))
    for sizes, every in (((3, 4, 5), ([0], [1], [-1], [0, 2], [1, 0, 2], [])), ((17,), ([0],)), ((), ([], [0])), ((0, 3), ([0, 1],))):
        for dims in every:
            family.add("flip", v.numbers("f32", sizes), attrs=dict(dims=dims))
    for layout, sizes in ((v.transposed, (17, 3)), (v.stepped, (3, 5)), (v.expanded, (5, 7)), (v.swapped, (2, 3, 4))):
        for dims in ([0], [0, 1]):
            family.add("flip", layout(lambda n: v.numbers("f32", n), sizes), attrs=dict(dims=dims))
    for dims in ([2], [0, -2]):
        family.add("flip", v.numbers("f32", (3, 5)), attrs=dict(dims=dims))


def pads(family):
    for name in v.ALL:
        x = v.numbers(name, (2, 3, 5))
        for pad in ([1, 2], [0, 1, 2, 0], [-1, 2], [1, 1, 0, 0, 2, 1]) if name == "f32" else ([1, 2, 0, 1],):
            family.add("constant_pad_nd", x, attrs=dict(pad=pad))
            family.add("constant_pad_nd", x, attrs=dict(pad=pad, value=3 if name != "bool" else 1))
    x = v.numbers("f32", (2, 3, 5))
    for pad in ([], [-5, 0], [-6, 0], [-2, -3], [1], [1, 1, 1, 1, 1, 1, 1, 1], [-1, -1, -1, -1], [20, 17]):
        family.add("constant_pad_nd", x, attrs=dict(pad=pad, value=-0.5))
    for value in (float("nan"), float("inf")):
        family.add("constant_pad_nd", x, attrs=dict(pad=[1, 1], value=value))
    family.add("constant_pad_nd", v.numbers("f32", (0, 3)), attrs=dict(pad=[1, 1, 2, 2], value=7))
    for layout, sizes in ((v.transposed, (17, 3)), (v.stepped, (3, 5)), (v.expanded, (5, 7))):
        family.add("constant_pad_nd", layout(lambda n: v.numbers("f32", n), sizes), attrs=dict(pad=[2, 1, 1, 0], value=2.5))
    for dims in (1, 2, 3):
        for op in ("reflection_pad", "replication_pad"):
            op = f"{op}{dims}d"
            every = ([2, 1] * dims, [1, 0] * dims, [0, 0] * dims, [-1, 2] * dims, [3, -1] * dims)
            for name in v.FLOATS + ["i64"]:
                for padding in every if name == "f32" else every[dims : dims + 1]:
                    family.add(op, v.numbers(name, (1, 2, 4, 5, 4)[: 2 + dims]), attrs=dict(padding=padding))
            family.add(op, v.numbers("f32", (2, 4, 5, 4)[: 1 + dims]), attrs=dict(padding=every[0]))
            family.add(op, v.numbers("f32", (1, 1, 2, 2)[: 1 + dims] + (40,)), attrs=dict(padding=[17, 3] + [1, 1] * (dims - 1)))
            family.add(op, v.numbers("f32", (2, 3, 4, 4, 4)[: 2 + dims]), attrs=dict(padding=[1] * (2 * dims - 1)))
            family.add(op, v.numbers("f32", (3, 3)[:dims]), attrs=dict(padding=[1, 1] * dims))
        family.add(f"reflection_pad{dims}d", v.numbers("f32", (2, 3, 4, 4, 4)[: 2 + dims]), attrs=dict(padding=[4, 0] + [0, 0] * (dims - 1)))
    for mode in ("constant", "reflect", "replicate"):
        family.add("pad", v.numbers("f32", IMAGE), attrs=dict(pad=[1, 2, 0, 3], mode=mode))
    family.add("pad", v.numbers("f32", IMAGE), attrs=dict(pad=[1, 2], mode="constant", value=-1.0))


def pools(family):
    shapes = [dict(kernel_size=[2, 2]), dict(kernel_size=[3, 3], stride=[2, 2], padding=[1, 1]), dict(kernel_size=[3, 2], stride=[1, 3]),
              dict(kernel_size=[2, 3], stride=[2, 2], padding=[0, 1], ceil_mode=True), dict(kernel_size=[3], stride=[2], ceil_mode=True),
              dict(kernel_size=[6, 7]), dict(kernel_size=[2, 2], stride=[3, 3], padding=[1, 1], ceil_mode=True)]
    for name in v.FLOATS + v.INTEGERS:
        x = v.numbers(name, IMAGE)
        for shape in shapes if name == "f32" else shapes[1:2]:
            for op in ("max_pool2d", "max_pool2d_with_indices"):
                family.add(op, x, attrs=shape, tolerance=EQUAL)
            if v.is_float(name):
                family.add("avg_pool2d", x, attrs=shape, tolerance=MEAN)
    x = v.numbers("f32", IMAGE)
    for shape in shapes:
        for more in (dict(count_include_pad=False), dict(divisor_override=5)):
            family.add("avg_pool2d", x, attrs=shape | more, tolerance=MEAN)
    for op in ("max_pool2d", "max_pool2d_with_indices"):
        for shape in (dict(kernel_size=[2, 2], dilation=[2, 1]), dict(kernel_size=[3, 2], padding=[1, 1], dilation=[2, 3], stride=[1, 1])):
            family.add(op, x, attrs=shape, tolerance=EQUAL)
        # Windows whose taps are all in the padding: -inf, and the first index.
        missing = dict(kernel_size=[2, 2], padding=[1, 1], dilation=[3, 4], stride=[1, 1])
        for sizes in ((2, 2, 2), (1, 2, 3), (1, 3, 3), (2, 3, 4), (1, 7, 5)):
            family.add(op, v.numbers("f32", sizes), attrs=missing, tolerance=EQUAL)
        family.add(op, v.numbers("i64", (2, 2, 3)), attrs=missing, tolerance=EQUAL)
        family.add(op, v.numbers("f32", (1, 5, 4)), attrs=missing | dict(stride=[2, 2], ceil_mode=True), tolerance=EQUAL)
        family.add(op, x, attrs=dict(kernel_size=[3, 3], padding=[2, 2], dilation=[3, 3]))
    nan, inf = float("nan"), float("inf")
    odd = torch.tensor([[1, nan, 2, nan, 5], [nan, nan, 0, 3, 3], [-inf, -inf, -inf, 3, 3], [-inf, -inf, -inf, inf, 1]])[None]
    for op in ("max_pool2d", "max_pool2d_with_indices", "avg_pool2d"):
        family.add(op, odd, attrs=dict(kernel_size=[2, 2], stride=[1, 1], padding=[1, 1]), tolerance=EQUAL if op != "avg_pool2d" else MEAN)
        for bad in (dict(kernel_size=[0, 1]), dict(kernel_size=[2, 2], stride=[0, 1]), dict(kernel_size=[2, 2], padding=[2, 2]), dict(kernel_size=[9, 2]),
                    dict(kernel_size=[2, 2], padding=[-1, 0])):
            family.add(op, x, attrs=bad)
        family.add(op, v.numbers("f32", (3, 4)), attrs=dict(kernel_size=[2, 2]))
        family.add(op, v.numbers("f32", (1, 11, 70)), attrs=dict(kernel_size=[3, 3], stride=[2, 2], padding=[1, 1]), tolerance=EQUAL if op != "avg_pool2d" else MEAN)
        family.add(op, v.transposed(lambda n: v.numbers("f32", n), (4, 20))[None], attrs=dict(kernel_size=[3, 3], stride=[1, 1]), tolerance=EQUAL if op != "avg_pool2d" else MEAN)
    for op in ("max_pool2d", "avg_pool2d"):
        family.add(op, v.numbers("f32", (1, 20, 21)), attrs=dict(kernel_size=[9, 9], stride=[5, 4], padding=[4, 4]), tolerance=EQUAL if op != "avg_pool2d" else MEAN)
    row = v.numbers("f32", (1, 2, 40))
    for shape in (dict(kernel_size=[3]), dict(kernel_size=[4], stride=[3], padding=[1]), dict(kernel_size=[3], stride=[2], ceil_mode=True)):
        family.add("max_pool1d", row, attrs=shape, tolerance=EQUAL)
        family.add("avg_pool1d", row, attrs=shape, tolerance=MEAN)
    for size in ([1, 1], [2, 7], [3, 1]):
        family.add("adaptive_avg_pool2d", x, attrs=dict(output_size=size), tolerance=MEAN)
    family.add("adaptive_avg_pool1d", row, attrs=dict(output_size=[8]), tolerance=MEAN)


def patches(family):
    for name in v.FLOATS:
        x = v.numbers(name, IMAGE)
        for shape in (dict(kernel_size=[2, 3], dilation=[1, 1], padding=[0, 0], stride=[1, 1]), dict(kernel_size=[3, 3], dilation=[1, 2], padding=[1, 2], stride=[2, 1])):
            family.add("im2col", x, attrs=shape)
    family.add("im2col", v.numbers("f32", (3, 6, 7)), attrs=dict(kernel_size=[2, 2], dilation=[1, 1], padding=[0, 0], stride=[2, 2]))
    family.add("im2col", v.numbers("f32", (1, 1, 2, 2)), attrs=dict(kernel_size=[3, 3], dilation=[1, 1], padding=[0, 0], stride=[1, 1]))
    for shape in (dict(dimension=0, size=2, step=1), dict(dimension=-1, size=3, step=2), dict(dimension=1, size=7, step=9), dict(dimension=1, size=0, step=1),
                  dict(dimension=1, size=8, step=1), dict(dimension=1, size=2, step=0)):
        family.add("unfold", v.numbers("f32", (5, 7)), attrs=shape)


def resampled(family):
    x = v.numbers("f32", IMAGE)
    for size in ([12, 14], [3, 2], [6, 7], [11, 20], [1, 1]):
        family.add("upsample_nearest2d", x, attrs=dict(output_size=size))
        for align in (False, True):
            family.add("upsample_bilinear2d", x, attrs=dict(output_size=size, align_corners=align), tolerance=BETWEEN)
    for name in ("f64", "f16", "bf16"):
        y = v.numbers(name, IMAGE)
        family.add("upsample_nearest2d", y, attrs=dict(output_size=[9, 5]))
        family.add("upsample_bilinear2d", y, attrs=dict(output_size=[9, 5], align_corners=False), tolerance=BETWEEN)
    family.add("upsample_nearest2d", x, attrs=dict(output_size=[12, 15], scales_h=2.0, scales_w=2.2))
    family.add("upsample_nearest1d", v.numbers("f32", (2, 3, 9)), attrs=dict(output_size=[22]))
    # A size that stays or doubles, with a scale that contradicts it.
    for size, scales in (([6, 14], dict(scales_h=1.05, scales_w=2.1)), ([12, 7], dict(scales_h=1.9, scales_w=1.1)), ([6, 7], dict(scales_h=0.9))):
        family.add("upsample_nearest2d", x, attrs=dict(output_size=size) | scales)
        family.add("upsample_bilinear2d", x, attrs=dict(output_size=size, align_corners=False) | scales, tolerance=BETWEEN)
        family.add("upsample_bilinear2d", x, attrs=dict(output_size=size, align_corners=True) | scales, tolerance=BETWEEN)
    for size, scale in ((9, 1.3), (18, 2.1)):
        family.add("upsample_nearest1d", v.numbers("f32", (2, 3, 9)), attrs=dict(output_size=[size], scales=scale))
    odd = x.clone()
    odd[0, 0, 1, 2], odd[0, 0, 4, 5], odd[0, 1, 3, 3] = float("inf"), float("nan"), -float("inf")
    for size in ([6, 7], [6, 14], [12, 7]):
        family.add("upsample_bilinear2d", odd, attrs=dict(output_size=size, align_corners=False), tolerance=BETWEEN)
        family.add("upsample_nearest2d", odd, attrs=dict(output_size=size))


def windows():
    family = Family("windows")
    flips(family)
    pads(family)
    pools(family)
    patches(family)
    resampled(family)
    return family
