#!/usr/bin/env python3
"""Writes tests/data/npy/: files of numpy.save, numpy.savez and numpy.savez_compressed.

usage: .venv/bin/python tools/make_npy_samples.py        after bench/peers/setup"""
import pathlib

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "tests" / "data" / "npy"
OURS = {"f32": "f4", "f64": "f8", "f16": "f2", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "u8": "u1", "bool": "?", "c64": "c8", "c128": "c16"}


def each(order):
    """[[0, 1, 2], [3, 4, 5]] in every dtype; booleans alternate, complex numbers have an imaginary part of 10."""
    arrays = {}
    for name, code in OURS.items():
        values = np.arange(6).reshape(2, 3)
        values = values % 2 if name == "bool" else values + 10j if code[0] == "c" else values
        arrays[name] = values.astype(np.dtype(code).newbyteorder(order))
    return arrays


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    odd = {"scalar": np.array(2.5), "empty": np.zeros((0, 3), np.int32), "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)), "é/水": np.ones(1)}
    np.savez(FOLDER / "stored.npz", **each("<"), **odd)
    np.savez_compressed(FOLDER / "compressed.npz", **each("<"), **odd)
    np.savez_compressed(FOLDER / "big_endian.npz", **each(">"))
    np.save(FOLDER / "f32.npy", each("<")["f32"])
    np.save(FOLDER / "objects.npy", np.array([{"a": 1}], object))
    np.save(FOLDER / "fields.npy", np.zeros(1, [("a", "f4"), ("b", "i4")]))
    for version in (2, 3):
        with open(FOLDER / f"version_{version}.npy", "wb") as file:
            np.lib.format.write_array(file, np.arange(3, dtype=np.int16), version=(version, 0))
    for name, array in (("text", np.array(["ab"])), ("void", np.zeros(1, "V2")), ("u16", np.ones(1, np.uint16)), ("times", np.zeros(1, "M8[s]")),
                        ("long", np.ones(1, np.longdouble))):
        np.save(FOLDER / f"no_{name}.npy", array)


main()
