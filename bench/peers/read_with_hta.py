#!/usr/bin/env python3
"""Reads traces with HTA (PyPI: HolisticTraceAnalysis) and with `vitro trace`, and compares time, memory and results.

usage: bench/peers/read_with_hta.py [--vitro PROGRAM] FILE...          traces as .json or .json.gz
       bench/peers/read_with_hta.py --only-time FILE...                large ones: only time and memory

HTA's time covers only its load, without starting Python and importing; Vitro's covers the whole command `info --no-cache`.
Exits with 1 if a value differs by more than 2 %.  In files with steps HTA drops everything outside of them, and it counts host ops
with an argument `stream` (Triton's) as device work, so values are compared on a copy whose steps are renamed, and without such
arguments.  Other known differences: HTA counts work that overlaps on a stream as negative idle time, stream waits as work, and queues
without launches of HIP, graphs and cuLaunchKernel.  HTA is not among the requirements: `pip install HolisticTraceAnalysis==0.5.0 "pandas<3"`."""
import argparse
import contextlib
import gzip
import io
import json
import logging
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
# HTA rounds times to microseconds, which gives shorter slices negative durations.
os.environ.setdefault("HTA_DISABLE_NS_ROUNDING", "1")


def values_of_hta(analysis):
    """In microseconds, by name; analyses that raise an error are omitted."""
    found = {}

    def keep(of):
        try:
            found.update(of())
        except Exception as error:  # HTA passes on pandas' errors if a trace lacks expected fields
            found[f"error: {type(error).__name__}: {str(error)[:60]}"] = 0.0

    def temporal():
        row = analysis.get_temporal_breakdown(visualize=False).iloc[0]
        return {f"device {part}": float(row[f"{part}_time(us)"]) for part in ("idle", "compute", "non_compute")}

    def overlap():
        row = analysis.get_comm_comp_overlap(visualize=False).iloc[0]
        return {"hidden %": float(row["comp_comm_overlap_pctg"])}

    def kernels():
        _, frame = analysis.get_gpu_kernel_breakdown(duration_ratio=1.0, num_kernels=1_000_000, include_memory_kernels=True, visualize=False)
        return {f"kernel {name}": float(us) for name, us in frame.groupby("name")["sum (us)"].sum().items()}

    def idle():
        frame, _ = analysis.get_idle_time_breakdown(ranks=[0], consecutive_kernel_delay=30, visualize=False)
        return {f"idle {kind}": float(us) for kind, us in frame.groupby("idle_category")["idle_time"].sum().items()}

    def queues():
        by_rank = analysis.get_queue_length_time_series(ranks=[0])
        return {f"queue of stream {stream}": float(most) for stream, most in by_rank[0].groupby("stream")["queue_length"].max().items()}

    for each in (temporal, overlap, kernels, idle, queues):
        keep(each)
    return found


def by_hta(path, only_time):
    """Runs in a separate process; prints one JSON object."""
    from hta.trace_analysis import TraceAnalysis
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    with contextlib.redirect_stdout(io.StringIO()), tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        analysis = TraceAnalysis(trace_files={0: str(path)}, trace_dir=folder, include_last_profiler_step=True)
        seconds = time.perf_counter() - begin
        rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        steps = 0 if only_time else len(analysis.get_profiler_steps())
        values = {} if only_time or steps else values_of_hta(analysis)
    print(json.dumps({"seconds": seconds, "rss_mb": rss, "steps": steps, "values": values}))


def timed(command):
    """The command's output, wall time in seconds and peak resident memory in MiB."""
    begin = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE)
    out = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{command[0]} ended with {child.returncode}")
    return out, time.perf_counter() - begin, used.ru_maxrss / 1024


def values_of_vitro(vitro, path):
    ask = lambda question: json.loads(timed([vitro, "trace", question, path, "--json"])[0])
    us = lambda rows, column: sum(row[column] for row in rows) / 1000
    found = {}
    devices = [row for row in ask("summary")["devices"] if row["window"] == "all"]
    if devices:
        found |= {"device idle": us(devices, "idle_ns"), "device compute": us(devices, "compute_ns"),
                  "device non_compute": us(devices, "communication_ns") + us(devices, "memory_ns")}
    hidden = [row for row in ask("overlap")["devices"] if row["window"] == "all"]
    if hidden:
        found["hidden %"] = 100 * us(hidden, "hidden_ns") / us(hidden, "communication_ns")
    for row in ask("kernels")["kernels"]:
        found[f"kernel {row['name']}"] = found.get(f"kernel {row['name']}", 0) + row["total_ns"] / 1000
    streams = ask("gaps")["streams"]
    for row in ask("launches")["queues"]:
        found[f"queue of {row['stream'].split(' of ')[0].strip()}"] = float(row["most"])
    for ours, theirs in (("host", "host_wait"), ("kernel", "kernel_wait"), ("other", "other")):
        if us(streams, f"{ours}_ns"):
            found[f"idle {theirs}"] = us(streams, f"{ours}_ns")
    return found


def alike(a, b):
    return abs(a - b) <= max(0.02 * max(abs(a), abs(b)), 1.0)


def compare_values(path, hta, vitro):
    """The number of values that differ."""
    both = sorted(hta.keys() & vitro.keys())
    wrong = [name for name in both if not alike(hta[name], vitro[name])]
    print(f"  {len(both) - len(wrong)} of {len(both)} values alike")
    for name in wrong:
        print(f"  differs: {name[:70]}: HTA {hta[name]:.2f}, Vitro {vitro[name]:.2f}")
    for name in sorted(hta.keys() ^ vitro.keys()):
        who = "HTA" if name in hta else "Vitro"
        print(f"  only {who}: {name[:90]}: {hta.get(name, vitro.get(name)):.2f}")
    return len(wrong)


def whole_path(text):
    return pathlib.Path(text).resolve()  # HTA resolves relative paths in its own folder


def has_stream_on_host(event):
    return event.get("cat") == "cpu_op" and "stream" in event.get("args", {})


def for_hta(path, folder):
    """The trace with its steps renamed and without streams of host ops; `path` itself if it has neither."""
    unpack = gzip.open if path.suffix == ".gz" else open
    with unpack(path, "rb") as file:
        text = file.read().decode(errors="replace")
    changed = text.replace("ProfilerStep#", "OtherStep#")
    trace = json.loads(changed, strict=False)
    on_host = list(filter(has_stream_on_host, trace["traceEvents"] if isinstance(trace, dict) else trace))
    for event in on_host:
        del event["args"]["stream"]
    if on_host:
        changed = json.dumps(trace)
    if changed == text:
        return path
    copy = pathlib.Path(folder) / path.name.removesuffix(".gz")
    copy.write_text(changed)
    return copy


def compare_files(path, vitro, hta):
    with tempfile.TemporaryDirectory() as folder:
        copy = for_hta(path, folder)
        if copy == path:
            return compare_values(path, hta["values"], values_of_vitro(vitro, path))
        values = json.loads(timed([sys.executable, __file__, "--hta", copy])[0])["values"]
        return compare_values(path, values, values_of_vitro(vitro, copy))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vitro", default=ROOT / "build" / "release" / "cli" / "vitro")
    parser.add_argument("--only-time", action="store_true")
    parser.add_argument("--hta", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("files", nargs="+", type=whole_path, metavar="FILE")
    options = parser.parse_args()
    if options.hta:
        return by_hta(options.files[0], options.only_time)
    differing = 0
    for path in options.files:
        only_time = ["--only-time"] if options.only_time else []
        hta = json.loads(timed([sys.executable, __file__, "--hta", *only_time, path])[0])
        _, seconds, rss = timed([options.vitro, "trace", "info", path, "--no-cache", "--json"])
        print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB: HTA {hta['seconds']:.2f} s, {hta['rss_mb']:.0f} MiB; Vitro {seconds:.3f} s, "
              f"{rss:.0f} MiB: {hta['seconds'] / seconds:.0f} times as fast in {rss / hta['rss_mb']:.3f} of the memory")
        if not options.only_time:
            differing += compare_files(path, options.vitro, hta)
    return differing > 0


if __name__ == "__main__":
    sys.exit(main())
