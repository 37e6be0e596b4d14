"""Plans against an exhaustive search, replays, errors, interrupts."""

import json
import os
import pathlib
import pickle
import random
import re
import signal
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import pytest
import repebble
from exhaustive import least_time, random_graph, random_program


def training_chain(layers, size=100):
    """A chain of operations, and a backward pass that reads all their values."""
    forward = [{"time": 1 + i % 5, "reads": [i - 1] if i else [], "writes": [i]} for i in range(layers)]
    backward = [{"time": 1, "reads": [layers - 1 - k] + ([layers + k - 1] if k else []), "writes": [layers + k]}
                for k in range(layers)]  # fmt: skip
    return {"values": [{"size": size + i % 7} for i in range(2 * layers)], "operations": forward + backward}


def wide_graph(operations, seed=2):
    """A graph on which the search takes long."""
    r = random.Random(seed)
    return {"values": [{"size": r.randint(1, 1000)} for _ in range(operations)],
            "operations": [{"time": r.randint(1, 100), "writes": [i],
                            "reads": sorted({r.randrange(max(0, i - 40), i) for _ in range(3)}) if i else []}
                           for i in range(operations)]}  # fmt: skip


def same_cost(graph, plan, **options):
    cost = repebble.replay(graph, plan.steps, **options)
    assert (cost.peak, cost.time, cost.overhead) == (plan.peak, plan.time, plan.overhead)
    assert max(cost.profile, default=0) == cost.peak
    assert cost.recomputations == len(plan.recomputed())


@pytest.mark.parametrize("seed", range(60))
def test_a_plan_agrees_with_an_exhaustive_search(seed):
    graph = random_graph(seed)
    everything = repebble.keep_all(graph)
    same_cost(graph, everything)
    for budget in {everything.peak, everything.peak * 3 // 4, everything.peak // 2}:
        least = least_time(graph, budget)
        try:
            plan = repebble.plan(graph, budget, work=20_000)
        except repebble.NoPlan as none:
            assert least is None or not none.none_exists
            assert none.needed <= budget or none.none_exists
            assert none.found is None or none.found >= none.needed
            continue
        assert least is not None
        same_cost(graph, plan)
        assert plan.peak <= budget
        assert plan.time - plan.overhead + plan.lower_bound <= least <= plan.time
        assert not plan.time_least or plan.time == least


@pytest.mark.parametrize("seed", range(60))
def test_plans_of_graphs_with_views_and_mutations_are_legal(seed):
    graph = random_program(seed)
    for inputs in (False, True):
        everything = repebble.keep_all(graph, inputs=inputs)
        same_cost(graph, everything, inputs=inputs)
        for share in (100, 90, 75, 60):
            budget = everything.peak * share // 100
            try:
                plan = repebble.plan(graph, budget, work=2000, inputs=inputs)
            except repebble.NoPlan as none:
                assert share < 100 and none.needed <= everything.peak
                continue
            same_cost(graph, plan, inputs=inputs)
            assert plan.peak <= budget and plan.lower_bound <= plan.overhead


def test_ways_to_give_a_graph_give_the_same_plan():
    graph = training_chain(12)
    rows = SimpleNamespace(values=[SimpleNamespace(**v) for v in graph["values"]],
                           operations=[SimpleNamespace(**o) for o in graph["operations"]])  # fmt: skip
    columns = {name: {field: [row[field] for row in table] for field in table[0]} for name, table in graph.items()}
    plans = [repebble.plan(g, "50%", work=1000) for g in (graph, rows, columns, json.dumps(graph))]
    assert all(p == plans[0] for p in plans)
    assert repebble.plan(graph, plans[0].keep_all_peak // 2, work=1000) == plans[0]


def test_budgets_are_bytes_texts_and_shares():
    graph = training_chain(10, 1000)
    assert repebble.plan(graph, "8GiB").overhead == 0
    assert repebble.plan(graph, "100%").peak == repebble.keep_all(graph).peak
    whole = {"values": [{"size": 29}], "operations": [{"time": 1, "reads": [], "writes": [0]}]}
    assert repebble.plan(whole, "100%").peak == 29  # a share is exact
    for wrong in ("8 giga", "x%", "-5%", -1, 1.5, 0.8):
        with pytest.raises(repebble.BadWeight, match="budget"):
            repebble.plan(graph, wrong)


def test_sizes_are_rounded_up_to_the_alignment():
    graph = {"values": [{"size": 100}, {"size": 256}, {"size": 0}, {"size": 300}],
             "operations": [{"time": 1, "reads": [i - 1] if i else [], "writes": [i], "workspace": i % 2}
                            for i in range(4)]}  # fmt: skip
    same = repebble.make_training_graph(graph)
    exact, aligned = repebble.plan(same, "100%"), repebble.plan(same, "100%", alignment=256)
    assert aligned.peak % 256 == 0 and aligned.peak > exact.peak and aligned.keep_all_peak % 256 == 0
    same_cost(same, aligned, alignment=256)
    assert all(size % 256 == 0 for size in repebble.replay(same, aligned.steps, alignment=256).profile)
    assert repebble.find_least_budget(same, alignment=256, work=1000).found % 256 == 0
    for wrong in (0, -8, 1.5, "x"):
        with pytest.raises(repebble.BadOption, match="alignment"):
            repebble.plan(graph, "100%", alignment=wrong)
    graph["values"][0]["size"] = -8
    with pytest.raises(repebble.BadWeight, match="size of value 0 is negative"):
        repebble.plan(graph, "100%", alignment=256)


def test_a_curve_is_monotone_and_has_none_where_nothing_fits():
    graph = training_chain(20)
    curve = repebble.plan(graph, [1, "25%", "50%", "100%"], work=5000)
    assert curve[0] is None
    overheads = [p.overhead for p in curve[1:]]
    assert overheads == sorted(overheads, reverse=True) and overheads[-1] == 0
    for plan in curve[1:]:
        same_cost(graph, plan)


def test_a_text_is_one_budget_and_an_array_several():
    numpy = pytest.importorskip("numpy")
    graph = training_chain(6)
    budgets = [repebble.keep_all(graph).peak, 1]
    assert repebble.plan(graph, numpy.array(budgets)) == repebble.plan(graph, tuple(budgets))
    assert repebble.plan(graph, numpy.int64(budgets[0])) == repebble.plan(graph, budgets)[0]
    assert repebble.plan(graph, []) == []
    with pytest.raises(repebble.BadWeight, match="the budget"):
        repebble.plan(graph, [budgets])


def test_the_floor_is_below_the_least_budget():
    graph = training_chain(8)
    graph["operations"][9]["workspace"] = 1000
    floor = repebble.find_memory_floor(graph)
    assert floor.operation == 9 and floor.size > 1000
    assert repebble.find_memory_floor({"values": [], "operations": []}) == (0, None)
    least = repebble.find_least_budget(graph, work=1000)
    assert least.needed == floor == least.plan.floor
    assert floor.size <= least.plan.peak <= least.found
    assert repebble.plan(graph, least.found, work=1000).peak <= least.found
    same_cost(graph, least.plan)
    with pytest.raises(repebble.NoPlan) as none:
        repebble.plan(graph, floor.size - 1)
    assert (none.value.needed, none.value.operation) == floor


@pytest.mark.parametrize("seed", range(40))
def test_a_budget_that_is_said_to_have_a_plan_has_one(seed):
    graph = random_program(seed) if seed % 2 else random_graph(seed)
    options = {"arena": seed % 4 > 1, "inputs": seed % 8 > 3}
    floor = repebble.find_memory_floor(graph, inputs=options["inputs"])
    for budget in (floor.size - 1, floor.size, floor.size + 1):
        if budget < 0:
            continue
        try:
            repebble.plan(graph, budget, work=500, **options)
        except repebble.NoPlan as none:
            assert none.needed == floor.size <= none.found and none.found > budget
            assert none.none_exists or budget >= floor.size
            assert ("none exists" in str(none)) == none.none_exists != ("none was found" in str(none))
            for work in (0, 500, 3000):
                assert repebble.plan(graph, none.found, work=work, **options).peak <= none.found


def test_steps_are_a_sequence_that_equals_a_list():
    graph = training_chain(8)
    steps = repebble.plan(graph, "70%").steps
    whole = list(steps)
    assert steps == whole and whole == steps and steps != whole[:-1] and len(steps) == len(whole)
    assert steps[0] == whole[0] and steps[-1] == whole[-1] and steps[2:9:3] == whole[2:9:3] and steps[5:2] == []
    assert pickle.loads(pickle.dumps(steps)) == whole and repr(steps) == repr(whole)
    with pytest.raises(IndexError):
        steps[len(whole)]


def test_passes_do_not_change_what_a_plan_means():
    graph = training_chain(12)
    for i, operation in enumerate(graph["operations"]):
        operation["pass"] = "forward" if i < 12 else "backward"
    same_cost(graph, repebble.plan(graph, "50%"))


def test_floats_that_have_a_unit_are_planned_exactly():
    graph = training_chain(8)
    whole = repebble.plan(graph, "50%")
    for operation in graph["operations"]:
        operation["time"] *= 0.001
    exact = repebble.plan(graph, "50%")
    assert exact.time_least and exact.time == pytest.approx(whole.time / 1000, abs=0, rel=1e-15)
    graph["operations"][0]["time"] = 0.0012345678901234567
    rounded = repebble.plan(graph, "50%")
    assert not rounded.time_least and rounded.lower_bound <= rounded.overhead
    assert rounded.base_order_bound == rounded.lower_bound  # without a link; both lose what rounding may have taken


def test_views_share_the_storage_of_what_they_view():
    graph = {"values": [{"size": 8}, {"size": 0, "view_of": 0}, {"size": 0, "view_of": [1]}, {"size": 4}, {"size": 4}],
             "operations": [{"time": 1, "reads": [], "writes": [0]}, {"time": 0, "reads": [0], "writes": [1]},
                            {"time": 0, "reads": [1], "writes": [2]}, {"time": 1, "reads": [], "writes": [3]},
                            {"time": 1, "reads": [2, 3], "writes": [4]}]}  # fmt: skip
    plan = repebble.keep_all(graph)
    assert plan.peak == 16 and 8 + 4 in repebble.replay(graph, plan.steps).profile
    # A view that is written beside what it views is the same value.
    graph["operations"][0]["writes"] = [0, 1]
    del graph["operations"][1]
    assert repebble.keep_all(graph).peak == 16


def test_inputs_are_charged_on_request_only():
    operations = [{"time": 1, "reads": [0], "writes": [1]}, {"time": 1, "reads": [1, 0], "writes": [2]}]
    graph = {"values": [{"size": 100}, {"size": 10}, {"size": 10}], "operations": operations}
    for inputs, peak in ((False, 20), (True, 120)):
        plan = repebble.keep_all(graph, inputs=inputs)
        assert plan.peak == peak
        same_cost(graph, plan, inputs=inputs)
        assert all(s.operation in (None, 0, 1) and s.value != 0 for s in plan.steps)


@pytest.mark.parametrize("named", ["mutates", "writes as well", "a view is written"])
def test_what_reads_an_overwritten_value_is_ordered_by_the_list(named):
    # 0 an input, 1 a read of it before, 2 a read of it afterwards
    update = {"time": 1, "reads": [0, 1], "writes": [], "mutates": [0], "name": "update"}
    values = [{"size": 7}, {"size": 4}, {"size": 4}]
    if named == "writes as well":
        update["writes"] = [0]
    last = 0
    if named == "a view is written":
        values.append({"size": 0, "view_of": 0})
        update["writes"], last = [3], 3
    graph = {"values": values,
             "operations": [{"time": 1, "reads": [0], "writes": [1], "name": "before"}, update,
                            {"time": 1, "reads": [last], "writes": [2], "name": "after"}]}  # fmt: skip
    for inputs, peak in ((False, 4), (True, 11)):
        plan = repebble.plan(graph, 20, inputs=inputs)
        assert plan.peak == peak and plan.time_least
        same_cost(graph, plan, inputs=inputs)
    with pytest.raises(repebble.IllegalSchedule):
        repebble.replay(graph, [("compute", 1), ("compute", 0), ("compute", 2)])


def test_a_stale_view_is_refused_by_name():
    graph = {"values": [{"size": 7, "name": "x"}, {"size": 0, "view_of": 0, "name": "old"}, {"size": 1}],
             "operations": [{"time": 1, "reads": [], "writes": [0]}, {"time": 0, "reads": [0], "writes": [1]},
                            {"time": 1, "reads": [0], "writes": [], "mutates": [0], "name": "add_"},
                            {"time": 1, "reads": [1], "writes": [2], "name": "late"}]}  # fmt: skip
    with pytest.raises(repebble.BadGraph, match=r"operation 3 \('late'\) reads value 1 \('old'\)"):
        repebble.keep_all(graph)


@pytest.mark.parametrize(
    "change, error, message",
    [
        (lambda g: g["operations"][2].update(reads=[77]), repebble.BadGraph, r"operation 2 .'mul'. reads value 77"),
        (lambda g: g["operations"][0].update(reads=[2]), repebble.NotADag, "cycle"),
        (lambda g: g["operations"][1].update(time=-1), repebble.BadWeight, r"operations\[1\]: time"),
        (lambda g: g["values"][1].update(size=-1), repebble.BadWeight, r"value 1 .'y'"),
        (lambda g: g["values"][1].update(size=1 << 70), repebble.BadWeight, r"values\[1\]: size"),
        (lambda g: g["operations"][1].update(recomputible=False), repebble.BadGraph, "is 'recomputable' meant"),
        (lambda g: g["operations"][1].pop("reads"), repebble.BadGraph, r"operations\[1\] has no 'reads'"),
        (lambda g: g["operations"][1].update(after=[1]), repebble.BadGraph, "itself"),
        (
            lambda g: g["values"][2].update(view_of=0),
            repebble.BadGraph,
            r"operation 2 .'mul'. writes a view of value 0",
        ),
        (lambda g: g["values"][0].update(view_of=0), repebble.BadGraph, "view of itself"),
        (lambda g: g.pop("values"), repebble.BadGraph, "values"),
    ],
)
def test_wrong_graphs_name_what_is_wrong(change, error, message):
    graph = {"values": [{"size": 1}, {"size": 1, "name": "y"}, {"size": 1}],
             "operations": [{"time": 1, "reads": [], "writes": [0]}, {"time": 1, "reads": [0], "writes": [1]},
                            {"time": 1, "reads": [1], "writes": [2], "name": "mul"}]}  # fmt: skip
    change(graph)
    with pytest.raises(error, match=message) as caught:
        repebble.plan(graph, 10)
    assert isinstance(caught.value, repebble.Error) and isinstance(caught.value, ValueError)


def test_a_value_that_is_mutated_has_one_writer():
    graph = {
        "values": [{"size": 1}],
        "operations": [{"time": 1, "reads": [], "writes": [0]}] * 2
        + [{"time": 1, "reads": [0], "writes": [], "mutates": [0], "name": "add_"}],
    }
    with pytest.raises(repebble.BadGraph, match=r"operation 2 \('add_'\) mutates value 0, which several"):
        repebble.plan(graph, 10)


def test_a_plan_of_an_arena_fits_into_one_block_and_a_gap_is_good_enough():
    graph = wide_graph(17, 55)
    budget = repebble.keep_all(graph).peak * 3 // 4
    free, fixed = (repebble.plan(graph, budget, work=500, arena=arena) for arena in (False, True))
    assert repebble.make_arena(graph, fixed).height <= budget < repebble.make_arena(graph, free).height
    assert free.overhead < fixed.overhead
    rough = repebble.plan(wide_graph(30), "75%", work=3000, gap=5)
    assert rough.gap <= 5 and rough.overhead > repebble.plan(wide_graph(30), "75%", work=3000).overhead


def test_the_peak_of_a_plan_may_be_proven_least_and_its_size_rounded():
    graph = training_chain(8)
    graph["operations"][9]["workspace"] = 1000
    floor = repebble.find_memory_floor(graph).size
    assert repebble.plan(graph, floor).peak_least and not repebble.keep_all(graph).peak_least
    assert repebble.find_least_budget(graph, alignment=512, work=500).needed.size == 2048 + 512
    graph["values"].append({"size": 9})
    graph["operations"][9]["reads"].append(16)
    assert [repebble.find_memory_floor(graph, inputs=inputs).size for inputs in (False, True)] == [floor, floor + 9]


@pytest.mark.parametrize(
    "wrong", [{"gap": -1}, {"seed": -1}, {"threads": -1}, {"arena": "yes"}, {"effort": {"childs": 1}}]
)
def test_every_search_refuses_wrong_options(wrong):
    graph = training_chain(3)
    with pytest.raises(repebble.BadOption, match=next(iter(wrong))):
        repebble.find_least_budget(graph, **wrong)
    with pytest.raises(repebble.BadOption, match=next(iter(wrong))):
        repebble.find_largest_size(lambda size: graph, 999, **wrong)


def test_threads_do_not_change_a_plan():
    graph = wide_graph(30)
    assert repebble.plan(graph, "75%", work=3000) == repebble.plan(graph, "75%", work=3000, threads=2)


@pytest.mark.parametrize(
    "option, wrong",
    [("seconds", "1s"), ("seconds", -1), ("work", 1.5), ("stop", True), ("threads", "all"), ("seed", -1), ("gap", -1)],
)
def test_wrong_options_are_named(option, wrong):
    with pytest.raises(repebble.BadOption, match=option):
        repebble.plan(training_chain(3), "100%", **{option: wrong})


def test_no_plan_says_what_needs_most():
    graph = training_chain(6)
    graph["operations"][7]["name"] = "wide"
    graph["operations"][7]["workspace"] = 1000
    with pytest.raises(repebble.NoPlan, match=r"operation 7 \('wide'\) needs 13\d\d bytes") as caught:
        repebble.plan(graph, 500)
    assert caught.value.none_exists and caught.value.operation == 7 and caught.value.needed > 1000
    with pytest.raises(repebble.BadOption):
        repebble.plan(graph, 5000, threads=0)


def test_wrong_schedules_name_the_step_and_the_rule():
    graph = training_chain(3)
    steps = repebble.keep_all(graph).steps
    for wrong, step in ((steps[1:], 0), (steps + [steps[-1]], len(steps)), ([("compute", 99)], 0), (steps[:4], 4)):
        with pytest.raises(repebble.IllegalSchedule) as caught:
            repebble.replay(graph, wrong)
        assert caught.value.step == step
        assert caught.value.rule
    with pytest.raises(repebble.IllegalSchedule, match="step 0 is no .action, operation, value.: 7"):
        repebble.replay(graph, [7])


def test_other_threads_run_while_a_plan_is_made():
    ticks, stop = [0], threading.Event()

    def tick():
        while not stop.wait(0.002):
            ticks[0] += 1

    thread = threading.Thread(target=tick)
    thread.start()
    before = ticks[0]
    repebble.plan(training_chain(300), "50%", seconds=0.5)
    assert ticks[0] > before + 20
    stop.set()
    thread.join()


def test_progress_is_heard_and_its_exceptions_end_the_search():
    heard = []
    repebble.plan(wide_graph(60), "70%", seconds=0.5, progress=lambda *what: heard.append(what))
    assert heard and all(0 <= share <= 1 for share, _, _ in heard)
    graph, in_seconds = wide_graph(60), []
    for operation in graph["operations"]:
        operation["time"] /= 1000
    repebble.plan(graph, "70%", seconds=0.5, progress=lambda *what: in_seconds.append(what))
    assert any(overhead for _, overhead, _ in in_seconds)
    assert all(overhead is None or bound <= overhead < 4 for _, overhead, bound in in_seconds)  # everything takes 3.08
    heard.clear()
    repebble.find_least_budget(graph, seconds=0.5, progress=lambda *what: heard.append(what))
    assert heard

    def fail(share, overhead, lower_bound):
        raise ZeroDivisionError("enough")

    with pytest.raises(ZeroDivisionError, match="enough"):
        repebble.plan(wide_graph(60), "70%", progress=fail)


def test_an_interrupt_keeps_the_best_plan():
    def interrupt(share, overhead, lower_bound):
        if overhead is not None:
            os.kill(os.getpid(), signal.SIGINT)

    graph = wide_graph(60)
    began = time.monotonic()
    plan = repebble.plan(graph, "70%", work=10**9, progress=interrupt)
    assert plan.interrupted and time.monotonic() - began < 60
    same_cost(graph, plan)


def test_stop_keeps_the_best_plan():
    heard = []

    def progress(share, overhead, lower_bound):
        heard.append(overhead)

    graph = wide_graph(60)
    began = time.monotonic()
    plan = repebble.plan(graph, "70%", work=10**9, progress=progress, stop=lambda: heard[-1] is not None)
    assert not plan.interrupted and time.monotonic() - began < 60
    same_cost(graph, plan)
    with pytest.raises(repebble.NoPlan, match="none was found"):
        repebble.plan(wide_graph(400), "40%", work=10**9, stop=lambda: True)


def test_an_interrupt_of_a_curve_keeps_its_plans():
    graph = wide_graph(60)
    began = time.monotonic()

    def interrupt(share, overhead, lower_bound):
        if time.monotonic() - began > 0.3:
            os.kill(os.getpid(), signal.SIGINT)

    curve = repebble.plan(graph, ["70%", "80%", "100%"], work=10**9, progress=interrupt)
    assert any(curve)
    for plan in filter(None, curve):
        assert plan.interrupted
        same_cost(graph, plan)


def test_an_interrupt_while_it_is_looked_for_what_would_fit_is_raised():
    graph = wide_graph(400)
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        while True:
            try:
                repebble.plan(graph, 1)
            except repebble.NoPlan:
                pass


def test_an_interrupt_without_a_plan_is_raised():
    def interrupt(share, overhead, lower_bound):
        assert overhead is None
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        repebble.plan(wide_graph(400), "40%", work=10**9, progress=interrupt)


def test_the_package_imports_nothing_heavy():
    code = "import sys, repebble; assert not {'torch', 'numpy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(("page", "least"), [("README.md", 3), ("../tutorials/algorithm.md", 1)])
def test_the_programs_of_the_page_print_what_the_page_says(page, least):
    text = pathlib.Path(__file__).parents[1].joinpath(page).read_text(encoding="utf-8")
    programs = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```", text, re.DOTALL)
    assert len(programs) >= least
    together = "print('cut')\n".join(program for program, _ in programs)
    done = subprocess.run([sys.executable, "-c", together], capture_output=True, text=True, check=True)
    for printed, (_, said) in zip(done.stdout.split("cut\n"), programs):
        assert printed.strip() == said.strip()
