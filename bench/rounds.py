"""Rounds of resident contenders: each runs in turn while the others are stopped.

A contender is a process.  Its first line on standard output is a JSON object about its first call; it answers each line with a
number N with {"med_ms", "min_ms", "cpu_ms", "rss_mb"} of N runs after some warm-up runs.  It exits at the end of its standard input.

A stopped process does not use a processor, even if its library spins while it waits, so no settings are needed that might slow it
down.  A turn during which other processes used the processors is repeated immediately."""
import ctypes
import json
import os
import selectors
import signal
import statistics
import subprocess
import time

QUIET = 0.1  # processors that other processes may use during a turn
REPEATS = 8  # maximum turns of one contender in one round
PATIENCE = 900  # timeout for an answer, in seconds
PR_SET_PDEATHSIG = 1  # of prctl(2)


class Failed(Exception):
    pass


def used_ms(path="/proc/stat"):
    """Processor time of all processes of this machine, including stolen time."""
    with open(path) as stat:
        user, nice, system, _, _, interrupts, soft, stolen = map(int, stat.readline().split()[1:9])
    return (user + nice + system + interrupts + soft + stolen) * 1e3 / os.sysconf("SC_CLK_TCK")


def place(processors):
    """In a new contender: sets its processors, and that it dies with its parent, because a stopped process would stay."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if processors:
        os.sched_setaffinity(0, processors)


class Resident:
    """A contender's process, stopped except during its turns."""

    def __init__(self, name, command, environment=None, processors=None, realtime=False):
        self.name, self.realtime, self.count = name, realtime, 1
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=os.environ | (environment or {}), preexec_fn=lambda: place(processors), start_new_session=True)
        self.first = self.answer()
        if realtime:
            self.prefer()
        self.stop()

    def prefer(self):
        """Gives real-time priority to all existing threads; new ones inherit it."""
        for thread in os.listdir(f"/proc/{self.process.pid}/task"):
            os.sched_setscheduler(int(thread), os.SCHED_FIFO, os.sched_param(10))

    def send(self, number):
        os.killpg(self.process.pid, number)  # includes its children

    def stop(self):
        self.send(signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)

    def answer(self):
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            line = self.process.stdout.readline() if selector.select(PATIENCE) else b""
        try:
            found = json.loads(line)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            self.close()
            raise Failed(f"{self.name} gave no answer; status {self.process.returncode}, last line {line[:80]!r}")
        return found

    def turn(self, count):
        """The answer for `count` runs; `others` is the number of processors that other processes used in that time."""
        before, begin = used_ms(), time.perf_counter()
        self.send(signal.SIGCONT)
        try:
            self.process.stdin.write(b"%d\n" % count)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # answer() reports it
        row = self.answer()
        self.stop()
        took = (time.perf_counter() - begin) * 1e3
        row["others"] = max(0.0, used_ms() - before - row["cpu_ms"]) / took
        if self.realtime:  # others get only what it leaves idle
            row["others"] = max(0.0, row["others"] - max(0.0, os.cpu_count() - row["cpu_ms"] / took))
        return row

    def close(self):
        """Ends the process; kills it if it does not exit by itself."""
        if self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.send(signal.SIGCONT)
                self.process.wait(10)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def quiet_turn(resident, pause=0.02):
    """The first quiet turn, else the quietest of REPEATS."""
    turns = []
    while len(turns) < REPEATS:
        turns.append(resident.turn(resident.count))
        time.sleep(pause)  # lets other processes run
        if turns[-1]["others"] <= QUIET:
            break
    return min(turns, key=lambda t: t["others"]) | {"turns": len(turns)}


def choose_counts(residents, turn_ms):
    for resident in residents:
        resident.turn(1)
        once = resident.turn(3)["med_ms"]
        resident.count = max(1, min(20_000, round(turn_ms / max(once, 1e-4))))


def run_rounds(residents, rounds, turn_ms):
    """The turns of all rounds, by contender.  Rounds start with each contender in turn."""
    choose_counts(residents, turn_ms)
    turns = {r.name: [] for r in residents}
    for number in range(rounds):
        first = number % len(residents)
        for resident in residents[first:] + residents[:first]:
            turns[resident.name].append(quiet_turn(resident))
    return turns


def summary(turns):
    """The entries of a contender's row that are computed from its turns."""
    return {"med_ms": round(statistics.median(t["med_ms"] for t in turns), 5),
            "min_ms": round(min(t["min_ms"] for t in turns), 5),
            "rounds_ms": [round(t["med_ms"], 5) for t in turns],
            "disturbed": [i for i, t in enumerate(turns) if t["others"] > QUIET],
            "repeated": sum(t["turns"] - 1 for t in turns),
            "rss_mb": turns[-1].get("rss_mb")}


def ratio(ours, theirs):
    """How many times as fast ours is, as {median, low, high}: the median and the quartiles of the ratios per round.

    Leaves out disturbed rounds unless all are disturbed.  Without rounds: the ratio of the medians."""
    if not ours.get("rounds_ms") or len(ours["rounds_ms"]) != len(theirs.get("rounds_ms") or []):
        if not ours.get("med_ms") or not theirs.get("med_ms"):
            return None
        return {"median": theirs["med_ms"] / ours["med_ms"], "low": None, "high": None}
    left_out = {*ours.get("disturbed", ()), *theirs.get("disturbed", ())}
    pairs = list(zip(theirs["rounds_ms"], ours["rounds_ms"]))
    each = [a / b for i, (a, b) in enumerate(pairs) if i not in left_out] or [a / b for a, b in pairs]
    low, _, high = statistics.quantiles(each, n=4, method="inclusive") if len(each) > 1 else each * 3
    return {"median": statistics.median(each), "low": low, "high": high}
