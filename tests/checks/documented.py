#!/usr/bin/env python3
"""Every public name is documented, and Doxygen understands what is written: the warnings of the target `docs` are errors.

    documented.py              exit status 1 where something is wrong
    documented.py --self-test  plants every kind of violation in a scratch tree and looks for it

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

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNDOCUMENTED = re.compile(r"warning: (?:Member|Compound) (.*?) (?:\((\w+)\) of (?:\w+ )?(.*) )?is not documented\.$")
STANDARD = re.compile(r"operator\W|(begin|end|size|empty|data|value_type|difference_type|reference|pointer|iterator_concept|"
                      r"iterator_category)\b")


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


def check(source):
    """The warnings of Doxygen about the headers below source/include and source/examples/components."""
    with tempfile.TemporaryDirectory() as folder:
        warnings, settings = pathlib.Path(folder, "warnings"), pathlib.Path(folder, "Doxyfile")
        values = {
            "PROJECT_VERSION": "0", "PROJECT_SOURCE_DIR": str(source), "REPEBBLE_DOCS_DIRECTORY": folder,
            "REPEBBLE_DOCS_FILTER": f"{sys.executable} {ROOT / '.cmake/doxygen_filter.py'}",
            "REPEBBLE_DOCS_MAIN_PAGE": str(ROOT / ".cmake/mainpage.dox"),
            "REPEBBLE_DOCS_HTML": "NO", "REPEBBLE_DOCS_XML": "YES", "REPEBBLE_DOCS_WARNINGS": str(warnings),
        }
        template = (ROOT / ".cmake/Doxyfile.in").read_text(encoding="utf-8")
        settings.write_text(re.sub(r"@(\w+)@", lambda match: values[match.group(1)], template), encoding="utf-8")
        subprocess.run(["doxygen", str(settings)], check=True, cwd=folder)
        lines = warnings.read_text(encoding="utf-8").splitlines() if warnings.exists() else []
    return [line.replace(f"{source}/", "") for line in lines if "warning:" in line and needs_words(line)]


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
]


def self_test():
    def warnings_of(text):
        with tempfile.TemporaryDirectory() as folder:
            header = pathlib.Path(folder, "include/repebble/answer.hpp")
            header.parent.mkdir(parents=True)
            header.write_text(text, encoding="utf-8")
            pathlib.Path(folder, "examples/components").mkdir(parents=True)
            (header.parent / "detail").mkdir()
            (header.parent / "detail/parts.hpp").write_text("struct unknown {};\n", encoding="utf-8")
            return check(pathlib.Path(folder))

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
    warnings = check(ROOT)
    for line in warnings:
        print(line)
    print(f"documented: {len(warnings)} warnings")
    return 1 if warnings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
