"""JAX's jit on the CPU: the workloads rewritten in jax.numpy, with the torch model's weights."""
import jax
import jax.numpy as jnp
import torch

from training import OPTIMIZERS

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


def lstm_lm(w, ids, layers, width):
    x = w["encoder.weight"][ids]
    for i in range(layers):
        given = x @ w[f"rnn.weight_ih_l{i}"].T + w[f"rnn.bias_ih_l{i}"] + w[f"rnn.bias_hh_l{i}"]

        def step(state, given, weight=w[f"rnn.weight_hh_l{i}"].T):
            h, c = state
            enter, forget, cell, out = jnp.split(given + h @ weight, 4, -1)
            c = jax.nn.sigmoid(forget) * c + jax.nn.sigmoid(enter) * jnp.tanh(cell)
            h = jax.nn.sigmoid(out) * jnp.tanh(c)
            return (h, c), h

        start = jnp.zeros((ids.shape[1], width))
        _, x = jax.lax.scan(step, (start, start), given)
    return linear(w, "decoder", x)


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
    "LstmLm": lambda m: lambda w, ids: lstm_lm(w, ids, m.rnn.num_layers, m.rnn.hidden_size),
    "ResNet": xla_images.resnet,
    "MobileNetV2": xla_images.mobilenet_v2,
    "UNet": xla_images.unet,
    "Vit": xla_images.vit,
}


def weights_of(tensors, model):
    """Matrices of linear layers are stored as in JAX libraries, inputs first; embeddings are unchanged."""
    is_linear = {f"{name}.weight" for name, m in model.named_modules() if isinstance(m, torch.nn.Linear)}
    return {name: jnp.array((t.T if name in is_linear else t).detach().contiguous().numpy()) for name, t in tensors if t.is_floating_point()}


def prepare(model, inputs, folder):
    return PROGRAMS[type(model).__name__](model), weights_of(model.state_dict().items(), model), [jnp.asarray(x.numpy()) for x in inputs]


def use_cache(folder):
    jax.config.update("jax_compilation_cache_dir", folder)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)


def load(prepared, cache):
    use_cache(cache)
    program, weights, inputs = prepared
    jitted = jax.jit(program)
    return lambda: jitted(weights, *inputs).block_until_ready()


class Weights(dict):
    """Of a model in training: `running` gets the statistics that its batch norms keep."""

    def __init__(self, tensors):
        super().__init__(tensors)
        self.running = {}


def cross_entropy(scores, target):
    """The classes are the last dimension of texts, whose targets have two, else the second one."""
    scores = scores if target.ndim == 2 else jnp.moveaxis(scores, 1, -1)
    return -jnp.take_along_axis(jax.nn.log_softmax(scores, -1), target[..., None], -1).mean()


def optimizer_of(training):
    import optax
    _, options = OPTIMIZERS[training.optimizer]
    return {"adamw": lambda lr, weight_decay: optax.adamw(lr, weight_decay=weight_decay),
            "sgd": lambda lr, momentum: optax.sgd(lr, momentum=momentum)}[training.optimizer](**options)


def train(training, cache):
    """The whole step is one jitted function; its results take the memory of what they replace."""
    use_cache(cache)
    model, optimizer = training.model, optimizer_of(training)
    program = PROGRAMS[type(model).__name__](model)
    weights, buffers = weights_of(model.named_parameters(), model), weights_of(model.named_buffers(), model)
    gradients = None if training.has_loss else weights_of(((name, p.grad) for name, p in model.named_parameters()), model)
    last = list(weights)[-1]
    for parameter in model.parameters():  # frees torch's
        parameter.data, parameter.grad = torch.empty(0), None

    def loss_of(weights, buffers, x, target):
        both = Weights(weights | buffers)
        return cross_entropy(program(both, x), target), both.running

    def update(weights, gradients, state):
        changes, state = optimizer.update(gradients, state, weights)
        return {name: w + changes[name] for name, w in weights.items()}, state

    def step(weights, buffers, state, x, target):
        if gradients is None:
            (loss, buffers), found = jax.value_and_grad(loss_of, has_aux=True)(weights, buffers, x, target)
            weights, state = update(weights, found, state)
            return weights, buffers, state, loss
        weights, state = update(weights, x, state)
        return weights, buffers, state, weights[last].mean()

    jitted = jax.jit(step, donate_argnums=(0, 1, 2))
    held = [weights, buffers, optimizer.init(weights)]
    x, target = (jnp.asarray(training.x.numpy()), jnp.asarray(training.target.numpy())) if gradients is None else (gradients, None)

    def once():
        *held[:], loss = jitted(*held, x, target)
        return float(loss)

    return once


def kernels():
    return None
