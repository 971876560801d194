#!/usr/bin/env python3
"""Writes tests/data/safetensors/: files made by the safetensors package 0.8.0, with torch.

usage: .venv/bin/python tools/make_safetensors_samples.py"""
import pathlib

import torch
from safetensors.torch import save_file

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "tests" / "data" / "safetensors"
OURS = {"f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16, "i8": torch.int8, "i16": torch.int16,
        "i32": torch.int32, "i64": torch.int64, "u8": torch.uint8, "bool": torch.bool}
FOLDER.mkdir(parents=True, exist_ok=True)
tensors = {f"each.{name}": (torch.arange(6).view(2, 3) % (2 if name == "bool" else 7)).to(dtype) for name, dtype in OURS.items()}
tensors |= {"scalar": torch.tensor(2.5), "empty": torch.zeros(0, 3), "é水": torch.ones(1)}
save_file(tensors, FOLDER / "all_dtypes.safetensors", metadata={"format": "pt", "note": "línea"})
save_file({"w8": torch.zeros(2, 2, dtype=torch.float8_e4m3fn), "u": torch.ones(3, dtype=torch.uint16), "w": torch.ones(2)},
          FOLDER / "other_dtypes.safetensors")
save_file({}, FOLDER / "nothing.safetensors")
