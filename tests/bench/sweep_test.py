#!/usr/bin/env python3
"""bench/sweep: its tables, and that each program has one twin."""
import ast
import importlib.machinery
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
ROWS = [
    {"work": "add", "place": "small", "size": 32, "kernels": 1, "compiled/eager": 0.7, "eager/torch": 0.5},
    {"work": "add", "place": "large", "size": 2048, "kernels": 1, "compiled/eager": 1.04, "eager/torch": 1.2},
    {"work": "add_t", "place": "small", "size": 32, "kernels": 2, "compiled/eager": 1.1},
    {"work": "mm", "place": "small", "size": 32, "error": "compiled and eager give other bits"},
]


def sweep(rows):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write("".join(json.dumps(row) + "\n" for row in rows))
        file.flush()
        return subprocess.run([sys.executable, BENCH / "sweep", "--read", file.name], capture_output=True, text=True)


def load_sweep():
    loader = importlib.machinery.SourceFileLoader("sweep", str(BENCH / "sweep"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("sweep", loader))
    loader.exec_module(module)
    return module


def programs():
    return [name for file in sorted(BENCH.glob("sweep_*.cpp")) for name in re.findall(r'\{"(\w+)",\s+"', file.read_text())]


def twins():
    tree = ast.parse((BENCH / "peers" / "sweep.py").read_text())
    table = next(s for s in tree.body if isinstance(s, ast.Assign) and s.targets[0].id == "TWINS")
    return [key.value for key in table.value.keys]


class Sweep(unittest.TestCase):
    def test_every_program_has_one_twin_of_its_name(self):
        self.assertGreaterEqual(len(programs()), 100)
        self.assertEqual(programs(), list(dict.fromkeys(twins())))
        self.assertEqual(len(twins()), len(programs()))

    def test_medians_and_worst_of_each_size_stand_first(self):
        out = sweep(ROWS).stdout
        self.assertIn("| small | 2 | compiled / eager | 0.90 | 1.10 add_t | 1 of 1.05 |", out)
        self.assertIn("| large | 1 | eager / torch | 1.20 | 1.20 add | 1 of 1.15 |", out)

    def test_what_is_above_its_limit_is_bold_and_what_was_not_measured_a_dash(self):
        out = sweep(ROWS).stdout
        self.assertIn("| add | 1 | 0.70 | – | 1.04 | 0.50 | – | **1.20** |", out)
        self.assertIn("| add_t | 2 | **1.10** | – | – | – | – | – |", out)

    def test_a_program_that_gives_other_bits_is_named_and_a_failure(self):
        done = sweep(ROWS)
        self.assertIn("mm at 32: compiled and eager give other bits", done.stdout)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(sweep(ROWS[:3]).returncode, 0)

    def test_a_ratio_is_what_rounds_and_least_times_agree_on(self):
        ratio = load_sweep().ratio
        self.assertEqual(ratio([2.0, 1.1, 1.9], 1.2), 1.2)
        self.assertEqual(ratio([0.5, 0.5, 0.5], 0.9), 0.9)

    def test_each_contender_follows_each_other_as_often(self):
        rounds = [tuple(load_sweep().order(["a", "b", "c"], number)) for number in range(6)]
        self.assertEqual(len(set(rounds)), 6)
        follows = [pair for round in rounds for pair in zip(round, round[1:])]
        self.assertEqual({follows.count(pair) for pair in follows}, {2})


if __name__ == "__main__":
    unittest.main()
