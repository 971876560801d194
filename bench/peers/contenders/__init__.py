"""One file per contender.  Each has:

prepare(model, inputs, dir)   work that is not measured (export to a file); returns the argument of `load`
load(prepared, cache)         returns a function without arguments that runs the workload once and returns an array;
                              its time plus that of the first run is the first call
train(training, cache, ...)   if it can train: a function that makes one step and returns its loss
kernels()                     the number of generated kernels, None if that is meaningless
"""
import functools
import importlib

# name in the results -> module, and whether a second process can use what the first one left in the folder `cache`
CONTENDERS = {"torch_eager": ("eager", False), "inductor": ("inductor", True), "openvino": ("ov", True),
              "onnxruntime": ("ort", False), "xla": ("xla", True)}
# the same for training steps, with further arguments of `train`
TRAINERS = {"torch_eager": ("eager", False, {}), "torch_fused": ("eager", False, {"fused": True}), "inductor": ("inductor", True, {}),
            "inductor_optimizer": ("inductor", True, {"compiles_optimizer": True}), "xla": ("xla", True, {})}


def contender(name):
    """The module, imported only by the process that measures it."""
    return importlib.import_module("." + CONTENDERS[name][0], __package__)


def trainer(name):
    """The module and its function `train`."""
    file, _, options = TRAINERS[name]
    module = importlib.import_module("." + file, __package__)
    return module, functools.partial(module.train, **options)
