#!/usr/bin/env python3
"""The cost of torch's profiler, measured as bench/step_profiler.cpp measures ours: one JSON line per step, with the keys of vitro_bench --json.

usage: bench/peers/profiler.py [--ops N]          after bench/peers/setup

The same loop of `add` on four elements; all but profiler_json_mb are per op.  Uses one thread."""
import argparse
import json
import os
import pathlib
import resource
import statistics
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = HERE.parents[1] / ".venv" / "bin" / "python"
if PYTHON.exists() and pathlib.Path(sys.prefix) != PYTHON.parents[1]:
    os.execv(PYTHON, [str(PYTHON), *sys.argv])

import torch
from torch.profiler import ProfilerActivity, profile

ROUNDS = 3


def add_loop(ops):
    a, b = torch.ones(4), torch.ones(4)
    add = torch.add
    for _ in range(ops):
        add(a, b)


def seconds(body):
    begin = time.perf_counter()
    body()
    return time.perf_counter() - begin


def measure(ops):
    """One round: the time of each step, in nanoseconds per op (per megabyte for profiler_json_mb)."""
    off = seconds(lambda: add_loop(ops))
    profiler = profile(activities=[ProfilerActivity.CPU])
    profiler.start()
    on = seconds(lambda: add_loop(ops))
    stop = seconds(profiler.stop)
    averages = seconds(profiler.key_averages)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "trace.json"
        export = seconds(lambda: profiler.export_chrome_trace(str(file)))
        megabytes = file.stat().st_size / 1e6
    per_op = {"profiler_record": on - off, "profiler_stop": stop, "profiler_averages": averages, "profiler_json": export}
    return {step: 1e9 * s / ops for step, s in per_op.items()} | {"profiler_json_mb": 1e9 * export / megabytes}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ops", type=int, default=20_000)
    options = parser.parse_args()
    torch.set_num_threads(1)
    measure(1000)
    rounds = [measure(options.ops) for _ in range(ROUNDS)]
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for step in rounds[0]:
        ns = statistics.median(each[step] for each in rounds)
        line = {"work": step, "mode": "step", "who": "torch", "threads": 1, "cold_ms": None, "warm_ms": None, "med_ms": ns / 1e6,
                "min_ms": min(each[step] for each in rounds) / 1e6, "n": ROUNDS, "kernels": None, "rss_mb": round(rss, 1)}
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
