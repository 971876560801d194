"""Images and volumes whose channels are next to one another in memory: the results lie as torch's."""
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
