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
        self.attention = Attention(width, heads, causal)
        self.norm1 = nn.LayerNorm(width, eps=eps)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        self.norm2 = nn.LayerNorm(width, eps=eps)

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


class ConvNorm(nn.Sequential):
    def __init__(self, channels, out, kernel, stride=1, groups=1):
        super().__init__(nn.Conv2d(channels, out, kernel, stride, kernel // 2, groups=groups, bias=False))
        self.norm = nn.BatchNorm2d(out)


class ResNetBlock(nn.Module):
    def __init__(self, channels, planes, stride, bottleneck, groups, width):
        super().__init__()
        out = planes * 4 if bottleneck else planes
        width = planes * width // 64 * groups
        parts = [(channels, width, 1), (width, width, 3, stride, groups), (width, out, 1)] if bottleneck else [
            (channels, out, 3, stride), (out, out, 3)]
        self.convolutions = nn.ModuleList(ConvNorm(*part) for part in parts)
        self.downsample = ConvNorm(channels, out, 1, stride) if stride != 1 or channels != out else nn.Identity()

    def forward(self, x):
        y = x
        for convolution in self.convolutions[:-1]:
            y = F.relu(convolution(y))
        return F.relu(self.convolutions[-1](y) + self.downsample(x))


class ResNet(nn.Module):
    """ResNet-18 as it is; a bottleneck, groups and a width for the larger ones and for ResNeXt."""

    def __init__(self, counts=(2, 2, 2, 2), bottleneck=False, groups=1, width=64):
        super().__init__()
        self.stem = ConvNorm(3, 64, 7, 2)
        blocks, channels = [], 64
        for layer, count in enumerate(counts):
            for block in range(count):
                stride = 2 if layer > 0 and block == 0 else 1
                blocks.append(ResNetBlock(channels, 64 << layer, stride, bottleneck, groups, width))
                channels = (256 if bottleneck else 64) << layer
        self.blocks = nn.Sequential(*blocks)
        self.last = nn.Linear(channels, 1000)

    def forward(self, x):
        y = F.max_pool2d(F.relu(self.stem(x)), 3, 2, 1)
        return self.last(self.blocks(y).mean((2, 3)))


def seeded(model):
    """Fills all weights from one seed, scaled so that activations stay of order one."""
    torch.manual_seed(0)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() > 1:
                weight.normal_(0, 0.02)
            elif "norm" in name and name.endswith("weight"):
                weight.fill_(1)
            else:
                weight.zero_()
    return model.eval()
