#!/usr/bin/env python3
"""Writes tests/data/nn.npz: what modules of torch.nn return, and their gradients; tests/nn/samples_test.cpp makes the same modules.

usage: .venv/bin/python tools/make_nn_samples.py

The file has two arrays: `values`, and `index`, text that says what they are. A line "case NAME results gradients" has the numbers of
values: all results of the module, one after the other, then the gradients of its inputs and parameters for the sum of the results times
numbers. Lines with the names and sizes of the parameters follow it. Inputs and parameters follow from numbers(), in C++ as here, so
the file does not have them. Cases that begin with avg. are averages of weights, which are results."""
import pathlib
import warnings

import numpy as np
import torch
from torch import nn

warnings.filterwarnings("ignore")
OUT = pathlib.Path(__file__).resolve().parents[1] / "tests" / "data" / "nn.npz"


def numbers(count, stream):
    """Numbers in [-0.5, 0.5) with 24 bits, the same in f32 and f64."""
    x = (np.arange(count, dtype=np.uint64) * 7919 + stream * 104729 + 17).astype(np.uint32)
    x = x * np.uint32(2654435761)
    x = (x ^ (x >> np.uint32(15))) * np.uint32(0x85EBCA6B)
    x = x ^ (x >> np.uint32(13))
    return (x >> np.uint32(8)).astype(np.float64) * 2.0**-24 - 0.5


def real(stream, *sizes, scale=4.0, shift=0.0):
    return torch.from_numpy((numbers(int(np.prod(sizes)), stream) * scale + shift).astype(np.float32)).reshape(sizes)


def ints(*values):
    return torch.tensor(values)


def fixed(x):
    """An input without a gradient."""
    x.is_fixed = True
    return x


def mask(*rows):
    return torch.tensor(rows, dtype=torch.bool)


def fill(module):
    """Sets the parameters of a module, in the order of their registration."""
    with torch.no_grad():
        for i, parameter in enumerate(module.parameters()):
            parameter.copy_(real(100 + i, *parameter.shape, scale=1.0))


CASES = {}


def case(name, module, *inputs, call=None):
    CASES[name] = (module, inputs, call or (lambda m, *x: m(*x)))


IMAGE = real(0, 2, 4, 6, 6)
ROWS = real(0, 3, 5)

# ---- norms
case("group_norm", nn.GroupNorm(2, 4), IMAGE)
case("group_norm_plain", nn.GroupNorm(4, 4, affine=False), IMAGE)
case("instance_norm1d", nn.InstanceNorm1d(3), real(0, 2, 3, 5))
case("instance_norm1d_single", nn.InstanceNorm1d(3, affine=True), ROWS)
case("instance_norm2d", nn.InstanceNorm2d(4, affine=True), IMAGE)
case("instance_norm3d", nn.InstanceNorm3d(2), real(0, 2, 2, 2, 3, 2))


def tracked(m, x):
    y = m(x)
    m(2 * x + 1)
    m.eval()
    return y, m(x), m.running_mean, m.running_var


case("instance_norm2d_tracked", nn.InstanceNorm2d(4, affine=True, track_running_stats=True), IMAGE, call=tracked)
case("layer_norm_two", nn.LayerNorm((3, 5)), real(0, 2, 3, 5))
case("layer_norm_without_bias", nn.LayerNorm(5, bias=False), ROWS)
case("rms_norm_two", nn.RMSNorm((3, 5), eps=1e-3), real(0, 2, 3, 5))

# ---- matrices and tables
case("bilinear", nn.Bilinear(3, 4, 2), real(0, 5, 3), real(1, 5, 4))
case("embedding_padded", nn.Embedding(6, 3, padding_idx=-2), ints([0, 4, 2], [4, 5, 5]))
for mode in ("sum", "mean", "max"):
    case(f"embedding_bag_{mode}", nn.EmbeddingBag(6, 3, mode=mode), ints(0, 4, 2, 4, 5, 1, 3), ints(0, 3, 3, 5))
case("embedding_bag_rows", nn.EmbeddingBag(6, 3), ints([0, 4, 2], [4, 5, 5]))
case(
    "embedding_bag_weighted",
    nn.EmbeddingBag(6, 3, mode="sum", padding_idx=4),
    ints([0, 4, 2], [4, 5, 5]),
    real(1, 2, 3),
    call=lambda m, i, w: m(i, per_sample_weights=w),
)
case("embedding_bag_last", nn.EmbeddingBag(6, 3, include_last_offset=True), ints(0, 4, 2, 4, 5, 1), ints(0, 2, 6))

# ---- activations
X = real(0, 2, 3, 4, scale=8.0)
for name in "ReLU ReLU6 SiLU Mish SELU Tanh Sigmoid LogSigmoid Hardswish Hardsigmoid Softsign Tanhshrink GELU LeakyReLU ELU CELU Softplus".split():
    case(name, getattr(nn, name)(), X)
for name in "Hardtanh Hardshrink Softshrink GLU".split():
    case(name, getattr(nn, name)(), X)
case("GELU_tanh", nn.GELU("tanh"), X)
case("LeakyReLU_steep", nn.LeakyReLU(0.3), X)
case("Threshold", nn.Threshold(0.5, -2.0), X)
case("Softmax", nn.Softmax(1), X)
case("Softmin", nn.Softmin(-1), X)
case("LogSoftmax", nn.LogSoftmax(-1), X)
case("Softmax2d", nn.Softmax2d(), IMAGE)
case("RReLU_eval", nn.RReLU(), X, call=lambda m, x: m.eval()(x))
case("PReLU", nn.PReLU(), X)
case("PReLU_channels", nn.PReLU(3), X)

# ---- pools
SEQUENCE, VOLUME = real(0, 2, 3, 9), real(0, 1, 2, 4, 5, 4)
case("MaxPool1d", nn.MaxPool1d(3), SEQUENCE)
case("MaxPool2d", nn.MaxPool2d((3, 2), stride=2, padding=1), IMAGE)
case("MaxPool3d", nn.MaxPool3d(2, stride=1, dilation=(1, 2, 1)), VOLUME)
case("AvgPool1d", nn.AvgPool1d(4, stride=2, padding=1, ceil_mode=True), SEQUENCE)
case("AvgPool2d", nn.AvgPool2d(3, padding=1, count_include_pad=False), IMAGE)
case("AvgPool3d", nn.AvgPool3d((2, 3, 2), stride=2, divisor_override=5), VOLUME)
case("LPPool1d", nn.LPPool1d(2, 3), SEQUENCE)
case("LPPool2d", nn.LPPool2d(2.0, (2, 3), stride=2), IMAGE)
case("AdaptiveAvgPool1d", nn.AdaptiveAvgPool1d(4), SEQUENCE)
case("AdaptiveAvgPool2d", nn.AdaptiveAvgPool2d((4, 1)), IMAGE)
case("AdaptiveAvgPool3d", nn.AdaptiveAvgPool3d((2, 3, 2)), VOLUME)
case("AdaptiveMaxPool1d", nn.AdaptiveMaxPool1d(4), SEQUENCE)
case("AdaptiveMaxPool2d", nn.AdaptiveMaxPool2d((4, 1)), IMAGE)
case("AdaptiveMaxPool3d", nn.AdaptiveMaxPool3d((2, 3, 2)), VOLUME)

# ---- shapes
case("Identity", nn.Identity(), X)
case("Flatten", nn.Flatten(), X)
case("Flatten_begin", nn.Flatten(0, 1), X)
case("Unflatten", nn.Unflatten(2, (2, -1)), X)
case("ZeroPad1d", nn.ZeroPad1d((1, 2)), SEQUENCE)
case("ZeroPad2d", nn.ZeroPad2d((1, 0, -1, 2)), IMAGE)
case("ConstantPad1d", nn.ConstantPad1d(2, 1.5), SEQUENCE)
case("ConstantPad3d", nn.ConstantPad3d(1, -1.0), VOLUME)
case("ReflectionPad2d", nn.ReflectionPad2d((1, 2, 0, 1)), IMAGE)
case("ReplicationPad2d", nn.ReplicationPad2d(2), IMAGE)
case("CircularPad1d", nn.CircularPad1d((2, 1)), SEQUENCE)
case("Upsample", nn.Upsample(scale_factor=2), IMAGE)
case("Upsample_bilinear", nn.Upsample(size=(4, 9), mode="bilinear", align_corners=True), IMAGE)
case("PixelShuffle", nn.PixelShuffle(2), IMAGE)
case("PixelUnshuffle", nn.PixelUnshuffle(3), IMAGE)
case("ChannelShuffle", nn.ChannelShuffle(2), IMAGE)
case("Unfold", nn.Unfold((2, 3), padding=1, stride=2), IMAGE)
case("Fold", nn.Fold((4, 5), 2), real(0, 2, 8, 12))

# ---- attention: two sequences of 4 queries and 5 keys
Q, K, V = real(0, 4, 2, 6), real(1, 5, 2, 6), real(2, 5, 2, 6)
PADDING, SELF_PADDING = mask([0, 0, 1, 0, 1], [0, 0, 0, 0, 1]), mask([0, 0, 0, 1], [0, 0, 0, 0])
CAUSAL = torch.triu(torch.ones(4, 4, dtype=torch.bool), 1)
MASK_45 = mask([0, 1, 0, 0, 0], [0, 0, 0, 1, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 1])
case("attention", nn.MultiheadAttention(6, 2), Q, K, V)
case("attention_of_itself", nn.MultiheadAttention(6, 3, bias=False), Q, call=lambda m, q: m(q, q, q))
case(
    "attention_batch_first",
    nn.MultiheadAttention(6, 2, batch_first=True),
    real(0, 2, 4, 6),
    call=lambda m, q: m(q, q, q, need_weights=False, attn_mask=CAUSAL, is_causal=True)[0],
)
case(
    "attention_padded",
    nn.MultiheadAttention(6, 2),
    Q,
    K,
    V,
    call=lambda m, q, k, v: m(q, k, v, key_padding_mask=PADDING, average_attn_weights=False),
)
case(
    "attention_masked",
    nn.MultiheadAttention(6, 2),
    Q,
    K,
    V,
    real(3, 4, 5),
    call=lambda m, q, k, v, a: m(q, k, v, attn_mask=a, need_weights=False)[0],
)
case(
    "attention_masked_twice",
    nn.MultiheadAttention(6, 2),
    Q,
    K,
    V,
    call=lambda m, q, k, v: m(q, k, v, attn_mask=MASK_45, key_padding_mask=PADDING),
)
case("attention_mask_of_heads", nn.MultiheadAttention(6, 2), Q, K, V, real(3, 4, 4, 5), call=lambda m, q, k, v, a: m(q, k, v, attn_mask=a))
case("attention_widths", nn.MultiheadAttention(6, 2, kdim=3, vdim=4), Q, real(1, 5, 2, 3), real(2, 5, 2, 4))
case(
    "attention_extended",
    nn.MultiheadAttention(6, 2, add_bias_kv=True, add_zero_attn=True),
    Q,
    K,
    V,
    call=lambda m, q, k, v: m(q, k, v, key_padding_mask=PADDING),
)
case("attention_single", nn.MultiheadAttention(6, 2), real(0, 4, 6), real(1, 5, 6), real(2, 5, 6))

# ---- transformers; all train, without dropout
FEW = dict(d_model=6, nhead=2, dim_feedforward=8, dropout=0.0)
case("encoder_layer", nn.TransformerEncoderLayer(**FEW), Q)
case(
    "encoder_layer_norm_first",
    nn.TransformerEncoderLayer(**FEW, norm_first=True, activation="gelu", batch_first=True),
    real(0, 2, 4, 6),
    call=lambda m, x: m(x, src_key_padding_mask=SELF_PADDING),
)
case("encoder_layer_without_bias", nn.TransformerEncoderLayer(**FEW, bias=False), Q, call=lambda m, x: m(x, src_mask=CAUSAL, is_causal=True))
case(
    "encoder",
    nn.TransformerEncoder(nn.TransformerEncoderLayer(**FEW, norm_first=True), 2, nn.LayerNorm(6), enable_nested_tensor=False),
    Q,
    call=lambda m, x: m(x, src_key_padding_mask=SELF_PADDING),
)
case(
    "decoder_layer",
    nn.TransformerDecoderLayer(**FEW),
    Q,
    K,
    call=lambda m, x, y: m(x, y, tgt_mask=CAUSAL, tgt_is_causal=True, memory_key_padding_mask=PADDING),
)
case("decoder_layer_norm_first", nn.TransformerDecoderLayer(**FEW, norm_first=True), Q, K, call=lambda m, x, y: m(x, y, memory_mask=MASK_45))
case("decoder", nn.TransformerDecoder(nn.TransformerDecoderLayer(**FEW), 2), Q, K)
case("transformer", nn.Transformer(6, 2, 1, 1, 8, dropout=0.0), Q, K)

# ---- cells
STEP, STATE, CELL = real(0, 3, 4), real(1, 3, 2), real(2, 3, 2)
case("lstm_cell", nn.LSTMCell(4, 2), STEP, STATE, CELL, call=lambda m, x, h, c: m(x, (h, c)))
case("lstm_cell_begin", nn.LSTMCell(4, 2, bias=False), STEP)
case("gru_cell", nn.GRUCell(4, 2), STEP, STATE)
case("gru_cell_single", nn.GRUCell(4, 2), real(0, 4), real(1, 2))
case("rnn_cell", nn.RNNCell(4, 2), STEP, STATE)
case("rnn_cell_relu", nn.RNNCell(4, 2, nonlinearity="relu"), STEP, STATE)

# ---- losses
LOGITS, CLASSES = real(0, 4, 5), ints(1, 0, 4, 2)
PROBABILITIES, HALF = real(0, 4, 5, scale=0.8, shift=0.5), real(1, 4, 5, scale=0.8, shift=0.5)
OTHER, SIGNS, ROW_SIGNS = real(1, 4, 5), fixed(torch.sign(real(1, 4, 5))), fixed(ints(1, -1, 1, -1).float())
WEIGHT = real(5, 5, scale=0.8, shift=0.5)
case("KLDivLoss", nn.KLDivLoss(), LOGITS, HALF)
for name in "MSELoss L1Loss SmoothL1Loss HuberLoss PoissonNLLLoss".split():
    case(name, getattr(nn, name)(), LOGITS, OTHER)
case("MSELoss_sum", nn.MSELoss(reduction="sum"), LOGITS, OTHER)
case("L1Loss_none", nn.L1Loss(reduction="none"), LOGITS, OTHER)
case("SmoothL1Loss_beta", nn.SmoothL1Loss(beta=0.3), LOGITS, OTHER)
case("HuberLoss_delta", nn.HuberLoss(delta=0.3), LOGITS, OTHER)
case("CrossEntropyLoss", nn.CrossEntropyLoss(), LOGITS, CLASSES)
case("CrossEntropyLoss_options", nn.CrossEntropyLoss(WEIGHT, ignore_index=0, label_smoothing=0.2), LOGITS, CLASSES)
case("NLLLoss", nn.NLLLoss(WEIGHT, reduction="sum"), LOGITS, CLASSES)
case("BCELoss", nn.BCELoss(), PROBABILITIES, HALF)
case("BCEWithLogitsLoss", nn.BCEWithLogitsLoss(pos_weight=WEIGHT), LOGITS, HALF)
case("MultiLabelSoftMarginLoss", nn.MultiLabelSoftMarginLoss(WEIGHT), LOGITS, HALF)
case("MultiMarginLoss", nn.MultiMarginLoss(p=2, margin=0.7, weight=WEIGHT), LOGITS, CLASSES)
case("MultiLabelMarginLoss", nn.MultiLabelMarginLoss(), LOGITS, ints([3, 0, -1, 1, 1], [-1, 0, 0, 0, 0], [4, 3, 2, 1, 0], [2, -1, 0, 0, 0]))
case("KLDivLoss_batchmean", nn.KLDivLoss(reduction="batchmean", log_target=True), LOGITS, OTHER)
case("PoissonNLLLoss_full", nn.PoissonNLLLoss(log_input=False, full=True), PROBABILITIES, real(1, 4, 5, scale=4.0, shift=3.0))
case("GaussianNLLLoss", nn.GaussianNLLLoss(full=True), LOGITS, OTHER, HALF)
case("HingeEmbeddingLoss", nn.HingeEmbeddingLoss(), LOGITS, SIGNS)
case("SoftMarginLoss", nn.SoftMarginLoss(), LOGITS, SIGNS)
case("CosineEmbeddingLoss", nn.CosineEmbeddingLoss(margin=0.1), LOGITS, OTHER, ROW_SIGNS)
case("MarginRankingLoss", nn.MarginRankingLoss(0.5), LOGITS, OTHER, SIGNS)
case("TripletMarginLoss", nn.TripletMarginLoss(swap=True), LOGITS, OTHER, real(2, 4, 5))
case(
    "TripletMarginWithDistanceLoss",
    nn.TripletMarginWithDistanceLoss(distance_function=lambda a, b: (a - b).abs().sum(-1), margin=3.0, swap=True, reduction="none"),
    LOGITS,
    OTHER,
    real(2, 4, 5),
)
case(
    "CTCLoss",
    nn.CTCLoss(),
    real(0, 6, 2, 5),
    ints([1, 2, 3], [4, 1, 1]),
    call=lambda m, x, t: m(x.log_softmax(-1), t, (6, 5), (3, 2)),
)
case("CosineSimilarity", nn.CosineSimilarity(), LOGITS, OTHER)
case("PairwiseDistance", nn.PairwiseDistance(p=3.0, keepdim=True), LOGITS, OTHER)

# ---- containers
case(
    "sequential",
    nn.Sequential(nn.Conv2d(4, 3, 3, padding=1), nn.GroupNorm(3, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(27, 2)),
    IMAGE,
)


def flat(tensors):
    return np.concatenate([np.zeros(0, np.float32)] + [t.detach().numpy().astype(np.float32).ravel() for t in tensors])


def write_case(out, name, module, inputs, call):
    fill(module)
    module.train()
    inputs = [x.clone().requires_grad_() if x.is_floating_point() and not hasattr(x, "is_fixed") else x for x in inputs]
    results = call(module, *inputs)
    results = [y for y in (results if isinstance(results, tuple) else (results,)) if y is not None]
    loss = sum((y * real(200 + i, *y.shape)).sum() for i, y in enumerate(results))
    loss.backward()
    wanted = [x for x in inputs if x.requires_grad] + list(module.parameters())
    keys = "".join(f"{key} {list(p.shape)}\n" for key, p in module.named_parameters())
    out.add(name, flat(results), flat([torch.zeros_like(x) if x.grad is None else x.grad for x in wanted]), keys)


class Samples:
    def __init__(self):
        self.index, self.values = "", []

    def add(self, name, results, gradients=(), keys=""):
        self.index += f"case {name} {len(results)} {len(gradients)}\n{keys}"
        self.values += [np.asarray(results, np.float32), np.asarray(gradients, np.float32)]


def averages(out):
    """Weights averaged over the values w * (1 + 0.5 n)."""
    from torch.optim import swa_utils

    functions = {"ema": swa_utils.get_ema_avg_fn(0.7), "swa": None}
    for name, function in functions.items():
        for use_buffers in (False, True):
            model = nn.BatchNorm1d(3)
            average = swa_utils.AveragedModel(model, avg_fn=function, use_buffers=use_buffers)
            for n in range(6):
                with torch.no_grad():
                    for i, t in enumerate([model.weight, model.bias, model.running_mean, model.running_var]):
                        t.copy_(real(i, 3) * (1 + 0.5 * n))
                average.update_parameters(model)
            m = average.module
            out.add(f"avg.{name}.{int(use_buffers)}", flat([m.weight, m.bias, m.running_mean, m.running_var]))


def main():
    out = Samples()
    for name, (module, inputs, call) in CASES.items():
        write_case(out, name, module, inputs, call)
    averages(out)
    np.savez_compressed(OUT, index=np.frombuffer(out.index.encode(), np.uint8), values=np.concatenate(out.values))
    print(len(CASES), "cases,", OUT.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
