#!/usr/bin/env python3
"""Runs the workloads of bench/ with other libraries and prints one JSON line per workload and contender.

usage: bench/peers/run.py [--only WORK]... [--who NAME]... [--threads N] [--seconds S]      after bench/peers/setup

Each line has the keys of vitro_bench --json.  cold_ms is the first call with empty caches; warm_ms the first call of a second
process where the contender keeps a cache on disk, else null.  Every measurement has a process of its own.
Standard error says where a machine was not quiet: such a line proves nothing."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = HERE.parents[1] / ".venv" / "bin" / "python"
if PYTHON.exists() and pathlib.Path(sys.prefix) != PYTHON.parents[1]:
    os.execv(PYTHON, [str(PYTHON), *sys.argv])

from contenders import CONTENDERS


def child(work, who, options, cache, seconds):
    environment = os.environ | {"OMP_NUM_THREADS": str(options.threads), "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [sys.executable, HERE / "measure.py", work, who, f"--cache={cache}", f"--threads={options.threads}", f"--seconds={seconds}"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise RuntimeError(f"{who} failed on {work}:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def result(work, who, options):
    with tempfile.TemporaryDirectory() as cache:
        caches = CONTENDERS[who][1]
        first = child(work, who, options, cache, 0 if caches else options.seconds)
        last = child(work, who, options, cache, options.seconds) if caches else first
    if last["others"] > 0.1:
        print(f"{work} {who}: not quiet: other processes used {last['others']:.1f} processors meanwhile", file=sys.stderr)
    return {"work": work, "mode": "fwd", "who": who, "threads": options.threads, "cold_ms": round(first["first_ms"], 3),
            "warm_ms": round(last["first_ms"], 3) if caches else None, "med_ms": round(last["med_ms"], 5),
            "min_ms": round(last["min_ms"], 5), "n": last["n"], "kernels": first["kernels"], "rss_mb": last["rss_mb"]}


def main():
    from workloads import WORKLOADS
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=WORKLOADS, metavar="WORK", help=", ".join(WORKLOADS))
    parser.add_argument("--who", action="append", choices=CONTENDERS, metavar="NAME", help=", ".join(CONTENDERS))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=2, help="how long the steady state is measured")
    options = parser.parse_args()
    failed = False
    for work in options.only or WORKLOADS:
        for who in options.who or CONTENDERS:
            try:
                print(json.dumps(result(work, who, options)), flush=True)
            except RuntimeError as error:
                failed = True
                print(error, file=sys.stderr)
    return failed


if __name__ == "__main__":
    sys.exit(main())
