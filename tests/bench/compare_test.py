#!/usr/bin/env python3
"""bench/compare: the tables that it makes of JSON lines."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

COMPARE = pathlib.Path(__file__).resolve().parents[2] / "bench" / "compare"
LINES = '''{"work":"mlp","mode":"fwd","who":"compiled","threads":2,"cold_ms":80,"warm_ms":9,"med_ms":0.5,"min_ms":0.4,"n":10,"kernels":3,"rss_mb":40}
{"work":"mlp","mode":"fwd","who":"eager","threads":2,"cold_ms":null,"warm_ms":null,"med_ms":1.0,"min_ms":0.9,"n":10,"kernels":null,"rss_mb":40}
{"work":"mlp","mode":"fwd","who":"openvino","threads":2,"cold_ms":120.5,"warm_ms":100,"med_ms":0.75,"min_ms":0.7,"n":10,"kernels":null,"rss_mb":365}
{"work":"mlp","mode":"fwd","who":"inductor","threads":2,"cold_ms":12900,"warm_ms":4000,"med_ms":2.0,"min_ms":1.9,"n":10,"kernels":2,"rss_mb":400}
{"work":"gpt2","mode":"fwd","who":"openvino","threads":2,"cold_ms":1500,"warm_ms":1400,"med_ms":88,"min_ms":80,"n":10,"kernels":null,"rss_mb":1900}
'''


def compare(text, *arguments):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write(text)
        file.flush()
        return subprocess.run([sys.executable, COMPARE, "--read", file.name, *arguments], capture_output=True, text=True)


class Compare(unittest.TestCase):
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
        self.assertIn("line 1 is no JSON: nonsense", done.stderr)
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


if __name__ == "__main__":
    unittest.main()
