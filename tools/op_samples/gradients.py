"""Gradients, by torch's autograd: for every op that has one, and at points without a derivative."""
import torch

from . import pooling, values as v
from .products import windows_times, windows_weights
from .samples import Family, is_inexact

NAN, INF = float("nan"), float("inf")
TOLERANCES = {torch.float64: [16, 2e-13, 2e-14], torch.float32: [4, 2e-6, 2e-6], torch.float16: [2, 4e-3, 4e-3], torch.bfloat16: [2, 3e-2, 3e-2],
              torch.complex128: [16, 2e-13, 2e-13], torch.complex64: [4, 4e-6, 4e-6]}


class Gradients(Family):
    def add(self, op, *inputs, attrs=None, call=None, slope=True, second=False):
        """One sample: the gradients of all floating-point operands, from seeded gradients of the results.
        slope: they are slopes; else torch's convention, which differences of results do not show.
        second: also the gradients of these, for the operands and the seeds."""
        call, attrs = call or getattr(torch.ops.aten, op), attrs or {}
        row = {"op": op, "in": [self.value(x) for x in inputs]}
        if attrs:
            row["attrs"] = {k: self.attribute(x) for k, x in attrs.items()}
        inputs = [self.leaf(x) for x in inputs]
        leaves = [x for one in inputs for x in (one if isinstance(one, list) else [one]) if isinstance(x, torch.Tensor)]
        sought = [x for x in leaves if x.requires_grad]
        out = call(*inputs, **attrs)
        row["out"] = []
        row["tol"] = TOLERANCES[max((x.dtype for x in sought), key=lambda d: torch.finfo(d).eps)]
        self.differentiate(row, op, leaves, [out] if isinstance(out, torch.Tensor) else list(out), second, slope)
        self.lines.append(row)

    def differentiate(self, row, op, leaves, outs, second, slope=True):
        """Adds the gradients of seeded sums of `outs` for `leaves`, all tensors among the operands.  Returns their largest finite number."""
        sought = [x for x in leaves if x.requires_grad]
        seeds = [self.seed(op, k, o).requires_grad_(second) if o.requires_grad else None for k, o in enumerate(outs)]
        used = [(o, s) for o, s in zip(outs, seeds) if s is not None]
        gradients = torch.autograd.grad([o for o, _ in used], sought, [s for _, s in used], allow_unused=True, create_graph=second)
        found = iter(gradients)
        row["out"] = []
        row["seeds"] = [None if s is None else self.tensor(s.detach()) for s in seeds]
        row["gradients"] = [self.gradient(next(found)) if x.requires_grad else None for x in leaves]
        if not slope:
            row["slope"] = False
        again = self.add_second(row, op, leaves, gradients, seeds) if second else []
        finite = [x.detach().abs().nan_to_num(posinf=0).max().item() for x in (*gradients, *again) if x is not None and x.numel()]
        return max(finite, default=0.0)

    def add_second(self, row, op, leaves, gradients, seeds):
        """The gradients of sum(gradient * seeded direction) for each tensor among the operands and for each seed."""
        found = iter(gradients)
        first = [next(found) if x.requires_grad else None for x in leaves]
        directions = [None if g is None else self.seed(op, -1 - i, g).detach() for i, g in enumerate(first)]
        row["directions"] = [None if d is None else self.tensor(d) for d in directions]
        used = [(g, d) for g, d in zip(first, directions) if g is not None and g.requires_grad]
        sought = leaves + seeds
        asked = [x for x in sought if x is not None and x.requires_grad]
        again = torch.autograd.grad([g for g, _ in used], asked, [d for _, d in used], allow_unused=True) if used else [None] * len(asked)
        found = iter(again)
        row["second"] = [self.gradient(next(found)) if x is not None and x.requires_grad else None for x in sought]
        return again

    def leaf(self, x):
        if isinstance(x, (list, tuple)) and x and isinstance(x[0], torch.Tensor):
            return [self.leaf(y) for y in x]
        if is_inexact(x):
            return x.detach().requires_grad_()
        return x

    def seed(self, op, k, out):
        numbers = v.complexes if out.is_complex() else v.numbers
        return numbers(NAMES[out.dtype], tuple(out.shape), "seed", op, k)

    def gradient(self, g):
        return None if g is None else self.result(g.detach().resolve_conj().contiguous(), False)


NAMES = v.NAMES


def row(*numbers):
    return torch.tensor(numbers, dtype=torch.float64)


def real(*sizes, low=None, high=None, key=""):
    return v.numbers("f64", sizes, "gradient", key, low=low, high=high)


UNARY = {
    "exp": (-2, 2), "expm1": (-2, 2), "exp2": (-2, 2), "log": (0.1, 5), "log2": (0.1, 5), "log10": (0.1, 5), "log1p": (-0.9, 5),
    "sqrt": (0.1, 5), "rsqrt": (0.1, 5), "sin": (-5, 5), "cos": (-5, 5), "tan": (-1.2, 1.2), "asin": (-0.95, 0.95),
    "acos": (-0.95, 0.95), "atan": (-5, 5), "sinh": (-3, 3), "cosh": (-3, 3), "tanh": (-3, 3), "asinh": (-5, 5), "acosh": (1.1, 5),
    "atanh": (-0.95, 0.95), "erf": (-3, 3), "erfc": (-3, 3), "reciprocal": (0.2, 5), "neg": (-3, 3), "abs": (-3, 3), "sign": (-3, 3),
    "floor": (-3, 3), "ceil": (-3, 3), "round": (-3, 3), "trunc": (-3, 3), "sigmoid": (-5, 5), "relu": (-3, 3), "silu": (-5, 5),
    "gelu": (-4, 4), "square": (-3, 3),
}
CORNERS = {"abs": (0.0, -0.0, NAN, INF), "sign": (0.0, NAN), "relu": (0.0, -0.0, NAN, INF, -INF), "sqrt": (0.0, -1.0, INF),
           "rsqrt": (0.0, INF), "log": (0.0, -1.0, INF), "reciprocal": (0.0, INF), "floor": (1.0, NAN), "round": (0.5, 1.5),
           "square": (0.0,), "asin": (1.0, -1.0), "acosh": (1.0,), "atanh": (1.0,), "silu": (0.0, 40.0, -40.0, 1e20, -1e20, NAN), "gelu": (0.0, 12.0),
           "tanh": (0.0, 40.0), "sigmoid": (0.0, 40.0, -800.0), "exp": (0.0, -INF, 800.0), "log1p": (-1.0,)}


def unary(family):
    for op, (low, high) in UNARY.items():
        family.add(op, real(3, 5, low=low, high=high, key=op))
        family.add(op, v.numbers("f32", (7,), "gradient", op, low=low, high=high))
        if op in CORNERS:
            family.add(op, row(*CORNERS[op]), second=True)
    family.add("silu", row(3e7, 1e30, -3e7).float(), second=True)
    family.add("gelu", real(9, low=-4, high=4), attrs={"approximate": "tanh"})
    family.add("relu", v.numbers("f16", (9,), "gradient"))
    family.add("exp", v.numbers("bf16", (9,), "gradient"))
    for alpha, scale, input_scale in ((1, 1, 1), (1.5, 2.0, 0.5)):
        family.add("elu", row(-2.0, -0.5, 0.0, 0.5, 3.0, 2000.0, INF, -INF), alpha, scale, input_scale, second=True)
        family.add("elu", row(-2.0, -0.5, 0.5, 3.0), alpha, scale, input_scale)
    for slope in (0.01, -0.5):
        family.add("leaky_relu", row(-2.0, 0.0, 0.5, NAN), slope)
        family.add("leaky_relu", row(-2.0, 0.5), slope)
    for beta, threshold in ((1, 20), (0.5, 4), (-2, 20)):
        family.add("softplus", row(-30.0, -2.0, 0.0, 0.5, 8.5, 19.0, 21.0, NAN, INF, -INF), beta, threshold, second=True)
        family.add("softplus", row(-10.0, 8.0, 20.0), beta, threshold)  # where beta * x is the threshold
        family.add("softplus", row(-2.0, -0.5, 0.5, 3.0), beta, threshold)
    family.add("hardtanh", row(-2.0, -1.0, -0.5, 0.0, 1.0, 1.5), -1.0, 1.0, second=True)
    family.add("hardtanh", row(-2.0, -0.5, 0.5, 1.5), -1.0, 1.0)
    for diagonal in (0, 1, -1):
        family.add("tril", real(2, 3, 4), attrs={"diagonal": diagonal})
        family.add("triu", real(2, 3, 4), attrs={"diagonal": diagonal})
    family.add("clone", real(2, 3))
    family.add("_to_copy", real(2, 3), attrs={"dtype": torch.float64})
    family.add("_to_copy", real(2, 3), attrs={"dtype": torch.float32})
    family.add("_to_copy", v.numbers("f32", (2, 3)), attrs={"dtype": torch.float16})
    family.add("fill", real(2, 3), row(2.0)[0])
    written = lambda x, y: x.clone().copy_(y)
    family.add("copy", real(2, 3), real(3), call=written)
    family.add("copy", real(2, 3), v.numbers("f32", (2, 1)), call=written)


def binary(family):
    pairs = [((3, 4), (3, 4)), ((2, 3, 4), (4,)), ((3, 1), (1, 4)), ((4,), (2, 3, 4)), ((), (3,)), ((2, 1), ())]
    for op in ("add", "sub", "mul", "div", "atan2", "minimum", "maximum", "fmod", "remainder", "floor_divide"):
        for a, b in pairs:
            x, y = real(*a, key=op), real(*b, low=0.5, high=2, key=op + "b")
            if op != "floor_divide":
                family.add(op, x, y)
    for op in ("add", "sub", "mul", "div"):
        for dtypes in (("f32", "f64"), ("f16", "f32"), ("i64", "f32"), ("f32", "i64"), ("bool", "f64")):
            if op == "sub" and "bool" in dtypes:
                continue
            x, y = (v.numbers(name, sizes, "gradient", op) for name, sizes in zip(dtypes, ((2, 3), (3,))))
            y = torch.where(y == 0, torch.ones_like(y), y)
            family.add(op, x, y)
        family.add(op, v.numbers("f32", (5,), "gradient"), 2.5)
        family.add(op, real(2, 3), 3)
    family.add("add", real(2, 3), real(3), attrs={"alpha": 2.5})
    family.add("sub", real(2, 3), real(2, 1), attrs={"alpha": -0.5})
    family.add("add", v.numbers("f16", (2, 3)), v.numbers("f16", (3,)), attrs={"alpha": 2})
    for op in ("minimum", "maximum"):
        family.add(op, row(1.0, 2.0, 2.0, NAN, 1.0, INF, 0.0), row(2.0, 1.0, 2.0, 1.0, NAN, INF, -0.0))
    for mode in ("floor", "trunc"):
        family.add("div", real(2, 3), real(3, low=0.5, high=2), attrs={"rounding_mode": mode})
        family.add("div", real(2, 3), 0.7, attrs={"rounding_mode": mode})
    family.add("atan2", row(0.0, 1.0, -1.0), row(1.0, 0.0, -1.0), second=True)
    family.add("atan2", row(0.0, 0.0, -0.0, 1e-200), row(0.0, -0.0, 0.0, 0.0), slope=False)
    powers(family)


def powers(family):
    family.add("pow", real(3, 4, low=0.2, high=3), real(4, low=-2, high=2))
    family.add("pow", row(0.0, 0.0, 0.0, -2.0, -2.0, 3.0), row(0.0, 2.0, 1.0, 3.0, 2.0, 0.0))
    family.add("pow", row(-2.0, 3.0, 0.5, 2.0), row(3.0, 0.5, -1.5, 2.0), second=True)
    family.add("pow", real(2, 3), torch.tensor([0, 1, 3]))
    for exponent in (2, 3, 0.5, -0.5, 0, 1, 2.5, -1, 5):
        family.add("pow", row(0.5, 1.0, 2.5), exponent, second=True)
    for exponent in (2, 3, 0, 1, 2.5, 4, 1.5, 0.5, -1):
        family.add("pow", row(0.0, 1.0, 4.0), exponent, second=True)
    for base in (2.0, 0.0, 3):
        family.add("pow", base, row(0.5, 1.0, 0.0, 2.0), call=torch.pow)


def choosing(family):
    mask = torch.tensor([[True, False, True], [False, False, True]])
    family.add("where", mask, real(2, 3, key="a"), real(3, key="b"))
    family.add("where", mask, real(2, 1), 0.0)
    family.add("where", mask[0], 1.0, real(2, 3))
    x = row(-2.0, -1.0, 0.0, 1.0, 2.0, NAN)
    family.add("clamp", x, -1.0, 1.0)
    family.add("clamp", row(-2.0, -0.5, 0.5, 1.5), -1.0, 1.0)
    family.add("clamp", x, -1.0, None)
    family.add("clamp", x, None, 1.0)
    family.add("clamp", x, 1.0, -1.0)
    family.add("clamp", x, row(-1.0), row(1.0))
    bound = row(-1.0, -1.0, 0.5, 1.0, INF, 0.0)
    family.add("clamp", x, bound, None, slope=False, second=True)
    family.add("clamp", x, None, -bound, slope=False, second=True)
    family.add("clamp", x.float(), row(-1.0)[0], None, slope=False)
    family.add("clamp", x, row(NAN), None, slope=False)
    family.add("clamp", row(-2.0, -1.0, 0.0, 1.0, 2.0), row(-1.0, -1.0, 1.0, 3.0, 1.0), row(1.0, 1.0, -1.0, 1.0, 1.5))
    family.add("masked_fill", real(2, 3), mask, 2.0)
    family.add("masked_select", real(2, 3), mask)
    family.add("masked_select", real(3), mask)
    family.add("masked_select", real(2, 3), torch.zeros(2, 3).bool())


def reductions(family):
    for op in ("sum", "mean", "amax", "amin"):
        for sizes, dim, keepdim in [((3, 4), [1], False), ((3, 4), [0], True), ((2, 3, 4), [0, 2], False), ((2, 3, 4), [-1], True), ((), [], False)]:
            family.add(op, real(*sizes, key=op), attrs={"dim": dim, "keepdim": keepdim})
    family.add("sum", real(2, 3))
    family.add("mean", real(2, 3))
    family.add("sum", v.numbers("f32", (2, 3)), attrs={"dim": [0], "dtype": torch.float64})
    family.add("mean", v.numbers("f16", (2, 3)), attrs={"dim": [1], "dtype": torch.float32})
    ties = torch.tensor([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0], [0.0, NAN, 1.0]], dtype=torch.float64)
    for op in ("amax", "amin"):
        family.add(op, ties, attrs={"dim": [1]})
        family.add(op, ties[:2], attrs={"dim": []})
    for op in ("max", "min"):
        family.add(op, ties, attrs={"dim": 1})
        family.add(op, real(2, 3, 4, key=op), attrs={"dim": 0, "keepdim": True})
        family.add(op, real(), attrs={"dim": 0})
    family.add("aminmax", real(3, 4), attrs={"dim": 1})
    family.add("aminmax", ties[:2], attrs={"dim": 0, "keepdim": True})
    family.add("aminmax", real(3, 4))
    for zeros in ([1.0, 2.0, 3.0], [0.0, 2.0, 3.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0]):
        family.add("prod", row(*zeros), second=True)
        family.add("prod", torch.stack([row(*zeros), row(1.5, -2.0, 0.5)]), attrs={"dim": 1}, second=True)
        family.add("prod", torch.stack([row(*zeros), row(1.5, -2.0, 0.5)]), attrs={"dim": 0, "keepdim": True}, second=True)
    family.add("prod", row(0.0)[0], second=True)
    for sizes, dim in [((3, 5), [1]), ((2, 3, 4), [0, 2]), ((4,), [0]), ((), [0])]:
        family.add("logsumexp", real(*sizes), attrs={"dim": dim, "keepdim": len(sizes) == 3})
    family.add("logsumexp", torch.stack([row(-INF, 2.0, 1e4), row(-INF, -INF, -INF), row(INF, 0.0, 1.0)]), attrs={"dim": [1]}, second=True)
    family.add("logsumexp", v.numbers("f16", (3, 4)), attrs={"dim": [1]})
    for op in ("var", "var_mean"):
        for correction in (1, 0, 0.5):
            family.add(op, real(3, 5), attrs={"dim": [1], "correction": correction})
        family.add(op, real(2, 3, 4), attrs={"dim": [0, 2], "correction": 1, "keepdim": True})


def scans(family):
    for op in ("cumsum", "cumprod", "logcumsumexp", "cummax", "cummin"):
        for sizes, dim in [((5,), 0), ((3, 4), 0), ((2, 3, 4), -1), ((), 0), ((1,), 0)]:
            family.add(op, real(*sizes, key=op), attrs={"dim": dim})
    for numbers in ((1.0, 0.0, 2.0, 3.0), (0.0, 2.0, 3.0, -1.0), (2.0, 0.0, 3.0, 0.0), (0.0, 0.0, 1.0, 2.0), (1.0, 2.0, 3.0, 0.0), (0.0, 0.0, 0.0, 2.0)):
        family.add("cumprod", row(*numbers), attrs={"dim": 0}, second=True)
    zeros = row(0.0, 2.0, 0.0, 3.0, 1.5, 0.0, 1.0, 2.0, -1.0, 0.0, 0.5, 0.0).reshape(3, 4)
    for dim in (0, 1):
        family.add("cumprod", zeros, attrs={"dim": dim}, second=True)
    family.add("cumprod", row(0.0)[0], attrs={"dim": 0}, second=True)
    for op in ("cummax", "cummin"):
        family.add(op, row(2.0, 2.0, 1.0, 3.0, 3.0), attrs={"dim": 0})
    family.add("cumsum", v.numbers("f32", (2, 3)), attrs={"dim": 1, "dtype": torch.float64})
    family.add("logcumsumexp", row(-1.0, 700.0, 710.0, 3.0), attrs={"dim": 0})


def views(family):
    x = real(2, 3, 4)
    family.add("view", x, attrs={"size": [6, -1]})
    family.add("permute", x, attrs={"dims": [2, 0, 1]})
    family.add("expand", real(3, 1), attrs={"size": [2, 3, 4]})
    family.add("expand", real(3, 1), attrs={"size": [3, 1]})
    family.add("slice", x, attrs={"dim": 1, "start": 1, "end": 3, "step": 1})
    family.add("slice", x, attrs={"dim": 2, "start": -3, "end": 4, "step": 2})
    family.add("select", x, attrs={"dim": -1, "index": 2})
    family.add("select", x, attrs={"dim": 0, "index": -1})
    family.add("squeeze", real(2, 1, 3, 1))
    family.add("squeeze", real(2, 1, 3), attrs={"dim": 1})
    family.add("unsqueeze", x, attrs={"dim": 1})
    family.add("diagonal", x, attrs={"offset": 1, "dim1": 1, "dim2": 2})
    family.add("diagonal", real(4, 3), attrs={"offset": -1})
    family.add("as_strided", real(10), attrs={"size": [3, 2], "stride": [2, 1], "storage_offset": 1})
    family.add("as_strided", real(10), attrs={"size": [3, 4], "stride": [1, 1], "storage_offset": 0})
    family.add("as_strided", real(12), attrs={"size": [2, 1, 3, 2], "stride": [2, 7, 4, 1], "storage_offset": 0})
    family.add("as_strided", real(12), attrs={"size": [3, 2], "stride": [4, 2], "storage_offset": 0})
    family.add("as_strided", real(13), attrs={"size": [3, 4], "stride": [4, 1], "storage_offset": 1})
    family.add("transpose", x, attrs={"dim0": 0, "dim1": 2})
    family.add("reshape", v.transposed(lambda n: real(*n), (3, 4)), attrs={"shape": [2, 6]})
    family.add("split", x, 2, 2)
    family.add("unbind", x, 1)


def moving(family):
    rows, more = torch.tensor([2, 0, 2, 1]), torch.tensor([[0, 2], [2, 2]])
    family.add("cat", [real(2, 3, key=1), real(2, 1, key=2), real(2, 2, key=3)], attrs={"dim": 1})
    family.add("cat", [real(0), real(2, 3), v.numbers("f32", (1, 3))])
    family.add("stack", [real(2, 3, key=1), real(2, 3, key=2)], attrs={"dim": 1})
    family.add("embedding", real(3, 4), more)
    family.add("embedding", v.numbers("f16", (3, 4)), rows)
    family.add("embedding", real(3, 4), more, attrs={"padding_idx": 2}, slope=False)
    family.add("embedding_dense_backward", real(4, 3), rows, attrs={"num_weights": 3, "padding_idx": 1, "scale_grad_by_freq": False})
    for padding_idx in (-1, 0):
        family.add("embedding", real(3, 4), rows, attrs={"padding_idx": padding_idx, "scale_grad_by_freq": True}, slope=False)
    family.add("embedding", v.numbers("f16", (3, 4)), more, attrs={"scale_grad_by_freq": True}, slope=False)
    for dim in (0, 1):
        family.add("gather", real(3, 3), more, attrs={"dim": dim}, call=lambda x, i, dim: torch.gather(x, dim, i))
        family.add("index_select", real(3, 3), rows, attrs={"dim": dim}, call=lambda x, i, dim: torch.index_select(x, dim, i))
    x, src = real(3, 4), real(3, 2, key="src")
    family.add("slice_scatter", x, src, attrs={"dim": 1, "start": 1, "end": 3, "step": 1})
    family.add("select_scatter", x, real(3), attrs={"dim": 1, "index": 2})
    family.add("diagonal_scatter", x, real(3), attrs={"offset": 0})
    # torch 2.13's gradient of as_strided_scatter includes the overwritten elements; that of this function is correct.
    written = lambda x, src, size, stride, storage_offset: put(x.clone(), src, size, stride, storage_offset)
    put = lambda x, src, *view: (x.as_strided(*view).copy_(src), x)[1]
    family.add("as_strided_scatter", real(10), real(2, 3), attrs={"size": [2, 3], "stride": [5, 1], "storage_offset": 1}, call=written)
    puts(family, rows)


def puts(family, rows):
    x, twice = real(3, 4), torch.tensor([[0, 1, 0, 2], [0, 2, 1, 1]])
    src = real(2, 4, key="src")
    family.add("scatter", x, torch.tensor([[0, 1, 0, 2], [1, 2, 1, 1]]), src, attrs={"dim": 0}, call=lambda x, i, s, dim: x.scatter(dim, i, s))
    family.add("scatter", x, twice, src, attrs={"dim": 0}, call=lambda x, i, s, dim: x.scatter(dim, i, s), slope=False)
    family.add("scatter_add", x, twice, src, attrs={"dim": 0}, call=lambda x, i, s, dim: x.scatter_add(dim, i, s))
    family.add("index_copy", x, torch.tensor([2, 0]), src, attrs={"dim": 0}, call=lambda x, i, s, dim: x.index_copy(dim, i, s))
    family.add("index_add", x, rows[:2], src, attrs={"dim": 0, "alpha": 2.5}, call=lambda x, i, s, dim, alpha: x.index_add(dim, i, s, alpha=alpha))


def picked(family):
    i, j, x = torch.tensor([2, 0, -1]), torch.tensor([[1], [-2]]), real(3, 4, 2)
    for at in ([i], [i, j], [None, j], [i, None, torch.tensor([1, 0, 1])], [real(3, 4, key="mask") > 0], [real(3, key="mask") > 0, torch.tensor(1)]):
        family.add("index", x, at, call=lambda x, at: torch.ops.aten.index(x, at))
    family.add("index", v.numbers("f16", (3, 4)), [i], call=lambda x, at: torch.ops.aten.index(x, at))
    family.add("take", real(3, 4), torch.tensor([[0, -1], [5, 0]]))
    put = lambda x, at, values, **more: torch.ops.aten.index_put(x, at, values, **more)
    for at, sizes in (([i[:2]], (2, 4, 2)), ([i[:2], j], (2, 2, 2)), ([None, j[:, 0]], (2,)), ([real(3, 4, key="mask") > 0], (2,))):
        family.add("index_put", x, at, real(*sizes, key="values"), call=put)
        family.add("index_put", x, at, real(*sizes, key="values"), call=put, attrs={"accumulate": True})
    family.add("index_put", x, [i], real(3, 4, 2, key="values"), call=put, slope=False)
    family.add("index_put", x, [i], real(4, 1, key="values"), call=put, attrs={"accumulate": True})
    family.add("put", real(3, 4), torch.tensor([0, 11, -2]), real(3, key="values"))
    family.add("put", real(3, 4), torch.tensor([0, 0, -2]), real(3, key="values"), attrs={"accumulate": True})
    fill = lambda x, at, value, dim: torch.ops.aten.index_fill(x, dim, at, value)
    family.add("index_fill", x, torch.tensor([3, 1]), 2.0, call=fill, attrs={"dim": 1})
    family.add("index_fill", x, torch.tensor([3, 1, 3]), row(2.0)[0], call=fill, attrs={"dim": 1})
    reduced(family)


def reduced(family):
    at, src = torch.tensor([[0, 1, 0, 2], [0, 2, 1, 1]]), real(2, 4, key="src")
    call = lambda x, at, src, **more: torch.ops.aten.scatter_reduce(x, index=at, src=src, **more)
    for how in ("sum", "prod", "mean", "amax", "amin"):
        for include in (True, False):
            family.add("scatter_reduce", real(3, 4), at, src, call=call, attrs={"dim": 0, "reduce": how, "include_self": include})
    ties = torch.tensor([[1.0, 2.0, 1.0, 3.0], [1.0, 3.0, 2.0, 2.0]], dtype=torch.float64)
    zeros = torch.tensor([[0.0, 2.0, 3.0, 0.0], [2.0, 0.0, 0.0, 3.0]], dtype=torch.float64)
    rows = torch.tensor([[0, 0, 1, 2], [0, 0, 1, 2]])
    start = torch.tensor([[0.0, 2.0, 1.0, 3.0], [1.0, 2.0, 3.0, 1.0], [1.0, 2.0, 3.0, 3.0]], dtype=torch.float64)
    # torch counts elements that equal the result even if they are not included.
    for include in (True, False):
        for how in ("amax", "amin"):
            family.add("scatter_reduce", start if include else start + 5, rows, ties, call=call, attrs={"dim": 0, "reduce": how, "include_self": include}, slope=False)
        family.add("scatter_reduce", start, rows, zeros, call=call, attrs={"dim": 0, "reduce": "prod", "include_self": include}, second=True)
    family.add("scatter", real(3, 4), at, 2.0, attrs={"dim": 0}, call=lambda x, i, value, dim: x.scatter(dim, i, value))
    slices_reduced(family)


def slices_reduced(family):
    at, source = torch.tensor([2, 0, 2, 1]), real(4, 3, key="source")
    call = lambda x, at, source, **more: torch.ops.aten.index_reduce(x, index=at, source=source, **more)
    for how in ("prod", "mean", "amax", "amin"):
        for include in (True, False):
            family.add("index_reduce", real(3, 3), at, source, call=call, attrs={"dim": 0, "reduce": how, "include_self": include})
        family.add("index_reduce", real(3, 3), at, real(3, 4, key="source"), call=call, attrs={"dim": -1, "reduce": how})
    ties, start = torch.tensor([[1.0, 2.0], [1.0, 3.0], [1.0, 3.0], [4.0, 0.0]], dtype=torch.float64), torch.tensor([[1.0, 3.0]] * 3, dtype=torch.float64)
    for how in ("amax", "amin"):
        family.add("index_reduce", start, at, ties, call=call, attrs={"dim": 0, "reduce": how}, slope=False)
    zeros = torch.tensor([[0.0, 2.0], [0.0, 3.0], [0.0, 0.0], [4.0, 0.0]], dtype=torch.float64)
    family.add("index_reduce", start, at, zeros, call=call, attrs={"dim": 0, "reduce": "prod"})


def products(family):
    family.add("mm", real(2, 3), real(3, 4))
    family.add("mm", v.transposed(lambda n: real(*n), (2, 3)), real(3, 4))
    family.add("bmm", real(2, 3, 4), real(2, 4, 5))
    family.add("addmm", real(4), real(2, 3, key="m"), real(3, 4))
    family.add("addmm", real(2, 1), real(2, 3, key="m"), real(3, 4), 0.5, 2.0, call=lambda x, a, b, beta, alpha: torch.addmm(x, a, b, beta=beta, alpha=alpha))
    family.add("linear", real(2, 5, 3), real(4, 3), real(4))
    family.add("linear", real(3), real(4, 3))
    for a, b in [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)), ((2, 1, 2, 3), (5, 3, 4)), ((5, 2, 3), (3, 4)), ((3,), (2, 3, 4))]:
        family.add("matmul", real(*a, key="a"), real(*b, key="b"))
    q, k, w = real(2, 3, 4, key="q"), real(2, 5, 4, key="k"), real(2, 5, 6, key="v")
    family.add("scaled_dot_product_attention", q, k, w)
    family.add("scaled_dot_product_attention", q, k, w, real(3, 5))
    family.add("scaled_dot_product_attention", q, q * 0.5, q * 2, attrs={"is_causal": True})
    family.add("conv2d", real(2, 4, 5, 6), real(6, 2, 3, 2), real(6), attrs={"stride": [2, 1], "padding": [1, 2], "dilation": [1, 2], "groups": 2})
    family.add("conv2d", real(2, 4, 5, 6), real(8, 2, 3, 2), real(8), attrs={"padding": [1, 3], "dilation": [1, 2], "groups": 2}, second=True)
    family.add("conv2d", real(2, 4, 6, 5), real(8, 1, 3, 3), None, attrs={"stride": [2, 2], "padding": [1, 1], "groups": 4}, second=True)
    family.add("conv2d", real(3, 5, 4), real(2, 3, 1, 1), None, attrs={"padding": [2, 0]})
    family.add("conv2d", real(3, 6, 7), real(2, 3, 2, 2), real(2), attrs={"stride": [3, 1]})
    family.add("conv2d", v.numbers("f16", (1, 2, 4, 4)), v.numbers("f16", (2, 2, 3, 3)), v.numbers("f16", (2,)), attrs={"padding": [1, 1]})
    for x, w, numbers in [((2, 4, 5, 6), (6, 2, 3, 2), ([2, 1], [1, 2], [0, -1], [1, 2], 2)), ((2, 3, 7), (4, 3, 2), ([3], [1], [2], [2], 1)),
                          ((1, 2, 4, 3, 5), (2, 1, 2, 2, 3), ([1, 2, 1], [1, 0, 1], [0, 1, 2], [1, 1, 1], 2)), ((2, 1, 4), (3, 1, 1), ([1], [0], [0], [1], 1))]:
        attrs = dict(zip(("stride", "padding", "padding_after", "dilation", "groups"), numbers))
        family.add("convolve", real(*x), real(*w), attrs=attrs, call=windows_times, second=True)
        out = windows_times(real(*x), real(*w), **attrs)
        family.add("convolve_weights", real(*x), real(*out.shape, key="g"), attrs=attrs | {"taps": list(w[2:])}, call=windows_weights, second=True)
    for op in ("_softmax", "_log_softmax"):
        for sizes, dim in [((3, 4), -1), ((2, 3, 4), 1), ((), 0)]:
            family.add(op, real(*sizes), attrs={"dim": dim, "half_to_float": False})
    weight = real(4, key="w")
    norm = lambda x, w, b, normalized_shape, eps: torch.ops.aten.native_layer_norm(x, normalized_shape, w, b, eps)
    one = lambda *a, **k: norm(*a, **k)[0]
    for w, b in [(weight, real(4, key="b")), (weight, None), (None, None)]:
        family.add("native_layer_norm", real(2, 3, 4), w, b, attrs={"normalized_shape": [4], "eps": 1e-5}, call=one)


def sorts(family):
    for sizes, dim in [((7,), 0), ((3, 4), 0), ((2, 3, 4), -1), ((), 0), ((1,), 0)]:
        family.add("sort", real(*sizes, key="sort"), attrs={"dim": dim, "descending": len(sizes) == 2})
        family.add("topk", real(*sizes, key="topk"), attrs={"k": 1 if len(sizes) == 0 or sizes == (1,) else 3, "dim": dim})
    family.add("topk", real(2, 5), attrs={"k": 2, "dim": 1, "largest": False, "sorted": True})
    family.add("kthvalue", real(3, 5), attrs={"k": 2, "dim": 1, "keepdim": True})
    family.add("msort", real(3, 5))
    for op in ("median", "nanmedian"):
        family.add(op, real(3, 6), attrs={"dim": 1})
        family.add(op, row(3.0, NAN, 1.0, 2.0))
        for ties in ((1.0, 2.0, 2.0, 2.0, 5.0), (NAN, 1.0, NAN, 2.0, 1.0), (0.0, -0.0, 0.0), (INF, INF, 1.0)):
            family.add(op, row(*ties), slope=False, second=True)
        family.add(op, torch.stack([row(1.0, 3.0, 2.5), row(3.5, 2.0, 0.0)]))


def windows(family):
    family.add("flip", real(2, 3, 4), attrs={"dims": [0, -1]})
    family.add("flip", real(5), attrs={"dims": [0]})
    for pad in ([1, 2], [-1, 1, 2, 0]):
        family.add("constant_pad_nd", real(2, 3, 4), attrs={"pad": pad, "value": 2.5})
    for dims in (1, 2, 3):
        for op in ("reflection_pad", "replication_pad"):
            family.add(f"{op}{dims}d", real(*(1, 2, 3, 3, 4)[: 2 + dims], key=op), attrs={"padding": [2, 1] * dims})
            family.add(f"{op}{dims}d", real(*(2, 3, 3, 4)[: 1 + dims], key=op), attrs={"padding": [-1, 1] + [1, 0] * (dims - 1)})
    kernels = [{"kernel_size": [2, 2]}, {"kernel_size": [3, 2], "stride": [2, 1], "padding": [1, 1]}, {"kernel_size": [3], "stride": [2], "padding": [1], "ceil_mode": True}]
    for op in ("max_pool2d", "max_pool2d_with_indices"):
        for kernel in kernels:
            family.add(op, real(2, 2, 5, 6, key=op), attrs=kernel)
        family.add(op, row(2, 2, 1, 3, 3, 3, NAN, 1, 2).reshape(1, 3, 3), attrs={"kernel_size": [2, 2], "stride": [1, 1]})
    # A window without elements: its index is in another row.
    for op in ("max_pool2d", "max_pool2d_with_indices"):
        family.add(op, real(1, 2, 2, 2), attrs={"kernel_size": [1, 2], "stride": [2, 1], "padding": [0, 1], "dilation": [1, 3]})
    for kernel in kernels:
        for more in ({}, {"count_include_pad": False}, {"divisor_override": 3}):
            family.add("avg_pool2d", real(2, 2, 5, 6), attrs=kernel | more)
    # A size that stays or doubles, with a scale that contradicts it.
    for size, scales in (([3, 8], {"scales_h": 1.2, "scales_w": 2.1}), ([6, 4], {"scales_w": 0.9}), ([5, 7], {})):
        family.add("upsample_nearest2d", real(1, 2, 3, 4), attrs={"output_size": size} | scales)
        for align in (False, True):
            family.add("upsample_bilinear2d", real(1, 2, 3, 4), attrs={"output_size": size, "align_corners": align} | scales)
    family.add("unfold", real(3, 5), attrs={"dimension": 1, "size": 3, "step": 2})
    family.add("unfold", real(5, 3), attrs={"dimension": 0, "size": 2, "step": 1})
    family.add("im2col", real(2, 2, 5, 6), attrs={"kernel_size": [2, 3], "dilation": [1, 2], "padding": [1, 2], "stride": [2, 1]})


def norms(family):
    x, weight, bias = real(2, 3, 4, key="x"), real(3, key="w"), real(3, key="b")
    mean, variance = real(3, key="m"), real(3, low=0.5, high=2, key="v")

    # torch has no gradients of running statistics; those of this function are correct.
    def inference(x, w, b, m, s, training, momentum, eps, **_):
        m, s, *affine = (t if t is None else t.reshape(-1, *[1] * (x.dim() - 2)) for t in (m, s, w, b))
        y = (x - m) / torch.sqrt(s + eps)
        return y if w is None else y * affine[0] + affine[1]
    attrs = {"training": False, "momentum": 0.1, "eps": 1e-3, "cudnn_enabled": False}
    family.add("batch_norm", x, weight, bias, mean, variance, attrs=attrs, call=inference, second=True)
    family.add("batch_norm", real(3, 3), None, None, mean, variance, attrs=attrs, call=inference)
    training = lambda x, w, b, m, s, **a: torch.ops.aten.batch_norm(x, w, b, m, s, *a.values())
    family.add("batch_norm", x, weight, bias, None, None, attrs=attrs | {"training": True}, call=training, second=True)
    family.add("batch_norm", real(5, 3), None, None, None, None, attrs=attrs | {"training": True}, call=training)
    attrs = {"N": 2, "C": 6, "HxW": 4, "group": 3, "eps": 1e-3}
    native = lambda x, w, b, N, C, HxW, group, eps: torch.ops.aten.native_group_norm(x, w, b, N, C, HxW, group, eps)[0]
    for w, b in ((real(6, key="w"), real(6, key="b")), (None, None)):
        family.add("native_group_norm", real(2, 6, 4), w, b, attrs=attrs, call=native)
        family.add("group_norm", real(2, 6, 2, 2), w, b, attrs={"num_groups": 2, "eps": 1e-5}, call=lambda x, w, b, num_groups, eps: torch.ops.aten.group_norm(x, num_groups, w, b, eps))
    attrs = {"use_input_stats": True, "momentum": 0.1, "eps": 1e-3, "cudnn_enabled": False}
    family.add("instance_norm", x, weight, bias, None, None, attrs=attrs, call=lambda x, w, b, m, s, **a: torch.ops.aten.instance_norm(x, w, b, m, s, *a.values()))
    rms = lambda x, w, normalized_shape, eps: torch.ops.aten.rms_norm(x, normalized_shape, w, eps)
    for w in (real(4, key="w"), None):
        family.add("rms_norm", x, w, attrs={"normalized_shape": [4], "eps": 1e-3}, call=rms)


def derived(family):
    x, mask = real(2, 3), torch.tensor([[True, False, True], [False, True, False]])
    family.add("repeat", x, attrs={"repeats": [2, 1, 3]})
    family.add("nansum", row(1.0, NAN, -2.0))
    family.add("nansum", x, attrs={"dim": [1], "keepdim": True})
    take = lambda x, at, dim=None: torch.ops.aten.take_along_dim(x, at, dim)
    family.add("take_along_dim", x, torch.tensor([[2, 0, 2, -1]]), attrs={"dim": 1}, call=take)
    family.add("take_along_dim", x, torch.tensor([5, 0, 0]), call=take)
    family.add("masked_scatter", x, mask, real(5, key="source"))
    family.add("masked_scatter", real(3), mask, real(2, 2, key="source"))
    for op in ("hstack", "vstack", "dstack"):
        family.add(op, [real(2, 3, key="a"), real(2, 3, key="b")])
    scaled = lambda c, a, b, beta, alpha: torch.ops.aten.baddbmm(c, a, b, beta=beta, alpha=alpha)
    family.add("baddbmm", real(5), real(2, 3, 4, key="a"), real(2, 4, 5, key="b"), 0.5, 2.0, call=scaled)
    for op in ("alias", "numpy_T"):
        family.add(op, x)
    family.add("swapaxes", x, attrs={"axis0": 0, "axis1": 1})
    family.add("type_as", x, torch.ones(1))
    family.add("dropout", x, attrs={"p": 1.0, "train": True}, call=torch.ops.aten.dropout)


def gradients():
    family = Gradients("gradient")
    for part in (unary, binary, choosing, reductions, scans, views, moving, picked, products, sorts, windows, norms, derived):
        part(family)
    pooling.gradients(family, real)
    return family
