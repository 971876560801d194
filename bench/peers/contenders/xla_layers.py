"""Layers of the workloads in jax.numpy; weights of linear layers have the inputs first."""
import jax
import jax.numpy as jnp


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
