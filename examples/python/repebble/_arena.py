"""Lifetimes of what a schedule holds, and its offsets in one block of memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional

from ._budget import Budget
from ._graph import problem_of
from ._limits import Stop
from ._offsets import Offsets, assign_offsets
from ._plan import native_steps
from ._tables import flag


@dataclass(frozen=True)
class Lifetime:
    """A buffer of a schedule: a storage of values, or the workspace of one run of an operation."""

    lifetime: tuple[int, int]
    """The first step at which it lives, and the one after the last."""
    size: int
    """In bytes."""
    value: Optional[int]
    """Of a storage: the number of the value with which it begins; its views lie in it, too."""
    operation: Optional[int]
    """Of a workspace: the number of the operation."""
    run: int
    """Of the operation that has it, from 0."""
    name: str
    """Of the value or operation, as the graph says it."""


@dataclass(frozen=True)
class Arena(Offsets):
    """The device's memory of a schedule as one block: buffer i lies at offsets[i] during its lifetime."""

    buffers: Sequence[Lifetime] = field(repr=False)
    """In the order in which they begin."""
    peak: int
    """Most bytes that live at a time: the peak of the schedule."""


def find_lifetimes(
    graph: Any, steps: Any, *, inputs: bool = False, alignment: int = 1, host: bool = False
) -> list[Lifetime]:
    """The buffers of a schedule, in the order in which they begin: what `assign_offsets` and `assign_pools` take.

    steps: a plan, or steps as of `replay`. inputs, alignment: as of `plan`: a storage has its values' rounded size. host:
    those on the host, one for each copy, instead of those on the device. Values of no bytes have none.

    O(steps times values of a step). Raises IllegalSchedule and as `plan`.
    """
    problem = problem_of(graph, inputs, 0, alignment)
    rows = problem.native.lifetimes(native_steps(steps), flag(host, "host"))
    names = problem.value_names, problem.operation_names
    return [
        Lifetime((begin, end), size, None if works else index, index if works else None, run, names[works][index])
        for works, index, run, begin, end, size in rows
        if size > 0
    ]


def make_arena(
    graph: Any,
    steps: Any,
    *,
    inputs: bool = False,
    alignment: int = 1,
    capacity: Optional[Budget] = None,
    seconds: Optional[float] = None,
    work: Optional[int] = None,
    stop: Optional[Stop] = None,
) -> Arena:
    """Offsets of all that a schedule holds on the device, in one block of memory of the least height found.

    steps: a plan, or steps as of `replay`. alignment: of offsets, and of sizes as `plan` rounds them. capacity: bytes to
    fit into, or a share of all buffers' bytes; others as of `assign_offsets`.

    Raises IllegalSchedule and as `plan`.
    """
    buffers = find_lifetimes(graph, steps, inputs=inputs, alignment=alignment)
    found = assign_offsets(buffers, alignment=alignment, capacity=capacity, seconds=seconds, work=work, stop=stop)
    return Arena(found.offsets, found.height, found.lower_bound, found.proof, buffers, _live_bytes(buffers))


def _live_bytes(buffers: Iterable[Lifetime]) -> int:
    """Most bytes that live at a time.  O(n log n)."""
    changes = sorted(c for b in buffers for c in ((b.lifetime[0], b.size), (b.lifetime[1], -b.size)))
    most = now = 0
    for _, change in changes:
        now += change
        most = max(most, now)
    return most
