#!/usr/bin/env python3
"""Writes tests/data/print.txt: tensors and how PyTorch prints them, with Vitro's names of dtypes.   usage: make_print_samples.py > FILE

A sample is a line `DTYPE SIZES... : VALUES...`, the text, and an empty line.  Values default to 0, 1, 2, ...; a complex number has two."""
import torch

NAMES = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16", "i64": "int64", "i32": "int32", "u8": "uint8", "bool": "bool", "c64": "complex64", "c128": "complex128"}
SAMPLES = [
    ("f32", [2], "1 2.5"), ("f32", [3], "1 2 3"), ("f32", [], "3.5"), ("f32", [], "0"), ("f32", [3], "0 nan -inf"),
    ("f32", [3], "1 nan -inf"), ("f32", [3], "1e-05 1 2"), ("f32", [2], "1 1e+09"), ("f32", [4], "0.1 -20 300 0"),
    ("f32", [2, 3], ""), ("f32", [2, 2, 2], ""), ("f32", [30], ""), ("f32", [0], ""), ("f32", [0, 3], ""), ("f64", [0], ""),
    ("f64", [2], "0.1 0.2"), ("f64", [2, 8], ""), ("f16", [2], "1 0.5"), ("bf16", [2], "1 0.3"), ("i64", [3], "1 -20 300"),
    ("i32", [2], "1 2"), ("u8", [2], "1 200"), ("i64", [0], ""), ("bool", [2], "1 0"), ("bool", [2, 2], "1 0 0 1"),
    ("f32", [1001], ""), ("f32", [40, 30], ""), ("i64", [11, 11, 11], ""), ("f32", [1, 2000], ""), ("i32", [30], ""), ("f64", [13], ""),
    ("c64", [2], "1 2 -2.5 -0.25"), ("c64", [3], "1 2 3 -4 0 0"), ("c64", [], "1.5 2"), ("c64", [2, 1], "1 1e6 2.5 0"), ("c128", [1], "1 2"),
    ("c64", [0], ""), ("c64", [3], "nan 1 1 inf 1 -inf"), ("c64", [2, 15], ""), ("c64", [2], "1 -0 1e-9 -1e-9"), ("c64", [1200], ""), ("c128", [2, 0], ""),
]


def main():
    for dtype, sizes, values in SAMPLES:
        count = torch.Size(sizes).numel()
        numbers = [float(v) for v in values.split()] or range(2 * count if dtype[0] == "c" else count)
        tensor = torch.tensor(list(numbers), dtype=torch.float64)
        tensor = torch.view_as_complex(tensor.reshape(-1, 2)) if dtype[0] == "c" else tensor
        tensor = tensor.to(getattr(torch, NAMES[dtype])).reshape(sizes)
        text = repr(tensor)
        for ours, theirs in NAMES.items():
            text = text.replace(f"dtype=torch.{theirs})", f"dtype={ours})")
        print(f"{' '.join([dtype, *map(str, sizes)])} : {values}\n{text}\n")


if __name__ == "__main__":
    main()
