"""torch.result_type for every pair of dtypes, as tensors with dimensions, 0-d tensors and plain numbers."""
import json

import torch

from .values import ALL, DTYPES, NAMES

NUMBERS = {"bool": True, "int": 1, "float": 1.0}


def table():
    tensors = {(name, rank): torch.ones([1] * rank, dtype=DTYPES[name]) for name in ALL for rank in (0, 1)}
    kind = {0: "zero_dim", 1: "dimensioned"}
    rows = []
    for (a, ra), x in tensors.items():
        for (b, rb), y in tensors.items():
            rows.append([a, kind[ra], b, kind[rb], NAMES[torch.result_type(x, y)]])
        for number, value in NUMBERS.items():
            rows.append([a, kind[ra], number, "number", NAMES[torch.result_type(x, value)]])
    for a, x in NUMBERS.items():
        for b, y in NUMBERS.items():
            rows.append([a, "number", b, "number", NAMES[torch.result_type(x, y)]])
    return rows


def write(path):
    text = "[\n" + ",\n".join(json.dumps(row) for row in table()) + "\n]\n"
    path.write_text(text)
    return len(text)
