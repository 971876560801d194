#!/usr/bin/env python3
"""Writes tests/data/packages/: packages of torch.export in each layout, files that are mistaken for packages, and the tensors in them.

usage: .venv/bin/python tools/make_package_samples.py        after bench/peers/setup"""
import io
import pathlib
import shutil
import tempfile
import zipfile

import numpy as np
import torch
from torch import nn
from torch._export.serde.serialize import serialize
from torch.export import export
from torch.export.pt2_archive._package import package_pt2

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "tests" / "data" / "packages"
TRACES = ("stack_trace", "nn_module_stack", "source_fn_stack", "from_node", "torch_fn")


class Tensors(nn.Module):
    """Parameters and buffers of every kind: tied, views of one storage, transposed, expanded, empty, of every dtype."""

    def __init__(self):
        super().__init__()
        self.first = nn.Parameter(torch.randn(6, 4))
        self.tied = self.first
        big = torch.arange(12.0)
        self.register_buffer("low", big[:6].view(2, 3))
        self.register_buffer("high", big[4:10])
        self.register_buffer("turned", torch.randn(3, 4).t())
        self.register_buffer("expanded", torch.ones(1, 4).expand(3, 4))
        self.register_buffer("empty", torch.zeros(0, 3))
        self.register_buffer("scalar", torch.tensor(7))
        self.register_buffer("kept", torch.tensor([1.5, 2.5]), persistent=False)
        for name in ("float64", "float16", "bfloat16", "int8", "int16", "int32", "uint8", "uint16", "float8_e4m3fn"):
            self.register_buffer(f"as_{name}", torch.tensor([1, 2, 3]).to(getattr(torch, name)))
        self.register_buffer("flags", torch.tensor([True, False]))
        self.register_buffer("as_complex64", torch.tensor([1 + 2j]))
        self.register_buffer("as_complex128", torch.tensor([3 - 4j], dtype=torch.complex128))

    def forward(self, x):
        return x @ self.first + self.high.sum() + self.kept.sum() + torch.tensor([0.5])


def without_traces(program):
    """Half of a program's text says where its nodes are from."""
    for node in program.graph.nodes:
        for key in TRACES:
            node.meta.pop(key, None)
    return program


def arrays(tensors):
    """What NumPy can hold: bfloat16 as float32, and no dtype that Vitro lacks."""
    kept = {}
    for name, tensor in tensors.items():
        tensor = tensor.detach()
        if tensor.dtype in (torch.uint16, torch.float8_e4m3fn):
            continue
        kept[name] = (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()
    return kept


def copy_of(path, change):
    """An archive with other entries: change(name, bytes) gives a list of them."""
    with zipfile.ZipFile(path) as old:
        entries = [pair for name in old.namelist() for pair in change(name, old.read(name))]
    with zipfile.ZipFile(path.with_name("copy"), "w") as new:
        for name, content in entries:
            new.writestr(zipfile.ZipInfo(name), content)
    return path.with_name("copy")


def write_pickled(program, folder):
    """The layout of PyTorch 2.8: weights and constants are pickled dicts."""
    parts = serialize(program)
    drop = ("weights_config.json", "constants_config.json", "/weight_0", "/data/sample_inputs/model.pt")

    def change(name, content):
        root = name.split("/")[0]
        if name.endswith("model.json"):
            return [(name, content), (f"{root}/data/weights/model.pt", parts.state_dict), (f"{root}/data/constants/model.pt", parts.constants)]
        return [] if name.endswith(drop) or "/weight_" in name or "/tensor_" in name else [(name, content)]

    torch.export.save(program, folder / "pickled.pt2")
    shutil.move(copy_of(folder / "pickled.pt2", change), FOLDER / "pickled.pt2")


def write_flat(program):
    """The layout of PyTorch 2.4 to 2.7."""
    parts = serialize(program)
    with zipfile.ZipFile(FOLDER / "flat.pt2", "w") as zip_file:
        for name, content in (("serialized_exported_program.json", parts.exported_program), ("serialized_state_dict.pt", parts.state_dict),
                              ("serialized_constants.pt", parts.constants), ("serialized_example_inputs.pt", parts.example_inputs),
                              ("version", b"8.2"), ("extra_files/note.txt", b"hello")):
            zip_file.writestr(zipfile.ZipInfo(name), content)


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor([1.0, 2.0]))
        self.register_buffer("b", torch.tensor([3, 4]))
        self.register_buffer("kept", torch.tensor([5.0]), persistent=False)

    def forward(self, x):
        return x * self.w + self.b + self.kept


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    module = Tensors()
    program = without_traces(export(module, (torch.randn(2, 6),)))
    torch.export.save(program, FOLDER / "tensors.pt2", extra_files={"notes/a.txt": "hello"})
    np.savez(FOLDER / "tensors.npz", **arrays(program.state_dict), **arrays(program.constants))

    small = without_traces(export(Small(), (torch.ones(2),)))
    relu = without_traces(export(nn.ReLU(), (torch.ones(2),)))
    package_pt2(FOLDER / "two.pt2", exported_programs={"a": small, "b": relu})
    with tempfile.TemporaryDirectory() as folder:
        write_pickled(small, pathlib.Path(folder))
    write_flat(small)

    torch.save({"state": Small().state_dict(), "epoch": 3}, FOLDER / "checkpoint.pt2")
    torch.jit.save(torch.jit.trace(nn.ReLU(), torch.ones(2)), FOLDER / "torchscript.pt2")
    compiled = io.BytesIO()
    writer = torch.PyTorchFileWriter(compiled)
    metadata = b'{"AOTI_DEVICE_KEY": "cpu", "AOTI_PLATFORM": "linux", "AOTI_MACHINE": "x86_64", "AOTI_CPU_ISA": "AVX2"}'
    for name, content in (("archive_format", b"pt2"), ("archive_version", b"0"), ("data/aotinductor/model/h.wrapper.so", b"\x7fELF"),
                          ("data/aotinductor/model/h.wrapper_metadata.json", metadata)):
        writer.write_record(name, content, len(content))
    writer.write_end_of_file()
    (FOLDER / "aotinductor.pt2").write_bytes(compiled.getvalue())


main()
