"""Plans of a graph within budgets, and replays of schedules."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, NamedTuple, Optional, Sequence

from . import _core
from ._budget import Budget, bytes_of
from ._errors import BadOption, Error, IllegalSchedule, NoPlan
from ._graph import Number, Problem
from ._tables import as_list, whole

Progress = Callable[[float, Optional[Number], Number], object]


class Step(NamedTuple):
    """A step of a schedule: an operation is computed, or a value is discarded."""

    action: str
    """`"compute"` or `"discard"`."""
    operation: Optional[int] = None
    """compute: number of the operation."""
    value: Optional[int] = None
    """discard: number of the value."""


@dataclass(frozen=True)
class Plan:
    """A schedule within a budget, with what is proven of it. Times are in the graph's units, sizes in bytes."""

    steps: list[Step] = field(repr=False)
    """The schedule, as `replay` judges it."""
    peak: int
    """Most bytes in any step."""
    time: Number
    """Of all steps."""
    overhead: Number
    """Time above that of computing everything once."""
    lower_bound: Number
    """No plan within the budget has less overhead."""
    proven: bool
    """Whether the plan is proven to have the least time. Not where times had to be rounded."""
    gap: float
    """By how much the time may exceed the least, as a share of that."""
    floor: int
    """Bytes below which no plan exists."""
    floor_operation: Optional[int]
    """The operation that needs so much."""
    strategy: str
    """The technique that found the plan."""
    keep_all_peak: int
    """Most bytes where everything is kept until its last use, and each operation runs once."""
    interrupted: bool = False
    """Whether Ctrl-C ended the search; the plan is the best until then."""

    def recomputed(self) -> list[int]:
        """The operations that run again, in the order of the schedule, once for each run after the first."""
        seen: set[int] = set()
        again: list[int] = []
        for step in self.steps:
            if step.operation is None:
                continue
            if step.operation in seen:
                again.append(step.operation)
            seen.add(step.operation)
        return again


@dataclass(frozen=True)
class Cost:
    """What a schedule costs. Times are in the graph's units, sizes in bytes."""

    peak: int
    """Most bytes in any step."""
    time: Number
    """Of all steps."""
    overhead: Number
    """Time above that of computing everything once."""
    profile: list[int] = field(repr=False)
    """Bytes during every step, its outputs and workspace among them."""
    recomputations: int = 0
    """Runs of operations after their first."""


def plan(
    graph: Any,
    budget: Budget,
    *,
    time_limit: Optional[float] = None,
    moves: Optional[int] = None,
    gap: float = 0.0,
    seed: int = 1,
    threads: int = 1,
    arena: bool = False,
    inputs: bool = False,
    progress: Optional[Progress] = None,
) -> Plan:
    """Plans what to keep, to discard and to compute again, so that the peak is within a budget at the least time.

    graph: a mapping (or an object, or JSON text) with `values` and `operations`, as the README says.
    budget: bytes, such as 1000 or "8GiB", or a share of what keeping everything takes, such as "60%".
    time_limit: CPU seconds after which the best plan so far is returned. Without one equal calls give equal plans.
    moves: of the annealing; by default as many as the graph is large.
    gap: good enough is a plan whose time is within this share of the proven least.
    threads: the plan is the same for any number, unless there is a time limit.
    arena: whether the plan also fits into one block of memory of the budget's size, all values at fixed addresses.
    inputs: whether inputs count: each stays in memory from the beginning to the end.
    progress: called at most 20 times a second with the share of the work done, the overhead of the best plan (None
        where there is none yet) and the lower bound. What it raises ends the search.

    Ctrl-C ends the search: the best plan so far is returned with `interrupted` set. Where there is none yet,
    KeyboardInterrupt is raised. The GIL is released.

    Raises NoPlan where no plan is within the budget, or none was found; BadGraph, NotADag, BadWeight, BadOption.
    """
    problem = Problem(graph, inputs)
    keep_all_peak = problem.native.keep_all().peak
    limit = bytes_of(budget, keep_all_peak)
    found, interrupted = _search(problem, [limit], time_limit, moves, gap, seed, threads, arena, progress)
    if not found[0].exists:
        raise _no_plan(problem, found[0], limit, _least_found(problem, time_limit, seed, arena))
    return _plan_of(problem, found[0], keep_all_peak, interrupted)


def plan_curve(
    graph: Any,
    budgets: Iterable[Budget],
    *,
    time_limit: Optional[float] = None,
    moves: Optional[int] = None,
    gap: float = 0.0,
    seed: int = 1,
    threads: int = 1,
    arena: bool = False,
    inputs: bool = False,
    progress: Optional[Progress] = None,
) -> list[Optional[Plan]]:
    """Plans for several budgets, in their order; None where no plan was found. A larger budget never gives a slower
    plan, nor a greater bound. Otherwise as `plan`; the time limit is for each budget.
    """
    problem = Problem(graph, inputs)
    keep_all_peak = problem.native.keep_all().peak
    limits = [bytes_of(budget, keep_all_peak) for budget in as_list(budgets)]
    found, interrupted = _search(problem, limits, time_limit, moves, gap, seed, threads, arena, progress)
    return [_plan_of(problem, f, keep_all_peak, interrupted) if f.exists else None for f in found]


def keep_all(graph: Any, *, inputs: bool = False) -> Plan:
    """The plan without recomputation: every operation once, in the graph's order, every value until its last use.

    Its peak is that of which budgets in per cent are shares.
    """
    problem = Problem(graph, inputs)
    found = problem.native.keep_all()
    return _plan_of(problem, found, found.peak, False)


def replay(graph: Any, steps: Iterable[Any], *, inputs: bool = False) -> Cost:
    """Plays a schedule by the rules of the pebble game: peak, time, overhead, and the bytes of every step.

    steps: `Plan.steps`, or tuples (action, operation, value).

    Raises IllegalSchedule, with the step and the rule, where an operation runs without what it reads, a value is
    discarded that is not there, or what must run, or stay to the end, does not.
    """
    problem = Problem(graph, inputs)
    peak, time, overhead, again, profile = problem.native.replay([_native_step(s, i) for i, s in enumerate(steps)])
    unit = problem.unit
    return Cost(peak, unit.time(time), unit.time(overhead), profile, again)


def _native_step(step: Any, number: int) -> tuple[bool, int]:
    if isinstance(step, Mapping):
        action, operation, value = step.get("action"), step.get("operation"), step.get("value")
    else:
        action, operation, value = (*step, None, None)[:3]
    if action not in ("compute", "discard"):
        raise IllegalSchedule(f"step {number}: {action!r} is neither 'compute' nor 'discard'")
    what = operation if action == "compute" else value
    if what is None:
        raise IllegalSchedule(f"step {number}: {action} of nothing")
    return action == "compute", whole(what, f"step {number}", IllegalSchedule)


def _search(
    problem: Problem,
    limits: Sequence[int],
    time_limit: Optional[float],
    moves: Optional[int],
    gap: float,
    seed: int,
    threads: int,
    arena: bool,
    progress: Optional[Progress],
) -> tuple[list[_core.FoundPlan], bool]:
    for name, number in (("moves", moves), ("a seed", seed), ("threads", threads)):
        if number is not None and not 0 <= operator.index(number) < 1 << 63:
            raise BadOption(f"{name} cannot be {number}")
    unit = problem.unit

    def hear(share: float, overhead: Optional[int], lower_bound: int) -> None:
        assert progress is not None
        progress(share, None if overhead is None else unit.time(overhead), unit.time(lower_bound))

    return problem.native.plans(
        limits, time_limit, moves, gap, seed, threads, arena, None if progress is None else hear
    )


def _plan_of(problem: Problem, found: _core.FoundPlan, keep_all_peak: int, interrupted: bool) -> Plan:
    unit = problem.unit
    # What rounding may take from each operation is taken from the bound.
    lost = 0 if unit.exact else len(unit.whole)
    return Plan(
        steps=[Step("compute", i) if computes else Step("discard", None, i) for computes, i in found.steps],
        peak=found.peak,
        time=unit.time(found.time),
        overhead=unit.time(found.overhead),
        lower_bound=unit.time(found.lower_bound - lost),
        proven=found.proven and unit.exact,
        gap=found.gap,
        floor=found.floor,
        floor_operation=found.floor_operation,
        strategy=found.strategy,
        keep_all_peak=keep_all_peak,
        interrupted=interrupted,
    )


def _least_found(problem: Problem, time_limit: Optional[float], seed: int, arena: bool) -> Optional[int]:
    """The least budget for which a little work finds a plan."""
    most_seconds = 2.0
    return problem.native.least_budget(min(most_seconds, time_limit or most_seconds), seed, arena) or None


def _no_plan(problem: Problem, found: _core.FoundPlan, limit: int, least: Optional[int]) -> Error:
    operation = found.floor_operation
    name = "" if operation is None else problem.operation_names[operation]
    who = "all results" if operation is None else f"operation {operation}" + (f" ('{name}')" if name else "")
    if found.proven and limit < found.floor:
        why = f"{who} needs {found.floor} bytes"
    elif found.proven:
        why = f"proven; {who} needs {found.floor} bytes"
    else:
        why = f"none was found, though no proof either; {who} needs {found.floor} bytes"
    if least is not None:
        why += f"; a plan was found within {least}"
    return NoPlan(f"no plan within {limit} bytes: {why}", found.floor, operation, found.proven, least)
