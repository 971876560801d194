"""Exports one model for bench/census: census_export.py MODEL static|dynamic FOLDER

Writes MODEL.pt2, and for a call of it MODEL.in/NAME.npy and MODEL.out/NUMBER.npy, the results of torch.  Prints one line of JSON: names
of `inputs`, for each of `outputs` "t" for a tensor or its value, and with dynamic sizes whether the call has other sizes than the example
(`resized`), or else why not.  Weights and inputs are random numbers of a fixed seed."""
import inspect
import json
import logging
import os
import pathlib
import sys
import warnings

import numpy
import torch
from torch.utils import _pytree

from census_models import MODELS, Input


def tree(make, value):
    """`value` with make(input) in place of each Input."""
    if isinstance(value, Input):
        return make(value)
    if isinstance(value, dict):
        return {name: tree(make, one) for name, one in value.items()}
    return type(value)(tree(make, one) for one in value)


def import_torchvision():
    """A torchvision whose compiled part does not fit this torch lacks two ops that its Python registers; no exported model calls them."""
    try:
        import torchvision
    except RuntimeError:
        for name in [name for name in sys.modules if name.startswith("torchvision")]:
            del sys.modules[name]
        library = torch.library.Library("torchvision", "FRAGMENT")
        for op in ("nms", "qnms"):
            library.define(f"{op}(Tensor boxes, Tensor scores, float iou_threshold) -> Tensor")
        import torchvision
        return library  # the ops live as long


def varying(inputs):
    return {dim: torch.export.Dim.AUTO for dim in inputs.varies}


def call_of(program, arguments, named, larger):
    """Arguments to call the program with, and whether they are larger than the example, or why it refuses larger ones."""
    def draw(larger):
        return tuple(tree(lambda one: one.draw(larger), value) for value in (arguments, named))

    if not larger:
        return *draw(False), False
    call = draw(True)
    try:
        program.module()(*call[0], **call[1])
    except Exception as why:
        return *draw(False), str(why).strip().splitlines()[0][:200]
    return *call, True


def write_arrays(folder, arrays):
    folder.mkdir(exist_ok=True)
    for name, tensor in arrays.items():
        tensor = tensor.detach()
        tensor = tensor.float() if tensor.dtype == torch.bfloat16 else tensor
        numpy.save(folder / f"{name}.npy", tensor.contiguous().numpy())


@torch.no_grad()
def export(key, dynamic, folder):
    model = MODELS[key].build().eval()
    arguments, named = MODELS[key].inputs(model)
    example = tree(Input.draw, arguments), tree(Input.draw, named)
    sizes = None
    if dynamic:
        sizes = dict(zip(inspect.signature(model.forward).parameters, tree(varying, arguments))) | tree(varying, named)
    program = torch.export.export(model, *example, dynamic_shapes=sizes)
    torch.export.save(program, folder / f"{key}.pt2")
    *call, resized = call_of(program, arguments, named, dynamic)
    names = [spec.arg.name for spec in program.graph_signature.input_specs if spec.kind.name == "USER_INPUT"]
    inputs = dict(zip(names, _pytree.tree_leaves(tuple(call))))
    write_arrays(folder / f"{key}.in", inputs)
    results = _pytree.tree_leaves(program.module()(*call[0], **call[1]))
    write_arrays(folder / f"{key}.out", {i: one for i, one in enumerate(results) if isinstance(one, torch.Tensor)})
    return {"inputs": names, "outputs": ["t" if isinstance(one, torch.Tensor) else repr(one) for one in results], "resized": resized}


def main():
    key, sizes, folder = sys.argv[1:]
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    torch.manual_seed(0)
    kept = None if key.startswith("modules.") else import_torchvision()
    print(json.dumps(export(key, sizes == "dynamic", pathlib.Path(folder))))
    return kept


if __name__ == "__main__":
    main()
