"""Comparisons of algorithms, what plots draw of them, and the program and notebook that do so."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import io
import json
import pathlib
import sys
import types
from typing import Any

import pytest
import repebble
from repebble import plots
from test_strategies import training_step

HERE = pathlib.Path(__file__).parents[1]


class Axes:
    """Records what is drawn on it."""

    def __init__(self) -> None:
        self.drawn: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self.figure = self

    def __getattr__(self, name: str) -> Any:
        return lambda *given, **named: self.drawn.append((name, given, named))

    def lines(self, name: str) -> dict[str, tuple[Any, ...]]:
        return {named["label"]: given for what, given, named in self.drawn if what == name}


def half(graph: repebble.Graph, budget: int) -> Any:
    """Every operation once, or nothing below 90 %."""
    return range(len(graph)) if budget >= 0.9 * repebble.keep_all(graph).peak else None


def test_algorithms_are_compared_by_replay() -> None:
    graph = training_step()
    own: dict[str, Any] = {"own": half, "plans": lambda g, b: repebble.plan(g, b), "steps": lambda g, b: repebble.keep_all(g).steps}
    found = repebble.compare(graph, {**own, "save_set": "save_set"}, ["60%", "100%"])
    everything = repebble.keep_all(graph)
    assert found.budgets == [everything.peak * 60 // 100, everything.peak] and found.time == everything.time
    first, second = found.points["own"]
    assert first is None and second is not None and second.fits and second.overhead == 0
    assert [p.overhead for p in found.points["plans"] if p] == [p.overhead for p in repebble.plan(graph, ["60%", "100%"]) if p]
    assert [p.fits for p in found.points["steps"] if p] == [False, True]
    wanted = repebble.find_strategy("save_set")(graph, "60%")
    point = found.points["save_set"][0]
    assert point is not None and (point.peak, point.overhead) == (wanted.peak, wanted.overhead)
    lines = found.table().splitlines()
    assert lines[1].split()[:2] == ["60%", "-"] and lines[2].split()[1] == "0.00%" and len(lines) == 3
    assert set(repebble.compare(graph, repebble.strategies()[:2], ["100%"]).points) == {s.name for s in repebble.strategies()[:2]}


def test_algorithms_are_compared_with_inputs_and_with_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = training_step()
    graph["values"].append({"size": 500})
    graph["operations"][3]["reads"].append(len(graph["values"]) - 1)
    algorithms: dict[str, Any] = {"own": lambda g, b: range(len(g)), "save_set": "save_set", "automatic": "automatic"}
    found = repebble.compare(graph, algorithms, ["80%", "100%"], inputs=True)
    everything = repebble.keep_all(graph, inputs=True)
    assert found.keep_all_peak == everything.peak
    assert found.points["own"][1] == (everything.peak, everything.peak, 0, None)
    save_set = repebble.find_strategy("save_set")
    wanted: dict[str, Any] = {"save_set": [save_set(graph, budget, inputs=True) for budget in found.budgets],
                              "automatic": repebble.plan(graph, found.budgets, inputs=True)}  # fmt: skip
    for name, plans in wanted.items():
        assert [p and (p.peak, p.overhead) for p in plans] == [p and (p.peak, p.overhead) for p in found.points[name]]
        bounds = [getattr(p, "lower_bound", None) for p in plans]
        assert bounds == [p and p.lower_bound for p in found.points[name]]
    heard: list[Any] = []

    def hear(*_: Any, seconds: Any, **more: Any) -> list[Any]:
        heard.append(seconds)
        raise repebble.NoPlan("heard")

    monkeypatch.setattr("repebble._compare.plan", hear)
    monkeypatch.setattr(repebble.Strategy, "__call__", hear)
    with pytest.raises(repebble.NoPlan, match="heard"):
        repebble.compare(graph, ["save_set", "automatic"], ["60%"], seconds=7)
    assert heard == [7, 7]


def test_wrong_algorithms_are_named() -> None:
    graph = training_step()
    with pytest.raises(repebble.BadOption, match="'mine' is no strategy"):
        repebble.compare(graph, {"mine": 7}, ["60%"])  # type: ignore[dict-item]
    with pytest.raises(repebble.IllegalSchedule):
        repebble.compare(graph, {"mine": lambda g, b: [3, 0]}, ["60%"])
    with pytest.raises(repebble.BadWeight, match="budgets"):
        repebble.compare(graph, ["save_set"], "60%")


def test_a_trade_off_has_a_line_for_each_algorithm_and_the_bound() -> None:
    axes = Axes()
    found = repebble.compare(training_step(), ["sqrt_segments", "save_set", "automatic"], ["50%", "70%", "100%"])
    assert plots.plot_trade_off(found, axes=axes) is axes
    lines = axes.lines("plot")
    assert set(lines) == {"sqrt_segments", "save_set", "automatic", "no schedule is below"}
    shares, overheads = lines["automatic"]
    bounds = dict(zip(*lines["no schedule is below"]))
    assert len(shares) == len(bounds) == 3 and all(bounds[s] <= o + 1e-9 for s, o in zip(shares, overheads))
    assert len(lines["sqrt_segments"][0]) == 1  # one plan, whatever the budget


def test_the_bound_of_a_budget_is_the_greatest_that_is_known() -> None:
    axes, plan = Axes(), repebble.plan(training_step(), "60%")
    weaker = dataclasses.replace(plan, lower_bound=0)
    found = repebble.compare(training_step(), {"own": lambda g, b: plan, "weak": lambda g, b: weaker}, ["60%"])
    plots.plot_trade_off(found, axes=axes)
    assert axes.lines("plot")["no schedule is below"][1] == [100 * plan.lower_bound / found.time] != [0]


def test_profiles_end_with_the_time_and_reach_the_peak() -> None:
    axes, graph = Axes(), training_step()
    plan = repebble.plan(graph, "60%")
    plots.plot_profiles(graph, {"all": repebble.keep_all(graph), "60%": plan}, axes=axes)
    times, sizes = axes.lines("step")["60%"]
    size = {"KiB": 1024, "bytes": 1}[next(given[0] for what, given, _ in axes.drawn if what == "set_ylabel")]
    assert times[-1] == plan.time and max(sizes) * size == plan.peak and len(times) == len(sizes) == len(plan.steps) + 1
    assert times == sorted(times)


@pytest.mark.parametrize(
    ("size", "height", "unit"),
    [(1023, 1023, "bytes"), (3 << 10, 3, "KiB"), (3 << 20, 3, "MiB"), (3 << 30, 3, "GiB"), (3 << 40, 3, "TiB")],
)
def test_profiles_are_in_the_largest_unit_and_begin_with_the_first_step(size: int, height: int, unit: str) -> None:
    axes = Axes()
    operations = [{"time": 2, "reads": [0], "writes": [1]}, {"time": 3, "reads": [1], "writes": [2]}]
    graph = {"values": [{"size": size // 3}] * 3, "operations": operations}
    plots.plot_profiles(graph, {"all": [("compute", 0), ("compute", 1)]}, inputs=True, axes=axes)
    assert axes.lines("step")["all"] == ([0, 2, 5], [pytest.approx(height * k / 3) for k in (2, 3, 3)])
    assert [given for what, given, _ in axes.drawn if what == "set_ylabel"] == [(unit,)]


def test_offsets_are_drawn_where_they_lie() -> None:
    axes, graph = Axes(), training_step()
    arena = repebble.make_arena(graph, repebble.keep_all(graph))
    plots.plot_offsets(arena, axes=axes)
    drawn = next((given, named) for what, given, named in axes.drawn if what == "barh")
    (bottoms, widths, heights, lefts), named = drawn
    assert len(bottoms) == len(arena.buffers)
    assert max(b + h for b, h in zip(bottoms, heights)) * 1024 == pytest.approx(arena.height)
    assert [(left, left + w) for left, w in zip(lefts, widths)] == [b.lifetime for b in arena.buffers]
    wide = [{**graph["operations"][0], "workspace": 7}, *graph["operations"][1:]]
    plots.plot_offsets(repebble.make_arena({**graph, "operations": wide}, repebble.keep_all(graph)), axes=axes)
    colours = [named["color"] for what, _, named in axes.drawn if what == "barh"]
    (storage,) = set(colours[0])
    assert colours[1].count(storage) == len(arena.buffers) == len(colours[1]) - 1 and colours[0][0] == "#9ecae1"


def test_plots_draw_on_axes_of_matplotlib_where_it_is() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    arena = repebble.make_arena(training_step(), repebble.keep_all(training_step()))
    assert plots.plot_offsets(arena).get_xlabel() == "step"


def cells_of(path: pathlib.Path) -> Any:
    spec = importlib.util.spec_from_file_location("make_notebook", HERE / "checks/make_notebook.py")
    assert spec is not None and spec.loader is not None
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    return list(maker.cells_of(path.read_text(encoding="utf-8")))


def test_the_notebook_is_the_program() -> None:
    for notebook in sorted((HERE / "notebooks").glob("*.ipynb")):
        content = json.loads(notebook.read_text(encoding="utf-8"))
        cells = [(cell["cell_type"], "".join(cell["source"])) for cell in content["cells"]]
        assert cells == cells_of(HERE / "programs" / f"{notebook.stem}.py"), "run checks/make_notebook.py"


def test_the_program_compares_its_algorithm(monkeypatch: pytest.MonkeyPatch) -> None:
    axes = Axes()
    pyplot = types.ModuleType("matplotlib.pyplot")
    pyplot.subplots = lambda: (None, axes)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", pyplot)
    names: dict[str, Any] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for kind, source in cells_of(HERE / "programs/compare_algorithms.py"):
            if kind == "code":
                exec(source, names)
    assert "keep_dear" in printed.getvalue() and len(axes.lines("plot")) == 7
    assert [given[0] for what, given, _ in axes.drawn if what == "savefig"] == ["compare_algorithms.svg", "profiles.svg", "offsets.svg"]
    own = [p for p in names["found"].points["keep_dear"] if p is not None]
    assert own and all(p.fits for p in own)
