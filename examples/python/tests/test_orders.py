"""Schedules of own orders, lifetimes and arenas, pools, orders of least peak, lower sets, eliminations, reversals."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
import repebble


def random_graph(seed: int, n: int = 9) -> dict[str, Any]:
    """Each operation writes a value, some read those of up to three before; one has a workspace."""
    r = random.Random(seed)
    reads = [sorted(r.sample(range(v), min(v, r.randint(0, 3)))) for v in range(n)]
    return {
        "values": [{"size": r.randint(1, 9)} for _ in range(n)],
        "operations": [
            {"time": r.randint(1, 5), "reads": reads[v], "writes": [v], "workspace": 4 if v == n // 2 else 0}
            for v in range(n)
        ],
    }


def orders(graph: dict[str, Any]) -> list[tuple[int, ...]]:
    """All topological orders."""
    reads = [set(o["reads"]) for o in graph["operations"]]

    def complete(done: tuple[int, ...]) -> Any:
        if len(done) == len(reads):
            yield done
        for v in range(len(reads)):
            if v not in done and reads[v] <= set(done):
                yield from complete((*done, v))

    return list(complete(()))


@pytest.mark.parametrize("seed", range(6))
def test_the_order_of_least_peak_is_that_of_an_exhaustive_search(seed: int) -> None:
    graph = random_graph(seed, 7)
    held = repebble.Graph(graph)
    peaks = [repebble.replay(held, repebble.make_schedule(held, order)).peak for order in orders(graph)]
    found = repebble.find_least_peak_order(graph)
    assert found.peak_least and found.peak == found.lower_bound == min(peaks)
    assert repebble.replay(graph, repebble.make_schedule(graph, found.order)).peak == found.peak


def test_a_schedule_of_computations_runs_them_and_discards_at_the_last_use() -> None:
    graph: dict[str, Any] = {
        "values": [{"size": 5}, {"size": 1}, {"size": 1}],
        "operations": [{"time": 3, "writes": [0], "reads": []}, {"time": 1, "writes": [1], "reads": [0]},
                       {"time": 1, "writes": [2], "reads": [0, 1]}],
    }  # fmt: skip
    steps = repebble.make_schedule(graph, [0, 1, 0, 2])
    assert steps[:3] == [("compute", 0, None), ("compute", 1, None), ("discard", None, 0)]
    assert repebble.replay(graph, steps).overhead == 3
    let_go = {"values": [{"size": 5, "donated": True}, {"size": 1}], "operations": graph["operations"][1:2]}
    schedules = [repebble.make_schedule(let_go, [0], inputs=inputs) for inputs in (False, True)]
    assert [("discard", None, 0) in steps for steps in schedules] == [False, True]
    with pytest.raises(repebble.IllegalSchedule, match="operation 7"):
        repebble.make_schedule(graph, [0, 7])
    with pytest.raises(repebble.IllegalSchedule):
        repebble.replay(graph, repebble.make_schedule(graph, [0, 2, 1]))


def overlap(a: Any, b: Any) -> bool:
    return bool(max(a[0], b[0]) < min(a[1], b[1]))


@pytest.mark.parametrize("seed", range(4))
def test_an_arena_has_a_place_for_all_that_a_schedule_holds(seed: int) -> None:
    graph = random_graph(seed)
    plan = repebble.keep_all(graph)
    arena = repebble.make_arena(graph, plan, alignment=2)
    assert arena.peak == repebble.replay(graph, plan, alignment=2).peak
    assert arena.lower_bound <= arena.height and all(offset % 2 == 0 for offset in arena.offsets)
    assert {b.value for b in arena.buffers if b.operation is None} == set(range(9))
    assert [b.operation for b in arena.buffers if b.value is None] == [4]
    places = [(o, o + b.size) for o, b in zip(arena.offsets, arena.buffers)]
    for i, j in itertools.combinations(range(len(places)), 2):
        both = overlap(arena.buffers[i].lifetime, arena.buffers[j].lifetime)
        assert not (both and overlap(places[i], places[j]))


def test_an_arena_has_every_run_and_inputs_and_a_capacity_on_request() -> None:
    graph = {"values": [{"size": 10, "name": "in"}, {"size": 4}, {"size": 6}, {"size": 0}],
             "operations": [{"time": 1, "reads": [0], "writes": [1]}, {"time": 1, "reads": [1], "writes": [2],
                             "workspace": 3}, {"time": 1, "reads": [0, 2], "writes": [3]}]}  # fmt: skip
    steps: list[Any] = [("compute", 0), ("compute", 1), ("discard", None, 1), ("discard", None, 2)]
    steps += [("compute", i) for i in range(3)]
    lives = repebble.find_lifetimes(graph, steps)
    assert [(b.value, b.operation, b.run) for b in lives] == [(1, None, 0), (2, None, 0), (None, 1, 0), (1, None, 1),
                                                              (2, None, 1), (None, 1, 1)]  # fmt: skip
    arena = repebble.make_arena(graph, steps, inputs=True)
    assert (arena.buffers[0].name, arena.buffers[0].lifetime, arena.height, arena.peak) == ("in", (0, 7), 23, 23)
    assert repebble.make_arena(graph, steps).height == 13
    proofs = [repebble.make_arena(graph, steps, capacity=capacity).proof for capacity in ("48%", 12, 13)]
    assert proofs == ["none_exists", "none_exists", "height_least"]
    assert [repebble.find_least_peak_order(graph, inputs=inputs).peak for inputs in (False, True)] == [13, 23]


def test_lifetimes_are_those_of_the_steps() -> None:
    graph = {"values": [{"size": 4, "name": "x"}, {"size": 2}, {"size": 7, "view_of": 0}],
             "operations": [{"time": 1, "reads": [], "writes": [0]}, {"time": 0, "reads": [0], "writes": [2]},
                            {"time": 1, "reads": [2], "writes": [1], "workspace": 3}]}  # fmt: skip
    steps = [("compute", 0), ("compute", 1), ("discard", None, 0), ("compute", 2), ("discard", None, 2)]
    found = repebble.find_lifetimes(graph, steps)
    assert [(b.lifetime, b.size, b.value, b.operation, b.run, b.name) for b in found] == [
        ((0, 4), 4, 0, None, 0, "x"), ((3, 5), 2, 1, None, 0, ""), ((3, 4), 3, None, 2, 0, "")]  # fmt: skip
    assert repebble.find_lifetimes(graph, steps, host=True) == []
    with pytest.raises(repebble.IllegalSchedule, match="step 1"):
        repebble.find_lifetimes(graph, [steps[0], steps[3]])
    link: dict[str, Any] = {"link": "1GB/s", "time_unit": "ns"}
    copied = [steps[0], ("offload", None, 0), *steps[1:]]
    on_host = repebble.find_lifetimes(graph, copied, host=True)
    assert [(b.lifetime, b.size, b.value) for b in on_host] == [((1, 6), 4, 0)]
    assert repebble.replay(graph, copied, **link).host_peak == 4


def test_pools_hold_what_lies_in_them() -> None:
    buffers: list[dict[str, Any]] = [{"lifetime": (0, 2), "size": 60}, {"lifetime": (1, 3), "size": 60},
                                     {"lifetime": (2, 4), "size": 30, "pool": "dram"}]  # fmt: skip
    found = repebble.assign_pools(buffers, {"sram": 64, "dram": "1KiB"})
    assert sorted(found.pools[:2]) == ["dram", "sram"] and found.pools[2] == "dram"
    assert found.heights["sram"] == 60 and found.heights["dram"] <= 90
    numbered = repebble.assign_pools([((0, 2), 60), ((1, 3), 60)], [64, 64])
    assert sorted(numbered.pools) == [0, 1] and numbered.offsets == [0, 0]
    for one, ends in ((((0, 2), 1), [0, 8, 16]), (((0, 2), 1, 1), [0, 1, 2])):
        assert sorted(repebble.assign_pools([one] * 3, [64], alignment=8).offsets) == ends
    first = repebble.assign_pools([{**buffers[0], "priority": 0.5}, buffers[1]], [64, 64])
    assert first.pools == [0, 1]  # those that do not say theirs have the least
    liked = repebble.assign_pools([{**b, "priority": k} for k, b in enumerate(buffers[:2])], [64, 64])
    assert liked.pools == [1, 0]
    moving = [{**b, "traffic": 10 - k} for k, b in enumerate(buffers[:2])]
    parked = [{"lifetime": (0, 10), "size": 4, "accesses": [(0, 4), (1, 4), (2, 4), (9, 4)]},
              {"lifetime": (4, 6), "size": 4, "accesses": [(4, 50), (5, 50)]}]  # fmt: skip
    copied = repebble.assign_pools(parked, {"sram": 4, "dram": 8})
    assert copied.traffic == copied.traffic_bound == 4 + 4 and copied.copies == [(2, 0, 0)]
    assert copied.stays == [[("sram", 0, 0, 3), ("dram", 0, 2, 10)], [("sram", 0, 4, 6)]]
    for odd, said in (({"accesses": [(0,)]}, "accesses of buffer 0"), ({"accesses": [(9, 1)], "traffic": 1}, "both")):
        with pytest.raises(repebble.BadBuffer, match=said):
            repebble.assign_pools([{**parked[0], **odd}], [64])
    least = repebble.assign_pools(moving, {"sram": 64, "dram": 64}, costs={"dram": 5, "sram": 1})
    assert least.pools == ["sram", "dram"] and least.traffic == least.traffic_bound == 10 + 5 * 9
    with pytest.raises(repebble.BadBuffer, match="3 costs"):
        repebble.assign_pools(moving, [64, 64], costs=[1, 2, 3])
    with pytest.raises(repebble.NoPlan, match="none exists") as caught:
        repebble.assign_pools([((0, 2), 60), ((1, 3), 60)], [64])
    assert caught.value.none_exists
    for wrong, words in (({"pool": "flash"}, "flash"), ({"priority": -1}, "priority of buffer 0")):
        with pytest.raises(repebble.BadBuffer, match=words):
            repebble.assign_pools([{**buffers[0], **wrong}], {"sram": 64})


def test_pools_for_which_a_short_search_finds_no_plan_may_have_one() -> None:
    r = random.Random(0)
    buffers = [((begin, begin + r.randint(1, 4)), r.randint(1, 30)) for begin in (r.randrange(8) for _ in range(12))]
    tight = [repebble.assign_offsets(buffers).height]
    with pytest.raises(repebble.NoPlan, match="12 buffers in 1 pools: none was found") as caught:
        repebble.assign_pools(buffers, tight, work=0)
    assert not caught.value.none_exists
    assert repebble.assign_pools(buffers, tight).heights == {0: tight[0]}


@pytest.mark.parametrize("seed", range(4))
def test_lower_sets_are_all_that_are_closed(seed: int) -> None:
    graph = random_graph(seed)
    reads = [set(o["reads"]) for o in graph["operations"]]
    closed = {s for k in range(10) for s in itertools.combinations(range(9), k)
              if all(reads[v] <= set(s) for v in s)}  # fmt: skip
    found = [tuple(members) for members in repebble.lower_sets(graph)]
    assert len(found) == len(closed) and set(found) == closed
    assert found[0] == () and found[-1] == tuple(range(9))
    assert [tuple(m) for m in repebble.lower_sets(repebble.Graph({**graph}))] == found


def test_lower_sets_are_made_as_they_are_asked_for() -> None:
    free = {"values": [{"size": 1}] * 60, "operations": [{"time": 1, "reads": [], "writes": [i]} for i in range(60)]}
    assert [len(s) for s in itertools.islice(repebble.lower_sets(free), 100)][:4] == [0, 1, 1, 2]


def test_a_tree_decomposition_of_an_elimination_order() -> None:
    cycle = [(i, (i + 1) % 6) for i in range(6)]
    for rule in ("fill", "degree", "fill_per_neighbor"):
        order, width = repebble.find_elimination_order(cycle, rule=rule)
        bags, edges = repebble.make_tree_decomposition(cycle, order)
        assert width == 2 and sorted(order) == list(range(6)) and max(map(len, bags)) == 3
        assert len(edges) == len(bags) - 1 and all(any({u, v} <= set(bag) for bag in bags) for u, v in cycle)
    assert repebble.find_elimination_order([], 2)[1] == 0
    with pytest.raises(repebble.BadOption, match="minimal"):
        repebble.find_elimination_order(cycle, rule="minimal")
    for order in ([0, 1], [0, 1, 2, 3, 4, 9], [0, 0, 1, 2, 3, 4]):
        with pytest.raises(repebble.BadGraph):
            repebble.make_tree_decomposition(cycle, order)


def play(actions: Any, steps: int, slots: int, stored: dict[int, int], state: int) -> int:
    """Runs actions by the rules, from stored states by slot. Returns how many steps were advanced."""
    advanced = 0
    for a in actions:
        if a.kind == "snapshot":
            assert a.slot < slots and a.begin == state
            stored[a.slot] = state
        elif a.kind == "restore":
            state = stored[a.slot]
            assert a.begin == state
        elif a.kind == "advance":
            assert a.begin == state < a.end
            advanced += a.end - a.begin
            state = a.end
        else:
            assert a.begin == state == steps - 1
            steps -= 1
    assert steps == 0
    return advanced


@pytest.mark.parametrize("slots", [1, 2, 3, 5])
def test_a_reversal_is_legal_and_advances_least(slots: int) -> None:
    least = {(1, s): 0 for s in range(1, 9)}  # by steps and slots: the recursion of Griewank 1992
    for n in range(2, 12):
        for s in range(1, 9):
            ways = [k + least[n - k, s - 1] + least[k, s] for k in range(1, n)] if s > 1 else [n * (n - 1) // 2]
            least[n, s] = min(ways)
    for n in range(1, 12):
        assert play(repebble.revolve(n, slots), n, slots, {}, 0) == least[n, slots]
        assert play(repebble.revolve(n, slots, initial_state="free"), n, slots + 1, {0: 0}, 0) == least[n, slots + 1]


def test_reversals_are_lazy_and_wrong_ones_are_refused() -> None:
    assert next(iter(repebble.revolve(2**62, 20))).kind == "snapshot"
    assert list(repebble.revolve(0, 3)) == []
    for call in (lambda: repebble.revolve(3, 0), lambda: repebble.revolve(-1, 2), lambda: repebble.revolve(1, 2**32),
                 lambda: repebble.revolve(3, 1, initial_state="none"), lambda: repebble.OnlineSnapshots(0)):  # fmt: skip
        with pytest.raises(repebble.BadOption):
            call()


@pytest.mark.parametrize("slots", [1, 2, 4])
def test_snapshots_of_an_unknown_number_of_steps_reverse_them(slots: int) -> None:
    online = repebble.OnlineSnapshots(slots)
    stored: dict[int, int] = {}
    for step in range(40):
        if (slot := online.before_step()) is not None:
            stored[slot] = step
        assert all(stored[slot] == state for state, slot in online.snapshots())
        play(online.reversal(), step + 1, slots, dict(stored), step + 1)
    assert online.steps == 40
