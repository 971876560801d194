#!/usr/bin/env python3
"""Writes tests/data/minilm/expected.json: texts with their token ids and their embeddings by MiniLM-L6, computed in float64.

usage: .venv/bin/python tools/make_minilm_samples.py FOLDER > tests/data/minilm/expected.json     needs safetensors and tokenizers 0.23.3
FOLDER: what tools/fetch_minilm printed.  The equations are BERT's (Devlin et al. 2018), the embedding is that of Sentence-BERT
(Reimers, Gurevych 2019): the mean over tokens, scaled to unit length."""
import json
import pathlib
import sys

import torch
from make_tokenizer_samples import reference
from safetensors.torch import load_file

TEXTS = ["The quick brown fox jumps over the lazy dog.", "A compiler turns a program into machine code.",
         "Compilers translate source text to instructions the processor runs.", "How do I bake bread without yeast?",
         "GPU kernels are launched asynchronously; the host only waits when it needs a value.", "naïve café — déjà vu",
         "Łódź 東京 Москва 🙂 <unk> [MASK]", "x", "", "   spaces\tand\nnew lines   ",
         "Don't split can't or 3.14159 wrongly: email@example.com, C++20!", " ".join(["token"] * 400)]
HEADS, LAYERS = 12, 6


def embedding(weights, ids):
    def linear(x, name):
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def normed(x, name):
        off = x - x.mean(-1, keepdim=True)
        return off / torch.sqrt((off * off).mean(-1, keepdim=True) + 1e-12) * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    words, places, kinds = (weights[f"embeddings.{of}_embeddings.weight"] for of in ("word", "position", "token_type"))
    x = normed(words[ids] + places[:len(ids)] + kinds[0], "embeddings.LayerNorm")
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}"
        q, k, v = (linear(x, f"{at}.attention.self.{of}").view(len(ids), HEADS, -1).transpose(0, 1) for of in ("query", "key", "value"))
        scores = torch.softmax(q @ k.transpose(1, 2) / q.shape[-1]**0.5, -1)
        x = normed(x + linear((scores @ v).transpose(0, 1).flatten(1), f"{at}.attention.output.dense"), f"{at}.attention.output.LayerNorm")
        inner = linear(x, f"{at}.intermediate.dense")
        inner = inner / 2 * (1 + torch.erf(inner / 2**0.5))
        x = normed(x + linear(inner, f"{at}.output.dense"), f"{at}.output.LayerNorm")
    mean = x.mean(0)
    return [round(value, 8) for value in (mean / torch.sqrt((mean * mean).sum())).tolist()]


def main(folder):
    folder = pathlib.Path(folder)
    weights = {name: tensor.double() for name, tensor in load_file(folder / "model.safetensors").items()}
    tokenizer = reference((folder / "vocab.txt").read_text(encoding="utf-8").split("\n")[:-1])
    samples = []
    for text in TEXTS:
        ids = tokenizer.encode(text).ids
        samples.append({"text": text, "input_ids": ids, "embedding": embedding(weights, ids)})
    print(json.dumps(samples, indent=0, ensure_ascii=False), end="")


main(*sys.argv[1:])
