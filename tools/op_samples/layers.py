"""Convolutions of all ranks, transposed ones, and other layers, with their gradients."""
import torch

from . import values as v
from .formats import formats
from .gradients import Gradients, real
from .products import PRODUCT
from .recurrent import recurrent, recurrent_gradients
from .samples import Family

aten = torch.ops.aten
NAMES = {1: "conv1d", 2: "conv2d", 3: "conv3d"}
TRANSPOSES = {1: "conv_transpose1d", 2: "conv_transpose2d", 3: "conv_transpose3d"}
PLANES = {1: (7,), 2: (4, 5), 3: (3, 2, 4)}
KERNELS = {1: (3,), 2: (2, 3), 3: (2, 1, 2)}


def numbers(rank, **given):
    """The attributes of a convolution, one number for each dimension."""
    attrs = {"stride": 1, "padding": 0, "dilation": 1, "groups": 1} | given
    return {k: x if k == "groups" or isinstance(x, (str, list)) else [x] * rank for k, x in attrs.items()}


LAYOUTS = (v.stepped, v.transposed, v.expanded)


def convolutions(family):
    def add(x, w, bias=None, rank=None, **given):
        rank = rank or w.dim() - 2
        call = getattr(torch.nn.functional, NAMES[rank])
        family.add(NAMES[rank], x, w, bias, attrs=numbers(rank, **given), call=call, tolerance=PRODUCT)

    make = lambda name, *sizes: v.numbers(name, sizes, "conv")
    for rank, plane in PLANES.items():
        kernel = KERNELS[rank]
        for name in v.FLOATS + ["i8", "i64"] if rank < 3 else ["f32", "f16", "i64"]:
            add(make(name, 2, 4, *plane), make(name, 4, 2, *kernel), make(name, 4), groups=2, padding=1, stride=2)
            add(make(name, 3, *plane), make(name, 2, 3, *kernel), dilation=2)
        add(make("bool", 1, 2, *plane), make("bool", 2, 2, *kernel))
        for padding in ("same", "valid"):
            add(make("f32", 2, 3, *plane), make("f32", 4, 3, *kernel), make("f32", 4), padding=padding, dilation=2)
            add(make("f32", 3, *plane), make("f32", 4, 3, *kernel), padding=padding)
        add(make("f32", 2, 3, *plane), make("f32", 4, 3, *kernel), padding="same", stride=2)
        add(make("f32", 0, 3, *plane), make("f32", 4, 3, *kernel), make("f32", 4))
        for layout in LAYOUTS[rank > 1:]:
            add(layout(lambda n: make("f32", *n), (2, 3, *plane)), layout(lambda n: make("f32", *n), (2, 3, *kernel)))
    for name in ("f32", "bf16", "i64"):
        x, w = make(name, 2, 4, 4, 5), make(name, 2, 4, 2, 3)
        add(x.to(memory_format=torch.channels_last), w, make(name, 2), padding=1)
        add(x, w.to(memory_format=torch.channels_last), stride=2)
        add(x.to(memory_format=torch.channels_last), make(name, 4, 1, 2, 3), groups=4)
        add(x.to(memory_format=torch.channels_last)[:1, :, ::2], make(name, 2, 4, 1, 1))
        add(x.to(memory_format=torch.channels_last)[0], w)
    x = make("f32", 2, 3, 9)
    for wrong, w in ((x[0, 0], make("f32", 4, 3, 3)), (x, make("f32", 4, 3)), (x, make("f32", 4, 2, 3)), (x, make("f64", 4, 3, 3)), (x, make("f32", 4, 3, 10)),
                     (x[None], make("f32", 4, 3, 3)), (x, make("f32", 4, 3, 0)), (x, make("f32", 0, 3, 3))):
        add(wrong, w, rank=1)
    for wrong in ({"stride": [1, 2]}, {"stride": 0}, {"padding": -1}, {"padding": "full"}, {"groups": 2}, {"groups": 0}):
        add(x, make("f32", 4, 3, 3), **wrong)
    for bias in (make("f32", 3), make("f64", 4), make("f32", 1, 4)):
        add(x, make("f32", 4, 3, 3), bias)


def transposes(family):
    def add(x, w, bias=None, rank=None, **given):
        rank = rank or w.dim() - 2
        attrs = numbers(rank, **({"output_padding": 0} | given))
        call = getattr(torch.nn.functional, TRANSPOSES[rank])
        family.add(TRANSPOSES[rank], x, w, bias, attrs=attrs, call=call, tolerance=PRODUCT)

    make = lambda name, *sizes: v.numbers(name, sizes, "conv")
    for rank, plane in PLANES.items():
        plane, kernel = tuple(n // 2 + 1 for n in plane), KERNELS[rank]
        for name in v.FLOATS + ["i64"] if rank < 3 else ["f32", "bf16"]:
            add(make(name, 2, 2, *plane), make(name, 2, 2, *kernel), make(name, 4), groups=2, stride=2)
            add(make(name, 3, *plane), make(name, 3, 2, *kernel), padding=int(rank < 3))
        add(make("f32", 0, 3, *plane), make("f32", 3, 4, *kernel), make("f32", 4), stride=2)
        for layout in LAYOUTS[rank > 1:]:
            add(layout(lambda n: make("f32", *n), (2, 3, *plane)), layout(lambda n: make("f32", *n), (3, 2, *kernel)), stride=3, output_padding=2)
    x = make("f32", 1, 4, 5)
    for kernel in (1, 2, 3, 5):  # fewer, as many, and more taps than phases
        for stride in (1, 2, 3):
            add(x, make("f32", 4, 2, kernel), stride=stride, padding=kernel // 2, output_padding=stride - 1)
        add(x, make("f32", 4, 2, kernel), stride=2, dilation=3, output_padding=2, padding=1)
        add(x, make("f32", 4, 2, kernel), dilation=2, groups=2)
    image = make("f32", 1, 4, 3, 4)
    for kernel, stride, padding in (((4, 4), [2, 2], 1), ((3, 3), [2, 2], 1), ((2, 2), [2, 2], 0), ((1, 1), [2, 2], 0), ((5, 3), [2, 3], [3, 0]), ((2, 3), [3, 2], 0)):
        add(image, make("f32", 4, 2, *kernel), make("f32", 4), groups=2, stride=stride, padding=padding, output_padding=[stride[0] - 1, 0])
    for channels in (2, 32):  # phases of many channels begin at their own elements
        many = make("f32", 1, 2, 3, 2)
        for kernel, stride, padding, dilation, output in (((4, 4), 2, 1, 1, 0), ((5, 3), 3, 1, 1, 1), ((3, 2), 2, 2, 3, 1), ((2, 3), 2, 1, 2, 0), ((3, 3), 4, 3, 6, 5), ((1, 2), 3, 0, 1, 0)):
            add(many, make("f32", 2, channels, *kernel), stride=stride, padding=padding, dilation=dilation, output_padding=output)
    for sizes in ((1, 1), (1, 3)):  # one element has no neighbours
        for stride, padding, output in ((1, 0, 0), (1, 1, 0), (2, 1, 1), (5, 2, 4)):
            add(make("f32", 2, 3, *sizes), make("f32", 3, 2, 4, 3), stride=stride, padding=padding, output_padding=output)
    add(make("f32", 1, 2, 2, 1, 2), make("f32", 2, 32, 3, 4, 2), stride=2, padding=1)
    for wrong, w in ((x[0, 0], make("f32", 4, 2, 3)), (x, make("f32", 4, 2)), (x, make("f32", 3, 2, 3)), (x, make("f64", 4, 2, 3)), (x[..., :0], make("f32", 4, 2, 3)),
                     (x[None], make("f32", 4, 2, 3))):
        add(wrong, w, rank=1)
    for wrong in ({"stride": 0}, {"padding": -1}, {"output_padding": 1}, {"output_padding": -1, "stride": 2}, {"groups": 3}, {"padding": 4}, {"stride": [1, 1]}):
        add(x, make("f32", 4, 2, 3), **wrong)
    add(x, make("f32", 4, 2, 3), make("f32", 4))
    for name in ("f32", "f16"):
        x, w = make(name, 2, 2, 3, 2), make(name, 2, 2, 2, 3)
        add(x.to(memory_format=torch.channels_last), w, stride=2)
        add(x, w.to(memory_format=torch.channels_last), make(name, 2))


def core(family):
    """The forms of core ATen."""
    def forward(x, w, bias=None, transposed=False, output_padding=0, **given):
        rank = w.dim() - 2
        attrs = numbers(rank, **given) | {"transposed": transposed, "output_padding": [output_padding] * rank}
        call = lambda x, w, b, stride, padding, dilation, groups, transposed, output_padding: aten.convolution(
            x, w, b, stride, padding, dilation, transposed, output_padding, groups)
        family.add("convolution", x, w, bias, attrs=attrs, call=call, tolerance=PRODUCT)

    def backward(x, w, mask, transposed=False, bias_sizes=None, grow=0, **given):
        rank = w.dim() - 2
        a = numbers(rank, **given)
        y = aten.convolution(x, w, None, a["stride"], a["padding"], a["dilation"], transposed, [0] * rank, a["groups"])
        g = v.numbers(v.NAMES[x.dtype], (*y.shape[:-1], y.shape[-1] + grow), "g")
        def call(g, x, w, stride, padding, dilation, groups, transposed, output_padding, bias_sizes, output_mask):
            outs = aten.convolution_backward(g, x, w, bias_sizes, stride, padding, dilation, transposed, output_padding, groups, output_mask)
            return [o if wanted else None for o, wanted in zip(outs, output_mask)]  # some of its kernels give more

        family.add("convolution_backward", g, x, w, call=call, tolerance=PRODUCT,
                   attrs=a | {"transposed": transposed, "output_padding": [0] * rank, "bias_sizes": bias_sizes, "output_mask": mask})

    make = lambda name, *sizes: v.numbers(name, sizes, "conv", low=-2, high=2)
    for name in v.FLOATS:
        forward(make(name, 2, 4, 7), make(name, 3, 4, 3), make(name, 3), padding=1)
        forward(make(name, 2, 4, 4), make(name, 4, 3, 3), make(name, 3), transposed=True, stride=2, output_padding=1)
        backward(make(name, 2, 4, 4), make(name, 4, 3, 3), [True, True, True], True, [3], stride=2)
        backward(make(name, 2, 4, 3, 4), make(name, 2, 2, 3, 2), [True, True, True], False, [2], padding=1, groups=2)
    for mask in ([True, False, False], [False, True, False], [False, False, True], [False, False, False]):
        for transposed in (False, True):
            backward(make("f32", 2, 4, 5), make("f32", 4, 4, 3), mask, transposed, padding=1)
    backward(make("f32", 1, 2, 4, 3, 5), make("f32", 3, 2, 2, 2, 2), [True, True, True], stride=2, padding=1)
    backward(make("f32", 2, 2, 3, 4), make("f32", 2, 1, 3, 3), [True, True, True], True, stride=2, padding=1, dilation=2, groups=2)
    backward(make("f32", 0, 4, 5), make("f32", 4, 4, 3), [True, True, True], bias_sizes=[4])
    backward(make("f32", 2, 4, 5), make("f32", 3, 4, 3), [True, True, True], grow=1)
    forward(make("f32", 4, 7), make("f32", 3, 4, 3))
    forward(make("f32", 1, 4, 7), make("f32", 3, 4))


def layers():
    family = Family("layers")
    for part in (convolutions, transposes, core, recurrent, formats):
        part(family)
    return family


def layer_gradients():
    family = Gradients("layer_gradient")
    for rank, plane in PLANES.items():
        x, kernel = real(2, 4, *plane), KERNELS[rank]
        second = rank < 3
        family.add(NAMES[rank], x, real(4, 2, *kernel), real(4), attrs=numbers(rank, stride=2, padding=1, groups=2), second=second)
        family.add(NAMES[rank], x, real(2, 4, *kernel), None, attrs=numbers(rank, padding="same", dilation=2), call=getattr(torch.nn.functional, NAMES[rank]))
        name = TRANSPOSES[rank]
        call = getattr(torch.nn.functional, name)
        family.add(name, x, real(4, 2, *kernel), real(4), attrs=numbers(rank, output_padding=1, stride=2, padding=1, groups=2), call=call, second=second)
        family.add(name, x[0], real(4, 2, *kernel), None, attrs=numbers(rank, output_padding=0, dilation=2, stride=2), call=call)
    recurrent_gradients(family)
    return family
