"""Programs of torch.nn for bench/census that none of its libraries has."""
import torch
from torch import nn


def Perceptron():
    return nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.LayerNorm(64), nn.Dropout(0.1), nn.Linear(64, 8))


class Recurrent(nn.Module):
    """Classifies a sequence of words by its last state."""

    def __init__(self, layer):
        super().__init__()
        self.words = nn.Embedding(100, 32)
        self.layers = layer(32, 48, num_layers=2, batch_first=True, bidirectional=True)
        self.classes = nn.Linear(96, 10)

    def forward(self, words):
        states, _ = self.layers(self.words(words))
        return self.classes(states[:, -1])


def LSTM():
    return Recurrent(nn.LSTM)


def GRU():
    return Recurrent(nn.GRU)


def RNN():
    return Recurrent(nn.RNN)


def convolutions(before, after):
    return nn.Sequential(nn.Conv2d(before, after, 3, padding=1), nn.GroupNorm(4, after), nn.SiLU(),
                         nn.Conv2d(after, after, 3, padding=1), nn.BatchNorm2d(after), nn.ReLU())


class UNet(nn.Module):
    """Two levels: one goes up by a transposed convolution, one by interpolation."""

    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([convolutions(3, 16), convolutions(16, 32)])
        self.pool = nn.MaxPool2d(2)
        self.bottom = convolutions(32, 64)
        self.enlarge = nn.ModuleList([nn.ConvTranspose2d(64, 32, 2, 2), nn.Upsample(scale_factor=2, mode="bilinear")])
        self.up = nn.ModuleList([convolutions(64, 32), convolutions(48, 16)])
        self.classes = nn.Conv2d(16, 2, 1)

    def forward(self, image):
        high = self.down[0](image)
        low = self.down[1](self.pool(high))
        x = self.bottom(self.pool(low))
        for enlarge, up, skipped in zip(self.enlarge, self.up, (low, high)):
            x = up(torch.cat([enlarge(x), skipped], 1))
        return self.classes(x)


def DCGAN():
    """The generator, followed by the discriminator."""
    return nn.Sequential(nn.ConvTranspose2d(64, 128, 4, bias=False), nn.BatchNorm2d(128), nn.ReLU(inplace=True),
                         nn.ConvTranspose2d(128, 64, 4, 2, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True),
                         nn.ConvTranspose2d(64, 3, 4, 2, 1, bias=False), nn.Tanh(),
                         nn.Conv2d(3, 64, 4, 2, 1), nn.LeakyReLU(0.2, inplace=True),
                         nn.Conv2d(64, 128, 4, 2, 1), nn.BatchNorm2d(128), nn.LeakyReLU(0.2, inplace=True),
                         nn.Conv2d(128, 1, 4), nn.Sigmoid())


class DLRM(nn.Module):
    """Recommends by the products of all pairs of embeddings."""

    def __init__(self):
        super().__init__()
        self.bags = nn.ModuleList([nn.EmbeddingBag(100, 16, mode="sum") for _ in range(4)])
        self.bottom = nn.Sequential(nn.Linear(13, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU())
        self.top = nn.Sequential(nn.Linear(26, 32), nn.ReLU(), nn.Linear(32, 1), nn.Sigmoid())

    def forward(self, dense, indices, offsets):
        x = self.bottom(dense)
        features = torch.stack([x, *(bag(i, o) for bag, i, o in zip(self.bags, indices, offsets))], 1)
        products = torch.bmm(features, features.transpose(1, 2))
        rows, columns = torch.tril_indices(5, 5, offset=-1)
        return self.top(torch.cat([x, products[:, rows, columns]], 1))


class GraphConvolutions(nn.Module):
    """Edges are rows of sources and targets; sums over edges are divided by the roots of both degrees."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(16, 32), nn.Linear(32, 4)])

    def spread(self, nodes, edges):
        source, target = edges
        degrees = torch.zeros(nodes.shape[0]).index_add(0, target, torch.ones(edges.shape[1]))
        scale = degrees.clamp(min=1).pow(-0.5)
        messages = nodes[source] * (scale[source] * scale[target])[:, None]
        return torch.zeros_like(nodes).scatter_add(0, target[:, None].expand_as(messages), messages)

    def forward(self, nodes, edges):
        hidden = torch.relu(self.layers[0](self.spread(nodes, edges)))
        return torch.log_softmax(self.layers[1](self.spread(hidden, edges)), -1)


def TemporalConvolutions():
    return nn.Sequential(nn.Conv1d(4, 16, 3, padding=2, dilation=2), nn.PReLU(16), nn.BatchNorm1d(16), nn.ConvTranspose1d(16, 8, 4, 2, 1),
                         nn.InstanceNorm1d(8, affine=True), nn.Softplus(), nn.AvgPool1d(2), nn.AdaptiveMaxPool1d(4), nn.Flatten(),
                         nn.Linear(32, 5), nn.Softmax(-1))


class Experts(nn.Module):
    """Computes all experts and adds the two best of each row."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(32, 4)
        self.weights = nn.Parameter(torch.randn(4, 32, 32))

    def forward(self, x):
        shares, best = torch.topk(self.gate(x).softmax(-1), 2)
        results = torch.einsum("bd,edh->beh", x, self.weights)
        return (results.gather(1, best[..., None].expand(-1, -1, 32)) * shares[..., None]).sum(1)


def Transformer():
    return nn.Transformer(32, 4, 2, 2, 64, batch_first=True)


def TransformerEncoder():
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), 2)


def MultiheadAttention():
    return nn.MultiheadAttention(32, 4, batch_first=True)
