#!/usr/bin/env python3
"""tools/check_layers.py: which includes it refuses, in folders and in sub-folders.   usage: check_layers_test.py"""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
import check_layers

LAYERS = """# folder: folders it may include
base:
graph:    base
runtime:  base
backend:  graph runtime   # a comment
  program:  graph
  fuse:     program
  run:      fuse runtime
compile:  backend
# tests: graph compile
"""


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.write("LAYERS", LAYERS)
        for path in ("base/a.h", "graph/a.h", "runtime/a.h", "backend/a.h", "backend/program/a.h", "backend/fuse/a.h",
                     "backend/run/a.h", "compile/a.h"):
            self.write(f"src/{path}", "#pragma once\n")
        self.write("include/vitro/graph/graph.h", "#pragma once\n")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def problems(self, path=None, *includes):
        if path:
            self.write(path, "".join(f'#include "{include}"\n' for include in includes))
        return check_layers.check(self.root, self.root / "LAYERS")

    def refusal(self, layers):
        self.write("LAYERS", layers)
        with self.assertRaises(SystemExit) as end:
            self.problems()
        return str(end.exception)


class Folders(Tree):
    def test_what_is_named_and_what_that_names_may_be_included(self):
        self.assertEqual(self.problems("src/compile/b.cpp", "backend/a.h", "graph/a.h", "base/a.h", "vitro/graph/graph.h"), [])

    def test_a_folder_above_is_refused_with_file_and_line(self):
        self.assertEqual(self.problems("src/graph/b.cpp", "base/a.h", "backend/a.h"),
                         ["src/graph/b.cpp:2: graph must not know backend"])

    def test_a_folder_beside_is_refused(self):
        self.assertEqual(self.problems("include/vitro/graph/b.h", "runtime/a.h"),
                         ["include/vitro/graph/b.h:1: graph must not know runtime"])

    def test_a_public_header_that_does_not_exist_is_refused(self):
        self.assertEqual(self.problems("src/graph/b.cpp", "vitro/graph/gone.h"),
                         ["src/graph/b.cpp:1: vitro/graph/gone.h does not exist"])

    def test_an_unknown_folder_is_refused(self):
        self.assertEqual(self.problems("src/other/a.h"), ["src/other/a.h: folder other is not in LAYERS"])

    def test_tests_may_include_what_their_line_names(self):
        self.assertEqual(self.problems("tests/graph/b_test.cpp", "backend/run/a.h"), [])
        self.assertEqual(self.problems("tests/runtime/b_test.cpp", "graph/a.h"),
                         ["tests/runtime/b_test.cpp:1: runtime must not know graph"])

    def test_examples_include_public_headers_only(self):
        self.assertEqual(self.problems("examples/b.cpp", "vitro/graph/graph.h", "graph/a.h"),
                         ["examples/b.cpp:2: examples uses public headers only, not graph/a.h"])

    def test_libraries_on_top_use_public_headers_and_the_library_does_not_know_them(self):
        for name in ("models", "images"):
            self.write(f"{name}/vitro/{name}/a.h", "#pragma once\n")
            self.assertEqual(self.problems("examples/b.cpp", f"vitro/{name}/a.h", "vitro/graph/graph.h"), [])
            self.assertEqual(self.problems(f"{name}/a.cpp", f"vitro/{name}/a.h", "graph/a.h"),
                             [f"{name}/a.cpp:2: {name} uses public headers only, not graph/a.h"])
            (self.root / name / "a.cpp").unlink()
            self.assertEqual(self.problems("src/compile/b.cpp", f"vitro/{name}/a.h"),
                             [f"src/compile/b.cpp:1: compile must not know {name}, which are built with the library"])
            (self.root / "src/compile/b.cpp").unlink()


class SubFolders(Tree):
    def test_what_is_named_and_what_that_names_may_be_included(self):
        self.assertEqual(
            self.problems("src/backend/run/b.cpp", "backend/fuse/a.h", "backend/program/a.h", "graph/a.h", "runtime/a.h"), [])

    def test_a_later_sub_folder_is_refused_with_file_and_line(self):
        self.assertEqual(self.problems("src/backend/program/b.cpp", "graph/a.h", "backend/fuse/a.h"),
                         ["src/backend/program/b.cpp:2: backend/program must not know backend/fuse"])

    def test_a_folder_that_only_its_folder_names_is_refused(self):
        self.assertEqual(self.problems("src/backend/fuse/b.cpp", "runtime/a.h"),
                         ["src/backend/fuse/b.cpp:1: backend/fuse must not know runtime"])

    def test_what_lies_in_the_folder_itself_stands_above(self):
        self.assertEqual(self.problems("src/backend/b.cpp", "backend/run/a.h", "backend/program/a.h"), [])
        self.assertEqual(self.problems("src/backend/run/b.cpp", "backend/a.h"),
                         ["src/backend/run/b.cpp:1: backend/run must not know backend"])

    def test_a_path_from_beside_is_an_include_like_any_other(self):
        self.assertEqual(self.problems("src/backend/program/b.cpp", "a.h", "../fuse/a.h"),
                         ["src/backend/program/b.cpp:2: backend/program must not know backend/fuse"])

    def test_deeper_folders_belong_to_the_sub_folder(self):
        self.assertEqual(self.problems("src/backend/program/deep/b.cpp", "backend/fuse/a.h"),
                         ["src/backend/program/deep/b.cpp:1: backend/program must not know backend/fuse"])

    def test_other_folders_may_include_all_of_them(self):
        self.assertEqual(self.problems("src/compile/b.cpp", "backend/fuse/a.h"), [])

    def test_public_headers_of_the_own_folder_may_be_included(self):
        self.write("include/vitro/backend/b.h", "#pragma once\n")
        self.assertEqual(self.problems("src/backend/program/b.cpp", "vitro/backend/b.h"), [])

    def test_one_that_is_not_listed_is_refused(self):
        self.assertEqual(self.problems("src/backend/other/a.h"),
                         ["src/backend/other/a.h: sub-folder backend/other is not in LAYERS"])

    def test_folders_without_a_list_are_one(self):
        self.write("src/graph/deep/a.h", "#pragma once\n")
        self.assertEqual(self.problems("src/graph/b.cpp", "graph/deep/a.h"), [])


class Lines(Tree):
    def test_a_name_that_is_not_above_is_refused(self):
        self.assertIn("LAYERS:1: graph names base, which is not above it", self.refusal("graph: base\nbase:\n"))

    def test_a_sub_folder_names_earlier_ones_and_what_its_folder_may_include(self):
        self.assertIn("backend/fuse names run, which is neither an earlier sub-folder",
                      self.refusal("backend:\n  fuse: run\n  run:\n"))
        self.assertIn("backend/fuse names base, which is neither an earlier sub-folder nor below backend",
                      self.refusal("base:\nbackend:\n  fuse: base\n"))

    def test_a_sub_folder_needs_a_folder_and_a_name_of_its_own(self):
        self.assertIn("fuse is a sub-folder of no folder", self.refusal("  fuse:\n"))
        self.assertIn("backend/base has the name of a folder", self.refusal("base:\nbackend: base\n  base:\n"))

    def test_a_line_without_a_colon_is_refused(self):
        self.assertIn("LAYERS:1: needs `folder: names`, got `base`", self.refusal("base\n"))


class ThisTree(unittest.TestCase):
    def test_keeps_its_layers(self):
        self.assertEqual(check_layers.check(ROOT, ROOT / "LAYERS"), [])


if __name__ == "__main__":
    unittest.main()
