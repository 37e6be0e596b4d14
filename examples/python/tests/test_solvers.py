"""Offsets, chains and treewidth from lists and arrays."""

import itertools
import os
import random
import signal
import time

import pytest
import repebble

numpy = pytest.importorskip("numpy")


def overlap(a, b):
    return a[0] < b[1] and b[0] < a[1]


@pytest.mark.parametrize("seed", range(10))
def test_offsets_do_not_overlap_and_arrays_give_the_same(seed):
    r = random.Random(seed)
    lifetimes = [(b, b + r.randint(1, 9)) for b in (r.randrange(20) for _ in range(30))]
    sizes = [r.randint(0, 100) for _ in lifetimes]
    found = repebble.assign_offsets(list(zip(lifetimes, sizes)), alignment=8)
    for i, j in itertools.combinations(range(30), 2):
        if overlap(lifetimes[i], lifetimes[j]) and sizes[i] and sizes[j]:
            places = [(found.offsets[k], found.offsets[k] + sizes[k]) for k in (i, j)]
            assert not overlap(*places)
    assert all(o % 8 == 0 for o in found.offsets) and found.lower_bound <= found.height
    columns = {"lifetime": numpy.array(lifetimes), "size": numpy.array(sizes, dtype=numpy.int32), "alignment": [8] * 30}
    rows = [{"lifetime": b, "size": s, "alignment": 8} for b, s in zip(lifetimes, sizes)]
    structured = numpy.array(list(zip(lifetimes, sizes)), dtype=[("lifetime", "i4", 2), ("size", "i8")])
    assert repebble.assign_offsets(columns) == repebble.assign_offsets(rows) == found
    assert repebble.assign_offsets(structured, alignment=8) == found


def test_offsets_within_a_capacity_and_pinned():
    found = repebble.assign_offsets([((0, 2), 64), ((1, 3), 64)], capacity=100)
    assert found.proof == "none_exists"
    proofs = [repebble.assign_offsets([((0, 2), 64), ((1, 3), 64)], capacity=share).proof for share in ("99%", "100%")]
    assert proofs == ["none_exists", "height_least"]
    assert repebble.assign_offsets([((0, 2), 64, 1, 64), ((1, 3), 64)]).offsets == [64, 0]
    columns = {"lifetime": [(0, 2)] * 2, "size": [64] * 2, "pinned": [64, None]}
    assert repebble.assign_offsets(columns).offsets == [64, 0]
    assert repebble.assign_offsets([]).height == 0
    with pytest.raises(repebble.BadOption, match="work"):
        repebble.assign_offsets([((0, 2), 64)], work=-1)
    for wrong, message in (
        ([((0, 2), -1)], "buffer 0"),
        ([((2, 0), 1)], "buffer 0"),
        ([((0, 1), 1), ((0, 1),)], r"buffers\[1\] has no 'size'"),
        ([((0, 1), 1.5)], "size of buffer 0"),
        ([(7, 1)], "lifetime of buffer 0"),
        ([(0, 3, 64)], "lifetime of buffer 0"),
        ([((0, 1.5), 64)], "lifetime of buffer 0"),
        ([((0, 2**63), 64)], "lifetime of buffer 0"),
        ([{"lifetime": (0, 1), "size": 1, "aligment": 8}], "is 'alignment' meant"),
        (7, "neither a list of rows"),
    ):
        with pytest.raises(repebble.BadBuffer, match=message):
            repebble.assign_offsets(wrong)


def test_a_chain_from_rows_columns_and_arrays():
    rows = [{"forward_time": 1 + i % 3, "backward_time": 2, "output": 100, "saved": 150} for i in range(10)]
    rows.append({"forward_time": 1, "backward_time": 1, "output": 0})
    solved = repebble.solve_chain(rows, input=100)
    names = ("forward_time", "backward_time", "output", "saved")
    columns = {name: numpy.array([row.get(name, 0) for row in rows]) for name in names}
    structured = numpy.array([tuple(row.get(n, 0) for n in names) for row in rows], dtype=[(n, "i8") for n in names])
    for other in (columns, structured):
        assert repebble.solve_chain(other, input=100).curve == solved.curve
    budgets, times = zip(*solved.curve)
    assert list(budgets) == sorted(budgets) and list(times) == sorted(times, reverse=True)
    assert budgets[-1] == solved.keep_all and times[-1] == sum(r["forward_time"] + r["backward_time"] for r in rows)
    plan = solved.within("60%")
    assert plan.time == plan.lower_bound
    backward = [a.stage for a in plan.actions if a.kind == "backward"]
    assert backward == list(range(10, -1, -1))
    spent = sum(rows[a.stage]["backward_time" if a.kind == "backward" else "forward_time"] for a in plan.actions)
    assert spent == plan.time
    assert plan.peak <= 0.6 * solved.keep_all and plan == repebble.solve_chain(rows, "60%", input=100)
    assert solved.within(solved.keep_all).peak == solved.keep_all
    assert repebble.solve_chain(rows, input=100, last_budget="60%").curve == [
        point for point in solved.curve if point[0] <= 0.6 * solved.keep_all
    ]
    with pytest.raises(repebble.BadOption, match="last_budget"):
        repebble.solve_chain(rows, "60%", last_budget=1000)
    with pytest.raises(repebble.LimitReached):
        repebble.solve_chain(rows, work=1)
    with pytest.raises(repebble.NoPlan) as caught:
        solved.within(10)
    assert caught.value.needed == caught.value.found == budgets[0]
    with pytest.raises(repebble.NoPlan, match=f"within 10 bytes: {budgets[0]} are needed"):
        repebble.solve_chain(rows, 10, input=100)
    with pytest.raises(repebble.BadWeight, match="stage 3"):
        repebble.solve_chain({**columns, "saved": [50 if i == 3 else 150 for i in range(11)]})
    with pytest.raises(repebble.BadGraph, match="forward_time"):
        repebble.solve_chain([{"backward_time": 1}])


def stages_with(**changes):
    """Five equal stages, the third with changes, and a loss."""
    rows = [{"forward_time": 1, "backward_time": 1, "output": 10, "saved": 15} for _ in range(5)]
    rows[2] = {field: given for field, given in {**rows[2], **changes}.items() if given is not None}
    return [*rows, {"forward_time": 1, "backward_time": 1}]


@pytest.mark.parametrize(
    "changes, options, first, last",
    [
        ({}, {}, (55, 22), (105, 12)),
        ({"gradient": 100}, {}, (145, 17), (180, 12)),
        ({"forward_workspace": 100}, {}, (135, 14), (155, 12)),
        ({"backward_workspace": 100}, {}, (155, 14), (175, 12)),
        ({"saved": None, "tapes": [{"saved": 15, "forward_workspace": 100}]}, {}, (135, 14), (155, 12)),
        ({"saved": None, "tapes": [{"saved": 15, "backward_workspace": 100}]}, {}, (155, 14), (175, 12)),
        ({"saved": None, "tapes": [{"saved": 500}, {"saved": 15, "extra_time": 3}]}, {}, (55, 25), (590, 12)),
        ({"forward_time": 0.5}, {}, (55, 20.5), (105, 11.5)),
        ({}, {"input_gradient": 100}, (135, 12), (135, 12)),
    ],
)
def test_bytes_and_times_of_a_stage_count(changes, options, first, last):
    solved = repebble.solve_chain(stages_with(**changes), input=10, **options)
    assert (solved.curve[0], solved.curve[-1], solved.keep_all) == (first, last, last[0])
    least = solved.within(first[0])
    assert least.time == least.lower_bound == first[1] and least.peak == first[0]


def test_a_chain_has_a_workspace_forward_and_may_discard_what_stages_read():
    rows = [{"forward_time": 1, "backward_time": 1, "output": o, "saved": s} for o, s in ((1, 30), (10, 10), (1, 10))]
    rows.append({"forward_time": 1, "backward_time": 1})
    assert repebble.solve_chain(rows, input=10).curve == [(41, 11), (42, 9), (71, 8)]
    wide = [{**row, "workspace": 60} for row in rows]
    assert repebble.solve_chain(wide, input=10).curve == [(42, 9), (71, 8)]
    dropped = repebble.solve_chain(stages_with(), input=10, drop_saved_inputs=True)
    assert dict(dropped.curve)[60] == 18 < dict(repebble.solve_chain(stages_with(), input=10).curve)[60]


def test_a_chain_is_solved_with_less_work_where_more_time_is_tolerated():
    r = random.Random(2)
    stages = [{"forward_time": r.randint(1, 10**6), "backward_time": 2, "output": r.randint(1, 10**9),
               "saved": 15 * 10**8} for _ in range(30)]  # fmt: skip
    with pytest.raises(repebble.LimitReached):
        repebble.solve_chain(stages, work=10**4)
    found = repebble.solve_chain(stages, work=10**4, epsilon=1).within("30%")
    assert found.lower_bound < found.time <= 2 * found.lower_bound


def test_treewidth_of_graphs_whose_width_is_known():
    grid = [((4 * x + y), (4 * x + y + d)) for x in range(4) for y in range(4) for d in (1, 4)
            if (y < 3 if d == 1 else x < 3)]  # fmt: skip
    found = repebble.find_treewidth(numpy.array(grid))
    assert found.exact and found.upper == 4 and sorted(found.order) == list(range(16))
    assert max(map(len, found.bags)) == 5 and len(found.edges) == len(found.bags) - 1
    for u, v in grid:
        assert any(u in bag and v in bag for bag in found.bags)
    assert repebble.find_treewidth({0: [1], 1: [2], 2: [0]}).upper == 2
    assert repebble.find_treewidth([], vertices=3).upper == 0
    assert sorted(repebble.find_treewidth({0: [1], 5: []}).order) == list(range(6))
    graph = {"values": [{"size": 1}] * 3,
             "operations": [{"time": 1, "reads": [i - 1] if i else [], "writes": [i]} for i in range(3)]}  # fmt: skip
    assert repebble.find_treewidth(graph).upper == 1
    links = ([], [0]), ([0], [1]), ([0], [1]), ([1], [])
    operations = [{"time": 1, "reads": reads, "writes": writes} for reads, writes in links]
    ways = {"values": [{"size": 1}] * 2, "operations": operations}
    assert repebble.find_treewidth(ways).upper == 2  # both ways to compute a value are joined to what reads it
    with pytest.raises(repebble.BadOption, match="seed"):
        repebble.find_treewidth(grid, seed=-1)
    r = random.Random(3)
    many = {(u, v) for u, v in ((r.randrange(60), r.randrange(60)) for _ in range(200)) if u != v}
    bounded = repebble.find_treewidth(sorted(many), work=1)
    assert bounded.lower < bounded.upper and not bounded.exact
    with pytest.raises(repebble.BadGraph):
        repebble.find_treewidth([(0, 1, 2)])
    with pytest.raises(repebble.BadGraph, match="vertex 5"):
        repebble.find_treewidth([(0, 5)], vertices=3)


def long_searches(**limits):
    """Calls of each solver that take minutes."""
    r = random.Random(3)
    lives = [(b, b + r.randint(1, 400)) for b in (r.randrange(900) for _ in range(600))]
    sizes = [r.randint(1, 10**6) for _ in lives]
    stages = [{"forward_time": r.randint(1, 10**6), "backward_time": 1, "output": r.randint(1, 10**9)}
              for _ in range(400)]  # fmt: skip
    edges = {(u, v) for u, v in ((r.randrange(90), r.randrange(90)) for _ in range(320)) if u != v}
    return {
        "assign_offsets": lambda: repebble.assign_offsets(list(zip(lives, sizes)), **{"work": 10**9, **limits}),
        "solve_chain": lambda: repebble.solve_chain(stages, **limits),
        "find_treewidth": lambda: repebble.find_treewidth(sorted(edges), **{"work": 10**9, **limits}),
    }


@pytest.mark.parametrize("name", long_searches())
def test_an_interrupt_ends_every_solver(name):
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        long_searches(stop=lambda: os.kill(os.getpid(), signal.SIGINT))[name]()
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("name", long_searches())
def test_what_stop_raises_ends_every_solver(name):
    def fail():
        raise ZeroDivisionError("enough")

    with pytest.raises(ZeroDivisionError, match="enough"):
        long_searches(stop=fail)[name]()


def test_stop_keeps_what_was_found():
    found = long_searches(stop=lambda: True)["find_treewidth"]()
    assert found.lower <= found.upper
    found = long_searches(stop=lambda: True)["assign_offsets"]()
    assert found.lower_bound <= found.height
    with pytest.raises(repebble.LimitReached):
        long_searches(stop=lambda: True)["solve_chain"]()
