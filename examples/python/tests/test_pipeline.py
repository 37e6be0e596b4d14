"""Pipelines from mappings, from JSON and from graphs."""

import json

import pytest
import repebble

STAGE = {
    "forward": 10, "input_gradient": 10, "weight_gradient": 10, "count": 8,
    "choices": [{"kept": 6, "for_weights": 6}, {"recomputation": 4, "kept": 3, "in_backward": 6, "for_weights": 6}],
}  # fmt: skip
PIPELINE = {"ranks": 4, "microbatches": 16, "placement": "v", "stages": [STAGE]}

SMALL = repebble.make_training_graph(
    {"values": [{"size": 8}], "operations": [{"time": 1, "reads": [], "writes": [0]}]}
)


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


PLAIN = {"forward": 4, "input_gradient": 3, "choices": [{"kept": 10}]}


def plan_of(*stages, budget="100%", order=None, **more):
    """A plan of two microbatches on two ranks."""
    pipeline = {"ranks": 2, "microbatches": 2, "stages": stages, **more}
    return repebble.plan_pipeline(pipeline, budget, order=order, work=20)


@pytest.mark.parametrize(
    "change, makespan, peak, budget",
    [
        ({}, 21, 20, 20),
        ({"transfer": 5}, 31, 20, 20),
        ({"constant": 7}, 21, 27, 27),
        ({"weight_gradient": 0, "choices": [{"kept": 20}]}, 21, 40, 40),
        ({"choices": [{"kept": 10, "in_forward": 20, "in_backward": 11}]}, 21, 30, 30),
        ({"choices": [{"kept": 10, "in_forward": 11, "in_backward": 30}]}, 21, 40, 40),
        ({"choices": [{"kept": 10, "recomputation": 9}]}, 32, 10, 20),
    ],
)
def test_times_and_bytes_of_a_stage_count(change, makespan, peak, budget):
    plan = plan_of({**PLAIN, **change}, PLAIN)
    assert (plan.makespan, plan.peaks, plan.budgets) == (makespan, [peak, 10], [budget, 20])


def test_stages_lie_on_their_ranks_and_those_that_do_not_say_theirs_by_placement():
    def stages_of(*stages, **more):
        return [sorted({p.stage for p in passes}) for passes in plan_of(*stages, **more).orders]

    assert stages_of({**PLAIN, "rank": 1}, {**PLAIN, "rank": 0}) == [[1], [0]]
    four = {**PLAIN, "count": 4}
    assert stages_of(four) == stages_of(four, placement="loop") == [[0, 2], [1, 3]]
    assert stages_of(four, placement="v") == [[0, 3], [1, 2]]


def test_an_order_by_its_name_is_taken_in_place_of_those_given():
    given = plan_of(PLAIN, PLAIN).orders
    made_by = {"1F1B": "1F1B", "zero_bubble": "zero bubble", "one_at_a_time": "one at a time", "found": "found"}
    assert {order: plan_of(PLAIN, PLAIN, order=order, orders=given).made_by for order in made_by} == made_by
    assert plan_of({**PLAIN, "forward": 0, "input_gradient": 0}, {**PLAIN, "forward": 0, "input_gradient": 0}).gap == 0
    for wrong in ({"seed": -1}, {"order": "2F2B"}):
        with pytest.raises(repebble.BadOption, match=next(iter(wrong))):
            repebble.plan_pipeline(PIPELINE, 24, **wrong)


@pytest.mark.parametrize("share, inputs, weights", [(None, 80, 80), (0, 160, 0), (1, 0, 160)])
def test_gradients_of_weights_take_their_share_of_the_backward_passes(share, inputs, weights):
    rows = [{"time": 10, "reads": [i - 1] if i else [], "writes": [i]} for i in range(2)]
    graph = repebble.make_training_graph({"values": [{"size": 8}, {"size": 8}], "operations": rows})
    plan = plan_of({"graph": graph, "count": 2}, **({} if share is None else {"weight_share": share}))
    spent = {"forward": 0, "input_gradient": 0, "weight_gradient": 0, "backward": 0}
    for passes, spans in zip(plan.orders, plan.spans):
        for one, (begin, end) in zip(passes, spans):
            spent[one.kind] += end - begin
    assert spent["forward"] == 80 and spent["weight_gradient"] == weights
    assert spent["input_gradient"] + spent["backward"] == inputs


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
        ({"time_unit": "h"}, "time_unit is none of s, ms, us, ns: 'h'"),
        ({"weight_share": 1.5}, "weight_share is not from 0 to 1"),
        ({"stages": [{"graph": SMALL}], "time_unit": "ms"}, "has times in theirs, not in ms"),
        ({"stages": [{"graph": SMALL}, {**STAGE, "forward": 0.5}]}, "has times in whole numbers"),
        ({"stages": [{"graph": SMALL, "forward": 1}]}, r"stages\[0\] has a graph, which says its times"),
        ({"stages": [{**STAGE, "count": 0}]}, r"stages\[0\]: count is 0"),
        ({"stages": [{**STAGE, "count": 10**6 + 1}]}, "at most 1000000 stages"),
        ({"orders": [[("forward", 2**32, 0)]]}, r"orders\[0\]\[0\] has a number above 4294967295"),
        ({"orders": [[("ahead", 0, 0)]]}, r"orders\[0\]\[0\]"),
        ({"orders": [[("forward", 0, 0)]]}, "1 lists of passes for 4 ranks"),
    ],
)
def test_what_cannot_be_is_refused(change, message):
    with pytest.raises(repebble.Error, match=message):
        repebble.plan_pipeline({**PIPELINE, **change}, 24)
