"""Writes tests/data/training_losses.json: the losses of 20 training steps of each model, and in evaluation mode after them, in f64.
The cases are those of tests/models/training_test.cpp.

usage: .venv/bin/python tests/models/values/training.py"""
import json
import pathlib

import torch
from torch.nn import functional as F

from made_up import fill, images, tokens
import images as networks
import models
from texts import bert, gpt2, lstm_lm

OUT = pathlib.Path(__file__).resolve().parents[2] / "data" / "training_losses.json"
STEPS = 20
VIT_FIRST = ("token", "patches.weight", "patches.bias", "positions.weight")


class SmallMobileNetV2(networks.MobileNetV2):
    STAGES = (1, 16, 1, 1), (6, 24, 2, 2)


def sgd(lr):
    return lambda model: torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)


def adamw(model):
    return torch.optim.AdamW(model.parameters(), lr=3e-4)


def labels(n, classes):
    return tokens(1, n, classes)[0]


def next_tokens(ids, dim):
    """All tokens but the last, and those that follow them."""
    return ids.narrow(dim, 0, ids.shape[dim] - 1), ids.narrow(dim, 1, ids.shape[dim] - 1)


# Steps so small that f32 follows f64: rounding moves few elements past the corner of a relu.
CASES = {
    "resnet": (fill(networks.ResNet((1, 1))), sgd(1e-3), (images(4, 3, 32, 32), labels(4, 1000))),
    "resnext": (fill(networks.ResNet((1, 1), True, 4, 16)), sgd(1e-4), (images(4, 3, 32, 32), labels(4, 1000))),
    "mobilenet_v2": (fill(SmallMobileNetV2()), adamw, (images(4, 3, 32, 32), labels(4, 1000))),
    "unet": (fill(networks.UNet((8, 16, 32))), sgd(1e-3), (images(2, 3, 16, 16), tokens(32, 16, 2).view(2, 16, 16))),
    "vit": (fill(networks.Vit(2, 48, 4, 32, 8, 10), VIT_FIRST), adamw, (images(4, 3, 32, 32), labels(4, 10))),
    "bert": (bert(2, 32, 4, "classifier", vocabulary=50, positions=16), adamw, (tokens(4, 12, 50), labels(4, 2))),
    "gpt2": (gpt2(2, 32, 4, vocabulary=50, positions=16), adamw, next_tokens(tokens(4, 13, 50), 1)),
    "llama": (fill(models.Llama(2, 48, 6, 2, 80, 50)), adamw, next_tokens(tokens(4, 13, 50), 1)),
    "lstm_lm": (lstm_lm(50, 24, 2, False), adamw, next_tokens(tokens(10, 4, 50), 0)),
    "tied lstm_lm": (lstm_lm(50, 24, 2, True), adamw, next_tokens(tokens(10, 4, 50), 0)),
}


def loss_of(model, x, y):
    """The classes are the last dimension of texts, the second one of images."""
    scores = model(x)
    return F.cross_entropy(scores.flatten(0, -2) if y.dim() == 2 else scores, y.flatten() if y.dim() == 2 else y)


def losses(model, optimizer, batch):
    model.train()
    optimizer = optimizer(model)
    out = []
    for _ in range(STEPS):
        loss = loss_of(model, *batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        out.append(loss.item())
    with torch.no_grad():
        return out + [loss_of(model.eval(), *batch).item()]


def main():
    found = {name: losses(*case) for name, case in CASES.items()}
    lines = (f"  {json.dumps(name)}: [{', '.join(f'{x:.7g}' for x in numbers)}]" for name, numbers in found.items())
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n")


main()
