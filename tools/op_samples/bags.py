"""Embeddings of bags, and their gradients."""
import torch

from . import values as v
from .gradients import Gradients
from .samples import Family, Tolerance

ATEN = torch.ops.aten
NEAR = Tolerance(ulps=2, relative=8, absolute=8, roundings=1)
INDICES, OFFSETS = torch.tensor([0, 2, 4, 1, 1, 3, 1, 0]), torch.tensor([0, 2, 2, 5, 7, 8])
MODES = (0, 1, 2)


def arguments(mode, last=False, padding=-1, scale=False):
    return {"scale_grad_by_freq": scale, "mode": mode, "sparse": False, "include_last_offset": last, "padding_idx": padding}


def calls(op):
    """The op with the weights of samples, or None, behind the offsets."""
    def call(weight, indices, offsets, weights, scale_grad_by_freq, mode, sparse, include_last_offset, padding_idx):
        return op(weight, indices, offsets, scale_grad_by_freq, mode, sparse, weights, include_last_offset, padding_idx)
    return call


CALLS = {"_embedding_bag": calls(ATEN._embedding_bag.default), "_embedding_bag_forward_only": calls(ATEN._embedding_bag_forward_only.default),
         "embedding_bag.padding_idx": calls(ATEN.embedding_bag.padding_idx)}


def bags():
    family = Family("bags")

    def add(weight, indices, offsets, weights=None, op="_embedding_bag", **kwargs):
        family.add(op, weight, indices, offsets, weights, attrs=arguments(**kwargs), tolerance=NEAR, call=CALLS[op])

    for name in v.FLOATS:
        weight = v.numbers(name, (5, 4))
        for mode in MODES:
            for last in (False, True):
                for padding in (-1, 1):
                    add(weight, INDICES, OFFSETS, mode=mode, last=last, padding=padding)
        for padding in (-1, 1):
            add(weight, INDICES, OFFSETS, v.numbers(name, (8,)), mode=0, padding=padding)
    weight = v.numbers("f32", (5, 4))
    for mode in MODES:
        add(v.transposed(lambda n: v.numbers("f32", n), (5, 4)), INDICES, OFFSETS, mode=mode)
        add(weight, INDICES.int(), OFFSETS.int(), mode=mode)
        add(weight, INDICES.int(), OFFSETS, mode=mode)
        add(weight, INDICES[:0], OFFSETS * 0, mode=mode)
        add(weight, INDICES, OFFSETS[:1], mode=mode, padding=0)
        add(weight, INDICES[4:5], OFFSETS[:1], mode=mode, padding=1)  # nothing is left
        add(weight[:, :0], INDICES, OFFSETS, mode=mode)
        add(weight - 100, INDICES, OFFSETS, mode=mode)
        add(weight, INDICES, OFFSETS, mode=mode, scale=True)
        add(weight, INDICES, OFFSETS, op="_embedding_bag_forward_only", mode=mode)
        add(weight, INDICES + 1, OFFSETS, mode=mode)
        for padding in (None, -2, 0, 5, -6):
            add(weight, INDICES, OFFSETS, op="embedding_bag.padding_idx", mode=mode, padding=padding)
    for mode in MODES:
        add(weight, INDICES, OFFSETS, op="_embedding_bag_forward_only", mode=mode, last=True)
        add(weight, INDICES, OFFSETS, op="embedding_bag.padding_idx", mode=mode, last=True, padding=None)
    add(weight, INDICES, OFFSETS, torch.ones(8), mode=1)
    add(weight, INDICES, OFFSETS, torch.ones(7), mode=0)
    add(weight, INDICES, OFFSETS, torch.ones(8, dtype=torch.float64), mode=0)
    add(weight.long(), INDICES, OFFSETS, mode=0)
    add(weight[0], INDICES, OFFSETS, mode=0)
    add(weight, INDICES, OFFSETS.view(2, 3), mode=0)
    add(weight, INDICES.float(), OFFSETS, mode=0)
    add(weight, INDICES, OFFSETS, mode=3)
    add(weight, INDICES, OFFSETS[:0], mode=0, last=True)
    add(weight, INDICES, OFFSETS + 8, mode=1)
    return family


def gradients():
    family = Gradients("bags_gradient")
    weight = v.numbers("f64", (5, 4), "gradient")

    def add(weights=None, **kwargs):
        family.add("_embedding_bag", weight, INDICES, OFFSETS, weights, attrs=arguments(**kwargs), call=CALLS["_embedding_bag"])

    for padding in (-1, 1):
        for mode in MODES:
            add(mode=mode, padding=padding)
        add(v.numbers("f64", (8,), "gradient"), mode=0, padding=padding)
    for mode in MODES:
        add(mode=mode, last=True)
    return family  # none with scale_grad_by_freq: torch 2.13 divides by the numbers of other indices
