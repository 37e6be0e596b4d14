#!/usr/bin/env python3
"""Every public name is documented, Doxygen understands what is written, the reference of the site has each name, the
list of papers each that is cited, and the library each that STABILITY.md keeps.

    documented.py              exit status 1 where something is wrong
    documented.py --self-test  plants every kind of violation in a scratch tree and looks for it

The reference is made by examples/site/headers.py, which knows no C++ but that of this house; Doxygen is asked what public
names there are, and which have a text.

A name needs no words of its own where something else gives its meaning: operators, deduction guides, friends, iterators
and the members of ranges, specialisations of graph_traits, and function objects, which are documented at their constant.

Exit status 77: there is no doxygen.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples/site"))
import headers  # noqa: E402

UNDOCUMENTED = re.compile(r"warning: (?:Member|Compound) (.*?) (?:\((\w+)\) of (?:\w+ )?(.*) )?is not documented\.$")
STANDARD = re.compile(r"operator\W|(begin|end|size|empty|data|value_type|difference_type|reference|pointer|iterator_concept|"
                      r"iterator_category)\b")

NAME = r"[A-ZÖÉ][\w'ß-]+"
CITED = re.compile(rf"({NAME}(?:(?:, | & ){NAME})*)(?: et al\.)?(?: \(\w+\))?,? \(?((?:19|20)\d\d)\b")


def needs_words(line):
    """False for the warning that a name is undocumented where it needs no documentation."""
    found = UNDOCUMENTED.search(line)
    if not found:
        return True
    name, kind, owner = found.groups()
    owner = owner or name
    guide = kind == "function" and re.match(r"(\w+)\(.*\) *-> *\1\b", name)
    known = re.search(r"_fn$|::iterator$|graph_traits", owner)
    return not (STANDARD.match(name) or guide or known or kind == "friend")


def filtered(text):
    """A header without the version's inline namespace, and of namespace detail nothing but the function object types, which
    show how the public constants are called. Lines keep their numbers."""
    out, within, function = [], False, False
    for line in text.splitlines():
        line = re.sub(r"namespace repebble::inline v\d+", "namespace repebble", line)
        if re.match(r"namespace (\w+::)*detail \{", line):
            within = True
        elif re.match(r"\}  // namespace .*\bdetail$", line):
            within = False
        elif within:
            if found := re.match(r"struct (\w+)_fn\b", line):
                function = not line.rstrip().endswith(";")
                line = f"/** How {found.group(1)} is called. */ {line}"
            elif function:
                function = line != "};"
            else:
                line = ""
        out.append(line)
    return "\n".join(out) + "\n"


def public_headers(source):
    for folder in (source / "include", source / "examples/components"):
        yield from (path for path in sorted(folder.rglob("*.hpp")) if "detail" not in path.relative_to(folder).parts)


def members_of(folder):
    """(name, whether it has a text) of each public member of a namespace or a class that Doxygen wrote to a folder."""
    for path in sorted(folder.glob("*.xml")):
        of = xml.etree.ElementTree.parse(path).getroot().find("compounddef")
        if of is None or of.get("kind") not in ("namespace", "struct", "class") or of.get("prot") == "private":
            continue
        owner = of.findtext("compoundname")
        if not owner.startswith("repebble") or "detail" in owner or "<" in owner:
            continue
        for member in of.iter("memberdef"):
            deleted = (member.findtext("argsstring") or "").endswith("=delete")
            if member.get("prot") == "public" and member.get("kind") not in ("friend", "define") and not deleted:
                texts = (member.find("briefdescription"), member.find("detaileddescription"))
                name = re.sub(r"\s*([<>])\s*", r"\1", member.findtext("name"))
                yield f"{owner}::{name}", any("".join(text.itertext()).strip() for text in texts)


def told(headers_of_source):
    """All names of the reference, each with whether it has a text."""
    found = {}

    def add(declarations):
        for d in declarations:
            found[d.full] = found.get(d.full, False) or bool(d.text)
            add(d.members if d.kind != "function" else [])

    for path in headers_of_source:
        add(headers.read(path.read_text(encoding="utf-8")))
    return found


def unlisted_papers(source):
    """A line for each paper that a header or a page cites by names and year, and that PAPERS.md has not."""
    papers = source / "include/repebble/PAPERS.md"
    listed = re.split(r"\n- ", papers.read_text(encoding="utf-8") if papers.is_file() else "")
    for folder in (source / "include", source / "examples/components", source / "examples/studies"):
        for path in sorted(p for p in folder.rglob("*") if p.suffix in (".hpp", ".ipp", ".md") and p != papers):
            text = path.read_text(encoding="utf-8")
            if path.suffix != ".md":
                text = " ".join(line.lstrip("/<") for line in re.findall(r"//.*", text))
            for names, year in set(CITED.findall(re.sub(r"\s+", " ", text))):
                if not any(year in one and all(name in one for name in re.split(", | & ", names)) for one in listed):
                    yield f"{path.relative_to(source)}: PAPERS.md has not {names} {year}"


def lost_names(source, reference):
    """A line for each name of C++ that STABILITY.md keeps, and that the reference has not."""
    page = source / "include/repebble/STABILITY.md"
    table = page.read_text(encoding="utf-8").partition("\nKept:\n")[2].partition("\n\nSo are")[0] if page.is_file() else ""
    for cell in re.findall(r"^\| (.*?) \|", table, re.MULTILINE):
        for name in re.findall(r"`(\w+)`", cell):
            if f"repebble::{name}" not in reference:
                yield f"{name}: STABILITY.md keeps this name, which is not there"


def check(source):
    """What is wrong with the headers below source/include and source/examples/components, and how many names there are."""
    with tempfile.TemporaryDirectory() as folder:
        settings, warnings = pathlib.Path(folder, "Doxyfile"), pathlib.Path(folder, "warnings")
        for path in public_headers(source):
            copy = pathlib.Path(folder, "filtered", path.relative_to(source))
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(filtered(path.read_text(encoding="utf-8")), encoding="utf-8")
        template = pathlib.Path(__file__).with_name("Doxyfile.in").read_text(encoding="utf-8")
        settings.write_text(template.replace("@FOLDER@", folder), encoding="utf-8")
        subprocess.run(["doxygen", str(settings)], check=True, cwd=folder)
        lines = warnings.read_text(encoding="utf-8").splitlines() if warnings.exists() else []
        members, reference = list(members_of(pathlib.Path(folder, "xml"))), told(public_headers(source))
    wrong = [line.replace(f"{folder}/filtered/", "") for line in lines if "warning:" in line and needs_words(line)]
    wrong += [f"{name}: the reference has not this name" for name, _ in members if name not in reference]
    wrong += [f"{name}: the reference has not its text" for name, text in members if text and not reference.get(name, True)]
    return wrong + list(unlisted_papers(source)) + list(lost_names(source, reference)), len(members)


CLEAN = """/// @file
namespace repebble::inline v0 {
namespace detail {
struct hidden {};
struct answer_fn {
    auto operator()() const -> int { return 42; }
};
}  // namespace detail
/// The answer.
inline constexpr detail::answer_fn answer{};
/// A pair.
template <class T>
struct pair {
    T first;  ///< the one
    T second;  ///< the other
    /// Their sum.
    auto sum() const -> T { return first + second; }
    friend auto operator==(pair const&, pair const&) -> bool = default;
};
template <class T>
pair(T, T) -> pair<T>;
}  // namespace repebble::inline v0
"""
# (what is replaced in the clean header, by what, a word of the warning): each planted alone.
PLANTED = [
    ("/// The answer.\n", "", "answer"),
    ("/// A pair.\n", "", "pair"),
    ("  ///< the other", "", "second"),
    ("    /// Their sum.\n", "", "sum"),
    ("/// A pair.\n", "enum class colour { red };\n/// A pair.\n", "colour"),
    ("/// The answer.\n", "/// The answer, as \\nobody knows.\n", "nobody"),
    ("/// A pair.\n", "void done();\n/// A pair.\n", "done"),
    ("/// The answer.\n", "/// The answer (Smith,\n/// Jones 1999).\n", "Jones 1999"),
    ("/// Their sum.\n", "/** Their sum. */\n", "has not its text"),
    ("answer_fn answer{}", "answer_fn reply{}", "answer: STABILITY.md keeps"),
    ("    T first;", "    /// Two.\n    int a, b;  ///< both\n    T first;", "has not this name"),
]


def self_test():
    def warnings_of(text):
        with tempfile.TemporaryDirectory() as folder:
            header = pathlib.Path(folder, "include/repebble/answer.hpp")
            header.parent.mkdir(parents=True)
            header.write_text(text, encoding="utf-8")
            pathlib.Path(folder, "examples/components").mkdir(parents=True)
            (header.parent / "STABILITY.md").write_text("\nKept:\n\n| `answer`, `pair` | `answer.hpp` |\n\nSo are", "utf-8")
            (header.parent / "detail").mkdir()
            (header.parent / "detail/parts.hpp").write_text("struct unknown {};\n", encoding="utf-8")
            return check(pathlib.Path(folder))[0]

    failures = [f"found in the clean tree: {line}" for line in warnings_of(CLEAN)]
    for old, new, word in PLANTED:
        found = warnings_of(CLEAN.replace(old, new, 1))
        if old not in CLEAN or not any(word in line for line in found):
            failures.append(f"not caught: {old!r} -> {new!r}; found {found}")
    for failure in failures:
        print(failure)
    print(f"documented: {len(PLANTED)} violations planted, {len(failures)} failures")
    return 1 if failures else 0


def main(arguments):
    if arguments not in ([], ["--self-test"]):
        print(__doc__)
        return 2
    if not shutil.which("doxygen"):
        print("documented: skipped, no doxygen")
        return 77
    if arguments:
        return self_test()
    wrong, names = check(ROOT)
    for line in wrong:
        print(line)
    print(f"documented: {names} public names, {len(wrong)} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
