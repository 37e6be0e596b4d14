"""Pipelines from mappings, from JSON and from graphs."""

import json

import pytest
import repebble

STAGE = {
    "forward": 10, "input_gradient": 10, "weight_gradient": 10, "count": 8,
    "choices": [{"kept": 6, "for_weights": 6}, {"recomputation": 4, "kept": 3, "in_backward": 6, "for_weights": 6}],
}  # fmt: skip
PIPELINE = {"ranks": 4, "microbatches": 16, "placement": "v", "stages": [STAGE]}


def test_the_plan_of_the_page_of_the_component():
    plan = repebble.plan_pipeline(PIPELINE, 24, work=100)
    assert (plan.made_by, plan.makespan, plan.budgets) == ("V-shaped", 1070, [24] * 4)
    assert plan.lower_bound <= plan.order_bound <= plan.makespan and plan.gap == plan.makespan / plan.lower_bound - 1
    assert all(plan.least[r] <= plan.peaks[r] <= 24 for r in range(4))
    assert repebble.plan_pipeline(json.dumps(PIPELINE), "24", work=100) == plan
    assert len(plan.choices) == len(plan.kept) == 8 and {k for of in plan.kept for k in of} <= {3, 6}
    begins = {p: span for order, spans in zip(plan.orders, plan.spans) for p, span in zip(order, spans)}
    assert max(end for _, end in begins.values()) == 1070
    first, second = (begins["forward", s, 0] for s in (0, 1))
    assert first == (0, 10) and second[0] >= 10


def test_budgets_orders_and_floats():
    whole = repebble.plan_pipeline(PIPELINE, "100%", order="v_shaped")
    assert whole.budgets == [48] * 4
    least = repebble.plan_pipeline(PIPELINE, ["min", 48, 48, "48B"], work=20)
    assert least.budgets[0] == least.least[0] >= least.peaks[0]
    again = repebble.plan_pipeline({**PIPELINE, "orders": whole.orders}, 48)
    assert again.made_by == "given" and again.makespan <= whole.makespan
    halves = {**STAGE, "forward": 10.5}
    assert repebble.plan_pipeline({**PIPELINE, "stages": [halves]}, "100%", work=0).makespan % 0.5 == 0
    with pytest.raises(repebble.NoPlan, match="rank 0 needs 9 bytes and has 5") as none:
        repebble.plan_pipeline(PIPELINE, 5)
    assert none.value.none_exists and none.value.needed == 9


def test_an_order_that_needs_more_than_the_least_is_not_said_to_be_impossible():
    with pytest.raises(repebble.NoPlan, match="none was found$") as none:
        repebble.plan_pipeline(PIPELINE, "min", order="1F1B")
    assert (none.value.none_exists, none.value.needed) == (False, 0)


def test_stages_that_are_graphs():
    forward = {
        "values": [{"size": 8} for _ in range(4)],
        "operations": [{"time": 9 if i % 2 else 1, "reads": [i - 1] if i else [], "writes": [i]} for i in range(4)],
    }
    graph = repebble.make_training_graph(forward)
    pipeline = {"ranks": 2, "microbatches": 4, "stages": [{"graph": graph, "count": 2}], "weight_share": 0}
    plan = repebble.plan_pipeline(pipeline, "100%", work=10)
    assert plan.spans[0][0] == (0, 20)
    assert repebble.plan_pipeline(pipeline, "min", work=10).kept != plan.kept


@pytest.mark.parametrize(
    "change, message",
    [
        ({"ranks": None}, "no 'ranks'"),
        ({"ranks": 0}, "at least one rank"),
        ({"placement": "w"}, "placement"),
        ({"microbatch": 3}, "is 'microbatches' meant"),
        ({"stages": [{**STAGE, "transfers": 1}]}, "is 'transfer' meant"),
        ({"stages": [{**STAGE, "forward": None}]}, r"stages\[0\] needs"),
        ({"stages": [{**STAGE, "rank": 9}]}, "stage 0 lies on rank 9 of 4"),
        ({"stages": [{**STAGE, "choices": [{"kept": 6}]}]}, "'for_weights'"),
        ({"stages": [{**STAGE, "choices": []}]}, "stage 0 has no choice"),
        ({"orders": [[("ahead", 0, 0)]]}, r"orders\[0\]\[0\]"),
        ({"orders": [[("forward", 0, 0)]]}, "1 lists of passes for 4 ranks"),
    ],
)
def test_what_cannot_be_is_refused(change, message):
    with pytest.raises(repebble.Error, match=message):
        repebble.plan_pipeline({**PIPELINE, **change}, 24)
