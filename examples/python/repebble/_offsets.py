"""Offsets of buffers with lifetimes in one block of memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterable, Optional, Union

from . import _core
from ._errors import BadBuffer
from ._budget import Budget, bytes_of
from ._limits import Stop, check_limits
from ._tables import as_list, whole


@dataclass(frozen=True)
class Offsets:
    """A plan of offsets: buffer i has the bytes from offsets[i] to offsets[i] + its size during its lifetime."""

    offsets: list[int] = field(repr=False)
    """Of every buffer, in bytes."""
    height: int
    """The end of the highest buffer."""
    lower_bound: int
    """No plan is lower."""
    proof: str
    """`"least"`: no plan is lower; `"infeasible"`: none fits into the capacity; `"none"`."""


def assign_offsets(
    lifetimes: Any,
    sizes: Any,
    *,
    alignment: Union[int, Iterable[int]] = 1,
    pinned: Optional[Iterable[Optional[int]]] = None,
    capacity: Optional[Budget] = None,
    seconds: Optional[float] = None,
    work: Optional[int] = None,
    stop: Optional[Stop] = None,
) -> Offsets:
    """Finds offsets for buffers such that those that live at a time do not overlap, of the least height found.

    lifetimes: for each buffer the first step at which it lives, and the one after the last; an (n, 2) array will do.
    sizes: their bytes; a list or an array.
    alignment: what offsets are multiples of, of all buffers or of each.
    pinned: for each buffer the offset that it must have, or None.
    capacity: bytes to fit into; the search ends with the first plan that does. Without one the height is minimised. A
        plan that is too high is returned, too: compare its height.
    seconds: CPU seconds, after which the best plan so far is returned. work: 1000 take about a second, the default.
    stop: asked at most 20 times a second; True ends the search.

    The GIL is released. Raises BadBuffer.
    """
    check_limits(seconds, work, stop)
    pairs = as_list(lifetimes)
    numbers = [whole(s, f"the size of buffer {i}", BadBuffer) for i, s in enumerate(as_list(sizes))]
    n = len(numbers)
    single = isinstance(alignment, int)
    alignments = [alignment] * n if single else as_list(alignment)
    pins = [None] * n if pinned is None else as_list(pinned)
    for what, length in (("lifetimes", len(pairs)), ("alignments", len(alignments)), ("pinned offsets", len(pins))):
        if length != n:
            raise BadBuffer(f"there are {n} sizes, but {length} {what}")
    lives: list[tuple[int, int]] = []
    for i, pair in enumerate(pairs):
        name = f"the lifetime of buffer {i}"
        ends = as_list(pair) if not isinstance(pair, (int, float)) else []
        if len(ends) != 2:
            raise BadBuffer(f"{name} is no pair of steps: {pair!r}")
        lives.append((whole(ends[0], name, BadBuffer), whole(ends[1], name, BadBuffer)))
    return Offsets(
        *_core.assign_offsets(
            lives,
            numbers,
            [whole(a, f"the alignment of buffer {i}", BadBuffer) for i, a in enumerate(alignments)],
            [None if p is None else whole(p, f"the offset of buffer {i}", BadBuffer) for i, p in enumerate(pins)],
            None if capacity is None else bytes_of(capacity, sum(numbers)),
            seconds,
            work,
            stop,
        )
    )
