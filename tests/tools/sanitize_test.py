#!/usr/bin/env python3
"""tools/sanitize: which test programs it takes for a change, and that it says so.   usage: sanitize_test.py"""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("sanitize", str(ROOT / "tools" / "sanitize"))
sanitize = importlib.util.module_from_spec(importlib.util.spec_from_loader("sanitize", loader))
loader.exec_module(sanitize)

LAYERS = sanitize.read_layers("""# folder: folders it may include
# tests: ops samples
base:
core:      base
ops:       core
# tests: graph eager
eager:     ops
graph:     ops
  passes:  ops
top:       graph eager
""")
KNOWN = {"base_test", "core_test", "ops_test", "eager_test", "graph_test", "samples_test"}


def targets(*paths):
    return sanitize.targets_of(sanitize.touched_folders(paths, LAYERS), LAYERS, KNOWN)


class Mapping(unittest.TestCase):
    def test_layers_are_read_with_what_tests_may_name(self):
        self.assertEqual(LAYERS["graph"], ["ops", "eager"])
        self.assertEqual(list(LAYERS), ["base", "core", "ops", "eager", "graph", "top", "samples"])

    def test_a_folder_is_tested_by_itself_and_by_its_direct_users(self):
        self.assertEqual(targets("src/ops/view.cpp"), ["ops_test", "eager_test", "graph_test"])
        self.assertEqual(targets("include/vitro/core/a/b.h"), ["core_test", "ops_test"])
        self.assertEqual(targets("tests/graph/print_test.cpp"), ["graph_test"])

    def test_the_folder_with_most_files_comes_first(self):
        self.assertEqual(targets("src/core/a.cpp", "src/graph/a.cpp", "tests/graph/a_test.cpp")[:2], ["graph_test", "core_test"])

    def test_what_needs_least_is_built_first(self):
        self.assertEqual(sanitize.lowest_first(["graph_test", "core_test", "ops_test"], LAYERS), ["core_test", "ops_test", "graph_test"])

    def test_files_directly_in_an_area_belong_to_the_folder_of_their_name(self):
        self.assertEqual(targets("include/vitro/graph.h"), ["graph_test"])
        self.assertEqual(targets("tests/samples.cpp"), ["samples_test", "ops_test"])

    def test_other_files_touch_no_folder(self):
        self.assertEqual(targets("docs/ops.md", "cli/main.cpp", "src/unknown/a.cpp", "tests/data/x.json"), [])

    def test_what_changes_every_build_is_no_list_of_folders(self):
        self.assertIsNone(sanitize.touched_folders(["src/ops/view.cpp", "cmake/toolchain.cmake"], LAYERS))

    def test_the_presets_are_those_with_a_sanitizer(self):
        self.assertEqual(sanitize.presets(), ["asan", "tsan"])


class Checkout(unittest.TestCase):
    """What is compared with what, in a repository of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "tree"
        self.write("LAYERS", "base:\ncore: base\n")
        self.git("init", "-q", "-b", "main")
        self.commit("src/base/a.cpp")
        kept = sanitize.ROOT
        sanitize.ROOT = self.root
        self.addCleanup(setattr, sanitize, "ROOT", kept)

    def write(self, name, text="x\n"):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def git(self, *words):
        names = {f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        subprocess.run(["git", *words], cwd=self.root, check=True, env=os.environ | names)

    def commit(self, name):
        self.write(name)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", name)

    def chosen(self):
        return sanitize.choose_folders(sanitize.find_base(), {"base": [], "core": ["base"]})

    def test_without_history_a_fixed_choice_is_taken_and_said(self):
        folders, why = self.chosen()
        self.assertEqual(folders, sanitize.WITHOUT_HISTORY)
        self.assertIn("the history does not say", why)

    def test_on_main_the_last_commit_is_the_change(self):
        self.commit("src/core/a.cpp")
        self.commit("src/base/b.cpp")
        self.assertEqual(self.chosen()[0], ["base"])

    def test_a_branch_is_compared_with_main_uncommitted_files_included(self):
        self.git("checkout", "-q", "-b", "work")
        self.commit("src/core/a.cpp")
        self.commit("docs/a.md")
        self.assertEqual(self.chosen()[0], ["core"])
        self.write("tests/base/new_test.cpp")
        self.assertEqual(self.chosen()[0], ["base", "core"])

    def test_a_shallow_clone_takes_the_fixed_choice(self):
        self.commit("src/core/a.cpp")
        shallow = self.root.parent / "shallow"
        subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{self.root}", shallow], check=True)
        sanitize.ROOT = shallow
        self.assertEqual(self.chosen()[0], sanitize.WITHOUT_HISTORY)

    def test_what_is_no_checkout_takes_the_fixed_choice(self):
        shutil.rmtree(self.root / ".git")
        self.assertEqual(self.chosen()[0], sanitize.WITHOUT_HISTORY)


PROGRAM = """#!/bin/sh
echo "part $GTEST_SHARD_INDEX"
exec test "$GTEST_SHARD_INDEX" != {failing}
"""


class Runs(unittest.TestCase):
    def run_program(self, failing):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "some_test"
            program.write_text(PROGRAM.format(failing=failing))
            program.chmod(0o755)
            passed, failures = sanitize.run([program], 1)
            return passed[program], failures

    def test_every_part_runs_once(self):
        self.assertEqual(self.run_program("none"), (sanitize.SHARDS, []))

    def test_a_part_that_fails_is_shown_with_its_output(self):
        passed, failures = self.run_program("7")
        self.assertEqual(passed, sanitize.SHARDS - 1)
        self.assertEqual(failures, [f"some_test, part 8 of {sanitize.SHARDS}:\npart 7\n"])

    def test_without_time_nothing_counts_as_passed(self):
        self.assertEqual(sanitize.run([pathlib.Path("none")], 0), ({}, []))

    def outcome(self, built, passed, failures):
        folder, layers = pathlib.Path("folder"), {"base": []}
        options = mock.Mock(programs=4, build_minutes=1, run_minutes=1, list=False)
        with mock.patch.multiple(sanitize, configure=lambda preset: (folder, {"base_test"}), build=lambda *_: built,
                                 run=lambda *_: (passed, failures)), contextlib.redirect_stdout(io.StringIO()) as said:
            return sanitize.sanitize("asan", ["base"], layers, options), said.getvalue()

    def test_what_fails_is_told_apart_from_what_there_was_no_time_for(self):
        program = pathlib.Path("folder/base_test")
        self.assertEqual(self.outcome(["base_test"], {program: 40}, [])[0], 0)
        self.assertEqual(self.outcome(["base_test"], {program: 39}, ["a report"])[0], 1)
        code, said = self.outcome([], {}, [])
        self.assertEqual(code, 3)
        self.assertIn("passed: nothing; left out: base_test", said)


if __name__ == "__main__":
    unittest.main()
