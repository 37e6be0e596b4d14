"""From a schedule to the calls of a forward and a backward pass, and the bytes that they hold. Knows no torch.

Every call writes *instances*: numbers of what a run of a node brought. Whoever executes the program frees an instance
after the last call that reads it; `measure` counts the bytes that storages then hold.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from ._joint import BARRIER, STATE, UNSEEN, Joint

CLONE, OFFLOAD, WAIT, PREFETCH = -2, -3, -4, -5


@dataclasses.dataclass(frozen=True)
class Call:
    """One run of a node. `node` is its index, or CLONE, which copies a mutated input, or BARRIER between the passes.

    Over a link: OFFLOAD copies an instance to the host, which is an instance, too; PREFETCH copies that back; WAIT reads
    both of an OFFLOAD, whose end it waits for, so that what was copied can be freed.
    """

    node: int
    run: int  # how often the node has run before
    reads: tuple[int, ...]  # instances, as `Node.reads`
    writes: tuple[int, ...]  # instances, as `Node.writes`; -1: dropped at once, as an older run's result is still there


@dataclasses.dataclass
class Program:
    """Calls in order. Instances below the number of tensors are inputs and tangents, numbered as tensors are."""

    calls: list[Call]
    tensor_of: dict[int, int]  # of each instance
    barrier: int  # position of the barrier in `calls`
    results: list[int]  # instances that the forward pass returns, as `Joint.results`
    updates: list[int]  # as `Joint.updates`
    gradients: list[int]  # as `Joint.gradients`
    saved_states: dict[int, int]  # random nodes that run again -> position of their last run

    def saved(self, joint: Joint) -> list[int]:
        """Instances that the forward pass hands to the backward pass, inputs among them, in order of first use."""
        made: set[int] = set(joint.inputs)
        for call in self.calls[: self.barrier]:
            made.update(call.writes)
        later = [i for call in self.calls[self.barrier + 1 :] for i in call.reads]
        return list(dict.fromkeys(i for i in (*later, *self.gradients) if i >= 0 and i in made))


@dataclasses.dataclass(frozen=True)
class Measured:
    """Bytes that a program holds, and what it takes beyond running everything once."""

    peak: int
    at: int  # position of the call with the peak
    kept: int  # bytes between the passes, before the tangents come
    time: float
    overhead: float
    recomputed: int  # calls that run again
    gathered: int = 0  # gathers among them
    host: int = 0  # most bytes of copies on the host
    copied: int = 0  # bytes that are copied to the host


class _Emitter:
    def __init__(self, joint: Joint, cloned: set[int]) -> None:
        self.joint, self.cloned = joint, cloned
        self.calls: list[Call] = []
        self.current: dict[int, int] = {t: t for t in joint.inputs}
        self.tensor_of: dict[int, int] = {t: t for t in (*joint.inputs, *joint.tangents)}
        self.next = len(joint.storage_of)
        self.runs: dict[int, int] = {}
        self.tensors: dict[int, list[int]] = {}
        self.hosts: dict[int, tuple[int, int]] = {}  # of storages on the host: the tensor, and its instance there
        self.leaving: dict[int, tuple[int, int]] = {}  # of storages that are copied there: both instances
        self.waiting = [i for i, n in enumerate(joint.nodes) if n.kind == "scalar"]
        self.waits: dict[int, list[int]] = {}  # of collectives
        for index, node in enumerate(joint.nodes):
            if node.kind == "wait":
                self.waits.setdefault(joint.producer[node.reads[0]], []).append(index)
        for tensor, storage in enumerate(joint.storage_of):
            self.tensors.setdefault(storage, []).append(tensor)

    def instance(self, tensor: int) -> int:
        new, self.next = self.next, self.next + 1
        self.current[tensor] = new
        self.tensor_of[new] = tensor
        return new

    def get(self, tensor: int) -> int:
        """The instance to read; views are run again from what they view, and so are waits, of what was copied back."""
        if tensor not in self.current:
            index = self.joint.producer[tensor]
            if index < 0 or self.joint.nodes[index].kind not in ("view", "store", "wait"):
                name = self.joint.nodes[index].name if index >= 0 else "a tangent"
                raise ValueError(f"the schedule reads {name}, which is not resident")
            self.run(index)
        return self.current[tensor]

    def run(self, index: int) -> None:
        node = self.joint.nodes[index]
        if node.kind == "gather":  # what an older run has brought ends with its last use: this one must be waited for
            self.discard(self.joint.storage_of[node.writes[0]])
        reads = tuple(self.get(t) for t in node.reads)
        writes = tuple(-1 if t in self.current else self.instance(t) for t in node.writes)
        count = self.runs.get(index, 0)
        self.runs[index] = count + 1
        self.calls.append(Call(index, count, reads, writes))
        for wait in self.waits.get(index, ()):
            self.run(wait)
        self.run_scalars()

    def run_scalars(self) -> None:
        ready = [i for i in self.waiting if all(t in self.current for t in self.joint.nodes[i].reads)]
        self.waiting = [i for i in self.waiting if i not in ready]
        for index in ready:
            self.run(index)

    def offload(self, storage: int) -> None:
        """Copies a storage to the host: the tensor of the node that allocates it."""
        tensor = next(t for t in self.tensors[storage] if self.joint.producer[t] == self.joint.owner[storage])
        source, host, self.next = self.current[tensor], self.next, self.next + 1
        self.tensor_of[host] = tensor
        self.calls.append(Call(OFFLOAD, 0, (source,), (host,)))
        self.hosts[storage], self.leaving[storage] = (tensor, host), (host, source)

    def prefetch(self, storage: int) -> None:
        """Copies a storage back."""
        tensor, host = self.hosts[storage]
        self.calls.append(Call(PREFETCH, 0, (host,), (self.instance(tensor),)))

    def discard(self, storage: int) -> None:
        if storage in self.leaving:
            self.calls.append(Call(WAIT, 0, self.leaving.pop(storage), ()))
        for tensor in self.tensors.get(storage, ()):
            self.current.pop(tensor, None)

    def drop_views(self) -> None:
        for tensor in list(self.current):
            index = self.joint.producer[tensor]
            if index >= 0 and self.joint.nodes[index].kind == "view":
                del self.current[tensor]

    def pass_barrier(self) -> None:
        clones = []
        for tensor in sorted(self.cloned):
            self.calls.append(Call(CLONE, 0, (tensor,), (self.next,)))
            clones.append(self.next)
            self.tensor_of[self.next] = tensor
            self.next += 1
        for index, node in enumerate(self.joint.nodes):
            if node.kind == "store":
                self.run(index)
        ends = [t for t in (*self.joint.results, *self.joint.updates) if t >= 0]
        self.ends = {t: self.get(t) for t in ends}
        self.calls.append(Call(BARRIER, 0, tuple(self.ends.values()), tuple(self.joint.tangents)))
        self.barrier = len(self.calls) - 1
        self.drop_views()
        for tensor, clone in zip(sorted(self.cloned), clones):
            self.current[tensor] = clone
        self.current.update({t: t for t in self.joint.tangents})


def split(joint: Joint, steps: Iterable[tuple[str, int]]) -> Program:
    """The program of a schedule.

    steps: ("compute", position in `joint.planned()`), ("discard", value of `joint.graph()`), and the copies of a value over
    a link, "offload", "prefetch" and "discard_host". Views are run where
    they are read, from what is resident. Where a later run reads an input that the forward pass writes over, the
    program clones that input first.
    Raises ValueError where the schedule reads what is not resident.
    """
    steps = list(steps)
    cloned: set[int] = set()
    while True:
        program = _emit(joint, steps, cloned)
        more = {
            i
            for call in program.calls[program.barrier + 1 :]
            for i in call.reads
            if i < len(joint.storage_of) and i in joint.inputs and joint.storage_of[i] in joint.mutated
        }
        if more <= cloned:
            return program
        cloned |= more


def _emit(joint: Joint, steps: list[tuple[str, int]], cloned: set[int]) -> Program:
    emit = _Emitter(joint, cloned)
    order, values = joint.planned(), joint.values()
    emit.run_scalars()
    for action, number in steps:
        if action == "discard_host" or (action != "compute" and values[number] <= STATE):
            continue  # an instance on the host ends with its last copy back, a generator's state with its last use
        if action != "compute":
            {"discard": emit.discard, "offload": emit.offload, "prefetch": emit.prefetch}[action](values[number])
        elif order[number] == BARRIER:
            emit.pass_barrier()
        elif order[number] > STATE:
            emit.run(order[number])
    ends = {t: emit.get(t) for t in joint.gradients if t >= 0}
    states = {
        c.node: k for k, c in enumerate(emit.calls) if c.node >= 0 and c.run and joint.nodes[c.node].kind == "random"
    }
    return Program(
        emit.calls,
        emit.tensor_of,
        emit.barrier,
        [emit.ends.get(t, -1) for t in joint.results],
        [emit.ends.get(t, -1) for t in joint.updates],
        [ends.get(t, -1) for t in joint.gradients],
        states,
    )


def keep_all_steps(joint: Joint) -> list[tuple[str, int]]:
    """The schedule that runs everything once, in the order of the joint graph."""
    return [("compute", k) for k in range(len(joint.planned()))]


def measure(joint: Joint, program: Program) -> Measured:
    """The bytes that storages hold where each is freed after its last use, with clones and saved random states."""
    homes, sizes, first, last = _lifetimes(joint, program)
    count = len(program.calls)
    change = [0] * (count + 1)
    for home, size in sizes.items():
        change[first[home]] += size
        change[min(last[home] + 1, count)] -= size
    best, at, live, kept = 0, 0, 0, 0
    time = once = 0.0
    again = gathered = 0
    for k, call in enumerate(program.calls):
        live += change[k]
        node = joint.nodes[call.node] if call.node >= 0 else None
        extra = node.workspace if node else 0
        if call.node == BARRIER:
            kept, extra = live - joint.tangent_bytes(), joint.waiting()
        if node and -1 in call.writes:  # results of this run that an older run's make needless
            dropped = {joint.storage_of[t] for t, w in zip(node.writes, call.writes) if w < 0}
            extra += sum(joint.size(s) for s in dropped)
        if live + extra > best:
            best, at = live + extra, k
        if node and node.kind not in UNSEEN:
            time += node.time
            once += node.time if call.run == 0 else 0.0
            again += call.run > 0
            gathered += call.run > 0 and node.kind == "gather"
    return Measured(best, at, kept, time, time - once, again, gathered, *_on_host(joint, program))


def _on_host(joint: Joint, program: Program) -> tuple[int, int]:
    """The most bytes of copies on the host, each there until its last use, and the bytes that are copied there."""
    calls = program.calls
    sizes = {
        c.writes[0]: joint.size(joint.storage_of[program.tensor_of[c.writes[0]]]) for c in calls if c.node == OFFLOAD
    }
    last = {i: k for k, call in enumerate(calls) for i in (*call.reads, *call.writes) if i in sizes}
    live = best = 0
    for k, call in enumerate(calls):
        live += sizes[call.writes[0]] if call.node == OFFLOAD else 0
        best = max(best, live)
        live -= sum(sizes[i] for i in {*call.reads, *call.writes} if last.get(i) == k)
    return best, sum(sizes.values())


def _lifetimes(joint: Joint, program: Program) -> tuple[dict[int, Any], dict[Any, int], dict[Any, int], dict[Any, int]]:
    """Where each instance lies, and of each home its bytes, and positions of its first and last use."""
    end = len(program.calls) - 1
    homes: dict[int, Any] = {i: ("outside", joint.storage_of[i]) for i in (*joint.inputs, *joint.tangents)}
    sizes: dict[Any, int] = {}
    first: dict[Any, int] = {}
    last: dict[Any, int] = {}
    for k, call in enumerate(program.calls):
        for instance in call.reads:
            last[homes[instance]] = k
        if call.node == BARRIER:
            for tensor in joint.tangents:
                if joint.storage_of[tensor] >= 0:
                    sizes[homes[tensor]] = joint.size(joint.storage_of[tensor])
                    first[homes[tensor]] = k
        elif call.node == CLONE:
            home: Any = ("clone", k)
            homes[call.writes[0]] = home
            sizes[home], first[home], last[home] = joint.sizes[joint.storage_of[call.reads[0]]], k, k
        elif call.node in (OFFLOAD, WAIT):
            homes.update((host, ("host", host)) for host in call.writes)
        elif call.node == PREFETCH:
            home, storage = ("prefetched", k), joint.storage_of[program.tensor_of[call.writes[0]]]
            homes[call.writes[0]] = home
            sizes[home], first[home], last[home] = joint.size(storage), k, k
        else:
            node = joint.nodes[call.node]
            inherited = {joint.storage_of[t]: homes[i] for t, i in zip(node.reads, call.reads)}
            for tensor, instance in zip(node.writes, call.writes):
                if instance < 0:
                    continue
                storage = joint.storage_of[tensor]
                own = joint.owner.get(storage) == call.node and node.kind not in UNSEEN
                home = (storage, call.node, call.run) if own else inherited.get(storage, ("outside", storage))
                homes[instance] = home
                last[home] = max(last.get(home, k), k)
                if own and storage >= 0:
                    sizes[home] = joint.size(storage)
                    first.setdefault(home, k)
            if node.kind == "random" and call.run == 0 and call.node in program.saved_states:
                home = ("state", call.node)
                sizes[home], first[home], last[home] = joint.state_size, k, program.saved_states[call.node]
    for instance in (*program.results, *program.gradients, *joint.tangents):
        if instance >= 0:
            last[homes[instance]] = end
    return homes, sizes, first, {home: last.get(home, first.get(home, 0)) for home in {*first, *last}}
