"""JAX's jit on the CPU: the workloads rewritten in jax.numpy, with the torch model's weights."""
import jax
import jax.numpy as jnp
import torch

from . import xla_images
from .xla_layers import attention, feed_forward, layer_norm, linear


def bert(w, ids, layers, head):
    x = w["words.weight"][ids] + w["positions.weight"][: ids.shape[1]] + w["kinds.weight"][jnp.zeros_like(ids)]
    x = layer_norm(w, "norm", x, 1e-12)
    for i in range(layers):
        x = layer_norm(w, f"blocks.{i}.norm1", x + attention(w, f"blocks.{i}.attention", x, 12, False), 1e-12)
        x = layer_norm(w, f"blocks.{i}.norm2", x + feed_forward(w, f"blocks.{i}", x, False), 1e-12)
    if head == "classifier":
        return linear(w, "classifier", jnp.tanh(linear(w, "pooler", x[:, 0])))
    mean = x.mean(1)
    return mean / jnp.sqrt(jnp.square(mean).sum(1, keepdims=True))


def gpt2(w, ids, layers=12):
    x = w["words.weight"][ids] + w["positions.weight"][: ids.shape[1]]
    for i in range(layers):
        x = x + attention(w, f"blocks.{i}.attention", layer_norm(w, f"blocks.{i}.norm1", x, 1e-5), 12, True)
        x = x + feed_forward(w, f"blocks.{i}", layer_norm(w, f"blocks.{i}.norm2", x, 1e-5), True)
    return layer_norm(w, "norm", x, 1e-5) @ w["words.weight"].T


def rotated(x):
    tokens, half = x.shape[1], x.shape[3] // 2
    angles = jnp.outer(jnp.arange(tokens), 10000.0 ** (-jnp.arange(half) / half))[:, None]
    first, second = x[..., :half], x[..., half:]
    return jnp.concatenate((first * jnp.cos(angles) - second * jnp.sin(angles), second * jnp.cos(angles) + first * jnp.sin(angles)), -1)


def rms_norm(w, name, x):
    return x * jax.lax.rsqrt(jnp.square(x).mean(-1, keepdims=True) + 1e-5) * w[name + ".weight"]


def llama(w, ids, layers, heads):
    x = w["words.weight"][ids]
    tokens = ids.shape[1]
    for i in range(layers):
        block = f"blocks.{i}"
        y = rms_norm(w, block + ".norm1", x)
        q, k, v = ((y @ w[f"{block}.attention.{part}.weight"]).reshape(*ids.shape, heads, -1) for part in "qkv")
        scores = jnp.einsum("bqhd,bkhd->bhqk", rotated(q), rotated(k)) * q.shape[-1] ** -0.5
        scores = jnp.where(jnp.tril(jnp.ones((tokens, tokens), bool)), scores, -jnp.inf)
        y = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, -1), v)
        x = x + y.reshape(x.shape) @ w[block + ".attention.out.weight"]
        y = rms_norm(w, block + ".norm2", x)
        x = x + (jax.nn.silu(y @ w[block + ".gate.weight"]) * (y @ w[block + ".up.weight"])) @ w[block + ".down.weight"]
    return rms_norm(w, "norm", x) @ w["words.weight"].T


def mlp(w, x):
    return linear(w, "l3", jax.nn.relu(linear(w, "l2", jax.nn.relu(linear(w, "l1", x)))))


PROGRAMS = {
    "CosSin": lambda m: lambda w, x: jnp.sin(jnp.cos(x)),
    "Pointwise": lambda m: lambda w, x, y: jnp.tanh(x * y + 1) * jax.nn.sigmoid(x) - jnp.exp(-y * y),
    "Softmax": lambda m: lambda w, x: jax.nn.softmax(x * 0.5, -1),
    "LayerNormGelu": lambda m: lambda w, x: jax.nn.gelu(layer_norm(w, "norm", x, 1e-5), approximate=False),
    "Mlp": lambda m: mlp,
    "Product": lambda m: lambda w, x: x @ w["weight"],
    "Bert": lambda m: lambda w, ids: bert(w, ids, len(m.blocks), m.head),
    "Gpt2": lambda m: gpt2,
    "Llama": lambda m: lambda w, ids: llama(w, ids, len(m.blocks), m.blocks[0].attention.heads),
    "ResNet": xla_images.resnet,
    "MobileNetV2": xla_images.mobilenet_v2,
    "UNet": xla_images.unet,
    "Vit": xla_images.vit,
}


def prepare(model, inputs, folder):
    # matrices of linear layers are stored as in JAX libraries, inputs first; embeddings are unchanged
    is_linear = {f"{name}.weight" for name, m in model.named_modules() if isinstance(m, torch.nn.Linear)}
    weights = {name: jnp.asarray((p.T if name in is_linear else p).detach().contiguous().numpy()) for name, p in model.state_dict().items()}
    return PROGRAMS[type(model).__name__](model), weights, [jnp.asarray(x.numpy()) for x in inputs]


def load(prepared, cache):
    jax.config.update("jax_compilation_cache_dir", cache)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
    program, weights, inputs = prepared
    jitted = jax.jit(program)
    return lambda: jitted(weights, *inputs).block_until_ready()


def kernels():
    return None
