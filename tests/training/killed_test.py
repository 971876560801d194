#!/usr/bin/env python3
"""The example train_digits, killed at random moments and started again, has the losses of a run that was not.

usage: killed_test.py PROGRAM"""
import pathlib
import random
import subprocess
import sys
import tempfile
import time


def run(program, folder):
    return subprocess.Popen([program, folder, "4"], stdout=subprocess.PIPE, text=True)


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as whole, tempfile.TemporaryDirectory() as parts:
        begin = time.monotonic()
        process = run(program, whole)
        process.communicate()
        seconds = time.monotonic() - begin
        wanted = (pathlib.Path(whole) / "loss.svg").read_bytes()
        draw, killed, resumed = random.Random(1), 0, 0
        while True:
            process = run(program, parts)
            try:
                # The first runs are all killed, at the latest when half of the time has passed.
                out, _ = process.communicate(timeout=draw.uniform(0.1, 0.5) * seconds if killed < 6 else None)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                killed += 1
                continue
            resumed += "goes on after" in out
            break
        left = sorted(path.name for path in pathlib.Path(parts).iterdir())
        assert left == ["digits.safetensors", "loss.svg"], left
        assert (pathlib.Path(parts) / "loss.svg").read_bytes() == wanted, "the losses differ"
        assert killed == 6 and resumed == 1, (killed, resumed)


main()
