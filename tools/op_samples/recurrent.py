"""Recurrent layers, batch norms in training, and the gradients of norms by name."""
import torch

from . import values as v
from .gradients import real
from .norms import parameters
from .products import PRODUCT
from .reductions import NORM

aten = torch.ops.aten
GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}


def weights(make, op, size, hidden, layers=1, directions=1, biases=True, projected=0):
    """Flat, as torch.nn passes them."""
    out, state, rows = [], projected or hidden, GATES[op] * hidden
    for layer in range(layers):
        for _ in range(directions):
            out += [make(rows, state * directions if layer else size), make(rows, state)]
            out += [make(rows), make(rows)] if biases else []
            out += [make(projected, hidden)] if projected else []
    return out


def states(make, op, batch, hidden, layers=1, directions=1, projected=0):
    count = layers * directions
    h = make(count, batch, projected or hidden)
    return [h, make(count, batch, hidden)] if op == "lstm" else h


def numbers(name):
    return lambda *sizes: v.numbers(name, sizes, "recurrent", low=-1, high=1)


def flags(**given):
    return {"has_biases": True, "num_layers": 1, "dropout": 0.0, "train": False, "bidirectional": False, "batch_first": False} | given


def layers_of(family):
    def add(op, x, hx, params, tolerance=PRODUCT, **given):
        attrs = flags(**given)
        family.add(op, x, hx, params, attrs=attrs, tolerance=tolerance, call=lambda x, h, p, **a: getattr(aten, op).input(x, h, p, *a.values()))

    for op in GATES:
        for name in v.FLOATS:
            make = numbers(name)
            add(op, make(3, 2, 3), states(make, op, 2, 2), weights(make, op, 3, 2))
        make = numbers("f32")
        add(op, make(2, 3, 3), states(make, op, 2, 2, 2, 2), weights(make, op, 3, 2, 2, 2), num_layers=2, bidirectional=True, batch_first=True)
        add(op, make(1, 2, 3), states(make, op, 2, 1), weights(make, op, 3, 1, biases=False), has_biases=False)
        add(op, make(2, 0, 3), states(make, op, 0, 2), weights(make, op, 3, 2))
        add(op, v.stepped(lambda n: make(*n), (2, 2, 3)), states(make, op, 2, 2), weights(make, op, 3, 2))
        make = numbers("f64")  # torch's LSTM of f32 checks less
        x, hx, params = make(2, 2, 3), states(make, op, 2, 2), weights(make, op, 3, 2)
        for wrong in ((x[:0], hx, params), (x, hx, params[:-1]), (x, hx, weights(make, op, 4, 2)), (x, hx, weights(make, op, 3, 3)),
                      (x, states(make, op, 3, 2), params), (x.float(), hx, params), (x.long(), hx, params)):
            add(op, *wrong)
    make = numbers("f32")
    add("lstm", make(3, 2, 3), states(make, "lstm", 2, 3, 2, 2, 2), weights(make, "lstm", 3, 3, 2, 2, True, 2), num_layers=2, bidirectional=True)
    add("lstm", make(2, 2, 3), [make(1, 2, 2)], weights(make, "lstm", 3, 2))


def packed(family):
    make = numbers("f32")
    def add(op, x, batch_sizes, hx, params, **given):
        attrs = flags(**given)
        attrs.pop("batch_first")
        family.add(op, x, torch.tensor(batch_sizes), hx, params, attrs=attrs, tolerance=PRODUCT, call=lambda x, b, h, p, **a: getattr(aten, op).data(x, b, h, p, *a.values()))

    for op in GATES:
        for sizes in ([3, 2, 2, 1], [2, 2]):
            add(op, make(sum(sizes), 3), sizes, states(make, op, sizes[0], 2, 1, 2), weights(make, op, 3, 2, 1, 2), bidirectional=True)
        add(op, make(3, 3), [2, 1], states(make, op, 2, 2, 2), weights(make, op, 3, 2, 2), num_layers=2)
    for wrong in ([2, 3], [3, 3, 1]):
        add("gru", make(6, 3), wrong, states(make, "gru", 3, 2), weights(make, "gru", 3, 2))


def cells(family):
    for op in GATES:
        def add(x, h, *params):
            family.add(op + "_cell", x, h, *params, call=getattr(aten, op + "_cell"), tolerance=PRODUCT)

        def state(make, batch, hidden):
            return [make(batch, hidden), make(batch, hidden)] if op == "lstm" else make(batch, hidden)

        for name in v.FLOATS:
            make = numbers(name)
            add(make(2, 3), state(make, 2, 4), *weights(make, op, 3, 4))
        make = numbers("f32")
        params = weights(make, op, 3, 4)
        add(make(2, 3), state(make, 2, 4), *params[:2], None, None)
        add(make(2, 3), state(make, 2, 4), *params[:3], None)
        add(make(0, 3), state(make, 0, 4), *params)
        for wrong in ((make(3), state(make, 2, 4), *params), (make(2, 3), state(make, 3, 4), *params), (make(2, 4), state(make, 2, 4), *params),
                      (make(2, 3), state(make, 2, 3), *params), (make(2, 3).double(), state(make, 2, 4), *params)):
            add(*wrong)


def batch_norms(family):
    functional = "_native_batch_norm_legit_functional"
    def add(op, x, given, training=True, momentum=0.1, **attrs):
        given = given if op == functional or op == "native_batch_norm" else given[:2]
        call = lambda *a, **k: (aten._native_batch_norm_legit.no_stats if op == "_native_batch_norm_legit" else getattr(aten, op))(*a, *k.values())
        family.add(op, x, *given, call=call, tolerance=NORM, attrs={"training": training, "momentum": momentum, "eps": 1e-5} | attrs)

    for name in v.FLOATS:
        x = v.numbers(name, (2, 3, 4), "x")
        for of_parameters in {name: 1, "f32" if name != "f64" else name: 1}:
            for training in (True, False):
                add(functional, x, parameters(of_parameters, 3, "wbmv"), training)
            add("native_batch_norm", x, parameters(of_parameters, 3, "wb"))
            add("_native_batch_norm_legit", x, parameters(of_parameters, 3, "wb"))
        add(functional, x, parameters(name, 3, "mv"), momentum=0.7)
    x = v.numbers("f32", (2, 3, 2, 4), "x")
    for one in (x.to(memory_format=torch.channels_last), v.transposed(lambda n: v.numbers("f32", n, "x"), (2, 3, 2)), x[:, :, 0, 0], x[:, :0], x[:0], x[0, 0]):
        add(functional, one, parameters("f32", one.shape[1], "wmv"))
    for wrong in (parameters("f64", 3, "wbmv"), parameters("f32", 3, "w") + parameters("f32", 3, "m")[2:]):
        add(functional, x, wrong[:4] if len(wrong) == 4 else wrong[:2] + wrong[-2:])


def backwards(family):
    def layer(x, w, b, count, mask):
        shape = list(x.shape[x.dim() - count:])
        _, mean, rstd = aten.native_layer_norm(x, shape, w, b, 1e-5)
        g = v.numbers(v.NAMES[x.dtype], x.shape, "g")
        call = lambda g, x, m, r, w, b, normalized_shape, output_mask: aten.native_layer_norm_backward(g, x, normalized_shape, m, r, w, b, output_mask)
        family.add("native_layer_norm_backward", g, x, mean, rstd, w, b, call=call, tolerance=NORM, attrs={"normalized_shape": shape, "output_mask": mask})

    def group(x, w, groups, mask):
        n, c = x.shape[:2]
        sizes = [n, c, x[0, 0].numel() if n else 4]
        _, mean, rstd = aten.native_group_norm(x, w, None, *sizes, groups, 1e-5)
        call = lambda g, x, m, r, w, N, C, HxW, group, output_mask: aten.native_group_norm_backward(g, x, m, r, w, N, C, HxW, group, output_mask)
        g = torch.empty_like(x).copy_(v.numbers(v.NAMES[x.dtype], x.shape, "g"))  # in the format of x, which torch does not check
        family.add("native_group_norm_backward", g, x, mean, rstd, w, call=call, tolerance=NORM,
                   attrs=dict(zip(("N", "C", "HxW"), sizes)) | {"group": groups, "output_mask": mask})

    def batch(x, w, train, mask):
        m, s = parameters(v.NAMES[x.dtype if w is None else w.dtype], 3, "mv")[2:]
        _, mean, rstd = aten.native_batch_norm(x, w, None, m.clone(), s.clone(), True, 0.1, 1e-5)
        call = lambda g, x, w, m, s, mean, rstd, train, eps, output_mask: aten.native_batch_norm_backward(g, x, w, m, s, mean, rstd, train, eps, output_mask)
        family.add("native_batch_norm_backward", v.numbers(v.NAMES[x.dtype], x.shape, "g"), x, w, m, s, mean, rstd, call=call, tolerance=NORM,
                   attrs={"train": train, "eps": 1e-5, "output_mask": mask})

    every = [True, True, True]
    for name in v.FLOATS:
        make = lambda *sizes: v.numbers(name, sizes, "x")
        layer(make(2, 3, 5), make(5), make(5), 1, every)
        group(make(2, 4, 3), make(4), 2, every)
        for train in (True, False):
            batch(make(2, 3, 4), make(3), train, every)
    make = lambda *sizes: v.numbers("f32", sizes, "x")
    half = lambda *sizes: v.numbers("bf16", sizes, "x")
    layer(half(2, 3, 5), make(5), make(5), 1, every)
    group(half(2, 4, 3), make(4), 2, every)
    batch(half(2, 3, 4), make(3), True, every)
    layer(make(2, 3, 5), make(3, 5), None, 2, [True, True, False])
    layer(make(3, 5), make(3, 5), make(3, 5), 2, every)
    layer(make(0, 5), make(5), make(5), 1, every)
    layer(make(2, 5), None, None, 1, [True, False, False])
    layer(make(2, 5), None, None, 1, every)
    layer(make(2, 5), make(5), None, 1, every)
    group(make(2, 4, 3), None, 2, [True, False, False])
    group(make(2, 4, 3), None, 2, every)
    group(make(0, 4, 4), make(4), 2, every)
    group(make(2, 4, 3, 2).to(memory_format=torch.channels_last), make(4), 2, [True, True, False])
    batch(make(2, 3, 4, 2).to(memory_format=torch.channels_last), make(3), True, every)
    batch(make(2, 3, 4), None, True, every)
    batch(make(2, 3, 4), make(3), False, [False, True, False])


def recurrent(family):
    for part in (layers_of, packed, cells, batch_norms, backwards):
        part(family)


def recurrent_gradients(family):
    for op in GATES:
        call = lambda x, h, p, op=op, **a: getattr(aten, op).input(x, h, p, *a.values())
        family.add(op, real(2, 2, 3), states(real, op, 2, 2, 1, 2), weights(real, op, 3, 2, 1, 2), attrs=flags(bidirectional=True), call=call)
    functional = aten._native_batch_norm_legit.no_stats
    family.add("_native_batch_norm_legit", real(2, 3, 4), real(3), real(3), attrs={"training": True, "momentum": 0.1, "eps": 1e-5},
               call=lambda x, w, b, **a: functional(x, w, b, *a.values())[0], second=True)
