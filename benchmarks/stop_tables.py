"""How soon does each strategy end at its time limit, and after a signal? Seconds on the wall.

stop_tables.py [--program plan] [--seconds S] [--strategies NAMES] [KIND:OPERATIONS ...]

Writes graphs of two kinds (deep: a chain with skips over 8 operations; wide: layers of a twentieth of the operations,
each of which reads two of the layer before) and runs the program on each with each strategy: once with --time-limit,
once with SIGINT after as many seconds. A row says how many seconds after that the program had ended, whether it had a
plan then, and its memory. A program that ended before has a dash.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEFAULT = (
    "least_peak_order,sqrt_segments,segment_plan,chain,segment_recursive,save_set,greedy_eviction,decomposition_plan,"
    "lower_set_approximate,lower_set_exact,lower_set_exhaustive,forget_all,automatic"
)
LAYERS = 20


def edges_of(kind: str, count: int) -> list[list[int]]:
    """The edges of a graph of a kind, each once."""
    if kind == "deep":
        skips = [[v, v + 9] for v in range(0, count - 9, 8)]
        return [[v, v + 1] for v in range(count - 1)] + skips
    width = count // LAYERS
    pairs = {
        (layer * width + k, (layer + 1) * width + reader)
        for layer in range(LAYERS - 1)
        for k in range(width)
        for reader in (k, (7 * k + layer) % width)
    }
    return [list(pair) for pair in sorted(pairs)]


def write_graph(kind: str, count: int, path: str) -> None:
    """A graph with random times and sizes; the same each time."""
    draw = random.Random(1)
    count = count // LAYERS * LAYERS
    nodes = [{"id": v, "time": draw.randint(1, 100), "memory": draw.randint(1, 4096)} for v in range(count)]
    pathlib.Path(path).write_text(json.dumps({"nodes": nodes, "edges": edges_of(kind, count)}), encoding="utf-8")


def run(command: list[str], interrupt_after: float | None) -> tuple[float, int, int]:
    """Seconds on the wall, exit status, and the most memory in KiB."""
    with open(os.devnull, "wb") as nowhere:
        begin = time.monotonic()
        child = subprocess.Popen(command, stdout=nowhere, stderr=nowhere)
        if interrupt_after is not None:
            try:
                child.wait(interrupt_after)
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGINT)
                begin = time.monotonic()
            else:
                return -1, child.returncode, 0
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        return time.monotonic() - begin, child.returncode, used.ru_maxrss


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build/release/examples/plan"))
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--strategies", default=DEFAULT)
    parser.add_argument("graphs", nargs="*", default=["deep:20000", "wide:20000", "deep:100000", "wide:100000"])
    asked = parser.parse_args()
    print("| graph | strategy | with the limit, s | beyond it | after SIGINT, s | exit status | memory, MiB |")
    print("|---|---|--:|--:|--:|--:|--:|")
    for graph in asked.graphs:
        kind, count = graph.split(":")
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/graph.json"
            write_graph(kind, int(count), path)
            for name in asked.strategies.split(","):
                command = [asked.program, path, "--strategy", name]
                limited, status, memory = run([*command, "--time-limit", str(asked.seconds)], None)
                after, _, _ = run(command, asked.seconds)
                beyond = "-" if limited < asked.seconds else f"{limited - asked.seconds:.2f}"
                print(
                    f"| {kind} {int(count):,} | {name} | {limited:.2f} | {beyond} | "
                    f"{'-' if after < 0 else f'{after:.2f}'} | {status} | {memory // 1024} |",
                    flush=True,
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
