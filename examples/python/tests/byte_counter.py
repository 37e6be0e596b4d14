"""Runs a program of `repebble.torch._split` on NumPy arrays, in place of torch, and counts the bytes that live.

Every node computes a hash of what it reads. Views are NumPy views, random nodes draw from a generator whose state can
be saved, inputs that the forward pass writes over are really written over. So a program that frees too early, runs
again in a wrong order, with another random state, or with an input that has changed, gives other results. What a gather
brings is there only when it was waited for, and so is a copy on the host.
"""

from __future__ import annotations

import weakref
import zlib
from typing import Any

import numpy as np

WIDTH = 8
BARRIER, CLONE, OFFLOAD, WAIT, PREFETCH = -1, -2, -3, -4, -5


class ByteCounter:
    """A run of a program. After `run`: `peak`, `host_peak`, `results`, `gradients`, `inputs`."""

    def __init__(self, joint: Any, program: Any) -> None:
        self.joint, self.program = joint, program
        self.live = self.peak = self.host_live = self.host_peak = 0
        self.generator = 1
        self.states: dict[int, int] = {}
        self.flying: dict[int, Any] = {}  # what gathers bring that were not waited for, by storage
        self.leaving: dict[int, Any] = {}  # what copies to the host bring that were not waited for, by instance
        self.inputs: dict[int, Any] = {}
        bases: dict[int, Any] = {}
        for tensor in joint.inputs:
            storage = joint.storage_of[tensor]
            value = mix("input", [tensor if storage < 0 else storage])
            self.inputs[tensor] = value if storage < 0 else bases.setdefault(storage, value)
        self.values: dict[int, Any] = dict(self.inputs)
        self.last: dict[int, int] = {}
        for k, call in enumerate(program.calls):
            self.last.update(dict.fromkeys((*call.reads, *call.writes), k))
        self.kept = {*program.results, *program.gradients, *joint.tangents, *joint.inputs}

    def allocate(self, value: Any, size: int) -> Any:
        """Counts an array until it and all its views are gone."""
        self.live += size
        self.peak = max(self.peak, self.live)

        def free() -> None:
            self.live -= size

        weakref.finalize(value, free)
        return value

    def run(self) -> ByteCounter:
        for k, call in enumerate(self.program.calls):
            if call.node == BARRIER:
                self.pass_barrier()
            elif call.node == CLONE:
                source = self.values[call.reads[0]]
                size = self.joint.sizes[self.joint.storage_of[call.reads[0]]]
                self.values[call.writes[0]] = self.allocate(source.copy(), size)
            elif call.node in (OFFLOAD, WAIT, PREFETCH):
                self.copy(call)
            else:
                self.run_node(k, call)
            for instance in {*call.reads, *call.writes}:
                if self.last.get(instance) == k and instance not in self.kept:
                    self.values.pop(instance, None)
        self.results = [None if i < 0 else self.values[i].copy() for i in self.program.results]
        self.gradients = [None if i < 0 else self.values[i].copy() for i in self.program.gradients]
        return self

    def copy(self, call: Any) -> None:
        value = self.values[call.reads[0]]
        if call.node == WAIT:
            value[...] = self.leaving.pop(call.reads[0])
            return
        storage = self.joint.storage_of[self.program.tensor_of[call.writes[0]]]
        size = self.joint.size(storage)
        if call.node == PREFETCH:
            self.values[call.writes[0]] = self.allocate(value.copy(), size)
            return
        self.leaving[call.writes[0]] = value.copy()
        self.values[call.writes[0]] = mix("not waited for", [])
        self.host_live += size
        self.host_peak = max(self.host_peak, self.host_live)

        def free() -> None:
            self.host_live -= size

        weakref.finalize(self.values[call.writes[0]], free)

    def run_node(self, k: int, call: Any) -> None:
        joint, node = self.joint, self.joint.nodes[call.node]
        reads = [self.values[i] for i in call.reads]
        owners = {joint.storage_of[t]: value for t, value in zip(node.reads, reads)}
        noise = self.draw(call, node) if node.kind == "random" else 0
        made: dict[int, Any] = {}
        self.peak = max(self.peak, self.live + node.workspace)
        self.live += node.workspace
        for j, (tensor, instance) in enumerate(zip(node.writes, call.writes)):
            storage = joint.storage_of[tensor]
            if storage < 0:
                value = mix(node.name, [j, *reads])
            elif node.kind == "store":
                owners[storage][...] = mix(node.name, reads[1:])
                value = owners[storage]
            elif node.kind == "wait":
                value = owners[storage]
                value[...] = self.flying.pop(storage, value)
            elif storage in owners:
                value = owners[storage][::-1] if node.kind == "view" else owners[storage][:]
            elif storage in made:
                value = made[storage][:]
            else:
                value = made[storage] = self.allocate(mix(node.name, [j, noise, *reads]), joint.size(storage))
                if node.kind == "gather":
                    self.flying[storage] = value.copy()
                    value[...] = mix("not waited for", [])
            if instance >= 0:
                self.values[instance] = value
        self.live -= node.workspace

    def draw(self, call: Any, node: Any) -> int:
        if call.run and call.node in self.states:
            return self.states[call.node]
        noise, self.generator = self.generator, self.generator * 6364136223846793005 % 2**64 + 1
        if call.node in self.program.saved_states:
            self.states[call.node] = noise
            self.live += self.joint.state_size
            self.peak = max(self.peak, self.live)
        return noise

    def pass_barrier(self) -> None:
        for tensor, value in self.inputs.items():
            stored = any(
                n.kind == "store" and self.joint.storage_of[n.reads[0]] == self.joint.storage_of[tensor]
                for n in self.joint.nodes
            )
            if self.joint.storage_of[tensor] in self.joint.mutated and not stored:
                value[...] = mix("update", [value])
        for tensor in self.joint.tangents:
            storage = self.joint.storage_of[tensor]
            value = mix("tangent", [tensor])
            self.values[tensor] = self.allocate(value, self.joint.size(storage)) if storage >= 0 else value


def mix(name: str, parts: list[Any]) -> Any:
    """A hash of a name and of numbers and arrays, as an array."""
    with np.errstate(over="ignore"):
        total = np.arange(1, WIDTH + 1, dtype=np.uint64) * np.uint64(zlib.crc32(name.encode()) + 1)
        for part in parts:
            word = part if isinstance(part, np.ndarray) else np.uint64(part % 2**64)
            total = (total ^ (total >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9) + word
        return total ^ (total >> np.uint64(32))
