"""Answers about a trace, from the definitions in include/vitro/analyze alone: simple, slow, and made without a look at how Vitro
computes them.  trace_values_test.py compares the two.

Times are whole nanoseconds; a thread or stream is (pid, tid) as the file has them."""
import gzip
import heapq
import json
import math
from collections import Counter, defaultdict
from decimal import Decimal
from statistics import mean, pstdev

CLASSES = {"cpu_op": "op", "user_annotation": "annotation", "python_function": "python", "cuda_runtime": "runtime",
           "cuda_driver": "runtime", "mtia_runtime": "runtime", "kernel": "kernel", "mtia_ccp_events": "kernel",
           "gpu_memcpy": "copy", "gpu_memset": "set", "cuda_sync": "sync", "gpu_user_annotation": "device range",
           "cuda_profiler_range": "device range", "Trace": "metadata"}
HOST = ("op", "annotation", "python", "runtime", "other")
WORK = ("kernel", "copy", "set")
BLOCKING = ("cudaMemcpy", "hipMemcpy", "hipMemcpyWithStream")
WAITS = (("enumerate(dataloader)", "data"), ("method sleep", "sleep"), ("time.sleep", "sleep"), ("method acquire of", "lock"),
         ("barrier", "threads"), ("async_compile.wait", "threads"), ("method poll of", "threads"), ("method recv", "threads"))


def ns(microseconds):
    return int(Decimal(microseconds) * 1000)


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
        self.events = [Event(i, e) for i, e in enumerate(whole["traceEvents"] if isinstance(whole, dict) else whole)]
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
        self.steps = sorted((e for e in self.events if e.is_step), key=lambda e: e.begin)
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

    def all(self):
        lasting = [e for e in self.spans if e.kind != "metadata"]
        return (min(e.begin for e in lasting), max(e.end for e in lasting)) if lasting else (0, 0)

    def measured(self):
        return (self.steps[0].begin, max(s.end for s in self.steps)) if self.steps else self.all()

    def windows(self):
        """Name and bounds; of "all" each device and thread has its own in summary."""
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
    """(event, begin, end): each moment belongs to what began last of all that are open, of two that began together to the shorter."""
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


def rank(values, percent):
    return sorted(values)[max(math.ceil(percent * len(values) / 100), 1) - 1]


def is_communication(name):
    small = name.lower()
    return small.startswith(("nccl", "rccl", "hccl")) or "ncclkernel" in small or "nccldevkernel" in small


def use_of(work):
    """What work of a device is for; waits of a stream are none."""
    if work.kind != "kernel":
        return "memory"
    if is_communication(work.name):
        return "communication"
    if work.name.startswith(("Memcpy", "Memset", "dma")):
        return "memory"
    return "wait" if work.name.startswith(("event_wait", "event_record", "Stream Wait Event")) else "compute"


def times_by_device(trace):
    out = defaultdict(lambda: defaultdict(list))
    for e in trace.work:
        if use_of(e) != "wait":
            out[e.track[0]][use_of(e)].append((e.begin, e.end))
    return {device: {use: union(times.get(use, [])) for use in ("compute", "communication", "memory")} for device, times in out.items()}


def info(trace):
    kinds = defaultdict(lambda: [0, 0])
    for e in trace.events:
        kinds[e.category, e.phase][0] += 1
        kinds[e.category, e.phase][1] += max(e.length, 0)
    tracks = Counter(e.track for e in trace.events if e.phase not in "M")
    return ({(c, p, n, t) for (c, p), (n, t) in kinds.items()}, tracks)


def summary_devices(trace):
    out = set()
    for device, times in times_by_device(trace).items():
        own = [e for e in trace.work if e.track[0] == device]
        bounds = {"all": (min(e.begin for e in own), max(e.end for e in own))}
        for window, begin, end in trace.windows():
            begin, end = bounds.get(window, (begin, end))
            c, m, y = (clip(times[use], begin, end) for use in ("compute", "communication", "memory"))
            compute, used, busy = length(union(c)), length(union([*c, *m])), length(union([*c, *m, *y]))
            if window == "all" or busy:
                out.add((window, trace.device(device), end - begin, compute, used - compute, busy - used, end - begin - busy))
    return out


def summary_threads(trace):
    out = set()
    parts = ("op", "runtime", "python", "annotation", "other")
    for track, events in trace.host.items():
        own = {"all": (min(e.begin for e in events), max(e.end for e in events))}
        owned = [(e.kind, begin, end) for e, begin, end in pieces(events) if not e.is_step]
        for window, begin, end in trace.windows():
            begin, end = own.get(window, (begin, end))
            times = Counter()
            for kind, a, b in owned:
                times[kind] += max(0, min(b, end) - max(a, begin))
            if sum(times.values()):
                out.add((window, trace.thread(track), end - begin, *(times[p] for p in parts), end - begin - sum(times.values())))
    return out


def statistics(each):
    return (min(each), rank(each, 50), rank(each, 90), rank(each, 99), max(each))


def ops(trace):
    by_track, owned, calls, outer = defaultdict(list), Counter(), defaultdict(list), Counter()
    for e in trace.spans:
        by_track[e.track].append(e)
    streams = {e.track for e in trace.work}
    for track, events in by_track.items():
        for e, begin, end in pieces(events):
            owned[e.name, e.kind, track] += end - begin
    for track, events in by_track.items():
        until = {}
        for e in events:
            if e.kind not in HOST or track in streams:
                continue
            key = e.name, e.kind
            calls[key].append(e.end - e.begin)
            if e.end > until.get(key, -math.inf):
                outer[key] += e.end - e.begin
                until[key] = e.end
    own = Counter()
    for (name, kind, track), time in owned.items():
        own[name, kind] += 0 if track in streams else time
    return {(*key, len(each), own[key], outer[key], *statistics(each)) for key, each in calls.items()}


def kernels(trace):
    by_name = defaultdict(list)
    for e in trace.work:
        by_name[e.name, e.kind].append(e.end - e.begin)
    return {(*key, len(each), sum(each), *statistics(each)) for key, each in by_name.items()}


def gaps_of(trace, work):
    host = kernel = other = busy = 0
    count, until = [0, 0, 0], None
    for e in work:
        launch = trace.launch(e)
        if until is not None and e.begin > until:
            which = 0 if launch and launch.begin > until else 1 if launch and e.begin - until < 30_000 else 2
            count[which] += 1
            host, kernel, other = (x + (e.begin - until if i == which else 0) for i, x in enumerate((host, kernel, other)))
        until = e.end if until is None else max(until, e.end)
    busy = length(union((e.begin, e.end) for e in work))
    return (len(work), until - work[0].begin, busy, host, count[0], kernel, count[1], other, count[2])


def gaps(trace):
    streams, devices = defaultdict(list), defaultdict(list)
    for e in trace.work:
        if use_of(e) != "wait":
            streams[e.track].append(e)
            devices[e.track[0]].append(e)
    for work in devices.values():
        work.sort(key=lambda e: (e.begin, trace.tracks[e.track], -e.length, e.number))
    return ({(trace.stream(t), *gaps_of(trace, w)) for t, w in streams.items()}, {(trace.device(d), *gaps_of(trace, w)) for d, w in devices.items()})


def launches(trace):
    work = defaultdict(list)
    for e in trace.work:
        if trace.launch(e):
            work[trace.launch(e).number].append(e)
    calls = defaultdict(list)
    for e in trace.events:
        if e.kind == "runtime":
            calls[e.name].append(e)
    out = set()
    for name, each in calls.items():
        lasting = [e.end - e.begin for e in each]
        found = [(e, work[e.number]) for e in each if e.number in work]
        delays = [max(0, min(w.begin for w in ws) - e.end) for e, ws in found]
        brief = sum(sum(w.end - w.begin for w in ws) < e.end - e.begin for e, ws in found)
        after = (rank(delays, 50), rank(delays, 99), max(delays)) if delays else ()
        out.add((name, len(each), sum(lasting), rank(lasting, 50), rank(lasting, 99), max(lasting), sum(x > 50_000 for x in lasting),
                 len(found), *((brief, *after, sum(d > 100_000 for d in delays)) if found else [None] * 5)))
    return out


def queues(trace):
    streams = defaultdict(list)
    for e in trace.work:
        if trace.launch(e):
            streams[e.track] += [(trace.launch(e).begin, 0, 1), (e.begin, 1, -1)]
    out = {}
    for track, changes in streams.items():
        now = most = full = 0
        weight, before = 0, None
        for at, _, change in sorted(changes):
            if before is not None:
                weight += max(now, 0) * (at - before)
                full += at - before if now >= 1024 else 0
            now, before = now + change, at
            most = max(most, now)
        span = max(c[0] for c in changes) - min(c[0] for c in changes)
        out[trace.stream(track)] = (len(changes) // 2, weight / span if span else 0, most, full)
    return out


def overlap(trace):
    devices, by_name = set(), defaultdict(lambda: [0, 0, 0])
    for device, times in times_by_device(trace).items():
        for window, begin, end in trace.windows():
            compute, talk = (union(clip(times[use], begin, end)) for use in ("compute", "communication"))
            if length(talk):
                hidden = common(compute, talk)
                devices.add((window, trace.device(device), length(talk), hidden, length(talk) - hidden, length(compute) - hidden))
        for e in trace.work:
            if e.track[0] == device and use_of(e) == "communication":
                row = by_name[e.name, trace.device(device)]
                row[0] += 1
                row[1] += e.end - e.begin
                row[2] += e.end - e.begin - length(times["compute"], e.begin, e.end)
    return (devices, {(*key, *row) for key, row in by_name.items()})


def steps(trace):
    busy = union(span for times in times_by_device(trace).values() for spans in times.values() for span in spans)
    rows = []
    for s in trace.steps:
        launched = sum(e.end - e.begin for e in trace.work if s.begin <= (trace.launch(e) or e).begin < s.end)
        recorded = union((e.begin, e.end) for e in trace.host[s.track] if not e.is_step)
        rows.append((s.name, s.end - s.begin, length(busy, s.begin, s.end), launched, length(recorded, s.begin, s.end)))
    each = [row[1] for row in rows]
    return rows, (len(each), min(each), rank(each, 50), max(each), 100 * pstdev(each) / mean(each)) if each else None


def wait_of(e, blocks):
    small = e.name.lower()
    if e.kind == "runtime":
        return "device" if "synchroni" in small or e.name in BLOCKING or e.number in blocks else ""
    return next((kind for part, kind in WAITS if part in small), "")


def threads(trace):
    begin, end = trace.measured()
    blocks = {trace.launch(e).number for e in trace.work if e.kind == "copy" and trace.launch(e) and trace.launch(e).kind == "runtime"
              and ("Pageable" in e.name or "Host ->" in e.name or "-> Host" in e.name)}
    out = set()
    for track, events in trace.host.items():
        loaders = union((e.begin, e.end) for e in events if wait_of(e, blocks) == "data")
        busy, waiting = 0, 0
        for e, a, b in pieces(events):
            a, b = max(a, begin), min(b, end)
            if b <= a or e.is_step:
                continue
            if wait_of(e, blocks) or length(loaders, a, b):
                waiting += b - a
            else:
                busy += b - a
        if busy + waiting:
            out.add((trace.thread(track), busy, waiting, end - begin - busy - waiting))
    return out


def memory(trace):
    totals = defaultdict(list)
    for e in trace.events:
        if e.name == "[memory]" and e.phase == "i":
            totals[e.args["Device Type"], e.args["Device Id"]].append((e.begin, e.number, e.args["Bytes"], e.args["Total Allocated"]))
    out = []
    for rows in totals.values():
        rows.sort()
        peak = max(rows, key=lambda row: (row[3], -row[1]))
        sizes = [row[2] for row in rows]
        out.append((sum(s > 0 for s in sizes), sum(s for s in sizes if s > 0), sum(s < 0 for s in sizes), -sum(s for s in sizes if s < 0),
                    rows[0][3] - rows[0][2], peak[3], peak[1], rows[-1][3]))
    return out


def regions(trace):
    out = Counter()
    for e in trace.events:
        if e.kind in ("op", "annotation") and e.name.startswith("Torch-Compiled Region"):
            out[e.name] += 1
    return set(out.items())


def crossing(trace):
    """Events to leave out so that the others nest: by begin, those that end behind one that they begin in and that stays."""
    stay, out = defaultdict(list), 0
    for e in trace.spans:
        stay[e.track] = [other for other in stay[e.track] if other.end > e.begin]
        if any(other.end < e.end for other in stay[e.track]):
            out += 1
        else:
            stay[e.track].append(e)
    return out


def problems(trace):
    begins, ends = Counter(), Counter()
    for e in trace.events:
        if e.phase in "sf":
            (begins if e.phase == "s" else ends)[e.category, e.id] += 1
    launched = {trace.launch(e).number for e in trace.work if trace.launch(e)}
    return {"crossing": crossing(trace),
            "negative duration": sum(e.length < 0 for e in trace.events),
            "flow without end": sum(n for key, n in begins.items() if key not in ends),
            "flow without begin": sum(n for key, n in ends.items() if key not in begins),
            "kernel without launch": sum(trace.launch(e) is None for e in trace.work),
            "kernel before launch": sum(trace.launch(e) is not None and e.begin < trace.launch(e).begin for e in trace.work),
            "launch without kernel": sum(e.kind == "runtime" and "LaunchKernel" in e.name and e.number not in launched for e in trace.events)}
