"""Buffers between the ranks of a pipeline: how many the lists of passes need to run through. Needs no torch.

Every edge between two stages has, each way, one buffer that waits for the next message at the reader, and `slots`
buffers of messages that were written and not yet read. A message leaves its slot once the reader's buffer waits for
it, which is in the order of the reader's list. With slots enough no list of passes waits for another in a circle.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

Edge = tuple[int, bool]
"""The edge from stage s to s + 1, and whether gradients go back over it."""
Pass = tuple[str, int, int]


def is_run(one: Pass) -> bool:
    """Whether a pass does anything: gradients of weights come with those of inputs."""
    return one[0] != "weight_gradient"


def edges_of(one: Pass, stages: int) -> tuple[Edge | None, Edge | None]:
    """The edges that a pass reads and writes."""
    kind, stage, _ = one
    before = (stage - 1, kind != "forward") if stage > 0 else None
    after = (stage, kind != "forward") if stage + 1 < stages else None
    return (before, after) if kind == "forward" else (after, before)


def reading_order(order: Sequence[Pass], stages: int) -> dict[Edge, list[int]]:
    """The microbatches that a rank's list reads from each edge, in that order."""
    found: dict[Edge, list[int]] = {}
    for one in filter(is_run, order):
        if edge := edges_of(one, stages)[0]:
            found.setdefault(edge, []).append(one[2])
    return found


class _Run:
    """Lists of passes that run with so many slots. Invariant: `written` are messages that were not yet read."""

    def __init__(self, orders: Sequence[Sequence[Pass]], stages: int, local: Sequence[bool], slots: int) -> None:
        self.lists = [list(filter(is_run, order)) for order in orders]
        self.stages, self.local, self.slots = stages, local, slots
        self.at = [0] * len(orders)
        self.place = {e: {k: i for i, k in enumerate(ks)} for o in orders for e, ks in reading_order(o, stages).items()}
        self.read = dict.fromkeys(self.place, 0)
        self.written: dict[Edge, set[int]] = {edge: set() for edge in self.place}

    def in_slots(self, edge: Edge) -> int:
        waiting = self.read[edge] if not self.local[edge[0]] else -1  # what the reader's buffer has or waits for
        return sum(self.place[edge][k] > waiting for k in self.written[edge])

    def step(self, rank: int) -> bool:
        """Runs the next pass of a rank, if it can."""
        if self.at[rank] == len(self.lists[rank]):
            return False
        one = self.lists[rank][self.at[rank]]
        before, after = edges_of(one, self.stages)
        if before and one[2] not in self.written[before] or after and self.in_slots(after) >= self.slots:
            return False
        if before:
            self.written[before].remove(one[2])
            self.read[before] += 1
        if after:
            self.written[after].add(one[2])
        self.at[rank] += 1
        return True

    def runs_through(self) -> bool:
        while any([self.step(rank) for rank in range(len(self.lists))]):
            pass
        return all(at == len(passes) for at, passes in zip(self.at, self.lists))


def find_slots(orders: Sequence[Sequence[Pass]], ranks: Sequence[int]) -> int:
    """The least slots of an edge with which lists of passes run through; ranks: of each stage. A pass waits for a free
    slot before it begins: those that run wait later, and so run through, too.

    Requires: the lists run through with no limit. O(slots · passes · ranks).
    """
    local = [a == b for a, b in zip(ranks, ranks[1:])]
    return next(slots for slots in itertools.count(1) if _Run(orders, len(ranks), local, slots).runs_through())


def wire_bytes(stage: int, sizes: Sequence[int], ranks: Sequence[int], slots: int) -> int:
    """Bytes of the buffers at a stage; sizes: of the output of each stage."""
    total = 0
    if stage > 0:  # gradients to the stage before, and its output
        total += sizes[stage - 1] * (slots + (ranks[stage - 1] != ranks[stage]))
    if stage + 1 < len(ranks):
        total += sizes[stage] * (slots + (ranks[stage + 1] != ranks[stage]))
    return total


def keep_steps(rows: Sequence[dict[str, int]]) -> tuple[list[int], list[dict[str, int]]]:
    """Of choices with ever more computed again: the numbers of those that keep fewer bytes than all before them, and
    need in no pass more than both the first and the last of these; and these choices, each with at least the bytes in
    its passes that a later one has, as the planner demands.  O(choices)."""
    passes = ("in_forward", "in_backward")
    least = list(itertools.accumulate((row["kept"] for row in rows), min))
    numbers = [0, *(i for i in range(1, len(rows)) if least[i] < least[i - 1])]
    most = {name: max(rows[numbers[0]][name], rows[numbers[-1]][name]) for name in passes}
    numbers = [i for i in numbers if all(rows[i][name] <= most[name] for name in passes)]
    chosen = [dict(rows[i]) for i in numbers]
    for before, after in zip(chosen[-2::-1], chosen[:0:-1]):
        before.update({name: max(before[name], after[name]) for name in passes})
    return numbers, chosen
