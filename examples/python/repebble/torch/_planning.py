"""A budget, a plan, and whether the program really keeps to it. Knows no torch."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

from .._budget import bytes_of
from .._errors import NoPlan
from ._joint import BARRIER, Joint
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
    cached: bool = False  # whether it was planned before

    @property
    def overhead(self) -> float:
        """Time of what runs again, as a share of everything once."""
        once = self.measured.time - self.measured.overhead
        return self.measured.overhead / once if once else 0.0

    @property
    def fits(self) -> bool:
        """Whether the program is within the budget."""
        return self.measured.peak <= self.budget


def plan_joint(
    joint: Joint,
    budget: int | str,
    planner: Planner | None = None,
    fixed: int = 0,
    compiled_peak: Callable[[Program], int] | None = None,
    default_peak: int | None = None,
    least: bool = False,
    quick: bool = False,
    **options: Any,
) -> Planned:
    """Plans until the program fits: clones and random states, which the planner does not see, are made room for.

    planner: as `repebble.plan`, which it is where none is given. fixed: bytes that the budget includes beside the
    graph's (parameters, optimizer state). compiled_peak: the most bytes of a program when a compiler has changed it;
    then plans are made until the budget is used, too. default_peak: the most bytes of what the compiler does without a
    plan, which then is "keeping everything": the strategy is "default" where it fits. least: where nothing fits, the
    least that is found is taken. quick: that is taken at once, and no time is spent on a faster plan within it.
    Raises repebble.NoPlan where nothing fits: planning again within its `found` succeeds.
    """

    def look(found: Any) -> tuple[list[tuple[str, int]], Program, Measured]:
        steps = plain_steps(found.steps)
        times = (found.time, found.overhead) if options.get("link") is not None else None
        return steps, *measured_program(joint, steps, times, compiled_peak)

    once = keep_all_steps(joint)
    everything, keep_all = keep_all_program(joint, default_peak)
    limit = max(bytes_of(budget, keep_all.peak + fixed) - fixed, 0)
    name = "keep_all" if default_peak is None else "default"
    start = Planned(everything, limit, keep_all, keep_all, None, 0.0, True, name, once)
    if start.fits and not options.get("must_recompute"):
        return start
    if planner is None:
        import repebble

        planner = repebble.plan
    graph = joint.graph()
    if options.get("must_recompute"):  # what has its first run behind the barrier is what reads it there
        for operation in graph["operations"][joint.planned().index(BARRIER) + 1 :]:
            operation["pass"] = "backward"
    asked = limit
    clones = sum(joint.sizes[s] for s in joint.mutated)
    best: Planned | None = None
    bound: float | None = None
    error: NoPlan | None = None
    fitting, failing = 0, 1 << 62  # of what was asked
    for attempt in range(0 if quick or not limit else _ATTEMPTS):
        if asked < 0 or best and attempt >= _COMPILED_ATTEMPTS:
            break
        try:
            found = planner(graph, asked, **options)
        except NoPlan as none:
            error = none
            break
        if getattr(found, "interrupted", False):
            raise KeyboardInterrupt
        steps, program, measured = look(found)
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
                break
            asked += limit - measured.peak
        if not fitting < asked < failing:
            asked = (fitting + failing) // 2
    if best:
        return best
    again = None if quick else functools.partial(planner, graph, **options)
    return _least(joint, graph, start, fixed, look, least, error if asked >= limit else None, again, options)


def measured_program(
    joint: Joint,
    steps: list[tuple[str, int]],
    times: tuple[float, float] | None = None,
    compiled_peak: Callable[[Program], int] | None = None,
) -> tuple[Program, Measured]:
    """The program of a schedule, and what it takes. times: its time and overhead over a link, where copies count, too."""
    program = split(joint, steps)
    measured = measure(joint, program)
    if times:
        measured = dataclasses.replace(measured, time=times[0], overhead=times[1])
    return program, dataclasses.replace(measured, peak=compiled_peak(program)) if compiled_peak else measured


def keep_all_program(joint: Joint, default_peak: int | None = None) -> tuple[Program, Measured]:
    """The program that runs everything once, and what it takes; its peak is that of the compiler, where that is given."""
    program, measured = measured_program(joint, keep_all_steps(joint))
    return program, measured if default_peak is None else dataclasses.replace(measured, peak=default_peak)


def _least(
    joint: Joint,
    graph: dict[str, Any],
    start: Planned,
    fixed: int,
    look: Callable[[Any], tuple[list[tuple[str, int]], Program, Measured]],
    anyway: bool,
    error: NoPlan | None,
    again: Callable[[int], Any] | None,
    options: dict[str, Any],
) -> Planned:
    """The plan of the least peak that is found, if it fits or is wanted `anyway`; else raises NoPlan, which names it.

    start: the plan without recomputation, which is taken where no other has a lower peak. again: plans once more.
    """
    import repebble

    least = repebble.find_least_budget(graph, **{**options, "work": 0})
    needed, best = least.needed, dataclasses.replace(start, floor=least.needed.size, lower_bound=None, time_least=False)
    if least.plan is not None:
        plan = again(least.found) if again and not least.plan.interrupted else least.plan
        if getattr(plan, "interrupted", False):
            raise KeyboardInterrupt
        steps, program, measured = look(plan)
        if measured.peak < best.measured.peak:
            best = dataclasses.replace(best, program=program, measured=measured, strategy="least", steps=steps)
    if best.fits or anyway:
        return best
    limit = start.budget
    name = "" if needed.operation is None else f": {graph['operations'][needed.operation]['name']} alone needs that"
    none_exists = error is not None and error.none_exists
    found = best.measured.peak + fixed
    raise NoPlan(
        f"no plan of {joint.name or 'the graph'} within {limit + fixed:,} bytes "
        f"({'none exists' if none_exists else 'none was found'}); the floor is {needed.size + fixed:,} bytes{name}; "
        f"a plan was found within {found:,}",
        needed.size + fixed,
        needed.operation,
        none_exists,
        found,
    )


def plain_steps(steps: Any) -> list[tuple[str, int]]:
    """Steps of a plan as pairs: ("compute", operation), ("discard", value) and copies of a value."""
    plain = []
    for step in steps:
        if isinstance(step, tuple) and len(step) == 2:
            plain.append((str(step[0]), int(step[1])))
        else:
            plain.append((step.action, step.operation if step.action == "compute" else step.value))
    return plain
