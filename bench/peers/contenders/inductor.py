"""torch.compile with its default backend; `cache` is the folder of its kernels."""
import os

import torch

from .eager import forward_of, stepper


def prepare(model, inputs, folder):
    return model, inputs


def load(prepared, cache):
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = cache
    model, inputs = prepared
    compiled = torch.compile(model)

    def call():
        with torch.inference_mode():
            return compiled(*inputs).numpy()

    return call


def train(training, cache, compiles_optimizer=False):
    """The loss is one compiled function with its gradients; the optimizer is torch's fused one, or compiled as well."""
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = cache
    optimizer = training.optimize(fused=None if compiles_optimizer else True)
    optimize = torch.compile(optimizer.step) if compiles_optimizer else optimizer.step
    return stepper(training, torch.compile(forward_of(training)), optimizer, optimize)


def kernels():
    from torch._inductor import metrics
    return metrics.generated_kernel_count
