#!/usr/bin/env python3
"""Compares every answer of `vitro trace`, about real and generated traces, with that of the programs in values/.

usage: trace_values_test.py VITRO [FOLDER]

FOLDER: traces other than those of the tests.  A number: this many generated ones instead."""
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from values import devices, host, trace, whole
from values import path as critical
from values.random_trace import random_trace

VITRO = sys.argv.pop(1)
TRACES = pathlib.Path(__file__).resolve().parents[1] / "data" / "traces"
MADE_UP = 20
if sys.argv[1:2] and sys.argv[1].isdigit():
    TRACES, MADE_UP = pathlib.Path(os.devnull), int(sys.argv.pop(1))
elif sys.argv[1:2] and not sys.argv[1].startswith("-"):
    TRACES, MADE_UP = pathlib.Path(sys.argv.pop(1)), 0
FOLDER = tempfile.TemporaryDirectory()  # of generated traces


class Values(unittest.TestCase):
    """Tests one trace; suites for each are made below."""
    maxDiff = 2000
    path = None

    @classmethod
    def setUpClass(cls):
        cls.cache = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.cache.cleanup)
        cls.trace = trace.Trace(cls.path)

    def ask(self, question, *more):
        environment = os.environ | {"VITRO_CACHE_DIR": self.cache.name}
        done = subprocess.run([VITRO, "trace", question, self.path, "--json", *more], capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def same(self, rows, wanted):
        """Shows the first rows that differ."""
        rows = [tuple(row) for row in rows]
        more, less = (sorted(difference, key=str)[:3] for difference in (set(rows) - wanted, wanted - set(rows)))
        self.assertFalse(more or less, f"\ngot    {more}\nneeded {less}")
        self.assertEqual(len(rows), len(wanted))

    def columns(self, rows, *names):
        return [[row[name] for name in names] for row in rows]

    def test_info(self):
        kinds, tracks = whole.info(self.trace)
        answer = self.ask("info")
        self.same(self.columns(answer["kinds"], "category", "phase", "events", "total_ns"), kinds)
        self.assertEqual(sorted(row["events"] for row in answer["tracks"]), sorted(tracks.values()))

    def test_summary(self):
        answer = self.ask("summary")
        parts = ("compute_ns", "communication_ns", "memory_ns", "idle_ns")
        self.same([(r["window"], r["device"], r["length_ns"], *(r[p] for p in parts)) for r in answer["devices"]],
                  devices.summary_devices(self.trace))
        parts = ("ops_ns", "runtime_ns", "python_ns", "annotations_ns", "other_ns", "idle_ns")
        self.same([(r["window"], r["thread"], r["length_ns"], *(r[p] for p in parts)) for r in answer["threads"]],
                  host.summary_threads(self.trace))

    def test_ops_and_kernels(self):
        times = ("total_ns", "least_ns", "median_ns", "p90_ns", "p99_ns", "most_ns")
        ops, kernels = self.ask("ops")["ops"], self.ask("kernels")["kernels"]
        self.same(self.columns(ops, "name", "kind", "calls", "self_ns", *times), host.ops(self.trace))
        launching = [row for row in ops if row.get("device_ns")]
        self.same(self.columns(launching, "name", "kind", "device_self_ns", "device_ns"), host.devices_of_ops(self.trace))
        self.same(self.columns(kernels, "name", "kind", "calls", *times), devices.kernels(self.trace))
        for rows in (ops, kernels):
            if sum(row["self_ns"] for row in rows):
                self.assertAlmostEqual(sum(row["share"] for row in rows), 100)
        durations = {e.number: (e.name, e.end - e.begin) for e in self.trace.spans}
        for row in (*ops, *kernels):
            self.assertEqual(durations[row["longest"]], (row["name"], row["most_ns"]))

    def test_ops_and_kernels_told_apart(self):
        of_host = [e for events in self.trace.host.values() for e in events]
        for by in ("shape", "module", "stack"):
            for question, events in (("ops", of_host), ("kernels", self.trace.work)):
                with self.subTest(f"{question} --by {by}"):
                    rows = self.ask(question, "--by", by)[question]
                    self.same(self.columns(rows, "name", by, "kind", "calls", "self_ns"), host.grouped(self.trace, by, events))

    def test_modules(self):
        rows, path, got = self.ask("modules")["modules"], [], []
        for row in rows:
            path = [*path[:row["depth"]], row["module"].strip()]
            names = ("calls", "device_self_ns", "host_self_ns", "device_ns", "gradients_ns", "host_ns")
            got.append((() if row["module"] == "(in no module)" else tuple(path), *(row.get(name) or 0 for name in names)))
        self.same(got, host.modules(self.trace))
        if rows:
            self.assertEqual(sum(row.get("device_self_ns", 0) for row in rows), sum(e.end - e.begin for e in self.trace.work))

    def test_gaps(self):
        of_streams, of_devices = devices.gaps(self.trace)
        answer = self.ask("gaps")
        parts = ("host_ns", "host_gaps", "kernel_ns", "kernel_gaps", "other_ns", "other_gaps")
        for rows, wanted in ((answer["streams"], of_streams), (answer["devices"], of_devices)):
            busy = [r["span_ns"] - r["host_ns"] - r["kernel_ns"] - r["other_ns"] for r in rows]
            self.same([(r["stream"], r["kernels"], r["span_ns"], b, *(r[p] for p in parts)) for r, b in zip(rows, busy)], wanted)

    def test_causes_of_idle_time(self):
        rows = self.ask("gaps")["idle"]
        for device, (idle, latency) in devices.idle(self.trace).items():
            mine = [row for row in rows if row["device"] == device]
            self.assertEqual(sum(row["time_ns"] for row in mine), idle, device)
            self.assertEqual(sum(row["time_ns"] for row in mine if row["cause"] == "latency between kernels"), latency, device)

    def test_launches(self):
        answer = self.ask("launches")
        self.same(self.columns(answer["calls"], "name", "calls", "total_ns", "median_ns", "p99_ns", "most_ns", "slow", "launches", "brief",
                               "delay_median_ns", "delay_p99_ns", "delay_most_ns", "delayed"), devices.launches(self.trace))
        self.same(self.columns(answer["short"], "name", "launches", "short", "work_ns", "calls_ns"), devices.short(self.trace))
        wanted = devices.queues(self.trace)
        self.assertEqual(len(answer["queues"]), len(wanted))
        for row in answer["queues"]:
            launched, mean, most, full = wanted[row["stream"]]
            self.assertEqual((row["launched"], row["most"], row["full_ns"]), (launched, most, full))
            self.assertTrue(math.isclose(row["mean"], mean, rel_tol=1e-9, abs_tol=1e-9), (row, mean))

    def test_overlap(self):
        of_devices, kernels = devices.overlap(self.trace)
        answer = self.ask("overlap")
        parts = ("communication_ns", "hidden_ns", "exposed_ns", "compute_alone_ns")
        self.same([(r["window"], r["device"], *(r[p] for p in parts)) for r in answer["devices"]], of_devices)
        self.same([(r["name"], r["device"], r["calls"], r["total_ns"], r["exposed_ns"]) for r in answer["kernels"]], kernels)

    def test_steps(self):
        rows, spread = host.steps(self.trace)
        answer = self.ask("steps")
        self.assertEqual(self.columns(answer["steps"], "name", "length_ns", "device_busy_ns", "launched_ns", "host_busy_ns"),
                         [list(row) for row in rows])
        if spread:
            got = self.columns(answer["spread"], "steps", "least_ns", "median_ns", "most_ns", "deviation_percent")[0]
            self.assertEqual(tuple(got[:4]), spread[:4])
            self.assertAlmostEqual(got[4], spread[4])

    def test_threads(self):
        answer = self.ask("threads")
        self.same(self.columns(answer["threads"], "thread", "busy_ns", "waiting_ns", "idle_ns"), host.threads(self.trace))
        self.same(self.columns(answer["waits"], "thread", "name", "kind", "within", "calls", "total_ns", "longest_ns", "devices_idle_ns",
                               "until_work_ns"), host.waits(self.trace))

    def test_memory(self):
        answer = self.ask("memory")
        rows = answer["devices"]
        names = ("allocations", "allocated_bytes", "frees", "freed_bytes", "first_bytes", "peak_bytes", "peak_event", "last_bytes")
        self.assertEqual(sorted(map(tuple, self.columns(rows, *names))), sorted(whole.memory(self.trace)))
        for table, wanted in whole.live(self.trace).items():
            self.same(self.columns(answer[table], "category", "within", "allocations", "bytes"), wanted)

    def test_compile(self):
        answer = self.ask("compile")
        regions = self.columns(answer["regions"], "name", "calls", "inside", "breaks", "total_ns")
        without_lines = [[re.sub(r" \(\S+\.py\(\d+\): .*\)$", "", row[0]), *row[1:]] for row in regions]  # which tests/analyze checks
        self.same(without_lines, host.regions(self.trace))
        self.same(self.columns(answer["functions"], "name", "calls", "total_ns", "pairs"), host.functions(self.trace))
        self.same(self.columns(answer["overheads"], "name", "calls", "total_ns"), host.overheads(self.trace))
        self.same(self.columns(answer["phases"], "name", "calls", "self_ns", "total_ns"), host.phases(self.trace))

    def test_critical_path(self):
        self.check_path()
        if self.trace.steps:
            self.check_path("--step", self.trace.steps[-1].name.removeprefix("ProfilerStep#"))

    def check_path(self, *window):
        answer = self.ask("critical-path", "--segments", *window)
        path, segments = answer["path"][0], answer["segments"]
        for segment in segments:
            segment["begin_ns"] += path["begin_ns"]
        self.assertEqual(sum(segment["time_ns"] for segment in segments), path["length_ns"])
        problems = critical.problems(self.trace, segments)
        self.assertEqual(problems[:3], [], f"{len(problems)} of {len(segments)} segments")
        for kind in answer["kinds"]:
            mine = [segment["time_ns"] for segment in segments if segment["kind"] == kind["kind"]]
            self.assertEqual((kind["time_ns"], kind["segments"]), (sum(mine), len(mine)))

    def test_check(self):
        found = {row["key"]: row["count"] for row in self.ask("check")["problems"]}
        wanted = whole.problems(self.trace)
        self.assertEqual({key: found[key] for key in wanted}, wanted)


def load_tests(loader, tests, pattern):
    suite = unittest.TestSuite()
    for number in range(MADE_UP):
        pathlib.Path(FOLDER.name, f"{number}.json").write_text(json.dumps(random_trace(number)))
    for path in (*sorted(TRACES.glob("*.json*")), *sorted(pathlib.Path(FOLDER.name).iterdir())):
        of_one = type(f"Values of {path.name}", (Values,), {"path": path})
        suite.addTests(loader.loadTestsFromTestCase(of_one))
    return suite


if __name__ == "__main__":
    unittest.main()
