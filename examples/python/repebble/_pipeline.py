"""Pipelines: a training step on several ranks, planned as one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Optional, Sequence, Union

from . import _core
from ._budget import Budget, bytes_of
from ._errors import BadGraph, BadOption, NoPlan
from ._graph import Number, Unit, problem_of
from ._limits import Stop, count, limits_of
from ._tables import Table, as_list, parsed, real, shown, time_of

_FIELDS = ("ranks", "microbatches", "placement", "stages", "weight_share", "orders", "time_unit", "name")
_STAGE = (
    "rank", "forward", "input_gradient", "weight_gradient", "transfer", "constant", "count", "choices", "graph", "name",
)  # fmt: skip
_CHOICE = ("recomputation", "kept", "in_forward", "in_backward", "for_weights")
_KINDS = ("forward", "input_gradient", "weight_gradient", "backward")
_ORDERS = {
    "1F1B": "1F1B", "zero_bubble": "zero bubble", "v_shaped": "V-shaped", "one_at_a_time": "one at a time",
    "found": "found",
}  # fmt: skip
_WORK_OF_GRAPH = 50_000
_MOST_STAGES = 1_000_000
_MOST_NUMBER = 2**32 - 1


class PipelinePass(NamedTuple):
    """A pass of a stage for a microbatch."""

    kind: str
    """`"forward"`, `"input_gradient"`, `"weight_gradient"`, or `"backward"`: both gradients as one."""
    stage: int
    microbatch: int


@dataclass(frozen=True)
class PipelinePlan:
    """Who runs what when, and what each stage keeps of each microbatch."""

    makespan: Number
    """Time from the first begin to the last end."""
    lower_bound: Number
    """No schedule within the budgets takes less time, in any order."""
    order_bound: Number
    """No choices within the budgets make this order faster."""
    gap: float
    """By how much the makespan may exceed the least, as a share of `lower_bound`."""
    peaks: list[int]
    """Most bytes of each rank."""
    budgets: list[int]
    """Bytes of each rank."""
    least: list[int]
    """Bytes that each rank needs, whatever the order; with an order given, in that one."""
    made_by: str
    """Where the order is from: given, one at a time, 1F1B, zero bubble, V-shaped, found."""
    choices: list[list[int]] = field(repr=False)
    """Of each stage, for each microbatch: the number of its choice."""
    kept: list[list[int]] = field(repr=False)
    """The same: the bytes that it keeps between its passes."""
    orders: list[list[PipelinePass]] = field(repr=False)
    """Of each rank: its passes in their order."""
    spans: list[list[tuple[Number, Number]]] = field(repr=False)
    """Of each of these: begin and end; what is computed again comes first."""


class _Stages:
    """The stages of a pipeline as the native part takes them."""

    def __init__(self, of: Mapping[str, Any], ranks: int) -> None:
        table = Table(of.get("stages"), "stages", _STAGE)
        share = real(of.get("weight_share", 0.5), "weight_share")
        if not 0 <= share <= 1:
            raise BadOption(f"weight_share is not from 0 to 1: {share}")
        placement = of.get("placement", "loop")
        if placement not in ("loop", "v"):
            raise BadOption(f"placement is neither 'loop' nor 'v': {shown(placement)}")
        self.graphs = 0
        made = []
        ranks_of, constants = table.column("rank", None), table.whole("constant", 0)
        columns = [table.column(name, None) for name in ("forward", "input_gradient", "weight_gradient", "choices")]
        for i, (graph, transfer) in enumerate(zip(table.column("graph", None), table.column("transfer", 0))):
            forward, inputs, weights, choices = (column[i] for column in columns)
            if graph is not None:
                forward, inputs, weights, choices = self._planned(graph, i, share, columns)
            elif forward is None or inputs is None or choices is None:
                raise BadGraph(f"stages[{i}] needs 'forward', 'input_gradient' and 'choices', or 'graph'")
            else:
                choices = self._choices(choices, f"stages[{i}]: choices", bool(weights))
                forward = time_of(forward, f"stages[{i}]: forward")
                inputs = time_of(inputs, f"stages[{i}]: input_gradient")
                weights = time_of(0 if weights is None else weights, f"stages[{i}]: weight_gradient")
            transfer = time_of(transfer, f"stages[{i}]: transfer")
            made.append((i, [forward, inputs, weights, transfer], constants[i], choices))
        all_times = [t for _, times, _, choices in made for t in times + [c[0] for c in choices]]
        unit = Unit(all_times, "the time of a pipeline")
        if unit.floats and self.graphs:
            raise BadOption("a pipeline with graphs as stages has times in whole numbers")
        time_unit = of.get("time_unit")
        if time_unit not in (None, "s", "ms", "us", "ns"):
            raise BadOption(f"time_unit is none of s, ms, us, ns: {shown(time_unit)}")
        if self.graphs and time_unit not in (None, "ns"):
            raise BadOption(f"a pipeline with graphs as stages has times in theirs, not in {time_unit}")
        self.unit = unit
        whole_times = iter(unit.whole)
        counts = [count(of_stage, f"stages[{i}]: count") for i, of_stage in enumerate(table.whole("count", 1))]
        for i, of_stage in enumerate(counts):
            if of_stage == 0:
                raise BadGraph(f"stages[{i}]: count is 0")
        if sum(counts) > _MOST_STAGES:
            raise BadGraph(f"a pipeline has at most {_MOST_STAGES} stages, not {sum(counts)}")
        self.native: list[Any] = []
        for i, times, constant, choices in made:
            numbers = [next(whole_times) for _ in times]
            listed = [(next(whole_times), *c[1:]) for c in choices]
            for _ in range(counts[i]):
                s = len(self.native)
                there = s % ranks if placement == "loop" or s // ranks % 2 == 0 else ranks - 1 - s % ranks
                rank = there if ranks_of[i] is None else count(ranks_of[i], f"stages[{i}]: rank")
                self.native.append((rank, *numbers, constant, listed))

    def _planned(self, graph: Any, i: int, share: float, columns: list[list[Any]]) -> Any:
        """Times and choices of a training graph."""
        if any(column[i] is not None for column in columns):
            raise BadGraph(f"stages[{i}] has a graph, which says its times and choices")
        problem = problem_of(graph)
        if problem.unit.floats:
            raise BadOption(f"stages[{i}]: the times of its graph are no whole numbers")
        self.graphs += 1
        return _core.pipeline_stage(problem.native, share, _WORK_OF_GRAPH)

    def _choices(self, of: Any, name: str, has_weights: bool) -> list[Any]:
        rows = Table(of, name, _CHOICE)
        for_weights = rows.whole("for_weights", ... if has_weights else 0)
        return list(
            zip(
                rows.column("recomputation", 0), rows.whole("kept"), rows.whole("in_forward", 0),
                rows.whole("in_backward", 0), for_weights,
            )
        )  # fmt: skip


def _orders_of(of: Any) -> Optional[list[list[tuple[str, int, int]]]]:
    if of is None:
        return None
    made: list[list[tuple[str, int, int]]] = []
    for r, order in enumerate(as_list(of, "orders")):
        made.append([])
        for i, one in enumerate(as_list(order, f"orders[{r}]")):
            name = f"orders[{r}][{i}]"
            parts = as_list(one, name)
            if len(parts) != 3 or parts[0] not in _KINDS:
                raise BadGraph(f"{name} is no (kind, stage, microbatch), kind one of {', '.join(_KINDS)}: {shown(one)}")
            stage, microbatch = count(parts[1], name), count(parts[2], name)
            if max(stage, microbatch) > _MOST_NUMBER:
                raise BadGraph(f"{name} has a number above {_MOST_NUMBER}: {shown(one)}")
            made[-1].append((parts[0], stage, microbatch))
    return made


def plan_pipeline(
    pipeline: Any,
    budget: Union[Budget, Sequence[Budget]],
    *,
    order: Optional[str] = None,
    seconds: Optional[float] = None,
    work: Optional[int] = None,
    stop: Optional[Stop] = None,
    seed: int = 1,
) -> PipelinePlan:
    """Plans a training step on several ranks: the order of passes of every rank, and what each stage keeps of each
    microbatch and what it computes again, in idle time where it can, within the bytes of every rank.

    pipeline: a mapping, or JSON text, as a pipeline file: `ranks`, `microbatches`, `stages`; `placement`, ranks of
        stages that do not say theirs: "loop" (0 1 2 0 1 2, the default) or "v" (0 1 2 2 1 0); `orders`, a list for each
        rank of (kind, stage, microbatch), if only what is kept is to be chosen.
        A stage has times `forward`, `input_gradient`, `weight_gradient` (0) and `transfer` to the next (0); `constant`
        bytes (0); `rank`; `count`, so many equal ones (1); and `choices`, from the fastest to the one of least bytes:
        `recomputation`, time of computing again (0), `kept` bytes between its passes, `in_forward`, `in_backward` and
        `for_weights` bytes in these, as in `repebble::stage_choice`. Or, in place of times and choices, `graph`: a
        training graph with passes, as of `make_training_graph`, whose plans at several budgets are the choices; then
        `weight_share` of the pipeline is the share of gradients of weights in the time of backward passes (0.5).
    budget: of each rank, or a list of one for each: bytes, "24GiB", a share of what keeps everything of as many
        microbatches as there are ranks, such as "60%", or "min", the least with which there is a schedule.
    order: only "1F1B", "zero_bubble", "v_shaped", "one_at_a_time" or "found"; None: the best of all.

    seconds, work, stop: limits, as of `plan`; work: tries of the search (500,000, or 750 million through the passes). seed: of that search.

    The GIL is released. Raises NoPlan where no plan fits the budgets; BadGraph, BadWeight, BadOption.
    """
    of = parsed(pipeline)
    if not isinstance(of, Mapping):
        raise BadGraph(f"the pipeline is no mapping: {shown(of)}")
    Table([of], "the pipeline", _FIELDS)  # which refuses what looks misspelt
    for name in ("ranks", "microbatches", "stages"):
        if of.get(name) is None:
            raise BadGraph(f"the pipeline has no {name!r}")
    if order is not None and (not isinstance(order, str) or order not in _ORDERS):
        raise BadOption(f"order is none of {', '.join(_ORDERS)}: {shown(order)}")
    ranks, microbatches = count(of["ranks"], "ranks"), count(of["microbatches"], "microbatches")
    if ranks == 0:
        raise BadGraph("a pipeline has at least one rank")
    limits = limits_of(seconds, work, stop)
    stages = _Stages(of, ranks)
    least, all_kept = _core.pipeline_sizes(ranks, microbatches, stages.native)
    given = [budget] * ranks if isinstance(budget, (int, str)) else as_list(budget, "budget", BadOption)
    if len(given) != ranks:
        raise BadOption(f"{len(given)} budgets for {ranks} ranks")
    budgets = [least[r] if b == "min" else bytes_of(b, all_kept[r]) for r, b in enumerate(given)]
    least, found = _core.plan_pipeline(
        ranks=ranks,
        microbatches=microbatches,
        stages=stages.native,
        budgets=budgets,
        orders=None if order is not None else _orders_of(of.get("orders")),
        order=None if order is None else _ORDERS[order],
        seed=count(seed, "seed"),
        seconds=limits.seconds,
        work=limits.work,
        stop=limits.stop,
    )
    if found is None:
        short = [r for r in range(ranks) if least[r] > budgets[r]]
        why = "".join(f"; rank {r} needs {least[r]} bytes and has {budgets[r]}" for r in short)
        says = "none exists" if short else "none was found"
        needed = max((least[r] for r in short), default=0)
        raise NoPlan(f"no plan within the budgets: {says}{why}", needed, None, bool(short))
    made_by, makespan, lower, of_order, peaks, choices, orders, spans = found
    time, m = stages.unit.time, microbatches
    by_stage = [choices[s * m : (s + 1) * m] for s in range(len(stages.native))]
    return PipelinePlan(
        time(makespan),
        time(lower),
        time(of_order),
        makespan / lower - 1 if lower else 0.0,
        peaks,
        budgets,
        least,
        made_by,
        by_stage,
        [[stages.native[s][-1][c][1] for c in of_stage] for s, of_stage in enumerate(by_stage)],
        [[PipelinePass(*p) for p in of_rank] for of_rank in orders],
        [[(time(begin), time(end)) for begin, end in of_rank] for of_rank in spans],
    )
