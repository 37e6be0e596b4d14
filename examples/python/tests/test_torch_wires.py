"""Buffers between the ranks of a pipeline in `repebble.torch`, without torch: what lists of passes need."""

from __future__ import annotations

import importlib
import random
from typing import Any

import test_torch_split  # noqa: F401  # a package without the native part, where that is not installed

wires = importlib.import_module("repebble.torch._wires")


def passes(text: str, stage: int = 0) -> list[tuple[str, int, int]]:
    """A list of passes: "F0 F1 B0", of one stage."""
    kinds = {"F": "forward", "B": "backward", "W": "weight_gradient"}
    return [(kinds[word[0]], stage, int(word[1:])) for word in text.split()]


def one_forward_one_backward(ranks: int, microbatches: int) -> list[Any]:
    lists = []
    for r in range(ranks):
        ahead = min(ranks - r, microbatches)
        words = [f"F{k}" for k in range(ahead)]
        for k in range(microbatches):
            words += [f"B{k}"] + ([f"F{k + ahead}"] if k + ahead < microbatches else [])
        lists.append(passes(" ".join(words), r))
    return lists


def test_one_slot_is_enough_for_1f1b() -> None:
    assert wires.find_slots(one_forward_one_backward(4, 8), [0, 1, 2, 3]) == 1


def test_what_is_read_last_waits_in_a_slot_of_its_own() -> None:
    lists = [passes("F0 F1 F2 B2 B1 B0"), passes("F2 B2 F1 B1 F0 B0", 1)]
    assert wires.find_slots(lists, [0, 1]) == 3
    assert wires.find_slots([passes("F0 F1 F2 B0 B1 B2"), passes("F0 B0 F1 B1 F2 B2", 1)], [0, 1]) == 1


def test_stages_on_one_rank_have_no_buffer_that_waits() -> None:
    here = [passes("F0 F1") + passes("F0 B0 F1 B1", 1) + passes("B0 B1")]
    assert wires.find_slots(here, [0, 0]) == 2
    assert wires.find_slots([passes("F0 F1 B0 B1"), passes("F0 B0 F1 B1", 1)], [0, 1]) == 1


def test_gradients_of_weights_are_no_pass_of_their_own() -> None:
    apart = [passes("F0 F1 B0 W0 B1 W1"), passes("F0 B0 W0 F1 B1 W1", 1)]
    assert wires.find_slots(apart, [0, 1]) == 1
    assert wires.reading_order(apart[0], 2) == {(0, True): [0, 1]}


def test_slots_are_the_least_with_which_random_lists_run_through() -> None:
    rng = random.Random(1)
    for _ in range(200):
        ranks, m = rng.randint(2, 4), rng.randint(1, 5)
        lists: list[Any] = [[] for _ in range(ranks)]
        nexts = {k: 0 for k in range(m)}  # which runs with no limit, since it was run
        while nexts:
            k = rng.choice(list(nexts))
            at = nexts[k]
            stage = min(at, 2 * ranks - 1 - at)
            lists[stage].append(("forward" if at < ranks else "backward", stage, k))
            nexts[k] += 1
            if nexts[k] == 2 * ranks:
                del nexts[k]
        slots = wires.find_slots(lists, list(range(ranks)))
        assert 1 <= slots <= m
        local = [False] * (ranks - 1)
        assert wires._Run(lists, ranks, local, slots + 1).runs_through()
        assert slots == 1 or not wires._Run(lists, ranks, local, slots - 1).runs_through()


def test_bytes_of_buffers() -> None:
    assert [wires.wire_bytes(s, [10, 20, 4], [0, 1, 2], 1) for s in range(3)] == [20, 60, 40]
    assert [wires.wire_bytes(s, [10, 20, 4], [0, 1, 1], 3) for s in range(3)] == [40, 100, 60]


def test_choices_that_the_planner_takes() -> None:
    def row(kept: int, backward: int) -> dict[str, int]:
        return {"kept": kept, "in_forward": kept + 1, "in_backward": backward}

    rows = [row(9, 20), row(9, 20), row(6, 25), row(5, 19), row(2, 21)]
    numbers, chosen = wires.keep_steps(rows)
    assert numbers == [0, 3, 4]
    assert [c["in_backward"] for c in chosen] == [21, 21, 21] and [c["kept"] for c in chosen] == [9, 5, 2]
