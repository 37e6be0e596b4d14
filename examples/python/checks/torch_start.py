"""How long does planning take beside what inductor takes, and at the second start?

torch_start.py [LAYERS ...]: a GPT 64 wide of so many layers; 24 where none is given. CPU seconds, those of the compiler's
processes among them, of a training step's first call: by inductor alone, and by the backend and the partitioner at 60 %,
with a new cache of plans and again with that. Each call is in a process of its own, without inductor's caches. Exit
status 77 without torch; 1 where the second start plans.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile

try:
    import torch
except ImportError:
    print("torch is not installed: skipped")
    sys.exit(77)

import repebble.torch as budgeted
from torch_models import GPT, Loss, words

DOORS = ("inductor", "backend", "partitioner")


def cpu_seconds() -> float:
    """Of this process and those that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def first_call(door: str, layers: int, cache: str) -> None:
    """Prints the CPU seconds of the first call, those of planning, and whether nothing was planned."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model, data = Loss(GPT(layers, 64, 4, 100, 64)), words(2, 64, 100)
    begin = cpu_seconds()
    if door == "partitioner":
        with budgeted.partitioner("60%", cache=cache) as planning:
            torch.compile(model)(*data).backward()
        reports = planning.reports
    else:
        backend = budgeted.backend("60%", cache=cache)
        torch.compile(model, backend=backend if door == "backend" else "inductor")(*data).backward()
        reports = backend.reports
    spent = cpu_seconds() - begin
    print(spent, sum(r.seconds for r in reports), all(r.planned.cached for r in reports))


def row(door: str, layers: int, cache: str) -> bool:
    """Prints a row. Whether nothing was planned."""
    environment = {**os.environ, "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1", "TORCHINDUCTOR_COMPILE_THREADS": "1"}
    with tempfile.TemporaryDirectory() as kernels:
        found = subprocess.run(
            [sys.executable, __file__, door, str(layers), cache],
            env={**environment, "TORCHINDUCTOR_CACHE_DIR": kernels},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    spent, planning, cached = found.stdout.split()
    known = cached == "True" and door != "inductor"
    print(
        f"{layers:6} {door:12} {float(spent):8.1f} {float(planning):9.1f} {'planned before' if known else ''}",
        flush=True,
    )
    return known


def main(arguments: list[str]) -> int:
    if arguments and arguments[0] in DOORS:
        first_call(arguments[0], int(arguments[1]), arguments[2])
        return 0
    print(f"{'layers':>6} {'':12} {'CPU s':>8} {'planning':>9}")
    good = True
    for layers in map(int, arguments or ["24"]):
        with tempfile.TemporaryDirectory() as cache:
            row("inductor", layers, cache)
            for door in DOORS[1:]:
                row(door, layers, cache)
                good = row(door, layers, cache) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
