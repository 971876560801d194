"""Pools of all ranks and their gradients, resizing, sampling at any places, and moving elements between channels and planes."""
import torch

from . import values as v
from .samples import EQUAL, Family, Tolerance

MEAN = Tolerance(ulps=2, relative=8, absolute=8)
BETWEEN = Tolerance(ulps=4, relative=32, absolute=32)
FAR = Tolerance(ulps=4, relative=256, absolute=512)  # places are rounded in f32 before they are multiplied by sizes
VOLUME = (1, 2, 5, 6, 4)
NAN, INF = float("nan"), float("inf")

aten = torch.ops.aten


def without(names, *left_out):
    return [name for name in names if name not in left_out]


def pools(family):
    shapes = [dict(kernel_size=[2, 2, 2]), dict(kernel_size=[3, 3, 2], stride=[2, 2, 1], padding=[1, 1, 1]),
              dict(kernel_size=[2], stride=[3], padding=[1], ceil_mode=True), dict(kernel_size=[2, 3, 2], stride=[2, 1, 3], padding=[0, 1, 0], ceil_mode=True),
              dict(kernel_size=[5, 6, 4]), dict(kernel_size=3)]
    for name in v.FLOATS + v.INTEGERS:
        x = v.numbers(name, VOLUME)
        for shape in shapes if name == "f32" else shapes[1:2]:
            for op in ("max_pool3d", "max_pool3d_with_indices"):
                family.add(op, x, attrs=shape, tolerance=EQUAL)
            if name in ("f32", "f64"):
                family.add("avg_pool3d", x, attrs=shape, tolerance=MEAN)
    x = v.numbers("f32", VOLUME)
    for shape in shapes[:4]:
        for more in (dict(count_include_pad=False), dict(divisor_override=5)):
            family.add("avg_pool3d", x, attrs=shape | more, tolerance=MEAN)
    odd = torch.tensor([[[1, NAN, 2, NAN], [NAN, NAN, 0, 3]], [[-INF, -INF, -INF, 3], [-INF, -INF, -INF, INF]]])[None]
    for op in ("max_pool3d", "max_pool3d_with_indices"):
        family.add(op, x, attrs=dict(kernel_size=[2, 2, 1], dilation=[2, 3, 1]), tolerance=EQUAL)
        missing = dict(kernel_size=[2, 2, 2], padding=[1, 1, 1], dilation=[3, 4, 3], stride=[1, 1, 1])
        for sizes in ((2, 2, 2, 2), (1, 3, 2, 4)):
            family.add(op, v.numbers("f32", sizes), attrs=missing, tolerance=EQUAL)
        family.add(op, odd, attrs=dict(kernel_size=[2, 2, 2], stride=[1, 1, 1], padding=[1, 1, 1]), tolerance=EQUAL)
    for op in ("max_pool3d", "max_pool3d_with_indices", "avg_pool3d"):
        for bad in (dict(kernel_size=[0, 1, 1]), dict(kernel_size=[2, 2, 2], stride=[0, 1, 1]), dict(kernel_size=[2, 2, 2], padding=[2, 2, 2]), dict(kernel_size=[9, 2, 2])):
            family.add(op, x, attrs=bad)
        family.add(op, v.numbers("f32", (3, 4, 4)), attrs=dict(kernel_size=[2, 2, 2]))
        family.add(op, v.numbers("f32", (0, 2, 3, 3, 3)), attrs=dict(kernel_size=[2, 2, 2]), tolerance=EQUAL)
    for op in ("max_pool3d", "avg_pool3d"):  # large kernels
        family.add(op, v.numbers("f32", (1, 8, 9, 10)), attrs=dict(kernel_size=[4, 5, 5], stride=[3, 2, 2], padding=[2, 2, 1]), tolerance=EQUAL if op == "max_pool3d" else MEAN)
    row = v.numbers("f32", (2, 3, 17))
    for shape in (dict(kernel_size=[3]), dict(kernel_size=[4], stride=[3], padding=[1]), dict(kernel_size=[3], stride=[2], ceil_mode=True), dict(kernel_size=[2], dilation=[3])):
        family.add("max_pool1d_with_indices", row, attrs=shape, tolerance=EQUAL)
        family.add("max_pool1d", row[0], attrs=shape, tolerance=EQUAL)
    family.add("avg_pool1d", row[0], attrs=dict(kernel_size=[3], stride=[2], padding=[1], ceil_mode=True, count_include_pad=False), tolerance=MEAN)
    for op in ("max_pool1d", "max_pool1d_with_indices", "avg_pool1d"):
        family.add(op, v.numbers("f32", (4,)), attrs=dict(kernel_size=[2]))
        family.add(op, row, attrs=dict(kernel_size=[18]))


def adaptive(family):
    image, row, volume = v.numbers("f32", (2, 3, 7, 10)), v.numbers("f32", (1, 2, 11)), v.numbers("f32", (1, 2, 5, 4, 6))
    odd = torch.tensor([[NAN, 1, NAN, 2, 2], [-INF, -INF, -INF, -INF, -INF], [3, 3, 1, 3, NAN]])[None]
    for kind, tolerance in (("avg", MEAN), ("max", EQUAL)):
        op = f"adaptive_{kind}_pool"
        for size in ([1, 1], [7, 10], [3, 4], [2, 5], [5, 3], [9, 12], [1, 4], [7, 3], [0, 2]):
            family.add(op + "2d", image, attrs=dict(output_size=size), tolerance=tolerance)
        for size in ([1], [4], [11], [13], [3]):
            family.add(op + "1d", row, attrs=dict(output_size=size), tolerance=tolerance)
        for size in ([1, 1, 1], [2, 3, 4], [5, 2, 3], [5, 4, 3], [7, 7, 7]):
            family.add(op + "3d", volume, attrs=dict(output_size=size), tolerance=tolerance)
        for name in without(v.FLOATS, "f32"):
            family.add(op + "2d", v.numbers(name, (1, 2, 5, 7)), attrs=dict(output_size=[3, 4]), tolerance=tolerance)
            family.add(op + "3d", v.numbers(name, (1, 2, 5, 4, 3)), attrs=dict(output_size=[3, 2, 2]), tolerance=tolerance)
        family.add(op + "2d", image[0], attrs=dict(output_size=[3, 4]), tolerance=tolerance)
        family.add(op + "1d", row[0], attrs=dict(output_size=[4]), tolerance=tolerance)
        family.add(op + "3d", volume[0], attrs=dict(output_size=[3, 2, 4]), tolerance=tolerance)
        for size in ([1, 1], [2, 2], [3, 5], [1, 3]):
            family.add(op + "2d", odd, attrs=dict(output_size=size), tolerance=tolerance)
        family.add(op + "2d", v.numbers("f32", (0, 2, 5, 5)), attrs=dict(output_size=[2, 3]), tolerance=tolerance)
        family.add(op + "2d", v.swapped(lambda n: v.numbers("f32", n), (2, 3, 5)), attrs=dict(output_size=[2, 3]), tolerance=tolerance)
        family.add(op + "2d", v.numbers("f32", (1, 2, 0, 5)), attrs=dict(output_size=[2, 3]))
        family.add(op + "2d", image, attrs=dict(output_size=[3, -1]))
        family.add(op + "2d", v.numbers("f32", (4, 5)), attrs=dict(output_size=[2, 2]))
    for dims, x in ((2, image), (3, volume)):
        family.add(f"_adaptive_avg_pool{dims}d", x, attrs=dict(output_size=[3] * dims), tolerance=MEAN)


def backward(family):
    for dims, x in ((2, v.numbers("f32", (1, 2, 7, 8))), (3, v.numbers("f32", (1, 2, 4, 5, 6)))):
        for kernel in (dict(kernel_size=[3, 2, 2], stride=[2, 1, 2], padding=[1, 1, 0]), dict(kernel_size=[2, 2, 2], stride=[], padding=[0, 0, 0]),
                       dict(kernel_size=[3, 3, 3], stride=[2, 2, 2], padding=[1, 0, 1], ceil_mode=True)):
            kernel = {k: a[-dims:] if isinstance(a, list) else a for k, a in kernel.items()}
            for name in ("f32", "f64"):
                y = x.to(v.DTYPES[name])
                with_ceil = dict(ceil_mode=False) | kernel
                for more in (dict(count_include_pad=True, divisor_override=None), dict(count_include_pad=False, divisor_override=None), dict(count_include_pad=True, divisor_override=3)):
                    g = v.numbers(name, getattr(aten, f"avg_pool{dims}d")(y, **kernel).shape, "g")
                    family.add(f"avg_pool{dims}d_backward", g, y, attrs=with_ceil | more, tolerance=MEAN)
                out, indices = getattr(aten, f"max_pool{dims}d_with_indices")(y, **kernel)
                op = getattr(aten, f"max_pool{dims}d_with_indices_backward")
                call = lambda g, x, i, op=op, **a: op(g, x, a["kernel_size"], a["stride"], a["padding"], a["dilation"], a["ceil_mode"], i)
                family.add(f"max_pool{dims}d_with_indices_backward", v.numbers(name, out.shape, "g"), y, indices, attrs=with_ceil | dict(dilation=[1] * dims), call=call, tolerance=MEAN)
        for sizes in ([3, 4, 5][:dims], [2, 1, 3][:dims], list(x.shape[2:]), [9, 9, 9][:dims]):
            family.add(f"_adaptive_avg_pool{dims}d_backward", v.numbers("f32", (1, 2, *sizes), "g"), x, tolerance=MEAN)
            out, indices = getattr(aten, f"adaptive_max_pool{dims}d")(x, sizes)
            family.add(f"adaptive_max_pool{dims}d_backward", v.numbers("f32", out.shape, "g"), x, indices, tolerance=MEAN)
    x = v.numbers("f32", (1, 2, 6, 6))
    family.add("avg_pool2d_backward", v.numbers("f32", (1, 2, 2, 2)), x,
               attrs=dict(kernel_size=[2, 2], stride=[2, 2], padding=[0, 0], ceil_mode=False, count_include_pad=True, divisor_override=None))
    for name in ("f16", "bf16"):
        family.add("_adaptive_avg_pool2d_backward", v.numbers(name, (1, 2, 4, 5), "g"), v.numbers(name, (1, 2, 6, 6)), tolerance=MEAN)


def columns(family):
    for name in v.FLOATS + ["bool"]:
        for kernel in (dict(kernel_size=[2, 3], dilation=[1, 1], padding=[0, 0], stride=[1, 1]), dict(kernel_size=[3, 3], dilation=[1, 2], padding=[1, 2], stride=[2, 1]),
                       dict(kernel_size=[2, 2], dilation=[1, 1], padding=[1, 1], stride=[3, 3])) if name != "bool" else ():
            count = aten.im2col(torch.zeros(1, 1, 6, 7), **kernel).shape[-1]
            rows = 2 * kernel["kernel_size"][0] * kernel["kernel_size"][1]
            family.add("col2im", v.numbers(name, (1, rows, count)), attrs=dict(output_size=[6, 7]) | kernel, tolerance=MEAN)
    plain = dict(kernel_size=[2, 2], dilation=[1, 1], padding=[0, 0], stride=[2, 2])
    family.add("col2im", v.numbers("f32", (8, 9)), attrs=dict(output_size=[6, 6]) | plain, tolerance=MEAN)
    family.add("col2im", v.numbers("f32", (8, 8)), attrs=dict(output_size=[6, 6]) | plain)
    family.add("col2im", v.numbers("f32", (7, 9)), attrs=dict(output_size=[6, 6]) | plain)
    family.add("col2im", v.numbers("f32", (8, 9)), attrs=dict(output_size=[1, 6]) | plain)
    for name in v.FLOATS:
        x = v.numbers(name, (1, 2, 4, 6))
        out, indices = aten.max_pool2d_with_indices(x, [2, 2])
        family.add("max_unpool2d", out, indices, attrs=dict(output_size=[4, 6]))
    family.add("max_unpool2d", out[0], indices[0], attrs=dict(output_size=[5, 7]))
    family.add("max_unpool2d", out, indices, attrs=dict(output_size=[2, 2]))
    family.add("max_unpool2d", out, indices[:, :1], attrs=dict(output_size=[4, 6]))


def circular(family):
    for name in v.ALL:
        family.add("_pad_circular", v.numbers(name, (1, 2, 3, 4)), attrs=dict(pad=[1, 2, 0, 3]))
    for sizes, pad in (((2, 4), [1, 1]), ((1, 2, 4), [4, 4]), ((1, 2, 4), [5, 0]), ((1, 2, 4), [-1, 2]), ((1, 2, 4), [3, -1]), ((1, 1, 2, 3, 4), [1, 2, 1, 0, 2, 1]), ((4,), [1, 1]),
                       ((0, 2, 4), [1, 1]), ((1, 2, 4), [-3, -2]), ((1, 2, 4), [1])):
        family.add("_pad_circular", v.numbers("f32", sizes), attrs=dict(pad=pad))
    x = v.numbers("f32", (1, 2, 3, 4))
    family.add("pad", x, attrs=dict(pad=[1, 2, 0, 3], mode="circular"))
    family.add("pad", x, attrs=dict(pad=[1, 2, 0, 1], mode="reflect", value=0.0))
    family.add("pad", x, attrs=dict(pad=[1, 2, 0, 1], mode="circular", value=1.0))


def resized(family):
    row, image, volume = v.numbers("f32", (2, 3, 7)), v.numbers("f32", (1, 2, 5, 6)), v.numbers("f32", (1, 2, 3, 4, 3))
    nearest = {"upsample_nearest{}d": "", "_upsample_nearest_exact{}d": ""}
    for op in nearest:
        for size in ([14], [3], [7], [10], [1]):
            family.add(op.format(1), row, attrs=dict(output_size=size))
        family.add(op.format(1), row, attrs=dict(output_size=[9], scales=1.4))
        for size in ([10, 12], [3, 4], [5, 9], [1, 13]):
            family.add(op.format(2), image, attrs=dict(output_size=size))
        family.add(op.format(2), image, attrs=dict(output_size=[10, 6], scales_h=2.2, scales_w=1.1))
        for size in ([6, 8, 6], [2, 5, 3]):
            family.add(op.format(3), volume, attrs=dict(output_size=size))
        family.add(op.format(3), volume, attrs=dict(output_size=[3, 8, 6], scales_d=1.2, scales_h=1.9, scales_w=2.3))
        for name in without(v.FLOATS, "f32") + ["u8"]:
            family.add(op.format(2), v.numbers(name, (1, 1, 3, 4)), attrs=dict(output_size=[5, 3]))
        family.add(op.format(1), v.numbers("f32", (0, 2, 4)), attrs=dict(output_size=[3]))
        family.add(op.format(1), v.numbers("f32", (2, 0, 4)), attrs=dict(output_size=[3]))
        family.add(op.format(2), image, attrs=dict(output_size=[0, 3]))
        family.add(op.format(2), image, attrs=dict(output_size=None, scale_factors=[1.6, 0.7]), call=lambda x, op=op, **a: getattr(aten, op.format(2)).vec(x, a["output_size"], a["scale_factors"]))
    for op, x, sizes in (("upsample_linear1d", row, ([14], [3], [7], [10], [1])), ("upsample_trilinear3d", volume, ([6, 8, 6], [2, 5, 3], [1, 4, 7])),
                         ("upsample_bicubic2d", image, ([10, 12], [3, 4], [5, 9], [1, 13], [5, 6]))):
        for align in (False, True):
            for size in sizes:
                family.add(op, x, attrs=dict(output_size=size, align_corners=align), tolerance=BETWEEN)
            scales = {"upsample_linear1d": dict(output_size=[9], scales=1.4), "upsample_bicubic2d": dict(output_size=[9, 6], scales_h=1.7, scales_w=1.1)}
            if op in scales:
                family.add(op, x, attrs=scales[op] | dict(align_corners=align), tolerance=BETWEEN)
        for name in without(v.FLOATS, "f32"):
            family.add(op, x.to(v.DTYPES[name]), attrs=dict(output_size=[5] * (x.dim() - 2), align_corners=False), tolerance=BETWEEN)
        family.add(op, v.numbers("f32", (0, *x.shape[1:])), attrs=dict(output_size=sizes[0], align_corners=False))
        family.add(op, x[0], attrs=dict(output_size=sizes[0], align_corners=False))
    for op in ("_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"):
        for align in (False, True):
            for size in ([3, 2], [5, 6], [9, 3], [2, 13], [1, 1]):
                family.add(op, image, attrs=dict(output_size=size, align_corners=align), tolerance=BETWEEN)
        family.add(op, image, attrs=dict(output_size=[3, 4], align_corners=False, scales_h=0.7, scales_w=0.8), tolerance=BETWEEN)
        family.add(op, image.double(), attrs=dict(output_size=[3, 2], align_corners=False), tolerance=BETWEEN)
        family.add(op, v.numbers("f32", (1, 1, 40, 3)), attrs=dict(output_size=[4, 3], align_corners=False), tolerance=BETWEEN)
    for op, x in (("upsample_linear1d", row), ("upsample_bicubic2d", image), ("upsample_trilinear3d", volume), ("_upsample_bilinear2d_aa", image), ("_upsample_bicubic2d_aa", image)):
        factors = [0.6, 1.7, 0.7][: x.dim() - 2]
        family.add(op, x, attrs=dict(output_size=None, align_corners=False, scale_factors=factors), tolerance=BETWEEN,
                   call=lambda x, op=op, **a: getattr(aten, op).vec(x, a["output_size"], a["align_corners"], a["scale_factors"]))


def sampled(family):
    x, volume = v.numbers("f32", (2, 2, 4, 5)), v.numbers("f32", (1, 2, 3, 4, 3))
    grid, places = v.numbers("f32", (2, 3, 4, 2), low=-1.7, high=1.7), v.numbers("f32", (1, 2, 3, 2, 3), low=-1.7, high=1.7)
    corners = torch.tensor([[[-1.0, -1.0], [1.0, 1.0], [0.0, 0.0], [-1.0, 1.0], [0.5, -3.0], [1e6, 0.3]]])[None]
    for align in (False, True):
        for padding in (0, 1, 2):
            for mode in (0, 1, 2):
                attrs = dict(interpolation_mode=mode, padding_mode=padding, align_corners=align)
                family.add("grid_sampler_2d", x, grid, attrs=attrs, tolerance=FAR)
                family.add("grid_sampler_2d", x[:1], corners[..., :5, :], attrs=attrs, tolerance=FAR)
                if mode < 2:
                    family.add("grid_sampler_3d", volume, places, attrs=attrs, tolerance=FAR)
    plain = dict(interpolation_mode=0, padding_mode=0, align_corners=False)
    family.add("grid_sampler_2d", x[:1], corners, attrs=plain, tolerance=FAR)
    family.add("grid_sampler", x, grid, attrs=plain, tolerance=FAR)
    family.add("grid_sampler", volume, places, attrs=plain, tolerance=FAR)
    family.add("grid_sampler", volume, places, attrs=plain | dict(interpolation_mode=2))
    family.add("grid_sampler_2d", x.double(), grid.double(), attrs=plain, tolerance=BETWEEN)
    family.add("grid_sampler_2d", v.numbers("f32", (1, 1, 1, 1)), corners, attrs=plain | dict(padding_mode=2, align_corners=True), tolerance=FAR)
    for a, b in (((0, 2, 3, 4), (0, 2, 2, 2)), ((1, 0, 3, 4), (1, 2, 2, 2)), ((1, 2, 0, 4), (1, 2, 2, 2)), ((1, 2, 3, 4), (1, 0, 2, 2)), ((1, 2, 3, 4), (2, 2, 2, 2)), ((1, 2, 3, 4), (1, 2, 2, 3))):
        family.add("grid_sampler_2d", v.numbers("f32", a), v.numbers("f32", b), attrs=plain, tolerance=FAR)
    family.add("grid_sampler_2d", x, grid.double(), attrs=plain, refused=True)
    for align in (False, True):
        family.add("affine_grid_generator", v.numbers("f32", (2, 2, 3)), attrs=dict(size=[2, 3, 4, 5], align_corners=align), tolerance=BETWEEN)
        family.add("affine_grid_generator", v.numbers("f64", (1, 3, 4)), attrs=dict(size=[1, 1, 2, 3, 4], align_corners=align), tolerance=BETWEEN)
        family.add("affine_grid_generator", v.numbers("f32", (1, 2, 3)), attrs=dict(size=[1, 1, 1, 1], align_corners=align), tolerance=BETWEEN)
    family.add("affine_grid_generator", v.numbers("f32", (1, 2, 3)), attrs=dict(size=[2, 1, 2, 2], align_corners=False))
    family.add("affine_grid_generator", v.numbers("f32", (1, 2, 2)), attrs=dict(size=[1, 1, 2, 2], align_corners=False))


def shuffles(family):
    for name in v.ALL:
        family.add("pixel_shuffle", v.numbers(name, (1, 8, 2, 3)), attrs=dict(upscale_factor=2))
        family.add("pixel_unshuffle", v.numbers(name, (1, 2, 4, 6)), attrs=dict(downscale_factor=2))
        family.add("channel_shuffle", v.numbers(name, (1, 6, 2, 2)), attrs=dict(groups=3))
    for sizes in ((9, 1, 1), (0, 9, 2, 2), (2, 9, 0, 3), (2, 7, 3, 3), (9, 3), (1, 2, 9, 2, 2)):
        family.add("pixel_shuffle", v.numbers("f32", sizes), attrs=dict(upscale_factor=3))
    for sizes in ((2, 3, 6), (1, 2, 2, 3, 3), (2, 4, 3), (3, 3)):
        family.add("pixel_unshuffle", v.numbers("f32", sizes), attrs=dict(downscale_factor=3))
    for sizes in ((2, 4, 3), (0, 4, 2, 2), (2, 5, 2, 2), (4, 4), (1, 4, 2, 1, 3)):
        family.add("channel_shuffle", v.numbers("f32", sizes), attrs=dict(groups=2))
    for factor in (1, 0, -1):
        family.add("pixel_shuffle", v.numbers("f32", (1, 4, 2, 2)), attrs=dict(upscale_factor=factor))
        family.add("pixel_unshuffle", v.numbers("f32", (1, 4, 2, 2)), attrs=dict(downscale_factor=factor))
        family.add("channel_shuffle", v.numbers("f32", (1, 4, 2, 2)), attrs=dict(groups=factor))


def pooling():
    family = Family("pooling")
    for part in (pools, adaptive, backward, columns, circular, resized, sampled, shuffles):
        part(family)
    return family


def gradients(family, real):
    """Of functions by the gradients of their ops, of pools by formulas; added to the family of gradients."""
    kernels = [{"kernel_size": [2, 2, 2]}, {"kernel_size": [3, 2, 2], "stride": [2, 1, 1], "padding": [1, 1, 0]}, {"kernel_size": [2], "stride": [2], "padding": [1], "ceil_mode": True}]
    for kernel in kernels:
        for op in ("max_pool3d", "max_pool3d_with_indices"):
            family.add(op, real(1, 2, 3, 4, 3, key=op), attrs=kernel)
        for more in ({}, {"count_include_pad": False}, {"divisor_override": 3}):
            family.add("avg_pool3d", real(1, 2, 3, 4, 3), attrs=kernel | more)
    family.add("max_pool3d", real(1, 2, 1, 2, 2), attrs={"kernel_size": [1, 1, 2], "stride": [1, 2, 1], "padding": [0, 0, 1], "dilation": [1, 1, 3]})
    family.add("max_pool1d_with_indices", real(1, 2, 7), attrs={"kernel_size": [3], "stride": [2]})
    for size in ([3, 4], [1, 1], [6, 2], [2, 3]):
        family.add("adaptive_avg_pool2d", real(1, 2, 5, 6), attrs={"output_size": size})
        family.add("adaptive_max_pool2d", real(1, 2, 5, 6, key="max"), attrs={"output_size": size})
    family.add("adaptive_avg_pool3d", real(1, 1, 3, 4, 5), attrs={"output_size": [2, 3, 2]})
    family.add("adaptive_max_pool1d", real(1, 2, 7), attrs={"output_size": [3]})
    family.add("adaptive_max_pool3d", real(1, 1, 3, 4, 5, key="max"), attrs={"output_size": [2, 3, 2]})
    family.add("col2im", real(1, 8, 16), attrs={"output_size": [5, 5], "kernel_size": [2, 2], "dilation": [1, 1], "padding": [0, 0], "stride": [1, 1]})
    unpooled = torch.tensor([[[[0, 3], [9, 15]]]])
    family.add("max_unpool2d", real(1, 1, 2, 2), unpooled, attrs={"output_size": [4, 4]})
    family.add("_pad_circular", real(1, 2, 3, 4), attrs={"pad": [1, 2, -1, 2]})
    family.add("_upsample_nearest_exact2d", real(1, 2, 3, 4), attrs={"output_size": [5, 7]})
    family.add("upsample_nearest3d", real(1, 1, 2, 3, 2), attrs={"output_size": [3, 5, 4]})
    for align in (False, True):
        family.add("upsample_linear1d", real(1, 2, 5), attrs={"output_size": [8], "align_corners": align})
        family.add("upsample_trilinear3d", real(1, 1, 2, 3, 2), attrs={"output_size": [3, 2, 4], "align_corners": align})
        family.add("upsample_bicubic2d", real(1, 1, 3, 4), attrs={"output_size": [5, 7], "align_corners": align})
    family.add("_upsample_bilinear2d_aa", real(1, 1, 5, 6), attrs={"output_size": [3, 2], "align_corners": False})
    family.add("_upsample_bicubic2d_aa", real(1, 1, 5, 6), attrs={"output_size": [3, 8], "align_corners": False})
    for mode in (0, 1, 2):
        for padding in (0, 1, 2):
            family.add("grid_sampler_2d", real(1, 2, 3, 4), real(1, 2, 3, 2, low=-1.6, high=1.6, key="grid"), attrs={"interpolation_mode": mode, "padding_mode": padding, "align_corners": padding == 1})
    family.add("grid_sampler_3d", real(1, 1, 2, 3, 3), real(1, 1, 2, 2, 3, low=-1.4, high=1.4, key="grid"), attrs={"interpolation_mode": 0, "padding_mode": 2, "align_corners": False})
    family.add("affine_grid_generator", real(2, 2, 3), attrs={"size": [2, 1, 2, 3], "align_corners": False})
    family.add("pixel_shuffle", real(1, 8, 2, 3), attrs={"upscale_factor": 2})
    family.add("pixel_unshuffle", real(1, 2, 4, 6), attrs={"downscale_factor": 2})
    family.add("channel_shuffle", real(1, 6, 2, 2), attrs={"groups": 3})
