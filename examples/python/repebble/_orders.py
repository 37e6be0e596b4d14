"""Orders of least peak, and lower sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Optional

from . import _core
from ._graph import problem_of
from ._limits import Stop, limits_of


@dataclass(frozen=True)
class PeakOrder:
    """An order in which every operation runs once, and bounds on the least peak of such orders."""

    order: list[int] = field(repr=False)
    """The operations: `make_schedule(graph, found.order)` is their schedule."""
    peak: int
    """Of that schedule, in bytes."""
    lower_bound: int
    """No order has a lower peak."""

    @property
    def peak_least(self) -> bool:
        """Whether it is proven that no order has a lower peak."""
        return self.peak == self.lower_bound


def find_least_peak_order(
    graph: Any,
    *,
    inputs: bool = False,
    seconds: Optional[float] = None,
    work: Optional[int] = None,
    stop: Optional[Stop] = None,
) -> PeakOrder:
    """The order of least peak in which every operation runs once, as for inference, or bounds on that peak.

    Exponential in the worst case; O(n log n) for forests, by Liu's segments. work: lower sets of all searches (500,000).
    seconds, stop: as of `plan`: the best order so far is returned.

    The GIL is released. Raises as `plan`.
    """
    return PeakOrder(*_core.least_peak_order(problem_of(graph, inputs).native, *limits_of(seconds, work, stop)))


def lower_sets(graph: Any) -> Iterator[list[int]]:
    """All lower sets of a graph's operations, each once and after all its subsets: ascending numbers of operations.

    A lower set has with each operation all those that run before it. There are between n + 1 and 2**n of them: they are
    made as they are asked for, in O(n / 64) each. Raises as `plan`.
    """
    return _in_parts(_core.LowerSetStream(problem_of(graph).native))


def _in_parts(stream: _core.LowerSetStream) -> Iterator[list[int]]:
    while some := stream.some(64):
        yield from some
