#!/usr/bin/env python3
"""First steps with vitro: versions, manuals, variables, errors of usage.   usage: usage_test.py VITRO"""
import json
import os
import pathlib
import re
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
        self.assertEqual(done.stderr, "vitro: man: there is no page for `vitro trace gap`; did you mean `vitro trace gaps`?\n")

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
        self.assertIn("gradient: a formula; saves self, other", run("ops", "mul").stdout)
        self.assertIn("gradient: none: its result is bool", run("ops", "lt").stdout)
        self.assertEqual([each["overload"] for each in json.loads(run("ops", "add.Tensor", "--json").stdout)], ["Tensor"])
        for wrong, meant in (("sofmax", "softmax"), ("add.Tensr", "add.Tensor")):
            done = run("ops", wrong)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr, f"vitro ops: no op is called {wrong}; did you mean {meant}? `vitro ops` lists them\n")

    def test_ops_are_found_as_others_write_them(self):
        add, add_tensor = run("ops", "add").stdout, run("ops", "add.Tensor").stdout
        for name in ("aten::add", "torch.add", "Add", "torch::add", "TORCH.ADD", "vitro::add"):
            self.assertEqual(run("ops", name).stdout, add, name)
        for name in ("aten::add.Tensor", "add.tensor", "torch.ops.aten.add.Tensor"):
            self.assertEqual(run("ops", name).stdout, add_tensor, name)

    def test_no_op_is_named_where_none_is_near(self):
        for name in ("hessian", "kthlargest"):
            self.assertEqual(run("ops", name).stderr, f"vitro ops: no op is called {name}; `vitro ops` lists them\n")
        self.assertRegex(run("ops", "conv").stderr, r"did you mean conv\w+\?")

    def test_functions_that_write_in_place_are_known_as_what_they_are(self):
        headers = pathlib.Path(__file__).parents[2] / "include/vitro/ops"
        text = "".join(each.read_text() for each in headers.glob("*.h"))
        names = re.findall(r"ops::InPlace<[^;]*> (\w+_);|^const Tensor& (\w+_)\(", text, re.M)
        self.assertGreater(len(names), 50)
        for name in (first or second for first, second in names):
            done = run("ops", name)
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)
            self.assertRegex(done.stdout, f"^{name}: ")
        self.assertIn("relu_(Tensor(a!) self) -> Tensor(a!)", run("ops", "aten::relu_").stdout)
        self.assertEqual(run("ops", "softmax_").stderr,
                         "vitro ops: there is no function softmax_; softmax is an op but has no in-place form\n")

    def test_an_unknown_option_is_named_with_the_one_that_was_meant(self):
        more = {"trace ops": "`vitro trace ops --help` explains its use.\n"}
        for words, said in ((["profile", "--tabel", "--", "./p"], "vitro profile: unknown option --tabel; did you mean --table?\n"),
                            (["trace", "ops", "F", "--row", "3"], "vitro trace ops: unknown option --row; did you mean --rows?\n" + more["trace ops"]),
                            (["trace", "doctor", "--hlep"], "vitro trace doctor: unknown option --hlep; did you mean --help?\n"),
                            (["trace", "doctor", "--nonsense", "x"], "vitro trace doctor: unknown option --nonsense\n"),
                            (["-v"], "vitro: unknown option -v; did you mean --version?\n"),
                            (["--versoin"], "vitro: unknown option --versoin; did you mean --version?\n"),
                            (["trace", "--josn", "info", "F"], "vitro trace: unknown option --josn\n"),
                            (["profile", "./p", "--foo"], "vitro profile: unknown option --foo; options of the program come after --: "
                                                          "vitro profile -- ./p --foo\n")):
            done = run(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertTrue(done.stderr.startswith(said), done.stderr)

    def test_missing_and_unexpected_arguments_are_reported(self):
        for words, said in ((["trace", "diff", "A"], "vitro trace diff: needs two files, before and after; after is missing\n"),
                            (["trace", "cut", "A"], "vitro trace cut: needs "),
                            (["trace", "ops", "A", "B", "C"], "vitro trace ops: unexpected argument 'B'\n"),
                            (["trace", "ops", "A", "--rows", "many"], "vitro trace ops: --rows: needs an integer of at least 0, got 'many'\n"),
                            (["trace", "doctor", "--fail-on", "abc", "F"], "vitro trace doctor: --fail-on: needs a percentage of at least 0, got 'abc'\n"),
                            (["trace", "steps", "--over", "abc", "F"], "vitro trace steps: --over: needs an integer, got 'abc'\n")):
            done = run(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertTrue(done.stderr.startswith(said), done.stderr)

    def test_help_is_a_command_too(self):
        self.assertEqual(run("help").stdout, run("--help").stdout)
        self.assertEqual(run("help", "trace", "gaps").stdout, run("trace", "gaps", "--help").stdout)
        self.assertEqual(run("trace", "help").stdout, run("trace", "--help").stdout)
        self.assertEqual(run("trace", "help", "gaps").stdout, run("trace", "gaps", "--help").stdout)
        done = run("help", "trace", "gap")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "vitro: help: `vitro trace` has no command 'gap'; did you mean gaps?\n")

    def test_options_shows_one(self):
        line = next(each for each in run("options").stdout.splitlines() if each.startswith("VITRO_LOGS "))
        for name in ("VITRO_LOGS", "logs", "Vitro_Logs"):
            self.assertEqual(run("options", name).stdout, line + "\n")
        done = run("options", "VITRO_LOGSS")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "vitro options: there is no variable VITRO_LOGSS; did you mean VITRO_LOGS? `vitro options` lists them\n")

    def test_an_empty_log_name_is_reported(self):
        for text in ("+", "-", "breaks,+"):
            self.assertIn(f'VITRO_LOGS: "{text[-1]}" is not a component; there are capture, ', run("version", VITRO_LOGS=text).stderr)

    def test_options_lists_every_variable_and_a_wrong_value_is_reported(self):
        self.assertIn("VITRO_ISA ", run("options").stdout)
        done = run("options", VITRO_RECOMPILE_LIMIT="many")
        self.assertIn('VITRO_RECOMPILE_LIMIT: got "many", needs an integer', done.stderr)

    def test_an_unknown_variable_is_named_once_with_the_nearest(self):
        done = run("options", VITRO_LOGSS="x")
        self.assertEqual(done.stderr, "vitro warning: VITRO_LOGSS is not a variable that Vitro reads; did you mean VITRO_LOGS? "
                                      "`vitro options` lists them\n")
        self.assertEqual(run("options", VITRO_LOGS="-capture").stderr, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
