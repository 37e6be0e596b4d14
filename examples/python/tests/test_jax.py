"""repebble.jax on small functions: gradients, XLA's bytes, effects, keys, names and errors. Skips without jax."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest


def test_importing_the_door_imports_no_jax() -> None:
    code = "import sys, repebble.jax; sys.exit('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


jax = pytest.importorskip("jax", reason="jax is not installed: nothing of repebble.jax can be tested")

import jax.numpy as jnp  # noqa: E402
import repebble  # noqa: E402
import repebble.jax as budgeted  # noqa: E402
from jax.ad_checkpoint import checkpoint_name  # noqa: E402

WEIGHTS = [jax.random.normal(jax.random.key(k), (32, 32)) / 6 for k in range(6)]
X = jax.random.normal(jax.random.key(9), (256, 32))


def loss(weights: Any, x: Any) -> Any:
    """Layers whose values are all read again by their gradients."""
    for k, w in enumerate(weights):
        x = checkpoint_name(jnp.tanh(x @ w), f"layer{k}")
    return (x**2).mean()


STEP = jax.value_and_grad(loss)


def taken(function: Any, *arguments: Any) -> int:
    return int(jax.jit(function).lower(*arguments).compile().memory_analysis().temp_size_in_bytes)


def near(mine: Any, theirs: Any) -> bool:
    pairs = zip(jax.tree.leaves(mine), jax.tree.leaves(theirs))
    return all(bool(jnp.allclose(a, b, rtol=1e-4, atol=1e-6)) for a, b in pairs)


def test_xla_takes_at_most_the_budget_and_gradients_are_the_same() -> None:
    step = budgeted.plan(STEP, "70%")
    found = jax.jit(step)(WEIGHTS, X)
    (report,) = step.reports
    assert taken(step, WEIGHTS, X) == report.peak <= report.budget < report.everything
    assert report.recomputed()
    assert near(found, jax.jit(STEP)(WEIGHTS, X))
    assert "test_jax.py" in str(report)


def test_what_is_within_the_budget_is_left_as_it_is() -> None:
    step = budgeted.plan(STEP, 1 << 30)
    assert step.plan_for(WEIGHTS, X).planned is None
    assert taken(step, WEIGHTS, X) == taken(STEP, WEIGHTS, X)


def test_shapes_are_planned_once_each() -> None:
    step = budgeted.plan(STEP, 1 << 30)
    for x in (X, X, X[:10]):
        step(WEIGHTS, x)
    assert len(step.reports) == 2


def test_a_budget_that_an_error_names_works() -> None:
    with pytest.raises(repebble.NoPlan, match="one was found within") as caught:
        budgeted.plan(STEP, 1000).plan_for(WEIGHTS, X)
    assert caught.value.found is not None
    assert budgeted.plan(STEP, caught.value.found).plan_for(WEIGHTS, X).peak <= caught.value.found
    least = budgeted.plan(STEP, 1000, on_infeasible="least").plan_for(WEIGHTS, X)
    assert "more than the budget" in str(least)


def test_names_are_kept_or_run_again() -> None:
    again = budgeted.plan(STEP, "90%", recompute=["layer1", "absent"]).plan_for(WEIGHTS, X)
    assert again.missed == ["absent"]
    marked = again.traced.joint.nodes[again.traced.names["layer1"][0]].name
    assert marked in again.recomputed()
    kept = budgeted.plan(STEP, "90%", keep=["layer1"]).plan_for(WEIGHTS, X)
    assert marked not in kept.recomputed()
    assert marked in [name for name, _ in kept.kept()]


def test_random_numbers_that_run_again_are_the_same() -> None:
    def noisy(weights: Any, x: Any, key: Any) -> Any:
        for w, k in zip(weights, jax.random.split(key, len(weights))):
            x = jnp.where(jax.random.bernoulli(k, 0.8, x.shape), jnp.tanh(x @ w), 0)
        return (x**2).mean()

    step = jax.value_and_grad(noisy)
    arguments = WEIGHTS, X, jax.random.key(3)
    planned = budgeted.plan(step, "45%")
    assert near(jax.jit(planned)(*arguments), jax.jit(step)(*arguments))
    assert planned.reports[0].recomputed()


def test_effects_happen_once() -> None:
    seen: list[float] = []

    def telling(weights: Any, x: Any) -> Any:
        value = loss(weights, x)
        jax.debug.callback(lambda v: seen.append(float(v)), value)
        return value

    step = jax.jit(budgeted.plan(jax.value_and_grad(telling), "70%"))
    value, _ = step(WEIGHTS, X)
    jax.effects_barrier()
    assert seen == [float(value)]


def test_checkpoints_of_the_user_are_planned_as_all_else() -> None:
    def marked(weights: Any, x: Any) -> Any:
        return jax.checkpoint(loss)(weights, x)

    plain = budgeted.plan(STEP, 1 << 30).plan_for(WEIGHTS, X)
    inlined = budgeted.plan(jax.value_and_grad(marked), 1 << 30).plan_for(WEIGHTS, X)
    assert len(inlined.traced.equations) == len(plain.traced.equations)


def scanned(weights: Any, x: Any) -> Any:
    """The layers as one scan, which leaves something of each step beside its gradients."""

    def layer(h: Any, w: Any) -> Any:
        h = h + jnp.sin(jnp.tanh(h @ w))
        return h, h.sum()

    x, sums = jax.lax.scan(layer, x, jnp.stack(weights))
    return (x**2).mean() + sums.mean() / x.size


def test_the_body_of_a_scan_is_planned_once_for_all_steps() -> None:
    step = jax.value_and_grad(scanned)
    planned = budgeted.plan(step, "40%")
    found = jax.jit(planned)(WEIGHTS, X)
    (report,) = planned.reports
    (body,) = report.loops
    assert taken(planned, WEIGHTS, X) == report.peak <= report.budget < report.everything
    assert body.kept == X.size * 4  # the state that a step begins with
    assert len(report.recomputed()) == len(body.recomputed()) > 0
    assert report.overhead > 0
    assert f"scan of test_jax.py:{scanned.__code__.co_firstlineno + 7}" in str(report)
    assert near(found, jax.jit(step)(WEIGHTS, X))


def test_what_a_scan_leaves_for_all_else_stays() -> None:
    def tricky(weights: Any, x: Any, shift: Any) -> Any:
        def layer(carry: Any, w: Any) -> Any:
            h, count = carry
            inside = jnp.tanh(h @ w + shift)  # read by the gradients and by what follows the scan
            return (jnp.sin(inside), count + 1), (inside, w[0])

        (x, count), (insides, rows) = jax.lax.scan(layer, (x, 0), jnp.stack(weights), reverse=True)
        again, _ = jax.lax.scan(lambda h, v: (jnp.tanh(h * v), None), x, insides)
        return (again**2).mean() + insides[2].sum() * 1e-3 + rows.sum() + count, insides

    step = jax.value_and_grad(tricky, argnums=(0, 1, 2), has_aux=True)
    arguments = WEIGHTS, X, jnp.ones(32) / 9
    planned = budgeted.plan(step, "1%", on_infeasible="least")
    assert near(jax.jit(planned)(*arguments), jax.jit(step)(*arguments))
    assert planned.reports[0].loops


def test_scans_and_branches_are_one_operation_each() -> None:
    def looped(weights: Any, x: Any) -> Any:
        x = jnp.tanh(x @ weights[0])
        x, _ = jax.lax.scan(lambda h, w: (jnp.tanh(h @ w), None), x, jnp.stack(weights))
        x = jax.lax.cond(x[0, 0] > 0, jnp.sin, jnp.cos, x)
        return loss(weights, x)

    step = jax.value_and_grad(looped)
    planned = budgeted.plan(step, "90%")
    assert near(jax.jit(planned)(WEIGHTS, X), jax.jit(step)(WEIGHTS, X))


def test_results_may_be_arguments_numbers_and_views() -> None:
    def several(x: Any) -> Any:
        y = jnp.tanh(x)
        return {"same": x, "number": 3.0, "view": y.reshape(-1), "twice": (y, y), "spread": jnp.broadcast_to(y.sum(), (4,))}

    planned = budgeted.plan(several, 0, on_infeasible="least")
    assert near(planned(X), several(X))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"times": "b200"}, "times are those of a device"),
        ({"on_infeasible": "never"}, "on_infeasible is raise or least"),
        ({"keep": "layer1"}, "keep is a list of names"),
        ({"link": "pcie4"}, "takes no link"),
        ({"sekonds": 1}, "plan has no option 'sekonds'"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(repebble.Error, match=message):
        budgeted.plan(STEP, "60%", **options)
