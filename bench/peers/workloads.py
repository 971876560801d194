"""The workloads of bench/, by the same names: WORKLOADS[name]() gives (module, inputs)."""
import torch
from torch import nn
from torch.nn import functional as F

from images import MobileNetV2, ResNet, UNet, Vit
from models import Bert, Gpt2, Llama, LstmLm, seeded


class CosSin(nn.Module):
    def forward(self, x):
        return torch.sin(torch.cos(x))


class Pointwise(nn.Module):
    def forward(self, x, y):
        return torch.tanh(x * y + 1) * torch.sigmoid(x) - torch.exp(-y * y)


class Softmax(nn.Module):
    def forward(self, x):
        return torch.softmax(x * 0.5, -1)


class LayerNormGelu(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        return F.gelu(self.norm(x))


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1, self.l2, self.l3 = nn.Linear(784, 1024), nn.Linear(1024, 1024), nn.Linear(1024, 10)

    def forward(self, x):
        return self.l3(F.relu(self.l2(F.relu(self.l1(x)))))


class Product(nn.Module):
    def __init__(self, k, n):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(k, n))

    def forward(self, x):
        return x @ self.weight


def numbers(*sizes):
    return torch.randn(sizes, generator=torch.Generator().manual_seed(1))


def tokens(vocabulary, *sizes):
    return torch.randint(0, vocabulary, sizes or (1, 128), generator=torch.Generator().manual_seed(1))


def product(m, k, n):
    return lambda: (seeded(Product(k, n)), (numbers(m, k),))


PRODUCTS = ((128, 768, 2304), (128, 768, 768), (128, 768, 3072), (128, 3072, 768), (512, 512, 512), (1024, 1024, 1024))

WORKLOADS = {
    "cos_sin": lambda: (CosSin(), (numbers(10_000),)),
    "pointwise_1m": lambda: (Pointwise(), (numbers(1 << 20), numbers(1 << 20).flip(0).contiguous())),
    "softmax": lambda: (Softmax(), (numbers(4096, 1024),)),
    "layernorm_gelu": lambda: (seeded(LayerNormGelu(768)), (numbers(2048, 768),)),
    "mlp": lambda: (seeded(Mlp()), (numbers(64, 784),)),
    "minilm": lambda: (seeded(Bert(6, 384, 12, "embedding")), (tokens(30522),)),
    "bert": lambda: (seeded(Bert(12, 768, 12, "classifier")), (tokens(30522),)),
    "gpt2": lambda: (seeded(Gpt2()), (tokens(50257),)),
    "resnet18": lambda: (seeded(ResNet()), (numbers(5, 3, 224, 224),)),
    "resnet50": lambda: (seeded(ResNet((3, 4, 6, 3), True)), (numbers(1, 3, 224, 224),)),
    "resnet50_64": lambda: (seeded(ResNet((3, 4, 6, 3), True)), (numbers(1, 3, 64, 64),)),
    "resnext101": lambda: (seeded(ResNet((3, 4, 23, 3), True, 32, 8)), (numbers(64, 3, 7, 7),)),
    "mobilenet_v2": lambda: (seeded(MobileNetV2()), (numbers(1, 3, 224, 224),)),
    "unet": lambda: (seeded(UNet()), (numbers(1, 3, 128, 128),)),
    "vit": lambda: (seeded(Vit()), (numbers(1, 3, 224, 224),)),
    "llama": lambda: (seeded(Llama()), (tokens(32000),)),
    "lstm": lambda: (seeded(LstmLm()), (tokens(33278, 35, 20),)),
    **{f"mm_{m}x{k}x{n}": product(m, k, n) for m, k, n in PRODUCTS},
}
