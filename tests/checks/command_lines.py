#!/usr/bin/env python3
"""Hostile command lines: every option of every program with values that are wrong or extreme, and hostile files.

    command_lines.py [--all] PROGRAM...    PROGRAM is plan, allocate, treewidth, chain, pipeline, swap or train_cpu, with its path

The options are those that --help lists; without --all each is tried with a third of the values, one after the other
with another third. Each run must end by itself within the limits of time and memory, with a known
exit status; an error is one line without control characters on standard error, prints nothing else, and leaves no file.
"""
import gzip
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACE = str(ROOT / "examples/data/cnn_cifar_b64.jsonl.gz")
RESIDUAL = str(ROOT / "tests/data/residual_network.json")
# What a run needs beside the option that is tried.
USUAL = {
    "plan": [RESIDUAL, "--strategy", "keep_all", "--budget", "100%"],
    "allocate": [str(ROOT / "examples/data/lstm_buffers.csv"), "--minimise"],
    "treewidth": [RESIDUAL, "--heuristic", "min_fill"],
    "pipeline": [str(ROOT / "examples/data/v_pipeline.json"), "--order", "one_at_a_time", "--budget", "100%"],
    "chain": ["--count", "--uniform", "10", "--snapshots", "3"],
    "swap": [TRACE, "--method", "lru"],
    "train_cpu": ["resnet29", "--batch", "2", "--resolution", "16", "--iterations", "1", "--strategy", "keep_all"],
}
VALUES = ["", " ", "-1", "-0", "nan", "inf", "1e400", "0x10", "010", "1,5", "1 2", "18446744073709551616",
          "9223372036854775807", "99999999999999999999999999", "no\nsuch\x1b[2Jthing", "/nowhere/file", "%", "-5%", "1e9%",
          "4GiBB", "=", "--"]
SECONDS, BYTES = 10, 1 << 30  # of a build that is hardly optimised, beside others; files that are refused: REFUSED
REFUSED_SECONDS, REFUSED_BYTES = 5, 256 << 20
OK, AT_FAULT, NOTHING_FITS = 0, 2, 3


def options_of(program):
    """(option, takes a value) for each that --help lists, but help itself."""
    text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^  (?:-\w,)?(--[a-z-]+)( [A-Z]\S*)?", text, re.MULTILINE)
    return [(option, bool(value)) for option, value in found if option != "--help"]


def usual_without(name, option):
    """The usual arguments, without the option and its value: given twice, it would be refused for that alone."""
    all_of = USUAL[name]
    at = all_of.index(option) if option in all_of else len(all_of)
    return all_of[:at] + all_of[at + 2:]


def run(command, folder):
    """Exit status (negative: a signal), what it prints on both streams, seconds and bytes."""
    with open(folder / "out", "wb") as out, open(folder / "err", "wb") as err:
        begin = time.monotonic()
        child = subprocess.Popen(command, stdout=out, stderr=err, stdin=subprocess.DEVNULL, cwd=folder / "work")
        while True:
            done, status, usage = os.wait4(child.pid, os.WNOHANG)
            if done:
                break
            if time.monotonic() - begin > 60:
                child.kill()
            time.sleep(0.002)
        child.returncode = os.waitstatus_to_exitcode(status)
    seconds = usage.ru_utime + usage.ru_stime
    return child.returncode, (folder / "out").read_bytes(), (folder / "err").read_bytes(), seconds, usage.ru_maxrss * 1024


def faults_of(command, folder, seconds_allowed, bytes_allowed):
    status, out, err, seconds, size = run(command, folder)
    faults = []
    if status not in (OK, AT_FAULT, NOTHING_FITS):
        faults.append(f"exit status {status}")
    if seconds > seconds_allowed:
        faults.append(f"{seconds:.1f} s")
    if size > bytes_allowed:
        faults.append(f"{size >> 20} MiB")
    if status == AT_FAULT:
        if err.count(b"\n") != 1 or re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", err):
            faults.append(f"says {err[:200]!r}")
        if out:
            faults.append(f"prints {out[:100]!r}")
        if left := list((folder / "work").iterdir()):
            faults.append(f"leaves {[p.name for p in left]}")
    for path in (folder / "work").iterdir():
        path.unlink()
    return faults


def hostile_files(folder):
    """(program, arguments) with files that mean more than they have bytes, or that are spoiled."""
    def file(name, content):
        path = folder / name
        path.write_bytes(content)
        return str(path)

    names = [" ".join(f"{side}{k}" for k in range(20_000)) for side in "ab"]
    pairs = file("pairs.dot", f"digraph {{ {{{names[0]}}} -> {{{names[1]}}} }}".encode())
    bombs = [file(f"bomb.{kind}.gz", b"".join(gzip.compress(b" " * (1 << 24), 9) for _ in range(64)))
             for kind in ("json", "gr", "csv", "dot")]
    n = 100_000
    chain = {"L": n - 1, "fw": [5 + i % 7 for i in range(n - 1)], "bw": [9 + i % 5 for i in range(n)],
             "cw": [100 + i % 9 for i in range(n)], "cbw": [0] + [300 + i % 11 for i in range(n - 1)],
             "fwd_tmp": [0] * (n - 1), "bwd_tmp": [0] * n}
    long_chain = file("chain.json", json.dumps(chain).encode())
    deep = [file("deep.json", b"[" * 1_000_000), file("deeper.json", b'{"a":' * 300_000),
            file("deep.dot", b"graph" + b"{" * 1_000_000)]
    declared = [file("declared.gr", b"p tw 4294967294 0\n"), file("declared_edges.gr", b"p tw 5 4294967295\n")]
    empty = [file("empty" + end, b"") for end in (".json", ".dot", ".gr", ".csv", ".json.gz", ".onnx")]
    odd = [file("nul.json", b"\0" * 100), file("text.onnx", b"not protobuf at all"), file("latin.json", b'{"name": "\xff"}'),
           file("name.json", b'{"nodes": [{"name": "a\\n\\u001b[2J", "time": 1}], "edges": [["a", "b"]]}')]
    everything = [pairs, *bombs, *deep, *declared, *empty, *odd, str(folder), "/nowhere/x.json", "/dev/null"]
    for path in everything:
        yield "plan", [path]
        yield "treewidth", [path]
        yield "allocate", [path, "--minimise"]
        yield "allocate", [RESIDUAL, "--order", path]
        yield "chain", [path, "--curve"]
        yield "pipeline", [path, "--budget", "50%"]
        yield "swap", [path, "--method", "greedy"]
        yield "plan", [RESIDUAL, "--replay", path]
        yield "plan", [RESIDUAL, "--strategy", "keep_all", "--compare", path]
        yield "plan", ["resnet18", "--times", path]
        yield "train_cpu", ["resnet29", "--data", path]
    for more in (["--curve"], ["--budget", "60%"], ["--budget", "60%", "--slots", "500"]):
        yield "chain", [long_chain, *more]


def main(arguments):
    thirds = 1 if "--all" in arguments else 3
    programs = [a for a in arguments if a != "--all"]
    path_of = {pathlib.Path(p).name: str(pathlib.Path(p).resolve()) for p in programs}
    if unknown := set(path_of) - set(USUAL):
        print(f"command_lines: no arguments are known for {unknown}")
        return 2
    runs = failures = 0
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))  # a program that prints without end is ended
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "work").mkdir()
        (folder / "files").mkdir()
        tried = [(name, [*usual_without(name, option), option, *([value] if takes else [])], SECONDS, BYTES)
                 for name, path in path_of.items() for k, (option, takes) in enumerate(options_of(path))
                 for value in (VALUES[k % thirds::thirds] if takes else VALUES[:1])]
        tried += [(name, arguments, REFUSED_SECONDS, REFUSED_BYTES)
                  for name, arguments in hostile_files(folder / "files") if name in path_of]
        for name, arguments, seconds, size in tried:
            runs += 1
            for fault in faults_of([path_of[name], *arguments], folder, seconds, size):
                failures += 1
                print(f"{name} {' '.join(map(ascii, arguments))}: {fault}")
    print(f"command_lines: {runs} command lines, {failures} faults")
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        print(__doc__)
        sys.exit(2)
    sys.exit(main(sys.argv[1:]))
