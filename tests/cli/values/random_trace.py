"""Random traces generated from a seed: threads whose events nest and sometimes cross, calls that launch work on streams, steps,
waits, compiled regions, memory, arrows; times that are often equal."""
import random

OPS = ("aten::mm", "aten::add", "aten::sum", "aten::copy_", "aten::item")
RANGES = ("## forward ##", "enumerate(DataLoader)#_X.__next__", "zero")
PYTHON = ("a.py(3): f", "b.py(4): g", "nn.Module: Linear_0", "nn.Module: Net_1", "<built-in method acquire of _thread.lock object at 0x1>",
          "threading.py(5): wait")
COMPILED = ("Torch-Compiled Region: 0/0", "Torch-Compiled Region: 1/0", "CompiledFunction", "TorchDynamo Cache Lookup",
            "build (dynamo_timed)")
CALLS = ("cudaLaunchKernel", "cuLaunchKernel", "cudaMemcpyAsync", "cudaMemcpy", "cudaStreamSynchronize", "cudaMalloc")
KERNELS = ("gemm", "relu", "ncclDevKernel_AllReduce", "Memcpy_k", "event_wait")
COPIES = ("Memcpy HtoD (Pageable -> Device)", "Memcpy DtoD (Device -> Device)")
DIMS = ([[2, 3]], [[4], [4]], [])


class Maker:
    def __init__(self, number):
        self.random, self.divider = random.Random(number), random.Random(number + 1)
        self.span, self.fine = self.random.choice((50, 300, 2000)), self.random.random() < 0.5
        self.events, self.ended, self.calls, self.live = [], {}, 0, 0
        devices, self.threads = self.random.choice(((0, 1), (0, 3), (1, 1), (1, 2), (2, 3)))
        self.streams = [(device, stream) for device in range(devices) for stream in (7, 20)[:self.random.choice((1, 2))]]

    def between(self, a, b):
        return round(self.random.uniform(a, b), 3) if self.fine else self.random.randint(int(a), max(int(a), int(b)))

    def add(self, category, name, begin, length, track, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "ts": round(begin, 3), "dur": round(length, 3), "pid": track[0],
                            "tid": track[1], "args": args})

    def launch(self, call, begin):
        stream = self.random.choice(self.streams)
        for _ in range(self.random.choice((1, 1, 1, 2))):
            at = max(self.ended.get(stream, 0) if self.random.random() < 0.95 else 0, begin + self.between(0, self.span / 20))
            length, kind = self.between(0, self.span / 10), self.random.random()
            by = {"correlation": self.calls} if kind < 0.95 else {"External id": self.random.randint(1, 30)} if kind < 0.98 else {}
            names, category = (KERNELS, "kernel") if "Launch" in call else (COPIES, "gpu_memcpy")
            self.add(category, self.random.choice(names), at, length, stream, **by)
            self.ended[stream] = at + length

    def event(self, thread, begin, length, depth):
        kind, track = self.random.random() if depth < 5 else 0, (100, thread)
        if kind < 0.5:
            args = {"Input Dims": self.random.choice(DIMS)} if self.random.random() < 0.5 else {}
            self.add("cpu_op", self.random.choice(OPS), begin, length, track, **args, **{"External id": self.random.randint(1, 30)})
        elif kind < 0.8:
            category, names = self.random.choice((("user_annotation", RANGES), ("python_function", PYTHON), ("cpu_op", COMPILED)))
            self.add(category, self.random.choice(names), begin, length, track)
        else:
            name = self.random.choice(CALLS)
            self.calls += 1
            self.add(self.random.choice(("cuda_runtime", "cuda_driver")), name, begin, length, track, correlation=self.calls)
            if self.streams and ("Launch" in name or "Memcpy" in name) and self.random.random() < 0.9:
                self.launch(name, begin)

    def fill(self, thread, begin, end, depth):
        at = begin
        while at < end and len(self.events) < 300:
            a = self.between(at, min(end, at + (end - begin) / 3 + 1))
            if a >= end:
                return
            b = self.between(a, end) + (self.between(0, end - a) if self.random.random() < 0.04 else 0)
            self.event(thread, a, b - a, depth)
            if depth < 6 and b > a and self.random.random() < 0.6:
                self.fill(thread, a, min(b, end), depth + 1)
            if self.random.random() < 0.2:
                self.live += 1
                self.events.append({"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "ts": a, "pid": 100, "tid": thread,
                                    "args": {"Device Type": 0, "Device Id": -1, "Addr": self.live, "Bytes": self.random.randint(1, 100)}})
            at = b if self.random.random() < 0.9 else a

    def divide(self):
        """Some events of the host into their begin and their end, which comes later in the file."""
        for event in [e for e in self.events if e["ph"] == "X" and e["pid"] == 100 and self.divider.random() < 0.2]:
            event["ph"] = "B"
            end = {"ph": "E", "ts": round(event["ts"] + event.pop("dur"), 3), "pid": event["pid"], "tid": event["tid"]}
            if self.divider.random() < 0.8:
                end["name"] = event["name"]
            self.events.insert(self.divider.randint(self.events.index(event) + 1, len(self.events)), end)

    def make(self):
        steps = self.random.choice((0, 0, 2, 4))
        for step in range(steps):
            self.add("user_annotation", f"ProfilerStep#{step + 3}", self.span * step / steps, self.span / steps, (100, 1))
        for thread in range(1, self.threads + 1):
            self.fill(thread, 0, self.span, 0)
        total = 0
        for event in sorted((e for e in self.events if e["name"] == "[memory]"), key=lambda e: e["ts"]):
            total += event["args"]["Bytes"]
            event["args"]["Total Allocated"] = total
        for phase in self.random.choices("sf", k=self.random.choice((0, 4, 10))):
            self.events.append({"ph": phase, "cat": "ac2g", "name": "ac2g", "id": self.random.randint(1, 5), "bp": "e",
                                "ts": self.between(0, self.span), "pid": 100, "tid": 1})
        of_host = [e for e in self.events if e["ph"] == "X" and e["pid"] == 100]
        for number in range(self.divider.choice((0, 5))):
            for phase in "sf":
                at = self.divider.choice(of_host)
                self.events.append({"ph": phase, "cat": "fwdbwd", "name": "fwdbwd", "id": number, "bp": "e",
                                    **{key: at[key] for key in ("ts", "pid", "tid")}})
        if self.divider.random() < 0.3:
            self.divide()
        if self.random.random() < 0.3:
            self.random.shuffle(self.events)
        return {"schemaVersion": 1, "traceEvents": self.events}


def random_trace(number):
    return Maker(number).make()
