"""Inputs: seeded numbers, special values, and layouts of a tensor in its buffer."""
import zlib

import torch

DTYPES = {"f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16, "i8": torch.int8,
          "i16": torch.int16, "i32": torch.int32, "i64": torch.int64, "u8": torch.uint8, "bool": torch.bool}
COMPLEX = {"c64": torch.complex64, "c128": torch.complex128}
NAMES = {dtype: name for name, dtype in (DTYPES | COMPLEX).items()}
FLOATS = ["f32", "f64", "f16", "bf16"]
INTEGERS = ["i8", "i16", "i32", "i64", "u8"]
ALL = FLOATS + INTEGERS + ["bool"]


def generator(*key):
    return torch.Generator().manual_seed(zlib.crc32(repr(key).encode()))


def is_float(name):
    return name in FLOATS


def specials(name):
    """NaN, infinities, both zeros, the limits of the range, rounding ties."""
    info = torch.finfo(DTYPES[name])
    denormal = info.tiny * info.eps
    values = [float("nan"), float("inf"), -float("inf"), 0.0, -0.0, denormal, -denormal, info.tiny * 0.5, info.tiny, -info.tiny,
              info.max, -info.max, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.5, 1 + info.eps, 1 - info.eps / 2, 88.0, -88.0, 1e4]
    return torch.tensor(values, dtype=torch.float64).to(DTYPES[name])


def edges(name):
    info = torch.iinfo(DTYPES[name])
    return torch.tensor([0, 1, 2, 3, 7, info.max, info.max - 1, info.min, info.min + 1], dtype=DTYPES[name])


def numbers(name, sizes, *key, low=None, high=None):
    """Seeded numbers of `sizes`: floats about N(0, 2) or between low and high, small integers, booleans."""
    g = generator(name, tuple(sizes), *key)
    if is_float(name):
        if low is not None:
            return (torch.rand(sizes, generator=g, dtype=torch.float64) * (high - low) + low).to(DTYPES[name])
        return (torch.randn(sizes, generator=g, dtype=torch.float64) * 2).to(DTYPES[name])
    if name == "bool":
        return torch.randint(0, 2, sizes, generator=g).bool()
    low, high = (-9 if low is None else int(low)), (10 if high is None else int(high) + 1)
    return torch.randint(max(low, 0) if name == "u8" else low, high, sizes, generator=g).to(DTYPES[name])


def complexes(name, sizes, *key, low=-3, high=3):
    """Seeded complex numbers with both parts between low and high."""
    part = "f32" if name == "c64" else "f64"
    return torch.complex(*(numbers(part, sizes, i, *key, low=low, high=high) for i in range(2)))


def hard(name, count, *key, low=None, high=None, edge=True):
    """One row with every special value of the dtype, then seeded numbers."""
    if name == "bool":
        return numbers(name, (count,), *key)
    first = specials(name) if is_float(name) else edges(name)
    first = first if edge else first[:0]
    return torch.cat([first, numbers(name, (count - len(first),), *key, low=low, high=high)])


# A layout builds a tensor of `sizes` with other strides from make(sizes of the buffer).

def transposed(make, sizes):
    return make(sizes[::-1]).permute(*reversed(range(len(sizes))))


def stepped(make, sizes):
    """Every second element of each dimension, without the first one."""
    x = make([2 * n + 1 for n in sizes])
    for dim in range(len(sizes)):
        x = x.narrow(dim, 1, 2 * sizes[dim]).unflatten(dim, (sizes[dim], 2)).select(dim + 1, 0)
    return x


def expanded(make, sizes):
    """The first dimension repeats one row."""
    return make([1, *sizes[1:]]).expand(sizes)


def swapped(make, sizes):
    """The last two dimensions are transposed in memory."""
    return make([*sizes[:-2], sizes[-1], sizes[-2]]).transpose(-1, -2)


def plain(make, sizes):
    return make(list(sizes))
