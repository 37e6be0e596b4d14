#!/usr/bin/env python3
"""Does what README.md says, word for word: its commands are cut out of the page, and what they print is compared.

    newcomer.py PLAN                       what examples/run prints without arguments, by a program `plan` that is built;
                                           and with --help, where nothing is: at once, and no option is missing
    newcomer.py --bare FOLDER [--tests]    all of it in a new Debian in FOLDER, which must not exist: the first command of
                                           "Two commands", with --tests the second too, and the first program by the
                                           compiler's command of "Install". As root, with debootstrap; takes minutes
    newcomer.py --python FOLDER ARCHIVES   what examples/python/make_wheels made in ARCHIVES, installed in a new Debian in
                                           FOLDER: the wheel where there is Python alone, then the source archive with a
                                           compiler; and the first program of the package's page by each
    newcomer.py --self-test

Rows are compared but for their seconds. Exit status 1: something differs; 77: no root, or no debootstrap.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
SECONDS = re.compile(r"\d+\.\d{3}")


def section(page, heading):
    """The text below a heading of the page, up to the next of its kind."""
    return page.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


def blocks(text, language=""):
    return [body for of, body in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL) if of == language]


def commands(page):
    """The lines of the first block of "Two commands", without their comments."""
    return [line.split("#")[0].strip() for line in blocks(section(page, "Two commands"))[0].splitlines()]


def row(line):
    """The words of a row but its seconds."""
    words = line.split()
    seconds = next((k for k, word in enumerate(words) if SECONDS.fullmatch(word)), len(words))
    return words[:seconds] + words[seconds + 1:]


def differences(page, printed):
    """What the page says of the first command's output, and the output does not."""
    text = section(page, "Two commands")
    count = re.search(r"prints (\w+) such rows", text)[1]
    rows = [row(line) for line in printed.splitlines() if line.strip()]
    shown = [row(line) for line in blocks(text)[1].splitlines()]
    found = [f"not printed: {' '.join(words)}" for words in shown if words not in rows]
    strategies = sum(1 for line in printed.splitlines() if any(SECONDS.fullmatch(word) for word in line.split()))
    if strategies != NUMBERS.index(count):
        found.append(f"prints {strategies} rows, not {count}")
    return found


def usual_arguments():
    """What examples/run hands to `plan` when it has no arguments itself: the words of its last line."""
    last = (ROOT / "examples/run").read_text().splitlines()[-1]
    return re.fullmatch(r'exec "\$built" (.*)', last)[1].split()


def help_without_build(plan):
    """What examples/run --help leaves out of the programs, and of the options of `plan`, where no program is built."""
    with tempfile.TemporaryDirectory() as folder:
        for path in [ROOT / "examples/run", *ROOT.glob("examples/README.md"), *ROOT.glob("examples/*/README.md")]:
            copy = pathlib.Path(folder, path.relative_to(ROOT))
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
        said = [subprocess.run([f"{folder}/examples/run", *words, "--help"], check=True, stdout=subprocess.PIPE, text=True,
                               timeout=20).stdout for words in ([], ["plan"])]
    programs = [path.parent.name for path in ROOT.glob("examples/*/main.cpp")]
    options = re.findall(r"--[a-z-]+", subprocess.run([plan, "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout)
    return [f"examples/run --help does not say {name}" for name in programs if not re.search(rf"\b{name}\b", said[0])] + [
        f"examples/run plan --help does not say {option}" for option in sorted(set(options) - {"--help"})
        if not re.search(rf"{option}\b", said[1])]


class bare_root:
    """A Debian with nothing but its least packages, and this commit in /repebble; its /proc is mounted within `with`."""

    def __init__(self, folder):
        self.folder = folder
        sources = pathlib.Path("/etc/apt/sources.list.d/debian.sources")
        mirror = re.search(r"^URIs: (\S+)", sources.read_text(), re.MULTILINE) if sources.is_file() else None
        subprocess.run(["debootstrap", "--variant=minbase", "bookworm", folder, *([mirror[1]] if mirror else [])], check=True,
                       stdout=sys.stderr)
        for path in ("/etc/apt", "/etc/resolv.conf"):
            if pathlib.Path(path).is_dir():
                shutil.copytree(path, f"{folder}{path}", dirs_exist_ok=True)
            else:
                shutil.copy(path, f"{folder}{path}")
        certificates = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")  # of a mirror, those of Debian may not do
        pathlib.Path(folder, "certificates").write_bytes(certificates.read_bytes() if certificates.is_file() else b"")
        tree = pathlib.Path(folder, "repebble")
        tree.mkdir(parents=True)
        packed = subprocess.run(["git", "-C", ROOT, "archive", "HEAD"], check=True, stdout=subprocess.PIPE).stdout
        subprocess.run(["tar", "-x", "-C", tree], input=packed, check=True)

    def __enter__(self):
        subprocess.run(["mount", "-t", "proc", "proc", f"{self.folder}/proc"], check=True)
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", f"{self.folder}/proc"], check=True)

    def run(self, command, where="/repebble"):
        """What the command prints; its other stream goes to ours."""
        environment = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "TERM=dumb", "LANG=C.UTF-8"]
        settings = [f"{k}={v}" for k, v in os.environ.items() if k.lower().endswith("_proxy")]
        if pathlib.Path(self.folder, "certificates").stat().st_size:
            settings.append("PIP_CERT=/certificates")
        print(f"newcomer: {command}", file=sys.stderr)
        return subprocess.run(["chroot", self.folder, *environment, *settings, "bash", "-c", f"cd {where} && {command}"],
                              check=True, stdout=subprocess.PIPE, text=True).stdout


def require_new(folder):
    """Ends where there can be no new Debian in the folder."""
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        print("newcomer: needs root and debootstrap; skipped", file=sys.stderr)
        sys.exit(77)
    if pathlib.Path(folder).exists():
        sys.exit(f"newcomer: {folder} is already there")


def try_python(page, folder, archives):
    """What differs from the page of the Python package where it is installed in a new Debian."""
    require_new(folder)
    program, output = blocks(page, "python")[0], blocks(page)[1]
    found = []
    with bare_root(folder) as root:
        shutil.copytree(archives, f"{folder}/archives")
        pathlib.Path(folder, "first.py").write_text(program)
        root.run("apt-get update -q >&2")
        for packages, what in (("python3-venv", "--no-index --find-links archives --only-binary :all: repebble"),
                               ("g++ python3-dev", "archives/repebble-*[0-9].tar.gz")):
            root.run(f"apt-get install -y -q --no-install-recommends {packages} >&2")
            root.run(f"python3 -m venv --clear venv && venv/bin/pip install {what} >&2", "/")
            if (printed := root.run("venv/bin/python first.py", "/")).split() != output.split():
                found.append(f"of {what}, first.py prints {printed!r}")
    return found


def try_bare(page, folder, tests):
    """What differs from the page in a new Debian."""
    require_new(folder)
    run, test = commands(page)
    with bare_root(folder) as root:
        found = differences(page, root.run(run))
        program, output = (blocks(section(page, "A plan"), language)[0] for language in ("cpp", ""))
        pathlib.Path(folder, "first.cpp").write_text(program)
        compiler = re.search(r"^\| a compiler \| `(.*)` \|$", section(page, "Install"), re.MULTILINE)[1]
        if (printed := root.run(f"{compiler} && ./a.out", "/")) != output:
            found.append(f"first.cpp prints {printed!r}")
        if tests:
            print(root.run(test)[-2000:])
    return found


PAGE = """# A tree

## Two commands

```
examples/run      # plans
tests/run         # tests
```

The first prints two such rows:

```
strategy  peak  CPU s
keep_all  9 B   0.000  misses
```

## A plan

```cpp
int main() {}
```

```
7 bytes
```
"""
PRINTED = "strategy  peak  CPU s\nkeep_all   9 B  7.123  misses\nautomatic  5 B  0.100\n"


def self_test():
    """Whether what differs is found, and nothing else."""
    assert [blocks(section(PAGE, "A plan"), of) for of in ("cpp", "")] == [["int main() {}\n"], ["7 bytes\n"]]
    assert commands(PAGE) == ["examples/run", "tests/run"]
    assert differences(PAGE, PRINTED) == []
    assert differences(PAGE, PRINTED.replace("9 B", "8 B")) == ["not printed: keep_all 9 B misses"]
    assert differences(PAGE.replace("two", "three"), PRINTED) == ["prints 2 rows, not three"]


def main(arguments):
    page = (ROOT / "README.md").read_text()
    if arguments == ["--self-test"]:
        return self_test()
    if len(arguments) >= 2 and arguments[0] == "--bare" and arguments[2:] in ([], ["--tests"]):
        found = try_bare(page, arguments[1], arguments[2:] == ["--tests"])
    elif len(arguments) == 3 and arguments[0] == "--python":
        found = try_python((ROOT / "examples/python/README.md").read_text(), *arguments[1:])
    elif len(arguments) == 1 and not arguments[0].startswith("-"):
        printed = subprocess.run([pathlib.Path(arguments[0]).resolve(), *usual_arguments()], cwd=ROOT, check=True,
                                 stdout=subprocess.PIPE, text=True).stdout
        found = differences(page, printed) + help_without_build(pathlib.Path(arguments[0]).resolve())
    else:
        sys.exit(__doc__)
    for line in found:
        print(f"newcomer: {line}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
