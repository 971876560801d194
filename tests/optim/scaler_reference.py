#!/usr/bin/env python3
"""Writes tests/data/grad_scaler.npz: 100 steps with torch's GradScaler, some of which overflow: the scale and its count after each step,
and the parameters after all.  The cases have the names that grad_scaler_test.cpp looks for.

usage: .venv/bin/python tests/optim/scaler_reference.py"""
import pathlib

import numpy
import torch

from reference import O, STEPS, loss_of, parameters

OUT = pathlib.Path(__file__).resolve().parents[1] / "data" / "grad_scaler.npz"
OVERFLOWS = (0, 7, 8, 40, 99)  # the first step, two in a row, the last

OPTIMIZERS = {
    "sgd": lambda p: O.SGD(p, lr=0.01, momentum=0.9, dampening=0.1),
    "adam": lambda p: O.Adam(p, lr=0.02, amsgrad=True),
    "adamw": lambda p: O.AdamW(p, lr=0.02, weight_decay=0.2),
    "radam": lambda p: O.RAdam(p, lr=0.02),
    "adagrad": lambda p: O.Adagrad(p, lr=0.05, lr_decay=0.01),
}
SCALERS = {
    "usual": {"growth_interval": 10},
    "odd": {"init_scale": 1000.0, "growth_factor": 1.37, "backoff_factor": 0.61, "growth_interval": 3},
    "large": {"init_scale": 2.0**126, "growth_interval": 2},  # the scale would overflow itself
}


def run(optimizer, scaler, a, b):
    scales, counts = [], []
    for step in range(STEPS):
        optimizer.zero_grad()
        loss = loss_of(a, b) * (float("inf") if step in OVERFLOWS else 1.0)
        scaler.scale(loss).backward()
        if step % 2:
            scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
        state = scaler.state_dict()
        scales.append(state["scale"])
        counts.append(state["_growth_tracker"])
    return numpy.array(scales), numpy.array(counts)


def main():
    out = {}
    for name, make in OPTIMIZERS.items():
        a, b = parameters()
        run(make([a, b]), torch.amp.GradScaler("cpu", growth_interval=10), a, b)
        out[f"{name}.a"], out[f"{name}.b"] = a.detach().numpy(), b.detach().numpy()
    for name, options in SCALERS.items():
        a, b = parameters()
        out[f"{name}.scale"], out[f"{name}.growth_tracker"] = run(O.SGD([a, b], lr=0.0), torch.amp.GradScaler("cpu", **options), a, b)
    numpy.savez_compressed(OUT, **out)


if __name__ == "__main__":
    main()
