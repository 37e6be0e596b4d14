"""Times of the nodes of a joint graph: by the roofline of a named device, measured, or given."""

from __future__ import annotations

import contextlib
import functools
import pathlib
import platform
import time
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import fx
from torch.utils import _pytree as pytree
from torch.utils.flop_counter import flop_registry

from .._devices import DEVICES
from .._errors import BadOption
from . import _collectives

INTERCONNECT = _collectives.INTERCONNECT
Times = str | Mapping[str, float] | Callable[[fx.Node], float]


def check(times: Any) -> None:
    """Raises BadOption where these are no times."""
    named = isinstance(times, str) and (times in DEVICES or times == "measure")
    if not (named or callable(times) or isinstance(times, Mapping)):
        raise BadOption(f"times are those of a device ({', '.join(DEVICES)}), 'measure', or given, not {times!r}")


def concrete(size: Any) -> int:
    """A size, or the hint of a symbolic one."""
    if isinstance(size, int):
        return size
    hint = getattr(getattr(size, "node", None), "hint", None)
    return int(hint) if hint is not None else 1


def storage_bytes(value: torch.Tensor) -> int:
    """Bytes of a tensor's storage, by the hints of symbolic sizes."""
    size = value.untyped_storage().nbytes()
    hint = getattr(getattr(size, "node", None), "hint", None)
    return int(size) if isinstance(size, int) else int(hint) if hint is not None else tensor_bytes(value)


def tensor_bytes(value: torch.Tensor) -> int:
    """Bytes of a tensor's elements."""
    count = value.element_size()
    for size in value.shape:
        count *= concrete(size)
    return count


def value_of(node: Any) -> Any:
    """What an argument stands for: the fake value of a node, or itself."""
    return node.meta.get("val") if isinstance(node, fx.Node) else node


def node_time(node: fx.Node, times: Times, interconnect: str = INTERCONNECT) -> float:
    """Nanoseconds that a node takes.

    times: a name of DEVICES; "measure", which runs the node on random numbers where its tensors are; a mapping
    from names of nodes or operators; or a function of the node. What a mapping does not name is
    taken from the A100's roofline. A collective that is not given takes what its bytes take over the interconnect: one
    rank alone cannot measure it.
    """
    if callable(times):
        return float(times(node))
    if not isinstance(times, str):
        for key in (node.name, str(node.target)):
            if key in times:
                return float(times[key])
        return node_time(node, "a100", interconnect)
    if _collectives.is_one(node.target):
        given, brought = (sum(map(tensor_bytes, tensors(x))) for x in ((node.args, node.kwargs), node))
        return _collectives.time_of(node.target, given, brought, interconnect)
    if times == "measure":
        return measured_time(node)
    check(times)
    args, kwargs = pytree.tree_map_only(fx.Node, value_of, (node.args, node.kwargs))
    return roofline(node.target, args, kwargs, value_of(node), times)


def roofline(target: Any, args: Any, kwargs: Any, out: Any, device: str) -> float:
    """Nanoseconds of an operator with these tensors, by a device of DEVICES."""
    flops_per_second, bytes_per_second = DEVICES[device]
    traffic = sum(tensor_bytes(v) for v in tensors((args, kwargs))) + sum(tensor_bytes(v) for v in tensors(out))
    arithmetic = call_flops(target, args, kwargs, out)
    return max(1.0, round(1e9 * max(arithmetic / flops_per_second, traffic / bytes_per_second)))


def kernel_time(nodes: list[fx.Node], times: Times) -> float:
    """Nanoseconds of nodes that run as one kernel, the last of which gives its result; otherwise as `node_time`."""
    if not isinstance(times, str) or times not in DEVICES:
        return sum(node_time(n, times) for n in nodes)
    flops_per_second, bytes_per_second = DEVICES[times]
    inside = set(nodes)
    outside = dict.fromkeys(n for node in nodes for n in node.all_input_nodes if n not in inside)
    traffic = sum(min(tensor_bytes(v), storage_bytes(v)) for v in tensors([*outside, nodes[-1]]))
    return max(1.0, round(1e9 * max(sum(map(flops, nodes)) / flops_per_second, traffic / bytes_per_second)))


def tensors(tree: Any) -> list[torch.Tensor]:
    """The tensors of nodes, or of nested lists of them."""
    found = []
    for leaf in pytree.tree_leaves(pytree.tree_map_only(fx.Node, value_of, tree)):
        if isinstance(leaf, torch.Tensor):
            found.append(leaf)
    return found


def flops(node: fx.Node) -> float:
    """Arithmetic of a node by torch's own formulas: products and convolutions."""
    args, kwargs = pytree.tree_map_only(fx.Node, value_of, (node.args, node.kwargs))
    return call_flops(node.target, args, kwargs, value_of(node))


def call_flops(target: Any, args: Any, kwargs: Any, out: Any) -> float:
    """Arithmetic of an operator with these tensors."""
    formula = flop_registry.get(getattr(target, "_overloadpacket", None))
    if formula is None:
        return 0.0
    try:
        return float(concrete(formula(*args, **kwargs, out_val=out)))
    except Exception:  # a formula that does not know these arguments
        return 0.0


#: Nanoseconds of what was measured, by operator, shapes, device and version.
measured: dict[str, float] = {}


def measured_time(node: fx.Node, repetitions: int = 3) -> float:
    """Nanoseconds of a run on random numbers: the least of some, remembered for equal operators and shapes."""
    flat, spec = pytree.tree_flatten(pytree.tree_map_only(fx.Node, value_of, (node.args, node.kwargs)))
    shapes = tuple(
        (tuple(map(concrete, v.shape)), tuple(map(concrete, v.stride())), v.dtype, str(v.device))
        if isinstance(v, torch.Tensor)
        else repr(concrete(v) if isinstance(v, torch.SymInt) else v)
        for v in flat
    )
    devices = sorted({_device_name(v.device) for v in tensors([flat, node])})
    key = repr((str(node.target), str(spec), shapes, devices, str(torch.__version__)))
    if key not in measured:
        try:
            with torch._guards.tracing(None), torch.utils._python_dispatch._disable_current_modes(), torch.no_grad():
                real = [
                    _random_like(v)
                    if isinstance(v, torch.Tensor)
                    else concrete(v)
                    if isinstance(v, torch.SymInt)
                    else v
                    for v in flat
                ]
                args, kwargs = pytree.tree_unflatten(real, spec)
                measured[key] = min(_run(node.target, args, kwargs) for _ in range(repetitions))
        except Exception:  # indices out of range, a device that is not here: its roofline instead
            return node_time(node, "a100")
    return measured[key]


def _device_name(device: torch.device) -> str:
    """The model of a device; of the CPU with the threads that use it."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"{_processor()}, {torch.get_num_threads()} threads"


@functools.cache
def _processor() -> str:
    model = [platform.machine(), platform.processor(), torch.backends.cpu.get_cpu_capability()]
    with contextlib.suppress(OSError):
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        model += [line.partition(":")[2].strip() for line in lines if line.startswith("model name")][:1]
    return " ".join(model)


def _random_like(value: torch.Tensor) -> torch.Tensor:
    shape, stride = [concrete(s) for s in value.shape], [concrete(s) for s in value.stride()]
    made = torch.empty_strided(shape, stride, dtype=value.dtype, device=value.device)
    return made.normal_() if value.dtype.is_floating_point or value.dtype.is_complex else made.zero_()


def _run(target: Any, args: Any, kwargs: Any) -> float:
    synchronise = torch.cuda.synchronize if torch.cuda.is_available() else lambda: None
    synchronise()
    begin = time.perf_counter_ns()
    target(*args, **kwargs)
    synchronise()
    return float(max(1, time.perf_counter_ns() - begin))
