#!/usr/bin/env python3
"""Runs vitro profile on real programs.   usage: profile_test.py VITRO LESSON"""
import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest

VITRO, LESSON = sys.argv[1:3]


class Profile(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_vitro(self, *arguments, **more):
        return subprocess.run([VITRO, "profile", *arguments], cwd=self.folder.name, capture_output=True, text=True, **more)

    def files(self):
        return sorted(os.listdir(self.folder.name))

    def test_writes_the_trace_of_an_unchanged_program_and_says_where(self):
        done = self.run_vitro("--record-shapes", "--table", "--row-limit", "3", "--", LESSON)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("elements equal eager and compiled", done.stdout)
        path = os.path.join(self.folder.name, "trace.json.gz")
        self.assertIn(f"vitro profile: the trace is in {path}\n", done.stderr)
        self.assertIn("Self CPU time total: ", done.stderr)
        with gzip.open(path) as file:
            names = {event["name"] for event in json.load(file)["traceEvents"]}
        self.assertTrue(any(name.startswith("Torch-Compiled Region: ") for name in names), names)

    def test_traces_are_well_formed_with_every_option(self):
        every = ["--record-shapes", "--with-stack", "--with-modules", "--with-flops", "--with-tensors", "--profile-memory"]
        for name, options in (("plain.json", []), ("every.json.gz", every), ("bounded.json.zst", [*every, "--max-bytes", "128K"])):
            with self.subTest(name):
                done = self.run_vitro("-o", name, *options, "--", LESSON)
                self.assertEqual(done.returncode, 0, done.stderr)
                path = os.path.join(self.folder.name, name)
                said = subprocess.run([VITRO, "trace", "check", path, "--no-cache", "--json"], capture_output=True, text=True, check=True)
                problems = json.loads(said.stdout)["problems"]
                self.assertGreater(len(problems), 5)
                self.assertEqual([problem for problem in problems if problem["count"]], [])

    def test_a_profiler_of_the_program_itself_records_nothing_and_says_so(self):
        lesson = os.path.join(os.path.dirname(LESSON), "05_profile_a_compilation")
        done = self.run_vitro("-o", "whole.json", "--", lesson)
        self.assertIn("its own Profiler records nothing", done.stderr)
        self.assertEqual([name for name in self.files() if "trace" in name], [], "an empty trace never replaces an earlier one")
        self.assertNotIn("terminate called", done.stderr)
        self.assertIn("whole.json", self.files())

    def test_hands_words_and_exit_codes_through(self):
        done = self.run_vitro("--", "sh", "-c", "echo $0 $#; exit 5", "--table", "-o")
        self.assertEqual(done.stdout, "--table 1\n")
        self.assertEqual(done.returncode, 5)
        done = self.run_vitro("--", "sh", "-c", "kill -9 $$")
        self.assertEqual(done.returncode, 128 + 9)

    def test_says_that_a_program_does_not_exist(self):
        done = self.run_vitro("--", "./no_such_program")
        self.assertEqual(done.returncode, 127)
        self.assertEqual(done.stderr, "vitro profile: ./no_such_program: No such file or directory\n")

    def test_says_that_a_program_uses_no_vitro(self):
        done = self.run_vitro("--", "true")
        self.assertEqual(done.returncode, 1)
        self.assertIn("true exited with code 0, but it did not load libvitro", done.stderr)
        self.assertEqual(self.files(), [])

    def test_says_why_no_trace_could_be_written(self):
        done = self.run_vitro("-o", "no/such/folder/trace.json", "--", LESSON)
        self.assertIn("there is no trace: ", done.stderr)
        self.assertEqual(done.returncode, 1)

    def test_an_earlier_trace_under_the_usual_name_is_kept(self):
        self.run_vitro("--", LESSON)
        with open(os.path.join(self.folder.name, "trace.json.gz"), "rb") as file:
            first = file.read()
        self.assertEqual(self.run_vitro("--", "true").returncode, 1)  # without a new trace the earlier one stays
        self.assertEqual(self.files(), ["trace.json.gz"])
        done = self.run_vitro("--", LESSON)
        self.assertIn("vitro profile: the previous trace is in trace.old.json.gz\n", done.stderr)
        self.assertEqual(self.files(), ["trace.json.gz", "trace.old.json.gz"])
        with open(os.path.join(self.folder.name, "trace.old.json.gz"), "rb") as file:
            self.assertEqual(file.read(), first)

    def test_a_file_that_is_named_is_replaced(self):
        for _ in range(2):
            self.run_vitro("-o", "trace.json.gz", "--", LESSON)
        self.assertEqual(self.files(), ["trace.json.gz"])

    def test_refuses_what_it_does_not_know(self):
        done = self.run_vitro("--row-limit", "many", "--", LESSON)
        self.assertEqual(done.returncode, 2)
        self.assertIn("row_limit: got \"many\", needs an integer", done.stderr)
        self.assertEqual(self.run_vitro("--no-such-option", "--", LESSON).returncode, 2)
        self.assertEqual(self.run_vitro().returncode, 2)

    def test_every_program_that_one_starts_keeps_its_trace(self):
        done = self.run_vitro("-o", "trace.json", "--", "sh", "-c", f"'{LESSON}'; '{LESSON}'")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.files()), 2, self.files())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
