"""One file per contender.  Each has:

prepare(model, inputs, dir)   work that is not measured (export to a file); returns what `load` takes
load(prepared, cache)         returns a function without arguments that runs the workload once and returns an array;
                              its time and that of the first run together are the first call
kernels()                     how many kernels were generated, None where that says nothing
"""
import importlib

# name in the results -> module, and whether a second process can start from what the first one left in the folder `cache`
CONTENDERS = {"torch_eager": ("eager", False), "inductor": ("inductor", True), "openvino": ("ov", True),
              "onnxruntime": ("ort", False), "xla": ("xla", True)}


def contender(name):
    """The module, imported only by the process that measures it."""
    return importlib.import_module("." + CONTENDERS[name][0], __package__)
