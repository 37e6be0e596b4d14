"""Functions within a memory budget, and what became of them."""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import jax

from .._budget import bytes_of
from .._errors import BadOption, NoPlan
from .._plan import plan as plan_graph
from ..torch._planning import Planned, plan_joint
from ..torch._split import OFFLOAD, PREFETCH, Program, keep_all_steps, split
from ._rewrite import Kernels, copied, stood_in
from ._scan import Body, find_loops, plans, rewritten, time_beside
from ._trace import Times, Traced, check_times, trace

INFEASIBLE = ("raise", "least")
_LEAST_SCHEDULE = {"xla_cpu_scheduler_type": "CPU_SCHEDULER_TYPE_MEMORY_OPTIMIZED"}
HOST = "pinned_host"
_COPIES = ("link", "host_budget", "time_unit")
#: For measuring alone: the machine code is not what takes memory.
_QUICK: dict[str, Any] = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}


def temporary_bytes(function: Callable[..., Any], *arguments: Any, options: dict[str, Any] | None = None) -> int:
    """Bytes that XLA's compiled code takes beside arguments and results.

    options: compiler options of XLA.
    """
    lowered = jax.jit(function).lower(*arguments)
    found: Any = lowered.compile(compiler_options={**_QUICK, **(options or {})}).memory_analysis()
    return int(found.temp_size_in_bytes)


@dataclasses.dataclass
class Report:
    """What became of a function with arguments of some shapes. Bytes are XLA's temporary ones."""

    name: str
    budget: int
    default: int
    """What XLA takes without a plan."""
    everything: int
    """100 %: the lesser of `default` and what XLA takes with its scheduler for least memory."""
    planned: Planned | None
    """None where nothing beside `loops` is planned; without these the function is as it was."""
    peak: int
    """What XLA takes; on the CPU, whose host is its device, what it takes where the copies' bytes are elsewhere."""
    traced: Traced
    loops: list[Body]
    """Scans that are planned, each with that of its gradients."""
    time: float
    """Nanoseconds of everything once."""
    seconds: float
    missed: list[str]
    """Of `keep` and `recompute`, the names that demand nothing here."""

    @property
    def overhead(self) -> float:
        """Time of what runs again and of waiting for copies, as a share of everything once."""
        again = sum(body.overhead for body in self.loops) + (self.planned.measured.overhead if self.planned else 0)
        return again / self.time if self.time else 0.0

    def recomputed(self) -> list[str]:
        """The kernels that run again, in order: operation, number, and file, line and function of the user's code. Those
        of `loops` come last: they run again in each step."""
        nodes = self.traced.fused.joint.nodes
        own = [nodes[c.node].name for c in self._program.calls if c.run] if self.planned else []
        return own + [name for body in self.loops for name in body.recomputed()]

    def kept(self) -> list[tuple[str, int]]:
        """What the backward pass finds on the device, with its bytes."""
        return self._named(self._crossing()[0])

    def offloaded(self) -> list[tuple[str, int]]:
        """What is copied to the host, with its bytes, in order."""
        return self._named(self._copies(OFFLOAD))

    def prefetched(self) -> list[tuple[str, int]]:
        """What is copied back, with its bytes, in order."""
        return self._named(self._copies(PREFETCH))

    def policy(self) -> Callable[..., Any]:
        """For `jax.checkpoint` of the function that is differentiated, by names of jax.ad_checkpoint.checkpoint_name: what
        the backward pass finds on the device is saved, what it copies back is offloaded. All else is computed again, and
        so is what has no name.

        Raises BadOption where a name has values of different fates.
        """
        policies: Any = jax.checkpoint_policies
        found: Callable[..., Any] = policies.everything_saveable
        if not self.planned and not self.loops:
            return found
        fates: dict[str, str] = {}
        for name, fate in self._fates():
            if fates.setdefault(name, fate) != fate:
                raise BadOption(
                    f"of the values of name {name!r} some are {fates[name]}, some {fate}: "
                    "names of their own let a policy tell them apart"
                )
        found = policies.save_and_offload_only_these_names(
            names_which_can_be_saved=[name for name, fate in fates.items() if fate == "saved"],
            names_which_can_be_offloaded=[name for name, fate in fates.items() if fate == "offloaded"],
            offload_src="device",
            offload_dst=HOST,
        )
        return found

    @property
    def _program(self) -> Program:
        joint = self.traced.fused.joint
        return self.planned.program if self.planned else split(joint, keep_all_steps(joint))

    def _storages(self, instances: Iterable[int]) -> list[int]:
        joint, program = self.traced.fused.joint, self._program
        found = (joint.storage_of[program.tensor_of[i]] for i in instances)
        return [s for s in found if s in joint.owner]

    def _copies(self, kind: int) -> list[int]:
        return self._storages(i for c in self._program.calls if c.node == kind for i in c.writes)

    def _crossing(self) -> tuple[list[int], list[int]]:
        """Storages of the forward pass that the backward pass finds on the device, and those that it copies back."""
        joint, calls = self.traced.fused.joint, self._program.calls
        first = (k for k, c in enumerate(calls) if c.node >= 0 and joint.nodes[c.node].backward)
        begin = next(first, len(calls))
        made, later = {i for c in calls[:begin] for i in c.writes}, calls[begin:]
        kept = self._storages(i for c in later if c.node >= 0 for i in c.reads if i in made)
        back = self._storages(i for c in later if c.node == PREFETCH for i in c.writes)
        back = [s for s in back if not joint.nodes[joint.owner[s]].backward and s not in kept]
        return [*dict.fromkeys(kept)], [*dict.fromkeys(back)]

    def _fates(self) -> Iterator[tuple[str, str]]:
        """Names with what becomes of their values."""
        kept, back = map(set, self._crossing())
        parts: list[tuple[Traced, Program, set[int], set[int]]] = [(self.traced, self._program, kept, back)]
        parts += [(b.loop.traced, b.planned.program, b.kept_storages, set()) for b in self.loops]
        for traced, program, kept, back in parts:
            joint, again = traced.fused.joint, {c.node for c in program.calls if c.run}
            named = ((name, node) for name, nodes in traced.names.items() for node in nodes)
            for name, storage in ((name, joint.storage_of[t]) for name, k in named for t in traced.joint.nodes[k].writes):
                if storage in kept or storage in back:
                    yield name, "saved" if storage in kept else "offloaded"
                elif joint.owner.get(storage) in again:
                    yield name, "computed again"

    def _named(self, storages: Iterable[int]) -> list[tuple[str, int]]:
        joint = self.traced.fused.joint
        return [(joint.nodes[joint.owner[s]].name, joint.sizes[s]) for s in storages]

    def __str__(self) -> str:
        plan, again = self.planned, self.planned.measured.recomputed if self.planned else 0
        within = "" if self.peak <= self.budget else " (more than the budget: the least that was found)"
        what = (
            f"{again} of {len(self.traced.fused.joint.nodes)} kernels run again, {100 * self.overhead:.2f} % more time"
            if plan or self.loops
            else "unchanged"
        )
        lines = [
            f"{self.name}: budget {self.budget:,} bytes, XLA takes {self.peak:,}{within}, without a plan {self.default:,}"
            f" ({self.everything:,} is 100 %); {what}; {self.seconds:.1f} s"
            f"{'; nothing is kept or recomputed by ' if self.missed else ''}{', '.join(map(repr, self.missed))}"
        ]
        if plan:
            lines += [f"  kept: {name}, {size:,} bytes" for name, size in self.kept()]
            lines += [f"  offloaded: {name}, {size:,} bytes" for name, size in self.offloaded()]
        lines += [f"  {loop}" for loop in self.loops]
        lines += [f"  again: {name}" for name in self.recomputed()]
        return "\n".join(lines)


def memory_kinds() -> list[str]:
    """Kinds of memory of the default backend's devices."""
    return sorted({memory.kind for memory in jax.devices()[0].addressable_memories()})


class Function:
    """A function within a budget: plans when it meets arguments of new shapes, and then runs by that plan."""

    def __init__(self, function: Callable[..., Any], budget: int | str, **options: Any) -> None:
        self._function, self._budget, self._options = function, budget, options
        self._planned: dict[Any, tuple[Report, Callable[..., Any]]] = {}
        functools.update_wrapper(self, function)

    @property
    def reports(self) -> list[Report]:
        """A report for each set of shapes, in the order in which they came."""
        return [report for report, _ in self._planned.values()]

    def plan_for(self, *arguments: Any, **named: Any) -> Report:
        """Plans for arguments, or for jax.ShapeDtypeStruct in their place, without running anything."""
        return self._plan(*jax.tree.flatten((arguments, named)))[0]

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if self._options["plan_options"].get("link") is not None and HOST not in (kinds := memory_kinds()):
            raise BadOption(
                f"a link needs memory of kind {HOST!r}, and {jax.default_backend()} has {', '.join(kinds)}; "
                "plan_for makes reports and policies without it"
            )
        leaves, tree = jax.tree.flatten((arguments, named))
        return self._plan(leaves, tree)[1](*leaves)

    def _plan(self, leaves: list[Any], tree: Any) -> tuple[Report, Callable[..., Any]]:
        shapes = [jax.typeof(x) if not isinstance(x, jax.ShapeDtypeStruct) else x for x in leaves]
        given = [jax.ShapeDtypeStruct(x.shape, x.dtype, weak_type=getattr(x, "weak_type", False)) for x in shapes]
        key = tree, tuple((x.shape, x.dtype, x.weak_type) for x in given)
        if key not in self._planned:
            self._planned[key] = _planned(self._function, self._budget, tree, given, **self._options)
        return self._planned[key]


def plan(
    function: Callable[..., Any],
    budget: int | str,
    *,
    times: Times = "a100",
    on_infeasible: str = "raise",
    keep: Iterable[str] = (),
    recompute: Iterable[str] = (),
    **plan_options: Any,
) -> Function:
    """A function that computes what `function` does, in at most `budget` temporary bytes of XLA's code.

    function: with the gradients in it, such as `jax.value_and_grad(loss)`, or a whole training step. What it returns is
        for `jax.jit`, alone or inside other functions; it is not to be differentiated.
    budget: bytes, such as 1000 or "8GiB", or a share of what XLA takes without a plan, such as "60%". Arguments and
        results are not in it.
    times: of equations in nanoseconds: of a device's roofline ("1080ti", "a100", "h100", "gh200"), a pair of FLOP/s and
        bytes/s, or a function of the equation.
    on_infeasible: "raise", or "least": where nothing fits, the least that is found is taken.
    keep, recompute: names that jax.ad_checkpoint.checkpoint_name gave to values: these are kept from the forward pass for
        the backward pass, or computed again there.
    plan_options: those of `repebble.plan`, such as `seconds`, or `link` and `host_budget`: then values may be copied to the
        host and back. The times are nanoseconds, whatever `times` is.

    The plan is made at the first call with arguments of these shapes; XLA compiles each attempt, to measure it.
    Raises NoPlan at that call where nothing fits: `error.found` is a budget that works; BadOption, BadWeight.
    """
    bytes_of(budget, 0)
    check_times(times)
    if on_infeasible not in INFEASIBLE:
        raise BadOption(f"on_infeasible is {' or '.join(INFEASIBLE)}, not {on_infeasible!r}")
    names = {"keep": _names("keep", keep), "recompute": _names("recompute", recompute)}
    if plan_options.setdefault("time_unit", "ns") != "ns":
        raise BadOption(f"times are nanoseconds: time_unit is 'ns', not {plan_options['time_unit']!r}")
    try:  # an option that cannot be is refused here, not at the first call
        plan_graph({"values": [], "operations": []}, 0, **plan_options)
    except TypeError as error:
        raise BadOption(f"plan has no option {str(error).split()[-1]}") from None
    return Function(function, budget, times=times, least=on_infeasible == "least", **names, plan_options=plan_options)


def _names(what: str, given: Iterable[str]) -> list[str]:
    names = [] if isinstance(given, str) else [*given]
    if isinstance(given, str) or not all(isinstance(x, str) for x in names):
        raise BadOption(f"{what} is a list of names, not {given!r}")
    return names


def report(function: Function) -> str:
    """Of each set of shapes that a planned function met: budget, XLA's bytes, what is kept and what runs again."""
    return "\n".join(map(str, function.reports)) or f"{getattr(function, '__name__')}: nothing was planned yet"


def _planned(
    function: Callable[..., Any],
    budget: int | str,
    tree: Any,
    given: list[jax.ShapeDtypeStruct],
    *,
    times: Times,
    least: bool,
    keep: list[str],
    recompute: list[str],
    plan_options: dict[str, Any],
) -> tuple[Report, Callable[..., Any]]:
    begin = time.perf_counter()
    results: list[Any] = []

    def flat(*leaves: Any) -> list[Any]:
        arguments, named = jax.tree.unflatten(tree, leaves)
        found, shape = jax.tree.flatten(function(*arguments, **named))
        results[:] = [shape]
        return found

    marked = [*keep, *recompute]
    traced = trace(jax.make_jaxpr(flat)(*given), times, marked)
    default = temporary_bytes(flat, *given)
    everything = min(default, temporary_bytes(flat, *given, options=_LEAST_SCHEDULE))
    limit = bytes_of(budget, everything)
    name = getattr(function, "__name__", "the function")
    policies, missed = _policies(traced, keep, recompute)

    def made(run: Callable[..., list[Any]], peak: int, plan: Planned | None) -> tuple[Report, Callable[..., Any]]:
        spent = time.perf_counter() - begin
        once = time_beside(source, bodies) + sum(body.time for body in bodies.values())
        report = Report(name, limit, default, everything, plan, peak, traced, [*bodies.values()], once, spent, missed)
        return report, _unflattened(run, results)

    bodies: dict[tuple[int, int], Body] = {}
    run: Callable[..., list[Any]] = flat
    peak, source = default, traced
    inside = {key: value for key, value in plan_options.items() if key not in _COPIES}
    attempts = plans(find_loops(traced, times) if default > limit else {}, **inside)
    while peak > limit and (more := next(attempts, None)):
        bodies, run = more, rewritten(source, more)
        peak = temporary_bytes(run, *given)
    if bodies:
        traced = trace(jax.make_jaxpr(run)(*given), times, marked)
        policies, missed = _policies(traced, keep, recompute)
    if peak <= limit and not policies:
        return made(run, peak, None)

    kernels = Kernels(traced)
    joint = traced.fused.joint

    copy = stood_in if jax.default_backend() == "cpu" else copied

    def compiled(program: Program) -> int:
        return temporary_bytes(kernels.function(program, copy), *given)

    joint.name = name
    once = compiled(split(joint, keep_all_steps(joint)))
    options = {**plan_options, **policies}
    try:
        planned = plan_joint(joint, limit, compiled_peak=compiled, default_peak=once, least=least, **options)
    except NoPlan as none:
        raise NoPlan(
            f"no plan of {name} within {limit:,} bytes was found; one was found within {none.found:,}; "
            f"without a plan XLA takes {everything:,}",
            none.needed,
            none.operation,
            False,
            none.found,
        ) from None
    return made(kernels.function(planned.program), planned.measured.peak, planned)


def _policies(traced: Traced, keep: list[str], recompute: list[str]) -> tuple[dict[str, list[int]], list[str]]:
    """Options of `repebble.plan` by names, and the names that demand nothing."""
    joint = traced.fused.joint
    kept = joint.values_of(_nodes(traced, keep))
    again = {*joint.values_of(_nodes(traced, recompute), again=True)} - {*kept}
    missed = [n for n in (*keep, *recompute) if not joint.values_of(_nodes(traced, [n]), again=n in recompute)]
    found = {"must_keep": kept, "must_recompute": sorted(again)}
    return {key: values for key, values in found.items() if values}, missed


def _nodes(traced: Traced, names: Iterable[str]) -> set[str]:
    return {traced.joint.nodes[k].name for name in names for k in traced.names.get(name, ())}


def _unflattened(flat: Callable[..., list[Any]], results: list[Any]) -> Callable[..., Any]:
    return lambda *leaves: jax.tree.unflatten(results[0], flat(*leaves))
