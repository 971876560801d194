"""Runs one call with torch, turns it into a sample, and writes a family of samples: FAMILY.jsonl.gz and FAMILY.bin.gz."""
import gzip
import json
import math
import pathlib

import torch

from .values import NAMES



class Tolerance:
    """The largest accepted error: `ulps` units in the last place of its dtype, or absolute + relative * |expected|, both in units of
    the epsilon of the type of the computation (f32 for half types).  Half types are allowed `roundings` more roundings."""

    def __init__(self, ulps=0, relative=0.0, absolute=0.0, roundings=1):
        self.ulps, self.relative, self.absolute, self.roundings = ulps, relative, absolute, roundings

    def for_dtype(self, dtype):
        half = dtype in (torch.float16, torch.bfloat16)
        eps = torch.finfo(torch.float32 if half else dtype).eps
        ulps = 1 if half else self.ulps + (dtype == torch.float64 and self.ulps > 0)
        lost = self.roundings * torch.finfo(dtype).eps if half and self.relative else 0
        between = lost if self.roundings > 1 else 0  # rounded before they are added up: the loss is one of the largest term
        return [ulps, *(float(f"{x:.2e}") for x in (self.relative * eps + lost, self.absolute * eps + between))]

    def is_loose(self):
        return self.ulps > 0 or self.relative > 0 or self.absolute > 0


EXACT = None           # the same bits, but any NaN for a NaN
EQUAL = Tolerance()    # the same number: either zero for a zero


def scalar(value):
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value


def as_double(value):
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.double()
    if isinstance(value, torch.Tensor) and value.is_complex():
        return value.to(torch.complex128)
    if isinstance(value, (list, tuple)):
        return [as_double(x) for x in value]
    return value


def is_inexact(value):
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())


def wide_dtype(dtype):
    return torch.complex128 if dtype.is_complex else torch.float64 if dtype.is_floating_point else dtype


def raw(tensor):
    dense = tensor.resolve_conj().clone(memory_format=torch.contiguous_format).view(-1)
    return dense.view(torch.uint8).numpy().tobytes() if tensor.numel() else b""


def laid_out(exact, out):
    """The values of `exact` as out is: in its dtype, with its strides."""
    if 0 in out.stride():
        return exact.to(out.dtype)
    return torch.empty_strided(out.shape, out.stride(), dtype=out.dtype).copy_(exact)


class Family:
    """Samples that share one payload file; equal byte strings are stored once."""

    def __init__(self, name):
        self.name, self.lines, self.payload, self.places, self.odd = name, [], bytearray(), {}, []

    def place(self, data):
        if data not in self.places:
            self.payload += bytes(-len(self.payload) % 8)
            self.places[data] = len(self.payload)
            self.payload += data
        return self.places[data]

    def buffer_of(self, tensor):
        count = tensor.untyped_storage().nbytes() // tensor.element_size()
        return torch.as_strided(tensor, (count,), (1,), 0)

    def tensor(self, tensor):
        row = {"dtype": NAMES[tensor.dtype], "sizes": list(tensor.shape)}
        whole = self.buffer_of(tensor)
        if tensor.is_contiguous() and tensor.storage_offset() == 0 and whole.numel() == tensor.numel():
            return row | {"at": self.place(raw(whole))}
        return row | {"strides": list(tensor.stride()), "offset": tensor.storage_offset(), "buffer": whole.numel(), "at": self.place(raw(whole))}

    def value(self, value):
        if isinstance(value, torch.Tensor):
            return self.tensor(value)
        if isinstance(value, (list, tuple)):
            return [self.value(x) for x in value]
        return scalar(value)

    def attribute(self, value):
        if isinstance(value, torch.dtype):
            return NAMES[value]
        if isinstance(value, (list, tuple)):
            return [self.attribute(x) for x in value]
        return scalar(value)

    def result(self, out, shares):
        if out is None:
            return None
        row = {"dtype": NAMES[out.dtype], "sizes": list(out.shape), "at": self.place(raw(out))}
        if shares or not out.is_contiguous():
            row["strides"] = list(out.stride())
        if shares:
            row["offset"] = out.storage_offset()
        return row

    def add(self, op, *inputs, tolerance=EXACT, attrs=None, refused=False, call=None, seed=None):
        """One sample: `call` (default: aten's op of that name) on inputs and attributes.  With a loose tolerance the expected values of a
        floating-point result are computed in double and rounded once, after checking that torch's own are close.  If `refused`, an
        unimplemented dtype is an intended rejection and kept as an error; otherwise such a sample is omitted.  With a seed the call has
        torch's random numbers after manual_seed(seed)."""
        call, attrs = call or getattr(torch.ops.aten, op), attrs or {}
        row = {"op": op, "in": [self.value(x) for x in inputs]}
        if attrs:
            row["attrs"] = {k: self.attribute(v) for k, v in attrs.items()}
        if seed is not None:
            row["manual_seed"] = seed
            torch.manual_seed(seed)
        try:
            out = call(*inputs, **attrs)
        except Exception as error:
            message = str(error).strip().splitlines()[0]
            if "failed to match any schema" in message:
                raise
            if "not implemented" in message and not refused:
                return None
            self.lines.append(row | {"error": True, "message": message[:100]})
            return None
        outs = [out] if isinstance(out, torch.Tensor) else list(out)
        floating = [o.dtype for o in outs if is_inexact(o)]
        if tolerance is not EXACT and floating:
            row["tol"] = tolerance.for_dtype(floating[0])
            outs = self.rounded(op, outs, call, inputs, attrs) if tolerance.is_loose() and seed is None else outs
        storages = {x.untyped_storage().data_ptr() for x in inputs if isinstance(x, torch.Tensor) and x.numel()}
        row["out"] = [self.result(o, o is not None and o.numel() > 0 and o.untyped_storage().data_ptr() in storages) for o in outs]
        self.lines.append(row)
        return outs

    def rounded(self, op, outs, call, inputs, attrs):
        wide = {k: wide_dtype(v) if k == "dtype" and isinstance(v, torch.dtype) else v for k, v in attrs.items()}
        operands = [as_double(x) for x in inputs]
        if not any(is_inexact(x) for x in operands):
            operands = [x.float().double() if isinstance(x, torch.Tensor) else x for x in operands]
        exact = call(*operands, **wide)
        exact = [exact] if isinstance(exact, torch.Tensor) else list(exact)
        exact = [laid_out(e, o) if is_inexact(o) else o for e, o in zip(exact, outs)]
        for e, o in zip(exact, outs):
            if o is None:
                continue
            half = o.dtype in (torch.float16, torch.bfloat16)
            wide = torch.complex128 if o.is_complex() else torch.float64
            near = torch.isclose(e.to(wide), o.to(wide), rtol=2e-2 if half else 2e-5, atol=1e-2 if half else 1e-4, equal_nan=True)
            if is_inexact(o) and not near.all():
                self.odd.append(f"{op} {NAMES[o.dtype]} {attrs}: {o[~near].tolist()[:3]} beside {e[~near].tolist()[:3]}")
        return exact

    def write(self, folder, level=9):
        """Returns the size of what it wrote, uncompressed.  The same samples give the same bytes."""
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in self.lines).encode()
        for kind, data in ("jsonl", text), ("bin", self.payload):
            (folder / f"{self.name}.{kind}.gz").write_bytes(gzip.compress(data, level, mtime=0))
        return len(text) + len(self.payload)

