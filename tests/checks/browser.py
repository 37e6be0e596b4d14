"""A headless Chromium that is told what to do over a pipe (the DevTools protocol), without a network."""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND",
         "--remote-debugging-pipe", "--no-first-run", "--disable-extensions"]
SECONDS = 60


def program():
    """The name of the browser's program; None where there is none."""
    return next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)


class browser:
    """One page in one browser; a context that ends it."""

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory()
        theirs, self.to = os.pipe()
        self.come, back = os.pipe()
        self.run = subprocess.Popen(
            ["sh", "-c", f'exec "$0" "$@" 3<&{theirs} 4>&{back}', program(), *FLAGS, f"--user-data-dir={self.profile.name}"],
            pass_fds=(theirs, back), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs)
        os.close(back)
        self.last, self.rest, self.session, self.errors = 0, b"", None, []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Page.enable")
        self.ask("Runtime.enable")
        return self

    def __exit__(self, *_):
        self.run.terminate()
        self.run.wait()
        os.close(self.to)
        os.close(self.come)
        shutil.rmtree(self.profile.name, ignore_errors=True)

    def message(self):
        while b"\0" not in self.rest:
            if not (more := os.read(self.come, 1 << 20)):
                raise OSError("the browser is gone")
            self.rest += more
        one, _, self.rest = self.rest.partition(b"\0")
        said = json.loads(one)
        if said.get("method") == "Runtime.exceptionThrown":
            self.errors.append(said["params"]["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        return said

    def ask(self, method, **values):
        self.last += 1
        asked = {"id": self.last, "method": method, "params": values} | ({"sessionId": self.session} if self.session else {})
        os.write(self.to, json.dumps(asked).encode() + b"\0")
        while (said := self.message()).get("id") != self.last:
            pass
        if "error" in said:
            raise OSError(f"{method}: {said['error']['message']}")
        return said["result"]

    def open(self, address):
        self.ask("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def value(self, script):
        return self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)["result"].get("value")

    def wait(self, script):
        """The value of the script once it is one that counts. A page that another takes the place of meanwhile has none."""
        end = time.monotonic() + SECONDS
        while True:
            try:
                if found := self.value(script):
                    return found
                said = ""
            except OSError as e:
                said = f": {e}"
            if time.monotonic() > end:
                raise TimeoutError(f"not in {SECONDS} s: {script}{said}")
            time.sleep(0.02)

    def click(self, element):
        """The mouse on the middle of what a script says, which must be in sight."""
        x, y = self.wait(f"(() => {{ const e = {element}; if (!e) return null; const r = e.getBoundingClientRect(); "
                         "return r.width ? [r.x + r.width / 2, r.y + r.height / 2] : null })()")
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type(self, text):
        self.ask("Input.insertText", text=text)

    def look(self, width, height, dark=False):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.ask("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def picture(self, file):
        pathlib.Path(file).write_bytes(base64.b64decode(self.ask("Page.captureScreenshot")["data"]))
