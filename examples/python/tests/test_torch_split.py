"""Recorded joint graphs of repebble.torch: planned, split and run on NumPy arrays that count bytes. Needs no torch.

Where the native part of the package is not installed, the recorded plans are split, and nothing is planned.
"""

from __future__ import annotations

import functools
import gzip
import importlib
import json
import pathlib
import sys
import types
from typing import Any

import byte_counter
import pytest

HERE = pathlib.Path(__file__).parent
NAMES = ["resnet18", "unet", "gpt", "swin", "mixture", "mutated", "sharded"]

try:
    import repebble

    NATIVE = hasattr(repebble, "plan")
except ImportError:
    NATIVE = False
    package = types.ModuleType("repebble")
    package.__path__ = [str(HERE.parent / "repebble")]
    sys.modules["repebble"] = package

budgets = importlib.import_module("repebble._budget")
fusion = importlib.import_module("repebble.torch._fusion")
joints = importlib.import_module("repebble.torch._joint")
planning = importlib.import_module("repebble.torch._planning")
splitting = importlib.import_module("repebble.torch._split")


def recorded(name: str) -> tuple[Any, dict[str, Any]]:
    """A joint graph and its recorded plans: budget -> steps, each an operation, or -1 - a value."""
    data = json.loads(gzip.decompress((HERE / "joint" / f"{name}.json.gz").read_bytes()))
    plans = {
        b: [("compute", s) if s >= 0 else ("discard", -1 - s) for s in steps] for b, steps in data["plans"].items()
    }
    return joints.Joint.from_json(json.dumps(data["joint"])), plans


@functools.cache
def plans_of(name: str) -> list[tuple[Any, str, Any]]:
    joint, plans = recorded(name)
    return [(joint, budget, splitting.split(joint, steps)) for budget, steps in plans.items()]


def same(a: list[Any], b: list[Any]) -> bool:
    return len(a) == len(b) and all((x is None and y is None) or (x == y).all() for x, y in zip(a, b))


@pytest.mark.parametrize("name", NAMES)
def test_programs_compute_the_same_in_the_measured_bytes(name: str) -> None:
    joint, _ = recorded(name)
    everything = byte_counter.ByteCounter(joint, splitting.split(joint, splitting.keep_all_steps(joint))).run()
    keep_all = everything.peak
    plans = plans_of(name)
    if NATIVE and name in ("resnet18", "unet"):  # 2 CPU seconds a plan
        plans = [*plans, (joint, "60%", planning.plan_joint(joint, "60%", seconds=2).program)]
    for _, budget, program in plans:
        run = byte_counter.ByteCounter(joint, program).run()
        measured = splitting.measure(joint, program)
        assert same(run.results, everything.results), (name, budget)
        assert same(run.gradients, everything.gradients), (name, budget)
        assert same(list(run.inputs.values()), list(everything.inputs.values())), (name, budget)
        assert measured.recomputed > 0
        assert run.peak == measured.peak <= budgets.bytes_of(budget, keep_all), (name, budget)


@pytest.mark.skipif(not NATIVE, reason="nothing is planned")
@pytest.mark.parametrize("name", NAMES)
def test_programs_over_a_link_compute_the_same_in_the_measured_bytes_on_both_sides(name: str) -> None:
    joint, _ = recorded(name)
    everything = byte_counter.ByteCounter(joint, splitting.split(joint, splitting.keep_all_steps(joint))).run()
    options = {"link": "1TB/s", "time_unit": "ns", "work": 2000, "must_keep": joint.held_values()}
    copied = 0
    for budget in ("70%", "40%"):
        planned = planning.plan_joint(joint, budget, least=True, **options)
        run = byte_counter.ByteCounter(joint, planned.program).run()
        assert same(run.results, everything.results) and same(run.gradients, everything.gradients)
        assert same(list(run.inputs.values()), list(everything.inputs.values()))
        assert (run.peak, run.host_peak) == (planned.measured.peak, planned.measured.host)
        assert planned.measured.host <= planned.measured.copied
        copied += planned.measured.copied
    assert copied > 0


def test_held_values_and_states_of_generators_are_never_copied() -> None:
    """Copies would free nothing: the user or autograd holds results and tangents, a later run the state."""
    node = joints.Node
    nodes = [node("a", (0,), (1,), 1.0), node("r", (1,), (2,), 1.0, "random"), node("b", (2,), (3,), 1.0)]
    nodes.append(node("g", (2, 4), (5,), 1.0, backward=True))
    joint = joints.Joint(nodes, [0, 1, 2, 3, 4, 5], [8] * 6, [0], [4], [3], [-1], [5], [])
    values = joint.values()
    assert [values[v] for v in joint.held_values()] == [3, 4]
    state = values.index(joints.STATE - 1)
    steps = [("offload", state), ("discard", state), ("prefetch", state), *splitting.keep_all_steps(joint)[2:]]
    steps = [*splitting.keep_all_steps(joint)[:2], *steps]
    assert not any(c.node < splitting.CLONE for c in splitting.split(joint, steps).calls)


def test_recorded_graphs_have_random_numbers_views_clones_and_several_results() -> None:
    seen: set[str] = set()
    for name in NAMES:
        for joint, _, program in plans_of(name)[:2]:
            seen |= {n.kind for n in joint.nodes}
            seen |= {"clone" for c in program.calls if c.node == splitting.CLONE}
            seen |= {"state" for n, last in program.saved_states.items() if last > program.barrier}
            seen |= {"several" for n in joint.nodes if len(n.writes) > 1}
    assert seen >= {"compute", "view", "random", "clone", "state", "several"}


def test_first_random_runs_keep_their_order() -> None:
    for joint, _, program in plans_of("gpt"):
        first = [c.node for c in program.calls if c.node >= 0 and not c.run and joint.nodes[c.node].kind == "random"]
        assert first == sorted(first)


def test_nothing_of_the_backward_pass_runs_before_the_barrier() -> None:
    for name in NAMES:
        for joint, _, program in plans_of(name)[:2]:
            assert not any(joint.nodes[c.node].backward for c in program.calls[: program.barrier] if c.node >= 0)


def test_what_the_user_holds_runs_once() -> None:
    """A plan may discard what must be there at the end, and run it again; the user does not give it back."""
    node = joints.Node
    nodes = [node("a", (0,), (1,), 1.0), node("b", (1,), (2,), 1.0), node("g", (1, 3), (4,), 1.0, backward=True)]
    joint = joints.Joint(nodes, [0, 1, 2, 3, 4], [8] * 5, [0], [3], [2], [-1], [4], [])
    again = {o["name"]: o["recomputable"] for o in joint.graph()["operations"]}
    assert again == {"a": True, "b": False, "barrier": False, "g": True}


def test_joint_graphs_survive_json() -> None:
    joint, _ = recorded("gpt")
    assert joints.Joint.from_json(joint.to_json()) == joint


def test_a_schedule_that_reads_what_it_discarded_is_refused() -> None:
    joint, _ = recorded("unet")
    steps = splitting.keep_all_steps(joint)
    first = joint.graph()["operations"][0]["writes"][0]
    with pytest.raises(ValueError, match="not resident"):
        splitting.split(joint, [steps[0], ("discard", first), *steps[1:]])


def test_budgets_are_bytes_units_and_shares() -> None:
    assert budgets.bytes_of(8000, 10) == 8000
    assert budgets.bytes_of("8GiB", 10) == 8 << 30
    assert budgets.bytes_of(" 1.5 kB", 10) == 1500
    assert budgets.bytes_of("0.3KiB", 10) == 307
    assert budgets.bytes_of("60%", 1500) == 900
    assert budgets.bytes_of("33.3%", 1000) == 333
    units = ["", "B", "kB", "KB", "MB", "GB", "TB", "PB", "EB"]
    assert [budgets.bytes_of(f"3{unit}", 10) for unit in units] == [3, 3, 3000, *(3 * 1000**k for k in range(1, 7))]
    units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    assert [budgets.bytes_of(f"3{unit}", 10) for unit in units] == [3 << 10 * k for k in range(1, 7)]
    for wrong in ("8 gigs", "8G", "%", "", "-5", "1.5", "1e3", "9EiB9", "²%"):
        with pytest.raises(ValueError, match="a budget is"):
            budgets.bytes_of(wrong, 10)
    with pytest.raises(ValueError, match="64 bits"):
        budgets.bytes_of("8EiB", 10)
    with pytest.raises(ValueError, match="negative"):
        budgets.bytes_of(-1, 10)


@pytest.mark.skipif(not NATIVE, reason="the native part is not installed")
def test_a_budget_below_the_floor_is_one_error_that_names_it() -> None:
    joint, _ = recorded("unet")
    with pytest.raises(repebble.NoPlan, match="the floor is .* alone needs that") as caught:
        planning.plan_joint(joint, "10%")
    assert caught.value.needed > 0
