"""JAX's jit on the CPU: the workloads rewritten in jax.numpy, with the torch model's weights."""
import jax
import jax.numpy as jnp
import torch


def layer_norm(w, name, x, eps):
    mean = x.mean(-1, keepdims=True)
    var = jnp.square(x - mean).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(var + eps) * w[name + ".weight"] + w[name + ".bias"]


def linear(w, name, x):
    return x @ w[name + ".weight"] + w[name + ".bias"]


def attention(w, name, x, heads, causal):
    tokens, width = x.shape[1:]
    q, k, v = (t.reshape(*x.shape[:2], heads, width // heads) for t in jnp.split(linear(w, name + ".qkv", x), 3, -1))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * (width // heads) ** -0.5
    if causal:
        scores = jnp.where(jnp.tril(jnp.ones((tokens, tokens), bool)), scores, -jnp.inf)
    y = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, -1), v)
    return linear(w, name + ".out", y.reshape(x.shape))


def feed_forward(w, name, x, tanh):
    return linear(w, name + ".down", jax.nn.gelu(linear(w, name + ".up", x), approximate=tanh))


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
}


def prepare(model, inputs, folder):
    # matrices of linear layers are stored as in JAX libraries, inputs first; embeddings are unchanged
    is_linear = {f"{name}.weight" for name, m in model.named_modules() if isinstance(m, torch.nn.Linear)}
    weights = {name: jnp.asarray((p.T if name in is_linear else p).detach().contiguous().numpy()) for name, p in model.named_parameters()}
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
