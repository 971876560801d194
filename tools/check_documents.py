#!/usr/bin/env python3
"""Checks documents: that links resolve, that the files, commands and variables they name exist, and that programs compile.

usage: check_documents.py [ROOT]
  links       to files and headings, relative to the document; web addresses are not checked
  files       `src/x/y.cpp` in text, if it begins with a folder of the repository (may be a pattern: `tests/x/*_test.cpp`)
  commands    a line of ```sh that begins with a script of tools, bench or tests, or with `vitro COMMAND`, and `vitro COMMAND` in text
  variables   VITRO_NAME, anywhere: a source file contains it, too
  programs    a block of ```cpp with a main function compiles
  excerpts    a block of ```cpp that begins with `// src/x/y.cpp` is a part of that file, or several, separated by lines `// ...`"""
import concurrent.futures, os, pathlib, re, subprocess, sys

sys.dont_write_bytecode = True
from repository import tracked

FENCE = re.compile(r"^ *```(\w*)[^\n]*\n(.*?)^ *```", re.M | re.S)
FOLDERS = "src|include|tests|tools|docs|bench|examples|models|images|cli|cmake"


def blank(match):
    """The same number of empty lines, so that the line numbers after it stay the same."""
    return "\n" * match[0].count("\n")


def anchor(heading):
    """The anchor of a heading, as GitHub and mkdocs generate it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(text):
    found, seen = set(), {}
    for heading in re.findall(r"^#+ +(.*)$", FENCE.sub(blank, text), re.M):
        name = anchor(heading)
        count = seen[name] = seen.get(name, -1) + 1
        found.add(f"{name}-{count}" if count else name)
    return found


def line_of(text, at):
    return text.count("\n", 0, at) + 1


class Document:
    def __init__(self, root, path):
        self.root, self.path, self.name = root, path, path.relative_to(root)
        self.text = path.read_text()
        self.prose = FENCE.sub(blank, self.text)

    def problem(self, at, what):
        return f"{self.name}:{at}: {what}"

    def links(self):
        without_code = re.sub(r"`[^`\n]*`", "", self.prose)
        for match in re.finditer(r"\]\(([^)\s]+)\)", without_code):
            target, _, heading = match[1].partition("#")
            at = line_of(without_code, match.start())
            if re.match(r"[a-z]+:", target):
                continue
            path = self.path.parent / target if target else self.path
            if not path.exists():
                yield self.problem(at, f"links to {target}, which does not exist")
            elif heading and heading not in anchors(path.read_text()):
                yield self.problem(at, f"links to {match[1]}, but {target or 'this page'} has no such heading")

    def files(self):
        for match in re.finditer(rf"`((?:{FOLDERS})/[\w./*-]+)`", self.prose):
            name = match[1].rstrip(".")
            if re.search(r"\b(?!README\b)[A-Z_]{2,}", name):
                continue  # a placeholder: src/FOLDER/NAME.cpp
            if not next(self.root.glob(name.rstrip("/")), None):
                yield self.problem(line_of(self.prose, match.start()), f"names {name}, which does not exist")

    def commands(self, known):
        for match in re.finditer(r"`vitro ([a-z]+)\b[^`\n]*`", self.prose):
            if match[1] not in known:
                yield self.problem(line_of(self.prose, match.start()), f"names `vitro {match[1]}`, which is no command")
        for block in FENCE.finditer(self.text):
            if block[1] != "sh":
                continue
            for i, line in enumerate(block[2].splitlines()):
                words = re.sub(r"^(?:\s*[A-Z_]+=\S+)*\s*", "", line).split()
                at = line_of(self.text, block.start()) + 1 + i
                if not words:
                    continue
                script = self.root / words[0]
                if re.match(r"(tools|bench|tests)/", words[0]) and not (script.is_file() and os.access(script, os.X_OK)):
                    yield self.problem(at, f"runs {words[0]}, which is no program of the repository")
                if words[0].rpartition("/")[2] == "vitro" and len(words) > 1 and words[1] not in known:
                    yield self.problem(at, f"runs `vitro {words[1]}`, which is no command")

    def variables(self, known):
        for match in re.finditer(r"\bVITRO_[A-Z0-9_]*[A-Z0-9]\b", self.text):
            if match[0] not in known:
                yield self.problem(line_of(self.text, match.start()), f"names {match[0]}, which no source file does")

    def programs(self):
        for block in FENCE.finditer(self.text):
            if block[1] == "cpp" and re.search(r"^int main\(", block[2], re.M):
                yield line_of(self.text, block.start()), block[2]

    def excerpts(self):
        for block in FENCE.finditer(self.text):
            if block[1] != "cpp" or not (source := re.match(rf"// ((?:{FOLDERS})/\S+)\n", block[2])):
                continue
            at, path = line_of(self.text, block.start()) + 1, self.root / source[1]
            if not path.exists():
                yield self.problem(at, f"is an excerpt of {source[1]}, which does not exist")
                continue
            text = path.read_text()
            for piece in re.split(r"^ *// \.\.\.\n", block[2][source.end() :], flags=re.M):
                if piece.strip("\n") and f"\n{piece}" not in f"\n{text}":
                    yield self.problem(at, f"is not an excerpt of {source[1]}: it does not have `{piece.strip().splitlines()[0]}` and what follows")


def compile_problem(document, at, program, launcher):
    folder = document.root / "build" / "documents"
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"{str(document.name).replace('/', '_')}_{at}.cpp"
    source.write_text(program)
    command = [*launcher, os.environ.get("CXX", "g++"), "-std=c++20", "-Iinclude", "-Imodels", "-Iimages", "-c", source, "-o", source.with_suffix(".o")]
    done = subprocess.run([str(word) for word in command], cwd=document.root, capture_output=True, text=True)
    error = next((line for line in done.stderr.splitlines() if " error: " in line), done.stderr[:300])
    return [document.problem(at, f"this program does not compile: {error}")] if done.returncode else []


def check(root, files=None, launcher=()):
    root = pathlib.Path(root).resolve()
    files = tracked(root) if files is None else files
    documents = [Document(root, path) for path in files if path.suffix == ".md"]
    variables, commands = set(), set()
    for path in files:
        top = path.relative_to(root).parts[0]
        if path.suffix in (".md", "") and top not in ("tools", "bench", "tests"):
            continue
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        variables.update(re.findall(r"VITRO_[A-Z0-9_]+", text))
        if top == "cli":
            commands.update(re.findall(r"\bAddCommand\b[^;\"]*\"([a-z]+)\"", text))
    problems = []
    for document in documents:
        problems += document.links()
        problems += document.files()
        problems += document.commands(commands)
        problems += document.variables(variables)
        problems += document.excerpts()
    programs = [(document, at, text) for document in documents for at, text in document.programs()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for more in pool.map(lambda one: compile_problem(*one, launcher), programs):
            problems += more
    return problems


if __name__ == "__main__":
    found = check(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    print("\n".join(found))
    sys.exit(1 if found else 0)
