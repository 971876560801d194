"""Contents of the file: kinds, tracks, flaws, memory."""
from collections import Counter, defaultdict


def info(trace):
    kinds = defaultdict(lambda: [0, 0])
    for e in trace.events:
        kinds[e.category, e.phase][0] += 1
        kinds[e.category, e.phase][1] += max(e.length, 0)
    tracks = Counter(e.track for e in trace.events if e.phase not in "M")
    return ({(c, p, n, t) for (c, p), (n, t) in kinds.items()}, tracks)


def crossing(trace):
    """Events to leave out so that the others nest: by begin, those that end after a remaining event in which they begin."""
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
            "launch without kernel": sum(e.kind == "runtime" and "LaunchKernel" in e.name and e.number not in launched
                                         for e in trace.events)}


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


def live(trace):
    """Allocations live at the peak and at the end, by the outermost op around each."""
    changes = sorted((e for e in trace.events if e.name == "[memory]" and e.phase == "i"), key=lambda e: (e.begin, e.number))
    ops = [e for e in trace.spans if e.kind == "op"]
    peaks = {row[6] for row in memory(trace)}
    held, out = {}, {"at_peak": Counter(), "never_freed": Counter()}
    sizes = {"at_peak": Counter(), "never_freed": Counter()}

    def tell(table):
        for e, within in held.values():
            out[table][e.args.get("Category", ""), within] += 1
            sizes[table][e.args.get("Category", ""), within] += e.args["Bytes"]

    for e in changes:
        if e.args["Bytes"] > 0:
            outer = [op for op in ops if op.track == e.track and op.begin <= e.begin < op.end]
            held[e.args["Addr"]] = e, outer[0].name if outer else ""
        else:
            held.pop(e.args["Addr"], None)
        if e.number in peaks:
            tell("at_peak")
    tell("never_freed")
    return {table: {(*key, n, sizes[table][key]) for key, n in rows.items()} for table, rows in out.items()}
