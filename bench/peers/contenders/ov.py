"""OpenVINO's CPU plug-in, tuned for latency, computing in f32 like the others."""
import openvino
import torch


def prepare(model, inputs, folder):
    path = f"{folder}/model.xml"
    with torch.inference_mode():
        converted = openvino.convert_model(model, example_input=inputs, input=[tuple(x.shape) for x in inputs])
    openvino.save_model(converted, path, compress_to_fp16=False)
    return path, inputs


def load(prepared, cache):
    path, inputs = prepared
    core = openvino.Core()
    core.set_property({"CACHE_DIR": cache})
    compiled = core.compile_model(path, "CPU", {
        "PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": torch.get_num_threads(), "INFERENCE_PRECISION_HINT": "f32"})
    request = compiled.create_infer_request()
    feed = [openvino.Tensor(x.numpy(), shared_memory=True) for x in inputs]
    for i, tensor in enumerate(feed):
        request.set_input_tensor(i, tensor)

    def call():
        request.infer()
        return request.get_output_tensor(0).data

    return call


def kernels():
    return None
