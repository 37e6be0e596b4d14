"""A budget for a whole step: graphs that wait for one another share it. Knows no torch.

A step of several graphs (at a graph break, or with a loss outside) runs their forward passes in order, then their
backward passes the other way round. So each graph needs its peak, and what it keeps between its passes beside what the
graphs after it need.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from .._budget import bytes_of
from .._errors import NoPlan
from ._joint import Joint
from ._planning import Planned
from ._split import keep_all_steps, measure, split

_SHARES = (1.0, 0.5, 0.0)  # of its own share, that a graph within another gets: the outer ones can give more or less


@dataclasses.dataclass(eq=False)
class Part:
    """A graph of a step."""

    joint: Joint
    fixed: int = 0  # bytes that the budget includes beside the graph's

    def keep_all(self, between: int) -> int:
        """Bytes of keeping everything, where others need `between` bytes while it waits."""
        joint = dataclasses.replace(self.joint, between=between)
        return measure(joint, split(joint, keep_all_steps(joint))).peak

    def gradient_bytes(self) -> int:
        """Bytes of gradients that stay when its backward pass has run, where the budget includes them."""
        held = {self.joint.storage_of[t] for t in self.joint.gradients if t >= 0}
        return sum(map(self.joint.size, held)) if self.joint.count_gradients else 0


def plan_step(
    parts: list[Part],
    budget: int | str,
    plan_part: Callable[[Part, int], Planned],
    least: bool = False,
) -> list[Planned]:
    """A plan for each graph of a step, the first of which waits for all others. Sets the parts' `joint.between`.

    budget: of the step: bytes, or a share of what keeping everything takes in all graphs. plan_part: a plan within
    bytes, or the least that is found. least: the least is taken where the step does not fit.
    Raises repebble.NoPlan where it does not fit: planning again within its `found` succeeds.
    """
    fixed = sum(p.fixed for p in parts)
    everything = [0] * (len(parts) + 1)
    for k in reversed(range(len(parts))):
        everything[k] = parts[k].keep_all(everything[k + 1])
    limit = bytes_of(budget, everything[0] + fixed) - fixed
    share = min(1.0, max(0.0, limit / everything[0])) if everything[0] else 1.0
    best: tuple[int, list[int], list[Planned]] | None = None
    for given in _SHARES:
        plans: list[Planned] = []
        between: list[int] = []
        needed = gradients = 0
        for k in reversed(range(len(parts))):
            parts[k].joint.between = needed
            within = int(share * given * everything[k]) if k else limit
            plans.insert(0, plan_part(parts[k], max(0, within - gradients)))
            between.insert(0, needed)
            needed = plans[0].measured.peak + gradients
            gradients += parts[k].gradient_bytes()
        if best is None or needed < best[0]:
            best = needed, between, plans
        if needed <= limit:
            break
    assert best is not None
    for part, needed in zip(parts, best[1]):
        part.joint.between = needed
    if best[0] > limit and not least:
        raise NoPlan(
            f"no plan of the step's {len(parts)} graphs within {limit + fixed:,} bytes was found; a plan was found within "
            f"{best[0] + fixed:,}",
            found=best[0] + fixed,
        )
    return best[2]
