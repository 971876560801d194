"""The programs of the sweep in PyTorch, by the names of bench/sweep_*.cpp: TWINS[name](*inputs).  Run as a script it answers
the requests of bench/sweep (see bench/sweep_serve.cpp), one line of JSON each."""
import json
import resource
import sys
import time

import torch
from torch.nn import functional as F

TWINS = {
    "clone": lambda x: x.clone(),
    "neg": lambda x: -x,
    "abs": lambda x: x.abs(),
    "add_number": lambda x: x + 1,
    "exp": lambda x: x.exp(),
    "log": lambda x: x.log(),
    "sqrt": lambda x: x.sqrt(),
    "sin": lambda x: x.sin(),
    "tanh": lambda x: x.tanh(),
    "sigmoid": lambda x: x.sigmoid(),
    "erf": lambda x: x.erf(),
    "relu": lambda x: x.relu(),
    "gelu": lambda x: F.gelu(x),
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": lambda x: F.silu(x),
    "pow_3": lambda x: x.pow(3),
    "clamp": lambda x: x.clamp(-0.5, 0.5),
    "to_f64": lambda x: x.to(torch.float64),
    "to_bf16": lambda x: x.to(torch.bfloat16),
    "from_bf16": lambda x: x.to(torch.float32),

    "add": lambda x, y: x + y,
    "add_odd": lambda x, y: x + y,
    "add_scaled": lambda x, y: torch.add(x, y, alpha=2),
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "maximum": lambda x, y: torch.maximum(x, y),
    "less": lambda x, y: x < y,
    "where": lambda c, x, y: torch.where(c, x, y),
    "masked_fill": lambda x, m: x.masked_fill(m, 0),
    "logical_and": lambda x, y: torch.logical_and(x, y),
    "add_i64": lambda x, y: x + y,
    "add_bf16": lambda x, y: x + y,
    "add_f64": lambda x, y: x + y,
    "add_row": lambda x, y: x + y,
    "add_column": lambda x, y: x + y,
    "mul_row": lambda x, y: x * y,
    "outer": lambda x, y: x * y,

    "chain_tanh": lambda x: x.tanh().tanh().tanh(),
    "chain_gelu": lambda x: F.gelu(F.gelu(F.gelu(x))),
    "chain_add": lambda x, y: (((x + y) + 1) + y) + 2,
    "sin_cos": lambda x: x.cos().sin(),
    "polynomial": lambda x: ((x * 2 + 1) * x + 3) * x,
    "gated": lambda x, y: x * y.sigmoid(),
    "bias_gelu": lambda x, y: F.gelu(x + y),
    "add_relu": lambda x, y: (x + y).relu(),
    "bell": lambda x: (-x * x).exp() * 0.4,
    "scale_shift": lambda x, y, z: x * y + z,

    "contiguous_t": lambda x: x.t().contiguous(),
    "contiguous_t_odd": lambda x: x.t().contiguous(),
    "contiguous_t_bf16": lambda x: x.t().contiguous(),
    "add_t": lambda x: x + x.t(),
    "add_t_odd": lambda x: x + x.t(),
    "add_t_f64": lambda x: x + x.t(),
    "both_t": lambda x, y: x.t() + y.t(),
    "exp_t": lambda x: x.t().exp().contiguous(),
    "t_plus_row": lambda x, y: (x.t() + y).contiguous(),
    "to_nhwc": lambda x: x.permute(0, 2, 3, 1).contiguous(),
    "to_nchw": lambda x: x.permute(0, 3, 1, 2).contiguous(),
    "to_pixels": lambda x: x.permute(1, 2, 0).contiguous(),
    "exp_to_pixels": lambda x: x.permute(1, 2, 0).exp().contiguous(),
    "from_pixels": lambda x: x.permute(2, 0, 1).contiguous(),
    "swap_last": lambda x: x.transpose(1, 2).contiguous(),
    "split_heads": lambda x: x.transpose(0, 1).contiguous(),
    "reverse_dims": lambda x: x.permute(2, 1, 0).contiguous(),
    "flatten_t": lambda x: x.t().flatten() + 1,

    "second_rows": lambda x: x[::2] + 1,
    "second_columns": lambda x: x[:, ::2] + 1,
    "inner_part": lambda x: x[1:-1, 1:-1] + 1,
    "stencil_rows": lambda x: x[1:] - x[:-1],
    "stencil_columns": lambda x: x[:, 1:] - x[:, :-1],
    "one_column": lambda x: x[:, 3] + 1,
    "diagonal": lambda x: x.diagonal() + 1,
    "triu": lambda x: x.triu(),
    "write_slice": lambda x, y: torch.slice_scatter(x, y, 0, 0, y.size(0)),
    "expand_row": lambda x: x.expand(x.size(0), x.size(0)).contiguous(),
    "expand_column": lambda x: x.expand(x.size(0), x.size(0)).contiguous(),

    "cat_rows": lambda x, y: torch.cat([x, y], 0),
    "cat_columns": lambda x, y: torch.cat([x, y], 1),
    "cat_16": lambda x: torch.cat(x.unbind(0), 1),
    "cat_500": lambda x: torch.cat(x.unbind(0), 0),
    "cat_inputs": lambda *x: torch.cat(x, 0),
    "stack_last": lambda x, y: torch.stack([x, y], -1),

    "index_select_rows": lambda x, i: x.index_select(0, i),
    "index_select_columns": lambda x, i: x.index_select(1, i),
    "gather": lambda x, i: x.gather(1, i),
    "embedding": lambda x, i: F.embedding(i, x),

    "sum": lambda x: x.sum(),
    "sum_rows": lambda x: x.sum(1),
    "sum_columns": lambda x: x.sum(0),
    "sum_rows_of_t": lambda x: x.t().sum(1),
    "sum_columns_of_t": lambda x: x.t().sum(0),
    "sum_first_turned": lambda x: x.transpose(0, 1).sum(0),
    "mean_rows": lambda x: x.mean(1),
    "amax_rows": lambda x: x.amax(1),
    "amax_columns": lambda x: x.amax(0),
    "argmax_rows": lambda x: x.argmax(1),
    "argmax_columns": lambda x: x.argmax(0),
    "any_rows": lambda x: x.any(1),
    "var_rows": lambda x: x.var(1),
    "dot": lambda x, y: (x * y).sum(),
    "square_error": lambda x, y: (x - y).square().mean(),

    "softmax_rows": lambda x: x.softmax(1),
    "softmax_columns": lambda x: x.softmax(0),
    "softmax_rows_of_t": lambda x: x.t().softmax(1),
    "softmax_columns_of_t": lambda x: x.t().softmax(0),
    "log_softmax": lambda x: x.log_softmax(1),
    "layer_norm": lambda x, w, b: F.layer_norm(x, (x.size(1),), w, b),
    "rms_norm": lambda x, w: x * torch.rsqrt(x.square().mean(1, True) + 1e-6) * w,
    "centre_columns": lambda x: x - x.mean(0, True),
    "centre_columns_of_t": lambda x: x.t() - x.t().mean(0, True),

    "sort_rows": lambda x: x.sort(1)[0],
    "sort_columns": lambda x: x.sort(0)[0],
    "sort_rows_of_t": lambda x: x.t().sort(1)[0],
    "sort_one_row": lambda x: x.sort()[0],
    "sort_i64": lambda x: x.sort(1)[0],
    "topk_rows": lambda x: x.topk(10, 1)[0],
    "topk_columns": lambda x: x.topk(10, 0)[0],
    "topk_half": lambda x: x.topk(x.size(1) // 2, 1)[0],
    "median_rows": lambda x: x.median(1)[0],

    "mm": lambda x, y: x @ y,
    "mm_odd": lambda x, y: x @ y,
    "mm_right_t": lambda x, y: x @ y.t(),
    "mm_left_t": lambda x, y: x.t() @ y,
    "mm_vector": lambda x, y: x @ y,
    "bmm": lambda x, y: torch.bmm(x, y),
    "linear": lambda x, w, b: F.linear(x, w, b),
    "linear_gelu": lambda x, w, b: F.gelu(F.linear(x, w, b)),
    "attention": lambda q, k, v: F.scaled_dot_product_attention(q, k, v),
    "attention_8": lambda q, k, v: F.scaled_dot_product_attention(q, k, v),
}


def make(sizes, kind, which, n):
    """Elements as in bench/sweep_serve.cpp."""
    i = torch.arange(torch.Size(sizes).numel())
    if kind == "i64":
        return ((i * 7919 + which) % n).reshape(sizes)
    x = (((i * 7919 + which * 104729) % 2003).to(torch.float32) / 1001.5 - 1).reshape(sizes)
    if kind == "bool":
        return x > 0
    return x + 1.25 if kind == "positive" else x.to({"bf16": torch.bfloat16, "f64": torch.float64}.get(kind, torch.float32))


class Loaded:
    def __init__(self, name, size, inputs):
        self.run, self.inputs = TWINS[name], [make(x["sizes"], x["kind"], i, size) for i, x in enumerate(inputs)]

    def check(self):
        out = self.run(*self.inputs)
        flat = out.contiguous().flatten().to(torch.float64)
        return {"sizes": list(out.shape), "some": [flat[i * (len(flat) - 1) // 7].item() for i in range(8)]}

    def measure(self, ms):
        run, inputs, clock = self.run, self.inputs, time.perf_counter
        for _ in range(3):
            start = clock()
            run(*inputs)
            once = clock() - start
        each, times = range(max(1, int(20e-6 / once))), []
        before, begin = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw, clock()
        while len(times) < 2 or clock() - begin < ms / 1e3 * (1 if len(times) >= 40 else 4):
            start = clock()
            for _ in each:
                run(*inputs)
            times.append((clock() - start) / len(each) * 1e6)
        times.sort()
        interrupted = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw - before
        return {"least": times[0], "median": times[len(times) // 2], "samples": len(times), "interrupted": interrupted}


def serve():
    loaded = None
    for line in sys.stdin:
        question = json.loads(line)
        try:
            if "load" in question:
                loaded = Loaded(question["load"], question["size"], question["inputs"])
                answer = loaded.check()
            else:
                answer = loaded.measure(question["ms"])
        except Exception as error:  # bench/sweep adds the name of this process
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    torch.set_num_threads(int(sys.argv[1]))
    with torch.inference_mode():
        serve()
