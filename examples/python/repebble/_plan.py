"""Plans of a graph within budgets, and replays of schedules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Callable, NamedTuple, Optional, Union, overload

from . import _core
from ._beside import bytes_beside, included
from ._budget import Budget, bytes_of
from ._effort import Effort, constants_of
from ._errors import BadOption, BadWeight, Error, IllegalSchedule, NoPlan
from ._graph import Number, Problem, Unit, problem_of
from ._limits import Stop, count, function, limits_of, little_of
from ._link import Link, digits_of, host_bytes, link_of
from ._tables import as_list, flag, indices, real, shown, whole

Progress = Callable[[float, Optional[Number], Number], object]


ACTIONS = ("compute", "discard", "offload", "prefetch", "discard_host")  # by number, as `graph_action` in problem.hpp


class Step(NamedTuple):
    """A step of a schedule: an operation is computed, or a value is discarded or copied."""

    action: str
    """`"compute"`, `"discard"`; over a link also `"offload"` (copy to the host; the value stays on the device until it is
    discarded there), `"prefetch"` (copy back) and `"discard_host"` (discard the copy on the host)."""
    operation: Optional[int] = None
    """compute: number of the operation."""
    value: Optional[int] = None
    """All others: number of the value."""


class Steps(Sequence[Step]):
    """The steps of a schedule, made as they are read: there may be millions. It equals a list of them."""

    def __init__(self, found: _core.FoundPlan) -> None:
        self._found = found

    def __len__(self) -> int:
        return self._found.step_count

    @overload
    def __getitem__(self, at: int) -> Step: ...
    @overload
    def __getitem__(self, at: slice) -> list[Step]: ...
    def __getitem__(self, at: Union[int, slice]) -> Union[Step, list[Step]]:
        if not isinstance(at, slice):
            number = range(len(self))[at]
            return self._between(number, number + 1)[0]
        begin, end, by = at.indices(len(self))
        return self._between(begin, max(begin, end)) if by == 1 else [*self][at]

    def __iter__(self) -> Iterator[Step]:
        for begin in range(0, len(self), 4096):
            yield from self._between(begin, begin + 4096)

    def __add__(self, other: Iterable[Step]) -> list[Step]:
        return [*self, *other]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (list, Steps)):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other))

    def __repr__(self) -> str:
        return repr([*self])

    def __reduce__(self) -> Any:
        return list, ([*self],)  # copies and pickles are lists

    def native(self) -> list[tuple[int, int]]:
        """As the native part takes them."""
        return self._found.steps_between(0, len(self))

    def _between(self, begin: int, end: int) -> list[Step]:
        return steps_of(self._found.steps_between(begin, end))


def steps_of(native: Iterable[tuple[int, int]]) -> list[Step]:
    """Steps of those of the native part."""
    return [Step(ACTIONS[what], None, i) if what else Step("compute", i) for what, i in native]


class Stalls(NamedTuple):
    """How long computations wait for copies."""

    for_data: Number = 0
    """Until what they read is copied in."""
    for_memory: Number = 0
    """Longer than that, until memory is free that is still copied out."""
    at_end: Number = 0
    """After the last computation, until the last copy ends."""


@dataclass(frozen=True)
class RecomputePlan:
    """A schedule and what it costs. Times are in the graph's units, sizes in bytes."""

    steps: Sequence[Step] = field(repr=False)
    """The schedule, as `replay` judges it: made as it is read; `list(plan.steps)` has all of it."""
    peak: int
    """Most bytes in any step."""
    time: Number
    """Of all steps."""
    overhead: Number
    """Time above that of computing everything once."""
    keep_all_peak: int
    """Most bytes where everything is kept until its last use, and each operation runs once."""
    strategy: str
    """What found the plan: of `plan`, its technique."""
    interrupted: bool
    """Whether Ctrl-C ended the search; the plan is the best until then."""
    host_peak: int
    """Most bytes on the host. 0 without a link, as the three below."""
    bytes_out: int
    """Bytes copied to the host."""
    bytes_in: int
    """Bytes copied back."""
    stalls: Stalls
    """How long computations wait for copies."""

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


class MemoryFloor(NamedTuple):
    """Bytes that every schedule needs."""

    size: int
    """Below it no plan exists; there need not be one from there on."""
    operation: Optional[int] = None
    """The operation that needs so much; None where there is none."""


@dataclass(frozen=True)
class Plan(RecomputePlan):
    """A schedule within a budget, with what is proven of it.

    Claims hold for all schedules that run operations any number of times, write in place only where the graph allows
    it, keep the policies, and copy nothing to the host, or with a link may.
    """

    lower_bound: Number
    """No plan within the budget has less overhead."""
    base_order_bound: Number
    """Over a link: no plan has less whose operations first run in the order of the list; else `lower_bound`."""
    time_least: bool
    """Whether it is proven that no schedule within the budget takes less time. Not where times had to be rounded."""
    gap: float
    """By how much the time may exceed the least, as a share of that."""
    floor: MemoryFloor
    """Bytes below which no plan exists."""

    @property
    def peak_least(self) -> bool:
        """Whether it is proven that no schedule has a lower peak."""
        return self.peak <= self.floor.size


@dataclass(frozen=True)
class LeastBudget:
    """The least budgets of a graph: what is proven to be needed, and for what a plan was found."""

    needed: MemoryFloor
    """No schedule needs less."""
    found: int
    """The least budget for which a plan was found: `plan` finds one within it. 0 where the limits ended the search before."""
    plan: Optional[Plan]
    """The plan for it."""


@dataclass(frozen=True)
class LargestSize:
    """The largest member of a family of graphs that has a plan, such as a batch."""

    found: int
    """The largest size for which a plan that counts was found; 0 where none was."""
    kept: int
    """The largest size that keeps everything within the budget; 0 where none was found."""
    impossible: Optional[int]
    """The least size that is proven to have no schedule within the budget; None where all may have one. Where every plan
    counts, `found + 1` says that `found` is the largest."""
    plan: Optional[Plan]
    """The plan of `found`."""
    beside: int = 0
    """Bytes of what `include` names, at `found`."""


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
    host_peak: int = 0
    """Most bytes on the host."""
    bytes_out: int = 0
    """Bytes copied to the host."""
    bytes_in: int = 0
    """Bytes copied back."""
    stalls: Stalls = Stalls()
    """Over a link: how long computations wait for copies."""


@overload
def plan(
    graph: Any,
    budget: Budget,
    *,
    seconds: Optional[float] = None,
    work: Optional[int] = None,
    stop: Optional[Stop] = None,
    gap: float = 0.0,
    seed: int = 1,
    threads: int = 1,
    arena: bool = False,
    inputs: bool = False,
    alignment: int = 1,
    link: Optional[Link] = None,
    host_budget: Optional[Budget] = None,
    time_unit: Optional[str] = None,
    must_keep: Optional[Iterable[int]] = None,
    must_recompute: Optional[Iterable[int]] = None,
    effort: Optional[Effort] = None,
    progress: Optional[Progress] = None,
) -> Plan: ...


@overload
def plan(
    graph: Any,
    budget: Iterable[Budget],
    *,
    seconds: Optional[float] = None,
    work: Optional[int] = None,
    stop: Optional[Stop] = None,
    gap: float = 0.0,
    seed: int = 1,
    threads: int = 1,
    arena: bool = False,
    inputs: bool = False,
    alignment: int = 1,
    link: Optional[Link] = None,
    host_budget: Optional[Budget] = None,
    time_unit: Optional[str] = None,
    must_keep: Optional[Iterable[int]] = None,
    must_recompute: Optional[Iterable[int]] = None,
    effort: Optional[Effort] = None,
    progress: Optional[Progress] = None,
) -> list[Optional[Plan]]: ...


def plan(
    graph: Any,
    budget: Union[Budget, Iterable[Budget]],
    *,
    seconds: Optional[float] = None,
    work: Optional[int] = None,
    stop: Optional[Stop] = None,
    gap: float = 0.0,
    seed: int = 1,
    threads: int = 1,
    arena: bool = False,
    inputs: bool = False,
    alignment: int = 1,
    link: Optional[Link] = None,
    host_budget: Optional[Budget] = None,
    time_unit: Optional[str] = None,
    must_keep: Optional[Iterable[int]] = None,
    must_recompute: Optional[Iterable[int]] = None,
    effort: Optional[Effort] = None,
    progress: Optional[Progress] = None,
) -> Union[Plan, list[Optional[Plan]]]:
    """Plans what to keep, to discard and to compute again, so that the peak is within a budget at the least time.

    graph: a mapping (or an object, or JSON text) with `values` and `operations`, as the README says.
    budget: bytes, such as 1000 or "8GiB", or a share of what keeping everything takes, such as "60%". Of several
        budgets, in a list or an array, the plans in their order, None where none was found: a larger budget never gives
        a slower plan, nor a greater bound.
    seconds: time after which the best plans so far are returned, of all budgets together. Without it equal calls give
        equal plans.
    work: moves of the annealing; by default as many as the graph is large.
    stop: asked at most 50 times a second; True ends the search, and the best plan so far is returned.
    gap: good enough is a plan whose time is within this share of the proven least.
    threads: the plan is the same for any number, unless seconds are given.
    arena: whether the plan also fits into one block of memory of the budget's size, all values at fixed addresses.
    inputs: whether inputs count: each stays in memory from the beginning to the end.
    alignment: sizes of values and workspaces are rounded up to multiples of that, such as 256, as a device allocates
        them: budget and peaks are of such bytes.
    link: values may be copied to the host and back over it, beside computations: a bandwidth in each direction such as
        "12GB/s" or the name of a machine such as "pcie4" (that of the program `plan`), then with commas between a latency
        such as "10us" and "half-duplex"; or a mapping with bandwidth, latency and half_duplex. Times of plans are then
        those at which all of these end, and copies take whole nanoseconds or finer.
    host_budget: with a link: bytes on the host at most, such as "16GiB".
    time_unit: "s", "ms", "us" or "ns", of the graph's times; a link needs it.
    must_keep: numbers of values that, once computed, stay until their last use.
    must_recompute: numbers of values of the forward pass that are not kept for the backward pass, but computed again for
        what reads them there. Operations say their `pass`.
    effort: constants of the search by name, such as {"children": 8}; `effort_constants` lists them.
    progress: called at most 50 times a second with the share of the work done, the overhead of the best plan (None
        where there is none yet) and the lower bound. What it raises ends the search.

    Ctrl-C ends the search: the best plan so far is returned with `interrupted` set. Where there is none yet,
    KeyboardInterrupt is raised. The GIL is released.

    Raises NoPlan where no plan is within the one budget, or none was found; BadGraph, NotADag, BadWeight, BadOption.
    """
    problem = problem_of(graph, inputs, digits_of(link, time_unit), alignment)
    keep_all_peak = problem.native.keep_all().peak
    options = _options(seconds, work, stop, gap, seed, threads, arena, effort)
    options["demands"] = _demands(problem, link, host_budget, time_unit, must_keep, must_recompute)
    several = isinstance(budget, Iterable) and not isinstance(budget, str)
    budgets: Any = as_list(budget, "budget", BadWeight, "neither a budget nor a list of budgets") if several else [budget]
    limits = [bytes_of(b, keep_all_peak) for b in budgets]
    found, interrupted = problem.native.plans(limits, **options, progress=_heard(progress, problem.unit))
    if several:
        return [_plan_of(problem, f, keep_all_peak, interrupted) if f.exists else None for f in found]
    if not found[0].exists:
        # A little work, of two seconds at most.
        little = {**options, "seconds": little_of(options["seconds"]), "work": 0}
        least, _, interrupted = problem.native.least_budget(**little, progress=None)
        if interrupted:
            raise KeyboardInterrupt
        raise _no_plan(problem, found[0], limits[0], least or None)
    return _plan_of(problem, found[0], keep_all_peak, interrupted)


def find_least_budget(
    graph: Any,
    *,
    seconds: Optional[float] = None,
    work: Optional[int] = None,
    stop: Optional[Stop] = None,
    gap: float = 0.0,
    seed: int = 1,
    threads: int = 1,
    arena: bool = False,
    inputs: bool = False,
    alignment: int = 1,
    link: Optional[Link] = None,
    host_budget: Optional[Budget] = None,
    time_unit: Optional[str] = None,
    must_keep: Optional[Iterable[int]] = None,
    must_recompute: Optional[Iterable[int]] = None,
    effort: Optional[Effort] = None,
    progress: Optional[Progress] = None,
) -> LeastBudget:
    """The least budget for which a plan is found, by halving from what keeping everything takes, and that plan.

    Half of the seconds are for the halving, the others for the plan. Options and errors are those of `plan`.
    """
    problem = problem_of(graph, inputs, digits_of(link, time_unit), alignment)
    options = _options(seconds, work, stop, gap, seed, threads, arena, effort)
    options["demands"] = _demands(problem, link, host_budget, time_unit, must_keep, must_recompute)
    least, found, interrupted = problem.native.least_budget(**options, progress=_heard(progress, problem.unit))
    plan = _plan_of(problem, found, problem.native.keep_all().peak, interrupted) if found.exists else None
    return LeastBudget(MemoryFloor(found.floor, found.floor_operation), least, plan)


def find_largest_size(
    make: Callable[[int], Any],
    budget: Budget,
    *,
    least: int = 1,
    most: int = 2**32 - 1,
    overhead: Optional[float] = None,
    include: Iterable[str] = (),
    optimizer_states: int = 2,
    seconds: Optional[float] = None,
    work: Optional[int] = None,
    stop: Optional[Stop] = None,
    gap: float = 0.0,
    seed: int = 1,
    threads: int = 1,
    arena: bool = False,
    inputs: bool = False,
    alignment: int = 1,
    effort: Optional[Effort] = None,
) -> LargestSize:
    """The largest batch, or the longest sequence, with a plan within a budget, and the least that is proven to have none.

    make: the graph of a size, as `plan` takes it, such as `lambda n:
        repebble.make_training_graph(repebble.network("resnet50", batch=n))`; of a larger size it is taken to need no less.
    budget: bytes, such as 1000 or "8GiB".
    least, most: the sizes that are asked about.
    overhead: plans count that take at most so much more time than keeping everything, as a share; None: all. A larger
        size that counts may be missed, as overheads may rise and fall.
    include: what else the budget is for, all the time: "parameters" (with masks and statistics), "gradients" of the
        trained ones, "optimizer" (`optimizer_states` times the trained ones: 0 of SGD, 2 of Adam), "inputs". Of graphs
        of networks by name and of ONNX models, which say what these take.

    Sizes are tried by doubling and halving, with little work; then the largest, and the next ones while they have a
    plan, with all work. Seconds are of all together. Other options and errors are those of `plan`. What `make` raises
    ends the search without an answer, Ctrl-C there, too.
    """
    if not callable(make):
        raise BadOption(f"make is no function: {shown(make)}")
    least, most = count(least, "least"), count(most, "most")
    if not 1 <= least <= most < 2**63:
        raise BadOption(f"least and most: sizes from {least} to {most} are not from 1 on")
    words, states = included(include), count(optimizer_states, "optimizer_states")
    last: dict[int, tuple[Problem, int]] = {}

    def member(size: int) -> tuple[Problem, int]:
        """The problem of a size, and the bytes beside it."""
        if size not in last:
            last.clear()
            graph = make(size)
            last[size] = problem_of(graph, inputs, alignment=alignment), bytes_beside(graph, words, states)
        return last[size]

    if isinstance(budget, str) and "%" in budget:
        raise BadWeight(f"a budget of many sizes is in bytes, not {budget!r}")
    limit = bytes_of(budget, 0)
    options = _options(seconds, work, stop, gap, seed, threads, arena, effort)
    options["demands"] = _core.Demands(None, None, [], [])
    share = None if overhead is None else real(overhead, "overhead")
    found, kept, impossible, made, interrupted = _core.largest_size(
        lambda size: member(size)[0].native, lambda size: member(size)[1], limit, least, most, share, **options, progress=None
    )
    if found == 0:
        return LargestSize(0, kept, impossible, None)
    problem, beside = member(found)
    plan = _plan_of(problem, made, problem.native.keep_all().peak, interrupted)
    return LargestSize(found, kept, impossible, plan, beside)


def find_memory_floor(graph: Any, *, inputs: bool = False) -> MemoryFloor:
    """Bytes that every schedule needs, and the operation that needs them. `find_least_budget` looks for a plan."""
    return MemoryFloor(*problem_of(graph, inputs).native.memory_floor())


def keep_all(graph: Any, *, inputs: bool = False) -> Plan:
    """The plan without recomputation: every operation once, in the graph's order, every value until its last use.

    Its peak is that of which budgets in per cent are shares.
    """
    problem = problem_of(graph, inputs)
    found = problem.native.keep_all()
    return _plan_of(problem, found, found.peak, False)


def replay(
    graph: Any,
    steps: Any,
    *,
    inputs: bool = False,
    alignment: int = 1,
    link: Optional[Link] = None,
    time_unit: Optional[str] = None,
) -> Cost:
    """Plays a schedule by the rules of the pebble game: peak, time, overhead, and the bytes of every step.

    steps: a plan, its `steps`, or tuples (action, operation, value).
    alignment, link, time_unit: as of `plan`: copies run beside computations. Without a link copies take no time.

    Raises IllegalSchedule, with the step and the rule, where an operation runs without what it reads, a value is
    discarded or copied that is not there, or what must run, or stay to the end, does not.
    """
    problem = problem_of(graph, inputs, digits_of(link, time_unit), alignment)
    unit = problem.unit
    peak, time, overhead, again, profile, host_peak, out, back, stalls = problem.native.replay(
        native_steps(steps), link_of(link, time_unit, unit)
    )
    return Cost(peak, unit.time(time), unit.time(overhead), profile, again, host_peak, out, back, stalls_of(stalls, unit))


def stalls_of(stalls: tuple[int, int, int], unit: Unit) -> Stalls:
    """Stalls in the caller's times."""
    return Stalls(*map(unit.time, stalls))


def make_schedule(graph: Any, computations: Any, *, inputs: bool = False) -> list[Step]:
    """The schedule of operations in an order of the caller's, with repetitions: whatever an algorithm computes, when.

    Every value is discarded right after its last use before it is computed again; results stay. What `computations`
    leave out, or compute before what they read, `replay` says.  O(reads and writes of the steps).

    Raises IllegalSchedule where there is no such operation, and as `plan`.
    """
    problem = problem_of(graph, inputs)
    numbers = [
        whole(v, f"computation {i}", IllegalSchedule)
        for i, v in enumerate(as_list(computations, "computations", IllegalSchedule))
    ]
    for i, v in enumerate(numbers):
        if not 0 <= v < len(problem.operation_names):
            raise IllegalSchedule(f"computation {i}: there is no operation {v}")
    return steps_of(problem.native.schedule_of(numbers))


def native_steps(steps: Any) -> list[tuple[int, int]]:
    """Steps of a caller, or a plan's, as the native part takes them. Raises IllegalSchedule where they are none."""
    if isinstance(steps, RecomputePlan):
        steps = steps.steps
    if isinstance(steps, Steps):
        return steps.native()
    return [_native_step(s, i) for i, s in enumerate(as_list(steps, "steps", IllegalSchedule))]


def _native_step(step: Any, number: int) -> tuple[int, int]:
    if isinstance(step, Mapping):
        rest = [field for field in step if field not in Step._fields]
        parts = [step.get(field) for field in Step._fields]
    else:
        rest = [] if isinstance(step, Iterable) and not isinstance(step, (str, bytes)) else [step]
        parts = [] if rest else as_list(step, f"step {number}", IllegalSchedule)
        rest += parts[3:]
    if rest or not parts:
        raise IllegalSchedule(f"step {number} is no (action, operation, value): {shown(step)}")
    action, operation, value = (*parts, None, None)[:3]
    if action not in ACTIONS:
        raise IllegalSchedule(f"step {number}: {shown(action)} is none of {', '.join(map(repr, ACTIONS))}")
    what, other = (operation, value) if action == "compute" else (value, operation)
    if what is None:
        raise IllegalSchedule(f"step {number}: {action} of nothing")
    if other is not None:
        raise IllegalSchedule(f"step {number}: {action} has an operation or a value, not both: {shown(step)}")
    return ACTIONS.index(action), whole(what, f"step {number}", IllegalSchedule)


def _demands(
    problem: Problem,
    link: Optional[Link],
    host_budget: Optional[Budget],
    time_unit: Optional[str],
    must_keep: Optional[Iterable[int]],
    must_recompute: Optional[Iterable[int]],
) -> _core.Demands:
    """Copies and policies as the native part takes them."""
    if host_budget is not None and link is None:
        raise BadOption("host_budget has no meaning without a link")
    return _core.Demands(
        link_of(link, time_unit, problem.unit),
        None if host_budget is None else host_bytes(host_budget),
        indices(must_keep, "must_keep"),
        indices(must_recompute, "must_recompute"),
    )


def _options(
    seconds: Optional[float],
    work: Optional[int],
    stop: Optional[Stop],
    gap: float,
    seed: int,
    threads: int,
    arena: bool,
    effort: Optional[Effort],
) -> dict[str, Any]:
    """As the native part takes them."""
    return {**limits_of(seconds, work, stop)._asdict(), "gap": real(gap, "gap"), "seed": count(seed, "seed"),
            "threads": count(threads, "threads"), "arena": flag(arena, "arena"),
            "effort": constants_of(effort)}  # fmt: skip


def _heard(progress: Optional[Progress], unit: Unit) -> Optional[Callable[[float, Optional[int], int], object]]:
    """Progress in the caller's times."""
    if function(progress, "progress") is None:
        return None

    def hear(share: float, overhead: Optional[int], lower_bound: int) -> object:
        assert progress is not None
        return progress(share, None if overhead is None else unit.time(overhead), unit.time(lower_bound))

    return hear


def _plan_of(problem: Problem, found: _core.FoundPlan, keep_all_peak: int, interrupted: bool) -> Plan:
    unit = problem.unit
    # What rounding may take from each operation is taken from the bound.
    lost = 0 if unit.exact else len(unit.whole)
    return Plan(
        steps=Steps(found),
        peak=found.peak,
        time=unit.time(found.time),
        overhead=unit.time(found.overhead),
        lower_bound=unit.time(found.lower_bound - lost),
        base_order_bound=unit.time(found.base_order_bound - lost),
        time_least=found.proven and unit.exact,
        gap=found.gap,
        floor=MemoryFloor(found.floor, found.floor_operation),
        strategy=found.strategy,
        keep_all_peak=keep_all_peak,
        interrupted=interrupted,
        host_peak=found.host_peak,
        bytes_out=found.bytes_out,
        bytes_in=found.bytes_in,
        stalls=stalls_of(found.stalls, unit),
    )


def _no_plan(problem: Problem, found: _core.FoundPlan, limit: int, least: Optional[int]) -> Error:
    why = "none exists" if found.proven else "none was found"
    if found.floor > 0:  # else the search ended before that was known
        why += f"; {needs(problem, found.floor, found.floor_operation)}"
    if least is not None:
        why += f"; a plan was found within {least}"
    return NoPlan(f"no plan within {limit} bytes: {why}", found.floor, found.floor_operation, found.proven, least)


def needs(problem: Problem, floor: int, operation: Optional[int]) -> str:
    """Says what needs the floor."""
    name = "" if operation is None else problem.operation_names[operation]
    who = "all results" if operation is None else f"operation {operation}" + (f" ('{name}')" if name else "")
    return f"{who} needs {floor} bytes"
