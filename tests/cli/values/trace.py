"""A trace as seen by the programs in this folder: its events, their classes, and sets of moments.

Times are integer nanoseconds; a thread or stream is (pid, tid) as in the file."""
import gzip
import heapq
import json
import math
from collections import defaultdict
from decimal import Decimal

CLASSES = {"cpu_op": "op", "user_annotation": "annotation", "python_function": "python", "cuda_runtime": "runtime",
           "cuda_driver": "runtime", "mtia_runtime": "runtime", "kernel": "kernel", "mtia_ccp_events": "kernel",
           "gpu_memcpy": "copy", "gpu_memset": "set", "cuda_sync": "sync", "gpu_user_annotation": "device range",
           "cuda_profiler_range": "device range", "overhead": "overhead", "Trace": "metadata"}
HOST = ("op", "annotation", "python", "runtime", "other")
WORK = ("kernel", "copy", "set")


def ns(microseconds):
    return int(Decimal(microseconds) * 1000)


def joined(written):
    """The events, with those of phase B as long as until their end, which belongs to the last begin of its name, or of any."""
    out, open_ = [dict(e) for e in written], defaultdict(list)
    for e in out:
        stack = open_[e.get("pid"), e.get("tid")]
        if e.get("ph") == "B":
            stack.append(e)
        if e.get("ph") == "E" and stack:
            of_name = [place for place, b in enumerate(stack) if b.get("name") == e.get("name")]
            begin = stack[of_name[-1] if of_name else -1]
            if begin["ts"] <= e["ts"]:
                begin["ph"], begin["dur"] = "X", Decimal(e["ts"]) - Decimal(begin["ts"])
                del stack[of_name[-1] if of_name else -1]
    return out


class Event:
    def __init__(self, number, written):
        self.number, self.name, self.phase = number, written.get("name", ""), written.get("ph", "")
        self.category, self.args = written.get("cat", ""), written.get("args") or {}
        self.begin = ns(written["ts"]) if "ts" in written else None
        self.length = ns(written["dur"]) if "dur" in written else 0
        self.track = (written.get("pid", ""), written.get("tid", ""))
        self.kind = CLASSES.get(self.category, "other") if self.phase == "X" else ""
        self.end = None if self.begin is None else self.begin + max(self.length, 0)
        self.id = written.get("id")
        self.is_step = self.name.startswith("ProfilerStep#") and self.kind not in ("", "device range")

    def order(self):
        return (self.begin, -self.length, self.number)


class Trace:
    def __init__(self, path):
        data = path.read_bytes()
        text = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        whole = json.loads(text, strict=False, parse_float=Decimal)
        self.members = whole if isinstance(whole, dict) else {}
        self.events = [Event(i, e) for i, e in enumerate(joined(whole["traceEvents"] if isinstance(whole, dict) else whole))]
        self.spans = sorted((e for e in self.events if e.phase == "X"), key=Event.order)
        self.work = [e for e in self.spans if e.kind in WORK]
        streams = {e.track for e in self.work}
        self.host = defaultdict(list)  # by thread
        for e in self.spans:
            if e.kind in HOST and e.track not in streams:
                self.host[e.track].append(e)
        self.threads, self.labels, self.tracks = {}, {}, {}  # names of threads by track, labels by pid, places of tracks
        for e in self.events:
            if e.phase == "M" and e.name == "thread_name":
                self.threads[e.track] = e.args["name"].rstrip()
            if e.phase == "M" and e.name == "process_labels":
                self.labels[e.track[0]] = e.args["labels"]
            self.tracks.setdefault(e.track, len(self.tracks))
        for one in self.members.get("deviceProperties", []):
            if one.get("name"):
                self.labels.setdefault(one["id"], f"device {one['id']} ({one['name']})")
        self.steps = sorted((e for e in self.events if e.is_step), key=lambda e: e.begin)
        self.launch_times = {}  # by number of work
        self.calls = {}  # by correlation
        self.ops = {}    # by external id
        for e in self.events:
            if e.kind == "runtime" and "correlation" in e.args:
                self.calls.setdefault(e.args["correlation"], e)
            if e.kind == "op" and "External id" in e.args:
                self.ops.setdefault(e.args["External id"], e)

    def device(self, pid):
        return self.labels.get(pid) or f"device {pid}"

    def stream(self, track):
        return f"{self.threads.get(track) or f'stream {track[1]}'} of {self.device(track[0])}"

    def thread(self, track):
        return self.threads.get(track) or f"thread {track[1]}"

    def launch(self, work):
        if "correlation" in work.args:
            return self.calls.get(work.args["correlation"])
        return self.ops.get(work.args.get("External id"))

    def launch_time(self, work):
        """The begin of its launch; of work without one at least that of the launch before on its stream, -inf if there is none; its
        own begin if no work has a launch."""
        if not self.launch_times:
            known = any(self.launch(e) for e in self.work)
            latest = defaultdict(lambda: -math.inf)
            for e in self.work:
                launch = self.launch(e)
                latest[e.track] = max(latest[e.track], launch.begin) if launch else latest[e.track]
                self.launch_times[e.number] = launch.begin if launch else latest[e.track] if known else e.begin
        return self.launch_times[work.number]

    def all(self):
        lasting = [e for e in self.spans if e.kind != "metadata"]
        return (min(e.begin for e in lasting), max(e.end for e in lasting)) if lasting else (0, 0)

    def measured(self):
        return (self.steps[0].begin, max(s.end for s in self.steps)) if self.steps else self.all()

    def windows(self):
        """Name and bounds; for "all", each device and thread has its own in summary."""
        steps = [("steps", *self.measured())] if self.steps else []
        return [("all", *self.all()), *steps, *((s.name, s.begin, s.end) for s in self.steps)]


def union(spans):
    out = []
    for begin, end in sorted(spans):
        if end <= begin:
            continue
        if out and begin <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([begin, end])
    return out


def length(spans, begin=None, end=None):
    if begin is None:
        return sum(b - a for a, b in spans)
    return sum(max(0, min(b, end) - max(a, begin)) for a, b in spans)


def common(a, b):
    return length(a) + length(b) - length(union([*a, *b]))


def clip(spans, begin, end):
    return [(max(a, begin), min(b, end)) for a, b in spans if a < end and b > begin]


def pieces(events):
    """(event, begin, end): each moment belongs to the open event that began last, or to the shorter of two that began together."""
    bounds = sorted({t for e in events for t in (e.begin, e.end)})
    waiting, active = sorted(events, key=Event.order, reverse=True), []
    for begin, end in zip(bounds, bounds[1:]):
        while waiting and waiting[-1].begin <= begin:
            e = waiting.pop()
            a, b, c = e.order()
            heapq.heappush(active, ((-a, -b, -c), e))
        while active and active[0][1].end <= begin:
            heapq.heappop(active)
        if active:
            yield active[0][1], begin, end


def around(events):
    """The events of a thread, each with those open at its begin, the outermost first."""
    stack = []
    for e in sorted(events, key=Event.order):
        stack = [other for other in stack if other.end > e.begin]
        yield e, stack
        stack.append(e)


def parents(events):
    """For each event of a thread, in order, the innermost one enclosing it, or None."""
    return {e: next((other for other in reversed(stack) if other.end >= e.end), None) for e, stack in around(events)}


def rank(values, percent):
    return sorted(values)[max(math.ceil(percent * len(values) / 100), 1) - 1]


def statistics(each):
    return (min(each), rank(each, 50), rank(each, 90), rank(each, 99), max(each))
