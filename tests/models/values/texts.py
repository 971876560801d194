"""The language models of the other scripts that bench/peers lays out otherwise than the C++ models: filled as these are."""
import models
from made_up import fill, fill_parts, state


def no_shift(parts):
    """The table of positions is filled as other tables are, unlike that of a Vit."""
    return [(name.replace("positions.weight", "positions"), tensor) for name, tensor in parts]


def gpt2(*args, **options):
    """The weights of linear layers are [in, out] in C++."""
    model = models.Gpt2(*args, **options)
    turned = lambda name: "blocks" in name and name.endswith("weight") and "norm" not in name
    return fill_parts(model, no_shift((n, t.data.t() if turned(n) else t.data) for n, t in state(model).items()))


def bert(*args, **options):
    """Projections of queries, keys and values are apart in C++, and a norm follows the layer that it normalizes."""
    model = models.Bert(*args, **options)
    named = {name: tensor.data for name, tensor in state(model).items()}
    parts = [(name, tensor) for name, tensor in named.items() if not name.startswith(("blocks", "pooler", "classifier"))]
    for i in range(len(model.blocks)):
        of = lambda layer: [(f"blocks.{i}.{layer}.{part}", named[f"blocks.{i}.{layer}.{part}"]) for part in ("weight", "bias")]
        apart = [(name, tensor.chunk(3)[part]) for part in range(3) for name, tensor in of("attention.qkv")]
        parts += apart + of("attention.out") + of("norm1") + of("up") + of("down") + of("norm2")
    parts += [(name, tensor) for name, tensor in named.items() if name.startswith(("pooler", "classifier"))]
    return fill_parts(model, no_shift(parts))


def lstm_lm(*args, **options):
    return fill(models.LstmLm(*args, **options))
