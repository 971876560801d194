"""One contender on one workload, resident in this process; bench/rounds.py describes the protocol.

The first call is timed from a loaded library and a prepared model to the first result, which is checked against torch's, so that
no contender is fast by being wrong.  A training step's is timed to the end of the second step, because the first one makes the moments
of the optimizer; bench/compare compares the losses of both."""
import argparse
import json
import os
import resource
import statistics
import sys
import tempfile
import time


def timed_ms(call):
    begin = time.perf_counter()
    result = call()
    return (time.perf_counter() - begin) * 1e3, result


def runs(call, count):
    """Times of `count` runs, after count / 5 warm-up runs."""
    for _ in range(max(1, count // 5)):
        call()
    return [timed_ms(call)[0] for _ in range(count)]


def serve(call, out):
    """Answers each number on standard input with the times of that many runs."""
    for line in sys.stdin:
        before = time.process_time()
        times = runs(call, int(line))
        answer = {"med_ms": statistics.median(times), "min_ms": min(times), "cpu_ms": (time.process_time() - before) * 1e3,
                  "rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)}
        print(json.dumps(answer), file=out, flush=True)


def measure(options, out):
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
        with torch.inference_mode():
            expected = model(*inputs).numpy()
        numpy.testing.assert_allclose(numpy.array(result), expected, rtol=1e-3, atol=1e-4 * abs(expected).max())
        print(json.dumps({"first_ms": first, "kernels": module.kernels()}), file=out, flush=True)
        serve(calls[0], out)


def measure_training(options, out):
    import torch
    from contenders import trainer
    from training import TRAININGS
    torch.set_num_threads(options.threads)
    module, train = trainer(options.who)
    training = TRAININGS[options.work]()
    parameters = sum(p.numel() for p in training.model.parameters())

    def first_steps():
        step = train(training, options.cache)
        return step, [step(), step()]

    first, (step, losses) = timed_ms(first_steps)
    print(json.dumps({"first_ms": first, "kernels": module.kernels(), "parameters": parameters, "losses": losses}), file=out, flush=True)
    serve(step, out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work")
    parser.add_argument("who")
    parser.add_argument("--mode", choices=["fwd", "train"], default="fwd")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--cache", required=True, help="folder for what the contender keeps between processes")
    arguments = parser.parse_args()
    answers = os.fdopen(os.dup(1), "w")  # libraries may print to standard output
    os.dup2(2, 1)
    (measure if arguments.mode == "fwd" else measure_training)(arguments, answers)
