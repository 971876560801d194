"""The networks of peers/images.py in jax.numpy. Images are channels-last inside, as XLA computes them on the CPU."""
import jax
import jax.numpy as jnp

from .xla_layers import attention, feed_forward, layer_norm, linear


def conv(w, name, x, stride=1, groups=1):
    """The weight is [o, c, h, w], as in torch; odd kernels are padded by half their size, even ones not."""
    weight = jnp.transpose(w[name + ".weight"], (2, 3, 1, 0))
    pad = weight.shape[0] // 2 if weight.shape[0] % 2 else 0
    y = jax.lax.conv_general_dilated(x, weight, (stride, stride), ((pad, pad), (pad, pad)), feature_group_count=groups,
                                     dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return y + w[name + ".bias"] if name + ".bias" in w else y


def statistics(w, norm, x):
    """Mean and variance of each channel: those that are kept or, in training, the batch's; then new ones to keep are in w.running."""
    kept = [w[norm + part] for part in (".running_mean", ".running_var")]
    if not hasattr(w, "running"):
        return kept
    mean = x.mean((0, 1, 2))
    variance = jnp.square(x - mean).mean((0, 1, 2))
    count = x.size // x.shape[-1]
    w.running |= {norm + ".running_mean": 0.9 * kept[0] + 0.1 * mean, norm + ".running_var": 0.9 * kept[1] + 0.1 * variance * count / (count - 1)}
    return mean, variance


def conv_norm(w, name, x, stride=1, groups=1):
    norm = name + ".norm"
    y = conv(w, name + ".0", x, stride, groups)
    mean, variance = statistics(w, norm, y)
    return (y - mean) * (w[norm + ".weight"] * jax.lax.rsqrt(variance + 1e-5)) + w[norm + ".bias"]


def pool(x, size, stride, pad):
    sides = ((0, 0), (pad, pad), (pad, pad), (0, 0))
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, size, size, 1), (1, stride, stride, 1), sides)


def shapes_of(convolutions):
    return [(c[0].stride[0], c[0].groups) for c in convolutions]


def resnet(model):
    blocks = [(shapes_of(b.convolutions), hasattr(b.downsample, "norm")) for b in model.blocks]

    def run(w, x):
        x = pool(jax.nn.relu(conv_norm(w, "stem", jnp.transpose(x, (0, 2, 3, 1)), 2)), 3, 2, 1)
        for i, (shapes, downsamples) in enumerate(blocks):
            y = x
            for j, shape in enumerate(shapes):
                y = conv_norm(w, f"blocks.{i}.convolutions.{j}", y, *shape)
                y = jax.nn.relu(y) if j + 1 < len(shapes) else y
            stride = max(stride for stride, _ in shapes)
            x = jax.nn.relu(y + (conv_norm(w, f"blocks.{i}.downsample", x, stride) if downsamples else x))
        return linear(w, "last", x.mean((1, 2)))

    return run


def mobilenet_v2(model):
    blocks = [(shapes_of(b.convolutions), b.adds_input) for b in model.blocks]

    def run(w, x):
        x = jax.nn.relu6(conv_norm(w, "stem", jnp.transpose(x, (0, 2, 3, 1)), 2))
        for i, (shapes, adds_input) in enumerate(blocks):
            y = x
            for j, shape in enumerate(shapes):
                y = conv_norm(w, f"blocks.{i}.convolutions.{j}", y, *shape)
                y = jax.nn.relu6(y) if j + 1 < len(shapes) else y
            x = x + y if adds_input else y
        return linear(w, "last", jax.nn.relu6(conv_norm(w, "wide", x)).mean((1, 2)))

    return run


def unet(model):
    depth = len(model.up)

    def both(w, name, x):
        return jax.nn.relu(conv_norm(w, name + ".second", jax.nn.relu(conv_norm(w, name + ".first", x))))

    def up(w, name, x):
        n, h, width, _ = x.shape
        y = jnp.einsum("nhwc,coij->nhiwjo", x, w[name + ".weight"])
        return y.reshape(n, 2 * h, 2 * width, -1) + w[name + ".bias"]

    def run(w, x):
        levels = [both(w, "down.0", jnp.transpose(x, (0, 2, 3, 1)))]
        for i in range(depth):
            levels.append(both(w, f"down.{i + 1}", pool(levels[-1], 2, 2, 0)))
        y = levels.pop()
        for i in range(depth):
            y = both(w, f"up.{i}.both", jnp.concatenate((levels.pop(), up(w, f"up.{i}.up", y)), -1))
        return jnp.transpose(conv(w, "last", y), (0, 3, 1, 2))

    return run


def vit(model):
    layers, side = len(model.blocks), model.patches.stride[0]

    def run(w, x):
        patches = conv(w, "patches", jnp.transpose(x, (0, 2, 3, 1)), side)
        patches = patches.reshape(x.shape[0], -1, patches.shape[-1])
        token = jnp.broadcast_to(w["token"], (x.shape[0], 1, patches.shape[-1]))
        y = jnp.concatenate((token, patches), 1) + w["positions.weight"]
        for i in range(layers):
            y = y + attention(w, f"blocks.{i}.attention", layer_norm(w, f"blocks.{i}.norm1", y, 1e-6), 12, False)
            y = y + feed_forward(w, f"blocks.{i}", layer_norm(w, f"blocks.{i}.norm2", y, 1e-6), False)
        return linear(w, "last", layer_norm(w, "norm", y, 1e-6)[:, 0])

    return run
