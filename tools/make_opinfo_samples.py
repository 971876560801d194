#!/usr/bin/env python3
"""Records what PyTorch's own samples of its ops (OpInfo) call, in the format of tests/data/op_samples.  `tools/check_ops` runs it.

usage: .venv/bin/python tools/make_opinfo_samples.py PREFIX [--dtype float32] [--op NAME] [--limit ELEMENTS] [--each COUNT] [--gradients]
  PREFIX.jsonl.gz, .bin.gz   the distinct calls of ATen's ops, with torch's results
  PREFIX.samples.jsonl       each sample: `entry` and `number`, and `calls` (lines of PREFIX.jsonl.gz, from 0) or `skip`, why there are none
With --gradients, in place of results: torch's gradients of seeded sums of the results, for all operands, also of second order.
A sample is a call of a Python function.  Recorded are the calls of ATen's ops that the function itself makes: `matmul`, not what `matmul`
is made of.  Samples are seeded: the same torch writes the same files."""
import argparse
import json
import math
import pathlib
import random
import sys
import warnings

import mpmath
import numpy
import torch
from torch._dispatch.python import enable_python_dispatcher, no_python_dispatcher
from torch._subclasses.schema_check_mode import SchemaCheckMode
from torch.testing._comparison import default_tolerances
from torch.utils._pytree import tree_leaves, tree_map_only

from op_samples.gradients import Gradients
from op_samples.samples import Family
from op_samples.values import NAMES

NUMBERS = ("aten::allclose", "aten::equal", "aten::item")  # ops of which a sample may be, and that return a number
NUMBER_TYPES = {bool: torch.bool, int: torch.int64, float: torch.float64, complex: torch.complex128}
UNDEFINED = ("empty", "new_empty", "resize")  # ops whose results have undefined elements begin so


class NotRecorded(Exception):
    """Why a sample cannot be recorded."""


def check(tensor, limit):
    if tensor.layout is not torch.strided:
        raise NotRecorded(f"layout: {str(tensor.layout)[6:]}")
    if tensor.dtype not in NAMES:
        raise NotRecorded(f"dtype: {str(tensor.dtype)[6:]}")
    if tensor.device.type != "cpu":
        raise NotRecorded(f"device: {tensor.device.type}")
    if tensor.untyped_storage().nbytes() > limit * tensor.element_size():
        raise NotRecorded(f"more than {limit} elements")


class Calls(Family):
    """The distinct calls; `lines` has each once."""

    def __init__(self, name, limit):
        super().__init__(name)
        self.limit, self.numbers = limit, {}

    def tensor(self, tensor):
        check(tensor, self.limit)
        return super().tensor(tensor)

    def attribute(self, value):
        if value is None or isinstance(value, (bool, int, str)):
            return value
        if isinstance(value, (float, complex)):
            return super().attribute(value)
        if isinstance(value, torch.dtype):
            if value not in NAMES:
                raise NotRecorded(f"dtype: {str(value)[6:]}")
            return NAMES[value]
        if isinstance(value, (torch.memory_format, torch.layout)):
            return str(value).removeprefix("torch.")
        if isinstance(value, torch.device):
            return str(value)
        if isinstance(value, (list, tuple)):
            return [self.attribute(x) for x in value]
        raise NotRecorded(f"type of an argument: {type(value).__name__}")

    def operand(self, value):
        if isinstance(value, (list, tuple)):
            return [None if x is None else self.tensor(x) for x in value]
        if value is None or isinstance(value, (bool, int)):
            return value
        return self.tensor(value) if isinstance(value, torch.Tensor) else self.attribute(value)

    def describe(self, op, args, kwargs):
        """The call: tensors in order, the other arguments by name.  Defaults are left out where nothing follows that is in order."""
        schema = op._schema
        if op.namespace != "aten":
            raise NotRecorded(f"not an op of ATen: {op}")
        name = schema.name.removeprefix("aten::") + ("." + schema.overload_name if schema.overload_name else "")
        given = dict(zip((a.name for a in schema.arguments), args)) | kwargs
        given = {k: v for k, v in given.items() if not isinstance(v, torch.Generator)}
        in_order = [a.name for a in schema.arguments if "Tensor" in str(a.type)]
        while in_order and in_order[-1] not in given:
            in_order.pop()
        row, attributes, behind = {"op": name, "in": []}, {}, False
        for a in schema.arguments:
            if a.name in in_order:
                row["in"].append(self.operand(given.get(a.name)))
                behind = a.name == in_order[-1]
            elif a.name in given or (in_order and not behind and "Tensor" not in str(a.type)):
                attributes[a.name] = self.attribute(given.get(a.name, a.default_value))
        return row | ({"attrs": attributes} if attributes else {})

    def results(self, row, out, args):
        outs = []  # with those of lists among them
        for o in out if isinstance(out, (list, tuple)) else [out]:
            outs += o if isinstance(o, (list, tuple)) else [o]
        if any(o is None for o in outs):
            raise NotRecorded(f"{row['op']} leaves out results")
        for o in outs:
            check(o, self.limit)
        first = next((x for x in tree_leaves(args) if isinstance(x, torch.Tensor)), None)
        memory = first.untyped_storage().data_ptr() if first is not None and first.numel() else None
        return [self.result(o, o.numel() > 0 and o.untyped_storage().data_ptr() == memory) for o in outs]

    def number(self, row):
        """The place of the line in the file."""
        text = json.dumps(row, sort_keys=True)
        if text not in self.numbers:
            self.numbers[text] = len(self.lines)
            self.lines.append(row)
        return self.numbers[text]


# Of gradients: the largest relative error, and the largest part of the largest gradient.
GRADIENT_ERRORS = {torch.float64: (1e-8, 1e-11), torch.complex128: (1e-8, 1e-11), torch.float32: (2e-3, 2e-6), torch.complex64: (2e-3, 2e-6),
                   torch.float16: (5e-2, 1e-2), torch.bfloat16: (2e-1, 5e-2)}


def leaf(tensor):
    inexact = tensor.is_floating_point() or tensor.is_complex()
    return tensor.detach().clone().requires_grad_() if inexact else tensor


class GradientCalls(Calls, Gradients):
    """The distinct calls, with torch's gradients."""

    def differentiated(self, op, args, kwargs):
        """The number of the call; NotRecorded if it is not differentiated."""
        if op._schema.is_mutable:
            raise NotRecorded("writes to its argument")
        if draws(op, (args, kwargs)):
            raise NotRecorded("draws random numbers")
        row = self.describe(op, args, kwargs)
        given = dict(zip((a.name for a in op._schema.arguments), args)) | kwargs
        given = {k: tree_map_only(torch.Tensor, leaf, x) for k, x in given.items()}
        in_order = [given.get(a.name) for a in op._schema.arguments if "Tensor" in str(a.type)]
        leaves = [t for t in tree_leaves(in_order) if isinstance(t, torch.Tensor)]

        def results():
            outs = [o for o in tree_leaves(op(**given)) if isinstance(o, torch.Tensor)]
            for o in outs:
                check(o, self.limit)
            if not any(o.requires_grad for o in outs):
                raise NotRecorded("has no gradient")
            return outs

        name = row["op"]
        try:
            largest = self.differentiate(row, name, leaves, results(), True)
        except RuntimeError:  # once only
            row = {k: row[k] for k in ("op", "in", "attrs") if k in row}
            try:
                largest = self.differentiate(row, name, leaves, results(), False)
            except RuntimeError as error:
                raise NotRecorded(f"torch refuses it: {type(error).__name__}") from error
        worst = max((x.dtype for x in leaves if x.requires_grad), key=lambda d: torch.finfo(d).eps)
        relative, of_largest = GRADIENT_ERRORS[worst]
        row["tol"] = [0, relative, float(f"{of_largest * largest + 1e-12:.1e}")]
        return self.number(row)


HALVES_AND_SINGLES = (torch.float32, torch.bfloat16, torch.float16, torch.complex64)
WORSE = 4  # an error may be this many times torch's


def as_double(tree):
    double = {dtype: torch.complex128 if dtype.is_complex else torch.float64 for dtype in HALVES_AND_SINGLES}
    wide = tree_map_only(torch.Tensor, lambda t: t.to(double[t.dtype]) if t.dtype in double else t.clone(), tree)
    return tree_map_only(torch.dtype, lambda d: double.get(d, d), wide)


# Of which torch's values in double have errors up to 1e-5.
TRUE = {"special_bessel_j0": lambda x: mpmath.besselj(0, x), "special_bessel_j1": lambda x: mpmath.besselj(1, x),
        "special_bessel_y0": lambda x: mpmath.bessely(0, x), "special_bessel_y1": lambda x: mpmath.bessely(1, x), "special_airy_ai": mpmath.airyai}


def error_in_double(true, x, out):
    pairs = zip(x.double().flatten().tolist(), out.flatten().tolist())
    return max((float(abs(true(a) - b)) for a, b in pairs if math.isfinite(a) and math.isfinite(b)), default=0.0)


def error_of(op, args, kwargs, outs):
    """torch's largest absolute error: what its results differ from those of the same call in double."""
    true = TRUE.get(op._schema.name.removeprefix("aten::"))
    if true and outs[0].dtype is torch.float64:
        return error_in_double(true, args[0], outs[0])
    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)  # what integers become
    try:
        exact = tree_leaves(op(*as_double(args), **as_double(kwargs)))
    except Exception:
        return 0.0
    finally:
        torch.set_default_dtype(default)
    errors = [0.0]
    for e, o in zip(exact, outs):
        if isinstance(e, torch.Tensor) and (o.is_floating_point() or o.is_complex()) and e.shape == o.shape:
            difference = (e - o.to(e.dtype)).abs()
            errors += difference[difference.isfinite()].flatten().tolist()
    return max(errors)


def tolerance(op, args, kwargs, outs):
    """[ulps, relative, absolute]: torch.testing's for the dtype, more where torch's own error is a larger part of it.  None: every bit counts."""
    pairs = [default_tolerances(o.dtype) for o in outs if o.is_floating_point() or o.is_complex()]
    if not pairs:
        return None
    return [0, max(p[0] for p in pairs), max(max(p[1] for p in pairs), float(f"{WORSE * error_of(op, args, kwargs, outs):.1e}"))]


def cloned(tree):
    return tree_map_only(torch.Tensor, lambda t: t.clone(), tree)


def draws(op, call):
    """Whether the call takes random numbers."""
    if torch.Tag.nondeterministic_seeded not in op.tags:
        return False
    args, kwargs = cloned(call)
    with torch.random.fork_rng(devices=[]):
        before = torch.get_rng_state()
        op(*args, **kwargs)
        return not torch.equal(before, torch.get_rng_state())


class Recorder(SchemaCheckMode):
    """Sees each call of an op as the program makes it, before composite ops are taken apart.  (Before that point torch only takes modes
    of a few classes; of SchemaCheckMode this has only the name.)"""

    def __init__(self, calls):
        super().__init__()
        self.__dict__["_dispatch_key"] = torch._C.DispatchKey.PreDispatch
        self.calls, self.numbers, self.skip, self.refused = calls, [], None, False

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        with no_python_dispatcher():  # as without a mode: not torch's decompositions for tracing
            return self.record(op, args, kwargs or {})

    def record(self, op, args, kwargs):
        row = None
        try:
            row = self.calls.describe(op, args, kwargs)
        except NotRecorded as reason:
            self.skip = self.skip or str(reason)
        copies = cloned((args, kwargs))
        try:
            out = op(*args, **kwargs)
        except Exception as error:
            self.refused = True
            if row:
                message = (str(error).strip().splitlines() or [type(error).__name__])[0]
                self.numbers.append(self.calls.number(row | {"error": True, "message": message[:100]}))
            raise
        if row:
            try:
                self.finish(op, row, args, out, copies)
            except NotRecorded as reason:
                self.skip = self.skip or str(reason)
        return out

    def finish(self, op, row, args, out, copies):
        if op._schema.name in NUMBERS:
            out = torch.tensor(out, dtype=NUMBER_TYPES[type(out)])
        if not any(isinstance(o, torch.Tensor) for o in tree_leaves(out)):
            return
        row["out"] = self.calls.results(row, out, args)
        row["values"] = not row["op"].startswith(UNDEFINED) and not draws(op, copies)
        if row["values"]:
            if bits := tolerance(op, *copies, tree_leaves(out)):
                row["tol"] = bits
            del row["values"]  # the default
        else:
            for result in row["out"]:
                result["at"] = 0
        self.numbers.append(self.calls.number(row))


class Keeper(Recorder):
    """Keeps the calls, to differentiate them."""

    def __init__(self):
        super().__init__(None)
        self.kept = []

    def record(self, op, args, kwargs):
        self.kept.append((op, *cloned((args, kwargs))))
        return op(*args, **kwargs)


def differentiated(calls, entry, sample):
    """The numbers of the calls of one sample that are differentiated; NotRecorded if there are none."""
    keeper = Keeper()
    try:
        with enable_python_dispatcher(), keeper:
            entry.op(sample.input, *sample.args, **sample.kwargs)
    except Exception as error:
        raise NotRecorded(f"torch refuses it: {type(error).__name__}") from error
    numbers, reasons = [], []
    for op, args, kwargs in keeper.kept:
        try:
            numbers.append(calls.differentiated(op, args, kwargs))
        except NotRecorded as reason:
            reasons.append(str(reason))
    if not numbers:
        raise NotRecorded(reasons[0] if reasons else "calls no op")
    return numbers


def recorded(calls, entry, sample, must_fail):
    """The numbers of the calls of one sample; NotRecorded if there are none."""
    recorder, error = Recorder(calls), None
    try:
        with enable_python_dispatcher(), recorder:
            entry.op(sample.input, *sample.args, **sample.kwargs)
    except Exception as raised:
        error = raised
    if recorder.skip:
        raise NotRecorded(recorder.skip)
    if error is not None and not recorder.refused:
        raise NotRecorded("refused before an op is called" if must_fail else f"torch refuses it: {type(error).__name__}")
    if not recorder.numbers:
        raise NotRecorded("calls no op")
    return recorder.numbers


def seed():
    torch.manual_seed(0), numpy.random.seed(0), random.seed(0)


def samples_of(entry, dtype):
    """(number, sample, whether torch must refuse it) for each sample of an entry."""
    seed()
    if dtype in entry.supported_dtypes("cpu"):
        for i, sample in enumerate(entry.sample_inputs("cpu", dtype, requires_grad=False)):
            yield str(i), sample, False
    if dtype is torch.float32 and entry.error_inputs_func:
        for i, wrong in enumerate(entry.error_inputs("cpu")):
            yield f"error {i}", wrong.sample_input, True


def spread(samples, count):
    """All that must fail, and as many of the others, evenly spaced: neighbours differ little."""
    wrong = [s for s in samples if s[2]]
    right = [s for s in samples if not s[2]]
    if not count or len(right) <= count:
        return samples
    return [right[i * len(right) // count] for i in range(count)] + wrong


def is_small(sample, limit):
    tensors = [t for t in tree_leaves((sample.input, sample.args, sample.kwargs)) if isinstance(t, torch.Tensor)]
    return all(t.layout is not torch.strided or t.untyped_storage().nbytes() <= limit * t.element_size() for t in tensors)


def record(options):
    from torch.testing._internal.common_methods_invocations import op_db

    calls, lines = (GradientCalls if options.gradients else Calls)(options.prefix.name, options.limit), []
    calls.place(bytes(8 * options.limit))  # what undefined results refer to
    for entry in op_db:
        name = entry.name + ("." + entry.variant_test_name if entry.variant_test_name else "")
        if options.op and options.op not in (entry.name, name):
            continue
        samples = list(samples_of(entry, getattr(torch, options.dtype)))
        if options.gradients:
            samples = [s for s in samples if entry.supports_autograd and not s[2]]
        for number, sample, must_fail in spread(samples, options.each):
            line = {"entry": name, "number": number}
            try:
                if not is_small(sample, options.limit):
                    raise NotRecorded(f"more than {options.limit} elements")
                line["calls"] = differentiated(calls, entry, sample) if options.gradients else recorded(calls, entry, sample, must_fail)
            except NotRecorded as reason:
                line["skip"] = str(reason)
            lines.append(line)
    calls.write(options.prefix.parent, level=1)
    options.prefix.with_name(options.prefix.name + ".samples.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return lines, calls


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefix", type=pathlib.Path)
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--op", help="only this entry of OpInfo")
    parser.add_argument("--limit", type=int, default=65536, help="the most elements of a tensor")
    parser.add_argument("--each", type=int, help="the most samples of an entry, besides those that must fail")
    parser.add_argument("--gradients", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    lines, calls = record(options)
    print(f"{options.dtype}: {len(lines)} samples of {len({line['entry'] for line in lines})} entries, {len(calls.lines)} distinct calls", file=sys.stderr)


if __name__ == "__main__":
    main()
