#!/usr/bin/env python3
"""Makes the expected results for the tests of ops, tests/data/op_samples/ and tests/data/promotion.json, with torch 2.13.0.

usage: .venv/bin/python tools/make_op_samples.py [FAMILY]...       after bench/peers/setup
tests/data/op_samples/README.md describes the format.  Inputs are seeded: the same torch gives the same files."""
import pathlib
import sys
import warnings

import torch

from op_samples import arrays, bags, complexes, creation, decompositions, further, gradients, indexing, layers, linear_algebra, neural, norms, pointwise, pooling, products, promotion, random, reductions, sorting, special, views, windows

DATA = pathlib.Path(__file__).resolve().parents[1] / "tests" / "data"
FAMILIES = {"unary": pointwise.unary, "binary": pointwise.binary, "choosing": pointwise.choosing, "reduction": reductions.reductions,
            "rows": reductions.rows, "scan": reductions.scans, "view": views.views, "joining": views.joining, "indexing": indexing.indexing,
            "picking": indexing.picking, "putting": indexing.putting, "compacting": indexing.compacting,
            "sorting": sorting.sorting, "product": products.products, "windows": windows.windows, "pooling": pooling.pooling, "creation": creation.creation, "neural": neural.neural,
            "algebra": linear_algebra.algebra, "arrays": arrays.arrays, "norms": norms.norms, "further": further.further, "further_gradient": further.gradients, "layers": layers.layers, "layer_gradient": layers.layer_gradients,
            "random": random.random, "random_gradient": random.gradients, "seeded": random.seeded, "complex": complexes.complex_family, "spectra": complexes.spectra_family, "complex_gradient": complexes.gradients, "bags": bags.bags, "bags_gradient": bags.gradients,
            "decompositions": decompositions.decompositions, "decomposition_gradient": decompositions.decomposition_gradients,
            "complex_decompositions": decompositions.complex_decompositions, "complex_decomposition_gradient": decompositions.complex_decomposition_gradients,
            "special": special.special, "special_gradient": special.gradients,
            "neural_gradient": neural.gradients, "gradient": gradients.gradients}


def main(names):
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    total = 0
    for name in names or FAMILIES:
        family = FAMILIES[name]()
        size = family.write(DATA / "op_samples")
        total += size
        errors = sum("error" in line for line in family.lines)
        print(f"{name}: {len(family.lines)} samples ({errors} errors), {size >> 10} KiB")
        for odd in family.odd:
            print("  torch's own result is far from the one in double:", odd)
    if not names:
        total += promotion.write(DATA / "promotion.json")
    print(f"total: {total / 2**20:.2f} MiB")


if __name__ == "__main__":
    main(sys.argv[1:])
