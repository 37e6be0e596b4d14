"""Strategies by name: those of the literature, by growing quality, and the automatic planner, the last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Optional

from . import _core
from ._budget import Budget, bytes_of
from ._errors import BadGraph, BadOption, NoPlan
from ._graph import problem_of
from ._limits import Stop, count, function, limits_of
from ._plan import MemoryFloor, RecomputePlan, Steps, needs, stalls_of
from ._tables import flag, real, shown, text


@dataclass(frozen=True)
class Strategy:
    """A strategy: `find_strategy("save_set")(graph, "60%")` is its plan."""

    name: str
    summary: str
    """In one line."""
    takes_budget: bool
    """The others have one plan only, whatever the budget: it may be above it."""
    needs_gradients: bool
    """Whether operations must say their `pass`."""
    is_slow: bool
    """Beyond small graphs."""

    def __call__(
        self,
        graph: Any,
        budget: Optional[Budget] = None,
        *,
        goal: str = "time",
        nearest: bool = False,
        judge: str = "replayed",
        keep_last: bool = False,
        epsilon: Optional[float] = None,
        kept: int = 1,
        threads: int = 1,
        seconds: Optional[float] = None,
        work: Optional[int] = None,
        stop: Optional[Stop] = None,
        inputs: bool = False,
        progress: Optional[Callable[[float], object]] = None,
    ) -> RecomputePlan:
        """Its plan of a graph within a budget; without one, of the least peak that it can do. Each strategy heeds the
        options that it knows.

        goal: "time", or "memory": the least peak, which must fit the budget.
        nearest: where no plan fits, return the one nearest to the budget.
        judge, keep_last, epsilon: of lower sets: "replayed" or "formula"; the last segment stays; tolerated loss as a
            share of the forward time.
        kept: of recursive segments: the cuts that divide each part.
        seconds, stop: as of `plan`. work: in steps of the strategy. progress: called with the share of the work done.

        Raises NoPlan where it finds no plan within the budget; its `found` is the peak of the nearest. BadGraph where
        it needs passes and the graph has none; LimitReached where a limit ends it without a plan; otherwise as `plan`.
        """
        for option, word, words in (("goal", goal, ("time", "memory")), ("judge", judge, ("replayed", "formula"))):
            if word not in words:
                raise BadOption(f"{option} is neither {words[0]!r} nor {words[1]!r}: {shown(word)}")
        limits = limits_of(seconds, work, stop)
        cuts, helpers = count(kept, "kept"), count(threads, "threads")
        tolerated = None if epsilon is None else real(epsilon, "epsilon")
        nearest, keep_last = flag(nearest, "nearest"), flag(keep_last, "keep_last")
        hear = function(progress, "progress")
        problem = problem_of(graph, inputs)
        if self.needs_gradients and not problem.native.has_gradients:
            raise BadGraph(
                f"{self.name} plans a training step, which make_training_graph makes of a forward graph; "
                "or each operation has a 'pass', 'forward' or 'backward', and the forward pass reads nothing of the "
                "backward one"
            )
        keep_all_peak = problem.native.keep_all().peak
        limit = None if budget is None else bytes_of(budget, keep_all_peak)
        # By the replayed peak the nearest plan is the one that fits, where one does; else it says what would.
        asks_nearest = nearest or judge == "replayed"
        found, interrupted = _core.plan_by(
            self.name, problem.native, limit, goal == "memory", asks_nearest, judge == "formula", keep_last,
            tolerated, cuts, helpers, *limits, None if hear is None else lambda share, overhead, bound: hear(share),
        )  # fmt: skip
        misses = self.takes_budget and limit is not None and found.peak > limit and asks_nearest and not nearest
        if misses or not found.exists:
            if interrupted:
                raise KeyboardInterrupt
            floor = MemoryFloor(*problem.native.memory_floor())
            message = f"{self.name} has no plan" + ("" if limit is None else f" within {limit} bytes")
            least = found.peak if found.exists else None
            if least is not None:
                message += f", but one of {least}"
            none_exists = limit is not None and limit < floor.size
            message += f"; {needs(problem, *floor)}"
            raise NoPlan(message, floor.size, floor.operation, none_exists, least)
        unit = problem.unit
        return RecomputePlan(
            steps=Steps(found),
            peak=found.peak,
            time=unit.time(found.time),
            overhead=unit.time(found.overhead),
            keep_all_peak=keep_all_peak,
            strategy=self.name,
            interrupted=interrupted,
            host_peak=found.host_peak,
            bytes_out=found.bytes_out,
            bytes_in=found.bytes_in,
            stalls=stalls_of(found.stalls, unit),
        )


def strategies() -> list[Strategy]:
    """All strategies, by growing quality; the automatic planner, `plan`, is the last."""
    return [Strategy(*row) for row in _core.strategies()]


def find_strategy(name: str) -> Strategy:
    """The strategy of that name. Raises BadOption, with all names, where there is none."""
    return Strategy(*_core.find_strategy(text(name, "the name of a strategy", BadOption)))
