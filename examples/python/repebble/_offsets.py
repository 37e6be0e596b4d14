"""Offsets of buffers with lifetimes in one block of memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Optional

from . import _core
from ._errors import BadBuffer, NoPlan
from ._budget import Budget, bytes_of
from ._limits import Stop, limits_of
from ._tables import Table, as_list, real, shown, whole

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
    table = table_of(buffers, _BUFFER)
    columns = _columns(table, alignment)
    limit = None if capacity is None else bytes_of(capacity, sum(columns[1]))
    return Offsets(*_core.assign_offsets(*columns, limit, *limits))


class PoolStay(NamedTuple):
    """Where a buffer lies from step begin to the one before end. The last step is the copy to the next stay."""

    pool: Any
    offset: int
    begin: int
    end: int


class PoolCopy(NamedTuple):
    """A copy of a buffer, made when all accesses of its step are: from this stay to the next."""

    step: int
    buffer: int
    stay: int


@dataclass(frozen=True)
class Pools:
    """Buffers in several pools: buffer i has the bytes from offsets[i] of pool pools[i]."""

    pools: list[Any] = field(repr=False)
    """Of every buffer: the number of its pool in the list of capacities, or its name in the mapping."""
    offsets: list[int] = field(repr=False)
    """Of every buffer, in its pool."""
    heights: dict[Any, int]
    """Of every pool: the end of its highest buffer."""
    traffic: int = 0
    """Of the buffers that say theirs: the bytes moved times the cost of a byte in the pool."""
    traffic_bound: int = 0
    """No plan has less."""
    stays: Optional[list[list[PoolStay]]] = field(default=None, repr=False)
    """Where buffers say their accesses: of every buffer, where it lies one after the other."""
    copies: list[PoolCopy] = field(default_factory=list, repr=False)
    """In the order of time: each makes one stay of a buffer the next."""


def assign_pools(
    buffers: Any,
    capacities: Any,
    *,
    costs: Any = None,
    alignment: int = 1,
    seconds: Optional[float] = None,
    work: Optional[int] = None,
    stop: Optional[Stop] = None,
) -> Pools:
    """Finds pools and offsets for buffers, such that each pool holds what lies in it; earlier pools are preferred.

    buffers, alignment: as of `assign_offsets`; fields besides: pool: the pool in which the buffer must lie (any);
        priority: those of greater priority get the earlier pools (the larger ones do), such as bytes moved per byte;
        traffic: bytes moved to and from the buffer: where any says it, the plan is of the least traffic that was found.
        accesses: instead of traffic, the steps that access the buffer with the bytes that each moves, [(0, 64), (7, 64)]:
        where any says them, buffers that nothing ties to a pool may be copied to others, in steps of accesses. A
        pinned buffer must say its pool.
    capacities: of each pool, in a list, or a mapping from names, such as {"sram": "256KiB", "dram": "64MiB"}.
    costs: of a byte moved in each pool, likewise (0 in the first, 1 in the others).
    seconds, work, stop: limits, as of `assign_offsets`.

    Raises NoPlan where no plan was found, or none exists (`none_exists`); BadBuffer, BadWeight, BadOption.
    """
    limits = limits_of(seconds, work, stop)
    named = isinstance(capacities, Mapping)
    names = list(capacities) if named else list(range(len(as_list(capacities, "capacities", BadBuffer))))
    sizes = [bytes_of(c, 0) for c in (capacities.values() if named else as_list(capacities, "capacities", BadBuffer))]
    if costs is not None:
        costs = [costs[name] for name in names] if isinstance(costs, Mapping) and set(costs) == set(names) else costs
        costs = [whole(c, f"the cost of pool {i}", BadBuffer) for i, c in enumerate(as_list(costs, "costs", BadBuffer))]
        if len(costs) != len(names):
            raise BadBuffer(f"there are {len(costs)} costs and {len(names)} pools")
    table = table_of(buffers, (*_BUFFER, "pool", "priority", "traffic", "accesses"))
    required: list[Optional[int]] = []
    for i, pool in enumerate(table.column("pool", None)):
        if pool is not None and pool not in names:
            raise BadBuffer(f"buffer {i}: there is no pool {shown(pool)}")
        required.append(None if pool is None else names.index(pool))
    given = table.column("priority", None)
    are_given = any(p is not None for p in given)
    priorities = [0.0 if p is None else real(p, f"the priority of buffer {i}", BadBuffer) for i, p in enumerate(given)]
    moved = table.column("traffic", None)
    traffic = [0 if t is None else whole(t, f"the traffic of buffer {i}", BadBuffer) for i, t in enumerate(moved)]
    accesses = _accesses(table.column("accesses", None))
    if accesses and any(t is not None for t in moved):
        raise BadBuffer("buffers say traffic or accesses, and here both")
    pools, offsets, heights, none_exists, found, bound, stays, copies = _core.assign_pools(
        *_columns(table, alignment),
        capacities=sizes,
        required=required,
        priorities=priorities if are_given else [],
        traffic=traffic if any(t is not None for t in moved) else [],
        costs=costs or [],
        accesses=accesses,
        **limits._asdict(),
    )
    if len(pools) < len(table):
        why = "none exists" if none_exists else "none was found"
        raise NoPlan(f"no plan of {len(table)} buffers in {len(sizes)} pools: {why}", none_exists=none_exists)
    return Pools(
        [names[p] for p in pools],
        offsets,
        dict(zip(names, heights)),
        found,
        bound,
        [[PoolStay(names[p], *rest) for p, *rest in own] for own in stays] if accesses else None,
        [PoolCopy(*c) for c in copies],
    )


def _accesses(given: list[Any]) -> list[list[tuple[int, int]]]:
    """Of each buffer, steps and bytes; none where no buffer says any."""
    if all(own is None for own in given):
        return []
    made: list[list[tuple[int, int]]] = []
    for i, own in enumerate(given):
        what = f"the accesses of buffer {i}"
        made.append([])
        for pair in as_list(own or [], what, BadBuffer):
            if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                raise BadBuffer(f"{what}: no (step, bytes): {shown(pair)}")
            made[-1].append((whole(pair[0], what, BadBuffer), whole(pair[1], what, BadBuffer)))
    return made


def table_of(buffers: Any, fields: tuple[str, ...]) -> Table:
    """A table of buffers, whose rows may be tuples of the first four fields."""
    if not isinstance(buffers, Mapping) and not hasattr(buffers, "dtype"):
        buffers = as_list(buffers, "buffers", BadBuffer, "neither a list of rows nor a mapping of columns")
        for i, row in enumerate(buffers):
            if isinstance(row, (tuple, list)) and len(row) > len(_BUFFER):
                raise BadBuffer(f"buffer {i} is no (lifetime, size, alignment, pinned): {shown(row)}")
        buffers = [dict(zip(_BUFFER, row)) if isinstance(row, (tuple, list)) else row for row in buffers]
    return Table(buffers, "buffers", fields, BadBuffer)


def _columns(table: Table, alignment: int) -> tuple[list[tuple[int, int]], list[int], list[int], list[Optional[int]]]:
    """Lifetimes, sizes, alignments and pinned offsets."""
    lives: list[tuple[int, int]] = []
    for i, pair in enumerate(table.column("lifetime")):
        name = f"the lifetime of buffer {i}"
        ends = as_list(pair, name, BadBuffer, "no pair of steps")
        if len(ends) != 2:
            raise BadBuffer(f"{name} is no pair of steps: {shown(pair)}")
        lives.append((whole(ends[0], name, BadBuffer), whole(ends[1], name, BadBuffer)))

    def column(field: str, default: Any = ...) -> list[int]:
        return [whole(x, f"the {field} of buffer {i}", BadBuffer) for i, x in enumerate(table.column(field, default))]

    pinned = [
        None if p is None else whole(p, f"the offset of buffer {i}", BadBuffer)
        for i, p in enumerate(table.column("pinned", None))
    ]
    return lives, column("size"), column("alignment", alignment), pinned
