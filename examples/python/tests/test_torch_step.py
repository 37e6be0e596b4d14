"""Budgets of whole steps in `repebble.torch`, without torch: what does not fit takes the least, and graphs share."""

from __future__ import annotations

import dataclasses
import importlib
from typing import Any

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
    assert parts[1].keep_all(0) == planning.plan_joint(parts[1].joint, 0, least=True).measured.peak
    plans = steps.plan_step(parts, "60%", plan_part)
    everything = parts[0].keep_all(parts[1].keep_all(0))
    takes = max(plans[0].measured.peak, plans[0].measured.kept + plans[1].measured.peak)
    assert takes <= 0.6 * everything and plans[0].measured.recomputed and not plans[1].measured.recomputed


def test_graphs_of_a_step_share_its_budget() -> None:
    parts = [steps.Part(chain(10)), steps.Part(chain(14)), steps.Part(chain(8))]
    plans = steps.plan_step(parts, "70%", plan_part)
    takes = 0
    for plan in reversed(plans):
        takes = max(plan.measured.peak, plan.measured.kept + takes)
    assert takes <= plans[0].budget and all(p.measured.recomputed for p in plans[:2])
    whole = steps.plan_step(parts, "100%", plan_part)
    assert not any(p.measured.recomputed for p in whole)


def test_a_step_that_does_not_fit_names_a_budget_that_works() -> None:
    parts = [steps.Part(chain(10), fixed=50), steps.Part(chain(14), fixed=50)]
    with pytest.raises(repebble.NoPlan) as caught:
        steps.plan_step(parts, 100, plan_part)
    plans = steps.plan_step(parts, caught.value.found, plan_part)
    assert plans[0].fits and plans[0].budget + 100 == caught.value.found
    assert not steps.plan_step(parts, 100, plan_part, least=True)[0].fits


def test_ctrl_c_ends_planning(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that Ctrl-C ended returns the best so far; the user wanted it to end."""
    def interrupted(*arguments: Any, **options: Any) -> Any:
        return dataclasses.replace(repebble.plan(*arguments, **options), interrupted=True)

    with pytest.raises(KeyboardInterrupt):
        planning.plan_joint(chain(12), "60%", interrupted)


def test_bytes_between_the_passes_are_measured() -> None:
    joint = chain(3)
    measured = splitting.measure(joint, splitting.split(joint, splitting.keep_all_steps(joint)))
    assert measured.kept == 400  # three values and the tangent
