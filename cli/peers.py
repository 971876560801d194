"""A contender of `vitro bench --compare` that is not Vitro: a process that runs a model of torch.export.save with another library.

usage: peers.py convert|serve PEER MODEL FOLDER THREADS

`convert` writes what the peer reads instead of the model, if that is another file, into FOLDER, and answers "ready NANOSECONDS".
`serve` takes the inputs from FOLDER/inputs.npz, loads, calls once, writes the results as FOLDER/PEER.npz (tensors and numbers in order,
"0", "1", ...) and answers "ready LOAD FIRST KEEPS": the times of both, and 1 if it leaves in FOLDER/caches what makes the next start
quicker.  Then it answers each line, a number of seconds, with "times" and the times of the calls made in that time.  All times are in ns.
What cannot be done is answered with "error REASON"."""
import contextlib
import importlib
import logging
import os
import re
import sys
import time
import warnings
import zipfile

MOST_CALLS = 100_000  # of one turn
REASON = 300  # characters of it that are kept


# ---- torch ----

def add_stand_ins(model):
    """Classes that the file names but that are not known here (outputs of transformers) are replaced by plain ones."""
    from torch.utils import _pytree

    class StandIn:
        def __init__(self, values, context):
            self.values, self.context = list(values), context

    with zipfile.ZipFile(model) as archive:
        texts = [archive.read(name).decode() for name in archive.namelist() if re.search(r"models/[^/]*\.json$", name)]
    for name in sorted(set(re.findall(r'\\"type\\": \\"([\w.]+)\\"', " ".join(texts)))):
        if name in _pytree.SERIALIZED_TYPE_TO_PYTHON_TYPE:
            continue
        kind = type(name.rsplit(".")[-1], (StandIn,), {})
        _pytree.register_pytree_node(kind, lambda one: (one.values, one.context), lambda values, context, kind=kind: kind(values, context),
                                     serialized_type_name=name)


def load_program(model):
    import torch
    add_stand_ins(model)
    return torch.export.load(model)


def import_all(*modules):
    """What torch would import in the first calls, which are measured."""
    for name in modules:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def arguments_of(program, arrays):
    """What the program is called with; constants of the export are part of it."""
    import torch
    from torch.utils import _pytree
    nodes = {node.name: node for node in program.graph.nodes if node.op == "placeholder"}

    def value(spec):
        name = spec.arg.name
        if name not in arrays:
            return spec.arg.value
        example = nodes[name].meta["val"]
        if not isinstance(example, torch.Tensor):
            return arrays[name].item()
        return torch.from_numpy(arrays[name].copy()).to(example.dtype)

    leaves = [value(spec) for spec in program.graph_signature.input_specs if spec.kind.name == "USER_INPUT"]
    return _pytree.tree_unflatten(leaves, program.call_spec.in_spec)


def torch_call(compiles, model, arrays, folder, threads):
    import torch
    from torch.utils import _pytree
    torch.set_num_threads(threads)
    import_all("torch._export.serde.serialize", *(("torch._dynamo", "torch._inductor.compile_fx") if compiles else ()))

    def load():
        program = load_program(model)
        arguments, named = arguments_of(program, arrays)
        try:
            module = program.module(check_guards=False)  # no cost that others do not have
        except TypeError:  # of an older torch
            module = program.module()
        function = torch.compile(module) if compiles else module

        def call():
            with torch.inference_mode():
                return function(*arguments, **named)

        return call

    def numpy_of(results):
        leaves = [torch.as_tensor(one) for one in _pytree.tree_leaves(results) if isinstance(one, (torch.Tensor, bool, int, float))]
        return [(one.float() if one.dtype == torch.bfloat16 else one).numpy(force=True) for one in leaves]

    return load, numpy_of


class Torch:
    """torch, op by op."""
    keeps = False

    @staticmethod
    def contender(*words):
        return torch_call(False, *words)


class Inductor:
    """torch.compile with its default backend."""
    keeps = True

    @staticmethod
    def contender(model, arrays, folder, threads):
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(folder, "caches", "inductor")
        return torch_call(True, model, arrays, folder, threads)


# ---- libraries with files of their own ----

def feed_of(names, arrays):
    """Arrays by the names of a converted model's inputs: equal names or, if it has others, as many in the same order."""
    if all(name in arrays for name in names):
        return {name: arrays[name] for name in names}
    if len(names) != len(arrays):
        raise ValueError(f"the converted model's inputs are {', '.join(names)}, of the exported one {', '.join(arrays)}")
    return dict(zip(names, arrays.values()))


class OnnxRuntime:
    """The CPU provider with all graph optimizations, on what torch.onnx.export writes."""
    keeps = False

    @staticmethod
    def convert(model, folder):
        import onnxruntime  # before a long conversion in vain
        import torch
        program = load_program(model)
        with contextlib.redirect_stdout(sys.stderr), torch.inference_mode():
            torch.onnx.export(program, dynamo=True, verbose=False).save(os.path.join(folder, "model.onnx"), external_data=True)

    @staticmethod
    def contender(model, arrays, folder, threads):
        import onnxruntime

        def load():
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = threads
            options.inter_op_num_threads = 1
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
            session = onnxruntime.InferenceSession(os.path.join(folder, "model.onnx"), options, providers=["CPUExecutionProvider"])
            feed = feed_of([one.name for one in session.get_inputs()], arrays)
            return lambda: session.run(None, feed)

        return load, list


class OpenVino:
    """The CPU plug-in, tuned for latency, computing in f32 like the others."""
    keeps = True

    @staticmethod
    def convert(model, folder):
        import openvino
        import torch
        program = load_program(model)
        with torch.inference_mode():
            converted = openvino.convert_model(program)
        openvino.save_model(converted, os.path.join(folder, "model.xml"), compress_to_fp16=False)

    @staticmethod
    def contender(model, arrays, folder, threads):
        import openvino

        def load():
            core = openvino.Core()
            core.set_property({"CACHE_DIR": os.path.join(folder, "caches", "openvino")})
            compiled = core.compile_model(os.path.join(folder, "model.xml"), "CPU", {
                "PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32"})
            request = compiled.create_infer_request()
            given = feed_of([one.any_name if one.names else str(i) for i, one in enumerate(compiled.inputs)], arrays)
            tensors = [openvino.Tensor(array, shared_memory=True) for array in given.values()]
            for i, tensor in enumerate(tensors):
                request.set_input_tensor(i, tensor)

            def call():
                request.infer()
                return [request.get_output_tensor(i).data for i in range(len(compiled.outputs))]

            return call

        return load, list


PEERS = {"torch": Torch, "inductor": Inductor, "onnxruntime": OnnxRuntime, "openvino": OpenVino}


# ---- the protocol ----

def turn(call, seconds):
    """Times of the calls of that many seconds, at least one, after a fifth as many calls, at least one, that are not counted."""
    now = time.perf_counter_ns
    end = now() + int(seconds * 2e8)
    call()
    while now() < end:
        call()
    times, begin = [], now()
    end = begin + int(seconds * 1e9)
    while not times or (begin < end and len(times) < MOST_CALLS):
        begin = now()
        call()
        times.append(now() - begin)
    return times


def convert(peer, model, folder, threads, answer):
    begin = time.perf_counter_ns()
    if hasattr(peer, "convert"):
        peer.convert(model, folder)
    answer(f"ready {time.perf_counter_ns() - begin}")


def serve(peer, model, folder, threads, answer):
    import numpy
    with numpy.load(os.path.join(folder, "inputs.npz")) as file:
        arrays = {name: file[name] for name in file.files}
    load, arrays_of = peer.contender(model, arrays, folder, threads)
    begin = time.perf_counter_ns()
    call = load()
    loaded = time.perf_counter_ns()
    results = call()
    first = time.perf_counter_ns()
    numpy.savez(os.path.join(folder, f"{sys.argv[2]}.npz"), **{str(i): one for i, one in enumerate(arrays_of(results))})
    answer(f"ready {loaded - begin} {first - loaded} {int(peer.keeps)}")
    for line in sys.stdin:
        answer("times " + " ".join(map(str, turn(call, float(line)))))


def reason(why):
    while why.__cause__:
        why = why.__cause__
    text = " ".join(str(why).split())
    return (text if isinstance(why, ImportError) else f"{type(why).__name__}: {text}")[:REASON]


def main():
    step, name, model, folder, threads = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")  # libraries may print to standard output
    os.dup2(2, 1)
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)

    def answer(line):
        print(line, file=answers, flush=True)

    try:
        {"convert": convert, "serve": serve}[step](PEERS[name], model, folder, int(threads), answer)
    except Exception as why:
        import traceback
        traceback.print_exc()
        in_vain = step == "convert" and not isinstance(why, ImportError)
        answer(f"error {'converting the model: ' if in_vain else ''}{reason(why)}")


if __name__ == "__main__":
    main()
