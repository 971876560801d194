#!/usr/bin/env python3
"""tools/check_documents.py: what it finds wrong in documents, and what it leaves alone.   usage: check_documents_test.py"""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
import check_documents


class Documents(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.write("src/graph/pass.cpp", 'Option<bool> fuse{"VITRO_FUSE"};\n')
        self.write("cli/explain.cpp", 'const AddCommand explain(\n    "explain", "Explain a code");\n')
        self.write("tools/build", "#!/bin/sh\n").chmod(0o755)
        self.write("docs/other.md", "# Other page\n\n## A `Verdict`, or no\n\n## Twice\n\n## Twice\n")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def problems(self, *lines):
        self.write("docs/page.md", "# Page\n" + "".join(line + "\n" for line in lines))
        return check_documents.check(self.root)

    def test_links_lead_to_files(self):
        self.assertEqual(self.problems("[a](other.md) [b](../src/graph) [c](https://example.org/x)"), [])
        self.assertEqual(self.problems("", "[a](gone.md)"), ["docs/page.md:3: links to gone.md, which does not exist"])

    def test_links_lead_to_headings(self):
        self.assertEqual(self.problems("[a](other.md#a-verdict-or-no) [b](#page) [c](other.md#twice-1)"), [])
        self.assertEqual(self.problems("[a](other.md#twice-2)"),
                         ["docs/page.md:2: links to other.md#twice-2, but other.md has no such heading"])
        self.assertEqual(self.problems("[a](#gone)"), ["docs/page.md:2: links to #gone, but this page has no such heading"])

    def test_what_looks_like_a_link_in_code_is_none(self):
        self.assertEqual(self.problems("`[](const Tensor& x)`", "```cpp", "[](auto x) { return x; };", "```"), [])

    def test_files_that_are_named_exist(self):
        self.assertEqual(self.problems("`src/graph/pass.cpp`, `src/graph/*.cpp`, `src/FOLDER/NAME.cpp`, `core/x.h`"), [])
        self.assertEqual(self.problems("`src/graph/gone.cpp`"),
                         ["docs/page.md:2: names src/graph/gone.cpp, which does not exist"])

    def test_commands_exist(self):
        self.assertEqual(self.problems("`vitro explain V0201`", "```sh", "PRESET=asan tools/build x   # all", "vitro explain", "```"), [])
        self.assertEqual(self.problems("`vitro gone`", "```sh", "", "tools/gone", "build/release/cli/vitro gone", "```"),
                         ["docs/page.md:2: names `vitro gone`, which is no command",
                          "docs/page.md:5: runs tools/gone, which is no program of the repository",
                          "docs/page.md:6: runs `vitro gone`, which is no command"])

    def test_variables_exist(self):
        self.assertEqual(self.problems("`VITRO_FUSE=0`, `VITRO_NAME` is not"), [
            "docs/page.md:2: names VITRO_NAME, which no source file does"])

    def test_programs_compile(self):
        program = ["```cpp", "int main() {", "  return 0;", "}", "```"]
        self.assertEqual(self.problems(*program), [])
        program[2] = "  return nothing;"
        found = self.problems("", *program)
        self.assertEqual(len(found), 1)
        self.assertIn("docs/page.md:3: this program does not compile: ", found[0])
        self.assertIn("nothing", found[0])

    def test_pieces_of_programs_are_left_alone(self):
        self.assertEqual(self.problems("```cpp", "x = nothing;", "```"), [])

    def test_excerpts_stand_in_their_file(self):
        self.write("src/graph/sum.cpp", "int sum(int a,\n        int b) {\n  return a + b;\n}\n")
        whole = ["```cpp", "// src/graph/sum.cpp", "int sum(int a,", "        int b) {", "// ...", "}", "```"]
        self.assertEqual(self.problems(*whole), [])
        whole[3] = "        int c) {"
        self.assertEqual(self.problems(*whole), [
            "docs/page.md:3: is not an excerpt of src/graph/sum.cpp: it does not have `int sum(int a,` and what follows"])
        self.assertEqual(self.problems("```cpp", "// src/graph/gone.cpp", "int x;", "```"),
                         ["docs/page.md:3: is an excerpt of src/graph/gone.cpp, which does not exist"])


if __name__ == "__main__":
    unittest.main()
