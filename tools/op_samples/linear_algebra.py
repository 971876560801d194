"""Norms, distances, and linear algebra that is written with ops."""
import torch
import torch.nn.functional as F

from . import values as v
from .gradients import real, row
from .samples import Family, Tolerance

SUMS = Tolerance(ulps=4, relative=32, absolute=64)
ATEN = torch.ops.aten
INF = float("inf")
EQUATIONS = [("ij,jk->ik", (3, 4), (4, 5)), ("ij,jk", (3, 4), (4, 5)), ("ba,cb", (3, 4), (5, 3)), ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
             ("...ij,...jk->...ik", (2, 3, 4), (4, 5)), ("i...,j...->ij...", (2, 3, 1), (4, 1, 5)), ("i,i->", (4,), (4,)), ("i,j->ij", (3,), (4,)),
             ("ii->i", (3, 3)), ("ii", (3, 3)), ("ij->ji", (3, 4)), ("ij->", (3, 4)), ("ij->j", (3, 4)), ("bii->bi", (2, 3, 3)), ("...ii->...i", (2, 3, 3)),
             ("ij,ij->ij", (3, 4), (3, 4)), ("ij,kj,il->kl", (3, 4), (5, 4), (3, 2)), ("bhqd,bhkd->bhqk", (2, 2, 3, 4), (2, 2, 5, 4)),
             ("bhqk,bkhd->bqhd", (2, 2, 3, 5), (2, 5, 2, 4)), ("nct,ncp->ntp", (2, 3, 4), (2, 3, 5)), ("i j , j k -> i k", (3, 4), (4, 2)), ("...", (2, 3)),
             ("...,...->...", (2, 3), (3,)), ("Ab,bA->A", (3, 4), (4, 3)), ("ij,j->i", (3, 1), (4,)), ("aij,abj->aib", (1, 3, 4), (2, 5, 4)), (",i->i", (), (3,)),
             ("abc,cd->", (2, 3, 4), (4, 5)), ("iij,jj->ij", (3, 3, 4), (4, 4)), ("ij,jk->ik", (0, 4), (4, 5)), ("ij,jk->ik", (3, 0), (0, 5)), ("i,i,i->i", (3,), (3,), (3,))]
REFUSED = [("ij,jk->ik", (3, 4), (5, 4)), ("ij->k", (3, 4)), ("ij->ii", (3, 4)), ("i", (3, 4)), ("ij,jk", (3, 4)), ("ii", (3, 4)), ("i->i,", (3,)), ("....i->i", (2, 3)), ("i#", (2, 3)), ("", (2,))]


def einsum(family):
    call = lambda tensors, equation: torch.einsum(equation, *tensors)
    for equation, *sizes in EQUATIONS:
        for name in v.FLOATS if equation == "bij,bjk->bik" else ["f32"]:
            family.add("einsum", [v.numbers(name, s, i) for i, s in enumerate(sizes)], call=call, tolerance=SUMS, attrs={"equation": equation})
    family.add("einsum", [v.numbers("i64", (3, 4)), v.numbers("i64", (4, 5))], call=call, attrs={"equation": "ij,jk->ki"})
    make = lambda n: v.numbers("f32", n, "layout")
    for layout in (v.transposed, v.stepped, v.expanded):
        family.add("einsum", [layout(make, (3, 5)), layout(make, (5, 4))], call=call, tolerance=SUMS, attrs={"equation": "ij,jk->ki"})
    for equation, *sizes in REFUSED:
        family.add("einsum", [v.numbers("f32", s) for s in sizes], call=call, attrs={"equation": equation})


def products(family):
    for name in v.FLOATS + ["i64", "i32"]:
        a, b, m, n = v.numbers(name, (5,), "a"), v.numbers(name, (5,), "b"), v.numbers(name, (3, 5), "m"), v.numbers(name, (4, 5), "n")
        for op in ("outer", "ger"):
            family.add(op, a, b[:3].clone(), tolerance=SUMS)
        for op in ("dot", "vdot"):
            family.add(op, a, b, tolerance=SUMS)
        family.add("mv", m, a, tolerance=SUMS)
        for x, y in ((a, b), (m, n), (m, a), (m, a[0].clone())):
            family.add("inner", x, y, tolerance=SUMS)
        family.add("tensordot", v.numbers(name, (2, 3, 4), "t"), v.numbers(name, (4, 5, 2), "u"), tolerance=SUMS, attrs={"dims_self": [2, 0], "dims_other": [0, 2]})
        for x, y in (((2, 3), (3, 2)), ((2,), (2, 3)), ((), (3,)), ((2, 1, 2), (3, 2))):
            family.add("kron", v.numbers(name, x, "k"), v.numbers(name, y, "l"), tolerance=SUMS)
        for sizes, dim in (((3,), 0), ((2, 3), -1), ((3, 4), 0), ((0, 3), 1)):
            family.add("linalg_cross", v.numbers(name, sizes, "x"), v.numbers(name, sizes, "y"), tolerance=SUMS, attrs={"dim": dim})
        family.add("cross", v.numbers(name, (2, 3, 3), "x"), v.numbers(name, (2, 3, 3), "y"), tolerance=SUMS)
        scaled = lambda x, a, b, beta, alpha: torch.addr(x, a, b, beta=beta, alpha=alpha)
        for sizes in ((3, 5), (5,), ()):
            family.add("addr", v.numbers(name, sizes, "x"), m[:, 0].clone(), a, tolerance=SUMS)
            family.add("addr", v.numbers(name, sizes, "x"), m[:, 0].clone(), a, 2, -3, call=scaled, tolerance=SUMS)
        for op in ("linalg_multi_dot", "chain_matmul"):
            if v.is_float(name):
                family.add(op, [v.numbers(name, s, i) for i, s in enumerate([(3, 4), (4, 2), (2, 5), (5, 3)])], tolerance=SUMS)
        if v.is_float(name):
            family.add("linalg_multi_dot", [v.numbers(name, s, i) for i, s in enumerate([(4,), (4, 2), (2,)])], tolerance=SUMS)
    one, two = v.numbers("f32", (3,)), v.numbers("f32", (4,))
    square = v.numbers("f32", (3, 4))
    for op, x, y in (("dot", one, two), ("dot", one, one.double()), ("dot", square, one), ("mv", square, one), ("outer", square, one), ("inner", square, one)):
        family.add(op, x, y)
    family.add("tensordot", square, square, attrs={"dims_self": [0], "dims_other": [1]})
    family.add("linalg_cross", square, square, attrs={"dim": -1})
    family.add("cross", two, two)
    family.add("addr", one, two, two)
    family.add("linalg_multi_dot", [square])


def diagonals(family):
    for name in v.ALL:
        family.add("trace", v.numbers(name, (3, 5)), tolerance=SUMS)
        for offset in (0, 1, -2):
            family.add("diag", v.numbers(name, (3,)), attrs={"diagonal": offset})
            family.add("diag", v.numbers(name, (3, 4)), attrs={"diagonal": offset})
        family.add("diag_embed", v.numbers(name, (2, 3)))
    for offset, dim1, dim2 in ((1, 0, 2), (-1, 1, 0), (0, -1, -2)):
        family.add("diag_embed", v.numbers("f32", (2, 3)), attrs={"offset": offset, "dim1": dim1, "dim2": dim2})
    family.add("diag_embed", v.transposed(lambda n: v.numbers("f32", n), (2, 3)))
    family.add("diag_embed", v.numbers("f32", (2, 0)))
    family.add("diag_embed", v.numbers("f32", (2, 3)), attrs={"offset": 0, "dim1": 0, "dim2": 0})
    family.add("trace", v.numbers("f32", (3,)))
    family.add("diag", v.numbers("f32", (1, 2, 3)))
    for op in ("tril_indices", "triu_indices"):
        for r, c, offset in ((3, 3, 0), (4, 3, 1), (3, 5, -1), (0, 3, 0), (3, 0, 0), (2, 3, -5), (2, 3, 5), (5, 2, -2), (1, 1, 0)):
            family.add(op, attrs={"row": r, "col": c, "offset": offset})
        family.add(op, attrs={"row": 3, "col": 4, "offset": 0, "dtype": torch.int32})
        family.add(op, attrs={"row": -3, "col": 4})
    for name in ("f32", "f64", "i64", "i32"):
        family.add("linalg_vander", v.numbers(name, (2, 4)), tolerance=SUMS)
        family.add("linalg_vander", v.numbers(name, (3,)), tolerance=SUMS, attrs={"N": 5})
    family.add("linalg_vander", v.numbers("f32", (3,)), attrs={"N": 1})


def norms(family):
    for name in v.FLOATS + ["i32"]:
        for order in (2, 1, 0, INF, -INF, 3, 0.5, -1.5) if name == "f32" else (2, 1, INF):
            for sizes, dim in (((3, 5), None), ((3, 5), [1]), ((2, 3, 4), [0, -1]), ((), None)):
                x = v.numbers(name, sizes, "norm")
                family.add("linalg_vector_norm", x, order, tolerance=SUMS, attrs={"dim": dim, "keepdim": len(sizes) == 3})
        family.add("linalg_vector_norm", v.numbers(name, (3, 5)), 2, tolerance=SUMS, attrs={"dtype": torch.float64})
        family.add("norm", v.numbers(name, (3, 5)), 2, tolerance=SUMS, call=lambda x, p: ATEN.norm.Scalar(x, p))
        family.add("norm", v.numbers(name, (3, 5)), tolerance=SUMS, attrs={"p": None, "dim": [1], "keepdim": True}, call=lambda x, p, dim, keepdim: ATEN.norm.ScalarOpt_dim(x, p, dim, keepdim))
        for order in (1, -1, INF, -INF, "fro"):
            for dim in ([-2, -1], [2, 0]):
                family.add("linalg_matrix_norm", v.numbers(name, (2, 3, 4), "matrix"), tolerance=SUMS, attrs=({} if order == "fro" else {"ord": order}) | {"dim": dim, "keepdim": dim == [2, 0]},
                           call=torch.linalg.matrix_norm)
    for order in (2, 0.5, 3):
        family.add("linalg_vector_norm", torch.zeros(2, 3), order, attrs={"dim": [1]})
    family.add("linalg_vector_norm", torch.zeros(0, 3), 2, attrs={"dim": [0]})
    family.add("linalg_vector_norm", torch.zeros(0, 3), INF, attrs={"dim": [0]})
    family.add("linalg_vector_norm", torch.zeros(2, 3), 2, attrs={"dim": [2]})
    for layout in (v.transposed, v.stepped):
        family.add("linalg_vector_norm", layout(lambda n: v.numbers("f32", n), (3, 5)), 2, tolerance=SUMS, attrs={"dim": [0]})
    family.add("linalg_matrix_norm", v.numbers("f32", (3,)), attrs={"ord": 1}, call=torch.linalg.matrix_norm)
    family.add("linalg_matrix_norm", v.numbers("f32", (3, 3)), attrs={"ord": 7}, call=torch.linalg.matrix_norm)


def distances(family):
    unit = lambda x, p, dim, eps: F.normalize(x, p, dim, eps)
    for name in v.FLOATS:
        x, y = v.numbers(name, (3, 5), "x"), v.numbers(name, (3, 5), "y")
        for p, dim in ((2.0, 1), (1.0, 0), (3.0, -1)):
            family.add("normalize", x, call=unit, tolerance=SUMS, attrs={"p": p, "dim": dim, "eps": 1e-12})
        for a, b, dim in ((x, y, 1), (x, y, 0), (x, y[0], -1), (x[0], y[0], 0)):
            family.add("cosine_similarity", a, b, tolerance=SUMS, attrs={"dim": dim})
        for p in (2.0, 1.0, INF):
            family.add("pairwise_distance", x, y, tolerance=SUMS, attrs={"p": p, "eps": 0.125, "keepdim": p == 1})
    for name in ("f32", "f64"):
        x, y = v.numbers(name, (2, 4, 3), "x"), v.numbers(name, (2, 5, 3), "y")
        for p in (2.0, 1.0, 0.0, INF, 1.5):
            family.add("cdist", x, y, tolerance=SUMS, attrs={"p": p})
            family.add("_cdist_forward", x[0], y[1], tolerance=SUMS, attrs={"p": p, "compute_mode": 2})
            for op in ("pdist", "_pdist_forward"):
                family.add(op, x[0], tolerance=SUMS, attrs={"p": p})
    family.add("normalize", torch.zeros(2, 3), call=unit, attrs={"p": 2.0, "dim": 1, "eps": 1e-12})
    family.add("cosine_similarity", torch.zeros(2, 3), torch.ones(2, 3))
    family.add("cosine_similarity", v.numbers("f32", (2, 3)), v.numbers("f64", (3,)), tolerance=SUMS)
    family.add("cosine_similarity", v.numbers("f32", (2, 3)), v.numbers("f32", (2, 4)))
    family.add("cosine_similarity", v.numbers("i32", (2, 3)), v.numbers("i32", (2, 3)))
    family.add("cdist", torch.zeros(0, 3), torch.zeros(2, 3))
    family.add("cdist", torch.zeros(4, 3), torch.zeros(2, 4))
    family.add("cdist", torch.zeros(3), torch.zeros(2, 3))
    family.add("cdist", torch.zeros(4, 3), torch.zeros(2, 3), attrs={"p": -1.0})
    family.add("pdist", torch.zeros(1, 3))
    family.add("pdist", torch.zeros(3))


def algebra():
    family = Family("algebra")
    for part in (einsum, products, diagonals, norms, distances):
        part(family)
    return family


def gradients_of_distances(family):
    x = real(3, 4, key="norm")
    for order in (2, 1, 0, INF, -INF, 3, 0.5, -1.5):
        family.add("linalg_vector_norm", x, order, attrs={"dim": [1]})
    for order in (2, 1, 3, 0.5):
        family.add("linalg_vector_norm", torch.stack([row(0.0, 0.0), row(0.0, 2.0)]), order, attrs={"dim": [1]}, slope=False)
    family.add("norm", x, 2.0, call=lambda x, p: ATEN.norm.Scalar(x, p), second=True)
    for order in (1, INF, "fro"):
        family.add("linalg_matrix_norm", x, attrs={} if order == "fro" else {"ord": order}, call=torch.linalg.matrix_norm)
    family.add("normalize", x, call=lambda x, p, dim, eps: F.normalize(x, p, dim, eps), attrs={"p": 2.0, "dim": 1, "eps": 1e-12})
    y = real(3, 4, key="other")
    family.add("cosine_similarity", x, y)
    family.add("pairwise_distance", x, y)
    for p in (2.0, 1.0, 3.0, INF):
        family.add("cdist", x, y, attrs={"p": p})
        family.add("pdist", x, attrs={"p": p})
    family.add("cdist", x, x[:2].clone(), slope=False)  # at distance 0, too


def gradients_of_algebra(family):
    call = lambda tensors, equation: torch.einsum(equation, *tensors)
    for equation, *sizes in EQUATIONS[:24]:
        family.add("einsum", [real(*s, key=("einsum", i)) for i, s in enumerate(sizes)], call=call, attrs={"equation": equation})
    a, b, m = real(4, key="a"), real(4, key="b"), real(3, 4, key="m")
    for op in ("outer", "inner", "dot", "kron"):
        family.add(op, a, b)
    family.add("mv", m, a)
    family.add("tensordot", m, real(4, 3, key="n"), attrs={"dims_self": [0, 1], "dims_other": [1, 0]})
    family.add("linalg_cross", real(2, 3, key=1), real(2, 3, key=2))
    family.add("addr", real(3, 4), real(3), a, 0.5, 2.0, call=lambda x, a, b, beta, alpha: torch.addr(x, a, b, beta=beta, alpha=alpha))
    family.add("linalg_multi_dot", [real(2, 3, key=1), real(3, 4, key=2), real(4, 2, key=3)])
    family.add("trace", m)
    family.add("diag", m, attrs={"diagonal": 1})
    family.add("diag", a, attrs={"diagonal": -1})
    family.add("diag_embed", m)
    family.add("linalg_vander", a)
