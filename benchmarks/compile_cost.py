#!/usr/bin/env python3
"""What does it cost to compile the README's first plan? CPU seconds, memory and object size, for g++ and clang at -O0
and -O2: header-only, with the compiled planner, the planner itself, and plan.hpp alone; beside single headers of
Boost.Graph, range-v3 and nlohmann-json. Prints a table.

    compile_cost.py [--before CHECKOUT] [COMPILER...]      default: g++ clang++-16, where they are
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
FIRST_PLAN = """
#include <vector>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/plan.hpp>
int main() {
    std::vector<std::vector<int>> const net{{1, 3}, {2}, {3}, {4}, {5}, {6}, {}};
    auto const found = repebble::plan_training(net, 7);
    return found.plan && found.proven ? 0 : 1;
}
"""
PLANNER = ROOT / ".cmake" / "planner.cpp"
SEPARATE = ["-DREPEBBLE_SEPARATE_COMPILATION"]
PEERS = [("boost/graph/adjacency_list.hpp", "#include <boost/graph/adjacency_list.hpp>\nint main() {}\n"),
         ("range/v3/all.hpp", "#include <range/v3/all.hpp>\nint main() {}\n"),
         ("nlohmann/json.hpp", "#include <nlohmann/json.hpp>\nint main() { return static_cast<int>("
                               "nlohmann::json::parse(\"{}\").size()); }\n")]


def measured(compiler, level, text, flags=(), include=ROOT / "include"):
    code = ("import resource, subprocess, sys; r = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, "
            "stderr=subprocess.DEVNULL); u = resource.getrusage(resource.RUSAGE_CHILDREN); "
            "print(r.returncode, u.ru_utime + u.ru_stime, u.ru_maxrss // 1024)")
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder, "unit.cpp"), pathlib.Path(folder, "unit.o")
        source.write_text(text)
        done = subprocess.run([sys.executable, "-c", code, compiler, "-std=c++20", level, "-I", str(include), *flags,
                               "-c", str(source), "-o", str(target)], stdout=subprocess.PIPE, text=True)
        failed, seconds, megabytes = done.stdout.split()
        if failed != "0":
            return "does not compile", "", ""
        return f"{float(seconds):.1f}", megabytes, f"{target.stat().st_size / 1e6:.2f}"


def main(arguments):
    before = None
    if arguments[:1] == ["--before"]:
        before = pathlib.Path(arguments[1])
        arguments = arguments[2:]
    compilers = [c for c in (arguments or ["g++", "clang++-16"]) if shutil.which(c)]
    rows = []
    if before:
        rows.append(("before: the first plan", FIRST_PLAN, (), before / "include"))
    rows += [("the first plan, header-only", FIRST_PLAN, (), ROOT / "include"),
             ("the first plan, with repebble::planner", FIRST_PLAN, SEPARATE, ROOT / "include"),
             ("repebble::planner itself", PLANNER.read_text(), SEPARATE, ROOT / "include"),
             ("plan.hpp alone, with repebble::planner", "#include <repebble/plan.hpp>\n", SEPARATE, ROOT / "include"),
             ("plan.hpp alone, header-only", "#include <repebble/plan.hpp>\n", (), ROOT / "include")]
    rows += [(f"<{name}>", text, (), ROOT / "include") for name, text in PEERS]
    print("| unit | compiler | | CPU s | MB | object MB |\n|---|---|---|--:|--:|--:|")
    for name, text, flags, include in rows:
        for compiler in compilers:
            for level in ("-O0", "-O2"):
                seconds, megabytes, size = measured(compiler, level, text, flags, include)
                print(f"| {name} | {compiler} | {level} | {seconds} | {megabytes} | {size} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
