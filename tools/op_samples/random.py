"""Words of Philox and programs of them, expected by NumPy; random functions where their result is not random; and gradients."""
import math

import numpy as np
import torch

from . import values as v
from .gradients import Gradients
from .samples import EQUAL, Family, Tolerance

ATEN = torch.ops.aten
DIGITS = {torch.float32: 24, torch.float16: 11, torch.bfloat16: 8}


def philox(seed, stream, blocks):
    """The four words of each block (Philox 4x32-10, Salmon et al. 2011)."""
    low, u64 = np.uint64(0xFFFFFFFF), np.uint64
    seed, stream = seed & (2**64 - 1), stream & (2**64 - 1)
    blocks = np.asarray(blocks, dtype=u64)
    c = [blocks & low, blocks >> u64(32), np.full_like(blocks, stream & 0xFFFFFFFF), np.full_like(blocks, stream >> 32)]
    k = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        p, q = u64(0xD2511F53) * c[0], u64(0xCD9E8D57) * c[2]
        c = [(q >> u64(32)) ^ c[1] ^ u64(k[0]), q & low, (p >> u64(32)) ^ c[3] ^ u64(k[1]), p & low]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.stack(c, axis=-1)


def words(seed, stream, size):
    return torch.from_numpy(philox(int(seed), int(stream), np.arange((size + 3) // 4)).reshape(-1)[:size].astype(np.int64))


def unit(key, first, size, dtype):
    w = words(key[0], key[first + 1], size)
    if dtype != torch.float64:
        digits = DIGITS[dtype]
        return ((w & ((1 << digits) - 1)).double() * 2.0**-digits).to(dtype)
    low = words(key[0], key[first + 2], size) & (2**27 - 1)
    return ((w & (2**26 - 1)) * 2**27 + low).double() * 2.0**-53


def uniform(key, size, dtype):
    return unit(key, 0, size, dtype)


def normal(key, size, dtype):
    wide = dtype if dtype == torch.float64 else torch.float32
    u, angle = unit(key, 0, size, wide).double(), unit(key, 2 if wide == torch.float64 else 1, size, wide).double()
    return ((-2 * torch.log1p(-u)).sqrt() * torch.cos(2 * torch.pi * angle)).to(dtype)


def dropout(x, key, p):
    kept = (words(key[0], key[1], x.numel()) < round((1 - p) * 2**32)).view(x.shape).to(x.dtype)
    return x * kept * (0.0 if p == 1 else 1 / (1 - p))


def units(key, element):
    """The numbers in [0, 1) of one element of philox_poisson and philox_binomial: two from each block, whose numbers are 2^44 apart."""
    block = element
    while True:
        w = [int(x) for x in philox(int(key[0]), int(key[1]), [block])[0]]
        for high, low in ((w[0], w[1]), (w[2], w[3])):
            yield ((high % 2**26) * 2**27 + low % 2**27) * 2.0**-53
        block += 2**44


def mountain(u, from_end, a, b, center):
    return math.floor((2 * a / from_end + b) * u + center) if from_end else -math.inf


def one_poisson(rate, unit):
    """Products of uniform numbers; from 10 on algorithm PTRS of Hoermann (1993)."""
    if rate < 10:
        count, product = 0, next(unit)
        while rate > 0 and product > math.exp(-rate):
            count, product = count + 1, product * next(unit)
        return count
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    while True:
        u, v = next(unit) - 0.5, next(unit)
        s = 0.5 - abs(u)
        k = mountain(u, s, a, b, rate + 0.43)
        if s >= 0.07 and v <= 0.9277 - 3.6224 / (b - 2):
            return k
        if k >= 0 and (s >= 0.013 or v <= s):
            ratio = v * (1.1239 + 1.1328 / (b - 3.4)) / (a / s**2 + b)
            if math.log(ratio) <= k * math.log(rate) - rate - math.lgamma(k + 1):
                return k


def one_binomial(count, p, unit):
    """Gaps between successes; where 10 or more are expected algorithm BTRS of Hoermann (1993)."""
    if math.isnan(p):
        return p
    if count <= 0 or p <= 0:
        return 0
    if p >= 1 or p > 0.5:
        return count - (0 if p >= 1 else one_binomial(count, 1 - p, unit))
    if count * p < 10:
        successes, used = -1, 0
        while used <= count:
            successes, used = successes + 1, used + math.ceil(math.log(next(unit)) / math.log1p(-p))
        return successes
    deviation = math.sqrt(count * p * (1 - p))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    mode = math.floor((count + 1) * p)

    def density(k):
        return -math.lgamma(k + 1) - math.lgamma(count - k + 1) + k * math.log(p / (1 - p))
    while True:
        u, v = next(unit) - 0.5, next(unit)
        s = 0.5 - abs(u)
        k = mountain(u, s, a, b, count * p + 0.5)
        if 0 <= k <= count:
            if s >= 0.07 and v <= 0.92 - 4.2 / b:
                return k
            if math.log(v * (2.83 + 5.1 / b) * deviation / (a / s**2 + b)) <= density(k) - density(mode):
                return k


def each(one, key, *operands):
    numbers = [one(*at, units(key, i)) for i, at in enumerate(zip(*(x.reshape(-1).tolist() for x in operands)))]
    return torch.tensor(numbers, dtype=torch.float64).reshape(operands[0].shape)


def poisson(rate, key):
    return each(one_poisson, key, rate)


def binomial(count, p, key):
    return each(one_binomial, key, count, p)


def i64(*numbers):
    return torch.tensor(numbers, dtype=torch.int64)


KEY = i64(0x0123456789ABCDEF, 7, 2**32 + 1, 9, 10)


def random():
    family = Family("random")
    for seed, stream in [(0, 0), (-1, -1), (2**40 + 5, 2**33 + 1)]:
        for size in (0, 1, 3, 4, 19, 100):
            family.add("philox", torch.tensor(seed), torch.tensor(stream), attrs={"size": size}, call=words)
    for name in v.FLOATS:
        for size in (0, 1, 37):
            attrs = {"size": size, "dtype": v.DTYPES[name]}
            family.add("philox_uniform", KEY, attrs=attrs, call=uniform)
            family.add("philox_normal", KEY, attrs=attrs, call=normal)
            # The expected values are those of f64. Of a cosine near its zeros only the absolute error is small.
            family.lines[-1]["tol"] = Tolerance(ulps=4, relative=8, absolute=8).for_dtype(v.DTYPES[name])
        for p in (0.0, 0.25, 1.0):
            family.add("philox_dropout", v.numbers(name, (7, 9)), KEY, attrs={"p": p}, call=dropout, tolerance=EQUAL)
        family.add("philox_dropout", v.transposed(lambda n: v.numbers(name, n), (3, 5)), KEY, attrs={"p": 0.5}, call=dropout, tolerance=EQUAL)
    family.add("philox_dropout", v.numbers("f32", ()), KEY, attrs={"p": 0.5}, call=dropout, tolerance=EQUAL)
    family.add("philox_dropout", v.numbers("f32", (0, 3)), KEY, attrs={"p": 0.5}, call=dropout)
    droppers(family)
    for n in (0, 1):
        family.add("randperm", n)
    for high in (1, 0, -1):
        family.add("randint", high, attrs={"size": [3]})
    family.add("randint", 300, attrs={"size": [3], "dtype": torch.uint8})
    family.add("rand", attrs={"size": [2, 0]}, call=lambda size: ATEN.rand(size))
    family.add("rand", attrs={"size": [2], "dtype": torch.int64}, call=lambda size, dtype: ATEN.rand(size, dtype=dtype), refused=True)
    for name in ("f32", "i64", "bool"):
        x = v.numbers(name, (2, 3))
        for p in (0.0, 1.0, 1.5):
            family.add("bernoulli", x, p)
        family.add("uniform", x, 2.0, 2.0, refused=True)
        family.add("normal_functional", x, 2.0, 0.0, refused=True)
        family.add("exponential", x, 0.0, refused=True)
    family.add("geometric", v.numbers("f32", (3,)), 1.0)
    family.add("native_dropout_backward", v.numbers("f32", (2, 3)), v.numbers("bool", (2, 3)), attrs={"scale": 1.25})
    family.add("multinomial", torch.tensor([0.0, 2, 0]), attrs={"num_samples": 1})
    family.add("multinomial", torch.tensor([[0.0, 2, 0], [0, 0, 1]]), attrs={"num_samples": 5, "replacement": True})
    family.add("multinomial", torch.ones(3), attrs={"num_samples": 4})
    counted(family)
    return family


# Of few and of many expected events, at the bounds, transposed and expanded.
RATES = torch.tensor([0.0, 1e-3, 0.5, 3.0, 9.99, 10.0, 11.5, 40.0, 300.0, 1e5, 1e8], dtype=torch.float64)
COUNTS = torch.tensor([0.0, 1, 3, 20, 30, 50, 1000, 1e6, 2.5, 100.5, -3], dtype=torch.float64)
CHANCES = torch.tensor([0.5, 0.25, 0.75, 0.01, 0.4, 0.9, 0.0, 1.0, 1e-4, 0.6, -0.5, 1.5], dtype=torch.float64)


def counted(family):
    rates, counts, chances = RATES.repeat(20), COUNTS[:, None].expand(11, 12), CHANCES.expand(11, 12)
    for x in (rates, rates.reshape(20, 11).t(), RATES[:, None].expand(11, 5), RATES[:0]):
        family.add("philox_poisson", x, KEY, call=poisson, tolerance=EQUAL)
    family.add("philox_binomial", counts, chances, KEY, call=binomial, tolerance=EQUAL)
    family.add("philox_binomial", counts.t(), chances.t().contiguous(), KEY, call=binomial, tolerance=EQUAL)
    family.add("philox_binomial", COUNTS[2:3], torch.tensor([math.nan], dtype=torch.float64), KEY, call=binomial)
    # Not random.
    for name in v.FLOATS:
        family.add("poisson", torch.zeros(2, 3, dtype=v.DTYPES[name]))
    for name in ("f32", "f64"):
        one = torch.tensor([1.0, 0, 1], dtype=v.DTYPES[name])
        family.add("binomial", one * 7, one)
        family.add("binomial", one * 7, one * math.nan)
    family.add("poisson", torch.tensor([3.0, -4]))
    family.add("poisson", torch.tensor([math.nan]))
    family.add("poisson", v.numbers("i64", (3,)))
    family.add("binomial", v.numbers("i64", (3,)), v.numbers("f32", (3,)))
    family.add("binomial", v.numbers("f32", (3,)), v.numbers("f64", (3,)))
    family.add("binomial", v.numbers("f32", (3,)), v.numbers("f32", (2,)))


def droppers(family):
    for op in ("dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout"):
        for name in v.ALL:
            for p, train in [(0.0, True), (0.5, False)]:
                family.add(op, v.numbers(name, (2, 3)), attrs={"p": p, "train": train})
        for name in v.FLOATS:
            family.add(op, v.numbers(name, (2, 3)), attrs={"p": 1.0, "train": True})
        family.add(op, v.numbers("f32", (2, 3)), attrs={"p": 1.5, "train": True})
        family.add(op, v.numbers("i64", (2, 3)), attrs={"p": 0.5, "train": True})
    family.add("feature_dropout", v.numbers("f32", (3,)), attrs={"p": 0.5, "train": True})
    family.add("native_dropout", v.numbers("f32", (2, 3)), attrs={"p": 0.5, "train": False})


def gradients():
    family = Gradients("random_gradient")
    for name in v.FLOATS:
        family.add("philox_dropout", v.numbers(name, (5, 9)), KEY, attrs={"p": 0.25}, call=dropout, second=name == "f64")
    # As PyTorch: the numbers do not change with their parameters.
    family.add("philox_poisson", RATES, KEY, call=lambda rate, key: 0 * rate, slope=False)
    family.add("philox_binomial", RATES, RATES / 20, KEY, call=lambda count, p, key: 0 * (count + p), slope=False)
    return family


def seeded():
    """Random functions after torch.manual_seed: PyTorch's numbers."""
    family = Family("seeded")
    near, rough = Tolerance(ulps=2), Tolerance(ulps=8, relative=4, absolute=32)
    def add(op, *inputs, **kwargs):
        for seed in (0, 2**40 + 12345):
            family.add(op, *inputs, seed=seed, **kwargs)
    layouts = [v.numbers("f32", (3, 7)), v.numbers("f32", (5, 8)).t(), v.numbers("f32", (4, 6, 5))[:, ::2].permute(2, 0, 1)]
    for name in v.FLOATS:
        dtype = v.DTYPES[name]
        x = v.numbers(name, (5, 7))
        for size in ([], [0], [3, 50]):
            add("rand", attrs={"size": size, "dtype": dtype})
        for size in ([], [15], [16], [2, 25]):
            add("randn", attrs={"size": size, "dtype": dtype}, tolerance=rough)
        add("uniform", x, -2.5, 0.7, tolerance=rough if name == "f64" else EQUAL)
        add("uniform", x, 1.0, 1.0)
        add("normal_functional", x, 1.0, 3.0, tolerance=Tolerance(ulps=8, relative=4, absolute=32, roundings=4))
        add("bernoulli", v.numbers(name, (5, 9), low=0.05, high=1))
        add("dropout", x, attrs={"p": 0.25, "train": True}, tolerance=near)
        add("alpha_dropout", x, attrs={"p": 0.25, "train": True}, tolerance=rough)
        add("native_dropout", x, attrs={"p": 0.25, "train": True}, tolerance=near)
        add("randperm", 50, attrs={"dtype": dtype})
    for name in ("f32", "f64"):
        x = v.numbers(name, (5, 7))
        add("exponential", x, 0.5, tolerance=near)
        add("cauchy", x, 1.0, 3.0, tolerance=rough)
        add("log_normal", x, 0.0, 0.25, tolerance=rough)
        add("geometric", x, 0.3)
        add("multinomial", v.numbers(name, (4, 6), low=0.05, high=1), attrs={"num_samples": 4})
        add("multinomial", v.numbers(name, (6,), low=0.05, high=1), attrs={"num_samples": 9, "replacement": True})
        rates, chances = RATES[:10].to(x.dtype), CHANCES[:6].to(x.dtype)
        add("poisson", rates.repeat(20))
        add("poisson", rates.repeat(20).reshape(20, 10).t())
        add("binomial", COUNTS.to(x.dtype)[:, None], chances)
        add("binomial", COUNTS.to(x.dtype)[:, None].expand(11, 6).contiguous(), chances.expand(11, 6))
    for name in ("f16", "bf16"):
        add("poisson", RATES[:9].to(v.DTYPES[name]).repeat(5))
    for x in layouts:
        add("rand_like", x)
        add("randn_like", x, tolerance=rough)
        add("randint_like", x, 9)
        add("bernoulli", x, 0.3)
        add("dropout", x, attrs={"p": 0.4, "train": True}, tolerance=near)
        add("native_dropout", x, attrs={"p": 0.4, "train": None}, tolerance=near)
        add("normal", x, 2.0, tolerance=rough)
        add("exponential", x, 1.0, tolerance=near)
    for name in v.ALL:
        add("random", v.numbers(name, (40,)))
        add("bernoulli", v.numbers(name, (5, 9)), 0.75)
    for high in (1, 10, (1 << 28) - 1, 1 << 28, (1 << 31) + 5, 1 << 60):
        add("randint", high, attrs={"size": [20]})
    add("randint.low", -7, 12, attrs={"size": [3, 5], "dtype": torch.int8}, call=ATEN.randint.low)
    add("randint.low", -(2**62), 5, attrs={"size": [9]}, call=ATEN.randint.low)
    for n in (0, 1, 2, 1000):
        add("randperm", n)
    add("feature_dropout", v.numbers("f32", (4, 6, 3)), attrs={"p": 0.25, "train": True}, tolerance=near)
    add("feature_alpha_dropout", v.numbers("f32", (4, 6, 3)), attrs={"p": 0.25, "train": True}, tolerance=rough)
    q = v.numbers("f32", (2, 5, 8))
    add("scaled_dot_product_attention", q, q, q, attrs={"dropout_p": 0.25}, tolerance=Tolerance(relative=64, absolute=64))
    return family
