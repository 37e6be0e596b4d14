#!/usr/bin/env python3
"""Checks README.md, CHANGELOG.md and every page below include, examples, benchmarks and tests.

    pages.py [--bodies=LIBRARY] COMPILER [INCLUDE_DIRECTORY_OF_A_DEPENDENCY...]
                                        exit status 1 where something is wrong
    pages.py --self-test COMPILER       plants every kind of violation in a scratch tree and looks for it

A `cpp` block with `int main` is a complete program: it compiles with warnings as errors and exits with 0. (The library is
compiled once for all, unless it is given.) The next block without a language in the
same section is its output and equal to what it prints, unless the line above that block is
<!-- output not compared -->. A `cpp` block under a line <!-- from FILE --> is part of that file: its lines, but for their
indentation and for those with an ellipsis, occur there in the same order. Links lead to files and headings that are
there; headers named in backticks exist, from include/repebble, from the folder of a component or beside the page;
README.md is short.

Exit status 77: the compiler is not there.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["include", "examples", "benchmarks", "tests"]
HEADER_FOLDERS = ["include", "examples/networks", "examples/components/onnx", "examples/components/page",
                  "examples/components/pipelines", "examples/components/traces", "examples/components/treewidth",
                  "examples/studies/offload"]
LONGEST_README = 10240
SECONDS = 300

FENCE = re.compile(r"^ *```\s*(\S*)")
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADER = re.compile(r"`((?:[\w.]+/)*\w+\.hpp)`")
SOURCE = re.compile(r"^\s*<!-- from (\S+) -->$")
NOT_COMPARED = "<!-- output not compared -->"


def pages_of(root):
    found = [root / name for name in ("README.md", "CHANGELOG.md") if (root / name).is_file()]
    for folder in FOLDERS:
        found += sorted((root / folder).rglob("*.md"))
    return found


class block:
    """A fenced block: its language, its lines, the number of its first line, the line above it, its section."""

    def __init__(self, language, line, above, section):
        self.language, self.line, self.above, self.section, self.lines = language, line, above, section, []

    def text(self):
        return "".join(line + "\n" for line in self.lines)


def read(page):
    """The blocks of a page, its prose as (number, line), and its headings; None where a block has no end."""
    blocks, prose, headings, open_block, above = [], [], [], None, ""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fence = FENCE.match(line)
        if open_block is not None:
            if fence and not fence.group(1):
                blocks.append(open_block)
                open_block = None
            else:
                open_block.lines.append(line)
        elif fence:
            open_block = block(fence.group(1), number + 1, above, len(headings))
        else:
            prose.append((number, line))
            if heading := re.match(r"#+\s+(.*)", line):
                headings.append(heading.group(1))
        if line.strip():
            above = line.strip()
    return None if open_block is not None else (blocks, prose, headings)


def room_of(root, page):
    """The folder of a room for its pages, that of all rooms for its own, else nothing."""
    rooms = root / "include/repebble"
    if page.parent == rooms:
        return rooms
    return rooms / page.relative_to(rooms).parts[0] if rooms in page.parent.parents else None


def anchor(heading):
    """The anchor that a heading has: lower case, spaces to hyphens, letters, digits, hyphens and underscores kept."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def programs_of(blocks):
    """(program, its output or None) of every complete program."""
    for k, b in enumerate(blocks):
        if b.language != "cpp" or not any(re.search(r"\bint main\b", line) for line in b.lines):
            continue
        after = blocks[k + 1] if k + 1 < len(blocks) else None
        is_output = after and after.section == b.section and after.language == ""
        yield b, after if is_output and after.above != NOT_COMPARED else None


def bodies_of(root, text):
    """Includes of the bodies of components that a program uses, and those use; those of the library are compiled elsewhere."""
    bodies, seen, texts = [], set(), [text]
    while texts:
        for name in re.findall(r"#include <repebble/([^>]+[.]hpp)>", texts.pop()):
            body = f"repebble/impl/{name.removesuffix('.hpp')}.ipp".replace("/detail/", "/")
            for folder in HEADER_FOLDERS[1:] if name not in seen else []:
                for file in (f"repebble/{name}", body):
                    if (path := root / folder / file).is_file():
                        texts.append(path.read_text(encoding="utf-8"))
                        bodies += [body] if file == body else []
            seen.add(name)
    return "".join(f"#include <{body}>\n" for body in bodies)


def missing_line(root, name, lines):
    """What keeps a fragment from being part of a file; nothing where it is."""
    path = root / name
    if not path.is_file():
        return f"there is no file {name}"
    rest = iter(line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    for line in (line.strip() for line in lines):
        if line and "…" not in line and line not in rest:  # `in` goes on behind the line that it found
            return f"{name} has no line, or not in this order: {line}"
    return None


def check_page(root, page, known):
    """(kind, line, reason) of everything that is wrong with a page but its programs."""
    if known[page] is None:
        return [("fence", 1, "a block has no end")]
    blocks, prose, _ = known[page]
    wrong = []
    for number, line in prose:
        for target in LINK.findall(line):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, heading = target.partition("#")
            path = pathlib.Path(os.path.normpath(page.parent / name)) if name else page
            if not path.exists():
                wrong.append(("link", number, f"there is no {target}"))
            elif heading and known.get(path) and heading not in map(anchor, known[path][2]):
                wrong.append(("link", number, f"{name or 'this page'} has no heading #{heading}"))
        for name in HEADER.findall(line) if page.name != "CHANGELOG.md" else []:  # which names headers of the past, too
            beside = [page.parent / name, root / name]
            beside += [root / folder / below / name for folder in HEADER_FOLDERS for below in ("", "repebble")]
            # A name alone may be of any header of the page's room, and elsewhere of a file that is made.
            room = room_of(root, page)
            if not any(path.is_file() for path in beside) and ("/" in name or room and not any(room.rglob(name))):
                wrong.append(("header", number, f"there is no header {name}"))
    for b in blocks:
        source = SOURCE.match(b.above)
        if b.language == "cpp" and source and (reason := missing_line(root, source.group(1), b.lines)):
            wrong.append(("fragment", b.line, reason))
    return wrong


def check(root, compiler, dependencies, library=None):
    """(kind, message) of every violation below root, and how many pages and programs there are."""
    pages = pages_of(root)
    known = {page: read(page) for page in pages}
    violations, programs = [], []

    def report(kind, page, line, reason):
        violations.append((kind, f"{page.relative_to(root)}:{line}: [{kind}] {reason}"))

    readme = root / "README.md"
    if not readme.is_file():
        return [("missing", "there is no README.md")], 0, 0
    if (size := readme.stat().st_size) > LONGEST_README:
        report("size", readme, 1, f"{size} bytes, at most {LONGEST_README}")
    for page in pages:
        for found in check_page(root, page, known):
            report(found[0], page, *found[1:])
        if known[page]:
            programs += [(page, *found) for found in programs_of(known[page][0])]

    flags = ["-std=c++20", "-O0", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-pthread",
             *(x for folder in HEADER_FOLDERS for x in ("-I", str(root / folder)))]
    for folder in dependencies:
        flags += [] if folder == "/usr/include" else ["-isystem", folder]
    cache = [*filter(None, [shutil.which("ccache")])]
    (root / "build").mkdir(exist_ok=True)  # paths from a folder there are the same in every checkout, and ccache knows them
    with tempfile.TemporaryDirectory(dir=root / "build") as scratch, concurrent.futures.ThreadPoolExecutor(2) as pool:
        flags.append("-DREPEBBLE_SEPARATE_COMPILATION")
        bodies = [library] if library else []
        # The tree of the self test has no library.
        if programs and not library and (root / "include/repebble/src.hpp").is_file():
            bodies = [str(pathlib.Path(scratch, "bodies.o"))]
            source = pathlib.Path(scratch, "bodies.cpp")
            source.write_text("#include <repebble/src.hpp>\n", encoding="utf-8")
            said = subprocess.run([compiler, *flags, "-c", str(source), "-o", *bodies], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
            if said.returncode:
                return violations + [("compile", f"the bodies do not compile\n{said.stdout}")], len(pages), 0

        def outcome(numbered):
            number, (page, program, expected) = numbered
            source, built = pathlib.Path(scratch, f"{number}.cpp"), pathlib.Path(scratch, str(number))
            source.write_text(program.text() + bodies_of(root, program.text()), encoding="utf-8")
            for command in ([*cache, compiler, *flags, "-c", source.name, "-o", f"{number}.o"],
                            [compiler, "-pthread", f"{number}.o", *bodies, "-o", built.name]):
                said = subprocess.run(command, cwd=scratch, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                if said.returncode:
                    return "compile", page, program.line, f"the program does not compile\n{said.stdout}"
            try:
                ran = subprocess.run([str(built)], cwd=scratch, stdout=subprocess.PIPE, text=True, timeout=SECONDS)
            except subprocess.TimeoutExpired:
                return "run", page, program.line, f"the program runs for more than {SECONDS} seconds"
            if ran.returncode:
                return "run", page, program.line, f"the program exits with {ran.returncode}"
            if expected and [line.rstrip() for line in ran.stdout.splitlines()] != expected.lines:
                return "output", page, expected.line, f"the program prints\n{ran.stdout}"
            return None

        for found in pool.map(outcome, enumerate(programs)):
            if found:
                report(found[0], found[1], *found[2:])
    return violations, len(pages), len(programs)


CLEAN = {
    "README.md": """# A tree
See [pages](include/repebble/README.md#the-rooms--walls), [above](#a-tree) and `graph/access.hpp`.

```cpp
#include <cstdio>
#include <repebble/graph/access.hpp>
int main() { std::puts(word); }
```

prints

```
word
```

```cpp
int main() { return 0; }
```

<!-- output not compared -->
```
some time
```
""",
    "include/repebble/README.md": "## The rooms & walls\n`access.hpp`\n\n<!-- from examples/one.cpp -->\n```cpp\n"
                                  "int a = 1;\n// …\n    int c = 3;\n```\n",
    "include/repebble/graph/detail/README.md": "# Parts\nOf `access.hpp`.\n",
    "include/repebble/graph/access.hpp": 'inline constexpr char const* word = "word";\n',
    "examples/one.cpp": "int a = 1;\nint b = 2;\nint c = 3;\n",
}
# (kind, page, what is replaced in it, by what): each planted alone in the clean tree; a page replaced by None is removed.
PLANTED = [
    ("missing", "README.md", None, None),
    ("size", "README.md", "# A tree\n", "# A tree\n" + "word " * LONGEST_README + "\n"),
    ("link", "README.md", "include/repebble/README.md#", "include/repebble/READ.md#"),
    ("link", "README.md", "#the-rooms--walls", "#the-rooms"),
    ("link", "README.md", "(#a-tree)", "(#a-bush)"),
    ("link", "include/repebble/README.md", "`access.hpp`", "[up](../README.md)"),
    ("header", "README.md", "`graph/access.hpp`", "`graph/acces.hpp`"),
    ("header", "include/repebble/README.md", "`access.hpp`", "`acces.hpp`"),
    ("header", "include/repebble/graph/detail/README.md", "`access.hpp`", "`acces.hpp`"),
    ("compile", "README.md", "std::puts(word)", "std::puts(words)"),
    ("compile", "README.md", "return 0", "int unused = 0; return 0"),
    ("compile", "include/repebble/graph/access.hpp", "word", "other"),
    ("run", "README.md", "return 0", "return 1"),
    ("output", "README.md", "\nword\n", "\nwords\n"),
    ("output", "README.md", "<!-- output not compared -->\n", ""),
    ("fragment", "include/repebble/README.md", "int c = 3;", "int c = 4;"),
    ("fragment", "include/repebble/README.md", "int a = 1;\n// …\n    int c = 3;", "int c = 3;\nint a = 1;"),
    ("fragment", "include/repebble/README.md", "one.cpp", "two.cpp"),
    ("fence", "include/repebble/README.md", "    int c = 3;\n```\n", "    int c = 3;\n"),
]


def self_test(compiler):
    def violations_of(files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return check(pathlib.Path(folder), compiler, [])[0]

    failures = [f"found in the clean tree: {message}" for _, message in violations_of(CLEAN)]
    for kind, name, old, new in PLANTED:
        files = {**CLEAN}
        if old is None:
            del files[name]
        elif old in files[name]:
            files[name] = files[name].replace(old, new)
        else:
            failures.append(f"not in {name}: {old}")
        found = violations_of(files)
        if [k for k, _ in found] != [kind]:
            failures.append(f"not caught alone: [{kind}] in {name}: {old} -> {new and new[:40]}; found {found}")
    for failure in failures:
        print(failure)
    print(f"pages: {len(PLANTED)} violations planted, {len(failures)} failures")
    return 1 if failures else 0


def main(arguments):
    testing = arguments[:1] == ["--self-test"]
    arguments = arguments[testing:]
    library = arguments.pop(0).partition("=")[2] if arguments and arguments[0].startswith("--bodies=") else None
    if not arguments or arguments[0].startswith("-"):
        print(__doc__)
        return 2
    compiler, *dependencies = arguments
    if not shutil.which(compiler):
        print(f"pages: skipped, no {compiler}")
        return 77
    if testing:
        return self_test(compiler)
    violations, pages, programs = check(ROOT, compiler, dependencies, library)
    for _, message in violations:
        print(message)
    print(f"pages: {pages} pages, {programs} programs, {compiler}")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
