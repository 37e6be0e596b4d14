"""Chains of stages: least times for all budgets at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, NamedTuple, Optional, Union, overload

from . import _core
from ._errors import BadGraph, BadOption, LimitReached, NoPlan
from ._graph import Number, Unit
from ._budget import Budget, bytes_of
from ._limits import Stop, limits_of, little_of
from ._tables import Table, flag, real, whole

_STAGE = (
    "forward_time", "backward_time", "output", "gradient", "workspace", "saved", "forward_workspace",
    "backward_workspace", "tapes", "name",
)  # fmt: skip
_TAPE = ("saved", "forward_workspace", "backward_workspace", "extra_time")


class ChainAction(NamedTuple):
    """A run of a stage."""

    kind: str
    """`"forward"`: its output only; `"save"`: forward, recording a tape; `"backward"`: its input's gradient."""
    stage: int
    tape: int = 0
    """save, backward: which of the stage's tapes."""


@dataclass(frozen=True)
class ChainSolution:
    """Runs of stages in order. Every value is discarded after its last reader."""

    time: Number
    """Of all runs."""
    peak: int
    """Most bytes in any run, by replay: the chain's input counts."""
    lower_bound: Number
    """No persistent plan within the budget takes less time; equal to `time` unless `epsilon` was given."""
    actions: list[ChainAction] = field(repr=False)


class ChainFrontier:
    """A solved chain: the trade-off curve of time against bytes, and a plan for every budget."""

    def __init__(self, native: _core.ChainCurve, unit: Unit, floor: Callable[[], Optional[int]]) -> None:
        self._native = native
        self._unit = unit
        self._floor = floor

    @property
    def curve(self) -> list[tuple[int, Number]]:
        """Pairs of a budget and the least time from that budget on; budgets ascend, times descend."""
        return [(budget, self._unit.time(time)) for budget, time in self._native.curve]

    @property
    def keep_all(self) -> int:
        """Bytes with which every stage runs forward once only."""
        return self._native.keep_all

    def within(self, budget: Budget) -> ChainSolution:
        """A plan of the least time within a budget; "60%" is a share of `keep_all`. Raises NoPlan."""
        limit = bytes_of(budget, self.keep_all)
        found = self._native.within(limit)
        if found is None:
            floor = self._floor()
            needed = "" if floor is None else f": {floor} are needed"
            raise NoPlan(f"no plan of the chain within {limit} bytes{needed}", floor or 0, None, True, floor)
        time, peak, lower_bound, actions = found
        unit = self._unit
        return ChainSolution(unit.time(time), peak, unit.time(lower_bound), [ChainAction(*a) for a in actions])


@overload
def solve_chain(
    stages: Any,
    budget: None = None,
    *,
    input: int = 0,
    input_gradient: int = 0,
    drop_saved_inputs: bool = False,
    epsilon: float = 0.0,
    last_budget: Optional[Budget] = None,
    seconds: Optional[float] = None,
    work: Optional[int] = None,
    stop: Optional[Stop] = None,
) -> ChainFrontier: ...


@overload
def solve_chain(
    stages: Any,
    budget: Budget,
    *,
    input: int = 0,
    input_gradient: int = 0,
    drop_saved_inputs: bool = False,
    epsilon: float = 0.0,
    last_budget: Optional[Budget] = None,
    seconds: Optional[float] = None,
    work: Optional[int] = None,
    stop: Optional[Stop] = None,
) -> ChainSolution: ...


def solve_chain(
    stages: Any,
    budget: Optional[Budget] = None,
    *,
    input: int = 0,
    input_gradient: int = 0,
    drop_saved_inputs: bool = False,
    epsilon: float = 0.0,
    last_budget: Optional[Budget] = None,
    seconds: Optional[float] = None,
    work: Optional[int] = None,
    stop: Optional[Stop] = None,
) -> Union[ChainFrontier, ChainSolution]:
    """Solves a chain of stages exactly (Beaumont et al. 2019): the plan of the least time within a budget or, without
    one, the curve of time against bytes, and a plan for every budget.

    stages: rows (mappings or objects), a mapping of columns (lists or arrays), or a structured array. The last stage is
        the loss. Fields: forward_time, backward_time; output: bytes of what the next stage reads; gradient: bytes of
        its gradient (as many as output); workspace: bytes beside input and output while the stage runs forward (0);
        saved: bytes that it saves for its backward run, its output included (as many as output), with
        forward_workspace and backward_workspace while it saves and while it runs backward (0). A stage with several
        ways to save has `tapes` instead: rows with saved, forward_workspace, backward_workspace, extra_time.
    budget: bytes, or a share of what keeping everything takes. last_budget: where the curve ends.
    input, input_gradient: bytes of what the first stage reads, which count, and of its gradient.
    drop_saved_inputs: the input of a stage may be discarded though the stage has saved, and is computed again.
    epsilon: times may exceed the least by this share; helps chains with very many different sizes.

    seconds, work, stop: limits, as of `plan`; work: points of all curves (100 million).

    The GIL is released. Raises NoPlan where no plan fits the budget, LimitReached where a limit ends the search;
    BadGraph, BadWeight, BadOption.
    """
    if budget is not None and last_budget is not None:
        raise BadOption("last_budget is the end of a curve, and a budget is given")
    limits = limits_of(seconds, work, stop)
    epsilon, drop = real(epsilon, "epsilon"), flag(drop_saved_inputs, "drop_saved_inputs")
    first, first_gradient = whole(input, "input"), whole(input_gradient, "input_gradient")
    table = Table(stages, "stages", _STAGE)
    outputs = table.whole("output", 0)
    n = len(outputs)
    tapes: list[list[tuple[int, int, int, int]]] = []
    saved = table.column("saved", None)
    forward_workspaces = table.whole("forward_workspace", 0)
    backward_workspaces = table.whole("backward_workspace", 0)
    extra_times: list[Any] = []
    for i, given in enumerate(table.column("tapes", None)):
        if given is None:
            given = [
                {
                    "saved": outputs[i] if saved[i] is None else saved[i],
                    "forward_workspace": forward_workspaces[i],
                    "backward_workspace": backward_workspaces[i],
                }
            ]
        elif saved[i] is not None:
            raise BadGraph(f"stages[{i}] has both 'saved' and 'tapes'")
        rows = Table(given, f"stages[{i}]: tapes", _TAPE)
        extra_times += rows.column("extra_time", 0)
        columns = [rows.whole("saved"), rows.whole("forward_workspace", 0), rows.whole("backward_workspace", 0)]
        tapes.append([(a, b, c, 0) for a, b, c in zip(*columns)])
    unit = Unit(table.column("forward_time") + table.column("backward_time") + extra_times, "the time of a chain")
    extra = iter(unit.whole[2 * n :])
    tapes = [[(a, b, c, next(extra)) for a, b, c, _ in of_stage] for of_stage in tapes]
    gradients = [
        outputs[i] if g is None else whole(g, f"stages[{i}]: gradient")
        for i, g in enumerate(table.column("gradient", None))
    ]

    def solve(limit: Optional[int], seconds: Optional[float] = limits.seconds) -> _core.ChainCurve:
        return _core.ChainCurve(
            forward_times=unit.whole[:n],
            backward_times=unit.whole[n : 2 * n],
            outputs=outputs,
            gradients=gradients,
            workspaces=table.whole("workspace", 0),
            tapes=tapes,
            input=first,
            input_gradient=first_gradient,
            last_budget=limit,
            drop_saved_inputs=drop,
            epsilon=epsilon,
            seconds=seconds,
            work=limits.work,
            stop=limits.stop,
        )

    def frontier(limit: Optional[int]) -> ChainFrontier:
        solved = solve(limit)

        def floor() -> Optional[int]:
            """The least budget, where it is known or soon found."""
            try:
                return (solved.curve or solve(None, little_of(limits.seconds)).curve)[0][0]
            except LimitReached:
                return None

        return ChainFrontier(solved, unit, floor)

    end = last_budget if budget is None else budget
    if end is None:
        return frontier(None)
    limit = bytes_of(end, solve(0).keep_all if isinstance(end, str) else 0)
    return frontier(limit) if budget is None else frontier(limit).within(limit)
