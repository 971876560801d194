"""Made-up weights and inputs, the same as in tests/models/made_up.h, and how the values that are expected of a model are printed.

The other scripts of this folder compute them by the networks of bench/peers, in f64."""
import math
import pathlib
import sys

import torch

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "bench" / "peers"))

SHIFTS = ("bias", "running_mean", "token", "positions.weight")


def numbers(sizes, seed):
    """Numbers in [0, 1) that look random."""
    i = torch.arange(1, math.prod(sizes) + 1, dtype=torch.int64)
    return (((i * 2654435761 + seed * 2246822519) % 2**32).double() / 2**32).reshape(sizes)


def images(*sizes):
    return (2 * numbers(sizes, 1000) - 1).float().double()


def tokens(batch, length, vocabulary):
    return (numbers((batch, length), 1000) * vocabulary).long()


def state(model):
    return dict(model.named_parameters()) | {n: b for n, b in model.named_buffers() if "running" in n}


def fill(model, names=()):
    """Seeds are the positions of tensors in the C++ model: parameters, those of `names` first, then buffers."""
    named = state(model)
    return fill_parts(model, [(name, named[name]) for name in dict.fromkeys([*names, *named])])


def fill_parts(model, parts):
    """Each part is a name and a tensor, or a view of one, with the sizes that it has in the C++ model."""
    for seed, (name, tensor) in enumerate(parts):
        fresh = numbers(tensor.shape, seed)
        if name.endswith(SHIFTS):
            fresh = fresh - 0.5
        elif tensor.dim() > 1:
            fresh = (2 * fresh - 1) * math.sqrt(6 / tensor[0].numel())
        else:
            fresh = fresh + 0.5
        tensor.data.copy_(fresh)
    return model.eval().double()


def show(name, model, inputs, every):
    """One line: every so many numbers of the result, and the largest of all."""
    with torch.no_grad():
        result = model(inputs)
    picked = ", ".join(f"{x:.8g}F" for x in result.flatten()[::every].tolist())
    print(f"{name}: {list(result.shape)}, largest {result.abs().max().item():.5g}F, every {every}: {{{picked}}}")
