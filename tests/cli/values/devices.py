"""The work of devices, and its launches."""
import math
from collections import defaultdict

from values.trace import clip, common, length, rank, statistics, union


def is_communication(name):
    small = name.lower()
    return small.startswith(("nccl", "rccl", "hccl")) or "ncclkernel" in small or "nccldevkernel" in small


def use_of(work):
    """The purpose of device work; stream waits have none."""
    if work.kind != "kernel":
        return "memory"
    if is_communication(work.name):
        return "communication"
    if work.name.startswith(("Memcpy", "Memset", "dma")):
        return "memory"
    return "wait" if work.name.startswith(("event_wait", "event_record", "Stream Wait Event")) else "compute"


def kind_of(work):
    """The name used in tables."""
    return "wait" if use_of(work) == "wait" else work.kind


def times_by_device(trace):
    out = defaultdict(lambda: defaultdict(list))
    for e in trace.work:
        if use_of(e) != "wait":
            out[e.track[0]][use_of(e)].append((e.begin, e.end))
    return {device: {use: union(times.get(use, [])) for use in ("compute", "communication", "memory")} for device, times in out.items()}


def summary_devices(trace):
    out = set()
    for device, times in times_by_device(trace).items():
        own = [e for e in trace.work if e.track[0] == device]
        bounds = {"all": (min(e.begin for e in own), max(e.end for e in own))}
        for window, begin, end in trace.windows():
            begin, end = bounds.get(window, (begin, end))
            c, m, y = (clip(times[use], begin, end) for use in ("compute", "communication", "memory"))
            compute, used, busy = length(union(c)), length(union([*c, *m])), length(union([*c, *m, *y]))
            if busy:
                out.add((window, trace.device(device), end - begin, compute, used - compute, busy - used, end - begin - busy))
    return out


def kernels(trace):
    by_name = defaultdict(list)
    for e in trace.work:
        by_name[e.name, kind_of(e)].append(e.end - e.begin)
    return {(*key, len(each), sum(each), *statistics(each)) for key, each in by_name.items()}


def gaps_of(trace, work):
    host = kernel = other = busy = 0
    count, until = [0, 0, 0], None
    for e in work:
        launch = trace.launch(e)
        if until is not None and e.begin > until:
            known = launch or trace.launch_time(e) == -math.inf
            which = 0 if launch and launch.begin > until else 1 if known and e.begin - until < 30_000 else 2
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
    return ({(trace.stream(track), *gaps_of(trace, work)) for track, work in streams.items()},
            {(trace.device(pid), *gaps_of(trace, work)) for pid, work in devices.items()})


def waits_for_devices(trace):
    """By thread: when it waits for a device."""
    from values.host import blocking_copies, wait_of  # which imports this file
    blocks = blocking_copies(trace)
    return {track: union((e.begin, e.end) for e in events if wait_of(e, blocks) == "device") for track, events in trace.host.items()}


def least_latency(trace):
    """From the begin of a launch to that of its work; 0 if it makes no sense."""
    least = min((e.begin - trace.launch(e).begin for e in trace.work if trace.launch(e)), default=0)
    return least if 0 <= least < 30_000 else 0


def idle(trace):
    """The idle time of each device in the measured window, and the part that is latency: short gaps before work that was launched
    in time, and of other short gaps what the host waits for a device after the launch."""
    begin, end = trace.measured()
    out, least, waits = {}, least_latency(trace), waits_for_devices(trace)
    for pid in {e.track[0] for e in trace.work}:
        until, total, latency = begin, 0, 0
        work = sorted((e for e in trace.work if e.track[0] == pid), key=lambda e: (e.begin, trace.tracks[e.track], -e.length, e.number))
        for e in work:
            if use_of(e) == "wait" or until >= end:
                continue
            gap = min(e.begin, end) - until
            if gap > 0:
                total += gap
                known = trace.launch(e) or trace.launch_time(e) == -math.inf
                if known and trace.launch_time(e) <= until:
                    arrives = min(max(trace.launch_time(e) + least, until), until + gap) if until > begin else until
                    latency += gap - (arrives - until) if gap - (arrives - until) < 30_000 else 0
                    latency += length(waits.get(trace.launch(e).track, []), until, arrives) if arrives > until else 0
            until = max(until, e.end)
        out[trace.device(pid)] = (total + max(end - until, 0), latency)
    return out


def launched_work(trace):
    """Work by the number of its call."""
    work = defaultdict(list)
    for e in trace.work:
        if trace.launch(e) and trace.launch(e).kind == "runtime":
            work[trace.launch(e).number].append(e)
    return work


def launches(trace):
    work, calls = launched_work(trace), defaultdict(list)
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


def delays(trace):
    """The sum over launches of the time from the end of the call to its first work, by name."""
    total = defaultdict(int)
    for call, works in launched_work(trace).items():
        total[trace.events[call].name] += max(0, min(w.begin for w in works) - trace.events[call].end)
    return set(total.items())


def short(trace):
    """Work shorter than its launch, by the name of the first."""
    rows = defaultdict(lambda: [0, 0, 0, 0])
    for call, works in launched_work(trace).items():
        row = rows[min(works, key=lambda w: (w.begin, w.number)).name]
        call, lasting = trace.events[call], sum(w.end - w.begin for w in works)
        row[0] += 1
        if lasting < call.end - call.begin:
            row[1:] = row[1] + 1, row[2] + lasting, row[3] + call.end - call.begin
    return {(name, *row) for name, row in rows.items() if row[1]}


def queues(trace, full_queue=1024):
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
                full += at - before if now >= int(full_queue) else 0
            now, before = now + change, at
            most = max(most, now)
        span = max(at for at, _, _ in changes) - min(at for at, _, change in changes if change > 0)
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


def without(spans, others):
    """The parts of these spans outside the others, which are in order."""
    for begin, end in spans:
        for a, b in others:
            if begin < b and a < end:
                yield begin, a
                begin = b
        yield begin, end


def late_computation(trace, device):
    """When a device computes nothing because the next computation has not been launched, by a thread that does not wait for it."""
    begin, late, out = trace.measured()[0], defaultdict(list), []
    for e in trace.work:
        if e.track[0] == device and use_of(e) == "compute":
            launch = trace.launch(e)
            if launch and launch.begin > begin:
                late[launch.track].append((begin, min(launch.end, e.begin)))
            begin = max(begin, e.end)
    waits = waits_for_devices(trace)
    for track, spans in late.items():
        out += without(spans, waits.get(track, []))
    return union(out)


def beyond_median(trace):
    """For each stream: the time of collectives, in order within their steps, beyond their median over the steps, and at most
    what is not hidden by computation or by a host that is late with it."""
    computing = {device: union([*times["compute"], *late_computation(trace, device)]) for device, times in times_by_device(trace).items()}
    out = {}
    for track in {e.track for e in trace.work}:
        talks = [e for e in trace.work if e.track == track and use_of(e) == "communication"]
        steps = [[e for e in talks if s.begin <= e.begin < s.end] for s in trace.steps]
        total = 0
        for same in zip(*steps):
            median = rank([e.end - e.begin for e in same], 50)
            for e in same:
                exposed = e.end - e.begin - length(computing[track[0]], e.begin, e.end)
                total += min(exposed, max(0, e.end - e.begin - median))
        out[trace.stream(track)] = total
    return out


def layouts(trace):
    """The kernels in the steps with which cudnn converts between layouts: how many, and their time."""
    begin, end = trace.measured()
    found = [(e.begin, e.end) for e in trace.work if "nchwToNhwc" in e.name or "nhwcToNchw" in e.name]
    inside = clip(found, begin, end)
    return len(inside), length(inside)


def per_step(trace):
    """The kernels launched in the steps, by name: calls and time per step."""
    total = defaultdict(lambda: [0, 0])
    for e in trace.work:
        begin = trace.launch_time(e)
        if e.kind == "kernel" and any(s.begin <= begin < s.end for s in trace.steps):
            total[e.name][0] += 1
            total[e.name][1] += e.end - e.begin
    return {(name, calls / len(trace.steps), time / len(trace.steps)) for name, (calls, time) in total.items()}
