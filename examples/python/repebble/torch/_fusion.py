"""Kernels in place of operations: what a compiler that fuses never puts into memory costs nothing. Knows no torch.

A pointwise value that one kernel reads is computed inside that kernel. What several kernels read is computed in each of
them where that keeps no more bytes in memory than the value would take, and is put into memory otherwise.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection

from ._joint import Joint, Node
from ._split import Call, Program

_MOST_KERNELS = 4  # that compute a value again each
_SLACK = 1.1  # bytes that a value may keep in memory, as a share of its own


class Fused:
    """A joint graph as kernels: `joint`, and of each of its nodes the nodes of the original that it runs, in order."""

    def __init__(
        self,
        original: Joint,
        pointwise: Collection[int],
        fusing: Collection[int],
        time: Callable[[tuple[int, ...]], float] | None = None,
    ) -> None:
        """pointwise: nodes that can be computed where they are read. fusing: nodes that can compute what they read.

        time: of a kernel, by its nodes; by default the sum of theirs.
        """
        self.original = original
        self._inlined = _inlined(original, pointwise, fusing)
        self.kernels: list[tuple[int, ...]] = []
        nodes: list[Node] = []
        inner: set[int] = set()  # views of inlined values
        for index, node in enumerate(original.nodes):
            above = [original.producer[t] for t in node.reads]
            if node.kind == "view" and any(a in self._inlined or a in inner for a in above):
                inner.add(index)
            if index in self._inlined or index in inner:
                continue
            kernel = self._kernel(index, inner)
            made = {t for k in kernel for t in original.nodes[k].writes}
            reads = dict.fromkeys(t for k in kernel for t in original.nodes[k].reads if t not in made)
            spent = node.time
            if len(kernel) > 1:
                spent = time(kernel) if time else sum(original.nodes[k].time for k in kernel)
            nodes.append(dataclasses.replace(node, reads=tuple(reads), time=spent))
            self.kernels.append(kernel)
        self.joint = dataclasses.replace(original, nodes=nodes)

    def _kernel(self, root: int, inner: set[int]) -> tuple[int, ...]:
        members, waiting = {root}, [root]
        while waiting:
            for tensor in self.original.nodes[waiting.pop()].reads:
                producer = self.original.producer[tensor]
                if (producer in self._inlined or producer in inner) and producer not in members:
                    members.add(producer)
                    waiting.append(producer)
        return tuple(sorted(members))

    def expand(self, program: Program) -> Program:
        """A program of `joint` as one of the original."""
        nodes = self.original.nodes
        tensor_of = dict(program.tensor_of)
        next_instance = max([len(self.original.storage_of), *(i + 1 for i in tensor_of)])
        runs: dict[int, int] = {}
        calls: list[Call] = []
        last: dict[int, int] = {}
        barrier = 0
        for k, call in enumerate(program.calls):
            if k == program.barrier:
                barrier = len(calls)
            if call.node < 0:
                calls.append(call)
                continue
            kernel = self.kernels[call.node]
            local = dict(zip(self.joint.nodes[call.node].reads, call.reads))
            for index in kernel:
                writes = call.writes
                if index != kernel[-1]:
                    writes = tuple(range(next_instance, next_instance + len(nodes[index].writes)))
                    next_instance += len(writes)
                    tensor_of.update(zip(writes, nodes[index].writes))
                reads = tuple(local[t] for t in nodes[index].reads)
                last[index] = len(calls)
                calls.append(Call(index, runs.get(index, 0), reads, writes))
                runs[index] = runs.get(index, 0) + 1
                local.update(zip(nodes[index].writes, writes))
        states = {self.kernels[n][-1]: last[self.kernels[n][-1]] for n in program.saved_states}
        return dataclasses.replace(program, calls=calls, tensor_of=tensor_of, barrier=barrier, saved_states=states)


def _inlined(joint: Joint, pointwise: Collection[int], fusing: Collection[int]) -> dict[int, frozenset[int]]:
    """The nodes whose result is never in memory, and the kernels that compute it."""
    nodes = joint.nodes
    readers: dict[int, list[int]] = {}
    for index, node in enumerate(nodes):
        for tensor in node.reads:
            readers.setdefault(tensor, []).append(index)
    ends = {joint.storage_of[t] for t in (*joint.results, *joint.updates, *joint.gradients) if t >= 0}
    kernels: dict[int, frozenset[int] | None] = {}  # that read a node, also through views; None: it is in memory
    inlined: dict[int, frozenset[int]] = {}

    def read_by(index: int) -> frozenset[int] | None:
        found: set[int] = set()
        for tensor in nodes[index].writes:
            if joint.storage_of[tensor] in ends:
                return None
            for reader in readers.get(tensor, ()):
                more = kernels.get(reader)
                if more is None and reader not in fusing:
                    return None
                found |= {reader} if more is None else more
        return frozenset(found)

    for index in range(len(nodes) - 1, -1, -1):
        node = nodes[index]
        if node.kind == "view":
            kernels[index] = read_by(index)
        elif node.kind == "compute" and index in pointwise and len(node.writes) == 1:
            storage = joint.storage_of[node.writes[0]]
            found = read_by(index) if joint.owner.get(storage) == index else None
            if found and _cheap(joint, index, found):
                kernels[index] = inlined[index] = found
    return inlined


def _cheap(joint: Joint, index: int, kernels: frozenset[int]) -> bool:
    """Whether the node, computed in each of the kernels, keeps no more bytes in memory than its result would."""
    node = joint.nodes[index]
    if len(kernels) == 1 and all(joint.nodes[k].backward == node.backward for k in kernels):
        return True
    kept = {s for t in node.reads for s in joint.needs(t)[0]}
    return len(kernels) <= _MOST_KERNELS and sum(map(joint.size, kept)) <= _SLACK * joint.size(
        joint.storage_of[node.writes[0]]
    )
