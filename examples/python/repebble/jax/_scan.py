"""What each step of a scan keeps for the scan of its gradients: planned once, for all steps.

JAX makes two loops of a scan that is differentiated: one that stacks what each step leaves, one that reads the stacks
backward. Both bodies together are one joint graph with a barrier between the passes. What is kept across it takes memory
once for each step, all else once for the loop: so a plan of the body has the least time for so many bytes at the barrier.
The two loops are then written again by that plan; what they have in common with all else is left as it is.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import jax
from jax import lax
from jax.ad_checkpoint import checkpoint_name
from jax.extend import core, source_info_util

from ..torch._planning import Planned, plan_joint
from ._rewrite import Kernels, array_of
from ._trace import Times, Traced, source_of, trace

#: Of what a body keeps when nothing runs again: shares that are tried in turn.
SHARES = (1.0, 0.75, 0.5, 0.35, 0.25, 0.15, 0.0)


@dataclasses.dataclass(frozen=True)
class _Scan:
    """An equation that is a scan, with its inputs and outputs by what they are."""

    equation: core.JaxprEqn

    def __getattr__(self, name: str) -> Any:
        return self.equation.params[name]

    @property
    def sources(self) -> tuple[list[Any], list[Any], list[Any]]:
        """Constants, what is carried, and what is read by slices."""
        carry = self.num_consts + self.num_carry
        atoms = self.equation.invars
        return atoms[: self.num_consts], atoms[self.num_consts : carry], atoms[carry:]

    @property
    def stacked(self) -> list[Any]:
        """What each step leaves."""
        return self.equation.outvars[self.num_carry :]


class Loop:
    """A scan and that of its gradients."""

    def __init__(self, first: core.JaxprEqn, second: core.JaxprEqn, elsewhere: set[Any], times: Times) -> None:
        """elsewhere: the variables that anything but `second` reads."""
        self.first, self.second = _Scan(first), _Scan(second)
        forward = self.first.equation.invars
        left = {v: self.first.num_carry + k for k, v in enumerate(self.first.stacked)}
        sliced = {v: k for k, v in enumerate(forward) if k >= self.first.num_consts + self.first.num_carry}
        begin = self.second.num_consts + self.second.num_carry
        #: Of each input of the second body: where the first body has it, as a result or as an input.
        self.linked = {k: left[v] for k, v in enumerate(second.invars) if k >= begin and _in(v, left)}
        self.shared = {k: sliced[v] for k, v in enumerate(second.invars) if k >= begin and _in(v, sliced)}
        self.own = [k for k in range(len(second.invars)) if k not in self.linked and k not in self.shared]
        #: Of the first body's results, those that are needed beside the second loop.
        used = {*self.linked.values()}
        self.results = [k for k, v in enumerate(first.outvars) if k not in used or v in elsewhere]
        bodies = [first.params["jaxpr"], second.params["jaxpr"]]
        shapes = [*bodies[0].in_avals, *(bodies[1].in_avals[k] for k in self.own)]
        given = [jax.ShapeDtypeStruct(a.shape, a.dtype, weak_type=a.weak_type) for a in shapes]
        closed = jax.make_jaxpr(functools.partial(self._both, *map(core.jaxpr_as_fun, bodies)))(*given)
        self.traced = trace(closed, times, forward=(len(forward), len(self.results)))
        self.kernels = Kernels(self.traced)

    def _both(self, first: Callable[..., Any], second: Callable[..., Any], *given: Any) -> list[Any]:
        """Both bodies, one after the other."""
        forward = given[: len(self.first.equation.invars)]
        made, own = first(*forward), dict(zip(self.own, given[len(forward) :]))
        count = len(self.second.equation.invars)
        inputs = [
            own[k] if k in own else made[self.linked[k]] if k in self.linked else forward[self.shared[k]]
            for k in range(count)
        ]
        return [*(made[k] for k in self.results), *second(*inputs)]

    def plan(self, share: float, **options: Any) -> Body:
        """The least time where a step keeps at most this share of what it keeps when nothing runs again."""
        joint = self.traced.fused.joint
        held = sum(map(joint.size, {joint.storage_of[t] for t in joint.results}))
        wide = 2 * sum(joint.sizes) + 1  # no other moment can be the peak
        waits = dataclasses.replace(joint, between=wide)
        most = plan_joint(waits, 2 * wide).measured.peak - wide - held
        return Body(self, plan_joint(waits, wide + held + int(share * most), least=True, **options))


@dataclasses.dataclass
class Body:
    """A loop by a plan of its body."""

    loop: Loop
    planned: Planned

    def __post_init__(self) -> None:
        program, loop = self.planned.program, self.loop
        joint = loop.traced.joint
        inputs, carry = {*joint.inputs, *joint.tangents}, loop.first.num_consts + loop.first.num_carry
        carried = range(loop.first.num_consts, carry)
        ends = [r for r in loop.traced.results[len(loop.results) :] if isinstance(r, int) and r in carried]
        saved: list[int] = [*program.saved(joint), *ends]
        #: Instances that a step of the first loop leaves for the second: the state that it begins with may be among them.
        self.saved = [i for i in dict.fromkeys(saved) if i in carried or i not in inputs]
        self.rest = [*range(loop.first.num_consts), *range(carry, len(loop.first.equation.invars))]

    @property
    def time(self) -> float:
        """Time of everything once, in all steps."""
        return self.planned.keep_all.time * float(self.loop.first.length)

    @property
    def overhead(self) -> float:
        """Time of what runs again, in all steps."""
        return self.planned.measured.overhead * float(self.loop.first.length)

    @property
    def kept(self) -> int:
        """Bytes that each step leaves for the second loop."""
        return sum(self.loop.traced.joint.sizes[s] for s in self.kept_storages)

    @property
    def kept_storages(self) -> set[int]:
        """Storages that each step leaves for the second loop."""
        joint, program = self.loop.traced.joint, self.planned.program
        return {joint.storage_of[program.tensor_of.get(i, i)] for i in self.saved}

    def __str__(self) -> str:
        place = source_of(self.loop.first.equation)
        return f"scan of {place}: {self.kept:,} bytes are kept of each of {self.loop.first.length} steps"

    def recomputed(self) -> list[str]:
        """The kernels that run again in each step, in order."""
        nodes = self.loop.traced.fused.joint.nodes
        return [nodes[c.node].name for c in self.planned.program.calls if c.node >= 0 and c.run]

    def forward(self, constants: list[Any], carry: Any, slices: Any) -> tuple[Any, Any]:
        """A step of the first loop: beside its results it leaves what is kept."""
        loop, program = self.loop, self.planned.program
        held = dict(enumerate([*constants, *carry, *slices])) | loop.traced.constants
        views = loop.kernels.run_calls(program.calls[: program.barrier], held, {})
        made = [loop.kernels.result(r, program, views, held) for r in loop.traced.results[: len(loop.results)]]
        count = loop.first.num_carry
        return made[:count], (made[count:], [held[i] for i in self.saved])

    def backward(self, constants: list[Any], given: list[Any], carry: Any, slices: Any) -> tuple[Any, Any]:
        """A step of the second loop: what was not kept runs again."""
        loop, program = self.loop, self.planned.program
        own, kept, read = slices
        held = dict(zip(self.rest, [*given, *read])) | loop.traced.constants | dict(zip(self.saved, kept))
        held.update(enumerate([*constants, *carry, *own], len(loop.first.equation.invars)))
        views = loop.kernels.run_calls(program.calls[program.barrier :], held, {})
        ends = loop.traced.results[len(loop.results) :]
        made = [loop.kernels.result(r, program, views, held) for r in ends]
        return made[: loop.second.num_carry], made[loop.second.num_carry :]


def _in(variable: Any, where: Any) -> bool:
    return isinstance(variable, core.Var) and variable in where


def find_loops(traced: Traced, times: Times) -> dict[tuple[int, int], Loop]:
    """Scans of a traced function that leave something for a scan in the other direction, by their equations."""
    scans = {k: e for k, e in enumerate(traced.equations) if e.primitive.name == "scan" and not e.effects}
    makers = {v: k for k, e in scans.items() for v in _Scan(e).stacked}
    found: dict[tuple[int, int], Loop] = {}
    for k, equation in scans.items():
        second = _Scan(equation)
        first = next((makers[v] for v in second.sources[2] if _in(v, makers)), None)
        if first is None or any(first in pair or k in pair for pair in found):
            continue
        other = scans[first].params
        if other["length"] == second.length and other["reverse"] != second.reverse:
            elsewhere = {v for j, e in enumerate(traced.equations) if j != k for v in e.invars if isinstance(v, core.Var)}
            elsewhere |= {traced.variables[r] for r in traced.results if isinstance(r, int)}
            found[first, k] = Loop(scans[first], equation, elsewhere, times)
    return found


def time_beside(traced: Traced, bodies: dict[tuple[int, int], Body]) -> float:
    """Time of all that is in no loop, once."""
    inside = {k for pair in bodies for k in pair}
    kernels = zip(traced.fused.joint.nodes, traced.fused.kernels)
    return sum(node.time for node, kernel in kernels if not inside.intersection(kernel))


def rewritten(traced: Traced, bodies: dict[tuple[int, int], Body]) -> Callable[..., list[Any]]:
    """The traced function with its loops by these plans, from arguments to results without their trees."""
    return functools.partial(_run, traced, bodies)


def _run(traced: Traced, bodies: dict[tuple[int, int], Body], *arguments: Any) -> list[Any]:
    held: dict[Any, Any] = dict(zip(traced.variables, arguments))
    held.update((traced.variables[t], value) for t, value in traced.constants.items())
    firsts, seconds = ({pair[k]: body for pair, body in bodies.items()} for k in (0, 1))
    names = {k: name for name, nodes in traced.names.items() for k in nodes}
    stacks: dict[int, Any] = {}

    def values(atoms: Iterable[Any]) -> list[Any]:
        return [array_of(a) if isinstance(a, core.Literal) else held[a] for a in atoms]

    for k, equation in enumerate(traced.equations):
        place = equation.source_info
        if k in firsts:
            with source_info_util.user_context(place.traceback, name_stack=place.name_stack):
                made, stacks[id(firsts[k])] = _first(firsts[k], values)
            held.update(zip((equation.outvars[j] for j in firsts[k].loop.results), made))
        elif k in seconds:
            with source_info_util.user_context(place.traceback, name_stack=place.name_stack):
                held.update(zip(equation.outvars, _second(seconds[k], values, stacks[id(seconds[k])])))
        else:
            inputs = [v for v in equation.invars if isinstance(v, core.Var)]
            single = core.Jaxpr((), inputs, equation.outvars, [equation], equation.effects, traced.debug_info)
            made = core.jaxpr_as_fun(core.ClosedJaxpr(single, ()))(*values(inputs))
            if k in names:
                made = [checkpoint_name(x, names[k]) for x in made]
            held.update(zip(equation.outvars, made))
    return [values([r])[0] if isinstance(r, core.Literal) else held[traced.variables[r]] for r in traced.results]


def _first(body: Body, values: Callable[..., list[Any]]) -> tuple[list[Any], Any]:
    """What the first loop makes, and what it leaves for the second."""
    scan = body.loop.first
    constants, carry, slices = map(values, scan.sources)
    step = functools.partial(body.forward, constants)
    carry, (made, kept) = lax.scan(step, carry, slices, scan.length, scan.reverse, scan.unroll)
    return [*carry, *made], kept


def _second(body: Body, values: Callable[..., list[Any]], kept: Any) -> list[Any]:
    """What the second loop makes."""
    loop, scan = body.loop, body.loop.second
    constants, carry = map(values, scan.sources[:2])
    own = values(scan.equation.invars[k] for k in loop.own if k >= scan.num_consts + scan.num_carry)
    given, _, slices = map(values, loop.first.sources)
    step = functools.partial(body.backward, constants, given)
    carry, made = lax.scan(step, carry, (own, kept, slices), scan.length, scan.reverse, scan.unroll)
    return [*carry, *made]


def plans(loops: dict[tuple[int, int], Loop], **options: Any) -> Iterator[dict[tuple[int, int], Body]]:
    """Plans of the bodies of all loops, those that keep most first; each keeps less than the one before it."""
    before: list[int] = []
    for share in SHARES if loops else ():
        bodies = {pair: loop.plan(share, **options) for pair, loop in loops.items()}
        if (kept := [body.kept for body in bodies.values()]) != before:
            yield bodies
        before = kept
