"""How programs end while they plan: with daemon threads, by Ctrl-C, and with other interpreters in the process."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import time

import pytest

# A graph, buffers and a graph for treewidth that keep their solvers busy for long, and what each function does there.
BUSY = """
import random, repebble
numbers = random.Random(1)
graph = {"values": {"size": [1 + i % 7 for i in range(2000)]},
         "operations": {"time": [1 + i % 5 for i in range(2000)], "writes": list(range(2000)),
                        "reads": [[j for j in (i - 1, i - 8, i - 30) if j >= 0] for i in range(2000)]}}
buffers = [((begin := numbers.randrange(500), begin + numbers.randrange(1, 50)), numbers.randrange(1, 100_000))
           for _ in range(3000)]
buffers = [((begin, end), size) for (begin, end), size in buffers]
edges = [(i, j) for i in range(80) for j in range(i) if numbers.random() < 0.12]
stages = [{"forward_time": 1 + i * 7919 % 13, "backward_time": 2 + i * 104729 % 17, "output": 100 + i * 7919 % 1009,
           "saved": 3000 + i * 1299709 % 2003} for i in range(600)]
calls = {
    "plan": lambda: repebble.plan(graph, "60%", seconds=60),
    "arena": lambda: repebble.plan(graph, "60%", seconds=60, arena=True),
    "link": lambda: repebble.plan(graph, "60%", seconds=60, link="1MB/s", time_unit="us"),
    "curve": lambda: repebble.plan(graph, ["40%", "60%", "80%"], seconds=60)[-1],
    "progress": lambda: repebble.plan(graph, "60%", seconds=60, progress=lambda *_: None),
    "find_least_budget": lambda: repebble.find_least_budget(graph, seconds=60),
    "keep_all": lambda: repebble.keep_all(graph),
    "replay": lambda: repebble.replay(graph, repebble.keep_all(graph).steps),
    "assign_offsets": lambda: repebble.assign_offsets(buffers, seconds=60),
    "find_treewidth": lambda: repebble.find_treewidth(edges, seconds=60),
    "solve_chain": lambda: repebble.solve_chain(stages, input=100, seconds=60),
}
"""
CALLS = ["plan", "arena", "link", "curve", "progress", "find_least_budget", "keep_all", "replay", "assign_offsets", "find_treewidth", "solve_chain"]
SEARCHES = [call for call in CALLS if call not in ("keep_all", "replay")]  # the others end by themselves


def cpu_seconds(of: int) -> float:
    """CPU time of a process so far."""
    fields = pathlib.Path(f"/proc/{of}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", BUSY + textwrap.dedent(code)], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("call", CALLS)
def test_a_program_ends_while_daemon_threads_plan(call: str) -> None:
    done = run(f"""
        import threading, time
        def loop():
            while True: calls[{call!r}]()
        for _ in range(2): threading.Thread(target=loop, daemon=True).start()
        time.sleep(0.5)
        print("work is done", flush=True)
    """)
    assert (done.returncode, done.stdout, done.stderr) == (0, "work is done\n", "")


def test_functions_called_at_the_end_of_the_program_may_plan() -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent("""
            import atexit
            # Called after what the package registers when it is imported.
            atexit.register(lambda: print(repebble.plan(graph, 100, progress=lambda *_: None).peak, flush=True))
            import repebble
            graph = {"values": [{"size": 4}], "operations": [{"time": 1, "reads": [], "writes": [0]}]}
        """)], capture_output=True, text=True, timeout=60)  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "4\n", "")


def test_the_module_is_imported_again_and_not_in_sub_interpreters() -> None:
    done = run("""
        import importlib, sys
        try:
            import _interpreters
        except ImportError:
            import _xxsubinterpreters as _interpreters
        other = _interpreters.create()
        _interpreters.run_string(other, "try:\\n import repebble\\nexcept ImportError as e:\\n print('refused')")
        _interpreters.destroy(other)
        print(repebble.keep_all(graph).peak > 0)
        for name in [name for name in sys.modules if name.startswith("repebble")]: del sys.modules[name]
        again = importlib.import_module("repebble")
        print(again.keep_all(graph).peak > 0)
        try:
            again.plan(graph, -1)
        except again.Error:
            print("told")
    """)
    assert (done.returncode, done.stdout) == (0, "refused\nTrue\nTrue\ntold\n"), done.stderr


@pytest.mark.parametrize("call", SEARCHES)
def test_every_search_hears_ctrl_c(call: str) -> None:
    code = BUSY + textwrap.dedent(f"""
        import time
        print("begins", flush=True)
        try:
            found = calls[{call!r}]()
            word = "found" if getattr(found, "interrupted", True) else "ended"  # a least budget does not say
        except KeyboardInterrupt:
            word = "interrupted"
        print(word, time.process_time())
    """)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begins\n"
        time.sleep(1)
        begin = cpu_seconds(process.pid)
        process.send_signal(signal.SIGINT)
        word, end = process.stdout.readline().split()
        heard = float(end) - begin
    assert word in ("found", "interrupted")
    assert heard < 0.3, heard  # a tenth of a second where nothing else runs
