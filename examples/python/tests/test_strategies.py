"""Strategies by name, and the constants of the planner."""

import pytest
import repebble


def training_step(layers=12, size=100):
    """A chain of operations and their gradients, which read what the operations read."""
    values = [{"size": size + i % 7} for i in range(2 * layers)]
    forward = [{"time": 1 + i % 5, "reads": [i - 1] if i else [], "writes": [i], "pass": "forward"}
               for i in range(layers)]  # fmt: skip
    backward = [{"time": 1, "reads": [layers - 1 - k] + ([layers + k - 1] if k else []), "writes": [layers + k],
                 "pass": "backward"} for k in range(layers)]  # fmt: skip
    return {"values": values, "operations": forward + backward}


def without_passes(graph):
    rows = [{field: given for field, given in o.items() if field != "pass"} for o in graph["operations"]]
    return {**graph, "operations": rows}


NAMES = [s.name for s in repebble.strategies()]


def test_the_automatic_planner_is_the_last_strategy():
    assert NAMES[0] == "keep_all" and NAMES[-1] == "automatic" and "save_set" in NAMES
    assert all(repebble.find_strategy(s.name) == s and s.summary for s in repebble.strategies())


@pytest.mark.parametrize("name", NAMES)
def test_a_strategy_has_a_legal_plan(name):
    graph, strategy = training_step(), repebble.find_strategy(name)
    plan = strategy(graph, "80%")
    cost = repebble.replay(graph, plan.steps)
    assert (cost.peak, cost.time, cost.overhead) == (plan.peak, plan.time, plan.overhead)
    assert plan.strategy == name and plan.keep_all_peak == repebble.keep_all(graph).peak
    assert not strategy.takes_budget or plan.peak <= 0.8 * plan.keep_all_peak
    assert strategy(graph).peak <= plan.peak


@pytest.mark.parametrize("name", NAMES)
def test_strategies_that_need_gradients_say_so_where_there_are_none(name):
    graph, strategy = without_passes(training_step()), repebble.find_strategy(name)
    if not strategy.needs_gradients:
        assert strategy(graph, "100%").steps
        return
    with pytest.raises(repebble.BadGraph, match=f"{name} .* 'pass'"):
        strategy(graph, "100%")


def test_a_strategy_without_a_plan_raises_and_the_nearest_is_above_the_budget():
    graph, save_set = training_step(), repebble.find_strategy("save_set")
    with pytest.raises(repebble.NoPlan, match=r"save_set has no plan within 20 bytes, but one of \d+; op") as caught:
        save_set(graph, 20)
    assert caught.value.none_exists and caught.value.needed == repebble.find_memory_floor(graph).size
    assert save_set(graph, 20, nearest=True).peak == caught.value.found > 20
    assert save_set(graph, caught.value.found).peak <= caught.value.found
    assert save_set(graph, "100%", goal="memory").peak < save_set(graph, "100%").peak
    with pytest.raises(repebble.NoPlan) as caught:
        save_set(graph, repebble.find_memory_floor(graph).size)
    assert not caught.value.none_exists  # by another strategy there may be one


def test_options_of_single_strategies_are_heeded():
    graph = training_step()
    one, three = (repebble.find_strategy("segment_recursive")(graph, kept=kept) for kept in (1, 3))
    assert one.peak < three.peak and one.overhead > three.overhead
    lower_sets = repebble.find_strategy("lower_set_exact")
    found = []
    for judge in ("replayed", "formula"):
        with pytest.raises(repebble.NoPlan) as caught:
            lower_sets(graph, 400, judge=judge)
        found.append(caught.value.found)
    assert found[0] > 400 and found[1] is None  # the nearest is looked for by replay only
    with pytest.raises(repebble.BadWeight, match="epsilon is a share of the forward time"):
        lower_sets(graph, "80%", epsilon=2)
    graph["values"].append({"size": 500})
    graph["operations"][3]["reads"].append(len(graph["values"]) - 1)
    assert lower_sets(graph, inputs=True).peak == lower_sets(graph).peak + 500


@pytest.mark.parametrize("name", [s.name for s in repebble.strategies() if s.takes_budget])
def test_a_plan_within_the_budget_does_not_depend_on_nearest(name):
    graph, strategy = training_step(), repebble.find_strategy(name)
    for share in range(20, 101, 10):
        budget = f"{share}%"
        nearest = strategy(graph, budget, nearest=True) if name != "automatic" else None
        try:
            plan = strategy(graph, budget)
        except repebble.NoPlan as none:
            assert nearest is None or nearest.peak * 100 > share * nearest.keep_all_peak
            assert none.found is None or strategy(graph, none.found).peak <= none.found
            continue
        assert plan.peak * 100 <= share * plan.keep_all_peak and nearest in (None, plan)


def test_wrong_names_and_options_of_strategies_are_named():
    with pytest.raises(repebble.BadOption, match="save_sets.*save_set, "):
        repebble.find_strategy("save_sets")
    for wrong in ({"goal": "space"}, {"judge": "me"}, {"threads": -1}, {"work": -1}):
        with pytest.raises(repebble.BadOption, match=next(iter(wrong))):
            repebble.find_strategy("lower_set_exact")(training_step(), "80%", **wrong)


def test_progress_of_a_strategy_may_end_it():
    def fail(share):
        assert 0 <= share <= 1
        raise ZeroDivisionError("enough")

    with pytest.raises(ZeroDivisionError):
        repebble.find_strategy("automatic")(training_step(200), "30%", work=10**9, progress=fail)


def test_constants_of_the_planner_have_a_range_with_their_default():
    names = [c.name for c in repebble.effort_constants]
    assert len(set(names)) == len(names) > 100
    for constant in repebble.effort_constants:
        assert constant.least <= constant.usual <= constant.most and constant.sentence
        assert constant.is_whole == isinstance(constant.usual, int)


def test_a_constant_changes_the_search_and_its_default_does_not():
    graph = training_step(30)
    plan = repebble.plan(graph, "40%")
    usual = {c.name: c.usual for c in repebble.effort_constants}
    assert repebble.plan(graph, "40%", effort=usual) == plan
    little = repebble.plan(graph, "40%", effort={"moves_per_operation": 1, "least_moves": 1})
    assert little.peak <= 0.4 * little.keep_all_peak and little.overhead >= plan.overhead


@pytest.mark.parametrize(
    "effort, message",
    [
        ({"childs": 8}, "no constant childs; the nearest is children"),
        ({"children": 0}, "children is 0, not a whole number from 1 to 1000"),
        ({"children": 2.5}, "children is 2.5, not a whole number"),
        ({"first_share": float("nan")}, "first_share"),
        ({"children": "many"}, "children is no number: 'many'"),
        ({"children": None}, "children is no number: None"),
        (8, "no mapping"),
    ],
)
def test_wrong_constants_are_named(effort, message):
    for call in (lambda: repebble.plan(training_step(), "50%", effort=effort),
                 lambda: repebble.find_least_budget(training_step(), effort=effort)):  # fmt: skip
        with pytest.raises(repebble.BadOption, match=message):
            call()
