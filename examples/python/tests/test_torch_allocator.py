"""The replay of CUDA's caching allocator, `repebble.torch._allocator`, without torch: its rules, one by one."""

from __future__ import annotations

import importlib
import random

import test_torch_split  # noqa: F401  # a package without the native part, where that is not installed

allocators = importlib.import_module("repebble.torch._allocator")
MIB = 1 << 20


def reserved(*events: tuple[int, float]) -> float:
    """MiB that are reserved for events in MiB."""
    return allocators.reserved((number, int(size * MIB)) for number, size in events) / MIB


def test_small_sizes_share_segments_of_2_mib() -> None:
    assert reserved((1, 1e-6)) == 2
    assert reserved((1, 1), (2, 1)) == 2
    assert reserved((1, 1), (2, 1), (3, 1e-6)) == 4
    assert reserved(*((k, 512 / MIB) for k in range(4096))) == 2
    assert reserved(*((k, 513 / MIB) for k in range(4096))) == 4


def test_middle_sizes_share_segments_of_20_mib() -> None:
    assert reserved((1, 1.1)) == 20
    assert reserved((1, 9), (2, 9)) == 20
    assert reserved((1, 9), (2, 9), (3, 3)) == 40


def test_large_sizes_have_segments_of_their_own_in_whole_2_mib() -> None:
    assert reserved((1, 10)) == 10
    assert reserved((1, 11)) == 12
    assert reserved((1, 96), (2, 97)) == 96 + 98


def test_a_free_block_that_is_too_small_stays_reserved() -> None:
    assert reserved((1, 96), (1, -96), (2, 100)) == 196
    assert reserved((1, 100), (1, -100), (2, 96)) == 100


def test_the_smallest_block_that_fits_is_taken_and_its_rest_split_off() -> None:
    big, middle = [(1, 200), (2, 120)], [(1, -200), (2, -120)]
    assert reserved(*big, *middle, (3, 100), (4, 200)) == 320
    assert reserved((1, 200), (1, -200), (2, 96), (3, 104)) == 200
    assert reserved((1, 200), (1, -200), (2, 199), (3, 1.5)) == 220  # a rest of 1 MiB is not split off


def test_free_neighbours_of_a_segment_merge_and_segments_do_not() -> None:
    parts = [(1, 96), (2, 104)]
    assert reserved((0, 200), (0, -200), *parts, (2, -104), (1, -96), (3, 200)) == 200
    assert reserved((0, 200), (0, -200), *parts, (1, -96), (2, -104), (3, 200)) == 200
    assert reserved(*parts, (1, -96), (2, -104), (3, 200)) == 400


def test_what_was_there_before_counts_nothing() -> None:
    assert reserved((7, -100)) == 0


def test_blocks_never_overlap_and_all_of_them_merge_in_the_end() -> None:
    numbers = random.Random(1)
    allocator = allocators.CachingAllocator()
    used = []
    for _ in range(2000):
        if used and numbers.random() < 0.5:
            allocator.free(used.pop(numbers.randrange(len(used))))
        else:
            used.append(allocator.allocate(numbers.choice([100, 5000, MIB, 3 * MIB, 30 * MIB])))
        spans = sorted((b.address, b.address + b.size) for b in used)
        assert all(end <= begin for (_, end), (begin, _) in zip(spans, spans[1:]))
        assert allocator.allocated == sum(b.size for b in used) <= allocator.reserved
    for block in used:
        allocator.free(block)
    assert allocator.allocated == 0
    before = allocator.reserved
    allocator.allocate(2 * MIB)
    assert allocator.reserved == before
