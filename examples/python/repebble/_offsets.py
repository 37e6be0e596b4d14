"""Offsets of buffers with lifetimes in one block of memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Optional

from . import _core
from ._errors import BadBuffer
from ._budget import Budget, bytes_of
from ._limits import Stop, limits_of
from ._tables import Table, as_list, shown, whole

_BUFFER = ("lifetime", "size", "alignment", "pinned", "name")


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
    """`"height_least"`: no plan is lower; `"none_exists"`: none fits into the capacity; `"none"`."""


def assign_offsets(
    buffers: Any,
    *,
    alignment: int = 1,
    capacity: Optional[Budget] = None,
    seconds: Optional[float] = None,
    work: Optional[int] = None,
    stop: Optional[Stop] = None,
) -> Offsets:
    """Finds offsets for buffers such that those that live at a time do not overlap, of the least height found.

    buffers: rows (mappings, objects or tuples), a mapping of columns (lists or arrays), or a structured array. Fields:
        lifetime: the first step at which the buffer lives, and the one after the last; size: bytes; alignment: what the
        offset is a multiple of; pinned: the offset that it must have (None). A tuple is (lifetime, size), or all four.
    alignment: of the buffers that do not say theirs.
    capacity: bytes to fit into; the search ends with the first plan that does. Without one the height is minimised. A
        plan that is too high is returned, too: compare its height.
    seconds: after which the best plan so far is returned. work: 1000 take about a second, the default.
    stop: asked at most 50 times a second; True ends the search.

    The GIL is released. Raises BadBuffer, BadOption.
    """
    limits = limits_of(seconds, work, stop)
    if not isinstance(buffers, Mapping) and not hasattr(buffers, "dtype"):
        buffers = as_list(buffers, "buffers", BadBuffer, "neither a list of rows nor a mapping of columns")
        for i, row in enumerate(buffers):
            if isinstance(row, (tuple, list)) and len(row) > len(_BUFFER):
                raise BadBuffer(f"buffer {i} is no (lifetime, size, alignment, pinned): {shown(row)}")
        buffers = [dict(zip(_BUFFER, row)) if isinstance(row, (tuple, list)) else row for row in buffers]
    table = Table(buffers, "buffers", _BUFFER, BadBuffer)
    lives: list[tuple[int, int]] = []
    for i, pair in enumerate(table.column("lifetime")):
        name = f"the lifetime of buffer {i}"
        ends = as_list(pair, name, BadBuffer, "no pair of steps")
        if len(ends) != 2:
            raise BadBuffer(f"{name} is no pair of steps: {shown(pair)}")
        lives.append((whole(ends[0], name, BadBuffer), whole(ends[1], name, BadBuffer)))

    def column(field: str, default: Any = ...) -> list[int]:
        return [whole(x, f"the {field} of buffer {i}", BadBuffer) for i, x in enumerate(table.column(field, default))]

    sizes = column("size")
    pinned = [
        None if p is None else whole(p, f"the offset of buffer {i}", BadBuffer)
        for i, p in enumerate(table.column("pinned", None))
    ]
    limit = None if capacity is None else bytes_of(capacity, sum(sizes))
    alignments = column("alignment", alignment)
    return Offsets(*_core.assign_offsets(lives, sizes, alignments, pinned, limit, *limits))
