"""Offsets, chains and treewidth from lists and arrays."""

import itertools
import random

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
    found = repebble.assign_offsets(lifetimes, sizes, alignment=8)
    for i, j in itertools.combinations(range(30), 2):
        if overlap(lifetimes[i], lifetimes[j]) and sizes[i] and sizes[j]:
            places = [(found.offsets[k], found.offsets[k] + sizes[k]) for k in (i, j)]
            assert not overlap(*places)
    assert all(o % 8 == 0 for o in found.offsets) and found.lower_bound <= found.height
    again = repebble.assign_offsets(numpy.array(lifetimes), numpy.array(sizes, dtype=numpy.int32), alignment=[8] * 30)
    assert again == found


def test_offsets_within_a_capacity_and_pinned():
    found = repebble.assign_offsets([(0, 2), (1, 3)], [64, 64], capacity=100)
    assert found.proof == "infeasible"
    assert repebble.assign_offsets([(0, 2), (1, 3)], [64, 64], pinned=[64, None]).offsets == [64, 0]
    for wrong in (([(0, 2)], [-1]), ([(2, 0)], [1]), ([(0, 1)], [1, 2]), ([(0, 1)], [1.5]), ([7], [1])):
        with pytest.raises(repebble.BadBuffer):
            repebble.assign_offsets(*wrong)


def test_a_chain_from_rows_columns_and_arrays():
    rows = [{"forward_time": 1 + i % 3, "backward_time": 2, "output": 100, "saved": 150} for i in range(10)]
    rows.append({"forward_time": 1, "backward_time": 1, "output": 0})
    solved = repebble.chain(rows, input=100)
    names = ("forward_time", "backward_time", "output", "saved")
    columns = {name: numpy.array([row.get(name, 0) for row in rows]) for name in names}
    structured = numpy.array([tuple(row.get(n, 0) for n in names) for row in rows], dtype=[(n, "i8") for n in names])
    for other in (columns, structured):
        assert repebble.chain(other, input=100).curve == solved.curve
    budgets, times = zip(*solved.curve)
    assert list(budgets) == sorted(budgets) and list(times) == sorted(times, reverse=True)
    assert budgets[-1] == solved.keep_all and times[-1] == sum(r["forward_time"] + r["backward_time"] for r in rows)
    plan = solved.within("60%")
    assert plan.time == plan.lower_bound
    backward = [a.stage for a in plan.actions if a.kind == "backward"]
    assert backward == list(range(10, -1, -1))
    spent = sum(rows[a.stage]["backward_time" if a.kind == "backward" else "forward_time"] for a in plan.actions)
    assert spent == plan.time
    with pytest.raises(repebble.NoPlan) as caught:
        solved.within(10)
    assert caught.value.needed == caught.value.found == budgets[0]
    with pytest.raises(repebble.BadWeight, match="stage 3"):
        repebble.chain({**columns, "saved": [50 if i == 3 else 150 for i in range(11)]})
    with pytest.raises(repebble.BadGraph, match="forward_time"):
        repebble.chain([{"backward_time": 1}])


def test_treewidth_of_graphs_whose_width_is_known():
    grid = [((4 * x + y), (4 * x + y + d)) for x in range(4) for y in range(4) for d in (1, 4)
            if (y < 3 if d == 1 else x < 3)]  # fmt: skip
    found = repebble.treewidth(numpy.array(grid))
    assert found.exact and found.upper == 4 and sorted(found.order) == list(range(16))
    assert max(map(len, found.bags)) == 5 and len(found.edges) == len(found.bags) - 1
    for u, v in grid:
        assert any(u in bag and v in bag for bag in found.bags)
    assert repebble.treewidth({0: [1], 1: [2], 2: [0]}).upper == 2
    assert repebble.treewidth([], vertices=3).upper == 0
    graph = {"values": [{"size": 1}] * 3,
             "operations": [{"time": 1, "reads": [i - 1] if i else [], "writes": [i]} for i in range(3)]}  # fmt: skip
    assert repebble.treewidth(graph).upper == 1
    with pytest.raises(repebble.BadGraph):
        repebble.treewidth([(0, 1, 2)])
    with pytest.raises(repebble.BadGraph, match="vertex 5"):
        repebble.treewidth([(0, 5)], vertices=3)
