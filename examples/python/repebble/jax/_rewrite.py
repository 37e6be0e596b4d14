"""The function that runs a program: kernels in exactly its order, in XLA too.

XLA's CPU compiler drops `optimization_barrier` before it unites equal instructions, and so undoes `jax.checkpoint`. Here
each kernel is a call that must not be inlined: instructions of two calls are not united, nor fused, nor moved between
them. A counter that each call reads and writes holds the calls in the program's order, whatever XLA's scheduler wants.
Copies to the host and back begin after the calls before them, run beside those that follow, and have ended where what was
copied is discarded, or where what came back is read.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax import lax
from jax.experimental.xla_metadata import set_xla_metadata
from jax.extend import core

from ..torch._split import OFFLOAD, PREFETCH, WAIT, Call, Program
from ._trace import Traced

Views = dict[int, dict[int, int]]  # of an instance of a view: the tensors in memory that it needs, and their instances


Copy = Callable[[Call, Any, dict[int, Any]], Any]  # from a call, the counter and instances, which it adds to, to the counter


def copied(call: Call, count: Any, held: dict[int, Any]) -> Any:
    """A copy, or the wait for its end."""
    count, value = lax.optimization_barrier((count, held[call.reads[0]]))
    if call.node == WAIT:
        held[call.reads[0]] = value
    else:
        there = jax.memory.Space.Host if call.node == OFFLOAD else jax.memory.Space.Device
        held[call.writes[0]] = jax.device_put(value, there)
    return count


def stood_in(call: Call, count: Any, held: dict[int, Any]) -> Any:
    """What takes and frees the memory that a copy does on the device, where the host has none of its own: one element of
    what is copied stays in its place."""
    with set_xla_metadata(inlineable="false"):
        if call.node == PREFETCH:
            element, shape = held[call.reads[0]]
            count, held[call.writes[0]] = _spread(shape, count, element)
        else:
            source, host = held[call.reads[-1]], call.writes[0] if call.node == OFFLOAD else call.reads[0]
            count, element = _first_element(count, source)
            held[host] = element, source.shape
    return count


@jax.jit
def _first_element(count: Any, value: Any) -> Any:
    count, value = lax.optimization_barrier((count, value))
    return count + 1, value.ravel()[0]


@functools.partial(jax.jit, static_argnums=0)
def _spread(shape: tuple[int, ...], count: Any, element: Any) -> Any:
    count, element = lax.optimization_barrier((count, element))
    return count + 1, jax.numpy.broadcast_to(element, shape)


def array_of(literal: Any) -> Any:
    """The number of a jaxpr as an array."""
    return jax.numpy.asarray(literal.val, literal.aval.dtype)


class Kernels:
    """The kernels of a traced function, each made once for all programs."""

    def __init__(self, traced: Traced) -> None:
        self.traced = traced
        self._made: dict[int, tuple[list[int], Callable[..., Any]]] = {}

    def function(self, program: Program, copy: Copy = copied) -> Callable[..., list[Any]]:
        """From arguments to results, both without their trees."""
        return functools.partial(self._run, program, copy)

    def _run(self, program: Program, copy: Copy, *arguments: Any) -> list[Any]:
        held: dict[int, Any] = dict(zip(self.traced.arguments, arguments)) | self.traced.constants
        views = self.run_calls(program.calls, held, {}, copy)
        return [self.result(r, program, views, held) for r in self.traced.results]

    def run_calls(self, calls: Sequence[Call], held: dict[int, Any], views: Views, copy: Copy = copied) -> Views:
        """Runs calls from the instances that are held, and adds theirs; returns the views of these calls, too."""
        count: Any = jax.numpy.int32(0)
        views = {**views}
        for call in calls:
            if call.node in (OFFLOAD, WAIT, PREFETCH):
                count = copy(call, count, held)
            if call.node < 0:
                continue
            node = self.traced.fused.joint.nodes[call.node]
            bases: dict[int, int] = {}
            for tensor, instance in zip(node.reads, call.reads):
                bases |= views.get(instance, {tensor: instance})
            if node.kind == "view":
                views[call.writes[0]] = bases
                continue
            reads, kernel = self.kernel(call.node)
            with set_xla_metadata(inlineable="false"):
                count, *made = kernel(count, *(held[bases[t]] for t in reads))
            held.update((i, x) for i, x in zip(call.writes, made) if i >= 0)
        return views

    def result(self, result: Any, program: Program, views: Views, held: dict[int, Any]) -> Any:
        """One of the traced function's results."""
        joint = self.traced.fused.joint
        ends = dict(zip((*joint.results, *joint.gradients), (*program.results, *program.gradients)))
        if isinstance(result, core.Literal):
            return array_of(result)
        instance = ends.get(result, result)  # an argument is its own instance
        if instance in held:
            return held[instance]
        reads, equations = self._with_views([], [result])
        values = [held[views[instance][t]] for t in reads]
        return core.jaxpr_as_fun(self._jaxpr(reads, equations, [result]))(*values)[0]

    def kernel(self, node: int) -> tuple[list[int], Callable[..., Any]]:
        """The tensors in memory that a kernel reads, and the call: from a count and these to the count and its results."""
        if node not in self._made:
            fused = self.traced.fused
            reads, equations = self._with_views([*fused.kernels[node]], fused.joint.nodes[node].reads)
            run = core.jaxpr_as_fun(self._jaxpr(reads, equations, fused.joint.nodes[node].writes))

            def kernel(count: Any, *given: Any) -> Any:
                count, *values = lax.optimization_barrier((count, *given))  # so that jit keeps the counter
                return count + 1, *run(*values)

            kernel.__name__ = self.traced.equations[fused.kernels[node][-1]].primitive.name.replace("-", "_")
            self._made[node] = reads, jax.jit(kernel)
        return self._made[node]

    def _with_views(self, equations: list[int], tensors: Sequence[int]) -> tuple[list[int], list[int]]:
        """Equations with the views that tensors are of, and the tensors in memory that both read."""
        joint = self.traced.fused.original
        made = {t for e in equations for t in joint.nodes[e].writes}
        bases: dict[int, None] = {}
        found, waiting = {*equations}, [t for t in tensors if t not in made]
        while waiting:
            tensor = waiting.pop()
            producer = joint.producer[tensor]
            if producer >= 0 and joint.nodes[producer].kind == "view":
                if producer not in found:
                    found.add(producer)
                    waiting += joint.nodes[producer].reads
            else:
                bases[tensor] = None
        return sorted(bases), sorted(found)

    def _jaxpr(self, reads: Sequence[int], equations: Sequence[int], writes: Sequence[int]) -> core.ClosedJaxpr:
        variables = self.traced.variables
        chosen = [self.traced.equations[e] for e in equations]
        effects = frozenset().union(*(e.effects for e in chosen))
        inputs, outputs = [variables[t] for t in reads], [variables[t] for t in writes]
        return core.ClosedJaxpr(core.Jaxpr((), inputs, outputs, chosen, effects, self.traced.debug_info), ())
