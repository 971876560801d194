#!/usr/bin/env python3
"""The example train_digits, killed at random moments and started again, has the losses of a run that was not.

usage: killed_test.py PROGRAM"""
import pathlib
import random
import subprocess
import sys
import tempfile
import time

EPOCHS = "8"


def run(program, folder):
    return subprocess.Popen([program, folder, EPOCHS], stdout=subprocess.PIPE, text=True)


def whole(program):
    """The picture of the losses, and the seconds of a run."""
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        run(program, folder).communicate()
        return (pathlib.Path(folder) / "loss.svg").read_bytes(), time.monotonic() - begin


def in_parts(program, seconds):
    """The same picture, how often the run was killed, and how often it went on."""
    draw, killed, went_on = random.Random(1), 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        while True:
            saved = (folder / "digits.safetensors").exists()
            process = run(program, name)
            try:
                out, _ = process.communicate(timeout=draw.uniform(0.2, 0.6) * seconds if killed < 6 else None)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                killed += 1
                went_on += saved
                continue
            assert saved == ("goes on after" in out), out
            left = sorted(path.name for path in folder.iterdir())
            assert left == ["digits.safetensors", "loss.svg"], left
            return (folder / "loss.svg").read_bytes(), killed, went_on + saved


def main():
    program = sys.argv[1]
    whole(program)  # fills the cache of kernels
    wanted, seconds = whole(program)
    got, killed, went_on = in_parts(program, seconds)
    assert got == wanted, "the losses differ"
    assert killed >= 1 and went_on >= 1, (killed, went_on)


main()
