#!/usr/bin/env python3
"""Writes the site: all pages of the project, the reference of C++ and of Python, what pages link to, and a search.

    build.py FOLDER

Plain files that any server or `file:` shows, without a network. README.md is the first page, and each page lies where it
lies in the project; reference/ has a page for each public header and each Python package. Needs markdown-it-py and
Pygments; `run`, beside this, brings them.
"""
import functools
import html
import json
import pathlib
import posixpath
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import headers  # noqa: E402
import modules  # noqa: E402
import render  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# Where public headers lie.
HEADERS = ["include/repebble", *sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("examples/components/*/repebble"))]
PACKAGES = ["", "torch", "jax"]
# The navigation: a heading, whether it is open, and its pages, in order. A page is in the first group that fits.
GROUPS = [
    ("Start", ["README.md", "include/repebble/INSTALL.md", "include/repebble/STABILITY.md"]),
    ("Tutorials", ["examples/tutorials/README.md", *(f"examples/tutorials/{name}.md" for name in (
        "onnx", "ir", "pytorch", "jax", "chain", "buffers", "algorithm", "small_memories", "cookbook")), "examples/tutorials/*.md"]),
    ("Programs", ["examples/README.md", *(f"examples/{name}/README.md" for name in (
        "plan", "allocate", "chain", "treewidth", "pipeline", "train_cpu"))]),
    ("Python", ["examples/python/README.md", "examples/python/**/*.md"]),
    ("The library", ["include/repebble/README.md", "include/repebble/graph/README.md", "include/repebble/pebbling/README.md",
                     "include/repebble/planner/README.md", "include/repebble/recompute/README.md",
                     "include/repebble/*/README.md"]),
    ("Components", ["examples/components/*/README.md", "examples/studies/*/README.md"]),
    ("Reference", []),
    ("Words and papers", ["include/repebble/GLOSSARY.md", "include/repebble/PAPERS.md", "CHANGELOG.md"]),
    ("Measured", ["benchmarks/README.md", "benchmarks/*.md"]),
    ("For contributors", ["tests/README.md", "**/*.md"]),
]
LARGEST_SOURCE = 200_000


def first_sentence(text):
    words = re.sub(r"\[(.*?)\]\(.*?\)", r"\1", re.sub(r"[`*]", "", text.replace("\n", " ")))
    return re.match(r".*?[.:](?= |$)|.*", words).group().rstrip(".:") + "."


def fits(page, pattern):
    """Whether a path fits a pattern, in which * has no slash, and **/ any folders."""
    parts = {"**/": "(.*/)?", "*": "[^/]*"}
    return re.fullmatch(re.sub(r"\*\*/|\*|[^*]+", lambda found: parts.get(found.group(), re.escape(found.group())), pattern), page)


@functools.lru_cache(None)
def from_folder(folder, target):
    return posixpath.relpath("/" + target, "/" + folder)


class site:
    def __init__(self, folder):
        self.folder, self.index, self.sources, self.titles = folder, [], {}, {}
        self.pages = sorted(self.markdown_pages())
        self.groups = self.grouped()
        self.headers = dict(self.public_headers())
        self.names = self.addresses()
        self.render = render.renderer(self.where, self.named)

    # ---- what there is

    def markdown_pages(self):
        for name in ("README.md", "CHANGELOG.md"):
            yield name
        for top in ("include", "examples", "benchmarks", "tests"):
            yield from (str(p.relative_to(ROOT)) for p in (ROOT / top).rglob("*.md"))

    def grouped(self):
        left, groups = list(self.pages), []
        for heading, patterns in GROUPS:
            found = [page for pattern in patterns for page in left if fits(page, pattern)]
            groups.append((heading, list(dict.fromkeys(found))))
            left = [page for page in left if page not in found]
        return groups

    def public_headers(self):
        """(address, (name in an #include, text of the file)) of each."""
        for folder in HEADERS:
            for path in sorted((ROOT / folder).rglob("*.hpp")):
                name = str(path.relative_to(ROOT / folder))
                if "detail" not in path.parts and path.name != "src.hpp":
                    yield f"reference/{name.removesuffix('.hpp')}.html", (f"repebble/{name}", path)

    def addresses(self):
        """Where each public name of C++ is told, by its name without `repebble::`, and each header by its own."""
        names, self.declared = {}, {}
        for address, (name, path) in self.headers.items():
            names[name.removeprefix("repebble/")] = names[name] = address
            self.declared[address] = headers.read(path.read_text(encoding="utf-8"))
            for d in self.declared[address]:
                names.setdefault(d.full.removeprefix("repebble::"), f"{address}#{self.id_of(d)}")
                for m in d.members if d.kind != "function" else []:
                    names.setdefault(m.full.removeprefix("repebble::"), f"{address}#{self.id_of(m)}")
        self.types = {d.full.removeprefix("repebble::") for ds in self.declared.values() for d in ds if d.kind != "function"}
        return names

    @staticmethod
    def id_of(declaration):
        return re.sub(r"[^\w.:~\-]", "", declaration.full.replace("operator", "operator-").replace("repebble::", "", 1))

    # ---- addresses

    @staticmethod
    def address(page):
        """Where a file of the project lies in the site, if it is a page."""
        return re.sub(r"(^|/)README\.html$", r"\1index.html", page.removesuffix(".md") + ".html")

    @staticmethod
    def relative(page, target):
        return from_folder(page.rpartition("/")[0], target)

    def where(self, page, link):
        """The link of a page of the project, or of the site, as one of the site."""
        if re.match(r"[a-z]+:|#", link):
            return link
        name, mark, heading = link.partition("#")
        source = self.source_of.get(page, page)
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), name))
        return self.relative(page, self.place(target)) + mark + heading

    def place(self, target):
        """The address of a file or a folder of the project: its page, its reference, a page of its text, or a copy."""
        path = ROOT / target
        if target in self.pages:
            return self.address(target)
        for address, (_, header) in self.headers.items():
            if header == path:
                return address
        if path.is_dir():
            if f"{target}/README.md" in self.pages:
                return self.address(f"{target}/README.md")
            self.sources[target] = f"source/{target}/index.html"
        elif path.suffix in (".svg", ".png", ".json", ".csv", ".dot", ".gz"):
            self.sources[target] = target
        else:
            self.sources[target] = f"source/{target}.html"
        return self.sources[target]

    def named(self, page, words, is_bare):
        """The address of a name such as `find_least_budget(p)`, `io::read_onnx`, `graph/access.hpp`; bare ones are types."""
        found = re.match(r"(?:repebble::)?((?:\w+::)*\w+|[\w/]+\.hpp)(\(.*\)|\{.*\})?$", words.strip(), re.DOTALL)
        if not found or is_bare and (not page.startswith("reference/") or found.group(1) not in self.types):
            return None
        name = found.group(1)
        short = self.names.get(name) or self.names.get(f"io::{name}") or self.names.get(f"views::{name}")
        # A word that is only a name where it is called, or written out, such as `plan` and `chain`.
        if short and "_" not in name and "::" not in words and ".hpp" not in name and not found.group(2) and not is_bare:
            return None
        return self.relative(page, short) if short and short.split("#")[0] != page else short and "#" + short.split("#")[1] \
            if short and "#" in short else None

    # ---- pages

    def navigation(self, page):
        out = []
        for heading, pages in self.groups:
            links = [(self.titles[p], self.address(p)) for p in pages]
            if heading == "Reference":
                links = [("C++, by header", "reference/index.html"),
                         *((f"Python: {p}", f"reference/python/{p}.html") for p in self.packages)]
            within = any(at == page for _, at in links) or heading == "Reference" and page.startswith("reference/")
            rows = "".join(f'<li><a href="{self.relative(page, at)}"{" aria-current=page" if at == page else ""}>'
                           f"{html.escape(title)}</a></li>" for title, at in links)
            is_open = " open" if within or heading in ("Start", "Tutorials") else ""
            out.append(f"<details{is_open}><summary>{heading}</summary><ul>{rows}</ul></details>")
        return "".join(out)

    def write(self, page, title, body, contents=()):
        """contents: (level, heading, anchor), for the list beside the page, whose long names break between words."""
        up = self.relative(page, ".")
        beside = "".join(f'<li class="l{level}"><a href="#{at}">{html.escape(heading).replace("_", "_<wbr>")}</a></li>'
                         for level, heading, at in contents)
        path = self.folder / page
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = f'<aside><p>On this page</p><ul>{beside}</ul></aside>' if beside else ""
        path.write_text(f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)} · repebble</title><link rel="stylesheet" href="{up}/site.css"></head>
<body data-up="{up}"><header><label for="menu" class="menu" title="Pages">☰</label>
<a class="name" href="{up}/index.html">repebble</a>
<form action="{up}/search.html"><input type="search" name="q" placeholder="Search" aria-label="Search" autocomplete="off">
</form><ol id="hits" hidden></ol></header>
<input type="checkbox" id="menu" hidden><div class="columns"><nav>{self.navigation(page)}</nav>
<main>{body}</main>{beside}</div><script src="{up}/search.js"></script></body></html>
""", encoding="utf-8")

    def found(self, kind, name, page, anchor, text):
        """An entry of the search."""
        words = re.sub(r"\s+", " ", re.sub(r"[|`*]", " ", text)).strip()
        self.index.append([kind, name, page + (f"#{anchor}" if anchor else ""), words])

    def page(self, name):
        page = self.address(name)
        self.source_of[page] = name
        body, title, sections, rows = self.render.page(page, (ROOT / name).read_text(encoding="utf-8"))
        if name == "README.md":
            body = re.sub(r"(<p><img [^>]*></p>)", lambda found: found.group(1) + self.jobs(page), body, count=1)
        for level, heading, at, words in sections:
            if heading or any(words):
                self.found("page", title if level == 1 else f"{title} › {heading}", page, at if level > 1 else "", " ".join(words))
        for (word, *text), at in rows:
            if name.endswith("GLOSSARY.md"):
                self.found("word", word, page, at, " ".join(text))
            for option in re.findall(r"--[\w-]+", word) if word.startswith("--") else []:
                self.found("option", f"{title.split(':')[0]} {option}", page, at, " ".join(text))
        contents = [(level, heading, at) for level, heading, at, _ in sections if level in (2, 3)]
        self.write(page, title, body, contents if len(contents) > 2 else ())

    def jobs(self, page):
        """Cards on the first page: a tutorial each, with its first sentence."""
        cards = []
        for name in dict(self.groups)["Tutorials"]:
            if not name.endswith("README.md"):
                text = (ROOT / name).read_text(encoding="utf-8").split("\n\n")
                cards.append(f'<a href="{self.relative(page, self.address(name))}"><b>{html.escape(self.titles[name])}</b>'
                             f"<span>{html.escape(first_sentence(text[1]))}</span></a>")
        return f'<div class="jobs">{"".join(cards)}</div>' if cards else ""

    # ---- the reference

    def one(self, page, d, show, language, level=2):
        """A declaration: its heading, and for each overload, its code and its text; then its members."""
        first, kind = d[0], d[0].kind
        parts = [f'<section id="{self.id_of(first)}" class="{kind}"><h{level}>{html.escape(first.name)} '
                 f"<small>{kind}</small></h{level}>"]
        for overload in d:
            calls = overload.members if kind == "function" else []
            code = "\n".join(c.code for c in [overload, *calls] if c.code and (c is overload or not c.text))
            if code:
                parts.append(f'<pre class="code"><code>{self.render.code(page, code, language)}</code></pre>')
            parts.append(show(page, overload.text))
            for c in calls:
                if c.text:
                    parts.append(f'<pre class="code"><code>{self.render.code(page, c.code, language)}</code></pre>')
                    parts.append(show(page, c.text))
        members = [] if kind == "function" else first.members
        plain = [m for m in members if m.kind in ("member", "enumerator", "alias")]
        if plain:
            parts.append("<dl>")
            for m in plain:
                parts.append(f'<dt id="{self.id_of(m)}"><code>{self.render.code(page, m.code, language)}</code></dt>'
                             f"<dd>{show(page, m.text)}</dd>")
            parts.append("</dl>")
        for m in self.by_name([m for m in members if m not in plain]):
            parts.append(self.one(page, m, show, language, min(level + 1, 4)))
        return "".join(parts) + "</section>"

    @staticmethod
    def by_name(declarations):
        """Overloads together, in the order of the first."""
        found = {}
        for d in declarations:
            found.setdefault((d.full, d.kind == "function"), []).append(d)
        return list(found.values())

    def enter(self, page, declarations, language):
        for group in self.by_name(declarations):
            text = " ".join(x.text for d in group for x in [d, *(d.members if d.kind == "function" else [])])
            self.found(f"{language} {group[0].kind}", group[0].full, page, self.id_of(group[0]), text)
            if group[0].kind != "function":
                self.enter(page, group[0].members, language)

    def header(self, page, name, path):
        declared, about = self.declared[page], headers.about(path.read_text(encoding="utf-8"))
        self.source_of[page] = str(path.relative_to(ROOT))
        groups = sorted(self.by_name(declared), key=lambda d: d[0].kind != "function")
        room = path.parent / "README.md"
        room = f' · <a href="{self.where(page, "README.md")}">its room</a>' if room.is_file() else ""
        source = self.sources[self.source_of[page]] = f"source/{self.source_of[page]}.html"
        body = [f'<h1>{name.removeprefix("repebble/")}</h1><pre class="code"><code>#include &lt;{name}&gt;</code></pre>'
                f'<p class="where"><a href="{self.relative(page, source)}">source</a>{room}</p>', self.render.comment(page, about)]
        body += [self.one(page, d, self.render.comment, "cpp") for d in groups]
        self.found("C++ header", name.removeprefix("repebble/"), page, "", about)
        self.enter(page, declared, "C++")
        self.write(page, name, "".join(body), [(2, d[0].name, self.id_of(d[0])) for d in groups])

    def header_index(self):
        page, rooms = "reference/index.html", {}
        for address, (name, path) in self.headers.items():
            rooms.setdefault(posixpath.dirname(name.removeprefix("repebble/")) or "at the root", []).append((address, name, path))
        body = ["<h1>Reference of C++</h1><p>Every public name, by room and header. What a header is for stands on the page of "
                f'its room: <a href="{self.relative(page, "include/repebble/index.html")}">what lies where</a>. All headers '
                "but those of io/, views/, report/ and the components are in <code>&lt;repebble/repebble.hpp&gt;</code>.</p>"]
        for room, rows in rooms.items():
            body.append(f'<h2 id="{render.anchor(room)}">{room}</h2><div class="table"><table>')
            for address, name, path in rows:
                functions = dict.fromkeys(d.name for d in self.declared[address])
                links = ", ".join(f'<a href="{self.relative(page, self.names[n])}"><code>{d}</code></a>' for d in functions
                                  for n in [next(x.full for x in self.declared[address] if x.name == d).removeprefix("repebble::")])
                body.append(f'<tr><td><a href="{self.relative(page, address)}">{posixpath.basename(name)}</a></td><td>{links}</td></tr>')
            body.append("</table></div>")
        self.write(page, "Reference of C++", "".join(body), [(2, room, render.anchor(room)) for room in rooms])

    def package(self, name, text, declared):
        page = f"reference/python/{name}.html"
        body = [f"<h1>{name}</h1>", self.render.comment(page, re.sub(r"^(model|print)", r"    \1", text, flags=re.MULTILINE))]
        groups = self.by_name(sorted(declared, key=lambda d: (d.kind != "function", d.kind != "constant")))
        body += [self.one(page, d, self.render.docstring, "python") for d in groups]
        self.enter(page, declared, "Python")
        self.write(page, f"{name} for Python", "".join(body), [(2, d[0].name, self.id_of(d[0])) for d in groups])

    # ---- files

    def source(self, target, page):
        path = ROOT / target
        if path.is_dir():
            rows = "".join(f'<li><a href="{self.relative(page, self.place(f"{target}/{p.name}"))}">{p.name}</a></li>'
                           for p in sorted(path.iterdir()) if not p.name.startswith("__"))
            self.write(page, target, f"<h1>{target}</h1><ul>{rows}</ul>")
        elif page == target:
            (self.folder / page).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, self.folder / page)
        else:
            text = path.read_text(encoding="utf-8")[:LARGEST_SOURCE]
            self.write(page, target, f'<h1>{target}</h1><pre class="code"><code>'
                                     f"{self.render.code(page, text, path.suffix[1:])}</code></pre>")

    def build(self):
        self.source_of, self.packages = {}, {}
        for package in PACKAGES:
            folder = ROOT / "examples/python/repebble" / package
            if (folder / "__init__.py").is_file():
                name = f"repebble.{package}".rstrip(".")
                self.packages[name] = modules.read(folder, name)
        for name in self.pages:
            heading = re.search(r"^#+ (.*)", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
            self.titles[name] = re.sub(r"[`*]", "", heading.group(1) if heading else name)
        for name in self.pages:
            self.page(name)
        for address, (name, path) in self.headers.items():
            self.header(address, name, path)
        self.header_index()
        for name, (text, declared) in self.packages.items():
            self.package(name, text, declared)
        self.write("search.html", "Search", '<h1>Search</h1><ol id="found"></ol>')
        done = set()
        while left := {t: p for t, p in self.sources.items() if t not in done}:
            for target, page in left.items():
                self.source(target, page)
                done.add(target)
        for name in ("site.css", "search.js"):
            shutil.copyfile(HERE / name, self.folder / name)
        rows = ",\n".join(json.dumps(entry, ensure_ascii=False, separators=(",", ":")) for entry in self.index)
        (self.folder / "index.js").write_text(f"const INDEX = [\n{rows}\n];\n", encoding="utf-8")


def main(arguments):
    if len(arguments) != 1:
        print(__doc__)
        return 2
    folder = pathlib.Path(arguments[0]).resolve()
    if folder.exists() and any(folder.iterdir()):
        if not (folder / "site.css").is_file():
            print(f"site: {folder} is not empty, and no site of before", file=sys.stderr)
            return 2
        shutil.rmtree(folder)
    made = site(folder)
    made.build()
    print(f"site: {len(made.pages)} pages, {len(made.headers)} headers, {len(made.index)} entries of the search: {folder}/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
