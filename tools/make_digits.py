#!/usr/bin/env python3
"""Writes tests/data/digits/: the handwritten digits of scikit-learn as IDX files.

usage: pip download --no-deps scikit-learn==1.7.2, then tools/make_digits.py WHEEL"""
import gzip
import pathlib
import struct
import sys
import zipfile

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data" / "digits"


def idx(sizes, data):
    return struct.pack(f">4B{len(sizes)}I", 0, 0, 8, len(sizes), *sizes) + bytes(data)


def main():
    table = gzip.decompress(zipfile.ZipFile(sys.argv[1]).read("sklearn/datasets/data/digits.csv.gz")).decode()
    rows = [[int(number) for number in line.split(",")] for line in table.splitlines()]
    images = idx([len(rows), 8, 8], (pixel for row in rows for pixel in row[:64]))
    labels = idx([len(rows)], (row[64] for row in rows))
    for name, data in ("images", images), ("labels", labels):
        (FOLDER / f"{name}.idx.gz").write_bytes(gzip.compress(data, 9, mtime=0))


main()
