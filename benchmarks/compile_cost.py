#!/usr/bin/env python3
"""What does a file that uses the library cost to compile? CPU seconds, memory and object size of small files, one for
each door, with the bodies compiled elsewhere (repebble::compiled) and header-only; and how often that of a file which
includes <boost/graph/adjacency_list.hpp> and makes one, in the same run. Prints a table.

    compile_cost.py [--before CHECKOUT] [--headers] [--level=-O2] [COMPILER...]     default: g++ and clang++-16

--before adds the same files with the headers of another checkout; --headers leaves out the files with bodies included.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDERS = ["include", "examples/networks", *(p.relative_to(ROOT).as_posix() for p in ROOT.glob("examples/components/*")
                                             if (p / "repebble").is_dir())]
BASE = """
#include <boost/graph/adjacency_list.hpp>
int main() {
    boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS> g(2);
    add_edge(0, 1, g);
    return static_cast<int>(num_edges(g)) - 1;
}
"""


def first_plan():
    """The first C++ block of README.md that has a main."""
    blocks = re.findall(r"```cpp\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    return next(block for block in blocks if "int main(" in block)


def door(header, body):
    return f"#include <{header}>\nauto main_of() {{\n    {body}\n}}\nint main() {{ static_cast<void>(main_of()); }}\n"


DOORS = {
    "README's first plan": first_plan(),
    "examples/own_compiler.cpp": (ROOT / "examples/own_compiler.cpp").read_text(encoding="utf-8"),
    "examples/pools.cpp": (ROOT / "examples/pools.cpp").read_text(encoding="utf-8"),
    "assign_offsets": door("repebble/allocate/assign_offsets.hpp",
                           "std::vector<repebble::buffer> const b{{{0, 1}, 8}};\n"
                           "    return repebble::assign_offsets(b).height;"),
    "keep_all": door("repebble/recompute/keep_all.hpp", "return repebble::keep_all(repebble::dataflow{}).cost.peak;"),
    "lower_set_plan": door("repebble/recompute/lower_set_plan.hpp",
                           "return repebble::lower_set_plan(repebble::training_graph{}).has_value();"),
    "treewidth": door("repebble/treewidth/treewidth.hpp", "return repebble::find_treewidth(repebble::undirected_graph{});"),
    "read_onnx": door("repebble/onnx/onnx_network.hpp", "return repebble::io::read_onnx(\"net.onnx\");"),
    "plan.hpp alone": "#include <repebble/plan.hpp>\n",
}
PEERS = {
    "<range/v3/all.hpp>": "#include <range/v3/all.hpp>\nint main() {}\n",
    "<nlohmann/json.hpp>": "#include <nlohmann/json.hpp>\nint main() { return static_cast<int>("
                           "nlohmann::json::parse(\"{}\").size()); }\n",
}


def measured(compiler, level, text, flags, root):
    """CPU seconds, megabytes and bytes of the object; nothing where it does not compile."""
    code = ("import resource, subprocess, sys; r = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, "
            "stderr=subprocess.DEVNULL); u = resource.getrusage(resource.RUSAGE_CHILDREN); "
            "print(r.returncode, u.ru_utime + u.ru_stime, u.ru_maxrss // 1024)")
    includes = [f"-I{root / folder}" for folder in FOLDERS]
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder, "unit.cpp"), pathlib.Path(folder, "unit.o")
        source.write_text(text)
        done = subprocess.run([sys.executable, "-c", code, compiler, "-std=c++20", level, *includes, *flags,
                               "-c", str(source), "-o", str(target)], stdout=subprocess.PIPE, text=True)
        failed, seconds, megabytes = done.stdout.split()
        return None if failed != "0" else (float(seconds), int(megabytes), target.stat().st_size)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=pathlib.Path)
    parser.add_argument("--headers", action="store_true")
    parser.add_argument("--level", action="append")
    parser.add_argument("compilers", nargs="*")
    options = parser.parse_args(arguments)
    separate = ("-DREPEBBLE_SEPARATE_COMPILATION",)
    print("| file | bodies | compiler | | CPU s | × adjacency_list | MB | object MB |\n|---|---|---|---|--:|--:|--:|--:|")
    for compiler in [c for c in options.compilers or ["g++", "clang++-16"] if shutil.which(c)]:
        for level in options.level or ["-O0", "-O2"]:
            base = min(measured(compiler, level, BASE, (), ROOT) for _ in range(3))

            def row(name, bodies, text, flags, root=ROOT):
                found = measured(compiler, level, text, flags, root)
                cells = "does not compile | | |" if found is None else (
                    f"{found[0]:.1f} | {found[0] / base[0]:.1f} | {found[1]} | {found[2] / 1e6:.2f}")
                print(f"| {name} | {bodies} | {compiler} | {level} | {cells} |", flush=True)

            print(f"| adjacency_list | | {compiler} | {level} | {base[0]:.1f} | 1.0 | {base[1]} | {base[2] / 1e6:.2f} |")
            for name, text in DOORS.items():
                row(name, "compiled", text, separate)
                if not options.headers:
                    row(name, "included", text, ())
                if options.before:
                    row(name, "before", text, (), options.before.resolve())
            for name, text in PEERS.items():
                row(name, "", text, ())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
