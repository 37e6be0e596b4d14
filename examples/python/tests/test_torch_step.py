"""Budgets of whole steps in `repebble.torch`, without torch: what does not fit takes the least, and graphs share."""

from __future__ import annotations

import dataclasses
import importlib
from typing import Any

import byte_counter
import pytest
from test_torch_split import NATIVE, joints, planning, splitting

pytestmark = pytest.mark.skipif(not NATIVE, reason="the native part is not installed")

if NATIVE:
    import repebble

steps = importlib.import_module("repebble.torch._step")


def chain(count: int, size: int = 100, end: int | None = None) -> Any:
    """A chain of operations with its gradients: each reads one value, which its gradient reads again.

    end: bytes of the last value, which is the result, and of the tangent.
    """
    node = joints.Node
    tangent = count + 1  # tensors: 0 the input, 1 to count the values, the tangent, the gradients
    forward = [node(f"f{k}", (k,), (k + 1,), 1.0) for k in range(count)]
    backward = [
        node(f"b{k}", (tangent + k, count - k), (tangent + k + 1,), 1.0, backward=True) for k in range(count)
    ]
    sizes = [size] * (2 * count + 2)
    sizes[count] = sizes[tangent] = end or size
    last = 2 * count + 1
    return joints.Joint(
        [*forward, *backward], list(range(last + 1)), sizes, [0], [tangent], [count], [-1], [last], []
    )


def plan_part(part: Any, limit: int) -> Any:
    return planning.plan_joint(part.joint, limit, least=True)


def test_a_budget_that_nothing_fits_names_one_that_works() -> None:
    joint = chain(12)
    with pytest.raises(repebble.NoPlan, match="a plan was found within") as caught:
        planning.plan_joint(joint, "5%")
    assert caught.value.needed <= caught.value.found
    again = planning.plan_joint(joint, caught.value.found)
    assert again.fits and again.measured.peak <= caught.value.found


def test_the_budget_that_is_named_counts_what_is_fixed() -> None:
    with pytest.raises(repebble.NoPlan) as caught:
        planning.plan_joint(chain(12), 1000, fixed=900)
    assert planning.plan_joint(chain(12), caught.value.found, fixed=900).fits
    assert caught.value.needed > 900


def test_where_nothing_fits_the_least_may_be_taken() -> None:
    least = planning.plan_joint(chain(12), 0, least=True)
    assert not least.fits and least.strategy == "least"
    assert least.measured.peak < least.keep_all.peak / 2


def test_bytes_that_others_need_while_a_graph_waits_are_in_its_peak() -> None:
    joint = chain(12)
    alone = planning.plan_joint(joint, "60%")
    joint.between = 400
    beside = planning.plan_joint(joint, alone.budget)
    assert beside.fits and beside.measured.kept + 400 <= beside.budget
    assert beside.measured.overhead >= alone.measured.overhead


def test_a_graph_that_has_nothing_to_give_gives_nothing() -> None:
    """A loss of one operation needs all of its bytes; the network before it makes room."""
    parts = [steps.Part(chain(16)), steps.Part(chain(1, end=700))]
    step = steps.plan_step(parts, "60%", plan_part)
    first, last = (p.measured for p in step.plans)
    assert step.takes == max(first.peak, first.kept + last.peak) <= step.budget == int(0.6 * step.everything)
    assert last.peak == step.plans[1].keep_all.peak and first.recomputed and not last.recomputed


def test_graphs_of_a_step_share_its_budget() -> None:
    parts = [steps.Part(chain(10)), steps.Part(chain(14)), steps.Part(chain(8))]
    step = steps.plan_step(parts, "70%", plan_part)
    takes = 0
    for plan in reversed(step.plans):
        takes = max(plan.measured.peak, plan.measured.kept + takes)
    assert takes == step.takes <= step.budget and all(p.measured.recomputed for p in step.plans[:2])
    whole = steps.plan_step(parts, "100%", plan_part)
    assert not any(p.measured.recomputed for p in whole.plans)


def test_passes_in_flight_keep_what_they_keep_several_times() -> None:
    alone = steps.plan_step([steps.Part(chain(10))], "70%", plan_part)
    part = steps.Part(chain(10), passes=8)
    step = steps.plan_step([part], "70%", plan_part)
    kept = step.plans[0].measured.kept
    assert 7 * kept < step.takes <= step.budget and step.everything > 7 * alone.plans[0].keep_all.kept
    both = steps.plan_step([steps.Part(chain(10)), part, steps.Part(chain(1, end=300))], "60%", plan_part)
    assert both.fits and both.plans[1].measured.recomputed


def test_a_step_that_does_not_fit_names_a_budget_that_works() -> None:
    parts = [steps.Part(chain(10), fixed=50), steps.Part(chain(14), fixed=50, passes=3)]
    with pytest.raises(repebble.NoPlan) as caught:
        steps.plan_step(parts, 100, plan_part)
    step = steps.plan_step(parts, caught.value.found, plan_part)
    assert step.fits and step.budget == caught.value.found
    assert not steps.plan_step(parts, 100, plan_part, least=True).fits


def test_ctrl_c_ends_planning(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that Ctrl-C ended returns the best so far; the user wanted it to end."""
    def interrupted(*arguments: Any, **options: Any) -> Any:
        return dataclasses.replace(repebble.plan(*arguments, **options), interrupted=True)

    with pytest.raises(KeyboardInterrupt):
        planning.plan_joint(chain(12), "60%", interrupted)


def test_bytes_between_the_passes_are_measured() -> None:
    joint = chain(3)
    measured = splitting.measure(joint, splitting.split(joint, splitting.keep_all_steps(joint)))
    assert measured.kept == 300  # three values; the tangent comes later


@pytest.mark.parametrize(("counted", "peak"), [(False, 600), (True, 900)])
def test_gradients_that_count_stay_to_the_end(counted: bool, peak: int) -> None:
    """The first is made long before the last, which is the largest."""
    joint = chain(4)
    joint.sizes[-1], joint.gradients = 400, [joint.tangents[0] + 1, joint.gradients[-1]]
    joint = dataclasses.replace(joint, count_gradients=counted)
    program = splitting.split(joint, splitting.keep_all_steps(joint))
    measured = splitting.measure(joint, program)
    assert measured.peak == byte_counter.ByteCounter(joint, program).run().peak == peak


def test_only_a_plan_of_the_budget_itself_is_of_the_least_time() -> None:
    """A copy of an input that is written over does not fit beside the first plan: less is asked for."""
    joint = chain(6)
    joint.mutated = [0]
    asked: list[int] = []

    def planner(graph: Any, budget: int, **options: Any) -> Any:
        asked.append(budget)
        return repebble.plan(graph, budget, **options)

    planned = planning.plan_joint(joint, 600, planner)
    assert asked == [600, 500] and planned.fits and not planned.time_least
    bounds = [repebble.plan(joint.graph(), budget).lower_bound for budget in asked]
    assert planned.lower_bound == bounds[0] < bounds[1]  # of the budget itself, too
    with pytest.raises(repebble.NoPlan, match="none was found") as caught:
        planning.plan_joint(joint, 500)
    assert not caught.value.none_exists  # of 400 none exists
    joint.mutated, asked[:] = [], []
    assert planning.plan_joint(joint, 500, planner).time_least and asked == [500]


def no_planner(*_: Any, **more: Any) -> Any:
    raise AssertionError("no plan is made")


def test_shares_are_of_what_is_fixed_too_and_of_what_a_compiler_takes_by_default() -> None:
    joint = chain(12)
    everything = planning.plan_joint(joint, "100%", no_planner).keep_all.peak
    assert planning.plan_joint(joint, "60%", fixed=900).budget == (everything + 900) * 6 // 10 - 900
    default = planning.plan_joint(joint, "100%", no_planner, default_peak=5000)
    assert (default.strategy, default.budget, default.keep_all.peak, default.overhead) == ("default", 5000, 5000, 0)
    planned = planning.plan_joint(joint, "60%")
    assert planned.overhead == planned.measured.overhead / 24  # operations, of one time unit each


def test_the_least_is_taken_at_once_where_it_must_be_quick() -> None:
    quick = planning.plan_joint(chain(12), "60%", no_planner, quick=True)
    assert quick.fits and quick.strategy == "least"


def test_over_a_link_times_are_those_of_the_plan() -> None:
    found: list[Any] = []

    def planner(*arguments: Any, **options: Any) -> Any:
        found.append(repebble.plan(*arguments, **options))
        return found[-1]

    planned = planning.plan_joint(chain(12), "40%", planner, link="50GB/s", time_unit="ns", work=500)
    assert found[-1].stalls.for_data > 0
    assert (planned.measured.time, planned.measured.overhead) == (found[-1].time, found[-1].overhead)


def test_what_a_compiler_saves_is_used_by_the_next_plan() -> None:
    joint = chain(12)
    asked: list[int] = []
    overheads: list[float] = []

    def planner(graph: Any, budget: int, **options: Any) -> Any:
        found = repebble.plan(graph, budget, **options)
        asked.append(budget)
        overheads.append(found.overhead)
        return found

    def compiled_peak(program: Any) -> int:
        return int(splitting.measure(joint, program).peak) * 3 // 4

    planned = planning.plan_joint(joint, 700, planner, compiled_peak=compiled_peak)
    assert planned.fits and len(asked) > 1 and asked[0] == 700 < asked[1]
    assert planned.measured.overhead < overheads[0]
    assert planned.lower_bound is None and not planned.time_least  # the compiler has changed the program


def test_a_part_counts_gradients_that_stay_and_what_waits_once() -> None:
    joint = dataclasses.replace(chain(4), count_gradients=True)
    assert steps.Part(chain(4)).gradient_bytes() == 0
    assert steps.Part(joint).gradient_bytes() == 100
    assert steps.Part(joint, handed=joint.gradients).gradient_bytes() == 0
    program = splitting.split(joint, splitting.keep_all_steps(joint))
    alone = steps.Part(joint).takes(program, 0)
    joint.between = 10**6
    assert steps.Part(joint).takes(program, 0) == alone


def test_a_step_counts_what_is_fixed_and_gradients_of_the_graphs_behind() -> None:
    fixed = steps.plan_step([steps.Part(chain(10), fixed=500)], "70%", plan_part)
    assert fixed.everything == steps.Part(chain(10)).keep_all() + 500 and fixed.budget == fixed.everything * 7 // 10

    def both(count: bool) -> Any:
        parts = [steps.Part(dataclasses.replace(chain(6), count_gradients=count)) for _ in range(2)]
        return steps.plan_step(parts, 10**6, plan_part)

    counted, free = both(True), both(False)
    outer, inner = (p.measured for p in counted.plans)
    assert counted.takes == max(outer.peak, outer.kept + max(inner.peak, inner.kept)) + 100 > free.takes
    joint = chain(3)
    steps.plan_step([steps.Part(chain(3)), steps.Part(joint, handed=joint.gradients)], "100%", plan_part)
    assert joint.handed == joint.gradients and joint.size(joint.storage_of[joint.gradients[-1]]) == 100


def test_room_is_made_for_gradients_of_the_graphs_behind() -> None:
    outer_and_inner = [dataclasses.replace(chain(8), count_gradients=True) for _ in range(2)]
    for joint in outer_and_inner:
        joint.sizes[-1] = 400
    assert steps.plan_step([steps.Part(joint) for joint in outer_and_inner], "70%", plan_part).fits


def test_first_runs_with_random_numbers_are_in_order_and_kept_gathers_do_not_run_again() -> None:
    joint = chain(3)
    joint.nodes[:2] = [dataclasses.replace(node, kind="random") for node in joint.nodes[:2]]
    names = [operation["name"] for operation in joint.graph()["operations"]]
    afters = {operation["name"]: operation["after"] for operation in joint.graph()["operations"]}
    assert (afters["f0 state"], afters["f1 state"]) == ([], [names.index("f0")])
    joint = chain(3)
    joint.nodes[0] = dataclasses.replace(joint.nodes[0], kind="gather")
    assert (joint.gathers(), joint.gathers(joint.values_of({"f0"}))) == ([0], [])


def test_a_gradient_that_is_a_result_counts_and_what_is_written_back_is_made_once() -> None:
    joint = chain(3)
    assert joint.size(joint.storage_of[joint.gradients[0]]) == 0
    joint = dataclasses.replace(joint, results=[*joint.results, *joint.gradients])
    assert joint.size(joint.storage_of[joint.gradients[0]]) == 100
    joint = dataclasses.replace(chain(3), results=[-1], updates=[2])
    assert len(joint.values_of({"f0", "f1"})) == 2 and len(joint.values_of({"f0", "f1"}, again=True)) == 1
    joint.nodes[0] = dataclasses.replace(joint.nodes[0], kind="ordered")
    assert joint.values_of({"f0"}, again=True) == [] != joint.values_of({"f0"})


def test_tangents_are_what_the_graph_after_it_hands_over() -> None:
    """They are counted once: with the graph that makes them, which needs no more beside them."""
    joint = chain(1, end=700)
    joint.hand([joint.gradients[-1]])
    assert joint.size(joint.storage_of[joint.gradients[-1]]) == 100
    outer = chain(4)
    outer.between = 350
    measured = splitting.measure(outer, splitting.split(outer, splitting.keep_all_steps(outer)))
    assert measured.kept == 400 and measured.peak == 400 + 350


def test_values_are_found_by_the_names_of_their_nodes() -> None:
    joint = chain(3)
    names = [joint.nodes[joint.owner[s]].name if joint.owner[s] >= 0 else "" for s in joint.values()]
    found = joint.values_of({"f0", "f2", "b1"})
    assert [names[v] for v in found] == ["f0", "f2"]
    assert [names[v] for v in joint.values_of({"f0", "f2"}, again=True)] == ["f0"]  # the result is made once


def test_what_must_run_again_does_so_within_any_budget() -> None:
    joint = chain(6)
    planned = planning.plan_joint(joint, "100%", must_recompute=joint.values_of({"f2"}, again=True))
    again = {joint.nodes[c.node].name for c in planned.program.calls if c.node >= 0 and c.run}
    assert again == {"f2"}
