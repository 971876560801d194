#!/usr/bin/env python3
"""Checks that documents show the real output of vitro trace, and that the tests they name exist.
usage: documents_test.py VITRO TRACES DOCUMENT [--write]

A ```console block begins with a command, run in the folder of the traces; the lines after it are part of its output, in
order, ignoring spaces, with a line … for omitted ones.  --write fills in the output of blocks that contain only a line @."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

VITRO, TRACES, DOCUMENT = sys.argv[1:4]
WRITE = sys.argv[4:] == ["--write"]
BLOCK = re.compile(r"^```console\n\$ vitro (.*)\n((?:.*\n)*?)```$", re.M)


def output(words, cache):
    done = subprocess.run([VITRO, *words.split()], cwd=TRACES, env=os.environ | {"VITRO_CACHE_DIR": cache}, capture_output=True, text=True)
    return [line.rstrip() for line in done.stdout.splitlines()]


def with_output(document, cache):
    def fill(block):
        lines = output(block[1], cache)
        return f"```console\n$ vitro {block[1]}\n" + "".join(line + "\n" for line in lines) + "```" if block[2] == "@\n" else block[0]

    return BLOCK.sub(fill, document)


class Documents(unittest.TestCase):
    def test_show_what_is_printed(self):
        with open(DOCUMENT, encoding="utf-8") as file:
            blocks = BLOCK.findall(file.read())
        self.assertGreater(len(blocks), 3)
        with tempfile.TemporaryDirectory() as cache:
            for words, shown in blocks:
                with self.subTest(words):
                    real, at = [" ".join(line.split()) for line in output(words, cache)], 0
                    for line in (" ".join(line.split()) for line in shown.splitlines() if line != "…"):
                        self.assertIn(line, real[at:], f"vitro {words}")
                        at = real.index(line, at) + 1

    def test_name_tests_that_exist(self):
        documents = pathlib.Path(DOCUMENT).resolve().parent
        there = set()
        for path in documents.parent.glob("tests/**/*.cpp"):
            there.update(re.findall(r"^TEST(?:_F|_P)?\((\w+), (\w+)\)", path.read_text(encoding="utf-8"), re.M))
        for document in sorted(documents.glob("*.md")):
            with self.subTest(document.name):
                named = set(re.findall(r"`([A-Z]\w+)\.(\w+)`", document.read_text(encoding="utf-8")))
                self.assertLessEqual(named, there)
                self.assertTrue(named or document.name not in ("traces.md", "profiling.md"))

    def test_answers_of_the_profiler_name_a_test(self):
        text = (pathlib.Path(DOCUMENT).resolve().parent / "profiling.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| (.*) \| (.*) \| (.*) \|$", text.partition("| topic | here | test |")[2], re.M)
        self.assertGreater(len(rows), 24)
        for topic, _, by in rows:
            with self.subTest(topic):
                self.assertRegex(by, r"`[A-Z]\w+\.\w+`|in `bench`")


if __name__ == "__main__" and WRITE:
    with open(DOCUMENT, encoding="utf-8") as file, tempfile.TemporaryDirectory() as folder:
        filled = with_output(file.read(), folder)
    with open(DOCUMENT, "w", encoding="utf-8") as file:
        file.write(filled)
elif __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
