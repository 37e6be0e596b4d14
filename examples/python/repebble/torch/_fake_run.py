"""Both graphs run on fake tensors, and the bytes counted: a measure that needs neither memory nor time."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any
from unittest import mock

import torch
from torch import fx
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx.experimental.proxy_tensor import disable_proxy_modes_tracing

from ._allocator import reserved
from ._collectives import is_wait
from ._joint import Joint
from ._measure import StorageCounter
from ._times import storage_bytes


class _FakeCounter(StorageCounter):
    """A wait for a collective gives back what it has waited for, as on real tensors."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return args[0] if is_wait(func) else super().__torch_dispatch__(func, types, args, kwargs)


class _KernelCounter(_FakeCounter):
    """Counts, too, that oneDNN's backward convolution holds the weights' gradient twice more, unless they are 1 x 1."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = super().__torch_dispatch__(func, types, args, kwargs)
        weights = out[1] if func is torch.ops.aten.convolution_backward.default else None
        if weights is not None and weights.device.type == "cpu" and any(size != 1 for size in weights.shape[2:]):
            self.events += [(-1, 2 * storage_bytes(weights)), (-1, -2 * storage_bytes(weights))]
        return out


@dataclasses.dataclass(frozen=True)
class Run:
    """What a run allocates: a storage's number with its bytes, the same again with minus when it is freed."""

    peak: int  # the most bytes at once: inputs are not counted, gradients only where the joint graph counts them
    forward: list[tuple[int, int]]
    backward: list[tuple[int, int]]


def reserved_by_step(runs: Iterable[Run]) -> int:
    """Bytes that CUDA's caching allocator would reserve for graphs, each of which waits for those after it.

    Gradients are among them; what lies there before is not.
    """
    runs = list(runs)
    passes = [*((k, r.forward) for k, r in enumerate(runs)), *reversed([(k, r.backward) for k, r in enumerate(runs)])]
    numbers: dict[tuple[int, int], int] = {}  # of storages
    return reserved((numbers.setdefault((k, n), len(numbers)), size) for k, events in passes for n, size in events)


def run_both(modules: tuple[fx.GraphModule, fx.GraphModule], joint: Joint, calls: Any = None) -> Run:
    """Runs both graphs on fake tensors.

    calls: what to run in place of the graphs, such as their code by inductor.
    """
    forward, backward = modules
    first, second = calls or tuple(map(_boxed, modules))
    values = [n.meta.get("val") for n in forward.graph.find_nodes(op="placeholder")]
    mode = next((v.fake_mode for v in values if isinstance(v, FakeTensor)), None)
    if mode is None:
        raise ValueError("no input is a fake tensor")
    states = mock.patch.object(mode, "allow_non_fake_inputs", True)  # a generator's state is a real tensor
    with torch.no_grad(), states, mode, disable_proxy_modes_tracing():
        arguments = _fresh(values)
        counter = (_KernelCounter if calls else _FakeCounter)(arguments)
        names = [n.name for n in forward.graph.find_nodes(op="placeholder")]
        there = dict(zip(names, arguments))
        with counter:
            outputs = list(first(list(arguments)))
            count = len(joint.results)
            labels = [n.name if isinstance(n, fx.Node) else None for n in _output(modules[0])]
            saved = dict(zip(labels[count:], outputs[count:]))
            held = [x for x, number in zip(outputs, joint.results) if number >= 0]
            del outputs
            late = [
                n for n in backward.graph.find_nodes(op="placeholder") if n.name not in saved and n.name not in there
            ]
            tangents = dict(zip([n.name for n in late], _empty([n.meta.get("val") for n in late])))
            inputs = [
                saved.pop(n.name, None) if n.name in saved else there.get(n.name, tangents.get(n.name))
                for n in backward.graph.find_nodes(op="placeholder")
            ]
            saved.clear()
            middle = len(counter.events)
            counter.events += [(-1, joint.waiting()), (-1, -joint.waiting())]
            gradients = second(inputs)
    del held
    unpaid = [g for g, t in zip(gradients, joint.gradients) if t >= 0 and not joint.size(joint.storage_of[t])]
    return Run(counter.peak(unpaid), counter.on_device(0, middle), counter.on_device(middle + 2))


def _output(module: fx.GraphModule) -> Any:
    return next(iter(module.graph.find_nodes(op="output"))).args[0]


def _boxed(module: fx.GraphModule) -> Any:
    graph = fx.Graph()
    graph.output(graph.graph_copy(module.graph, {}))
    graph.set_codegen(fx.graph._BoxedCodeGen())
    return fx.GraphModule(module, graph)


def _fresh(values: list[Any]) -> list[Any]:
    storages: dict[int, Any] = {}
    fresh = []
    for value in values:
        if isinstance(value, torch.Tensor):
            key = value.untyped_storage()._cdata
            if key not in storages:
                storages[key] = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=value.device)
            fresh.append(storages[key])
        else:
            fresh.append(value)
    return fresh


def _empty(values: list[Any]) -> list[Any]:
    return [
        torch.empty_strided(v.shape, v.stride(), dtype=v.dtype, device=v.device) if isinstance(v, torch.Tensor) else v
        for v in values
    ]
