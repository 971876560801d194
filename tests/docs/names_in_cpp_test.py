#!/usr/bin/env python3
"""docs/ops.md says which names have no function in C++: the compiler must agree.

usage: names_in_cpp_test.py COMPILER
"""
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).parents[2]
page = (root / "docs/ops.md").read_text()
introduction, tables = page.split("\n## ", 1)
explained = introduction.split("C++ writes otherwise:")[1]
while (shorter := re.sub(r"\([^()]*\)", "", explained)) != explained:
    explained = shorter
listed = set(re.findall(r"`(\w+)`", explained))


def has_no_function(row, name):
    return name in listed or re.match("_|.*(_copy|_of_pairs)$", name) or "under another name" in row


named = {}
for row in tables.splitlines():
    if name := re.match(r"\| `(\w+)", row):
        named[name[1]] = named.get(name[1], "") + row
absent = {name for name, row in named.items() if has_no_function(row, name)}
in_place = {name for name in named if name.endswith("_") and not name.startswith("_")}

with tempfile.NamedTemporaryFile("w", suffix=".cpp") as program:
    program.write("#include <vitro/vitro.h>\nnamespace names {\n")
    names = sorted(named)
    program.write("".join(f"using vitro::{name};\n" for name in names))
    program.write("}\n")
    program.flush()
    command = [sys.argv[1], "-std=c++20", "-fsyntax-only", f"-I{root}/include", program.name]
    command.append("-ferror-limit=0" if "clang" in sys.argv[1] else "-fmax-errors=0")
    said = subprocess.run(command, capture_output=True, text=True).stderr
lines = {int(line) for line in re.findall(re.escape(program.name) + r":(\d+):\d+: error", said)}
refused = {names[line - 3] for line in lines}
wrong = [f"{name} has no function, and the page does not say so" for name in sorted(refused - absent - in_place)]
wrong += [f"{name} has a function, and the page says that it has none" for name in sorted(listed - refused)]
wrong += [f"{name} is not in the tables" for name in sorted(listed - set(named))]
if not refused:
    wrong.append(f"the compiler refused no name; it said:\n{said}")
print("\n".join(wrong) or f"{len(names) - len(refused)} of {len(names)} names are functions in C++")
sys.exit(bool(wrong))
