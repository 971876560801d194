"""Measures one contender on one workload in this process and prints one JSON object; run.py starts it.

The first call is timed from a loaded library and a prepared model to the first result.  Then come runs for `--seconds`, of which
the median and the minimum are kept, and how many processors others kept busy meanwhile.  The result is compared with torch's, so
that nobody is fast by being wrong."""
import argparse
import json
import os
import resource
import statistics
import tempfile
import time


def timed_ms(call):
    begin = time.perf_counter()
    result = call()
    return (time.perf_counter() - begin) * 1e3, result


def repeat(call, seconds):
    """Times of single runs, after a fifth of the time for warming up."""
    end = time.perf_counter() + seconds / 5
    while time.perf_counter() < end:
        call()
    times, end = [], time.perf_counter() + seconds
    while len(times) < 5 or time.perf_counter() < end:
        times.append(timed_ms(call)[0])
    return times


def others_ms():
    """Processor time that other processes of this machine have used since it started."""
    with open("/proc/stat") as stat:
        user, nice, system, _, _, interrupts, soft, stolen = map(int, stat.readline().split()[1:9])
    ticks = user + nice + system + interrupts + soft + stolen
    return ticks * 1e3 / os.sysconf("SC_CLK_TCK") - time.process_time() * 1e3


def measure(options):
    import numpy
    import torch
    from contenders import contender
    from workloads import WORKLOADS
    torch.set_num_threads(options.threads)
    module = contender(options.who)
    model, inputs = WORKLOADS[options.work]()
    with tempfile.TemporaryDirectory() as folder:
        prepared = module.prepare(model, inputs, folder)
        calls = []
        first, result = timed_ms(lambda: (calls.append(module.load(prepared, options.cache)), calls[0]())[1])
        result = numpy.array(result)
        row = {"first_ms": first, "kernels": module.kernels()}
        if options.seconds > 0:
            before, begin = others_ms(), time.perf_counter()
            times = repeat(calls[0], options.seconds)
            row["others"] = (others_ms() - before) / 1e3 / (time.perf_counter() - begin)
            row |= {"med_ms": statistics.median(times), "min_ms": min(times), "n": len(times)}
        row["rss_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        with torch.inference_mode():
            numpy.testing.assert_allclose(result, model(*inputs).numpy(), rtol=1e-3, atol=1e-3)
        return row


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work")
    parser.add_argument("who")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=2, help="0: only the first call")
    parser.add_argument("--cache", required=True, help="folder for what the contender keeps between processes")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: arguments.threads])
    print(json.dumps(measure(arguments)))
