"""Inductor held to a plan, and what it makes of a forward and a backward graph: its code, which runs without kernels."""

from __future__ import annotations

import bisect
import contextlib
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import torch
from torch import fx
from torch._functorch import partitioners
from torch._functorch._aot_autograd import graph_compile
from torch._guards import TracingContext
from torch._inductor import async_compile, choices, compile_fx, ir
from torch._inductor.virtualized import V

from . import _inside
from ._rebuild import IN_MEMORY

_LITTLE = 1 << 14  # bytes that need not be free before the next loop runs

Calls = tuple[Callable[[list[Any]], Any], Callable[[list[Any]], Any]]


class _Choices(choices.InductorChoices):
    """Fuses only between two operations that are no kernels of inductor: across them, values would live longer."""

    @staticmethod
    def can_fuse(scheduler: Any, node1: Any, node2: Any, shared_data_score: int) -> bool:
        if not hasattr(scheduler, "repebble_walls"):
            walls = [n.min_order for n in scheduler.nodes if n.is_extern() or n.is_template()]
            scheduler.repebble_walls = sorted(walls) if _is_planned(V.graph) else []
        walls = scheduler.repebble_walls
        first, last = min(node1.min_order, node2.min_order), max(node1.max_order, node2.max_order)
        apart = bisect.bisect_left(walls, last) > bisect.bisect_right(walls, first)
        return not apart and choices.InductorChoices.can_fuse(scheduler, node1, node2, shared_data_score)


@contextlib.contextmanager
def held_to_plan() -> Iterator[None]:
    """Inductor's settings and lowering so that a plan's order and what it keeps in memory survive."""
    lower = _inside.original("lower")

    def run_node(lowering: Any, node: fx.Node) -> Any:
        result = lower(lowering, node)
        if not node.meta.get(IN_MEMORY) or not isinstance(result, ir.TensorBox):
            return result
        result.realize()
        if node in lowering.nodes_prefer_channels_last and len(result.get_size()) == 4:
            result = ir.ExternKernel.require_stride_order(result, ir.NHWC_STRIDE_ORDER)
        return result

    generate = _inside.original("write loops")

    def codegen_node(scheduling: Any, node: Any) -> None:
        generate(scheduling, node)
        if _is_planned(V.graph) and sum(map(_bytes, node.last_usage)) >= _LITTLE:
            scheduling._set_flush_status(True)  # otherwise one call runs the next loops, too, and frees after them

    write = _inside.original("write")

    def compile_to_module(lowering: Any) -> Any:
        with torch._inductor.config.patch(_inside.settings() if _is_planned(lowering) else {}):
            return write(lowering)

    with (
        torch._inductor.config.patch(inductor_choices_class=_Choices, force_disable_caches=True),
        torch._functorch.config.patch(_inside.FUNCTORCH_SETTINGS),
        _inside.replaced("lower", run_node),
        _inside.replaced("write", compile_to_module),
        _inside.replaced("write loops", codegen_node),
    ):
        yield


def _is_planned(lowering: Any) -> bool:
    """Whether a graph is one of a plan: others are compiled as if there were none."""
    if not hasattr(lowering, "repebble_planned"):
        lowering.repebble_planned = any(n.meta.get(IN_MEMORY) for n in lowering.module.graph.nodes)
    return bool(lowering.repebble_planned)


def default_partition(module: fx.GraphModule, inputs: Any, **arguments: Any) -> tuple[fx.GraphModule, fx.GraphModule]:
    """Inductor's own forward and backward graph of a joint graph, which stays as it is."""
    return partitioners.min_cut_rematerialization_partition(_copy(module), inputs, **arguments)


def _bytes(name: str) -> int:
    lowering = V.graph
    if name in lowering.removed_buffers or lowering.try_get_buffer(name) is None:
        return 0
    return lowering.sizevars.optimization_hint(lowering.get_numel(name)) * lowering.get_dtype(name).itemsize


def compiled_without_kernels(modules: tuple[fx.GraphModule, fx.GraphModule], results: int) -> Calls:
    """The code that inductor writes for both graphs: it allocates and frees as it will, but its own kernels do nothing.

    results: how many outputs of the forward graph are not saved tensors. To be called where a partitioner is.
    """
    forward, backward = modules
    written: list[Any] = []
    compiled = _inside.original("write")

    def compile_to_module(lowering: Any) -> Any:
        module = compiled(lowering)
        _run_on_fake_tensors(module)
        written.append(module.call)
        return module

    context = TracingContext.try_get()
    extra = _inside.compiler_config_extra()
    with (
        _inside.replaced("write", compile_to_module),
        _inside.replaced("compile kernels", _NoKernels),
        _donated(context, modules, results),
    ):
        values = [n.meta["val"] for n in forward.graph.find_nodes(op="placeholder")]
        with TracingContext.report_output_strides() as strides:
            compile_fx.compile_fx_forward(_copy(forward), values, results, len(values), extra)
        layouts = dict(zip([getattr(n, "name", None) for n in _outputs(forward)], strides or ()))
        values = []
        for node in backward.graph.find_nodes(op="placeholder"):
            value, stride = node.meta["val"], layouts.get(node.name)
            restrided = stride is not None and isinstance(value, torch.Tensor) and tuple(stride) != value.stride()
            values.append(value.as_strided(value.shape, stride) if restrided else value)
        compile_fx.compile_fx_backward(_copy(backward), values, extra)
    first, second = written
    return first, second


class _NoKernels:
    """In place of inductor's compiler of kernels, of a kernel, and of all that these bring."""

    _get_ready = staticmethod(async_compile.AsyncCompile._get_ready)  # pickled by name when the pool of compilers begins

    def __getattr__(self, _: str) -> _NoKernels:
        return self

    def __call__(self, *_: Any, **__: Any) -> _NoKernels:
        return self


def _run_on_fake_tensors(module: Any) -> None:
    """Gives a module of inductor's the slow ways to allocate, which fake tensors know."""
    for name in list(vars(module)):
        if name.startswith("empty_strided_"):
            device = name.removeprefix("empty_strided_")
            setattr(module, name, lambda *a, d=device: torch.empty_strided(a[0], a[1], dtype=a[2], device=d))
        elif name.startswith("assert_"):
            setattr(module, name, lambda *_, **__: None)
    module.reinterpret_tensor = lambda t, size, stride, offset=0: t.as_strided(
        size, stride, t.storage_offset() + offset
    )


@contextlib.contextmanager
def _donated(context: Any, modules: tuple[fx.GraphModule, fx.GraphModule], results: int) -> Iterator[None]:
    """Tells inductor which saved tensors the backward graph may write over, as AOTAutograd will."""
    if context is None:
        yield
        return
    forward, backward = modules
    inputs = [n.meta.get("val") for n in forward.graph.find_nodes(op="placeholder")]
    outputs, gradients = ([getattr(n, "meta", {}).get("val") for n in _outputs(m)] for m in modules)
    names = [n.name for n in backward.graph.find_nodes(op="placeholder")]
    saved = _outputs(forward)[results:]
    free = graph_compile.collect_fw_donated_buffer_idxs(inputs, outputs[:results], gradients, outputs[results:])
    with mock.patch.object(context, "fw_metadata", _inside.metadata([names.index(saved[i].name) for i in free])):
        yield


def _outputs(module: fx.GraphModule) -> list[Any]:
    return list(next(iter(module.graph.find_nodes(op="output"))).args[0])


def _copy(module: fx.GraphModule) -> fx.GraphModule:
    made = fx.Graph()
    values: dict[fx.Node, fx.Node] = {}
    made.output(made.graph_copy(module.graph, values)).meta.update(
        next(iter(module.graph.find_nodes(op="output"))).meta
    )
    return fx.GraphModule(module, made)
