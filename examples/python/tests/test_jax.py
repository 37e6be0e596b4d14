"""repebble.jax on small functions: gradients, XLA's bytes, effects, keys, names and errors. Skips without jax."""

from __future__ import annotations

import functools
import re
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
from repebble.jax import _trace  # noqa: E402

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
    assert body.overhead == 6 * body.planned.measured.overhead > 0 and body.time == 6 * body.planned.keep_all.time
    assert report.time > body.time and report.overhead == body.overhead / report.time
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


def test_what_a_scan_leaves_for_its_gradients_may_be_a_result_too() -> None:
    def by_hand(weights: Any, x: Any) -> Any:
        def forward(h: Any, w: Any) -> Any:
            h = jnp.tanh(h @ w)
            return h, h

        def backward(g: Any, read: Any) -> Any:
            w, h = read
            g = g * (1 - h * h)
            return g @ w.T, h.T @ g

        x, layers = jax.lax.scan(forward, x, weights)
        return jax.lax.scan(backward, x, (weights, layers), reverse=True), layers

    arguments = jnp.stack(WEIGHTS), X
    planned = budgeted.plan(by_hand, "1%", on_infeasible="least")
    assert near(jax.jit(planned)(*arguments), jax.jit(by_hand)(*arguments))
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


LINKED: dict[str, Any] = {"link": "10GB/s", "times": (1e11, 1e10)}


@functools.cache
def linked_step() -> tuple[Any, Any]:
    """A plan that copies, and its report."""
    step = budgeted.plan(STEP, "60%", **LINKED)
    return step, step.plan_for(WEIGHTS, X)


def same_bits(mine: Any, other: Any) -> bool:
    pairs = zip(jax.tree.leaves(mine), jax.tree.leaves(other), strict=True)
    return all(bool((a == b).all()) for a, b in pairs)


def origin(equations: Any, variable: Any) -> int:
    """The equation that makes what barriers and copies hand on."""
    k, equation = next((k, e) for k, e in enumerate(equations) if variable in e.outvars)
    if equation.primitive.name not in ("optimization_barrier", "device_put"):
        return k
    return origin(equations, equation.invars[equation.outvars.index(variable)])


def planned_events(report: Any) -> list[Any]:
    """By the planner's schedule: kernels by their operation; copies, and where one to the host has ended at the latest, by
    bytes and the kernel that made what they copy."""
    joint = report.traced.fused.joint
    graph, order = joint.graph(), joint.planned()
    events: list[Any] = []
    makers: dict[int, int] = {}
    leaving: set[int] = set()
    for action, number in report.planned.steps:
        if action == "compute" and order[number] >= 0:
            makers.update((value, len(events)) for value in graph["operations"][number]["writes"])
            events.append(joint.nodes[order[number]].name.split()[0])
        elif action in ("offload", "prefetch") or action == "discard" and number in leaving:
            events.append((action, graph["values"][number]["size"], makers[number]))
            leaving ^= {number} if action != "prefetch" else set()
    return events


def written_events(equations: Any) -> list[Any]:
    """The same of a jaxpr."""
    events: list[Any] = []
    at: dict[int, int] = {}
    copied = {v for e in equations if e.primitive.name == "device_put" for v in e.invars}
    space = jax.memory.Space
    for k, equation in enumerate(equations):
        source, name, action = equation.invars[-1], equation.primitive.name, ""
        if name == "jit":
            at[k] = len(events)
            events.append(equation.params["name"])
        elif name == "device_put":
            action = {space.Host: "offload", space.Device: "prefetch"}[equation.params["devices"][0]]
        elif source.aval.memory_space is space.Host and equation.outvars[-1] not in copied:
            action = "discard"
        if action:
            events.append((action, source.aval.size * source.aval.dtype.itemsize, at[origin(equations, source)]))
    return events


def test_copies_are_those_of_the_plan_in_its_order() -> None:
    step, report = linked_step()
    written = written_events(jax.make_jaxpr(step)(WEIGHTS, X).jaxpr.eqns)
    assert written == planned_events(report)
    out = [event[1] for event in written if event[0] == "offload"]
    assert out == [size for _, size in report.offloaded()] and out
    assert [event[1] for event in written if event[0] == "prefetch"] == [size for _, size in report.prefetched()]
    assert f"offloaded: {report.offloaded()[0][0]}" in str(report)


def placements(function: Any, *arguments: Any) -> list[tuple[str, str]]:
    """Where values are to lie, and their types, in order, in what XLA gets for a card."""
    text = jax.jit(function).trace(*arguments).lower(lowering_platforms=("cuda",)).as_text()
    return re.findall(r'_xla_buffer_placement = "(\w+)".*-> tensor<(\w+)>', text)


def test_xla_is_told_of_each_copy() -> None:
    step, report = linked_step()
    kinds = {"offload": "pinned_host", "prefetch": "device"}
    copies = [event for event in planned_events(report) if event[0] in kinds]
    assert placements(step, WEIGHTS, X) == [(kinds[action], "256x32xf32") for action, _, _ in copies]
    assert all(size == X.size * 4 for _, size, _ in copies)


def test_copies_change_no_bit_and_take_the_place_of_what_runs_again() -> None:
    linked, mine = linked_step()
    plain = budgeted.plan(STEP, "60%", times=LINKED["times"])
    assert same_bits(jax.jit(linked)(WEIGHTS, X), jax.jit(plain)(WEIGHTS, X))
    (other,) = plain.reports
    assert mine.peak <= mine.budget == other.budget
    assert mine.overhead < other.overhead and not other.offloaded()


def test_beside_a_slow_link_values_are_computed_again_and_waiting_counts() -> None:
    report = budgeted.plan(STEP, "60%", link="1GB/s", times=LINKED["times"], work=20000).plan_for(WEIGHTS, X)
    nodes, calls = report.traced.fused.joint.nodes, report.planned.program.calls
    assert report.offloaded() and report.recomputed()
    assert report.overhead * report.time > sum(nodes[c.node].time for c in calls if c.run)
    assert not budgeted.plan(STEP, "60%", **LINKED, host_budget=0).plan_for(WEIGHTS, X).offloaded()


def test_keys_views_and_scans_stand_beside_copies() -> None:
    def mixed(weights: Any, x: Any, key: Any) -> Any:
        for w, k in zip(weights, jax.random.split(key, len(weights))):
            x = jnp.where(jax.random.bernoulli(k, 0.8, x.shape), jnp.tanh(x @ w), 0).reshape(32, -1).reshape(-1, 32)
        return scanned(weights, x)

    step, arguments = jax.value_and_grad(mixed), (WEIGHTS[:3], X, jax.random.key(3))
    planned = budgeted.plan(step, "30%", on_infeasible="least", work=2000, **LINKED)
    assert near(jax.jit(planned)(*arguments), jax.jit(step)(*arguments))
    assert planned.reports[0].offloaded() and planned.reports[0].loops


def test_a_policy_offloads_the_names_that_the_plan_offloads() -> None:
    _, report = linked_step()
    marked = {report.traced.joint.nodes[k].name: name for name, (k,) in report.traced.names.items()}
    offloaded = [marked[name] for name, _ in report.offloaded()]
    saved = [marked[name] for name, _ in report.kept()]
    assert offloaded and saved
    mine, same = (
        jax.value_and_grad(jax.checkpoint(loss, policy=policy))
        for policy in (report.policy(), jax.checkpoint_policies.save_only_these_names(*saved, *offloaded))
    )
    assert same_bits(jax.jit(mine)(WEIGHTS, X), jax.jit(same)(WEIGHTS, X))
    equations = jax.make_jaxpr(mine)(WEIGHTS, X).jaxpr.eqns
    (again,) = (e.params["jaxpr"].eqns for e in equations if e.primitive.name == "remat2")
    named = {e.outvars[0]: e.params["name"] for e in equations if e.primitive.name == "name"}
    assert [named[e.invars[0]] for e in equations if e.primitive.name == "device_put"] == offloaded
    assert sum(e.primitive.name == "device_put" for e in again) == len(offloaded)
    assert not {e.params["name"] for e in again if e.primitive.name == "name"} & {*saved, *offloaded}
    assert placements(mine, WEIGHTS, X)[: len(offloaded)] == [("pinned_host", "256x32xf32")] * len(offloaded)


def test_a_policy_without_a_plan_saves_all_and_a_name_has_one_fate() -> None:
    def alike(weights: Any, x: Any) -> Any:
        for w in weights:
            x = checkpoint_name(jnp.tanh(x @ w), "layer")
        return (x**2).mean()

    policy = budgeted.plan(STEP, 1 << 30).plan_for(WEIGHTS, X).policy()
    assert policy is jax.checkpoint_policies.everything_saveable
    report = budgeted.plan(jax.value_and_grad(alike), "60%", **LINKED).plan_for(WEIGHTS, X)
    with pytest.raises(repebble.BadOption, match="of the values of name 'layer' some are .*: names of their own"):
        report.policy()


def test_a_link_without_memory_of_the_host_is_refused_but_for_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    from repebble.jax import _plan

    monkeypatch.setattr(_plan, "memory_kinds", lambda: ["device"])
    step, report = linked_step()
    assert callable(report.policy())
    with pytest.raises(repebble.BadOption, match="needs memory of kind 'pinned_host', and cpu has device"):
        step(WEIGHTS, X)


def test_a_scan_reads_constants_in_each_step_and_slices_once() -> None:
    def constants(weights: Any, x: Any) -> Any:
        return jax.lax.scan(lambda h, w: (h + x[0] * w, h), weights[0], weights)

    (equation,) = jax.make_jaxpr(constants)(jnp.ones((8, 32)), jnp.ones((1, 32))).jaxpr.eqns[-1:]
    assert equation.primitive.name == "scan"
    row = 32 * 4
    assert _trace.time_of(equation, (1e30, 1e9)) == 8 * (row + 2 * row) + 8 * 2 * row


def branches(x: Any) -> Any:
    return jax.lax.cond(x[0, 0] > 0, lambda x: jnp.sin(x @ x), lambda x: x + 1, x)


@pytest.mark.parametrize(
    ("function", "shapes", "operations"),
    [
        (jnp.tanh, [(8, 4)], 8 * 4),
        (jnp.matmul, [(8, 4), (4, 6)], 2 * 8 * 6 * 4),
        (jnp.matmul, [(3, 8, 4), (3, 4, 6)], 2 * 3 * 8 * 6 * 4),
        (lambda x, w: jax.lax.conv(x, w, (1, 1), "VALID"), [(1, 3, 8, 8), (5, 3, 2, 3)], 2 * 5 * 7 * 6 * 3 * 2 * 3),
        (lambda x: jax.lax.scan(lambda h, _: (h @ h, None), x, length=7)[0], [(4, 4)], 7 * 2 * 4**3),
        (branches, [(4, 4)], 2 * 4**3 + 4 * 4),
    ],
)
def test_arithmetic_of_an_equation(function: Any, shapes: Any, operations: int) -> None:
    equation = jax.make_jaxpr(function)(*map(jnp.ones, shapes)).jaxpr.eqns[-1]
    while equation.primitive.name in ("jit", "pjit"):
        equation = equation.params["jaxpr"].eqns[-1]
    assert _trace.flops(equation) == operations
    assert _trace.time_of(equation, (1e9, 1e30)) == operations  # nanoseconds
    assert _trace.time_of(equation, lambda e: 7) == 7


def test_named_arguments_and_weak_types_are_planned_and_reported() -> None:
    def scaled(weights: Any, x: Any, scale: Any = 1.0) -> Any:
        return loss(weights, x) * scale

    step = budgeted.plan(scaled, 1 << 30, recompute=["absent"])
    assert budgeted.report(step) == "scaled: nothing was planned yet"
    assert near(step(WEIGHTS, x=X), loss(WEIGHTS, X)) and near(step(WEIGHTS, X, scale=2.0), 2 * loss(WEIGHTS, X))
    step(WEIGHTS, X, scale=jnp.float32(2))
    assert len(step.reports) == 3  # a number of Python is of a weak type
    lines = budgeted.report(step).splitlines()
    assert lines[0].startswith("scaled: budget 1,073,741,824 bytes") and "unchanged" in lines[0]
    assert "nothing is kept or recomputed by 'absent'" in lines[0]
    assert _trace.bytes_of_aval(jax.random.key(0).aval) == 8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"times": "b200"}, "times are those of a device"),
        ({"times": (1e12, 0)}, "times are those of a device"),
        ({"times": (1e12,)}, "times are those of a device"),
        ({"recompute": ["layer1", 2]}, "recompute is a list of names"),
        ({"on_infeasible": "never"}, "on_infeasible is raise or least"),
        ({"keep": "layer1"}, "keep is a list of names"),
        ({"link": "pcie"}, "link"),
        ({"link": "pcie4", "time_unit": "us"}, "times are nanoseconds"),
        ({"sekonds": 1}, "plan has no option 'sekonds'"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(repebble.Error, match=message):
        budgeted.plan(STEP, "60%", **options)
