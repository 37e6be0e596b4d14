"""What became of graphs and steps, in lines."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

from torch import fx

from ._capture import Captured
from ._fake_run import Run, reserved_by_step, run_both
from ._planning import Planned
from ._step import StepPlan


@dataclasses.dataclass
class GraphReport:
    """What became of one graph. Bytes; overheads as shares of everything once."""

    planned: Planned
    operations: int
    fixed: int  # bytes that the budget includes beside the graph's
    seconds: float
    modules: tuple[fx.GraphModule, fx.GraphModule]
    captured: Captured
    calls: Any = None  # what runs in place of the modules: inductor's code, without kernels
    place: str = ""  # in a step of several graphs
    missed: list[str] = dataclasses.field(default_factory=list)  # of `keep` and `recompute`, what demands nothing here

    @functools.cached_property
    def run(self) -> Run:
        """What both graphs allocate on fake tensors."""
        return run_both(self.modules, self.captured.joint, self.calls)

    def measured_peak(self) -> int:
        """The most bytes at once when both graphs run on fake tensors, storages counted, inputs and gradients not."""
        return self.run.peak

    def _gathered(self) -> str:
        gathers = sum(node.kind == "gather" for node in self.captured.joint.nodes)
        return f", {self.planned.measured.gathered} of them gathers of {gathers}" if gathers else ""

    def _copied(self) -> str:
        plan = self.planned.measured
        return f", {plan.copied:,} bytes copied to the host, at most {plan.host:,} there at once" if plan.copied else ""

    def __str__(self) -> str:
        plan = self.planned
        bound = "" if plan.lower_bound is None else f", bound {plan.lower_bound:.0f} ns"
        floor = "" if plan.floor is None else f", floor {plan.floor + self.fixed:,}"
        waits = self.captured.joint.between
        others = f", others while it waits {waits:,}" if waits else ""
        return (
            f"{self.place}{self.operations} operations: budget {plan.budget + self.fixed:,} bytes, planned "
            f"{plan.measured.peak + self.fixed:,}{_within(plan.fits)}, measured {self.measured_peak() + self.fixed:,}, "
            f"keeping everything {plan.keep_all.peak + self.fixed:,}{floor}{others}; "
            f"overhead {100 * plan.overhead:.2f} % "
            f"({plan.measured.recomputed} run again{self._gathered()}{self._copied()}{bound}{', time least' if plan.time_least else ''}); "
            f"{plan.strategy}, {self.seconds:.1f} s{', planned before' if plan.cached else ''}{'' if self.place else _reserved([self])}"
            f"{'; nothing is kept or recomputed by ' if self.missed else ''}{', '.join(map(repr, self.missed))}"
        )


def _reserved(reports: list[GraphReport]) -> str:
    return f"; CUDA's allocator would reserve {reserved_by_step(r.run for r in reports):,} bytes, gradients with it"


def _within(fits: bool) -> str:
    return "" if fits else " (more than the budget: the least that was found)"


def lines_of(reports: list[GraphReport], step: StepPlan | None) -> list[str]:
    """A line for each graph, and one for the step of several of them, if there is one."""
    lines = [*map(str, reports)]
    if step:
        lines.append(
            f"their step: budget {step.budget:,} bytes, planned {step.takes:,}{_within(step.fits)}, keeping everything "
            f"{step.everything:,}{_reserved([r for r in reports if r.place])}"
        )
    return lines
