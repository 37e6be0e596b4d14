"""`torch.compile` within a budget: a backend, a partitioner for inductor, and what became of it."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import os
import time
import types
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
from torch import fx
from torch._dynamo.backends.common import aot_autograd
from torch._dynamo.eval_frame import remove_from_cache
from torch._dynamo.exc import ShortenTraceback
from torch._inductor.custom_graph_pass import CustomPartitionerFn

from .. import __version__
from .._budget import bytes_of
from .._devices import DEVICES
from .._errors import BadOption
from .._plan import plan as plan_graph
from . import _collectives, _copies, _inductor, _inside, _times
from ._cache import Cache, usual_folder
from ._capture import Captured
from ._fake_run import run_both
from ._joint import IN_ORDER, Joint
from ._planning import Planned, Planner, plan_joint
from ._ranks import Meeting
from ._rebuild import rebuild
from ._report import GraphReport, lines_of
from ._split import Program
from ._step import Part, StepPlan, plan_step

INCLUDED = ("parameters", "gradients", "optimizer")
INFEASIBLE = ("least", "raise")
_EFFORT = {"most_states_with_plan": 200_000}  # a compilation does not wait for a proof


@dataclasses.dataclass
class Options:
    """How a budget is planned for: the arguments of `backend`. Raises BadOption or BadWeight where one cannot be."""

    budget: int | str
    times: _times.Times = "a100"
    include: tuple[str, ...] = ()
    optimizer_states: int = 2
    on_infeasible: str | None = None
    keep: tuple[str, ...] = ()
    recompute: tuple[str, ...] = ()
    planner: Planner | None = None
    interconnect: str = _collectives.INTERCONNECT
    timeout: float = 300.0
    cache: bool | str | os.PathLike[str] = True
    passes: int = 1
    plan_options: dict[str, Any] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        bytes_of(self.budget, 0)
        if not isinstance(self.cache, (bool, str, os.PathLike)) or "\0" in str(self.cache):
            raise BadOption(f"cache is a folder, True or False, not {self.cache!r}")
        for name in ("include", "keep", "recompute"):
            given = getattr(self, name)
            names = () if isinstance(given, str) else tuple(given)
            if isinstance(given, str) or not all(isinstance(x, str) for x in names):
                raise BadOption(f"{name} is a list of names, not {given!r}")
            setattr(self, name, names)
        if wrong := sorted(set(self.include) - set(INCLUDED)):
            raise BadOption(f"include is a list of {', '.join(INCLUDED)}, not {wrong}")
        if self.on_infeasible not in (*INFEASIBLE, None):
            raise BadOption(f"on_infeasible is {' or '.join(INFEASIBLE)}, not {self.on_infeasible!r}")
        if not isinstance(self.optimizer_states, int) or self.optimizer_states < 0:
            raise BadOption(f"optimizer_states is a number from 0 on, not {self.optimizer_states!r}")
        if isinstance(self.passes, bool) or not isinstance(self.passes, int) or self.passes < 1:
            raise BadOption(f"passes is a number from 1 on, not {self.passes!r}")
        _times.check(self.times)
        _collectives.parsed(self.interconnect)
        if isinstance(self.timeout, bool) or not isinstance(self.timeout, (int, float)) or not 0 < self.timeout <= 1e9:
            raise BadOption(f"timeout is a number of seconds above 0, at most 10⁹, not {self.timeout!r}")
        if self.plan_options.setdefault("time_unit", "ns") != "ns":
            raise BadOption(f"times are nanoseconds: time_unit is 'ns', not {self.plan_options['time_unit']!r}")
        self.plan_options.setdefault("effort", _EFFORT)
        if self.planner is None:  # an option that cannot be is refused here, not in the midst of a compilation
            try:
                plan_graph({"values": [], "operations": []}, 0, **self.plan_options)
            except TypeError as error:
                raise BadOption(f"backend has no option {str(error).split()[-1]}, and plan has none") from None

    def lines(self) -> list[str]:
        """What plans are a function of beside the graph: equal on all ranks. Functions cannot be compared."""
        given = {
            f.name: getattr(self, f.name)
            for f in dataclasses.fields(self)
            if f.name not in ("planner", "timeout", "cache")
        }
        given |= given.pop("plan_options")
        given["times"] = self.times if isinstance(self.times, str) else "given"
        versions = [f"repebble {__version__}", f"torch {torch.__version__}"]
        return versions + [f"{name}: {value!r}" for name, value in sorted(given.items()) if not callable(value)]

    @property
    def least(self) -> bool:
        """Whether the least is taken where nothing fits: by default of a share."""
        share = isinstance(self.budget, str) and "%" in self.budget
        return self.on_infeasible == "least" or (share and self.on_infeasible is None)


@dataclasses.dataclass(eq=False)
class _Graph(Part):
    """A graph that was planned, and what is known of its step."""

    key: Any = None  # equal for equal graphs of the same code
    code: types.CodeType | None = None
    more: bool = False  # whether other graphs of the step follow
    policies: dict[str, list[int]] = dataclasses.field(default_factory=dict)  # must_keep and must_recompute of `plan`
    results: int = 0  # outputs of the forward graph that are no saved tensors
    marks: list[Any] = dataclasses.field(default_factory=list)  # one for each pass that waits
    planned: Planned | None = None

    def __deepcopy__(self, _: Any) -> _Graph:
        return self  # AOTAutograd copies the backward graph, with what it carries

    def unmark(self, arguments: list[Any]) -> None:
        """The pass that has saved these runs backward: they go now."""
        there = {t.untyped_storage()._cdata for t in arguments if isinstance(t, torch.Tensor)}
        storages = [mark() if mark else None for mark in self.marks]
        found = [k for k, storage in enumerate(storages) if storage is not None and storage._cdata in there]
        if self.marks:  # hooks may have put other tensors in their place
            del self.marks[found[0] if found else -1]


class _Planning:
    """A partition function that plans, and remembers what it planned."""

    _again = False  # whether graphs can be compiled again when all of their step are known

    def __init__(self, options: Options) -> None:
        self.options = options
        self._reports: list[tuple[Any, GraphReport]] = []  # with the graphs' keys
        self.step: StepPlan | None = None  # of the last step of several graphs or passes
        self._step: list[_Graph] = []  # graphs of this step in the order of their forward passes, which may come again
        self._waiting: list[_Graph] = []  # those of them that wait for their backward passes
        self._shared: dict[Any, Callable[[], dict[Any, tuple[_Graph, str]]]] = {}  # plans of a whole step, by graph
        folder = usual_folder() if options.cache is True else options.cache
        self._cache = Cache(folder) if folder else None
        cached = self._cache is not None and options.planner is None
        plan = self._cache.plan_joint if cached else functools.partial(plan_joint, planner=options.planner)
        self._plan = functools.partial(plan, **options.plan_options)

    @property
    def reports(self) -> list[GraphReport]:
        """A report for each graph, in the order in which they were compiled first."""
        return [report for _, report in self._reports]

    def partition(
        self,
        module: fx.GraphModule,
        inputs: Any,
        *,
        num_fwd_outputs: int,
        static_lifetime_input_indices: list[int] | None = None,
        **others: Any,
    ) -> tuple[fx.GraphModule, fx.GraphModule]:
        begin = time.perf_counter()
        default = functools.partial(
            _inductor.default_partition,
            module,
            inputs,
            num_fwd_outputs=num_fwd_outputs,
            static_lifetime_input_indices=static_lifetime_input_indices,
            **others,
        )
        module.graph.eliminate_dead_code()
        for node in module.graph.find_nodes(op="placeholder"):
            if isinstance(size := node.meta.get("val"), torch.SymInt):
                bool(size <= _times.concrete(size))  # a guard: larger sizes are planned anew
        options = self.options
        with self._measured_times():
            captured = Captured(
                module, num_fwd_outputs, options.times, "gradients" in options.include, options.interconnect
            )

        static = captured.inner(static_lifetime_input_indices or [])

        def make(program: Program, in_memory: Iterable[int] = ()) -> Any:
            return rebuild(captured, program, num_fwd_outputs, static, in_memory)

        try:
            code, more = _inside.frame()
            key = code, captured.joint.to_json()
            handed = [g for k, g in enumerate(captured.joint.gradients) if g >= 0 and k not in static]
            captured.joint.hand(handed if self._waiting else [])
            joint, peaks, finish = self._prepare(captured, make, default)
            fixed = self._fixed(captured, static)
            policies, missed = self._policies(captured, joint)
            graph = _Graph(joint, fixed, 1, handed, key, code, more, policies, num_fwd_outputs)
            with self._meeting(captured, joint, policies) as meeting:
                if meeting:
                    self._agree(meeting, captured, joint)
                place = self._plan_graph(graph, peaks)
                assert graph.planned is not None
                if meeting:
                    meeting.compare("sequence of collectives", _sequence(graph))
                    meeting.end()
            modules, calls = finish(graph.planned)
        except Exception as error:
            raise _passed_through(error) from None
        captured.joint.between = graph.joint.between
        captured.joint.hand(graph.joint.handed)
        for part in modules:
            part.meta[_Graph] = graph
        spent = time.perf_counter() - begin
        operations = len(joint.planned()) - 1
        entry = GraphReport(graph.planned, operations, fixed, spent, modules, captured, calls, place, missed)
        before = [k for k, (key, _) in enumerate(self._reports) if key == graph.key and key in self._shared]
        self._reports.insert(before[0] if before else len(self._reports), (graph.key, entry))
        self._reports = [r for k, r in enumerate(self._reports) if k - 1 not in before]
        return modules

    @contextlib.contextmanager
    def _measured_times(self) -> Iterator[None]:
        """Within it, times that were measured in another run are known; afterwards those that are new are kept."""
        cache = self._cache if self.options.times == "measure" else None
        if cache:
            _times.measured.update(cache.times())
        yield
        if cache:
            cache.keep_times(_times.measured)

    def _policies(self, captured: Captured, joint: Joint) -> tuple[dict[str, list[int]], list[str]]:
        """What `keep` and `recompute` demand of a graph, and their patterns that demand nothing here."""
        keep = {p: joint.values_of(captured.named(p, "SAVE")) for p in self.options.keep}
        again = {p: joint.values_of(captured.named(p, "RECOMPUTE"), again=True) for p in self.options.recompute}
        kept = {v for values in keep.values() for v in values}
        if self.options.plan_options.get("link") is not None:
            kept.update(joint.held_values())
        both = {"must_keep": kept, "must_recompute": {v for values in again.values() for v in values} - kept}
        missed = [p for patterns in (keep, again) for p, values in patterns.items() if not values]
        return {name: sorted(values) for name, values in both.items() if values}, missed

    def _meeting(self, captured: Captured, joint: Joint, policies: dict[str, list[int]]) -> Any:
        """Where the other ranks are met of a graph with collectives that may run again, so that all plan alike."""
        groups = [g for g in captured.groups if len(g) > 1]
        if not groups or not joint.gathers(policies.get("must_keep", ())):
            return contextlib.nullcontext()
        import torch.distributed as dist
        from torch.distributed.distributed_c10d import _get_default_store

        if dist.get_backend() == "fake":  # whose other ranks are nowhere
            return contextlib.nullcontext()
        store = dist.PrefixStore("repebble/graphs", _get_default_store())
        return Meeting(store, dist.get_rank(), groups, self.options.timeout)

    def _agree(self, meeting: Meeting, captured: Captured, joint: Joint) -> None:
        """Raises Error or BadOption where ranks would plan differently. Sets the times of the least rank."""
        options = self.options
        meeting.compare("graph", [*options.lines(), *captured.lines()])
        if timed := sorted({"seconds", "stop"} & {name for name, x in options.plan_options.items() if x is not None}):
            raise BadOption(
                f"a graph whose collectives may run again is planned alike on {len(meeting.groups)} ranks, without a "
                f"clock: work limits a search there, not {timed[0]}"
            )
        if not isinstance(options.times, str) or options.times not in DEVICES:
            given = meeting.share("times", [node.time for node in joint.nodes])
            joint.nodes[:] = [dataclasses.replace(node, time=t) for node, t in zip(joint.nodes, given)]

    def why_nothing(self) -> str:
        """Why there is no report, and what to write instead."""
        raise NotImplementedError

    def _prepare(self, captured: Captured, make: Callable[..., Any], default: Callable[[], Any]) -> Any:
        """The graph that is planned, the peaks that `plan_joint` asks for, and what makes both graphs of a plan."""
        return captured.joint, {}, lambda planned: (make(planned.program), None)

    def _plan_graph(self, graph: _Graph, peaks: dict[str, Any]) -> str:
        """Sets the plan of a graph. Returns its place in a step of several graphs."""
        options, before = self.options, [g for g in self._waiting if g.planned]
        plan = functools.partial(self._plan, graph.joint, **peaks, **graph.policies)
        if graph.key in self._shared:
            same, place = self._shared[graph.key]()[graph.key]
            graph.planned, graph.passes, graph.more = same.planned, same.passes, False
            graph.joint.between = same.joint.between
            graph.joint.hand(same.joint.handed)
            return place
        if not self._again:  # the next graph belongs to this step if it goes on behind a graph break
            self._waiting = [*before, graph] if graph.more else []
        quick = graph.more and self._again
        budget: int | str = 0 if quick else options.budget
        if before and not quick:  # what the graphs before it leave
            fixed = graph.fixed + sum(g.fixed for g in before)
            everything = peaks.get("default_peak", graph.keep_all())
            for one in reversed([g.planned.keep_all for g in before if g.planned]):
                everything = max(one.peak, one.kept + everything)
            held = sum(g.planned.measured.kept for g in before if g.planned)
            budget = max(0, bytes_of(budget, everything + fixed) - fixed - held) + graph.fixed
        alone = not before and not graph.more
        if alone and options.passes > 1:
            graph.passes = options.passes
            self._plan_step([graph])
            return f"graph 1 of 1, {graph.passes} passes: "
        least = options.least or (self._again and not alone)
        graph.planned = plan(budget, fixed=graph.fixed, least=least, quick=quick)
        graph.more = graph.more or not alone
        unknown = ", until all of these are known" if self._again else ""
        return "" if alone else f"graph {len(before) + 1} of a step{unknown}: "

    def _begun(self, graph: _Graph, saved: torch.Tensor | None) -> None:
        """A forward pass has run. It waits until its backward pass has run, or it is given up: `saved` is gone."""
        self._step.append(graph)
        self._waiting.append(graph)

        def given_up(_: Any) -> None:
            if mark in graph.marks:
                graph.marks.remove(mark)
                self._waiting.remove(graph)
                self._step.remove(graph)

        mark = None if saved is None else weakref.ref(saved.untyped_storage(), given_up)
        graph.marks.append(mark)

    def _ended(self, graph: _Graph) -> None:
        """A backward pass has run. When it was the last, and not all was known before, all graphs are planned again."""
        if graph in self._waiting:
            self._waiting.remove(graph)
        if self._waiting:
            return
        passes, self._step = collections.Counter(self._step), []
        known = len(passes) == 1 or all(g.key in self._shared for g in passes)
        known = known and not any(g.more or n > g.passes for g, n in passes.items())
        if known or any(g.code is None for g in passes):
            return

        seen = {g for g in passes if len(passes) == 1 or g.key in self._shared}  # else its passes were only expected

        @functools.cache
        def plan() -> dict[Any, tuple[_Graph, str]]:
            step = list(passes)
            for g in step:
                g.passes, g.more = max(passes[g], g.passes if g in seen else 1), False
            self._plan_step(step)
            times = [f", {g.passes} passes" if g.passes > 1 else "" for g in step]
            return {g.key: (g, f"graph {k + 1} of {len(step)}{times[k]}: ") for k, g in enumerate(step)}

        for g in passes:
            self._shared[g.key] = plan
            remove_from_cache(g.code)

    def _plan_step(self, step: list[_Graph]) -> None:
        """Sets the plans of all graphs of a step, in the order of their forward passes."""
        self.step = plan_step(
            step,
            self.options.budget,
            lambda part, limit: self._plan(part.joint, limit, least=True, **part.policies),
            self.options.least,
        )
        for graph, planned in zip(step, self.step.plans):
            graph.planned = dataclasses.replace(planned, budget=max(planned.budget, planned.measured.peak))

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
    """A backend of `torch.compile` that keeps a training step within a budget."""

    _again = True
    _asked = False  # whether Dynamo has brought a graph

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._compile = aot_autograd(
            fw_compiler=functools.partial(self._boxed, False),
            bw_compiler=functools.partial(self._boxed, True),
            inference_compiler=boxed,
            partition_fn=self.partition,
            keep_inference_input_mutations=True,
        )

    def why_nothing(self) -> str:
        if self._asked:
            return (
                "all graphs ran without gradients; call the model outside torch.no_grad(), with parameters that "
                "require gradients"
            )
        return (
            "Dynamo has brought no graph; call the model first, and with torch.compile(..., fullgraph=True), which "
            "names the line that Dynamo leaves to eager torch; where a wrapper such as DDP or FSDP has the model, "
            "compile the model and wrap what that returns"
        )

    def _boxed(self, backward: bool, module: fx.GraphModule, inputs: Any) -> Callable[[list[Any]], Any]:
        run, graph = boxed(module, inputs), module.meta.get(_Graph)
        if graph is None:  # nothing was planned of it
            return run
        there = {v.untyped_storage()._cdata for v in _times.tensors(module.graph.find_nodes(op="placeholder"))}
        saved = [_times.tensors(n) for n in next(iter(module.graph.find_nodes(op="output"))).args[0][graph.results :]]
        made = [k for k, v in enumerate(saved, graph.results) if v and v[0].untyped_storage()._cdata not in there]

        def call(arguments: list[Any]) -> Any:
            if backward:
                graph.unmark(arguments)
            outputs = run(arguments)
            if not backward and graph.planned and graph.planned.measured.copied:
                _copies.settle()
            if backward:
                self._ended(graph)
            else:
                self._begun(graph, outputs[made[0]] if made else None)
            return outputs

        call._boxed_call = True  # type: ignore[attr-defined]
        return call

    def __reduce__(self) -> Any:
        return Backend, (self.options,)  # a copy has plans of its own

    def __call__(self, module: fx.GraphModule, inputs: list[Any], **kwargs: Any) -> Callable[..., Any]:
        self._asked = True
        wrong = sorted(set(kwargs) - {"name"})
        if wrong:
            error = BadOption(f"a backend within a budget takes no {' or '.join(wrong)} of torch.compile's")
            raise _passed_through(error)
        fused = any(getattr(n.target, "__name__", "") == "lstm" for n in module.graph.nodes)
        if not fused:
            return self._compile(module, inputs)
        # oneDNN's fused LSTM returns no workspace for the backward pass that its fake tensors have
        enabled = torch._C._get_mkldnn_enabled()
        torch._C._set_mkldnn_enabled(False)
        try:
            return self._compile(module, inputs)
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
    on_infeasible: str | None = None,
    keep: Iterable[str] = (),
    recompute: Iterable[str] = (),
    planner: Planner | None = None,
    interconnect: str = _collectives.INTERCONNECT,
    timeout: float = 300.0,
    cache: bool | str | os.PathLike[str] = True,
    passes: int = 1,
    **plan_options: Any,
) -> Backend:
    """A backend: `torch.compile(model, backend=repebble.torch.backend("60%"))`.

    budget: bytes, "8GiB", or "60%" of what keeping everything takes; of activations and what passes between
    operations, for a whole step: graphs of one step share it. include: what else it is for: "parameters" (and buffers),
    "gradients", "optimizer" (`optimizer_states` times the parameters). times: "a100" or another name of `DEVICES`,
    "measure", or given by name or function, in nanoseconds. on_infeasible: where nothing fits, "least" takes the least
    peak that is found, as is usual for shares, and `report` says so; "raise" raises repebble.NoPlan when the model
    runs, as is usual for bytes. keep, recompute: values of the forward pass that are kept for the backward pass, or
    computed again there, by the path of the module that brings them, the operator ("aten.mm", `*` for any letters), or
    "checkpoint", for the marks of torch.utils.checkpoint; what is in both is kept. interconnect: bytes/s that a rank
    receives of the others, and the latency, which price collectives; all-gathers may run again. timeout: seconds until
    a rank that says nothing is an error, while a graph with such gathers is planned alike on all ranks. cache: the folder
    of plans and measured times, which are not made again; True: that of $REPEBBLE_CACHE, or `repebble` among the user's
    caches; False: none. passes: of one graph that are in flight at once, as where microbatches run forward before any runs
    backward; more of them, or other graphs, are planned for after the first step. plan_options: those of `repebble.plan`, such as seconds, or `link` and `host_budget`: then values
    may be copied to the host and back, beside computation.
    Raises repebble.BadOption or BadWeight where an argument cannot be.
    """
    given = (
        times,
        include,
        optimizer_states,
        on_infeasible,
        keep,
        recompute,
        planner,
        interconnect,
        timeout,
        cache,
        passes,
    )
    return Backend(Options(budget, *given, plan_options))


def _sequence(graph: _Graph) -> list[str]:
    """The collectives of a planned graph, in the order in which they run."""
    assert graph.planned is not None
    runs = [(graph.joint.nodes[c.node], c.run) for c in graph.planned.program.calls if c.node >= 0]
    return [f"{node.name}, run {run}" for node, run in runs if node.kind in IN_ORDER]


def _passed_through(error: Exception) -> Exception:
    """The error as one that Dynamo hands to the user as it is: of its own class, and one of Dynamo's."""
    bases = (ShortenTraceback,) if issubclass(ShortenTraceback, type(error)) else (type(error), ShortenTraceback)
    both = type(type(error).__name__, bases, {"__init__": Exception.__init__})
    passed = both(*error.args)
    passed.__dict__.update(error.__dict__, first_useful_frame=None)
    return passed


class _CompiledPlanning(_Planning):
    """Plans kernels in place of operations, and looks at what inductor makes of each plan."""

    def why_nothing(self) -> str:
        return (
            "inductor has partitioned no graph in the context; write torch.compile(model) and its first call, with "
            "gradients, inside `with partitioner(...)`, of a model that was not compiled before"
        )

    def _prepare(self, captured: Captured, make: Callable[..., Any], default: Callable[[], Any]) -> Any:
        fused = captured.fused()
        seen: dict[int, Any] = {}

        def peak_of(key: Any, modules: Any) -> int:
            calls = _inductor.compiled_without_kernels(modules, len(captured.joint.results))
            seen[id(key)] = key, modules, calls
            return run_both(modules, captured.joint, calls).peak

        peaks = {
            "default_peak": peak_of(default, default()),
            "compiled_peak": lambda program: peak_of(program, make(fused.expand(program), program.tensor_of)),
        }
        return (
            fused.joint,
            peaks,
            lambda planned: seen[id(default if planned.strategy == "default" else planned.program)][1:],
        )


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

    The arguments are those of `backend`, without `link` and `passes`. What it yields is for `report`. Planned is the peak of
    inductor's own code.
    """
    if options.get("link") is not None:
        raise BadOption(f"inductor's code copies nothing to the host: a partitioner takes no link: {options['link']!r}")
    if options.get("passes", 1) != 1:
        raise BadOption(f"a partitioner plans for one pass at a time: passes is 1, not {options['passes']!r}")
    planning = _CompiledPlanning(backend(budget, **options).options)
    with _inductor.held_to_plan(), torch._inductor.config.patch(custom_partitioner_fn=_Partitioner(planning)):
        yield planning


def report(model: Any) -> str:
    """What became of each graph of a compiled model: a line each, in the order in which they were compiled.

    model: what `torch.compile` returned, its backend, or what `partitioner` yielded.
    Raises ValueError where it has no budget.
    """
    planning = _planning_of(model)
    if planning is None:
        raise ValueError(
            "report takes a model or function compiled by repebble.torch.backend, that backend, or a partitioner; of a "
            "wrapper, the module inside"
        )
    return "\n".join(lines_of(planning.reports, planning.step)) or f"nothing was planned: {planning.why_nothing()}"


def _planning_of(model: Any) -> _Planning | None:
    place = _inside.planning_callback(model)
    while place is not None and not isinstance(place, _Planning):
        place = getattr(place, "_torchdynamo_orig_backend", None) or getattr(place, "compiler_fn", None)
    return place
