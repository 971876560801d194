"""Checks that a path through a trace satisfies the definition in critical_path.h.  It need not be computed for that: a chain of
real waits that covers its whole window is a longest one."""
from bisect import bisect_left
from collections import defaultdict

from values.devices import use_of
from values.host import wait_of
from values.trace import length, pieces, union

HOST_KINDS = {"op": "host op", "runtime": "host call"}
WORK_KINDS = {"compute": "compute", "communication": "communication", "memory": "copy", "wait": "sync"}
SHORT_GAP = 30_000


class Path:
    def __init__(self, trace, segments):
        self.trace, self.segments, self.problems = trace, segments, []
        self.streams, self.launched = defaultdict(list), defaultdict(list)
        for e in trace.work:
            self.streams[e.track].append(e)
            self.launched[trace.launch(e)].append(e)
        self.ends = {track: sorted((w.end, w.begin, w.number) for w in work) for track, work in self.streams.items()}
        self.waits = [c for c in trace.events if c.kind in ("runtime", "sync") and "WaitEvent" in c.name.replace(" ", "")]
        self.threads = {str(track[1]) + "/" + str(track[0]): track for track in {e.track for e in trace.spans}}
        self.innermost, self.busy = {}, {}
        for track in trace.host:
            events = [e for e in trace.spans if e.track == track]
            self.innermost[track] = joined = []
            for e, a, b in pieces(events):
                if joined and joined[-1][1:] == (a, e):
                    a = joined.pop()[0]
                joined.append((a, b, e))
            self.busy[track] = union((e.begin, e.end) for e in events if e.kind in ("op", "runtime") or e.category == "overhead")

    def event(self, s):
        return None if s["event"] is None else self.trace.events[s["event"]]

    def track(self, s):
        return self.threads[f"{s['tid']}/{s['pid']}"]

    def is_device(self, s):
        return self.track(s) in self.streams

    def need(self, what, s, why):
        if not what:
            self.problems.append(f"{why}: {s}")

    def check(self):
        before = None
        for s in self.segments:
            s["begin"], s["end"] = s["begin_ns"], s["begin_ns"] + s["time_ns"]
        for s in self.segments:
            self.need(before is None or before["end"] == s["begin"], s, "does not begin where the one before ends")
            self.need(s["time_ns"] > 0, s, "takes no time")
            on_host = s["kind"] == "device wait" and not self.is_device(s)
            if on_host or s["kind"] in ("host op", "host call", "host outside ops", "data loading"):
                self.host(before, s)
            elif s["kind"] == "sync":
                self.sync(before, s)
            elif s["kind"] in ("launch delay", "kernel delay", "device wait"):
                self.delay(before, s)
            else:
                self.work(before, s)
            if before is not None and before["kind"].startswith(("host", "data")) and s["kind"].startswith(("host", "data")):
                self.hand_over(before, s)
            before = s
        return self.problems

    def host(self, before, s):
        list_ = self.innermost.get(self.track(s), [])
        at = bisect_left(list_, s["end"], key=lambda piece: piece[0]) - 1
        a, b, e = list_[at] if at >= 0 else (None, -1, None)
        inside = e is not None and a <= s["begin"] and b >= s["end"]
        nothing = b <= s["begin"]
        self.need(nothing if s["event"] is None else inside and e.number == s["event"], s, f"is not innermost, that is {e and e.number}")
        if s["kind"] != "data loading":
            graph = e is not None and inside and e.name.startswith("## Call CompiledFxGraph")
            kind = HOST_KINDS.get(e.kind, "host op" if graph else "host outside ops") if inside else "host outside ops"
            if inside and self.awaits_earlier(e):
                kind = "device wait"
            self.need(s["kind"] == kind, s, f"is {kind}")
        if before is not None and self.is_device(before):
            self.after_work(before, s)

    def after_work(self, before, s):
        """A thread goes on when what a call had waited for has ended, with clocks that differ by 10 us: after that call, or in a
        blocking copy, which has the rest of its call for itself."""
        end = self.event(before).end
        self.need(0 <= end - s["begin"] <= 10_000, s, "does not begin when what it waited for ended")
        around = [e for e in self.trace.spans if e.track == self.track(s) and e.begin < s["begin"] <= e.end]
        waits = [e for e in around if e.kind == "runtime" and (wait_of(e, ()) == "device" or any(w.kind == "copy" for w in self.launched[e]))]
        self.need(waits, s, "is not after a call that waits")

    def blocks(self, call, work):
        """Whether a call that copies returned when that was done."""
        return call is not None and "memcpy" in call.name.lower() and work.end <= call.end

    def sync(self, before, s):
        """The rest of a wait after the awaited work."""
        e = self.event(s)
        self.need(e.begin <= s["begin"] and s["end"] <= e.end, s, "is not in its event")
        if e.kind != "runtime" and s["begin"] == e.begin:
            return self.work(before, s)
        if e.kind == "runtime":
            copies = any(w.kind == "copy" for w in self.launched[e])
            self.need(wait_of(e, ()) == "device" or copies, s, "is not a call that waits")
        else:
            self.need(use_of(e) == "wait", s, "is not a wait")
        if before is not None and self.is_device(before):
            self.need(self.event(before).end == s["begin"], s, "does not begin when what it waited for ended")

    def delay(self, before, s):
        e = self.event(s)
        self.need(s["end"] == e.begin, s, "does not end when its work begins")
        if before is None:
            return
        if s["kind"] == "launch delay":
            self.need(self.trace.launch(e) and self.trace.launch(e).end == s["begin"], s, "does not begin when the launch returned")
            self.need(self.track(before) == self.trace.launch(e).track, s, "does not follow its launch")
        else:
            self.need((s["time_ns"] > SHORT_GAP) == (s["kind"] == "device wait"), s, "is not of its kind")
            self.follows_work(before, s, e)

    def work(self, before, s):
        e = self.event(s)
        self.need(s["kind"] == WORK_KINDS[use_of(e)], s, f"is {use_of(e)}")
        self.need(e.begin <= s["begin"] and s["end"] <= e.end, s, "is not in its event")
        if before is None or before["event"] == s["event"]:
            return
        self.need(s["begin"] == e.begin, s, "does not begin with its work")
        if self.is_device(before):
            self.follows_work(before, s, e)
        else:
            launch = self.trace.launch(e)
            first = launch is None and self.ends[e.track][0][0] > e.begin
            self.need(first or (launch and launch.end >= e.begin and launch.track == self.track(before)), s, "does not follow its launch")
            blocking = not first and self.blocks(launch, e)
            waited = [w.end for w in self.streams[e.track] if w.begin < e.begin and launch.begin < w.end <= e.begin] if blocking else []
            staged = not waited or e.begin - max(waited) > SHORT_GAP
            self.need(staged, s, "its call waited for work that ended just before")

    def follows_work(self, before, s, e):
        """The work before `e` was the last to end of all that it waited for."""
        other, launch = self.event(before), self.trace.launch(e)
        self.need(other.end == s["begin"], s, "does not begin when the work before ended")
        ends = self.ends[e.track]
        later = [w for w in ends[bisect_left(ends, (s["begin"] + 1,)):bisect_left(ends, (e.begin + 1,))] if w[1] < e.begin]
        self.need(not later, s, "work of its stream ended later")
        shared = launch and any(w.begin < e.begin for w in self.launched[launch])
        ready = launch and (launch.begin if self.blocks(launch, e) else min(launch.end, e.begin))
        self.need(not launch or shared or ready <= s["begin"], s, "its launch returned later")
        if other.track != e.track:
            waited = any(use_of(w) == "wait" and w.end == s["begin"] for w in self.streams[e.track])
            for_all = launch and launch.name in ("cudaMemcpy", "hipMemcpy", "cudaMemcpy2D", "hipMemcpy2D")
            self.need(waited or for_all or any(c.begin <= e.begin for c in self.waits), s, "nothing makes its stream wait for another")

    def awaits_earlier(self, e):
        """Whether a call waits for a device before the trace has any of its work."""
        waits = e.kind == "runtime" and wait_of(e, ()) == "device"
        return waits and bool(self.trace.work) and all(w.begin >= e.end for w in self.trace.work)

    def hand_over(self, before, s):
        """From one thread to another: this one paused while the other worked and stopped there."""
        mine, its = self.track(s), self.track(before)
        if mine == its:
            return
        at = s["begin"]
        self.need(any(b == at for _, b in self.busy[its]), s, "takes over where nothing stopped")
        self.need(not any(a < at < b for a, b in self.busy[mine]), s, "takes over while it is busy itself")
        paused = max((b for _, b in self.busy[mine] if b <= at), default=None)
        resumed = min((a for a, _ in self.busy[mine] if a >= at), default=self.segments[-1]["end"])
        if paused is None or resumed <= paused:
            return
        # It may have continued, say in an annotation, before its next op or call.
        mine_next = [other["end"] for other in self.segments if at < other["end"] <= resumed and self.track(other) == mine]
        fits = [2 * length(self.busy[its], paused, end) >= end - paused or (end - paused >= 1_000_000 and 10 * (end - at) <= end - paused)
                for end in mine_next]
        self.need(any(fits), s, "takes over from one that did not work for it")


def problems(trace, segments):
    return Path(trace, segments).check()
