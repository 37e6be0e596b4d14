"""A budget for a whole step: graphs that wait for one another share it. Knows no torch.

A step of several graphs (at a graph break, or with a loss outside) runs their forward passes in order, then their
backward passes the other way round. So each graph needs its peak, and what it keeps between its passes beside what the
graphs after it need; a graph of which several passes are in flight keeps that several times.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from .._budget import bytes_of
from .._errors import NoPlan
from ._joint import Joint
from ._planning import Planned
from ._split import Program, keep_all_steps, measure, split

_SHARES = (1.0, 0.5, 0.0)  # of its own share, that a graph within another gets: the outer ones can give more or less
_PEAKS = (0.1, 0.2, 0.35, 0.5, 0.7, 0.9)  # of one pass among several, as a share of what all of them may take


@dataclasses.dataclass(eq=False)
class Part:
    """A graph of a step."""

    joint: Joint
    fixed: int = 0  # bytes that the budget includes beside the graph's
    passes: int = 1  # in flight at once
    handed: list[int] = dataclasses.field(default_factory=list)  # gradients that are tangents of the graph before it

    def keep_all(self, inner: int = 0) -> int:
        """Bytes of keeping everything in all passes, where the graphs after it need `inner` bytes."""
        return self.takes(split(self.joint, keep_all_steps(self.joint)), inner)

    def takes(self, program: Program, inner: int) -> int:
        """Bytes of all passes of a program, where the graphs after it need `inner` bytes."""
        measured = measure(dataclasses.replace(self.joint, between=0), program)
        return (self.passes - 1) * measured.kept + max(measured.peak, measured.kept + inner)

    def gradient_bytes(self) -> int:
        """Bytes of gradients that stay when its backward pass has run, where the budget includes them."""
        held = {self.joint.storage_of[t] for t in self.joint.gradients if t >= 0 and t not in self.handed}
        return sum(map(self.joint.size, held)) if self.joint.count_gradients else 0


PlanPart = Callable[[Part, int], Planned]


@dataclasses.dataclass(frozen=True)
class StepPlan:
    """Plans of the graphs of a step, in the order of their forward passes. Bytes."""

    plans: list[Planned]
    budget: int
    takes: int
    everything: int  # of keeping everything in all graphs

    @property
    def fits(self) -> bool:
        """Whether the step is within the budget."""
        return self.takes <= self.budget


def plan_step(parts: list[Part], budget: int | str, plan_part: PlanPart, least: bool = False) -> StepPlan:
    """A plan for each graph of a step, the first of which waits for all others. Sets the parts' `joint.between`.

    budget: of the step: bytes, or a share of what keeping everything takes in all graphs. plan_part: a plan within
    bytes, or the least that is found. least: the least is taken where the step does not fit.
    Raises repebble.NoPlan where it does not fit: planning again within its `found` succeeds.
    """
    fixed = sum(p.fixed for p in parts)
    for part in parts[1:]:
        part.joint.hand(part.handed)
    everything = [0] * (len(parts) + 1)
    for k in reversed(range(len(parts))):
        everything[k] = parts[k].keep_all(everything[k + 1])
    limit = bytes_of(budget, everything[0] + fixed) - fixed
    share = min(1.0, max(0.0, limit / everything[0])) if everything[0] else 1.0
    best: StepPlan | None = None
    for given in _SHARES:
        plans: list[Planned] = []
        between: list[int] = []
        takes = gradients = 0
        for k in reversed(range(len(parts))):
            within = int(share * given * everything[k]) if k else limit
            plans.insert(0, _plan_passes(parts[k], max(0, within - gradients), takes, plan_part))
            between.insert(0, parts[k].joint.between)
            takes = parts[k].takes(plans[0].program, takes) + gradients
            gradients += parts[k].gradient_bytes()
        if best is None or takes + fixed < best.takes:
            best, betweens = StepPlan(plans, limit + fixed, takes + fixed, everything[0] + fixed), between
        if best.fits:
            break
    assert best is not None
    for part, part_between in zip(parts, betweens):
        part.joint.between = part_between
    if not best.fits and not least:
        raise NoPlan(
            f"no plan of the step's {len(parts)} graphs within {best.budget:,} bytes was found; a plan was found "
            f"within {best.takes:,}",
            found=best.takes,
        )
    return best


def _plan_passes(part: Part, limit: int, inner: int, plan_part: PlanPart) -> Planned:
    """The fastest plan with which all passes of a graph fit, or the one of the least bytes."""
    if part.passes == 1:
        part.joint.between = inner
        return plan_part(part, limit)
    best: tuple[tuple[bool, float], int, Planned] | None = None
    for peak in sorted({int(limit * max(share, 1 / part.passes)) for share in _PEAKS}):
        kept = min((limit - peak) // (part.passes - 1), (limit - inner) // part.passes)
        part.joint.between = max(0, peak - max(0, kept))
        planned = plan_part(part, peak)
        takes = part.takes(planned.program, inner)
        worth = takes > limit, takes if takes > limit else planned.measured.overhead
        if best is None or worth < best[0]:
            best = worth, part.joint.between, planned
    assert best is not None
    part.joint.between = best[1]
    return best[2]
