"""What CUDA's caching allocator reserves for what a program allocates and frees: its rules, replayed. Knows no torch.

The rules are those of torch 2.11 to 2.15 for one stream, without `expandable_segments`. Sizes are whole multiples of
512 bytes. Those up to 1 MiB come from segments of 2 MiB, those below 10 MiB from segments of 20 MiB, larger ones from a
segment of their own, of whole multiples of 2 MiB. The smallest free block that fits is taken; what is left of it is
split off, of large blocks only more than 1 MiB. Free neighbours in a segment merge. No segment is given back.
"""

from __future__ import annotations

import bisect
import dataclasses
from collections.abc import Iterable

_MIB = 1 << 20
_GRAIN, _SMALL, _MIDDLE = 512, _MIB, 10 * _MIB
_SEGMENTS = (2 * _MIB, 20 * _MIB)  # of small and of middle sizes; larger ones are multiples of the first


def _whole(size: int, unit: int) -> int:
    return -(-size // unit) * unit


@dataclasses.dataclass(eq=False)
class _Block:
    size: int
    address: int
    small: bool
    before: _Block | None = None  # neighbours in the segment
    behind: _Block | None = None
    free: bool = False


class CachingAllocator:
    """Allocates and frees as CUDA's does, without memory. `reserved` is bytes, and never falls; `allocated` does."""

    def __init__(self) -> None:
        self.allocated = self.reserved = 0
        self._free: dict[bool, list[tuple[int, int, _Block]]] = {True: [], False: []}  # size, address; of small blocks
        self._end = 0  # of all segments

    def allocate(self, size: int) -> _Block:
        """A block of at least so many bytes."""
        size = max(_GRAIN, _whole(size, _GRAIN))
        small = size <= _SMALL
        at = bisect.bisect_left(self._free[small], (size, -1))
        block = self._free[small].pop(at)[2] if at < len(self._free[small]) else self._segment(size, small)
        block.free = False
        rest = block.size - size
        if rest >= _GRAIN if small else rest > _SMALL:
            left = _Block(rest, block.address + size, small, block, block.behind)
            if block.behind:
                block.behind.before = left
            block.size, block.behind = size, left
            self._put(left)
        self.allocated += block.size
        return block

    def free(self, block: _Block) -> None:
        """Gives a block back, which merges with its free neighbours."""
        self.allocated -= block.size
        if block.before and block.before.free:
            self._take(block.before)
            block = self._joined(block.before, block)
        if block.behind and block.behind.free:
            self._take(block.behind)
            block = self._joined(block, block.behind)
        self._put(block)

    def _segment(self, size: int, small: bool) -> _Block:
        whole = _SEGMENTS[0] if small else _SEGMENTS[1] if size < _MIDDLE else _whole(size, _SEGMENTS[0])
        block = _Block(whole, self._end, small)
        self._end += whole
        self.reserved += whole
        return block

    def _put(self, block: _Block) -> None:
        block.free = True
        bisect.insort(self._free[block.small], (block.size, block.address, block))

    def _take(self, block: _Block) -> None:
        free = self._free[block.small]
        free.pop(bisect.bisect_left(free, (block.size, block.address)))

    @staticmethod
    def _joined(first: _Block, second: _Block) -> _Block:
        first.size, first.behind = first.size + second.size, second.behind
        if second.behind:
            second.behind.before = first
        return first


def reserved(events: Iterable[tuple[int, int]]) -> int:
    """Bytes that are reserved for allocations in order: a number and its bytes, the same again with minus when freed.

    Frees of what was not allocated are those of what was there before, which counts nothing.
    """
    allocator = CachingAllocator()
    blocks: dict[int, _Block] = {}
    for number, size in events:
        if size > 0:
            blocks[number] = allocator.allocate(size)
        elif number in blocks:
            allocator.free(blocks.pop(number))
    return allocator.reserved
