"""Results that lie in memory as torch's: of images and volumes whose channels are next to one another, and new tensors."""
import torch

from . import values as v
from .pooling import BETWEEN, MEAN
from .samples import EQUAL


def formats(family):
    image = v.numbers("f32", (2, 3, 6, 8)).to(memory_format=torch.channels_last)
    volume = v.numbers("f32", (1, 2, 4, 6, 4)).to(memory_format=torch.channels_last_3d)
    pools = [("max_pool2d", EQUAL), ("max_pool2d_with_indices", EQUAL), ("avg_pool2d", MEAN)]
    for x in (image, image[:, :, ::2], image[:1], image[:, :1], image[0], v.numbers("bf16", (2, 3, 4, 4)).to(memory_format=torch.channels_last)):
        for op, tolerance in pools:
            family.add(op, x, attrs=dict(kernel_size=[2, 2]), tolerance=tolerance)
    tall = v.numbers("f32", (1, 2, 9, 9)).to(memory_format=torch.channels_last)
    for op, tolerance in pools[::2]:
        family.add(op, tall, attrs=dict(kernel_size=[8, 9]), tolerance=tolerance)
    for op, tolerance in (("max_pool3d", EQUAL), ("max_pool3d_with_indices", EQUAL), ("avg_pool3d", MEAN)):
        family.add(op, volume, attrs=dict(kernel_size=[2, 2, 2]), tolerance=tolerance)
    for size in ([3, 4], [4, 3]):
        family.add("adaptive_avg_pool2d", image, attrs=dict(output_size=size), tolerance=MEAN)
        family.add("adaptive_max_pool2d", image, attrs=dict(output_size=size), tolerance=EQUAL)
    family.add("constant_pad_nd", image, attrs=dict(pad=[1, 0, -1, 2]))
    family.add("constant_pad_nd", volume, attrs=dict(pad=[1, 1]))
    for op in ("reflection_pad", "replication_pad"):
        family.add(op + "2d", image, attrs=dict(padding=[1, 2, 0, 1]))
        family.add(op + "3d", volume, attrs=dict(padding=[1, 2, 0, 1, 1, 1]))
    for size in ([12, 16], [6, 8], [4, 5]):
        family.add("upsample_nearest2d", image, attrs=dict(output_size=size))
        family.add("upsample_bilinear2d", image, attrs=dict(output_size=size, align_corners=False), tolerance=BETWEEN)
    family.add("upsample_trilinear3d", volume, attrs=dict(output_size=[4, 3, 5], align_corners=False), tolerance=BETWEEN)
    family.add("pixel_unshuffle", image, attrs=dict(downscale_factor=2))
    family.add("channel_shuffle", image, attrs=dict(groups=3))
    for dim in (0, 1, 3):
        family.add("cat", [image, image], attrs=dict(dim=dim))
    family.add("cat", [image, image.contiguous()], attrs=dict(dim=1))
    unused(family)


def unused(family):
    """New tensors without values: dtype, sizes and strides are torch's, the elements are zeros."""
    x = v.numbers("i32", (2, 2))
    for size in ([2, 3], [0, 3], []):
        for dtype in (torch.float32, torch.int64):
            family.add("empty", attrs=dict(size=size, dtype=dtype), call=lambda size, dtype: torch.empty(size, dtype=dtype).zero_())
        family.add("new_empty", x, attrs=dict(size=size), call=lambda x, size: x.new_empty(size).zero_())
    for size, stride in (([2, 3], [1, 2]), ([2, 3], [7, 2]), ([0, 3], [1, 1]), ([2], [1, 1])):
        family.add("empty_strided", attrs=dict(size=size, stride=stride), call=lambda size, stride: torch.empty_strided(size, stride).zero_())
        family.add("new_empty_strided", x, attrs=dict(size=size, stride=stride), call=lambda x, size, stride: x.new_empty_strided(size, stride).zero_())
