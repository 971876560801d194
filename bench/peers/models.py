"""The language models of the workloads, written in plain torch, with seeded weights (speed does not depend on their values)."""
import torch
from torch import nn
from torch.nn import functional as F


class Attention(nn.Module):
    def __init__(self, width, heads, causal):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        batch, tokens, width = x.shape
        split = (batch, tokens, self.heads, width // self.heads)
        q, k, v = (t.view(split).transpose(1, 2) for t in self.qkv(x).split(width, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return self.out(y.transpose(1, 2).reshape(batch, tokens, width))


class Block(nn.Module):
    """One layer: BERT normalizes after each residual sum, GPT-2 before each branch."""

    def __init__(self, width, heads, causal, norm_first, gelu, eps):
        super().__init__()
        self.norm_first, self.gelu = norm_first, gelu
        self.norm1 = nn.LayerNorm(width, eps=eps)
        self.attention = Attention(width, heads, causal)
        self.norm2 = nn.LayerNorm(width, eps=eps)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def feed_forward(self, x):
        return self.down(F.gelu(self.up(x), approximate=self.gelu))

    def forward(self, x):
        if self.norm_first:
            x = x + self.attention(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.feed_forward(x))


class Bert(nn.Module):
    """BERT's encoder; `head` is "classifier" (pooler, tanh, two classes) or "embedding" (mean over tokens, unit length)."""

    def __init__(self, layers, width, heads, head, vocabulary=30522, positions=512):
        super().__init__()
        self.head = head
        self.words = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(positions, width)
        self.kinds = nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.blocks = nn.ModuleList(Block(width, heads, False, False, "none", 1e-12) for _ in range(layers))
        if head == "classifier":
            self.pooler = nn.Linear(width, width)
            self.classifier = nn.Linear(width, 2)

    def forward(self, ids):
        at = torch.arange(ids.shape[1])
        x = self.norm(self.words(ids) + self.positions(at) + self.kinds(torch.zeros_like(ids)))
        for block in self.blocks:
            x = block(x)
        if self.head == "classifier":
            return self.classifier(torch.tanh(self.pooler(x[:, 0])))
        mean = x.mean(1)
        return mean / mean.square().sum(1, keepdim=True).sqrt()


class Gpt2(nn.Module):
    """GPT-2 small (124M); the head shares the weights of the embedding."""

    def __init__(self, layers=12, width=768, heads=12, vocabulary=50257, positions=1024):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(positions, width)
        self.blocks = nn.ModuleList(Block(width, heads, True, True, "tanh", 1e-5) for _ in range(layers))
        self.norm = nn.LayerNorm(width, eps=1e-5)

    def forward(self, ids):
        x = self.words(ids) + self.positions(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return F.linear(self.norm(x), self.words.weight)


def rotated(x, base=10000.0):
    """The rotary embedding of x [..., tokens, width], as published weights are trained with: halves of a head are the pairs."""
    tokens, half = x.shape[-2], x.shape[-1] // 2
    angles = torch.outer(torch.arange(tokens, dtype=x.dtype), base ** (-torch.arange(half, dtype=x.dtype) / half))
    cos, sin = (torch.cat((t, t), -1) for t in (angles.cos(), angles.sin()))
    return x * cos + torch.cat((-x[..., half:], x[..., :half]), -1) * sin


class LlamaAttention(nn.Module):
    def __init__(self, width, heads, kv_heads):
        super().__init__()
        self.heads, self.kv_heads = heads, kv_heads
        self.q = nn.Linear(width, width, bias=False)
        self.k = nn.Linear(width, width // heads * kv_heads, bias=False)
        self.v = nn.Linear(width, width // heads * kv_heads, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, x):
        batch, tokens, width = x.shape
        split = lambda t, heads: t.view(batch, tokens, heads, width // self.heads).transpose(1, 2)
        q, k, v = split(self.q(x), self.heads), split(self.k(x), self.kv_heads), split(self.v(x), self.kv_heads)
        y = F.scaled_dot_product_attention(rotated(q), rotated(k), v, is_causal=True, enable_gqa=self.heads != self.kv_heads)
        return self.out(y.transpose(1, 2).reshape(batch, tokens, width))


class LlamaBlock(nn.Module):
    def __init__(self, width, heads, kv_heads, inner, eps):
        super().__init__()
        self.attention = LlamaAttention(width, heads, kv_heads)
        self.gate = nn.Linear(width, inner, bias=False)
        self.up = nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)
        self.norm1, self.norm2 = nn.RMSNorm(width, eps), nn.RMSNorm(width, eps)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    """LLaMA with 110 million parameters; the head shares the weights of the embedding."""

    def __init__(self, layers=12, width=768, heads=12, kv_heads=12, inner=2048, vocabulary=32000, eps=1e-5):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(LlamaBlock(width, heads, kv_heads, inner, eps) for _ in range(layers))
        self.norm = nn.RMSNorm(width, eps)

    def forward(self, ids):
        x = self.words(ids)
        for block in self.blocks:
            x = block(x)
        return F.linear(self.norm(x), self.words.weight)


class LstmLm(nn.Module):
    """As in PyTorch's example word_language_model: ids [steps, texts]."""

    def __init__(self, vocabulary=33278, width=200, layers=2, tied=False):
        super().__init__()
        self.encoder = nn.Embedding(vocabulary, width)
        self.rnn = nn.LSTM(width, width, layers)
        self.decoder = nn.Linear(width, vocabulary)
        if tied:
            self.decoder.weight = self.encoder.weight

    def forward(self, ids):
        return self.decoder(self.rnn(self.encoder(ids))[0])


def seeded(model):
    """Fills all weights from one seed, scaled so that activations stay of order one."""
    torch.manual_seed(0)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() > 2:
                weight.normal_(0, (2 / weight[0].numel()) ** 0.5)
            elif weight.dim() > 1:
                weight.normal_(0, 0.02)
            elif "norm" in name and name.endswith("weight"):
                weight.fill_(1)
            else:
                weight.zero_()
    return model.eval()
