#!/usr/bin/env python3
"""The site of examples/site as a reader has it: is it whole, and is each function found where one looks for it?

    site.py [FOLDER]       pictures stay in the folder, where one is given
    site.py --self-test    plants links that lead nowhere in a scratch site, and looks for them

Builds it; every link, script and picture of every page must lead to a file, and to a heading, that is there; nothing may
name another server but as a link. Then a headless Chromium, where there is one, types ten names into the search, one after
the other, clicks the function among the first three hits, and must see its text, at the width of a desk and of a phone.

Exit status 77: there is no markdown-it-py or no Pygments, and none from PyPI.
"""
import html.parser
import json
import pathlib
import posixpath
import re
import subprocess
import sys
import tempfile
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/checks"), str(ROOT / "examples/site")]
import browser  # noqa: E402
import headers  # noqa: E402

NAMES = {"plan": "plan.hpp", "assign_offsets": "allocate/assign_offsets.hpp", "replay": "pebbling/replay.hpp",
         "find_least_budget": "planner/find_least_budget.hpp", "solve_chain": "chains/solve_chain.hpp",
         "find_strategy": "planner/strategies.hpp", "make_training_problem": "graph/training/make_problem.hpp",
         "assign_pools": "allocate/assign_pools.hpp", "revolve": "chains/revolve.hpp", "read_onnx": "onnx/onnx_network.hpp"}
PICTURES = ["index.html", "reference/plan.html", "examples/plan/index.html", "benchmarks/plan_curves.html",
            "search.html?q=pools", "reference/python/repebble.html"]


class page(html.parser.HTMLParser):
    """Where a page leads, and the places in it to which others may lead."""

    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.loaded = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.add(value)
            elif name in ("href", "src"):
                (self.links if tag == "a" else self.loaded).append(value)


def dead_links(folder):
    """A line for each link that leads nowhere, and for each thing that is loaded from elsewhere."""
    pages = {str(p.relative_to(folder)): page(p.read_text(encoding="utf-8")) for p in sorted(folder.rglob("*.html"))}
    wrong = []
    for name, of in pages.items():
        wrong += [f"{name}: loads {link}" for link in of.loaded if re.match(r"\w+:|//", link)]
        for link in of.links + of.loaded:
            if re.match(r"https?:|mailto:", link):
                continue
            target, _, place = urllib.parse.unquote(link).partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), target)) if target else name
            if not (folder / target).is_file():
                wrong.append(f"{name}: there is no {link}")
            elif place and target in pages and place not in pages[target].ids:
                wrong.append(f"{name}: there is no {link.partition('#')[0] or 'this page'} with #{place}")
    for line in (folder / "index.js").read_text(encoding="utf-8").splitlines()[1:-1]:
        target, _, place = json.loads(line.rstrip(","))[2].partition("#")
        if target not in pages or place and place not in pages[target].ids:
            wrong.append(f"the search: there is no {target}#{place}")
    return wrong, len(pages), sum(len(of.links) + len(of.loaded) for of in pages.values())


CLEAN = {"index.html": '<link href="site.css"><p id="here"><a href="a/b.html#there"></a><a href="#here"></a>'
                       '<a href="https://example.org"></a>', "a/b.html": '<p id="there"><a href="../index.html"></a>',
         "site.css": "", "index.js": 'const INDEX = [\n["page","b","a/b.html#there",""],\n["page","b","a/b.html",""]\n];\n'}
# (file, what is replaced in it, by what): each planted alone.
PLANTED = [("index.html", "b.html#there", "c.html#there"), ("index.html", "#there", "#nowhere"), ("index.html", "#here", "#her"),
           ("a/b.html", "../index.html", "index.html"), ("index.html", "site.css", "https://example.org/site.css"),
           ("index.html", "site.css", "sites.css"), ("index.js", "b.html#there", "b.html#nowhere"),
           ("index.js", '"a/b.html"', '"a.html"')]


def self_test():
    failures = []
    for name, old, new in [("index.html", "", ""), *PLANTED]:
        with tempfile.TemporaryDirectory() as scratch:
            for file, text in CLEAN.items():
                path = pathlib.Path(scratch, file)
                path.parent.mkdir(exist_ok=True)
                path.write_text(text.replace(old, new, 1) if file == name else text, encoding="utf-8")
            wrong = dead_links(pathlib.Path(scratch))[0]
            if len(wrong) != bool(old) or old not in CLEAN[name]:
                failures.append(f"{name}: {old} -> {new}: {wrong}")
    print(*failures, f"site: {len(PLANTED)} faults planted, {len(failures)} failures", sep="\n")
    return 1 if failures else 0


def text_of(name, header):
    """The first words of a function's comment, letters and digits only."""
    folder = next(f for f in [ROOT / "include/repebble", *ROOT.glob("examples/components/*/repebble")] if (f / header).is_file())
    declared = headers.read((folder / header).read_text(encoding="utf-8"))
    return letters(next(d.text for d in declared if d.name == name and d.text))[:40]


def letters(text):
    return re.sub(r"\W+", " ", text).strip()


def search(tab, name, header):
    """Types a name where a reader would, and follows the function; what is wrong, or nothing."""
    tab.click("document.querySelector('input[type=search]')")
    tab.value("document.querySelector('input[type=search]').select()")
    tab.type(name)
    tab.wait(f"document.getElementById('hits').dataset.query === '{name}'")
    hits = tab.value("[...document.querySelectorAll('#hits a')].map((a) => a.querySelector('b').textContent + "
                     "a.querySelector('i').textContent)") or []
    place = next((k for k, hit in enumerate(hits[:3]) if re.fullmatch(rf"(\w+::)*{name} C\+\+ function", hit)), None)
    if place is None:
        return f"the search for {name} begins with {hits[:3]}"
    tab.click(f"document.querySelectorAll('#hits a')[{place}]")
    tab.wait(f"location.pathname.endsWith('reference/{header.removesuffix('.hpp')}.html') && "
             f"location.hash === '#{'io::' * header.startswith('onnx')}{name}' && document.readyState === 'complete'")
    seen = tab.value("(() => { const e = document.querySelector(':target'); const r = e.getBoundingClientRect(); "
                     "return [e.innerText, r.top >= 0 && r.top < innerHeight - 40, "
                     "document.documentElement.scrollWidth <= innerWidth + 1] })()")
    if text_of(name, header) not in letters(seen[0]):
        return f"{name} has not its text: {letters(seen[0])[:80]}"
    if not seen[1]:
        return f"{name} is not in sight"
    return None if seen[2] else f"the page of {name} is wider than the screen"


def in_browser(folder, pictures):
    wrong = []
    with browser.browser() as tab:
        for width, height in ((1400, 1000), (400, 800)):
            tab.look(width, height)
            tab.open((folder / "index.html").as_uri())
            for name, header in NAMES.items():
                if found := search(tab, name, header):
                    wrong.append(f"{width} px: {found}")
            for name in PICTURES if pictures else []:
                for dark in (False, True):
                    tab.look(width, height, dark)
                    tab.open(f"{folder.as_uri()}/{name}")
                    if "search" in name:
                        tab.wait("document.querySelector('#found a') !== null")
                    tab.picture(pictures / f"{re.sub(r'[^a-z]+', '_', name)}_{width}{'_dark' if dark else ''}.png")
        wrong += tab.errors
    return wrong


def main(arguments):
    if len(arguments) > 1:
        print(__doc__)
        return 2
    if arguments == ["--self-test"]:
        return self_test()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch, "site")
        if status := subprocess.run([str(ROOT / "examples/site/run"), str(folder)]).returncode:
            return status
        wrong, pages, links = dead_links(folder)
        if browser.program():
            pictures = pathlib.Path(arguments[0]).resolve() if arguments else None
            if pictures:
                pictures.mkdir(parents=True, exist_ok=True)
            wrong += in_browser(folder, pictures)
        else:
            print("site: not tried in a browser, no Chromium")
    for line in wrong:
        print(line)
    print(f"site: {pages} pages, {links} links, {len(NAMES)} names looked for, {len(wrong)} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
