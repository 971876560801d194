"""Decompositions of matrices, and what follows from them. Values whose sign is LAPACK's choice (U and V of singular values, eigenvectors)
are compared only through results that do not depend on it."""
import math

import torch

from . import values as v
from .gradients import Gradients, real
from .samples import EQUAL, Family, Tolerance

NEAR = Tolerance(ulps=16, relative=256, absolute=256)
LONG = Tolerance(ulps=64, relative=4096, absolute=256)
INF = float("inf")
ATEN = torch.ops.aten
LINALG = torch.linalg
SIZES = [(3, 3), (2, 4, 4), (2, 1, 2, 2), (1, 1), (0, 0), (0, 3, 3)]
SHAPES = SIZES + [(3, 5), (5, 3), (2, 4, 3), (2, 3, 4), (0, 3), (3, 0)]
REFUSED = [(3, 4), (3,), ()]


def regular(name, sizes, *key):
    """Far from singular."""
    x = v.numbers(name, sizes, "matrix", *key)
    n = min(sizes[-2:])
    x.diagonal(dim1=-2, dim2=-1)[..., :n] += 8.0 if n else 0.0
    return x


def positive(name, sizes, *key):
    x = v.numbers(name, sizes, "positive", *key)
    return x @ x.mT + 2 * torch.eye(sizes[-1], dtype=x.dtype)


def symmetric(name, sizes, *key):
    x = v.numbers(name, sizes, "symmetric", *key)
    return x + x.mT


def triangle(name, sizes, *key):
    return regular(name, sizes, "triangle", *key)


def cholesky(family):
    for name in ("f32", "f64"):
        for sizes in SIZES:
            x = positive(name, sizes)
            for upper in (False, True):
                family.add("linalg_cholesky_ex", x, tolerance=NEAR, attrs={"upper": upper})
            factor = LINALG.cholesky(x)
            family.add("cholesky_solve", v.numbers(name, (*sizes[:-1], 2)), factor, tolerance=NEAR)
            family.add("cholesky_inverse", factor, tolerance=NEAR)
        x = positive(name, (3, 3))
        family.add("linalg_cholesky", x, tolerance=NEAR)
        family.add("cholesky", x, tolerance=NEAR, attrs={"upper": True})
        family.add("cholesky_solve", v.numbers(name, (2, 3, 2)), LINALG.cholesky(x).mT, tolerance=NEAR, attrs={"upper": True})
        family.add("linalg_cholesky_ex", v.stepped(lambda n: positive(name, n), (3, 3)), tolerance=NEAR)
    one = v.numbers("f32", (3, 3))
    family.add("linalg_cholesky", -torch.eye(3))
    family.add("linalg_cholesky", torch.stack([torch.eye(3), -torch.eye(3)]))
    family.add("cholesky_solve", one[:2], one)
    for sizes in REFUSED:
        family.add("linalg_cholesky_ex", v.numbers("f32", sizes))
        family.add("cholesky_inverse", v.numbers("f32", sizes))
    for name in ("f16", "bf16", "i64"):
        family.add("linalg_cholesky_ex", v.numbers(name, (2, 2)), refused=True)


def lu(family):
    for name in ("f32", "f64"):
        for sizes in SHAPES:
            x = regular(name, sizes)
            family.add("linalg_lu_factor_ex", x, tolerance=NEAR)
            family.add("linalg_lu", x, tolerance=NEAR)
            data, pivots = LINALG.lu_factor(x)
            family.add("lu_unpack", data, pivots)
        x = v.numbers(name, (4, 4), "pivots")
        family.add("linalg_lu_factor", x, tolerance=NEAR)
        family.add("linalg_lu_factor_ex", v.swapped(lambda n: v.numbers(name, n, "swapped"), (2, 4, 4)), tolerance=NEAR)
        data, pivots = LINALG.lu_factor(x)
        family.add("lu_unpack", data, pivots, attrs={"unpack_pivots": False})
        family.add("lu_unpack", data, pivots, attrs={"unpack_data": False})
        for adjoint in (False, True):
            family.add("linalg_lu_solve", data, pivots, v.numbers(name, (4, 3)), tolerance=NEAR, attrs={"adjoint": adjoint})
            family.add("linalg_lu_solve", data, pivots, v.numbers(name, (2, 4, 3)), tolerance=NEAR, attrs={"adjoint": adjoint})
            family.add("linalg_lu_solve", data, pivots, v.numbers(name, (3, 4)), tolerance=NEAR, attrs={"left": False, "adjoint": adjoint})
        family.add("lu_solve", v.numbers(name, (4, 3)), data, pivots, tolerance=NEAR)
    data, pivots = LINALG.lu_factor(v.numbers("f32", (4, 4)))
    family.add("lu_unpack", data, pivots.long())
    family.add("lu_unpack", data, pivots * 5)
    family.add("linalg_lu_solve", data, pivots.long(), torch.ones(4, 1))
    family.add("linalg_lu_solve", data, pivots, torch.ones(3, 1))
    family.add("linalg_lu_solve", data, pivots, torch.ones(4))
    family.add("linalg_lu_solve", data, pivots, torch.ones(4, 1).double())
    family.add("linalg_lu_factor_ex", data, attrs={"pivot": False})
    family.add("linalg_lu_factor", torch.zeros(2, 2))
    family.add("linalg_lu_factor_ex", torch.zeros(2, 2))
    for name in ("f16", "bf16", "i64"):
        family.add("linalg_lu_factor_ex", v.numbers(name, (2, 2)), refused=True)
    family.add("linalg_lu_factor_ex", torch.ones(3))


def equations(family):
    for name in ("f32", "f64"):
        for sizes in SIZES:
            x = triangle(name, sizes)
            tall, wide = v.numbers(name, (*sizes[:-1], 2)), v.numbers(name, (*sizes[:-2], 2, sizes[-1]))
            for upper in (False, True):
                family.add("linalg_solve_triangular", x, tall, tolerance=NEAR, attrs={"upper": upper})
                family.add("linalg_solve_triangular", x, wide, tolerance=NEAR, attrs={"upper": upper, "left": False})
            x = regular(name, sizes)
            family.add("linalg_solve", x, tall, tolerance=NEAR)
            family.add("linalg_solve", x, wide, tolerance=NEAR, attrs={"left": False})
            family.add("linalg_inv", x, tolerance=NEAR)
            family.add("linalg_inv_ex", x, tolerance=NEAR)
            for op in ("linalg_det", "linalg_slogdet"):
                family.add(op, x, tolerance=NEAR)
            for op in ("_linalg_det", "_linalg_slogdet"):  # torch decomposes the transpose of some
                family.add(op, positive(name, sizes), tolerance=NEAR)
        x, y = regular(name, (3, 3)), v.numbers(name, (3,))
        family.add("linalg_solve", x, y, tolerance=NEAR)
        family.add("linalg_solve", x, v.numbers(name, (2, 3, 2)), tolerance=NEAR)
        family.add("linalg_solve_ex", x, v.numbers(name, (3, 2)), tolerance=NEAR)
        family.add("_linalg_solve_ex", x, v.numbers(name, (3, 2)), tolerance=NEAR)
        family.add("linalg_solve_triangular", x, v.numbers(name, (2, 3, 2)), tolerance=NEAR, attrs={"upper": True, "unitriangular": True})
        for transpose in (False, True):
            family.add("triangular_solve", v.numbers(name, (3, 2)), x, tolerance=NEAR, attrs={"upper": False, "transpose": transpose})
        family.add("inverse", x, tolerance=NEAR)
        family.add("det", v.numbers(name, (4, 4), "sign"), tolerance=NEAR)
        family.add("slogdet", v.numbers(name, (5, 4, 4), "signs"), tolerance=NEAR)
        family.add("logdet", v.numbers(name, (5, 4, 4), "signs"), tolerance=NEAR)
        family.add("linalg_det", torch.zeros(2, 2, dtype=v.DTYPES[name]), tolerance=EQUAL)
        family.add("linalg_slogdet", torch.zeros(2, 2, dtype=v.DTYPES[name]), tolerance=EQUAL)
        family.add("linalg_tensorinv", regular(name, (6, 6)).reshape(6, 2, 3), tolerance=NEAR, attrs={"ind": 1})
        family.add("linalg_tensorinv", regular(name, (6, 6)).reshape(2, 3, 3, 2), tolerance=NEAR)
        family.add("linalg_tensorsolve", regular(name, (6, 6)).reshape(2, 3, 6), v.numbers(name, (2, 3)), tolerance=NEAR)
        family.add("linalg_tensorsolve", regular(name, (6, 6)).reshape(6, 2, 3).transpose(0, 1).contiguous(), v.numbers(name, (6,)), tolerance=NEAR, attrs={"dims": [0, 2]})
    one, zero = torch.eye(3), torch.zeros(3, 3)
    for op in ("linalg_inv", "linalg_det", "linalg_slogdet", "logdet"):
        for sizes in REFUSED:
            family.add(op, v.numbers("f32", sizes))
        family.add(op, v.numbers("f16", (2, 2)), refused=True)
        family.add(op, v.numbers("i64", (2, 2)), refused=True)
    family.add("linalg_inv", zero)
    family.add("linalg_inv", torch.stack([one, zero]))
    family.add("linalg_solve", zero, torch.ones(3))
    family.add("linalg_solve", one, torch.ones(4, 1))
    family.add("linalg_solve", one, torch.ones(3).double())
    family.add("linalg_solve", one, torch.ones(()))
    family.add("linalg_solve", one, torch.ones(3), attrs={"left": False})
    family.add("linalg_solve_triangular", one, torch.ones(4, 1), attrs={"upper": True})
    family.add("linalg_solve_triangular", one, torch.ones(3), attrs={"upper": True})
    family.add("linalg_tensorinv", torch.ones(2, 3), attrs={"ind": 1})
    family.add("linalg_tensorinv", torch.ones(2, 2), attrs={"ind": 0})
    family.add("linalg_tensorsolve", torch.ones(2, 3, 6), torch.ones(6))


def spectra(family):
    for name in ("f32", "f64"):
        for sizes in SHAPES:
            x = v.numbers(name, sizes, "qr")
            for mode in ("reduced", "complete", "r"):
                family.add("linalg_qr", x, tolerance=NEAR, attrs={"mode": mode})
            family.add("linalg_svdvals", x, tolerance=NEAR)
            family.add("_linalg_svd", x, tolerance=NEAR, attrs={"compute_uv": False})
            family.add("linalg_pinv", x, tolerance=NEAR, call=lambda x: LINALG.pinv(x))
            family.add("linalg_matrix_rank", x, call=lambda x: LINALG.matrix_rank(x))
        for sizes in SIZES:
            x = symmetric(name, sizes)
            for side in ("L", "U"):
                family.add("linalg_eigvalsh", x, tolerance=NEAR, attrs={"UPLO": side})
            family.add("_linalg_eigh", x, tolerance=NEAR, attrs={"compute_v": False})
            family.add("linalg_cond", regular(name, sizes), tolerance=NEAR)
            family.add("linalg_pinv", x, tolerance=NEAR, attrs={"hermitian": True}, call=lambda x, hermitian: LINALG.pinv(x, hermitian=hermitian))
        x = v.numbers(name, (4, 2), "low") @ v.numbers(name, (2, 5), "rank")
        family.add("linalg_matrix_rank", x, call=lambda x: LINALG.matrix_rank(x))
        family.add("linalg_matrix_rank", x, 1e-3, call=lambda x, tol: LINALG.matrix_rank(x, tol))
        family.add("linalg_matrix_rank", x @ x.mT, attrs={"hermitian": True}, call=lambda x, hermitian: LINALG.matrix_rank(x, hermitian=hermitian))
        family.add("linalg_pinv", x, attrs={"rtol": 1e-3}, tolerance=NEAR, call=lambda x, rtol: LINALG.pinv(x, rtol=rtol))
        family.add("linalg_pinv", x, attrs={"atol": 1e-2}, tolerance=NEAR, call=lambda x, atol: LINALG.pinv(x, atol=atol))
        family.add("pinverse", x, tolerance=NEAR, attrs={"rcond": 1e-3})
        family.add("linalg_eigvalsh", v.numbers(name, (3, 3), "one triangle"), tolerance=NEAR)
        family.add("linalg_eigvalsh", torch.full((2, 2), float("nan"), dtype=v.DTYPES[name]))
        family.add("qr", v.numbers(name, (4, 3)), tolerance=NEAR, attrs={"some": False})
        x = regular(name, (2, 3, 3))
        for p in (2, -2, 1, -1, float("inf"), -float("inf")):
            family.add("linalg_cond", x, tolerance=NEAR, attrs={"p": p})
        for p in ("fro", "nuc"):
            family.add("linalg_cond", x, tolerance=NEAR, attrs={"p": p}, call=LINALG.cond)
        family.add("linalg_cond", torch.zeros(2, 2, dtype=x.dtype), attrs={"p": 1}, tolerance=EQUAL)
        for order in (2, -2, "nuc"):
            for dims, keepdim in (([-2, -1], False), ([2, 0], True)):
                family.add("linalg_matrix_norm", v.numbers(name, (2, 3, 4)), tolerance=NEAR, attrs={"ord": order, "dim": dims, "keepdim": keepdim}, call=LINALG.matrix_norm)
    family.add("linalg_svdvals", torch.full((2, 2), float("nan")))
    family.add("linalg_svdvals", torch.full((2, 2), float("inf")))
    family.add("linalg_qr", torch.ones(2, 2), attrs={"mode": "other"})
    family.add("linalg_eigh", torch.ones(2, 2), attrs={"UPLO": "X"})
    for op in ("linalg_qr", "linalg_svdvals", "_linalg_eigh"):
        for sizes in REFUSED[1:] + ([(3, 4)] if op == "_linalg_eigh" else []):
            family.add(op, v.numbers("f32", sizes))
        family.add(op, v.numbers("f16", (2, 2)), refused=True)
        family.add(op, v.numbers("i64", (2, 2)), refused=True)


def reflections(family):
    for name in ("f32", "f64"):
        for sizes in SHAPES:
            x = v.numbers(name, sizes, "reflections")
            family.add("geqrf", x, tolerance=NEAR)
            a, tau = torch.geqrf(x)
            if sizes[-2] >= sizes[-1]:
                family.add("linalg_householder_product", a, tau, tolerance=NEAR)
            for transpose in (False, True):
                family.add("ormqr", a, tau, v.numbers(name, (*sizes[:-1], 2)), tolerance=NEAR, attrs={"transpose": transpose})
                family.add("ormqr", a, tau, v.numbers(name, (*sizes[:-2], 2, sizes[-2])), tolerance=NEAR, attrs={"left": False, "transpose": transpose})
        a, tau = torch.geqrf(v.numbers(name, (5, 3), "reflections"))
        family.add("linalg_householder_product", a, tau[:2], tolerance=NEAR)
        family.add("orgqr", a, tau, tolerance=NEAR)
    family.add("linalg_householder_product", a, tau[:, None])
    family.add("linalg_householder_product", a.mT, tau)
    family.add("linalg_householder_product", a, tau.float())
    family.add("ormqr", a, tau, a[:3])
    family.add("ormqr", a, tau[:2], a)
    for sizes in REFUSED[1:]:
        family.add("geqrf", v.numbers("f32", sizes))


def ldl(family):
    for name in ("f32", "f64"):
        for sizes in SIZES:
            x = symmetric(name, sizes)
            family.add("linalg_ldl_factor_ex", x, tolerance=NEAR)
            data, pivots = LINALG.ldl_factor(x)
            family.add("linalg_ldl_solve", data, pivots, v.numbers(name, (*sizes[:-1], 2)), tolerance=NEAR)
        x = symmetric(name, (4, 4), "pivots")
        x.diagonal().zero_()  # D has blocks
        family.add("linalg_ldl_factor", x, tolerance=NEAR)
        data, pivots = LINALG.ldl_factor(x)
        family.add("linalg_ldl_solve", data, pivots, v.numbers(name, (2, 4, 3)), tolerance=NEAR)
    family.add("linalg_ldl_factor_ex", torch.zeros(2, 2))
    family.add("linalg_ldl_factor", torch.zeros(2, 2))
    family.add("linalg_ldl_solve", data, pivots, torch.ones(4).double())
    family.add("linalg_ldl_solve", data, pivots.long(), torch.ones(4, 1).double())
    family.add("linalg_ldl_solve", data, pivots, torch.ones(4, 1))
    for sizes in REFUSED:
        family.add("linalg_ldl_factor_ex", v.numbers("f32", sizes))


def least_squares(family):
    for name in ("f32", "f64"):
        for sizes in ((3, 3), (5, 3), (3, 5), (2, 4, 3), (2, 3, 4), (0, 3), (3, 0), (0, 3, 2)):
            x, b = regular(name, sizes), v.numbers(name, (*sizes[:-1], 2))
            family.add("linalg_lstsq", x, b, tolerance=NEAR)
            for driver in ("gels", "gelsy", "gelsd", "gelss"):
                family.add("linalg_lstsq", x, b, tolerance=NEAR, attrs={"driver": driver})
        x = regular(name, (2, 5, 3))
        family.add("linalg_lstsq", x, v.numbers(name, (2, 5)), tolerance=NEAR, attrs={"driver": "gelsd"})
        family.add("linalg_lstsq", x[0], v.numbers(name, (5,)), tolerance=NEAR, attrs={"driver": "gels"})
        half = v.numbers(name, (5, 2), "rank") @ v.numbers(name, (2, 3), "rank", 1)  # of rank 2
        for driver in ("gelsy", "gelsd", "gelss"):
            family.add("linalg_lstsq", half, v.numbers(name, (5, 2)), tolerance=NEAR, attrs={"driver": driver, "rcond": 1e-3}, call=without_zeros)
    family.add("linalg_lstsq", x, v.numbers("f64", (2, 4, 1)))
    family.add("linalg_lstsq", x, v.numbers("f32", (2, 5, 1)))
    family.add("linalg_lstsq", x, v.numbers("f64", (2, 5, 1)), attrs={"driver": "gelsx"})


def without_zeros(x, b, rcond, driver):
    """Singular values that should be 0 as such: they are rounding errors."""
    solution, residuals, rank, s = ATEN.linalg_lstsq(x, b, rcond=rcond, driver=driver)
    return solution, residuals, rank, torch.where(s < 1e-6 * s.max(), 0, s) if s.numel() else s


def exponentials(family):
    for name in ("f32", "f64"):
        for sizes in SIZES:
            for scale in (1e-3, 1, 6):
                family.add("linalg_matrix_exp", v.numbers(name, sizes) * scale, tolerance=LONG)
        family.add("matrix_exp", v.swapped(lambda n: v.numbers(name, n), (2, 3, 3)), tolerance=LONG)
        family.add("linalg_matrix_exp", torch.zeros(2, 2, dtype=v.DTYPES[name]), tolerance=EQUAL)
        family.add("linalg_matrix_exp", torch.tensor([[INF, 0], [0, 1]], dtype=v.DTYPES[name]), tolerance=NEAR)
        family.add("_lu_with_info", regular(name, (3, 3)), tolerance=NEAR)
        for n in (-1, -3):
            family.add("linalg_matrix_power", regular(name, (2, 3, 3)), attrs={"n": n}, tolerance=NEAR)
            family.add("matrix_power", regular(name, (3, 3)), attrs={"n": n}, tolerance=NEAR)
    family.add("linalg_matrix_power", torch.zeros(2, 2), attrs={"n": -1})
    for sizes in REFUSED:
        family.add("linalg_matrix_exp", v.numbers("f32", sizes))


def decompositions():
    family = Family("decompositions")
    for part in (cholesky, lu, equations, spectra, reflections, ldl, least_squares, exponentials):
        part(family)
    return family


def values_only(x, compute_uv):
    """What torch has no gradient of without U and V."""
    return [torch.zeros(0, dtype=x.dtype), ATEN._linalg_svd(x, compute_uv=True)[1], torch.zeros(0, dtype=x.dtype)]


def decomposition_gradients():
    family = Gradients("decomposition_gradient")
    matrix = lambda *sizes: real(*sizes, key="matrix") + 6 * torch.eye(*sizes[-2:], dtype=torch.float64)
    square, batch = matrix(3, 3), matrix(2, 3, 3)
    definite = square @ square.mT
    for upper in (False, True):
        family.add("linalg_cholesky_ex", definite, attrs={"upper": upper}, slope=False)  # one triangle is read
    family.add("linalg_cholesky_ex", real(2, 1, 1, low=1, high=4))
    family.add("linalg_lu_factor_ex", square, second=True)
    family.add("linalg_lu_factor_ex", real(2, 4, 4, key="pivots"))
    data, pivots = LINALG.lu_factor(square)
    family.add("lu_unpack", data, pivots)
    for sizes in ((3, 5), (5, 3)):
        family.add("lu_unpack", *LINALG.lu_factor(real(*sizes)))
    swapped, order = LINALG.lu_factor(real(3, 3, key="order"))
    for adjoint in (False, True):
        family.add("linalg_lu_solve", swapped, order, real(3, 2), attrs={"adjoint": adjoint})
        family.add("linalg_lu_solve", swapped, order, real(2, 2, 3), attrs={"left": False, "adjoint": adjoint})
    for upper in (False, True):
        for one in (False, True):
            family.add("linalg_solve_triangular", square, real(3, 2), attrs={"upper": upper, "unitriangular": one})
            family.add("linalg_solve_triangular", square, real(2, 2, 3), attrs={"upper": upper, "unitriangular": one, "left": False})
    for op in ("linalg_inv", "linalg_det", "linalg_slogdet"):
        family.add(op, batch)
    family.add("linalg_solve", batch, real(2, 3, 2))
    family.add("linalg_solve", square, real(3))
    for sizes in ((4, 3), (3, 3), (3, 4), (2, 2, 3)):
        family.add("linalg_qr", real(*sizes, key="qr"))
    family.add("linalg_qr", real(3, 4, key="qr"), attrs={"mode": "complete"})
    for sizes in ((4, 3), (3, 4), (2, 3, 3)):
        family.add("_linalg_svd", real(*sizes, key="svd"), attrs={"compute_uv": False}, call=values_only)
        family.add("linalg_svdvals", real(*sizes, key="svd"))
        family.add("linalg_pinv", real(*sizes, key="svd"), call=lambda x: LINALG.pinv(x))
    family.add("linalg_matrix_norm", real(3, 4, key="nuc"), attrs={"ord": "nuc"}, call=LINALG.matrix_norm)
    a, tau = torch.geqrf(real(4, 3, key="reflections"))
    family.add("linalg_householder_product", a, tau)
    for transpose in (False, True):
        family.add("ormqr", a, tau, real(4, 2), attrs={"transpose": transpose})
        family.add("ormqr", a, tau, real(2, 4), attrs={"left": False, "transpose": transpose})
    family.add("linalg_matrix_exp", batch)
    family.add("linalg_matrix_exp", real(3, 3, key="exp"), second=True)
    family.add("linalg_matrix_power", square, attrs={"n": -2})
    for sizes in ((4, 3), (3, 4), (3, 3)):
        family.add("linalg_lstsq", matrix(*sizes), real(sizes[0], 2))
    symmetric = square + square.mT
    family.add("linalg_eigvalsh", symmetric, slope=False)
    family.add("_linalg_eigh", real(2, 1, 1))
    for sizes in ((3, 5), (5, 3), (2, 2, 4), (2, 4, 2), (1, 3), (3, 1)):
        family.add("linalg_lu_factor_ex", real(*sizes, key="lu"), second=True)
    return family


# ---- of complex matrices, and eigenvalues of any ----

def complex_regular(name, sizes, key=""):
    x = v.complexes(name, sizes, "matrix" + key)
    n = min(sizes[-2:])
    x.diagonal(dim1=-2, dim2=-1)[..., :n] += 8.0 if n else 0.0
    return x


def hermitian(name, sizes, shift=0.0):
    x = v.complexes(name, sizes, "hermitian")
    return x @ x.mH + shift * torch.eye(sizes[-1], dtype=x.dtype)


def complex_solutions(family, name, sizes):
    x, tall, wide = complex_regular(name, sizes), v.complexes(name, (*sizes[:-1], 2)), v.complexes(name, (*sizes[:-2], 2, sizes[-1]))
    for op in ("linalg_lu_factor_ex", "linalg_lu", "linalg_inv", "linalg_inv_ex", "linalg_det", "linalg_slogdet", "logdet"):
        family.add(op, x, tolerance=NEAR)
    family.add("linalg_solve", x, tall, tolerance=NEAR)
    family.add("linalg_solve", x, wide, tolerance=NEAR, attrs={"left": False})
    data, pivots = LINALG.lu_factor(x)
    family.add("lu_unpack", data, pivots)
    for adjoint in (False, True):
        family.add("linalg_lu_solve", data, pivots, tall, tolerance=NEAR, attrs={"adjoint": adjoint})
        family.add("linalg_lu_solve", data, pivots, wide, tolerance=NEAR, attrs={"left": False, "adjoint": adjoint})
    for upper in (False, True):
        definite = hermitian(name, sizes, 2)
        family.add("linalg_cholesky_ex", definite, tolerance=NEAR, attrs={"upper": upper})
        factor = LINALG.cholesky(definite, upper=upper)
        family.add("cholesky_solve", tall, factor, tolerance=NEAR, attrs={"upper": upper})
        family.add("cholesky_inverse", factor, tolerance=NEAR, attrs={"upper": upper})
        family.add("linalg_solve_triangular", x, tall, tolerance=NEAR, attrs={"upper": upper})
        family.add("linalg_solve_triangular", x, wide, tolerance=NEAR, attrs={"upper": upper, "left": False})


def complex_spectra(family, name):
    for sizes in SHAPES:
        x = v.complexes(name, sizes, "qr")
        for mode in ("reduced", "complete", "r"):
            family.add("linalg_qr", x, tolerance=NEAR, attrs={"mode": mode})
        family.add("linalg_svdvals", x, tolerance=NEAR)
        family.add("linalg_pinv", x, tolerance=NEAR, call=lambda x: LINALG.pinv(x))
        family.add("geqrf", x, tolerance=NEAR)
        a, tau = torch.geqrf(x)
        if sizes[-2] >= sizes[-1]:
            family.add("linalg_householder_product", a, tau, tolerance=NEAR)
        for transpose in (False, True):
            family.add("ormqr", a, tau, v.complexes(name, (*sizes[:-1], 2)), tolerance=NEAR, attrs={"transpose": transpose})
    for sizes in SIZES:
        x = hermitian(name, sizes)
        for side in ("L", "U"):
            family.add("linalg_eigvalsh", x, tolerance=NEAR, attrs={"UPLO": side})
        family.add("linalg_pinv", x + torch.eye(sizes[-1], dtype=x.dtype), tolerance=NEAR, attrs={"hermitian": True}, call=lambda x, hermitian: LINALG.pinv(x, hermitian=hermitian))
        family.add("linalg_cond", complex_regular(name, sizes), tolerance=NEAR)
        family.add("linalg_matrix_exp", v.complexes(name, sizes), tolerance=LONG)
    x = v.complexes(name, (4, 2), "low") @ v.complexes(name, (2, 5), "rank")
    family.add("linalg_matrix_rank", x, call=lambda x: LINALG.matrix_rank(x))


def complex_ldl(family, name):
    for sizes in SIZES:
        for conjugate in (False, True):
            x = v.complexes(name, sizes, "ldl")
            x = x + (x.mH if conjugate else x.mT)
            family.add("linalg_ldl_factor_ex", x, tolerance=NEAR, attrs={"hermitian": conjugate})
            data, pivots = LINALG.ldl_factor(x, hermitian=conjugate)
            family.add("linalg_ldl_solve", data, pivots, v.complexes(name, (*sizes[:-1], 2)), tolerance=NEAR, attrs={"hermitian": conjugate})


def eigenvalues(family):
    """Of matrices whose eigenvalues are far apart, so that their order and the vectors are certain."""
    for name in ("f32", "f64", *v.COMPLEX):
        for sizes in SIZES:
            x = (v.complexes if name in v.COMPLEX else v.numbers)(name, sizes, "eig")
            x = x + torch.diag(torch.arange(1.0, sizes[-1] + 1) * 9).to(x.dtype)
            family.add("linalg_eigvals", x, tolerance=NEAR)
            if name in ("f64", "c128"):  # others may have other signs than in double
                family.add("linalg_eig", x, tolerance=NEAR)
    for angle in (0.3, 2.5):  # pairs of complex ones
        turn = torch.tensor([[math.cos(angle), -math.sin(angle), 0], [math.sin(angle), math.cos(angle), 0], [1, 2, 3]])
        family.add("linalg_eig", turn.double(), tolerance=NEAR)
        family.add("linalg_eigvals", turn.mT, tolerance=NEAR)
    family.add("linalg_eig", torch.ones(2, 3))
    family.add("linalg_eig", torch.tensor([[1.0, INF], [0, 1]]))
    family.add("linalg_eigvals", v.numbers("i64", (2, 2)), refused=True)


def complex_decompositions():
    family = Family("complex_decompositions")
    for name in v.COMPLEX:
        for sizes in SIZES:
            complex_solutions(family, name, sizes)
        complex_spectra(family, name)
        complex_ldl(family, name)
        for driver in ("gels", "gelsd"):
            for sizes in ((3, 3), (5, 3), (3, 5)):
                family.add("linalg_lstsq", complex_regular(name, sizes), v.complexes(name, (sizes[0], 2)), tolerance=NEAR, attrs={"driver": driver})
    eigenvalues(family)
    one = torch.eye(3, dtype=torch.complex64)
    family.add("linalg_cholesky", -one)
    family.add("linalg_inv", 0 * one)
    family.add("linalg_solve", one, torch.ones(3, 1))
    family.add("linalg_qr", one[0])
    family.add("linalg_cholesky_ex", one[:2])
    return family


def complex_decomposition_gradients():
    family = Gradients("complex_decomposition_gradient")
    square = complex_regular("c128", (3, 3))
    definite = hermitian("c128", (3, 3), 2)
    for upper in (False, True):
        family.add("linalg_cholesky_ex", definite, attrs={"upper": upper}, slope=False)  # one triangle is read
        family.add("linalg_solve_triangular", square, v.complexes("c128", (3, 2)), attrs={"upper": upper})
        family.add("linalg_solve_triangular", square, v.complexes("c128", (2, 2, 3)), attrs={"upper": upper, "left": False})
    for op in ("linalg_lu_factor_ex", "linalg_inv", "linalg_det"):
        family.add(op, square)
    family.add("linalg_solve", square, v.complexes("c128", (3, 2)))
    data, pivots = LINALG.lu_factor(square)
    for adjoint in (False, True):
        family.add("linalg_lu_solve", data, pivots, v.complexes("c128", (3, 2)), attrs={"adjoint": adjoint})
        family.add("linalg_lu_solve", data, pivots, v.complexes("c128", (2, 3)), attrs={"left": False, "adjoint": adjoint})
    for sizes in ((4, 3), (3, 3), (3, 4)):
        x = v.complexes("c128", sizes, "svd")
        family.add("linalg_qr", x)
        family.add("linalg_svdvals", x)
        family.add("linalg_pinv", x, call=lambda x: LINALG.pinv(x))
    family.add("linalg_eigvalsh", definite, slope=False)
    family.add("linalg_eigvalsh", v.complexes("c128", (2, 1, 1)))
    family.add("linalg_eigvals", square)
    family.add("linalg_eigvals", real(3, 3, key="eig") + torch.diag(torch.tensor([9.0, 18, 27], dtype=torch.float64)))
    family.add("linalg_matrix_exp", v.complexes("c128", (3, 3)))
    for sizes in ((3, 5), (5, 3)):
        family.add("linalg_lu_factor_ex", v.complexes("c128", sizes, "lu"))
    return family
