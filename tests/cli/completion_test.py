#!/usr/bin/env python3
"""Tests shell completion and manual pages of vitro.   usage: completion_test.py VITRO"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

VITRO = sys.argv[1]


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


def script(shell):
    return run(VITRO, "completion", shell).stdout


def bash_completes(*words):
    """The completions that bash offers for the last word."""
    line = " ".join(f"'{word}'" for word in words)
    call = f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _vitro; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = run("bash", "-uc", script("bash") + call)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


class Completion(unittest.TestCase):
    def test_bash_completes_commands_at_every_depth(self):
        self.assertEqual(bash_completes("vitro", "prof"), ["profile"])
        self.assertEqual(bash_completes("vitro", "trace", "doc"), ["doctor"])
        self.assertIn("gaps", bash_completes("vitro", "trace", ""))
        self.assertNotIn("profile", bash_completes("vitro", "trace", ""))

    def test_bash_completes_options_and_the_words_that_they_take(self):
        self.assertEqual(bash_completes("vitro", "trace", "gaps", "--fail"), ["--fail-on"])
        self.assertIn("--output", bash_completes("vitro", "profile", "-"))
        self.assertEqual(bash_completes("vitro", "completion", "z"), ["zsh"])
        self.assertEqual(bash_completes("vitro", "trace", "gaps", "a.json", "--fail"), ["--fail-on"])
        self.assertEqual(bash_completes("vitro", "trace", "ops", "a.json", "--by", "s"), ["shape", "stack"])

    def test_bash_leaves_files_to_the_shell(self):
        self.assertEqual(bash_completes("vitro", "trace", "gaps", "tr"), [])
        self.assertEqual(bash_completes("vitro", "trace", "gaps", "--rows", ""), [])

    @unittest.skipUnless(shutil.which("zsh"), "no zsh here")
    def test_zsh_reads_its_script(self):
        done = run("zsh", "-fc", "autoload -U compinit && compinit -u -D\n" + script("zsh") + "whence -w _vitro")
        self.assertEqual((done.stdout, done.stderr), ("_vitro: function\n", ""))

    @unittest.skipUnless(shutil.which("fish"), "no fish here")
    def test_fish_completes_commands_and_options(self):
        with tempfile.TemporaryDirectory() as home:
            def completes(line):
                done = run("fish", "-c", script("fish") + f"complete -C '{line}'", env=os.environ | {"HOME": home})
                self.assertEqual(done.stderr, "")
                return [entry.split("\t")[0] for entry in done.stdout.splitlines()]

            self.assertEqual(completes("vitro trace doc"), ["doctor"])
            self.assertIn("profile", completes("vitro "))
            self.assertEqual(completes("vitro trace gaps --fail"), ["--fail-on"])
            self.assertEqual(completes("vitro completion z"), ["zsh"])


class Manual(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.assertEqual(run(VITRO, "man", "--output", self.folder).returncode, 0)

    def test_there_is_a_page_for_each_command(self):
        pages = set(os.listdir(self.folder))
        self.assertTrue({"vitro.1", "vitro-profile.1", "vitro-trace.1", "vitro-trace-gaps.1"} <= pages, pages)
        listed = run(VITRO, "trace", "--help").stdout
        for page in pages:
            if page.startswith("vitro-trace-"):
                self.assertIn(page[len("vitro-trace-"):-2], listed)

    def test_every_question_to_a_trace_has_its_options_on_its_page_and_completed(self):
        with open(os.path.join(self.folder, "vitro-trace.1")) as file:
            group = file.read()
        questions = [page[len("vitro-trace-"):-2] for page in os.listdir(self.folder) if page.startswith("vitro-trace-")]
        questions.remove("help")  # not a question about a trace
        self.assertGreaterEqual(len(questions), 21)
        for question in questions:
            with self.subTest(question):
                self.assertIn(question.replace("-", "\\-"), group)
                listed = re.findall(r"^ +((?:-\w,)?--.*?)(?: |$)", run(VITRO, "trace", question, "--help").stdout, re.M)
                options = {option for words in listed for option in words.split(",") if option.startswith("--")}
                self.assertIn("--no-cache", options)
                with open(os.path.join(self.folder, f"vitro-trace-{question}.1")) as file:
                    page = file.read().replace("\\-", "-")
                self.assertEqual([option for option in options if option not in page], [])
                self.assertEqual(set(bash_completes("vitro", "trace", question, "--")), options)

    def test_pages_have_the_parts_that_readers_expect(self):
        for name in os.listdir(self.folder):
            with open(os.path.join(self.folder, name)) as file:
                lines = file.read().splitlines()
            self.assertTrue(lines[0].startswith(f".TH {name[:-2].upper()} 1 ".replace("-", "\\-")), lines[0])
            heads = [line[4:] for line in lines if line.startswith(".SH ")]
            self.assertEqual(heads[:2], ["NAME", "SYNOPSIS"], name)
            self.assertIn("OPTIONS", heads)
            requests = {line.split()[0] for line in lines if line.startswith((".", "'"))}
            self.assertLessEqual(requests, {".TH", ".SH", ".TP", ".br"}, name)

    @unittest.skipUnless(shutil.which("man"), "no man here")
    def test_man_shows_them(self):
        done = run("man", "-l", os.path.join(self.folder, "vitro-trace-gaps.1"), env=os.environ | {"MANWIDTH": "100"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("vitro trace gaps", done.stdout)
        self.assertIn("--fail-on", done.stdout)

    @unittest.skipUnless(shutil.which("mandoc"), "no mandoc here")
    def test_mandoc_has_no_complaint(self):
        for name in sorted(os.listdir(self.folder)):
            done = run("mandoc", "-T", "lint", "-W", "error", os.path.join(self.folder, name))
            self.assertEqual(done.stdout, "", name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
