#!/usr/bin/env python3
"""Writes unusual texts with the token ids of the reference tokenizer, one JSON object per line: {"hex": the bytes, "ids": [...]}.

usage: .venv/bin/python tools/make_tokenizer_samples.py [COUNT [SEED]] > tests/data/minilm/odd_texts.jsonl     needs tokenizers 0.23.3
Invalid UTF-8 is passed to the reference as U+FFFD."""
import json
import pathlib
import random
import sys

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

VOCABULARY = pathlib.Path(__file__).resolve().parents[1] / "tests" / "data" / "minilm" / "vocab.txt"
BLOCKS = [(0x20, 0x7E), (0, 0x1F), (0x7F, 0xFF), (0x100, 0x24F), (0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x52F), (0x530, 0x5FF), (0x600, 0x6FF),
          (0x900, 0x97F), (0x980, 0xDFF), (0xE00, 0xFFF), (0x1100, 0x11FF), (0x1C80, 0x1FFF), (0x2000, 0x206F), (0x20A0, 0x2BFF), (0x2E00, 0x30FF),
          (0x3400, 0x9FFF), (0xA000, 0xABFF), (0xAC00, 0xD7FF), (0xE000, 0xF8FF), (0xF900, 0xFFFF), (0x10000, 0x11FFF), (0x12000, 0x1FFFF),
          (0x1F300, 0x1FAFF), (0x20000, 0x2FFFF), (0x30000, 0xDFFFF), (0xE0000, 0xE0FFF), (0xF0000, 0x10FFFF)]
SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[mask]", "[MASK", "[[MASK]]", "##s", "[CLS][SEP]"]


def reference(tokens):
    ids = {token: i for i, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.WordPiece(ids, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", ids["[CLS]"]), ("[SEP]", ids["[SEP]"])])
    tokenizer.add_special_tokens(SPECIALS[:5])
    tokenizer.enable_truncation(256)
    return tokenizer


def code(r):
    first, last = r.choice(BLOCKS)
    c = r.randint(first, last)
    return chr(c) if not 0xD800 <= c < 0xE000 else "x"


def piece(r, tokens):
    kind = r.randrange(12)
    if kind < 3:
        return r.choice(tokens).removeprefix("##")
    if kind == 3:
        return r.choice(SPECIALS)
    if kind == 4:
        first, last = r.choice(BLOCKS)
        return "".join(chr(c) for c in (r.randint(first, last) for _ in range(r.randint(1, 8))) if not 0xD800 <= c < 0xE000)
    if kind == 5:
        return r.choice(tokens).removeprefix("##").upper() + r.choice(["\u0301", "\u0308\u0323", "\u1dfe", "\u0345", ""])
    if kind == 6:
        return r.choice(["a", "é", "水", "x\u0301"]) * r.choice([99, 100, 101, 120])
    return "".join(code(r) for _ in range(r.randint(1, 4)))


def text(r, tokens):
    parts = []
    for _ in range(r.choice([0, 1, 1, 2, 3, 5, 8, 8, 300] if r.random() < 0.03 else [0, 1, 2, 3, 5, 8])):
        parts.append(piece(r, tokens).encode())
        parts.append(r.choice([b" ", b" ", b"", b"\t", b"\r\n", "\u3000".encode(), b"\0"]))
        if r.random() < 0.04:
            parts.append(bytes(r.randrange(0x80, 0x100) for _ in range(r.randint(1, 3))))
    return b"".join(parts)


def main(count=200, seed=1):
    r = random.Random(int(seed))
    tokens = VOCABULARY.read_text(encoding="utf-8").split("\n")[:-1]
    tokenizer = reference(tokens)
    for _ in range(int(count)):
        data = text(r, tokens)
        print(json.dumps({"hex": data.hex(), "ids": tokenizer.encode(data.decode("utf-8", "replace")).ids}, separators=(",", ":")))


if __name__ == "__main__":
    main(*sys.argv[1:])
