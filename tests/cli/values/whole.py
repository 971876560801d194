"""Contents of the file: kinds, tracks, flaws, memory."""
import gzip
import json
from collections import Counter, defaultdict


def info(trace):
    kinds = defaultdict(lambda: [0, 0])
    for e in trace.events:
        kinds[e.category, e.phase][0] += 1
        kinds[e.category, e.phase][1] += max(e.length, 0)
    tracks = Counter(e.track for e in trace.events if e.phase not in "M")
    return ({(c, p, n, t) for (c, p), (n, t) in kinds.items()}, tracks)


def counts(trace):
    """Events, those of phase X and their time, different names and categories, events with a correlation, tracks."""
    complete = [e for e in trace.events if e.phase == "X"]
    names, categories, tracks = ({getattr(e, of) for e in trace.events} for of in ("name", "category", "track"))
    correlated = sum(e.phase not in "stf" and "correlation" in e.args for e in trace.events)
    return (len(trace.events), len(complete), sum(max(e.length, 0) for e in complete), len(names), len(categories), correlated,
            len({tuple(map(str, track)) for track in tracks}))


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
    """Allocations of each device that live at its peak and at the end, by the outermost op around each."""
    changes = sorted((e for e in trace.events if e.name == "[memory]" and e.phase == "i"), key=lambda e: (e.begin, e.number))
    ops = [e for e in trace.spans if e.kind == "op"]
    peaks = {row[6] for row in memory(trace)}
    held, out = {}, {"at_peak": Counter(), "never_freed": Counter()}
    sizes = {"at_peak": Counter(), "never_freed": Counter()}

    def device(e):
        return e.args["Device Type"], e.args["Device Id"]

    def tell(table, of):
        for e, within in (each for each in held.values() if of in (None, device(each[0]))):
            out[table][e.args.get("Category", ""), within] += 1
            sizes[table][e.args.get("Category", ""), within] += e.args["Bytes"]

    for e in changes:
        if e.args["Bytes"] > 0:
            outer = [op for op in ops if op.track == e.track and op.begin <= e.begin < op.end]
            held[device(e), e.args["Addr"]] = e, outer[0].name if outer else ""
        else:
            held.pop((device(e), e.args["Addr"]), None)
        if e.number in peaks:
            tell("at_peak", device(e))
    tell("never_freed", None)
    return {table: {(*key, n, sizes[table][key]) for key, n in rows.items()} for table, rows in out.items()}


def memory_timeline(path):
    """Of a file by export_memory_timeline("….raw.json"), with the actions of torch/profiler/_memory_profiler.py.  The rows: of all memory
    and of each category (by its number), first, allocations, allocated, frees, freed, moved, peak, its time and row, held at the
    peak of all, last, and the level not exceeded for 95 % of the time."""
    before, created, new_version, destroyed = 1, 2, 3, 4
    rows = json.loads(gzip.decompress(path.read_bytes()))
    begin = min(row[0] for row in rows if row[0] >= 0)
    out, peak_row = {}, 0
    for which in ("all", *sorted({row[3] for row in rows})):
        mine = [row for row in rows if which in ("all", row[3])]
        sizes = {a: [row[2] for row in mine if row[1] == a] for a in (before, created, new_version, destroyed)}
        held, levels = 0, []
        for time, _, size, category in rows:
            held += size if which in ("all", category) else 0
            levels.append((held, max(time, begin)))
        first, usual, time_below = sum(sizes[before]), 0, 0
        lasting = sorted((level, until - at) for (level, at), (_, until) in zip(levels, levels[1:]))
        for usual, time in lasting:
            time_below += time
            if 100 * time_below >= 95 * (levels[-1][1] - begin):
                break
        peak, place = max((level, -i) for i, (level, _) in enumerate(levels) if rows[i][0] >= 0)
        peak, place = (first, 0) if first >= peak else (peak, -place)
        peak_row = place if which == "all" else peak_row
        out[which] = (first, len(sizes[created]), sum(sizes[created]), len(sizes[destroyed]), -sum(sizes[destroyed]),
                      sum(sizes[new_version]), peak, levels[place][1] - begin, place, levels[peak_row][0], held, usual)
    return out
