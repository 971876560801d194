"""The networks for images of the workloads, written in plain torch."""
import torch
from torch import nn
from torch.nn import functional as F

from models import Block


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


class InvertedResidual(nn.Module):
    def __init__(self, channels, out, stride, expansion):
        super().__init__()
        inner = channels * expansion
        widen = [(channels, inner, 1)] if expansion != 1 else []
        parts = [*widen, (inner, inner, 3, stride, inner), (inner, out, 1)]
        self.convolutions = nn.ModuleList(ConvNorm(*part) for part in parts)
        self.adds_input = stride == 1 and channels == out

    def forward(self, x):
        y = x
        for convolution in self.convolutions[:-1]:
            y = F.relu6(convolution(y))
        y = self.convolutions[-1](y)
        return x + y if self.adds_input else y


class MobileNetV2(nn.Module):
    STAGES = (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)

    def __init__(self):
        super().__init__()
        self.stem = ConvNorm(3, 32, 3, 2)
        blocks, channels = [], 32
        for expansion, out, count, stride in self.STAGES:
            for block in range(count):
                blocks.append(InvertedResidual(channels, out, 1 if block else stride, expansion))
                channels = out
        self.blocks = nn.Sequential(*blocks)
        self.wide = ConvNorm(channels, 1280, 1)
        self.last = nn.Linear(1280, 1000)

    def forward(self, x):
        y = F.relu6(self.wide(self.blocks(F.relu6(self.stem(x)))))
        return self.last(y.mean((2, 3)))


class DoubleConv(nn.Module):
    def __init__(self, channels, out):
        super().__init__()
        self.first, self.second = ConvNorm(channels, out, 3), ConvNorm(out, out, 3)

    def forward(self, x):
        return F.relu(self.second(F.relu(self.first(x))))


class Up(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.up = nn.ConvTranspose2d(channels, channels // 2, 2, 2)
        self.both = DoubleConv(channels, channels // 2)

    def forward(self, x, across):
        return self.both(torch.cat((across, self.up(x)), 1))


class UNet(nn.Module):
    """The paper's network has the widths 64 to 1024; each level down halves the image."""

    def __init__(self, widths=(64, 128, 256, 512), classes=2):
        super().__init__()
        self.down = nn.ModuleList(DoubleConv(*part) for part in zip((3, *widths), widths))
        self.up = nn.ModuleList(Up(width) for width in widths[:0:-1])
        self.last = nn.Conv2d(widths[0], classes, 1)

    def forward(self, x):
        levels = [self.down[0](x)]
        for down in self.down[1:]:
            levels.append(down(F.max_pool2d(levels[-1], 2)))
        y = levels.pop()
        for up in self.up:
            y = up(y, levels.pop())
        return self.last(y)


class Vit(nn.Module):
    """The vision transformer B/16."""

    def __init__(self, layers=12, width=768, heads=12, image=224, patch=16, classes=1000):
        super().__init__()
        self.token = nn.Parameter(torch.zeros(1, 1, width))
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.positions = nn.Embedding((image // patch) ** 2 + 1, width)
        self.blocks = nn.Sequential(*(Block(width, heads, False, True, "none", 1e-6) for _ in range(layers)))
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.last = nn.Linear(width, classes)

    def forward(self, x):
        patches = self.patches(x).flatten(2).transpose(1, 2)
        y = torch.cat((self.token.expand(x.shape[0], -1, -1), patches), 1) + self.positions.weight
        return self.last(self.norm(self.blocks(y))[:, 0])
