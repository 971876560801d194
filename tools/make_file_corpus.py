#!/usr/bin/env python3
"""Writes tests/data/file_corpus/: small archives, arrays and pickles, whole and hostile, for the fuzzer of files, and program_corpus/ for that
of programs.  What the fuzzers found (found_...) stays.

usage: tools/make_file_corpus.py"""
import json
import pathlib
import pickle
import struct
import zlib

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "tests" / "data" / "file_corpus"


def entry(name, content, **change):
    """One entry of an archive: its fields in the local header and in the directory, which may disagree."""
    fields = dict(name=name.encode(), content=content, method=0, flags=0, crc=zlib.crc32(content), packed=len(content), size=len(content), extra=b"",
                  listed_extra=b"", own_name=name.encode(), own_size=len(content))
    return fields | change


def archive(entries, begin_of=lambda i, begins: begins[i], count=None, comment=b"", wide=False):
    out, begins = b"", []
    for e in entries:
        begins.append(len(out))
        out += struct.pack("<IHHHIIIIHH", 0x04034B50, 20, e["flags"], e["method"], 0x210000, e["crc"], e["packed"], e["own_size"],
                           len(e["own_name"]), len(e["extra"])) + e["own_name"] + e["extra"] + e["content"]
    start = len(out)
    for i, e in enumerate(entries):
        out += struct.pack("<IHHHHIIIIHHHHHII", 0x02014B50, 20, 20, e["flags"], e["method"], 0x210000, e["crc"], e["packed"], e["size"],
                           len(e["name"]), len(e["listed_extra"]), 0, 0, 0, 0, begin_of(i, begins)) + e["name"] + e["listed_extra"]
    count = len(entries) if count is None else count
    size = len(out) - start
    if wide:
        end = len(out)
        out += struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, count, size, start)
        out += struct.pack("<IIQI", 0x07064B50, 0, end, 1)
        count, size, start = 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF
    return out + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, min(count, 0xFFFF), min(count, 0xFFFF), size, start, len(comment)) + comment


def meta(dtype=7, sizes=(2,), strides=(1,), offset=0):
    number = lambda n: {"as_int": n}
    return {"dtype": dtype, "sizes": [number(n) for n in sizes], "requires_grad": False, "device": {"type": "cpu", "index": None},
            "strides": [number(n) for n in strides], "storage_offset": number(offset), "layout": 7}


def config(**metas):
    return json.dumps({"config": {name: {"path_name": "weight_0", "is_param": True, "use_pickle": False, "tensor_meta": m} for name, m in metas.items()}},
                      separators=(",", ":")).encode()


def package(listed, **change):
    parts = [("data/weights/weight_0", bytes(range(16))), ("data/weights/model_weights_config.json", listed), ("models/model.json", b"{}"),
             ("archive_format", b"pt2"), ("archive_version", b"0"), ("byteorder", b"little")]
    return archive([entry("m/" + name, content) for name, content in parts], **change)


def npy(header, data=b""):
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def deflated(content, **change):
    packed = zlib.compress(content, 9)[2:-4]
    return entry("a.npy", packed, **(dict(method=8, crc=zlib.crc32(content), size=len(content), own_size=len(content)) | change))


def storage(cls="FloatStorage", key="0"):
    text = lambda t: b"X" + struct.pack("<I", len(t)) + t.encode()
    return b"(" + text("storage") + b"ctorch\n" + cls.encode() + b"\n" + text(key) + text("cpu") + b"K\x08tQ"


def rebuilt(rest, function="_rebuild_tensor_v2", before=storage()):
    return b"ctorch._utils\n" + function.encode() + b"\n(" + before + rest + b"tR"


def program(target="aten.add.Tensor", second=None, output="y", sizes=({"as_expr": {"expr_str": "s0", "hint": {"as_int": 3}}}, {"as_int": 4}),
            guards=()):
    """y = x + w, with x: f32[s0, 4]."""
    tensor, number = lambda name: {"as_tensor": {"name": name}}, lambda n: {"as_int": n}
    leaf, tree = {"type": None, "context": None, "children_spec": []}, lambda kind, *children, context="null": {
        "type": "builtins." + kind, "context": context, "children_spec": list(children)}
    inputs = [{"name": name, "arg": arg, "kind": 1} for name, arg in (("self", tensor("x")), second or ("other", tensor("w")))]
    graph = {"inputs": [tensor("w"), tensor("x")], "outputs": [tensor(output)],
             "nodes": [{"target": "torch.ops." + target, "inputs": inputs, "outputs": [tensor("y")], "metadata": {}}],
             "tensor_values": {"x": {"dtype": 7, "sizes": list(sizes)}, "y": {"dtype": 7, "sizes": list(sizes)}, "w": {"dtype": 7, "sizes": [number(4)]}},
             "sym_int_values": {}, "is_single_tensor_return": False}
    signature = {"input_specs": [{"parameter": {"arg": {"name": "w"}, "parameter_name": "w"}}, {"user_input": {"arg": tensor("x")}}],
                 "output_specs": [{"user_output": {"arg": tensor(output)}}]}
    arguments = json.dumps([1, tree("tuple", tree("tuple", leaf), tree("dict", context="[]"))])
    call = {"fqn": "", "signature": {"in_spec": arguments, "out_spec": json.dumps([1, leaf]), "forward_arg_names": ["x"]}}
    return json.dumps({"graph_module": {"graph": graph, "signature": signature, "module_call_graph": [call]},
                       "range_constraints": {"s0": {"min_val": 2, "max_val": 64}}, "schema_version": {"major": 8, "minor": 20},
                       "verifiers": ["TRAINING"], "torch_version": "2.13.0", "guards_code": list(guards)}, separators=(",", ":")).encode()


PROGRAMS = {
    "add": program(),
    "no_such_op": program("aten.no_such_op.default"),
    "self_reference": program(second=("other", {"as_tensor": {"name": "y"}})),
    "unknown_output": program(output="z"),
    "huge_view": program("aten.view.default", second=("size", {"as_ints": [2**62, 4]})),
    "negative_size": program("aten.view.default", second=("size", {"as_ints": [-2**63, -1]})),
    "huge_input": program(sizes=({"as_int": 2**62}, {"as_int": 2**62})),
    "divides_by_zero": program(guards=["L['x'].size()[0] % 0 == 1"]),
    "deep_guard": program(guards=["(" * 1000 + "1" + ")" * 1000]),
    "wrong_kind": program(second=("other", {"as_graph": {"name": "g", "graph": {}}})),
}


class Attack:
    def __reduce__(self):
        return (print, ("executed",))


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    hello = entry("a.npy", npy("{'descr':'<f4','fortran_order':True,'shape':(1,2)}", bytes(8)))
    files = {
        "package": package(config(w=meta())),
        "package_wide": package(config(w=meta(sizes=(2, 2), strides=(1, 2))), wide=True),
        "package_views": package(config(a=meta(sizes=(), strides=()), b=meta(dtype=12, sizes=(1,)), c=meta(dtype=11, sizes=(1,), strides=(2**56,)),
                                        d=meta(sizes=(2**56, 2**56), strides=(0, 0)), e=meta(offset=3), f=meta(sizes=(0, 2**40), strides=(1, 1)),
                                        g=meta(dtype=28), h=meta(offset=-1), i=meta(sizes=(2**62,)), j=meta(dtype=10, sizes=(2,)))),
        "zip_overlap": archive([hello, entry("b.npy", b"")], begin_of=lambda i, begins: 0),
        "zip_outside": archive([hello], begin_of=lambda i, begins: 0xFFFFFFFE),
        "zip_twice": archive([hello, hello]),
        "zip_parent": archive([entry("../a.npy", b"")]),
        "zip_other_name": archive([entry("a.npy", b"x", own_name=b"b.npy")]),
        "zip_other_size": archive([entry("a.npy", b"x", own_size=2)]),
        "zip_long_extra": archive([entry("a.npy", b"x", extra=b"\x46\x42\xff\xff")]),
        "zip_missing_64": archive([entry("a.npy", b"", packed=0xFFFFFFFF, size=0xFFFFFFFF)]),
        "zip_bomb": archive([deflated(bytes(100_000))]),
        "zip_bomb_claims": archive([deflated(bytes(1000), size=0xFFFFFFF0, own_size=0xFFFFFFF0)]),
        "zip_deflated": archive([deflated(npy("{'descr':'>i2','fortran_order':False,'shape':(2,)}", b"\0\1\0\2"))]),
        "zip_count": archive([hello], count=60000),
        "zip_comment": archive([hello], comment=b"PK\x05\x06" + bytes(20)),
        "zip_follow": archive([entry("a.npy", b"x", flags=8, own_size=1)]),
        "zip_nothing": archive([]),
        "npy_plain": npy("{'descr':'<i8','fortran_order':False,'shape':(2,)}", bytes(16)),
        "npy_huge": npy("{'descr':'<c16','fortran_order':False,'shape':(4294967296,4294967296)}"),
        "npy_bools": npy("{'descr':'|b1','fortran_order':False,'shape':(3,)}", b"\0\1\2"),
        "pickle_tensor": b"\x80\x02}q\x00X\x01\x00\x00\x00wq\x01" + rebuilt(b"K\0K\x02\x85K\x01\x85\x89}") + b"s.",
        "pickle_typed": b"\x80\x02}X\x01\x00\x00\x00w" + rebuilt(b"K\0K\x02\x85K\x01\x85\x89}ctorch\nint16\n}", "_rebuild_tensor_v3",
                                                                    storage("UntypedStorage")) + b"s.",
        "pickle_parameter": b"\x80\x02}X\x01\x00\x00\x00wctorch._utils\n_rebuild_parameter\n" + rebuilt(b"K\x01K\x02\x85K\x00\x85\x89}") + b"\x88}\x87Rs.",
        "pickle_outside": b"\x80\x02}X\x01\x00\x00\x00w" + rebuilt(b"J\xff\xff\xff\x7fK\x02\x85K\x01\x85\x89}") + b"s.",
        "pickle_attack": pickle.dumps(Attack(), 2),
        "pickle_itself": b"]q\x00h\x00a.",
        "list_plain": config(w=meta()),
        "list_empty": config(w=meta(sizes=(0, 3), strides=(3, 1))) .replace(b"weight_0", b"weight_1"),
        "list_deep": b'{"config":' + b"[" * 200 + b"]" * 200 + b"}",
    }
    for name, content in files.items():
        (FOLDER / name).write_bytes(content)
    programs = FOLDER.with_name("program_corpus")
    programs.mkdir(exist_ok=True)
    for name, content in PROGRAMS.items():
        (programs / name).write_bytes(content)


main()
