"""Special functions, functions of elements that are opaque, segments, and other functions that are called by ATen's names."""
import math

import mpmath
import torch

from . import values as v
from .gradients import Gradients, real, row
from .samples import EQUAL, EXACT, Family, Tolerance

SERIES = Tolerance(ulps=16, relative=64, absolute=64)  # near zeros of the function only the absolute error is small
LONG = Tolerance(ulps=16, relative=512, absolute=512)
STEPS = Tolerance(ulps=4, relative=8, absolute=8)
SUMS = Tolerance(ulps=4, relative=64, absolute=64, roundings=3)
ATEN = torch.ops.aten
NAN, INF = float("nan"), float("inf")

# op -> (ranges of arguments, arguments at which something is special)
UNARY = {
    "i0": ((-12, 12), (0.0, -0.0, 8.0, -8.0, INF, -INF, NAN, 800.0)), "special_i0e": ((-40, 40), (0.0, 8.0, 8.5, INF, -INF, NAN, 1e10)),
    "special_i1": ((-12, 12), (0.0, -0.0, 8.0, -8.0, INF, NAN, 800.0)), "special_i1e": ((-40, 40), (0.0, -8.0, 8.5, INF, -INF, NAN, 1e10)),
    "special_modified_bessel_i0": ((-12, 12), (0.0, 8.0)), "special_modified_bessel_i1": ((-12, 12), (0.0, 8.0)),
    "special_modified_bessel_k0": ((0.01, 12), (0.0, -0.0, 2.0, 2.5, -1.0, INF, -INF, NAN)), "special_modified_bessel_k1": ((0.01, 12), (0.0, 2.0, 2.5, -1.0, INF, NAN)),
    "special_scaled_modified_bessel_k0": ((0.01, 40), (0.0, 2.0, 2.5, -1.0, INF, NAN, 1e10)), "special_scaled_modified_bessel_k1": ((0.01, 40), (0.0, 2.0, -1.0, INF, NAN)),
    "special_bessel_j0": ((-30, 30), (0.0, 8.0, -8.0, INF, NAN, 800.0)), "special_bessel_j1": ((-30, 30), (0.0, -0.0, 8.0, -8.0, INF, NAN, 800.0)),
    "special_bessel_y0": ((0.01, 30), (0.0, 8.0, 8.5, -1.0, INF, NAN, 800.0)), "special_bessel_y1": ((0.05, 30), (0.0, 8.0, 8.5, -1.0, INF, NAN, 800.0)),
    "special_spherical_bessel_j0": ((-30, 30), (0.0, -0.0, 0.25, INF, -INF, NAN)), "special_airy_ai": ((-12, 8), (0.0, -4.0, -4.5, 2.0, 2.5, 60.0, INF, -INF, NAN)),
    "special_erfcx": ((-3, 20), (0.0, -0.0, 2.0, 2.5, INF, -INF, NAN, -40.0, 1e10)), "special_log_ndtr": ((-20, 6), (0.0, -1.0, -1.5, INF, -INF, NAN, -1e4)),
    "special_ndtri": ((0.001, 0.999), (0.0, 1.0, 0.5, 1e-20, 1e-30, -0.5, 1.5, NAN, 0.125)),
}
POLYNOMIALS = [f"special_{shifted}chebyshev_polynomial_{kind}" for shifted in ("", "shifted_") for kind in "tuvw"] + [
    "special_hermite_polynomial_h", "special_hermite_polynomial_he", "special_laguerre_polynomial_l", "special_legendre_polynomial_p"]


# torch's values in double of some of these have errors from 1e-12 to 2e-5, so they are compared with mpmath's.
def scaled(order, kind):
    return lambda x: mpmath.exp(-abs(x) if kind == "i" else x) * (mpmath.besseli if kind == "i" else mpmath.besselk)(order, x)


def ndtri(p):
    x = mpmath.findroot(lambda x: mpmath.log(mpmath.erfc(-x / mpmath.sqrt(2)) / 2) - mpmath.log(p), ATEN.special_ndtri(torch.tensor(float(p), dtype=torch.float64)).item())
    return x


TRUTH = {
    "i0": lambda x: mpmath.besseli(0, x), "special_i0e": scaled(0, "i"), "special_i1": lambda x: mpmath.besseli(1, x), "special_i1e": scaled(1, "i"),
    "special_modified_bessel_i0": lambda x: mpmath.besseli(0, x), "special_modified_bessel_i1": lambda x: mpmath.besseli(1, x),
    "special_modified_bessel_k0": lambda x: mpmath.besselk(0, x), "special_modified_bessel_k1": lambda x: mpmath.besselk(1, x),
    "special_scaled_modified_bessel_k0": scaled(0, "k"), "special_scaled_modified_bessel_k1": scaled(1, "k"),
    "special_bessel_j0": lambda x: mpmath.besselj(0, x), "special_bessel_j1": lambda x: mpmath.besselj(1, x),
    "special_bessel_y0": lambda x: mpmath.bessely(0, x), "special_bessel_y1": lambda x: mpmath.bessely(1, x),
    "special_spherical_bessel_j0": lambda x: mpmath.sinc(x), "special_airy_ai": mpmath.airyai,
    "special_erfcx": lambda x: mpmath.exp(x * x) * mpmath.erfc(x), "special_log_ndtr": lambda x: mpmath.log(mpmath.erfc(-x / mpmath.sqrt(2)) / 2),
    "special_ndtri": ndtri, "polygamma": lambda x, n: mpmath.polygamma(n, x), "special_zeta": lambda x, q: mpmath.zeta(x, q),
    "igamma": lambda a, x: mpmath.gammainc(a, 0, x, regularized=True), "igammac": lambda a, x: mpmath.gammainc(a, x, mpmath.inf, regularized=True),
}


def true(op, torchs):
    """A call with torch's result, whose finite elements are exact where the operands are of f64."""
    def element(given, found):
        if not math.isfinite(found) or found == 0 or any(x == 0 or not math.isfinite(x) for x in given):
            return found
        with mpmath.workdps(50):
            exact = float(TRUTH[op](*(mpmath.mpf(x) if isinstance(x, float) else x for x in given)))
        assert abs(exact - found) <= 1e-4 * abs(found) + 1e-4, (op, given, found, exact)
        return exact

    def call(*inputs, **attrs):
        out = torchs(*inputs, **attrs)
        if out.dtype != torch.float64 or not out.numel():
            return out
        each = torch.broadcast_tensors(*(torch.as_tensor(x, dtype=torch.float64) for x in inputs))
        rows = zip(*(x.flatten().tolist() for x in each), out.flatten().tolist())
        exact = [element([*row[:-1], *attrs.values()], row[-1]) for row in rows]
        return torch.empty_strided(out.shape, out.stride(), dtype=out.dtype).copy_(torch.tensor(exact, dtype=torch.float64).reshape(out.shape))

    return call


def x_of(name, *sizes):
    return v.numbers(name, sizes)


def unary(family):
    for op, ((low, high), corners) in UNARY.items():
        call = true(op, getattr(ATEN, op))
        for name in v.FLOATS:
            narrow = name in ("f16", "bf16")
            family.add(op, v.numbers(name, (40,), low=max(low, -8) if narrow else low, high=min(high, 8) if narrow else high), tolerance=SERIES, call=call)
        for name in ("f32", "f64"):
            family.add(op, torch.tensor(corners, dtype=v.DTYPES[name]), tolerance=SERIES, call=call)
        family.add(op, torch.tensor([0, 1, 3]), tolerance=SERIES, call=call)
        family.add(op, torch.tensor([False, True]), tolerance=SERIES, call=call)
        family.add(op, v.swapped(lambda n: v.numbers("f32", n, low=max(low, 0.01), high=min(high, 3)), (2, 3, 4)), tolerance=SERIES, call=call)
        family.add(op, x_of("f32", 0, 2), tolerance=SERIES, call=call)
    family.add("special_i0", x_of("f32", 5), tolerance=SERIES)


def gammas(family):
    derivative = true("polygamma", lambda x, n: torch.polygamma(n, x))
    for n in (0, 1, 2, 5):
        for name in v.FLOATS:
            x = v.numbers(name, (30,), low=0.3, high=12)
            family.add("polygamma", x, attrs={"n": n}, tolerance=LONG, call=derivative)
        x = torch.tensor([-0.5, -1.25, -3.75, 0.0, 20.0, NAN, INF], dtype=torch.float64)
        if n > 0:
            family.add("polygamma", x, attrs={"n": n}, tolerance=LONG, call=derivative)
    family.add("polygamma", x_of("f32", 3), attrs={"n": -1}, call=derivative)
    family.add("special_polygamma", torch.tensor([1, 2, 3]), attrs={"n": 2}, tolerance=LONG, call=derivative)
    for op in ("mvlgamma", "special_multigammaln"):
        for name in v.FLOATS:
            family.add(op, v.numbers(name, (3, 4), low=2, high=9), attrs={"p": 3}, tolerance=LONG)
        family.add(op, torch.tensor([2, 3]), attrs={"p": 1}, tolerance=LONG)
        family.add(op, x_of("f32", 3), attrs={"p": 0})
    zeta = true("special_zeta", ATEN.special_zeta)
    for name in v.FLOATS:
        s, q = v.numbers(name, (40,), low=1.1, high=9), v.numbers(name, (40,), 1, low=0.1, high=12)
        family.add("special_zeta", s, q, tolerance=LONG, call=zeta)
    s, q = torch.tensor([[2.0], [3.0], [2.5], [1.0], [0.5], [40.0], [NAN]]), torch.tensor([-0.5, -20.25, 0.0, -1.0, 1e-3, 1e5, INF, NAN])
    for name in ("f32", "f64"):
        family.add("special_zeta", s.to(v.DTYPES[name]), q.to(v.DTYPES[name]), tolerance=LONG, call=zeta)
    family.add("special_zeta", 2.5, q, tolerance=LONG, call=zeta)
    family.add("special_zeta", torch.tensor([2, 3]), 2, tolerance=LONG, call=zeta)
    for op in ("igamma", "igammac", "special_gammainc", "special_gammaincc"):
        call = true({"special_gammainc": "igamma", "special_gammaincc": "igammac"}.get(op, op), getattr(ATEN, op))
        for name in v.FLOATS:
            for high in (1, 6, 60):
                a, x = v.numbers(name, (40,), low=0.05, high=high), v.numbers(name, (40,), 1, low=0.05, high=high)
                family.add(op, a, x, tolerance=LONG, call=call)
        a, x = torch.tensor([0.0, 1.0, 1.0, INF, 2.0, -1.0, 2.0, NAN, INF, 0.0]), torch.tensor([1.0, 0.0, INF, 2.0, -1.0, 2.0, NAN, 1.0, INF, 0.0])
        family.add(op, a, x, tolerance=LONG, call=call)
        family.add(op, a.double(), x.double(), tolerance=LONG, call=call)
        family.add(op, torch.tensor([[50.0], [200.0]]).double(), torch.tensor([30.0, 49.0, 51.0, 190.0, 201.0, 260.0]).double(), tolerance=LONG, call=call)
        family.add(op, x_of("i32", 3), x_of("i32", 3), refused=True)
        family.add(op, x_of("f32", 3), x_of("f32", 2))


def integers(family):
    for op in ("gcd", "lcm"):
        for name in v.INTEGERS:
            family.add(op, v.numbers(name, (3, 8), low=-30, high=30) if name != "u8" else v.numbers(name, (3, 8)), v.numbers(name, (8,), 1, low=0, high=30))
        family.add(op, torch.tensor([0, 0, 7, -4]), torch.tensor([0, 5, 0, -6]))
        family.add(op, torch.tensor([12, 18], dtype=torch.int8), torch.tensor([8, 8], dtype=torch.int32))
        family.add(op, x_of("f32", 3), x_of("f32", 3), refused=True)
        family.add(op, v.numbers("bool", (3,)), v.numbers("bool", (3,)), refused=True)
        family.add(op, x_of("i32", 3), x_of("i32", 2))
    family.add("tensordot", x_of("i32", 1, 3), x_of("i32", 2, 4), attrs={"dims_self": [0], "dims_other": [0]})
    family.add("gcd", torch.tensor([-(2**63), -(2**63), 2**62]), torch.tensor([2**40, -1, 3 * 2**40]))
    for name in v.FLOATS:
        x = v.hard(name, 60)
        family.add("nextafter", x, x.flip(0))
        family.add("nextafter", x, torch.tensor(0.0).to(x.dtype))
        family.add("nextafter", torch.zeros(3).to(x.dtype), torch.tensor([1.0, -1.0, 0.0]).to(x.dtype))
        family.add("nextafter", torch.tensor([INF, 1.0, NAN, -INF]).to(x.dtype), torch.tensor([1.0, INF, 1.0, -INF]).to(x.dtype))
    family.add("nextafter", v.swapped(lambda n: v.numbers("f32", n), (2, 3, 4)), torch.ones(3, 1))
    family.add("nextafter", x_of("i32", 3), x_of("i32", 3), refused=True)


def polynomials(family):
    for op in POLYNOMIALS:
        for name in ("f32", "f64"):
            x, n = v.numbers(name, (6, 1), low=-1, high=1), torch.arange(14).to(v.DTYPES[name])
            family.add(op, x * 0.98 if "shifted" not in op else x * 0.49 + 0.5, n, tolerance=LONG)
            family.add(op, torch.tensor([[1.0], [-1.0], [0.0], [1.5], [NAN], [INF]], dtype=n.dtype), torch.tensor([-1.0, 0, 1, 2.5, 5, NAN], dtype=n.dtype), tolerance=LONG)
        family.add(op, torch.tensor([0.5, 0.25]), 3, tolerance=LONG)
        family.add(op, 0.5, torch.tensor([2, 3, 4]), tolerance=LONG)
        family.add(op, torch.tensor([1, 2]), torch.tensor([2, 3]), tolerance=LONG)
        family.add(op, x_of("f32", 3), x_of("f32", 2))


def softmax_gradients(family):
    for op, forward in (("_softmax_backward_data", torch.softmax), ("_log_softmax_backward_data", torch.log_softmax)):
        for name in v.FLOATS:
            x, g = x_of(name, 3, 4), v.numbers(name, (3, 4), 1)
            for dim in (0, -1):
                family.add(op, g, forward(x, dim), attrs={"dim": dim, "input_dtype": x.dtype}, tolerance=STEPS)
        family.add(op, torch.tensor(2.0), torch.tensor(1.0), attrs={"dim": 0, "input_dtype": torch.float32}, tolerance=STEPS)
        family.add(op, x_of("f16", 3), x_of("f32", 3), attrs={"dim": 0, "input_dtype": torch.float32})


def masked_indices(family):
    x, mask, at = x_of("f32", 4, 3), torch.tensor([True, False, True]), torch.tensor([0, 9, -1])
    for indices in ([at], [None, at], [at, at], [at[:, None], at]):
        family.add("_unsafe_masked_index", x, mask, indices, 7.0)
        family.add("_unsafe_masked_index", x.long(), mask, indices, 7)
    family.add("_unsafe_masked_index", x, mask[:, None], [at], 7.0)
    whole = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
    for mask in (mask, mask[:, None]):
        family.add("_unsafe_masked_index_put_accumulate", x, mask, [at], whole, tolerance=STEPS)
        family.add("_unsafe_masked_index_put_accumulate", x.long(), mask, [at], whole.long())


def chunks(family):
    for tensors, dim, count in (([x_of("f32", 5), x_of("f32", 4)], 0, 2), ([x_of("f32", 2, 5), x_of("f32", 2, 4)], 1, 3), ([x_of("f32", 3, 2), x_of("f32", 5)], 0, 2),
                                ([x_of("bf16", 2, 3, 4)], -1, 2), ([x_of("f32", 2, 3)], 1, 0), ([x_of("f32", 2, 3), x_of("f64", 2, 3)], 0, 2),
                                ([x_of("f32", 2, 3), x_of("f32", 3, 3)], 1, 2), ([x_of("f32", 2, 0)], 0, 2)):
        family.add("_chunk_cat", tensors, attrs={"dim": dim, "num_chunks": count})


def segments(family):
    lengths, offsets = torch.tensor([2, 0, 3, 1]), torch.tensor([0, 2, 2, 5, 6])

    def add(x, lengths, offsets=None, tolerance=STEPS, **attrs):
        # lengths, indices, offsets are operands
        call = lambda x, lengths, indices, offsets, reduce, **rest: ATEN.segment_reduce(x, reduce, lengths=lengths, indices=indices, offsets=offsets, **rest)
        family.add("segment_reduce", x, lengths, None, offsets, attrs=attrs, tolerance=tolerance, call=call)

    for how in ("sum", "mean", "max", "min", "prod"):
        for name in v.FLOATS:
            add(x_of(name, 6, 2), lengths, reduce=how)
            add(x_of(name, 6), lengths.int(), reduce=how, initial=1.5)
        add(x_of("f32", 6, 2), None, offsets, reduce=how)
        add(x_of("f32", 6, 2), None, torch.tensor([1, 2, 2, 5]), reduce=how)
        add(x_of("f32", 3, 4, 2), torch.tensor([[1, 3, 0], [2, 2, 0], [0, 0, 4]]), reduce=how, axis=1)
        add(torch.tensor([1.0, NAN, 2.0, 2.0, INF, -INF]), lengths, reduce=how)
        add(torch.tensor([1.0, NAN, 2.0, 2.0, INF, -INF]), lengths, reduce=how, initial=0.5, unsafe=True)
    add(x_of("f32", 6), lengths, reduce="amax")
    for wrong in (torch.tensor([2, 1]), torch.tensor([2, -1, 5]), torch.tensor([2.0, 4.0])):
        add(x_of("f32", 6), wrong, reduce="sum")
    add(x_of("f32", 6), None, reduce="sum")
    add(x_of("f32", 6, 2), lengths, reduce="sum", axis=1)
    add(x_of("f32", 6), lengths, reduce="median")


def losses(family):
    x, target = x_of("f32", 3, 4), torch.tensor([[1, 3, -1, 0], [0, -1, 2, 2], [2, 2, 0, 1]])
    for reduction in (0, 1, 2):
        for name in ("f32", "f64"):
            family.add("multilabel_margin_loss_forward", x_of(name, 3, 4), target, attrs={"reduction": reduction}, tolerance=STEPS)
        family.add("multilabel_margin_loss", x, target, attrs={"reduction": reduction}, tolerance=STEPS)
        family.add("multilabel_margin_loss_forward", x[0], target[0], attrs={"reduction": reduction}, tolerance=STEPS)
    family.add("multilabel_margin_loss_forward", torch.tensor(2.0), torch.tensor(0), attrs={"reduction": 1}, tolerance=STEPS)
    for wrong in (target[:, :3], target.int(), torch.full((3, 4), 4)):
        family.add("multilabel_margin_loss_forward", x, wrong, attrs={"reduction": 1})


def ctc_losses(family):
    lengths = dict(input_lengths=[6, 5, 6, 0, 3], target_lengths=[3, 2, 0, 0, 3])
    targets = torch.tensor([[1, 2, 2], [3, 1, 0], [2, 0, 0], [1, 1, 1], [2, 2, 1]])  # the last row needs four steps
    joined, as_tensors = torch.tensor([1, 2, 2, 3, 1, 2, 2, 1]), [torch.tensor(x) for x in lengths.values()]
    for name in ("f32", "f64"):
        x = x_of(name, 6, 5, 4).log_softmax(2)
        for reduction in (0, 1, 2):
            for options in ({}, {"zero_infinity": True}, {"blank": 3}):
                family.add("ctc_loss", x, targets, attrs=lengths | options | {"reduction": reduction}, tolerance=SUMS)
                family.add("ctc_loss", x, joined, attrs=lengths | options | {"reduction": reduction}, tolerance=SUMS)
            family.add("ctc_loss", x, targets, *as_tensors, attrs={"reduction": reduction}, tolerance=SUMS)
            family.add("ctc_loss", x[:, 0], joined[:3], attrs={"input_lengths": [6], "target_lengths": [3], "reduction": reduction}, tolerance=SUMS)
    family.add("ctc_loss", x[:1], targets[:, :0], attrs={"input_lengths": [1] * 5, "target_lengths": [0] * 5}, tolerance=SUMS)
    family.add("ctc_loss", torch.full((3, 1, 3), -INF), targets[:1, :2], attrs={"input_lengths": [3], "target_lengths": [2]}, tolerance=SUMS)
    family.add("ctc_loss", x, targets.int(), *(t.int() for t in as_tensors), tolerance=SUMS)
    for wrong in ({"input_lengths": [7, 5, 6, 0, 3]}, {"target_lengths": [3, 2, 0, 0, 4]}, {"target_lengths": [3, 2, 0, 0]}, {"input_lengths": [6, -1, 6, 0, 3]},
                  {"blank": 4}, {"blank": -1}):
        family.add("ctc_loss", x, targets, attrs=lengths | wrong)
    family.add("ctc_loss", x, joined[:7], attrs=lengths)
    family.add("ctc_loss", x, targets.float(), attrs=lengths)
    family.add("ctc_loss", x.long(), targets, attrs=lengths, refused=True)
    family.add("ctc_loss", x[:, :, :0], targets, attrs=lengths)


def fractional_pools(family):
    random = v.numbers("f32", (2, 3, 3), "random", low=0, high=0.99)
    for op, sizes, kernel, out in (("fractional_max_pool2d", (2, 3, 7, 6), [2, 2], [3, 4]), ("fractional_max_pool2d", (2, 3, 7, 6), [3, 1], [1, 6]),
                                   ("fractional_max_pool2d", (2, 3, 7, 6), [2, 2], [0, 3]), ("fractional_max_pool2d", (0, 3, 7, 6), [2, 2], [3, 4]),
                                   ("fractional_max_pool3d", (2, 3, 5, 6, 7), [2, 2, 3], [2, 3, 4])):
        attrs, samples = {"kernel_size": kernel, "output_size": out}, random[:, :, :len(kernel)].contiguous()
        call = lambda x, random, kernel_size, output_size, op=op: getattr(ATEN, op)(x, kernel_size, output_size, random)
        for name in v.FLOATS:
            family.add(op, x_of(name, *sizes), samples.to(v.DTYPES[name]), attrs=attrs, call=call)
        if sizes[0]:
            family.add(op, x_of("f32", *sizes[1:]), samples, attrs=attrs, call=call)
    x, two = x_of("f32", 2, 3, 7, 6), random[:, :, :2].contiguous()
    call = lambda x, random, kernel_size, output_size: ATEN.fractional_max_pool2d(x, kernel_size, output_size, random)
    for y, r, out in ((x, two[:1], [3, 3]), (x, two, [7, 3]), (x, two[:, :1], [3, 3]), (x, two.double(), [3, 3]), (x, two[0], [3, 3]), (x[0, 0], two, [3, 3])):
        family.add("fractional_max_pool2d", y, r, attrs={"kernel_size": [2, 2], "output_size": out}, call=call)


def batch_norms(family):
    x, one = x_of("f32", 4, 3, 2), torch.ones(3)
    call = lambda x, w, b, mean, var, momentum, eps: ATEN._batch_norm_with_update(x, w, b, mean.clone(), var.clone(), momentum, eps)
    family.add("_batch_norm_with_update", x, one * 2, one, one * 0, one, attrs={"momentum": 0.1, "eps": 1e-5}, tolerance=SERIES, call=call)


def in_place(family):
    x = x_of("f32", 2, 3)
    family.add("detach", x)
    family.add("detach", v.swapped(lambda n: v.numbers("f32", n), (2, 3, 4)))
    family.add("resize_", x, attrs={"size": [2, 3]}, call=lambda x, size: x)
    family.add("resize_as_", x, torch.zeros(2, 3), call=lambda x, y: x)


def special():
    family = Family("special")
    for part in (unary, gammas, integers, polynomials, softmax_gradients, masked_indices, chunks, segments, losses, fractional_pools, batch_norms, in_place, ctc_losses):
        part(family)
    return family


def gradients():
    family = Gradients("special_gradient")
    ranges = {"i0": (-6, 6), "special_i0e": (-12, 12), "special_i1": (-6, 6), "special_i1e": (-12, 12), "special_erfcx": (-2, 3), "special_log_ndtr": (-6, 4),
              "special_ndtri": (0.05, 0.95)}
    for op, (low, high) in ranges.items():
        family.add(op, real(12, low=low, high=high, key=op))
    for op in ("i0", "special_i0e", "special_i1", "special_i1e"):
        family.add(op, row(0.0, 8.0, -8.0), slope=op != "special_i0e")  # which has an edge at 0
    x, whole = real(3, 4, low=0.4, high=5, key="x"), torch.tensor([[2], [3], [5]])
    for op in ("special_zeta", "igamma", "igammac"):
        family.add(op, whole, x, call=lambda a, x, op=op: getattr(ATEN, op)(a.double(), x))
    family.add("polygamma", x, attrs={"n": 2}, call=lambda x, n: torch.polygamma(n, x))
    family.add("mvlgamma", x + 1, attrs={"p": 2})
    family.add("fractional_max_pool2d", real(2, 2, 5, 6, key="pool"), torch.rand(2, 2, 2, generator=torch.Generator().manual_seed(1)).double(), attrs={"kernel_size": [2, 2], "output_size": [3, 3]},
               call=lambda x, random, kernel_size, output_size: ATEN.fractional_max_pool2d(x, kernel_size, output_size, random.detach()), slope=False)
    family.add("detach", x, call=lambda x: x.detach() + 0 * x, slope=False)
    g, y = real(3, 4, key="g"), real(3, 4, key="y")
    family.add("nextafter", g, y)
    family.add("nextafter", g, real(4, key="other"))
    family.add("nextafter", row(2.0, 0.0, INF, NAN, 1.0), row(2.0, -0.0, INF, NAN, NAN), slope=False)  # 0 where they are equal
    family.add("_unsafe_masked_index", g, torch.tensor([True, False, True]), [None, torch.tensor([0, 9, -1])], 7.0)
    lengths = torch.tensor([2, 0, 1])
    for how in ("sum", "mean", "max", "min", "prod"):
        family.add("segment_reduce", g, lengths, None, None, attrs={"reduce": how},
                   call=lambda x, lengths, indices, offsets, reduce: ATEN.segment_reduce(x, reduce, lengths=lengths))
    family.add("multilabel_margin_loss", g, torch.tensor([[1, 3, -1, 0], [0, -1, 2, 2], [2, 2, 0, 1]]), attrs={"reduction": 1})
    lengths = {"input_lengths": [5, 4, 3], "target_lengths": [3, 0, 2]}
    for options in ({"reduction": 0}, {"reduction": 1}, {"reduction": 2, "blank": 2, "zero_infinity": True}):
        family.add("ctc_loss", real(5, 3, 4, key="ctc"), torch.tensor([[1, 3, 3], [0, 0, 0], [3, 1, 0]]), attrs=lengths | options, slope=False)
    return family
