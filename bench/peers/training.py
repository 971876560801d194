"""The training steps of bench/compare --mode train: TRAININGS[name]() gives a Training of the workload of this name.

Weights and batches are the numbers of bench/training.cpp, so that the losses of all contenders can be compared."""
import dataclasses
import math

import torch
from torch.nn import functional as F

from images import Vit
from models import Bert, Gpt2
from workloads import WORKLOADS

SEED_OF_BATCHES, SEED_OF_GRADIENTS = 1000, 2000
PIECE = 1 << 20  # of numbers that are made at a time: they are i64 in between, which would count as memory of the contender
# learning rates are so small that weights hardly change: the batch is always the same, and gradients of a loss of 0 would be denormal
OPTIMIZERS = {"adamw": (torch.optim.AdamW, {"lr": 1e-7, "weight_decay": 1e-2}), "sgd": (torch.optim.SGD, {"lr": 1e-4, "momentum": 0.9})}


@dataclasses.dataclass
class Training:
    model: torch.nn.Module
    x: torch.Tensor
    target: torch.Tensor
    optimizer: str  # a key of OPTIMIZERS
    has_loss: bool = True  # else a step is that of the optimizer alone, and gradients stay

    def loss(self, scores, target):
        """Cross entropy; the classes are the last dimension of texts, else the second one."""
        is_text = target.dim() == 2
        return F.cross_entropy(scores.flatten(0, 1) if is_text else scores, target.flatten() if is_text else target)

    def last(self):
        """What a step returns that has no loss: the mean of the last parameter."""
        return list(self.model.parameters())[-1].detach().mean()

    def optimize(self, **options):
        make, defaults = OPTIMIZERS[self.optimizer]
        return make(self.model.parameters(), **defaults, **options)


def made_up(sizes, seed):
    """Numbers in [-1, 1): the bits of MurmurHash3's finalizer."""
    low = 0xFFFFFFFF
    # the factors are split, so that products stay below 2^63
    times = lambda x, factor: (x * (factor & 0xFFFF) + ((x * (factor >> 16) & 0xFFFF) << 16)) & low
    out = torch.empty(math.prod(sizes))
    for begin in range(0, len(out), PIECE):
        piece = out[begin : begin + PIECE]
        h = (torch.arange(begin, begin + len(piece)) * 2654435761 + seed * 2246822519) & low
        h = times(h ^ h >> 16, 0x85EBCA6B)
        h = times(h ^ h >> 13, 0xC2B2AE35)
        h ^= h >> 16
        piece.copy_((h >> 8).float() / 2**23 - 1)
    return out.reshape(sizes)


def numbers(*sizes):
    return made_up(sizes, SEED_OF_BATCHES) * torch.tensor(math.sqrt(3))


def ids(sizes, count, start=0):
    return ((torch.arange(start, start + math.prod(sizes)) * 7919 + 101) % count).reshape(sizes)


def parts(model):
    """Names and parameters, or views of them, with the sizes that they have in the C++ models; those of equal sizes are in its order."""
    linear = {f"{name}.weight" for name, module in model.named_modules() if isinstance(module, torch.nn.Linear)}
    for name, parameter in model.named_parameters():
        tensor = parameter.data
        if isinstance(model, Bert) and "qkv" in name:
            yield from ((name, part) for part in tensor.chunk(3))
        elif isinstance(model, Gpt2) and name in linear:
            yield name, tensor.t()
        elif isinstance(model, Vit) and name == "positions.weight":
            yield name, tensor[None]
        else:
            yield name, tensor


def fill(model):
    """Gives all weights made-up values, scaled so that activations stay of order one."""
    seen = {}
    for name, tensor in parts(model):
        seed = seen[tensor.shape] = seen.get(tensor.shape, -1) + 1
        if tensor.dim() == 1:
            tensor.fill_(1 if name.endswith("weight") else 0)
        else:
            deviation = math.sqrt((1 if tensor.dim() == 2 else 2) / tensor[0].numel())
            tensor.copy_(made_up(tensor.shape, seed) * torch.tensor(math.sqrt(3) * deviation))
    return model.train()


def fill_gradients(model):
    for parameter in model.parameters():
        parameter.grad = made_up(parameter.shape, SEED_OF_GRADIENTS) * 0.5 + 0.5
    return model


def vocabulary(model):
    return next(module.num_embeddings for module in model.modules() if isinstance(module, torch.nn.Embedding))


def training(work, optimizer, classes, per_pixel=False):
    """Classifies the inputs of the workload, or each of their pixels."""
    def make():
        model, (x,) = WORKLOADS[work]()
        x = numbers(*x.shape) if x.is_floating_point() else ids(x.shape, vocabulary(model))
        sizes = (x.shape[0], *x.shape[2:]) if per_pixel else x.shape[:1]
        return Training(fill(model), x, ids(sizes, classes), optimizer)
    return make


def next_tokens(work, places=1):
    """Predicts the token that follows each of the workload's, so many places after it."""
    def make():
        model, (x,) = WORKLOADS[work]()
        count = vocabulary(model)
        return Training(fill(model), ids(x.shape, count), ids(x.shape, count, places), "adamw")
    return make


def only_optimizer(work):
    def make():
        found = TRAININGS[work]()
        fill_gradients(found.model)
        return dataclasses.replace(found, has_loss=False)
    return make


TRAININGS = {
    "mlp": training("mlp", "adamw", 10),
    "bert": training("bert", "adamw", 2),
    "gpt2": next_tokens("gpt2"),
    "llama": next_tokens("llama"),
    "lstm": next_tokens("lstm", places=20),
    "vit": training("vit", "adamw", 1000),
    "resnet18": training("resnet18", "sgd", 1000),
    "mobilenet_v2": training("mobilenet_v2", "sgd", 1000),
    "unet": training("unet", "sgd", 2, per_pixel=True),
    "adamw": only_optimizer("bert"),
}
