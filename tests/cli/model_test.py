#!/usr/bin/env python3
"""vitro run, inspect, verify, bench, explain and profile on small exported models.   usage: model_test.py VITRO MODELS"""
import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET
import zipfile

VITRO, MODELS = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
IMAGES = MODELS.parent / "images"
ROOT = pathlib.Path(__file__).resolve().parents[2]


def safetensors(name):
    """The tensors of f32 and i64 of a file, as lists."""
    data = (MODELS / f"{name}.safetensors").read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    out = {}
    for key, entry in json.loads(data[8 : 8 + size]).items():
        begin, end = entry["data_offsets"]
        kind = {"F32": "f", "I64": "q"}.get(entry["dtype"])
        if kind:
            out[key] = entry["shape"], list(struct.unpack(f"<{(end - begin) // struct.calcsize(kind)}{kind}", data[8 + size :][begin:end]))
    return out


def write_npy(path, shape, values, descr, kind):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (53 - len(header) % 64 + 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{kind}", *values))


def read_npy(path):
    data = path.read_bytes()
    size = struct.unpack("<H", data[8:10])[0]
    header = eval(data[10 : 10 + size])  # of the program under test
    kind = {"<f4": "f", "<i8": "q"}[header["descr"]]
    values = data[10 + size :]
    return list(header["shape"]), list(struct.unpack(f"<{len(values) // struct.calcsize(kind)}{kind}", values))


def read_npz(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write_npz(path, members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def with_last_element(data, value):
    """The bytes of an array of f32 with another last element."""
    return data[:-4] + struct.pack("<f", value)


class Model(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def run_it(self, *words, **more):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("VITRO_")}
        clean["VITRO_CACHE_DIR"] = str(self.folder / "cache")
        clean.update(more)
        return subprocess.run([VITRO, *map(str, words)], capture_output=True, text=True, cwd=self.folder, env=clean)

    def test_run_gives_the_outputs_of_torch(self):
        sample = safetensors("dynamic")
        for call in range(3):
            write_npy(self.folder / "ids.npy", *sample[f"{call}.in.ids"], "<i8", "q")
            write_npy(self.folder / "x.npy", *sample[f"{call}.in.x"], "<f4", "f")
            for more in ((), ("--compile", "--repeat", 3)):
                with self.subTest(call=call, more=more):
                    done = self.run_it("run", MODELS / "dynamic.pt2", "--input", "ids=ids.npy", "--input", "x=x.npy", "-o", "out", *more)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    shape, values = read_npy(self.folder / "out" / "output_0.npy")
                    wanted_shape, wanted = sample[f"{call}.out.0"]
                    self.assertEqual(shape, wanted_shape)
                    for a, b in zip(values, wanted, strict=True):
                        self.assertAlmostEqual(a, b, delta=1e-5)
                    self.assertEqual(read_npy(self.folder / "out" / "output_2.npy"), sample[f"{call}.out.2"])

    def test_a_compiled_file_gives_the_outputs_of_torch_without_a_compiler(self):
        sample = safetensors("dynamic")
        done = self.run_it("compile", MODELS / "dynamic.pt2", "-o", "dynamic.vitro", "--isa", "avx2,avx512,baseline")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("dynamic.vitro: ", done.stdout)
        alone = {"VITRO_CACHE_DIR": str(self.folder / "empty"), "VITRO_CC_LIBRARY": "/nowhere.so"}
        for call in range(3):
            write_npy(self.folder / "ids.npy", *sample[f"{call}.in.ids"], "<i8", "q")
            write_npy(self.folder / "x.npy", *sample[f"{call}.in.x"], "<f4", "f")
            done = self.run_it("run", "dynamic.vitro", "--input", "ids=ids.npy", "--input", "x=x.npy", "-o", "out", "--explain", "--repeat", 3, **alone)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("plan and kernels from the cache", done.stdout)
            self.assertNotIn("runs op by op", done.stdout)
            shape, values = read_npy(self.folder / "out" / "output_0.npy")
            wanted_shape, wanted = sample[f"{call}.out.0"]
            self.assertEqual(shape, wanted_shape)
            for a, b in zip(values, wanted, strict=True):
                self.assertAlmostEqual(a, b, delta=1e-5)
        for words in (("bench", "--seconds", 0), ("inspect",)):
            done = self.run_it(*words, "dynamic.vitro", **alone)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(list((self.folder / "empty").glob("*.so")), [])

    def test_compile_may_leave_the_weights_in_the_package(self):
        (self.folder / "mlp.pt2").write_bytes((MODELS / "mlp.pt2").read_bytes())
        done = self.run_it("compile", "mlp.pt2", "-o", "mlp.vitro", "--weights", "reference")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.run_it("run", "mlp.vitro")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("f32[3, 2]", done.stdout)
        (self.folder / "mlp.pt2").unlink()
        done = self.run_it("run", "mlp.vitro")
        self.assertEqual(done.returncode, 2)
        self.assertIn("its weights are in another file", done.stderr)

    def test_compile_says_what_is_wrong(self):
        for words, part in (
            (("none.pt2", "-o", "a.vitro"), "none.pt2"),
            ((MODELS / "mlp.pt2", "-o", "a.vitro", "--isa", "neon"), "no instruction set neon"),
            ((MODELS / "mlp.pt2", "-o", "nowhere/a.vitro"), "nowhere"),
        ):
            with self.subTest(words=words):
                done = self.run_it("compile", *words)
                self.assertEqual(done.returncode, 2)
                self.assertIn(part, done.stderr)
                self.assertEqual(list(self.folder.glob("*.vitro")), [])

    def test_run_makes_up_inputs_that_nobody_gives(self):
        for words in ((), ("--input", "x=random:7"), ("--compile", "--explain")):
            done = self.run_it("run", MODELS / "mlp.pt2", *words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("f32[3, 2]", done.stdout)
        self.assertIn("graph", done.stdout)

    def test_run_takes_numbers(self):
        for words, size in ((), 3), (("--input", "k=5"), 5):
            done = self.run_it("run", MODELS / "numbers.pt2", *words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(f"f32[4, {size}]", done.stdout)
        done = self.run_it("run", MODELS / "numbers.pt2", "--input", "k=many")
        self.assertIn("needs a number, got many", done.stderr)

    def run_picture(self, *words):
        return self.run_it("run", MODELS / "picture.pt2", *words, "-o", "out")

    def test_run_takes_images(self):
        image = IMAGES / "rgb.png"
        done = self.run_picture("--input", f"image={image}", "--image-size", "8x11", "--image-mean", "0.5", "--image-std", "0.25")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        shape, values = read_npy(self.folder / "out" / "image.npy")
        self.assertEqual(shape, [1, 3, 8, 11])
        resized = read_npz(IMAGES / "expected.npz")["resize.bilinear.8x11.npy"][-8 * 11 * 3 :]
        for i, value in enumerate(values):
            channel, pixel = divmod(i, 8 * 11)
            self.assertAlmostEqual(value, (resized[3 * pixel + channel] / 255 - 0.5) / 0.25, delta=1e-6)
        # Several of one input, with a preset.
        done = self.run_picture("--input", f"image={image}", "--input", f"image={IMAGES / 'grey.jpg'}", "--image", "imagenet")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("f32[2, 3, 224, 224]", done.stdout)

    def test_run_names_the_likeliest_classes(self):
        image = ("--input", f"image={IMAGES / 'rgb.png'}")
        (self.folder / "labels.txt").write_text("cat\ndog\r\nbird\nfish\ncow\nhorse\n\n")
        for words in (("--top", 6, "--labels", "labels.txt"), ("--labels", "labels.txt"), ("--top", 2)):
            done = self.run_picture(*image, *words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            shape, values = read_npy(self.folder / "out" / "classes.npy")
            order = sorted(range(6), key=lambda i: -values[i])
            rows = [line.split() for line in done.stdout.splitlines() if line.endswith("%")]
            self.assertEqual([int(row[0]) for row in rows], order[: words[1] if words[0] == "--top" else 5])
            if "labels.txt" in words:
                self.assertEqual([row[1] for row in rows], [("cat", "dog", "bird", "fish", "cow", "horse")[i] for i in order][: len(rows)])
            total = sum(math.exp(value) for value in values)
            for row in rows:
                self.assertAlmostEqual(float(row[-1][:-1]), 100 * math.exp(values[int(row[0])]) / total, delta=0.01)
        (self.folder / "few.txt").write_text("cat\ndog\n")
        for labels, part in (("few.txt", "with the sizes [N, 2]"), ("none.txt", "none.txt: cannot be read")):
            done = self.run_picture(*image, "--labels", labels)
            self.assertEqual(done.returncode, 2)
            self.assertIn(part, done.stderr)

    def test_run_says_what_is_wrong(self):
        for words, part in (
            (("none.pt2",), "none.pt2"),
            ((MODELS / "mlp.pt2", "--input", "y=random:1"), "the model has no input y; its inputs are x"),
            ((MODELS / "mlp.pt2", "--input", "x"), "needs NAME=FILE.npy"),
            ((MODELS / "mlp.pt2", "--input", "x=none.npy"), "none.npy"),
            ((MODELS / "mlp.pt2", "--input", "x=random:a"), "needs random:SEED"),
            ((MODELS / "mlp.pt2", "--model", "other"), "other"),
            ((MODELS / "mlp.pt2", "--input", f"x={IMAGES / 'rgb.png'}"), "takes no image: needs the sizes [N, C, H, W]"),
            ((MODELS / "picture.pt2", "--input", f"image={IMAGES / 'none.png'}"), "none.png: there is no such file"),
            ((MODELS / "picture.pt2", "--input", "image=random", "--input", "image=random"), "is given 2 times, which only images may be"),
        ):
            with self.subTest(words):
                done = self.run_it("run", *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertTrue(done.stderr.startswith("vitro run: "), done.stderr)
                self.assertIn(part, done.stderr)

    def test_inspect_shows_what_a_model_is(self):
        done = self.run_it("inspect", MODELS / "dynamic.pt2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for part in ("ids: i64[", "in [1, 64]", "only for inputs with", "L['ids'].size()[0] == L['x'].size()[0]", "aten.embedding.default"):
            self.assertIn(part, done.stdout)

    def test_a_damaged_example_is_mentioned(self):
        data = bytearray((MODELS / "mlp.pt2").read_bytes())
        data[data.index(b"data.pkl", data.index(b"data/sample_inputs/model.pt"))] ^= 1
        (self.folder / "damaged.pt2").write_bytes(data)
        done = self.run_it("inspect", "damaged.pt2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("the export's example inputs cannot be read: damaged.pt2: the sample inputs: byte ", done.stdout)
        self.assertIn("has checksum", json.loads(self.run_it("inspect", "damaged.pt2", "--json").stdout)["example_problem"])
        done = self.run_it("run", "damaged.pt2")
        self.assertEqual(done.returncode, 0)
        self.assertIn("x random numbers (the export's example cannot be read)", done.stdout)
        self.assertNotIn("cannot be read", self.run_it("inspect", MODELS / "mlp.pt2").stdout)

    def test_inspect_as_json_is_complete(self):
        about = json.loads(self.run_it("inspect", MODELS / "mlp.pt2", "--json", "--flops").stdout)
        self.assertEqual([one["name"] for one in about["inputs"]], ["x"])
        self.assertEqual(about["inputs"][0]["sizes"], [3, 4])
        self.assertEqual(about["parameters"], 4 * 8 + 8 + 8 * 2 + 2)
        self.assertEqual(about["ops"]["aten.linear.default"], 2)
        self.assertEqual({one["name"]: one["kind"] for one in about["weights"]}["calls"], "buffer")
        # Two products of 3 rows; the rest is a few operations for each element.
        products = 2 * 3 * (4 * 8 + 8 * 2)
        self.assertGreaterEqual(about["flops"], products)
        self.assertLess(about["flops"], 2 * products)
        self.assertEqual(about["flops"], sum(one["flops"] for one in about["modules"]))

    def test_inspect_measures_memory(self):
        about = json.loads(self.run_it("inspect", MODELS / "picture.pt2", "--json", "--memory").stdout)
        image = 2 * 3 * 8 * 9 * 4
        # The copy of the image, and the small tensors of the classes.
        self.assertGreaterEqual(about["peak_tensor_bytes"], image)
        self.assertLess(about["peak_tensor_bytes"], 2 * image)
        self.assertEqual(about["peak_bytes"], about["peak_tensor_bytes"] + about["bytes"])
        self.assertIn("peak memory for inputs of the example's sizes", self.run_it("inspect", MODELS / "picture.pt2", "--memory").stdout)

    def test_inspect_draws_the_graph(self):
        done = self.run_it("inspect", MODELS / "mlp.pt2", "--graph", "mlp.svg")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        picture = ET.parse(self.folder / "mlp.svg").getroot()
        said = ["".join(one.itertext()) for one in picture.iter("{http://www.w3.org/2000/svg}text")]
        for part in ("x", "linear", "f32[3, 8]", "weight f32[8, 4]", "a", "b"):
            self.assertIn(part, said)
        flat = self.run_it("inspect", MODELS / "mlp.pt2", "--graph", "flat.svg", "--depth", "0")
        self.assertEqual(flat.returncode, 0)
        self.assertNotIn('class="frame"', (self.folder / "flat.svg").read_text())
        self.assertIn('class="frame"', (self.folder / "mlp.svg").read_text())
        self.assertEqual(self.run_it("inspect", MODELS / "mlp.pt2", "--graph", "no/folder.svg").returncode, 2)

    def test_the_model_is_not_overwritten(self):
        before = (MODELS / "tree.pt2").read_bytes()
        (self.folder / "own.pt2").write_bytes(before)
        for words in (("compile", "own.pt2", "-o", "own.pt2", "--weights", "reference"), ("inspect", "own.pt2", "--graph", "own.pt2")):
            done = self.run_it(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn("name another", done.stderr)
            self.assertEqual((self.folder / "own.pt2").read_bytes(), before)

    def npz(self, name, **arrays):
        with zipfile.ZipFile(self.folder / name, "w") as zip:
            for key, (sizes, values) in arrays.items():
                header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({''.join(f'{n}, ' for n in sizes)}), }}"
                header = header.ljust(117) + "\n"
                zip.writestr(key + ".npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}f", *values))
        return name

    def test_run_takes_arrays_by_name_or_path_and_says_what_it_makes_up(self):
        given = {"xs[0]": ((2, 4), [1.0] * 8), "d['a']": ((2, 3), [2.0] * 6)}
        done = self.run_it("run", MODELS / "tree.pt2", "--input", self.npz("some.npz", **given))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        made_up = next(line for line in done.stdout.splitlines() if line.startswith("inputs that were not given: "))
        self.assertIn("xs_1 ", made_up)
        self.assertNotIn("xs_0 ", made_up)
        self.assertNotIn("d_a ", made_up)
        done = self.run_it("run", MODELS / "tree.pt2", "--input", self.npz("none.npz", foo=((1,), [1.0])))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("no array in it is called as an input: the arrays are foo", done.stderr)
        done = self.run_it("run", MODELS / "tree.pt2", "--input", "xs_9=random:1")
        self.assertIn("did you mean xs_0?", done.stderr)

    def test_run_shows_and_writes_numbers(self):
        done = self.run_it("run", MODELS / "numbers.pt2", "--input", "k=3", "-o", "out")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("output_1.npy", done.stdout)
        self.assertTrue((self.folder / "out" / "output_1.npy").exists())
        self.assertEqual(self.run_it("run", MODELS / "mlp.pt2", "-o", "/proc/none").returncode, 2)
        self.assertEqual(self.run_it("run", MODELS / "mlp.pt2", "--repeat", 0).returncode, 2)

    def test_inspect_says_what_is_wrong(self):
        (self.folder / "x.pt2").write_bytes(b"no model")
        done = self.run_it("inspect", "x.pt2")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("x.pt2", done.stderr)

    def verify(self, name, *words):
        return self.run_it("verify", MODELS / f"{name}.pt2", *words)

    def test_verify_finds_no_difference_from_torch(self):
        for name in ("mlp", "dynamic", "dynamic_core", "tree", "control", "data", "shapes"):
            with self.subTest(name):
                done = self.verify(name, "--reference", MODELS / f"{name}.safetensors", "--atol", 1e-4)
                self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
                self.assertIn("eager with reference", done.stdout)
                self.assertIn("no difference", done.stdout)

    def test_verify_compares_eager_compiled_and_nodes(self):
        done = self.verify("dynamic", "--reference", MODELS / "dynamic.npz", "--compile")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        for part in ("compiled with reference", "compiled with eager", "eager with reference: 10 nodes, 0 differ", "20 comparisons, no difference"):
            self.assertIn(part, done.stdout)
        done = self.verify("control", "--compile")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertNotIn("reference", done.stdout)

    def test_verify_names_the_first_node_that_differs(self):
        arrays = read_npz(MODELS / "dynamic.npz")
        for name in ("node.add_1.npy", "node.sum_1.npy", "out.0.npy"):
            arrays[name] = with_last_element(arrays[name], 1e6)
        write_npz(self.folder / "wrong.npz", arrays)
        done = self.verify("dynamic", "--reference", "wrong.npz")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("eager with reference: 10 nodes, 2 differ", done.stdout)
        self.assertRegex(done.stdout, r"the first node that differs: sum_1 \(aten\.sum\.dim_IntList\) of \S*make_pt2_samples\.py:\d+, f32\[2, 1, 4\]: 1 of 8 elements differ, by 1e\+06")
        self.assertIn("1 of 48 differ", done.stdout)
        self.assertIn("3 of 13 comparisons differ", done.stdout)
        # A tolerance that takes it.
        self.assertEqual(self.verify("dynamic", "--reference", "wrong.npz", "--rtol", 2).returncode, 0)

    def test_verify_says_which_nodes_it_does_not_see(self):
        sample = safetensors("control")
        write_npy(self.folder / "x.npy", *sample["0.in.x"], "<f4", "f")
        write_npy(self.folder / "y.npy", [2, 3], [1e6] * 6, "<f4", "f")
        write_npz(self.folder / "wrong.npz", {"in.x.npy": (self.folder / "x.npy").read_bytes(), "node.getitem_4.npy": (self.folder / "y.npy").read_bytes()})
        done = self.verify("control", "--reference", "wrong.npz")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertRegex(done.stdout, r"getitem_4 \(higher_order\.cond\).*, of which the nodes inside are not compared")

    def test_verify_tells_other_dtypes_and_sizes(self):
        arrays = read_npz(MODELS / "dynamic.npz")
        arrays["out.0.npy"], arrays["out.1.npy"] = arrays["out.2.npy"], arrays["out.0.npy"]
        write_npz(self.folder / "wrong.npz", arrays)
        done = self.verify("dynamic", "--reference", "wrong.npz")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("is f32[2, 6, 4], wanted i64[4]", done.stdout)
        self.assertIn("is f32[2, 6], wanted f32[2, 6, 4]", done.stdout)

    def test_verify_compares_with_what_torch_computes_now(self):
        python = ROOT / ".venv/bin/python"
        if not python.exists():
            self.skipTest("no .venv with torch; bench/peers/setup makes one")
        for name in ("mlp", "numbers"):
            done = self.verify(name, "--reference", "torch", "--python", python)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            self.assertRegex(done.stdout, r"eager with reference: \d+ nodes?, 0 differ")
        self.assertRegex(done.stdout, r"output_1 +eager with reference +i64\[\]")  # a number

    def test_verify_says_which_python_is_wrong(self):
        for python, part in (("no_such_python", "cannot import numpy, torch"), ("false", "--python PATH")):
            done = self.verify("mlp", "--reference", "torch", "--python", python)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(part, done.stderr)

    def test_verify_takes_inputs_from_elsewhere(self):
        arrays = read_npz(MODELS / "dynamic.npz")
        write_npz(self.folder / "in.npz", {name[3:]: data for name, data in arrays.items() if name.startswith("in.")})
        write_npz(self.folder / "out.npz", {name: data for name, data in arrays.items() if name.startswith("out.")})
        for words, code in ((("--input", "in.npz"), 0), (("--input", "ids=in.npz:ids", "--input", "x=in.npz:x"), 0), (("--input", "in.npz", "--input", "x=random:3"), 1)):
            self.assertEqual(self.verify("dynamic", "--reference", "out.npz", *words).returncode, code, words)

    def test_verify_says_what_is_wrong(self):
        arrays = read_npz(MODELS / "dynamic.npz")
        write_npz(self.folder / "in.npz", {name: data for name, data in arrays.items() if name.startswith("in.")})
        write_npz(self.folder / "out.npz", {name: data for name, data in arrays.items() if name.startswith("out.")})
        for words, part in (
            ((), "needs --reference"),
            (("--reference", "none.npz"), "none.npz"),
            (("--reference", "in.npz"), "has no array for any of the model's outputs: output_0, output_1"),
            (("--reference", "out.npz"), "input ids: i64["),
        ):
            with self.subTest(words):
                done = self.verify("dynamic", *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertTrue(done.stderr.startswith("vitro verify: "), done.stderr)
                self.assertIn(part, done.stderr)

    def test_bench_measures_each_batch_and_number_of_threads(self):
        words = (MODELS / "dynamic.pt2", "--batch", "1,8", "--threads", "1,2", "--seconds", 0)
        done = self.run_it("bench", *words, "--json", "--svg", "bench.svg")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = json.loads(done.stdout)["rows"]
        self.assertEqual([(row["batch"], row["threads"], row["mode"]) for row in rows],
                         [(batch, threads, mode) for batch in (1, 8) for threads in (1, 2) for mode in ("eager", "compiled")])
        for row in rows:
            self.assertEqual(row["calls"], 10)
            self.assertGreater(row["first_call_ns"], 0)
            self.assertTrue(0 < row["p50_ns"] <= row["p90_ns"] <= row["p99_ns"], row)
            self.assertGreater(row["resident_bytes"], 1 << 20)
            self.assertAlmostEqual(row["per_second"] * row["mean_ns"], row["batch"] * 1e9, delta=1)
        picture = (self.folder / "bench.svg").read_text()
        self.assertTrue(picture.startswith("<svg") and "compiled, batch 8, 2 threads" in picture)
        table = self.run_it("bench", *words).stdout
        for part in ("Mode", "First call", "p50", "p90", "p99", "Per second", "Resident"):
            self.assertIn(part, table.splitlines()[1])

    def test_bench_takes_models_without_a_batch(self):
        done = self.run_it("bench", MODELS / "mlp.pt2", "--seconds", 0, "--json", "--input", "x=random:1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([row["batch"] for row in json.loads(done.stdout)["rows"]], [None, None])

    def test_bench_says_what_is_wrong(self):
        for words, part in (
            (("none.pt2",), "none.pt2"),
            ((MODELS / "mlp.pt2", "--batch", 2), "the first size of the model's first input is fixed"),
            ((MODELS / "dynamic.pt2", "--batch", 100), "the program was exported for 1 to 64"),
            ((MODELS / "dynamic.pt2", "--batch", 0), "needs sizes of at least 1, got 0"),
            ((MODELS / "dynamic.pt2", "--threads", 0), "threads"),
            ((MODELS / "dynamic.pt2", "--seconds", -1), "--seconds: needs 0 to 3600, got -1"),
            ((MODELS / "dynamic.pt2", "--seconds", 0, "--svg", "no/bench.svg"), "no/bench.svg"),
        ):
            with self.subTest(words):
                done = self.run_it("bench", *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertTrue(done.stderr.startswith("vitro bench: "), done.stderr)
                self.assertIn(part, done.stderr)

    def test_explain_shows_what_a_model_was_compiled_to(self):
        done = self.run_it("explain", MODELS / "dynamic.pt2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("model (vitro): 2 calls, 1 graph", done.stdout)
        for part in ("\ngraph model/0", "make_pt2_samples.py:", "\n  guards\n", "\n  kernels\n", "\n  fused, or not\n", "because", "\ncompile time\n"):
            self.assertIn(part, done.stdout)
        self.assertNotIn("\n  source\n", done.stdout)
        self.assertIn("\n  source\n", self.run_it("explain", MODELS / "dynamic.pt2", "--source").stdout)
        summary = self.run_it("explain", MODELS / "dynamic.pt2", "--summary", "--calls", 3, "--input", "x=random:1").stdout
        self.assertIn("3 calls", summary)
        self.assertNotIn("guards", summary)

    def test_explain_names_breaks(self):
        done = self.run_it("explain", MODELS / "data.pt2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\d+ graphs?, \d+ recorded ops?, \d+ breaks?")

    def test_explain_says_what_is_wrong(self):
        for words, part in (
            (("none.pt2",), "none.pt2"),
            (("./none",), "./none"),
            ((MODELS / "mlp.pt2", "--calls", 0), "--calls: needs at least 1, got 0"),
            ((MODELS / "mlp.pt2", "--input", "y=random:1"), "the model has no input y; its inputs are x"),
        ):
            with self.subTest(words):
                done = self.run_it("explain", *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertTrue(done.stderr.startswith("vitro explain: "), done.stderr)
                self.assertIn(part, done.stderr)

    def test_profile_lists_kernels_with_lines_and_modules(self):
        for more, rows in (
            ((), (r"\nlinear\S* \(matmul \[3, 4\] x \[4, 8\]\) +1 .*make_pt2_samples\.py:\d+", r"\nbetween kernels and ops +1 .* graph model/0")),
            (("--eager",), (r"\naten::linear +1 .*make_pt2_samples\.py:\d+ \S+", r"\naten::relu_ +1 .*make_pt2_samples\.py:\d+")),
        ):
            with self.subTest(more):
                done = self.run_it("profile", MODELS / "mlp.pt2", "--steps", 5, "-o", "t.json", *more)
                self.assertEqual((done.returncode, done.stderr), (0, "vitro profile: the trace is in t.json\n"))
                for row in rows:
                    self.assertRegex(done.stdout, row)
                self.assertIn("5 were recorded", done.stdout)
                events = json.loads((self.folder / "t.json").read_text())["traceEvents"]
                steps = {event["name"] for event in events if event["name"].startswith("ProfilerStep")}
                self.assertEqual(steps, {f"ProfilerStep#{i}" for i in range(5)})
                regions = [event for event in events if event["name"].startswith("Torch-Compiled Region") and event["ph"] == "X"]
                self.assertEqual(len(regions), 0 if more else 5)

    def test_profile_writes_the_files_of_its_other_options(self):
        done = self.run_it("profile", MODELS / "dynamic.pt2", "--table", "--flame-graph", "f.svg", "--memory-timeline", "m.html", "--row-limit", 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("more rows; --row-limit shows more", done.stdout)
        self.assertIn("Self CPU time total", done.stderr)
        for name in ("trace.json.gz", "f.svg", "m.html"):
            self.assertGreater((self.folder / name).stat().st_size, 100)

    def test_profile_says_what_is_wrong(self):
        for words, part in (
            (("none.pt2",), "none.pt2"),
            ((MODELS / "mlp.pt2", "--steps", 0), "--steps: needs at least 1, got 0"),
            ((MODELS / "mlp.pt2", "-o", "t.txt"), "a trace needs .json"),
            ((MODELS / "mlp.pt2", "-o", "no/t.json"), "no/t.json"),
            ((MODELS / "mlp.pt2", "--input", "y=random:1"), "the model has no input y; its inputs are x"),
        ):
            with self.subTest(words):
                done = self.run_it("profile", *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertTrue(done.stderr.startswith("vitro profile: "), done.stderr)
                self.assertIn(part, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
