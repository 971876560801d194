"""Writes a workload as an ONNX file, for the contenders that read one."""
import contextlib
import io
import os
import warnings

import torch


def write(model, inputs, folder):
    path = os.path.join(folder, "model.onnx")
    names = [f"x{i}" for i in range(len(inputs))]
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), torch.inference_mode():
        warnings.simplefilter("ignore")
        torch.onnx.export(model, inputs, path, dynamo=True, input_names=names, verbose=False, optimize=True)
    return path
