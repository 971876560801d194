#!/usr/bin/env python3
"""What users try first: versions, manuals, variables.   usage: usage_test.py VITRO"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

VITRO = sys.argv[1]


def run(*arguments, **variables):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("VITRO_")}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([VITRO, *arguments], capture_output=True, text=True, cwd=folder, env=clean | variables)
        done.files = os.listdir(folder)
    return done


class Usage(unittest.TestCase):
    def test_the_version_is_an_option_too(self):
        done = run("--version")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, run("version").stdout)
        self.assertRegex(done.stdout, r"^vitro \d+\.\d+\.\d+\n$")

    def test_man_shows_the_page_of_a_command_and_writes_nothing(self):
        self.assertIn(".TH VITRO 1", run("man").stdout)
        for words in (("trace", "gaps"), ("vitro-trace-gaps",)):
            done = run("man", *words)
            self.assertIn(".TH VITRO\\-TRACE\\-GAPS 1", done.stdout)
            self.assertEqual((done.returncode, done.files), (0, []))

    def test_man_names_the_page_that_was_meant(self):
        done = run("man", "trace", "gap")
        self.assertEqual((done.returncode, done.stdout, done.files), (2, "", []))
        self.assertEqual(done.stderr, "vitro: man: there is no page of `vitro trace gap`; did you mean `vitro trace gaps`?\n")

    def test_profile_names_the_endings_that_it_knows(self):
        done = run("profile", "-o", "x.bogus", "--", "true")
        self.assertEqual((done.returncode, done.files), (2, []))
        self.assertEqual(done.stderr, 'vitro profile: x.bogus: got the ending ".bogus", a trace needs .json, .pftrace or '
                                      ".perfetto-trace, with .gz or .zst after that\n")

    def test_codes_are_found_in_any_case_and_the_nearest_is_named(self):
        self.assertEqual(run("explain", "v0201").stdout, run("explain", "V0201").stdout)
        done = run("explain", "v201")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "vitro explain: there is no code v201; did you mean V0201? `vitro explain` lists them\n")
        self.assertNotIn("did you mean", run("explain", "nonsense").stderr)

    def test_ops_are_found_with_their_overload_and_the_nearest_is_named(self):
        one = run("ops", "add.Tensor")
        self.assertEqual((one.returncode, one.stderr), (0, ""))
        self.assertIn("  add.Tensor(", one.stdout)
        self.assertNotIn("add.Scalar(", one.stdout)
        self.assertIn("add.Scalar(", run("ops", "add").stdout)
        self.assertEqual([each["overload"] for each in json.loads(run("ops", "add.Tensor", "--json").stdout)], ["Tensor"])
        for wrong, meant in (("sofmax", "softmax"), ("add.Tensr", "add.Tensor")):
            done = run("ops", wrong)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr, f"vitro ops: no op is called {wrong}; did you mean {meant}? `vitro ops` lists them\n")

    def test_an_empty_name_of_a_log_is_said(self):
        for text in ("+", "-", "breaks,+"):
            self.assertIn(f'VITRO_LOGS: "{text[-1]}" is not a component; there are capture, ', run("version", VITRO_LOGS=text).stderr)

    def test_options_lists_every_variable_and_a_wrong_value_is_said(self):
        self.assertIn("VITRO_ISA ", run("options").stdout)
        done = run("options", VITRO_RECOMPILE_LIMIT="many")
        self.assertIn('VITRO_RECOMPILE_LIMIT: got "many", needs a whole number', done.stderr)

    def test_an_unknown_variable_is_named_once_with_the_nearest(self):
        done = run("options", VITRO_LOGSS="x")
        self.assertEqual(done.stderr, "vitro warning: VITRO_LOGSS is not a variable that Vitro reads; did you mean VITRO_LOGS? "
                                      "`vitro options` lists those\n")
        self.assertEqual(run("options", VITRO_LOGS="-capture").stderr, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
