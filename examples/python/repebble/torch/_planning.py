"""A budget, a plan, and whether the program really keeps to it. Knows no torch."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from .._budget import bytes_of
from .._errors import NoPlan
from ._joint import Joint
from ._split import Measured, Program, keep_all_steps, measure, split

Planner = Callable[..., Any]

_ATTEMPTS = 8
_COMPILED_ATTEMPTS = 4  # where one of them fits; each takes as long as the compiler's own work, without its kernels
_USED = 0.98  # share of a budget that is near enough


@dataclasses.dataclass
class Planned:
    """A program within a budget."""

    program: Program
    budget: int
    measured: Measured
    keep_all: Measured
    floor: int | None = None
    lower_bound: float | None = None  # of the overhead, of any schedule; None where a compiler has changed the program
    time_least: bool = False
    strategy: str = "keep_all"
    steps: list[tuple[str, int]] = dataclasses.field(default_factory=list)

    @property
    def overhead(self) -> float:
        """Time of what runs again, as a share of everything once."""
        once = self.measured.time - self.measured.overhead
        return self.measured.overhead / once if once else 0.0


def plan_joint(
    joint: Joint,
    budget: int | str,
    planner: Planner | None = None,
    fixed: int = 0,
    compiled_peak: Callable[[Program], int] | None = None,
    **options: Any,
) -> Planned:
    """Plans until the program fits: clones and random states, which the planner does not see, are made room for.

    planner: as `repebble.plan`, which it is where none is given. fixed: bytes that the budget includes beside the
    graph's (parameters, optimizer state). compiled_peak: the most bytes of a program when a compiler has changed it;
    then plans are made until the budget is used, too.
    Raises repebble.NoPlan where nothing fits.
    """

    def look(steps: list[tuple[str, int]]) -> tuple[Program, Measured]:
        program = split(joint, steps)
        measured = measure(joint, program)
        return program, dataclasses.replace(measured, peak=compiled_peak(program)) if compiled_peak else measured

    everything, keep_all = look(keep_all_steps(joint))
    limit = bytes_of(budget, keep_all.peak + fixed) - fixed
    if keep_all.peak <= limit:
        return Planned(everything, limit, keep_all, keep_all, None, 0.0, True, "keep_all", keep_all_steps(joint))
    if planner is None:
        import repebble

        planner = repebble.plan
    graph = joint.graph()
    asked = limit + measure(joint, everything).peak - keep_all.peak
    clones = sum(joint.sizes[s] for s in joint.mutated)
    best: Planned | None = None
    bound: float | None = None
    fitting, failing = 0, 1 << 62  # of what was asked
    for attempt in range(_ATTEMPTS):
        if best and attempt >= _COMPILED_ATTEMPTS:
            return best
        try:
            found = planner(graph, asked, **options)
        except Exception as error:
            if best:
                return best
            raise _named(error, joint, graph, limit, fixed, asked) from None
        steps = plain_steps(found.steps)
        program, measured = look(steps)
        if asked == limit and not compiled_peak:
            bound = getattr(found, "lower_bound", None)
        if measured.peak > limit:
            failing = min(failing, asked)
            asked -= max(measured.peak - limit, limit // 100 * attempt if compiled_peak else clones if attempt else 0)
        else:
            fitting = max(fitting, asked)
            if best is None or measured.overhead < best.measured.overhead:
                best = Planned(
                    program,
                    limit,
                    measured,
                    keep_all,
                    found.floor.size,
                    bound,
                    bool(getattr(found, "time_least", False)) and asked == limit and not compiled_peak,
                    str(getattr(found, "strategy", "")),
                    steps,
                )
            if not compiled_peak or measured.peak >= _USED * limit or not measured.overhead:
                return best
            asked += limit - measured.peak
        if not fitting < asked < failing:
            asked = (fitting + failing) // 2
    if best:
        return best
    raise NoPlan(
        f"no plan of {joint.name or 'the graph'} within {limit + fixed:,} bytes was found: the last of {_ATTEMPTS} takes "
        f"{measured.peak + fixed:,}",
        found.floor.size + min(limit - asked, 0) + fixed,
        found.floor.operation,
    )


def _named(error: Exception, joint: Joint, graph: dict[str, Any], limit: int, fixed: int, asked: int) -> Exception:
    """The planner's NoPlan with a message in the user's terms: budget, floor, and the operation that needs it."""
    needed, operation = getattr(error, "needed", None), getattr(error, "operation", None)
    if needed is None:
        return error
    name = "" if operation is None else f": {graph['operations'][operation]['name']} alone needs that"
    unseen = limit - asked + fixed  # what the planner does not see; only what is fixed is needed for sure
    needed += min(unseen, fixed)
    found = getattr(error, "found", None)
    found = None if found is None else found + unseen
    reason = "none exists" if getattr(error, "none_exists", False) and asked >= limit else "none was found"
    named = type(error)(
        f"no plan of {joint.name or 'the graph'} within {limit + fixed:,} bytes ({reason}); the floor is "
        f"{needed:,} bytes{name}" + ("" if found is None else f"; a plan was found within {found:,}")
    )
    named.__dict__.update(error.__dict__, needed=needed, found=found)
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
