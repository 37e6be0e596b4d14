"""Plots of comparisons, schedules and offsets, by matplotlib: imported by `import repebble.plots` only, and there only
where no axes are given.

Each function draws on `axes`, by default new ones, and returns them: `plot_trade_off(found).figure.savefig("a.svg")`.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, Optional

from ._arena import Arena
from ._compare import Comparison
from ._graph import Graph
from ._plan import native_steps, replay

__all__ = ["plot_offsets", "plot_profiles", "plot_trade_off"]

_UNITS = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


def plot_trade_off(found: Comparison, *, axes: Optional[Any] = None) -> Any:
    """Overhead against budget of each algorithm of `repebble.compare`, both in per cent: a line through the budgets that
    it fits, a point where it has one plan only; dashed, the overhead that no schedule can be below, where one is known."""
    axes = _axes(axes)
    once = found.time or 1
    bounds: dict[float, float] = {}
    for name, points in found.points.items():
        fitting = [p for p in points if p is not None and p.fits]
        is_one = len({p.peak for p in fitting}) == 1 and len(fitting) > 1
        shown = fitting[:1] if is_one else fitting
        shares = [100 * (p.peak if is_one else p.budget) / found.keep_all_peak for p in shown]
        axes.plot(shares, [100 * p.overhead / once for p in shown], marker="o", markersize=4, label=name)
        for p in points:
            if p is not None and p.lower_bound is not None:
                share = 100 * p.budget / found.keep_all_peak
                bounds[share] = max(bounds.get(share, 0.0), 100 * p.lower_bound / once)
    if bounds:
        shares = sorted(bounds)
        axes.plot(shares, [bounds[s] for s in shares], linestyle="--", color="black", label="no schedule is below", zorder=3)
    axes.set_xlabel("budget, % of what keeping everything takes")
    axes.set_ylabel("overhead, % of computing everything once")
    axes.legend()
    return axes


def plot_profiles(graph: Any, schedules: Mapping[str, Any], *, inputs: bool = False, axes: Optional[Any] = None) -> Any:
    """Bytes on the device over time of several schedules, by name: plans, or steps as of `replay`. Copies take no time
    here. Raises IllegalSchedule."""
    axes = _axes(axes)
    held = graph if isinstance(graph, Graph) else Graph(graph)
    profiles = {name: replay(held, steps, inputs=inputs).profile for name, steps in schedules.items()}
    size, unit = _unit_of(max((max(p, default=0) for p in profiles.values()), default=0))
    for name, profile in profiles.items():
        now, times = 0, []
        for what, index in native_steps(schedules[name]):
            times.append(now)
            now += held.operations[index]["time"] if what == 0 else 0
        axes.step([*times, now], [b / size for b in [*profile, *profile[-1:]]], where="post", label=name, linewidth=1)
    axes.set_xlabel("time")
    axes.set_ylabel(unit)
    axes.legend()
    return axes


def plot_offsets(arena: Arena, *, axes: Optional[Any] = None) -> Any:
    """Where each buffer of an arena lies, and when: steps against addresses; workspaces in another colour."""
    axes = _axes(axes)
    size, unit = _unit_of(arena.height)
    axes.barh(
        [offset / size for offset in arena.offsets],
        [b.lifetime[1] - b.lifetime[0] for b in arena.buffers],
        [b.size / size for b in arena.buffers],
        [b.lifetime[0] for b in arena.buffers],
        align="edge",
        color=["#ffb36b" if b.value is None else "#9ecae1" for b in arena.buffers],
        edgecolor="#444444",
        linewidth=0.3,
    )
    axes.axhline(arena.lower_bound / size, linestyle="--", color="grey", linewidth=1)
    axes.set_xlabel("step")
    axes.set_ylabel(f"address, {unit}")
    return axes


def _axes(given: Optional[Any]) -> Any:
    return importlib.import_module("matplotlib.pyplot").subplots()[1] if given is None else given


def _unit_of(most: int) -> tuple[int, str]:
    return next(((size, name) for size, name in _UNITS if most >= size), (1, "bytes"))
