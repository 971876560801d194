#!/usr/bin/env python3
"""Makes tests/data/autocast.json: the dtypes of the results that torch 2.13.0 gives for samples of tests/data/op_samples under
torch.autocast("cpu", dtype), for tests/eager/autocast_test.cpp.

usage: .venv/bin/python tools/make_autocast_samples.py       after tools/make_op_samples.py
Rows are [family, sample, inputs, autocast, results]: `sample` is the number of the line in FAMILY.jsonl.gz, from 0; `inputs` is the dtype
to which the f32 operands of the sample are cast, or "mixed": the first one stays f32, the others become bf16."""
import gzip
import json
import os
import pathlib
import warnings

# With instructions for bf16, torch's recurrent layers of f32 compute in bf16 under autocast.
os.environ |= {"ONEDNN_MAX_CPU_ISA": "AVX2", "ATEN_CPU_CAPABILITY": "avx2"}
import torch

from op_samples.values import COMPLEX, DTYPES, NAMES

DATA = pathlib.Path(__file__).resolve().parents[1] / "tests" / "data"
ALL = DTYPES | COMPLEX
LEFT_OUT = ("gradient", "random", "seeded")  # families: gradients have no results, random ones have no operands
CASES = [("f32", "bf16"), ("bf16", "bf16"), ("mixed", "bf16"), ("f32", "f16")]  # inputs, autocast
EACH = 1  # samples of an op


def tensor(row, payload):
    dtype = ALL[row["dtype"]]
    sizes = row["sizes"]
    count = row.get("buffer", torch.Size(sizes).numel())
    if count == 0:
        return torch.empty(sizes, dtype=dtype)
    flat = torch.frombuffer(bytearray(payload), dtype=dtype, count=count, offset=row["at"])
    return flat.as_strided(sizes, row["strides"], row.get("offset", 0)) if "strides" in row else flat.view(sizes)


def value(row, payload):
    if isinstance(row, dict):
        return complex(*row["complex"]) if "complex" in row else tensor(row, payload)
    if isinstance(row, list):
        return [value(one, payload) for one in row]
    return float(row) if row in ("inf", "-inf", "nan") else row


def attribute(given, of_type):
    if not isinstance(given, str):
        return given
    if "ScalarType" in of_type:
        return ALL[given]
    if "MemoryFormat" in of_type:
        return getattr(torch, given)
    return float(given) if given in ("inf", "-inf", "nan") else given


def arguments(schema, sample, operands):
    """By name: attributes as they are named, operands in order.  None: the overload does not take them."""
    out, left = {}, list(operands)
    for argument in schema.arguments:
        if argument.name in sample.get("attrs", {}):
            out[argument.name] = attribute(sample["attrs"][argument.name], str(argument.real_type))
        elif left:
            out[argument.name] = left.pop(0)
    return None if left or len(out) != len(operands) + len(sample.get("attrs", {})) else out


def call(sample, operands):
    packet = getattr(torch.ops.aten, sample["op"].split(".")[0], None)
    for overload in packet.overloads() if packet else []:
        one = getattr(packet, overload)
        if overload.endswith("out") or "out" in [a.name for a in one._schema.arguments]:
            continue
        given = arguments(one._schema, sample, operands)
        if given is None:
            continue
        try:
            made = one(**given)
        except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError):
            continue
        return made if isinstance(made, (list, tuple)) else [made]
    return None


def cast(operand, to, seen):
    if isinstance(operand, list):
        return [cast(one, to, seen) for one in operand]
    if not isinstance(operand, torch.Tensor) or operand.dtype != torch.float32:
        return operand
    seen.append(operand)
    dtype = ("f32" if len(seen) == 1 else "bf16") if to == "mixed" else to
    return operand.to(DTYPES[dtype])


def floats(row):
    if isinstance(row, list):
        return [dtype for one in row for dtype in floats(one)]
    return [row["dtype"]] if isinstance(row, dict) and row.get("dtype") in ("f32", "f64", "f16", "bf16", "c64", "c128") else []


def main():
    warnings.simplefilter("ignore")
    rows, seen_of = [], {}
    for path in sorted((DATA / "op_samples").glob("*.jsonl.gz")):
        family = path.name.split(".")[0]
        if family.endswith("gradient") or family in LEFT_OUT:
            continue
        payload = gzip.open(path.parent / f"{family}.bin.gz").read()
        for number, line in enumerate(gzip.open(path, "rt")):
            sample = json.loads(line)
            dtypes = floats(sample["in"])
            if sample.get("error") or not dtypes or set(dtypes) != {"f32"} or seen_of.get(sample["op"], 0) == EACH:
                continue
            seen_of[sample["op"]] = seen_of.get(sample["op"], 0) + 1
            for inputs, autocast in CASES:
                if inputs == "mixed" and len(dtypes) == 1:
                    continue
                found = []
                operands = [cast(value(one, payload), inputs, found) for one in sample["in"]]
                with torch.autocast("cpu", dtype=DTYPES[autocast]):
                    made = call(sample, operands)
                if made is None or not all(isinstance(one, torch.Tensor) and one.dtype in NAMES for one in made):
                    continue
                rows.append([family, number, inputs, autocast, [NAMES[one.dtype] for one in made]])
    text = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    (DATA / "autocast.json").write_text(f"[{text}]\n")
    print(f"{len(rows)} rows, {len(seen_of)} ops")


if __name__ == "__main__":
    main()
