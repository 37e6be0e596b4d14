"""Does XLA take at most the budget for functions that repebble.jax planned, and are their gradients those of JAX?

jax_networks.py [NETWORK[@BUDGET] ...]: networks of jax_models.py, within 60 % and 40 % where none is named;
benchmarks/jax_tables.py compares with policies of jax.checkpoint. Minutes. Exit status 77, which ctest takes for skipped, without jax.
"""

from __future__ import annotations

import sys
from typing import Any

try:
    import jax
except ImportError:
    print("jax is not installed: skipped")
    sys.exit(77)

import repebble.jax as budgeted
from jax_models import NETWORKS

TOLERANCE = 1e-4  # of the largest element of each gradient: fusions round otherwise


def largest_difference(mine: Any, theirs: Any) -> float:
    """Of any gradient, as a share of its largest element."""
    pairs = zip(jax.tree.leaves(mine), jax.tree.leaves(theirs), strict=True)
    return max(float(abs(a - b).max() / (abs(b).max() + 1e-30)) for a, b in pairs)


def same_bits(mine: Any, theirs: Any) -> bool:
    """Whether all gradients are equal, bit for bit."""
    return all(bool((a == b).all()) for a, b in zip(jax.tree.leaves(mine), jax.tree.leaves(theirs), strict=True))


def check(name: str, budgets: list[str]) -> bool:
    """Prints a network's rows and tells whether all is as promised."""
    loss, arguments = NETWORKS[name]()
    step = jax.value_and_grad(loss)
    theirs, first, good = jax.jit(step)(*arguments), None, True
    for budget in budgets:
        planned = budgeted.plan(step, budget)
        compiled = jax.jit(planned).lower(*arguments).compile()
        mine, taken = compiled(*arguments), int(compiled.memory_analysis().temp_size_in_bytes)
        report = planned.reports[0]
        first = mine if first is None else first
        difference = largest_difference(mine, theirs)
        equal = same_bits(mine, first)
        kept = taken <= report.budget and difference <= TOLERANCE and equal
        if budget == budgets[0]:
            print(f"{name}: XLA's default {report.default:,}, its schedule of least memory {report.everything:,}: 100 %")
        print(
            f"  {budget:>6} {report.budget:12,} {taken:12,} {100 * taken / report.everything:6.1f} % "
            f"again {len(report.recomputed()):4} overhead {100 * report.overhead:6.2f} % "
            f"gradients differ by {difference:.1e}{'' if equal else ', AND WITH THE BUDGET'}{'' if kept else '  BROKEN'}",
            flush=True,
        )
        good = good and kept
    return good


def main(arguments: list[str]) -> int:
    asked: dict[str, list[str]] = {}
    for name, _, budget in (a.partition("@") for a in arguments or NETWORKS):
        asked.setdefault(name, []).extend([budget] if budget else ["60%", "40%"])
    return 0 if all([check(name, budgets) for name, budgets in asked.items()]) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
