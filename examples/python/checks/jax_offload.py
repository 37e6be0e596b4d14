"""Does a function that repebble.jax planned over a link copy what its plan copies, and is XLA's peak on a card in the budget?

jax_offload.py [NETWORK[@BUDGET] ...]: networks of jax_models.py, within 40 % where none is named, by times and link of a
GH200. Minutes. On the CPU the host is the device: what a card has to show is printed, not compared. Exit status 77, which
ctest takes for skipped, without jax.
"""

from __future__ import annotations

import re
import sys

try:
    import jax
except ImportError:
    print("jax is not installed: skipped")
    sys.exit(77)

import repebble.jax as budgeted
from jax_models import NETWORKS
from jax_networks import TOLERANCE, largest_difference, same_bits

WORK = 20000  # so that a plan takes seconds


def placements(lowered: str) -> list[str]:
    """Where XLA is told to lay values, in order."""
    return re.findall(r'_xla_buffer_placement = "(\w+)"', lowered)


def check(name: str, budget: str) -> bool:
    """Prints a network's row and tells whether all is as promised."""
    loss, arguments = NETWORKS[name]()
    step = jax.value_and_grad(loss)
    linked, plain = (budgeted.plan(step, budget, link=link, times="gh200", work=WORK) for link in ("gh200", None))
    report, other = linked.plan_for(*arguments), plain.plan_for(*arguments)
    told = placements(jax.jit(linked).trace(*arguments).lower(lowering_platforms=("cuda",)).as_text())
    out, back = report.offloaded(), report.prefetched()
    compiled = jax.jit(linked).lower(*arguments).compile()
    mine, theirs = compiled(*arguments), jax.jit(plain)(*arguments)
    difference, equal = largest_difference(mine, jax.jit(step)(*arguments)), same_bits(mine, theirs)
    good = (told.count("pinned_host"), told.count("device")) == (len(out), len(back))
    good = good and difference <= TOLERANCE and equal
    print(
        f"{name} within {budget}: {report.budget:,} bytes, planned {report.peak:,}; {len(out)} copies of "
        f"{sum(size for _, size in out):,} bytes to the host, {len(back)} of {sum(size for _, size in back):,} back; "
        f"overhead {100 * report.overhead:.2f} %, without a link {100 * other.overhead:.2f} %; gradients differ by "
        f"{difference:.1e}{'' if equal else ', AND FROM THOSE WITHOUT A LINK'}{'' if good else '  BROKEN'}"
    )
    stats = compiled.memory_analysis()
    if jax.default_backend() == "cpu":
        print(
            f"  skipped: no card. On one temp_size_in_bytes of memory_analysis() has to be at most {report.budget:,}"
        )
        return good
    kept = int(stats.temp_size_in_bytes) <= report.budget
    print(
        f"  XLA takes {stats.temp_size_in_bytes:,} on the device, {stats.host_temp_size_in_bytes:,} on the host"
        f"{'' if kept else '  BROKEN'}"
    )
    return good and kept


def main(arguments: list[str]) -> int:
    asked = [argument.partition("@") for argument in arguments or NETWORKS]
    return 0 if all([check(name, budget or "40%") for name, _, budget in asked]) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
