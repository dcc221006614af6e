"""Chromium without a window, driven through its debugging pipe."""

import base64
import json
import os
import pathlib
import select
import subprocess
import tempfile
import time

# Nothing is fetched: every host name is unknown to this browser.
FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run
--disable-background-networking --disable-component-update --disable-sync
--disable-dev-shm-usage --disable-extensions --hide-scrollbars --no-default-browser-check
--no-proxy-server --remote-debugging-pipe""".split()
SECONDS = 30


class Browser:
    """A browser with one page; use it in a with statement."""

    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs_in, self.to = os.pipe()
        self.back, theirs_out = os.pipe()

        def connect():
            # the browser reads commands from 3 and writes answers to 4
            ends = os.dup(theirs_in), os.dup(theirs_out)
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self.process = subprocess.Popen(
            [
                program,
                *FLAGS,
                "--host-resolver-rules=MAP * ~NOTFOUND",
                f"--user-data-dir={self.folder.name}",
                "about:blank",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=connect,
            close_fds=False,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self.count, self.buffer, self.events, self.session = 0, b"", [], None
        try:
            self.open()
        except BaseException:
            self.close()
            raise

    def open(self):
        """Opens a page and listens to all that happens in it."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the browser."""
        self.process.terminate()
        try:
            self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.back)
        self.folder.cleanup()

    def message(self, deadline):
        """The next message of the browser."""
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.back], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise RuntimeError(f"the browser said nothing for {SECONDS} s")
            data = os.read(self.back, 1 << 20)
            if not data:
                raise RuntimeError("the browser ended")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def send(self, method, **parameters):
        """Sends a command and returns its result; events are kept for later."""
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + SECONDS
        while True:
            answer = self.message(deadline)
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def show(self, page, width, height, scheme):
        """Opens a page in a window of a size, light or dark; returns the events."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.send("Emulation.setEmulatedMedia", features=features)
        self.events = []
        result = self.send("Page.navigate", url=pathlib.Path(page).resolve().as_uri())
        if result.get("errorText"):
            raise RuntimeError(f"{page}: {result['errorText']}")
        deadline = time.monotonic() + SECONDS
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self.message(deadline))
        return self.events

    def evaluate(self, script):
        """The value of an expression in the page."""
        result = self.send("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"the check itself failed: {result['exceptionDetails']}")
        return result["result"].get("value")

    def picture(self, path):
        """The whole page as PNG."""
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        shot = self.send(
            "Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip
        )
        pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))
