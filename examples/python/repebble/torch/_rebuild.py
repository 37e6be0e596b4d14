"""From a program to torch's forward and backward graphs, in exactly the program's order."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import torch
from torch import fx
from torch._functorch import partitioners

from . import _copies
from ._capture import Captured, leaves_of
from ._split import BARRIER, CLONE, OFFLOAD, PREFETCH, WAIT, Call, Program

IN_MEMORY = "repebble_in_memory"  # in a node's meta: a compiler must not compute it where it is read


class _Rebuilder:
    def __init__(self, captured: Captured, program: Program) -> None:
        self.captured, self.program, self.joint = captured, program, captured.joint
        self.graph = fx.Graph()
        self.made: dict[int, fx.Node] = {}  # of each instance
        self.states: dict[int, fx.Node] = {}  # of each random node that runs again
        self.coming: set[int] = set()  # instances that are copied back, and were not waited for
        self.tag = "must_be_in_forward"

    def copy_inputs(self) -> None:
        for number in (*self.joint.inputs, *self.joint.tangents):
            node = self.captured.tensor_nodes[number]
            if node.op == "placeholder":
                self.made[number] = self.graph.node_copy(node)
        for number in self.joint.inputs:
            node = self.captured.tensor_nodes[number]
            if node.op == "get_attr":
                self.made[number] = self.graph.node_copy(node)

    def add(self, call: Call) -> None:
        if call.node == BARRIER:
            self.wait_for(call.reads)
            self.tag = "must_be_in_backward"
        elif call.node in (OFFLOAD, WAIT, PREFETCH):
            self.add_copy(call)
        elif call.node == CLONE:
            source = self.made[call.reads[0]]
            self.made[call.writes[0]] = self.finish(
                self.graph.call_function(torch.ops.aten.clone.default, (source,)),
                source.meta,
                _clone(source.meta["val"]),
            )
        else:
            self.add_run(call)

    def wait_for(self, instances: Iterable[int]) -> None:
        """What follows reads these: those that are copied back have come."""
        for instance in self.coming.intersection(instances):
            self.finish(self.graph.call_function(_copies.ARRIVED, (self.made[instance],)), {}, None)
            self.coming.remove(instance)

    def add_copy(self, call: Call) -> None:
        first = self.made[call.reads[0]]
        if call.node == WAIT:
            self.finish(self.graph.call_function(_copies.LANDED, (first, self.made[call.reads[1]])), {}, None)
            return
        self.wait_for(call.reads)
        value = first.meta["val"]
        device = self.captured.tensor_nodes[self.program.tensor_of[call.writes[0]]].meta["val"].device
        arguments = (first, device) if call.node == PREFETCH else (first,)
        target = _copies.TO_DEVICE if call.node == PREFETCH else _copies.TO_HOST
        with value.fake_mode:
            copy = target(value, *arguments[1:])
        self.made[call.writes[0]] = self.finish(self.graph.call_function(target, arguments), first.meta, copy)
        self.coming.update(call.writes if call.node == PREFETCH else ())

    def add_run(self, call: Call) -> None:
        self.wait_for(call.reads)
        root = self.captured.roots[call.node]
        node = self.joint.nodes[call.node]
        names = {self.captured.tensor_nodes[t]: self.made[i] for t, i in zip(node.reads, call.reads)}
        args, kwargs = fx.node.map_arg((root.args, root.kwargs), lambda n: names[n])
        value = root.meta.get("val")
        if call.node in self.program.saved_states and call.run == 0:
            prim = torch._prims.rng_prims.run_and_save_rng_state
            pair = self.finish(
                self.graph.call_function(prim, (root.target, *args), kwargs),
                root.meta,
                (_state(self.captured, root), value),
            )
            self.states[call.node] = self.finish(
                self.graph.call_function(operator.getitem, (pair, 0)), {}, pair.meta["val"][0]
            )
            made = self.finish(self.graph.call_function(operator.getitem, (pair, 1)), root.meta, value)
        elif node.kind == "random" and call.run:
            prim = torch._prims.rng_prims.run_with_rng_state
            made = self.finish(
                self.graph.call_function(prim, (self.states[call.node], root.target, *args), kwargs), root.meta, value
            )
        else:
            made = self.finish(
                self.graph.create_node("call_function", root.target, args, kwargs, name=root.name), root.meta, value
            )
        tuples: dict[fx.Node, fx.Node] = {root: made}
        for leaf, instance in zip(leaves_of(root), call.writes):
            if instance >= 0:
                self.made[instance] = self.leaf(leaf, tuples)

    def leaf(self, leaf: fx.Node, tuples: dict[fx.Node, fx.Node]) -> fx.Node:
        if leaf not in tuples:
            above = self.leaf(leaf.args[0], tuples)  # type: ignore[arg-type]
            made = self.graph.create_node("call_function", operator.getitem, (above, leaf.args[1]), name=leaf.name)
            tuples[leaf] = self.finish(made, leaf.meta, leaf.meta.get("val"))
        return tuples[leaf]

    def finish(self, node: fx.Node, meta: dict[str, Any], value: Any) -> fx.Node:
        node.meta = {**meta, "val": value, "partitioner_tag": self.tag}
        node.meta.pop("recompute", None)
        return node


def rebuild(
    captured: Captured,
    program: Program,
    num_fwd_outputs: int,
    static: list[int] | None = None,
    in_memory: Iterable[int] = (),
) -> tuple[fx.GraphModule, fx.GraphModule]:
    """The forward and the backward graph of a program, as AOTAutograd wants them of a partitioner.

    in_memory: instances of which nodes are marked as such.
    """
    work = _Rebuilder(captured, program)
    work.copy_inputs()
    for call in program.calls:
        work.add(call)
    work.wait_for(program.gradients)
    for instance in in_memory:
        if instance in work.made and work.made[instance].op == "call_function":
            work.made[instance].meta[IN_MEMORY] = True
    old = next(iter(captured.module.graph.find_nodes(op="output")))
    numbers = iter([*(u if u >= 0 else r for r, u in zip(program.results, program.updates)), *program.gradients])
    leaves = [work.made[n] if (n := next(numbers)) >= 0 else x for x in _outputs(captured.module)]
    out = work.graph.output(tuple(leaves))
    out.meta = dict(old.meta)
    joint = fx._lazy_graph_module._make_graph_module(captured.module, work.graph)
    saved = [work.made[i] for i in program.saved(captured.joint) if work.made[i].op != "get_attr"]
    saved = list(
        dict.fromkeys(
            [
                *saved,
                *(
                    work.states[n]
                    for n, last in program.saved_states.items()
                    if last > program.barrier and _first(program, n) < program.barrier
                ),
            ]
        )
    )
    symbols = [n for n in saved if isinstance(n.meta.get("val"), (torch.SymInt, torch.SymFloat, torch.SymBool))]
    held = [n for n in saved if n not in symbols]
    placeholders = [n for n in work.graph.find_nodes(op="placeholder") if partitioners._is_primal(n)]
    fixed = partitioners.OrderedSet(placeholders[i] for i in static or () if i < len(placeholders))
    return partitioners._extract_fwd_bwd_modules(
        joint, held, symbols, num_fwd_outputs=num_fwd_outputs, static_lifetime_input_nodes=fixed
    )


def _outputs(module: fx.GraphModule) -> list[Any]:
    both = partitioners._extract_fwd_bwd_outputs(module, num_fwd_outputs=10**9)
    return list(both[0])


def _first(program: Program, node: int) -> int:
    return next(k for k, call in enumerate(program.calls) if call.node == node)


def _clone(value: Any) -> Any:
    mode = getattr(value, "fake_mode", None)
    if mode is None:
        return value
    with mode:
        return value.clone()


def _state(captured: Captured, root: fx.Node) -> Any:
    mode = next((v.fake_mode for v in _fakes(root)), None)
    device = next((v.device.type for v in _fakes(root)), "cpu")
    state = torch.cuda.get_rng_state() if device == "cuda" else torch.get_rng_state()
    return mode.from_tensor(state) if mode is not None else state


def _fakes(root: fx.Node) -> list[Any]:
    from ._times import tensors

    return [v for v in tensors((root, root.args)) if hasattr(v, "fake_mode")]
