"""What does XLA take of networks that repebble.jax planned, and of the same with the policies that one writes by hand?

jax_tables.py [NETWORK ...]: networks of checks/jax_models.py. Bytes are those of XLA's own account on the CPU, beside
arguments and results. Minutes. Exit status 1 where a plan breaks a promise: more than its budget, or other gradients.
"""

from __future__ import annotations

import functools
import pathlib
import sys
from collections.abc import Callable
from typing import Any

import jax

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "examples/python/checks"))

import repebble.jax as budgeted  # noqa: E402
from jax_models import NETWORKS  # noqa: E402
from jax_networks import TOLERANCE, largest_difference, same_bits  # noqa: E402
from repebble.jax import temporary_bytes  # noqa: E402
from repebble.jax._plan import _LEAST_SCHEDULE as LEAST  # noqa: E402

BUDGETS = ("60%", "40%")
DOTS, NOTHING = jax.checkpoint_policies.dots_saveable, jax.checkpoint_policies.nothing_saveable
#: From a loss that wraps its blocks to what one writes by hand.
POLICIES: dict[str, Callable[[Any], Any]] = {
    "nothing": lambda loss: loss,
    "`dots_saveable`": lambda loss: jax.checkpoint(loss, policy=DOTS),
    "`nothing_saveable`": lambda loss: jax.checkpoint(loss, policy=NOTHING),
    "`checkpoint` of each block": lambda loss: functools.partial(loss, wrap=jax.checkpoint),
    "the same, `dots_saveable`": lambda loss: functools.partial(
        loss, wrap=functools.partial(jax.checkpoint, policy=DOTS)
    ),
}
HEADER = """
| what is done | budget | XLA takes | of 100 % | by its schedule of least memory | of 100 % | runs again | overhead | gradients differ by |
|---|--:|--:|--:|--:|--:|--:|--:|--:|"""


def shares(sizes: list[int], everything: int) -> str:
    return " | ".join(f"{size:,} | {100 * size / everything:.1f} %" for size in sizes)


def by_hand(loss: Any, arguments: tuple[Any, ...], theirs: Any, everything: int) -> None:
    """Prints the rows of what one writes by hand."""
    for name, wrapped in POLICIES.items():
        step = jax.value_and_grad(wrapped(loss))
        sizes = [temporary_bytes(step, *arguments, options=options) for options in (None, LEAST)]
        difference = largest_difference(jax.jit(step)(*arguments), theirs)
        print(f"| {name} | | {shares(sizes, everything)} | | | {difference:.1e} |", flush=True)


def planned(loss: Any, arguments: tuple[Any, ...], theirs: Any, budget: str) -> tuple[bool, Any, Any]:
    """Prints the row of a plan; whether it is as promised, what it returns, and its report."""
    step = budgeted.plan(jax.value_and_grad(loss), budget)
    compiled = jax.jit(step).lower(*arguments).compile()
    mine, taken = compiled(*arguments), int(compiled.memory_analysis().temp_size_in_bytes)
    (report,), difference = step.reports, largest_difference(mine, theirs)
    print(
        f"| planned, {budget[:-1]} % | {report.budget:,} | {shares([taken], report.everything)} | | | "
        f"{len(report.recomputed())} | {100 * report.overhead:.2f} % | {difference:.1e} |",
        flush=True,
    )
    return taken <= report.budget and difference <= TOLERANCE, mine, report


def table(name: str) -> bool:
    """Prints a network's rows and tells whether all is as promised."""
    loss, arguments = NETWORKS[name]()
    theirs = jax.jit(jax.value_and_grad(loss))(*arguments)
    print(f"\n## {name}\n{HEADER}")
    plans = [planned(loss, arguments, theirs, budget) for budget in BUDGETS]
    by_hand(loss, arguments, theirs, plans[0][2].everything)
    equal = all(same_bits(mine, plans[0][1]) for _, mine, _ in plans)
    print(f"\nGradients of all budgets are {'equal, bit for bit' if equal else 'NOT EQUAL'}.", flush=True)
    return equal and all(good for good, _, _ in plans)


if __name__ == "__main__":
    sys.exit(0 if all([table(name) for name in sys.argv[1:] or NETWORKS]) else 1)
