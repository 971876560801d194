#!/usr/bin/env python3
"""bench/census: its table, that nothing is done twice, and that each model is named once."""
import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
CENSUS = pathlib.Path(__file__).resolve().parents[2] / "bench" / "census"
VITRO = """#!/bin/sh
echo run >> "$(dirname "$0")/calls"
echo "no model file" >&2
exit 1
"""


def load_census():
    loader = importlib.machinery.SourceFileLoader("census", str(CENSUS))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("census", loader))
    loader.exec_module(module)
    return module


class Census(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)
        for sizes in ("static", "dynamic"):
            (self.path / sizes).mkdir()

    def record(self, key, sizes="static", **record):
        (self.path / sizes / f"{key}.json").write_text(json.dumps({"status": "exported"} | record))

    def run_census(self, *words):
        return subprocess.run([sys.executable, CENSUS, *words, "--folder", self.path], capture_output=True, text=True)

    def test_the_table_counts_exports_and_runs(self):
        self.record("modules.GRU", resized=False)
        self.record("modules.GRU", "dynamic", resized="a guard failed")
        self.record("modules.RNN", status="time limit", why="more than 600 s")
        rows = [{"model": "modules.GRU", "sizes": "static", "mode": "eager", "status": "failed", "why": "SIGSEGV"},
                {"model": "modules.GRU", "sizes": "static", "mode": "eager", "status": "agrees"},
                {"model": "modules.GRU", "sizes": "static", "mode": "compiled", "status": "differs", "why": "output 0"}]
        (self.path / "results.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        done = self.run_census("table", "--only", "GRU", "--only", "RNN", "--keep", self.path / "kept.json")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        lines = done.stdout.splitlines()
        self.assertIn("| modules | static | 2 | 1 | 0 | 1 | 0 | – |", lines)
        self.assertIn("| all | dynamic | 2 | 1 | 0 | 0 | 1 | 0 |", lines)
        self.assertIn("| eager | static | 1 | 1 | 0 | 0 | 0 | 0 |", lines)
        self.assertIn("| eager | dynamic | 1 | 0 | 0 | 0 | 0 | 1 |", lines)
        self.assertIn("| compiled | static | 1 | 0 | 1 | 0 | 0 | 0 |", lines)
        self.assertIn("- modules.RNN, static, export: time limit: more than 600 s", lines)
        self.assertIn("- modules.GRU, dynamic, sizes of the example only: a guard failed", lines)
        self.assertIn("- modules.GRU, static, compiled: differs: output 0", lines)
        self.assertEqual([len(part) for part in json.loads((self.path / "kept.json").read_text()).values()], [3, 2, 0])

    def test_a_failed_run_is_kept_and_not_repeated(self):
        self.record("modules.GRU", inputs=["words"], outputs=["t"])
        vitro = self.path / "vitro"
        vitro.write_text(VITRO)
        vitro.chmod(0o755)
        words = ("compare", "--mode", "eager", "--vitro", vitro)
        first = self.run_census(*words)
        self.assertIn("modules.GRU, static, eager: failed", first.stdout, first.stderr)
        self.assertIn("no model file", first.stdout)
        self.assertEqual(self.run_census(*words).stdout, "")
        self.assertIn("failed", self.run_census(*words, "--again").stdout)
        self.assertEqual((self.path / "calls").read_text().count("run"), 2)

    def latencies(self, **models):
        self.lines = [{"model": f"modules.{name}", "threads": 2, "status": "measured", "contenders": found} for name, found in models.items()]
        (self.path / "latency.jsonl").write_text("".join(json.dumps(row) + "\n" for row in self.lines))

    def test_ours_is_compared_with_the_best_peer_that_agrees(self):
        ours = {"load": 1, "first_call": 9, "again": 4, "least": 2, "resident_mb": 100, "differs": ""}
        peer = {"load": 10, "first_call": 10, "least": 1, "resident_mb": 50, "differs": ""}
        slow = {"load": 1, "first_call": 4, "again": 2, "least": 8, "resident_mb": 400, "differs": ""}
        self.latencies(GRU={"eager": ours | {"least": 0.1}, "compiled": ours, "torch": peer, "openvino": slow},
                       RNN={"compiled": ours, "torch": peer | {"differs": "output 0"}, "openvino": slow, "onnxruntime": {"why": "no op x"}},
                       LSTM={"compiled": ours, "torch": {"why": "absent"}})
        done = self.run_census("table", "--only", "modules.*")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        # latency 1/2 and 8/2, first result 5/10 both, with caches 2/4 both, memory 50/100 and 400/100
        self.assertIn("| modules | 2 | 2 | 1.41 | 0.50 | 0.50 | 1.41 | 1 of 2 |", lines)
        self.assertIn("| modules.RNN | 2 | – | 2 | 1 (differs) | 8 | – | 4.00 | 0.50 | 0.50 | 4.00 |", lines)
        self.assertIn("| modules.LSTM | 2 | – | 2 | – | – | – | – | – | – | – |", lines)
        for line in ("- modules.RNN, torch: differs from ours: output 0", "- modules.RNN, onnxruntime: no op x", "- modules.LSTM, torch: absent"):
            self.assertIn(line, lines)

    def test_latencies_are_measured_once(self):
        self.record("modules.GRU", inputs=["words"], outputs=["t"])
        self.record("modules.RNN", inputs=["words"], outputs=["t"])
        rows = [{"mode": "compiled", "threads": 2, "calls": 3, "load_ns": 1e6, "first_call_ns": 2e6, "again_ns": 2e6, "convert_ns": None,
                 "least_ns": 5e5, "p50_ns": 6e5, "p90_ns": 7e5, "p99_ns": 8e5, "resident_bytes": 1 << 20, "agrees": None},
                {"mode": "torch", "threads": 2, "failure": "absent"}]
        vitro = self.path / "vitro"
        vitro.write_text(f"#!/bin/sh\ncase $2 in *GRU*) echo '{json.dumps({'rows': rows})}';; *) echo no model >&2; exit 2;; esac\n")
        vitro.chmod(0o755)
        words = ("latency", "--vitro", vitro, "--peers", "torch", "--threads", "2")
        done = self.run_census(*words)
        self.assertIn("modules.GRU, 2 threads: measured", done.stdout, done.stderr)
        self.assertEqual(self.run_census(*words).stdout, "")
        found = {row["model"]: row for row in map(json.loads, (self.path / "latency.jsonl").read_text().splitlines())}
        self.assertEqual(found["modules.GRU"]["contenders"], {
            "compiled": {"load": 1, "first_call": 2, "again": 2, "least": 0.5, "p50": 0.6, "p90": 0.7, "p99": 0.8, "resident_mb": 1, "calls": 3,
                         "differs": ""}, "torch": {"why": "absent"}})
        self.assertEqual((found["modules.RNN"]["status"], found["modules.RNN"]["why"]), ("failed", "no model"))

    def test_the_times_that_vitro_run_prints(self):
        census = load_census()
        output = "loaded in 26.5ms, first call 1.2s, median of 2 more calls 20.8us\nmodel (vitro): 3 calls, 1 graph, 0 breaks, 2 fallbacks"
        self.assertEqual(census.measured(output), {"load_ms": 26.5, "first_ms": 1200, "call_ms": 0.0208, "graphs": 1, "breaks": 0,
                                                   "fallbacks": 2})

    def test_the_last_error_of_a_traceback_is_the_reason(self):
        failure = load_census().failure("Traceback\n  File x\ntorch.RuntimeError: wrong size\n", 1, None)
        self.assertEqual(failure, {"status": "failed", "why": "torch.RuntimeError: wrong size"})

    def test_unknown_names_are_refused(self):
        done = self.run_census("table", "--only", "nothing")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no model is named nothing", done.stderr)


if __name__ == "__main__":
    unittest.main()
