"""A page in headless Chromium, driven by its protocol through a pipe: presses keys, evaluates scripts.

    with Browser("page.html", width=390, dark=True) as page:
        page.press("Tab")
        page.ask("document.activeElement.textContent")"""
import json
import os
import pathlib
import shlex
import subprocess
import tempfile
import time

KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "w": 87, "d": 68, "f": 70,
        "m": 77, "n": 78, "o": 79, "0": 48, "/": 191}


class Browser:
    def __init__(self, path, width=1000, height=800, dark=False):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # its helpers may still be writing
        theirs_in, self.out = os.pipe()
        self.answers, theirs_out = os.pipe()
        command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
                   f"--user-data-dir={self.folder.name}", "about:blank"]
        self.process = subprocess.Popen(["sh", "-c", f"exec {shlex.join(command)} 3<&{theirs_in} 4>&{theirs_out}"],
                                        pass_fds=(theirs_in, theirs_out), stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.number, self.read, self.session = 0, b"", None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        while self.ask("location.protocol + document.readyState") != "file:complete":
            time.sleep(0.02)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.read:
                more = os.read(self.answers, 1 << 16)
                if not more:
                    raise RuntimeError("Chromium has ended")
                self.read += more
            text, _, self.read = self.read.partition(b"\0")
            answer = json.loads(text)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(answer["error"])
                return answer["result"]

    def ask(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def press(self, key, shift=False):
        text = {"text": "\r" if key == "Enter" else key} if key == "Enter" or len(key) == 1 else {}
        about = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": KEYS[key], "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **about, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    def until(self, condition):
        """Waits for it; what a page unpacks is there after a moment."""
        end = time.monotonic() + 60
        while not self.ask(condition):
            if time.monotonic() > end:
                raise RuntimeError(f"never: {condition}")
            time.sleep(0.02)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def drag(self, x, y, to_x):
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        for part in (0.5, 1):
            self.mouse("mouseMoved", x + part * (to_x - x), y, button="left", buttons=1)
        self.mouse("mouseReleased", to_x, y, button="left", clickCount=1)

    def pinch(self, x, y, apart, to_apart):
        """Two fingers, on both sides of the place."""
        for kind, distance in (("touchStart", apart), ("touchMove", (apart + to_apart) / 2), ("touchMove", to_apart)):
            points = [{"x": x - distance / 2, "y": y, "id": 0}, {"x": x + distance / 2, "y": y, "id": 1}]
            self.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def write(self, text):
        self.call("Input.insertText", text=text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.session = None
        self.call("Browser.close")
        self.process.wait(timeout=60)
        os.close(self.out)
        os.close(self.answers)
        self.folder.cleanup()
