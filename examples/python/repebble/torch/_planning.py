"""A budget, a plan, and whether the program really keeps to it. Knows no torch."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any

from ._joint import Joint
from ._split import Measured, Program, keep_all_steps, measure, split

Planner = Callable[..., Any]

_UNITS = {
    "": 1,
    "B": 1,
    **{p + "B": 1000**k for k, p in enumerate("kMGTPE", 1)},
    **{p + "iB": 1024**k for k, p in enumerate("KMGTPE", 1)},
}
_ATTEMPTS = 6


@dataclasses.dataclass
class Planned:
    """A program within a budget."""

    program: Program
    budget: int
    measured: Measured
    keep_all: Measured
    floor: int | None = None
    lower_bound: float | None = None  # of the overhead, of any schedule; of the planner's own model
    proven: bool = False
    strategy: str = "keep_all"
    steps: list[tuple[str, int]] = dataclasses.field(default_factory=list)

    @property
    def overhead(self) -> float:
        """Time of what runs again, as a share of everything once."""
        once = self.measured.time - self.measured.overhead
        return self.measured.overhead / once if once else 0.0


def parse_budget(budget: int | str, keep_all: int, fixed: int = 0) -> int:
    """Bytes of 8000, "8GiB", or "60%" of what keeping everything takes; `fixed` bytes of it are spent beforehand."""
    if isinstance(budget, int):
        return budget - fixed
    found = re.fullmatch(r"\s*([0-9.]+)\s*(%|[kKMGTPE]?i?B?)\s*", budget)
    if not found or (found[2] != "%" and found[2] not in _UNITS):
        raise ValueError(f"a budget is bytes, such as 8GiB, or a share, such as 60%, not {budget!r}")
    if found[2] == "%":
        return int(float(found[1]) / 100 * (keep_all + fixed)) - fixed
    return int(float(found[1]) * _UNITS[found[2]]) - fixed


def plan_joint(
    joint: Joint, budget: int | str, planner: Planner | None = None, fixed: int = 0, **options: Any
) -> Planned:
    """Plans until the program fits: clones and random states, which the planner does not see, are made room for.

    planner: as `repebble.plan`, which it is where none is given. fixed: bytes that the budget includes beside the
    graph's (parameters, optimizer state).
    Raises repebble.NoPlan where nothing fits.
    """
    everything = split(joint, keep_all_steps(joint))
    keep_all = measure(joint, everything)
    limit = parse_budget(budget, keep_all.peak, fixed)
    if keep_all.peak <= limit:
        return Planned(everything, limit, keep_all, keep_all, None, 0.0, True, "keep_all", keep_all_steps(joint))
    if planner is None:
        import repebble

        planner = repebble.plan
    graph = joint.graph()
    asked = limit
    clones = sum(joint.sizes[s] for s in joint.mutated)
    for attempt in range(_ATTEMPTS):
        try:
            found = planner(graph, asked, **options)
        except Exception as error:
            raise _named(error, joint, graph, limit, fixed) from None
        steps = plain_steps(found.steps)
        program = split(joint, steps)
        measured = measure(joint, program)
        if measured.peak <= limit:
            return Planned(
                program,
                limit,
                measured,
                keep_all,
                getattr(found, "floor", None),
                getattr(found, "lower_bound", None),
                bool(getattr(found, "proven", False)) and asked == limit,
                str(getattr(found, "strategy", "")),
                steps,
            )
        asked -= max(measured.peak - limit, clones if attempt else 0)
    raise RuntimeError(f"no program within {limit} bytes after {_ATTEMPTS} plans: the last takes {measured.peak}")


def _named(error: Exception, joint: Joint, graph: dict[str, Any], limit: int, fixed: int) -> Exception:
    """The planner's NoPlan with a message in the user's terms: budget, floor, and the operation that needs it."""
    floor, operation = getattr(error, "floor", None), getattr(error, "operation", None)
    if floor is None:
        return error
    name = "" if operation is None else f": {graph['operations'][operation]['name']} alone needs that"
    reason = "none exists" if getattr(error, "proven", False) else "none was found"
    named = type(error)(
        f"no plan of {joint.name or 'the graph'} within {limit + fixed:,} bytes ({reason}); the floor is "
        f"{floor + fixed:,} bytes{name}"
    )
    named.__dict__.update(error.__dict__)
    return named


def plain_steps(steps: Any) -> list[tuple[str, int]]:
    """Steps of a plan as pairs: ("compute", operation) and ("discard", value)."""
    plain = []
    for step in steps:
        if isinstance(step, tuple) and len(step) == 2:
            plain.append((str(step[0]), int(step[1])))
        else:
            plain.append((step.action, step.operation if step.action == "compute" else step.value))
    return plain
