#!/usr/bin/env python3
"""vitro bench --compare with peers that are made up: its rows, and what becomes of processes and files.   usage: bench_compare_test.py
VITRO MODELS"""
import importlib.util
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

sys.dont_write_bytecode = True
VITRO, MODELS = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]

# In place of Python: answers as peers.py does.  Its results are those of the compiled model, or others.
PYTHON = f"""#!{sys.executable}
import os, pathlib, shutil, signal, sys, time, zipfile
script, step, peer, model, folder, threads = sys.argv[1:]
folder = pathlib.Path(folder)
with open(os.environ["CALLS"], "a") as file:
    print(step, peer, threads, os.environ["OMP_NUM_THREADS"], pathlib.Path(script).is_file(), os.getpid(), file=file)
how = os.environ.get(peer.upper(), "good")
if step == "convert":
    print("error it has no op x" if how == "unconverted" else "ready 5000", flush=True)
    sys.exit()
if how == "absent":
    print("error No module named 'absent'", flush=True)
    sys.exit()
if how == "dies":
    os.kill(os.getpid(), signal.SIGSEGV)
if how == "silent":
    time.sleep(1000)
with zipfile.ZipFile(folder / "compiled.npz") as ours, zipfile.ZipFile(folder / f"{{peer}}.npz", "w") as out:
    for name in ours.namelist():
        data = ours.read(name)
        out.writestr(name, data[:-2] + bytes([1, 1]) if how == "other" else data)
print("ready 1000 2000", int(how == "keeps"), flush=True)
for number, line in enumerate(sys.stdin):
    if how == "stops" and number == 1:
        sys.exit(3)
    print("nonsense" if how == "nonsense" else "times 1000000000 3000000000", flush=True)
"""


def alive(pid):
    try:
        os.kill(pid, 0)
        return True
    except ProcessLookupError:
        return False


class Compare(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.python = self.folder / "python"
        self.python.write_text(PYTHON)
        self.python.chmod(0o755)
        (self.folder / "tmp").mkdir()

    def environment(self, how):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("VITRO_")}
        return clean | {"TMPDIR": str(self.folder / "tmp"), "CALLS": str(self.folder / "calls")} | how

    def words(self, *more):
        return [VITRO, "bench", MODELS / "mlp.pt2", "--compare", "--python", self.python, "--seconds", "0", "--rounds", "3", *more]

    def run_it(self, *more, **how):
        words = list(map(str, self.words(*more)))
        done = subprocess.run(words, capture_output=True, text=True, cwd=self.folder, env=self.environment(how))
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])
        return done

    def rows(self, *more, **how):
        done = self.run_it("--json", *more, **how)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return {row["mode"]: row for row in json.loads(done.stdout)["rows"]}

    def calls(self):
        return [line.split() for line in (self.folder / "calls").read_text().splitlines()]

    def test_each_contender_has_a_row_with_its_times(self):
        rows = self.rows("--threads", 2)
        self.assertEqual(list(rows), ["eager", "compiled", "torch", "inductor", "onnxruntime", "openvino"])
        for row in rows.values():
            self.assertTrue(row["agrees"] or row["mode"] == "compiled", row)
        torch = rows["torch"]
        self.assertEqual((torch["load_ns"], torch["first_call_ns"], torch["convert_ns"], torch["again_ns"]), (1000, 2000, 5000, None))
        self.assertEqual((torch["calls"], torch["least_ns"], torch["p50_ns"], torch["round_least_ns"]), (6, 1e9, 2e9, [1e9] * 3))
        ratios = sorted(1e9 / one for one in rows["compiled"]["round_least_ns"])
        self.assertAlmostEqual(torch["ratio"], ratios[1], delta=ratios[1] * 1e-9)
        self.assertEqual(rows["compiled"]["ratio"], 1)
        self.assertGreater(rows["compiled"]["again_ns"], 0)
        self.assertGreater(torch["resident_bytes"], 1 << 20)
        self.assertEqual({tuple(call[2:5]) for call in self.calls()}, {("2", "2", "True")})

    def test_a_peer_that_keeps_something_is_started_twice(self):
        rows = self.rows("--peers", "torch,inductor", INDUCTOR="keeps")
        self.assertEqual((rows["inductor"]["again_ns"], rows["torch"]["again_ns"]), (3000, None))
        self.assertEqual([call[:2] for call in self.calls()], [["convert", "torch"], ["serve", "torch"], ["convert", "inductor"],
                                                              ["serve", "inductor"], ["serve", "inductor"]])

    def test_a_peer_that_fails_has_a_row_with_the_reason(self):
        rows = self.rows(TORCH="absent", INDUCTOR="unconverted", ONNXRUNTIME="dies", OPENVINO="stops")
        for peer, reason in (("torch", "No module named 'absent'"), ("inductor", "it has no op x"),
                             ("onnxruntime", "the process was ended by signal 11 (Segmentation fault)"),
                             ("openvino", "the process ended with code 3 and gave no answer")):
            self.assertEqual(rows[peer], {"mode": peer, "batch": None, "threads": rows[peer]["threads"], "failure": reason})
        table = self.run_it("--peers", "torch", "--svg", "x.svg", TORCH="absent").stdout
        self.assertRegex(table, r"\ntorch +- .* not measured\n")
        self.assertIn("threads: not measured: No module named 'absent'\n", table)
        self.assertIn("No module named &#39;absent&#39;", (self.folder / "x.svg").read_text().replace("'", "&#39;"))

    def test_a_wrong_answer_and_no_answer_are_reasons(self):
        rows = self.rows("--peers", "torch,openvino", "--limit", 1, TORCH="nonsense", OPENVINO="silent")
        self.assertEqual(rows["torch"]["failure"], 'gave another answer than "times": nonsense')
        self.assertEqual(rows["openvino"]["failure"], "no answer within 1 s")
        self.assertFalse(any(alive(int(call[5])) for call in self.calls()))

    def test_a_python_that_is_not_there_is_a_reason(self):
        self.python.unlink()
        done = self.run_it("--peers", "torch", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("python: cannot be started: No such file or directory", json.loads(done.stdout)["rows"][2]["failure"])

    def test_other_results_are_told(self):
        rows = self.rows("--peers", "torch", TORCH="other")
        self.assertFalse(rows["torch"]["agrees"])
        self.assertRegex(rows["torch"]["differs"], r"output_0: 1 of 6 elements differ, by \S+ at most")
        table = self.run_it("--peers", "torch", TORCH="other").stdout
        self.assertRegex(table, r"\ntorch .* differ\n")
        self.assertIn("Ratio: a contender's least time of a round", table)

    def waiting_for_a_peer(self):
        process = subprocess.Popen(list(map(str, self.words("--peers", "torch"))), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   cwd=self.folder, env=self.environment({"TORCH": "silent"}))
        while not (self.folder / "calls").exists() or len(self.calls()) < 2 or len(self.calls()[1]) < 6:
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        return process

    def test_the_contenders_end_with_a_process_that_is_killed(self):
        process = self.waiting_for_a_peer()
        process.kill()
        process.communicate()
        while any(alive(int(call[5])) for call in self.calls()):  # else the test never ends
            time.sleep(0.02)

    def test_a_signal_ends_all_processes_and_removes_all_files(self):
        process = self.waiting_for_a_peer()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(), (b"", b""))
        self.assertEqual(process.returncode, 128 + signal.SIGINT)
        self.assertFalse(any(alive(int(call[5])) for call in self.calls()))
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])

    def test_peers_that_nobody_knows_are_refused(self):
        for words in (("--peers", "jax"), ("--limit", 0), ("--rounds", 0)):
            with self.subTest(words):
                self.assertEqual(self.run_it(*words).returncode, 2)
        done = subprocess.run([VITRO, "bench", MODELS / "mlp.pt2", "--peers", "torch"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)


class Script(unittest.TestCase):
    """peers.py without any library."""

    def setUp(self):
        spec = importlib.util.spec_from_file_location("peers", ROOT / "cli" / "peers.py")
        self.peers = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.peers)

    def test_inputs_go_by_name_or_else_by_order(self):
        arrays = {"x": 1, "y": 2}
        self.assertEqual(self.peers.feed_of(["y", "x"], arrays), {"y": 2, "x": 1})
        self.assertEqual(self.peers.feed_of(["y"], arrays), {"y": 2})
        self.assertEqual(self.peers.feed_of(["a", "b"], arrays), {"a": 1, "b": 2})
        with self.assertRaisesRegex(ValueError, "the converted model's inputs are a, of the exported one x, y"):
            self.peers.feed_of(["a"], arrays)

    def test_a_turn_has_one_call_at_least(self):
        self.assertEqual(len(self.peers.turn(lambda: time.sleep(0.001), 0)), 1)
        times = self.peers.turn(lambda: time.sleep(0.001), 0.02)
        self.assertGreaterEqual(min(times), 1_000_000)

    def test_the_cause_is_the_reason(self):
        try:
            try:
                raise KeyError("op\nx")
            except KeyError as why:
                raise RuntimeError("failed") from why
        except RuntimeError as why:
            self.assertEqual(self.peers.reason(why), "KeyError: 'op\\nx'")
        self.assertEqual(self.peers.reason(ModuleNotFoundError("No module named 'torch'")), "No module named 'torch'")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
