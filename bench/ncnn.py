"""Reads models of ncnn: a .param is text with one layer a line, its .bin the weights in the order of the layers.

A model becomes steps, ops by PyTorch's names in the order in which they run, as far as the models of bench/trained need them:
  conv2d (weight, bias, stride, padding, dilation), prelu (weight), leaky_relu (negative_slope), pixel_shuffle (upscale_factor),
  interpolate (scale_factor, mode), mul (other: a number), add, cat (dim), split: the value under several names
Each value is read by exactly one step.  Images have a batch as dimension 0, which ncnn's do not have."""
import dataclasses
import struct

MAGIC = "7767517"
F16 = 0x01306B47  # before weights that are f16; 0: they are f32
NO_ACTIVATION, RELU, LEAKY_RELU = 0, 1, 2
MODES = {1: "nearest", 2: "bilinear", 3: "bicubic"}


@dataclasses.dataclass
class Step:
    op: str
    inputs: list
    outputs: list
    attributes: dict = dataclasses.field(default_factory=dict)
    weights: dict = dataclasses.field(default_factory=dict)  # "weight" and "bias": their names among the model's


@dataclasses.dataclass
class Model:
    input: str = ""
    output: str = ""
    steps: list = dataclasses.field(default_factory=list)
    weights: dict = dataclasses.field(default_factory=dict)  # name -> ("F16" or "F32", sizes, bytes)


def number(text):
    """An integer, or what a floating-point number is as f32."""
    return int(text) if text.lstrip("-").isdigit() else struct.unpack("<f", struct.pack("<f", float(text)))[0]


def parameters(words):
    """{key: number or list of numbers}; the key of a list is written as -23300 - key, and its length comes first."""
    found = {}
    for word in words:
        key, _, text = word.partition("=")
        key = int(key)
        if key <= -23300:
            found[-23300 - key] = [number(part) for part in text.split(",")[1:]]
        else:
            found[key] = number(text)
    return found


class Weights:
    """The .bin, read from its begin to its end."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        if self.at + count > len(self.data):
            raise ValueError(f"the weights end at byte {len(self.data)}, a layer needs those up to {self.at + count}")
        self.at += count
        return self.data[self.at - count : self.at]

    def f32(self, sizes, count):
        return "F32", sizes, self.take(4 * count)

    def flagged(self, sizes, count):
        """Weights whose dtype is said by a number before them; they are padded to a multiple of 4 bytes."""
        flag, = struct.unpack("<I", self.take(4))
        if flag not in (0, F16):
            raise ValueError(f"weights before byte {self.at} have the unknown format {flag:#x}: only f32 (0) and f16 ({F16:#x}) are read")
        if flag == 0:
            return self.f32(sizes, count)
        data = self.take(2 * count)
        self.take(-len(data) % 4)
        return "F16", sizes, data


class Reader:
    def __init__(self, data):
        self.weights, self.model = Weights(data), Model()

    def read(self, line):
        kind, name, inputs, outputs, *rest = line.split()
        inputs, outputs = int(inputs), int(outputs)
        self.kind, self.name = kind, name
        self.inputs, self.outputs = rest[:inputs], rest[inputs : inputs + outputs]
        self.parameters = parameters(rest[inputs + outputs :])
        layer = getattr(self, f"read_{kind}", None)
        if not layer:
            raise ValueError(f"{name}: layers of the type {kind} are not read")
        layer()
        if self.parameters:
            raise ValueError(f"{name}: {kind} with the parameters {self.parameters} is not read")

    def take(self, key, default=None):
        """A parameter of the layer; each may be taken once, and those that nobody takes are an error."""
        value = self.parameters.pop(key, default)
        if value is None:
            raise ValueError(f"{self.name}: {self.kind} without parameter {key}")
        return value

    def require(self, key, default, only):
        if (value := self.take(key, default)) != only:
            raise ValueError(f"{self.name}: {self.kind} with parameter {key} = {value} is not read, only {only}")

    def step(self, op, inputs=None, outputs=None, weights=None, **attributes):
        names = {}
        for part, weight in (weights or {}).items():
            names[part] = f"{self.name}.{part}"
            self.model.weights[names[part]] = weight
        self.model.steps.append(Step(op, inputs or self.inputs, outputs or self.outputs, attributes, names))

    def activation(self, source, kind, slopes):
        if kind in (RELU, LEAKY_RELU):
            self.step("leaky_relu", [source], negative_slope=slopes[0] if kind == LEAKY_RELU else 0.0)
        else:
            raise ValueError(f"{self.name}: the activation {kind} is not read")

    def read_Input(self):
        self.model.input, = self.outputs

    def read_Split(self):
        self.step("split")

    def read_Convolution(self):
        columns, side, count = self.take(0), self.take(1), self.take(6)
        how = {"dilation": self.take(2, 1), "stride": self.take(3, 1), "padding": self.take(4, 0)}
        has_bias, kind, slopes = self.take(5, 0), self.take(9, NO_ACTIVATION), self.take(10, [])
        channels, rest = divmod(count, columns * side * side)
        if rest:
            raise ValueError(f"{self.name}: {count} weights do not fill {columns} x {side} x {side} windows")
        weights = {"weight": self.weights.flagged([columns, channels, side, side], count)}
        if has_bias:
            weights["bias"] = self.weights.f32([columns], columns)
        if kind == NO_ACTIVATION:
            self.step("conv2d", weights=weights, **how)
        else:
            self.step("conv2d", outputs=[f"{self.name}.sums"], weights=weights, **how)
            self.activation(f"{self.name}.sums", kind, slopes)

    def read_PReLU(self):
        count = self.take(0)
        self.step("prelu", weights={"weight": self.weights.f32([count], count)})

    def read_ReLU(self):
        self.step("leaky_relu", negative_slope=self.take(0, 0.0))

    def read_PixelShuffle(self):
        self.require(1, 0, only=0)  # the order of the channels
        self.step("pixel_shuffle", upscale_factor=self.take(0))

    def read_Interp(self):
        mode, rows, columns = self.take(0), self.take(1), self.take(2)
        if mode not in MODES:
            raise ValueError(f"{self.name}: the interpolation {mode} is not read")
        self.step("interpolate", scale_factor=[rows, columns], mode=MODES[mode])

    def read_BinaryOp(self):
        self.require(0, 0, only=0)  # add
        self.step("add")

    def read_Eltwise(self):
        self.require(0, 0, only=1)  # a sum
        factors = self.take(1, [1.0] * len(self.inputs))
        if len(self.inputs) != 2 or len(factors) != 2:
            raise ValueError(f"{self.name}: Eltwise of {len(self.inputs)} inputs and {len(factors)} factors is not read, only of two")
        terms = []
        for source, factor in zip(self.inputs, factors):
            terms.append(source if factor == 1 else f"{source}.scaled")
            if factor != 1:
                self.step("mul", [source], [terms[-1]], other=factor)
        self.step("add", terms)

    def read_Concat(self):
        self.require(0, 0, only=0)  # the channels
        self.step("cat", dim=1)


def read(param, weights):
    """The model of the text of a .param and the bytes of its .bin.  ValueError for what is not read, never a guess."""
    magic, counts, *lines = param.splitlines()
    lines = [line for line in lines if line.strip()]
    if magic.strip() != MAGIC or int(counts.split()[0]) != len(lines):
        raise ValueError(f"this is not a .param with {len(lines)} layers: it begins with {magic} and {counts}")
    reader = Reader(weights)
    for line in lines:
        reader.read(line)
    if reader.weights.at != len(weights):
        raise ValueError(f"the layers have {reader.weights.at} bytes of weights, the file {len(weights)}")
    model = reader.model
    read_names = {name for step in model.steps for name in step.inputs}
    model.output, = [name for step in model.steps for name in step.outputs if name not in read_names]
    return model
