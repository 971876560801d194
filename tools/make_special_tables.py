#!/usr/bin/env python3
"""Makes src/ops/special_tables.h: the polynomials of src/ops/special_functions.cpp, fitted with mpmath at high precision.

usage: .venv/bin/python tools/make_special_tables.py [--check]
--check only says whether the file is up to date.  Each polynomial interpolates a smooth function at Chebyshev's points of an interval,
cut off where the coefficients of its Chebyshev series are below the precision of f64."""
import argparse
import pathlib
import sys

import mpmath
from mpmath import mp, mpf

PATH = pathlib.Path(__file__).resolve().parents[1] / "src" / "ops" / "special_tables.h"
SMALLEST = mpf(2) ** -56  # coefficients below this part of the largest one are left out
mp.dps = 60


def pi_of_phase(order, u):
    """P + i Q of J + i Y = sqrt(2 / (pi x)) (P + i Q) e^(i phase), as functions of u = 1 / x^2; Q is divided by 1 / x."""
    x = 1 / mpmath.sqrt(u)
    phase = x - mp.pi / 4 - order * mp.pi / 2
    both = mpmath.sqrt(mp.pi * x / 2) * (mpmath.besselj(order, x) + 1j * mpmath.bessely(order, x)) * mpmath.expj(-phase)
    return both.real, both.imag * x


def airy_of_phase(u):
    """P and Q of Ai(-z) = (cos(s - pi / 4) P + sin(s - pi / 4) Q) / (sqrt(pi) z^(1/4)) with s = 2/3 z^(3/2), of u = 1 / s^2; Q is divided by 1 / s."""
    s = 1 / mpmath.sqrt(u)
    z = (s * 3 / 2) ** (mpf(2) / 3)
    scale = mpmath.sqrt(mp.pi) * z ** mpf("0.25")
    a, b = scale * mpmath.airyai(-z), scale * mpmath.airybi(-z)
    c, d = mpmath.cos(s - mp.pi / 4), mpmath.sin(s - mp.pi / 4)
    return a * c - b * d, (a * d + b * c) * s


def airy_right(u):
    s = 1 / u
    x = (s * 3 / 2) ** (mpf(2) / 3)
    return mpmath.airyai(x) * mpmath.exp(s) * 2 * mpmath.sqrt(mp.pi) * x ** mpf("0.25")


def normal_quantile(q):
    """The x > 0 with a part q < 1/2 of the normal distribution above it."""
    x = mpmath.sqrt(-2 * mpmath.log(q)) if q < mpf("0.2") else mpf(1)
    for _ in range(100):
        tail = mpmath.erfc(x / mpmath.sqrt(2)) / 2
        step = (tail - q) / (mpmath.exp(-x * x / 2) / mpmath.sqrt(2 * mp.pi))
        x += step / (1 - x * step / 2)
        if abs(step) < mpf(10) ** -45:
            break
    return x


def normal_tail(u):
    """(z - log(z) / z - x) z of z = 1 / u, for the quantile x of q = e^(-z^2 / 2)."""
    z = 1 / u
    return (z - mpmath.log(z) / z - normal_quantile(mpmath.exp(-z * z / 2))) * z


def normal_center(u):
    y = mpmath.sqrt(u)
    return normal_quantile(mpf(1) / 2 - y) / y


def unscaled(f):
    """f(sqrt(u)) with x = sqrt(u)."""
    return lambda u: f(mpmath.sqrt(u))


# name, what it is, function, interval
TABLES = [
    ("i0_near", "e^-x I0(x)", lambda x: mpmath.exp(-x) * mpmath.besseli(0, x), 0, 8),
    ("i0_far", "e^-x sqrt(x) I0(x) of 1 / x", lambda u: mpmath.exp(-1 / u) / mpmath.sqrt(u) * mpmath.besseli(0, 1 / u), 0, mpf(1) / 8),
    ("i1_near", "e^-x I1(x) / x", lambda x: mpmath.exp(-x) * mpmath.besseli(1, x) / x, 0, 8),
    ("i1_far", "e^-x sqrt(x) I1(x) of 1 / x", lambda u: mpmath.exp(-1 / u) / mpmath.sqrt(u) * mpmath.besseli(1, 1 / u), 0, mpf(1) / 8),
    ("k0_near", "K0(x) + log(x / 2) I0(x) of x^2", unscaled(lambda x: mpmath.besselk(0, x) + mpmath.log(x / 2) * mpmath.besseli(0, x)), 0, 4),
    ("k0_far", "e^x sqrt(x) K0(x) of 1 / x", lambda u: mpmath.exp(1 / u) / mpmath.sqrt(u) * mpmath.besselk(0, 1 / u), 0, mpf(1) / 2),
    ("k1_near", "x (K1(x) - log(x / 2) I1(x)) of x^2", unscaled(lambda x: x * (mpmath.besselk(1, x) - mpmath.log(x / 2) * mpmath.besseli(1, x))), 0, 4),
    ("k1_far", "e^x sqrt(x) K1(x) of 1 / x", lambda u: mpmath.exp(1 / u) / mpmath.sqrt(u) * mpmath.besselk(1, 1 / u), 0, mpf(1) / 2),
    ("j0_near", "J0(x) of x^2", unscaled(lambda x: mpmath.besselj(0, x)), 0, 64),
    ("j1_near", "J1(x) / x of x^2", unscaled(lambda x: mpmath.besselj(1, x) / x), 0, 64),
    ("y0_near", "Y0(x) - 2 / pi log(x) J0(x) of x^2", unscaled(lambda x: mpmath.bessely(0, x) - 2 / mp.pi * mpmath.log(x) * mpmath.besselj(0, x)), 0, 64),
    ("y1_near", "(Y1(x) - 2 / pi (log(x) J1(x) - 1 / x)) / x of x^2",
     unscaled(lambda x: (mpmath.bessely(1, x) - 2 / mp.pi * (mpmath.log(x) * mpmath.besselj(1, x) - 1 / x)) / x), 0, 64),
    ("p0_far", "Hankel's P of order 0, of 1 / x^2", lambda u: pi_of_phase(0, u)[0], 0, mpf(1) / 64),
    ("q0_far", "Hankel's x Q of order 0, of 1 / x^2", lambda u: pi_of_phase(0, u)[1], 0, mpf(1) / 64),
    ("p1_far", "Hankel's P of order 1, of 1 / x^2", lambda u: pi_of_phase(1, u)[0], 0, mpf(1) / 64),
    ("q1_far", "Hankel's x Q of order 1, of 1 / x^2", lambda u: pi_of_phase(1, u)[1], 0, mpf(1) / 64),
    ("airy_middle", "Ai(x)", mpmath.airyai, -4, 2),
    ("airy_far", "2 sqrt(pi) x^(1/4) e^s Ai(x) with s = 2/3 x^(3/2), of 1 / s", airy_right, 0, mpf("0.5304")),
    ("airy_p", "P of Ai(-z), of 1 / s^2 with s = 2/3 z^(3/2)", lambda u: airy_of_phase(u)[0], 0, mpf("0.0352")),
    ("airy_q", "s Q of Ai(-z), of 1 / s^2", lambda u: airy_of_phase(u)[1], 0, mpf("0.0352")),
    ("erfcx_far", "x e^(x^2) erfc(x) of 1 / x^2", lambda u: mpmath.exp(1 / u) * mpmath.erfc(1 / mpmath.sqrt(u)) / mpmath.sqrt(u), 0, mpf(1) / 4),
    ("ndtri_center", "the quantile of 1/2 + y, divided by y, of y^2", normal_center, 0, mpf("0.134")),
    ("ndtri_tail", "(z - log(z) / z - x) z of 1 / z, for the quantile -x of e^(-z^2 / 2)", normal_tail, mpf("0.124"), mpf("0.501")),
    ("ndtri_far", "the same", normal_tail, mpf("0.025"), mpf("0.126")),
]


def chebyshev_series(f, low, high, count=64):
    """The coefficients of the polynomial that interpolates f at `count` points."""
    nodes = [mpmath.cos(mp.pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    values = [f((mpf(low) + high) / 2 + (mpf(high) - low) / 2 * t) for t in nodes]
    out = []
    for j in range(count):
        total = mpmath.fsum(v * mpmath.cos(j * mp.pi * (2 * k + 1) / (2 * count)) for k, v in enumerate(values))
        out.append(total * (1 if j == 0 else 2) / count)
    return out


def powers(series):
    """The polynomial with this Chebyshev series, by powers of t."""
    before, current = [mpf(1)], [mpf(0), mpf(1)]
    out = [mpf(0)] * len(series)
    for j, c in enumerate(series):
        chosen = before if j == 0 else current
        for i, x in enumerate(chosen):
            out[i] += c * x
        if j > 0:
            following = [mpf(0)] + [2 * x for x in current]
            for i, x in enumerate(before):
                following[i] -= x
            before, current = current, following
    return out


def table(name, text, f, low, high):
    series = chebyshev_series(f, low, high)
    largest = max(abs(c) for c in series)
    count = max(j for j, c in enumerate(series) if abs(c) > SMALLEST * largest) + 1
    if count > len(series) - 4:
        sys.exit(f"{name}: needs more than {len(series)} terms")
    scale, offset = 2 / (mpf(high) - low), -(mpf(high) + low) / (mpf(high) - low)
    numbers = ", ".join(repr(float(x)) for x in powers(series[:count]))
    return (f"// {text}, from {float(low):.6g} to {float(high):.6g}.\n"
            f"inline constexpr double {name}_terms[] = {{{numbers}}};\n"
            f"inline constexpr Fit {name}{{{float(scale)!r}, {float(offset)!r}, {name}_terms}};\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    text = ("// Made by tools/make_special_tables.py: polynomials that approximate special functions.\n// clang-format off\n#pragma once\n\n#include <span>\n\n"
            "namespace vitro::ops {\n\n// A polynomial, by ascending powers, of scale * x + offset, which is within [-1, 1].\n"
            "struct Fit {\n  double scale, offset;\n  std::span<const double> terms;\n};\n\n")
    for row in TABLES:
        text += table(*row) + "\n"
    text += "}  // namespace vitro::ops\n"
    if options.check:
        sys.exit(0 if PATH.read_text() == text else f"{PATH} is not up to date: run tools/make_special_tables.py")
    PATH.write_text(text)


if __name__ == "__main__":
    main()
