#!/usr/bin/env python3
"""What vitro::save wrote computes the same in PyTorch.   usage: saved_test.py EXPORTED_TEST [PYTHON]

Runs the tests Save.* of EXPORTED_TEST, which leave packages with their inputs and results, and loads these with torch.export.load, in a
PYTHON that has torch; without one the test is skipped (exit code 77)."""
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]

IN_TORCH = r'''
import pathlib, sys
import safetensors.torch, torch

def check(path):
    program = torch.export.load(path)
    arrays = safetensors.torch.load_file(path.with_suffix(".safetensors"))
    module, call, compared = program.module(), 0, 0
    names = [spec.arg.name for spec in program.graph_signature.input_specs if spec.kind.name == "USER_INPUT"]
    while f"{call}.out.0" in arrays:
        inputs = [arrays[f"{call}.in.{name}"].clone() for name in names]
        results = torch.utils._pytree.tree_leaves(module(*inputs))
        for i, result in enumerate(results):
            torch.testing.assert_close(result.detach(), arrays[f"{call}.out.{i}"], equal_nan=True)
            compared += 1
        assert f"{call}.out.{len(results)}" not in arrays
        for name, tensor in zip(names, inputs):
            if f"{call}.after.{name}" in arrays:
                torch.testing.assert_close(tensor, arrays[f"{call}.after.{name}"])
                compared += 1
        call += 1
    assert call > 0
    print(f"{path.stem}: {call} calls, {compared} tensors agree")

failed = 0
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.pt2")):
    try:
        check(path)
    except Exception as error:
        failed += 1
        print(f"{path.stem}: {type(error).__name__}: {error}")
sys.exit(failed != 0)
'''


def python_with_torch(wanted):
    for python in wanted or (REPOSITORY / ".venv/bin/python", sys.executable):
        found = subprocess.run([python, "-c", "import safetensors.torch, torch.export"], capture_output=True) if pathlib.Path(python).exists() else None
        if found and found.returncode == 0:
            return python
    return None


def main():
    python = python_with_torch(sys.argv[2:])
    if not python:
        print("skipped: no Python with torch and safetensors; bench/peers/setup makes one in .venv")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], "--gtest_brief=1", "--gtest_filter=Save.*"], env=os.environ | {"SAVED_PACKAGES": folder}, check=True)
        if len(list(pathlib.Path(folder).glob("*.pt2"))) < 10:
            sys.exit("the tests have saved too few programs")
        return subprocess.run([python, "-c", IN_TORCH, folder]).returncode


sys.exit(main())
