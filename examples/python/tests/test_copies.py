"""Plans that copy to the host, and plans with values that must be kept or recomputed."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
import repebble

MB = 1_000_000


def chain(layers: int = 8, time: Any = 1) -> dict[str, Any]:
    """A training step of equal layers: a time unit and a megabyte each."""
    operations = [{"time": time, "reads": [i - 1] if i else [], "writes": [i]} for i in range(layers)]
    return repebble.make_training_graph({"values": [{"size": MB, "name": f"x{i}"} for i in range(layers)],
                                         "operations": operations})  # fmt: skip


def figures(of: Any) -> tuple[Any, ...]:
    return of.peak, of.time, of.overhead, of.host_peak, of.bytes_out, of.bytes_in, of.stalls


def runs(plan: repebble.Plan, operation: int) -> int:
    return [step.operation for step in plan.steps].count(operation)


def test_over_a_link_values_are_copied_and_the_replay_agrees() -> None:
    graph = chain()
    plan = repebble.plan(graph, "60%", link="1GB/s", time_unit="ms")
    assert plan.overhead == 0 and plan.time_least and repebble.plan(graph, "60%").overhead > 0
    actions = [step.action for step in plan.steps]
    assert {"offload", "prefetch", "discard_host"} >= set(actions) - {"compute", "discard"}
    assert actions.count("offload") == plan.bytes_out // MB > 0 and actions.count("prefetch") == plan.bytes_in // MB > 0
    assert 0 < plan.host_peak <= plan.bytes_out
    assert all((step.operation is None) == (step.value is not None) for step in plan.steps)
    assert figures(repebble.replay(graph, plan.steps, link="1GB/s", time_unit="ms")) == figures(plan)
    slower = repebble.replay(graph, plan.steps, link="100MB/s", time_unit="ms")
    assert slower.time > plan.time and slower.peak == plan.peak and slower.stalls.for_data > 0
    assert repebble.replay(graph, plan.steps).time == plan.time


def test_a_link_is_a_text_a_name_or_a_mapping() -> None:
    graph = chain()
    by_parts = {"bandwidth": "2GB/s", "latency": "5us", "half_duplex": True}
    plans = [repebble.plan(graph, "60%", link=link, time_unit="ms", work=2000)
             for link in ("2GB/s,5us,half-duplex", by_parts)]  # fmt: skip
    assert plans[0] == plans[1]
    named, said = (repebble.plan(graph, "60%", link=link, time_unit="ms", work=2000) for link in ("pcie4", "25GB/s"))
    assert named == said


@pytest.mark.parametrize(("unit", "time"), [("ns", 1_000_000), ("us", 1000), ("us", 1000.5), ("ms", 1), ("ms", math.pi),
                                            ("s", 0.001)])  # fmt: skip
def test_copies_take_their_time_in_any_unit(unit: str, time: Any) -> None:
    graph = chain(2, time)
    steps = [("compute", 0), ("offload", None, 0), ("discard", None, 0), ("prefetch", None, 0)]
    steps += [("compute", 1), *(("compute", i) for i in range(2, len(graph["operations"])))]
    cost = repebble.replay(graph, steps, link="1GB/s,500us", time_unit=unit)
    in_ms = {"ns": 1e6, "us": 1e3, "ms": 1, "s": 1e-3}[unit]
    assert cost.stalls.for_data == pytest.approx(3 * in_ms)
    assert cost.time == pytest.approx(6 * time + 3 * in_ms)
    held = repebble.Graph(graph)
    assert repebble.replay(held, steps).time == pytest.approx(6 * time)
    assert repebble.replay(held, steps, link="1GB/s,500us", time_unit=unit) == cost  # in finer units than without


def test_copies_take_whole_units_and_one_direction_at_a_time_on_request() -> None:
    first, second = ({"reads": [], "writes": [0]}, {"reads": [0], "writes": [1]})
    values = [{"size": 1000}, {"size": 1}]
    graph = {"values": values, "operations": [{"time": 1, **first}, {"time": 1, **second}]}
    steps = [("compute", 0), ("offload", None, 0), ("discard", None, 0), ("prefetch", None, 0), ("compute", 1)]
    assert repebble.replay(graph, steps, link="3GB/s", time_unit="ns").time == 2 + 2 * 334  # of 333.3
    assert repebble.replay(graph, steps, link="1GB/s,5ns", time_unit="ns").time == 2 + 2 * 1005
    graph["operations"] = [{"time": 1e-11 / 3, **first}, {"time": 0, **second}]
    with pytest.raises(repebble.BadWeight, match="link '1GB/s': its times do not fit in 64 bits"):
        repebble.replay(graph, steps, link="1GB/s", time_unit="s")
    steps = [("compute", 0), ("compute", 1), ("offload", None, 0), ("discard", None, 0), ("offload", None, 1),
             ("prefetch", None, 0), ("compute", 2), ("compute", 3)]  # fmt: skip
    half: list[Any] = ["500MB/s,half-duplex", {"bandwidth": "500MB/s", "half_duplex": True}]
    times = [repebble.replay(chain(2), steps, link=link, time_unit="ms").time for link in ("500MB/s", *half)]
    assert times == [7, 9, 9]  # the value comes back at 5, beside the other that leaves, or at 7


def test_the_host_holds_no_more_than_its_budget() -> None:
    graph = chain()
    for budget, most in (("2MB", 2 * MB), (0, 0)):
        plan = repebble.plan(graph, "60%", link="1GB/s", time_unit="ms", host_budget=budget)
        assert plan.host_peak <= most and plan.overhead > 0
    least = repebble.find_least_budget(graph, link="1GB/s", time_unit="ms", work=2000)
    assert least.plan is not None and least.plan.bytes_out > 0


def test_the_least_budget_heeds_the_host_and_the_policies() -> None:
    graph = chain()
    wide, narrow = (
        repebble.find_least_budget(graph, link="1GB/s", time_unit="ms", work=0, host_budget=size).plan
        for size in ("1GB", "2MB")
    )
    assert wide is not None and narrow is not None and wide.host_peak > 2 * MB >= narrow.host_peak
    kept = repebble.find_least_budget(graph, must_keep=[1, 2, 3], must_recompute=[4], work=0)
    assert kept.plan is not None and [runs(kept.plan, i) == 1 for i in (1, 2, 3, 4)] == [True, True, True, False]
    assert kept.found > repebble.find_least_budget(graph, work=0).found


def test_steps_are_tuples_or_mappings() -> None:
    steps = [{"action": "compute", "operation": 0}, {"action": "offload", "value": 0, "operation": None}]
    rest = [("discard_host", None, 0), *(("compute", i) for i in range(1, 4))]
    assert repebble.replay(chain(2), [*steps, *rest]) == repebble.replay(
        chain(2), [("compute", 0), ("offload", None, 0), *rest])  # fmt: skip
    with pytest.raises(repebble.IllegalSchedule, match="step 0: discard has an operation or a value, not both"):
        repebble.replay(chain(2), [{"action": "discard", "operation": 0, "value": 0}])


def test_inputs_that_count_may_lie_on_the_host() -> None:
    graph = {"values": [{"size": 10 * MB}, {"size": MB}, {"size": MB}, {"size": MB}],
             "operations": [{"time": 10, "reads": [0], "writes": [1]}, {"time": 10, "reads": [1], "writes": [2]},
                            {"time": 10, "reads": [0, 2], "writes": [3]}]}  # fmt: skip
    plan = repebble.plan(graph, "100%", inputs=True, link="1GB/s", time_unit="ms", work=2000)
    assert figures(repebble.replay(graph, plan.steps, inputs=True, link="1GB/s", time_unit="ms")) == figures(plan)


def test_policies_are_kept_though_there_is_memory_for_all() -> None:
    graph = chain()
    plan = repebble.plan(graph, "100%", must_recompute=[1, 4])
    assert plan.overhead == 2 and plan.time_least and plan.recomputed() == [4, 1]
    freely = repebble.plan(graph, "60%")
    again = freely.recomputed()[0]
    kept = repebble.plan(graph, "60%", must_keep={again})
    assert runs(kept, again) == 1 and kept.lower_bound >= freely.lower_bound
    curve = repebble.plan(graph, ["70%", "100%"], must_recompute=1, work=2000)
    assert all(found is not None and found.overhead >= 1 for found in curve)


def test_policies_hold_over_a_link() -> None:
    graph = chain()
    plan = repebble.plan(graph, "60%", link="1GB/s", time_unit="ms", must_keep=[3], must_recompute=[1])
    assert runs(plan, 1) >= 2 and runs(plan, 3) == 1
    assert ("prefetch", None, 3) not in plan.steps and ("offload", None, 1) not in plan.steps


@pytest.mark.parametrize("seed", range(10))
def test_random_graphs_over_random_links_replay_to_the_same(seed: int) -> None:
    r = random.Random(seed)
    values = [{"size": r.randint(1, 9) * 1000} for _ in range(10)]
    operations = [{"time": r.randint(1, 20), "reads": sorted(r.sample(range(i), min(i, 2))), "writes": [i]}
                  for i in range(10)]  # fmt: skip
    graph = {"values": values, "operations": operations}
    link = f"{r.randint(1, 9)}GB/s,{r.randint(0, 3)}us" + r.choice(["", ",half-duplex"])
    for plan in repebble.plan(graph, ["100%", "80%", "60%"], link=link, time_unit="us", work=2000):
        if plan is not None:
            assert figures(repebble.replay(graph, plan.steps, link=link, time_unit="us")) == figures(plan)
            assert plan.lower_bound <= min(plan.overhead, plan.base_order_bound)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"link": "pcie4"}, repebble.BadOption, "time_unit"),
        ({"link": "pcie4", "time_unit": "h"}, repebble.BadOption, "'h'"),
        ({"link": "fast", "time_unit": "us"}, repebble.BadWeight, "'fast' is neither"),
        ({"link": {"latency": "1us"}, "time_unit": "us"}, repebble.BadOption, "no bandwidth"),
        ({"link": {"bandwidth": 4}, "time_unit": "us"}, repebble.BadOption, "bandwidth is a text"),
        ({"link": {"bandwidth": "4GB/s", "speed": 1}, "time_unit": "us"}, repebble.BadOption, "'speed'"),
        ({"link": 4, "time_unit": "us"}, repebble.BadOption, "a text"),
        ({"host_budget": 4}, repebble.BadOption, "without a link"),
        ({"link": "pcie4", "time_unit": "us", "host_budget": "50%"}, repebble.BadWeight, "host_budget"),
        ({"link": "pcie4", "time_unit": "us", "host_budget": -1}, repebble.BadWeight, "host_budget"),
        ({"must_keep": [99]}, repebble.BadGraph, "must_keep names value 99, but there are 16 values"),
        ({"must_recompute": ["x"]}, repebble.BadGraph, "must_recompute"),
        ({"must_keep": [1], "must_recompute": [1]}, repebble.BadGraph, r"value 1 \('x1'\) must be kept and must be rec"),
        ({"must_recompute": [12]}, repebble.BadGraph, "value 12 must be recomputed, and is of the backward pass"),
    ],
)
def test_what_cannot_be_is_refused_by_name(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        repebble.plan(chain(), "100%", **options)


def test_what_must_be_recomputed_is_computed_in_a_forward_pass() -> None:
    graph: dict[str, Any] = {"values": [{"size": 1}, {"size": 1}],
                             "operations": [{"time": 1, "reads": [0], "writes": [1]}]}  # fmt: skip
    with pytest.raises(repebble.BadGraph, match="value 0 must be recomputed, and is an input"):
        repebble.plan(graph, "100%", must_recompute=[0])
    with pytest.raises(repebble.BadGraph, match="value 1 must be recomputed in the backward pass, and there is none"):
        repebble.plan(graph, "100%", must_recompute=[1])
    assert repebble.plan(graph, "100%", must_keep=[0, 1]).overhead == 0


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([("offload", None, 0)], r"step 0: value 0 \('x0'\) is copied, but was not computed"),
        ([("compute", 0), ("prefetch", None, 0)], r"step 1.*copies value 0 \('x0'\), which must lie in the pool"),
        ([("compute", 0), ("discard_host", None, 0)], r"step 1: value 0 \('x0'\) is discarded from the host"),
        ([("copy", None, 0)], "step 0: 'copy' is none of"),
        ([("offload", 0)], "step 0: offload of nothing"),
    ],
)
def test_copies_that_break_a_rule_are_named(steps: list[Any], words: str) -> None:
    with pytest.raises(repebble.IllegalSchedule, match=words):
        repebble.replay(chain(), steps)
