#!/usr/bin/env python3
"""Writes tests/data/optim.npz: parameters after 100 steps of torch's optimizers, and the rates of its schedules.
The cases have the names that optim_test.cpp looks for.

usage: .venv/bin/python tests/optim/reference.py"""
import pathlib, warnings
import numpy, torch
from torch.optim.swa_utils import SWALR

warnings.filterwarnings("ignore")
OUT = pathlib.Path(__file__).resolve().parents[1] / "data" / "optim.npz"
STEPS = 100
O = torch.optim

OPTIMIZERS = {
    "sgd": lambda p: O.SGD(p, lr=0.01),
    "sgd_momentum": lambda p: O.SGD(p, lr=0.01, momentum=0.9, dampening=0.1, weight_decay=0.05),
    "sgd_nesterov": lambda p: O.SGD(p, lr=0.01, momentum=0.8, nesterov=True),
    "sgd_maximize": lambda p: O.SGD(p, lr=1e-5, maximize=True),
    "adam": lambda p: O.Adam(p, lr=0.02),
    "adam_amsgrad": lambda p: O.Adam(p, lr=0.02, betas=(0.8, 0.95), weight_decay=0.1, amsgrad=True),
    "adamw": lambda p: O.AdamW(p, lr=0.02, weight_decay=0.2),
    "rmsprop": lambda p: O.RMSprop(p, lr=0.01),
    "rmsprop_centered": lambda p: O.RMSprop(p, lr=0.01, alpha=0.9, momentum=0.7, centered=True, weight_decay=0.1),
    "adagrad": lambda p: O.Adagrad(p, lr=0.05, lr_decay=0.01, weight_decay=0.1, initial_accumulator_value=0.1),
    "adadelta": lambda p: O.Adadelta(p, lr=0.5, weight_decay=0.1),
    "adamax": lambda p: O.Adamax(p, lr=0.02, weight_decay=0.1),
    "nadam": lambda p: O.NAdam(p, lr=0.02, weight_decay=0.1),
    "nadam_decoupled": lambda p: O.NAdam(p, lr=0.02, weight_decay=0.1, decoupled_weight_decay=True),
    "radam": lambda p: O.RAdam(p, lr=0.02, weight_decay=0.1),
    "radam_decoupled": lambda p: O.RAdam(p, lr=0.02, betas=(0.9, 0.9), weight_decay=0.1, decoupled_weight_decay=True),
    "lbfgs": lambda p: O.LBFGS(p, lr=0.5, max_iter=4, history_size=5),
    "lbfgs_wolfe": lambda p: O.LBFGS(p, lr=1.0, max_iter=6, history_size=4, line_search_fn="strong_wolfe"),
}

S = O.lr_scheduler
SCHEDULES = {
    "step": lambda o: S.StepLR(o, 7, 0.5),
    "multi_step": lambda o: S.MultiStepLR(o, [3, 10, 10, 50], 0.3),
    "exponential": lambda o: S.ExponentialLR(o, 0.97),
    "linear": lambda o: S.LinearLR(o, 0.1, 0.8, 20),
    "cosine": lambda o: S.CosineAnnealingLR(o, 30, 0.001),
    "warm_restarts": lambda o: S.CosineAnnealingWarmRestarts(o, 10, 2, 0.001),
    "warm_restarts_equal": lambda o: S.CosineAnnealingWarmRestarts(o, 9),
    "one_cycle": lambda o: S.OneCycleLR(o, 0.3, total_steps=STEPS),
    "one_cycle_three": lambda o: S.OneCycleLR(o, 0.3, total_steps=STEPS, anneal_strategy="linear", three_phase=True),
    "swalr": lambda o: SWALR(o, 0.02, anneal_epochs=20),
    "swalr_linear": lambda o: SWALR(o, 0.3, anneal_epochs=7, anneal_strategy="linear"),
    "swalr_at_once": lambda o: SWALR(o, 0.02, anneal_epochs=0),
}


def loss_of(a, b):
    return (torch.cos(a) + 0.1 * a**4).sum() + (b - 0.5).pow(2).sum() * a.detach().abs().sum() * 0.1 + (a.sum() * b.mean()) ** 2


def parameters():
    a = torch.tensor([[0.3, -1.2, 2.0], [0.7, 1.5, -0.4]], dtype=torch.float64, requires_grad=True)
    b = torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True)
    return a, b


def main():
    out = {}
    for name, make in OPTIMIZERS.items():
        a, b = parameters()
        optimizer = make([a, b])

        def closure():
            optimizer.zero_grad()
            loss = loss_of(a, b)
            loss.backward()
            return loss

        for _ in range(10 if name.startswith("lbfgs") else STEPS):
            optimizer.step(closure)
        out[f"{name}.a"], out[f"{name}.b"] = a.detach().numpy(), b.detach().numpy()
    for name, make in SCHEDULES.items():
        a, b = parameters()
        optimizer = O.SGD([a, b], lr=0.1, momentum=0.9)
        schedule = make(optimizer)
        rates, momenta = [], []
        for _ in range(STEPS):
            rates.append(optimizer.param_groups[0]["lr"])
            momenta.append(optimizer.param_groups[0]["momentum"])
            optimizer.step()
            if len(rates) < STEPS:
                schedule.step()
        out[f"{name}.lr"], out[f"{name}.momentum"] = numpy.array(rates), numpy.array(momenta)
    a, b = parameters()
    optimizer = O.SGD([a, b], lr=0.1)
    schedule = S.ReduceLROnPlateau(optimizer, patience=2, factor=0.5, cooldown=1)
    measures = numpy.abs(numpy.sin(numpy.arange(60) * 0.7)) + 2 / (1 + numpy.arange(60))
    rates = []
    for measure in measures:
        schedule.step(measure)
        rates.append(optimizer.param_groups[0]["lr"])
    out["plateau.measures"], out["plateau.lr"] = measures, numpy.array(rates)
    numpy.savez_compressed(OUT, **out)


if __name__ == "__main__":
    main()
