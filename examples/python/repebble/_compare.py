"""Algorithms side by side: strategies by name, the planner, and the caller's own, over budgets, all by one judge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Callable, NamedTuple, Optional, Union

from ._budget import Budget, bytes_of
from ._errors import BadOption, BadWeight, NoPlan
from ._graph import Graph, Number, graph_of
from ._plan import RecomputePlan, Steps, keep_all, make_schedule, plan, replay
from ._strategies import Strategy, find_strategy
from ._tables import as_list, shown

Algorithm = Callable[[Graph, int], Any]


class Point(NamedTuple):
    """What an algorithm's schedule for a budget costs, by replay."""

    budget: int
    """In bytes."""
    peak: int
    """Most bytes in any step."""
    overhead: Number
    """Time above that of computing everything once."""
    lower_bound: Optional[Number]
    """No schedule within the budget has less overhead; None where the algorithm has no bound."""

    @property
    def fits(self) -> bool:
        """Whether the schedule is within the budget."""
        return self.peak <= self.budget


@dataclass(frozen=True)
class Comparison:
    """Algorithms over budgets: `repebble.plots.plot_trade_off` draws it."""

    budgets: list[int]
    """In bytes, as they were asked for."""
    keep_all_peak: int
    """Most bytes where everything is kept."""
    time: Number
    """Of computing everything once."""
    points: dict[str, list[Optional[Point]]] = field(repr=False)
    """By algorithm: for every budget its point; None where it has no plan."""

    def table(self) -> str:
        """A line for each budget, a column for each algorithm: overheads in per cent; - where nothing fits."""
        shares = [f"{budget / self.keep_all_peak:.0%}" for budget in self.budgets]
        lines = [f"{'budget':>8}" + "".join(f"  {name:>12}" for name in self.points)]
        for i, share in enumerate(shares):
            cells = [self._cell(points[i]).rjust(max(12, len(name))) for name, points in self.points.items()]
            lines.append(f"{share:>8}" + "".join(f"  {cell}" for cell in cells))
        return "\n".join(lines)

    def _cell(self, point: Optional[Point]) -> str:
        return f"{point.overhead / self.time if self.time else 0:.2%}" if point is not None and point.fits else "-"


def compare(
    graph: Any,
    algorithms: Union[Iterable[Union[str, Strategy]], Mapping[str, Union[str, Strategy, Algorithm]]],
    budgets: Iterable[Budget],
    *,
    inputs: bool = False,
    seconds: Optional[float] = None,
) -> Comparison:
    """Runs algorithms on a graph within each of several budgets, and judges their schedules by replay.

    algorithms: names of strategies, or `strategies()`; or a mapping from names of the caller's to these and to functions
        of (graph, budget in bytes). A function returns a plan, steps, the operations in the order in which they run, with
        repetitions (as for `make_schedule`), or None where it has no plan.
    budgets: as of `plan`, shares such as "60%" among them.
    inputs: as of `plan`. seconds: limit of each strategy and budget, and of `automatic` for all budgets together.

    A strategy that takes no budget runs once. Raises IllegalSchedule where a function's schedule breaks a rule, BadOption
    for an algorithm that is none, and as `plan`.
    """
    held = graph_of(graph)
    everything = keep_all(held, inputs=inputs)
    asked = as_list(budgets, "budgets", BadWeight, "no list of budgets")
    limits = [bytes_of(budget, everything.peak) for budget in asked]
    named: Mapping[str, Any] = (
        algorithms
        if isinstance(algorithms, Mapping)
        else {a.name if isinstance(a, Strategy) else a: a for a in algorithms}
    )
    points: dict[str, list[Optional[Point]]] = {}
    for name, given in named.items():
        algorithm = find_strategy(given) if isinstance(given, str) else given
        if isinstance(algorithm, Strategy):
            found = _by_strategy(algorithm, held, limits, inputs, seconds)
        elif callable(algorithm):
            found = [algorithm(held, limit) for limit in limits]
        else:
            raise BadOption(f"algorithm {shown(name)} is no strategy and no function: {shown(algorithm)}")
        points[name] = [
            None if plan is None else _point(held, limit, plan, inputs) for limit, plan in zip(limits, found)
        ]
    return Comparison(limits, everything.peak, everything.time, points)


def _by_strategy(
    strategy: Strategy, graph: Graph, budgets: list[int], inputs: bool, seconds: Optional[float]
) -> list[Optional[RecomputePlan]]:
    if strategy.name == "automatic":
        return list(plan(graph, budgets, inputs=inputs, seconds=seconds))

    def within(budget: Optional[int]) -> Optional[RecomputePlan]:
        try:
            return strategy(graph, budget, inputs=inputs, seconds=seconds)
        except NoPlan:
            return None

    return [within(budget) for budget in budgets] if strategy.takes_budget else [within(None)] * len(budgets)


def _point(graph: Graph, budget: int, found: Any, inputs: bool) -> Point:
    if isinstance(found, RecomputePlan):
        bound = getattr(found, "lower_bound", None)
        return Point(budget, found.peak, found.overhead, bound)
    if not isinstance(found, Steps):
        found = as_list(found, "what the algorithm returns")
        if all(isinstance(step, int) for step in found):
            found = make_schedule(graph, found, inputs=inputs)
    cost = replay(graph, found, inputs=inputs)
    return Point(budget, cost.peak, cost.overhead, None)
