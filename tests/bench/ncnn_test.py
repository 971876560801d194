#!/usr/bin/env python3
"""bench/ncnn.py: the steps and weights of a small model, and that what it does not know is an error."""
import pathlib
import struct
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import ncnn
from ncnn import Step

F16, F32 = struct.pack("<I", 0x01306B47), struct.pack("<I", 0)
SLOPE, = struct.unpack("<f", struct.pack("<f", 0.2))


def floats(*values, each="f"):
    return struct.pack(f"<{len(values)}{each}", *values)


def param(*layers):
    return "\n".join(["7767517", f"{len(layers)} 9", *layers]) + "\n"


class Reads(unittest.TestCase):
    def test_convolutions_with_an_activation_are_two_steps(self):
        model = ncnn.read(param("Input in 0 1 data", "Convolution c 1 1 data y 0=3 1=1 5=1 6=3 9=2 -23310=1,2.000000e-01"),
                          F32 + floats(1, 2, 3) + floats(4, 5, 6))
        self.assertEqual((model.input, model.output), ("data", "y"))
        self.assertEqual(model.steps, [
            Step("conv2d", ["data"], ["c.sums"], {"dilation": 1, "stride": 1, "padding": 0}, {"weight": "c.weight", "bias": "c.bias"}),
            Step("leaky_relu", ["c.sums"], ["y"], {"negative_slope": SLOPE})])
        self.assertEqual(model.weights, {"c.weight": ("F32", [3, 1, 1, 1], floats(1, 2, 3)), "c.bias": ("F32", [3], floats(4, 5, 6))})

    def test_weights_of_f16_are_padded_to_four_bytes(self):
        model = ncnn.read(param("Input in 0 1 data", "Convolution c 1 1 data x 0=1 1=3 2=2 3=2 4=1 6=9", "PReLU p 1 1 x y 0=1"),
                          F16 + floats(*range(9), each="e") + b"\0\0" + floats(0.5))
        self.assertEqual(model.weights, {"c.weight": ("F16", [1, 1, 3, 3], floats(*range(9), each="e")),
                                         "p.weight": ("F32", [1], floats(0.5))})
        self.assertEqual([step.attributes for step in model.steps], [{"dilation": 2, "stride": 2, "padding": 1}, {}])

    def test_sums_with_factors_multiply_first(self):
        model = ncnn.read(param("Input in 0 1 data", "Split s 1 2 data a b", "Eltwise e 2 1 a b y 0=1 -23301=2,2.000000e-01,1.000000e+00"), b"")
        self.assertEqual(model.steps, [Step("split", ["data"], ["a", "b"]), Step("mul", ["a"], ["a.scaled"], {"other": SLOPE}),
                                       Step("add", ["a.scaled", "b"], ["y"])])

    def test_images_are_joined_enlarged_and_shuffled(self):
        model = ncnn.read(param("Input in 0 1 data", "Split s 1 4 data a b c d", "Concat j 4 1 a b c d x 0=0", "PixelShuffle p 1 1 x y 0=2",
                                "Interp i 1 1 y z 0=1 1=2.000000e+00 2=3.000000e+00"), b"")
        self.assertEqual([(step.op, step.attributes) for step in model.steps[1:]],
                         [("cat", {"dim": 1}), ("pixel_shuffle", {"upscale_factor": 2}),
                          ("interpolate", {"scale_factor": [2.0, 3.0], "mode": "nearest"})])


class Refuses(unittest.TestCase):
    def refused(self, why, *layers, weights=b""):
        with self.assertRaisesRegex(ValueError, why):
            ncnn.read(param("Input in 0 1 data", *layers), weights)

    def test_layers_and_parameters_that_it_does_not_know(self):
        self.refused("s: layers of the type Softmax are not read", "Softmax s 1 1 data y 0=0")
        self.refused("c: Convolution with the parameters {11: 1} is not read", "Convolution c 1 1 data y 0=1 1=3 6=9 11=1", weights=F32 + bytes(36))
        self.refused("c: the activation 5 is not read", "Convolution c 1 1 data y 0=1 1=1 6=1 9=5", weights=F32 + bytes(4))
        self.refused("b: BinaryOp with parameter 0 = 2 is not read, only 0", "BinaryOp b 2 1 data data y 0=2")
        self.refused("i: the interpolation 7 is not read", "Interp i 1 1 data y 0=7 1=2.0 2=2.0")

    def test_weights_that_do_not_fit(self):
        self.refused("the weights end at byte 3, a layer needs those up to 4", "PReLU p 1 1 data y 0=1", weights=bytes(3))
        self.refused("the layers have 4 bytes of weights, the file 8", "PReLU p 1 1 data y 0=1", weights=bytes(8))
        self.refused("c: 8 weights do not fill 1 x 3 x 3 windows", "Convolution c 1 1 data y 0=1 1=3 6=8", weights=F32 + bytes(32))
        self.refused("unknown format 0xd4b38", "Convolution c 1 1 data y 0=1 1=1 6=1", weights=struct.pack("<I", 0x000D4B38) + bytes(4))

    def test_files_that_are_no_param(self):
        with self.assertRaisesRegex(ValueError, "this is not a .param with 1 layers: it begins with 7767517 and 2 2"):
            ncnn.read("7767517\n2 2\nInput in 0 1 data\n", b"")


if __name__ == "__main__":
    unittest.main()
