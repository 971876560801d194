#!/usr/bin/env python3
"""bench/compare: the tables that it makes of JSON lines, and the rounds in which it measures."""
import json
import os
import pathlib
import select
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPARE = ROOT / "bench" / "compare"
sys.path.insert(0, str(ROOT / "bench"))
import rounds

LINES = '''{"work":"mlp","mode":"fwd","who":"compiled","threads":2,"cold_ms":80,"warm_ms":9,"med_ms":0.5,"min_ms":0.4,"n":10,"kernels":3,"rss_mb":40}
{"work":"mlp","mode":"fwd","who":"eager","threads":2,"cold_ms":null,"warm_ms":null,"med_ms":1.0,"min_ms":0.9,"n":10,"kernels":null,"rss_mb":40}
{"work":"mlp","mode":"fwd","who":"openvino","threads":2,"cold_ms":120.5,"warm_ms":100,"med_ms":0.75,"min_ms":0.7,"n":10,"kernels":null,"rss_mb":365}
{"work":"mlp","mode":"fwd","who":"inductor","threads":2,"cold_ms":12900,"warm_ms":4000,"med_ms":2.0,"min_ms":1.9,"n":10,"kernels":2,"rss_mb":400}
{"work":"gpt2","mode":"fwd","who":"openvino","threads":2,"cold_ms":1500,"warm_ms":1400,"med_ms":88,"min_ms":80,"n":10,"kernels":null,"rss_mb":1900}
'''

# A contender that says what state the process in the file `others` is in while it computes, and which runs were asked for.
FAKE = r'''
import json, pathlib, sys
others = pathlib.Path(sys.argv[1])
print(json.dumps({"first_ms": 7, "kernels": 1}), flush=True)
for line in sys.stdin:
    states = [pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] for pid in others.read_text().split()]
    print(json.dumps({"med_ms": 1, "min_ms": 1, "cpu_ms": 0, "rss_mb": 1, "states": states, "count": int(line)}), flush=True)
'''
# vitro_bench --serve WORK WHO train: the eager one loses another way.
TRAINS = r'''
import json, sys
losses = {"eager": [2.3, 2.3001], "peak": None}.get(sys.argv[3], [2.3, 2.299])
first = {"first_ms": 7, "kernels": -1, "parameters": 1000} | ({"losses": losses} if losses else {})
print(json.dumps(first), flush=True)
for line in sys.stdin:
    print(json.dumps({"med_ms": 1, "min_ms": 1, "cpu_ms": 0, "rss_mb": 1}), flush=True)
'''
DIES = 'import sys; print("{}", flush=True); sys.stdin.readline(); sys.exit(3)'


def compare(text, *arguments):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write(text)
        file.flush()
        return subprocess.run([sys.executable, COMPARE, "--read", file.name, *arguments], capture_output=True, text=True)


def line(who, rounds_ms, **more):
    return json.dumps({"work": "mlp", "mode": "fwd", "who": who, "med_ms": sorted(rounds_ms)[len(rounds_ms) // 2], "rounds_ms": rounds_ms, **more}) + "\n"


class Tables(unittest.TestCase):
    def test_medians_ratios_and_first_calls_stand_in_tables(self):
        out = compare(LINES).stdout
        self.assertIn("| work | compiled | eager | inductor | openvino |", out)
        self.assertIn("| mlp | 0.5 | 1 | 2 | 0.75 |", out)
        self.assertIn("| mlp | 2 | 4 | 1.5 | 1.5 |", out)  # eager, inductor, openvino, the best peer
        self.assertIn("| mlp | 80 / 9 | – / – | 12900 / 4000 | 120 / 100 |", out)
        self.assertIn("| mlp | 3 / 40 | – / 40 | 2 / 400 | – / 365 |", out)

    def test_what_was_not_measured_is_a_dash(self):
        out = compare(LINES).stdout
        self.assertIn("| gpt2 | – | – | – | 88 |", out)
        self.assertIn("| gpt2 | – | – | – | – |", out)

    def test_a_line_that_is_no_json_is_named_and_the_others_stay(self):
        done = compare("nonsense\n" + LINES)
        self.assertIn("line 1 is not JSON: nonsense", done.stderr)
        self.assertIn("| mlp | 0.5 |", done.stdout)

    def test_steps_of_vitro_stand_beside_those_of_others(self):
        lines = '''{"work":"profiler_stop","mode":"step","who":"vitro","threads":1,"cold_ms":null,"warm_ms":null,"med_ms":0.0002}
{"work":"profiler_stop","mode":"step","who":"torch","threads":1,"cold_ms":null,"warm_ms":null,"med_ms":0.002}
'''
        out = compare(lines).stdout
        self.assertIn("| profiler_stop | 0.0002 | 0.002 |", out)
        self.assertIn("| profiler_stop | 10 | 10 |", out)
        self.assertNotIn("First call", out)

    def test_nothing_measured_is_a_failure(self):
        self.assertEqual(compare("").returncode, 1)

    def test_a_machine_that_changes_its_speed_between_rounds_does_not_change_the_ratio(self):
        out = compare(line("compiled", [1, 2, 1, 3, 2]) + line("openvino", [1.5, 3, 1.5, 4.5, 3])).stdout
        self.assertIn("| mlp | 1.5 (1.5 to 1.5) | 1.5 (1.5 to 1.5) |", out)

    def test_a_ratio_stands_with_its_spread(self):
        out = compare(line("compiled", [1, 1, 1, 1, 1]) + line("openvino", [1, 1.1, 1.2, 1.3, 9])).stdout
        self.assertIn("| mlp | 1.2 (1.1 to 1.3) |", out)

    def test_disturbed_rounds_are_left_out(self):
        out = compare(line("compiled", [1, 1, 5], disturbed=[2]) + line("openvino", [2, 9, 2], disturbed=[1])).stdout
        self.assertIn("| mlp | 2 (2 to 2) |", out)

    def test_the_peak_and_eager_are_no_peers(self):
        out = compare(line("compiled", [1.0, 1.0]) + line("peak", [0.9, 0.9]) + line("onednn", [1.1, 1.1])).stdout
        self.assertIn("| mlp | 1.1 (1.1 to 1.1) | 0.9 (0.9 to 0.9) | 1.1 (1.1 to 1.1) |", out)

    def test_json_has_the_ratios(self):
        rows = [json.loads(l) for l in compare(line("compiled", [1, 1]) + line("onednn", [2, 2]), "--json").stdout.splitlines()]
        self.assertEqual(rows[1]["ratio"], {"median": 2, "low": 2, "high": 2})


    def test_training_steps_have_tables_of_their_own(self):
        train = lambda who, **more: line(who, [2.0, 2.0], **more).replace('"fwd"', '"train"')
        out = compare(line("compiled", [1.0, 1.0]) + train("compiled", cold_ms=9, warm_ms=4) + train("compiled_forward") + train("xla")).stdout
        self.assertIn("### Median, ms (fwd)", out)
        self.assertIn("### Median, ms (train)", out)
        self.assertIn("| mlp | 1 (1 to 1) | 1 (1 to 1) | 1 (1 to 1) |", out)  # compiled_forward, xla, the best peer
        self.assertIn("### First two steps, ms: caches empty / filled (train)", out)
        self.assertIn("| mlp | 9 / 4 |", out)

    def test_the_step_of_the_optimizer_is_shown_as_a_rate(self):
        rows = [{"work": "adamw", "mode": "train", "who": who, "med_ms": ms, "parameters": 1e6} for who, ms in (("compiled", 2.8), ("memory", 1.4))]
        out = compare("".join(json.dumps(row) + "\n" for row in rows)).stdout
        self.assertIn("### AdamW, GB/s (train)", out)
        self.assertIn("| adamw | 10 | 20 |", out)

    def test_ratios_are_those_of_the_same_mode(self):
        rows = (line("compiled", [4, 4]) + line("xla", [2, 2])).replace('"fwd"', '"train"') + line("compiled", [1, 1])
        found = [json.loads(l) for l in compare(rows, "--json").stdout.splitlines()]
        self.assertEqual(found[1]["ratio"]["median"], 0.5)


class Rounds(unittest.TestCase):
    def start(self, text, *arguments):
        resident = rounds.Resident("fake", [sys.executable, "-c", text, *arguments])
        self.addCleanup(resident.close)
        return resident

    def test_only_one_computes_at_a_time(self):
        with tempfile.NamedTemporaryFile("w") as others:
            both = [self.start(FAKE, others.name) for _ in range(2)]
            for one, other in (both, both[::-1]):
                others.seek(0)
                others.write(f"{other.process.pid:<12}")
                others.flush()
                self.assertEqual(one.turn(3)["states"], ["T"])

    def test_an_idle_contender_uses_no_processor(self):
        spins = 'import threading\nprint("{}", flush=True)\nwhile True: pass\n'
        resident = self.start(spins)
        times = lambda: pathlib.Path(f"/proc/{resident.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
        before = times()
        rounds.time.sleep(0.1)
        self.assertEqual(times(), before)

    def test_a_contender_dies_with_whoever_measures(self):
        text = f'import sys; sys.path.insert(0, "{ROOT}/bench"); import rounds; r = rounds.Resident("fake", [sys.executable, "-c", {FAKE!r}, "x"]); ' \
               'print(r.process.pid, flush=True); sys.stdin.read()'
        measurer = subprocess.Popen([sys.executable, "-c", text], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        pid = int(measurer.stdout.readline())
        watched = os.pidfd_open(pid)
        measurer.kill()
        measurer.communicate()
        ended, _, _ = select.select([watched], [], [], 60)
        os.close(watched)
        self.assertTrue(ended)

    def test_with_realtime_priority_others_may_use_what_is_left_idle(self):
        resident = self.start(FAKE, os.devnull)
        resident.realtime = True
        used = iter([1000.0, 1000.001])
        with mock.patch.object(rounds, "used_ms", lambda: next(used)):
            self.assertEqual(resident.turn(1)["others"], 0)

    def test_a_turn_during_which_others_computed_is_repeated(self):
        resident = mock.Mock(count=4)
        resident.turn.side_effect = [{"others": 1.5}, {"others": 0.4}, {"others": 0.0}]
        self.assertEqual(rounds.quiet_turn(resident, pause=0), {"others": 0.0, "turns": 3})

    def test_where_no_turn_is_quiet_the_quietest_counts_and_is_called_disturbed(self):
        resident = mock.Mock(count=4)
        resident.turn.side_effect = [{"others": o, "med_ms": o, "min_ms": o} for o in (1.5, 0.4, 0.9, 1, 1, 1, 1, 1)]
        turn = rounds.quiet_turn(resident, pause=0)
        self.assertEqual((turn["others"], turn["turns"]), (0.4, 8))
        self.assertEqual(rounds.summary([turn])["disturbed"], [0])

    def test_processor_time_of_others_is_seen(self):
        resident = self.start(FAKE, os.devnull)
        used = iter([1000.0, 1400.0])
        with mock.patch.object(rounds, "used_ms", lambda: next(used)):
            self.assertGreater(resident.turn(1)["others"], 0)

    def test_each_round_has_every_contender_and_begins_with_another(self):
        order = []
        class One:
            def __init__(self, name):
                self.name = name
            def turn(self, count):
                order.append(self.name)
                return {"others": 0.0, "med_ms": 100.0}
        turns = rounds.run_rounds([One("a"), One("b")], 3, 200)
        self.assertEqual([len(t) for t in turns.values()], [3, 3])
        self.assertEqual("".join(order[-6:]), "abbaab")

    def test_a_contender_that_dies_is_named(self):
        resident = self.start(DIES)
        with self.assertRaisesRegex(rounds.Failed, "fake gave no answer; status 3"):
            resident.turn(1)

    def compare_with(self, script, *arguments):
        """bench/compare with this text as vitro_bench."""
        with tempfile.TemporaryDirectory() as folder:
            bench = pathlib.Path(folder) / "bench"
            bench.write_text(script)
            bench.chmod(0o755)
            command = [sys.executable, COMPARE, "--bench", bench, "--only", "mlp", "--rounds", "2", "--turn-ms", "1", *arguments]
            return subprocess.run(command, capture_output=True, text=True)

    def test_one_that_trains_otherwise_is_not_measured(self):
        ours = [word for who in ("compiled", "eager", "compiled_forward", "peak") for word in ("--who", who)]
        done = self.compare_with(f"#!{sys.executable}\n{TRAINS}", "--mode", "train", *ours)
        self.assertIn("compare: mlp: eager is not measured: its first losses are [2.3, 2.3001], those of compiled [2.3, 2.299]", done.stderr)
        self.assertIn("| work | compiled | compiled_forward | peak |", done.stdout)
        self.assertIn("| mlp | – / 1 | – / 1 | – / 1 |", done.stdout)  # an unknown number of kernels

    def test_one_that_cannot_start_does_not_stop_the_others(self):
        script = f'#!/bin/sh\n[ "$3" = eager ] && exit 5\nexec {sys.executable} -c \'{FAKE}\' {os.devnull}\n'
        done = self.compare_with(script, "--who", "compiled", "--who", "eager")
        self.assertIn("compare: mlp: eager gave no answer; status 5", done.stderr)
        self.assertIn("| mlp | 1 |", done.stdout)
        self.assertIn("| mlp | 7 / 7 |", done.stdout)


if __name__ == "__main__":
    unittest.main()
