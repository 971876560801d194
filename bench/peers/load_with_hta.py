#!/usr/bin/env python3
"""Loads traces with HTA (PyPI: HolisticTraceAnalysis) and prints what it finds.  Exits with 1 if that differs from the files.

usage: bench/peers/load_with_hta.py FILE...                  traces as .json or .json.gz
       bench/peers/load_with_hta.py --programs PROGRAM...    runs each program under VITRO_PROFILE and loads its trace
       VITRO_TEST_TRACES=FOLDER profiler_test --gtest_filter='RandomPrograms.*' writes traces with events of every kind, for FILE...

HTA is not among the requirements: `pip install HolisticTraceAnalysis==0.5.0 "pandas<3"` into the environment that runs this."""
import argparse
import collections
import contextlib
import gzip
import io
import json
import logging
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

# HTA rounds times to microseconds, which gives shorter slices negative durations; its call graph rejects these, even in torch's traces.
os.environ.setdefault("HTA_DISABLE_NS_ROUNDING", "1")
try:
    from hta.common.trace_call_graph import CallGraph
    from hta.trace_analysis import TraceAnalysis
except ImportError:
    sys.exit(__doc__)


def slices_in(path):
    """The number of slices of each name in the file, on threads only."""
    data = gzip.open(path, "rb").read() if path.suffix == ".gz" else path.read_bytes()
    events = json.loads(data)
    events = events.get("traceEvents", []) if isinstance(events, dict) else []
    return collections.Counter(e["name"] for e in events if e["ph"] == "X" and isinstance(e["pid"], int) and isinstance(e["tid"], int))


def slices_by_hta(path):
    """The same as loaded by HTA, and what HTA derives from it: frames of its call graph, iterations."""
    with contextlib.redirect_stdout(io.StringIO()), tempfile.TemporaryDirectory() as folder:
        analysis = TraceAnalysis(trace_files={0: str(path)}, trace_dir=folder, include_last_profiler_step=True)
        frame = analysis.t.get_trace(0)
        names = analysis.t.symbol_table.get_sym_table()
        seen = collections.Counter(names[n] for n in frame.loc[frame["dur"] >= 0, "name"])
        depths = CallGraph(analysis.t, ranks=[0]).trace_data.get_trace(0)["depth"]
        return seen, int(depths.max()), len(analysis.get_profiler_steps())


def check(path):
    in_file = slices_in(path)
    seen, depth, steps = slices_by_hta(path)
    missing = in_file - seen
    print(f"{path.parent.name}/{path.name}: {sum(in_file.values())} slices, HTA sees {sum((in_file & seen).values())}, {depth} deep, {steps} steps")
    for name, count in missing.items():
        print(f"  missing: {count} x {name!r}")
    return not missing


def traces_of(programs, folder):
    """The traces that the programs wrote under VITRO_PROFILE, or their own ones if they use a profiler and reject the variable."""
    for program in programs:
        program = pathlib.Path(program).resolve()
        here = folder / program.name
        here.mkdir()
        for environment in ({"VITRO_PROFILE": str(here / "trace.json.gz")}, {}):
            done = subprocess.run([program], cwd=here, capture_output=True, env=os.environ | environment)
            traces = [path for path in sorted(here.rglob("*.json*")) if slices_in(path)]
            if done.returncode == 0 and traces:
                break
        if done.returncode or not traces:
            print(f"{program.name}: ended with {done.returncode} and {len(traces)} traces", file=sys.stderr)
        yield from traces


def whole_path(text):
    return pathlib.Path(text).resolve()  # HTA resolves relative paths in its own folder


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", nargs="+", default=[], metavar="PROGRAM")
    parser.add_argument("files", nargs="*", type=whole_path, metavar="FILE")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        made = list(traces_of(options.programs, pathlib.Path(folder)))
        wells = [check(path) for path in [*options.files, *made]]
    return not wells or not all(wells) or len(made) < len(options.programs)


if __name__ == "__main__":
    sys.exit(main())
