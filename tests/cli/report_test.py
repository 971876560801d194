#!/usr/bin/env python3
"""Tests the page of `vitro trace report` in a browser: by keyboard, at the width of a phone, in light and dark mode; and the
flame graph by keyboard.
Skipped without Chromium.   usage: report_test.py VITRO TRACES"""
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
        drawn = [e for events in trace.host.values() for e in events if not e.is_step] + trace.work
        cls.ns = max(e.end for e in drawn) - min(e.begin for e in drawn)
        cls.computing, cls.talking = (sum(e.end - e.begin for e in trace.work if e.track[1] == stream and use_of(e) == use) / cls.ns
                                      for stream, use in ((7, "compute"), (40, "communication")))

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
            self.focus_on(page, lambda f: f["tag"] == "SUMMARY")
            self.assertFalse(page.ask("document.activeElement.parentNode.open"))
            for key in ("Enter", " "):
                page.press(key)
                self.assertEqual(page.ask("document.activeElement.parentNode.open"), key == "Enter")

    def test_rows_of_the_timeline_say_what_they_did_when_tab_reaches_them(self):
        with Browser(self.page) as page:
            rows = page.ask("document.querySelectorAll('.track[tabindex]').length")
            self.assertEqual(rows, 5)
            shown = "[...document.querySelectorAll('.about')].filter(e => e.offsetHeight > 0).map(e => e.innerText).join('|')"
            self.assertEqual(page.ask(shown), "")
            shown_texts = []
            for _ in range(rows):
                self.focus_on(page, lambda f: f["kind"] == "track")
                shown_texts.append(page.ask(shown))
            self.assertEqual(len(set(shown_texts)), rows)
            self.assertIn("GPU 0: stream 40", shown_texts[-1])
            self.assertIn(f"communication {self.talking:.2%}", shown_texts[-1])

    def test_arrows_show_what_a_row_did_when(self):
        with Browser(self.page) as page:
            self.focus_on(page, lambda f: f["text"].startswith("GPU 0: stream 7"))
            said = "document.activeElement.querySelector('.about').innerText.trim()"
            whole = page.ask(said)
            self.assertIn(f"kernels {self.computing:.2%}", whole)
            width = self.ns / 800  # ns of a column
            texts = page.ask(f"""Array.from({{length: 800}}, () => {{
                document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {{key: 'ArrowRight'}}));
                return {said};
            }})""")
            lines = [text.split("\n") for text in texts]
            # 800 columns of 855.35 us, 684.279 ms in all; with Shift, 20 at once.
            self.assertRegex(lines[0][1], r"^at 0ns to 855\.\d+us:$")
            self.assertRegex(lines[799][1], r"^at 683\.\d+ms to 684\.279ms:$")
            shown_texts = [dict(line.rsplit(" ", 1) for line in each[2:] if line != "nothing") for each in lines]
            kernels = sum(int(each.get("kernels", "0%")[:-1]) for each in shown_texts) / 100 * width
            self.assertAlmostEqual(kernels, self.computing * self.ns, delta=0.03 * self.ns)  # columns are drawn in 24 steps
            page.press("Home")
            self.assertIn("at 0ns to", page.ask(said))
            page.press("ArrowRight", shift=True)
            self.assertIn("at 17.107ms to", page.ask(said))
            page.press("Escape")
            self.assertEqual(page.ask(said), whole)
            page.press("End")
            page.press("Tab")
            self.assertEqual(page.ask("document.querySelectorAll('.cursor').length"), 0)

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
                page.press("ArrowLeft")
                self.assertEqual(page.ask(name), "thread 2910249 (pt_main_thread)")
                page.press("ArrowDown")
                page.press("Enter")
                self.assertEqual(page.ask(name), "ProfilerStep")
                self.assertEqual(page.ask("+document.activeElement.getAttribute('width')"), 1180)
                page.press("ArrowUp")
                self.assertEqual(page.ask(name), "thread 2910249 (pt_main_thread)")
                page.press("Escape")
                self.assertLess(page.ask("+document.activeElement.getAttribute('width')"), 400)
                page.ask("document.activeElement.blur()")
                self.assertEqual(page.ask(said), usage)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
