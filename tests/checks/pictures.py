#!/usr/bin/env python3
"""Pages of plans in a browser: do they draw themselves, without an error and without asking for anything else?

    pictures.py PLAN [FOLDER]    PLAN is the program; pictures and pages stay in the folder, where one is given

Each page is drawn by a headless Chromium in a light and a dark theme, without a network. The script must come to its end;
the words that say why results come back must be there; and the pictures must not be empty. On a page of two plans, at two
widths, the cursor and the keys in one must mark the same operation in the other, and a row must say why it comes back.

Exit status 77: there is no Chromium.
"""
import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import browser

# (name, arguments of the program, words that must stand on the page)
PAGES = [
    ("resnet50", ["resnet50", "--strategy", "keep_all,sqrt_segments,greedy_eviction,automatic"],
     ["Why it recomputes what it does", "runs again, for", "held, it would pass the budget", "The floor", "time least",
      "because of", "With 5.0 % more memory"]),
    ("unet", ["unet", "--budget", "50%", "--strategy", "keep_all,sqrt_segments,greedy_eviction,automatic",
              "--time-limit", "4"],
     ["Why it recomputes what it does", "runs again, for", "Budget against time"]),
    ("resnet50_link", ["resnet50", "--device", "1080ti", "--link", "pcie3", "--budget", "40%", "--strategy", "automatic",
                       "--time-limit", "4"],
     ["copied to the host and back", "is copied back, for", "Over the link"]),
    ("resnet18_two", ["resnet18", "--budget", "60%", "--strategy", "automatic", "--compare", "greedy.json"],
     ["automatic beside greedy.json", "What comes back in one and not in the other", "only in automatic", "The floor"]),
]
COMPARED = ["resnet18", "--budget", "60%", "--strategy", "greedy_eviction", "--schedule", "greedy.json"]
LEAST_PICTURE = 100_000  # bytes of a PNG: the page with all pictures has several times as many
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=5000",
         "--host-resolver-rules=MAP * ~NOTFOUND", "--window-size=1280,4600"]


def faults_of(chromium, program, name, arguments, words, folder):
    page = folder / f"{name}.html"
    made = subprocess.run([program, *arguments, "--html", str(page)], capture_output=True, text=True, cwd=folder)
    if made.returncode != 0:
        return [f"plan ended with {made.returncode}: {made.stderr}"]
    text, faults = page.read_text(encoding="utf-8"), []
    if re.search(r"https?:|\bsrc=|@import", text):
        faults.append("the page names something outside of itself")
    with tempfile.TemporaryDirectory() as profile:
        flags = [chromium, *FLAGS, f"--user-data-dir={profile}"]
        pictures = {theme: folder / f"{name}_{theme}.png" for theme in ("light", "dark")}
        drawn = subprocess.run([*flags, "--dump-dom", f"--screenshot={pictures['light']}", page.as_uri()],
                               capture_output=True, text=True, timeout=240).stdout
        subprocess.run([*flags, "--blink-settings=preferredColorScheme=0", f"--screenshot={pictures['dark']}",
                        page.as_uri()], capture_output=True, timeout=240)
        if 'data-ready="yes"' not in drawn:
            faults.append("the script did not come to its end")
        shown = html.unescape(re.sub(r"<[^>]*>", "", re.sub(r"<script.*?</script>", "", drawn, flags=re.DOTALL)))
        shown = shown.replace("\u00a0", " ")
        faults += [f"does not say '{w}'" for w in words if w not in shown]
        faults += [f"says '{w}'" for w in ["NaN", "undefined", "Infinity", "[object"] if w in shown]
        data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL).group(1))
        if len(data["plans"]) == 2:
            faults += in_browser(page)
        else:
            told = sum(1 for s in data["plans"][0]["reasons"]["saved"] if s > 0)
            listed = len(re.findall(r"<tr data-step", drawn))
            if listed < min(told, 30):
                faults.append(f"lists {listed} results that come back, of {told}")
        drawings = {theme: path.read_bytes() if path.exists() else b"" for theme, path in pictures.items()}
        for theme, drawing in drawings.items():
            if not drawing:
                faults.append(f"there is no picture of the {theme} theme")
            elif len(drawing) < LEAST_PICTURE:
                faults.append(f"the picture of the {theme} theme has {len(drawing)} bytes: it is empty")
        if drawings["light"] == drawings["dark"]:
            faults.append("light and dark look the same")
    return faults


def in_browser(page):
    """What is wrong with the marks of a page of two plans."""
    below = "[...document.querySelectorAll('.now')].map(e => e.innerText.split(' runs at ')[0])"
    faults = []
    with browser.browser() as tab:
        for width, height in ((1400, 1600), (400, 2600)):
            tab.look(width, height)
            tab.open(page.as_uri())
            if tab.value("document.documentElement.scrollWidth > innerWidth"):
                faults.append(f"{width} px: the page is wider than the screen")
            x, y, x1, y1 = tab.value("[...document.querySelectorAll('[role=slider]')].flatMap(e => { const r = "
                                     "e.getBoundingClientRect(); return [r.x + 0.8 * r.width, r.y + r.height / 2] })")
            if (x1 > x) != (width > 900) or (y1 > y) != (width < 900):
                faults.append(f"{width} px: the second plan is not where it belongs")
            tab.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
            names = tab.value(below)
            if not names[0] or names[0] != names[1]:
                faults.append(f"{width} px: the mouse marks {names}")
            tab.ask("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
            tab.value("document.querySelector('[role=slider]').focus()")
            tab.ask("Input.dispatchKeyEvent", type="keyDown", key="Home")
            first = tab.value(below)[0]
            tab.ask("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight")
            names = [*tab.value(below), tab.value("document.activeElement.getAttribute('aria-valuetext').split('\\n')[0]")]
            if names[0] in ("", first) or len(set(names)) != 1:
                faults.append(f"{width} px: the keys mark {names}")
            tab.ask("Input.dispatchKeyEvent", type="keyDown", key="Escape")
            tab.value("document.querySelector('#differing button').click()")
            said = tab.value("[...document.querySelectorAll('p.chosen')].map(e => e.innerText).sort().join('; ')")
            if "does not run again here" not in said or "Not in memory from" not in said:
                faults.append(f"{width} px: of a row it says '{said}'")
        return faults + tab.errors


def main(arguments):
    if len(arguments) not in (1, 2):
        print(__doc__)
        return 2
    if (program := browser.program()) is None:
        print("there is no Chromium")
        return 77
    failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(arguments[1] if len(arguments) == 2 else scratch).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        plan = str(pathlib.Path(arguments[0]).resolve())
        subprocess.run([plan, *COMPARED], capture_output=True, check=True, cwd=folder)
        for name, options, words in PAGES:
            for fault in faults_of(program, plan, name, options, words, folder):
                print(f"{name}: {fault}")
                failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
