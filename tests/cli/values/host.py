"""The activity of host threads: ops, steps, waits, compiled code."""
import json
from collections import Counter, defaultdict
from statistics import mean, pstdev

from values.devices import kind_of, times_by_device
from values.trace import HOST, WORK, around, clip, common, length, parents, pieces, rank, statistics, union

BLOCKING = ("cudaMemcpy", "hipMemcpy", "hipMemcpyWithStream")
WAITS = (("enumerate(dataloader)", "data"), ("method sleep", "sleep"), ("time.sleep", "sleep"), ("method acquire of", "lock"), ("method 'acquire' of", "lock"),
         ("barrier", "threads"), ("async_compile.wait", "threads"), ("method poll of", "threads"), ("method recv", "threads"))


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


def ops(trace):
    by_track, owned, calls, outer = defaultdict(list), Counter(), defaultdict(list), Counter()
    for e in trace.spans:
        by_track[e.track].append(e)
    streams = {e.track for e in trace.work}
    for track, events in by_track.items():
        for e, begin, end in pieces(events):
            owned[e.name, e.kind, track] += end - begin
    for track, events in by_track.items():
        if track in streams:
            continue
        outer_of = parents(events)
        for e, other in outer_of.items():
            if e.kind not in HOST:
                continue
            key = e.name, e.kind
            calls[key].append(e.end - e.begin)
            while other and (other.name, other.kind) != key:
                other = outer_of[other]
            outer[key] += 0 if other else e.end - e.begin
    own = Counter()
    for (name, kind, track), time in owned.items():
        own[name, kind] += 0 if track in streams else time
    return {(*key, len(each), own[key], outer[key], *statistics(each)) for key, each in calls.items()}


def devices_of_ops(trace):
    """Names with the device work that they launched: directly or by a runtime call in them; with everything nested in them."""
    outer_of = {}
    for events in trace.host.values():
        outer_of.update(parents(events))
    own, total = Counter(), Counter()
    for work in trace.work:
        launch = trace.launch(work)
        if launch is None:
            continue
        chain = [launch]
        while outer_of[chain[-1]]:
            chain.append(outer_of[chain[-1]])
        direct = next((i for i, e in enumerate(chain) if e.kind != "runtime"), len(chain) - 1)
        for e in chain[:direct + 1]:
            own[e.name, e.kind] += work.end - work.begin
        for key in {(e.name, e.kind) for e in chain}:
            total[key] += work.end - work.begin
    return {(*key, own[key], time) for key, time in total.items() if time}


def groups(trace, by):
    """The group of each event, by its number."""
    modules = "nn.Module: "
    is_part = {"shape": lambda e: False, "stack": lambda e: e.kind == "python",
               "module": lambda e: e.kind == "python" and e.name.startswith(modules)}[by]
    chains = any(is_part(e) for e in trace.spans)
    argument = {"shape": "Input Dims", "module": "Module Hierarchy", "stack": "Call stack"}[by]
    out, by_track = {}, defaultdict(list)
    for e in trace.spans:
        by_track[e.track].append(e)
    for events in by_track.values():
        if chains:
            for e, stack in around(events):
                begun = [other for other in stack if is_part(other)]
                before = out[begun[-1].number] if begun else ""
                part = e.name.removeprefix(modules if by == "module" else "") if is_part(e) else ""
                out[e.number] = ";".join(filter(None, (before, part)))
            continue
        for e, outer in parents(events).items():
            before = out[outer.number] if outer else ""
            if e.kind in ("op", "annotation"):
                told = e.args.get(argument, "")
                out[e.number] = told if isinstance(told, str) else json.dumps(told)
            else:
                out[e.number] = before if e.kind == "runtime" else ""
    return out


def grouped(trace, by, events=None):
    """Calls and self time of names, by group; of the events of the host if not told."""
    events = [e for on_thread in trace.host.values() for e in on_thread] if events is None else events
    told, own, calls, time = groups(trace, by), Counter(), Counter(), Counter()
    by_track = defaultdict(list)
    for e in trace.spans:
        by_track[e.track].append(e)
    for on_track in by_track.values():
        for e, begin, end in pieces(on_track):
            own[e.number] += end - begin
    for e in events:
        launch = trace.launch(e) if e.kind in WORK else e
        key = e.name, told[launch.number] if launch else "", kind_of(e)
        calls[key] += 1
        time[key] += e.end - e.begin if e.kind in WORK else own[e.number]
    return {(*key, calls[key], time[key]) for key in calls}


def forward_of(trace):
    """For each event to which an arrow leads from an op of the forward pass, that op: by number."""
    def ends(phase):
        for e in trace.events:
            if e.phase == phase and e.category == "fwdbwd":
                begun = [other for other in trace.host[e.track] if other.begin == e.begin]
                if begun:
                    yield e.id, max(begun, key=lambda other: other.order())
    begins, out = {}, {}
    for number, e in ends("s"):
        begins.setdefault(number, e)
    for number, e in ends("f"):
        if number in begins:
            out.setdefault(e.number, begins[number])
    return out


def modules(trace):
    """By path: calls, device time launched in it but in no module inside, gradients among that, in those inside too, and the same
    for the innermost events of the host."""
    if "with_modules" not in trace.members and not any(e.name.startswith("nn.Module: ") for e in trace.events):
        return set()
    told, forward, outer = groups(trace, "module"), forward_of(trace), {}
    rows, by_track = defaultdict(lambda: [0] * 6), defaultdict(list)
    paths = [()]

    def path(e):
        return tuple(p for p in told[e.number].replace(".", ";").split(";") if p) if e else ()

    for e in trace.spans:
        by_track[e.track].append(e)
    for events in by_track.values():
        outer.update(parents(events))
    for e in trace.spans:
        paths.append(path(e))
    for p in paths:
        for i in range(len(p) + 1):
            rows[p[:i]]
    for track, events in by_track.items():
        on_host = {e.number for e in trace.host.get(track, ())}
        for e, begin, end in pieces(events):
            if e.number in on_host:
                rows[path(e)][3] += end - begin
    for e in (e for events in trace.host.values() for e in events):
        rows[path(e)][0] += e.kind == "python" and e.name.startswith("nn.Module: ")
    for work in trace.work:
        at = launch = trace.launch(work)
        while at and at.number not in forward and not at.name.startswith("nn.Module: "):
            at = outer[at]
        is_gradient = at is not None and at.number in forward
        row = rows[path(forward[at.number] if is_gradient else launch)]
        row[1] += work.end - work.begin
        row[2] += (work.end - work.begin) * is_gradient
    if len(rows) == 1:
        return set()
    out = set()
    for p, row in rows.items():
        inside = [other for q, other in rows.items() if q[:len(p)] == p] if p else [row]
        out.add((p, *(row[i] for i in (0, 1, 3)), *(sum(other[i] for other in inside) for i in (1, 2, 3))))
    return out


def steps(trace):
    busy = union(span for times in times_by_device(trace).values() for spans in times.values() for span in spans)
    rows = []
    for s in trace.steps:
        launched = sum(e.end - e.begin for e in trace.work if s.begin <= trace.launch_time(e) < s.end)
        recorded = [(a, b) for e, a, b in pieces(trace.host[s.track]) if not e.is_step]
        rows.append((s.name, s.end - s.begin, length(busy, s.begin, s.end), launched, length(recorded, s.begin, s.end)))
    each = [row[1] for row in rows]
    return rows, (len(each), min(each), rank(each, 50), max(each), 100 * pstdev(each) / mean(each)) if each else None


def wait_of(e, blocks):
    small = e.name.lower()
    if e.number in blocks:
        return "device"
    if e.kind == "runtime":
        return "device" if "synchroni" in small or e.name in BLOCKING else ""
    if "threading.py(" in small and small.endswith("): wait"):
        return "lock"
    return next((kind for part, kind in WAITS if part in small), "")


def blocking_copies(trace):
    """Calls whose first work is a copy from or to unpinned memory."""
    firsts = {}
    for w in sorted(trace.work, key=lambda w: (w.begin, w.number)):
        if trace.launch(w):
            firsts.setdefault(trace.launch(w).number, w)
    return {call for call, w in firsts.items() if w.kind == "copy" and any(part in w.name for part in ("Pageable", "Host ->", "-> Host"))}


def innermost_waits(trace, events):
    """(wait or None, its kind, those around it, begin, end): everything in the iterator of a data loader is a wait for data."""
    blocks, outer = blocking_copies(trace), {e.number: list(stack) for e, stack in around(events)}
    begin, end = trace.measured()
    for e, a, b in pieces(events):
        a, b = max(a, begin), min(b, end)
        if b <= a or e.is_step:
            continue
        stack = [other for other in outer[e.number] if other.end > a] + [e]
        loader = next((i for i, other in enumerate(stack) if wait_of(other, blocks) == "data"), len(stack) - 1)
        kind = wait_of(stack[loader], blocks)
        where = [other for other in stack[:loader] if other.end >= stack[loader].end and not other.is_step and not wait_of(other, ())]
        yield stack[loader] if kind else None, kind, where, a, b


def threads(trace):
    begin, end = trace.measured()
    out = set()
    for track, events in trace.host.items():
        times = Counter()
        for wait, _, _, a, b in innermost_waits(trace, events):
            times[wait is not None] += b - a
        if times or any(e.is_step for e in events):
            out.add((trace.thread(track), times[False], times[True], end - begin - times[False] - times[True]))
    return out


def waits(trace):
    begin, end = trace.measured()
    busy = union(span for times in times_by_device(trace).values() for spans in times.values() for span in spans)
    calls, total = defaultdict(dict), Counter()
    for track, events in trace.host.items():
        for wait, kind, where, a, b in innermost_waits(trace, events):
            if wait:
                key = trace.thread(track), wait.name, kind, where[-1].name if where else ""
                calls[key][wait.number] = wait
                total[key] += b - a
    out = set()
    for key, each in calls.items():
        selves, until = [], []
        for e in each.values():
            nexts = [max(a, e.end) for a, b in busy if b > e.end] if length(busy, e.begin, e.end) else []
            selves.append((e.begin, e.end))
            until.append((e.begin, nexts[0] if nexts else e.end))
        idle = [length(spans) - common(spans, busy) for spans in (union(clip(selves, begin, end)), union(clip(until, begin, end)))]
        out.add((*key, len(each), total[key], max(e.end - e.begin for e in each.values()), *idle))
    return out


def regions(trace):
    rows = defaultdict(lambda: [0, 0, 0, 0])
    for events in trace.host.values():
        for e, stack in around(events):
            if e.name.startswith("Torch-Compiled Region"):
                outer = [other for other in stack if other.name.startswith("Torch-Compiled Region")]
                rows[e.name][0] += 1
                rows[e.name][1] += bool(outer)
                rows[e.name][3] += 0 if any(other.name == e.name for other in outer) else e.end - e.begin
                if outer:
                    rows[outer[0].name][2] += 1
    return {(name, *row) for name, row in rows.items()}


def glue(trace):
    """The time of outermost regions with breaks in them that is outside compiled functions, by name."""
    rows = defaultdict(int)
    for events in trace.host.values():
        compiled = union((e.begin, e.end) for e in events if e.name.startswith("CompiledFunction"))
        opened = [(e, [other for other in stack if other.name.startswith("Torch-Compiled Region")]) for e, stack in around(events)
                  if e.name.startswith("Torch-Compiled Region")]
        for e in {outer[0] for _, outer in opened if outer}:
            rows[e.name] += e.end - e.begin - length(compiled, e.begin, e.end)
    return set(rows.items())


def functions(trace):
    found = {name: [e for e in trace.spans if e.name == name] for name in ("CompiledFunction", "CompiledFunctionBackward")}
    ends = [{(e.track, e.begin) for e in each} for each in found.values()]
    joined = defaultdict(set)
    for e in trace.events:
        if e.category == "fwdbwd":
            joined[e.id].add((e.phase, (e.track, e.begin) in ends["sf".index(e.phase)]))
    pairs = sum(both == {("s", True), ("f", True)} for both in joined.values())
    return {(name, len(each), sum(e.end - e.begin for e in each), pairs) for name, each in found.items() if any(found.values())}


def overheads(trace):
    rows = defaultdict(list)
    for e in trace.spans:
        if e.name in ("TorchDynamo Cache Lookup", "Pregraph bytecode", "AOTDispatcher Runtime Wrapper Prologue"):
            rows[e.name].append(e.end - e.begin)
    return {(name, len(each), sum(each)) for name, each in rows.items()}


def phases(trace):
    """Events named "… (dynamo_timed)", and those within them that directly contain an event "NAME_data: …"."""
    rows = defaultdict(lambda: [0, 0, 0])
    for events in trace.host.values():
        opened = [(e, list(stack)) for e, stack in around(events)]
        told = {stack[-1].number for e, stack in opened if stack and e.name.startswith(stack[-1].name + "_data: ")}
        is_phase = {e.number for e, stack in opened if e.number in told}
        for e, stack in opened:
            if e.name.endswith(" (dynamo_timed)") and not (stack and stack[-1].number in is_phase):
                is_phase.add(e.number)
        for e, stack in opened:
            if e.number not in is_phase:
                continue
            row = rows[e.name.removesuffix(" (dynamo_timed)")]
            row[:] = row[0] + 1, row[1] + e.end - e.begin, row[2] + e.end - e.begin
            outer = [other for other in stack if other.number in is_phase]
            if outer:
                rows[outer[-1].name.removesuffix(" (dynamo_timed)")][1] -= e.end - e.begin
    return {(name, *row) for name, row in rows.items()}
