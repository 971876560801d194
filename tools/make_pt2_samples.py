#!/usr/bin/env python3
"""Writes small models as torch.export.save does, with inputs and the outputs that torch computes from the file.
usage: .venv/bin/python tools/make_pt2_samples.py tests/data/pt2        after bench/peers/setup

NAME.pt2 is the model, NAME.safetensors has its calls in order: "0.in.x" are tensors by the names of the export's inputs, "0.out.1" the
tensors of the results by their number among all results."""
import collections
import pathlib
import sys

import safetensors.torch
import torch
from torch import nn
from torch.export import Dim, export, load, save
from torch.utils import _pytree

FOLDER = pathlib.Path(sys.argv[1])
P = collections.namedtuple("P", "u v")
_pytree._register_namedtuple(P, serialized_type_name="sample.P")


class Mlp(nn.Module):
    """A buffer that calls write, one that is not saved, a constant, ops in place."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 8), nn.Linear(8, 2)
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))
        self.register_buffer("scale", torch.full((8,), 0.5), persistent=False)

    def forward(self, x):
        self.calls.add_(1)
        y = torch.relu_(self.a(x)) * self.scale + torch.tensor([1.0, float("inf")])[0]
        return self.b(y) * self.calls, self.calls + 0


class Dynamic(nn.Module):
    """Sizes that vary, arithmetic on them, guards."""

    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(10, 4)

    def forward(self, ids, x):
        b, s = ids.shape
        y = self.e(ids).reshape(b * s, 4)
        m = torch.full((b, s), -float("inf")).triu(1)
        return y.view(b, s, 4) + x[:, : s // 2 + 1].sum(1, keepdim=True), m.expand(b, s), torch.arange(b * 2), s - 1


class Tree(nn.Module):
    """Arguments and results in lists, dicts and named tuples; arguments that the export makes constants."""

    def forward(self, xs, d, p, flag, *, scale=2.0, opt=None):
        y = xs[0] + xs[1] * scale + d["a"] @ d["b"]["c"]
        a, b = torch.split(y, 2, dim=1)
        h = torch.cat([p.u, p.v], 0).to(torch.bfloat16)
        if flag:
            a = a + 1
        return {"y": y, "parts": [a, (b, None)], "z": y[:, d["idx"]], "h": P(h, 3), "s": torch.sort(y, dim=1)[0]}


class Control(nn.Module):
    """Control flow on data, and a region without gradients."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(3))

    def forward(self, x):
        y = torch.cond(x.sum() > 0, lambda x: x * self.w, lambda x: x - self.w, (x,))
        i, a = torch._higher_order_ops.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 2), (torch.tensor(0), y))
        c, ys = torch._higher_order_ops.scan(lambda c, x: (c + x, c * x), torch.zeros(3), x)
        with torch.no_grad():
            q = y.sum()
        return a, c, ys, q, torch._higher_order_ops.map(lambda r: r.exp(), x)


class Data(nn.Module):
    """Sizes that depend on data; an input that is written."""

    def forward(self, x, n):
        k = n.item()
        torch._check(k >= 1)
        torch._check(k <= x.shape[0])
        z = torch.nonzero(x > 0)
        x.mul_(2)
        return x[:k] + 1, z, torch.zeros(k * 2, dtype=torch.float16)


class Numbers(nn.Module):
    """A number that varies; sizes that a guard holds."""

    def forward(self, x, y, k):
        return x[:, :k] * k, k + 1, y[: int(y.shape[0] * 0.5)]


class Picture(nn.Module):
    """Classes of images, and the images as they arrive."""

    def __init__(self):
        super().__init__()
        self.c = nn.Linear(3, 6)

    def forward(self, image):
        return {"classes": self.c(image.mean((2, 3))), "image": image + 0}


class Shapes(nn.Module):
    """Views in place, under two names; regions of no_grad and of an autocast that is off; indices of what is true."""

    def forward(self, x):
        y = x * 2
        z = torch.relu_(y)
        y.unsqueeze_(0)
        z.transpose_(1, 2)
        w = (y + 1).squeeze_().t_()
        with torch.autocast("cpu", enabled=False):
            v = w @ w.t()
        with torch.no_grad():
            u = v.swapaxes_(0, 1) + y.shape[1]
        return y, w, u, x[torch.where(x > 0)]


class Writes(nn.Module):
    """A buffer that is written before and after an op that needs elements of an input."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(3))

    def forward(self, x, repeats):
        self.count.add_(1)
        y = torch.repeat_interleave(x, repeats)
        self.count.mul_(2)
        return y.sum() + self.count


def tensors(arguments):
    return [leaf for leaf in _pytree.tree_flatten(arguments)[0] if isinstance(leaf, torch.Tensor)]


def write(name, program, calls):
    """`calls`: (args, kwargs), of which the first one is the example of the export."""
    path = FOLDER / f"{name}.pt2"
    save(program, path)
    program = load(path)
    module, out = program.module(), {}
    specs = [s for s in program.graph_signature.input_specs if s.kind.name == "USER_INPUT" and isinstance(s.arg, torch.export.graph_signature.TensorArgument)]
    for number, (args, kwargs) in enumerate(calls):
        given = tensors((args, kwargs))
        for spec, leaf in zip(specs, given, strict=True):
            out[f"{number}.in.{spec.arg.name}"] = leaf.clone()
        for i, leaf in enumerate(_pytree.tree_flatten(module(*args, **kwargs))[0]):
            if isinstance(leaf, torch.Tensor):
                out[f"{number}.out.{i}"] = leaf.clone()
        for spec, leaf in zip(specs, given, strict=True):
            out[f"{number}.after.{spec.arg.name}"] = leaf.clone()
    safetensors.torch.save_file({k: v.contiguous() for k, v in out.items()}, FOLDER / f"{name}.safetensors")


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    x = lambda *size: torch.randn(size)
    calls = [((x(3, 4),), {}) for _ in range(3)]
    write("mlp", export(Mlp(), *calls[0]), calls)

    batch, length = Dim("batch", min=1, max=64), 2 * Dim("_seq", min=1, max=64)
    ids = lambda b, s: ((torch.randint(0, 10, (b, s)), x(b, s, 4)), {})
    calls = [ids(2, 6), ids(1, 6), ids(5, 8)]
    program = export(Dynamic(), *calls[0], dynamic_shapes={"ids": {0: batch, 1: length}, "x": {0: batch, 1: length}})
    write("dynamic", program, calls)
    write("dynamic_core", program.run_decompositions(), calls)

    tree = ([x(2, 4), x(2, 4)], {"a": x(2, 3), "b": {"c": x(3, 4)}, "idx": torch.tensor([0, 2])}, P(x(1, 2), x(1, 2)), True)
    calls = [(tree, {"scale": 3.0, "opt": None})]
    write("tree", export(Tree(), *calls[0]), calls)

    calls = [((x(2, 3),), {}), ((-x(2, 3).abs(),), {}), ((x(2, 3).abs(),), {})]
    write("control", export(Control(), *calls[0]), calls)

    calls = [((x(5, 3), torch.tensor(2)), {}), ((x(5, 3), torch.tensor(4)), {}), ((-x(5, 3).abs(), torch.tensor(1)), {})]
    write("data", export(Data(), ((x(5, 3), torch.tensor(2)))), calls)

    calls = [((x(4, 8), x(24), 3), {}), ((x(4, 8), x(25), 5), {})]
    write("numbers", export(Numbers(), *calls[0], dynamic_shapes=(None, {0: Dim.AUTO}, Dim.DYNAMIC)), calls)

    calls = [((x(2, 3, 8, 9),), {})]
    write("picture", export(Picture(), *calls[0], dynamic_shapes=({0: Dim("batch"), 2: Dim("height"), 3: Dim("width")},)), calls)

    calls = [((x(3, 4),), {}), ((-x(3, 4).abs(),), {})]
    write("shapes", export(Shapes(), *calls[0]), calls)

    calls = [((x(3), torch.tensor([1, 2, 0])), {}) for _ in range(3)]
    write("writes", export(Writes(), *calls[0]), calls)


main()
