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

    "max_pool_2": lambda x: F.max_pool2d(x, 2),
    "max_pool_3": lambda x: F.max_pool2d(x, 3, 2, 1),
    "avg_pool_2": lambda x: F.avg_pool2d(x, 2),
    "avg_pool_3": lambda x: F.avg_pool2d(x, 3, 1, 1),
    "avg_pool_8": lambda x: F.avg_pool2d(x, 8),
    "adaptive_avg_7": lambda x: F.adaptive_avg_pool2d(x, 7),
    "adaptive_avg_1": lambda x: F.adaptive_avg_pool2d(x, 1),

    "pad_zeros": lambda x: F.pad(x, (1, 1, 1, 1)),
    "pad_zeros_u8": lambda x: F.pad(x, (1, 1, 1, 1)),
    "pad_mirrored": lambda x: F.pad(x, (3, 3, 3, 3), "reflect"),
    "pad_repeated": lambda x: F.pad(x, (3, 3, 3, 3), "replicate"),
    "flip_columns": lambda x: x.flip(1),
    "flip_rows": lambda x: x.flip(0),
    "roll": lambda x: x.roll((3, 5), (0, 1)),

    "nearest": lambda x: F.interpolate(x, scale_factor=2, mode="nearest"),
    "bilinear": lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
    "bilinear_f64": lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
    "bicubic": lambda x: F.interpolate(x, scale_factor=2, mode="bicubic"),
    "pixel_shuffle": lambda x: F.pixel_shuffle(x, 2),
    "grid_sample": lambda x, g: F.grid_sample(x, g, align_corners=False),

    "batch_norm": lambda x, w, b, m, v: F.batch_norm(x, m, v, w, b),
    "batch_norm_train": lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True),
    "group_norm": lambda x, w, b: F.group_norm(x, 4, w, b),
    "add_channels": lambda x, y: x + y,
    "depthwise": lambda x, w: F.conv2d(x, w, padding=1, groups=16),

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

    "cumsum_rows": lambda x: x.cumsum(1),
    "cumsum_columns": lambda x: x.cumsum(0),
    "cumprod_rows": lambda x: x.cumprod(1),
    "cummax_rows": lambda x: x.cummax(1)[0],
    "logcumsumexp_rows": lambda x: x.logcumsumexp(1),

    "prod_rows": lambda x: x.prod(1),
    "std_columns": lambda x: x.std(0),
    "norm_rows": lambda x: torch.linalg.vector_norm(x, 2, 1),
    "logsumexp_rows": lambda x: x.logsumexp(1),
    "max_rows": lambda x: x.max(1)[0],
    "amax": lambda x: x.amax(),
    "all": lambda x: x.all(),
    "sum_i64": lambda x: x.sum(1),
    "sum_bool": lambda x: x.sum(),
    "mean_bf16": lambda x: x.mean(1),
    "median": lambda x: x.median(),
    "topk_f64": lambda x: x.topk(10, 1)[0],
    "topk_columns_of_t": lambda x: x.t().topk(10, 0)[0],
    "argsort_rows": lambda x: x.argsort(dim=1, stable=True),
    "kthvalue_rows": lambda x: x.kthvalue(3, 1)[0],

    "scatter_add_rows": lambda x, i, y: x.scatter_add(1, i, y),
    "scatter_add_columns": lambda x, i, y: x.scatter_add(0, i, y),
    "scatter_amax": lambda x, i, y: x.scatter_reduce(0, i, y, "amax"),
    "scatter_rows": lambda x, i, y: x.scatter(1, i, y),
    "index_add": lambda x, i, y: x.index_add(0, i, y),
    "index_put": lambda x, i, y: x.index_put((i,), y),
    "index_rows": lambda x, i: x[i],
    "index_pairs": lambda x, i, j: x[i, j],
    "masked_select": lambda x, m: x.masked_select(m),
    "nonzero": lambda x: x.nonzero(),
    "tril": lambda x: x.tril(-1),
    "one_hot": lambda i: F.one_hot(i, len(i)),
    "repeat": lambda x: x.repeat(2, 2),
    "repeat_interleave": lambda x: x.repeat_interleave(2, 1),

    "cross_entropy": lambda x, i: F.cross_entropy(x, i),
    "mse_loss": lambda x, y: F.mse_loss(x, y),
    "smooth_l1_loss": lambda x, y: F.smooth_l1_loss(x, y),
    "bce_logits": lambda x, y: F.binary_cross_entropy_with_logits(x, y),

    "rsqrt": lambda x: x.rsqrt(),
    "reciprocal": lambda x: x.reciprocal(),
    "square": lambda x: x.square(),
    "pow_half": lambda x: x.pow(1.7),
    "pow_tensor": lambda x, y: x.pow(y),
    "floor": lambda x: x.floor(),
    "sign": lambda x: x.sign(),
    "isnan": lambda x: x.isnan(),
    "hardswish": lambda x: F.hardswish(x),
    "leaky_relu": lambda x: F.leaky_relu(x, 0.1),
    "elu": lambda x: F.elu(x),
    "softplus": lambda x: F.softplus(x),
    "mish": lambda x: F.mish(x),
    "prelu": lambda x, w: F.prelu(x, w),
    "lerp": lambda x, y, z: x.lerp(y, z),
    "addcmul": lambda x, y, z: x.addcmul(y, z, value=0.5),
    "remainder": lambda x, y: x.remainder(y),
    "floor_divide": lambda x, y: x // (y + 1),
    "bitwise_and": lambda x, y: x & y,
    "equal_i64": lambda x, y: x == y,
    "atan2": lambda x, y: x.atan2(y),
    "cos_f64": lambda x: x.cos(),
    "exp_f64": lambda x: x.exp(),
    "tanh_bf16": lambda x: x.tanh(),
    "mul_u8": lambda x, y: x * y,
    "u8_to_f32": lambda x: x.to(torch.float32),
    "f32_to_u8": lambda x: x.to(torch.uint8),
    "i64_to_f32": lambda x: x.to(torch.float32),
    "full_like": lambda x: torch.full_like(x, 3),
    "arange": lambda x: torch.arange(0, len(x)),

    "complex_add": lambda x: torch.view_as_real(torch.view_as_complex(x) + torch.view_as_complex(x)),
    "complex_mul": lambda x: torch.view_as_real(torch.view_as_complex(x) * torch.view_as_complex(x)),
    "complex_abs": lambda x: torch.view_as_complex(x).abs(),
    "complex_exp": lambda x: torch.view_as_real(torch.view_as_complex(x).exp()),
    "complex_div": lambda x: torch.view_as_real(torch.view_as_complex(x) / torch.view_as_complex(x)),
    "polar": lambda x, y: torch.view_as_real(torch.polar(x, y)),

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
    if kind == "u8":
        return ((i * 7919 + which) % 256).to(torch.uint8).reshape(sizes)
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
