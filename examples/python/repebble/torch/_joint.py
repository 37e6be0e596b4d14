"""The joint graph of a training step as the planner needs it: nodes, tensors, storages. Knows no torch.

A *tensor* is a number; `Joint.storage_of` says in which storage it lies. Views share the storage of their base, so the
planner sees storages only. A tensor without a storage (-1) is a scalar: a symbolic size, which costs nothing.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Collection
from typing import Any

BARRIER, STATE = -1, -2
KINDS = ("compute", "view", "scalar", "random", "ordered", "gather", "wait", "store")
UNSEEN = ("view", "scalar", "wait", "store")  # what the planner does not see: it is run where it is needed
IN_ORDER = ("ordered", "gather")  # their first runs keep their order


@dataclasses.dataclass(frozen=True)
class Node:
    """An operation of the joint graph.

    kind: "compute"; "view", which allocates nothing and is run again wherever its base is read; "scalar", which yields
    symbolic sizes only; "random", which reads the generator's state: first runs keep their order, later runs get the
    saved state; "ordered", which never runs again and keeps its order (collectives, effects, mutations); "gather", a
    collective that may run again, whose first run keeps its order among those; "wait", the end of a collective, which
    allocates nothing and follows each run of it at once; "store", which writes over an input when the forward pass
    ends.
    """

    name: str
    reads: tuple[int, ...]
    writes: tuple[int, ...]
    time: float = 0.0
    kind: str = "compute"
    workspace: int = 0  # bytes of outputs that nobody reads: they are there only while it runs
    backward: bool = False  # it needs a tangent


@dataclasses.dataclass
class Joint:
    """Nodes in an order in which they can run, the forward pass first. Sizes are bytes."""

    nodes: list[Node]
    storage_of: list[int]  # of each tensor; -1: a scalar
    sizes: list[int]  # of each storage
    inputs: list[int]  # tensors that are there before all else: parameters, buffers, inputs, constants
    tangents: list[int]  # tensors that autograd brings when the backward pass begins; it holds them to the end
    results: list[int]  # tensors that the forward pass returns to the user, who holds them to the end
    updates: list[int]  # tensors that the forward pass returns only to have them written over inputs
    gradients: list[int]  # tensors that the backward pass returns
    mutated: list[int]  # storages of inputs that are written over when the forward pass ends
    state_size: int = 5056  # bytes of a generator's state
    count_gradients: bool = False  # whether the bytes of gradients are counted
    name: str = ""
    between: int = 0  # bytes that other graphs of the step need while this one waits, its tangents among them
    handed: list[int] = dataclasses.field(default_factory=list)  # gradients that another graph reads: counted always

    def __post_init__(self) -> None:
        self.producer: list[int] = [-1] * len(self.storage_of)
        for index, node in enumerate(self.nodes):
            for tensor in node.writes:
                self.producer[tensor] = index
        outside = {self.storage_of[t] for t in self.inputs}
        self.owner: dict[int, int] = {}  # the node that allocates a storage; -1: the tangents
        for tensor in self.tangents:
            if self.storage_of[tensor] >= 0:
                self.owner.setdefault(self.storage_of[tensor], -1)
        for index, node in enumerate(self.nodes):
            for tensor in node.writes:
                storage = self.storage_of[tensor]
                if storage >= 0 and storage not in outside and node.kind not in UNSEEN:
                    self.owner.setdefault(storage, index)
        self._needs: dict[int, tuple[frozenset[int], frozenset[int]]] = {}
        self.hand(self.handed)

    def size(self, storage: int) -> int:
        """Counted bytes of a storage: inputs count nothing, gradients only on request, or where they are handed on."""
        if storage not in self.owner:
            return 0
        return 0 if storage in self._unpaid else self.sizes[storage]

    def hand(self, gradients: list[int]) -> None:
        """Sets `handed`."""
        held = set() if self.count_gradients else {self.storage_of[t] for t in self.gradients if t >= 0}
        self.handed = gradients
        self._unpaid = held - {self.storage_of[t] for t in (*self.results, *gradients) if t >= 0}

    def waiting(self) -> int:
        """Bytes of `between` beyond those of its own tangents, which come last."""
        return max(0, self.between - self.tangent_bytes())

    def tangent_bytes(self) -> int:
        """Bytes that autograd brings when the backward pass begins."""
        return sum(map(self.size, {self.storage_of[t] for t in self.tangents}))

    def needs(self, tensor: int) -> tuple[frozenset[int], frozenset[int]]:
        """The storages that must be resident, and the nodes that must have run, where `tensor` is read."""
        if tensor in self._needs:
            return self._needs[tensor]
        storage, index = self.storage_of[tensor], self.producer[tensor]
        storages: frozenset[int] = frozenset({storage} if storage in self.owner else ())
        runs: frozenset[int] = frozenset()
        if index >= 0:
            node = self.nodes[index]
            if node.kind in UNSEEN:
                for read in node.reads:
                    more, after = self.needs(read)
                    storages, runs = storages | more, runs | after
            elif self.owner.get(storage) != index:
                runs = frozenset({index})  # a scalar, or a tensor in a storage that another node allocates
                storages |= frozenset().union(*(self.needs(r)[0] for r in node.reads if self.storage_of[r] == storage))
        self._needs[tensor] = storages, runs
        return self._needs[tensor]

    def planned(self) -> list[int]:
        """What the planner sees, in an order that works: numbers of nodes, BARRIER between the passes, and
        STATE - k for saving the generator's state before the random node k, which a later run of it reads.
        """
        kept = [i for i, n in enumerate(self.nodes) if n.kind not in UNSEEN]
        forward = self._forward_nodes()
        last = max(forward, default=-1)
        before = [i for i in kept if i <= last and not self.nodes[i].backward]
        there = set(before)
        order = [*before, BARRIER, *(i for i in kept if i not in there)]
        return [x for i in order for x in ((STATE - i, i) if i >= 0 and self.nodes[i].kind == "random" else (i,))]

    def _barrier_needs(self) -> tuple[frozenset[int], frozenset[int]]:
        tensors = [t for t in (*self.results, *self.updates) if t >= 0]
        tensors += [r for n in self.nodes if n.kind == "store" for r in n.reads]
        pairs = [self.needs(t) for t in tensors]
        ordered = {i for i, n in enumerate(self.nodes) if n.kind in IN_ORDER and not n.backward}
        return frozenset().union(*(p[0] for p in pairs)), frozenset(ordered).union(*(p[1] for p in pairs))

    def _forward_nodes(self) -> set[int]:
        storages, runs = self._barrier_needs()
        waiting = [*(self.owner[s] for s in storages), *runs]
        seen: set[int] = set()
        while waiting:
            index = waiting.pop()
            if index < 0 or index in seen:
                continue
            seen.add(index)
            for read in self.nodes[index].reads:
                more, after = self.needs(read)
                waiting += [*(self.owner[s] for s in more), *after]
        return seen

    def graph(self) -> dict[str, Any]:
        """The planner's graph: a value for each storage, an operation for each entry of `planned()`."""
        order = self.planned()
        place = {index: k for k, index in enumerate(order)}
        values = self.values()
        number = {storage: k for k, storage in enumerate(values)}
        held = {self.storage_of[t] for t in (*self.results, *self.gradients, *self.tangents) if t >= 0}
        once = self._shared_owners() | self._held_owners()
        operations: list[dict[str, Any]] = []
        last: dict[str, int] = {}
        for k, index in enumerate(order):
            if index <= STATE:  # it runs right before the node: their order is that of first runs
                operations.append(
                    {
                        "name": self.nodes[STATE - index].name + " state",
                        "time": 0,
                        "reads": [],
                        "writes": [number[index]],
                        "recomputable": False,
                        "pass": "backward" if self.nodes[STATE - index].backward else "forward",
                        "after": [last["random"]] if "random" in last else [],
                    }
                )
                continue
            if index == BARRIER:
                storages, runs = self._barrier_needs()
                writes = sorted({self.storage_of[t] for t in self.tangents} - {-1})
                operations.append(
                    {
                        "name": "barrier",
                        "time": 0,
                        "reads": [number[s] for s in sorted(storages)],
                        "writes": [number[s] for s in writes],
                        "workspace": self.waiting(),
                        "recomputable": False,
                        "pass": "forward",
                        "after": sorted(place[r] for r in runs),
                    }
                )
                continue
            node = self.nodes[index]
            pairs = [self.needs(t) for t in node.reads]
            storages = frozenset().union(*(p[0] for p in pairs))
            after = {place[r] for r in frozenset().union(*(p[1] for p in pairs))} - {k}
            if node.kind == "random":
                storages |= {STATE - index}
            elif node.kind in IN_ORDER:
                after |= {last["ordered"]} if "ordered" in last else set()
                after |= {place[BARRIER]} if node.backward else set()
            last["ordered" if node.kind in IN_ORDER else node.kind] = k
            own = sorted({self.storage_of[t] for t in node.writes if self.owner.get(self.storage_of[t]) == index})
            operations.append(
                {
                    "name": node.name,
                    "time": node.time,
                    "reads": [number[s] for s in sorted(storages)],
                    "writes": [number[s] for s in own],
                    "workspace": node.workspace,
                    "recomputable": node.kind != "ordered" and index not in once,
                    "after": sorted(after),
                    "pass": "backward" if node.backward else "forward",
                }
            )
        return {
            "values": [{"size": self.size(s) if s >= 0 else self.state_size, "result": s in held} for s in values],
            "operations": operations,
        }

    def _shared_owners(self) -> set[int]:
        """Nodes that must not run again because another node returns a tensor in their storage, and those nodes."""
        shared: set[int] = set()
        for index, node in enumerate(self.nodes):
            if node.kind in UNSEEN:
                continue
            for tensor in node.writes:
                owner = self.owner.get(self.storage_of[tensor], index)
                if owner != index or (self.storage_of[tensor] >= 0 and self.storage_of[tensor] not in self.owner):
                    shared |= {owner, index}
        return shared

    def _held_owners(self) -> set[int]:
        """Nodes that must not run again because the user holds what they bring."""
        return {self.owner.get(self.storage_of[t], -1) for t in self.results if t >= 0}

    def values(self) -> list[int]:
        """The storage of each value of `graph()`, or STATE - k for the state before the random node k."""
        return [*sorted(self.owner), *(STATE - k for k, n in enumerate(self.nodes) if n.kind == "random")]

    def held_values(self) -> list[int]:
        """The values of `graph()` that are in the user's or autograd's hands, or in several nodes': no copy frees them."""
        held = {self.storage_of[t] for t in (*self.results, *self.tangents) if t >= 0}
        shared = self._shared_owners()
        return [k for k, s in enumerate(self.values()) if s in held or self.owner.get(s, -1) in shared]

    def values_of(self, names: Collection[str], again: bool = False) -> list[int]:
        """The values of `graph()` that nodes with these names bring in the forward pass.

        again: only those that may be discarded and made again.
        """
        held = {self.storage_of[t] for t in (*self.results, *self.updates) if t >= 0}
        once = self._shared_owners() if again else set()
        found = []
        for number, storage in enumerate(self.values()):
            index = self.owner.get(storage, -1)
            if index < 0 or self.nodes[index].backward or self.nodes[index].name not in names:
                continue
            if not again or (storage not in held and index not in once and self.nodes[index].kind != "ordered"):
                found.append(number)
        return found

    def gathers(self, kept: Collection[int] = ()) -> list[int]:
        """The gathers that may run again, where these values of `graph()` are kept."""
        once, storages = self._shared_owners() | self._held_owners(), self.values()
        once |= {self.owner.get(storages[v], -1) for v in kept}
        return [k for k, node in enumerate(self.nodes) if node.kind == "gather" and k not in once]

    def to_json(self) -> str:
        """Everything, as text."""
        fields = {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.name != "nodes"}
        return json.dumps(
            {**fields, "nodes": [list(dataclasses.astuple(n)) for n in self.nodes]}, separators=(",", ":")
        )

    @staticmethod
    def from_json(text: str) -> Joint:
        """The graph that `to_json` wrote."""
        fields = json.loads(text)
        nodes = [Node(n[0], tuple(n[1]), tuple(n[2]), *n[3:]) for n in fields.pop("nodes")]
        return Joint(nodes=nodes, **fields)
