"""Matrix products and attention."""
import torch

from . import values as v
from .samples import Family, Tolerance

PRODUCT = Tolerance(ulps=2, relative=4, absolute=256)  # sums of at most some hundred products of order four
ATTENTION = Tolerance(ulps=4, relative=16, absolute=64, roundings=4)  # halves are rounded between its steps
SIZES = [(1, 1, 1), (3, 17, 5), (17, 33, 1), (1, 100, 33), (33, 3, 17), (0, 3, 2), (3, 0, 2), (3, 2, 0), (35, 70, 65)]
DTYPES = v.FLOATS + ["i32", "i64"]


def matrices(name, m, k, n, layout=v.plain):
    make = lambda key: lambda sizes: v.numbers(name, sizes, key)
    return layout(make("a"), (m, k)), layout(make("b"), (k, n))


def mm(family):
    for name in DTYPES:
        for sizes in SIZES if name == "f32" else SIZES[1:4] + SIZES[6:7]:
            family.add("mm", *matrices(name, *sizes), tolerance=PRODUCT)
        for layout in (v.transposed, v.stepped, v.expanded):
            family.add("mm", *matrices(name, 3, 17, 5, layout), tolerance=PRODUCT)
    a, b = matrices("f32", 3, 4, 5)
    for x, y in ((a, a), (a, b[0]), (a, b.double()), (a.unsqueeze(0), b)):
        family.add("mm", x, y)


def bmm(family):
    for name in DTYPES:
        for batch, m, k, n in [(2, 3, 17, 5), (1, 1, 33, 3), (3, 2, 0, 2), (0, 3, 2, 4)]:
            family.add("bmm", v.numbers(name, (batch, m, k), "a"), v.numbers(name, (batch, k, n), "b"), tolerance=PRODUCT)
    make = lambda sizes: v.numbers("f32", sizes, "bmm")
    for layout in (v.transposed, v.stepped, v.expanded, v.swapped):
        family.add("bmm", layout(make, (2, 3, 7)), layout(make, (2, 7, 5)), tolerance=PRODUCT)
    for a, b in (((2, 3, 4), (3, 4, 5)), ((2, 3, 4), (2, 5, 4)), ((3, 4), (4, 5))):
        family.add("bmm", make(a), make(b))


def int_mm(family):
    whole = lambda m, k, n: (v.numbers("i8", (m, k), "a", low=-128, high=127), v.numbers("i8", (k, n), "b", low=-128, high=127))
    for sizes in SIZES:
        family.add("_int_mm", *whole(*sizes))
    least, most = torch.full((3, 17), -128, dtype=torch.int8), torch.full((3, 17), 255, dtype=torch.uint8)
    for left in (least, most):
        family.add("_int_mm", left, least.t())
    for layout in (v.transposed, v.stepped):  # torch 2.13 misreads one whose rows are the same memory
        family.add("_int_mm", *matrices("i8", 3, 17, 5, layout))
    a, b = whole(3, 4, 5)
    for x, y in ((a, a), (a, b[0]), (a.int(), b.int()), (a, b.int()), (a, b.to(torch.uint8)), (a.float(), b.float())):
        family.add("_int_mm", x, y)


def addmm(family):
    scaled = lambda c, a, b, beta, alpha: torch.ops.aten.addmm(c, a, b, beta=beta, alpha=alpha)
    for name in DTYPES:
        a, b = matrices(name, 3, 17, 5)
        for sizes in ((5,), (3, 5), (1, 5), (3, 1), ()):
            family.add("addmm", v.numbers(name, sizes, "c"), a, b, tolerance=PRODUCT)
        family.add("addmm", v.numbers(name, (5,), "c"), a, b, 2, -1, call=scaled, tolerance=PRODUCT)
    a, b = matrices("f32", 3, 17, 5)
    family.add("addmm", torch.full((5,), float("nan")), a, b, 0, 0.5, call=scaled, tolerance=PRODUCT)
    family.add("addmm", v.numbers("f32", (3, 5), "c"), *matrices("f32", 3, 0, 5), 0.5, 2, call=scaled, tolerance=PRODUCT)
    family.add("addmm", v.numbers("f32", (4,), "c"), a, b)


def linear(family):
    for name in DTYPES:
        for sizes in ((3, 17), (17,), (2, 3, 17), (0, 17), (1, 1, 17), (2, 2, 2, 17)):
            weight = v.numbers(name, (5, 17), "weight")
            for bias in (v.numbers(name, (5,), "bias"), None):
                family.add("linear", v.numbers(name, sizes, "x"), weight, bias, tolerance=PRODUCT)
    x = v.numbers("f32", (3, 17), "x")
    family.add("linear", v.transposed(lambda n: v.numbers("f32", n), (3, 17)), v.transposed(lambda n: v.numbers("f32", n), (5, 17)), None, tolerance=PRODUCT)
    family.add("linear", v.numbers("f32", (1, 100)), v.numbers("f32", (33, 100), "weight"), v.numbers("f32", (33,)), tolerance=PRODUCT)
    family.add("linear", x, v.numbers("f32", (5, 16)), None)
    family.add("linear", x, v.numbers("f32", (5, 17)), v.numbers("f32", (4,)))


def matmul(family):
    for a, b in (((3, 17), (17, 5)), ((17,), (17,)), ((3, 17), (17,)), ((17,), (17, 5)), ((2, 3, 17), (17, 5)), ((2, 1, 3, 4), (3, 4, 5)),
                 ((3, 4), (2, 4, 5)), ((0, 3, 4), (4, 5)), ((2, 3, 0), (2, 0, 5)), ((3, 4), (5, 4)), ((), (3,)), ((2, 3, 4), (3, 4, 5))):
        for name in ("f32", "f64", "bf16", "i64") if a == (3, 17) else ("f32",):
            family.add("matmul", v.numbers(name, a, "a"), v.numbers(name, b, "b"), tolerance=PRODUCT)


def attend(family, q, k, value, mask=None, **attrs):
    def call(q, k, value, mask, **attrs):
        mask = mask.to(q.dtype) if mask is not None and mask.is_floating_point() else mask
        return torch.nn.functional.scaled_dot_product_attention(q, k, value, mask, **attrs)
    family.add("scaled_dot_product_attention", q, k, value, mask, attrs=attrs, call=call, tolerance=ATTENTION)


def grouped_attention(family):
    for name in ("f32", "bf16"):
        q, k, value = (v.numbers(name, (2, heads, n, 8), key, low=-1, high=1) for heads, n, key in ((6, 5, "q"), (2, 7, "k"), (2, 7, "v")))
        attend(family, q, k, value, enable_gqa=True)
        attend(family, q, k, value, is_causal=True, scale=0.5, enable_gqa=True)
    for sizes in ((5, 7), (1, 5, 7), (6, 5, 7), (2, 1, 1, 7), (2, 6, 5, 7)):
        mask = v.numbers("bool", sizes, "mask") | (torch.arange(7) == 0)
        attend(family, q, k, value, mask, enable_gqa=True)
    make = lambda *sizes: v.numbers("f32", sizes, "grouped", low=-1, high=1)
    attend(family, make(6, 5, 4), make(2, 7, 4), make(3, 7, 4), enable_gqa=True)
    attend(family, make(4, 5, 4), make(4, 7, 4), make(4, 7, 3), enable_gqa=True)
    attend(family, make(4, 5, 4), make(1, 7, 4), make(1, 7, 4), enable_gqa=True)
    attend(family, make(2, 5, 6, 4).transpose(1, 2), make(2, 5, 2, 4).transpose(1, 2), make(2, 5, 2, 4).transpose(1, 2), enable_gqa=True)
    attend(family, make(5, 5, 4), make(2, 7, 4), make(2, 7, 4), enable_gqa=True)


def attention(family):
    for name in v.FLOATS:
        q, k, value = (v.numbers(name, (1, 2, n, 8), key, low=-1, high=1) for n, key in ((5, "q"), (7, "k"), (7, "v")))
        attend(family, q, k, value)
        attend(family, q, k, value, is_causal=True)
        attend(family, q, k, value, scale=0.25)
        attend(family, q, k, value, v.numbers("bool", (5, 7), "mask") | (torch.arange(7) == 0))
        attend(family, q, k, value, v.numbers(name, (1, 1, 5, 7), "mask"))
        attend(family, q, k, value, torch.zeros(7, dtype=v.DTYPES[name]).index_fill(0, torch.tensor([5, 6]), float("-inf")).expand(1, 2, 5, 7))
    make = lambda *sizes: v.numbers("f32", sizes, "attention", low=-1, high=1)
    attend(family, make(3, 5), make(7, 5), make(7, 3))
    attend(family, make(2, 17, 33), make(2, 17, 33), make(2, 17, 33), is_causal=True)
    attend(family, make(1, 1, 1, 4), make(1, 1, 1, 4), make(1, 1, 1, 4))
    q = v.numbers("f32", (1, 5, 2, 8), "q", low=-1, high=1).transpose(1, 2)
    attend(family, q, q, q, is_causal=True)
    attend(family, make(1, 2, 3, 4), make(1, 2, 3, 4), make(1, 2, 3, 4), torch.zeros(3, 3), is_causal=True)
    grouped_attention(family)
    attend(family, make(1, 2, 3, 4), make(1, 2, 3, 5), make(1, 2, 3, 5))


def convolve(family, x, weight, bias=None, tolerance=PRODUCT, **attrs):
    attrs = {"stride": [1, 1], "padding": [0, 0], "dilation": [1, 1], "groups": 1} | attrs
    family.add("conv2d", x, weight, bias, attrs=attrs, call=torch.nn.functional.conv2d, tolerance=tolerance)


def convolution(family):
    make = lambda name, *sizes: v.numbers(name, sizes, "conv")
    for name in v.FLOATS:
        convolve(family, make(name, 2, 3, 6, 7), make(name, 5, 3, 3, 3), make(name, 5))
        convolve(family, make(name, 4, 5, 5), make(name, 6, 2, 3, 2), None, groups=2, padding=[1, 0])
    x = make("f32", 1, 4, 9, 8)
    convolve(family, x, make("f32", 2, 4, 3, 3), stride=[2, 3], padding=[1, 2])
    convolve(family, x, make("f32", 2, 4, 3, 2), make("f32", 2), dilation=[3, 2], padding=[2, 1])
    convolve(family, x, make("f32", 8, 1, 3, 3), make("f32", 8), groups=4, stride=[2, 1])
    convolve(family, x, make("f32", 3, 4, 1, 1))
    convolve(family, x, make("f32", 3, 4, 9, 8))
    convolve(family, make("f32", 0, 4, 5, 5), make("f32", 3, 4, 3, 3), make("f32", 3))
    convolve(family, v.swapped(lambda n: v.numbers("f32", n, "conv"), (1, 4, 9, 8)), make("f32", 2, 4, 3, 3))
    for wrong in ((make("f32", 5), make("f32", 5, 3, 3, 3)), (make("f32", 1, 4, 8, 8), make("f32", 5, 3, 3, 3)),
                  (x, make("f32", 2, 4, 10, 3)), (x, make("f32", 2, 4, 3, 3), make("f32", 3)), (x, make("f64", 2, 4, 3, 3)), (x, make("f32", 2, 4, 3))):
        convolve(family, *wrong)
    convolve(family, x, make("f32", 3, 2, 3, 3), groups=2)
    convolve(family, x, make("f32", 2, 4, 3, 3), stride=[0, 1])
    convolve(family, x, make("f32", 2, 4, 3, 3), padding=[-1, 0])


def windows_times(x, weight, stride, padding, padding_after, dilation, groups):
    """What `convolve` computes: a convolution of x, padded differently on both sides."""
    F = torch.nn.functional
    pad = [n for both in zip(reversed(padding), reversed(padding_after)) for n in both]
    conv = {3: F.conv1d, 4: F.conv2d, 5: F.conv3d}[weight.dim()]
    return conv(F.pad(x, pad), weight, None, stride, 0, dilation, groups)


def windows_weights(x, gradient, stride, padding, padding_after, dilation, groups, taps):
    """What `convolve_weights` computes: the gradient of the weights of `windows_times`."""
    weight = torch.zeros(gradient.shape[1], x.shape[1] // groups, *taps, dtype=x.dtype, requires_grad=True)
    times = lambda w: windows_times(x, w, stride, padding, padding_after, dilation, groups)
    return torch.autograd.grad(times(weight), weight, gradient, create_graph=True)[0]


def contraction(family):
    def add(x, weight, *numbers):
        attrs = dict(zip(("stride", "padding", "padding_after", "dilation", "groups"), numbers))
        family.add("convolve", x, weight, attrs=attrs, call=windows_times, tolerance=PRODUCT)

    make = lambda name, *sizes: v.numbers(name, sizes, "conv")
    for name in v.FLOATS:
        add(make(name, 2, 20, 9), make(name, 3, 20, 3), [2], [1], [0], [1], 1)
        add(make(name, 2, 4, 5, 6), make(name, 34, 2, 3, 2), [1, 2], [0, 1], [1, -1], [2, 1], 2)
        add(make(name, 1, 3, 4, 5, 6), make(name, 5, 3, 2, 3, 3), [1, 2, 1], [1, 0, 1], [0, 1, 1], [1, 1, 2], 1)
    small = lambda *sizes: v.numbers("f32", sizes, "conv", low=-1, high=1)
    add(small(1, 400, 2, 3), small(2, 400, 2, 2), [1, 1], [1, 1], [0, 0], [1, 1], 1)
    add(small(5, 32, 7, 7), small(32, 1, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1], 32)
    add(small(2, 20, 3, 3), small(20, 20, 1, 1), [1, 1], [0, 0], [0, 0], [1, 1], 1)
    add(v.swapped(lambda n: small(*n), (2, 20, 9, 8)), small(17, 20, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1], 1)
    add(small(1, 2, 5, 5), small(2, 2, 3, 3), [1, 1], [4, 4], [0, 0], [1, 1], 1)
    add(small(1, 2, 5, 5), small(2, 2, 7, 3), [1, 1], [0, 0], [0, 0], [1, 1], 1)


def products():
    family = Family("product")
    for part in (mm, bmm, int_mm, addmm, matmul, linear, attention, convolution, contraction):
        part(family)
    return family
