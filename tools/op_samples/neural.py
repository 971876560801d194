"""Activation functions and losses that are written with ops, and their gradients."""
import torch
import torch.nn.functional as F

from . import values as v
from .gradients import Gradients, real, row
from .samples import EQUAL, Family, Tolerance

STEPS = Tolerance(ulps=4, relative=4, absolute=4)
LOSS = Tolerance(ulps=8, relative=32, absolute=32)
LAYOUTS = [(v.transposed, (3, 17)), (v.stepped, (3, 5)), (v.swapped, (2, 3, 4)), (v.plain, ()), (v.plain, (0,))]
ATEN = torch.ops.aten

# op -> lists of numbers after the operand
ACTIVATIONS = {"hardsigmoid": [[]], "hardswish": [[]], "relu6": [[]], "mish": [[]], "selu": [[]], "celu": [[1.0], [2.5], [-0.5]],
               "softsign": [[]], "tanhshrink": [[]], "hardshrink": [[0.5], [0], [2]], "softshrink": [[0.5], [0], [2]],
               "threshold": [[0, 0], [1.5, -2], [0.1, 7]], "log_sigmoid": [[]], "rrelu": [[0.125, 0.5]]}
PYTHON = {"softsign": F.softsign, "tanhshrink": F.tanhshrink}


def activations(family):
    for op, lists in ACTIVATIONS.items():
        call = PYTHON.get(op)
        for numbers in lists:
            for name in v.ALL:
                x = v.hard(name, 40 if v.is_float(name) else 16, low=-6, high=6)
                # Huge numbers overflow in different places.
                x = torch.where(x.abs() > 1e4, torch.full_like(x, 3), x) if v.is_float(name) else x
                x = v.numbers(name, (16,)) if op == "softsign" and name in v.INTEGERS else x  # torch overflows at the edges
                family.add(op, x, *numbers, call=call, tolerance=STEPS)
        for layout, sizes in LAYOUTS:
            family.add(op, layout(lambda n: v.numbers("f32", n), sizes), *lists[0], call=call, tolerance=STEPS)
    family.add("celu", v.numbers("f32", (3,)), 0.0)
    family.add("softshrink", v.numbers("f32", (3,)), -1.0)
    family.add("rrelu", v.numbers("f32", (3,)), 0.5, 0.25)
    for name in v.FLOATS:
        for sizes, channels in [((), ()), ((5,), (1,)), ((3, 4), (4,)), ((2, 3, 5), (3,)), ((2, 3), (1,)), ((0, 3), (3,))]:
            family.add("prelu", v.numbers(name, sizes, "x"), v.numbers(name, channels, "w"), tolerance=STEPS)
    for x, w in [((3, 4), (3,)), ((4,), (4,)), ((3, 4), (1, 4))]:
        family.add("prelu", v.numbers("f32", x), v.numbers("f32", w))
    family.add("prelu", v.numbers("f32", (3, 4)), v.numbers("f64", (4,)))
    family.add("_prelu_kernel", v.numbers("f32", (3, 4)), v.numbers("f32", (1, 4)))
    halves(family)


def halves(family):
    for name in v.FLOATS:
        for sizes, dim in [((6,), -1), ((2, 3), 0), ((2, 4, 3), 1), ((0, 2), -1)]:
            family.add("glu", v.numbers(name, sizes), tolerance=STEPS, attrs={"dim": dim})
            family.add("softmin", v.numbers(name, sizes), call=F.softmin, tolerance=LOSS, attrs={"dim": dim})
    family.add("glu", v.numbers("f32", (3,)), attrs={"dim": 0})
    family.add("glu", v.numbers("f32", ()), attrs={"dim": 0})
    family.add("softmin", v.numbers("i64", (3,)), call=F.softmin, tolerance=LOSS, attrs={"dim": 0, "dtype": torch.float32})


# op -> (call, lists of attributes, whether the target is 1 or -1)
PAIRS = {"mse_loss": ([{}], None), "l1_loss": ([{}], None), "smooth_l1_loss": ([{"beta": 1.0}, {"beta": 0.0}, {"beta": 2.5}], None),
         "huber_loss": ([{"delta": 1.0}, {"delta": 0.3}], None), "kl_div": ([{"log_target": False}, {"log_target": True}], "probability"),
         "hinge_embedding_loss": ([{"margin": 1.0}, {"margin": -0.5}], "sign"), "soft_margin_loss": ([{}], "sign"),
         "binary_cross_entropy_with_logits": ([{}], "probability")}


def target_of(kind, name, sizes):
    if kind == "sign":
        return torch.where(v.numbers("bool", sizes, "sign"), 1, -1).to(v.DTYPES[name])
    if kind == "probability":
        return v.numbers(name, sizes, "target", low=0, high=1)
    return v.numbers(name, sizes, "target")


def pairs(family):
    for op, (lists, kind) in PAIRS.items():
        for attrs in lists:
            for name in v.FLOATS:
                for reduction in (0, 1, 2):
                    sizes = [(3, 5), (7,), (2, 3, 2)][reduction]
                    family.add(op, v.numbers(name, sizes, "x"), target_of(kind, name, sizes), tolerance=LOSS, attrs=attrs | {"reduction": reduction})
        family.add(op, v.numbers("f32", ()), target_of(kind, "f32", ()), tolerance=LOSS)
        family.add(op, v.numbers("f32", (3, 5)), target_of(kind, "f32", (5,)), tolerance=LOSS, attrs={"reduction": 0})
        family.add(op, v.transposed(lambda n: v.numbers("f32", n), (3, 5)), target_of(kind, "f32", (3, 5)), tolerance=LOSS, attrs={"reduction": 0})
        family.add(op, v.numbers("f32", (0, 5)), target_of(kind, "f32", (0, 5)), tolerance=LOSS)
        family.add(op, v.numbers("f32", (4,)), target_of(kind, "f32", (3,)))
    family.add("smooth_l1_loss", v.numbers("f32", (4,)), v.numbers("f32", (4,), 1), attrs={"beta": -1.0})
    family.add("huber_loss", v.numbers("f32", (4,)), v.numbers("f32", (4,), 1), attrs={"delta": 0.0})
    family.add("kl_div", v.numbers("f32", (4,)), torch.tensor([0.0, 0.5, 0.0, 1.0]), tolerance=LOSS, attrs={"reduction": 0})


def entropies(family):
    for name in v.FLOATS:
        for reduction in (0, 1, 2):
            x, t, w = (v.numbers(name, (3, 5), key, low=0.01, high=0.99) for key in "xtw")
            for weight in (None, w, w[0]):
                family.add("binary_cross_entropy", x, t, weight, tolerance=LOSS, attrs={"reduction": reduction})
            logits = v.numbers(name, (3, 5), "logits") * 4
            for weight, positive in ((w, None), (None, w[0]), (w, w[0])):
                family.add("binary_cross_entropy_with_logits", logits, t, weight, positive, tolerance=LOSS, attrs={"reduction": reduction})
    edges = torch.tensor([0.0, 1.0, 0.0, 1.0, 1e-45, 0.5])
    family.add("binary_cross_entropy", edges, torch.tensor([0.0, 1.0, 1.0, 0.0, 1.0, 0.25]), tolerance=LOSS, attrs={"reduction": 0})
    family.add("binary_cross_entropy", torch.rand(3, 5), torch.rand(5))
    family.add("binary_cross_entropy_with_logits", torch.tensor([100.0, -100.0]), torch.tensor([0.0, 1.0]), tolerance=LOSS, attrs={"reduction": 0})
    likelihoods(family)


def likelihoods(family):
    poisson = lambda x, t, **attrs: ATEN.poisson_nll_loss(x, t, **attrs)
    gauss = lambda x, t, var, full, eps, reduction: F.gaussian_nll_loss(x, t, var, full=full, eps=eps, reduction=("none", "mean", "sum")[reduction])
    for name in v.FLOATS:
        for reduction in (0, 1, 2):
            x, t = v.numbers(name, (3, 4), "x", low=0.5, high=2), v.numbers(name, (3, 4), "t", low=0, high=4)
            for log_input in (False, True):
                family.add("poisson_nll_loss", x, t, call=poisson, tolerance=LOSS,
                           attrs={"log_input": log_input, "full": log_input == (reduction == 1), "eps": 1e-8 if name in ("f32", "f64") else 0.125, "reduction": reduction})
            for sizes in ((3, 4), (3, 1), (3,)):
                variance = v.numbers(name, sizes, "var", low=0.5, high=2)
                family.add("gaussian_nll_loss", x, t, variance, call=gauss, tolerance=LOSS, attrs={"full": reduction == 1, "eps": 0.75, "reduction": reduction})


def classes(family):
    nll = lambda x, t, w=None, **attrs: ATEN.nll_loss_nd(x, t, w, **attrs)
    entropy = lambda x, t, w=None, **attrs: ATEN.cross_entropy_loss(x, t, w, **attrs)
    for name in v.FLOATS:
        for sizes in ((6, 5), (5,), (2, 5, 3), (2, 5, 2, 3)):
            x = v.numbers(name, sizes, "classes")
            t = torch.randint(0, 5, sizes[:1] + sizes[2:] if len(sizes) > 1 else (), generator=v.generator("target", sizes))
            w = v.numbers(name, (5,), "weight", low=0.5, high=2)
            for reduction in (0, 1, 2):
                for weight in (None, w):
                    attrs = {"reduction": reduction, "ignore_index": -100 if len(sizes) == 1 else int(t.flatten()[0])}
                    family.add("nll_loss_nd", x, t, weight, call=nll, tolerance=LOSS, attrs=attrs)
                    family.add("cross_entropy_loss", x, t, weight, call=entropy, tolerance=LOSS, attrs=attrs)
                    family.add("cross_entropy_loss", x, t, weight, call=entropy, tolerance=LOSS, attrs=attrs | {"label_smoothing": 0.25})
                    p = torch.softmax(v.numbers("f32", sizes, "p"), 0 if len(sizes) == 1 else 1).to(x.dtype)
                    family.add("cross_entropy_loss", x, p, weight, call=entropy, tolerance=LOSS, attrs={"reduction": reduction, "label_smoothing": 0.25 * reduction})
    x, t = v.numbers("f32", (3, 4)), torch.tensor([1, 0, 3])
    for op, sizes in (("nll_loss", (3, 4)), ("nll_loss2d", (3, 4, 2, 1))):
        logs, target = v.numbers("f32", sizes), torch.tensor([1, 0, 3]) if op == "nll_loss" else torch.tensor([1, 0, 3]).reshape(3, 1, 1).expand(3, 2, 1).contiguous()
        weight = v.numbers("f32", (4,), "weight", low=0.5, high=2)
        family.add(op, logs, target, tolerance=LOSS)
        forward = lambda x, t, w, op=op, **attrs: getattr(ATEN, op + "_forward")(x, t, w, **attrs)
        family.add(op + "_forward", logs, target, weight, call=forward, tolerance=LOSS, attrs={"reduction": 1, "ignore_index": 3})
    all_ignored = torch.full((3,), -100)
    for op, call in (("nll_loss_nd", nll), ("cross_entropy_loss", entropy)):
        family.add(op, x, all_ignored, call=call)
        family.add(op, v.numbers("f32", (0, 4)), torch.zeros(0, dtype=torch.int64), call=call)
        family.add(op, x, torch.tensor([1, 0, 4]), call=call)
        family.add(op, x, torch.tensor([1, 0]), call=call)
        family.add(op, x, t, v.numbers("f32", (3,)), call=call)
        family.add(op, x, t.float(), call=call)


def margins(family):
    for name in v.FLOATS:
        a, b, c = (v.numbers(name, (4, 5), key) for key in "abc")
        sign = target_of("sign", name, (4, 5))
        for reduction in (0, 1, 2):
            attrs = {"reduction": reduction}
            family.add("margin_ranking_loss", a, b, sign, tolerance=LOSS, attrs=attrs | {"margin": 0.5})
            family.add("cosine_embedding_loss", a, b, sign[:, 0].contiguous(), tolerance=LOSS, attrs=attrs | {"margin": -0.25})
            if name != "bf16":  # whose roundings in between torch's result shows
                family.add("triplet_margin_loss", a, b, c, tolerance=LOSS, attrs=attrs | {"margin": 1.0, "p": 2.0, "swap": reduction == 1})
            for p in (1, 2):
                for weight in (None, v.numbers(name, (5,), "w", low=0.5, high=2)):
                    family.add("multi_margin_loss", a, torch.tensor([1, 0, 4, 2]), p, 1.5, weight, tolerance=LOSS, attrs=attrs)
    one = v.numbers("f32", (5,))
    family.add("cosine_embedding_loss", one, one * 2, torch.tensor(-1.0), tolerance=LOSS)
    family.add("cosine_embedding_loss", one, one * 2, torch.tensor([1.0]))
    family.add("margin_ranking_loss", one, one, torch.tensor(1.0))
    family.add("triplet_margin_loss", one, one, v.numbers("f32", (2, 5)))
    family.add("multi_margin_loss", one, torch.tensor(3), tolerance=LOSS)
    family.add("multi_margin_loss", one, torch.tensor(3), 3)


def neural():
    family = Family("neural")
    for part in (activations, pairs, entropies, classes, margins):
        part(family)
    return family


# ---- gradients ----

def gradients_of_activations(family):
    points = {"hardsigmoid": None, "hardswish": (-4.0, -3.0, 0.0, 3.0, 4.0), "relu6": (-1.0, 0.0, 6.0, 7.0), "mish": (0.0, 19.0, 40.0, -40.0),
              "selu": (0.0,), "softsign": (0.0,), "tanhshrink": (0.0, 30.0), "log_sigmoid": (0.0, 100.0, -100.0)}
    for op, corners in points.items():
        call = PYTHON.get(op)
        if corners is None:  # its gradient is rounded to f32
            family.add(op, v.numbers("f32", (9,), "gradient"), call=call)
            family.add(op, row(-4.0, -3.0, 3.0, 4.0), call=call)
            continue
        family.add(op, real(3, 5, low=-4, high=4, key=op), call=call)
        family.add(op, row(*corners), call=call, second=op not in ("mish", "hardswish"))
    for op in ("hardshrink", "softshrink"):
        family.add(op, row(-2.0, -1.0, -0.5, 0.0, 1.0, 1.5), 1.0)
        family.add(op, row(-2.0, -0.5, 1.5), 1.0)
    family.add("threshold", row(-2.0, 1.0, 1.5, 3.0), 1.0, 7.0)
    family.add("threshold", row(-2.0, 1.5), 1.0, 7.0)
    family.add("celu", row(-2.0, 0.0, 1.5), 2.0)
    family.add("rrelu", row(-2.0, 1.5), 0.25, 0.75)
    family.add("prelu", row(-2.0, 0.0, 1.5), row(0.25))
    family.add("prelu", real(2, 3, 4, key="prelu"), real(3, key="weight"))
    family.add("glu", real(3, 4), attrs={"dim": 1})
    family.add("softmin", real(3, 4), call=F.softmin, attrs={"dim": 1})


def gradients_of_losses(family):
    x, t = real(3, 4, key="x"), real(3, 4, key="t")
    for reduction in (0, 1, 2):
        for op in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"):
            family.add(op, x, t, attrs={"reduction": reduction}, second=op == "mse_loss")
    for op in ("smooth_l1_loss", "huber_loss", "l1_loss"):
        family.add(op, row(-2.0, -1.0, 0.0, 1.0, 2.0), row(0.0, 0.0, 0.0, 0.0, 0.0), attrs={"reduction": 0})
    p, q = real(3, 4, low=0.1, high=0.9, key="p"), real(3, 4, low=0.1, high=0.9, key="q")
    family.add("binary_cross_entropy", p, q, None)
    family.add("binary_cross_entropy_with_logits", x, q)
    family.add("kl_div", x, p)
    family.add("kl_div", x, q.log(), attrs={"log_target": True})
    for log_input in (True, False):
        family.add("poisson_nll_loss", p, q * 4, attrs={"log_input": log_input, "full": False, "eps": 1e-8, "reduction": 1})
    family.add("gaussian_nll_loss", x, t, p + 1, call=F.gaussian_nll_loss)
    gradients_of_classes(family)
    sign = torch.where(real(3, 4, key="sign") > 0, 1.0, -1.0).double()
    family.add("hinge_embedding_loss", x, sign, slope=False)
    family.add("margin_ranking_loss", x, t, sign)
    family.add("cosine_embedding_loss", x, t, sign[:, 0].contiguous(), slope=False)
    family.add("soft_margin_loss", x, sign.long())
    family.add("triplet_margin_loss", x, t, real(3, 4, key="far"), attrs={"margin": 3.0, "swap": True})
    for p in (1, 2):
        family.add("multi_margin_loss", x, torch.tensor([1, 0, 3]), p)


def gradients_of_classes(family):
    x, t = real(3, 4, key="classes"), torch.tensor([1, 0, 3])  # torch has no gradient of the weights
    family.add("nll_loss_nd", x, t, None)
    family.add("cross_entropy_loss", x, t, attrs={"ignore_index": 0})
    family.add("cross_entropy_loss", x, t, attrs={"label_smoothing": 0.25})
    family.add("cross_entropy_loss", x, torch.softmax(real(3, 4, key="p"), 1))
    family.add("cross_entropy_loss", real(2, 4, 3), torch.tensor([[1, 0, 3], [2, 2, 0]]), attrs={"reduction": 2})


def gradients():
    from .arrays import gradients_of_arrays
    from .linear_algebra import gradients_of_algebra, gradients_of_distances
    family = Gradients("neural_gradient")
    for part in (gradients_of_activations, gradients_of_losses, gradients_of_distances, gradients_of_algebra, gradients_of_arrays):
        part(family)
    return family
