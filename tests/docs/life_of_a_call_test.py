#!/usr/bin/env python3
"""What docs/life_of_a_call.md shows is what its example prints and writes, and the functions it names exist.
usage: life_of_a_call_test.py EXAMPLE [--write]      --write puts what is shown today into the document

A block is shown after a comment that says what it is:
  <!-- shown: source NAME -->                  the definition of NAME in the source of the example
  <!-- shown: printed TITLE -->                what the example prints below `# TITLE`
  <!-- shown: printed TITLE, the part HEAD --> of that the line that begins with HEAD and those indented below it
  <!-- shown: file SEGMENT/NAME -->            a file of VITRO_COMPILE_DEBUG=1
Times are shown as `…`, and the source without its folder: the text is the same on every machine."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "life_of_a_call.md"
SOURCE = ROOT / "examples" / "08_life_of_a_call.cpp"
BLOCK = re.compile(r"(<!-- shown: (.+) -->\n+```\w*\n)((?:.*\n)*?)(```$)", re.M)


def as_shown(text):
    text = re.sub(r"\S*/(?=" + re.escape(SOURCE.name) + ")", "", text)
    text = re.sub(r"\b\d+(\.\d+)?(ns|us|ms|s)\b", "…", text)
    return "".join(line.rstrip() + "\n" for line in text.strip("\n").splitlines())


def part(text, head):
    """The line that begins with `head`, whatever its indentation, and those that are indented more."""
    lines = text.splitlines()
    begin = next(i for i, line in enumerate(lines) if line.lstrip().startswith(head))
    margin = len(lines[begin]) - len(lines[begin].lstrip())
    end = begin + 1
    while end < len(lines) and lines[end].startswith(" " * (margin + 1)):
        end += 1
    return "\n".join(line[margin:] for line in lines[begin:end])


class Run:
    """The example, run once with all that it can show, and an empty cache."""

    def __init__(self, example):
        with tempfile.TemporaryDirectory() as folder:
            settings = {"VITRO_CACHE_DIR": f"{folder}/cache", "VITRO_COMPILE_DEBUG": "1", "VITRO_COMPILE_DEBUG_DIR": f"{folder}/debug"}
            others = {name: value for name, value in os.environ.items() if not name.startswith("VITRO_")}
            done = subprocess.run([example], env=others | settings, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{example} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
            self.files = {str(path.relative_to(run)): path.read_text()
                          for run in pathlib.Path(folder, "debug").iterdir() for path in run.rglob("*") if path.is_file()}
        pieces = re.split(r"^# (.*)\n", done.stdout, flags=re.M)
        self.printed = dict(zip(pieces[1::2], pieces[2::2]))

    def shown(self, what):
        kind, _, name = what.partition(" ")
        if kind == "source":
            return as_shown(re.search(rf"^\S.*\b{name}\b.* {{\n(?:.*\n)*?}};?$", SOURCE.read_text(), re.M)[0])
        if kind == "printed":
            title, _, head = name.partition(", the part ")
            return as_shown(part(self.printed[title], head) if head else self.printed[title])
        if kind == "file":
            return as_shown(self.files[name])
        raise KeyError(what)


class LifeOfACall(unittest.TestCase):
    def test_shows_what_the_example_gives(self):
        run, blocks = Run(EXAMPLE), BLOCK.findall(DOCUMENT.read_text())
        self.assertGreater(len(blocks), 8)
        self.maxDiff = None
        for _, what, text, _ in blocks:
            with self.subTest(what):
                self.assertEqual(text, run.shown(what), f"; {pathlib.Path(__file__).name} EXAMPLE --write writes what is so now")

    def test_marks_every_block(self):
        text = DOCUMENT.read_text()
        self.assertEqual(len(re.findall(r"^```\w+$|^```$", text, re.M)), 2 * len(BLOCK.findall(text)))

    def test_names_functions_where_they_are(self):
        text = DOCUMENT.read_text()
        rows = re.findall(r"\| `([^`]+)` \| `([^`]+)` \|", text, re.M) + re.findall(r"\(`([\w/]+\.(?:cpp|h))`, `(\w+)`\)", text)
        self.assertGreater(len(rows), 20)
        for file, function in rows:
            with self.subTest(f"{file} {function}"):
                paths = [ROOT / folder / file for folder in ("src", "include/vitro", "include")]
                text = "".join(path.read_text() for path in paths if path.exists())
                scope, _, name = function.rpartition("::")
                self.assertRegex(text, rf"\b{name}\b\s*[({{;]")
                self.assertIn(scope, text)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[2:] not in ([], ["--write"]):
        sys.exit(__doc__)
    EXAMPLE = sys.argv[1]
    if sys.argv[2:]:
        run = Run(EXAMPLE)
        DOCUMENT.write_text(BLOCK.sub(lambda block: block[1] + run.shown(block[2]) + block[4], DOCUMENT.read_text()))
    else:
        unittest.main(argv=sys.argv[:1])
