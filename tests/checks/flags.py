#!/usr/bin/env python3
"""The public headers under the flags and compilers that frameworks use: one row each, one unit each.

    flags.py [--all] [--only=NAME]... [--compiler=COMMAND]... [--list] [INCLUDE_DIRECTORY_OF_A_DEPENDENCY...]

A unit includes all public headers of a row and the program flags/program.cpp, which uses the planner, the placer of
buffers, the judge, the executor and others. Warnings are errors. Without --all only the rows marked as default are
checked, which together have every flag. With --compiler they are rows of these compilers without further flags, whose
programs run. Rows whose compiler is absent are skipped with a message. Exit status 77: all rows were skipped.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "tests/checks/README.md"
PROGRAM = ROOT / "tests/checks/flags/program.cpp"
BUILD = ROOT / "build"  # ccache knows paths that lead from there to here in every checkout
FOLDERS = [ROOT / "include", *sorted((ROOT / "examples/components").glob("*/"))]
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<([^>\n]+)>", re.MULTILINE)
# The bodies of the library belong into one source file of a program of its own.
NOT_IN_A_UNIT = {"repebble/src.hpp", "repebble/io/src.hpp", "repebble/onnx/src.hpp", "repebble/treewidth/src.hpp",
                 "repebble/pipelines/src.hpp", "repebble/traces/src.hpp"}
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
GCC, CLANG = "g++", "clang++-16"
NO_GLOBALS = ["-Wexit-time-destructors", "-Wglobal-constructors"]
STRICT = ["-Wshadow", "-Wuseless-cast", "-Wfloat-equal", "-Wswitch-enum"]
NVCC = ["--expt-relaxed-constexpr", "-x", "cu"]
NO_RANGES_IN_CU = "nvcc rejects range-v3, and nlohmann-json is not for a .cu"


@dataclass
class Row:
    name: str
    compiler: str
    flags: list
    standard: str = "20"
    without: list = field(default_factory=list)  # headers that include these, directly or not, are left out
    why: str = ""
    program: bool = True  # flags/program.cpp behind the headers
    runs: bool = False  # the program is linked and run, too
    default: bool = False
    backwards: bool = False  # headers in descending order: -Wshadow sees only what is declared before


ROWS = [
    Row("g++, all flags together", GCC, STRICT + ["-fno-exceptions", "-fno-rtti", "-DNDEBUG"], default=True,
        backwards=True),
    Row("clang and libc++, all flags together", CLANG,
        ["-stdlib=libc++", "-Wshadow", "-Wfloat-equal", "-Wswitch-enum"] + NO_GLOBALS, without=["boost/"],
        why="Boost 1.74 names std::unary_function, which libc++ 16 has in no C++ since 17", default=True),
    # The planner itself, a third of nvcc's time, is in the next row.
    Row("nvcc, headers", "nvcc", NVCC + ["-c", "-DREPEBBLE_SEPARATE_COMPILATION"],
        without=["range/v3/", "nlohmann/"], why=NO_RANGES_IN_CU, program=False, default=True),
    Row("nvcc", "nvcc", NVCC + ["-c"], without=["range/v3/", "nlohmann/"], why=NO_RANGES_IN_CU),
    Row("g++", GCC, []),
    Row("-Wshadow", GCC, ["-Wshadow"]),
    Row("-Wuseless-cast", GCC, ["-Wuseless-cast"]),
    Row("-Wfloat-equal", GCC, ["-Wfloat-equal"]),
    Row("-Wswitch-enum", GCC, ["-Wswitch-enum"]),
    Row("-fno-exceptions", GCC, ["-fno-exceptions"], runs=True),
    Row("-fno-rtti", GCC, ["-fno-rtti"]),
    Row("NDEBUG", GCC, ["-DNDEBUG"]),
    Row("C++23", GCC, [], "23"),
    Row("clang", CLANG, []),
    Row("clang, C++23", CLANG, [], "2b"),
    Row("clang, -fno-exceptions -fno-rtti", CLANG, ["-fno-exceptions", "-fno-rtti"]),
    Row("clang, libc++", CLANG, ["-stdlib=libc++"], without=["boost/"],
        why="Boost 1.74 names std::unary_function, which libc++ 16 has in no C++ since 17"),
    Row("clang, libc++ with Boost", CLANG,
        ["-stdlib=libc++", "-D_LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION"]),
    Row("no destructors at exit, no constructors before main", CLANG, NO_GLOBALS),
]


def find_compiler(name):
    """A command, or nothing; for nvcc also the folders where it is by default."""
    if name != "nvcc":
        return shutil.which(name)
    folders = [os.environ.get(v, "") for v in ("CUDA_HOME", "CUDA_PATH")] + ["/usr/local/cuda"]
    for candidate in [os.environ.get("CUDACXX", ""), "nvcc"] + [f"{f}/bin/nvcc" for f in folders if f]:
        if candidate and (found := shutil.which(candidate)):
            return found
    return None


def has_libcxx(compiler, work):
    unit = work / "libcxx.cpp"
    unit.write_text("#include <vector>\n")
    return subprocess.run([compiler, "-stdlib=libc++", "-fsyntax-only", unit], capture_output=True).returncode == 0


def public_headers():
    """Public headers, and for each all that it reaches."""
    includes = {p.relative_to(folder).as_posix(): INCLUDE.findall(p.read_text())
                for folder in FOLDERS for p in folder.glob("repebble/**/*.hpp")}
    reached = {}

    def reach(header, on_the_way=()):
        if header not in reached:
            found = {header}
            for other in includes.get(header, []):
                found |= {other} if other not in includes or other in on_the_way else reach(other, (*on_the_way, header))
            reached[header] = found
        return reached[header]

    return {h: reach(h) for h in sorted(includes) if "/detail/" not in h and h not in NOT_IN_A_UNIT}


def headers_of(row, headers):
    return [h for h, reached in headers.items() if not any(r.startswith(w) for r in reached for w in row.without)]


def command_of(row, compiler="", dependencies=()):
    """The command up to the names of files."""
    isystem = [x for d in dependencies if d != "/usr/include" for x in ("-isystem", d)]
    flags = row.flags if row.compiler == "nvcc" else WARNINGS + row.flags
    if row.compiler == GCC and not row.runs:
        flags = flags + ["-Wno-restrict"]  # g++ 12 sees an overlap in std::string's operator+ (GCC bug 105651)
    ours = [x for folder in FOLDERS for x in ("-I", str(folder))]
    cache = [shutil.which("ccache")] if compiler and shutil.which("ccache") and not row.runs else []
    return [*cache, compiler or row.compiler, f"-std=c++{row.standard}", *flags, *ours, *isystem]


def table():
    """The rows as README.md has them."""
    lines = ["| row | command | headers |", "|---|---|---|"]
    for row in ROWS:
        command = " ".join(command_of(row)).replace(str(ROOT) + "/", "")
        lines.append(f"| {row.name}{' *' if row.default else ''} | `{command}` | "
                     f"{'all but some: ' + row.why if row.without else 'all'} |")
    return "\n".join(lines)


def check(row, compiler, headers, dependencies, work):
    """The complaint of the compiler or of the program; nothing where there is none."""
    included = sorted(headers_of(row, headers), reverse=row.backwards)
    (work / "all_headers.hpp").write_text("".join(f"#include <{h}>\n" for h in included))
    unit, program = PROGRAM, work / "program"
    if not row.program:
        unit = "headers.cpp"
        (work / unit).write_text('#include "all_headers.hpp"\n')
    components = [x for folder in FOLDERS[1:] for x in ("-I", str(folder))]
    command = command_of(row, compiler, dependencies) + [*components, "-I", ".", str(unit)]
    if row.compiler == "nvcc":
        command += ["-o", "unit.o"]
    elif row.runs:
        command += ["-O0", "-o", str(program), "-lz", "-pthread"]
    else:
        command += ["-fsyntax-only"]
    done = subprocess.run(command, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        return done.stdout or "refused"
    if not row.runs:
        return ""
    done = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return f"the program ends with {done.returncode}: {done.stdout}" if done.returncode else ""


def cpu_seconds():
    t = os.times()
    return t.children_user + t.children_system


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--all", action="store_true")
    arguments.add_argument("--only", action="append", default=[])
    arguments.add_argument("--compiler", action="append", default=[])
    arguments.add_argument("--list", action="store_true", help="print the table of README.md and end")
    arguments.add_argument("dependencies", nargs="*")
    asked = arguments.parse_args()
    headers = public_headers()
    if asked.list:
        print(table())
        return 0
    if table() not in PAGE.read_text():
        print("flags: the table of README.md is not what --list prints")
        return 1
    wanted = [r for r in ROWS if r.name in asked.only or (not asked.only and (asked.all or r.default))]
    if asked.compiler:
        wanted = [Row(name, name, [], runs=True) for name in asked.compiler]
    if unknown := set(asked.only) - {r.name for r in ROWS}:
        print(f"flags: there is no row {', '.join(sorted(unknown))}")
        return 1
    failed = checked = 0
    BUILD.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:
        work = pathlib.Path(folder)
        for row in wanted:
            compiler = find_compiler(row.compiler)
            missing = "" if compiler else f"no {row.compiler}"
            if compiler and "-stdlib=libc++" in row.flags and not has_libcxx(compiler, work):
                missing = "no libc++"
            if missing:
                print(f"{row.name:52} skipped, {missing}", flush=True)
                continue
            checked += 1
            begin = cpu_seconds()
            complaint = check(row, compiler, headers, asked.dependencies, work)
            print(f"{row.name:52} {'FAILED' if complaint else 'ok':7} {len(headers_of(row, headers)):4} headers "
                  f"{cpu_seconds() - begin:6.1f} s", flush=True)
            if complaint:
                failed += 1
                print("\n".join(complaint.splitlines()[:40]), flush=True)
    if not checked:
        return 77
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
