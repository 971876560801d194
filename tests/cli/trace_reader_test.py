#!/usr/bin/env python3
"""Tests reading, finding and cutting with `vitro trace`, and its exit codes.

usage: trace_reader_test.py VITRO"""
import gzip
import json
import os
import pathlib
import pty
import resource
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest

VITRO = sys.argv.pop(1)
TRACES = pathlib.Path(__file__).resolve().parents[1] / "data" / "traces"
REAL = TRACES / "nccl_two_ranks.json.gz"


class TraceReader(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cache = self.folder / "cache"

    def vitro(self, *words, status=0, more_environment={}, **more):
        environment = os.environ | {"VITRO_CACHE_DIR": str(self.cache)} | more_environment
        done = subprocess.run([VITRO, "trace", *map(str, words)], capture_output=True, env=environment, timeout=120, **more)
        self.assertEqual(done.returncode, status, done.stderr.decode())
        self.said = done.stderr.decode()
        return done.stdout.decode()

    def kept(self):
        return list(self.cache.glob("traces/*"))

    def events(self):
        return json.loads(gzip.decompress(REAL.read_bytes()), strict=False)["traceEvents"]

    def nsys_export(self):
        """A kernel and a copy launched by calls of thread 9 of process 5, in an NVTX range."""
        path = self.folder / "report.sqlite"
        tid = 5 * 0x1000000 + 9
        base = sqlite3.connect(path)
        base.executescript(f"""
            CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
            CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT);
            CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
                correlationId INTEGER, demangledName INTEGER, shortName INTEGER);
            CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER,
                bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);
            CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);
            CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, textId INTEGER);
            INSERT INTO StringIds VALUES (1, 'void gemm<float>(float*)'), (2, 'gemm'), (3, 'cudaLaunchKernel_v7000'), (4, 'cudaMemcpyAsync_v3020');
            INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA A100');
            INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10000, 90000, 0, 1, 7, 31, 1, 2);
            INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (90500, 95500, 0, 7, 32, 4096, 2, 2, 0);
            INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (2000, 7000, {tid}, 31, 3), (8000, 96000, {tid}, 32, 4);
            INSERT INTO NVTX_EVENTS VALUES (1000, 97000, 59, 'step', {tid}, NULL);""")
        base.commit()
        base.close()
        return path

    def test_exports_of_nsight_systems_are_traces(self):
        export = self.nsys_export()
        rows = json.loads(self.vitro("kernels", export, "--json"))["kernels"]
        self.assertEqual([(r["name"], r["calls"], r["total_ns"]) for r in rows],
                         [("void gemm<float>(float*)", 1, 80000), ("Memcpy DtoH (Device -> Pageable)", 1, 5000)])
        calls = json.loads(self.vitro("launches", export, "--json"))["calls"]
        self.assertEqual({(c["name"], c["launches"], c["delay_median_ns"]) for c in calls},
                         {("cudaLaunchKernel", 1, 3000), ("cudaMemcpyAsync", 1, 0)})
        found = json.loads(self.vitro("find", export, "--json", "--args", "--name", "^step$|Memcpy"))["events"]
        self.assertEqual({(e["name"], e["pid"], e["tid"], e["args"].replace(" ", "")) for e in found},
                         {("step", "5", "9", "{}"), ("cudaMemcpyAsync", "5", "9", '{"correlation":32}'),
                          ("Memcpy DtoH (Device -> Pageable)", "0", "7", '{"correlation":32,"bytes":4096}')})
        self.assertIn("NVIDIA A100", self.vitro("doctor", export))
        self.assertEqual(self.kept(), [])
        sqlite3.connect(self.folder / "empty.sqlite").execute("CREATE TABLE t (x)")
        self.vitro("info", self.folder / "empty.sqlite", status=3)
        self.assertIn("nsys export --type sqlite", self.said)

    def rocprofiler_results(self):
        """A kernel, a copy and a fill of one process on the second of two GPUs, launched by two calls in a range."""
        def record(kind, operation, correlation, start, end, **more):
            return {"size": 80, "kind": kind, "operation": operation, "thread_id": 9, "correlation_id": {"internal": correlation, "external": 0},
                    "start_timestamp": start, "end_timestamp": end, **more}

        def agent(handle, kind, number, name):
            return {"id": {"handle": handle}, "type": kind, "logical_node_type_id": number, "name": name, "product_name": "AMD " + name,
                    "cu_count": 104, "gfx_target_version": 90402, "mem_banks": [{"size": 1}]}

        dispatch = {"agent_id": {"handle": 13}, "queue_id": {"handle": 2}, "kernel_id": 6, "dispatch_id": 1,
                    "workgroup_size": {"x": 256, "y": 1, "z": 1}, "grid_size": {"x": 1000, "y": 2, "z": 1}}
        tool = {
            "metadata": {"pid": 5, "command": ["a", "}]"]},
            "agents": [agent(11, 1, 0, "EPYC"), agent(12, 2, 0, "MI1"), agent(13, 2, 1, "MI2")],
            "strings": {"buffer_records": [{"kind": "NONE", "operations": []}, {"kind": "HIP_RUNTIME_API", "operations": ["hipInit", "hipLaunchKernel"]},
                                           {"kind": "MEMORY_COPY", "operations": ["MEMORY_COPY_NONE", "MEMORY_COPY_DEVICE_TO_HOST"]}],
                        "marker_api": [{"key": 1, "value": "step \"1\""}, {"key": 5, "value": ""}]},
            "kernel_symbols": [{"kernel_id": 6, "kernel_name": "_Z1kv.kd", "formatted_kernel_name": "k<\"a\\\\\">()"}],
            "buffer_records": {
                "kernel_dispatch": [record(11, 2, 2, 10_000, 90_000, dispatch_info=dispatch, stream_id={"handle": 7})],
                "hip_api": [record(1, 1, 2, 2_000, 7_000), record(1, 1, 3, 8_000, 96_000), record(1, 8, 4, 97_000, 98_000)],
                "marker_api": [record(0, 0, 1, 1_000, 99_000), record(0, 0, 5, 99_000, 99_000)],
                "memory_copy": [record(2, 1, 3, 90_500, 95_500, src_agent_id={"handle": 13}, dst_agent_id={"handle": 11}, bytes=4096,
                                       stream_id={"handle": 7})],
                "scratch_memory": [record(0, 0, 6, 1, 2)]}}
        path = self.folder / "5_results.json"
        path.write_text(json.dumps({"rocprofiler-sdk-tool": [tool]}))
        return path

    def test_results_of_rocprofiler_are_traces(self):
        results = self.rocprofiler_results()
        packed = results.with_suffix(".json.gz")
        packed.write_bytes(gzip.compress(results.read_bytes()))
        for file in (results, packed):
            rows = json.loads(self.vitro("kernels", file, "--json"))["kernels"]
            self.assertEqual([(r["name"], r["calls"], r["total_ns"]) for r in rows], [('k<"a\\\\">()', 1, 80000), ("Memcpy DtoH", 1, 5000)])
        calls = json.loads(self.vitro("launches", results, "--json"))["calls"]
        self.assertEqual({(c["name"], c["calls"], c["launches"]) for c in calls}, {("hipLaunchKernel", 2, 2), ("operation 8", 1, 0)})
        found = json.loads(self.vitro("find", results, "--json", "--args"))["events"]
        self.assertEqual({(e["name"], e["category"], e["pid"], e["tid"], e["ts_ns"], e["dur_ns"], "".join(e["args"].split())) for e in found}, {
            ('k<"a\\\\">()', "kernel", "1", "7", 10_000, 80000, '{"correlation":2,"grid":[4,2,1],"block":[256,1,1]}'),
            ("Memcpy DtoH", "gpu_memcpy", "1", "7", 90_500, 5000, '{"correlation":3,"bytes":4096}'),
            ("hipLaunchKernel", "cuda_runtime", "5", "9", 2000, 5000, '{"correlation":2}'),
            ("hipLaunchKernel", "cuda_runtime", "5", "9", 8000, 88000, '{"correlation":3}'),
            ("operation 8", "cuda_runtime", "5", "9", 97_000, 1000, '{"correlation":4}'),
            ('step "1"', "user_annotation", "5", "9", 1000, 98000, '{"correlation":1}')})
        self.assertIn("AMD MI2", self.vitro("doctor", results))
        self.assertEqual(self.kept(), [])

    def test_damaged_results_of_rocprofiler_are_errors(self):
        results = self.rocprofiler_results()
        whole = results.read_text()
        for cut in range(40, len(whole) - 1, 37):
            results.write_text(whole[:cut])
            self.vitro("info", results, status=3)
            self.assertRegex(self.said, "5_results.json: at byte [0-9]+: ", cut)
        results.write_text(whole.replace('"type": 2', '"type" 2', 1))
        self.vitro("info", results, status=3)
        self.assertIn("needs ':', has '2'", self.said)
        results.write_bytes(gzip.compress(whole.encode())[:-30])
        self.vitro("info", results, status=3)
        self.assertIn("5_results.json: at byte", self.said)
        results.write_text('{"rocprofiler-sdk-tool": [{"metadata": {}, "buffer_records": {}}]}')
        self.vitro("info", results, status=3)
        self.assertIn("has no kernels, copies, calls or ranges", self.said)

    def test_two_exports_are_compared(self):
        a, b = self.nsys_export(), self.rocprofiler_results()
        rows = json.loads(self.vitro("diff", a, b, "--json"))
        self.assertIn("void gemm<float>(float*)", json.dumps(rows))

    def test_damaged_exports_of_nsight_systems_are_errors(self):
        bytes_of_page = 4096
        export = self.nsys_export()
        whole = export.read_bytes()
        for page in range(1, len(whole) // bytes_of_page):
            export.write_bytes(whole[:page * bytes_of_page] + b"\xff" * bytes_of_page + whole[(page + 1) * bytes_of_page:])
            self.vitro("info", export, status=3)
            self.assertIn("report.sqlite: database disk image is malformed", self.said, page)

    def test_sql_counts_what_json_counts(self):
        rows = json.loads(self.vitro("find", REAL, "--json", "--sql",
                                     "SELECT category, count(*) AS n, sum(dur) AS ns FROM events WHERE phase = 'X' GROUP BY category"))["rows"]
        wanted = {}
        for event in self.events():
            if event["ph"] == "X":
                count, ns = wanted.get(event["cat"], (0, 0))
                wanted[event["cat"]] = (count + 1, ns + round(event["dur"] * 1000))
        self.assertEqual({row["category"]: (row["n"], row["ns"]) for row in rows}, wanted)
        row = json.loads(self.vitro("find", REAL, "--json", "--sql", "SELECT id, name FROM events WHERE id = 1000"))["rows"]
        self.assertEqual(row, [{"id": 1000, "name": self.events()[1000]["name"]}])

    def test_events_are_found_by_number_with_their_arguments(self):
        rows = json.loads(self.vitro("find", REAL, "--json", "--args", "--id", "1000,2000"))["events"]
        self.assertEqual([row["id"] for row in rows], [1000, 2000])
        for row in rows:
            self.assertEqual(json.loads(row["args"]), self.events()[row["id"]]["args"])

    def test_a_part_is_a_trace_that_python_and_vitro_read(self):
        out = self.folder / "part.json.gz"
        self.assertIn("events", self.vitro("cut", REAL, "-o", out, "--from", "100ms", "--to", "300ms"))
        part = json.loads(gzip.decompress(out.read_bytes()))
        self.assertGreater(len(part["traceEvents"]), 10)
        self.assertLess(len(part["traceEvents"]), len(self.events()) / 2)
        self.assertIn("deviceProperties", part)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["cache", "part.json.gz"])
        self.vitro("info", out)

    def test_standard_input_is_read_packed_or_not(self):
        for data in (REAL.read_bytes(), gzip.decompress(REAL.read_bytes())):
            self.assertIn(str(len(self.events())), self.vitro("info", "-", input=data))
        self.assertEqual(self.kept(), [])

    def test_a_broken_packed_trace_gives_the_same_whatever_memory_held(self):
        broken = TRACES.parent / "reader_corpus" / "found_incomplete_code.pftrace"
        answers = {self.vitro("info", broken, "--json", "--no-cache", more_environment={"MALLOC_PERTURB_": str(byte)})
                   for byte in (0, 85, 170)}
        self.assertEqual(len(answers), 1)

    def test_without_the_cache_nothing_of_the_file_is_left(self):
        self.vitro("info", REAL)
        self.assertEqual(len(self.kept()), 1)
        self.vitro("info", REAL, "--no-cache")
        self.assertEqual(self.kept(), [])
        self.vitro("info", REAL, "--no-cache")
        self.assertEqual(self.kept(), [])

    def test_a_question_is_answered_without_room_for_the_cache(self):
        def no_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (8192, resource.RLIM_INFINITY))

        for question in ("doctor", "kernels", "critical-path"):
            want = self.vitro(question, REAL, "--json", "--no-cache")
            self.assertEqual(self.vitro(question, REAL, "--json", preexec_fn=no_room), want)
            self.assertRegex(self.said, "^vitro: .*: not cached for the next question: .*: File too large\n$")
            self.assertEqual(self.kept(), [])
            self.assertEqual(self.vitro(question, REAL, "--json", "--no-cache", preexec_fn=no_room), want)
            self.assertEqual(self.said, "")

    def test_exit_codes_distinguish_findings_usage_and_unreadable_files(self):
        bad = self.folder / "bad.json"
        bad.write_text("no trace")
        self.vitro("gaps", REAL, "--fail-on", "1", status=1)
        self.vitro("gaps", REAL, "--fail-on", "101")
        for words in (["find"], ["find", REAL, "--min-dur", "long"], ["find", REAL, "--sql", "SELECT"], ["cut", REAL], ["nothing", REAL],
                      ["cut", REAL, "-o", self.folder / "x.json", "--step", "99"], ["cut", "-", "-o", self.folder / "x.json"]):
            self.vitro(*words, status=2, stdin=subprocess.DEVNULL)
        for words in (["find", REAL, "--name", "["], ["ops", REAL, "--by", "colour"], ["report", REAL, "-o", self.folder / "no" / "x.html"],
                      ["cut", REAL, "-o", "/dev/full"], ["flame", REAL, "--svg", self.folder / "no" / "x.svg"]):
            self.vitro(*words, status=2)
        for words in (["info", bad], ["info", self.folder / "none.json"], ["find", bad], ["cut", bad, "-o", self.folder / "x.json"]):
            self.vitro(*words, status=3)
        self.assertFalse((self.folder / "x.json").exists())

    def test_wrong_words_are_named_with_what_was_meant(self):
        for words, said in ((["doctr", "x"], "vitro trace: has no command 'doctr'; did you mean doctor?"),
                            (["frobnicate"], "vitro trace: has no command 'frobnicate'; it has info, "),
                            ([], "vitro trace: needs a command: info, "),
                            (["doctor"], "vitro trace doctor: needs a file: trace: .json, "),
                            (["ops", REAL, "--rows", "-1"], "needs an integer of at least 0, got '-1'"),
                            (["cut", REAL, "-o", self.folder / "x.json", "--from", "5ms", "--to", "2ms"], "cut: --from 5ms is not before --to 2ms"),
                            (["doctor", REAL, "--table", "steps"], "doctor: there is no table steps for this file; it has findings")):
            self.assertEqual(self.vitro(*words, status=2), "")
            self.assertIn(said, self.said)

    def test_a_question_that_a_file_cannot_answer_says_what_it_needs(self):
        for question, needed in (("kernels", "device events: record with the device's activity"), ("memory", "memory events: record with profile_memory=True"),
                                 ("compile", "calls of compiled code")):
            text = self.vitro(question, TRACES / "cpu_only.json.gz")
            self.assertIn("The file contains nothing to answer this. It needs " + needed, text)
        self.assertIn("the file does not give a shape: record with record_shapes=True", self.vitro("ops", REAL, "--by", "shape"))

    def test_files_of_neither_devices_nor_times_are_refused_with_what_both_need(self):
        other = self.folder / "other.json"
        for text, why in (('{"a": "b"}', 'has no member "traceEvents"'), ("hello", "needs '{' or '['")):
            other.write_text(text)
            self.vitro("merge", REAL, other, "-o", self.folder / "out.json", status=3)
            for part in ("is neither a trace of devices nor a file of kernel times", why, "members have `kernel_time`"):
                self.assertIn(part, self.said)
        self.vitro("merge", REAL, self.folder / "none.json", "-o", self.folder / "out.json", status=3)
        self.assertIn("none.json: cannot be opened: No such file or directory", self.said)
        self.assertFalse((self.folder / "out.json").exists())

    def test_files_of_one_rank_are_reported(self):
        self.vitro("ranks", REAL, TRACES / "sampled_rank_0.json.gz", TRACES / "sampled_rank_1.json.gz")
        self.assertIn("2 files are of rank 0", self.said)
        self.vitro("ranks", TRACES / "sampled_rank_0.json.gz", TRACES / "sampled_rank_1.json.gz")
        self.assertEqual(self.said, "")

    def test_unwritable_output_is_a_failure(self):
        environment = os.environ | {"VITRO_CACHE_DIR": str(self.cache)}
        with open("/dev/full", "w") as full:
            done = subprocess.run([VITRO, "trace", "info", REAL], stdout=full, stderr=subprocess.PIPE, env=environment)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"cannot write to standard output", done.stderr)
        (self.folder / "file").write_text("")
        environment = os.environ | {"VITRO_CACHE_DIR": str(self.folder / "file" / "x"), "TMPDIR": str(self.folder / "file")}
        done = subprocess.run([VITRO, "trace", "info", REAL], capture_output=True, env=environment)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(b"no writable folder", done.stderr)

    def test_answers_do_not_depend_on_how_much_may_be_resident(self):
        for question in ("summary", "ops", "kernels", "check"):
            bounded = self.vitro(question, REAL, "--json", more_environment={"VITRO_TRACE_RESIDENT_MB": "1"})
            self.assertEqual(bounded, self.vitro(question, REAL, "--json"))

    def test_anything_that_takes_over_a_second_shows_progress(self):
        path = self.folder / "pipe"
        os.mkfifo(path)
        half = b'{"ph":"i","name":"a","ts":1},' * 60_000

        def write():
            with open(path, "wb") as pipe:
                pipe.write(b"[" + half)
                pipe.flush()
                time.sleep(1.3)
                pipe.write(half)

        ours, theirs = pty.openpty()
        writer = threading.Thread(target=write, daemon=True)  # the reader may fail before it opens the pipe
        writer.start()
        subprocess.run([VITRO, "trace", "info", path], stdout=subprocess.DEVNULL, stderr=theirs, check=True, timeout=60)
        writer.join()
        os.close(theirs)
        self.assertIn(b"reading", os.read(ours, 1 << 16))


if __name__ == "__main__":
    unittest.main()
