#!/usr/bin/env python3
"""Every public header compiles alone, its bodies elsewhere, and may be included twice. With their bodies all of the core
together do, and define only what is inline.

    headers_alone.py [--private] [--networks] COMPILER [INCLUDE_DIRECTORY_OF_A_DEPENDENCY...]

With --private headers below detail/, too; with --networks those of examples/networks. Those of the studies that need
Eigen are left out where it is absent.

Exit status 77: the compiler is not there.
"""
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = [ROOT / "include", ROOT / "examples/networks", *sorted((ROOT / "examples/components").glob("*/")),
           ROOT / "examples/studies/offload"]
# What many headers include is compiled once; the largest come first. A header that includes one of them, directly or
# not, begins behind it, which lends it no name that its own includes do not bring. So does a header behind another one
# that it includes: one unit holds a chain of them.
SHARED = ["io/network_node.hpp", "networks/model.hpp", "recompute/recompute_plan.hpp",
          "recompute/planning_graph.hpp", "lower_sets/detail/lattice/lower_set_lattice.hpp", "lower_sets/lower_set_problem.hpp",
          "allocate/verify_offsets.hpp", "pebbling/replay.hpp", "planner/detail/bounds/one_cut/first_run_cut.hpp", "planner/detail/model/planning_model.hpp",
          "decomposition/tree_decomposition.hpp", "decomposition/detail/graphs/shrinking_graph.hpp", "decomposition/elimination.hpp",
          "graph/dataflow/dataflow.hpp", "decomposition/undirected_graph.hpp", "graph/csr_graph.hpp",
          "allocate/detail/shapes/buffer_shapes.hpp", "networks/tensor.hpp", "graph/quantity.hpp", "graph/error.hpp"]
# Need Eigen, which is optional.
EIGEN_USERS = {"repebble/offload/q_network.hpp"}
# The first is all others, which flags.py includes in one unit; the others are units of all bodies.
ELSEWHERE = {"repebble/repebble.hpp", "repebble/src.hpp", "repebble/io/src.hpp", "repebble/onnx/src.hpp",
             "repebble/treewidth/src.hpp", "repebble/pipelines/src.hpp", "repebble/traces/src.hpp"}
SEPARATE = "-DREPEBBLE_SEPARATE_COMPILATION"
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<(repebble/[^>\n]+)>", re.MULTILINE)


def complaint(command):
    """What the compiler says where it refuses, else nothing."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout or f"exit status {done.returncode}" if done.returncode else ""


def not_inline(unit):
    """What an object defines that is neither inline nor its own, but main; nothing where two such objects link."""
    listed = subprocess.run(["nm", "-C", "--defined-only", "--extern-only", unit], capture_output=True, text=True)
    symbols = [line.split(maxsplit=2)[1:] for line in listed.stdout.splitlines()]
    if listed.returncode or ["T", "main"] not in symbols:
        return listed.stderr or "nm finds no main"
    return "\n".join(f"not inline: {name}" for kind, name in symbols if kind not in "uVW" and name != "main")


def main(*arguments):
    options = {a for a in arguments if a.startswith("--")}
    compiler, *dependencies = [a for a in arguments if a not in options]
    if not shutil.which(compiler):
        print(f"headers_alone: skipped, no {compiler}")
        return 77
    flags = ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
    for folder in FOLDERS:
        flags += ["-I", str(folder)]
    for folder in dependencies:
        flags += [] if folder == "/usr/include" else ["-isystem", folder]

    included = {path.relative_to(folder).as_posix(): INCLUDE.findall(path.read_text())
                for folder in FOLDERS for path in folder.glob("repebble/**/*.hpp")}
    if not included:
        print("headers_alone: no header")
        return 1
    shared = ["repebble/" + name for name in SHARED]
    if missing := [name for name in shared if name not in included]:
        print(f"headers_alone: SHARED names what is not there: {', '.join(missing)}")
        return 1

    def reached(header):
        found, waiting = set(), [header]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += included.get(name, [])
        return found

    within = {header: reached(header) for header in included}

    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as pool:
        def unit(header, text, suffix):
            path = pathlib.Path(scratch, header.replace("/", ".") + suffix)
            path.write_text(text)
            return path

        def precompile(header):
            path = unit(header, f"#include <{header}>\n", ".shared.hpp")
            said = complaint([compiler, *flags, SEPARATE, "-x", "c++-header", str(path), "-o", f"{path}.gch"])
            return None if said else path

        shared = [name for name in shared if "--networks" in options or not name.startswith("repebble/networks/")]
        begin = dict(zip(shared, pool.map(precompile, shared)))

        def shared_by(header):
            return next((name for name in shared if name in within[header] and begin[name]), None)

        def chains_of(headers):
            """Every header behind one that it includes, directly or not, and that begins in the same way."""
            chains = []
            for header in sorted(headers, key=lambda name: len(within[name])):
                behind = [c for c in chains if c[-1] in within[header] and shared_by(c[-1]) == shared_by(header)]
                if behind:
                    max(behind, key=lambda c: len(within[c[-1]])).append(header)
                else:
                    chains.append([header])
            return chains

        def check(chain):
            first = begin.get(shared_by(chain[0]))
            path = unit(chain[-1], "".join(f"#include <{header}>\n" * 2 for header in chain), ".cpp")
            behind = ["-include", str(first)] if first else []
            return complaint([compiler, *flags, SEPARATE, *behind, "-fsyntax-only", str(path)])

        def check_all():
            path = unit("all", "#include <repebble/repebble.hpp>\nint main() {}\n", ".cpp")
            return complaint([compiler, *flags, "-c", str(path), "-o", f"{path}.o"]) or not_inline(f"{path}.o")

        together = pool.submit(check_all)
        failed = 0
        has_eigen = any(pathlib.Path(folder, "Eigen/Core").is_file() for folder in dependencies)
        chosen = [header for header in sorted(included) if header not in ELSEWHERE
                  and ("--private" in options or "/detail/" not in header)
                  and ("--networks" in options or not header.startswith("repebble/networks/"))]
        if not has_eigen:
            print("headers_alone: no Eigen, so without the headers that need it")
            chosen = [header for header in chosen if not EIGEN_USERS & within[header]]
        chains = chains_of(chosen)
        for chain, said in zip(chains, pool.map(check, chains)):
            if said:
                failed += 1
                print(f"FAILED {', '.join(chain)}\n{said}")
        if said := together.result():
            failed += 1
            print(f"FAILED repebble/repebble.hpp, with all bodies\n{said}")
    if failed:
        return 1
    print(f"headers_alone: {len(chosen)} headers, {len(chains)} units, {compiler}")
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        print(__doc__)
        sys.exit(2)
    sys.exit(main(*sys.argv[1:]))
