"""`torch.compile` within a budget: a backend, a partitioner for inductor, and what became of it."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
from torch import fx
from torch._dynamo.backends.common import aot_autograd
from torch._dynamo.exc import ShortenTraceback
from torch._inductor.custom_graph_pass import CustomPartitionerFn

from .._errors import BadOption
from .._plan import plan as plan_graph
from . import _times
from ._capture import Captured
from ._planning import Planned, Planner, plan_joint
from ._rebuild import rebuild
from ._split import Program

INCLUDED = ("parameters", "gradients", "optimizer")


@dataclasses.dataclass
class Options:
    """How a budget is planned for: the arguments of `backend`."""

    budget: int | str
    times: _times.Times = "a100"
    include: tuple[str, ...] = ()
    optimizer_states: int = 2
    planner: Planner | None = None
    plan_options: dict[str, Any] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        wrong = set(self.include) - set(INCLUDED)
        if wrong:
            raise ValueError(f"a budget includes {', '.join(INCLUDED)}, not {sorted(wrong)}")


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

    def measured_peak(self) -> int:
        """The most bytes at once when both graphs run on fake tensors, storages counted, inputs and gradients not."""
        from ._fake_run import run_both

        return run_both(self.modules, self.captured.joint, self.calls)

    def __str__(self) -> str:
        plan = self.planned
        bound = "" if plan.lower_bound is None else f", bound {plan.lower_bound:.0f} ns"
        floor = "" if plan.floor is None else f", floor {plan.floor + self.fixed:,}"
        return (
            f"{self.operations} operations: budget {plan.budget + self.fixed:,} bytes, planned "
            f"{plan.measured.peak + self.fixed:,}, measured {self.measured_peak() + self.fixed:,}, keeping everything "
            f"{plan.keep_all.peak + self.fixed:,}{floor}; overhead {100 * plan.overhead:.2f} % "
            f"({plan.measured.recomputed} run again{bound}{', time least' if plan.time_least else ''}); "
            f"{plan.strategy}, {self.seconds:.1f} s"
        )


class _Planning:
    """A partition function that plans, and remembers what it planned."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.reports: list[GraphReport] = []

    def partition(
        self,
        module: fx.GraphModule,
        inputs: Any,
        *,
        num_fwd_outputs: int,
        static_lifetime_input_indices: list[int] | None = None,
        **_: Any,
    ) -> tuple[fx.GraphModule, fx.GraphModule]:
        begin = time.perf_counter()
        options = self.options
        module.graph.eliminate_dead_code()
        captured = Captured(module, num_fwd_outputs, options.times, "gradients" in options.include)
        fixed = self._fixed(captured, static_lifetime_input_indices or [])

        def make(program: Program, in_memory: Iterable[int] = ()) -> Any:
            return rebuild(captured, program, num_fwd_outputs, static_lifetime_input_indices, in_memory)

        try:
            joint, planned, modules, calls = self._plan(captured, fixed, make, num_fwd_outputs)
        except Exception as error:
            raise _passed_through(error) from None
        self.reports.append(
            GraphReport(planned, len(joint.planned()) - 1, fixed, time.perf_counter() - begin, modules, captured, calls)
        )
        return modules

    def _plan(self, captured: Captured, fixed: int, make: Callable[..., Any], _: int) -> Any:
        """The graph that is planned, the plan, both graphs, and what runs in place of these."""
        options = self.options
        planned = plan_joint(captured.joint, options.budget, options.planner, fixed, **options.plan_options)
        return captured.joint, planned, make(planned.program), None

    def _fixed(self, captured: Captured, static: list[int]) -> int:
        """Bytes of parameters and buffers, and of the optimizer's state, where the budget includes them."""
        placeholders = captured.module.graph.find_nodes(op="placeholder")
        trained = [number >= 0 for number in captured.joint.gradients]  # one for each input, in order
        sizes: dict[int, tuple[int, int]] = {}
        for index in static:
            for value in _times.tensors(placeholders[index]):
                size = _times.storage_bytes(value)
                sizes[value.untyped_storage()._cdata] = size, size * trained[index]
        states = self.options.optimizer_states if "optimizer" in self.options.include else 0
        kept = "parameters" in self.options.include
        return sum(kept * size + states * share for size, share in sizes.values())


class Backend(_Planning):
    """A backend of `torch.compile` that keeps each graph's training step within a budget."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._compile = aot_autograd(
            fw_compiler=boxed, bw_compiler=boxed, inference_compiler=boxed, partition_fn=self.partition
        )

    def __call__(self, module: fx.GraphModule, inputs: list[Any], **kwargs: Any) -> Callable[..., Any]:
        fused = any(getattr(n.target, "__name__", "") == "lstm" for n in module.graph.nodes)
        if not fused:
            return self._compile(module, inputs, **kwargs)
        # oneDNN's fused LSTM returns no workspace for the backward pass that its fake tensors have
        enabled = torch._C._get_mkldnn_enabled()
        torch._C._set_mkldnn_enabled(False)
        try:
            return self._compile(module, inputs, **kwargs)
        finally:
            torch._C._set_mkldnn_enabled(enabled)


def boxed(module: fx.GraphModule, _: Any) -> Callable[[list[Any]], Any]:
    """A call that takes its arguments in a list, empties it, and frees each after its last use."""
    module.graph.set_codegen(fx.graph._BoxedCodeGen())
    module.recompile()

    def call(arguments: list[Any]) -> Any:
        return module(arguments)

    call._boxed_call = True  # type: ignore[attr-defined]
    return call


def backend(
    budget: int | str,
    *,
    times: _times.Times = "a100",
    include: Iterable[str] = (),
    optimizer_states: int = 2,
    planner: Planner | None = None,
    **plan_options: Any,
) -> Backend:
    """A backend: `torch.compile(model, backend=repebble.torch.backend("60%"))`.

    budget: bytes, "8GiB", or "60%" of what keeping everything takes; of activations and what passes between
    operations. include: what else it is for: "parameters" (and buffers), "gradients", "optimizer" (`optimizer_states`
    times the parameters). times: "a100" or another name of `DEVICES`, "measure", or given by name or function, in
    nanoseconds. plan_options: those of `repebble.plan`, such as seconds; not `link`, as compiled steps copy nothing to
    the host.
    The model then raises repebble.NoPlan where nothing fits.
    """
    if plan_options.get("link") is not None:
        raise BadOption(f"a backend copies nothing to the host, and takes no link: {plan_options['link']!r}")
    if planner is None:  # an option that cannot be is refused here, not in the midst of a compilation
        plan_graph({"values": [], "operations": []}, 0, **plan_options)
    return Backend(Options(budget, times, tuple(include), optimizer_states, planner, plan_options))


def _passed_through(error: Exception) -> Exception:
    """The error as one that Dynamo hands to the user as it is: of its own class, and one of Dynamo's."""
    bases = (ShortenTraceback,) if issubclass(ShortenTraceback, type(error)) else (type(error), ShortenTraceback)
    both = type(type(error).__name__, bases, {"__init__": Exception.__init__})
    passed = both(*error.args)
    passed.__dict__.update(error.__dict__, first_useful_frame=None)
    return passed


class _CompiledPlanning(_Planning):
    """Plans kernels in place of operations, and looks at what inductor makes of each plan."""

    def _plan(self, captured: Captured, fixed: int, make: Callable[..., Any], results: int) -> Any:
        from ._fake_run import run_both
        from ._inductor import compiled_without_kernels

        options, fused = self.options, captured.fused()
        seen: dict[int, Any] = {}

        def compiled_peak(program: Program) -> int:
            modules = make(fused.expand(program), program.tensor_of)
            calls = compiled_without_kernels(modules, results)
            seen[id(program)] = program, modules, calls
            return run_both(modules, captured.joint, calls)

        planned = plan_joint(fused.joint, options.budget, options.planner, fixed, compiled_peak, **options.plan_options)
        return fused.joint, planned, *seen[id(planned.program)][1:]


class _Partitioner(CustomPartitionerFn):
    """The planning partition function as inductor takes it."""

    def __init__(self, planning: _Planning) -> None:
        self.planning = planning

    def __call__(self, gm: fx.GraphModule, joint_inputs: Any, **kwargs: Any) -> tuple[fx.GraphModule, fx.GraphModule]:
        return self.planning.partition(gm, joint_inputs, **kwargs)

    def __deepcopy__(self, _: Any) -> _Partitioner:
        return self  # inductor copies its settings

    def uuid(self) -> Any | None:
        """None: what is planned depends on the budget, so nothing is taken from inductor's cache."""
        return None


@contextlib.contextmanager
def partitioner(budget: int | str, **options: Any) -> Iterator[_Planning]:
    """Within this context inductor compiles graphs within a budget: `torch.compile(model)`, and its first call.

    The arguments are those of `backend`. What it yields is for `report`. Planned is the peak of inductor's own code.
    """
    from ._inductor import held_to_plan

    planning = _CompiledPlanning(backend(budget, **options).options)
    with held_to_plan(), torch._inductor.config.patch(custom_partitioner_fn=_Partitioner(planning)):
        yield planning


def report(model: Any) -> str:
    """What became of each graph of a compiled model: a line each, in the order in which they were compiled.

    model: what `torch.compile` returned, its backend, or what `partitioner` yielded.
    Raises ValueError where it has no budget.
    """
    planning = _planning_of(model)
    if planning is None:
        raise ValueError("report takes a model compiled by repebble.torch.backend, that backend, or a partitioner")
    return "\n".join(map(str, planning.reports)) or "nothing was planned: no graph with a backward pass has run"


def _planning_of(model: Any) -> _Planning | None:
    place = getattr(getattr(model, "dynamo_ctx", None), "callback", model)
    while place is not None and not isinstance(place, _Planning):
        place = getattr(place, "_torchdynamo_orig_backend", None) or getattr(place, "compiler_fn", None)
    return place
