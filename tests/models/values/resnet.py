"""The expected numbers of tests/models/resnet_test.cpp, by the networks of bench/peers/models.py.

usage: .venv/bin/python tests/models/values/resnet.py"""
import math
import pathlib
import sys

import torch

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "bench" / "peers"))
from models import ResNet

CONFIGS = {
    "resnet18": (ResNet(), (2, 3, 64, 48)),
    "resnet50": (ResNet((3, 4, 6, 3), True), (1, 3, 64, 64)),
    "resnext": (ResNet((1, 2, 1, 1), True, 32, 8), (5, 3, 7, 7)),
}


def numbers(sizes, seed):
    """Numbers in [0, 1) that look random; seeds are the numbers of parameters."""
    i = torch.arange(1, math.prod(sizes) + 1, dtype=torch.int64)
    return (((i * 2654435761 + seed * 2246822519) % 2**32).double() / 2**32).reshape(sizes)


def fill(model):
    buffers = [b for name, b in model.named_buffers() if "running" in name]
    for seed, tensor in enumerate(list(model.parameters()) + buffers):
        fresh = numbers(tensor.shape, seed)
        if tensor.dim() > 1:
            fresh = (2 * fresh - 1) * math.sqrt(6 / tensor[0].numel())
        tensor.data.copy_(fresh - 0.5 if is_shift(model, tensor) else fresh + 0.5 if tensor.dim() == 1 else fresh)
    return model.eval()


def is_shift(model, tensor):
    named = list(model.named_parameters()) + list(model.named_buffers())
    return any(t is tensor and name.endswith(("bias", "running_mean")) for name, t in named)


with torch.no_grad():
    for name, (model, sizes) in CONFIGS.items():
        scores = fill(model).double()((2 * numbers(sizes, 1000) - 1).float().double())
        print(name, [round(x, 6) for x in scores.flatten()[::397][:5].tolist()], "largest", round(scores.abs().max().item(), 3))
