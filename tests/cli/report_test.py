#!/usr/bin/env python3
"""Tests the page of `vitro trace report` in a browser: by keyboard, pointer and touch, at the width of a phone, in light and
dark mode; and the flame graph.
Skipped without Chromium.   usage: report_test.py VITRO TRACES"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from browser import Browser
from values.devices import use_of
from values.trace import Trace

VITRO, TRACES = sys.argv[1:3]

# The focused element: tag, class, accessible text, whether its outline and all of it are visible.
FOCUS = """(() => {
    const e = document.activeElement, box = e.getBoundingClientRect(), style = getComputedStyle(e);
    return {tag: e.tagName, kind: e.className, text: (e.getAttribute('aria-label') || e.innerText).trim(),
            lined: style.outlineStyle != 'none' && parseFloat(style.outlineWidth) > 0,
            seen: box.width > 0 && box.height > 0 && box.left >= 0 && box.top < innerHeight && box.bottom > 0};
})()"""


@unittest.skipUnless(shutil.which("chromium"), "no Chromium here")
class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.page = os.path.join(cls.folder.name, "page.html")
        path = os.path.join(TRACES, "nccl_two_ranks.json.gz")
        subprocess.run([VITRO, "trace", "report", path, "-o", cls.page], check=True, capture_output=True,
                       env=os.environ | {"VITRO_CACHE_DIR": cls.folder.name})
        trace = Trace(pathlib.Path(path))
        cls.trace = trace
        drawn = [e for events in trace.host.values() for e in events if not e.is_step] + trace.work
        cls.begin = min(e.begin for e in drawn)
        cls.ns = max(e.end for e in drawn) - cls.begin
        cls.computing, cls.talking = (sum(e.end - e.begin for e in trace.work if e.track[1] == stream and use_of(e) == use) / cls.ns
                                      for stream, use in ((7, "compute"), (40, "communication")))

    def open(self, *args, **more):
        page = Browser(self.page, *args, **more)
        page.until("!!document.querySelector('.tools') && !!document.querySelector('.tracks').dataset.seen")
        return page

    def seen(self, page):
        """The part of the time that the timeline shows, once it has been drawn."""
        page.call("Runtime.evaluate", expression="new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))", awaitPromise=True)
        return [int(end) for end in page.ask("document.querySelector('.tracks').dataset.seen").split()]

    def picture_of(self, page, label):
        """Where the picture of a row is, scrolled into view."""
        return page.ask(f"""(() => {{
            document.querySelector('.tools').scrollIntoView();
            const box = document.querySelector('.track[aria-label^="{label}"] canvas').getBoundingClientRect();
            return {{x: box.left, y: box.top, width: box.width, height: box.height}};
        }})()""")

    def facts(self, page):
        """What the page says about the selected event."""
        page.until("document.querySelectorAll('.event dt').length > 5")
        return dict(page.ask("[...document.querySelectorAll('.event dl div')].map(e => [...e.children].map(each => each.innerText.trim()))"))

    def focus_on(self, page, what, most=200):
        """Presses Tab until the condition holds; every element on the way has a name and is visible."""
        for _ in range(most):
            page.press("Tab")
            focus = page.ask(FOCUS)
            self.assertTrue(focus["text"] and focus["lined"] and focus["seen"], focus)
            if what(focus):
                return focus
        self.fail("Tab does not get there")

    def test_the_first_tab_leads_over_the_contents_to_the_findings(self):
        with Browser(self.page) as page:
            self.assertEqual(self.focus_on(page, lambda f: True)["text"], "Skip to the findings")
            page.press("Enter")
            self.assertEqual(self.focus_on(page, lambda f: True)["tag"], "SUMMARY")
            self.assertGreater(page.ask("document.activeElement.closest('.finding') ? 1 : 0"), 0)

    def test_events_of_a_finding_unfold_by_a_key(self):
        with Browser(self.page) as page:
            self.focus_on(page, lambda f: f["tag"] == "SUMMARY" and f["text"].startswith("Based"))
            self.assertFalse(page.ask("document.activeElement.parentNode.open"))
            for key in ("Enter", " "):
                page.press(key)
                self.assertEqual(page.ask("document.activeElement.parentNode.open"), key == "Enter")

    def test_rows_of_the_timeline_say_what_they_did_when_tab_reaches_them(self):
        with self.open() as page:
            rows = page.ask("document.querySelectorAll('.track[tabindex]').length")
            self.assertEqual(rows, 5)
            texts = [self.focus_on(page, lambda f: f["kind"] == "track")["text"] for _ in range(rows)]
            self.assertEqual(len(set(texts)), rows)
            self.assertIn("GPU 0: stream 40", texts[-1])
            self.assertIn(f"communication {self.talking:.2%}", texts[-1])
            self.assertIn(f"kernels {self.computing:.2%}", texts[-2])

    def test_arrows_walk_over_the_events_of_a_row_and_keys_zoom(self):
        stream = sorted((e for e in self.trace.work if e.track[1] == 7), key=lambda e: e.begin)
        with self.open() as page:
            self.focus_on(page, lambda f: f["text"].startswith("GPU 0: stream 7"))
            self.assertEqual(self.seen(page), [0, self.ns])
            for e in stream[:2]:
                page.press("ArrowRight")
                page.until(f"[...document.querySelectorAll('.event dd')].some(e => e.innerText === '{e.number}')")
                facts = self.facts(page)
                self.assertEqual(page.ask("document.querySelector('.event strong').innerText")[:390], e.name[:390])
                self.assertIn(f"for {e.length / 1000:.3f}us", facts["time"])
                self.assertEqual(facts["correlation"], str(e.args["correlation"]))
                launch = next(h for events in self.trace.host.values() for h in events if h.kind == "runtime" and h.args.get("correlation") == e.args["correlation"])
                self.assertTrue(facts["launched by"].startswith(launch.name))
            page.press("0")
            page.press("w")
            begin, end = self.seen(page)
            self.assertAlmostEqual((end - begin) / self.ns, 0.6, delta=0.001)
            page.press("d")
            self.assertAlmostEqual(self.seen(page)[0] - begin, 0.2 * (end - begin), delta=2)
            page.press("f")
            begin, end = self.seen(page)
            self.assertTrue(begin + self.begin < stream[1].begin and stream[1].end < end + self.begin < stream[1].begin + 10 * stream[1].length)
            page.press("Escape")
            self.assertTrue(page.ask("document.querySelector('.event').hidden"))
            page.press("Escape")
            self.assertEqual(self.seen(page), [0, self.ns])

    def test_wheel_drag_and_pinch_zoom_about_their_place(self):
        with self.open(width=1400, height=900) as page:
            box = self.picture_of(page, "GPU 0: stream 7")
            x, y = box["x"] + 0.25 * box["width"], box["y"] + 8
            before = page.ask("scrollY")
            page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-300)  # without the focus it scrolls the page
            page.until(f"scrollY < {before}")
            self.assertEqual(self.seen(page), [0, self.ns])
            box = self.picture_of(page, "GPU 0: stream 7")
            page.click(x, y)
            page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-210)
            page.until("document.querySelector('.tracks').dataset.seen.split(' ')[0] > 0")
            begin, end = self.seen(page)
            self.assertAlmostEqual((end - begin) / self.ns, 0.4966, delta=0.002)  # e to the power of -0.7
            self.assertAlmostEqual((begin + 0.25 * (end - begin)) / self.ns, 0.25, delta=0.002)
            page.drag(x, y, x + 0.1 * box["width"])
            self.assertAlmostEqual(self.seen(page)[0], begin - 0.1 * (end - begin), delta=0.001 * self.ns)
            page.press("0")
            page.call("Emulation.setTouchEmulationEnabled", enabled=True)
            page.pinch(x, y, 100, 200)
            begin, end = self.seen(page)
            self.assertAlmostEqual((end - begin) / self.ns, 0.5, delta=0.01)
            self.assertAlmostEqual((begin + 0.25 * (end - begin)) / self.ns, 0.25, delta=0.01)

    def test_a_click_shows_the_event_there_with_its_arguments(self):
        work = max((e for e in self.trace.work if e.track[1] == 40), key=lambda e: e.length)
        with self.open(width=1400, height=900) as page:
            box = self.picture_of(page, "GPU 0: stream 40")
            x = box["x"] + ((work.begin + work.end) / 2 - self.begin) / self.ns * box["width"]
            page.click(x, box["y"] + 26)
            page.until(f"[...document.querySelectorAll('.event dd')].some(e => e.innerText === '{work.number}')")
            facts = self.facts(page)
            for name in ("correlation", "stream", "registers per thread"):
                self.assertEqual(facts[name], str(work.args[name]))
            page.click(box["x"] + 5, box["y"] + 26)  # where nothing is
            self.assertTrue(page.ask("document.querySelector('.event').hidden"))

    def test_search_counts_what_it_finds_and_goes_from_one_to_the_next(self):
        found = sorted((e for e in self.trace.spans if "nccl" in e.name.lower() and e.kind in ("op", "kernel", "annotation", "runtime")), key=lambda e: e.begin)
        with self.open() as page:
            page.ask("document.querySelector('.tools input').focus()")
            page.write("NCCL")
            self.assertEqual(page.ask("document.querySelector('.tools output').value"), f"{len(found)} found")
            for place, shift in ((1, False), (2, False), (1, True), (len(found), True)):
                page.press("Enter", shift=shift)
                self.assertEqual(page.ask("document.querySelector('.tools output').value"), f"{place} of {len(found)}")
                self.assertEqual(page.ask("document.querySelector('.event strong').innerText"), found[place - 1].name)
            page.press("Escape")
            self.assertEqual(page.ask("document.querySelector('.tools input').value"), "")

    def test_what_is_in_view_is_summed_up_by_name(self):
        kernels = [e for e in self.trace.work if e.track[1] == 40]
        name = max({e.name for e in kernels}, key=lambda name: sum(e.length for e in kernels if e.name == name))
        total, calls = sum(e.length for e in kernels if e.name == name), sum(e.name == name for e in kernels)
        with self.open() as page:
            self.focus_on(page, lambda f: f["kind"] == "track")
            page.press("m")
            said = page.ask("[...document.querySelectorAll('.event dl div')].map(e => e.innerText.replace(/\\s+/g, ' '))")
            self.assertEqual(len(said), 24)
            self.assertIn(f"{total / 1e6:.3f}ms {name} {calls} calls", said)
            page.press("Escape")
            self.assertTrue(page.ask("document.querySelector('.event').hidden"))

    def test_evidence_leads_to_its_event_in_the_timeline(self):
        with self.open() as page:
            links = page.ask("document.querySelectorAll('.finding td:first-child a').length")
            self.assertGreater(links, 10)
            for place in range(0, links, 7):
                number = page.ask(f"(() => {{ const a = document.querySelectorAll('.finding td:first-child a')[{place}]; a.click(); return +a.hash.split('-')[1]; }})()")
                page.until(f"[...document.querySelectorAll('.event dd')].some(e => e.innerText === '{number}')")
                begin, end = self.seen(page)
                event = self.trace.events[number]
                self.assertTrue(begin - 1 <= event.begin - self.begin and event.end - self.begin <= end + 1, event.name)
                self.assertGreaterEqual(event.length / (end - begin), 0.002)

    def test_tables_sort_by_a_key(self):
        with Browser(self.page) as page:
            self.focus_on(page, lambda f: f["tag"] == "BUTTON" and f["text"] == "Compute")
            for key, order in (("Enter", "descending"), (" ", "ascending")):
                page.press(key)
                self.assertEqual(page.ask("document.activeElement.closest('th').getAttribute('aria-sort')"), order)
                values = page.ask("[...document.activeElement.closest('table').tBodies[0].rows].map(row => +row.cells[3].dataset.v)")
                self.assertEqual(values, sorted(values, reverse=order == "descending"))

    def test_every_width_and_colour_scheme_is_readable(self):
        for width in (390, 1280):
            for dark in (False, True):
                with self.subTest(width=width, dark=dark), Browser(self.page, width, dark=dark) as page:
                    self.assertLessEqual(page.ask("document.documentElement.scrollWidth"), width)
                    ground, text = (page.ask(f"getComputedStyle(document.body).{of}.match(/\\d+/g).slice(0, 3).map(Number)") for of in ("backgroundColor", "color"))
                    self.assertEqual(sum(ground) < sum(text), dark)
                    self.assertGreater(abs(sum(ground) - sum(text)), 450)
                    for _ in range(30):  # no focused element lies outside
                        page.press("Tab")
                        focus = page.ask(FOCUS)
                        self.assertTrue(focus["lined"] and focus["seen"], focus)


@unittest.skipUnless(shutil.which("chromium"), "no Chromium here")
class FlameGraph(unittest.TestCase):
    def test_arrows_walk_through_it_and_enter_zooms(self):
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, "flame.svg")
            trace = os.path.join(TRACES, "nccl_two_ranks.json.gz")
            subprocess.run([VITRO, "trace", "flame", trace, "--device", "--svg", picture], check=True, capture_output=True,
                           env=os.environ | {"VITRO_CACHE_DIR": folder})
            with Browser(picture) as page:
                name = "document.activeElement.querySelector('title').textContent.split('\\n')[0]"
                said = "document.querySelector('.said').textContent"
                usage = page.ask(said)
                page.press("Tab")
                self.assertEqual(page.ask(name), "all")
                self.assertTrue(page.ask(said).startswith("all: "))
                page.press("ArrowDown")
                self.assertEqual(page.ask(name), "thread 2919752 (pt_autograd_0)")
                page.press("ArrowRight")
                self.assertEqual(page.ask(name), "thread 2910249 (pt_main_thread)")
                page.press("ArrowDown")
                page.press("Enter")
                self.assertEqual(page.ask(name), "ProfilerStep")
                self.assertEqual(page.ask("document.activeElement.getAttribute('width')"), "100%")
                page.press("ArrowUp")
                self.assertEqual(page.ask(name), "thread 2910249 (pt_main_thread)")
                page.press("Escape")
                self.assertLess(page.ask("parseFloat(document.activeElement.getAttribute('width'))"), 50)
                page.ask("document.activeElement.blur()")
                self.assertEqual(page.ask(said), usage)

    def test_is_as_wide_as_its_window_the_largest_first_and_searched(self):
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, "flame.svg")
            trace = os.path.join(TRACES, "nccl_two_ranks.json.gz")
            subprocess.run([VITRO, "trace", "flame", trace, "--svg", picture], check=True, capture_output=True,
                           env=os.environ | {"VITRO_CACHE_DIR": folder})
            boxes = """[...document.querySelectorAll('.frame')].filter(e => e.style.display !== 'none').map(e => {
                const box = e.querySelector('rect').getBoundingClientRect();
                return [Math.round(box.top), box.left, box.right];
            })"""
            for width in (1400, 700):
                with Browser(picture, width) as page:
                    shown = page.ask(boxes)
                    self.assertAlmostEqual(max(right for _, _, right in shown), width, delta=1)
                    second = sorted(box[1:] for box in shown if box[0] == sorted({top for top, _, _ in shown})[1])
                    widths = [right - left for left, right in second]
                    self.assertGreater(len(widths), 1)
                    self.assertEqual(widths, sorted(widths, reverse=True))
                    page.press("/")
                    page.write("conv")
                    others = "document.querySelectorAll('.frame.other').length"
                    matching = page.ask("[...document.querySelectorAll('.frame title')].filter(e => e.textContent.split('\\n')[0].toLowerCase().includes('conv')).length")
                    self.assertEqual(page.ask("document.querySelectorAll('.frame').length") - page.ask(others), matching)
                    self.assertTrue(page.ask("document.querySelector('.said').textContent").startswith(f"conv: {matching} found, "))
                    page.press("Enter")
                    self.assertIn("conv", page.ask("document.activeElement.querySelector('title').textContent").lower())


@unittest.skipUnless(shutil.which("chromium"), "no Chromium here")
class MemoryPage(unittest.TestCase):
    def test_allocations_are_picked_by_a_click_and_by_keys(self):
        with tempfile.TemporaryDirectory() as folder:
            page_file, trace_file = (os.path.join(folder, name) for name in ("memory.html", "trace.json"))
            subprocess.run([VITRO, "profile", os.path.join(TRACES, "..", "pt2", "mlp.pt2"), "--eager", "--steps", "2", "--profile-memory",
                            "--memory-timeline", page_file, "-o", trace_file], check=True, capture_output=True,
                           env=os.environ | {"VITRO_CACHE_DIR": folder})
            with open(trace_file) as text:
                changes = [e["args"]["Bytes"] for e in json.load(text)["traceEvents"] if e["name"] == "[memory]"]
            made = sorted((bytes_ for bytes_ in changes if bytes_ > 0), reverse=True)
            said = "Object.fromEntries([...document.querySelectorAll('.event div')].map(e => [...e.children].map(each => each.innerText)))"
            with Browser(page_file, width=1200) as page:
                page.until("document.querySelectorAll('#peak td').length")
                self.assertEqual(page.ask(said), {})
                page.ask("document.querySelector('canvas').focus()")
                for bytes_ in made[:3]:
                    page.press("ArrowRight")
                    self.assertEqual(page.ask(said)["size"], f"{bytes_ / 1024:.2f} KiB" if bytes_ >= 1024 else f"{bytes_} B")
                picked = page.ask(said)
                page.press("f")  # it fills the middle third of the picture
                page.call("Runtime.evaluate", expression="new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))", awaitPromise=True)
                page.press("Escape")
                self.assertEqual(page.ask(said), {})
                box = page.ask("(() => { const b = document.querySelector('canvas').getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()")
                seen = set()
                for part in range(2, 40):
                    page.click(box[0] + 84 + 0.5 * (box[2] - 84), box[1] + box[3] - 24 - part / 40 * (box[3] - 32))
                    seen.add(json.dumps(page.ask(said)))
                self.assertIn(json.dumps(picked), seen)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
