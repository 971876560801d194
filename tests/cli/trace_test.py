#!/usr/bin/env python3
"""Runs vitro trace on real and broken traces.   usage: trace_test.py VITRO TRACES"""
import base64
import csv
import gzip
import io
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

VITRO, TRACES = sys.argv[1:3]


def step(kernels, gap_us):
    """The given number of launches of kernels of 10 us, with gaps of the given length between the kernels."""
    events = []
    for i in range(kernels):
        at = i * (10 + gap_us)
        shared = {"args": {"correlation": i + 1}, "ph": "X"}
        events.append(shared | {"name": "launch", "cat": "cuda_runtime", "pid": 1, "tid": 1, "ts": at, "dur": 1})
        events.append(shared | {"name": "k", "cat": "kernel", "pid": 0, "tid": 7, "ts": at + 1, "dur": 10})
    return {"traceEvents": events}


class Trace(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.environment = os.environ | {"VITRO_CACHE_DIR": self.path("cache")}

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, trace):
        with open(self.path(name), "w") as file:
            json.dump(trace, file)
        return self.path(name)

    def vitro(self, *words):
        command = [VITRO, "trace", *words]
        return subprocess.run(command, cwd=self.folder.name, env=self.environment, capture_output=True, text=True)

    def test_doctor_gives_the_same_findings_as_text_json_and_csv(self):
        slow = self.write("slow.json", step(20, 90))
        text = self.vitro("doctor", slow)
        self.assertEqual(text.returncode, 0, text.stderr)
        self.assertIn("Measured: 1.911ms. ", text.stdout)  # 19 steps of 100 us, a launch of 1 and a kernel of 10
        found = json.loads(self.vitro("doctor", slow, "--json").stdout)["findings"]
        rows = list(csv.DictReader(io.StringIO(self.vitro("doctor", slow, "--csv").stdout)))
        self.assertGreaterEqual(len(found), 1)
        self.assertEqual([f["key"] for f in found], [row["key"] for row in rows])
        for each in found:
            self.assertIn(each["sentence"], text.stdout)
            self.assertIn(each["advice"], text.stdout)
            self.assertGreater(len(each["events"]), 0)

    def test_doctor_says_plainly_that_there_is_nothing(self):
        done = self.vitro("doctor", self.write("good.json", step(20, 0)), "--fail-on", "0.5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("No potential saving of half a percent of it was found", done.stdout)
        done = self.vitro("doctor", self.write("empty.json", {"traceEvents": []}))
        self.assertIn("No event of this file has a duration", done.stdout)

    def test_fail_on_exits_with_1_if_so_much_could_be_saved(self):
        slow = self.write("slow.json", step(20, 90))
        self.assertEqual(self.vitro("doctor", slow, "--fail-on", "50").returncode, 1)
        self.assertEqual(self.vitro("doctor", slow, "--fail-on", "99.9").returncode, 0)

    def test_check_fails_on_request_where_events_are_flawed(self):
        trace = step(5, 0)
        good = self.write("good.json", trace)
        trace["traceEvents"][1]["args"] = {}  # a kernel whose launch is unknown
        bad = self.write("bad.json", trace)
        self.assertEqual(self.vitro("check", good, "--fail-on", "0").returncode, 0)
        self.assertEqual(self.vitro("check", bad).returncode, 0)
        self.assertEqual(self.vitro("check", bad, "--fail-on", "10").returncode, 1)
        self.assertEqual(self.vitro("check", bad, "--fail-on", "11").returncode, 0)

    def report(self, file):
        """The page as an XML tree: this works if every element is closed and every text escaped."""
        done = self.vitro("report", file, "-o", "page.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the report is in page.html", done.stderr)
        with open(self.path("page.html"), encoding="utf-8") as page:
            return xml.etree.ElementTree.fromstring(page.read().partition("\n")[2])

    def assert_self_contained(self, page):
        for element in page.iter():
            for name, value in element.attrib.items():
                self.assertNotIn("://", value, element.tag)
                self.assertNotIn(name, {"src", "srcset", "onclick", "onload", "onerror"})
                self.assertTrue(name != "href" or value.startswith("#"), value)
            self.assertNotIn(element.tag, {"link", "img", "iframe", "object", "embed", "base"})
            if element.tag == "style":
                self.assertNotRegex(element.text, r"url\(|@import")
        scripts = [script for script in page.findall(".//script") if script.get("type") != "text/plain"]
        self.assertLessEqual(len(scripts), 1)
        ids = [element.get("id") for element in page.iter() if element.get("id")]
        self.assertEqual(len(ids), len(set(ids)))
        for link in page.iter("a"):
            self.assertTrue(link.get("href")[1:] in ids or re.fullmatch(r"#event-\d+-\d+", link.get("href")), link.get("href"))

    def packed(self, page, name):
        """A text that the page holds for its scripts."""
        return gzip.decompress(base64.b64decode(page.find(f".//script[@id='{name}']").text)).decode()

    def test_report_is_a_whole_page_for_every_real_trace(self):
        for name in sorted(os.listdir(TRACES)):
            if not name.endswith((".json", ".json.gz")):
                continue
            with self.subTest(name):
                page = self.report(os.path.join(TRACES, name))
                self.assert_self_contained(page)
                self.assertEqual(page.find("head/title").text, name)
                first = page.find("body/main/section")
                self.assertEqual((first.get("id"), first.find("h2").text), ("timeline", "Timeline"))

    def test_report_begins_with_what_limits_the_device_and_leads_from_events_to_the_timeline(self):
        file = os.path.join(TRACES, "nccl_two_ranks.json.gz")
        page = self.report(file)
        verdict = page.find("body/main/p[@class='verdict']")
        self.assertIn(verdict.text.rstrip("."), self.vitro("doctor", file).stdout)
        drawn = json.loads(self.packed(page, "events"))["rows"]
        numbers = {number for row in drawn.values() for number in itertools.accumulate(row[3::5])}
        links = [link.get("href") for link in page.findall(".//article//td/a")]
        self.assertGreater(len(links), 10)
        for link in links:
            self.assertIn(int(link.split("-")[1]), numbers)

    def test_report_holds_the_events_and_arguments_of_the_file(self):
        file = os.path.join(TRACES, "nccl_two_ranks.json.gz")
        page = self.report(file)
        with gzip.open(file, "rt") as text:
            events = json.load(text, strict=False)["traceEvents"]
        drawn = json.loads(self.packed(page, "events"))
        begin = min(e["ts"] for e in events if e["ph"] == "X" and e["cat"] not in ("Trace", "gpu_user_annotation") and not e["name"].startswith("ProfilerStep#"))
        seen = 0
        for row in drawn["rows"].values():
            at = itertools.accumulate(row[0::5])
            for time, length, name, number, launch in zip(at, row[1::5], row[2::5], itertools.accumulate(row[3::5]), row[4::5]):
                event = events[number]
                self.assertEqual((drawn["names"][name][0][:399], length), (event["name"][:399], round(1000 * event["dur"])))
                self.assertAlmostEqual(time, 1000 * (event["ts"] - begin), delta=1)
                if launch:
                    self.assertEqual(events[launch - 1]["args"]["correlation"], event["args"]["correlation"])
                    seen += 1
        self.assertGreater(seen, 3000)
        lines = self.packed(page, "arguments").splitlines()
        self.assertGreater(len(lines), 20000)
        for line in lines[::50]:
            number, _, text = line.partition(" ")
            self.assertEqual(json.loads(text, strict=False), events[int(number)]["args"])

    def test_report_shows_the_part_of_a_kernel_s_name_that_is_its_own(self):
        kernels = ["void at::native::vectorized<4, at::native::Add<float>, std::array<char*, 3ul>, some::more::arguments>(int)",
                   "void at::native::vectorized<4, at::native::Mul<float>, std::array<char*, 3ul>, some::more::arguments>(int)", "void fill(int)", "void a::b"]
        events = [{"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 10 * i, "dur": 9 - i} for i, name in enumerate(kernels)]
        page = self.report(self.write("kernels.json", {"traceEvents": events}))
        names = page.findall(".//section[@id='kernels']//figure//span[@class='name']")
        self.assertEqual([name.get("title") for name in names], kernels)
        shown = [name.text for name in names]
        self.assertEqual(shown[2:], ["fill(int)", "b"])
        self.assertTrue(shown[0].startswith("vectorized<4,") and "Add" in shown[0] and "Mul" in shown[1], shown)

    def test_report_of_nothing_is_a_page_too(self):
        page = self.report(self.write("nothing.json", {"traceEvents": []}))
        self.assertIn("No event has a duration", page.find(".//section[@id='timeline']/p").text)

    def test_report_folds_what_the_file_does_not_answer(self):
        page = self.report(os.path.join(TRACES, "cpu_only.json.gz"))
        section = page.find(".//section[@id='kernels']")
        self.assertEqual([child.tag for child in section], ["details"])
        self.assertIsNone(section.find("details").get("open"))
        self.assertIn("nothing to answer this", section.find("details/summary").text)

    def test_report_escapes_whatever_a_trace_holds(self):
        evil = "</title><script>alert(1)</script><!-- ]]> & \" ' \x00 \u202e"
        trace = step(20, 90)
        for event in trace["traceEvents"]:
            event["name"] = evil
        trace["traceEvents"] += [
            {"ph": "M", "name": "process_name", "pid": 1, "tid": 1, "ts": 0, "args": {"name": evil}},
            {"ph": "M", "name": "process_labels", "pid": 0, "tid": 0, "ts": 0, "args": {"labels": evil}},
            {"ph": "M", "name": "thread_name", "pid": 0, "tid": 7, "ts": 0, "args": {"name": evil}},
            {"ph": "X", "cat": evil, "name": "aten::mm", "pid": 1, "tid": evil, "ts": 0, "dur": 5},
        ]
        trace[evil] = evil
        page = self.report(self.write("evil<script>.json", trace))
        self.assert_self_contained(page)
        self.assertGreater(sum("alert(1)" in (text or "") for text in page.itertext()), 5)

    @unittest.skipUnless(shutil.which("chromium"), "no Chromium here")
    def test_report_is_no_wider_than_a_phone_and_its_script_runs(self):
        self.report(os.path.join(TRACES, "v100_train_rank0.json.gz"))
        measure = """<script>const root = document.documentElement, head = document.querySelector('#ops th:nth-child(3)');
            head.querySelector('button').click();
            const calls = [...document.querySelectorAll('#ops tbody tr')].map(row => +row.cells[2].dataset.v);
            root.dataset.seen = [innerWidth, root.scrollWidth, head.getAttribute('aria-sort'),
                calls.length > 2 && calls.every((n, i) => i == 0 || n <= calls[i - 1])].join(' ');</script>"""
        with open(self.path("page.html"), "a", encoding="utf-8") as page:
            page.write(measure)
        size = ["--window-size=390,800", "--virtual-time-budget=1000"]
        command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", *size, "--dump-dom", self.path("page.html")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        seen = re.search(r'data-seen="(\d+) (\d+) (\w+) (\w+)"', done.stdout)
        self.assertIsNotNone(seen, done.stderr)
        self.assertLessEqual(int(seen[2]), int(seen[1]))
        self.assertEqual((seen[3], seen[4]), ("descending", "true"))

    def test_report_has_the_same_bytes_again(self):
        pages = []
        for _ in range(2):
            self.report(os.path.join(TRACES, "nccl_two_ranks.json.gz"))
            with open(self.path("page.html"), "rb") as page:
                pages.append(page.read())
        self.assertEqual(pages[0], pages[1])

    def test_flame_prints_stacks_or_writes_them_and_a_picture(self):
        trace = os.path.join(TRACES, "nccl_two_ranks.json.gz")
        printed = self.vitro("flame", trace)
        self.assertRegex(printed.stdout, r"^(\S.*;.* \d+\n)+$")
        done = self.vitro("flame", trace, "--svg", "f.svg", "--collapsed", "f.txt")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        with open(self.path("f.txt")) as file:
            self.assertEqual(file.read(), printed.stdout)
        self.assertTrue(xml.etree.ElementTree.parse(self.path("f.svg")).getroot().tag.endswith("svg"))
        self.assertNotEqual(self.vitro("flame", trace, "--device").stdout, printed.stdout)
        cpu_only = self.vitro("flame", os.path.join(TRACES, "cpu_only.json.gz"), "--device")
        self.assertEqual((cpu_only.returncode, cpu_only.stdout), (0, ""))
        self.assertIn("contains no time of a device", cpu_only.stderr)

    def test_exit_codes_distinguish_wrong_usage_from_unreadable_files(self):
        self.assertEqual(self.vitro("doctor").returncode, 2)
        self.assertEqual(self.vitro("no-such-question", "x").returncode, 2)
        done = self.vitro("doctor", "no_such_file.json")
        self.assertEqual(done.returncode, 3)
        self.assertIn("no_such_file.json", done.stderr)

    def test_memory_timelines_answer_only_memory(self):
        packed = os.path.join(TRACES, "memory_timeline.raw.gz")
        answer = json.loads(self.vitro("memory", packed, "--json").stdout)
        self.assertEqual(answer["devices"][0]["peak_bytes"], 3082832104)  # values/whole.py, memory_timeline()
        self.assertEqual([each["category"] for each in answer["categories"]][4:6], ["activation", "gradient"])
        with gzip.open(packed) as file:
            plain = file.read()
        for text in (plain, open(packed, "rb").read()):
            done = subprocess.run([VITRO, "trace", "memory", "-", "--json"], input=text, capture_output=True)
            self.assertEqual(json.loads(done.stdout), answer)
        done = self.vitro("summary", packed)
        self.assertEqual(done.returncode, 3)
        self.assertIn("this is a memory timeline", done.stderr)
        self.assertIn("`vitro trace memory`", done.stderr)
        done = self.vitro("memory", self.write("broken", [[1, 2, 3]]))
        self.assertEqual(done.returncode, 3)
        self.assertIn("at byte", done.stderr)

    def test_what_looks_at_standard_input_first_loses_nothing_of_it(self):
        trace = json.dumps(step(5, 0)).encode()
        done = subprocess.run([VITRO, "trace", "memory", "-", "--json"], input=trace, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["devices"], [])
        self.assertEqual(done.stderr, b"")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
