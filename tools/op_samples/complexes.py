"""Complex tensors, and what makes and takes them: Fourier transforms, spectra, windows."""
import torch

from . import values as v
from .gradients import Gradients, real
from .samples import EXACT, Family, Tolerance

NAMES = list(v.COMPLEX)
NEAR = Tolerance(ulps=4, relative=8, absolute=8)
FAR = Tolerance(ulps=8, relative=64, absolute=64)
ATEN = torch.ops.aten
INF, NAN = float("inf"), float("nan")

UNARY = ["abs", "acos", "acosh", "angle", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "exp2", "expm1", "log", "log10", "log1p",
         "log2", "reciprocal", "rsqrt", "sgn", "sigmoid", "silu", "sin", "sinh", "sqrt", "square", "tan", "tanh"]
EXACT_UNARY = ["neg", "isnan", "isinf", "isfinite", "isreal", "logical_not", "positive", "view_as_real", "real", "imag", "conj_physical", "clone",
               "zeros_like", "ones_like", "nonzero"]
REFUSED = ["floor", "ceil", "round", "trunc", "sign", "relu", "sort", "erf", "median", "bitwise_not"]


def z(name, *sizes, key=""):
    return v.complexes(name, sizes, key)


def dim_second(op):
    return lambda x, *rest, dim: getattr(ATEN, op)(x, dim, *rest)


def elementwise(family):
    for op in UNARY:
        for name in NAMES:
            family.add(op, z(name, 3, 5), tolerance=FAR)
        family.add(op, v.swapped(lambda n: z("c64", *n), (2, 3, 4))[:, :, ::2], tolerance=FAR)
    for op in EXACT_UNARY:
        family.add(op, torch.tensor([1 + 2j, 0j, complex(NAN, 1), complex(0, INF), -1, complex(2, NAN)]))
        family.add(op, v.swapped(lambda n: z("c128", *n), (2, 3, 2)))
    for op in REFUSED:
        if hasattr(ATEN, op):
            family.add(op, z("c64", 3), refused=True)
    pairs = [(z("c64", 3, 4), z("c64", 4, key=1)), (z("c128", 2, 2), z("c64", 2, 1)), (z("c64", 3), v.numbers("f64", (3,), low=1, high=2)),
             (v.numbers("i32", (3,), low=1, high=4), z("c64", 3)), (z("c64", 3), v.numbers("f64", (), low=1, high=2)), (z("c64", 2, 3), 2.5),
             (v.numbers("f32", (3,)), 1.5 - 2j), (z("c128", 3), 2 + 1j), (z("c64", 3, 2).t(), z("c64", 2, 3)), (z("c64", 0, 2), z("c64", 2)),
             (v.numbers("i64", (2,)), 2j)]
    for a, b in pairs:
        for op in ("add", "sub", "mul", "div", "pow", "eq", "ne"):
            family.add(op, a, b, tolerance=FAR, call=getattr(torch, op))
    for power in (0, 1, 2, 3, 0.5, -0.5, -1, -2, 2.5, 1 + 1j):
        family.add("pow", z("c64", 5), power, tolerance=FAR, call=torch.pow)
    family.add("pow", torch.tensor([0j, 0j]), torch.tensor([1 + 1j, 2]), tolerance=FAR)
    family.add("add", z("c64", 2, 3), z("c64", 3, 2), call=torch.add)
    for op in ("lt", "ge", "floor_divide", "fmod", "maximum", "atan2", "bitwise_and"):
        family.add(op, z("c64", 3), z("c64", 3, key=1), refused=True, call=getattr(torch, op))
    for op in ("logical_and", "logical_or", "logical_xor"):
        family.add(op, torch.tensor([0j, 1j, 1, 0]), torch.tensor([0j, 0j, 2j, 1]))
    family.add("where", torch.tensor([True, False, True]), z("c64", 2, 3), v.numbers("f64", (3,)))
    family.add("lerp", z("c64", 4), z("c64", 4, key=1), 0.25, tolerance=NEAR, call=torch.lerp)
    family.add("addcmul", z("c64", 4), z("c64", 4, key=1), z("c64", 4, key=2), tolerance=NEAR)
    family.add("addcdiv", z("c128", 4), z("c128", 4, key=1), z("c128", 4, key=2), tolerance=NEAR)
    family.add("isclose", z("c64", 4), z("c64", 4) + 1e-7)
    for name in ("f32", "f64"):
        family.add("complex", v.numbers(name, (2, 3)), v.numbers(name, (3,), 1))
        family.add("polar", v.numbers(name, (2, 3), low=0, high=2), v.numbers(name, (3,), 1), tolerance=FAR)
        family.add("view_as_complex", v.numbers(name, (3, 2)))
    family.add("complex", v.numbers("f32", (2,)), v.numbers("f64", (2,)))
    for x in (v.numbers("f32", (3, 3)), v.numbers("f32", (2, 3)).t(), v.numbers("i32", (2, 2)), v.numbers("f32", (5, 3))[:, :2]):
        family.add("view_as_complex", x)
    family.add("imag", v.numbers("f32", (3,)))


def layouts(family):
    x = z("c64", 2, 3, 4)
    views = [("view", dict(size=[6, -1])), ("permute", dict(dims=[2, 0, -2])), ("transpose", dict(dim0=0, dim1=-1)), ("unsqueeze", dict(dim=-1)),
             ("unsqueeze", dict(dim=0)), ("select", dict(dim=-1, index=2)), ("slice", dict(dim=-2, start=1, end=3)), ("flip", dict(dims=[0, -1])),
             ("diagonal", dict(offset=1, dim1=-2, dim2=-1)), ("diagonal", dict(dim1=0, dim2=1)), ("unfold", dict(dimension=-1, size=2, step=2)),
             ("as_strided", dict(size=[2, 2], stride=[4, 3])), ("roll", dict(shifts=[1], dims=[-1])), ("constant_pad_nd", dict(pad=[1, 2])),
             ("constant_pad_nd", dict(pad=[1, -1], value=2.5)), ("reflection_pad1d", dict(padding=[1, 2])), ("replication_pad2d", dict(padding=[1, 0, 1, 1])),
             ("expand", dict(size=[5, 2, 3, 4])), ("squeeze", {}), ("tril", {}), ("triu", dict(diagonal=1)), ("reshape", dict(shape=[4, -1])),
             ("repeat", dict(repeats=[2, 1, 1])), ("sum", {}), ("sum", dict(dim=[-1], keepdim=True)), ("sum", dict(dim=[0, 2])), ("mean", {}),
             ("mean", dict(dim=[1])), ("prod", {}), ("prod", dict(dim=-1)), ("cumsum", dict(dim=-1)), ("cumprod", dict(dim=1)), ("any", dict(dim=1)),
             ("all", {}), ("var", dict(dim=[1])), ("var_mean", dict(dim=[-1])), ("std", dict(dim=[0], correction=0)), ("linalg_vector_norm", {}),
             ("linalg_vector_norm", dict(ord=1, dim=[-1])), ("nansum", dict(dim=[1])), ("view_as_real", {}), ("adjoint", {})]
    computed = ("sum", "mean", "prod", "cumsum", "cumprod", "var", "var_mean", "std", "linalg_vector_norm")
    for op, attrs in views:
        family.add(op, x, attrs=attrs, tolerance=FAR if op in computed else EXACT)
    family.add("squeeze", z("c64", 2, 1, 3, 1), attrs=dict(dim=-1))
    family.add("expand", z("c64", 2, 1), attrs=dict(size=[-1, 3]))
    family.add("select", z("c64", 3), attrs=dict(dim=1, index=0))
    family.add("view", z("c64", 2, 3), attrs=dict(size=[4]))
    family.add("t", z("c64", 2, 3))
    family.add("constant_pad_nd", z("c64", 3), attrs=dict(pad=[1, 1], value=1 - 2j))
    for tensors in ([z("c64", 2, 3), z("c64", 1, 3)], [z("c64", 2, 3), v.numbers("f32", (2, 3))], [z("c128", 2, 3), z("c64", 2, 3)]):
        family.add("cat", tensors, attrs=dict(dim=0))
    family.add("stack", [z("c64", 2, 3), z("c64", 2, 3, key=1)], attrs=dict(dim=-1))
    at = torch.tensor([1, 0, 1])
    for op, operands, attrs in [
            ("gather", (x, torch.tensor([[[0, 3]], [[1, 1]]])), dict(dim=-1)), ("scatter", (x, torch.tensor([[[0, 3]]]), z("c64", 1, 1, 2)), dict(dim=2)),
            ("scatter_add", (x, torch.tensor([[[0, 0]]]), z("c64", 1, 1, 2)), dict(dim=-1)), ("masked_select", (x, torch.tensor([True, False, False, True])), {}),
            ("masked_fill", (x, torch.tensor([True, False, False, True]), 2 + 1j), {}), ("select_scatter", (x, z("c64", 2, 4)), dict(dim=1, index=2)),
            ("slice_scatter", (x, z("c64", 2, 1, 4)), dict(dim=1, start=1, end=2)), ("fill", (x, 1.5), {}), ("fill", (x, 1.5 + 2j), {}),
            ("copy", (x, z("c128", 4)), {}), ("copy", (x, v.numbers("i32", (4,))), {}), ("diagonal_scatter", (x, z("c64", 4, 2)), {}),
            ("take", (x, torch.tensor([3, -1])), {})]:
        family.add(op, *operands, attrs=attrs, call=dim_second(op) if op in ("gather", "scatter", "scatter_add") else None)
    family.add("index", x, [None, at], call=lambda x, i: x[:, i[1]])
    family.add("index", x, [torch.tensor([[1], [0]]), at], call=lambda x, i: x[i[0], i[1]])
    family.add("full", 1 + 2j, attrs=dict(size=[2, 2], dtype=torch.complex64), call=lambda value, size, dtype: torch.full(size, value, dtype=dtype))
    family.add("full", 2j, attrs=dict(size=[2]), call=lambda value, size: torch.full(size, value))
    for dtype in (torch.complex64, torch.complex128):
        family.add("zeros", attrs=dict(size=[2, 3], dtype=dtype))
        family.add("ones_like", v.swapped(lambda n: v.numbers("f32", n), (2, 3)), attrs=dict(dtype=dtype))
        family.add("_to_copy", v.numbers("i32", (3,)), attrs=dict(dtype=dtype))
        family.add("_to_copy", z("c64", 3, 2).t(), attrs=dict(dtype=dtype))
    family.add("_to_copy", z("c64", 3), attrs=dict(dtype=torch.float64))
    family.add("trace", z("c64", 3, 3), tolerance=NEAR)
    family.add("diag", z("c64", 3), call=torch.diag)


def products(family):
    for name in NAMES:
        for op, a, b in [("mm", (3, 4), (4, 2)), ("bmm", (2, 3, 4), (2, 4, 2)), ("matmul", (2, 3, 4), (4,)), ("matmul", (3,), (3,)), ("dot", (5,), (5,)),
                         ("vdot", (5,), (5,)), ("outer", (3,), (2,)), ("mv", (3, 4), (4,)), ("kron", (2, 2), (2, 3)), ("linalg_vecdot", (2, 3), (2, 3))]:
            family.add(op, z(name, *a), z(name, *b, key=1), tolerance=FAR)
        family.add("addmm", z(name, 2), z(name, 3, 4), z(name, 4, 2), tolerance=FAR)
        family.add("linear", z(name, 3, 4), z(name, 2, 4), z(name, 2), tolerance=FAR)
        family.add("baddbmm", z(name, 2, 3, 2), z(name, 2, 3, 4), z(name, 2, 4, 2), tolerance=FAR)
    family.add("mm", z("c64", 4, 3).t(), z("c64", 4, 2), tolerance=FAR)
    family.add("mm", z("c64", 2, 3), v.numbers("f32", (3, 2)))


def narrow(x, scale):
    """With small imaginary parts: those of sums of larger ones depend on the order by multiples of 2 pi."""
    return torch.complex(x.real * scale, x.imag * 0.2)


def numbers_among_arguments(family):
    for name in NAMES:
        family.add("_conj", z(name, 3), call=torch.conj_physical)
        x, dtype = z(name, 3, 4), z(name).dtype
        for op in ("add", "sub", "rsub"):
            family.add(op, x, z(name, 3, 4, key=1), attrs=dict(alpha=-3.125), tolerance=NEAR)
        family.add("index_add", x, torch.tensor([2, 0]), z(name, 2, 4, key=1), attrs=dict(dim=0, alpha=0.5), tolerance=NEAR,
                   call=lambda x, index, source, dim, alpha: torch.index_add(x, dim, index, source, alpha=alpha))
        for start, end, steps in ((4.3, -3, 5), (0, 1.2, 2), (2, 2, 1), (1, 0.5, 0)):
            family.add("linspace", attrs=dict(start=start, end=end, steps=steps, dtype=dtype), tolerance=NEAR)
            family.add("logspace", attrs=dict(start=start, end=end, steps=steps, dtype=dtype), tolerance=FAR)
        family.add("logspace", attrs=dict(start=0.5, end=1, steps=3, base=-2.0, dtype=dtype), tolerance=FAR)
        for ord in (1, -1, INF, -INF):
            family.add("linalg_matrix_norm", x, attrs=dict(ord=ord), tolerance=FAR)
            family.add("linalg_norm", x, attrs=dict(ord=ord, keepdim=True), tolerance=FAR)


def functions(family):
    for name in NAMES:
        x = z(name, 3, 4)
        family.add("cov", x, tolerance=FAR)
        family.add("cov", x, v.numbers("i32", (4,), low=1, high=4), v.numbers("f32" if name == "c64" else "f64", (4,), low=0.5, high=1), attrs=dict(correction=0), tolerance=FAR,
                   call=lambda x, f, a, correction: torch.cov(x, correction=correction, fweights=f, aweights=a))
        family.add("corrcoef", x, tolerance=FAR)
        family.add("corrcoef", x[0], tolerance=FAR)
        family.add("logaddexp", x, z(name, 4, key=1), tolerance=FAR)
        family.add("logaddexp", x * 300, z(name, 3, 4, key=1) * 300, tolerance=FAR)
        for dim in (0, 1):
            family.add("logcumsumexp", narrow(z(name, 9, 17), 1), attrs=dict(dim=dim), tolerance=FAR)
        family.add("logcumsumexp", narrow(z(name, 40), 50), attrs=dict(dim=0), tolerance=FAR)
        family.add("renorm", x, attrs=dict(p=2, dim=1, maxnorm=0.5), tolerance=FAR)
        family.add("rms_norm", x, attrs=dict(normalized_shape=[4]), tolerance=FAR)
        family.add("rms_norm", x, z(name, 4, key=1), attrs=dict(normalized_shape=[4], eps=0.5), tolerance=FAR, call=rms_norm)
        for reduction in (0, 1, 2):
            family.add("l1_loss", x, z(name, 3, 4, key=1), attrs=dict(reduction=reduction), tolerance=FAR)
        family.add("triplet_margin_loss", x, z(name, 3, 4, key=1), z(name, 3, 4, key=2), tolerance=FAR)
        family.add("as_strided_scatter", x, z(name, 2, 2, key=1), attrs=dict(size=[2, 2], stride=[5, 3], storage_offset=1))
        family.add("detach", x)
        family.add("softmax", x, attrs=dict(dim=1, dtype=torch.float64), tolerance=FAR, call=torch.softmax)
        family.add("log_softmax", x, attrs=dict(dim=0, dtype=torch.float32), tolerance=FAR, call=torch.log_softmax)
        family.add("uniform", x, 2.0, 2.0)
    odd = torch.tensor([complex(-INF, 1), complex(-INF, 2), complex(INF, 0), complex(NAN, 1), complex(700, 1)])
    family.add("logaddexp", odd, torch.tensor([1 + 2j, 1 + 2j, 1 + 1j, 1 + 1j, complex(700, 2)]), tolerance=FAR)
    family.add("logaddexp", z("c64", 3), v.numbers("f32", (3,)), tolerance=FAR)
    family.add("gradient", z("c64", 4, 5), attrs=dict(spacing=2.0), call=lambda x, spacing: torch.gradient(x, spacing=spacing), tolerance=FAR)
    family.add("gradient", z("c64", 5), attrs=dict(spacing=1 + 1j, edge_order=2), call=lambda x, **a: torch.gradient(x, **a), tolerance=FAR)
    family.add("logaddexp2", z("c64", 3), z("c64", 3), refused=True)
    for op in ("mse_loss", "smooth_l1_loss", "huber_loss"):
        family.add(op, z("c64", 3), z("c64", 3), refused=True)
    for op in ("nansum", "isposinf", "nanmean"):
        family.add(op, z("c64", 3))
    # In one visit eagerly: alike, one number, and what is not.
    x = z("c64", 4, 5)
    for y in (z("c64", 4, 5, key=1), z("c64", key=1), z("c128", 4, 5, key=1), z("c64", 5, 4, key=1).t(), z("c64", 5, key=1)):
        family.add("mul", x, y, call=torch.mul, tolerance=FAR)
        family.add("mul", y, x, call=torch.mul, tolerance=FAR)
    family.add("mul", x, 2 - 1j, call=torch.mul, tolerance=FAR)


def rms_norm(x, weight, normalized_shape, eps):
    return torch.rms_norm(x, normalized_shape, weight, eps)


def complex_family():
    family = Family("complex")
    elementwise(family)
    layouts(family)
    products(family)
    functions(family)
    numbers_among_arguments(family)
    return family


# ---- Fourier transforms ----

def transforms(family):
    signals = [v.numbers("f32", (2, 12)), v.numbers("f64", (15, 2)).t(), z("c64", 2, 7), z("c128", 2, 17), z("c64", 3, 8).t(), v.numbers("i32", (9,))]
    for op in ("fft", "ifft", "hfft", "irfft"):
        for x in signals:
            family.add("fft_" + op, x, tolerance=FAR)
    for op in ("rfft", "ihfft"):
        for x in signals:
            family.add("fft_" + op, x, tolerance=FAR)
    for n in (1, 2, 3, 4, 5, 16, 30, 31, 34, 77, 128):
        family.add("fft_fft", z("c128", n), tolerance=FAR)
        family.add("fft_rfft", v.numbers("f64", (n,)), tolerance=FAR)
        family.add("fft_irfft", z("c128", n // 2 + 1), attrs=dict(n=n), tolerance=FAR)
    x = z("c64", 2, 5, 6)
    for norm in ("forward", "backward", "ortho"):
        for op in ("fft", "ifft", "irfft", "hfft"):
            family.add("fft_" + op, x, attrs=dict(norm=norm, n=8, dim=1), tolerance=FAR)
        for op in ("rfft", "ihfft"):
            family.add("fft_" + op, x.real, attrs=dict(norm=norm, n=4, dim=1), tolerance=FAR)
        for op in ("fftn", "ifftn", "irfftn", "hfftn"):
            family.add("fft_" + op, x, attrs=dict(norm=norm), tolerance=FAR)
        for op in ("rfftn", "ihfftn"):
            family.add("fft_" + op, x.real, attrs=dict(norm=norm), tolerance=FAR)
    for op in ("fft2", "ifft2", "irfft2", "hfft2"):
        family.add("fft_" + op, x, tolerance=FAR)
        family.add("fft_" + op, x, attrs=dict(s=[4, 7], dim=[0, 1]), tolerance=FAR)
    for op in ("rfft2", "ihfft2"):
        family.add("fft_" + op, x.real, tolerance=FAR)
        family.add("fft_" + op, x.real, attrs=dict(s=[4, 7], dim=[2, 0]), tolerance=FAR)
    family.add("fft_fftn", x, attrs=dict(s=[-1, 4]), tolerance=FAR)
    family.add("fft_fftn", x, attrs=dict(dim=[0, 1]), tolerance=FAR)
    for attrs in (dict(n=0), dict(dim=3), dict(norm="other")):
        family.add("fft_fft", x, attrs=attrs)
    for attrs in (dict(s=[2], dim=[0, 1]), dict(dim=[1, 1]), dict(s=[2, 2, 2, 2])):
        family.add("fft_fftn", x, attrs=attrs)
    family.add("fft_fft", z("c64"), attrs={})
    for n in (1, 6, 7):
        family.add("fft_fftfreq", attrs=dict(n=n, d=0.5), tolerance=NEAR, call=lambda n, d: torch.fft.fftfreq(n, d))
        family.add("fft_rfftfreq", attrs=dict(n=n), tolerance=NEAR, call=lambda n: torch.fft.rfftfreq(n))
    for normalization in (0, 1, 2):
        family.add("_fft_c2c", x, attrs=dict(dim=[0, 1], normalization=normalization, forward=normalization != 1), tolerance=FAR)
        family.add("_fft_r2c", x.real.contiguous(), attrs=dict(dim=[0, 2], normalization=normalization, onesided=normalization != 1), tolerance=FAR)
        family.add("_fft_c2r", x, attrs=dict(dim=[0, 2], normalization=normalization, last_dim_size=10), tolerance=FAR)


def spectra(family):
    signal, window = v.numbers("f32", (50,)), torch.hann_window(16)
    for attrs in (dict(n_fft=16, return_complex=True), dict(n_fft=16, hop_length=5, win_length=12, return_complex=True), dict(n_fft=15, return_complex=True, onesided=False),
                  dict(n_fft=16, normalized=True, return_complex=True), dict(n_fft=16, return_complex=False), dict(n_fft=16), dict(n_fft=64, return_complex=True)):
        family.add("stft", signal, attrs=attrs, tolerance=FAR, call=ATEN.stft)
    both = dict(n_fft=16, hop_length=4, win_length=16)
    family.add("stft", z("c64", 40), attrs=dict(n_fft=8), tolerance=FAR, call=ATEN.stft)
    spectrum = torch.stft(signal, **both, window=window, return_complex=True)
    for attrs in (dict(center=True), dict(center=True, length=45), dict(center=True, normalized=True)):
        family.add("istft", spectrum, window, attrs=both | attrs, tolerance=FAR, call=lambda s, w, **a: torch.istft(s, window=w, **a))
    family.add("istft", spectrum, attrs=dict(n_fft=16, hop_length=16, center=False), tolerance=FAR, call=ATEN.istft)
    family.add("istft", spectrum.real, attrs=dict(n_fft=16))
    for name in ("hann", "hamming", "blackman", "bartlett", "kaiser"):
        for n in (0, 1, 2, 7, 12):
            for periodic in (True, False):
                family.add(name + "_window", attrs=dict(window_length=n, periodic=periodic), tolerance=NEAR,
                           call=lambda window_length, periodic, name=name: getattr(torch, name + "_window")(window_length, periodic))
        family.add(name + "_window", attrs=dict(window_length=9, dtype=torch.float64), tolerance=FAR,
                   call=lambda window_length, dtype, name=name: getattr(torch, name + "_window")(window_length, dtype=dtype))
    family.add("hamming_window", attrs=dict(window_length=8, periodic=True, alpha=0.6, beta=0.3), tolerance=NEAR,
               call=lambda window_length, periodic, alpha, beta: torch.hamming_window(window_length, periodic, alpha, beta))
    family.add("kaiser_window", attrs=dict(window_length=8, periodic=False, beta=5.0), tolerance=NEAR,
               call=lambda window_length, periodic, beta: torch.kaiser_window(window_length, periodic, beta))


def spectra_family():
    family = Family("spectra")
    transforms(family)
    spectra(family)
    return family


# ---- gradients ----

def gradients():
    family = Gradients("complex_gradient")
    x = z("c128", 2, 3)
    for op in [op for op in UNARY if op != "silu"] + ["neg", "conj_physical", "view_as_real", "sum", "mean"]:
        family.add(op, x)
    for op in ("add", "sub", "mul", "div", "pow"):
        family.add(op, x, z("c128", 3, key=1), call=getattr(torch, op))
    for op in ("mul", "div"):
        family.add(op, x, real(2, 3, low=1, high=2), call=getattr(torch, op))
        family.add(op, real(2, 3), x, call=getattr(torch, op))
    family.add("mm", x, z("c128", 3, 2))
    family.add("bmm", z("c128", 2, 2, 3), z("c128", 2, 3, 2))
    family.add("addmm", z("c128", 2, 2), x, z("c128", 3, 2))
    family.add("cat", [x, real(2, 3)], attrs=dict(dim=1))
    for op, attrs in [("permute", dict(dims=[1, 0])), ("select", dict(dim=-1, index=1)), ("slice", dict(dim=1, start=1)), ("expand", dict(size=[2, 2, 3])),
                      ("cumsum", dict(dim=1)), ("prod", {}), ("view", dict(size=[3, 2])), ("var", dict(dim=[1])), ("flip", dict(dims=[1]))]:
        family.add(op, x, attrs=attrs)
    family.add("gather", x, torch.tensor([[0, 2], [1, 1]]), attrs=dict(dim=1), call=dim_second("gather"))
    family.add("where", torch.tensor([True, False, True]), x, z("c128", 3))
    for n in (5, 6):
        for op in ("fft_fft", "fft_ifft", "fft_hfft", "fft_irfft"):
            family.add(op, z("c128", 2, 4), attrs=dict(n=n, norm="ortho"), second=op == "fft_fft")
        for op in ("fft_rfft", "fft_ihfft"):
            family.add(op, real(n, 2), attrs=dict(dim=0), second=op == "fft_rfft")
    family.add("logcumsumexp", narrow(x, 1), attrs=dict(dim=1))
    for op, attrs in [("cov", {}), ("corrcoef", {}), ("rms_norm", dict(normalized_shape=[3]))]:
        family.add(op, x, attrs=attrs)
    family.add("logaddexp", x, z("c128", 3, key=1))
    family.add("l1_loss", x, z("c128", 2, 3, key=1))
    family.add("fft_fftn", z("c128", 2, 3, 2))
    family.add("fft_rfftn", real(2, 3, 4))
    family.add("stft", real(20), attrs=dict(n_fft=8, return_complex=True), call=ATEN.stft)
    zeros_and_axes(family)
    return family


def zeros_and_axes(family):
    """Where a part, a magnitude or an angle has no derivative."""
    for numbers in ((1 + 2j, 0, 2 + 1j), (1 + 2j, 0, 0), (0, 3 + 1j, 0, 1 + 1j), (0, 0, 0), (2j, 1, -4)):
        x = torch.tensor(numbers, dtype=torch.complex128)
        family.add("prod", x, attrs=dict(dim=0, keepdim=True), second=True)
        family.add("cumprod", x, attrs=dict(dim=0), second=True)
        for dim in (0, 1):
            pair = torch.stack([x, z("c128", x.numel())])
            family.add("prod", pair, attrs=dict(dim=dim), second=True)
            family.add("cumprod", pair, attrs=dict(dim=dim), second=True)
    axes = torch.tensor([2j, 0.5, -4, 2 + 3j, -0.5j], dtype=torch.complex128)
    for op in ("sqrt", "rsqrt", "asin", "acos", "atan", "asinh", "acosh", "atanh", "reciprocal", "log", "abs", "sgn"):
        family.add(op, axes, second=True)
    for exponent in (0.5, -0.5):
        family.add("pow", axes, exponent, call=torch.pow, second=True)
    family.add("div", z("c128", 5), axes, call=torch.div, second=True)
    family.add("abs", torch.zeros(2, dtype=torch.complex128), second=True)
    family.add("sgn", torch.zeros(2, dtype=torch.complex128))
