#!/usr/bin/env python3
"""tools/docs: how files of the repository become pages.  Builds no site.   usage: docs_test.py"""
import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
loader = importlib.machinery.SourceFileLoader("docs", str(ROOT / "tools" / "docs"))
docs = importlib.util.module_from_spec(importlib.util.spec_from_loader("docs", loader))
loader.exec_module(docs)


class Pages(unittest.TestCase):
    def setUp(self):
        self.site = docs.Site()
        self.site.written.update(map(docs.page_of, self.site.files))

    def test_links_to_files_become_links_to_pages(self):
        text = "[a](numerics.md#bound) [b](../src/graph/README.md) [c](../include/vitro/core/op.h) [d](https://example.org/x)\n"
        self.assertEqual(self.site.markdown("docs/backend.md", text),
                         "[a](numerics.md#bound) [b](folders/graph.md) [c](reference/core/op.h.md) [d](https://example.org/x)\n")
        self.assertEqual(self.site.markdown("src/graph/README.md", "[a](../../docs/ops.md)\n"), "[a](../ops.md)\n")

    def test_links_to_folders_become_text(self):
        self.assertEqual(self.site.markdown("README.md", "[a](src) [b](examples)\n"), "a [b](lessons/index.md)\n")

    def test_a_file_without_a_page_gets_one(self):
        self.site.written.clear()
        self.site.markdown("README.md", "[a](LAYERS)\n")
        self.assertEqual(self.site.wanted, ["LAYERS"])

    def test_code_is_left_alone(self):
        text = "```cpp\n[](auto x) { return x; }\n- a\n```\n"
        self.assertEqual(self.site.markdown("README.md", text), text)

    def test_lists_begin_after_an_empty_line(self):
        self.assertEqual(self.site.markdown("README.md", "Text:\n- a\n- b\n"), "Text:\n\n- a\n- b\n")

    def test_every_file_has_a_page_of_its_own(self):
        pages = [docs.page_of(name) for name in self.site.files]
        self.assertEqual(len(pages), len(set(pages)))


class Comments(unittest.TestCase):
    def test_indented_lines_are_code(self):
        self.assertEqual(docs.as_prose("What a_b is.\n  auto x = f();\n\n  g(x);\nThreads: any."),
                         "What a\\_b is.\n\n```cpp\nauto x = f();\n\ng(x);\n```\n\nThreads: any.")

    def test_the_comment_that_a_file_begins_with(self):
        self.assertEqual(docs.leading_comment("// One.\n//   x\n\nint a;\n"), ("One.\n  x", "int a;\n"))

    def test_the_first_sentence(self):
        self.assertEqual(docs.first_sentence("Makes it: `a_b`, once.\nThreads: any."), "Makes it: `a_b`, once.")


class Declarations(unittest.TestCase):
    def test_are_those_that_others_may_use(self):
        with tempfile.NamedTemporaryFile("w", suffix=".h") as header:
            header.write("namespace vitro {\n// What it is.  More.\nclass A {\n public:\n  A();\n  void f();\n\n private:\n  void g();\n"
                         "  int h_;\n};\nenum class Kind { one };\nint size_of(A a);\n}\n")
            header.flush()
            self.assertEqual(docs.declarations(header.name),
                             [("A", "class", 3), ("A::f", "function", 6), ("Kind", "enum", 12), ("size_of", "function", 13)])
            self.assertEqual(docs.said_of(pathlib.Path(header.name).read_text().splitlines(), 3), "What it is.")


if __name__ == "__main__":
    unittest.main()
